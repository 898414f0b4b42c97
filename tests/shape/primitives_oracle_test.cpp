// SPDX-License-Identifier: BSD-3-Clause
//
// Circumscription in exact rational arithmetic.
#include "shape/primitives.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>

#include "shape/support.hpp"

namespace keepclear {
namespace {

/// For a polygon in order around the origin: every side is at least `radius` from it (squared and
/// exact, so that no root is needed), every corner at most radius + excess.
void expect_circumscribed(const std::vector<Vec3>& corners, double radius, double excess) {
  const mpq_class r2 = mpq_class(radius) * radius;
  const mpq_class far = mpq_class(radius) + excess;
  for (std::size_t i = 0; i < corners.size(); ++i) {
    const Vec3 a = corners[i], b = corners[(i + 1) % corners.size()];
    const mpq_class ax = a.x, ay = a.y, bx = b.x, by = b.y;
    const mpq_class area = ax * by - ay * bx, dx = bx - ax, dy = by - ay;
    EXPECT_GT(area, 0);
    EXPECT_GE(area * area, r2 * (dx * dx + dy * dy));
    EXPECT_LE(ax * ax + ay * ay, far * far);
  }
}

TEST(CylinderHull, ContainsTheCylinderAndStatesItsExcess) {
  for (const int sides : {3, 4, 5, 7, 16, 63, 64, 100, 1000, 4096}) {
    for (const double radius : {1.0, 0.1, 0.0375, 1e-9, 123.456, 3e7, 1.0 / 3}) {
      SCOPED_TRACE(std::to_string(sides) + " sides, radius " + std::to_string(radius));
      const RoundedHull hull = cylinder_hull(radius, 0.3, sides);
      ASSERT_EQ(hull.points.size(), 2U * sides);
      EXPECT_EQ(hull.radius, 0);
      for (const double z : {-0.15, 0.15}) {
        std::vector<Vec3> ring;
        for (const Vec3& p : hull.points) {
          if (p.z == z) ring.push_back(p);
        }
        ASSERT_EQ(ring.size(), static_cast<std::size_t>(sides));
        expect_circumscribed(ring, radius, hull.excess);
      }
      const double ideal = radius * (1 / std::cos(M_PI / sides) - 1);
      EXPECT_LE(hull.excess, ideal + 1e-13 * radius);
    }
  }
}

TEST(ConeHull, ContainsTheConeAndStatesItsExcess) {
  for (const int sides : {3, 8, 64, 513}) {
    const RoundedHull hull = cone_hull(0.1, 0.4, sides);
    ASSERT_EQ(hull.points.size(), sides + 1U);
    EXPECT_EQ(hull.points.back(), (Vec3{0, 0, 0.2}));
    const std::vector<Vec3> base(hull.points.begin(), hull.points.end() - 1);
    for (const Vec3& p : base) EXPECT_EQ(p.z, -0.2);
    expect_circumscribed(base, 0.1, hull.excess);
  }
}

TEST(BoxHull, HasTheEightCornersExactly) {
  const RoundedHull hull = box_hull({0.1, 0.2, 0.3});
  EXPECT_EQ(hull.points.size(), 8U);
  EXPECT_EQ(hull.excess, 0);
  for (const Vec3& p : hull.points) {
    EXPECT_EQ(2 * std::abs(p.x), 0.1);
    EXPECT_EQ(2 * std::abs(p.y), 0.2);
    EXPECT_EQ(2 * std::abs(p.z), 0.3);
  }
}

TEST(SphereAndCapsuleHull, AreExact) {
  EXPECT_EQ(sphere_hull(0.25).points, (std::vector<Vec3>{{0, 0, 0}}));
  EXPECT_EQ(sphere_hull(0.25).radius, 0.25);
  const RoundedHull capsule = capsule_hull(0.1, 0.7);
  EXPECT_EQ(capsule.points, (std::vector<Vec3>{{0, 0, -0.35}, {0, 0, 0.35}}));
  EXPECT_EQ(capsule.excess, 0);
  EXPECT_EQ(capsule_hull(0.1, 0).points.size(), 1U);
}

TEST(PrimitiveHulls, RefuseWhatIsNoSize) {
  for (const double bad : {0.0, -1.0, std::nan(""), double{INFINITY}, 1e308}) {
    // A sphere of radius zero is a point.
    if (bad != 0) {
      EXPECT_THROW(sphere_hull(bad), Error);
    }
    EXPECT_THROW(box_hull({1, bad, 1}), Error);
    EXPECT_THROW(cylinder_hull(bad, 1), Error);
    EXPECT_THROW(cylinder_hull(1, bad), Error);
    EXPECT_THROW(cone_hull(1, bad), Error);
    EXPECT_THROW(capsule_hull(bad, 1), Error);
  }
  EXPECT_THROW(capsule_hull(1, -1), Error);
  EXPECT_THROW(cylinder_hull(1, 1, 2), Error);
}

}  // namespace
}  // namespace keepclear
