// SPDX-License-Identifier: BSD-3-Clause
//
// Tables that are filled on the spot are those that would have been built, and hold the shape.
#include "shape/quick_tables.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "shape/body.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

using Quad = __float128;

struct Numbers {
  std::mt19937_64 random{1};
  double unit() { return static_cast<double>(random() >> 11) * 0x1p-53; }
  /// From 10^lo to 10^hi.
  double decades(double lo, double hi) { return std::pow(10, lo + (hi - lo) * unit()); }
  double signed_decades(double lo, double hi) {
    return (random() % 2 == 0 ? 1 : -1) * decades(lo, hi);
  }
  /// At the origin, on an axis, anywhere.
  Vec3 centre() {
    switch (random() % 4) {
      case 0:
        return {};
      case 1:
        return {signed_decades(-12, 8.5), 0, 0};
      default:
        return {signed_decades(-12, 8.5), signed_decades(-12, 8.5), signed_decades(-12, 8.5)};
    }
  }
};

/// (d.x, d.y, d.z) is no longer than r.
bool within(Quad x, Quad y, Quad z, Quad r) {
  return r >= 0 && x * x + y * y + z * z <= r * r;
}

void expect_sound(const BodyTables& tables) {
  const Vec3 c = tables.centre;
  for (std::size_t i = 0; i < tables.count; ++i) {
    const Vec3 p = tables.point(i);
    EXPECT_TRUE(within(p.x, p.y, p.z, tables.reach_hi));
    EXPECT_TRUE(within(Quad(p.x) - c.x, Quad(p.y) - c.y, Quad(p.z) - c.z,
                       Quad(tables.bounding_radius_hi) - tables.radius));
    EXPECT_TRUE(overlap(tables.box, {p, p}));
  }
  EXPECT_TRUE(within(c.x, c.y, c.z, tables.reach_hi));
  ASSERT_EQ(tables.cells_per_edge, 0);
  ASSERT_EQ(tables.slot_vertex.size(), static_cast<std::size_t>(kBlock));
  for (std::size_t slot = 0; slot < kBlock; ++slot) {
    const Vec3 p = tables.point(tables.slot_vertex[slot]);
    EXPECT_EQ(tables.blocks[slot], p.x);
    EXPECT_EQ(tables.blocks[kBlock + slot], p.y);
    EXPECT_EQ(tables.blocks[2 * kBlock + slot], p.z);
  }
  // What pads the points repeats one of them.
  for (std::size_t i = tables.count; i < tables.x.size(); ++i) {
    EXPECT_EQ(tables.point(i), tables.point(tables.count - 1));
  }
}

TEST(BallTables, AreThoseThatWouldBeBuilt) {
  Numbers numbers;
  BallTables quick;
  for (int round = 0; round < 3000; ++round) {
    const Vec3 centre = numbers.centre();
    const double radius = round % 7 == 0 ? 0 : numbers.decades(-12, 8);
    const BodyTables& tables = quick.at(centre, radius);
    const BodyTables built = Body::sphere(centre, radius).tables();
    ASSERT_EQ(tables.kind, BodyKind::point);
    EXPECT_EQ(tables.kind, built.kind);
    EXPECT_EQ(tables.count, built.count);
    EXPECT_EQ(tables.point(0), built.point(0));
    EXPECT_EQ(tables.radius, built.radius);
    EXPECT_EQ(tables.box, built.box);
    EXPECT_EQ(tables.centre, built.centre);
    EXPECT_EQ(tables.reach_hi, built.reach_hi);
    EXPECT_LE(tables.bounding_radius_hi, built.bounding_radius_hi);
    EXPECT_EQ(tables.spine[0], built.spine[0]);
    EXPECT_EQ(tables.slot_vertex, built.slot_vertex);
    EXPECT_EQ(tables.blocks, built.blocks);
    EXPECT_EQ(tables.first_block, built.first_block);
    expect_sound(tables);
    const Vec3 n = test::random_direction(numbers.random);
    EXPECT_EQ(support_scan(tables, n), 0u);
    EXPECT_EQ(tables.point(support_cells(tables, n)), centre);
  }
}

TEST(BoxTables, HoldTheBox) {
  Numbers numbers;
  BoxTables quick;
  for (int round = 0; round < 3000; ++round) {
    const Vec3 c = numbers.centre();
    const Vec3 h{numbers.decades(-9, 8), numbers.decades(-9, 8), numbers.decades(-9, 8)};
    const BodyTables& tables = quick.at(c, h);
    ASSERT_EQ(tables.count, 8u);
    ASSERT_EQ(tables.kind, BodyKind::box);
    EXPECT_EQ(tables.box_half, h);
    EXPECT_EQ(tables.X_AB, (Pose{{}, c}));
    EXPECT_EQ(tables.centre, c);
    if (c == Vec3{}) {
      EXPECT_EQ(tables.radius, 0);
    }
    EXPECT_LE(tables.radius, 1e-15 * (norm(c) + norm(h)));
    expect_sound(tables);
    // Every real corner is within the radius of a point, each of another.
    std::vector<int> taken(8, 0);
    for (int k = 0; k < 8; ++k) {
      const Quad x = Quad(c.x) + ((k & 1) != 0 ? h.x : -h.x);
      const Quad y = Quad(c.y) + ((k & 2) != 0 ? h.y : -h.y);
      const Quad z = Quad(c.z) + ((k & 4) != 0 ? h.z : -h.z);
      bool found = false;
      for (std::size_t i = 0; i < 8 && !found; ++i) {
        const Vec3 p = tables.point(i);
        if (taken[i] != 0 || !within(x - p.x, y - p.y, z - p.z, tables.radius)) continue;
        taken[i] = 1;
        found = true;
      }
      EXPECT_TRUE(found) << "corner " << k << ", round " << round;
      EXPECT_TRUE(within(x - c.x, y - c.y, z - c.z, tables.bounding_radius_hi));
    }
  }
}

TEST(BoxTables, AnswerAsThoseThatWouldBeBuilt) {
  Numbers numbers;
  BoxTables quick;
  for (int round = 0; round < 1000; ++round) {
    const Vec3 c = numbers.centre();
    const Vec3 h{numbers.decades(-3, 2), numbers.decades(-3, 2), numbers.decades(-3, 2)};
    const BodyTables& tables = quick.at(c, h);
    const BodyTables built = Body::box(2.0 * h, {{}, c}).tables();
    const double off = 1e-14 * (norm(c) + norm(h));
    EXPECT_EQ(tables.kind, built.kind);
    EXPECT_EQ(tables.box_half, built.box_half);
    EXPECT_EQ(tables.X_AB, built.X_AB);
    EXPECT_NEAR(tables.reach_hi, built.reach_hi, off + 1e-2 * norm(h));
    // The ball that is built approaches the smallest, which this one is.
    EXPECT_LE(tables.bounding_radius_hi, built.bounding_radius_hi + off);
    for (int k = 0; k < 10; ++k) {
      Vec3 n = test::random_direction(numbers.random);
      if (k == 0) n = {1, 0, 0};
      if (k == 1) n = {0, -1, 0};
      const double far = dot(n, tables.point(support_scan(tables, n))) + norm(n) * tables.radius;
      const double far_built = dot(n, built.point(support_scan(built, n))) + norm(n) * built.radius;
      EXPECT_NEAR(far, far_built, norm(n) * off);
      const double by_cells = dot(n, tables.point(support_cells(tables, n)));
      EXPECT_EQ(by_cells, dot(n, tables.point(support_scan(tables, n))));
      // Climbing along the edges gets there from every corner.
      for (std::uint32_t start = 0; start < 8; ++start) {
        EXPECT_NEAR(dot(n, tables.point(support_climb(tables, n, start))), by_cells, norm(n) * off);
      }
    }
  }
}

TEST(QuickTables, RememberNothing) {
  BallTables ball;
  BoxTables box;
  ball.at({1e6, 1, 2}, 5);
  box.at({1e6, 1, 2}, {3, 4, 5});
  EXPECT_EQ(ball.at({}, 0).reach_hi, BallTables().at({}, 0).reach_hi);
  EXPECT_EQ(ball.at({}, 0).blocks, BallTables().at({}, 0).blocks);
  const BodyTables& again = box.at({0, 0, 1}, {1, 1, 1});
  BoxTables other;
  const BodyTables& fresh = other.at({0, 0, 1}, {1, 1, 1});
  EXPECT_EQ(again.radius, fresh.radius);
  EXPECT_EQ(again.reach_hi, fresh.reach_hi);
  EXPECT_EQ(again.bounding_radius_hi, fresh.bounding_radius_hi);
  EXPECT_EQ(again.blocks, fresh.blocks);
  EXPECT_EQ(again.x, fresh.x);
}

}  // namespace
}  // namespace keepclear
