// SPDX-License-Identifier: BSD-3-Clause
#include "distance/closed_forms.hpp"

#include <gtest/gtest.h>

#include "distance/generators.hpp"
#include "keepclear/body.hpp"
#include "oracle/reference_penetration.hpp"

namespace keepclear {
namespace {

using oracle::PointSet;
using test::Random;

Vec3 random_point(Random& random, double size = 1) {
  const double x = test::uniform(random, -size, size), y = test::uniform(random, -size, size);
  return {x, y, test::uniform(random, -size, size)};
}

double reference(const std::vector<Vec3>& a, const std::vector<Vec3>& b) {
  return static_cast<double>(oracle::reference_distance(PointSet(a), {}, PointSet(b), {}).upper);
}

/// How far p is from the segment ab.
double off_segment(Vec3 p, Vec3 a, Vec3 b) {
  return reference({p}, {a, b});
}

struct Segments {
  Vec3 a, b, c, d;
};

Segments random_segments(Random& random) {
  Segments s{random_point(random), random_point(random), random_point(random),
             random_point(random)};
  const double angle = test::pick(random, 2) ? 0 : test::log_uniform(random, 1e-17, 1e-2);
  const double along = test::uniform(random, -2, 2);
  switch (test::pick(random, 8)) {
    case 0:  // parallel, or nearly so
      s.d = s.c + along * (s.b - s.a) + angle * random_point(random);
      break;
    case 1:  // on one line
      s.c = s.a + test::uniform(random, -3, 3) * (s.b - s.a);
      s.d = s.a + test::uniform(random, -3, 3) * (s.b - s.a) + angle * random_point(random);
      break;
    case 2:  // points
      s.b = s.a;
      break;
    case 3:
      s.d = s.c;
      break;
    case 4:
      s.b = s.a, s.d = s.c;
      break;
    case 5:  // a common end
      s.c = s.a;
      break;
    case 6:  // very short
      s.b = s.a + 1e-12 * random_point(random);
      break;
    default:
      break;
  }
  return s;
}

TEST(SegmentDistance, MatchesTheReferenceOnAllKindsOfSegments) {
  Random random(1);
  for (int k = 0; k < 20000; ++k) {
    const Segments s = random_segments(random);
    const NearestPoints near = nearest_of_segments(s.a, s.b, s.c, s.d);
    const double found = norm(near.p_a - near.p_b);
    ASSERT_NEAR(found, reference({s.a, s.b}, {s.c, s.d}), 2e-8) << k;
    if (k % 10 == 0) {
      ASSERT_LE(off_segment(near.p_a, s.a, s.b), 1e-14);
      ASSERT_LE(off_segment(near.p_b, s.c, s.d), 1e-14);
    }
  }
}

TEST(SegmentDistance, IsExactToRoundingWhereSegmentsAreNotNearlyParallel) {
  Random random(2);
  for (int k = 0; k < 20000; ++k) {
    const Vec3 a = random_point(random), b = random_point(random), c = random_point(random),
               d = random_point(random);
    const double sine = norm(cross(b - a, d - c)) / (norm(b - a) * norm(d - c));
    if (sine < 0.01) continue;
    const NearestPoints near = nearest_of_segments(a, b, c, d);
    ASSERT_NEAR(norm(near.p_a - near.p_b), reference({a, b}, {c, d}), 1e-12);
  }
}

TEST(SegmentDistance, IsNoLargerThanThatOfAnySample) {
  Random random(3);
  for (int k = 0; k < 500; ++k) {
    const Segments s = random_segments(random);
    const NearestPoints near = nearest_of_segments(s.a, s.b, s.c, s.d);
    const double found = norm(near.p_a - near.p_b);
    for (int i = 0; i <= 40; ++i) {
      for (int j = 0; j <= 40; ++j) {
        const Vec3 p = s.a + (i / 40.0) * (s.b - s.a), q = s.c + (j / 40.0) * (s.d - s.c);
        ASSERT_LE(found, norm(p - q) + 1e-9);
      }
    }
  }
}

/// Paper 5, 4.1.2 as printed: the nearest points of the two lines, each clamped to its segment.
double clamped_one_by_one(const Segments& s) {
  const Vec3 u = s.b - s.a, v = s.d - s.c, r = s.a - s.c;
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ru = dot(r, u), rv = dot(r, v);
  const double det = uu * vv - uv * uv;
  const double t = std::clamp((uv * rv - vv * ru) / det, 0.0, 1.0);
  const double w = std::clamp((uu * rv - uv * ru) / det, 0.0, 1.0);
  return norm((s.a + t * u) - (s.c + w * v));
}

TEST(SegmentDistance, ClampingTheNearestPointsOfTheLinesOneByOneMissesCollisions) {
  // The line of cd passes over the end of ab far outside of cd: both clamps go to the wrong place.
  const Segments s{{0, 0, 0}, {10, 0, 0}, {0, 1, 0}, {5, 0.9, 0}};
  EXPECT_GT(clamped_one_by_one(s), 4);
  const NearestPoints near = nearest_of_segments(s.a, s.b, s.c, s.d);
  EXPECT_NEAR(norm(near.p_a - near.p_b), 0.9, 1e-15);
  Random random(4);
  int too_large = 0;
  double worst = 1;
  for (int k = 0; k < 20000; ++k) {
    const Segments t{random_point(random), random_point(random), random_point(random),
                     random_point(random)};
    const NearestPoints points = nearest_of_segments(t.a, t.b, t.c, t.d);
    const double right = norm(points.p_a - points.p_b), literal = clamped_one_by_one(t);
    ASSERT_LE(right, literal + 1e-12);
    if (literal > right + 1e-9) ++too_large;
    if (right > 0.01) worst = std::max(worst, literal / right);
  }
  EXPECT_GT(too_large, 20000 / 3);
  EXPECT_GT(worst, 3);
}

TEST(SegmentAndBox, MatchesTheReference) {
  Random random(5);
  for (int k = 0; k < 10000; ++k) {
    const Vec3 half{test::log_uniform(random, 1e-3, 1), test::log_uniform(random, 1e-3, 1),
                    test::log_uniform(random, 1e-3, 1)};
    Vec3 a = random_point(random, 2), b = random_point(random, 2);
    if (k % 4 == 1) b = a;
    if (k % 4 == 2) b = a + Vec3{test::uniform(random, -2, 2), 0, 0};  // along an edge
    if (k % 4 == 3) {
      // On faces, edges and corners of the box, where cases change.
      a = {test::pick(random, 2) ? half.x : a.x, test::pick(random, 2) ? -half.y : a.y,
           test::pick(random, 2) ? half.z : a.z};
    }
    const SegmentAndBox near = nearest_of_segment_and_box(a, b, half);
    const auto box = test::make_box(test::Shape::Kind::box, 2 * half).points;
    ASSERT_NEAR(norm(near.on_segment - near.on_box), reference({a, b}, box), 2e-8) << k;
    ASSERT_LE(std::fabs(near.on_box.x), half.x);
    ASSERT_LE(std::fabs(near.on_box.y), half.y);
    ASSERT_LE(std::fabs(near.on_box.z), half.z);
    if (k % 10 == 0) {
      ASSERT_LE(off_segment(near.on_segment, a, b), 1e-14);
    }
  }
}

TEST(BoxAxis, IsThatOfLeastOverlapOrASeparation) {
  Random random(6);
  int overlaps = 0, apart = 0;
  for (int k = 0; k < 1500; ++k) {
    const Vec3 half_a{test::uniform(random, 0.1, 1), test::uniform(random, 0.1, 1),
                      test::uniform(random, 0.1, 1)};
    const Vec3 half_b{test::uniform(random, 0.1, 1), test::uniform(random, 0.1, 1),
                      test::uniform(random, 0.1, 1)};
    Pose X{k % 3 == 0 ? test::random_cube_rotation(random) : test::random_rotation(random),
           random_point(random, 1.2)};
    const BoxAxis axis = best_box_axis(half_a, half_b, X);
    ASSERT_NEAR(norm(axis.n), 1, 1e-14);
    const PointSet a(test::make_box(test::Shape::Kind::box, 2 * half_a).points);
    const PointSet b(test::make_box(test::Shape::Kind::box, 2 * half_b).points);
    const oracle::QPose X_AB = oracle::widen<oracle::Quad>(X);
    const auto distance = oracle::reference_distance(a, {}, b, X_AB);
    if (distance.upper > 1e-9) {
      ++apart;
      // One of fifteen axes separates boxes that are apart.
      ASSERT_GT(axis.separation, 0);
      ASSERT_LE(axis.separation, static_cast<double>(distance.upper) + 1e-14);
    } else {
      ++overlaps;
      const auto depth =
          oracle::reference_penetration(a, oracle::SmallHull(a), {}, b, oracle::SmallHull(b), X_AB);
      ASSERT_NEAR(axis.separation, -static_cast<double>(depth), 1e-12) << k;
    }
  }
  EXPECT_GT(overlaps, 100);
  EXPECT_GT(apart, 100);
}

TEST(ClosedForm, ExistsForSegmentsAndBoxesAndAgreesWithTheSearch) {
  Random random(7);
  const Body sphere = Body::sphere({0.1, 0.2, 0.3}, 0.05);
  const Body capsule = Body::capsule({-0.3, 0, 0}, {0.2, 0.4, 0.1}, 0.1);
  const Pose X_box{test::random_rotation(random), {0.3, -0.2, 0.1}};
  const Body box = Body::box({0.4, 0.6, 0.2}, X_box);
  const Body hull = Body::hull(test::make_box(test::Shape::Kind::box, {1, 1, 1}).points);
  const auto place = [](const Body& a, const Body& b, const Pose& X) {
    return Placement{&a.tables(), &b.tables(), X, 0};
  };
  EXPECT_FALSE(closed_form(place(hull, sphere, {})).has_value());
  for (int k = 0; k < 2000; ++k) {
    const Pose X{test::random_rotation(random), random_point(random, 2)};
    const Body* const bodies[] = {&sphere, &capsule, &box};
    for (const Body* a : bodies) {
      for (const Body* b : bodies) {
        if (a == &box && b == &box) continue;
        const auto near = closed_form(place(*a, *b, X));
        ASSERT_TRUE(near.has_value());
        std::vector<Vec3> points_a, points_b;
        for (std::size_t i = 0; i < a->point_count(); ++i) points_a.push_back(a->volume().point(i));
        for (std::size_t i = 0; i < b->point_count(); ++i) {
          points_b.push_back(X * b->volume().point(i));
        }
        ASSERT_NEAR(norm(near->p_a - near->p_b), reference(points_a, points_b), 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace keepclear
