// SPDX-License-Identifier: BSD-3-Clause
#include "csv.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <cmath>
#include <system_error>
#include <unordered_map>

#include "keepclear/error.hpp"

namespace keepclear::command {

namespace {

/// 20 000 variables at 25 characters fit eight times; a file without line ends must end somewhere.
constexpr std::size_t kMaxLineBytes = std::size_t{4} << 20;
/// Of a column that belongs to no variable: the time of a motion, which a pose does not depend on.
constexpr std::size_t kNoVariable = ~std::size_t{0};
/// How far a quaternion may be off unit length.
constexpr double kUnitTolerance = 1e-6;

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// For messages: a stranger's field may be long.
std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 60;
  if (text.size() <= kMost) return fmt::format("'{}'", text);
  return fmt::format("'{}...'", text.substr(0, kMost));
}

std::string names_of(std::span<const Variable> variables) {
  constexpr std::size_t kMost = 40;
  std::string names;
  for (std::size_t i = 0; i < std::min(kMost, variables.size()); ++i) {
    names += (i == 0 ? "" : ",") + variables[i].name;
  }
  return variables.size() > kMost ? names + ",..." : names;
}

}  // namespace

std::string parse_number(std::string_view text, double& value) {
  std::string_view digits = trimmed(text);
  if (digits.empty()) return "a number is missing";
  if (digits.size() > 1 && digits[0] == '+' && digits[1] != '-') digits.remove_prefix(1);
  const char* const end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value);
  if (error == std::errc::result_out_of_range) {
    return in_quotes(text) + " does not fit a double";
  }
  if (error != std::errc() || stop != end) return in_quotes(text) + " is no number";
  if (!std::isfinite(value)) return in_quotes(text) + " is not finite";
  return {};
}

std::string split_fields(std::string_view line, std::vector<std::string>& fields) {
  std::size_t count = 0;
  std::size_t i = 0;
  const std::size_t size = line.size();
  for (;;) {
    if (count == fields.size()) fields.emplace_back();
    std::string& field = fields[count++];
    field.clear();
    while (i < size && (line[i] == ' ' || line[i] == '\t')) ++i;
    if (i < size && line[i] == '"') {
      for (++i;; ++i) {
        if (i >= size) return fmt::format("column {}: a quote is not closed", count);
        if (line[i] == '"') {
          if (i + 1 >= size || line[i + 1] != '"') break;
          ++i;
        }
        field.push_back(line[i]);
      }
      ++i;
      while (i < size && (line[i] == ' ' || line[i] == '\t')) ++i;
      if (i < size && line[i] != ',') return fmt::format("column {}: text after a quote", count);
    } else {
      const std::size_t end = std::min(line.find(',', i), size);
      field = trimmed(line.substr(i, end - i));
      i = end;
    }
    if (i >= size) break;
    ++i;
  }
  fields.resize(count);
  return {};
}

std::string fault_of_configuration(std::span<const Variable> variables, std::span<const double> q) {
  // The quaternion of a floating joint is its last four variables, in a row.
  for (std::size_t i = 0; i + 3 < variables.size(); ++i) {
    if (variables[i].type != "floating" || !variables[i].name.ends_with("/rot_x")) continue;
    const double length = std::hypot(std::hypot(q[i], q[i + 1]), std::hypot(q[i + 2], q[i + 3]));
    if (!(std::abs(length - 1) <= kUnitTolerance)) {
      return fmt::format("the quaternion of joint {} has length {}, not 1",
                         in_quotes(variables[i].joint), length);
    }
    i += 3;
  }
  return {};
}

PoseReader::PoseReader(const std::string& file, std::span<const Variable> variables)
    : name_(file == "-" ? "standard input" : file), variables_(variables.begin(), variables.end()) {
  if (file == "-") {
    stream_ = stdin;
  } else {
    owned_.reset(std::fopen(file.c_str(), "rbe"));
    const int code = errno;
    stream_ = owned_.get();
    if (stream_ == nullptr) {
      throw Error(Error::Kind::missing, name_, 0,
                  "cannot open: " + std::generic_category().message(code),
                  "--poses names a CSV file, or - for standard input");
    }
  }
  struct stat status = {};
  if (::fstat(::fileno(stream_), &status) == 0) {
    if (S_ISDIR(status.st_mode)) {
      throw Error(Error::Kind::missing, name_, 0, "is a folder", "--poses names a CSV file");
    }
    if (S_ISREG(status.st_mode)) bytes_total_ = static_cast<std::uint64_t>(status.st_size);
  }
  read_header();
}

void PoseReader::fail(const std::string& what, const std::string& hint) const {
  throw Error(Error::Kind::malformed, name_, line_number_, what, hint);
}

double PoseReader::fraction() const noexcept {
  if (bytes_total_ == 0) return -1;
  return static_cast<double>(bytes_read_) / static_cast<double>(bytes_total_);
}

/// The next line that is no comment, without its end; false when there is none.
bool PoseReader::next_line() {
  for (;;) {
    line_.clear();
    bool ended = false;
    for (int c; !ended && (c = ::getc_unlocked(stream_)) != EOF;) {
      ++bytes_read_;
      ended = c == '\n';
      if (!ended) line_.push_back(static_cast<char>(c));
      if (line_.size() > kMaxLineBytes) {
        ++line_number_;
        fail(fmt::format("a line is longer than {} bytes", kMaxLineBytes), "is this a CSV file?");
      }
    }
    if (std::ferror(stream_) != 0) {
      throw Error(Error::Kind::missing, name_, 0,
                  "cannot read: " + std::generic_category().message(errno));
    }
    if (!ended && line_.empty()) return false;
    if (line_number_ == INT_MAX) fail("too many lines");
    ++line_number_;
    if (line_number_ == 1 && line_.starts_with("\xef\xbb\xbf")) line_.erase(0, 3);
    if (!line_.empty() && line_.back() == '\r') line_.pop_back();
    if (!line_.starts_with('#')) return true;
    commented_ = true;
  }
}

void PoseReader::split_fields() {
  const std::string fault = command::split_fields(line_, fields_);
  if (!fault.empty()) fail(fault);
}

void PoseReader::read_header() {
  const std::string hint = "the first line names every variable once: " + names_of(variables_);
  if (variables_.empty()) {
    fail("the world has no movable joint, so there are no poses", "use --q \"\" for its only one");
  }
  if (!next_line()) fail("empty: there is no header line", hint);
  split_fields();

  std::unordered_map<std::string_view, std::size_t> index;
  for (std::size_t i = 0; i < variables_.size(); ++i) index.emplace(variables_[i].name, i);
  std::vector<bool> seen(variables_.size(), false);
  bool timed = false;
  for (const std::string& field : fields_) {
    const auto found = index.find(field);
    if (found == index.end() && field == "time") {
      if (timed) fail("column 'time' stands there twice");
      timed = true;
      variable_of_column_.push_back(kNoVariable);
      continue;
    }
    if (found == index.end()) {
      double ignored = 0;
      const bool is_number = parse_number(field, ignored).empty();
      fail("unknown column " + in_quotes(field),
           is_number && commented_ ? "a header behind '#' is a comment; write it without"
           : field.find(';') != std::string::npos || field.find('\t') != std::string::npos
               ? "fields are separated by commas"
               : hint);
    }
    if (seen[found->second]) fail("column " + in_quotes(field) + " stands there twice");
    seen[found->second] = true;
    variable_of_column_.push_back(found->second);
  }
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (!seen[i]) fail("column " + in_quotes(variables_[i].name) + " is missing", hint);
  }
}

void PoseReader::parse_row(std::vector<double>& poses) {
  split_fields();
  if (fields_.size() != variable_of_column_.size()) {
    fail(fmt::format("{} fields where the header has {}", fields_.size(),
                     variable_of_column_.size()));
  }
  const std::size_t first = poses.size();
  poses.resize(first + variables_.size());
  for (std::size_t column = 0; column < fields_.size(); ++column) {
    const std::size_t variable = variable_of_column_[column];
    const bool is_time = variable == kNoVariable;
    double time = 0;
    const std::string fault =
        parse_number(fields_[column], is_time ? time : poses[first + variable]);
    if (!fault.empty()) {
      fail(fmt::format("column {} ({}): {}", column + 1,
                       in_quotes(is_time ? "time" : variables_[variable].name), fault));
    }
  }
  const std::string fault =
      fault_of_configuration(variables_, std::span(poses).subspan(first, variables_.size()));
  if (!fault.empty()) fail(fault, "normalise it");
}

/// The next line with something in it; false when there is none.
bool PoseReader::next_row() {
  if (!next_line()) return false;
  if (!trimmed(line_).empty()) return true;
  const int empty = line_number_;
  while (next_line()) {
    if (trimmed(line_).empty()) continue;
    line_number_ = empty;
    fail("an empty line between poses", "remove it");
  }
  return false;
}

std::size_t PoseReader::read(std::size_t max_rows, std::vector<double>& poses) {
  poses.clear();
  std::size_t rows = 0;
  for (; rows < max_rows && next_row(); ++rows) parse_row(poses);
  return rows;
}

std::size_t PoseReader::skip(std::size_t rows) {
  std::size_t skipped = 0;
  while (skipped < rows && next_row()) ++skipped;
  return skipped;
}

std::vector<std::vector<double>> task_rows(std::string_view csv) {
  std::vector<std::vector<double>> rows;
  const auto next = [](std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
  };
  next(csv, '\n');  // names: time and the joints, in the order of the world
  while (!csv.empty()) {
    std::string_view line = next(csv, '\n');
    for (rows.emplace_back(); !line.empty();) {
      const std::string_view field = next(line, ',');
      if (!parse_number(field, rows.back().emplace_back()).empty()) {
        throw Error(Error::Kind::internal, "", 0, "a built-in task is damaged");
      }
    }
  }
  return rows;
}

}  // namespace keepclear::command
