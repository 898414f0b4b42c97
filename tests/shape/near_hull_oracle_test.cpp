// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "oracle/reference_distance.hpp"
#include "shape/near_hull.hpp"

namespace keepclear {
namespace {

/// The distance of p from the hull of the points in 113-bit arithmetic.
oracle::Quad true_distance(const std::vector<Vec3>& points, Vec3 p) {
  const std::vector<Vec3> one{p};
  return oracle::reference_distance(oracle::PointSet(points), {}, oracle::PointSet(one), {}).lower;
}

/// Sets of every kind, at every scale and place: solid, flat, thin, on a line, all the same.
std::vector<Vec3> draw_points(std::mt19937_64& random, int kind, double size, Vec3 middle) {
  std::uniform_real_distribution<double> draw(-1, 1);
  const int count = 1 + static_cast<int>(random() % 9);
  std::vector<Vec3> points;
  const Vec3 a{draw(random), draw(random), draw(random)},
      b{draw(random), draw(random), draw(random)};
  for (int i = 0; i < count; ++i) {
    const double u = draw(random), v = draw(random), w = draw(random);
    Vec3 p{u, v, w};
    if (kind == 1) p = u * a + v * b;
    if (kind == 2) p = u * a;
    if (kind == 3) p = u * a + v * b + 1e-9 * w * cross(a, b);
    if (kind == 4) p = u * a + 1e-12 * Vec3{v, w, u};
    if (kind == 5 && i > 0) p = (1 / size) * (points[i / 2] - middle);
    points.push_back(middle + size * p);
  }
  return points;
}

TEST(NearHull, NeverClaimsAPointNearerThanItIs) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> draw(-1, 1);
  double loosest = 0;
  for (int trial = 0; trial < 6000; ++trial) {
    const double size = std::pow(10.0, 3 * draw(random));
    const Vec3 middle = trial % 3 == 0 ? Vec3{} : 100 * Vec3{draw(random), draw(random), 1};
    const std::vector<Vec3> points = draw_points(random, trial % 6, size, middle);
    const NearHull near(points);
    Vec3 p = middle + 2 * size * Vec3{draw(random), draw(random), draw(random)};
    if (trial % 2 == 0) {
      // A point of the hull, as well as doubles can say it.
      double sum = 0;
      p = {};
      for (const Vec3& q : points) {
        const double w = std::abs(draw(random));
        p = p + w * q;
        sum += w;
      }
      p = (1 / sum) * p;
    }
    const double claimed = near.distance_hi(p);
    const oracle::Quad real = true_distance(points, p);
    EXPECT_GE(oracle::Quad(claimed), real) << "trial " << trial;
    loosest = std::max(loosest, (claimed - double(real)) / (size + norm(middle)));
  }
  EXPECT_LT(loosest, 1e-9);  // and it is of use
}

TEST(NearHull, FindsPointsInsideHullsWithManyPointsOnAPlane) {
  std::mt19937_64 random(9);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (int trial = 0; trial < 300; ++trial) {
    // A drum: what a cut leaves has a flat side with many corners.
    std::vector<Vec3> points;
    const Vec3 tilt{draw(random), draw(random), 1};
    for (int i = 0; i < 24; ++i) {
      const double x = draw(random), y = draw(random);
      points.push_back({x, y, i % 2 == 0 ? -(tilt.x * x + tilt.y * y) : 3 + draw(random)});
    }
    const NearHull near(points);
    for (int i = 0; i < 20; ++i) {
      Vec3 p;
      double sum = 0;
      for (const Vec3& q : points) {
        const double w = random() % 3 == 0 ? std::abs(draw(random)) : 0;
        p = p + w * q;
        sum += w;
      }
      if (sum == 0) continue;
      EXPECT_LT(near.distance_hi((1 / sum) * p), 1e-12) << trial;
    }
  }
}

TEST(NearHull, AnswersForWhatIsNoPoint) {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const NearHull near(points);
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(near.distance_hi({infinity, 0, 0}), infinity);
  EXPECT_EQ(near.distance_hi({0, std::nan(""), 0}), infinity);
  EXPECT_GE(near.distance_hi({1e300, 1e300, 0}), 1e300);
}

}  // namespace
}  // namespace keepclear
