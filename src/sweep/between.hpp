// SPDX-License-Identifier: BSD-3-Clause
//
// Two convex pieces at one moment, or at two and everything straight between: the difference of the
// two at either moment, and the hull of both differences. Nothing is written down: a direction is
// turned into each piece's frame and looked up there. What lies beside the straight way between the
// moments is for the caller to take off. docs/theory/certify.md, "The chord".
#pragma once

#include <limits>

#include "distance/separation.hpp"
#include "keepclear/geometry.hpp"
#include "rounding/rounding.hpp"
#include "shape/support_table.hpp"

namespace keepclear {

/// A convex piece in its own frame: the tables of a body, or a box or ball given by numbers, of
/// which there may be too many for tables.
struct Convex {
  const BodyTables* tables = nullptr;  ///< null: the box of centre and half
  Vec3 centre, half;                   ///< of the box around the points
  double radius = 0;                   ///< around the points or the box
  double reach_hi = 0;  ///< at least the largest |corner| of the box, the radius left aside
  Vec3 end_a, end_b;    ///< a capsule around the piece, its radius included
  double capsule_hi = std::numeric_limits<double>::infinity();  ///< infinite: none
};
Convex convex_of(const BodyTables& tables) noexcept;
Convex convex_box(Vec3 centre, Vec3 half, double radius) noexcept;
/// The same with a capsule around the body.
Convex convex_of(const Body& body);

/// Where two pieces are at one moment, in one frame O. Directions are held in frame M: `R_OM` turns
/// them to O; null when M is O.
struct Moment {
  const Pose* X_OA = nullptr;
  const Pose* X_OB = nullptr;
  const Mat3* R_OM = nullptr;
};

/// At least what the computed gap along a unit direction may be off by at any of the moments:
/// rounding, and the errors of the poses, of which `error` is the largest. `apart_hi` is at least
/// the distance of the frames of A and B there; of pieces out of step, at least the sum of the
/// norms of their positions.
double between_error_hi(const Convex& a, const Convex& b, double apart_hi,
                        rounding::PoseError error) noexcept;

struct BetweenBound {
  double lower = 0;  ///< metres, at most the real distance at the moments and straight between
  double upper = 0;  ///< about the distance of the hull of both moments, a guess
  Vec3 n;            ///< in M, from A to B: the direction that showed it
  int steps = 0;
};

/// Searches from the direction `start` until the bound is above `enough`, or the two are known to
/// be nearer than that, or steps run out.
BetweenBound bound_between(const Convex& a, const Convex& b, const Moment& first,
                           const Moment& last, double error_hi, Vec3 start, double enough) noexcept;
/// The same where A is at either of its two poses while B is at either of its own: robots that do
/// not wait for each other. Directions are held in O.
BetweenBound bound_out_of_step(const Convex& a, const Convex& b, const Moment& first,
                               const Moment& last, double error_hi, Vec3 start,
                               double enough) noexcept;

/// The computed gap along n: the least over both moments of the least n.y over B minus the largest
/// n.x over A. And its plain twin: full scans of all points, no lanes.
double between_gap(const Convex& a, const Convex& b, const Moment& first, const Moment& last,
                   Vec3 n) noexcept;
double between_gap_plain(const Convex& a, const Convex& b, const Moment& first, const Moment& last,
                         Vec3 n) noexcept;

/// At most the distance, at the moments and straight between, of two balls whose centres are w_0
/// and w_1 apart (from A to B, in M) at the moments: the separation check along their mean.
/// `radii_hi` is at least both radii and what the centres may be off by.
inline double balls_between_lo(Vec3 w_0, Vec3 w_1, double radii_hi) {
  const Vec3 n = w_0 + w_1;
  const double length = norm(n);
  const double gap = std::min(dot(n, w_0), dot(n, w_1));
  // Each dot product is off by gamma(4) |n||w|, and |w| may be far longer than the gap.
  const double error = rounding::gamma(8) * (rounding::span_hi(w_0) + rounding::span_hi(w_1));
  return body_distance_lo(radii_hi, 0, hull_distance_lo(error + 1e-150, gap, length));
}

}  // namespace keepclear
