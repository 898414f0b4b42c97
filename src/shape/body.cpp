// SPDX-License-Identifier: BSD-3-Clause
#include "shape/body.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "keepclear/error.hpp"
#include "rounding/mode.hpp"
#include "shape/hull.hpp"
#include "shape/support_table.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::norm_hi;

void require(bool condition, const char* what) {
  if (!condition) throw Error(Error::Kind::usage, "", 0, what);
}

/// Beyond this (metres, or the edge of a box) squares could overflow on the way to a verdict.
constexpr double kLargest = 1e9;

bool is_coordinate(Vec3 p) {
  return std::fabs(p.x) <= kLargest && std::fabs(p.y) <= kLargest && std::fabs(p.z) <= kLargest;
}

bool is_radius(double r) {
  return r >= 0 && r <= kLargest;
}

Body from_tables(BodyTables tables) {
  return Body(std::make_shared<const BodyTables>(std::move(tables)));
}

}  // namespace

PlacedPoints place(std::span<const Vec3> points, const Pose& X_AB, rounding::PoseError error) {
  PlacedPoints placed;
  placed.points.reserve(points.size());
  double reach_hi = 0;
  for (const Vec3 p : points) {
    placed.points.push_back(X_AB * p);
    reach_hi = std::max(reach_hi, norm_hi(p));
  }
  // The pose is off by `error`; R p + t rounds four times a coordinate, relative to terms whose
  // norm is at most sqrt(3) (1 + e) |p| + |t|, where R itself may be a millionth off a rotation. An
  // identity changes nothing and rounds nothing.
  if (X_AB == Pose{} && error.rotation == 0 && error.position == 0) return placed;
  placed.error_hi =
      inflate(error.rotation * reach_hi + error.position +
                  gamma(5) * (1.733 * (1 + error.rotation) * reach_hi + norm_hi(X_AB.p)),
              10);
  return placed;
}

Body make_body(const RoundedHull& hull, const Pose& X_AB, rounding::PoseError error,
               double source_error) {
  const PlacedPoints placed = place(hull.points, X_AB, error);
  const double lost = placed.error_hi + source_error;
  return Body::hull(placed.points, lost > 0 ? inflate(hull.radius + lost, 2) : hull.radius);
}

Body make_box(Vec3 size, double radius, const Pose& X_AB, rounding::PoseError error) {
  const RoundedHull corners = box_hull(size);
  const PlacedPoints placed = place(corners.points, X_AB, error);
  const double lost = placed.error_hi + corners.radius;
  BodyTables tables =
      make_tables(convex_hull(placed.points), lost > 0 ? inflate(radius + lost, 2) : radius);
  // The closed forms take the inverse of a rotation to be its transpose.
  if (rounding::deviation_from_rotation_hi(X_AB.R) < 1e-14) {
    tables.kind = BodyKind::box;
    tables.box_half = 0.5 * size;
    tables.X_AB = X_AB;
  }
  return from_tables(std::move(tables));
}

Body Body::sphere(Vec3 centre, double radius) {
  return hull({&centre, 1}, radius);
}

Body Body::capsule(Vec3 a, Vec3 b, double radius) {
  const Vec3 ends[] = {a, b};
  return hull(ends, radius);
}

Body Body::box(Vec3 size, const Pose& X_AB, double radius) {
  rounding::require_mode();
  require(size.x > 0 && size.y > 0 && size.z > 0 && is_coordinate(size),
          "the edges of a box must be positive and at most 1e9 m");
  require(is_coordinate(X_AB.p), "a coordinate is not finite or beyond 1e9 m");
  require(rounding::deviation_from_rotation_hi(X_AB.R) <= 1e-6,
          "the pose of a box must be a rotation to within 1e-6");
  require(is_radius(radius), "a radius must be from 0 to 1e9 m");
  return make_box(size, radius, X_AB, {});
}

Body Body::hull(std::span<const Vec3> points, double radius) {
  rounding::require_mode();
  require(!points.empty(), "a body needs at least one point");
  require(std::all_of(points.begin(), points.end(), is_coordinate),
          "a coordinate is not finite or beyond 1e9 m");
  require(is_radius(radius), "a radius must be from 0 to 1e9 m");
  return from_tables(make_tables(convex_hull(points), radius));
}

Volume Body::volume() const noexcept {
  return {tables_->radius, tables_->count, tables_->x.data(), tables_->y.data(), tables_->z.data()};
}
double Body::radius() const noexcept {
  return tables_->radius;
}
std::size_t Body::point_count() const noexcept {
  return tables_->count;
}
Vec3 Body::centre() const noexcept {
  return tables_->centre;
}
double Body::bounding_radius() const noexcept {
  return tables_->bounding_radius_hi;
}

}  // namespace keepclear
