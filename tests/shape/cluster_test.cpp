// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <algorithm>

#include "shape/mesh.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

/// The surface of a box as a grid of triangles.
void add_box(Mesh& mesh, Vec3 lo, Vec3 hi, int steps) {
  for (int axis = 0; axis < 3; ++axis) {
    for (const bool top : {false, true}) {
      for (int i = 0; i < steps; ++i) {
        for (int j = 0; j < steps; ++j) {
          const auto corner = [&](int a, int b) {
            std::array<double, 3> t{};
            t[axis] = top ? 1 : 0;
            t[(axis + 1) % 3] = double(a) / steps;
            t[(axis + 2) % 3] = double(b) / steps;
            mesh.vertices.push_back({lo.x + t[0] * (hi.x - lo.x), lo.y + t[1] * (hi.y - lo.y),
                                     lo.z + t[2] * (hi.z - lo.z)});
            return static_cast<std::uint32_t>(mesh.vertices.size() - 1);
          };
          const auto a = corner(i, j), b = corner(i + 1, j), c = corner(i + 1, j + 1),
                     d = corner(i, j + 1);
          mesh.triangles.push_back({a, b, c});
          mesh.triangles.push_back({a, c, d});
        }
      }
    }
  }
}

double total_volume(const Mesh& mesh, const std::vector<std::vector<std::uint32_t>>& clusters) {
  double sum = 0;
  for (const auto& cluster : clusters) {
    std::vector<Vec3> points;
    for (const auto t : cluster) {
      for (const auto v : mesh.triangles[t]) points.push_back(mesh.vertices[v]);
    }
    sum += volume(convex_hull(points));
  }
  return sum;
}

void expect_partition(const Mesh& mesh, const std::vector<std::vector<std::uint32_t>>& clusters) {
  std::vector<int> seen(mesh.triangles.size(), 0);
  for (const auto& cluster : clusters) {
    EXPECT_FALSE(cluster.empty());
    for (const auto t : cluster) ++seen.at(t);
  }
  EXPECT_EQ(std::count(seen.begin(), seen.end(), 1), static_cast<long>(seen.size()));
}

TEST(Clusters, SeparateTwoBoxesFarApart) {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {1, 1, 1}, 8);
  add_box(mesh, {5, 0, 0}, {6, 1, 1}, 8);
  const auto clusters = cluster_triangles(mesh, 2);
  ASSERT_EQ(clusters.size(), 2U);
  expect_partition(mesh, clusters);
  EXPECT_NEAR(total_volume(mesh, clusters), 2, 1e-9);
}

TEST(Clusters, ShrinkAnAngleAndNeverGrowWithMoreParts) {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {10, 1, 1}, 20);
  add_box(mesh, {0, 0, 0}, {1, 10, 1}, 20);
  double last = INFINITY;
  for (int parts = 1; parts <= 8; ++parts) {
    const auto clusters = cluster_triangles(mesh, parts);
    EXPECT_LE(clusters.size(), static_cast<std::size_t>(parts));
    expect_partition(mesh, clusters);
    const double sum = total_volume(mesh, clusters);
    EXPECT_LE(sum, last * (1 + 1e-12));
    last = sum;
  }
  EXPECT_LT(last, 30);  // one hull has about 59, the two bars 19
}

TEST(Clusters, AreTheSameEveryTime) {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {3, 1, 1}, 10);
  add_box(mesh, {0, 0, 0}, {1, 4, 1}, 10);
  EXPECT_EQ(cluster_triangles(mesh, 5), cluster_triangles(mesh, 5));
}

TEST(Clusters, OfOneTriangleOrAFlatMeshAreFine) {
  const Mesh one{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}}, 0};
  EXPECT_EQ(cluster_triangles(one, 8).size(), 1U);
  Mesh flat;
  add_box(flat, {0, 0, 0}, {1, 1, 0}, 4);
  expect_partition(flat, cluster_triangles(flat, 4));
  EXPECT_THROW(cluster_triangles(one, 0), Error);
  EXPECT_THROW(cluster_triangles({}, 1), Error);
}

}  // namespace
}  // namespace keepclear
