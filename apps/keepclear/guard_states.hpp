// SPDX-License-Identifier: BSD-3-Clause
//
// Measured states as lines of a CSV, from a file or from a controller that writes them one by one.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/guard.hpp"

namespace keepclear::command {

/// A line without its end, as text, from a file descriptor. A byte order mark before the first is
/// left out.
class LineReader {
 public:
  /// Takes over nothing: whoever opened it closes it. `name` is for messages.
  LineReader(int descriptor, std::string name) : descriptor_(descriptor), name_(std::move(name)) {}

  /// A whole line that has been read already; false when there is none.
  bool pop(std::string& line);
  /// Reads what there is, and waits for it if there is nothing. False at the end. Throws Error.
  bool fill();
  /// The next line of a file, the last one even if nothing ends it; false when there is none. Waits
  /// for it. Throws Error.
  bool next(std::string& line);
  /// What stands after the last line end that was read.
  std::string_view rest() const noexcept { return std::string_view(buffer_).substr(begin_); }
  const std::string& name() const noexcept { return name_; }
  int descriptor() const noexcept { return descriptor_; }
  int line_number() const noexcept { return line_number_; }

 private:
  void begin_line(std::string& line);

  int descriptor_;
  std::string name_;
  std::string buffer_;
  std::size_t begin_ = 0, searched_ = 0;
  int line_number_ = 0;
};

bool is_blank(std::string_view line) noexcept;

/// One state as it was read.
struct StateRow {
  double time = 0, age = 0;
  std::vector<double> q, v, command, ages;

  /// Points into this object.
  GuardState state() const noexcept;
};

/// The columns of a states file: `time`, and for every number of a configuration `q.NAME` and
/// `v.NAME`; optional `a.NAME` (commanded accelerations), `age` and `age.NAME` (seconds since the
/// measurement). In any order, each group whole or not at all.
class StateColumns {
 public:
  /// Throws Error (malformed) for a header that does not fit the world: a guard that does not know
  /// which number is which joint must not start.
  StateColumns(std::span<const Variable> variables, std::string_view header,
               const std::string& file, int line, bool needs_command);

  /// Numbers that are none or too large (nan, inf, 1e999) are read: it is for the guard to brake.
  /// Returns why a line is no state at all, or an empty string.
  std::string read(std::string_view line, StateRow& row);

 private:
  struct Column {
    int block = 0;  ///< index into names of blocks
    std::size_t variable = 0;
  };
  std::size_t dof_;
  bool has_command_ = false, has_ages_ = false;
  std::vector<Column> columns_;
  std::vector<std::string> names_, fields_;
};

}  // namespace keepclear::command
