// SPDX-License-Identifier: BSD-3-Clause
//
// Covers of what a joint's cosine and sine (or its rotation) can be while it ranges over an
// interval: a few points of the plane and a slack. Every operator of paper 1 for joints that turn,
// (24) to (26), is one of them, since a joint's motion is linear in its cosine and sine. Proofs:
// docs/theory/sweep.md.
#pragma once

#include "keepclear/box.hpp"
#include "keepclear/geometry.hpp"

namespace keepclear {

/// Points of a cover at most: Circ(S+2) up to S = 10.
inline constexpr int kMaxArcPoints = 12;

/// Every (cos t, sin t) with t in an interval lies within `slack_hi` of the hull of the points
/// (c[k], s[k]). In real arithmetic: the rounding of the points is inside the slack.
struct ArcCover {
  int count = 1;
  double c[kMaxArcPoints] = {0}, s[kMaxArcPoints] = {0};
  double slack_hi = 1;
  /// At least the largest |(c, s)|, and one.
  double size_hi = 1;
};

/// The operators: one point is Circ1 (24), two are Circ2 (25), S + 2 of them with S >= 1 are
/// Circ(S+2) (26), all with the lever taken from the axis. Any width, infinite included: where
/// three points are too few for (26), they are those of Circ2. `points` from 1 to kMaxArcPoints.
ArcCover cover_arc(Interval angle, int points) noexcept;

/// Circ2 with a stronger promise: (cos t, sin t) is within the slack of the point at the share
/// (t - lower) / (upper - lower) of the way from the first point to the second. What lets two
/// joints with one master be swept together. `off_hi`: at least how far the angle at a share may be
/// from the one in that place, in radians.
ArcCover cover_arc_evenly(Interval angle, double off_hi = 0) noexcept;

/// All rotations by at most `angle_hi` radians about any axis: each is A_k for some mixture of the
/// maps A_k = scale I + w_k [e_k]x (the axes e_k of the frame in turn, with both signs), up to
/// slack_hi in the spectral norm. One map or six.
struct RotationCover {
  int count = 1;
  double scale = 0;     ///< of the identity
  double turn = 0;      ///< w_k = +-turn; zero for one map
  double slack_hi = 1;  ///< metres per metre of distance from the centre
  double size_hi = 1;   ///< at least the largest norm of a map, and one
};
RotationCover cover_rotations(double angle_hi, bool fine) noexcept;

/// The middle of an interval, and at least how far its ends are from there; zero and infinity for
/// one that is not finite.
struct Middle {
  double value = 0, half_hi = 0;
};
Middle middle_of(Interval interval) noexcept;

}  // namespace keepclear
