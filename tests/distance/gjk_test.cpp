// SPDX-License-Identifier: BSD-3-Clause
#include "distance/gjk.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "distance/placing.hpp"

namespace keepclear {
namespace {

using test::Random;
using End = GjkResult::End;

const std::vector<Body>& bodies() {
  static const std::vector<Body> list = [] {
    Random random(11);
    return test::many_bodies(random, 4);
  }();
  return list;
}

template <typename Use>
void for_pairs(std::uint64_t seed, int count, const Use& use) {
  Random random(seed);
  for (int k = 0; k < count; ++k) {
    const Body& a = bodies()[random() % bodies().size()];
    const Body& b = bodies()[random() % bodies().size()];
    use(test::placement(a, b, test::random_pose(random, a, b)), random);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Gjk, AgreesWithThePlainTwin) {
  int apart = 0, overlap = 0;
  for_pairs(1, 20000, [&](const Placement& pair, Random&) {
    GjkCache cache;
    GjkResult fast, plain;
    gjk(pair, {}, cache, fast);
    gjk_plain(pair, {}, plain);
    const bool near_zero = std::min(fast.upper, plain.upper) < 1e-9;
    if (!near_zero) {
      ASSERT_EQ(fast.end, plain.end);
    }
    if (fast.end == End::overlap || plain.end == End::overlap) {
      ++overlap;
      return;
    }
    ++apart;
    ASSERT_NEAR(fast.upper, plain.upper, 1e-9);
    ASSERT_NEAR(fast.lower, plain.lower, 1e-9);
  });
  EXPECT_GT(apart, 5000);
  EXPECT_GT(overlap, 2000);
}

TEST(Gjk, BracketsTheReferenceAndEndsOnTheDualityGap) {
  int wide = 0, converged = 0;
  for_pairs(2, 6000, [&](const Placement& pair, Random&) {
    GjkCache cache;
    GjkResult result;
    const GjkOptions options;
    gjk(pair, options, cache, result);
    const auto truth = test::hull_distance(pair);
    ASSERT_LE(oracle::Quad(result.lower), truth.upper);
    if (result.end == End::overlap) {
      ASSERT_LE(static_cast<double>(truth.lower), 1e-9);
      return;
    }
    ASSERT_GE(result.upper, static_cast<double>(truth.lower) - 1e-12);
    ++converged;
    // Near contact the gap cannot close below what the direction is known to.
    if (result.upper > 1e-6 && result.upper - result.lower > options.tolerance) ++wide;
  });
  EXPECT_GT(converged, 1000);
  EXPECT_EQ(wide, 0);
}

TEST(Gjk, AnyCacheIsAValidStart) {
  for_pairs(3, 10000, [](const Placement& pair, Random& random) {
    GjkCache cold, odd;
    odd.size = test::pick(random, 5);
    for (int i = 0; i < odd.size; ++i) {
      odd.a[i] = static_cast<std::uint32_t>(random() % pair.a->count);
      odd.b[i] = static_cast<std::uint32_t>(random() % pair.b->count);
    }
    if (test::pick(random, 4) == 0) {  // the same vertex over and over
      for (int i = 1; i < odd.size; ++i) odd.a[i] = odd.a[0], odd.b[i] = odd.b[0];
    }
    GjkResult a, b;
    gjk(pair, {}, cold, a);
    gjk(pair, {}, odd, b);
    if (std::min(a.upper, b.upper) < 1e-9) return;
    ASSERT_EQ(a.end, b.end);
    if (a.end == End::overlap) return;
    ASSERT_NEAR(a.upper, b.upper, 2e-10);
    ASSERT_NEAR(a.lower, b.lower, 2e-10);
  });
}

TEST(Gjk, AWarmStartAlongAPathAgreesWithAColdOne) {
  Random random(4);
  int compared = 0;
  for (int k = 0; k < 300; ++k) {
    const Body& a = bodies()[random() % bodies().size()];
    const Body& b = bodies()[random() % bodies().size()];
    Pose X = test::random_pose(random, a, b);
    const Vec3 axis = test::random_unit(random), way = test::random_unit(random);
    GjkCache warm;
    for (int step = 0; step < 100; ++step) {
      X.R = test::rotation_about(axis, 0.01) * X.R;
      X.p = X.p + 0.002 * way;
      const Placement pair = test::placement(a, b, X);
      GjkCache cold;
      GjkResult from_warm, from_cold;
      gjk(pair, {}, warm, from_warm);
      gjk(pair, {}, cold, from_cold);
      if (std::min(from_warm.upper, from_cold.upper) < 1e-9) continue;
      ASSERT_EQ(from_warm.end, from_cold.end);
      if (from_warm.end == End::overlap) continue;
      ASSERT_NEAR(from_warm.upper, from_cold.upper, 2e-10);
      ASSERT_NEAR(from_warm.lower, from_cold.lower, 2e-10);
      ++compared;
    }
  }
  EXPECT_GT(compared, 5000);
}

TEST(Gjk, WitnessPointsAreTheWeightedVerticesAtTheDistance) {
  for_pairs(5, 5000, [](const Placement& pair, Random&) {
    GjkCache cache;
    GjkResult result;
    gjk(pair, {}, cache, result);
    if (result.end == End::overlap) return;
    const Witness points = witness(pair, result.simplex);
    ASSERT_NEAR(norm(points.p_a - points.p_b), result.upper, 1e-9);
    double sum = 0;
    for (int i = 0; i < result.simplex.size; ++i) {
      ASSERT_GE(result.simplex.weight[i], 0);
      ASSERT_LT(result.simplex.vertex_a[i], pair.a->count);
      ASSERT_LT(result.simplex.vertex_b[i], pair.b->count);
      sum += result.simplex.weight[i];
    }
    ASSERT_NEAR(sum, 1, 1e-12);
    if (result.lower > 1e-6) {
      ASSERT_NEAR(norm(result.n), 1, 1e-12);
      ASSERT_NEAR(dot(result.n, points.p_b - points.p_a), result.upper, 1e-6);
    }
  });
}

TEST(Gjk, EndsEarlyWhereToldTo) {
  int stopped = 0;
  for_pairs(6, 5000, [&](const Placement& pair, Random&) {
    GjkCache cache;
    GjkResult full, above, below;
    gjk(pair, {}, cache, full);
    if (full.end == End::overlap || full.upper < 1e-3) return;
    GjkOptions options;
    options.stop_above = 0.5 * full.lower;
    cache = {};
    gjk(pair, options, cache, above);
    ASSERT_GT(above.lower, options.stop_above);
    ASSERT_LE(above.lower, full.upper + 1e-12);
    ASSERT_LE(above.iterations, full.iterations);
    options = {};
    options.stop_below = 2 * full.upper;
    cache = {};
    gjk(pair, options, cache, below);
    ASSERT_LT(below.upper, options.stop_below);
    ASSERT_GE(below.upper, full.lower - 1e-12);
    if (above.end == End::stopped) ++stopped;
  });
  EXPECT_GT(stopped, 1000);
}

// Paper 2, III-B: ending when v repeats, or when no new vertex is found, is not ending at the
// nearest point. On a fine disc seen edge-on the nearest vertices barely differ; what ends the
// search here is the gap, and it is closed.
TEST(Gjk, ClosesTheGapOnNearlyDegenerateBodies) {
  Random random(7);
  for (int k = 0; k < 300; ++k) {
    std::vector<Vec3> disc, other;
    const double thick = test::log_uniform(random, 1e-9, 1e-2);
    for (int i = 0; i < 400; ++i) {
      const double angle = 2 * std::numbers::pi * i / 400;
      disc.push_back({std::cos(angle), std::sin(angle), (i % 2 ? 1 : -1) * thick});
      other.push_back({(i % 2 ? 1 : -1) * thick, std::cos(angle), std::sin(angle)});
    }
    const Body a = Body::hull(disc), b = Body::hull(other);
    const double apart = test::log_uniform(random, 1e-5, 1);
    const Placement pair = test::placement(
        a, b, {test::random_rotation(random), (2 + apart) * test::random_unit(random)});
    GjkCache cache;
    GjkResult result;
    gjk(pair, {}, cache, result);
    ASSERT_EQ(result.end, End::converged);
    ASSERT_LE(result.upper - result.lower, 1e-10);
    const auto truth = test::hull_distance(pair);
    ASSERT_NEAR(result.upper, static_cast<double>(truth.upper), 1e-10);
  }
}

TEST(Gjk, GivesTheSameBitsEachTime) {
  for_pairs(8, 2000, [](const Placement& pair, Random&) {
    GjkCache one, two;
    GjkResult a, b;
    gjk(pair, {}, one, a);
    gjk(pair, {}, two, b);
    ASSERT_EQ(a.upper, b.upper);
    ASSERT_EQ(a.lower, b.lower);
    ASSERT_EQ(a.n, b.n);
    ASSERT_EQ(a.iterations, b.iterations);
  });
}

}  // namespace
}  // namespace keepclear
