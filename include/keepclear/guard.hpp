// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "keepclear/brake.hpp"
#include "keepclear/world.hpp"

namespace keepclear {

enum class Action : std::uint8_t {
  brake,  ///< brake now
  go,     ///< proved: braking can wait for the next cycle
};

/// Why a cycle ended as it did. Everything but `free` brakes.
enum class Reason : std::uint8_t {
  free,           ///< the whole braking motion is proved free
  not_clear,      ///< a pair was not shown to keep its margin while the robot brakes
  out_of_budget,  ///< the work of a cycle was spent before all pairs were looked at
  starting,       ///< the same, before all pairs were settled for the first time
  wrong_size,     ///< not as many numbers as the world has
  not_finite,     ///< a number that is none, or too large to be one
  beyond_limits,  ///< a position outside its limits by more than the tolerance
  too_fast,       ///< a velocity beyond max_velocity, or the limit of the URDF
  time_back,      ///< the time is before the latest that was seen
  time_repeats,   ///< the time is that of the last state
  time_jumps,     ///< more than max_gap since the last state
  stale,          ///< a number, or the state, is older than max_age
  jump,           ///< no robot of this brake model gets here from the last state
  world_stale,    ///< nobody has confirmed the world for max_world_age
  latched,        ///< an earlier cycle braked, and reset() was not called since
  still_moving,   ///< an earlier cycle braked, and the robot does not stand yet
  bad_rounding,   ///< the floating-point unit is not in the mode that proofs are for
  corrupted,      ///< memory of the guard has changed without its doing
};
/// As the command line prints it: "free", "not clear", "out of budget", ...
std::string_view name_of(Reason reason) noexcept;

struct GuardOptions {
  /// Floating-point operations of one cycle for looking at pairs: beyond those that it always may
  /// do, the braking box, the poses in its middle and one pass over the table.
  std::uint64_t budget = 55'000;
  /// Metres: beyond the margins of the scene and of its pairs.
  double margin = 0;
  /// After a brake, brake until reset(); or go again as soon as that is proved to be safe and the
  /// robot stands, to within velocity_uncertainty. (No robot need stand whose brakes are no
  /// stronger than max_acceleration: the braking box then covers brakes that are let go.)
  bool latch = false;
  /// Look for the largest speed that can be kept (GuardCycle::scale).
  bool graded = false;
  /// Seconds that a graded speed is to be kept for.
  double horizon = 0.1;
  /// Use GuardState::command instead of the worst acceleration. A state without one brakes. Each
  /// joint must have a JointBrake::acceleration_uncertainty.
  bool known_command = false;
  /// Parts in time that the braking motion is looked at in, where that helps (it needs
  /// brake_deceleration_most); 1: as a whole only.
  int slices = 4;
  /// Times that the joint box of a pair may be halved before it counts as not clear; 0: never.
  int splits = 2;
  /// Seconds: older states brake. Those older than the latency always do; with
  /// BrakeModel::delays, those older than the age in them, and no more than that may be given.
  double max_age = std::numeric_limits<double>::infinity();
  /// Seconds between states, at most; zero stands for the latency, which has to hold a cycle (and
  /// for any time at all where there is no latency). With BrakeModel::delays zero stands for the
  /// cycle in them, and no more than that may be given.
  double max_gap = 0;
  /// Radians or metres that a position may be beyond its limit.
  double limit_tolerance = 1e-3;
  /// Brake when no robot of this brake model gets from the last state to this one.
  bool check_jumps = true;
  /// Seconds after confirm_world() that the world holds for.
  double max_world_age = std::numeric_limits<double>::infinity();
  /// Convex pieces of objects that may be carried, or put down elsewhere, in all.
  std::size_t max_carried = 64;
  /// Cycles in which all memory that proofs rest on is checked once against its checksum; 0: never.
  std::uint32_t check_cycles = 1000;
};

/// What was measured. All spans have World::dof() numbers, those that may be empty aside.
struct GuardState {
  double time = 0;  ///< seconds, of the measurement, on a clock that never goes back
  std::span<const double> q, v;
  /// Accelerations from the measurement until braking takes hold, or the latency is over, whatever
  /// is commanded meanwhile; may be empty.
  std::span<const double> command{};
  double age = 0;                  ///< seconds since the measurement
  std::span<const double> ages{};  ///< of each number, where drivers differ; may be empty
};

/// What a cycle found.
struct GuardCycle {
  Action action = Action::brake;
  Reason reason = Reason::starting;
  /// The pair that decides, indices into World::solids(): the one that is not proved clear, else
  /// the one of the least bound. -1: none.
  int a = -1, b = -1;
  /// Metres: that pair keeps at least this distance during the whole braking motion, its margin
  /// left aside (taken off, of an obstacle). Bounds are as tight as the question needs, no
  /// tighter. Zero where nothing is known; infinite, without a pair, where nothing is near.
  double bound = 0;
  /// With GuardOptions::graded: proved for a robot that slows each joint to this share of its
  /// speed, goes on for the horizon, and brakes then. Zero: only braking now is, or not even that.
  double scale = 0;
  std::uint64_t flops = 0;  ///< floating-point operations of this cycle
  std::uint64_t cycle = 0;  ///< counts from 1 since construction
};

/// Since construction.
struct GuardCounters {
  std::uint64_t cycles = 0, brakes = 0;
  std::uint64_t steps = 0;    ///< bounds of a pair looked for
  std::uint64_t looks = 0;    ///< directions tried
  std::uint64_t lookups = 0;  ///< bodies whose obstacles were looked up
};

/// Says in every cycle whether braking can still wait for the next one (paper 1, IV and VI). Owns
/// all its memory: the constructor allocates, nothing else does. step() takes no lock, makes no
/// system call, throws nothing, and does no more work than work_bound() for any input. One object a
/// thread.
class Guard {
 public:
  /// Throws Error (usage) for a brake model or options that make no sense. No brake is set at the
  /// first state: make it, or call reset(), when the robot stands (or brakes are no stronger than
  /// max_acceleration).
  Guard(const World& world, const BrakeModel& brake, const GuardOptions& options = {});
  ~Guard();
  Guard(Guard&&) noexcept;
  Guard& operator=(Guard&&) noexcept;

  /// One cycle. `go` only if it is proved: a robot that moves as the brake model says, and brakes
  /// from the next cycle on at the latest, keeps every checked pair farther apart than its margin
  /// until it stands.
  Action step(const GuardState& state) noexcept;
  const GuardCycle& last() const noexcept;

  /// Lets go of a latch, and of the time and place of the last state: to be called when the robot
  /// stands. Bounds start anew. What was confirmed counts for states that are not earlier.
  void reset() noexcept;

  /// Metres that a pair of solids is to keep, in place of its margin in the scene. False if it is
  /// not a checked pair now, the margin is negative or not a number, or there is no room (1024).
  bool set_margin(int a, int b, double margin) noexcept;
  /// The object (index into World::solids()) is carried by the link from now on, where it stood to
  /// it in the last state; it may touch the link and all of `touch`. False, and nothing happens, if
  /// there is no room, or no state to rest on: before the first step(), after reset() or restore()
  /// and before the next step(), and after a state that was refused. Refused are all states whose
  /// reason is about the input, the world, the rounding or the memory; not those that were
  /// understood and brake for what is near, for the budget, or for an earlier brake.
  bool attach(int object, int link, std::span<const int> touch = {}) noexcept;
  /// The object stays where it was in the last state. False, and nothing happens, if nothing
  /// carries it, or there is no state to rest on, as for attach().
  bool release(int object) noexcept;
  /// A margin was set, an object taken or put down: what is guarded is not the world as it was
  /// loaded any more.
  bool changed() const noexcept;
  /// The world is as it was loaded, as of this time, on the clock of the states. False, and nothing
  /// happens, for a time that is not finite or is beyond that of the last state (milliseconds for
  /// seconds), and after a state that was refused, unless that was because the world was not
  /// confirmed. Before the first state, and after reset() or restore(), the next state judges: a
  /// time beyond it confirms nothing.
  bool confirm_world(double time) noexcept;

  /// Floating-point operations of a cycle, at most: the budget and what is always done.
  std::uint64_t work_bound() const noexcept;
  const GuardCounters& counters() const noexcept;

  /// SHA-256, in hexadecimal, of everything that the answers depend on but states and calls: the
  /// world (World::hash), the brake model, the options.
  const std::string& hash() const noexcept;

  /// All that a cycle depends on besides its state and the world: a guard of the same world, model
  /// and options that restores it goes on in the same way, bit by bit. Guards that went through the
  /// same save the same bytes.
  std::size_t memory_size() const noexcept;
  void save(std::span<std::byte> memory) const noexcept;  ///< memory_size() bytes
  /// False, and nothing happens, for anything but what save() of such a guard wrote. The saved
  /// state may be long past: attach() and release() wait for the next step(). A guard whose memory
  /// was found corrupted stays so, and so does one that restores what it saved.
  bool restore(std::span<const std::byte> memory) noexcept;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace keepclear
