// SPDX-License-Identifier: BSD-3-Clause
#include "certificate.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>
#include <system_error>

#include "keepclear/error.hpp"
#include "scene/json.hpp"
#include "scene/model_bodies.hpp"
#include "scene/new_file.hpp"

namespace keepclear::command {

namespace {

namespace fs = std::filesystem;

/// Of one file that is read for its hash.
constexpr std::size_t kMaxSourceBytes = std::size_t{1} << 32;
/// Of what is named in one row; the rest is counted.
constexpr std::size_t kMostNamed = 12;

std::string decoded(std::string_view word) {
  const auto digit = [](char c) { return c <= '9' ? c - '0' : c - 'A' + 10; };
  std::string name;
  for (std::size_t i = 0; i < word.size(); ++i) {
    if (word[i] == '%' && i + 2 < word.size()) {
      name += static_cast<char>(16 * digit(word[i + 1]) + digit(word[i + 2]));
      i += 2;
    } else if (word[i] != '%') {
      name += word[i];
    }
  }
  return name;
}

double number_of(std::string_view word) {
  const bool negative = word.starts_with('-');
  if (negative) word.remove_prefix(1);
  double value = 0;
  if (word == "inf") {
    value = std::numeric_limits<double>::infinity();
  } else {
    word.remove_prefix(std::min<std::size_t>(2, word.size()));
    std::from_chars(word.data(), word.data() + word.size(), value, std::chars_format::hex);
  }
  return negative ? -value : value;
}

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size() && i < kMostNamed; ++i) {
    text += (i == 0 ? "" : ", ") + printable(names[i]);
  }
  if (names.size() > kMostNamed) text += fmt::format(" and {} more", names.size() - kMostNamed);
  return text;
}

/// What stands in a certificate outside of its proof.
class Told {
 public:
  explicit Told(std::string_view text) {
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      take(text.substr(0, end));
      text.remove_prefix(std::min(end + 1, text.size()));
    }
  }

  SummaryRows rows() const {
    SummaryRows rows;
    rows.emplace_back("Verdict", verdict());
    rows.emplace_back("Claim", claim());
    if (claim_ != "fit") {
      rows.emplace_back("Clearance, proved", clearance_ > 0
                                                 ? "at least " + metres_lo(clearance_) + " m"
                                                 : "more than the margin");
      std::string margin = json_number(margin_) + " m";
      if (own_margins_ > 0) margin += ", " + counted(own_margins_, "pair") + " with another";
      rows.emplace_back("Margin", margin);
      add_assumptions(rows);
    }
    for (const std::string& note : notes_) rows.emplace_back("Note", printable(note));
    if (!bare_.empty()) {
      rows.emplace_back("Links without bodies",
                        fmt::format("{}, not covered: {}", bare_.size(), joined(bare_)));
    }
    rows.emplace_back("World", printable(world_));
    rows.emplace_back("Inventory, SHA-256", inventory_);
    for (const auto& [file, hash] : sources_) {
      rows.emplace_back("Source, SHA-256", hash + "  " + printable(file));
    }
    for (const auto& [name, value] : options_) {
      rows.emplace_back("Asked", printable(name) + " " + printable(value));
    }
    rows.emplace_back("Written by", printable(program_));
    return rows;
  }

 private:
  void take(std::string_view line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view kind = line.substr(0, end);
    // Most lines are of the proof.
    if (kind == "apart" || kind == "clear" || kind == "cell" || kind == "done" ||
        kind == "corner" || kind == "face" || kind == "inside" || kind == "whole") {
      return;
    }
    const std::vector<std::string_view> w = words_of(line);
    const auto has = [&](std::string_view word, std::size_t least) {
      return kind == word && w.size() >= least;
    };
    if (has("claim", 2)) claim_ = w[1];
    if (has("program", 3)) program_ = decoded(w[1]) + " " + decoded(w[2]);
    if (has("world", 2)) world_ = decoded(w[1]);
    if (has("inventory", 2)) inventory_ = w[1];
    if (has("source", 3)) sources_.emplace_back(decoded(w[2]), w[1]);
    if (has("option", 3)) options_.emplace_back(decoded(w[1]), decoded(w[2]));
    if (has("note", 2)) take_note(decoded(w[1]));
    if (has("number", 4)) ++numbers_;
    if (has("link", 2)) links_.push_back(decoded(w[1]));
    if (has("solid", 2)) ++solids_;
    if (has("hull", 2) || has("box", 2) || has("plane", 2)) ++bodies_;
    if (kind == "margin" && w.size() == 2) margin_ = number_of(w[1]);
    if (kind == "margin" && w.size() == 4) ++own_margins_;
    if (has("skip", 5)) ++skipped_[{decoded(w[3]), decoded(w[4])}];
    if (has("loose", 4)) take_loose(w);
    if (has("stray", 2)) stray_ = number_of(w[1]);
    if (has("clearance", 2)) clearance_ = number_of(w[1]);
    if (has("path", 3)) ++paths_;
    if (has("beside", 2)) take_most(w, beside_);
    if (has("piece", 3)) take_piece(w);
    if (has("tube", 2)) take_most(w, tube_);
    if (has("offset", 2)) offset_ = number_of(w[1]);
    if (has("only", 3)) ++only_;
    if (has("latency", 2)) latency_ = number_of(w[1]);
    if (has("brake", 8)) take_brake(w);
    if (has("cycle", 2)) ++cycles_;
    if (has("shape", 2)) ++shapes_;
  }

  void take_note(std::string note) {
    constexpr std::string_view kLink = "link ", kBare = " has no body";
    if (note.starts_with(kLink) && note.ends_with(kBare)) {
      bare_.push_back(note.substr(kLink.size(), note.size() - kLink.size() - kBare.size()));
    } else {
      notes_.push_back(std::move(note));
    }
  }

  void take_loose(const std::vector<std::string_view>& w) {
    std::size_t link = 0;
    std::from_chars(w[1].data(), w[1].data() + w[1].size(), link);
    loose_.push_back(fmt::format("{} up to {} m and {} rad off",
                                 link < links_.size() ? printable(links_[link]) : "",
                                 json_number(number_of(w[2])), json_number(number_of(w[3]))));
  }

  static void take_most(const std::vector<std::string_view>& w, double& most) {
    for (std::size_t i = 1; i < w.size(); ++i) most = std::max(most, number_of(w[i]));
  }

  void take_piece(const std::vector<std::string_view>& w) {
    if (paths_ > 1) return;
    if (pieces_++ == 0) begin_ = number_of(w[1]);
    end_ = number_of(w[2]);
  }

  void take_brake(const std::vector<std::string_view>& w) {
    acceleration_ = std::max(acceleration_, number_of(w[1]));
    deceleration_ = std::min(deceleration_, number_of(w[2]));
    position_ = std::max(position_, number_of(w[4]));
    velocity_ = std::max(velocity_, number_of(w[5]));
  }

  std::string verdict() const {
    if (claim_ == "path") {
      return fmt::format("free: proved for the whole motion, {:.6g} to {:.6g} s", begin_, end_);
    }
    if (claim_ == "clocks") {
      return std::isfinite(offset_)
                 ? fmt::format("free: proved while the clocks of {} differ by {} s at most",
                               counted(paths_, "robot"), json_number(offset_))
                 : fmt::format("free: proved whatever the timing of {}", counted(paths_, "robot"));
    }
    if (claim_ == "box") return "free: proved for every configuration in the box";
    if (claim_ == "never") {
      return fmt::format("never in contact: proved of {}", counted(only_, "pair"));
    }
    if (claim_ == "guard") return fmt::format("go: proved of {}", counted(cycles_, "cycle"));
    return fmt::format("inside: proved of {}", counted(shapes_, "shape"));
  }

  std::string claim() const {
    if (claim_ == "fit") {
      return fmt::format("the {} of the description are covered by the {} of their links",
                         counted(shapes_, "shape"), counted(bodies_, "body", "bodies"));
    }
    const std::string who =
        claim_ == "never"
            ? "each of these pairs of links"
            : fmt::format("every pair of the {} with a joint between, but those left out,",
                          counted(solids_, "solid"));
    const std::string when = claim_ == "guard" ? ", while the robot brakes, from the state of each "
                                                 "of these cycles until it stands"
                                               : "";
    return fmt::format("{} is farther apart than its margin{}", who, when);
  }

  void add_assumptions(SummaryRows& rows) const {
    if (claim_ == "path" || claim_ == "clocks") {
      rows.emplace_back(
          "Tube", tube_ > 0 ? "each joint up to " + json_number(tube_) + " rad or m off the path"
                            : std::string("none: the joints follow the path"));
      if (beside_ > 0) {
        rows.emplace_back("Path as written", "to " + fmt::format("{:.3g}", beside_) + " rad or m");
      }
    }
    for (const std::string& base : loose_) rows.emplace_back("Base", base);
    if (stray_ > 0) {
      rows.emplace_back("Deviation",
                        "no point of what moves is more than " + json_number(stray_) + " m off");
    }
    if (claim_ == "guard") {
      rows.emplace_back(
          "Brake model",
          fmt::format("braking takes hold within {} s of the measurement; {} speed up by {} at "
                      "most, brake by {} at least (rad/s^2, m/s^2), measured to {} and {} a second",
                      json_number(latency_), counted(numbers_, "joint"), json_number(acceleration_),
                      json_number(deceleration_), json_number(position_), json_number(velocity_)));
    }
    std::size_t skipped = 0;
    std::string reasons;
    for (const auto& [reason, count] : skipped_) {
      skipped += count;
      reasons +=
          fmt::format("{}{} {}{}", reasons.empty() ? "" : ", ", count, printable(reason.first),
                      reason.second.empty() ? "" : " (" + printable(reason.second) + ")");
    }
    if (claim_ == "never") return;
    rows.emplace_back("Pairs left out",
                      skipped == 0 ? "none" : fmt::format("{}: {}", skipped, reasons));
  }

  std::string claim_, program_, world_, inventory_;
  std::vector<std::pair<std::string, std::string>> sources_, options_;
  std::vector<std::string> notes_, bare_, links_, loose_;
  std::map<std::pair<std::string, std::string>, std::size_t> skipped_;
  std::size_t numbers_ = 0, solids_ = 0, bodies_ = 0, own_margins_ = 0, paths_ = 0, pieces_ = 0;
  std::size_t only_ = 0, cycles_ = 0, shapes_ = 0;
  double margin_ = 0, stray_ = 0, clearance_ = 0, beside_ = 0, tube_ = 0, begin_ = 0, end_ = 0;
  double offset_ = 0, latency_ = 0, acceleration_ = 0, position_ = 0, velocity_ = 0;
  double deceleration_ = std::numeric_limits<double>::infinity();
};

}  // namespace

CertificateFacts world_facts(const World& world, const WorldOptions& options) {
  CertificateFacts facts;
  facts.sources = sources_of(world, load_options(options));
  add_asked("model", options.model, facts);
  if (std::ranges::any_of(world.notes(), [](const std::string& note) {
        return note.find(kAroundVisual) != std::string::npos;
      })) {
    add_asked("model around", "visual geometry", facts);
  }
  if (options.parts != 1) add_asked("parts", std::to_string(options.parts), facts);
  if (options.lenient) add_asked("lenient", "yes", facts);
  return facts;
}

void add_source(const std::string& file, CertificateFacts& facts) {
  const auto same = [&](const CertificateFacts::Source& source) { return source.file == file; };
  if (std::ranges::any_of(facts.sources, same)) return;
  facts.sources.push_back({file, sha256_of(json::read_file(file, kMaxSourceBytes))});
}

void add_task_source(const std::string& world, const std::string& task, std::string_view csv,
                     CertificateFacts& facts) {
  facts.sources.push_back({"builtin:" + world + "_" + task + ".csv", sha256_of(csv)});
}

void add_asked(const std::string& option, const std::string& value, CertificateFacts& facts) {
  if (!value.empty()) facts.options.emplace_back(option, value);
}

bool names_folder(const std::string& file) {
  std::error_code ignored;
  return file.ends_with('/') || fs::is_directory(file, ignored);
}

std::vector<std::string> certificate_files(const std::string& folder,
                                           std::span<const std::string> motions) {
  if (!names_folder(folder)) {
    usage("--certificate: several motions have several certificates",
          "name a folder for them, with a slash at the end");
  }
  std::set<std::string> taken;
  std::vector<std::string> files;
  for (const std::string& motion : motions) {
    const std::string stem = fs::path(motion).stem().string();
    std::string name = stem;
    for (int i = 2; !taken.insert(name).second; ++i) name = fmt::format("{}-{}", stem, i);
    files.push_back((fs::path(folder) / (name + ".kcert")).string());
  }
  return files;
}

SummaryRows certificate_summary(std::string_view text, const std::string& file) {
  SummaryRows rows = Told(text).rows();
  rows.emplace_back("Certificate", printable(file));
  rows.emplace_back("Its SHA-256", sha256_of(text));
  rows.emplace_back("To check it", "keepclear-verify " + printable(file));
  return rows;
}

WrittenCertificate CertificateFiler::proved(const std::function<WrittenCertificate()>& write) {
  try {
    return write();
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::usage) throw;
    WrittenCertificate none;
    none.why = error.what();
    return none;
  }
}

std::string CertificateFiler::take(const WrittenCertificate& written, const std::string& file,
                                   const std::string& what) {
  if (written.text.empty()) {
    failed_ = true;
    message(fmt::format("keepclear: no certificate: {}: {}, but that is not certified: {}\n",
                        printable(file), what, printable(written.why)));
    return "null";
  }
  NewFile out(file);
  out.write(written.text);
  out.keep();
  if (!written.why.empty()) {
    failed_ = true;
    message(fmt::format("keepclear: {}: not all is certified: {}\n", printable(file),
                        printable(written.why)));
  }
  if (!talk_.json && !talk_.quiet) {
    said_ += fmt::format("certificate: {}: {}, {}, {} bytes\n", printable(file),
                         counted(written.cells, "cell"), counted(written.records, "record"),
                         written.text.size());
  }
  if (!talk_.json && options_.summary) {
    said_ += '\n';
    for (const auto& [label, value] : certificate_summary(written.text, file)) {
      said_ += fmt::format("  {:<20}  {}\n", label, value);
    }
  }
  return fmt::format(
      "{{\"file\":{},\"sha256\":\"{}\",\"clearance\":{},\"cells\":{},\"records\":{},\"bytes\":{}}}",
      json_string(file), sha256_of(written.text), json_number(written.clearance), written.cells,
      written.records, written.text.size());
}

std::string CertificateFiler::refuse(const std::string& file, const std::string& why) {
  if (!talk_.quiet) {
    std::error_code ignored;
    const bool there = fs::is_regular_file(file, ignored);
    message(fmt::format("keepclear: no certificate: {}: {}{}\n", printable(file), why,
                        there ? "; what is there is an older one" : ""));
  }
  return "null";
}

void CertificateFiler::print(Output& out) {
  out.write(said_);
  said_.clear();
}

}  // namespace keepclear::command
