// SPDX-License-Identifier: BSD-3-Clause
#include "guard_states.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <limits>
#include <system_error>
#include <unordered_map>

#include "csv.hpp"
#include "keepclear/error.hpp"
#include "output.hpp"

namespace keepclear::command {

namespace {

constexpr std::size_t kMaxLineBytes = std::size_t{4} << 20;
constexpr std::size_t kReadBytes = std::size_t{64} << 10;

// The blocks of numbers that a column can belong to; the last two stand alone.
constexpr int kPosition = 0, kVelocity = 1, kCommand = 2, kAges = 3, kTime = 4, kAge = 5;
constexpr std::array<std::string_view, 4> kPrefixes = {"q.", "v.", "a.", "age."};

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  return text.size() <= kMost ? fmt::format("'{}'", printable(text))
                              : fmt::format("'{}...'", printable(text.substr(0, kMost)));
}

/// As parse_number, but what is not finite or fits no double is a number too: not one that a guard
/// believes.
std::string parse_measured(std::string_view text, double& value) {
  std::string fault = parse_number(text, value);
  if (fault.empty()) return fault;
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return fault;
  std::string_view word = text.substr(first, text.find_last_not_of(" \t") - first + 1);
  if (word.size() > 1 && word[0] == '+' && word[1] != '-') word.remove_prefix(1);
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (stop != word.data() + word.size() || error == std::errc::invalid_argument) return fault;
  if (error == std::errc::result_out_of_range) value = std::numeric_limits<double>::infinity();
  return {};
}

}  // namespace

bool LineReader::pop(std::string& line) {
  const std::size_t end = buffer_.find('\n', std::max(begin_, searched_));
  if (end == std::string::npos) {
    searched_ = buffer_.size();
    if (buffer_.size() - begin_ > kMaxLineBytes) {
      throw Error(Error::Kind::malformed, name_, line_number_ + 1,
                  fmt::format("a line is longer than {} bytes", kMaxLineBytes),
                  "is this a CSV file?");
    }
    return false;
  }
  line.assign(buffer_, begin_, end - begin_);
  begin_ = end + 1;
  begin_line(line);
  return true;
}

bool LineReader::next(std::string& line) {
  while (!pop(line)) {
    if (fill()) continue;
    if (rest().empty()) return false;
    line = rest();
    begin_ = searched_ = buffer_.size();
    begin_line(line);
    return true;
  }
  return true;
}

void LineReader::begin_line(std::string& line) {
  if (line_number_ == INT_MAX) {
    throw Error(Error::Kind::malformed, name_, line_number_, "too many lines");
  }
  ++line_number_;
  if (line.ends_with('\r')) line.pop_back();
  if (line_number_ == 1 && line.starts_with("\xef\xbb\xbf")) line.erase(0, 3);
}

bool LineReader::fill() {
  if (begin_ > 0) {
    buffer_.erase(0, begin_);
    begin_ = searched_ = 0;
  }
  const std::size_t before = buffer_.size();
  buffer_.resize(before + kReadBytes);
  ssize_t got = 0;
  do {
    got = ::read(descriptor_, buffer_.data() + before, kReadBytes);
  } while (got < 0 && errno == EINTR);
  const int code = errno;
  buffer_.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
  if (got < 0) {
    throw Error(Error::Kind::missing, name_, 0,
                "cannot read: " + std::generic_category().message(code));
  }
  return got > 0;
}

bool is_blank(std::string_view line) noexcept {
  return line.find_first_not_of(" \t") == std::string_view::npos;
}

GuardState StateRow::state() const noexcept {
  return {.time = time, .q = q, .v = v, .command = command, .age = age, .ages = ages};
}

StateColumns::StateColumns(std::span<const Variable> variables, std::string_view header,
                           const std::string& file, int line, bool needs_command)
    : dof_(variables.size()) {
  const std::string hint =
      "the first line has time, and q.NAME and v.NAME for every joint; keepclear info lists them";
  const auto fail = [&](const std::string& what) {
    throw Error(Error::Kind::malformed, file, line, what, hint);
  };
  if (const std::string fault = split_fields(header, names_); !fault.empty()) fail(fault);
  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < dof_; ++i) index.emplace(variables[i].name, i);
  std::array<std::vector<bool>, kPrefixes.size()> seen;
  for (auto& block : seen) block.resize(dof_, false);
  bool timed = false, aged = false;
  for (const std::string& name : names_) {
    if (name == "time" || name == "age") {
      bool& there = name == "time" ? timed : aged;
      if (there) fail("column " + in_quotes(name) + " stands there twice");
      there = true;
      columns_.push_back({name == "time" ? kTime : kAge, 0});
      continue;
    }
    const auto prefix = std::ranges::find_if(
        kPrefixes, [&](std::string_view start) { return name.starts_with(start); });
    const auto found = prefix == kPrefixes.end()
                           ? index.end()
                           : index.find(std::string_view(name).substr(prefix->size()));
    if (found == index.end()) fail("unknown column " + in_quotes(name));
    const int block = static_cast<int>(prefix - kPrefixes.begin());
    auto&& there = seen[static_cast<std::size_t>(block)][found->second];
    if (there) fail("column " + in_quotes(name) + " stands there twice");
    there = true;
    columns_.push_back({block, found->second});
  }
  if (!timed) fail("column 'time' is missing");
  for (int block = kPosition; block <= kAges; ++block) {
    const auto& given = seen[static_cast<std::size_t>(block)];
    const bool any = std::ranges::find(given, true) != given.end();
    const bool needed = block <= kVelocity || (block == kCommand && needs_command) || any;
    const auto missing = std::ranges::find(given, false);
    if (needed && missing != given.end()) {
      fail("column " +
           in_quotes(std::string(kPrefixes[static_cast<std::size_t>(block)]) +
                     variables[static_cast<std::size_t>(missing - given.begin())].name) +
           " is missing");
    }
    if (block == kCommand) has_command_ = any;
    if (block == kAges) has_ages_ = any;
  }
}

std::string StateColumns::read(std::string_view line, StateRow& row) {
  if (std::string fault = split_fields(line, fields_); !fault.empty()) return fault;
  if (fields_.size() != columns_.size()) {
    return fmt::format("{} fields where the header has {}", fields_.size(), columns_.size());
  }
  row.age = 0;
  row.q.resize(dof_);
  row.v.resize(dof_);
  row.command.resize(has_command_ ? dof_ : 0);
  row.ages.resize(has_ages_ ? dof_ : 0);
  const std::array<std::vector<double>*, kPrefixes.size()> blocks = {&row.q, &row.v, &row.command,
                                                                     &row.ages};
  for (std::size_t i = 0; i < fields_.size(); ++i) {
    const Column& column = columns_[i];
    double& value = column.block == kTime ? row.time
                    : column.block == kAge
                        ? row.age
                        : (*blocks[static_cast<std::size_t>(column.block)])[column.variable];
    if (const std::string fault = parse_measured(fields_[i], value); !fault.empty()) {
      return fmt::format("column {} ({}): {}", i + 1, in_quotes(names_[i]), fault);
    }
  }
  return {};
}

}  // namespace keepclear::command
