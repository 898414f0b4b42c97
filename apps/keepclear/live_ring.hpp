// SPDX-License-Identifier: BSD-3-Clause
//
// How a running guard shows itself: its last cycles in shared memory. The guard stores words and
// never waits; whoever looks maps them to read, and can neither change nor shorten them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "keepclear/brake.hpp"

namespace keepclear::command {

/// One cycle as it is shown. What comes from a reader has been checked: the pair is one of the
/// world or -1, numbers that must be finite are.
struct LiveCycle {
  std::uint64_t cycle = 0;  ///< 0: the loop braked without a state
  double time = 0;          ///< of the state; that of the last one where there is none
  bool go = false;
  std::uint16_t reason = 0;  ///< a Reason or a LinkReason
  int a = -1, b = -1;
  double bound = 0, scale = 0;
  std::uint64_t flops = 0;
  std::int64_t nanoseconds = -1;     ///< negative: not timed
  std::span<const double> q{}, v{};  ///< empty: there was no state of the right size
};

/// What has been counted since the guard began.
struct LiveTotals {
  std::uint64_t cycles = 0, brakes = 0, overruns = 0;
  std::uint64_t silences = 0;  ///< times that the loop braked without a state
};

/// What stays the same while a guard runs.
struct LiveInfo {
  std::uint64_t process = 0;
  std::string world;  ///< World::hash()
  double margin = 0;
  std::uint64_t budget = 0, work_bound = 0;
  BrakeModel brake;
};

/// The guard's end. One thread.
class LiveRing {
 public:
  static constexpr std::size_t kCapacity = 4096;

  /// Allocates, touches and, where that is allowed, locks all its memory; `file` becomes a link to
  /// it, which is removed at the end. Throws Error (write) where that cannot be, or where the file
  /// is anything but the link of a guard that has ended.
  LiveRing(const std::string& file, const LiveInfo& info, std::size_t capacity = kCapacity);
  ~LiveRing();
  LiveRing(const LiveRing&) = delete;
  LiveRing& operator=(const LiveRing&) = delete;

  /// Stores and nothing else: no system call, no lock, no allocation.
  void push(const LiveCycle& cycle, const LiveTotals& totals) noexcept;
  void count(const LiveTotals& totals) noexcept;

 private:
  using Word = std::atomic<std::uint64_t>;
  std::string file_, target_;
  int memory_ = -1;
  Word* words_ = nullptr;
  std::size_t bytes_ = 0, dof_, capacity_, slots_at_, slot_words_;
  std::uint64_t written_ = 0;
};

/// Cycles that a reader has copied. Their spans point into it.
class LiveCycles {
 public:
  std::size_t size() const noexcept { return cycles_.size(); }
  LiveCycle operator[](std::size_t i) const noexcept;
  void clear() noexcept;

 private:
  friend class LiveReader;
  std::vector<LiveCycle> cycles_;
  std::vector<bool> has_state_;
  std::vector<double> numbers_;  ///< q and v of each
  std::size_t dof_ = 0;
};

/// A viewer's end. What is in the memory is another program's: nothing of it is believed.
class LiveReader {
 public:
  /// Throws Error: (missing) where there is no guard, (malformed) for what is no ring, or that of
  /// another world. `solids` is how many the world has.
  LiveReader(const std::string& file, const std::string& world_hash, std::size_t dof,
             std::size_t solids);
  ~LiveReader();
  LiveReader(const LiveReader&) = delete;
  LiveReader& operator=(const LiveReader&) = delete;

  const LiveInfo& info() const noexcept { return info_; }
  /// The cycles since the last call, oldest first, as far as they are still there. The first call
  /// has all that is kept.
  void read(LiveCycles& out);
  LiveTotals totals() const noexcept;
  /// Cycles that were overwritten before they were read.
  std::uint64_t missed() const noexcept { return missed_; }
  /// The guard said that it ended, or another one has taken the name: open it anew.
  bool over() const noexcept;

 private:
  using Word = std::atomic<std::uint64_t>;
  bool copy(std::uint64_t index, LiveCycles& out);

  std::string file_;
  int memory_ = -1;
  const Word* words_ = nullptr;
  std::size_t bytes_ = 0, dof_, solids_, capacity_ = 0, slots_at_ = 0, slot_words_ = 0;
  LiveInfo info_;
  std::uint64_t next_ = 0, missed_ = 0;
};

}  // namespace keepclear::command
