// SPDX-License-Identifier: BSD-3-Clause
#include "shape/fit_hull.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "shape/hull.hpp"
#include "shape/near_hull.hpp"

namespace keepclear {
namespace {

using std::numbers::pi;

const FitSearch kQuick{.seed = 1, .starts = 200, .refined = 3, .done = {}};

FitInput points_only(std::vector<Vec3> points) {
  std::vector<double> radii(points.size(), 0);
  return {std::move(points), std::move(radii)};
}

/// Every ball is within the radius of the hull of the points.
void expect_inside(const FitInput& input, const FittedPoints& fit) {
  const NearHull hull(fit.points);
  for (std::size_t i = 0; i < input.points.size(); ++i) {
    EXPECT_LE(hull.distance_hi(input.points[i]) + input.radii[i], fit.radius * (1 + 1e-9) + 1e-12);
  }
}

std::vector<Vec3> around_sphere(Vec3 centre, double radius, int count) {
  std::vector<Vec3> points;
  for (int i = 0; i < count; ++i) {
    const double z = 1 - (2.0 * i + 1) / count, rho = std::sqrt(1 - z * z), angle = 2.4 * i;
    points.push_back(centre + radius * Vec3{rho * std::cos(angle), rho * std::sin(angle), z});
  }
  return points;
}

TEST(FitHull, FindsASphereWithOnePoint) {
  const FitInput input = points_only(around_sphere({3, -2, 1}, 0.25, 300));
  const auto fits = fit_points(input, 1, kQuick);
  EXPECT_NEAR(fits[0].radius, 0.25, 0.25 * 1e-3);
  EXPECT_NEAR(norm(fits[0].points[0] - Vec3{3, -2, 1}), 0, 1e-3);
  expect_inside(input, fits[0]);
}

TEST(FitHull, FindsACapsuleWithTwoPoints) {
  std::vector<Vec3> points = around_sphere({0, 0, 0}, 0.1, 200);
  for (const Vec3& p : around_sphere({0.3, 0.4, 0}, 0.1, 200)) points.push_back(p);
  const FitInput input = points_only(points);
  const auto fits = fit_points(input, 2, kQuick);
  const double exact = pi * 0.01 * 0.5 + 4.0 / 3.0 * pi * 0.001;
  EXPECT_LT(fits[1].volume, 1.01 * exact);
  expect_inside(input, fits[1]);
}

TEST(FitHull, FindsABoxWithItsEightCorners) {
  std::vector<Vec3> points;
  for (int i = 0; i < 8; ++i) points.push_back({0.1 * (i & 1), 0.1 * (i & 2), 0.1 * (i & 4)});
  for (int i = 0; i < 60; ++i) {  // and points of its faces
    points.push_back({0.1 * (i % 2), 0.2 * (i % 7) / 6.0, 0.4 * (i % 5) / 4.0});
  }
  const FitInput input = points_only(convex_hull(points).vertices);
  const auto fits = fit_points(input, 8, kQuick);
  EXPECT_LT(fits[7].volume, 1.001 * 0.1 * 0.2 * 0.4);
}

TEST(FitHull, TakesBallsAsTheyAre) {
  const FitInput input{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {0.2, 0.2, 0.2}};
  const auto fits = fit_points(input, 3, kQuick);
  EXPECT_NEAR(fits[2].radius, 0.2, 1e-6);
  for (const FittedPoints& fit : fits) expect_inside(input, fit);
}

TEST(FitHull, NoBodyIsSmallerThanWhatItHolds) {
  // A thin post, whose best bodies are needles with a radius.
  std::vector<Vec3> points;
  for (int i = 0; i < 32; ++i) {
    for (const double z : {-0.35, 0.35}) {
      points.push_back({0.03 * std::cos(i * pi / 16), 0.03 * std::sin(i * pi / 16), z});
    }
  }
  const double hull = volume(convex_hull(points));
  for (std::uint64_t seed = 1; seed < 4; ++seed) {
    for (const FittedPoints& fit : fit_points(
             points_only(points), 6, {.seed = seed, .starts = 200, .refined = 4, .done = {}})) {
      EXPECT_GE(fit.volume, 0.999 * hull);
      // The volume told is that of the body, found by other means.
      const Hull body = convex_hull(fit.points);
      EXPECT_GE(fit.volume, volume(body) + 4.0 / 3.0 * pi * std::pow(fit.radius, 3));
    }
  }
}

TEST(FitHull, MorePointsAreNeverWorse) {
  std::mt19937_64 random(11);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (int trial = 0; trial < 6; ++trial) {
    std::vector<Vec3> points;
    for (int i = 0; i < 40; ++i) {
      points.push_back({draw(random), 0.5 * draw(random), 0.2 * draw(random)});
    }
    const FitInput input = points_only(points);
    const auto fits = fit_points(input, 6, {.seed = 1, .starts = 100, .refined = 2, .done = {}});
    ASSERT_EQ(fits.size(), 6U);
    for (std::size_t n = 0; n < fits.size(); ++n) {
      EXPECT_LE(fits[n].points.size(), n + 1);
      expect_inside(input, fits[n]);
      if (n == 0) continue;
      EXPECT_LE(fits[n].volume, fits[n - 1].volume);
    }
    EXPECT_LT(fits[5].volume, 0.8 * fits[0].volume);
  }
}

TEST(FitHull, TakesPointsSegmentsAndSheetsOfAnySize) {
  for (const double size : {1e-6, 1.0, 1e4}) {
    const std::vector<std::vector<Vec3>> sets{
        {{size, size, size}},
        {{size, 0, 0}, {size, 0, 0}},
        {{0, 0, 0}, {size, size, 0}},
        {{0, 0, 0}, {size, 0, 0}, {size, size, 0}, {0, size, 0}},
        {{0, 0, 0}, {size, 0, 0}, {size, size, 1e-9 * size}, {0, size, 0}, {0, 0, 1e-12 * size}}};
    for (const auto& set : sets) {
      const FitInput input = points_only(set);
      for (const FittedPoints& fit : fit_points(input, 5, kQuick)) {
        EXPECT_TRUE(std::isfinite(fit.radius));
        const NearHull hull(fit.points);
        for (const Vec3& p : set) EXPECT_LE(hull.distance_hi(p), fit.radius + 1e-9 * size);
      }
      // With as many points as there are, nothing need be grown.
      EXPECT_LE(fit_points(input, 5, kQuick)[4].radius, 1e-6 * size);
    }
  }
}

TEST(FitHull, TheSeedDecides) {
  const FitInput input = points_only(around_sphere({0, 0, 0}, 1, 80));
  const auto a = fit_points(input, 4, kQuick), b = fit_points(input, 4, kQuick);
  for (std::size_t n = 0; n < a.size(); ++n) EXPECT_EQ(a[n].points, b[n].points);
}

}  // namespace
}  // namespace keepclear
