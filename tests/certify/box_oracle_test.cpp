// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "certify/box_judge.hpp"
#include "data.hpp"

namespace keepclear {
namespace {

void judge(const World& world, std::uint64_t seed) {
  BoxOptions options;
  options.budget = 10'000;
  const test::BoxTally tally = test::judge_boxes(world, 20, 0.8, options, 60, seed);
  EXPECT_EQ(tally.refuted, 0u) << world.name();
  EXPECT_EQ(tally.no_contact, 0u) << world.name();
  EXPECT_GT(tally.free, 0u) << world.name();
  EXPECT_LE(tally.undecided, 4u) << world.name();
}

TEST(BoxOracle, NoPoseOfABuiltInWorldRefutesAFreeBox) {
  for (const char* name : {"six_axis_arm", "bench_arm", "two_arms", "humanoid"}) {
    judge(load_builtin(name), 11);
  }
}

TEST(BoxOracle, NoPoseOfARealArmRefutesAFreeBox) {
  KEEPCLEAR_NEEDS_DATA("robots");
  const auto robots = test::data_dir() / "robots";
  for (const char* name : {"panda/panda", "kuka_lbr_iiwa7_r800/iiwa7"}) {
    LoadOptions options;
    options.srdf = robots / (std::string(name) + ".srdf");
    judge(load(robots / (std::string(name) + ".urdf"), options), 3);
  }
}

TEST(BoxOracle, SmallBoxesAboutPosesWithRoomAreFree) {
  // The humanoid's shoulders are never 2 cm from its chest.
  const std::pair<const char*, double> worlds[] = {
      {"six_axis_arm", 0.02}, {"two_arms", 0.02}, {"humanoid", 0.005}};
  for (const auto& [name, clear] : worlds) {
    const test::BoxTally tally =
        test::judge_clear_boxes(load_builtin(name), 100, 0.002, clear, 3000, 8);
    EXPECT_GT(tally.free, 20u) << name;
    EXPECT_EQ(tally.contact + tally.undecided, 0u) << name;
  }
}

}  // namespace
}  // namespace keepclear
