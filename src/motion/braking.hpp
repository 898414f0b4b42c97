// SPDX-License-Identifier: BSD-3-Clause
//
// Where the joints can be while a robot brakes: a brake model made ready for a control loop.
// Everything is rounded outwards. docs/theory/braking.md has the proofs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "keepclear/box.hpp"
#include "keepclear/brake.hpp"

namespace keepclear {

/// A measured state; World::dof() numbers each.
struct JointState {
  std::span<const double> q, v;  ///< v: how fast each number of q changes
  /// The acceleration of each number until braking takes hold, where the controller vouches for it;
  /// empty: unknown, up to max_acceleration either way.
  std::span<const double> command{};
};

inline constexpr Interval kWholeBraking{0, std::numeric_limits<double>::infinity()};

class Braking {
 public:
  /// Throws Error (usage) for a model of the wrong size, or with numbers that make no sense.
  Braking(const World& world, const BrakeModel& model);

  /// Every configuration that the robot can be in at any time of `time` (seconds after the
  /// measurement), if braking takes hold after the latency at the latest. `out` has World::dof()
  /// places. False, and nothing promised, for a state of the wrong size or one that is not finite.
  /// Does not allocate, and does the same work for any state.
  bool box(const JointState& state, Interval time, std::span<Interval> out) const noexcept;

  /// At least when the last joint stands.
  double stop_time_hi(const JointState& state) const noexcept;

  /// The box of the whole braking motion, made larger for a robot that first slows each joint to at
  /// most `scale` times the speed that it has when braking takes hold, by braking, then goes on so
  /// for up to `horizon` seconds, and brakes then: scale * speed * horizon more, the way that it
  /// moves. `box` is overwritten; by everything, if the state has none or the numbers make no
  /// sense. No more work than box().
  void extend(const JointState& state, double scale, double horizon,
              std::span<Interval> box) const noexcept;

  /// Whether a robot that was measured as `from` can be measured as `to` after dt seconds (more
  /// than none), whether it braked or not: positions and velocities, to within the uncertainties.
  bool reachable(const JointState& from, const JointState& to, double dt) const noexcept;

  /// Floating-point operations of box(), at most.
  std::uint64_t box_flops() const noexcept { return box_flops_; }
  const BrakeModel& model() const noexcept { return model_; }

 private:
  /// What is bounded together: one number; or the three of a planar or the seven of a floating
  /// joint, whose directions mix as it turns.
  struct Part {
    enum class Kind : std::uint8_t { single, planar, floating };
    Kind kind = Kind::single;
    std::size_t first = 0;
    JointBrake way, turn;  ///< of a planar or floating joint: its speed, its turning
  };

  bool understands(const JointState& state) const noexcept;
  void fill(const JointState& state, Interval time, double extra,
            std::span<Interval> out) const noexcept;
  Interval single(const JointState& state, std::size_t i, Interval time,
                  double extra) const noexcept;
  void planar(const Part& part, const JointState& state, Interval time, double extra,
              std::span<Interval> out) const noexcept;
  void floating(const Part& part, const JointState& state, Interval time, double extra,
                std::span<Interval> out) const noexcept;

  BrakeModel model_;
  std::vector<Interval> limits_;  ///< of each number; without stops, everything
  std::vector<Part> parts_;
  std::uint64_t box_flops_ = 0;
};

}  // namespace keepclear
