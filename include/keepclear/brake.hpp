// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <limits>
#include <vector>

#include "keepclear/world.hpp"

namespace keepclear {

/// What is known of how one number of a configuration moves and stops: radians or metres, and
/// seconds. Of the position of a planar or floating joint the numbers hold for the speed of all its
/// directions together, and of a quaternion for the angle that it turns by.
struct JointBrake {
  /// At most this does its velocity change by, a second, until braking takes hold.
  double max_acceleration = 0;
  /// At least this does braking slow it down, until it stands. Positive.
  double brake_deceleration = 0;
  /// At most this; where it is known, the braking motion can be followed in time.
  double brake_deceleration_most = std::numeric_limits<double>::infinity();
  /// What a measured position and velocity may be off by, either way.
  double position_uncertainty = 0, velocity_uncertainty = 0;
  /// With a command that is known: what the acceleration may be off it by, either way.
  double acceleration_uncertainty = 0;
  /// A measured velocity beyond this is not believed. Infinite: the limit of the URDF, where there
  /// is one, and velocity_uncertainty.
  double max_velocity = std::numeric_limits<double>::infinity();
  /// Mechanical stops stand at the limits of the joint: it goes no farther, whatever its speed.
  bool stops = false;

  friend bool operator==(const JointBrake&, const JointBrake&) = default;
};

/// How a robot stops (paper 1, (35) to (37)). Proofs: docs/theory/braking.md.
struct BrakeModel {
  /// Seconds from the measurement of a state until braking takes hold, should the answer to it be
  /// *brake*: the age of the state, a whole cycle (the next answer is as late as that; two cycles
  /// where a missing answer is noticed only when its cycle is over), all communication, the
  /// reaction of the brakes.
  double latency = 0;
  /// One for each number of a configuration, in the order of World::variables().
  std::vector<JointBrake> joints;

  friend bool operator==(const BrakeModel&, const BrakeModel&) = default;
};

/// The same for every number.
BrakeModel uniform_brake(const World& world, double latency, const JointBrake& joint);

/// Reads a brake file: {"latency": s, "default": {...}, "joints": {"name": {...}}}, each with the
/// members of JointBrake. Throws Error, naming file and place.
BrakeModel read_brake(const World& world, const std::filesystem::path& file);

}  // namespace keepclear
