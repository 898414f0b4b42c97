// SPDX-License-Identifier: BSD-3-Clause
//
// Three robots, each mesh as its hull, in random poses: a slice of tests/campaigns/robots.cpp.
#include <gtest/gtest.h>

#include "data.hpp"
#include "oracle/robot_judge.hpp"

namespace keepclear::oracle {
namespace {

void judge(const char* file, std::uint64_t seed) {
  const RobotTally tally = judge_robot(test::data_dir() / "robots" / file, 300, seed, true);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  EXPECT_EQ(tally.wrong_verdicts, 0);
  EXPECT_EQ(tally.wrong_distances, 0);
  EXPECT_EQ(tally.lower_violations, 0);
  EXPECT_EQ(tally.wrong_least, 0);
  EXPECT_EQ(tally.against_fcl, 0);
  EXPECT_LT(tally.worst_reference, 1e-14);
  EXPECT_GT(tally.free, 0);
  EXPECT_GT(tally.contact, 0);
}

TEST(RobotDistances, OfTheIiwa7MatchTheReferenceAndFcl) {
  KEEPCLEAR_NEEDS_DATA("robots");
  judge("kuka_lbr_iiwa7_r800/iiwa7.urdf", 1);
}
TEST(RobotDistances, OfTheIiwa14MatchTheReferenceAndFcl) {
  KEEPCLEAR_NEEDS_DATA("robots");
  judge("kuka_lbr_iiwa14_r820/lbr_iiwa_14_r820.urdf", 2);
}
TEST(RobotDistances, OfTheMeca500MatchTheReferenceAndFcl) {
  KEEPCLEAR_NEEDS_DATA("robots");
  judge("meca500_r3/meca500_r3.urdf", 3);
}

}  // namespace
}  // namespace keepclear::oracle
