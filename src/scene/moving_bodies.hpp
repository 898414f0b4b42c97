// SPDX-License-Identifier: BSD-3-Clause
//
// Where the bodies of links are in a pose, a ball around each, and how far each has travelled since
// anything was proved of it.
#pragma once

#include <span>
#include <vector>

#include "scene/world.hpp"

namespace keepclear {

struct BodyState {
  Vec3 centre;           ///< of a ball around the body, in the origin's frame
  double ball_hi = 0;    ///< at least its radius, with what the computed centre may be off by
  double travel_hi = 0;  ///< at least how far any point of the body has moved
  double error_hi = 0;   ///< how far the computed place of any point of it may be from the real one
};

class MovingBodies {
 public:
  /// `bodies` are those that count, indices into data.bodies. `data` must outlive this.
  MovingBodies(const WorldData& data, std::vector<int> bodies);

  /// Moves everything to q. False when q is no configuration.
  bool update(std::span<const double> q) noexcept;
  /// Travel starts at zero: what was proved before is void.
  void forget() noexcept;

  const BodyState& state(int body) const noexcept { return states_[body]; }
  std::span<const int> bodies() const noexcept { return bodies_; }
  /// In the frame of data.origin.
  const BoundedPose& frame(int f) const noexcept { return frames_[f]; }
  /// At least the distance of any two frames that carry a body, metres.
  double apart_hi() const noexcept { return apart_hi_; }
  /// Of the relative pose of any two such frames.
  rounding::PoseError relative_error() const noexcept { return relative_error_; }
  /// The pose of frame `f` in the root's frame at q; not a number when q is no configuration.
  Pose root_pose(std::span<const double> q, int f) noexcept;

 private:
  const WorldData& data_;
  std::vector<int> bodies_;
  std::vector<char> used_frames_;
  std::vector<BoundedPose> frames_, last_frames_;
  std::vector<double> turned_hi_;
  std::vector<BodyState> states_;
  double apart_hi_ = 0;
  rounding::PoseError relative_error_;
  bool has_last_ = false;
};

}  // namespace keepclear
