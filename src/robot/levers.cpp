// SPDX-License-Identifier: BSD-3-Clause
#include "robot/levers.hpp"

#include <algorithm>
#include <cmath>

namespace keepclear {
namespace {

using rounding::inflate;

/// Of a number of a configuration that moves no body: beyond 1e8 it is looked at more closely.
constexpr double kIdleWeight = 1e-8;

/// The axis of a hinge in the world, and what it may be off by.
struct Axis {
  Vec3 direction, place;
  double turned_hi = 0, moved_hi = 0;
};

/// At least the distance of any point of the body from the axis. Distance from a line is convex:
/// the ends of the capsule are farthest.
double lever_hi(const Axis& axis, const LeverBody& body) {
  const Vec3 arm_a = body.a - axis.place, arm_b = body.b - axis.place;
  const double arm2 = std::max(squared_norm(arm_a), squared_norm(arm_b));
  const double away2 = std::max(squared_norm(cross(axis.direction, arm_a)),
                                squared_norm(cross(axis.direction, arm_b)));
  // |direction x arm| is the distance from the computed axis, up to how far that is turned and
  // moved from the real one. Squares round a few times, and underflow by less than the last term.
  const double off_hi = axis.turned_hi * std::sqrt(arm2) + axis.moved_hi;
  return inflate(std::sqrt(away2) + off_hi + body.radius_hi, 32) + 0x1p-500;
}

}  // namespace

Levers::Levers(const Kinematics& kinematics, std::size_t max_bodies)
    : kinematics_(kinematics),
      anchor_(kinematics.variables().size()),
      weight_(anchor_.size()),
      speed_weight_(anchor_.size()) {
  const auto frames = static_cast<std::size_t>(kinematics.frame_count());
  rows_.resize(frames);
  // A body has a lever to each joint above it.
  std::size_t depth = 0;
  std::vector<std::size_t> above(frames, 0);
  for (std::size_t f = 1; f < frames; ++f) {
    above[f] = above[kinematics.parent(static_cast<int>(f))] + 1;
    depth = std::max(depth, above[f]);
  }
  // At each depth the joints share the bodies among them; a joint may begin and end within a block.
  levers_.resize(depth * max_bodies + 2 * kBlockOfBodies * frames);
}

void Levers::anchor(std::span<const double> q, std::span<const BoundedPose> frames,
                    std::span<const LeverBody> bodies, double allowance) noexcept {
  std::copy(q.begin(), q.end(), anchor_.begin());
  allowance_ = allowance;
  row_count_ = 0;
  places_ = (bodies.size() + kBlockOfBodies - 1) / kBlockOfBodies * kBlockOfBodies;
  std::size_t used = 0;
  std::size_t begin = 0;
  for (int f = 1; f < kinematics_.frame_count(); ++f) {
    while (begin < bodies.size() && bodies[begin].frame < f) ++begin;
    std::size_t end = begin;
    while (end < bodies.size() && bodies[end].frame <= kinematics_.last_below(f)) ++end;
    if (begin == end) continue;
    const FrameJoint& joint = kinematics_.joint(f);
    Row& row = rows_[row_count_++];
    const std::size_t first = begin / kBlockOfBodies * kBlockOfBodies;
    const std::size_t last = (end + kBlockOfBodies - 1) / kBlockOfBodies * kBlockOfBodies;
    row = {joint.variable, 1, joint.gain_hi, false, first, last - first, used};
    std::fill_n(levers_.begin() + static_cast<std::ptrdiff_t>(used), row.count, 0.0);
    const BoundedPose& X_WF = frames[f];
    const Axis axis{X_WF.X.R * joint.axis.a, X_WF.X.p,
                    inflate(X_WF.error.rotation + joint.axis.error + rounding::gamma(32), 8),
                    X_WF.error.position};
    for (std::size_t b = begin; b < end; ++b) {
      double lever = 0;
      switch (joint.type) {
        case JointType::revolute:
        case JointType::continuous:
          // Joints between may bring the body farther from the axis, by no more than it moves.
          lever = lever_hi(axis, bodies[b]);
          if (bodies[b].frame != f) lever = inflate(lever + allowance, 2);
          break;
        case JointType::prismatic:
          lever = 1 + 0x1p-40;  // the axis is of length one to a few roundings
          break;
        default:
          row.other = true;
          row.width = joint.type == JointType::planar ? 3 : 7;
      }
      levers_[used + (b - first)] = lever;
    }
    used += row.count;
  }
}

bool Levers::displacement(std::span<const double> from, std::span<const double> q,
                          std::span<double> displacement) const noexcept {
  double* const out = displacement.data();
  std::fill_n(out, places_, 0.0);
  for (std::size_t r = 0; r < row_count_; ++r) {
    const Row& row = rows_[r];
    if (row.other) {
      for (int k = 0; k < row.width; ++k) {
        if (!(q[row.variable + k] == from[row.variable + k])) return false;
      }
      continue;
    }
    const double d = q[row.variable] - from[row.variable];
    if (d == 0) continue;
    const double moved_hi = inflate(std::fabs(d) * row.gain_hi, 2);
    const double* lever = levers_.data() + row.lever;
    double* sum = out + row.first;
    for (std::size_t b = 0; b < row.count; b += kBlockOfBodies) {
      for (std::size_t k = 0; k < kBlockOfBodies; ++k) sum[b + k] += moved_hi * lever[b + k];
    }
  }
  // A sum of n products rounds 2 n times at most.
  const double rounding_hi = 1 + rounding::gamma(4) * static_cast<double>(row_count_ + 2);
  int beyond = 0;
  for (std::size_t b = 0; b < places_; ++b) {
    out[b] *= rounding_hi;
    beyond |= static_cast<int>(!(out[b] <= allowance_));  // a NaN is beyond
  }
  return beyond == 0;
}

double Levers::nearer_hi(int a, int b, std::span<const double> q) const noexcept {
  double sum = 0;
  for (std::size_t r = 0; r < row_count_; ++r) {
    const Row& row = rows_[r];
    const double d = q[row.variable] - anchor_[row.variable];
    if (row.other || d == 0) continue;  // what else has moved was not vouched for
    const double lever_a = lever_of(row, a), lever_b = lever_of(row, b);
    if (lever_a > 0 && lever_b > 0) continue;
    sum += inflate(std::fabs(d) * row.gain_hi, 2) * (lever_a + lever_b);
  }
  return sum * (1 + rounding::gamma(4) * static_cast<double>(row_count_ + 2));
}

void Levers::condense(std::span<const double> slack, std::span<const PairSlack> pairs) noexcept {
  // Of a number that moves no body any value will do, unless it is no position at all.
  std::fill(weight_.begin(), weight_.end(), kIdleWeight);
  std::fill(speed_weight_.begin(), speed_weight_.end(), 0.0);
  has_other_ = false;
  for (std::size_t r = 0; r < row_count_; ++r) {
    const Row& row = rows_[r];
    has_other_ = has_other_ || row.other;
    const double* lever = levers_.data() + row.lever;
    double most = 0, most_speed = 0;
    const std::size_t last = std::min(row.first + row.count, slack.size());
    for (std::size_t b = row.first; b < last; ++b) {
      most = std::max(most, lever[b - row.first] / std::clamp(slack[b], 0.0, allowance_));
    }
    most_speed = most;
    for (const PairSlack& pair : pairs) {
      const double a = lever_of(row, pair.a), b = lever_of(row, pair.b);
      // A joint above both moves both alike.
      const double apart = a > 0 && b > 0 ? 0 : a + b;
      const double left = std::max(pair.slack, 0.0);
      most = std::max(most, apart / left);
      most_speed = std::max(most_speed, (a + b) / left);
    }
    weight_[row.variable] = inflate(weight_[row.variable] + most * row.gain_hi, 8);
    speed_weight_[row.variable] =
        inflate(speed_weight_[row.variable] + most_speed * row.gain_hi, 8);
  }
}

bool Levers::surely_within(std::span<const double> last, std::span<const double> q,
                           double rate) const noexcept {
  if (has_other_) return false;
  double sum = 0;
  if (rate > 0) {
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      sum += std::fabs(q[i] - anchor_[i]) * weight_[i] +
             std::fabs(q[i] - last[i]) * speed_weight_[i] * rate;
    }
  } else {
    for (std::size_t i = 0; i < weight_.size(); ++i) {
      sum += std::fabs(q[i] - anchor_[i]) * weight_[i];
    }
  }
  // Differences, products and the sum round n + 4 times for n numbers, by 2^-53 of it each: below a
  // millionth for any n under 9e9, and a configuration has fewer than 7 kMaxLinks of them.
  return sum < 1 - 1e-6;
}

}  // namespace keepclear
