// SPDX-License-Identifier: BSD-3-Clause
#include "motion/path_csv.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "keepclear/error.hpp"
#include "motion/path_make.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

constexpr std::size_t kMaxColumns = 20'000;

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text::is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && text::is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class TableReader {
 public:
  TableReader(std::string_view text, const std::string& file) : rest_(text), file_(file) {
    if (rest_.starts_with("\xef\xbb\xbf")) rest_.remove_prefix(3);
  }

  TimeTable read() {
    read_header();
    while (next_line()) {
      if (trimmed(line_).empty()) {
        const int empty = line_number_;
        while (next_line()) {
          if (trimmed(line_).empty()) continue;
          line_number_ = empty;
          fail("an empty line between rows", "remove it");
        }
        break;
      }
      read_row();
    }
    return std::move(table_);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const {
    throw Error(Error::Kind::malformed, file_, line_number_, what, hint);
  }

  /// The next line that is no comment, without its end; false when there is none.
  bool next_line() {
    while (!rest_.empty()) {
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line_ = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_number_;
      if (line_.find('\0') != line_.npos) fail("binary: a byte 0x00");
      if (line_.ends_with('\r')) line_.remove_suffix(1);
      if (!line_.starts_with('#')) return true;
      commented_ = true;
    }
    return false;
  }

  void split_fields() {
    fields_.clear();
    for (std::string_view rest = line_;;) {
      while (!rest.empty() && text::is_blank(rest.front())) rest.remove_prefix(1);
      const bool is_quoted = rest.starts_with('"');
      std::string& field = fields_.emplace_back();
      if (is_quoted) {
        std::size_t i = 1;
        for (;; ++i) {
          if (i >= rest.size())
            fail(fmt::format("column {}: a quote is not closed", fields_.size()));
          if (rest[i] == '"') {
            if (i + 1 >= rest.size() || rest[i + 1] != '"') break;
            ++i;
          }
          field.push_back(rest[i]);
        }
        rest.remove_prefix(i + 1);
      }
      const std::size_t end = std::min(rest.find(','), rest.size());
      const std::string_view plain = trimmed(rest.substr(0, end));
      if (is_quoted && !plain.empty()) {
        fail(fmt::format("column {}: text after a quote", fields_.size()));
      }
      if (!is_quoted) field = plain;
      if (fields_.size() > kMaxColumns) fail(fmt::format("more than {} columns", kMaxColumns));
      if (end == rest.size()) return;
      rest.remove_prefix(end + 1);
    }
  }

  void read_header() {
    static constexpr const char* kHint = "the first line has 'time' and the names of joints";
    if (!next_line()) fail("empty: there is no header line", kHint);
    split_fields();
    table_.header_line = line_number_;
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      if (fields_[i] == "time") {
        if (has_time_) fail("column 'time' stands there twice");
        has_time_ = true;
        time_column_ = i;
        continue;
      }
      if (fields_[i].empty()) fail(fmt::format("column {} has no name", i + 1), kHint);
      if (text::parse_number(fields_[i]) && commented_) {
        fail(fmt::format("{} is no name", text::quoted(fields_[i])),
             "a header behind '#' is a comment; write it without");
      }
      table_.names.push_back(fields_[i]);
      table_.columns.push_back(i + 1);
    }
    if (!has_time_) {
      const bool other = line_.find_first_of(";\t") != line_.npos;
      fail("column 'time' is missing", other ? "fields are separated by commas" : kHint);
    }
    if (table_.names.empty()) fail("no column names a joint", kHint);
  }

  void read_row() {
    split_fields();
    if (fields_.size() != table_.names.size() + 1) {
      fail(fmt::format("{} fields where the header has {}", fields_.size(),
                       table_.names.size() + 1));
    }
    for (std::size_t i = 0; i < fields_.size(); ++i) {
      const std::size_t name = i - (i > time_column_ ? 1 : 0);
      const auto number = text::parse_number(fields_[i]);
      if (!number) {
        fail(fmt::format("column {} ({}): {}", i + 1,
                         text::quoted(i == time_column_ ? "time" : table_.names[name]),
                         fields_[i].empty() ? "a number is missing"
                                            : text::quoted(fields_[i]) + " is no number"));
      }
      if (i != time_column_) {
        table_.numbers.push_back(*number);
        continue;
      }
      if (!table_.times.empty() && !(*number - table_.times.back() >= kShortestPiece)) {
        fail(fmt::format("the time {} does not come after {}", *number, table_.times.back()));
      }
      table_.times.push_back(*number);
    }
    table_.lines.push_back(line_number_);
  }

  std::string_view rest_, line_;
  const std::string& file_;
  int line_number_ = 0;
  bool commented_ = false;  ///< a comment stood before
  std::vector<std::string> fields_;
  bool has_time_ = false;
  std::size_t time_column_ = 0;
  TimeTable table_;
};

}  // namespace

TimeTable parse_time_table(std::string_view text, const std::string& file) {
  return TableReader(text, file).read();
}

}  // namespace keepclear
