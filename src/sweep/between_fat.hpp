// SPDX-License-Identifier: BSD-3-Clause
//
// Two convex pieces at one moment, either of which may be fat: each of its points may be anywhere
// in a ball about where the moment has it, larger for points that lie far out. A point between
// others has a ball no larger than theirs, mixed, so the support of all of it is that of its
// vertices. docs/theory/displacements.md, "Links of a robot".
#pragma once

#include "distance/half_space.hpp"
#include "robot/kinematics.hpp"
#include "sweep/between.hpp"

namespace keepclear {

/// A piece whose vertex i is within radius_hi * distortion[i] of its place.
struct FatConvex {
  const Convex* piece = nullptr;
  /// As many numbers as the tables of the piece have points, padded as they are. Null with a radius
  /// of zero alone.
  const double* distortion = nullptr;
  double largest = 0;    ///< of the distortions
  double radius_hi = 0;  ///< metres; finite

  /// At least how far any of its points may be off.
  double growth_hi() const noexcept { return rounding::inflate(radius_hi * largest, 1); }
};

/// At most the distance of two fat pieces, by a search as that of bound_between. `error_hi` is that
/// of between_error_hi for the two pieces.
BetweenBound bound_fat(const FatConvex& a, const FatConvex& b, const Moment& at, double error_hi,
                       Vec3 start, double enough) noexcept;

/// At most the distance of a fat piece with tables from a half-space.
double bound_fat_half_space(const FatConvex& a, const BoundedPose& X_OA, const HalfSpace& solid,
                            const BoundedPose& X_OB) noexcept;

/// The largest n.v + length * radius * distortion over the vertices v of a fat piece with tables,
/// and its plain twin.
double fat_support(const FatConvex& a, Vec3 n, double length) noexcept;
double fat_support_plain(const FatConvex& a, Vec3 n, double length) noexcept;

}  // namespace keepclear
