// SPDX-License-Identifier: BSD-3-Clause
#include "shard.hpp"

#include <CLI/CLI.hpp>

#include <charconv>
#include <string_view>

#include "options.hpp"

namespace keepclear::command {

namespace {

constexpr std::size_t kMaxShards = 1'000'000;

/// Digits and nothing else; 0 for what is none.
std::size_t counting_number(std::string_view text) {
  std::size_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end ? value : 0;
}

}  // namespace

void add_shard_options(CLI::App& command, ShardOptions& options, const std::string& rows) {
  command
      .add_option(
          "--shard", options.shard,
          "Part I of N, counted from 1: a block of the " + rows +
              ". What the\nparts print, one after the other, is what the whole prints\nwith --json")
      ->option_text("I/N");
  command
      .add_option("-o,--output", options.output,
                  "Write the rows there, as JSON Lines; FILE.state says of what they are")
      ->option_text("FILE");
  command.add_flag("--resume", options.resume,
                   "Keep the rows that FILE of -o has, and go on behind them");
}

Shard shard_of(const ShardOptions& options) {
  if (options.resume && options.output.empty()) {
    usage("--resume without -o", "it goes on with the rows that a file has");
  }
  Shard shard;
  if (options.shard.empty()) return shard;
  const std::size_t slash = options.shard.find('/');
  if (slash != std::string::npos) {
    shard.index = counting_number(std::string_view(options.shard).substr(0, slash));
    shard.count = counting_number(std::string_view(options.shard).substr(slash + 1));
  }
  if (slash == std::string::npos || shard.index == 0 || shard.count == 0 ||
      shard.index > shard.count || shard.count > kMaxShards) {
    usage("--shard: '" + options.shard + "' is no part of a whole",
          "write I/N, I from 1 to N; N is at most 1000000");
  }
  return shard;
}

}  // namespace keepclear::command
