// SPDX-License-Identifier: BSD-3-Clause
//
// Paths from a file of JSON Lines, a few at a time: a file of any length needs little memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace keepclear {
class Hasher;
}  // namespace keepclear

namespace keepclear::command {

/// A line that is not blank, without its end.
struct PathLine {
  std::size_t index = 0;  ///< of the path, from zero
  std::size_t line = 0;   ///< from one
  std::string text;
  bool too_long = false;  ///< then `text` is empty
};

/// Reads line by line. A byte order mark and CRLF are fine; blank lines are no paths and are passed
/// over.
class PathLines {
 public:
  static constexpr std::uint64_t kAll = std::numeric_limits<std::uint64_t>::max();

  /// `file` "-" is standard input. Of a file that grows meanwhile no more than `most` bytes are
  /// read. Throws Error.
  explicit PathLines(const std::string& file, std::uint64_t most = kAll);
  ~PathLines();
  PathLines(const PathLines&) = delete;
  PathLines& operator=(const PathLines&) = delete;

  /// For errors.
  const std::string& name() const { return name_; }
  /// The next path; false when there is none.
  bool next(PathLine& line);
  /// Passes over that many; returns how many there were.
  std::size_t skip(std::size_t paths);
  /// Replaces `lines` by the next ones: `count` at most, and no more once they have `bytes`.
  void read(std::size_t count, std::size_t bytes, std::vector<PathLine>& lines);
  /// Of the file read so far; negative when its size is unknown.
  double fraction() const noexcept;

  struct Contents {
    std::size_t paths = 0;
    std::uint64_t bytes = 0;
    std::string sha256;
  };
  /// All of a file. Throws Error, also for what is no regular file: it could not be read again.
  static Contents look_through(const std::string& file);

 private:
  bool refill();

  std::string name_;
  int descriptor_ = -1;
  std::uint64_t left_;
  std::uint64_t read_ = 0, total_ = 0;
  Hasher* hasher_ = nullptr;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;
  std::size_t lines_ = 0, paths_ = 0;
};

}  // namespace keepclear::command
