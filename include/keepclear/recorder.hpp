// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/guard.hpp"

namespace keepclear {

/// One cycle as it was: what was measured, and what the guard found.
struct RecordedCycle {
  double time = 0, age = 0;
  std::vector<double> q, v, command, ages;
  GuardCycle found;
  /// What the loop around the guard said instead (LinkReason); 0: what the guard found.
  std::uint16_t said = 0;

  /// Points into this object.
  GuardState state() const noexcept;
};

/// The last cycles before a brake, with all that is needed to go through them again.
struct Recording {
  std::string world;      ///< World::hash() of the world that was guarded
  std::string name;       ///< of that world, for people
  std::string keepclear;  ///< the version that wrote it
  BrakeModel brake;
  GuardOptions options;
  std::vector<std::byte> memory;  ///< Guard::save() before the first cycle
  std::uint64_t first = 0;        ///< cycles before the first one, since the recorder began
  std::vector<RecordedCycle> cycles;
};

/// Keeps the last cycles of a guard in memory, and writes them to a file when asked: a flight
/// recorder. Owns all its memory. One object a thread, that of its guard.
class FlightRecorder {
 public:
  /// At least the last `cycles` (from 1 to kMaxCycles) can be written, and never more than twice as
  /// many. The guard must have been made of these. Throws Error (usage).
  FlightRecorder(const World& world, const BrakeModel& brake, const GuardOptions& options,
                 const Guard& guard, std::size_t cycles = 1000);
  static constexpr std::size_t kMaxCycles = 1'000'000;

  /// After each Guard::step(), with the state that it was given. Does not allocate. Once in
  /// `cycles` it copies the memory of the guard: call it after the answer was acted on.
  void push(const GuardState& state, const Guard& guard, std::uint16_t said = 0) noexcept;
  /// After anything but step() has changed the guard: what was recorded before cannot be gone
  /// through any more, and is dropped.
  void restart(const Guard& guard) noexcept;

  /// Cycles that a recording would have now.
  std::size_t size() const noexcept;
  Recording recording() const;
  /// The file is written whole or not at all. Allocates, and waits for the disk: for the time after
  /// a brake. Throws Error (write).
  void write(const std::filesystem::path& file) const;

 private:
  struct Slot {
    double time = 0, age = 0;
    std::size_t sizes[4] = {};
    GuardCycle found;
    std::uint16_t said = 0;
  };
  std::size_t begin() const noexcept;  ///< of what can be written, in cycles since restart()

  std::string world_, name_;
  BrakeModel brake_;
  GuardOptions options_;
  std::size_t dof_, cycles_;
  std::uint64_t dropped_ = 0, count_ = 0;  ///< cycles before, and since, restart()
  std::vector<Slot> slots_;                ///< two times cycles_, a ring
  std::vector<double> numbers_;            ///< four blocks of dof_ + 1 for each
  std::vector<std::byte> memory_[2];       ///< before the cycles that are even and odd multiples
};

/// A recording as text: JSON Lines, numbers so that they read back as the same, a checksum at the
/// end. docs/guard.md has the format.
std::string to_text(const Recording& recording);
/// Throws Error (malformed) for anything but what to_text() writes: truncated, changed, of another
/// version.
Recording parse_recording(std::string_view text, const std::string& file);
Recording read_recording(const std::filesystem::path& file);
/// Whether a text begins as a recording does.
bool is_recording(std::string_view text) noexcept;

/// A guard as it was before the first cycle of a recording: it goes through the same cycles to the
/// same answers. Throws Error (malformed) for a recording of another world, and for one whose
/// memory is of another build.
Guard restored_guard(const World& world, const Recording& recording, const std::string& file = {});
/// Whether two cycles found the same, bit by bit. Their numbers (GuardCycle::cycle) may differ.
bool same_finding(const GuardCycle& a, const GuardCycle& b) noexcept;

}  // namespace keepclear
