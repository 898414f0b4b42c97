// SPDX-License-Identifier: BSD-3-Clause
//
// Small certificates, changed in every way that comes to mind, before the checker. Whatever it
// finds valid must be true.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "keepclear/model.hpp"
#include "keepclear/proof.hpp"
#include "proof/checker.hpp"
#include "proof/fit_statement.hpp"
#include "proof/random_cells.hpp"

namespace keepclear::test {

/// Certificates of a few kilobytes. What is to be proved is made up: who proves it is asked alone.
class SmallCertificates {
 public:
  static constexpr std::array<const char*, 6> kKinds{"path",  "clocks", "box",
                                                     "never", "guard",  "fit"};

  /// Some numbers have none: an empty text.
  static std::string text(std::uint64_t number) {
    const std::string kind = kKinds[number % kKinds.size()];
    CellDraw draw(number * 0x9e3779b97f4a7c15ull + 11);
    if (kind == "fit") return fit(draw);
    const World world = draw.world({.floating = draw.below(3) == 0 && kind != "guard",
                                    .planar = kind != "guard",
                                    .robots = kind == "clocks" || draw.below(4) == 0 ? 2 : 1,
                                    .joints = 3});
    ProofOptions proof;
    proof.budget = 2000;
    proof.share = 0.999;
    CertificateFacts facts;
    facts.sources = {{"r.urdf", sha256_of("r.urdf")}};
    facts.options = {{"margin", "some"}};
    if (kind == "path" || kind == "clocks") return motion(draw, world, kind, facts, proof);
    if (kind == "guard") return guard(draw, world, facts, proof);
    if (kind == "never") {
      std::vector<PairOfLinks> pairs;
      for (const PairInfo& pair : world.pairs()) {
        if (world.solids()[static_cast<std::size_t>(pair.b)].is_object) continue;
        PairOfLinks one;
        one.a = pair.a, one.b = pair.b;
        one.kind = PairClass::never;
        one.joints = {0};
        pairs.push_back(one);
      }
      return never_certificate(world, pairs, facts, proof).text;
    }
    JointBox box;
    const double width = draw.below(2) == 0 ? 0.05 : 0.4;
    for (const double q : anywhere(draw, world)) {
      box.push_back({q - width * draw.uniform(0, 1), q + width * draw.uniform(0, 1)});
    }
    return tight(draw, 0, [&](double clearance) {
      BoxResult found;
      found.verdict = Verdict::free;
      found.clearance = clearance;
      return box_certificate(world, box, {}, found, facts, proof).text;
    });
  }

 private:
  /// Half of them claim nearly all the clearance that there is: little can change then.
  template <typename Write>
  static std::string tight(CellDraw& draw, double margin, const Write& write) {
    const std::string text = write(margin);
    if (text.empty() || draw.below(2) == 0) return text;
    std::mt19937_64 random(1);
    const double beyond = Statement(text).worst(random, 400).beyond;
    if (!(beyond > 1e-4)) return text;
    for (const double share : {0.999, 0.98, 0.9}) {
      const std::string tighter = write(margin + share * std::min(beyond, 1.0));
      if (!tighter.empty()) return tighter;
    }
    return text;
  }

  static std::vector<double> anywhere(CellDraw& draw, const World& world) {
    std::vector<double> q;
    for (std::size_t k = 0; k < world.dof(); ++k) q.push_back(draw.uniform(-2, 2));
    return q;
  }

  static Path path(CellDraw& draw, const World& world) {
    const std::size_t degree = 1 + draw.below(3);
    std::vector<double> control;
    const std::vector<double> from = anywhere(draw, world);
    const double reach = draw.below(2) == 0 ? 0.1 : 0.6;
    std::vector<Path> parts;
    const std::size_t count = 1 + draw.below(2);
    for (std::size_t p = 0; p < count; ++p) {
      if (p == 0) control = from;
      for (std::size_t j = 1; j <= degree; ++j) {
        for (const double q : from) control.push_back(q + draw.uniform(-reach, reach));
      }
      const auto begin = static_cast<double>(p);
      parts.push_back(bezier_path(world.dof(), control, begin, begin + 1));
      control.erase(control.begin(), control.end() - static_cast<std::ptrdiff_t>(world.dof()));
    }
    Path all = joined(parts);
    if (draw.below(2) != 0) return all;
    std::vector<double> width;
    for (std::size_t k = 0; k < world.dof(); ++k) width.push_back(draw.uniform(0, 0.02));
    return with_tube(all, width);
  }

  static std::string motion(CellDraw& draw, const World& world, const std::string& kind,
                            const CertificateFacts& facts, const ProofOptions& proof) {
    CertifyOptions options;
    if (draw.below(3) == 0) options.margin = 0.005;
    if (draw.below(3) == 0) options.base.push_back({-1, 0.002, draw.below(2) == 0 ? 0 : 0.003});
    if (draw.below(3) == 0) options.deviation = 0.001;
    const Path paths[] = {path(draw, world), path(draw, world)};
    const double offsets[] = {0, 0.1, std::numeric_limits<double>::infinity()};
    const double offset = offsets[draw.below(3)];
    return tight(draw, options.margin, [&](double clearance) {
      Certificate found;
      found.verdict = Verdict::free;
      found.clearance = clearance;
      return kind == "path"
                 ? path_certificate(world, paths[0], options, found, facts, proof).text
                 : clock_certificate(world, paths, offset, options, found, facts, proof).text;
    });
  }

  /// A bar as a mesh and a ball, and one or two bodies around each.
  static std::string fit(CellDraw& draw) {
    const Vec3 half{draw.uniform(0.2, 0.6), draw.uniform(0.02, 0.1), draw.uniform(0.02, 0.1)};
    std::string obj;
    for (int k = 0; k < 8; ++k) {
      obj += "v " + std::to_string((k & 1) != 0 ? half.x : -half.x) + " " +
             std::to_string((k & 2) != 0 ? half.y : -half.y) + " " +
             std::to_string((k & 4) != 0 ? half.z : -half.z) + "\n";
    }
    obj +=
        "f 1 2 4\nf 1 4 3\nf 5 6 8\nf 5 8 7\nf 1 2 6\nf 1 6 5\nf 3 4 8\nf 3 8 7\n"
        "f 1 3 7\nf 1 7 5\nf 2 4 8\nf 2 8 6\n";
    const Folder folder;
    folder.write("bar.obj", obj);
    const Vec3 at = draw.vector(0.5), rpy = draw.vector(2);
    const auto triple = [](Vec3 v) {
      return std::to_string(v.x) + " " + std::to_string(v.y) + " " + std::to_string(v.z);
    };
    const double radius = draw.uniform(0.05, 0.2);
    const std::filesystem::path urdf = folder.write(
        "r.urdf", robot(link("ball", sphere(radius)) +
                        "<link name=\"bar\"><collision><origin xyz=\"" + triple(at) + "\" rpy=\"" +
                        triple(rpy) + "\"/><geometry><mesh filename=\"bar.obj\"/></geometry>" +
                        "</collision></link>" + joint("j", "continuous", "ball", "bar")));
    const Vec3 along = rotation_from_rpy(rpy) * Vec3{half.x, 0, 0};
    const double across = 1.02 * std::sqrt(half.y * half.y + half.z * half.z) + 1e-4;
    BodyModel model;
    model.bodies.push_back({"ball", radius + draw.uniform(0, 0.01), {{0, 0, 0}}, ""});
    if (draw.below(2) == 0) {
      model.bodies.push_back({"bar", across, {at - along, at + along}, ""});
    } else {
      const double over = draw.uniform(0.05, 0.4);
      model.bodies.push_back({"bar", across, {at - along, at + over * along}, ""});
      model.bodies.push_back({"bar", across, {at - over * along, at + along}, ""});
    }
    LoadOptions options;
    options.allow_no_pairs = true;
    return fit_certificate(load(urdf, options), model, {}).text;
  }

  static std::string guard(CellDraw& draw, const World& world, const CertificateFacts& facts,
                           const ProofOptions& proof) {
    Recording recording;
    recording.world = world.hash();
    recording.options.known_command = draw.below(2) == 0;
    recording.options.margin = draw.below(2) == 0 ? 0 : 0.003;
    recording.brake.latency = draw.below(3) == 0 ? 0 : 0.02;
    for (std::size_t k = 0; k < world.dof(); ++k) {
      JointBrake joint;
      joint.max_acceleration = draw.uniform(0, 5);
      joint.brake_deceleration = draw.uniform(1, 10);
      if (draw.below(3) != 0) {
        joint.brake_deceleration_most = joint.brake_deceleration * draw.uniform(1, 2);
      }
      joint.position_uncertainty = draw.below(2) == 0 ? 0 : 1e-3;
      joint.velocity_uncertainty = draw.below(2) == 0 ? 0 : 1e-2;
      joint.acceleration_uncertainty = draw.uniform(0, 0.5);
      joint.stops = draw.below(3) == 0;
      recording.brake.joints.push_back(joint);
    }
    for (std::uint64_t c = 1 + draw.below(3); c > 0; --c) {
      RecordedCycle cycle;
      cycle.time = static_cast<double>(c);
      cycle.found.action = Action::go;
      for (const double q : anywhere(draw, world)) {
        cycle.q.push_back(q);
        cycle.v.push_back(draw.uniform(-1, 1));
        cycle.command.push_back(draw.uniform(-1, 1));
      }
      recording.cycles.push_back(cycle);
    }
    return guard_certificate(world, recording, facts, proof).text;
  }
};

/// Changes one certificate in many ways.
class Mutator {
 public:
  /// `least`: every record says no more than is claimed, so that what it says may stay true.
  explicit Mutator(const std::string& text, bool least = false) : text_(text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) lines_.push_back(line);
    lines_.pop_back();  // the seal
    if (least) lower_bounds();
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const std::string kind = lines_[i].substr(0, lines_[i].find(' '));
      by_kind_[kind].push_back(i);
      if ((kind == "tree" || kind == "shape") && first_tree_ == 0) first_tree_ = i + 1;
    }
  }

  const std::string& text() const { return text_; }

  struct Mutant {
    std::string what, text;  ///< with the seal that it had, or without its end
  };
  /// The line, from 1, at which the proof begins.
  std::size_t first_tree() const { return first_tree_; }

  /// The text may be the same now and then.
  Mutant next(std::mt19937_64& random) const {
    switch (random() % 18) {
      case 0:
        return bit(random);
      case 1:
        return digit(random);
      case 2:
        return lines("dropped line", random, [&](auto& all, std::size_t i) {
          all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
        });
      case 3:
        return lines("repeated line", random, [&](auto& all, std::size_t i) {
          all.insert(all.begin() + static_cast<std::ptrdiff_t>(i), std::string(all[i]));
        });
      case 4:
        return lines("swapped lines", random, [&](auto& all, std::size_t i) {
          std::swap(all[i], all[random() % 2 == 0 ? random() % all.size() : (i + 1) % all.size()]);
        });
      case 5:
        return {"truncated", text_.substr(0, random() % text_.size())};
      case 6:
        return changed("another pair", "apart", 1 + random() % 2, random);
      case 7:
        return changed("another direction", "apart", 3 + random() % 3, random);
      case 8:
        return changed("another bound", "apart", 6, random);
      case 9:
        return halves(random);
      case 10:
        return cut(random);
      case 11:
        if (by_kind_.contains("shape") && random() % 2 == 0) {
          return changed(
              "another shape",
              one_of_kinds(random, {"shape", "corner", "face", "inside", "whole", "halve"}), 0,
              random);
        }
        return changed("another body", one_of_kinds(random, {"hull", "box", "plane"}), 0, random);
      case 12:
        return changed("another joint", "link", 0, random);
      case 13:
        return changed("another motion",
                       one_of_kinds(random, {"piece", "tube", "beside", "range", "cycle", "brake",
                                             "offset", "latency", "path"}),
                       0, random);
      case 14:
        return changed("another claim",
                       one_of_kinds(random, {"clearance", "margin", "loose", "stray", "only"}), 0,
                       random);
      case 15:
        return skips(random);
      case 16:
        return changed("another coordinate", "cell", 1, random);
      default:
        return changed("any word", "", 0, random);
    }
  }

 private:
  void lower_bounds() {
    double margin = 0;
    std::string clearance;
    for (const std::string& line : lines_) {
      const std::vector<std::string> words = words_of(line);
      if (words[0] == "margin")
        margin = std::max(margin, std::strtod(words.back().c_str(), nullptr));
      if (words[0] == "clearance") clearance = words[1];
    }
    if (!(std::strtod(clearance.c_str(), nullptr) > margin)) return;
    for (std::string& line : lines_) {
      if (line.starts_with("apart ")) line = line.substr(0, line.rfind(' ') + 1) + clearance;
    }
    text_ = resealed(joined(lines_));
  }

  static std::string joined(const std::vector<std::string>& all) {
    std::string text;
    for (const std::string& line : all) text += line + "\n";
    return text;
  }
  std::string sealed(const std::vector<std::string>& all) const {
    return joined(all) + text_.substr(text_.rfind("end "));
  }
  static std::vector<std::string> words_of(const std::string& line) {
    std::vector<std::string> words;
    std::istringstream split(line);
    for (std::string word; split >> word;) words.push_back(word);
    return words;
  }
  static std::string line_of(const std::vector<std::string>& words) {
    std::string line = words[0];
    for (std::size_t i = 1; i < words.size(); ++i) line += " " + words[i];
    return line;
  }
  static std::string printed(double value) {
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    char digits[40];
    std::snprintf(digits, sizeof digits, "%a", value == 0 ? 0.0 : value);
    return digits;
  }
  static double uniform(std::mt19937_64& random) {
    return static_cast<double>(random() >> 11) * 0x1p-53;
  }

  Mutant bit(std::mt19937_64& random) const {
    std::string text = text_;
    text[random() % text.size()] ^= static_cast<char>(1 << (random() % 8));
    return {"bit", text};
  }
  Mutant digit(std::mt19937_64& random) const {
    std::string text = text_;
    for (int tries = 0; tries < 100; ++tries) {
      char& c = text[random() % text.size()];
      if (std::string("0123456789abcdef").find(c) == std::string::npos) continue;
      c = "0123456789abcdef"[random() % 16];
      break;
    }
    return {"digit", text};
  }
  template <typename Change>
  Mutant lines(const char* what, std::mt19937_64& random, const Change& change) const {
    std::vector<std::string> all = lines_;
    change(all, random() % all.size());
    return {what, sealed(all)};
  }

  std::string one_of_kinds(std::mt19937_64& random,
                           std::initializer_list<const char*> kinds) const {
    std::vector<std::string> there;
    for (const char* kind : kinds) {
      if (by_kind_.contains(kind)) there.emplace_back(kind);
    }
    return there.empty() ? "" : there[random() % there.size()];
  }

  /// A word becomes another of its kind: a number a little or much larger or smaller.
  static std::string other(const std::string& word, std::mt19937_64& random) {
    if (word.find("0x") != std::string::npos && word.find('p') != std::string::npos) {
      const double value = std::strtod(word.c_str(), nullptr);
      const double size = std::pow(10, -12 + 12 * uniform(random)) * (random() % 2 == 0 ? 1 : -1);
      switch (random() % 7) {
        case 0:
          return printed(std::nextafter(value, size > 0 ? 1e300 : -1e300));
        case 1:
          return printed(value * (1 + size));
        case 2:
          return printed(-value);
        case 3:
          return printed(0);
        case 4:
          return printed(2 * value);
        case 5:
          return random() % 2 == 0 ? "inf" : printed(0.5 * value);
        default:
          return printed(value + size);
      }
    }
    if (!word.empty() && word.find_first_not_of("-0123456789") == std::string::npos) {
      const long value = std::strtol(word.c_str(), nullptr, 10);
      const long choices[] = {value + 1, value - 1, -value, 2 * value, value + 7, 0};
      return std::to_string(choices[random() % 6]);
    }
    if (word.size() == 2 && (word[0] == 's' || word[0] == 'q')) {
      return std::string(1, word[0]) + static_cast<char>('0' + random() % 4);
    }
    const char* kinds[] = {"hinge", "slide", "fixed", "planar", "floating", "rpy",   "quat",
                           "all",   "still", "c",     "t",      "link",     "object"};
    return kinds[random() % 13];
  }

  /// A word of a line of this kind; place 0: any of them.
  Mutant changed(const char* what, const std::string& kind, std::size_t place,
                 std::mt19937_64& random) const {
    std::vector<std::string> all = lines_;
    const auto found = by_kind_.find(kind);
    if (found == by_kind_.end() && !kind.empty()) return {what, text_};
    const std::size_t i =
        kind.empty() ? random() % all.size() : found->second[random() % found->second.size()];
    std::vector<std::string> words = words_of(all[i]);
    if (words.size() < 2) return {what, text_};
    const std::size_t at = place != 0 ? place : 1 + random() % (words.size() - 1);
    if (at < words.size()) words[at] = other(words[at], random);
    all[i] = line_of(words);
    return {what, sealed(all)};
  }

  /// The border between two halves: on one side, or on both alike.
  Mutant halves(std::mt19937_64& random) const {
    const auto found = by_kind_.find("cell");
    if (found == by_kind_.end()) return {"shifted border", text_};
    std::vector<std::string> all = lines_;
    const std::size_t i = found->second[random() % found->second.size()];
    const std::vector<std::string> words = words_of(all[i]);
    const std::size_t side = 2 + random() % 2;
    const std::string before = words[side], after = other(before, random);
    for (std::size_t k = first_tree_; k < all.size(); ++k) {
      if (k != i && random() % 8 == 0) continue;
      std::vector<std::string> own = words_of(all[k]);
      if (own[0] != "cell" || own[1] != words[1]) continue;
      for (std::size_t w = 2; w < 4; ++w) {
        if (own[w] == before) own[w] = after;
      }
      all[k] = line_of(own);
    }
    return {"shifted border", sealed(all)};
  }

  /// What stands below a node is cut away, and it is called done.
  Mutant cut(std::mt19937_64& random) const {
    const auto found = by_kind_.find("cell");
    if (found == by_kind_.end()) return {"cut", text_};
    std::vector<std::string> all = lines_;
    const std::size_t from = found->second[random() % found->second.size()];
    std::size_t to = from;
    const std::size_t want = 1 + random() % 4;
    for (std::size_t done = 0; to < all.size() && done < want; ++to) done += all[to] == "done";
    all.erase(all.begin() + static_cast<std::ptrdiff_t>(from),
              all.begin() + static_cast<std::ptrdiff_t>(to));
    if (random() % 2 == 0) all.insert(all.begin() + static_cast<std::ptrdiff_t>(from), "done");
    return {"cut", sealed(all)};
  }

  Mutant skips(std::mt19937_64& random) const {
    std::vector<std::string> all = lines_;
    const auto found = by_kind_.find("skip");
    if (found != by_kind_.end() && random() % 2 == 0) {
      const std::size_t i = found->second[random() % found->second.size()];
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
      return {"removed skip", sealed(all)};
    }
    const std::size_t solids = by_kind_.contains("solid") ? by_kind_.at("solid").size() : 2;
    const std::size_t a = random() % solids, b = a + 1 + random() % solids;
    if (!by_kind_.contains("margin")) return {"added skip", text_};
    std::size_t at = by_kind_.at("margin").back() + 1;
    while (at < all.size() && all[at].starts_with("skip")) {
      const std::vector<std::string> words = words_of(all[at]);
      if (std::pair(std::stoul(words[1]), std::stoul(words[2])) > std::pair(a, b)) break;
      ++at;
    }
    all.insert(all.begin() + static_cast<std::ptrdiff_t>(at),
               "skip " + std::to_string(a) + " " + std::to_string(b) + " added %");
    return {"added skip", sealed(all)};
  }

  std::string text_;
  std::vector<std::string> lines_;
  std::map<std::string, std::vector<std::size_t>> by_kind_;
  std::size_t first_tree_ = 0;
};

struct MutantTally {
  struct Kind {
    std::size_t tried = 0, seal = 0, form = 0, proof = 0, cannot_tell = 0, harmless = 0;
  };
  std::map<std::string, Kind> kinds;
  std::size_t certificates = 0, same = 0, samples = 0;
  double least = std::numeric_limits<double>::infinity();  ///< of what is valid, beyond the claim
  std::vector<std::string> wrong;                          ///< must stay empty

  Kind all() const {
    Kind sum;
    for (const auto& [what, k] : kinds) {
      sum.tried += k.tried, sum.seal += k.seal, sum.form += k.form, sum.proof += k.proof;
      sum.cannot_tell += k.cannot_tell, sum.harmless += k.harmless;
    }
    return sum;
  }
  void print() const {
    const auto row = [](const std::string& what, const Kind& k) {
      std::printf(
          "%-22s %8zu mutants: by seal %zu, by form %zu, by proof %zu, cannot tell %zu, "
          "harmless %zu\n",
          what.c_str(), k.tried, k.seal, k.form, k.proof, k.cannot_tell, k.harmless);
    };
    for (const auto& [what, kind] : kinds) row(what, kind);
    row("all", all());
    std::printf(
        "%zu certificates; %zu changes changed nothing; %zu configurations of harmless ones "
        "tried, the nearest %.3g m beyond its claim; wrong: %zu\n",
        certificates, same, samples, least, wrong.size());
    for (std::size_t i = 0; i < wrong.size() && i < 20; ++i)
      std::printf("  %s\n", wrong[i].c_str());
    std::fflush(stdout);
  }
};

/// So many mutants of one certificate, each as it is and sealed anew.
inline void judge_mutants(const std::string& name, const std::string& text, int mutants,
                          int samples, std::mt19937_64& random, MutantTally& tally) {
  const Mutator mutator(text, random() % 2 == 0);
  ++tally.certificates;
  const auto wrong = [&](const std::string& what, const std::string& mutant) {
    tally.wrong.push_back(name + ", " + what);
    if (const char* folder = std::getenv("KEEPCLEAR_FINDINGS")) {
      const std::string file =
          std::string(folder) + "/wrong" + std::to_string(tally.wrong.size()) + ".kcert";
      if (std::FILE* out = std::fopen(file.c_str(), "wb")) {
        std::fwrite(mutant.data(), 1, mutant.size(), out);
        std::fclose(out);
      }
    }
  };
  for (int m = 0; m < mutants; ++m) {
    const Mutator::Mutant mutant = mutator.next(random);
    if (mutant.text == mutator.text()) {
      ++tally.same;
      continue;
    }
    MutantTally::Kind& kind = tally.kinds[mutant.what];
    const Ruling broken = check_certificate(mutant.text);
    ++kind.tried;
    if (broken.valid()) wrong(mutant.what + ": valid with a broken seal", mutant.text);
    kind.seal += !broken.valid();
    const std::string sealed = resealed(mutant.text);
    const Ruling ruling = check_certificate(sealed);
    ++kind.tried;
    if (ruling.verdict == Ruling::Verdict::cannot_tell) {
      ++kind.cannot_tell;
    } else if (!ruling.valid()) {
      ++(ruling.line < mutator.first_tree() ? kind.form : kind.proof);
    } else {
      ++kind.harmless;
      try {
        tally.samples += 2 * static_cast<std::size_t>(samples);
        const Statement::Seen seen = worst_of(sealed, random, samples);
        tally.least = std::min(tally.least, seen.beyond);
        if (seen.beyond < -1e-9) {
          wrong(mutant.what + ": valid, and bodies " + std::to_string(seen.a) + " and " +
                    std::to_string(seen.b) + " are nearer than claimed by " +
                    std::to_string(-seen.beyond),
                sealed);
        }
      } catch (const std::exception& error) {
        wrong(mutant.what + ": valid, and not to be read: " + error.what(), sealed);
      }
    }
  }
}

}  // namespace keepclear::test
