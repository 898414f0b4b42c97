// SPDX-License-Identifier: BSD-3-Clause
#include "shape/primitives.hpp"

#include <fmt/format.h>

#include <cmath>
#include <numbers>
#include <string>

#include "keepclear/error.hpp"
#include "rounding/rounding.hpp"

namespace keepclear {
namespace {

using rounding::kU;

/// Far from underflow and overflow, so that products of sizes are plain roundings.
void require_size(double value, const char* what, bool zero_allowed = false) {
  if ((value >= 0x1p-300 && value <= 0x1p300) || (zero_allowed && value == 0)) return;
  throw Error(Error::Kind::usage, "", 0, fmt::format("{} of {} is not a size", what, value));
}

struct Polygon {
  std::vector<Vec3> corners;  ///< at z = 0
  double excess = 0;          ///< at least the distance of a corner from the disc
};

/// The hull of the corners contains the disc of the given radius about the origin.
///
/// A computed corner is at most 40 kU R from that of an exact regular polygon of circumradius R:
/// the angle, at most 2 pi, carries four roundings (25 kU), sine and cosine 4 kU each, the product
/// one. Moving corners by e moves the sides by at most e, so the disc of radius R (cos(pi/n) - 40
/// kU) is inside; and the computed cosine of pi/n is at most 8 kU too large. Asking for 64 kU below
/// it covers both.
Polygon circumscribed_polygon(double radius, int sides) {
  if (sides < 3 || sides > 4096) {
    throw Error(Error::Kind::usage, "", 0, std::to_string(sides) + " sides, not 3 to 4096");
  }
  constexpr double pi = std::numbers::pi;
  const double circumradius = rounding::up(radius / (std::cos(pi / sides) - 64 * kU));
  Polygon polygon;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * pi * k / sides;
    polygon.corners.push_back({circumradius * std::cos(angle), circumradius * std::sin(angle), 0});
  }
  polygon.excess = rounding::up(rounding::up(circumradius * (1 + 64 * kU)) - radius);
  return polygon;
}

}  // namespace

RoundedHull box_hull(Vec3 size) {
  require_size(size.x, "a box edge");
  require_size(size.y, "a box edge");
  require_size(size.z, "a box edge");
  RoundedHull hull;
  const Vec3 half = 0.5 * size;
  for (const double x : {-half.x, half.x}) {
    for (const double y : {-half.y, half.y}) {
      for (const double z : {-half.z, half.z}) hull.points.push_back({x, y, z});
    }
  }
  return hull;
}

RoundedHull sphere_hull(double radius) {
  require_size(radius, "a radius", true);
  return {{{0, 0, 0}}, radius, 0};
}

RoundedHull cylinder_hull(double radius, double length, int sides) {
  require_size(radius, "a radius");
  require_size(length, "a length");
  const Polygon polygon = circumscribed_polygon(radius, sides);
  RoundedHull hull;
  for (const double z : {-0.5 * length, 0.5 * length}) {
    for (const Vec3& p : polygon.corners) hull.points.push_back({p.x, p.y, z});
  }
  // The distance from a convex set is largest at a corner, and those are straight out.
  hull.excess = polygon.excess;
  return hull;
}

RoundedHull cone_hull(double radius, double length, int sides) {
  require_size(radius, "a radius");
  require_size(length, "a length");
  const Polygon polygon = circumscribed_polygon(radius, sides);
  RoundedHull hull;
  for (const Vec3& p : polygon.corners) hull.points.push_back({p.x, p.y, -0.5 * length});
  hull.points.push_back({0, 0, 0.5 * length});
  hull.excess = polygon.excess;
  return hull;
}

RoundedHull capsule_hull(double radius, double length) {
  require_size(radius, "a radius");
  require_size(length, "a length", true);
  if (length == 0) return sphere_hull(radius);
  return {{{0, 0, -0.5 * length}, {0, 0, 0.5 * length}}, radius, 0};
}

}  // namespace keepclear
