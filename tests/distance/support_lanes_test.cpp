// SPDX-License-Identifier: BSD-3-Clause
//
// The lanes against plain loops, on every instruction set that this machine can run: bit for bit.
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <bit>
#include <cstdint>

#include "distance/gjk.hpp"
#include "distance/pair.hpp"
#include "distance/placing.hpp"

namespace keepclear {
namespace {

using test::Random;

/// Runs `use` once for each target, the best one last, and puts everything back.
template <typename Use>
int on_every_target(const Use& use) {
  hwy::SetSupportedTargetsForTest(0);
  const auto targets = hwy::SupportedAndGeneratedTargets();
  for (const std::int64_t target : targets) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
    use(hwy::TargetName(target));
  }
  hwy::SetSupportedTargetsForTest(0);
  hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  return static_cast<int>(targets.size());
}

std::uint64_t bits(double v) {
  return std::bit_cast<std::uint64_t>(v);
}
void add(std::vector<std::uint64_t>& to, Vec3 v) {
  for (int k = 0; k < 3; ++k) to.push_back(bits(v[k]));
}

struct Case {
  Placement pair;
  Vec3 n;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> list = [] {
    static Random random(21);
    static const std::vector<Body> bodies = [] {
      auto some = test::many_bodies(random, 4);
      // Ties in abundance: a grid, a prism, a flat square with its midpoints.
      std::vector<Vec3> grid, prism;
      for (int i = 0; i < 64; ++i) {
        grid.push_back({double(i % 4), double(i / 4 % 4), double(i / 16)});
        prism.push_back({std::cos(0.2 * i), std::sin(0.2 * i), i % 2 ? 1. : -1.});
      }
      some.push_back(Body::hull(grid));
      some.push_back(Body::hull(prism));
      return some;
    }();
    std::vector<Case> made;
    for (int k = 0; k < 20000; ++k) {
      const Body& a = bodies[random() % bodies.size()];
      const Body& b = bodies[random() % bodies.size()];
      const Placement pair = test::placement(a, b, test::random_pose(random, a, b));
      Vec3 n = test::random_unit(random);
      if (k % 4 == 0) n = test::random_cube_rotation(random).row0;
      if (k % 4 == 1) n = {n.x < 0 ? -1. : 1., n.y < 0 ? -1. : 1., n.z < 0 ? -1. : 1.};
      made.push_back({pair, test::log_uniform(random, 1e-90, 1e90) * n});
    }
    return made;
  }();
  return list;
}

TEST(SupportLanes, GiveTheGapOfThePlainLoopBitForBit) {
  const int targets = on_every_target([](const char* target) {
    for (const Case& c : cases()) {
      const Separation lanes = evaluate_direction(c.pair, c.n);
      const Vec3 m = -transposed_times(c.pair.X_AB.R, c.n);
      const double a = dot(c.n, c.pair.a->point(support_cells(*c.pair.a, c.n)));
      const double b = dot(m, c.pair.b->point(support_cells(*c.pair.b, m)));
      const double gap = (dot(c.n, c.pair.X_AB.p) - b) - a;
      ASSERT_EQ(bits(lanes.gap), bits(gap)) << target;
      // Of ties another vertex may be named, but never a lower one.
      ASSERT_EQ(dot(c.n, c.pair.a->point(lanes.vertex_a)), a) << target;
      ASSERT_EQ(dot(m, c.pair.b->point(lanes.vertex_b)), b) << target;
      ASSERT_EQ(lanes.w,
                c.pair.a->point(lanes.vertex_a) - c.pair.X_AB * c.pair.b->point(lanes.vertex_b))
          << target;
    }
  });
  EXPECT_GE(targets, 2);
}

TEST(SupportLanes, NameTheSameVerticesOnEveryTarget) {
  std::vector<std::uint64_t> first;
  on_every_target([&](const char* target) {
    std::vector<std::uint64_t> found;
    for (const Case& c : cases()) {
      const Separation s = evaluate_direction(c.pair, c.n);
      found.push_back(s.vertex_a);
      found.push_back(s.vertex_b);
    }
    if (first.empty()) first = found;
    EXPECT_TRUE(first == found) << target;
  });
}

TEST(SupportLanes, WholeAnswersAreTheSameOnEveryTarget) {
  std::vector<std::uint64_t> first;
  on_every_target([&](const char* target) {
    std::vector<std::uint64_t> found;
    EpaWorkspace space;
    for (std::size_t k = 0; k < cases().size(); k += 4) {
      const Placement& pair = cases()[k].pair;
      GjkCache cache;
      GjkResult result;
      gjk(pair, {}, cache, result);
      found.push_back(bits(result.upper));
      found.push_back(bits(result.lower));
      add(found, result.n);
      PairOptions options;
      options.signed_distance = true;
      const PairAnswer answer = solve_pair(pair, options, cache, space);
      found.push_back(static_cast<std::uint64_t>(answer.verdict));
      found.push_back(bits(answer.distance));
      found.push_back(bits(answer.lower));
      add(found, answer.p_a);
      add(found, answer.p_b);
    }
    if (first.empty()) first = found;
    EXPECT_TRUE(first == found) << target;
  });
}

}  // namespace
}  // namespace keepclear
