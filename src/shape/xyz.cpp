// SPDX-License-Identifier: BSD-3-Clause
//
// Points as lines of numbers: XYZ apart by blanks, CSV by commas with or without a header.
#include <array>
#include <vector>

#include "shape/cloud_parts.hpp"

namespace keepclear::cloud {
namespace {

[[noreturn]] void refuse_word(const std::string& name, int line, std::string_view word,
                              const std::string& hint) {
  refuse(name, line, text::quoted(word) + " is not a number", hint);
}

/// The fields of a line of CSV without the blanks and quotes around them. A doubled quote inside
/// quotes stays doubled: no name or number that we look for has one.
void split(std::string_view line, std::vector<std::string_view>& fields, const std::string& name,
           int number) {
  fields.clear();
  const auto skip_blanks = [&line] {
    while (!line.empty() && text::is_blank(line.front())) line.remove_prefix(1);
  };
  for (;;) {
    skip_blanks();
    std::size_t end = 0;
    if (!line.empty() && line.front() == '"') {
      end = 1;
      while (end < line.size() && (line[end] != '"' || line.substr(end, 2) == "\"\"")) {
        end += line[end] == '"' ? 2U : 1U;
      }
      if (end >= line.size()) refuse(name, number, "a quote that does not end on its line");
      fields.push_back(line.substr(1, end - 1));
      line.remove_prefix(end + 1);
      skip_blanks();
      if (!line.empty() && line.front() != ',') {
        refuse(name, number, "text after the closing quote of a field");
      }
    } else {
      end = std::min(line.find(','), line.size());
      std::string_view field = line.substr(0, end);
      while (!field.empty() && text::is_blank(field.back())) field.remove_suffix(1);
      fields.push_back(field);
      line.remove_prefix(end);
    }
    if (line.empty()) return;
    line.remove_prefix(1);
  }
}

bool all_numbers(const std::vector<std::string_view>& fields) {
  return std::all_of(fields.begin(), fields.end(),
                     [](std::string_view field) { return parse_any_number(field).has_value(); });
}

/// Which columns x, y and z are in.
std::array<std::size_t, 3> find_columns(const std::vector<std::string_view>& header,
                                        const std::string& name, int line) {
  std::array<std::size_t, 3> columns{};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const std::string_view wanted = std::string_view("xyz").substr(axis, 1);
    const auto is_wanted = [&](std::string_view field) {
      return text::equal_ignoring_case(field, wanted);
    };
    const auto found = std::find_if(header.begin(), header.end(), is_wanted);
    if (found == header.end()) {
      refuse(name, line, "the header has no column '" + std::string(wanted) + "'",
             "name the columns x,y,z and separate them by commas, or leave the header out");
    }
    if (std::find_if(found + 1, header.end(), is_wanted) != header.end()) {
      refuse(name, line, "the header has two columns '" + std::string(wanted) + "'");
    }
    columns[axis] = static_cast<std::size_t>(found - header.begin());
  }
  return columns;
}

}  // namespace

PointCloud parse_xyz(std::string_view bytes, const std::string& name) {
  Builder builder(name);
  Lines lines(without_mark(bytes));
  std::size_t columns = 0;
  std::string_view line;
  while (lines.next_filled(line)) {
    std::array<double, 3> p{};
    std::size_t count = 0;
    const std::string_view whole = line;
    for (auto word = text::take_word(line); !word.empty(); word = text::take_word(line)) {
      if (count == 0 && word.front() == '#') break;
      const auto value = parse_any_number(word);
      if (!value) {
        refuse_word(name, lines.number(), word,
                    whole.find_first_of(",;") == std::string_view::npos
                        ? "each line is x y z, with points in the decimals"
                        : "separate the numbers by blanks, or name the file .csv");
      }
      if (count < 3) p[count] = *value;
      ++count;
    }
    if (count == 0) continue;
    if (count < 3) {
      refuse(name, lines.number(), "a line of " + std::to_string(count) + " numbers",
             "each line is x y z");
    }
    if (columns == 0) columns = count;
    if (count != columns) {
      refuse(name, lines.number(),
             std::to_string(count) + " numbers, the lines before have " + std::to_string(columns),
             "is the line cut short?");
    }
    builder.add({p[0], p[1], p[2]}, lines.number());
  }
  return builder.finish(true);
}

PointCloud parse_csv(std::string_view bytes, const std::string& name) {
  Builder builder(name);
  Lines lines(without_mark(bytes));
  std::vector<std::string_view> fields;
  std::array<std::size_t, 3> columns{0, 1, 2};
  std::size_t width = 0;
  bool headed = false;
  std::string_view line;
  while (lines.next_filled(line)) {
    split(line, fields, name, lines.number());
    if (width == 0) {
      width = fields.size();
      headed = !all_numbers(fields);
      if (headed) {
        columns = find_columns(fields, name, lines.number());
        continue;
      }
      if (width < 3) {
        refuse(name, lines.number(), "a line of " + std::to_string(width) + " numbers",
               "each line is x,y,z");
      }
    }
    if (fields.size() != width) {
      refuse(name, lines.number(),
             std::to_string(fields.size()) + " fields, the first line has " + std::to_string(width),
             "is the line cut short?");
    }
    std::array<double, 3> p{};
    for (std::size_t i = 0; i < (headed ? 3 : width); ++i) {
      const std::string_view field = fields[headed ? columns[i] : i];
      const auto value = parse_any_number(field);
      if (!value) {
        refuse_word(name, lines.number(), field,
                    field.empty() ? "write nan where the sensor saw nothing"
                                  : "write decimals with a point");
      }
      if (i < 3) p[i] = *value;
    }
    builder.add({p[0], p[1], p[2]}, lines.number());
  }
  return builder.finish(true);
}

}  // namespace keepclear::cloud
