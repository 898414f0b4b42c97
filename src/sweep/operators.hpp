// SPDX-License-Identifier: BSD-3-Clause
//
// Sweeps of motions that no joint of a URDF makes (paper 1, III-G), on explicit volumes: a volume
// V(radius; points) goes in, and what it covers on the way is in V(returned radius; out). Every
// point becomes a fixed number of points, which stand together in `out`, in the order of the
// points. Rounding is inside the returned radius. Nothing is allocated. A motion that is not
// finite, or none of the kind, has an infinite radius. Proofs: docs/theory/sweep.md.
#pragma once

#include <limits>
#include <span>

#include "sweep/stage.hpp"

namespace keepclear {

struct PointVolume {
  std::span<const Vec3> points;
  double radius = 0;
};

/// Any stage; `out` has points * stage.count places.
double sweep_stage(const Stage& stage, PointVolume volume, std::span<Vec3> out) noexcept;

/// Turning about an axis through the origin, and sliding along it, each within its own interval:
/// op.turn * op.slide maps.
void make_cylindrical_stage(Vec3 axis, Interval turn, Interval slide, JointOperator op,
                            Stage& stage) noexcept;

/// A ball joint in the origin: the real rotation that R stands for, after or before one by at most
/// `angle_hi` about any axis.
struct BallMotion {
  Mat3 R;
  double error = 0;  ///< at least the spectral norm of R less that rotation
  double angle_hi = 0;
};
/// Covers the patch of a sphere that a point can reach: by one point for each, or by `count` of
/// them, three or more. `out` has points * count places.
double sweep_ball(const BallMotion& motion, int count, PointVolume volume,
                  std::span<Vec3> out) noexcept;

/// A mobile base in its plane z = 0 that drives with a constant velocity, in its own frame, through
/// the interval of time. Points are in that frame, and come out in the frame that it is at time 0.
/// omega may be anything, zero included.
struct BaseMotion {
  double vx = 0, vy = 0;  ///< metres a second
  double omega = 0;       ///< radians a second
  Interval time;          ///< seconds
};
/// `count` as for hinges: 1 and 2 points with a radius, or S + 2. `out` has points * count places.
double sweep_base(const BaseMotion& motion, int count, PointVolume volume,
                  std::span<Vec3> out) noexcept;

/// Control displacements of a motion, at most.
inline constexpr int kMaxBezierControls = 16;

/// A point p goes to the mixture of control[i] * p by Bernstein's polynomials in t, each times its
/// weight, for t in a part of [0, 1].
struct BezierMotion {
  std::span<const AffineMap> control;  ///< 1 to kMaxBezierControls
  std::span<const double> weights{};   ///< positive, one for each; none: all the same
  Interval t{0, 1};
  /// At least the norm of the linear part on the way: 1 for a rigid motion. If more than the
  /// control displacements allow, that is taken.
  double stretch_hi = std::numeric_limits<double>::infinity();
};
/// `out` has points * control.size() places.
double sweep_bezier(const BezierMotion& motion, PointVolume volume, std::span<Vec3> out) noexcept;

/// Where a point of a base is that moves from -1 to 1 half durations about the middle: at
/// T (a V + b J V) from its place there, where V is its velocity, J a quarter turn and T half the
/// duration. All these (a, b) are within `slack_hi` of the hull of the points.
struct TwistCover {
  int count = 1;
  double a[kMaxArcPoints] = {0}, b[kMaxArcPoints] = {0};
  double slack_hi = 1;
  double size_hi = 1;  ///< at least the largest |(a, b)|
};
/// `half_turn` is omega T, of any size and sign.
TwistCover cover_twist(double half_turn, int points) noexcept;

}  // namespace keepclear
