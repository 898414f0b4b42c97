// SPDX-License-Identifier: BSD-3-Clause
#include "shape/small_hull.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "shape/hull.hpp"

namespace keepclear {
namespace {

using std::numbers::pi;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  double operator()() { return distribution_(random_); }
  Vec3 point() { return {(*this)(), (*this)(), (*this)()}; }
  /// `kind`: solid, flat, on a line, many the same.
  std::vector<Vec3> points(int count, int kind) {
    std::vector<Vec3> all;
    const Vec3 a = point(), b = point(), c = point();
    for (int i = 0; i < count; ++i) {
      const Vec3 p = point();
      if (kind == 0) all.push_back(p);
      if (kind == 1) all.push_back(a + p.x * b + p.y * c);
      if (kind == 2) all.push_back(a + p.x * b);
      if (kind == 3) all.push_back(i % 2 == 0 || all.empty() ? p : all[i / 2]);
    }
    return all;
  }

 private:
  std::mt19937_64 random_;
  std::uniform_real_distribution<double> distribution_{-1, 1};
};

std::vector<Vec3> box_corners(double x, double y, double z) {
  std::vector<Vec3> corners;
  for (int i = 0; i < 8; ++i) {
    corners.push_back({(i & 1) ? x : 0, (i & 2) ? y : 0, (i & 4) ? z : 0});
  }
  return corners;
}

TEST(SmallHull, KnowsTheVolumesOfSchool) {
  const double r = 0.3, ball = 4.0 / 3.0 * pi * r * r * r;
  EXPECT_NEAR(SmallHull({{{1, 2, 3}}}).volume(r), ball, 1e-15);
  EXPECT_NEAR(SmallHull({{{0, 0, 0}, {0, 0, 2}}}).volume(r), ball + 2 * pi * r * r, 1e-14);
  // A box of 1 x 2 x 3 grown by r: three pairs of slabs, four quarter cylinders an axis, a ball.
  EXPECT_NEAR(SmallHull(box_corners(1, 2, 3)).volume(r), 6 + 22 * r + pi * r * r * 6 + ball, 1e-13);
  // A rectangle: the two sides, half a cylinder around.
  const std::vector<Vec3> sheet{{0, 0, 0}, {2, 0, 0}, {2, 1, 0}, {0, 1, 0}, {1, 0.5, 0}};
  EXPECT_NEAR(SmallHull(sheet).volume(r), 2 * 2 * r + pi * r * r / 2 * 6 + ball, 1e-14);
}

TEST(SmallHull, HasTheVolumeThatQhullFinds) {
  Draw draw(1);
  for (int trial = 0; trial < 400; ++trial) {
    const std::vector<Vec3> points = draw.points(4 + trial % 29, trial % 5 == 0 ? 3 : 0);
    EXPECT_NEAR(SmallHull(points).volume(0), volume(convex_hull(points)), 1e-9) << trial;
  }
}

TEST(SmallHull, HasTheVolumeThatSamplingFinds) {
  Draw draw(2);
  for (int trial = 0; trial < 12; ++trial) {
    const SmallHull hull(draw.points(1 + trial, trial % 4));
    const double r = 0.2 + 0.3 * std::abs(draw());
    int inside = 0;
    constexpr int kSamples = 40'000;
    for (int i = 0; i < kSamples; ++i) inside += hull.nearest(4 * draw.point()).distance <= r;
    const double share = double(inside) / kSamples, box = 8 * 64;
    EXPECT_NEAR(share * box, hull.volume(r), 5 * box * std::sqrt((share + 1e-3) / kSamples));
  }
}

TEST(SmallHull, ItsGradientIsThatOfDifferences) {
  Draw draw(3);
  constexpr double kStep = 1e-6;
  for (int trial = 0; trial < 300; ++trial) {
    std::vector<Vec3> points = draw.points(1 + trial % 10, 0);
    const double r = std::abs(draw());
    SmallHull hull(points);
    std::vector<Vec3> by_point(points.size());
    double by_radius = 0;
    hull.gradient(r, by_point, by_radius);
    EXPECT_NEAR(by_radius, (hull.volume(r + kStep) - hull.volume(r - kStep)) / (2 * kStep), 1e-7);
    if (hull.dimension() != 3) continue;
    for (std::size_t p = 0; p < points.size(); ++p) {
      const Vec3 way = draw.point(), before = points[p];
      points[p] = before + kStep * way;
      const double more = SmallHull(points).volume(r);
      points[p] = before - kStep * way;
      const double less = SmallHull(points).volume(r);
      points[p] = before;
      EXPECT_NEAR(dot(by_point[p], way), (more - less) / (2 * kStep), 1e-5) << trial;
    }
  }
}

TEST(SmallHull, AShiftChangesNoVolume) {
  Draw draw(4);
  for (int trial = 0; trial < 200; ++trial) {
    const SmallHull hull(draw.points(2 + trial % 12, trial % 4));
    std::vector<Vec3> by_point(hull.points().size());
    double by_radius = 0;
    hull.gradient(0.4, by_point, by_radius);
    Vec3 sum;
    for (const Vec3& g : by_point) sum = sum + g;
    EXPECT_NEAR(norm(sum), 0, 1e-9) << trial;
  }
}

TEST(SmallHull, ItsSurfaceIsClosedAndHoldsAllPoints) {
  Draw draw(5);
  for (int trial = 0; trial < 500; ++trial) {
    const std::vector<Vec3> points = draw.points(4 + trial % 20, trial % 4);
    const SmallHull hull(points);
    if (hull.dimension() < 3) continue;
    EXPECT_EQ(2 * hull.edges().size(), 3 * hull.facets().size()) << trial;
    for (const auto& facet : hull.facets()) {
      for (const Vec3& p : points) EXPECT_LE(dot(facet.normal, p) - facet.offset, 1e-9) << trial;
    }
  }
}

TEST(SmallHull, TakesPointsOfALatticeAndNearlyTheSameTwice) {
  Draw draw(7);
  for (int trial = 0; trial < 60; ++trial) {
    std::vector<Vec3> points;
    const double noise = trial % 3 == 0 ? 0 : trial % 3 == 1 ? 1e-17 : 1e-10;
    for (int i = 0; i < 120; ++i) {
      const Vec3 p{std::round(2 * draw()), std::round(2 * draw()), std::round(3 * draw())};
      points.push_back(p + noise * draw.point());
    }
    const SmallHull hull(points);
    EXPECT_EQ(2 * hull.edges().size(), 3 * hull.facets().size()) << trial;
    EXPECT_NEAR(hull.volume(0), volume(convex_hull(points)), 1e-7) << trial;
  }
}

TEST(SmallHull, ANeedleHasTheVolumeOfItsSegment) {
  Draw draw(8);
  for (int trial = 0; trial < 600; ++trial) {
    const double thin = std::pow(10.0, -1.0 - trial % 15);
    std::vector<Vec3> points{{0, 0, 0}, {0, 0, 1}};
    for (int i = 0; i < 1 + trial % 5; ++i) {
      points.push_back({thin * draw(), thin * draw(), std::abs(draw())});
    }
    const double segment = SmallHull({{{0, 0, 0}, {0, 0, 1}}}).volume(0.1);
    const double volume = SmallHull(points).volume(0.1);
    EXPECT_GE(volume, segment * (1 - 1e-9)) << trial;
    EXPECT_LE(volume, segment * (1 + 30 * thin)) << trial;
  }
}

TEST(SmallHull, TheNearestPointIsOnTheHullAndNoOtherIsNearer) {
  Draw draw(6);
  for (int trial = 0; trial < 400; ++trial) {
    const std::vector<Vec3> points = draw.points(1 + trial % 12, trial % 4);
    const SmallHull hull(points);
    for (int i = 0; i < 20; ++i) {
      const Vec3 x = 1.5 * draw.point();
      const SmallHull::Nearest near = hull.nearest(x);
      Vec3 at;
      for (int k = 0; k < 3; ++k) {
        EXPECT_GE(near.weight[k], -1e-12);
        at = at + near.weight[k] * points[near.v[k]];
      }
      EXPECT_NEAR(norm(x - at), std::abs(near.distance), 1e-9);
      if (near.distance <= 0) continue;
      // The plane through it, across the direction, has all points behind it.
      for (const Vec3& p : points) EXPECT_LE(dot(near.direction, p - at), 1e-9) << trial;
    }
  }
}

}  // namespace
}  // namespace keepclear
