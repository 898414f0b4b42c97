// SPDX-License-Identifier: BSD-3-Clause
//
// Overlap and its depth: proofs of contact against exact arithmetic, depths against every direction
// that can matter.
#include "distance/epa.hpp"

#include <gtest/gtest.h>

#include "distance/pair.hpp"
#include "distance/placing.hpp"
#include "oracle/exact_overlap.hpp"
#include "oracle/reference_penetration.hpp"

namespace keepclear {
namespace {

using oracle::PointSet;
using oracle::Quad;
using oracle::SmallHull;
using test::Random;
using test::Shape;

/// A small solid: boxes, needles, plates, and hulls of a few points.
Shape small_shape(Random& random) {
  const Shape::Kind kinds[] = {Shape::Kind::box, Shape::Kind::needle, Shape::Kind::plate};
  if (test::pick(random, 2)) return test::random_shape(random, kinds[test::pick(random, 3)]);
  Shape shape{Shape::Kind::hull, {}, 0, {}};
  const int count = 4 + test::pick(random, 8);
  for (int k = 0; k < count; ++k) shape.points.push_back(0.3 * test::random_unit(random));
  return shape;
}

struct Overlap {
  Body a, b;
  Pose X;
  double depth;  ///< of the hulls
};

const std::vector<Overlap>& overlaps() {
  static const std::vector<Overlap> list = [] {
    Random random(41);
    std::vector<Overlap> made;
    while (made.size() < 400) {
      const Body a = test::body_of(small_shape(random)), b = test::body_of(small_shape(random));
      const Pose X = test::random_pose(random, a, b);
      const PointSet points_a(test::points_of(a.tables())), points_b(test::points_of(b.tables()));
      const auto X_AB = oracle::widen<Quad>(X);
      if (oracle::reference_distance(points_a, {}, points_b, X_AB).upper > 0) continue;
      const SmallHull hull_a(points_a), hull_b(points_b);
      if (!hull_a.solid || !hull_b.solid) continue;
      const Quad depth =
          oracle::reference_penetration(points_a, hull_a, {}, points_b, hull_b, X_AB);
      made.push_back({a, b, X, static_cast<double>(depth)});
    }
    return made;
  }();
  return list;
}

TEST(EpaOracle, ProvesEveryOverlapThatIsDeeperThanRounding) {
  EpaWorkspace space;
  int unproved = 0;
  for (const Overlap& o : overlaps()) {
    GjkCache cache;
    GjkResult found;
    const Placement pair = test::placement(o.a, o.b, o.X);
    gjk(pair, {}, cache, found);
    if (o.depth > 1e-12) {
      ASSERT_EQ(found.end, GjkResult::End::overlap) << o.depth;
    }
    const EpaResult result = epa(pair, found.simplex, false, 1e-10, space);
    if (!result.contact && o.depth > 1e-9) ++unproved;
  }
  EXPECT_EQ(unproved, 0);
}

TEST(EpaOracle, BracketsTheDepth) {
  EpaWorkspace space;
  for (const Overlap& o : overlaps()) {
    GjkCache cache;
    GjkResult found;
    const Placement pair = test::placement(o.a, o.b, o.X);
    gjk(pair, {}, cache, found);
    const EpaResult result = epa(pair, found.simplex, true, 1e-10, space);
    ASSERT_LE(result.signed_lo, -o.depth + 1e-15);
    ASSERT_LE(result.depth_lo, o.depth + 1e-12);
    ASSERT_NEAR(result.depth_lo, o.depth, 1e-8);
    ASSERT_NEAR(result.signed_lo, -o.depth, 1e-8);
    ASSERT_NEAR(norm(result.n), 1, 1e-12);
    ASSERT_NEAR(dot(result.n, result.p_a - result.p_b), o.depth, 1e-8);
  }
}

TEST(SignedDistance, IsMinusTheDepthAndMovingAlongTheNormalSeparates) {
  BodyDistanceOptions options;
  options.signed_distance = true;
  for (const Overlap& o : overlaps()) {
    const BodyDistance d = distance(o.a, {}, o.b, o.X, options);
    // A needle may hold next to no depth; rounding decides then.
    if (o.depth < 1e-9) continue;
    ASSERT_EQ(d.verdict, Verdict::contact);
    const double radii = o.a.radius() + o.b.radius();
    ASSERT_NEAR(d.distance, -o.depth - radii, 1e-8);
    ASSERT_LE(d.lower_bound, d.distance + 1e-12);
    ASSERT_LE(d.lower_bound, -o.depth - radii + 1e-13);
    Pose moved = o.X;
    moved.p = moved.p + (-d.lower_bound + 1e-9) * d.normal;
    EXPECT_EQ(distance(o.a, {}, o.b, moved).verdict, Verdict::free);
  }
}

TEST(SignedDistance, IsContinuousThroughContact) {
  Random random(5);
  BodyDistanceOptions options;
  options.signed_distance = true;
  const Body box = Body::box({1, 1, 1}), ball = Body::sphere({}, 0.25);
  const Body hull = Body::hull(test::make_box(Shape::Kind::box, {1, 1, 1}).points, 0.25);
  for (int k = -100; k <= 100; ++k) {
    const double gap = 1e-3 * k;
    EXPECT_NEAR(distance(box, {}, box, {Mat3{}, {1 + gap, 0, 0}}, options).distance, gap, 1e-12);
    EXPECT_NEAR(distance(box, {}, ball, {Mat3{}, {0, 0.75 + gap, 0}}, options).distance, gap,
                1e-12);
    EXPECT_NEAR(distance(hull, {}, box, {Mat3{}, {0, 0, -1.25 - gap}}, options).distance, gap,
                1e-12);
    EXPECT_NEAR(distance(ball, {}, ball, {Mat3{}, {0.5 + gap, 0, 0}}, options).distance, gap,
                1e-12);
  }
}

TEST(ContactProofs, AreOnlyMadeOfTrueOverlaps) {
  Random random(6);
  int contacts = 0;
  std::vector<Body> bodies;
  for (int k = 0; k < 120; ++k) bodies.push_back(test::body_of(small_shape(random)));
  for (int k = 0; k < 6000; ++k) {
    const Body &a = bodies[random() % bodies.size()], &b = bodies[random() % bodies.size()];
    const Shape shape_a{Shape::Kind::hull, test::points_of(a.tables()), a.radius(), {}};
    const Shape shape_b{Shape::Kind::hull, test::points_of(b.tables()), b.radius(), {}};
    const auto pattern = static_cast<test::Pattern>(test::pick(random, test::kPatternCount));
    const test::Placement at = test::place(random, shape_a, shape_b, pattern);
    const BodyDistance d = distance(a, at.X_WA, b, at.X_WB);
    if (d.verdict == Verdict::undecided) continue;
    const oracle::ExactSet set_a(shape_a.points), set_b(shape_b.points);
    const auto exact = oracle::exact_distance(set_a, at.X_WA, set_b, at.X_WB);
    const bool overlap = exact.overlap(mpq_class(a.radius()) + mpq_class(b.radius()));
    ASSERT_EQ(d.verdict == Verdict::contact, overlap)
        << test::to_string(pattern) << ", " << k << ": " << exact.approximate();
    if (overlap) ++contacts;
  }
  EXPECT_GT(contacts, 1000);
}

// The box keeps a closed form in its own frame. Where the rotation of its pose is not quite one,
// inverting it by transposing is off by as much, and that must not become a proof.
TEST(ContactProofs, OfABoxWhoseRotationIsOffByAMillionth) {
  Random random(7);
  for (int k = 0; k < 4000; ++k) {
    const double off = test::log_uniform(random, 1e-10, 2.8e-7) * (test::pick(random, 2) ? 1 : -1);
    const Vec3 size{0.4, 0.6, 0.2};
    const double far = test::uniform(random, 0, 5);
    const Pose X{test::stretched(test::random_rotation(random), 1 + off),
                 far * test::random_unit(random)};
    const Body box = Body::box(size, X);
    const Vec3 face = X * Vec3{0, 0, 0.1 * (1 + off)};
    const Vec3 n = test::unit(X.R * Vec3{0, 0, 1});
    const double gap = test::log_uniform(random, 1e-12, 1e-6);
    const Body ball = Body::sphere(face + (0.05 + gap) * n, 0.05);
    const BodyDistance d = distance(box, {}, ball, {});
    const auto corners = test::points_of(box.tables());
    const Vec3 centre = ball.volume().point(0);
    const auto exact =
        oracle::exact_distance(oracle::ExactSet(corners), {}, oracle::ExactSet({&centre, 1}), {});
    const bool overlap = exact.overlap(mpq_class(box.radius()) + mpq_class(ball.radius()));
    if (d.verdict != Verdict::undecided) {
      ASSERT_EQ(d.verdict == Verdict::contact, overlap) << k;
    }
    if (overlap) {
      ASSERT_LE(d.lower_bound, 0);
      continue;
    }
    // The distance is that of witness points, and the lower bound is not above the real one.
    ASSERT_GE(d.distance + box.radius() + 0.05, exact.approximate() - 1e-12) << k;
    const mpq_class lo = mpq_class(d.lower_bound) + mpq_class(box.radius()) + mpq_class(0.05);
    ASSERT_LE(mpq_class(lo * lo), exact.squared) << k;
  }
}

}  // namespace
}  // namespace keepclear
