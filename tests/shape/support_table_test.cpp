// SPDX-License-Identifier: BSD-3-Clause
//
// Support functions by cells and by climbing, against the scan of all points; exact where the
// tables promise to be.
#include "shape/support_table.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "rounding/rounding.hpp"
#include "shape/generators.hpp"
#include "shape/hull.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

mpq_class exact_dot(Vec3 n, Vec3 p) {
  return mpq_class(n.x) * mpq_class(p.x) + mpq_class(n.y) * mpq_class(p.y) +
         mpq_class(n.z) * mpq_class(p.z);
}

/// The exact maximum of n.p over points(i), i < count. A scan in long double leaves out what cannot
/// be largest.
template <typename Point>
mpq_class exact_max(Vec3 n, std::size_t count, const Point& point) {
  const auto along = [&](Vec3 p) {
    return static_cast<long double>(n.x) * p.x + static_cast<long double>(n.y) * p.y +
           static_cast<long double>(n.z) * p.z;
  };
  long double best = -std::numeric_limits<long double>::infinity(), size = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const Vec3 p = point(i);
    best = std::max(best, along(p));
    size = std::max(size, std::fabs(static_cast<long double>(n.x) * p.x) +
                              std::fabs(static_cast<long double>(n.y) * p.y) +
                              std::fabs(static_cast<long double>(n.z) * p.z));
  }
  mpq_class result;
  bool first = true;
  for (std::size_t i = 0; i < count; ++i) {
    if (along(point(i)) < best - 0x1p-60L * size) continue;
    const mpq_class value = exact_dot(n, point(i));
    if (first || value > result) result = value;
    first = false;
  }
  return result;
}

/// What broke others, and more: cell boundaries and their neighbours, corners of the cube, axes.
std::vector<Vec3> hard_directions(int cells_per_edge, std::mt19937_64& random, int count) {
  std::vector<Vec3> directions;
  std::uniform_int_distribution<int> sign(0, 1), three(0, 2);
  const int k = std::max(cells_per_edge, 3);
  const auto nudge = [&](double v) {
    const int way = three(random);
    return way == 0 ? v : std::nextafter(v, way == 1 ? 2.0 : -2.0);
  };
  const auto rotated = [&](double a, double b, double c) {
    const int axis = three(random);
    if (sign(random)) a = -a;
    return axis == 0 ? Vec3{a, b, c} : axis == 1 ? Vec3{c, a, b} : Vec3{b, c, a};
  };
  for (int axis = 0; axis < 3; ++axis) {
    for (const double s : {1.0, -1.0}) {
      for (const double zero : {0.0, -0.0, 1e-300, -1e-17}) {
        Vec3 n{zero, zero, zero};
        (axis == 0 ? n.x : axis == 1 ? n.y : n.z) = s;
        directions.push_back(n);
      }
    }
  }
  for (int corner = 0; corner < 8; ++corner) {
    directions.push_back({corner & 1 ? 1. : -1., corner & 2 ? 1. : -1., corner & 4 ? 1. : -1.});
    directions.push_back({corner & 1 ? 1. : -1., corner & 2 ? 1. : -1., 0});
  }
  std::uniform_int_distribution<int> line(0, k);
  for (int i = 0; i < count; ++i) {
    const double u = nudge(-1 + 2.0 * line(random) / k), v = nudge(-1 + 2.0 * line(random) / k);
    const double w = std::uniform_real_distribution<double>(-1, 1)(random);
    const double scale = std::pow(10.0, 12 * w);
    const Vec3 on_line = rotated(nudge(1), u, sign(random) ? v : w);
    directions.push_back(scale * on_line);
    directions.push_back(test::random_direction(random));
  }
  return directions;
}

std::vector<std::vector<Vec3>> point_sets() {
  std::vector<std::vector<Vec3>> sets;
  for (int kind = 0; kind < test::kPatterns; ++kind) {
    sets.push_back(test::pattern(kind, 7, 30));
    sets.push_back(test::pattern(kind, 8, 400));
  }
  sets.push_back(test::pattern(9, 9, 1500));
  // All extreme, far away, and a prism with many sides.
  auto far = test::pattern(9, 10, 600);
  for (Vec3& p : far) p = p + Vec3{1e5, -1e5, 1e5};
  sets.push_back(far);
  std::vector<Vec3> prism;
  for (int k = 0; k < 200; ++k) {
    const double angle = 2 * std::numbers::pi * k / 200;
    for (const double z : {-0.5, 0.0, 0.5}) prism.push_back({std::cos(angle), std::sin(angle), z});
  }
  sets.push_back(prism);
  return sets;
}

const std::vector<BodyTables>& bodies() {
  static const std::vector<BodyTables> tables = [] {
    std::vector<BodyTables> list;
    for (const auto& points : point_sets()) list.push_back(make_tables(convex_hull(points), 0));
    return list;
  }();
  return tables;
}

double rounding_of(const BodyTables& body, Vec3 n) {
  return 2 * rounding::dot_error(rounding::norm_hi(n), body.reach_hi);
}

TEST(SupportCells, TheLargestOfTheCandidatesIsTheLargestOfAllExactly) {
  std::mt19937_64 random(1);
  for (const BodyTables& body : bodies()) {
    for (const Vec3 n : hard_directions(body.cells_per_edge, random, 150)) {
      const std::uint32_t cell = body.cells_per_edge == 0 ? 0 : cell_of(body.cells_per_edge, n);
      const std::size_t begin = body.first_block[cell] * std::size_t{kBlock};
      const std::size_t end = body.first_block[cell + 1] * std::size_t{kBlock};
      ASSERT_LT(begin, end);
      const mpq_class all = exact_max(n, body.count, [&](std::size_t i) { return body.point(i); });
      const mpq_class some = exact_max(
          n, end - begin, [&](std::size_t i) { return body.point(body.slot_vertex[begin + i]); });
      ASSERT_EQ(some, all) << body.count << " points, direction " << n.x << ' ' << n.y << ' '
                           << n.z;
    }
  }
}

TEST(SupportCells, TheComputedMaximumIsThatOfTheScanToWithinRounding) {
  std::mt19937_64 random(2);
  for (const BodyTables& body : bodies()) {
    for (const Vec3 n : hard_directions(body.cells_per_edge, random, 1000)) {
      const double cells = dot(n, body.point(support_cells(body, n)));
      const double scan = dot(n, body.point(support_scan(body, n)));
      ASSERT_LE(cells, scan);
      ASSERT_GE(cells, scan - rounding_of(body, n));
    }
  }
}

TEST(SupportCells, DirectionsOfAnyLengthFindTheSame) {
  std::mt19937_64 random(3);
  for (const BodyTables& body : bodies()) {
    for (int k = 0; k < 200; ++k) {
      const Vec3 n = test::random_direction(random);
      // Powers of two change no rounding, and so nothing at all.
      for (const double length : {0x1p-330, 0x1p-100, 0x1p100, 0x1p330}) {
        ASSERT_EQ(support_cells(body, length * n), support_cells(body, n)) << length;
      }
    }
  }
}

TEST(SupportCells, ShortAndLongDirectionsGoToTheSameCell) {
  for (const BodyTables& body : bodies()) {
    if (body.cells_per_edge == 0) continue;
    for (const double length : {1e-100, 1e-50, 1e50, 1e100}) {
      for (const Vec3 way : {Vec3{1, 0, 0}, Vec3{0, -1, 0}, Vec3{0, 0, 1}, Vec3{1, -1, 1}}) {
        EXPECT_EQ(cell_of(body.cells_per_edge, length * way), cell_of(body.cells_per_edge, way))
            << length;
      }
    }
  }
}

TEST(SupportCells, HoldBlocksOfTheVerticesTheyName) {
  for (const BodyTables& body : bodies()) {
    const std::size_t cells =
        body.cells_per_edge == 0
            ? 1
            : 6 * static_cast<std::size_t>(body.cells_per_edge * body.cells_per_edge);
    ASSERT_EQ(body.first_block.size(), cells + 1);
    ASSERT_EQ(body.blocks.size(), 3 * body.slot_vertex.size());
    ASSERT_EQ(body.first_block.back() * std::size_t{kBlock}, body.slot_vertex.size());
    for (std::size_t slot = 0; slot < body.slot_vertex.size(); ++slot) {
      const double* p = body.blocks.data() + slot / kBlock * (3 * kBlock) + slot % kBlock;
      ASSERT_LT(body.slot_vertex[slot], body.count);
      ASSERT_EQ((Vec3{p[0], p[kBlock], p[2 * kBlock]}), body.point(body.slot_vertex[slot]));
    }
  }
}

TEST(SupportCells, AreShortOnRoundBodies) {
  const BodyTables body = make_tables(convex_hull(test::pattern(9, 11, 1000)), 0);
  ASSERT_GT(body.cells_per_edge, 0);
  const double each = static_cast<double>(body.slot_vertex.size()) /
                      (6.0 * body.cells_per_edge * body.cells_per_edge);
  EXPECT_LT(each, 40);
}

TEST(SupportClimb, EndsWhereTheScanDoesFromEveryStart) {
  std::mt19937_64 random(4);
  for (const BodyTables& body : bodies()) {
    const std::uint32_t step = 1 + static_cast<std::uint32_t>(body.count / 16);
    for (const Vec3 n : hard_directions(body.cells_per_edge, random, 60)) {
      const double scan = dot(n, body.point(support_scan(body, n)));
      std::vector<std::uint32_t> starts{climb_start(body, n)};
      for (std::uint32_t start = 0; start < body.count; start += step) starts.push_back(start);
      for (const std::uint32_t start : starts) {
        const double climb = dot(n, body.point(support_climb(body, n, start)));
        // What the hull drops by merging facets counts like rounding.
        ASSERT_GE(climb, scan - rounding_of(body, n) - 1e-11 * norm(n) * body.reach_hi)
            << body.count << " points from " << start << ", direction " << n.x << ' ' << n.y << ' '
            << n.z;
        ASSERT_LE(climb, scan);
      }
    }
  }
}

// The literal reading of paper 2, II-C: climbing on the edges of the mesh itself. A cube whose top
// has a vertex in the middle of a coplanar face: level with its neighbours, so the climb stops.
TEST(SupportClimb, OnARawMeshStopsAtACoplanarVertexWhereTheHullDoesNot) {
  // A flat fan: the centre of a square whose corners are 0..3, and beyond one edge a higher apex.
  const std::vector<Vec3> vertices{{0, 0, 0},      {1, 0, 0}, {1, 1, 0}, {0, 1, 0},  {0.5, 0.5, 0},
                                   {0.5, 0.5, -1}, {1, 0, 0}, {1, 1, 0}, {2, 0.5, 0}};
  // As a file may hold it: (6, 7, 8) repeats the corners 1 and 2, so no edge leads across.
  const std::vector<std::array<int, 3>> triangles{{0, 1, 4}, {1, 2, 4}, {2, 3, 4}, {3, 0, 4},
                                                  {0, 1, 5}, {2, 3, 5}, {3, 0, 5}, {6, 7, 8},
                                                  {6, 8, 5}, {8, 7, 5}};
  const auto climb_raw = [&](Vec3 n, int start) {
    int best = start;
    for (bool moved = true; moved;) {
      moved = false;
      const int from = best;
      for (const auto& t : triangles) {
        if (t[0] != from && t[1] != from && t[2] != from) continue;
        for (const int next : t) {
          if (dot(n, vertices[next]) > dot(n, vertices[best])) best = next, moved = true;
        }
      }
    }
    return best;
  };
  // Up: the whole top is level, and a climb from there must not lose; along x the repeated vertices
  // cut the graph in two, and the raw climb ends a metre short.
  const Vec3 n{1, 0, 0.6};
  const int raw = climb_raw(n, 0);
  EXPECT_LT(dot(n, vertices[raw]), dot(n, vertices[8]) - 0.9);
  const BodyTables body = make_tables(convex_hull(vertices), 0);
  for (std::uint32_t start = 0; start < body.count; ++start) {
    EXPECT_EQ(dot(n, body.point(support_climb(body, n, start))), dot(n, vertices[8]));
  }
}

TEST(SupportTables, AreTheSameWheneverTheyAreBuilt) {
  const auto points = test::pattern(0, 12, 500);
  const BodyTables a = make_tables(convex_hull(points), 0.1);
  const BodyTables b = make_tables(convex_hull(points), 0.1);
  EXPECT_TRUE(a.x == b.x && a.y == b.y && a.z == b.z && a.blocks == b.blocks);
  EXPECT_EQ(a.slot_vertex, b.slot_vertex);
  EXPECT_EQ(a.radius, b.radius);
  EXPECT_EQ(a.centre, b.centre);
}

}  // namespace
}  // namespace keepclear
