// SPDX-License-Identifier: BSD-3-Clause
//
// The poses a command works on, from --poses or --q, in blocks of bounded memory.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "keepclear/world.hpp"
#include "options.hpp"
#include "shard.hpp"

namespace CLI {
class App;
}  // namespace CLI

namespace keepclear::command {

struct PoseOptions {
  std::optional<std::string> file;  ///< --poses
  std::optional<std::string> q;     ///< --q
};

void add_pose_options(CLI::App& command, PoseOptions& options);
/// Throws Error (usage) where neither --poses nor --q is given. A world without joints has one
/// pose, and needs neither.
void require_poses(const World& world, const PoseOptions& poses);

/// `--q`: as many numbers as the world has variables, or name=value for some of them with the
/// others as in the neutral pose. `option` is for messages. Throws Error (usage).
std::vector<double> parse_configuration(const World& world, const std::string& text,
                                        const std::string& option = "--q");

/// Consecutive poses, the first of them number `first` from zero.
struct PoseBlock {
  std::size_t first = 0;
  std::size_t count = 0;
  std::span<const double> poses;
  /// For BatchOptions::progress.
  std::function<void(std::size_t)> progress;
};

/// Calls `work` block by block, in order. `bytes_per_pose` is what the results of one pose take:
/// it decides the size of a block, which hence depends on nothing but the world and the options.
/// Of a portion, which must begin at a multiple of pose_unit, rows have the bytes that they have in
/// the whole. Returns the number of poses.
std::size_t for_each_block(const World& world, const PoseOptions& poses, const TalkOptions& talk,
                           std::size_t bytes_per_pose,
                           const std::function<void(const PoseBlock&)>& work,
                           const Portion& portion = {});
/// The most poses that are worked on at once: whole chunks of a batch, unless one is too large.
std::size_t pose_block(const World& world, std::size_t bytes_per_pose);
/// Where poses can be cut without changing the bytes of rows.
std::size_t pose_unit(const World& world, std::size_t bytes_per_pose);

/// "a - b" of two solids; "-" for none.
std::string pair_name(const World& world, int a, int b);

/// joint=value,... of a configuration, as --q takes it. `short_form`: to six decimals, where a
/// millionth does not matter; the numbers of a quaternion stay whole, and what would be rounded
/// beyond a limit.
std::string pasted_configuration(const World& world, std::span<const double> q, bool short_form);
/// The same of some variables alone.
std::string pasted_configuration(const World& world, std::span<const double> q, bool short_form,
                                 std::span<const int> variables);

/// {"joint":value,...} of a whole configuration, ready for JSON.
std::string json_configuration(const World& world, std::span<const double> q);

/// ["a","b"] of two solids, ready for JSON; null for none. A name is quoted once, when it is first
/// asked for: rows are many, and so may be solids.
class JsonPairs {
 public:
  explicit JsonPairs(const World& world);
  std::string operator()(int a, int b);

 private:
  const std::string& quoted(int solid);

  World world_;
  std::vector<std::string> quoted_;
};

}  // namespace keepclear::command
