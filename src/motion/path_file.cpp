// SPDX-License-Identifier: BSD-3-Clause
#include "motion/path_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "keepclear/error.hpp"
#include "motion/path_csv.hpp"
#include "motion/path_make.hpp"
#include "motion/path_rows.hpp"
#include "motion/path_tree.hpp"
#include "motion/path_yaml.hpp"
#include "rounding/mode.hpp"
#include "scene/json.hpp"
#include "scene/world.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

void add_names(PathRows& rows, const TimeTable& table) {
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    rows.add_name(table.names[i],
                  fmt::format("line {}, column {}", table.header_line, table.columns[i]));
  }
}

Path path_of_csv(std::string_view text, const std::string& file, const Kinematics& kinematics,
                 std::span<const double> rest) {
  const TimeTable table = parse_time_table(text, file);
  PathRows rows(kinematics, file);
  add_names(rows, table);
  std::vector<double> waypoints;
  std::vector<double> q(rest.begin(), rest.end());
  for (std::size_t row = 0; row < table.times.size(); ++row) {
    std::string fault;
    for (std::size_t i = 0; i < rows.named() && fault.empty(); ++i) {
      const double number = table.numbers[row * rows.named() + i];
      fault = rows.fault(i, number);
      if (!fault.empty()) fault = fmt::format("column {}: {}", table.columns[i], fault);
      q[rows.variable(i)] = number;
    }
    if (fault.empty()) fault = rows.fault(q);
    if (!fault.empty()) throw Error(Error::Kind::malformed, file, table.lines[row], fault);
    waypoints.insert(waypoints.end(), q.begin(), q.end());
  }
  return rows.make_path([&] { return straight_path(table.times, waypoints); });
}

const json::Sections& path_sections() {
  static const json::Sections sections{
      {}, path_keys(), "a path has 'joint_names' and 'points', or 'kind'"};
  return sections;
}

json::Object parse_json(std::string_view text, const std::string& file, const json::Names& keys) {
  json::Object top;
  json::parse(text, file, keys.empty() ? path_sections() : json::Sections{{}, keys, ""},
              [&](std::string_view key, std::size_t, const json::Value& value) {
                top.push_back({std::string(key), value});
              });
  return top;
}

enum class Format { csv, json, yaml };

Format format_of(std::string_view text, const std::string& file) {
  const std::string ending = std::filesystem::path(file).extension().string();
  if (text::equal_ignoring_case(ending, ".csv")) return Format::csv;
  if (text::equal_ignoring_case(ending, ".json")) return Format::json;
  if (text::equal_ignoring_case(ending, ".yaml") || text::equal_ignoring_case(ending, ".yml")) {
    return Format::yaml;
  }
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first != text.npos && text[first] == '{') return Format::json;
  if (first != text.npos && text[first] == '<') {
    throw Error(Error::Kind::malformed, file, 0, "XML is no path",
                "paths are CSV, JSON or YAML; robots and scenes are the WORLD");
  }
  // A header has commas; the first line of YAML has a colon.
  std::string_view line = text;
  while (line.starts_with('#')) line.remove_prefix(std::min(line.find('\n'), line.size() - 1) + 1);
  line = line.substr(0, line.find('\n'));
  return line.find(':') == line.npos && line.find(',') != line.npos ? Format::csv : Format::yaml;
}

}  // namespace

std::optional<json::Object> parse_path_tree(std::string_view text, const std::string& file,
                                            const json::Names& keys) {
  const Format format = format_of(text, file);
  if (format == Format::csv) return std::nullopt;
  return format == Format::json ? parse_json(text, file, keys) : parse_yaml(text, file);
}

std::string kind_of_path(std::string_view text, const std::string& file) {
  std::string kind;
  const auto look = [&](std::string_view key, const json::Value& value) {
    const auto* word = std::get_if<std::string>(&value.data);
    if (key == "kind" && word != nullptr) kind = *word;
  };
  try {
    const Format format = format_of(text, file);
    if (format == Format::json) {
      json::parse(
          text, file, path_sections(),
          [&](std::string_view key, std::size_t, const json::Value& value) { look(key, value); });
    } else if (format == Format::yaml) {
      for (const json::Member& member : parse_yaml(text, file)) look(member.key, member.value);
    }
  } catch (const Error&) {
    // Whoever reads it says what is wrong; of JSON the kind may be known all the same.
  }
  return kind;
}

Path parse_path(std::string_view text, const std::string& file, const Kinematics& kinematics,
                std::span<const double> rest) {
  const std::optional<json::Object> top = parse_path_tree(text, file);
  if (!top) return path_of_csv(text, file, kinematics, rest);
  return path_of_tree(*top, file, kinematics, rest);
}

Path parse_tube(std::string_view text, const std::string& file, const Kinematics& kinematics,
                const Path& path) {
  const TimeTable table = parse_time_table(text, file);
  PathRows rows(kinematics, file);
  add_names(rows, table);
  if (table.times.empty())
    throw Error(Error::Kind::malformed, file, 0, "a tube needs a row or more");
  std::vector<double> widths(table.times.size() * rows.dof(), 0.0);
  for (std::size_t row = 0; row < table.times.size(); ++row) {
    for (std::size_t i = 0; i < rows.named(); ++i) {
      const double width = table.numbers[row * rows.named() + i];
      if (width < 0) {
        throw Error(
            Error::Kind::malformed, file, table.lines[row],
            fmt::format("column {}: the half width {} is negative", table.columns[i], width));
      }
      widths[row * rows.dof() + rows.variable(i)] = width;
    }
  }
  return rows.make_path([&] { return with_tube(path, table.times, widths); });
}

Path read_path(const World& world, const std::filesystem::path& file,
               std::span<const double> rest) {
  rounding::require_mode();
  const Kinematics& kinematics = world.data().kinematics;
  const std::vector<double> neutral = kinematics.neutral();
  if (!rest.empty() && !kinematics.is_configuration(rest)) {
    refuse_path("where the other joints stay is no configuration of the world");
  }
  return parse_path(json::read_file(file, kMaxPathBytes), file.string(), kinematics,
                    rest.empty() ? std::span<const double>(neutral) : rest);
}

Path with_tube(const World& world, const Path& path, const std::filesystem::path& file) {
  rounding::require_mode();
  const Kinematics& kinematics = world.data().kinematics;
  const std::size_t dof = kinematics.variables().size();
  if (path.dof() != dof) {
    refuse_path(fmt::format("a path of {} numbers in a world of {}", path.dof(), dof));
  }
  return parse_tube(json::read_file(file, kMaxPathBytes), file.string(), kinematics, path);
}

}  // namespace keepclear
