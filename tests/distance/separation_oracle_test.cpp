// SPDX-License-Identifier: BSD-3-Clause
//
// The only code that may say *free*, judged in 113 bits: along any direction, and for any real pose
// within the error of the computed one, the lower bound is below the real separation.
#include <gtest/gtest.h>

#include "distance/gjk.hpp"
#include "distance/placing.hpp"

namespace keepclear {
namespace {

using oracle::QPose;
using oracle::Quad;
using oracle::QVec;
using test::Random;

const std::vector<Body>& bodies() {
  static const std::vector<Body> list = [] {
    Random random(31);
    auto some = test::many_bodies(random, 6);
    // Far from their own origin, where rounding weighs most.
    std::vector<Vec3> far;
    for (int k = 0; k < 60; ++k) far.push_back(Vec3{1e4, -2e4, 3e4} + test::random_unit(random));
    some.push_back(Body::hull(far));
    return some;
  }();
  return list;
}

/// (min over B - max over A of n.p) / |n|, with B at the real pose.
Quad separation_along(const BodyTables& a, const BodyTables& b, const QPose& X, Vec3 direction) {
  const QVec n = oracle::widen<Quad>(direction);
  const QVec m = transposed_times(X.R, n);
  Quad most = dot(n, oracle::widen<Quad>(a.point(0)));
  for (std::size_t i = 1; i < a.count; ++i) {
    most = std::max(most, dot(n, oracle::widen<Quad>(a.point(i))));
  }
  Quad least = dot(m, oracle::widen<Quad>(b.point(0)));
  for (std::size_t i = 1; i < b.count; ++i) {
    least = std::min(least, dot(m, oracle::widen<Quad>(b.point(i))));
  }
  return (least + dot(n, X.p) - most) / norm(n);
}

struct Pair {
  Placement pair;
  Vec3 n;
};
Pair random_case(Random& random) {
  const Body& a = bodies()[random() % bodies().size()];
  const Body& b = bodies()[random() % bodies().size()];
  Pair made{test::placement(a, b, test::random_pose(random, a, b)), test::random_unit(random)};
  if (test::pick(random, 3) == 0) made.n = test::random_cube_rotation(random).row0;
  if (test::pick(random, 4) == 0) made.n = test::log_uniform(random, 1e-80, 1e80) * made.n;
  return made;
}

TEST(SeparationOracle, TheBoundIsBelowTheRealSeparationAlongAnyDirection) {
  Random random(1);
  int below_without_error = 0;
  double slack = 0;
  for (int k = 0; k < 60000; ++k) {
    const Pair c = random_case(random);
    const double gap = evaluate_direction(c.pair, c.n).gap, length = norm(c.n);
    const double lo = hull_distance_lo(c.pair, gap, length);
    const Quad real = separation_along(*c.pair.a, *c.pair.b, oracle::widen<Quad>(c.pair.X_AB), c.n);
    ASSERT_LE(Quad(lo), real) << k;
    // What rounding takes is small: the bound stays useful.
    const double reach = c.pair.a->reach_hi + c.pair.b->reach_hi + norm(c.pair.X_AB.p);
    slack = std::max(slack, static_cast<double>(real - Quad(lo)) / reach);
    if (Quad(gap / length) > real) ++below_without_error;
  }
  EXPECT_LT(slack, 2e-14);
  // The test can fail: without what is taken off, every few cases would be wrong.
  EXPECT_GT(below_without_error, 5000);
}

TEST(SeparationOracle, TheBoundHoldsForEveryRealPoseWithinTheError) {
  Random random(2);
  int wrong_without_error = 0;
  for (int k = 0; k < 20000; ++k) {
    Pair c = random_case(random);
    const double turn = test::log_uniform(random, 1e-15, 1e-3);
    const double shift = test::log_uniform(random, 1e-15, 1e-3);
    c.pair.error_hi = placement_error_hi(*c.pair.a, *c.pair.b, c.pair.X_AB, {turn, shift});
    QPose real = oracle::widen<Quad>(c.pair.X_AB);
    const QPose spin{
        oracle::widen<Quad>(Pose{test::rotation_about(test::random_unit(random), 0.999 * turn), {}})
            .R,
        {}};
    real.R = spin.R * real.R;
    real.p = real.p + oracle::widen<Quad>((0.999 * shift) * test::random_unit(random));
    const double gap = evaluate_direction(c.pair, c.n).gap;
    const double lo = hull_distance_lo(c.pair, gap, norm(c.n));
    const Quad truth = separation_along(*c.pair.a, *c.pair.b, real, c.n);
    ASSERT_LE(Quad(lo), truth) << k;
    const Placement exact{c.pair.a, c.pair.b, c.pair.X_AB,
                          placement_error_hi(*c.pair.a, *c.pair.b, c.pair.X_AB, {})};
    if (Quad(hull_distance_lo(exact, gap, norm(c.n))) > truth) ++wrong_without_error;
  }
  EXPECT_GT(wrong_without_error, 5000);
}

TEST(SeparationOracle, TheBoundOfTheSearchIsBelowTheDistance) {
  Random random(3);
  for (int k = 0; k < 10000; ++k) {
    const Pair c = random_case(random);
    GjkCache cache;
    GjkResult result;
    gjk(c.pair, {}, cache, result);
    const auto truth = test::hull_distance(c.pair);
    ASSERT_LE(Quad(result.lower), truth.upper) << k;
    const double lo = body_distance_lo(c.pair, result.lower);
    ASSERT_LE(Quad(lo), truth.upper - Quad(c.pair.a->radius) - Quad(c.pair.b->radius)) << k;
  }
}

TEST(SeparationOracle, ADirectionTooShortOrTooLongTellsNothing) {
  const Body a = Body::sphere({}, 0), b = Body::sphere({1, 0, 0}, 0);
  const Placement pair = test::placement(a, b, {});
  for (const double length : {0.0, 1e-101, 1e101, HUGE_VAL, std::nan("")}) {
    EXPECT_EQ(hull_distance_lo(pair, 1, length), -HUGE_VAL);
  }
  // A gap that is no number proves nothing.
  EXPECT_FALSE(hull_distance_lo(pair, std::nan(""), 1) > -HUGE_VAL);
}

TEST(SeparationOracle, BallsAreNeverSaidToBeFartherApartThanTheyAre) {
  Random random(4);
  for (int k = 0; k < 100000; ++k) {
    const double size = test::log_uniform(random, 1e-6, 1e6);
    const Vec3 a = size * test::random_unit(random);
    const Vec3 b = a + test::log_uniform(random, 1e-9, 1) * test::random_unit(random);
    const double radii = test::log_uniform(random, 1e-9, 1);
    const Quad real = norm(oracle::widen<Quad>(b) - oracle::widen<Quad>(a)) - Quad(radii);
    const double lo = ball_distance_lo(a, b, radii);
    ASSERT_LE(Quad(lo), real);
    ASSERT_GE(Quad(lo), real - Quad(1e-14) * (Quad(radii) + norm(oracle::widen<Quad>(b - a))));
  }
}

}  // namespace
}  // namespace keepclear
