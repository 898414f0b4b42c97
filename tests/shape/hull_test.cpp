// SPDX-License-Identifier: BSD-3-Clause
#include "shape/hull.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "shape/support.hpp"

namespace keepclear {
namespace {

std::vector<Vec3> grid(int n, double step, Vec3 offset = {}) {
  std::vector<Vec3> points;
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) points.push_back(offset + Vec3{i * step, j * step, k * step});
    }
  }
  return points;
}

TEST(ConvexHull, OfOnePointRepeatedIsThatPoint) {
  const Hull hull = convex_hull(std::vector<Vec3>(7, {1e5, -3, 0.1}));
  EXPECT_EQ(hull.dimension, 0);
  EXPECT_EQ(hull.vertices, (std::vector<Vec3>{{1e5, -3, 0.1}}));
  EXPECT_EQ(hull.excess, 0);
  EXPECT_EQ(hull.first_neighbour, (std::vector<std::uint32_t>{0, 0}));
}

TEST(ConvexHull, OfCollinearPointsIsTheSegmentOfItsEnds) {
  std::vector<Vec3> points;
  for (int i = 0; i <= 10; ++i) points.push_back({0.1 * i, 0.2 * i, -0.3 * i});
  const Hull hull = convex_hull(points);
  EXPECT_EQ(hull.dimension, 1);
  EXPECT_EQ(hull.vertices, (std::vector<Vec3>{points.front(), points.back()}));
  EXPECT_LT(hull.excess, 1e-14);
  EXPECT_GT(hull.excess, 0);
}

TEST(ConvexHull, OfCoplanarPointsIsThePolygonOfItsCorners) {
  std::vector<Vec3> points;
  for (int i = 0; i <= 4; ++i) {
    for (int j = 0; j <= 4; ++j) points.push_back({0.25 * i, 0.25 * j, 0.5 * i - 0.25 * j});
  }
  const Hull hull = convex_hull(points);
  EXPECT_EQ(hull.dimension, 2);
  EXPECT_EQ(hull.vertices.size(), 4U);
  EXPECT_TRUE(hull.facets.empty());
  EXPECT_LT(hull.excess, 1e-14);
  EXPECT_EQ(hull.neighbours.size(), 8U);
}

TEST(ConvexHull, OfAGridHasEightVertices) {
  for (const double step : {0.125, 0.1, 1e-7, 1e7}) {
    for (const Vec3 offset : {Vec3{}, Vec3{0.3, -0.7, 0.9}}) {
      const Hull hull = convex_hull(grid(9, step, step * offset));
      EXPECT_EQ(hull.dimension, 3);
      EXPECT_EQ(hull.vertices.size(), 8U) << step;
      EXPECT_LT(hull.excess, 1e-12 * 8 * step);
      EXPECT_NEAR(volume(hull) / std::pow(8 * step, 3), 1, 1e-9);
    }
  }
}

TEST(ConvexHull, FacetsAreOutward) {
  const Hull hull = convex_hull(grid(2, 1));
  ASSERT_EQ(hull.facets.size(), 12U);
  const Vec3 middle{0.5, 0.5, 0.5};
  for (const auto& f : hull.facets) {
    const Vec3 a = hull.vertices[f[0]], b = hull.vertices[f[1]], c = hull.vertices[f[2]];
    EXPECT_GT(dot(cross(b - a, c - a), a - middle), 0);
  }
  EXPECT_DOUBLE_EQ(volume(hull), 1);
}

TEST(ConvexHull, VerticesAreInputPointsBitForBitEachOnce) {
  std::mt19937_64 random(3);
  std::vector<Vec3> points;
  for (int i = 0; i < 500; ++i) points.push_back(test::random_direction(random));
  points.insert(points.end(), points.begin(), points.begin() + 100);
  const Hull hull = convex_hull(points);
  for (std::size_t i = 0; i < hull.vertices.size(); ++i) {
    const Vec3 v = hull.vertices[i];
    EXPECT_NE(std::find(points.begin(), points.end(), v), points.end());
    EXPECT_EQ(std::count(hull.vertices.begin(), hull.vertices.end(), v), 1);
  }
}

TEST(ConvexHull, OfHugeAndTinyCoordinatesDoesNotOverflow) {
  const double huge = std::numeric_limits<double>::max();
  for (const double size : {huge, 1e200, 1e-200, 1e-300}) {
    std::vector<Vec3> points;
    for (const double x : {-size, size}) {
      for (const double y : {-size, size}) {
        for (const double z : {-size, size}) points.push_back({x, y, z});
      }
    }
    points.push_back({});
    const Hull hull = convex_hull(points);
    EXPECT_EQ(hull.vertices.size(), 8U) << size;
    EXPECT_TRUE(std::isfinite(hull.excess));
    EXPECT_LE(hull.excess, 1e-11 * size + 1e-300);
  }
}

TEST(ConvexHull, OfAConeWithManyBasePointsFindsItsInside) {
  std::vector<Vec3> points;
  for (int i = 0; i < 1000; ++i)
    points.push_back({std::cos(i * 0.00628), std::sin(i * 0.00628), 0});
  points.push_back({2, 0, 1e-3});
  points.push_back({0, 0, 1e-5});
  const Hull hull = convex_hull(points);
  EXPECT_EQ(hull.dimension, 3);
  EXPECT_LT(hull.excess, 1e-12);
}

TEST(ConvexHull, RefusesNoPointsAndPointsThatAreNotFinite) {
  EXPECT_THROW(convex_hull({}), Error);
  EXPECT_THROW(convex_hull(std::vector<Vec3>{{0, NAN, 0}}), Error);
  EXPECT_THROW(convex_hull(std::vector<Vec3>{{0, INFINITY, 0}, {0, 0, 0}}), Error);
}

TEST(ConvexHull, OfAMillionPointsEnds) {
  const Hull hull = convex_hull(grid(100, 0.01));
  EXPECT_EQ(hull.vertices.size(), 8U);
}

}  // namespace
}  // namespace keepclear
