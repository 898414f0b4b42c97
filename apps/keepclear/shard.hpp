// SPDX-License-Identifier: BSD-3-Clause
//
// A part of a batch, for those who spread one over machines: --shard, -o and --resume.
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace keepclear::command {

struct ShardOptions {
  std::string shard;   ///< I/N
  std::string output;  ///< -o
  bool resume = false;

  /// Then rows are JSON Lines.
  bool asked() const { return !shard.empty() || !output.empty(); }
};

/// Consecutive rows of a batch, from `begin` up to `end` without it.
struct Portion {
  std::size_t begin = 0;
  std::size_t end = std::numeric_limits<std::size_t>::max();
};

/// Part `index` of `count`, from one.
struct Shard {
  std::size_t index = 1, count = 1;

  bool whole() const { return count == 1; }
  /// Its share of `total` rows: a block, and blocks follow one another without a gap. They begin at
  /// multiples of `unit`. Some are empty where there are too few rows.
  Portion portion(std::size_t total, std::size_t unit = 1) const {
    const std::size_t units = total / unit + (total % unit == 0 ? 0 : 1);
    // The first ones get one unit more, if it does not come out even.
    const auto begin = [&](std::size_t i) {
      return std::min(total, unit * (i * (units / count) + std::min(i, units % count)));
    };
    return {begin(index - 1), begin(index)};
  }
};

/// --shard, -o, --resume. `rows` says what rows are of, for the help.
void add_shard_options(CLI::App& command, ShardOptions& options, const std::string& rows);
/// The whole unless told. Throws Error (usage), also for --resume without -o.
Shard shard_of(const ShardOptions& options);

}  // namespace keepclear::command
