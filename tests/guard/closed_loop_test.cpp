// SPDX-License-Identifier: BSD-3-Clause
#include "guard/closed_loop.hpp"

#include <gtest/gtest.h>

namespace keepclear {
namespace {

test::LoopTally approaches(const World& world, std::uint64_t seed, int count) {
  test::LoopTally tally;
  test::ClosedLoop loop(world, seed);
  test::Approach approach;
  for (int k = 0; k < count; ++k) {
    while (!loop.draw(approach)) {
    }
    loop.run(approach, loop.draw_setting(), seed + static_cast<std::uint64_t>(k), tally);
  }
  return tally;
}

void expect_sound(const test::LoopTally& tally) {
  EXPECT_EQ(tally.contacts, 0u);
  EXPECT_EQ(tally.scale_contacts, 0u);
  EXPECT_EQ(tally.over_bound, 0u);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  // Approaches that are never braked show nothing.
  EXPECT_GT(3 * tally.braked, tally.approaches);
}

TEST(ClosedLoop, AHumanoidThatTheGuardStopsNeverTouchesItself) {
  expect_sound(approaches(load_builtin("humanoid"), 11, 24));
}

TEST(ClosedLoop, TwoArmsThatTheGuardStopsNeverTouchEachOtherNorWhatStandsAround) {
  expect_sound(approaches(load_builtin("two_arms"), 12, 36));
}

TEST(ClosedLoop, ARobotThatIsNotBrakedInTimeDoesTouch) {
  // The judge must be able to see a contact: the robot is slower to brake than its guard thinks.
  const World world = load_builtin("two_arms");
  test::ClosedLoop loop(world, 13);
  test::LoopTally tally;
  test::Approach approach;
  for (int k = 0; k < 12 && tally.contacts == 0; ++k) {
    while (!loop.draw(approach)) {
    }
    test::LoopSetting setting = loop.draw_setting();
    JointBrake joint;
    joint.max_velocity = 100;  // faster than the limits of the robot
    joint.max_acceleration = 20;
    joint.brake_deceleration = 20;
    setting.brake = uniform_brake(world, setting.cycle, joint);
    setting.robot = uniform_brake(world, setting.cycle + 0.1, joint);
    setting.options = {};
    setting.speed = 1;
    loop.run(approach, setting, 1, tally);
  }
  EXPECT_GT(tally.contacts, 0u);
}

}  // namespace
}  // namespace keepclear
