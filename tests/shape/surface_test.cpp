// SPDX-License-Identifier: BSD-3-Clause
#include "shape/surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <random>

#include "shape/generators.hpp"
#include "shape/primitives.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

constexpr double kPi = std::numbers::pi;

double volume_of(const Surface& surface) {
  double sum = 0;
  for (const auto& [a, b, c] : surface.triangles) {
    sum += dot(surface.vertices[a], cross(surface.vertices[b], surface.vertices[c])) / 6;
  }
  return sum;
}

/// Every edge is passed once each way: nothing is open, nothing is turned about.
void expect_closed(const Surface& surface) {
  std::map<std::pair<std::uint32_t, std::uint32_t>, int> edges;
  for (const Triangle& t : surface.triangles) {
    for (std::size_t i = 0; i < 3; ++i) {
      ASSERT_LT(t[i], surface.vertices.size());
      ++edges[{t[i], t[(i + 1) % 3]}];
    }
  }
  for (const auto& [edge, count] : edges) {
    EXPECT_EQ(count, 1);
    EXPECT_TRUE(edges.contains({edge.second, edge.first}));
  }
}

/// By looking at every triangle in small steps: slow, and no code of the tree.
double sampled_distance(Vec3 p, const Surface& mesh) {
  constexpr int kSteps = 60;
  double best = INFINITY;
  for (const auto& [a, b, c] : mesh.triangles) {
    for (int i = 0; i <= kSteps; ++i) {
      for (int j = 0; i + j <= kSteps; ++j) {
        const double u = static_cast<double>(i) / kSteps, v = static_cast<double>(j) / kSteps;
        const Vec3 q = (1 - u - v) * mesh.vertices[a] + u * mesh.vertices[b] + v * mesh.vertices[c];
        best = std::min(best, norm(p - q));
      }
    }
  }
  return best;
}

TEST(Triangulate, GivesTheVolumesOfBallCapsuleAndRoundedBox) {
  const Surface ball = triangulate(Body::sphere({1, 2, 3}, 0.5).volume(), 4);
  expect_closed(ball);
  EXPECT_EQ(ball.vertices.size(), 2562U);
  EXPECT_EQ(ball.triangles.size(), 5120U);
  EXPECT_NEAR(volume_of(ball) / (kPi / 6), 1, 0.005);
  EXPECT_LT(volume_of(ball), kPi / 6);

  const Surface capsule = triangulate(Body::capsule({0, 0, -1}, {0.3, 0.4, 1}, 0.1).volume(), 4);
  expect_closed(capsule);
  const double length = std::sqrt(4.25);
  EXPECT_NEAR(volume_of(capsule) / (kPi * 0.01 * (length + 4.0 / 30)), 1, 0.01);

  const Surface box = triangulate(Body::box({1, 2, 3}, {}, 0.1).volume(), 4);
  expect_closed(box);
  const double exact = 6 + 0.1 * 22 + kPi * 0.01 * 6 + 4 * kPi / 3 * 0.001;  // Steiner's formula
  EXPECT_NEAR(volume_of(box) / exact, 1, 0.002);
  EXPECT_LT(volume_of(box), exact);
}

TEST(Triangulate, GivesASharpBodyItself) {
  const Surface box = triangulate(Body::box({1, 2, 3}).volume(), 0);
  expect_closed(box);
  EXPECT_EQ(box.vertices.size(), 8U);
  EXPECT_EQ(box.triangles.size(), 12U);
  EXPECT_NEAR(volume_of(box), 6, 1e-12);
  EXPECT_NEAR(volume_of(triangulate(Body::hull(cylinder_hull(1, 2).points).volume(), 0)), 2 * kPi,
              0.01);
}

TEST(Triangulate, TakesFlatBodiesSegmentsAndPoints) {
  const Body plate = Body::hull(std::vector<Vec3>{{0, 0, 0}, {2, 0, 0}, {0, 1, 0}, {2, 1, 0}});
  const Surface flat = triangulate(plate.volume(), 2);
  EXPECT_EQ(flat.triangles.size(), 4U);
  double area = 0;
  for (const auto& [a, b, c] : flat.triangles) {
    area +=
        0.5 * norm(cross(flat.vertices[b] - flat.vertices[a], flat.vertices[c] - flat.vertices[a]));
  }
  EXPECT_NEAR(area, 4, 1e-12);

  const Body round = Body::hull(std::vector<Vec3>{{0, 0, 0}, {2, 0, 0}, {0, 1, 0}}, 0.1);
  const Surface rounded = triangulate(round.volume(), 3);
  expect_closed(rounded);
  const double exact = 2 * 0.1 + kPi / 2 * 0.01 * (3 + std::sqrt(5.0)) + 4 * kPi / 3 * 0.001;
  EXPECT_NEAR(volume_of(rounded) / exact, 1, 0.02);

  const Surface point = triangulate(Body::sphere({1, 2, 3}, 0).volume(), 2);
  ASSERT_EQ(point.triangles.size(), 1U);
  EXPECT_EQ(point.vertices[point.triangles[0][2]], (Vec3{1, 2, 3}));
  const Surface segment = triangulate(Body::capsule({0, 0, 0}, {1, 0, 0}, 0).volume(), 2);
  ASSERT_EQ(segment.triangles.size(), 1U);
  EXPECT_EQ(
      norm(segment.vertices[segment.triangles[0][0]] - segment.vertices[segment.triangles[0][1]]),
      1);
}

TEST(Triangulate, IsInsideTheBodyAndReachesAlmostAsFar) {
  std::mt19937_64 random(3);
  for (int kind = 0; kind < test::kPatterns; ++kind) {
    const std::vector<Vec3> points = test::pattern(kind, random(), 20);
    const Body body = Body::hull(points, 0.05);
    const Surface surface = triangulate(body.volume(), 3);
    ASSERT_FALSE(surface.triangles.empty());
    for (int round = 0; round < 200; ++round) {
      const Vec3 direction = test::random_direction(random);
      const Vec3 n = (1 / norm(direction)) * direction;
      double reach = -INFINITY, size = 1, farthest = -INFINITY;
      for (const Vec3 p : points) {
        farthest = std::max(farthest, dot(p, n));
        size = std::max(size, norm(p));
      }
      for (const auto& [a, b, c] : surface.triangles) {
        for (const std::uint32_t v : {a, b, c}) {
          reach = std::max(reach, dot(surface.vertices[v], n));
        }
      }
      ASSERT_LE(reach, farthest + body.radius() + 1e-9 * size) << kind;
      ASSERT_GE(reach, farthest + 0.98 * body.radius() - 1e-6 * size) << kind;
    }
  }
}

TEST(TriangleTree, FindsTheNearestTriangleOfAHundred) {
  std::mt19937_64 random(4);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  const auto point = [&] {
    return Vec3{coordinate(random), coordinate(random), coordinate(random)};
  };
  Surface mesh;
  for (std::uint32_t i = 0; i < 100; ++i) {
    const Vec3 p = point();
    // Some of them have no area.
    const Vec3 q = i % 9 == 0 ? p : p + 0.3 * point(), s = i % 7 == 0 ? q : p + 0.3 * point();
    mesh.vertices.insert(mesh.vertices.end(), {p, q, s});
    mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
  }
  const TriangleTree tree(mesh.vertices, mesh.triangles);
  for (int round = 0; round < 30; ++round) {
    const Vec3 p = 1.5 * point();
    const auto found = tree.nearest(p);
    EXPECT_NEAR(found.distance, sampled_distance(p, mesh), 0.01);
    EXPECT_LE(found.distance, sampled_distance(p, mesh) + 1e-12);
    EXPECT_EQ(tree.distance(p, found.triangle), found.distance);
    for (std::uint32_t t = 0; t < 100; ++t) ASSERT_GE(tree.distance(p, t), found.distance);
  }
}

TEST(FarthestFrom, IsZeroForTheBodyItselfAndTheOffsetOfALargerBall) {
  const Body box = Body::box({1, 2, 3});
  const Surface own = triangulate(box.volume(), 0);
  EXPECT_NEAR(farthest_from(box.volume(), own.vertices, own.triangles), 0, 1e-12);

  const Surface small = triangulate(Body::sphere({}, 0.2).volume(), 4);
  EXPECT_NEAR(farthest_from(Body::sphere({}, 0.5).volume(), small.vertices, small.triangles), 0.3,
              0.01);
  EXPECT_NEAR(
      farthest_from(Body::sphere({0.1, 0, 0}, 0.5).volume(), small.vertices, small.triangles), 0.4,
      0.01);
}

TEST(FarthestFrom, SeesTheHollowThatAHullSpans) {
  // An open box without its lid: the middle of the lid is half a width from the walls.
  Surface tray = triangulate(Body::box({1, 1, 2}).volume(), 0);
  const Body around = Body::hull(tray.vertices);
  std::erase_if(tray.triangles, [&](const Triangle& t) {
    return std::all_of(t.begin(), t.end(), [&](auto v) { return tray.vertices[v].z > 0; });
  });
  ASSERT_EQ(tray.triangles.size(), 10U);
  EXPECT_NEAR(farthest_from(around.volume(), tray.vertices, tray.triangles), 0.5, 0.0245);
}

TEST(FarthestFrom, AgreesWithManySamples) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> coordinate(-1, 1);
  for (int round = 0; round < 5; ++round) {
    std::vector<Vec3> points;
    Surface mesh;
    for (std::uint32_t i = 0; i < 8; ++i) {
      for (int corner = 0; corner < 3; ++corner) {
        points.push_back({coordinate(random), coordinate(random), coordinate(random)});
      }
      mesh.triangles.push_back({3 * i, 3 * i + 1, 3 * i + 2});
    }
    mesh.vertices = points;
    const Body body = Body::hull(points, 0.1);
    const double found = farthest_from(body.volume(), mesh.vertices, mesh.triangles);
    double sampled = 0;
    const TriangleTree tree(mesh.vertices, mesh.triangles);
    const Surface fine = triangulate(body.volume(), 4);
    std::vector<double> areas;
    for (const auto& [a, b, c] : fine.triangles) {
      areas.push_back(
          norm(cross(fine.vertices[b] - fine.vertices[a], fine.vertices[c] - fine.vertices[a])));
    }
    std::discrete_distribution<std::size_t> by_area(areas.begin(), areas.end());
    for (int i = 0; i < 40'000; ++i) {
      const auto& [a, b, c] = fine.triangles[by_area(random)];
      double u = 0.5 + 0.5 * coordinate(random), v = 0.5 + 0.5 * coordinate(random);
      if (u + v > 1) u = 1 - u, v = 1 - v;
      const Vec3 p = (1 - u - v) * fine.vertices[a] + u * fine.vertices[b] + v * fine.vertices[c];
      sampled = std::max(sampled, tree.nearest(p).distance);
    }
    const double hundredth = 0.01 * 2 * body.bounding_radius();
    EXPECT_LE(sampled, found + hundredth);
    EXPECT_GE(sampled, found - hundredth);
  }
}

TEST(FarthestFrom, TakesPointsAndNoTriangles) {
  const Body ball = Body::sphere({}, 1);
  EXPECT_EQ(farthest_from(ball.volume(), std::span<const Vec3>(), {}), INFINITY);
  const std::vector<Vec3> at{{0, 0, 0.5}};
  const std::vector<Triangle> point{{0, 0, 0}};
  EXPECT_NEAR(farthest_from(ball.volume(), at, point), 1.5, 0.02);
  EXPECT_EQ(farthest_from(Body::sphere({1, 0, 0.5}, 0).volume(), at, point), 1);
}

}  // namespace
}  // namespace keepclear
