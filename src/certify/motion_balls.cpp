// SPDX-License-Identifier: BSD-3-Clause
#include "certify/motion_balls.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "certify/motion_lanes.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::span_hi;

MotionBalls::BodyMetric metric_of(const Body& body) {
  const BodyTables& tables = body.tables();
  const Vec3 ends[2] = {tables.box.lo, tables.box.hi};
  Vec3 corners[8];
  for (int i = 0; i < 8; ++i) corners[i] = {ends[i & 1].x, ends[i / 2 & 1].y, ends[i / 4].z};
  MotionBalls::BodyMetric made{DisplacementMetric(corners), {}, 0, 0, 0};
  made.distortion.resize(tables.x.size());
  for (std::size_t i = 0; i < made.distortion.size(); ++i) {
    const std::size_t at = std::min(i, tables.count - 1);
    made.distortion[i] = made.metric.distortion_hi(tables.point(at));
    made.largest = std::max(made.largest, made.distortion[i]);
  }
  double spread2 = 0;
  for (int k = 0; k < 3; ++k) {
    spread2 += made.metric.moments()[k] * squared_norm(made.metric.axes()[k]);
  }
  made.spread_hi = inflate(std::sqrt(spread2), 32) + 0x1p-500;
  made.reach_hi = inflate(rounding::norm_hi(made.metric.barycentre()) + made.spread_hi, 2);
  return made;
}

/// The pose of a frame in another; both are in one pose of the world.
BoundedPose in_frame(const PosedWorld& at, int frame, int body_frame, int origin) noexcept {
  if (frame == origin) return at.frames[body_frame];
  const BoundedPose &X_OF = at.frames[frame], &X_OB = at.frames[body_frame];
  const double apart = rounding::norm_hi(X_OB.X.p - X_OF.X.p);
  return {rounding::relative_pose(X_OF.X, X_OB.X),
          rounding::relative(X_OF.error, X_OB.error, apart)};
}

}  // namespace

MotionBalls::MotionBalls(const WorldData& data)
    : data_(data),
      rest_(data.kinematics.variables().size()),
      radius_(static_cast<std::size_t>(data.kinematics.frame_count()) * data.bodies.size()),
      made_(radius_.size(), 0) {
  bodies_.reserve(data.bodies.size());
  for (const WorldBody& body : data.bodies) bodies_.push_back(metric_of(body.body));
}

void MotionBalls::begin(const MotionBounds& bounds, const PosedWorld& first,
                        const PosedWorld& middle, const PosedWorld& last) noexcept {
  bounds_ = &bounds;
  poses_[0] = &first, poses_[1] = &middle, poses_[2] = &last;
  ++part_;
  // The share of the way at which the middle is: where the number that moves most has it.
  std::size_t most = 0;
  double way = 0;
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    const double moved = std::fabs(last.q[i] - first.q[i]);
    if (moved > way) way = moved, most = i;
  }
  double share = 0.5;
  if (way > 0) share = (middle.q[most] - first.q[most]) / (last.q[most] - first.q[most]);
  // Any share will do; written so that what is not a number becomes one.
  share = std::min(std::max(0.0, share), 1.0);
  longer_ = rounding::up(std::max(share, 1 - share));
  for (std::size_t i = 0; i < rest_.size(); ++i) {
    const double difference = last.q[i] - first.q[i];
    const double line = first.q[i] + share * difference;
    const double size = std::fabs(first.q[i]) + std::fabs(difference) + std::fabs(middle.q[i]);
    rest_[i] = difference == 0 && middle.q[i] == first.q[i]
                   ? 0.0
                   : inflate(std::fabs(middle.q[i] - line) + gamma(8) * size, 4);
  }
}

double MotionBalls::radius_hi(int body, int frame) noexcept {
  const std::size_t at =
      static_cast<std::size_t>(frame) * bodies_.size() + static_cast<std::size_t>(body);
  if (made_[at] != part_) {
    made_[at] = part_;
    radius_[at] = computed_radius_hi(body, frame);
  }
  return radius_[at];
}

double MotionBalls::lever_hi(const BodyMetric& metric, int body_frame, int joint_frame, Vec3 centre,
                             const Vec3 axes[3]) const noexcept {
  const PosedWorld& at = *poses_[1];
  const FrameJoint& joint = data_.kinematics.joint(joint_frame);
  const BoundedPose& X = at.frames[joint_frame];
  const Vec3 arm = centre - X.X.p;
  const double far = span_hi(arm) + metric.spread_hi;
  // Images of features round as points do; joint and body are off by what their poses are.
  const double body_off = rounding::transform_error(
      at.frames[body_frame].error, span_hi(at.frames[body_frame].X.p), 0, metric.reach_hi);
  const double off = axis_off_hi(at, joint) * far + X.error.position + 2 * body_off;
  double square = 0;
  if (joint.type == JointType::floating) {
    square = squared_norm(arm) + metric.spread_hi * metric.spread_hi;
  } else {
    const Vec3 axis = X.X.R * joint.axis.a;
    square = squared_norm(cross(axis, arm));
    for (int k = 0; k < 3; ++k) {
      square += metric.metric.moments()[k] * squared_norm(cross(axis, axes[k]));
    }
  }
  return inflate(std::sqrt(square) + off, 48) + 0x1p-500;
}

double MotionBalls::computed_radius_hi(int body, int frame) const noexcept {
  const Kinematics& kinematics = data_.kinematics;
  const BodyMetric& metric = of(body);
  const int own = data_.bodies[static_cast<std::size_t>(body)].frame;
  if (own == frame) return 0;
  // How far it is at the ends.
  BoundedPose at[3];
  double off[3];
  for (int k = 0; k < 3; ++k) {
    at[k] = in_frame(*poses_[k], frame, own, data_.origin);
    off[k] = inflate(at[k].error.rotation * metric.reach_hi + at[k].error.position, 2);
  }
  double ends = 0;
  for (const int k : {0, 2}) {
    const double apart = metric.metric.distance_hi(affine(at[k].X), affine(at[1].X));
    ends = std::max(ends, inflate(apart + off[k] + off[1], 3));
  }
  // How far it may be out of the straight way between them, from the body upwards.
  const Pose& X = poses_[1]->frames[own].X;
  const Vec3 centre = X * metric.metric.barycentre();
  const Vec3 axes[3] = {X.R * metric.metric.axes()[0], X.R * metric.metric.axes()[1],
                        X.R * metric.metric.axes()[2]};
  double second = 0, moved = 0, beside = 0;
  for (int f = own; f != frame; f = kinematics.parent(f)) {
    const FrameJoint& joint = kinematics.joint(f);
    const JointStep& step = bounds_->step(f);
    double turn_rest = 0, slide_rest = 0;
    const double* rest = rest_.data() + joint.variable;
    switch (joint.type) {
      case JointType::revolute:
      case JointType::continuous:
        turn_rest = rest[0] * joint.gain_hi;
        break;
      case JointType::prismatic:
        slide_rest = rest[0] * joint.gain_hi;
        break;
      case JointType::planar:
        slide_rest = rest[0] + rest[1];
        turn_rest = rest[2];
        break;
      default:
        slide_rest = rest[0] + rest[1] + rest[2];
    }
    // What is behind the joint may be farther from its axis than in the middle by what it moves.
    const double lever = lever_hi(metric, own, f, centre, axes) + sum_hi(moved + beside);
    const auto times = [&](double by) { return by > 0 ? by * lever : 0; };
    const double turn = longer_ * step.turn;
    if (turn > 0) second += turn * (times(turn) + 2 * moved);
    moved += times(turn) + longer_ * step.slide;
    beside += times(step.turn_off + step.turn_tube + 2 * turn_rest) + step.slide_off +
              step.slide_tube + 2 * slide_rest;
  }
  const double radius = inflate(ends + sum_hi(0.125 * second + beside), 1);
  return radius < 1e100 ? radius : std::numeric_limits<double>::infinity();
}

std::vector<double> deviations_hi(const WorldData& data, const MotionBounds& bounds,
                                  const MotionBalls& balls, double deviation) {
  std::vector<double> off(data.bodies.size(), 0.0);
  for (std::size_t b = 0; b < data.bodies.size(); ++b) {
    const int solid = data.bodies[b].solid;
    if (!data.moves(solid)) continue;
    off[b] = inflate(deviation * balls.of(static_cast<int>(b)).largest, 1);
    const auto ball = static_cast<std::size_t>(bounds.ball_of_solid(solid));
    if (ball >= off.size()) off.resize(ball + 1, 0.0);
    off[ball] = std::max(off[ball], off[b]);
  }
  return off;
}

}  // namespace keepclear
