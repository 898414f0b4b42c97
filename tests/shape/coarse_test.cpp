// SPDX-License-Identifier: BSD-3-Clause
//
// The capsule around several bodies contains them, judged in 113 bits.
#include "shape/coarse.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "shape/generators.hpp"

namespace keepclear {
namespace {

using Quad = __float128;
struct QuadVec {
  Quad x, y, z;
};
QuadVec minus(Vec3 a, Vec3 b) {
  return {Quad(a.x) - b.x, Quad(a.y) - b.y, Quad(a.z) - b.z};
}
Quad dot(const QuadVec& a, const QuadVec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

/// The ball of that radius around p is inside the ball or capsule: |p - q| + radius <= its radius,
/// for some point q of its segment.
bool holds(const Body& capsule, Vec3 p, double radius) {
  const Volume volume = capsule.volume();
  const Vec3 a = volume.point(0), b = volume.point(volume.count - 1);
  const QuadVec d = minus(b, a), v = minus(p, a);
  const Quad length2 = dot(d, d);
  Quad t = length2 > 0 ? dot(v, d) / length2 : Quad(0);
  t = t < 0 ? Quad(0) : t > 1 ? Quad(1) : t;
  const QuadVec off{v.x - t * d.x, v.y - t * d.y, v.z - t * d.z};
  const Quad room = Quad(volume.radius) - radius;
  return room >= 0 && dot(off, off) <= room * room;
}

void expect_contained(const std::vector<Body>& bodies, const std::string& what) {
  const Body around = capsule_around(bodies);
  ASSERT_LE(around.point_count(), 2u) << what;
  double far = 0, wide = 0;
  for (const Body& body : bodies) {
    const Volume volume = body.volume();
    for (std::size_t i = 0; i < volume.count; ++i) {
      ASSERT_TRUE(holds(around, volume.point(i), volume.radius)) << what << ", point " << i;
      far = std::max(far, norm(volume.point(i)) + volume.radius);
    }
    wide = std::max(wide, norm(body.centre() - around.centre()) + body.bounding_radius());
  }
  // Not the smallest, and not beyond reason: rounding aside, at most some times the ball around
  // all.
  EXPECT_LE(around.bounding_radius(), 2.5 * wide + 1e-14 * far) << what;
}

TEST(CapsuleAround, ContainsRandomAndDegenerateBodies) {
  std::mt19937_64 random(1);
  for (const double scale : {1.0, 1e-3, 1e-9, 1e-13, 1e3, 1e7}) {
    for (int kind = 0; kind < test::kPatterns; ++kind) {
      if (kind == 7 && scale > 1e3) continue;  // beyond what a coordinate may be
      for (int round = 0; round < 12; ++round) {
        std::vector<Body> bodies;
        const int count = 1 + static_cast<int>(random() % 4);
        for (int b = 0; b < count; ++b) {
          std::vector<Vec3> points = test::pattern(kind, random(), 1 + random() % 60);
          for (Vec3& p : points) p = scale * p;
          const double radius =
              random() % 2 == 0 ? 0 : scale * static_cast<double>(random() % 1000) * 1e-3;
          bodies.push_back(Body::hull(points, radius));
        }
        expect_contained(bodies, "pattern " + std::to_string(kind) + ", scale " +
                                     std::to_string(scale) + ", round " + std::to_string(round));
      }
    }
  }
}

TEST(CapsuleAround, ContainsBodiesOfVeryDifferentSizes) {
  const Body grain = Body::sphere({1e6, -1e6, 1e6}, 1e-9), rock = Body::sphere({}, 1e3);
  expect_contained({grain, rock}, "grain and rock");
  expect_contained({grain, grain}, "grain");
  expect_contained({Body::sphere({}, 0)}, "a point at the origin");
  expect_contained({Body::sphere({1e8, 1e8, 1e8}, 0), Body::sphere({-1e8, -1e8, -1e8}, 0)}, "far");
  expect_contained({Body::sphere({1e-300, 0, 0}, 1e-300), Body::sphere({}, 1e-305)}, "tiny");
}

TEST(CapsuleAround, IsHardlyLargerThanACapsule) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int round = 0; round < 200; ++round) {
    const Vec3 a{unit(random), unit(random), unit(random)};
    const Vec3 b = a + Vec3{unit(random), unit(random), 1};
    const double radius = 0.05 + 0.1 * std::fabs(unit(random));
    const Body capsule = Body::capsule(a, b, radius);
    const Body around = capsule_around({&capsule, 1});
    EXPECT_LE(around.radius(), radius * (1 + 1e-9));
    EXPECT_LE(around.bounding_radius(), capsule.bounding_radius() * (1 + 1e-9));
  }
}

TEST(CapsuleAround, FollowsALongBox) {
  const Body box = Body::box({1, 0.1, 0.1});
  const Body around = capsule_around({&box, 1});
  EXPECT_EQ(around.point_count(), 2u);
  EXPECT_LT(around.radius(), 0.08);
  EXPECT_LT(around.bounding_radius(), 0.6);
}

}  // namespace
}  // namespace keepclear
