// SPDX-License-Identifier: BSD-3-Clause
#include "sweep/stage.hpp"

#include <algorithm>
#include <cmath>

#include "rounding/infinity.hpp"
#include "rounding/rounding.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::norm_hi;

/// The ends of an interval, or its middle and a radius.
struct SlideCover {
  int count = 1;
  double at[2] = {0, 0};
  double half_hi = 0;  ///< what the points leave uncovered on each side
  double most = 0;     ///< the largest |value|
};

SlideCover cover_slide(Interval value, int points) noexcept {
  SlideCover cover;
  cover.count = points >= 2 ? 2 : 1;
  const auto [middle, half] = middle_of(value);
  if (!(half < kInfinity)) {
    cover.half_hi = kInfinity;
    return cover;
  }
  cover.most = std::max(std::fabs(value.lower), std::fabs(value.upper));
  if (cover.count == 1) {
    cover.at[0] = middle;
    cover.half_hi = half;
  } else {
    cover.at[0] = value.lower, cover.at[1] = value.upper;
  }
  return cover;
}

void set_turn(const Kinematics::Frame& frame, const ArcCover& arc, Stage& stage) noexcept {
  stage.count = arc.count;
  stage.axis = frame.joint.axis.a;
  // A lever is measured from the computed axis: from the real one it may be longer.
  stage.per_lever_hi = arc.slack_hi;
  double error = 0;
  for (int k = 0; k < arc.count; ++k) {
    stage.maps[k].M = frame.rotation.at(arc.c[k], arc.s[k]);
    error = std::max(error, frame.rotation.error_of_any(arc.c[k], arc.s[k]));
  }
  stage.per_reach_hi = inflate(error + arc.slack_hi * frame.joint.axis.error, 3);
  stage.size_hi = inflate(arc.size_hi + error, 2);
}

/// A rotation about a quaternion in a box: all of them are within `angle_hi` of the middle.
struct Turns {
  Mat3 R;
  double angle_hi = 0;
};

Turns turns_of(std::span<const Interval> numbers) noexcept {
  double q[4], squares = 0, from_zero = 0;
  for (int i = 0; i < 4; ++i) {
    const auto [middle, half] = middle_of(numbers[i]);
    q[i] = middle;
    squares += half * half;
    from_zero += middle * middle;
  }
  // A unit quaternion, to within 1e-6, no farther than h from the middle m has a sine of at most
  // h / (1 - 1e-6) to it, and turns by twice that angle.
  const double sine = inflate(std::sqrt(squares), 12) * (1 + 2e-6);
  if (!(sine < 1) || !(from_zero > 1e-6)) return {Mat3{}, 4};
  // asin is taken to be right to a few units in the last place, as the other functions are.
  return {rounding::rotation_from_any_quaternion(q[0], q[1], q[2], q[3]),
          2 * std::asin(sine) * (1 + 16 * rounding::kU) + 0x1p-1000};
}

void set_floating(const Kinematics::Frame& frame, std::span<const Interval> numbers,
                  JointOperator op, Stage& stage) noexcept {
  const Turns turns = turns_of(numbers.subspan(3, 4));
  const RotationCover cover = cover_rotations(turns.angle_hi, op.turn > 1);
  SlideCover slides[3];
  double most = 0;
  for (int i = 0; i < 3; ++i) {
    slides[i] = cover_slide(numbers[i], op.slide);
    most += slides[i].most;
  }
  // Squares of tiny halves would be lost; norm_hi knows that.
  const double half_hi = norm_hi({slides[0].half_hi, slides[1].half_hi, slides[2].half_hi});
  const Mat3 R = frame.X_PJ.X.R * turns.R;
  constexpr Vec3 kAxes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  stage.count = 0;
  for (int turn = 0; turn < cover.count; ++turn) {
    const Vec3 w = (turn % 2 == 0 ? cover.turn : -cover.turn) * kAxes[turn / 2];
    // R (scale I + [w]x): its rows are those of R, scaled, and their cross products with w.
    const auto row = [&](Vec3 r) { return cover.scale * r + cross(r, w); };
    const Mat3 M{row(R.row0), row(R.row1), row(R.row2)};
    for (int corner = 0; corner < slides[0].count * slides[1].count * slides[2].count; ++corner) {
      const int bits = op.slide >= 2 ? corner : 0;
      const Vec3 p{slides[0].at[bits & 1], slides[1].at[(bits >> 1) & 1],
                   slides[2].at[(bits >> 2) & 1]};
      stage.maps[stage.count++] = {M, frame.X_PJ.X * p};
    }
  }
  stage.about_centre = true;
  stage.per_lever_hi = inflate(cover.slack_hi * (1 + 1e-14), 1);
  const double rotation = frame.X_PJ.error.rotation + rounding::kQuaternionError + gamma(32);
  stage.per_reach_hi = inflate(4 * cover.size_hi * rotation, 6);
  stage.size_hi = inflate(cover.size_hi * (1 + 4 * rotation), 4);
  stage.fixed_hi = inflate(half_hi + frame.X_PJ.error.position +
                               (frame.X_PJ.error.rotation + gamma(16)) * (most + frame.p_hi),
                           12);
}

void finish(Stage& stage) noexcept {
  stage.t_hi = 0;
  for (int k = 0; k < stage.count; ++k) {
    stage.t_hi = std::max(stage.t_hi, norm_hi(stage.maps[k].t));
  }
}

void set_hinge(const Kinematics::Frame& frame, const ArcCover& arc, Stage& stage) noexcept {
  set_turn(frame, arc, stage);
  for (int k = 0; k < stage.count; ++k) stage.maps[k].t = frame.X_PJ.X.p;
  stage.fixed_hi = frame.X_PJ.error.position;
}

void set_slide(const Kinematics::Frame& frame, const SlideCover& cover, Stage& stage) noexcept {
  stage.count = cover.count;
  for (int k = 0; k < cover.count; ++k) {
    stage.maps[k] = {frame.X_PJ.X.R, frame.slide[0].at(cover.at[k])};
  }
  stage.per_reach_hi = frame.X_PJ.error.rotation;
  stage.size_hi = inflate(1 + frame.X_PJ.error.rotation, 1);
  stage.fixed_hi = inflate(cover.half_hi + frame.slide[0].error(cover.most), 2);
}

}  // namespace

double Stage::growth_hi(double lever_hi, double reach_hi) const noexcept {
  // Applying a map: four roundings on a coordinate, as in rotate_error, and those of t.
  const double applying = gamma(6) * (rounding::kSqrt3Hi * size_hi * reach_hi + t_hi) + 0x1p-1000;
  return inflate(per_lever_hi * lever_hi + per_reach_hi * reach_hi + fixed_hi + applying, 16);
}

double lever_hi(const Stage& stage, Vec3 p) noexcept {
  if (stage.about_centre) return norm_hi(p);
  // A cross product with a unit vector: two roundings on each coordinate, at most 2 |p|.
  return inflate(norm_hi(cross(stage.axis, p)) + gamma(4) * (2 * norm_hi(p)), 4);
}

int map_count(JointType type, JointOperator op) noexcept {
  const int turn = std::clamp(op.turn, 1, kMaxArcPoints), slide = op.slide >= 2 ? 2 : 1;
  switch (type) {
    case JointType::revolute:
    case JointType::continuous:
      return turn;
    case JointType::prismatic:
      return slide;
    case JointType::planar:
      return turn * slide * slide;
    case JointType::floating:
      return (turn > 1 ? 6 : 1) * slide * slide * slide;
    case JointType::fixed:
      break;
  }
  return 1;
}

Interval joint_interval(const Kinematics::Frame& frame, std::span<const Interval> box) noexcept {
  Interval value = box[frame.variable];
  for (const auto& [multiplier, offset] : frame.mimic) {
    if (multiplier == 0) {
      value = {offset, offset};
      continue;
    }
    const double first = multiplier * (multiplier > 0 ? value.lower : value.upper);
    const double second = multiplier * (multiplier > 0 ? value.upper : value.lower);
    value = {rounding::down(rounding::down(first) + offset),
             rounding::up(rounding::up(second) + offset)};
    // Infinity less its own rounding is no number.
    if (!(value.lower >= -1e300)) value.lower = -kInfinity;
    if (!(value.upper <= 1e300)) value.upper = kInfinity;
  }
  return value;
}

void make_stage(const Kinematics& kinematics, int f, std::span<const Interval> box,
                JointOperator op, Stage& stage) noexcept {
  const Kinematics::Frame& frame = kinematics.frame(f);
  stage.about_centre = false;
  stage.per_lever_hi = stage.per_reach_hi = stage.fixed_hi = 0;
  stage.size_hi = 1;
  switch (frame.type) {
    case JointType::revolute:
    case JointType::continuous:
      set_hinge(frame, cover_arc(joint_interval(frame, box), op.turn), stage);
      break;
    case JointType::prismatic:
      set_slide(frame, cover_slide(joint_interval(frame, box), op.slide), stage);
      break;
    case JointType::planar: {
      const SlideCover x = cover_slide(box[frame.variable], op.slide);
      const SlideCover y = cover_slide(box[frame.variable + 1], op.slide);
      set_turn(frame, cover_arc(box[frame.variable + 2], op.turn), stage);
      const int turns = stage.count;
      stage.count = turns * x.count * y.count;
      for (int k = stage.count - 1; k >= 0; --k) {
        const int turn = k % turns, corner = k / turns;
        const Vec3 t =
            frame.slide[0].at(x.at[corner % x.count]) + frame.slide[1].at(y.at[corner / x.count]);
        stage.maps[k] = {stage.maps[turn].M, t};
      }
      const double half_hi = norm_hi({x.half_hi, y.half_hi, 0});
      // The real directions are as far from the computed ones as `error` says, the way along them
      // included; adding the two rounds once more.
      const double error = frame.slide[0].error(x.most) + frame.slide[1].error(y.most);
      stage.fixed_hi = inflate(half_hi + error + gamma(4) * (x.most + y.most + frame.p_hi) * 2, 12);
      break;
    }
    case JointType::floating:
      set_floating(frame, box.subspan(static_cast<std::size_t>(frame.variable), 7), op, stage);
      break;
    case JointType::fixed:
      make_still_stage(frame.X_PJ, stage);
      return;
  }
  finish(stage);
}

void make_still_stage(const BoundedPose& X, Stage& stage) noexcept {
  stage.count = 1;
  stage.maps[0] = {X.X.R, X.X.p};
  stage.about_centre = false;
  stage.per_lever_hi = 0;
  stage.per_reach_hi = X.error.rotation;
  stage.size_hi = inflate(1 + X.error.rotation, 1);
  stage.fixed_hi = X.error.position;
  finish(stage);
}

void make_even_stage(const Kinematics& kinematics, int f, std::span<const Interval> box,
                     Stage& stage) noexcept {
  const Kinematics::Frame& frame = kinematics.frame(f);
  const Interval value = joint_interval(frame, box);
  // The image of the number's interval is wider than the real one by its rounding, so that shares
  // of it are off by as much: a few units in the last place of the largest value on the way.
  bool backwards = false;
  double off_hi = 0;
  if (!frame.mimic.empty()) {
    const Interval number = box[frame.variable];
    double q = std::max(std::fabs(number.lower), std::fabs(number.upper)), error = 0;
    for (const auto& [multiplier, offset] : frame.mimic) {
      // One that does not follow at all does not follow to infinity either.
      error = multiplier == 0 ? 0 : rounding::mimic_error(multiplier, offset, q, error);
      q = multiplier == 0 ? std::fabs(offset) : std::fabs(multiplier) * q + std::fabs(offset);
      backwards = backwards != (multiplier < 0);
    }
    off_hi = inflate(16 * error + 16 * rounding::kU * q, 6);
  }
  if (frame.type == JointType::prismatic) {
    make_stage(kinematics, f, box, {1, 2}, stage);
    stage.fixed_hi = inflate(stage.fixed_hi + off_hi, 1);
  } else {
    stage.about_centre = false;
    set_hinge(frame, cover_arc_evenly(value, off_hi), stage);
    finish(stage);
  }
  // The first map belongs to the lower end of the number's own interval.
  if (backwards) std::swap(stage.maps[0], stage.maps[1]);
}

}  // namespace keepclear
