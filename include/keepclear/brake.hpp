// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "keepclear/world.hpp"

namespace keepclear {

/// What is known of how one number of a configuration moves and stops: radians or metres, and
/// seconds. Of the position of a planar or floating joint the numbers hold for the speed of all its
/// directions together, and of a quaternion for the angle that it turns by.
struct JointBrake {
  /// At most this does its velocity change by, a second, until braking takes hold. Must be given:
  /// a guard refuses the NaN that stands here until then. 0: nothing speeds it up.
  double max_acceleration = std::numeric_limits<double>::quiet_NaN();
  /// At least this does braking slow it down, until it stands. Positive; must be given.
  double brake_deceleration = 0;
  /// At most this; where it is known, the braking motion can be followed in time.
  double brake_deceleration_most = std::numeric_limits<double>::infinity();
  /// What a measured position and velocity may be off by, either way.
  double position_uncertainty = 0, velocity_uncertainty = 0;
  /// With a command that is known: what the acceleration may be off it by, either way. Infinite:
  /// unknown; a guard that relies on commands (GuardOptions::known_command) refuses that.
  double acceleration_uncertainty = std::numeric_limits<double>::infinity();
  /// A measured velocity beyond this is not believed. Infinite: the limit of the URDF, where there
  /// is one, and velocity_uncertainty.
  double max_velocity = std::numeric_limits<double>::infinity();
  /// Mechanical stops stand at the limits of the joint: it goes no farther, whatever its speed.
  bool stops = false;

  friend bool operator==(const JointBrake&, const JointBrake&) = default;
};

/// When a controller brakes by itself because the answer to a state is missing.
enum class MissingAnswer : std::uint8_t {
  at_once,       ///< as soon as the answer is due, no later than an answer would have come
  end_of_cycle,  ///< when the cycle that waits for it is over: a whole cycle later
};

/// The parts of a latency, seconds, each the longest that occurs, jitter included. All must be
/// given: a guard refuses the NaN that stands there until then.
struct BrakeDelays {
  /// From the measurement of a state until the guard is asked about it, clocks that disagree and
  /// filters included. States that say they are older brake.
  double age = std::numeric_limits<double>::quiet_NaN();
  /// From the measurement of one state to that of the next. States farther apart brake.
  double cycle = std::numeric_limits<double>::quiet_NaN();
  /// From the moment a state is handed over (at_once), or its cycle is over (end_of_cycle), until
  /// the drives have the command to brake. With at_once it holds the way to the guard, the
  /// computation and the way back.
  double communication = std::numeric_limits<double>::quiet_NaN();
  /// From that command until the brakes pull with brake_deceleration.
  double brake_reaction = std::numeric_limits<double>::quiet_NaN();
  MissingAnswer missing_answer_noticed = MissingAnswer::end_of_cycle;

  friend bool operator==(const BrakeDelays&, const BrakeDelays&) = default;
};

/// At least the latency of those parts: age + cycle + communication + brake_reaction, and one more
/// cycle with MissingAnswer::end_of_cycle. Derived in docs/theory/braking.md, 1. NaN, which guards
/// refuse, where the floating-point mode is wrong.
double latency_of(const BrakeDelays& delays) noexcept;
/// That sum in words: "age 0.001 s + 2 x cycle 0.002 s + ...".
std::string latency_rule(const BrakeDelays& delays);

/// How a robot stops (paper 1, (35) to (37)). Proofs: docs/theory/braking.md.
struct BrakeModel {
  /// Seconds from the measurement of a state that was answered by *go* until braking takes hold,
  /// should the answer to the next state be *brake*, or be missing: the age of the state, the cycle
  /// until the next one (and the cycle after which a missing answer is noticed), all communication,
  /// the reaction of the brakes. Must be given: a guard refuses the NaN that stands here until
  /// then.
  double latency = std::numeric_limits<double>::quiet_NaN();
  /// One for each number of a configuration, in the order of World::variables().
  std::vector<JointBrake> joints;
  /// What the latency is the sum of, where that is known: it must be latency_of() them then.
  std::optional<BrakeDelays> delays{};

  friend bool operator==(const BrakeModel&, const BrakeModel&) = default;
};

/// The same for every number.
BrakeModel uniform_brake(const World& world, double latency, const JointBrake& joint);
/// The same for every number, the latency from its parts. Throws Error (usage) for parts that make
/// no sense.
BrakeModel uniform_brake(const World& world, const BrakeDelays& delays, const JointBrake& joint);

/// Reads a brake file: {"delays": {...}, "default": {...}, "joints": {"name": {...}}}, or "latency"
/// in place of the delays, each joint with the members of JointBrake. Throws Error, naming file and
/// place.
BrakeModel read_brake(const World& world, const std::filesystem::path& file);

/// Why the latency does not hold states that come so far apart (seconds), and what to do; empty if
/// it does. With delays: they are farther apart than the cycle in them. Without: two cycles are
/// longer than the latency, so that braking takes hold too late where an answer is missing and this
/// shows at the end of its cycle.
std::string latency_warning(const BrakeModel& brake, double cycle);

}  // namespace keepclear
