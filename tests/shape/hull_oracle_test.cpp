// SPDX-License-Identifier: BSD-3-Clause
//
// Containment of every input point, in exact rational arithmetic.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "data.hpp"
#include "shape/generators.hpp"
#include "shape/mesh.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

struct Exact {
  mpq_class x, y, z;
};
Exact exact(Vec3 a) {
  return {a.x, a.y, a.z};
}
Exact operator-(const Exact& a, const Exact& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
mpq_class dot(const Exact& a, const Exact& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
Exact cross(const Exact& a, const Exact& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

/// No input point is farther than `excess` beyond the support plane of the vertices, in the exact
/// normal directions of the facets and in some others. For a hull that facets bound this is all.
void expect_contained(const std::vector<Vec3>& points, const Hull& hull, std::size_t most_facets) {
  std::vector<Exact> directions{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  std::mt19937_64 random(5);
  for (int k = 0; k < 5; ++k) directions.push_back(exact(test::random_direction(random)));
  const std::size_t step = 1 + hull.facets.size() / most_facets;
  for (std::size_t f = 0; f < hull.facets.size(); f += step) {
    const auto& t = hull.facets[f];
    const Exact a = exact(hull.vertices[t[0]]);
    directions.push_back(cross(exact(hull.vertices[t[1]]) - a, exact(hull.vertices[t[2]]) - a));
  }
  const mpq_class excess2 = mpq_class(hull.excess) * mpq_class(hull.excess);
  for (const Exact& d : directions) {
    // A quick look in doubles finds the few points that can matter.
    const Vec3 rough{d.x.get_d(), d.y.get_d(), d.z.get_d()};
    const auto highest = [&](std::span<const Vec3> set) {
      double best = -INFINITY, far = 0;
      for (const Vec3& p : set) {
        best = std::max(best, dot(rough, p));
        far = std::max(far, norm(p));
      }
      mpq_class result;
      bool first = true;
      for (const Vec3& p : set) {
        if (dot(rough, p) < best - 1e-14 * norm(rough) * far) continue;
        mpq_class h = dot(d, exact(p));
        if (first || h > result) result = h;
        first = false;
      }
      return result;
    };
    const mpq_class beyond = highest(points) - highest(hull.vertices);
    EXPECT_TRUE(beyond <= 0 || beyond * beyond <= excess2 * dot(d, d));
  }
}

TEST(ConvexHullOracle, ContainsEveryPointOfHardSets) {
  for (int kind = 0; kind < test::kPatterns; ++kind) {
    for (std::uint64_t seed = 0; seed < 12; ++seed) {
      SCOPED_TRACE("pattern " + std::to_string(kind) + " seed " + std::to_string(seed));
      const auto points = test::pattern(kind, seed, 20 + 30 * seed);
      expect_contained(points, convex_hull(points), 60);
    }
  }
}

TEST(ConvexHullOracle, ContainsEveryVertexOfRobotMeshes) {
  KEEPCLEAR_NEEDS_DATA("robots");
  int count = 0;
  for (const char* robot : {"kuka_lbr_iiwa7_r800", "meca500_r3", "spot", "valkyrie"}) {
    for (const auto& entry :
         std::filesystem::directory_iterator(test::data_dir() / "robots" / robot)) {
      const auto extension = entry.path().extension();
      if (extension != ".stl" && extension != ".dae" && extension != ".obj") continue;
      SCOPED_TRACE(entry.path().string());
      const Mesh mesh = read_mesh(entry.path(), {1, 1, 1});
      expect_contained(mesh.vertices, convex_hull(mesh.vertices), 60);
      ++count;
    }
  }
  EXPECT_GE(count, 20);
}

}  // namespace
}  // namespace keepclear
