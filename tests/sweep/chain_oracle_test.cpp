// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies on chains of one to seven joints: every point of them, in any configuration of the box, is
// in the volume that stage after stage makes. tests/campaigns/sweep.cpp does the same for longer.
#include <gtest/gtest.h>

#include "oracle/sweep_judge.hpp"

namespace keepclear {
namespace {

using oracle::judge_chains;
using oracle::SweepTally;

const std::vector<JointOperator> kOperators{{1, 1}, {2, 2}, {2, 1}, {1, 2}, {3, 2}, {5, 1}};

TEST(SweptChain, ContainsTheBodyInEveryConfigurationOfTheBox) {
  for (int joints = 1; joints <= 7; ++joints) {
    const SweepTally tally = judge_chains(30'000, static_cast<std::uint64_t>(joints), joints,
                                          oracle::all_joint_types(), kOperators);
    EXPECT_EQ(tally.outside, 0) << joints << " joints";
    EXPECT_LT(tally.unbounded, tally.points / 5);
    EXPECT_GT(tally.in_quads, tally.points / 200);
  }
}

TEST(SweptChain, OfHingesAndSlidesLeavesLittleUnused) {
  // That the judge could find fault: what two points leave out of an arc reaches the very surface.
  const SweepTally tally = judge_chains(20'000, 99, 1, {JointType::revolute}, {{2, 2}});
  EXPECT_EQ(tally.outside, 0);
  EXPECT_GT(tally.fullest, 0.99);
}

/// The same volumes with a radius that leaves something out.
TEST(SweptChain, IsNotContainedInLess) {
  oracle::Random random(5);
  SweepTally tally;
  for (int round = 0; round < 200; ++round) {
    const oracle::SweptChain chain(random, 1, {JointType::revolute});
    const Kinematics kinematics(chain.robot);
    const oracle::ReferenceKinematics reference(chain.robot);
    if (kinematics.frame_of_link(chain.last) != 1) continue;
    Stage stage;
    make_stage(kinematics, 1, chain.box, {1, 1}, stage);
    const oracle::PlainVolume body = oracle::random_body(random, 3);
    oracle::PlainVolume volume = oracle::swept(stage, body);
    volume.radius *= 0.95;
    oracle::ContainmentJudge judge(volume, tally);
    for (int pose = 0; pose < 20; ++pose) {
      const auto X = reference(chain.configuration(random)).back();
      judge.see(X * oracle::random_body_point(random, body));
    }
  }
  EXPECT_GT(tally.outside, 10);
}

}  // namespace
}  // namespace keepclear
