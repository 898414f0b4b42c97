// SPDX-License-Identifier: BSD-3-Clause
//
// A swept volume that is never written down. Its support in a direction is the largest over all
// choices of one map a joint, and the direction can be carried down the chain instead of the points
// up: a few products for each choice and one look into the body's table, whatever the number of its
// points. What divides boxes asks here; who compares volumes cycle by cycle has them in Sweep.
// docs/theory/sweep.md, "Implicit support".
#pragma once

#include <span>

#include "distance/half_space.hpp"
#include "distance/separation.hpp"
#include "sweep/stage.hpp"

namespace keepclear {

/// A body behind a chain of joints. The stages and the tables must outlive it.
struct SweptBody {
  const BodyTables* body = nullptr;
  std::span<const Stage* const> stages;  ///< the one at the meeting frame first
  double radius_hi = 0;                  ///< of the swept volume: V(radius_hi; mapped points)
  double error_hi = 0;  ///< of its support along a unit direction, as it is computed
  Vec3 centre;          ///< of a ball around the mapped points
  double ball_hi = 0;   ///< its radius
};

/// A ball around the points of a swept volume, and the volume's radius.
struct SweptBall {
  Vec3 centre;
  double ball_hi = 0;    ///< around the points
  double radius_hi = 0;  ///< of the volume
  double reach_hi = 0;   ///< at least the largest |p| of the points

  /// At least the radius of a ball around the whole volume.
  double whole_hi() const noexcept { return rounding::inflate(ball_hi + radius_hi, 1); }
};
/// Around the body itself.
SweptBall ball_of(const BodyTables& body) noexcept;
/// Through a joint, to its parent.
SweptBall carried(const SweptBall& ball, const Stage& stage) noexcept;

/// Sums up the growth along the chain. An infinite radius where something is not finite.
SweptBody sweep_body(const BodyTables& body, std::span<const Stage* const> stages) noexcept;

/// At least the box of the swept volume, its radius included; not finite where the radius is not.
Box box_of(const SweptBody& swept) noexcept;

struct SweptBound {
  double lower = 0;  ///< metres: at most the real distance of the bodies anywhere in the box
  Vec3 n;            ///< in the meeting frame, from A to B: the direction that showed it
};

/// A lower bound of the distance of two swept bodies, by a search that starts along `start` (from A
/// to B) and ends once it is above `enough`, once the volumes are known to be nearer than that, or
/// after a few steps.
SweptBound bound_swept(const SweptBody& a, const SweptBody& b, Vec3 start, double enough) noexcept;

/// The same against a half-space that stands at X_WO; the meeting frame is the world's.
double bound_half_space(const SweptBody& a, const HalfSpace& solid,
                        const BoundedPose& X_WO) noexcept;

/// One step of the search: the computed gap along n, the least n.y over B minus the largest n.x
/// over A.
double swept_gap(const SweptBody& a, const SweptBody& b, Vec3 n) noexcept;
/// Its plain twin: full scans of all points, no lanes.
double swept_gap_plain(const SweptBody& a, const SweptBody& b, Vec3 n) noexcept;

}  // namespace keepclear
