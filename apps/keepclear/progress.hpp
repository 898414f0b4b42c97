// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <chrono>
#include <cstddef>

namespace keepclear::command {

/// A bar on stderr. Drawn only where somebody watches: stderr is a terminal, stdout is not where
/// `rows` come meanwhile (rows on a terminal are progress enough), and --quiet was not given. The
/// destructor wipes it.
class Progress {
 public:
  explicit Progress(bool quiet, bool rows = true);
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  /// `fraction` of the work done, negative when nobody knows; draws ten times a second at most.
  void update(std::size_t poses, double fraction) noexcept;
  /// The same where nothing is counted.
  void update(double fraction) noexcept;
  void clear() noexcept;

 private:
  /// False when it is too early for another.
  bool due() noexcept;
  void draw(double fraction, const char* behind) noexcept;

  bool on_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_;
};

}  // namespace keepclear::command
