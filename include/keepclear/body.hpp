// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "keepclear/geometry.hpp"
#include "keepclear/verdict.hpp"

namespace keepclear {

/// A sphere-swept convex hull: every point within `radius` of the hull of `count` points. The one
/// volume type of Keepclear: a sphere is one point, a capsule two, a polyhedron many with radius
/// zero. A view: the coordinates belong to whoever computed them.
struct Volume {
  double radius = 0;
  std::size_t count = 0;
  const double* x = nullptr;
  const double* y = nullptr;
  const double* z = nullptr;

  Vec3 point(std::size_t i) const { return {x[i], y[i], z[i]}; }
};

struct BodyTables;

/// A convex body with the tables that make its support function short and certain. Immutable; a
/// copy shares the tables and costs a reference count. Building one takes milliseconds and
/// allocates; everything else may be called from a control loop.
///
/// The body contains what it was made from in real arithmetic: what rounding could lose on the way
/// is added to its radius. All factories throw Error (usage) for values that are not finite or not
/// a size.
class Body {
 public:
  static Body sphere(Vec3 centre, double radius);
  static Body capsule(Vec3 a, Vec3 b, double radius);
  /// A box of edge lengths `size`, centred at the origin of B and placed by X_AB, rounded off by
  /// `radius`.
  static Body box(Vec3 size, const Pose& X_AB = {}, double radius = 0);
  /// The hull of a non-empty set of points, grown by `radius`. Interior points, duplicates, flat
  /// sets and single points are fine.
  static Body hull(std::span<const Vec3> points, double radius = 0);

  /// The points in the frame of the body, and the radius.
  Volume volume() const noexcept;
  double radius() const noexcept;
  std::size_t point_count() const noexcept;
  /// A ball that contains the body.
  Vec3 centre() const noexcept;
  double bounding_radius() const noexcept;

  const BodyTables& tables() const noexcept { return *tables_; }

  explicit Body(std::shared_ptr<const BodyTables> tables) : tables_(std::move(tables)) {}

 private:
  std::shared_ptr<const BodyTables> tables_;
};

/// The distance of two bodies. `distance` is an upper bound (that of the witness points),
/// `lower_bound` is certified: lower_bound <= real distance <= distance + rounding.
struct BodyDistance {
  Verdict verdict = Verdict::undecided;
  /// Metres. Of overlapping bodies zero, or with `signed_distance` minus the penetration depth: the
  /// length of the shortest translation that separates them.
  double distance = 0;
  double lower_bound = 0;
  Vec3 point_a, point_b;  ///< witness points in W; for a signed contact, the deepest points
  Vec3 normal;            ///< unit, in W, from A to B
};

struct BodyDistanceOptions {
  /// Metres: the search ends when `distance - lower_bound` is below this.
  double tolerance = 1e-10;
  bool signed_distance = false;
};

/// For those in no hurry: no warm start. Does not allocate. The poses are taken as exact; their
/// rotations must be orthonormal to within 1e-6, or the verdict is *undecided*, as it is in a
/// floating-point mode other than the proofs assume; lower_bound is then zero, or minus infinity of
/// signed distances.
BodyDistance distance(const Body& a, const Pose& X_WA, const Body& b, const Pose& X_WB,
                      const BodyDistanceOptions& options = {}) noexcept;

}  // namespace keepclear
