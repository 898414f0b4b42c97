// SPDX-License-Identifier: BSD-3-Clause
#include "poses.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "csv.hpp"
#include "keepclear/error.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace keepclear::command {

namespace {

constexpr std::size_t kMaxBlock = 4096;
constexpr std::size_t kBlockBytes = std::size_t{64} << 20;

std::size_t block_size(const World& world, std::size_t bytes_per_pose) {
  const std::size_t row = world.dof() * sizeof(double) + bytes_per_pose;
  return std::clamp(kBlockBytes / std::max<std::size_t>(row, 1), std::size_t{1}, kMaxBlock);
}

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

bool within_limits(std::span<const Variable> variables, std::span<const double> q) {
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (q[i] < variables[i].lower || q[i] > variables[i].upper) return false;
  }
  return true;
}

/// What the rows do not say. Printed last, so that an error stays alone.
void print_notes(const World& world, std::size_t outside) {
  if (world.pair_count() == 0) {
    message("keepclear: note: the world has no pair to check; keepclear info says why\n");
  }
  if (outside > 0) {
    message(fmt::format("keepclear: note: {} outside the joint limits\n",
                        counted(outside, "pose lies", "poses lie")));
  }
}

}  // namespace

void add_pose_options(CLI::App& command, PoseOptions& options) {
  command
      .add_option_function<std::string>(
          "--poses", [&options](const std::string& text) { options.file = text; },
          "A CSV file, or - for stdin: the header names every joint once, in\n"
          "any order; one pose a row; a column 'time' and lines that begin\n"
          "with # are skipped")
      ->option_text("FILE");
  command
      .add_option_function<std::string>(
          "--q", [&options](const std::string& text) { options.q = text; },
          "One pose instead: a number for each joint in the order that\n"
          "keepclear info prints, or some as NAME=VALUE and the rest neutral")
      ->option_text("A,B,...");
}

void require_poses(const PoseOptions& poses) {
  if (poses.file.has_value() == poses.q.has_value()) {
    throw Error(Error::Kind::usage, "", 0,
                poses.q ? "--poses and --q exclude each other" : "no pose given",
                "give either --poses FILE or --q A,B,...");
  }
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

std::size_t for_each_block(const World& world, const PoseOptions& poses, const TalkOptions& talk,
                           std::size_t bytes_per_pose,
                           const std::function<void(const PoseBlock&)>& work) {
  if (poses.q) {
    const std::vector<double> q = parse_configuration(world, *poses.q);
    work({0, 1, q, {}});
    if (!talk.quiet) print_notes(world, within_limits(world.variables(), q) ? 0 : 1);
    return 1;
  }

  PoseReader reader(*poses.file, world.variables());
  Progress progress(talk.quiet);
  std::vector<double> block;
  const std::size_t block_rows = block_size(world, bytes_per_pose);
  std::size_t total = 0;
  std::size_t outside = 0;
  double fraction_before = 0;
  while (const std::size_t rows = reader.read(block_rows, block)) {
    const double fraction_after = reader.fraction();
    work({total, rows, block, [&](std::size_t done) {
            const double share = static_cast<double>(done) / static_cast<double>(rows);
            progress.update(total + done,
                            fraction_after < 0
                                ? -1
                                : fraction_before + share * (fraction_after - fraction_before));
          }});
    for (std::size_t row = 0; row < rows; ++row) {
      const auto q = std::span(block).subspan(row * world.dof(), world.dof());
      outside += within_limits(world.variables(), q) ? 0 : 1;
    }
    total += rows;
    fraction_before = fraction_after;
  }
  progress.clear();
  if (!talk.quiet) print_notes(world, outside);
  return total;
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
