// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of numbers by time, as CSV: a header, then a row for each time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace keepclear {

struct TimeTable {
  std::vector<std::string> names;    ///< of the columns but `time`, in the order of the file
  std::vector<std::size_t> columns;  ///< of these in the file, the first is 1
  int header_line = 1;
  std::vector<double> times;
  std::vector<double> numbers;  ///< a row of names.size() for each time
  std::vector<int> lines;       ///< of these rows
};

/// Strict: a column `time`, times that grow, whole decimal numbers, as many fields in each row as
/// in the header. A byte order mark, CRLF, quotes and blanks around fields, lines that begin with
/// '#' and empty lines at the end are fine. Throws Error, naming `file` and line.
TimeTable parse_time_table(std::string_view text, const std::string& file);

}  // namespace keepclear
