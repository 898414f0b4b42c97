// SPDX-License-Identifier: BSD-3-Clause
#include "shape/quick_tables.hpp"

#include <cmath>

#include "rounding/rounding.hpp"
#include "shape/primitives.hpp"

namespace keepclear {
namespace {

using rounding::inflate;
using rounding::norm_hi;

Hull hull_of(const RoundedHull& shape) {
  return convex_hull(shape.points);
}

void set_point(BodyTables& tables, std::size_t i, Vec3 p) {
  tables.x[i] = p.x, tables.y[i] = p.y, tables.z[i] = p.z;
}

}  // namespace

BallTables::BallTables() : tables_(make_tables(hull_of(sphere_hull(1)), 1)) {}

const BodyTables& BallTables::at(Vec3 centre, double radius) noexcept {
  for (std::size_t i = 0; i < kBlock; ++i) {
    set_point(tables_, i, centre);
    tables_.blocks[i] = centre.x;
    tables_.blocks[kBlock + i] = centre.y;
    tables_.blocks[2 * kBlock + i] = centre.z;
  }
  tables_.radius = radius;
  tables_.box = {centre, centre};
  tables_.reach_hi = norm_hi(centre);
  tables_.centre = tables_.spine[0] = tables_.spine[1] = centre;
  tables_.bounding_radius_hi = radius;
  return tables_;
}

BoxTables::BoxTables() : tables_(make_tables(hull_of(box_hull({2, 2, 2})), 0)) {
  for (std::size_t i = 0; i < sign_.size(); ++i) sign_[i] = tables_.point(i);
  tables_.kind = BodyKind::box;
}

const BodyTables& BoxTables::at(Vec3 centre, Vec3 half) noexcept {
  for (std::size_t i = 0; i < sign_.size(); ++i) {
    const Vec3 s = sign_[i];
    set_point(tables_, i,
              {centre.x + s.x * half.x, centre.y + s.y * half.y, centre.z + s.z * half.z});
  }
  for (std::size_t slot = 0; slot < kBlock; ++slot) {
    const Vec3 p = tables_.point(tables_.slot_vertex[slot]);
    tables_.blocks[slot] = p.x;
    tables_.blocks[kBlock + slot] = p.y;
    tables_.blocks[2 * kBlock + slot] = p.z;
  }
  const Vec3 far{std::fabs(centre.x) + half.x, std::fabs(centre.y) + half.y,
                 std::fabs(centre.z) + half.z};
  tables_.reach_hi = inflate(norm_hi(far), 2);
  // A corner rounds once a coordinate, unless the box is at the origin.
  tables_.radius = centre == Vec3{} ? 0 : inflate(rounding::gamma(1) * tables_.reach_hi, 2);
  tables_.box = {{centre.x - half.x, centre.y - half.y, centre.z - half.z},
                 {centre.x + half.x, centre.y + half.y, centre.z + half.z}};
  tables_.centre = centre;
  // The corners are off by as much as the radius makes good.
  tables_.bounding_radius_hi = inflate(norm_hi(half) + 2 * tables_.radius, 3);
  tables_.box_half = half;
  tables_.X_AB = {{}, centre};
  // As lay_spine: along the longest edge, kept from its ends by the width.
  const int k = half.x >= half.y && half.x >= half.z ? 0 : half.y >= half.z ? 1 : 2;
  const double along = half[k], wide2 = squared_norm(half) - along * along;
  const double keep = std::max(along - std::sqrt(std::max(wide2, 0.0)), 0.0);
  const Vec3 axis{k == 0 ? keep : 0, k == 1 ? keep : 0, k == 2 ? keep : 0};
  tables_.spine[0] = centre - axis;
  tables_.spine[1] = centre + axis;
  return tables_;
}

}  // namespace keepclear
