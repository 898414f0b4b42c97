// SPDX-License-Identifier: BSD-3-Clause
//
// A box of a braking motion is made without allocating.
#include <gtest/gtest.h>

#include <atomic>

#include "motion/brake_worlds.hpp"
#include "motion/braking.hpp"

namespace keepclear::test {
/// Counted by the source that replaces operator new.
inline std::atomic<std::size_t> allocation_count{0};
}  // namespace keepclear::test

namespace keepclear {
namespace {

TEST(BrakingAllocations, AreNone) {
  const World world =
      test::chain_of({{"arm", "revolute"}, {"base", "planar"}, {"drone", "floating"}});
  const JointBrake brake{
      .max_acceleration = 1, .brake_deceleration = 1, .acceleration_uncertainty = 0, .stops = true};
  const Braking braking(world, uniform_brake(world, 0.1, brake));
  const std::vector<double> q = world.neutral(), v(world.dof(), 1.0);
  std::vector<Interval> box(world.dof());
  const std::size_t before = test::allocation_count;
  EXPECT_GT(before, 0U);
  bool good = braking.box({q, v}, kWholeBraking, box);
  good &= braking.box({q, v, v}, {0.1, 0.2}, box);
  braking.extend({q, v}, 0.5, 0.1, box);
  good &= braking.reachable({q, v}, {q, v}, 0.1);
  good &= braking.stop_time_hi({q, v}) > 0;
  const std::size_t after = test::allocation_count;
  EXPECT_TRUE(good);
  EXPECT_EQ(after, before);
}

}  // namespace
}  // namespace keepclear
