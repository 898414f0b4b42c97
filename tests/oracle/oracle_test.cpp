// SPDX-License-Identifier: BSD-3-Clause
//
// Who judges the judges: the exact distance against closed cases, against 113-bit arithmetic and
// against brute force. None of it touches the library.
#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "distance/generators.hpp"
#include "oracle/exact_overlap.hpp"
#include "oracle/reference_penetration.hpp"

namespace keepclear::oracle {
namespace {

using test::Pattern;
using test::Placement;
using test::Random;
using test::Shape;

Shape random_small_shape(Random& random) {
  for (;;) {
    const auto kind = static_cast<Shape::Kind>(test::pick(random, 9));
    Shape shape = test::random_shape(random, kind);
    if (shape.points.size() <= 20) return shape;
  }
}

TEST(ExactDistance, OfUnitBoxesSideBySide) {
  const Shape box = test::make_box(Shape::Kind::box, {1, 1, 1});
  const ExactSet set(box.points);
  for (const double gap : {0x1p-52, 0x1p-40, 0.25, 3.0}) {
    Pose X;
    X.p = {1 + gap, 0.25, 0};
    EXPECT_EQ(exact_distance(set, {}, set, X).squared, mpq_class(gap) * mpq_class(gap));
    EXPECT_FALSE(exact_distance(set, {}, set, X).overlap(0));
  }
  Pose touching;
  touching.p = {1, 1, 1};
  EXPECT_TRUE(exact_distance(set, {}, set, touching).overlap(0));
  Pose apart;
  apart.p = {1, 1, std::nextafter(1.0, 2.0)};
  EXPECT_FALSE(exact_distance(set, {}, set, apart).overlap(0));
  EXPECT_TRUE(exact_distance(set, {}, set, {}).overlap(0));
}

TEST(ExactDistance, OfSkewEdgesIsTheTextbookValue) {
  const std::vector<Vec3> p{{-1, 0, 0}, {1, 0, 0}}, q{{0, -1, 3}, {0, 1, 3}};
  const ExactSet a(p), b(q);
  EXPECT_EQ(exact_distance(a, {}, b, {}).squared, 9);
  EXPECT_TRUE(exact_distance(a, {}, b, {}).overlap(3));
  EXPECT_FALSE(exact_distance(a, {}, b, {}).overlap(mpq_class(std::nextafter(3.0, 0.0))));
}

TEST(ExactDistance, TakesAPoseAsTheMatrixItIs) {
  const std::vector<Vec3> p{{1, 0, 0}}, q{{0, 0, 0}};
  const ExactSet a(p), b(q);
  Pose X;
  X.R.row0.x = 1 + 0x1p-52;
  X.p.y = 0x1p-1074;
  const mpq_class tiny = scaled(1, -1074), stretch = 1 + scaled(1, -52);
  EXPECT_EQ(exact_distance(a, X, b, {}).squared, stretch * stretch + tiny * tiny);
}

TEST(ExactDistance, AgreesWith113BitsOnEveryPattern) {
  Random random(1);
  for (int k = 0; k < 8000; ++k) {
    const Shape a = test::random_shape(random, static_cast<Shape::Kind>(test::pick(random, 9)));
    const Shape b = test::random_shape(random, static_cast<Shape::Kind>(test::pick(random, 9)));
    const Placement at = test::place(random, a, b, static_cast<Pattern>(k % test::kPatternCount));
    const ExactSet set_a(a.points), set_b(b.points);
    const ExactDistance exact = exact_distance(set_a, at.X_WA, set_b, at.X_WB);
    const auto reference =
        reference_distance(set_a.points, widen<Quad>(at.X_WA), set_b.points, widen<Quad>(at.X_WB));
    const Quad gap = reference.upper - reference.lower;
    EXPECT_LT(static_cast<double>(gap), 1e-14) << k << ' ' << to_string(at.pattern);
    EXPECT_NEAR(exact.approximate(), static_cast<double>(reference.upper), 1e-14)
        << k << ' ' << to_string(at.pattern) << ' ' << to_string(a.kind) << ' '
        << to_string(b.kind);
    // The 113-bit normal proves the same in exact arithmetic.
    if (exact.approximate() > 1e-9) {
      EXPECT_TRUE(proves_apart(set_a, at.X_WA, set_b, at.X_WB, narrow(reference.x),
                               mpq_class(exact.approximate() - 1e-10)));
    }
    EXPECT_FALSE(proves_apart(set_a, at.X_WA, set_b, at.X_WB, narrow(reference.x),
                              mpq_class(exact.approximate() + 1e-12)));
  }
}

TEST(ExactDistance, DoesNotDependOnTheOrderOfThePair) {
  Random random(2);
  for (int k = 0; k < 1000; ++k) {
    const Shape a = random_small_shape(random), b = random_small_shape(random);
    const Placement at = test::place(random, a, b, static_cast<Pattern>(k % test::kPatternCount));
    const ExactSet set_a(a.points), set_b(b.points);
    EXPECT_EQ(exact_distance(set_a, at.X_WA, set_b, at.X_WB).squared,
              exact_distance(set_b, at.X_WB, set_a, at.X_WA).squared);
  }
}

TEST(Generators, ReachTheGapTheyAimAt) {
  Random random(3);
  int near = 0, overlapping = 0, apart = 0;
  for (int k = 0; k < 2000; ++k) {
    const Shape a = test::random_shape(random, static_cast<Shape::Kind>(test::pick(random, 9)));
    const Shape b = test::random_shape(random, static_cast<Shape::Kind>(test::pick(random, 9)));
    const Placement at = test::place(random, a, b, Pattern::any_features);
    const ExactSet set_a(a.points), set_b(b.points);
    const ExactDistance exact = exact_distance(set_a, at.X_WA, set_b, at.X_WB);
    const mpq_class radius = mpq_class(a.radius) + mpq_class(b.radius);
    if (exact.overlap(radius)) {
      ++overlapping;
      EXPECT_LE(at.gap, 1e-12);
    } else {
      ++apart;
    }
    near += std::abs(exact.approximate() - radius.get_d() - at.gap) < 1e-12 + 1e-3 * at.gap;
  }
  EXPECT_GT(near, 800);
  EXPECT_GT(overlapping, 500);
  EXPECT_GT(apart, 700);
}

TEST(ReferencePenetration, OfBoxesAlongTheAxes) {
  const Shape box = test::make_box(Shape::Kind::box, {1, 1, 1});
  const PointSet points(box.points);
  const SmallHull hull(points);
  EXPECT_EQ(hull.normals.size(), 3u);
  QPose X;
  X.p = {Quad(0.75), Quad(0.25), 0};
  EXPECT_NEAR(static_cast<double>(reference_penetration(points, hull, {}, points, hull, X)), 0.25,
              1e-25);
}

TEST(ReferencePenetration, IsTheShortestWayOut) {
  Random random(4);
  int overlapping = 0;
  for (int k = 0; k < 600; ++k) {
    const Shape a = random_small_shape(random), b = random_small_shape(random);
    const Placement at =
        test::place(random, a, b, k % 2 ? Pattern::any_features : Pattern::contained);
    const PointSet set_a(a.points), set_b(b.points);
    const SmallHull hull_a(set_a), hull_b(set_b);
    if (!hull_a.solid && !hull_b.solid) continue;
    const QPose X_WA = widen<Quad>(at.X_WA), X_WB = widen<Quad>(at.X_WB);
    if (reference_distance(set_a, X_WA, set_b, X_WB).upper > Quad(1e-12)) continue;
    ++overlapping;
    const Quad depth = reference_penetration(set_a, hull_a, X_WA, set_b, hull_b, X_WB);
    // No direction among many does better.
    for (int trial = 0; trial < 200; ++trial) {
      const QVec n = widen<Quad>(test::random_unit(random));
      const Quad way = -lowest(set_a, X_WA, n).second - lowest(set_b, X_WB, Quad(-1) * n).second;
      EXPECT_GE(static_cast<double>(way - depth), -1e-12) << k;
    }
    if (at.gap > -1) {
      EXPECT_LE(static_cast<double>(depth), std::max(0.0, -at.gap) + 1e-10) << k;
    }
  }
  EXPECT_GT(overlapping, 200);
}

}  // namespace
}  // namespace keepclear::oracle
