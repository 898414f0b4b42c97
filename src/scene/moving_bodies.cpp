// SPDX-License-Identifier: BSD-3-Clause
#include "scene/moving_bodies.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "shape/support_table.hpp"

namespace keepclear {

using rounding::inflate;
using rounding::norm_hi;

MovingBodies::MovingBodies(const WorldData& data, std::vector<int> bodies)
    : data_(data),
      bodies_(std::move(bodies)),
      used_frames_(data.kinematics.frame_count(), 0),
      frames_(data.kinematics.frame_count()),
      last_frames_(data.kinematics.frame_count()),
      turned_hi_(data.kinematics.frame_count()),
      states_(data.bodies.size()) {
  for (const int b : bodies_) used_frames_[data.bodies[b].frame] = 1;
}

bool MovingBodies::update(std::span<const double> q) noexcept {
  std::swap(frames_, last_frames_);
  if (!data_.kinematics.forward(q, data_.origin, frames_)) {
    forget();
    return false;
  }
  // One bound for the relative poses of all pairs: the largest errors, the farthest frames.
  rounding::PoseError largest;
  double far_hi = 0;
  for (std::size_t f = 0; f < frames_.size(); ++f) {
    if (used_frames_[f] == 0) continue;
    largest.rotation = std::max(largest.rotation, frames_[f].error.rotation);
    largest.position = std::max(largest.position, frames_[f].error.position);
    far_hi = std::max(far_hi, rounding::span_hi(frames_[f].X.p));
  }
  apart_hi_ = inflate(2 * far_hi * (1 + largest.rotation), 6);
  relative_error_ = rounding::relative(largest, largest, apart_hi_);
  if (has_last_) {
    for (std::size_t f = 0; f < frames_.size(); ++f) {
      if (used_frames_[f] == 0) continue;
      turned_hi_[f] = rounding::turn_hi(frames_[f].X.R, last_frames_[f].X.R);
    }
  }
  for (const int b : bodies_) {
    const BodyTables& tables = data_.bodies[b].body.tables();
    const int f = data_.bodies[b].frame;
    const BoundedPose& X_OF = frames_[f];
    BodyState& state = states_[b];
    const Vec3 centre = X_OF.X * tables.centre;
    // Any point of the body is off by this at most, its computed centre included.
    const double error_hi =
        rounding::transform_error(X_OF.error, rounding::span_hi(X_OF.X.p), 0, tables.reach_hi);
    state.ball_hi = inflate(tables.bounding_radius_hi * (1 + X_OF.error.rotation) + error_hi, 4);
    if (has_last_) {
      // x moves by R x + p - (S x + o): the centre's way, and the turn about the centre; the
      // real poses are off by the error now and before.
      const double way = norm_hi(centre - state.centre) +
                         turned_hi_[f] * tables.bounding_radius_hi + 2 * error_hi +
                         2 * state.error_hi;
      state.travel_hi = inflate(state.travel_hi + way, 10);
    }
    state.centre = centre;
    state.error_hi = error_hi;
  }
  has_last_ = true;
  return true;
}

void MovingBodies::forget() noexcept {
  has_last_ = false;
  for (BodyState& state : states_) state.travel_hi = 0;
}

Pose MovingBodies::root_pose(std::span<const double> q, int f) noexcept {
  if (f == 0) return {};
  std::vector<BoundedPose>& poses = last_frames_;  // overwritten by the next update anyway
  constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  return data_.kinematics.forward(q, 0, poses) ? poses[f].X : Pose{{}, {kNone, kNone, kNone}};
}

}  // namespace keepclear
