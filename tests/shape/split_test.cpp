// SPDX-License-Identifier: BSD-3-Clause
#include "shape/split.hpp"

#include <gtest/gtest.h>

#include <numbers>
#include <random>

#include "keepclear/error.hpp"
#include "shape/hull.hpp"
#include "shape/mesh.hpp"
#include "shape/near_hull.hpp"

namespace keepclear {
namespace {

/// Twelve triangles.
void add_box(Mesh& mesh, Vec3 lo, Vec3 hi) {
  const auto first = static_cast<std::uint32_t>(mesh.vertices.size());
  for (int i = 0; i < 8; ++i) {
    mesh.vertices.push_back({(i & 1) ? hi.x : lo.x, (i & 2) ? hi.y : lo.y, (i & 4) ? hi.z : lo.z});
  }
  const std::uint32_t sides[6][4] = {{0, 1, 3, 2}, {4, 5, 7, 6}, {0, 1, 5, 4},
                                     {2, 3, 7, 6}, {0, 2, 6, 4}, {1, 3, 7, 5}};
  for (const auto& s : sides) {
    mesh.triangles.push_back({first + s[0], first + s[1], first + s[2]});
    mesh.triangles.push_back({first + s[0], first + s[2], first + s[3]});
  }
}

double total_volume(const std::vector<MeshPart>& parts) {
  double sum = 0;
  for (const MeshPart& part : parts) sum += volume(convex_hull(part.vertices));
  return sum;
}

/// Random points of the surface are in the hull of a part, to what the part says it is off by.
void expect_cover(const Mesh& mesh, const std::vector<MeshPart>& parts, int samples) {
  std::vector<NearHull> hulls;
  for (const MeshPart& part : parts) hulls.emplace_back(convex_hull(part.vertices).vertices);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> draw(0, 1);
  for (int i = 0; i < samples; ++i) {
    const auto& t = mesh.triangles[random() % mesh.triangles.size()];
    double a = draw(random), b = draw(random);
    if (a + b > 1) a = 1 - a, b = 1 - b;
    const Vec3 p = mesh.vertices[t[0]] + a * (mesh.vertices[t[1]] - mesh.vertices[t[0]]) +
                   b * (mesh.vertices[t[2]] - mesh.vertices[t[0]]);
    double least = 1;
    for (std::size_t k = 0; k < hulls.size(); ++k) {
      least = std::min(least, hulls[k].distance_hi(p) - parts[k].error_hi);
    }
    ASSERT_LE(least, 1e-12);
  }
}

TEST(Split, CutsTheTrianglesOfAnAngle) {
  // An L of two long boxes: each of its triangles is as long as a leg.
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {1, 0.1, 0.1});
  add_box(mesh, {0, 0, 0}, {0.1, 1, 0.1});
  const auto whole = split_mesh(mesh.vertices, mesh.triangles, 1, 0);
  ASSERT_EQ(whole.size(), 1U);
  const auto two = split_mesh(mesh.vertices, mesh.triangles, 2, 0);
  ASSERT_EQ(two.size(), 2U);
  EXPECT_LT(total_volume(two), 0.6 * total_volume(whole));
  const auto four = split_mesh(mesh.vertices, mesh.triangles, 4, 0.01);
  EXPECT_LE(four.size(), 4U);
  EXPECT_LT(total_volume(four), 0.6 * total_volume(whole));
  for (const auto& parts : {whole, two, four}) expect_cover(mesh, parts, 4000);
}

TEST(Split, LeavesABoxWhole) {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {1, 2, 3});
  EXPECT_EQ(split_mesh(mesh.vertices, mesh.triangles, 8, 0.01).size(), 1U);
}

TEST(Split, SeparatesWhatIsApart) {
  Mesh mesh;
  add_box(mesh, {0, 0, 0}, {1, 1, 1});
  add_box(mesh, {4, 4, 4}, {5, 5, 5});
  const auto parts = split_mesh(mesh.vertices, mesh.triangles, 2, 0);
  ASSERT_EQ(parts.size(), 2U);
  EXPECT_NEAR(total_volume(parts), 2, 1e-9);
}

TEST(Split, CoversAnySoupOfTriangles) {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> draw(-1, 1);
  for (int trial = 0; trial < 12; ++trial) {
    Mesh mesh;
    const double flat = trial % 3 == 0 ? 0 : 1;
    for (int i = 0; i < 60; ++i)
      mesh.vertices.push_back({draw(random), draw(random), flat * draw(random)});
    for (int i = 0; i < 40; ++i) {
      mesh.triangles.push_back({std::uint32_t(random() % 60), std::uint32_t(random() % 60),
                                std::uint32_t(random() % 60)});
    }
    expect_cover(mesh, split_mesh(mesh.vertices, mesh.triangles, 2 + trial % 5, 0.01 * (trial % 2)),
                 1500);
  }
}

TEST(Split, IsTheSameEveryTime) {
  Mesh mesh;
  for (int i = 0; i < 5; ++i)
    add_box(mesh, {0.5 * i, 0.1 * i * i, 0}, {0.5 * i + 1, 0.1 * i * i + 0.2, 0.3});
  const auto a = split_mesh(mesh.vertices, mesh.triangles, 4, 0.01);
  const auto b = split_mesh(mesh.vertices, mesh.triangles, 4, 0.01);
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].vertices, b[i].vertices);
    EXPECT_EQ(a[i].triangles, b[i].triangles);
  }
}

TEST(Split, TakesDegenerateMeshes) {
  const std::vector<Vec3> points{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {9, 9, 9}};
  const std::vector<std::array<std::uint32_t, 3>> line{{0, 1, 2}}, point{{1, 1, 1}};
  const auto parts = split_mesh(points, line, 8, 0.01);
  ASSERT_EQ(parts.size(), 1U);
  EXPECT_EQ(parts[0].vertices.size(), 3U);  // the one that no triangle uses is gone
  EXPECT_EQ(split_mesh(points, point, 8, 0.01)[0].vertices.size(), 1U);
  EXPECT_THROW(split_mesh(points, line, 0, 0), Error);
  EXPECT_THROW(split_mesh(points, {}, 1, 0), Error);
}

}  // namespace
}  // namespace keepclear
