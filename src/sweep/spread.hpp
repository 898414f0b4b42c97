// SPDX-License-Identifier: BSD-3-Clause
//
// What two bodies keep between them over a box of joint intervals, from the pose in its middle: the
// support of each as a sum over the joints between them, first and second order in the widths, and
// what is left of third order as a radius. One direction costs a few operations a joint and point,
// where the points of a swept volume double with every joint. docs/theory/spread.md has the proof.
#pragma once

#include <cstdint>
#include <span>

#include "keepclear/box.hpp"
#include "robot/kinematics.hpp"
#include "shape/support_table.hpp"

namespace keepclear {

/// One elementary motion of a chain, as it is in the middle of a box: a turn about an axis, a slide
/// along one, or a turn about any axis through a point. A hinge or slide is one of them, a planar
/// joint three, a floating one four.
struct SpreadMotion {
  enum class Kind : std::uint8_t { turn, slide, any_turn };

  Vec3 z, p;           ///< the axis and a point on it, in the common frame
  double half_hi = 0;  ///< at least how far from the middle it goes either way, radians or metres
  double sign = 1;     ///< which way it goes when its number grows
  int number = -1;     ///< motions of one number go together
  Kind kind = Kind::turn;
  bool shared = false;  ///< others of a chain may have its number: for the caller to say
};

/// At most this many for one joint.
inline constexpr int kMaxJointMotions = 4;
/// How many motions the joint of a frame is.
int motion_count(JointType type) noexcept;

/// A configuration in the middle of a box, quaternions made unit; and for each number at least how
/// far the box goes from there. Of the four numbers of a quaternion the first has the angle, in
/// radians, that rotations of the box are from the middle by at most. Both of World::dof() places.
void middle_of_box(const Kinematics& kinematics, std::span<const Interval> box,
                   std::span<double> middle, std::span<double> half_hi) noexcept;

/// The motions of the joint of frame f, nearest the root first, with its frame and its parent's at
/// the middle. Returns how many.
int make_motions(const Kinematics& kinematics, int f, const Pose& X_OP, const Pose& X_OF,
                 std::span<const double> half_hi, SpreadMotion* motions) noexcept;

/// A body in the middle of a box and the motions between it and the frame where it meets another.
struct SpreadSide {
  const double *x = nullptr, *y = nullptr, *z = nullptr;  ///< points, in the common frame
  std::size_t count = 0;
  bool in_frame = false;  ///< or, where they are many, in their own, which stands at X
  /// Tables of the body, at X: of one that nothing moves; or of one of many points, whose motions
  /// are then those of a ball around them.
  const BodyTables* tables = nullptr;
  Pose X;
  Vec3 centre;
  double ball_hi = 0;
  double radius_hi = 0;                   ///< of the body
  std::span<const SpreadMotion> motions;  ///< nearest the meeting frame first
  std::span<const double> way_hi;  ///< of each motion: at least how far it moves any of the points
  double size_hi = 0;              ///< at least every |x|, |p| and |x - p|, and a metre
  double error_hi = 0;  ///< at least what any of them, and any z times size_hi, may be off by
  /// What is not looked at by direction, from finish().
  double first_rest_hi = 0, second_rest_hi = 0, sum_hi = 0;
  double most_hi =
      0;  ///< at least how far all motions together carry any point along any direction

  /// Fills in the rests: once all motions and ways are there.
  void finish() noexcept;
  double rest_hi(bool second) const noexcept {
    return second && tables == nullptr ? second_rest_hi : first_rest_hi;
  }
};

/// At least how far a motion moves a point of a ball, by itself.
double way_hi(const SpreadMotion& motion, Vec3 centre, double ball_hi) noexcept;

/// What one direction shows.
struct SpreadLook {
  /// Metres: at most the real distance of the bodies, radii included, in every configuration of the
  /// box. Minus infinity where something is not finite.
  double lower = 0;
  Vec3 w;  ///< a point of A minus one of B, of those that are extreme to first order
};

/// Motions of a side that are looked at by direction; those beyond count with all their way.
inline constexpr int kMaxSpreadMotions = 32;
/// Points of a side in its own frame that are looked at with their motions; the others count with
/// the most that these can carry a point.
inline constexpr int kOutermost = 16;

/// n: in the common frame, from A to B, of unit length to rounding. With `second`, the products of
/// two joints are looked at by direction as well.
SpreadLook look_spread(const SpreadSide& a, const SpreadSide& b, Vec3 n, bool second) noexcept;
/// Its plain twin, the lower bound alone: point by point, motion by motion. Never below it, and the
/// same for sides whose points are in the common frame.
double look_spread_plain(const SpreadSide& a, const SpreadSide& b, Vec3 n, bool second) noexcept;

/// Floating-point operations of one look at a side with tables along n, at most.
std::uint64_t table_look_flops(const SpreadSide& side, Vec3 n) noexcept;
/// Of one look at a side of points.
constexpr std::uint64_t look_flops(std::size_t motions, std::size_t all_points,
                                   bool second) noexcept {
  const std::uint64_t k = motions < kMaxSpreadMotions ? motions : kMaxSpreadMotions;
  const std::uint64_t lanes = 4;
  const auto padded = [&](std::uint64_t n) { return (n + lanes - 1) / lanes * lanes; };
  // Points in their own frame are chosen from, and placed.
  const bool many = all_points > kOutermost;
  const std::uint64_t points = many ? kOutermost : all_points;
  const std::uint64_t choosing = many ? 5 * all_points + 18 * kOutermost + 30 : 0;
  // A direction for each motion and its offset; then for each point; then the extreme point.
  std::uint64_t per_point = 8 + 7 * padded(k);
  std::uint64_t products = 21 * k;
  if (second) {
    const std::uint64_t crossed = k * (k - (k > 0 ? 1 : 0)) / 2;
    products += 17 * k + 17 * crossed;
    per_point += 8 * padded(k) + 7 * padded(crossed);
  }
  return 24 + products + per_point * points + choosing + 24 * k;
}

}  // namespace keepclear
