// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear::Watch against a judge that remembers nothing and measures everything, after every
// cycle. The same judge runs as long as asked in tests/campaigns/watch.cpp.
#include <gtest/gtest.h>

#include "data.hpp"
#include "oracle/watch_judge.hpp"

namespace keepclear {
namespace {

void expect_nothing_wrong(const oracle::WatchTally& tally) {
  EXPECT_EQ(tally.wrongly_free, 0);
  EXPECT_EQ(tally.missed_pairs, 0);
  EXPECT_EQ(tally.wrong_contacts, 0);
  EXPECT_EQ(tally.needless, 0);
  EXPECT_EQ(tally.wrong_bounds, 0);
  EXPECT_EQ(tally.wrong_verdicts, 0);
  EXPECT_EQ(tally.wrong_returns, 0);
  EXPECT_EQ(tally.other_than_fresh, 0);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
}

TEST(WatchOracle, FindsEveryPairThatComesNearerThanItsTolerance) {
  const oracle::WatchTally tally = oracle::judge_watch(20'000, 1);
  expect_nothing_wrong(tally);
  EXPECT_GE(tally.cycles, 20'000);
  // Enough of everything to mean something.
  EXPECT_GT(tally.free, 2'000);
  EXPECT_GT(tally.contact, 2'000);
  EXPECT_GT(tally.imminent, 20'000);
  EXPECT_GT(tally.refused, 500);
  EXPECT_GT(tally.attached, 100);
  EXPECT_GT(tally.released, 50);
  EXPECT_GT(tally.placed, 200);
  EXPECT_GT(tally.fresh, 100);
}

TEST(WatchOracle, FindsThemOnRobotsOfMeshes) {
  KEEPCLEAR_NEEDS_DATA("robots");
  const auto robots = test::data_dir() / "robots";
  const oracle::WatchTally tally = oracle::judge_watch(
      900, 3,
      {robots / "kuka_lbr_iiwa7_r800/iiwa7.urdf", robots / "iiwa14_spheres/iiwa14_spheres.urdf"});
  expect_nothing_wrong(tally);
  EXPECT_GT(tally.imminent, 0);
}

}  // namespace
}  // namespace keepclear
