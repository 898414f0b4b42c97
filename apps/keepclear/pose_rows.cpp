// SPDX-License-Identifier: BSD-3-Clause
#include "pose_rows.hpp"

#include <sys/stat.h>

#include <limits>
#include <vector>

#include "csv.hpp"
#include "files.hpp"
#include "keepclear/error.hpp"
#include "path_lines.hpp"

namespace keepclear::command {

namespace {

/// Counted by the reader that reads it later.
std::size_t count_of(const std::string& file, const World& world) {
  return PoseReader(file, world.variables()).skip(std::numeric_limits<std::size_t>::max());
}

}  // namespace

void require_pose_rows(const PoseOptions& poses, const ShardOptions& options,
                       const WorldOptions& world) {
  const Shard shard = shard_of(options);
  if (!options.asked()) return;
  if (*poses.file == "-" && (!shard.whole() || options.resume)) {
    usage(
        "--poses -: standard input is read only once: it has no shards, and no run goes on with it",
        "write the poses to a file first");
  }
  if (options.output.empty()) return;
  require_outputs(std::vector<std::string>{options.output, options.output + ".state"}, world,
                  std::vector<std::string>{*poses.file == "-" ? std::string() : *poses.file});
}

PoseRows::PoseRows(const World& world, const PoseOptions& poses, const ShardOptions& options,
                   const Asked& asked) {
  require_poses(world, poses);
  const Shard shard = shard_of(options);
  const std::size_t unit = pose_unit(world, asked.bytes_per_pose);
  // Of a file that is gone on with, rows behind the last pose are not kept.
  if (!shard.whole() || options.resume) {
    portion_ = shard.portion(count_of(*poses.file, world), unit);
  }
  if (options.output.empty()) return;
  const bool again = *poses.file != "-";
  const RowsOf of{asked.command, world.hash(), asked.options,
                  again ? PathLines::look_through(*poses.file).sha256 : "",
                  fmt::format("{}/{}", shard.index, shard.count)};
  const std::size_t first = portion_.begin, each = asked.rows_each;
  const auto head = [first, each](std::size_t row) {
    return fmt::format("{{\"pose\":{},", first + row / each);
  };
  file_.emplace(options.output, options.resume, of,
                RowOrder{head, each, unit, portion_.end - portion_.begin});
  portion_.begin += file_->kept();
}

void PoseRows::finish() {
  output().flush();
  if (file_) file_->finish();
}

}  // namespace keepclear::command
