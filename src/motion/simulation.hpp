// SPDX-License-Identifier: BSD-3-Clause
//
// Joints that move as a brake model allows, for experiments and campaigns: everything that they do
// lies inside what Braking promises a box for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "keepclear/box.hpp"
#include "keepclear/brake.hpp"

namespace keepclear {

/// What joints do where the brake model leaves them a choice.
enum class Behaviour : std::uint8_t {
  exact,   ///< keep the commanded acceleration in the latency, brake with the least deceleration
  worst,   ///< speed up as much as they may in the latency, brake with the least deceleration
  random,  ///< anything: each joint and moment differ, braking takes hold early, measurements are
           ///< off
};

/// Hinges and slides, and the angle of planar joints; what else planar and floating joints have
/// stands still where it was set. Moves by pieces of constant acceleration, integrated in closed
/// form: a joint that comes to rest within a step stands from that moment on.
class JointSimulation {
 public:
  /// The model has one entry for each number (uniform_brake, read_brake).
  JointSimulation(const World& world, const BrakeModel& model, Behaviour behaviour,
                  std::uint64_t seed);

  /// True positions and velocities from now on; not braking, accelerations zero.
  void set(std::span<const double> q, std::span<const double> v);
  /// Of Behaviour::worst: which way each joint speeds up in the latency, by signs; zero, and no
  /// call at all, mean the way that it moves.
  void push(std::span<const double> signs);
  /// The controller vouches for its commands: in the latency the acceleration is the command, give
  /// or take acceleration_uncertainty, instead of anything up to max_acceleration.
  void keep_commands(bool keep) { keeps_commands_ = keep; }

  /// Commands accelerations, held until the next call, that bring the joints nearer to these
  /// velocities in dt seconds: up to max_acceleration and max_velocity, and such that no joint runs
  /// past its limits. Lets go of braking.
  void drive(std::span<const double> velocities, double dt);
  /// The same with accelerations as they are, cut to max_acceleration.
  void accelerate(std::span<const double> accelerations);

  /// The answer *brake*, now: it takes hold within that many seconds. Of a guard with cycles of c
  /// seconds that said *go* to the state before this one, they are the latency less c; measured
  /// from the state that the box is of, the latency, which is what stands for a negative number.
  void brake(double within = -1);
  bool braking() const { return braking_; }

  /// Moves on by dt seconds. Any number of small steps do what one does.
  void advance(double dt);
  double time() const { return time_; }  ///< seconds since construction
  /// All velocities are zero, and braking has taken hold everywhere.
  bool standing() const;

  std::span<const double> q() const { return q_; }
  std::span<const double> v() const { return v_; }
  /// The accelerations that were commanded last.
  std::span<const double> command() const { return command_; }
  /// Measures anew, within the uncertainties; measured_q and measured_v stay until the next call.
  void measure();
  std::span<const double> measured_q() const { return measured_q_; }
  std::span<const double> measured_v() const { return measured_v_; }

 private:
  struct Piece {
    double acceleration = 0;    ///< while braking: the deceleration
    double left = 0;            ///< seconds of this piece
    double until_braking = -1;  ///< seconds; braking once it is not above zero
  };

  double uniform(std::size_t i, double lower, double upper);
  double latency_acceleration(std::size_t i);
  void next_piece(std::size_t i);
  void move(std::size_t i, double dt);

  BrakeModel model_;
  Behaviour behaviour_;
  std::vector<std::uint64_t> random_;  ///< of each joint: steps of any size draw the same
  std::vector<Interval> limits_;
  std::vector<char> moves_;
  std::vector<double> q_, v_, measured_q_, measured_v_, command_, signs_;
  std::vector<Piece> pieces_;
  bool braking_ = false, keeps_commands_ = false;
  double time_ = 0;
};

}  // namespace keepclear
