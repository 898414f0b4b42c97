// SPDX-License-Identifier: BSD-3-Clause
//
// After construction a Sweep allocates nothing, whatever the box.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "keepclear/sweep.hpp"
#include "scene/worlds.hpp"
#include "support/count_allocations.hpp"

namespace keepclear {
namespace {

std::size_t allocations_of(const World& world, const SweepPlan& plan, bool everything) {
  Sweep sweep(world, plan);
  std::mt19937_64 random(1);
  std::vector<JointBox> boxes;
  for (const double half : {0.0, 0.01, 0.4, 4.0}) {
    for (int k = 0; k < 5; ++k) {
      JointBox& box = boxes.emplace_back();
      for (const double q : test::random_pose(world, random)) box.push_back({q - half, q + half});
    }
  }
  boxes.push_back({});
  if (everything) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    boxes.emplace_back(world.dof(), Interval{-kInfinity, kInfinity});
  }
  const std::size_t before = test::allocation_count;
  int shown = 0;
  for (const JointBox& box : boxes) {
    sweep.update(box);
    if (sweep.clearance().clearance > 0) ++shown;
  }
  const std::size_t after = test::allocation_count;
  EXPECT_LT(shown, static_cast<int>(boxes.size()));
  return after - before;
}

TEST(SweepAllocations, AreNone) {
  for (const char* name : {"six_axis_arm", "two_arms", "humanoid"}) {
    const World world = load_builtin(name);
    EXPECT_EQ(allocations_of(world, paper_plan(world, 3), true), 0u) << name;
    EXPECT_EQ(allocations_of(world, uniform_plan(world, {1, 1}), true), 0u) << name;
  }
}

TEST(SweepAllocations, AreNoneWithEveryKindOfJoint) {
  using test::joint;
  using test::link;
  const World world = test::world_of(test::robot(
      link("map", test::box(0.1)) + link("base", test::box(0.5)) + link("x") +
      link("arm", test::sphere(0.2)) + link("y") +
      link("tool", "<cylinder radius=\"0.1\" length=\"0.4\"/>") +
      link("other", "<capsule radius=\"0.1\" length=\"0.4\"/>") +
      joint("drive", "planar", "map", "base", "<axis xyz=\"0 0 1\"/>") +
      joint("j1", "revolute", "base", "x", "<origin xyz=\"0.6 0 0\"/><axis xyz=\"0 0 1\"/>") +
      joint("j2", "prismatic", "x", "arm", "<axis xyz=\"1 0 0\"/>") +
      joint("j3", "continuous", "arm", "y", "<origin xyz=\"0.5 0 0\"/>") +
      joint("j4", "continuous", "y", "tool", "<mimic joint=\"j3\" multiplier=\"-1\"/>") +
      joint("j5", "floating", "y", "other", "<origin xyz=\"0 0 0.3\"/>")));
  EXPECT_EQ(allocations_of(world, uniform_plan(world, {2, 1}), true), 0u);
  EXPECT_EQ(allocations_of(world, uniform_plan(world, {2, 2}), true), 0u);
}

TEST(CountingNew, SeesWhatASweepAllocates) {
  const World world = load_builtin("six_axis_arm");
  const std::size_t before = test::allocation_count;
  Sweep sweep(world, paper_plan(world, 3));
  EXPECT_GT(test::allocation_count, before);
}

}  // namespace
}  // namespace keepclear
