// SPDX-License-Identifier: BSD-3-Clause
//
// Configurations and pairs as the command line takes them, and as they are printed.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "csv.hpp"
#include "keepclear/error.hpp"
#include "output.hpp"
#include "poses.hpp"
#include "scene/batch.hpp"

namespace keepclear::command {

namespace {

std::vector<std::string> split(const std::string& text) {
  std::vector<std::string> parts;
  if (text.find_first_not_of(" \t") == std::string::npos) return parts;
  for (std::size_t begin = 0;;) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    parts.push_back(text.substr(begin, end - begin));
    if (end == text.size()) return parts;
    begin = end + 1;
  }
}

}  // namespace

void usage(const std::string& what, const std::string& hint) {
  throw Error(Error::Kind::usage, "", 0, what, hint);
}

std::size_t pose_block(const World& world, std::size_t bytes_per_pose) {
  constexpr std::size_t kMaxBlock = 4096;
  constexpr std::size_t kBlockBytes = std::size_t{64} << 20;
  const std::size_t row = world.dof() * sizeof(double) + bytes_per_pose;
  const std::size_t rows =
      std::clamp(kBlockBytes / std::max<std::size_t>(row, 1), std::size_t{1}, kMaxBlock);
  return rows < kBatchChunk ? rows : rows - rows % kBatchChunk;
}

std::size_t pose_unit(const World& world, std::size_t bytes_per_pose) {
  return std::min(pose_block(world, bytes_per_pose), kBatchChunk);
}

std::vector<double> parse_configuration(const World& world, const std::string& text,
                                        const std::string& option) {
  const auto bad_q = [&](const std::string& what, const std::string& hint = {}) {
    usage(option + ": " + what, hint);
  };
  const std::vector<std::string> parts = split(text);
  const auto variables = world.variables();
  std::vector<double> q = world.neutral();
  const bool named = text.find('=') != std::string::npos;
  if (!named && parts.size() != variables.size()) {
    bad_q(fmt::format("{} given, the world has {}", counted(parts.size(), "number"),
                      counted(variables.size(), "variable")),
          "keepclear info lists them");
  }
  std::vector<bool> seen(variables.size(), false);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::size_t variable = i;
    std::string value = parts[i];
    if (named) {
      const std::size_t equals = value.rfind('=');
      if (equals == std::string::npos) bad_q("'" + value + "' is not NAME=VALUE");
      const std::string name = value.substr(0, equals);
      const auto found = std::ranges::find(variables, name, &Variable::name);
      if (found == variables.end()) {
        bad_q("the world has no variable '" + name + "'", "keepclear info lists them");
      }
      variable = static_cast<std::size_t>(found - variables.begin());
      if (seen[variable]) bad_q("'" + name + "' stands there twice");
      seen[variable] = true;
      value.erase(0, equals + 1);
    }
    const std::string fault = parse_number(value, q[variable]);
    if (!fault.empty()) bad_q(fmt::format("{} ({})", fault, variables[variable].name));
  }
  const std::string fault = fault_of_configuration(variables, q);
  if (!fault.empty()) bad_q(fault, "normalise it");
  return q;
}

std::string pair_name(const World& world, int a, int b) {
  if (a < 0 || b < 0) return "-";
  const auto solids = world.solids();
  return printable(solids[static_cast<std::size_t>(a)].name) + " - " +
         printable(solids[static_cast<std::size_t>(b)].name);
}

std::string pasted_configuration(const World& world, std::span<const double> q, bool short_form,
                                 std::span<const int> variables) {
  std::string text;
  for (const int i : variables) {
    const Variable& variable = world.variables()[static_cast<std::size_t>(i)];
    double value = q[static_cast<std::size_t>(i)];
    if (short_form && variable.type != "floating") {
      // Adding zero turns -0 into 0. At a limit the value stays whole: rounded it may lie beyond.
      const double rounded = std::round(value * 1e6) / 1e6 + 0.0;
      if (rounded >= variable.lower && rounded <= variable.upper) value = rounded;
    }
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", printable(variable.name), value);
  }
  return text;
}

std::string pasted_configuration(const World& world, std::span<const double> q, bool short_form) {
  std::vector<int> all(q.size());
  std::iota(all.begin(), all.end(), 0);
  return pasted_configuration(world, q, short_form, all);
}

std::string json_configuration(const World& world, std::span<const double> q) {
  std::string text = "{";
  for (std::size_t i = 0; i < q.size(); ++i) {
    text += fmt::format("{}{}:{}", i == 0 ? "" : ",", json_string(world.variables()[i].name),
                        json_number(q[i]));
  }
  return text + "}";
}

JsonPairs::JsonPairs(const World& world) : world_(world), quoted_(world.solids().size()) {}

const std::string& JsonPairs::quoted(int solid) {
  const auto i = static_cast<std::size_t>(solid);
  if (quoted_[i].empty()) quoted_[i] = json_string(world_.solids()[i].name);
  return quoted_[i];
}

std::string JsonPairs::operator()(int a, int b) {
  if (a < 0 || b < 0) return "null";
  return fmt::format("[{},{}]", quoted(a), quoted(b));
}

}  // namespace keepclear::command
