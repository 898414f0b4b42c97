// SPDX-License-Identifier: BSD-3-Clause
//
// Poses from a CSV file, a block at a time: a file of any length needs little memory.
#pragma once

#include <cstdint>
#include <cstdio>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/world.hpp"

namespace keepclear::command {

/// A finite decimal number and nothing else: no hexadecimal, no "nan", no comma, no locale. Blanks
/// around it and a plus sign are fine. Returns why not, or an empty string.
std::string parse_number(std::string_view text, double& value);

/// The fields of one line, without the blanks and quotes around them. Returns why not, or an empty
/// string.
std::string split_fields(std::string_view line, std::vector<std::string>& fields);

/// Why `q` is no configuration of `variables` (a quaternion off unit length), or an empty string.
std::string fault_of_configuration(std::span<const Variable> variables, std::span<const double> q);

/// The first line names every variable of the world once, in any order; each further line is one
/// configuration. A column `time` is no variable, unless one is called so: its numbers are read and
/// not used. A byte order mark, CRLF, quotes and blanks around fields are fine; so are lines
/// that begin with '#', and empty lines at the end. All else is an Error that names file, line and
/// column.
class PoseReader {
 public:
  /// `file` "-" is standard input. Reads the header.
  PoseReader(const std::string& file, std::span<const Variable> variables);

  /// Replaces `poses` by the next rows in the order of the variables, at most `max_rows`. Returns
  /// how many there were; fewer than asked for only at the end.
  std::size_t read(std::size_t max_rows, std::vector<double>& poses);

  /// Passes over the next rows, looking no closer than for where they end. Returns how many there
  /// were.
  std::size_t skip(std::size_t rows);

  /// Of the file read so far; negative when its size is unknown.
  double fraction() const noexcept;

 private:
  bool next_line();
  bool next_row();
  void read_header();
  void parse_row(std::vector<double>& poses);
  void split_fields();
  [[noreturn]] void fail(const std::string& what, const std::string& hint = {}) const;

  struct Close {
    void operator()(std::FILE* f) const noexcept { std::fclose(f); }
  };

  std::unique_ptr<std::FILE, Close> owned_;
  std::FILE* stream_ = nullptr;
  std::string name_;
  std::vector<Variable> variables_;
  std::vector<std::size_t> variable_of_column_;
  std::string line_;
  std::vector<std::string> fields_;
  int line_number_ = 0;
  bool commented_ = false;  ///< a comment stood before the header
  std::uint64_t bytes_read_ = 0, bytes_total_ = 0;
};

/// The rows of a built-in task, a time and a configuration each.
std::vector<std::vector<double>> task_rows(std::string_view csv);

}  // namespace keepclear::command
