// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>

namespace keepclear::command {

/// A bar on stderr. Drawn only where somebody watches: stderr is a terminal, stdout is not (rows
/// on a terminal are progress enough), and --quiet was not given. The destructor wipes it.
class Progress {
 public:
  explicit Progress(bool quiet);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` of the work done, negative when nobody knows; draws ten times a second at most.
  void update(std::size_t poses, double fraction) noexcept;
  void clear() noexcept;

 private:
  bool on_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace keepclear::command
