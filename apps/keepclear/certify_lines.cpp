// SPDX-License-Identifier: BSD-3-Clause
#include "certify_lines.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <mutex>

#include "certify/parallel.hpp"
#include "keepclear/error.hpp"
#include "keepclear/proof.hpp"
#include "motion/path_file.hpp"
#include "motion/path_tree.hpp"
#include "rows.hpp"
#include "scene/json.hpp"
#include "scene/world.hpp"

namespace keepclear::command {

namespace {

const json::Sections& line_sections() {
  static const json::Sections sections = [] {
    json::Sections made{{}, path_keys(), "a path has 'joint_names' and 'points', or 'kind'"};
    made.singles.push_back("id");
    return made;
  }();
  return sections;
}

/// Of a line that is JSON: the id that it gives, as JSON; empty for none. It is taken out.
std::string take_id(json::Object& top, const json::Reader& reader) {
  const auto found = std::ranges::find(top, "id", &json::Member::key);
  if (found == top.end()) return {};
  const json::Value value = std::move(found->value);
  top.erase(found);
  if (const auto* text = std::get_if<std::string>(&value.data)) return json_string(*text);
  const auto* number = std::get_if<double>(&value.data);
  // Larger ones would not come back as they were written; 2^53 is what its neighbour is read as.
  if (number == nullptr || *number != std::floor(*number) || std::abs(*number) >= 0x1p53) {
    const json::Place at;
    reader.fail({&at, "id"}, "must be a string or an integer below 2^53");
  }
  return fmt::format("{}", static_cast<long long>(*number));
}

/// An error names the line of the file, not that of the text, which is always the first.
std::string error_words(const Error& error, const std::string& place) {
  const std::string words = error.what();
  const std::string prefix = place + ":" + std::to_string(error.line());
  return error.line() > 0 && words.starts_with(prefix) ? place + words.substr(prefix.size())
                                                       : words;
}

}  // namespace

struct LineCertifier::Answer {
  std::string head;
  std::string error;  ///< empty for none
  Certificate certificate;
  bool outside = false;
};

LineCertifier::LineCertifier(const World& world, const CertifyOptions& query,
                             const MotionOptions& options, int threads)
    : world_(world), options_(query), rest_(rest_of(world, options)), json_pair_(world) {
  if (options.tube) tube_.emplace(world, *options.tube);
  const std::size_t count = thread_count(threads, std::numeric_limits<std::size_t>::max());
  for (std::size_t i = 0; i < count; ++i) queries_.emplace_back(world, query);
}

LineCertifier::Answer LineCertifier::answer(const std::string& file, const PathLine& line,
                                            MotionQuery& query) const {
  Answer answer;
  answer.head = fmt::format("\"path\":{}", line.index);
  const std::string place = fmt::format("{}:{}", printable(file), line.line);
  try {
    if (line.too_long) {
      throw Error(Error::Kind::malformed, place, 0,
                  fmt::format("the line is longer than {} MiB", kMaxPathBytes >> 20));
    }
    json::Object top;
    json::parse(line.text, place, line_sections(),
                [&](std::string_view key, std::size_t, const json::Value& value) {
                  top.push_back({std::string(key), value});
                });
    const std::string id = take_id(top, json::Reader(place));
    if (!id.empty()) answer.head += ",\"id\":" + id;
    Path path = path_of_tree(top, place, world_.data().kinematics, rest_);
    if (tube_) path = tube_->around(path);
    answer.certificate = query(path);
    answer.outside = beyond_limits(world_, path);
  } catch (const Error& error) {
    answer.error = error_words(error, place);
  }
  return answer;
}

std::string LineCertifier::row(const Answer& answer) {
  if (!answer.error.empty()) {
    ++tally_.errors;
    return error_row(answer.head, answer.error);
  }
  switch (answer.certificate.verdict) {
    case Verdict::free:
      ++tally_.free;
      break;
    case Verdict::contact:
      ++tally_.contact;
      break;
    case Verdict::undecided:
      ++tally_.undecided;
      break;
  }
  outside_ += answer.outside ? 1 : 0;
  return certify_row({world_, options_, json_pair_}, answer.head, answer.certificate);
}

void LineCertifier::operator()(const std::string& file, std::span<const PathLine> lines,
                               const Done& done) {
  std::mutex handing_out;
  std::map<std::size_t, Answer> ready;
  std::size_t next = 0;
  // Behind a row that may be torn comes no other.
  bool failed = false;
  for_each_task(lines.size(), queries_, [&](std::size_t i, MotionQuery& query) {
    Answer one = answer(file, lines[i], query);
    const std::lock_guard lock(handing_out);
    ready.emplace(i, std::move(one));
    while (!failed) {
      const auto taken = ready.extract(next);
      if (taken.empty()) break;
      ++next;
      failed = true;
      done(row(taken.mapped()));
      failed = false;
    }
  });
}

std::string head_of_line_row(std::size_t index) {
  return fmt::format("{{\"path\":{},", index);
}

std::string head_of_file_row(const std::string& file) {
  return fmt::format("{{\"path\":{},", json_string(file));
}

std::string asked_text(const CertifyOptions& query, const std::vector<double>& rest,
                       const MotionOptions& options) {
  std::string text = fmt::format(
      "method {} ask {} margin {} tolerance {} accuracy {},{} budget {} deviation {} rest {}",
      to_string(query.method), static_cast<int>(query.ask), query.margin, query.tolerance,
      query.accuracy, query.relative_accuracy, query.budget, query.deviation, fmt::join(rest, ","));
  for (const BaseUncertainty& base : query.base) {
    text += fmt::format(" base {}:{},{}", base.robot, base.position, base.rotation);
  }
  if (options.columns) text += " columns " + *options.columns;
  if (options.tube) text += " tube " + Tube::key(*options.tube);
  return text;
}

}  // namespace keepclear::command
