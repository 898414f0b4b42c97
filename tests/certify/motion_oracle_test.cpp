// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "certify/motion_judge.hpp"

namespace keepclear {
namespace {

test::MotionTally judge(const std::string& name, std::size_t worlds, std::uint64_t seed) {
  const test::MotionRobot robot = test::motion_robot(name);
  test::MotionTally tally;
  for (std::size_t k = 0; k < worlds; ++k) test::judge_world(robot, seed, k, 2, 100, tally);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  EXPECT_EQ(tally.violations(), 0u) << name;
  EXPECT_EQ(tally.motions, 2 * worlds);
  return tally;
}

TEST(MotionOracle, NothingRefutesWhatIsProvedOfRandomMotionsAmongObstacles) {
  test::MotionTally all;
  for (const char* name : {"six_axis_arm", "bench_arm", "two_bench_arms"}) {
    all.add(judge(name, 50, 7));
  }
  all.add(judge("humanoid", 20, 7));
  // Of each kind there must be some, or the judge had nothing to do.
  EXPECT_GT(all.free, 50u);
  EXPECT_GT(all.contact, 50u);
  EXPECT_GT(all.grazing, 5u);
  EXPECT_LT(all.undecided, all.motions / 10);
}

}  // namespace
}  // namespace keepclear
