// SPDX-License-Identifier: BSD-3-Clause
//
// A file of rows that grows while a batch is worked on, and that a later run goes on with.
#pragma once

#include <cstddef>
#include <functional>
#include <limits>
#include <memory>
#include <string>

#include "output.hpp"

namespace keepclear::command {

/// What rows are of. It stands in a side file, FILE.state, and rows of anything else are not gone
/// on with.
struct RowsOf {
  std::string command;
  std::string world;    ///< its hash
  std::string options;  ///< what else was asked, as a text
  std::string input;    ///< its hash; empty: it cannot be read again, so there is no going on
  std::string shard;    ///< I/N
};

/// How rows follow one another.
struct RowOrder {
  /// What the row of that number begins with: {"path":7, for example.
  std::function<std::string(std::size_t)> head;
  std::size_t rows_each = 1;  ///< rows of one path or pose
  /// A run can go on only behind a multiple of so many paths or poses.
  std::size_t unit = 1;
  /// Paths or poses there are; rows behind theirs are of something else.
  std::size_t count = std::numeric_limits<std::size_t>::max();
};

/// How often which answer was given.
struct RowTally {
  std::size_t free = 0, contact = 0, undecided = 0, errors = 0;

  RowTally& operator+=(const RowTally& other) {
    free += other.free, contact += other.contact;
    undecided += other.undecided, errors += other.errors;
    return *this;
  }
};

class RowsFile {
 public:
  /// Takes the file for this run alone, until it is closed or the program ends in whatever way.
  /// Without `resume` it is emptied. With it, rows are kept as far as they are whole JSON and
  /// follow one another; what comes behind is dropped. What is no regular file is written to as it
  /// is, and cannot be gone on with. Throws Error: (write) where it cannot be written or another
  /// run has it; (usage) where its rows are of something else, naming what.
  RowsFile(const std::string& file, bool resume, const RowsOf& of, const RowOrder& order);
  ~RowsFile();
  RowsFile(const RowsFile&) = delete;
  RowsFile& operator=(const RowsFile&) = delete;

  /// Paths or poses whose rows were there.
  std::size_t kept() const { return kept_; }
  /// Of the rows that were there.
  const RowTally& tally() const { return tally_; }
  Output& output() { return *output_; }
  /// Every row is on its way to the disk. Throws Error (write) where it did not arrive.
  void finish();
  /// Lets go of the file; nothing can be written any more. So does the destructor.
  void close();

 private:
  void keep_rows(const RowOrder& order);
  void require_same(const RowsOf& of) const;

  std::string file_, state_;
  int descriptor_ = -1;
  bool regular_ = true;
  std::size_t kept_ = 0;
  RowTally tally_;
  std::unique_ptr<Output> output_;
};

}  // namespace keepclear::command
