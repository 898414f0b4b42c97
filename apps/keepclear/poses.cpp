// SPDX-License-Identifier: BSD-3-Clause
#include "poses.hpp"

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "csv.hpp"
#include "keepclear/error.hpp"
#include "output.hpp"
#include "progress.hpp"

namespace keepclear::command {

namespace {

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

void require_poses(const World& world, const PoseOptions& poses) {
  if (poses.file || poses.q || world.variables().empty()) return;
  usage("no pose given", "give either --poses FILE or --q A,B,...");
}

std::size_t for_each_block(const World& world, const PoseOptions& poses, const TalkOptions& talk,
                           std::size_t bytes_per_pose,
                           const std::function<void(const PoseBlock&)>& work,
                           const Portion& portion) {
  require_poses(world, poses);
  if (!poses.file) {
    const std::vector<double> q = poses.q ? parse_configuration(world, *poses.q) : world.neutral();
    work({0, 1, q, {}});
    if (!talk.quiet) print_notes(world, within_limits(world.variables(), q) ? 0 : 1);
    return 1;
  }

  PoseReader reader(*poses.file, world.variables());
  Progress progress(talk.quiet);
  std::vector<double> block;
  const std::size_t block_rows = pose_block(world, bytes_per_pose);
  std::size_t total = reader.skip(portion.begin);
  if (total < portion.begin) {
    throw Error(Error::Kind::malformed, *poses.file, 0, "has changed while it was read");
  }
  std::size_t outside = 0;
  double fraction_before = 0;
  while (const std::size_t rows = reader.read(std::min(block_rows, portion.end - total), block)) {
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
  return total - portion.begin;
}

}  // namespace keepclear::command
