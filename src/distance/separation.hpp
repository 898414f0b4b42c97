// SPDX-License-Identifier: BSD-3-Clause
//
// The separation check: the only code that can say *free*. Everything else proposes directions.
//
// Bodies A and B are apart by more than d when some direction n has
//     min over B of n.y  -  max over A of n.x   >   |n| (r_A + r_B + d).
// Here the left side is evaluated in floating point and what rounding can have added is taken off,
// together with what the computed pose of B in A can be off by. Proof: docs/theory/separation.md.
#pragma once

#include <limits>

#include "keepclear/geometry.hpp"
#include "rounding/rounding.hpp"
#include "shape/support_table.hpp"

namespace keepclear {

/// Two bodies as they stand to each other in one pose.
struct Placement {
  const BodyTables* a = nullptr;
  const BodyTables* b = nullptr;
  Pose X_AB;            ///< computed pose of B's frame in A's
  double error_hi = 0;  ///< metres, from placement_error_hi
};

/// At least what the support values of both bodies and the offset n.p along a direction can be off
/// by, divided by |n|: rounding of the three products, of the turned direction and of their sum,
/// and `error` of the computed pose. `p_hi` is at least the norm of its position.
inline double placement_error_hi(const BodyTables& a, const BodyTables& b, double p_hi,
                                 rounding::PoseError error) {
  const double stretch = 1 + error.rotation;
  // 8 roundings for each dot product and the sum (4 are enough); 8 more for the turned direction,
  // whose entries are products of rows of norm at most sqrt(3) stretch.
  const double rounded = rounding::gamma(8) * (a.reach_hi + p_hi + 3 * stretch * b.reach_hi);
  return rounding::inflate(rounded + error.rotation * b.reach_hi + error.position, 12) + 1e-150;
}

inline double placement_error_hi(const BodyTables& a, const BodyTables& b, const Pose& X_AB,
                                 rounding::PoseError error) {
  return placement_error_hi(a, b, rounding::norm_hi(X_AB.p), error);
}

/// What a direction shows.
struct Separation {
  double gap = 0;  ///< computed (min over B) - (max over A) of n.p, the radii left aside
  std::uint32_t vertex_a = 0, vertex_b = 0;
  Vec3 w;  ///< vertex a minus vertex b, in A
};

/// At most the real distance of the two hulls (signed: minus the overlap along n), the radii left
/// aside, given the computed gap along n, the computed length of n, and at least what the gap can
/// be off by for a length of one. Minus infinity when n is too short or long to tell.
inline double hull_distance_lo(double error_hi, double gap, double length) {
  if (!(length > 1e-100 && length < 1e100)) return -std::numeric_limits<double>::infinity();
  const double along = gap / length;
  const double size = along < 0 ? -along : along;
  // The length is off by at most 4 kU of itself, the quotient by one more, this sum by two.
  return along - (error_hi + 16 * rounding::kU * size);
}
inline double hull_distance_lo(const Placement& pair, double gap, double length) {
  return hull_distance_lo(pair.error_hi, gap, length);
}

/// At most the real distance of the bodies, given hull_distance_lo and both radii.
inline double body_distance_lo(double radius_a, double radius_b, double hull_lo) {
  const double radii = radius_a + radius_b;
  const double lo = hull_lo - radii;
  const double size = (hull_lo < 0 ? -hull_lo : hull_lo) + radii;
  return lo - 8 * rounding::kU * size;
}
inline double body_distance_lo(const Placement& pair, double hull_lo) {
  return body_distance_lo(pair.a->radius, pair.b->radius, hull_lo);
}

/// True only if two balls with these computed centres are farther apart than `margin`, in real
/// arithmetic: the separation check along the line of centres. `radii_hi` is at least the sum of
/// the radii and of what the centres may be off by.
inline bool balls_apart(Vec3 centre_a, Vec3 centre_b, double radii_hi, double margin) {
  const double need_hi = rounding::inflate(radii_hi + margin, 2);
  // The square of the computed distance is off by less than 8 kU of itself.
  return squared_norm(centre_b - centre_a) * (1 - 16 * rounding::kU) >
         need_hi * need_hi * (1 + 4 * rounding::kU);
}

/// At most the real distance of two balls, likewise.
inline double ball_distance_lo(Vec3 centre_a, Vec3 centre_b, double radii_hi) {
  const double apart_lo = rounding::norm_lo(centre_b - centre_a) * (1 - 4 * rounding::kU);
  return rounding::down(apart_lo - radii_hi);
}

}  // namespace keepclear
