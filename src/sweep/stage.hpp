// SPDX-License-Identifier: BSD-3-Clause
//
// One joint of a swept chain: what it does to a point while its numbers range over a box, as a few
// affine maps and a radius. Whatever a volume V(r; P) covers behind the joint is in
//     V(r + growth(P); maps applied to P)
// before it. All operators of paper 1, III-F and G, for joints of a tree are of this form.
// docs/theory/sweep.md has the proof.
#pragma once

#include <span>

#include "keepclear/sweep.hpp"
#include "robot/kinematics.hpp"
#include "sweep/cover.hpp"

namespace keepclear {

struct AffineMap {
  Mat3 M;
  Vec3 t;

  friend constexpr Vec3 operator*(const AffineMap& map, Vec3 p) { return map.M * p + map.t; }
};

inline constexpr int kMaxMaps = 48;

struct Stage {
  int count = 1;
  AffineMap maps[kMaxMaps];
  /// What the lever of a point is: its distance from the line through the origin along `axis`, or,
  /// about_centre, from the origin itself.
  Vec3 axis{1, 0, 0};
  bool about_centre = false;
  double per_lever_hi = 0;  ///< metres per metre of the longest lever
  double per_reach_hi = 0;  ///< metres per metre of the largest |p|: rounding of the maps
  double fixed_hi = 0;      ///< metres
  double size_hi = 1;       ///< at least the norm of each M, and one
  double t_hi = 0;          ///< at least the largest |t|

  /// At least the growth of the radius, given at least the longest lever and the largest |p|. The
  /// rounding of applying a map to a point is inside.
  double growth_hi(double lever_hi, double reach_hi) const noexcept;
};

/// At least the lever of p.
double lever_hi(const Stage& stage, Vec3 p) noexcept;

/// The number of maps of a joint under an operator.
int map_count(JointType type, JointOperator op) noexcept;

/// The interval of a joint's own value: that of its number, or the image of its master's, rounded
/// outwards. For hinges and slides.
Interval joint_interval(const Kinematics::Frame& frame, std::span<const Interval> box) noexcept;

/// The joint of frame `f`, from the frame to its parent, over `box`, an interval for each number of
/// a configuration. map_count() maps, always in the same order. Does not allocate.
void make_stage(const Kinematics& kinematics, int f, std::span<const Interval> box,
                JointOperator op, Stage& stage) noexcept;

/// Something that stands still, at a pose with an error.
void make_still_stage(const BoundedPose& X, Stage& stage) noexcept;

/// A hinge or slide of several that follow one number, for sweeping them together: two maps, of
/// which the image of a point at the share s of the number's interval is near the same share of the
/// way from the first to the second.
void make_even_stage(const Kinematics& kinematics, int f, std::span<const Interval> box,
                     Stage& stage) noexcept;

}  // namespace keepclear
