// SPDX-License-Identifier: BSD-3-Clause
//
// Where rows about poses go, and which poses a run works on: --shard, -o and --resume.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "output.hpp"
#include "poses.hpp"
#include "rows_file.hpp"

namespace keepclear::command {

/// What can be said before a world is loaded. Throws Error.
void require_pose_rows(const PoseOptions& poses, const ShardOptions& shard,
                       const WorldOptions& world);

class PoseRows {
 public:
  struct Asked {
    std::string command;
    std::string options;             ///< what else was asked, as a text
    std::size_t bytes_per_pose = 0;  ///< as for for_each_block
    std::size_t rows_each = 1;
  };
  PoseRows(const World& world, const PoseOptions& poses, const ShardOptions& shard,
           const Asked& asked);

  const Portion& portion() const { return portion_; }
  Output& output() { return file_ ? file_->output() : standard_; }
  bool to_file() const { return file_.has_value(); }
  /// Of the rows that were there, and how many poses those were.
  RowTally tally() const { return file_ ? file_->tally() : RowTally{}; }
  std::size_t kept() const { return file_ ? file_->kept() : 0; }
  void finish();

 private:
  Output standard_;
  std::optional<RowsFile> file_;
  Portion portion_;
};

}  // namespace keepclear::command
