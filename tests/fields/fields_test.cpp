// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "fields/judges.hpp"
#include "fields/same_world.hpp"

namespace keepclear {
namespace {

TEST(Fields, OddValuesInAnyOptionAreRefusedOrAnsweredTruly) {
  test::FieldTally tally;
  std::mt19937_64 random(1);
  const oracle::ScratchFolder folder(3);
  test::FieldJudge judge(test::rail_world(false), test::rail_world(true), tally);
  judge.everything(20, random);
  judge.every_scene(test::rail_scenes(folder), 20, random);
  judge.paths();
  judge.calls(20'000, random);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  EXPECT_EQ(tally.wrong, 0u);
  EXPECT_GT(tally.tried, 1000u);
  EXPECT_GT(tally.refused, 200u);
  EXPECT_GT(tally.free, 500u);
  std::printf("%zu tried, %zu refused, free or go %zu times, slowest %.2f s (%s)\n", tally.tried,
              tally.refused, tally.free, tally.slowest, tally.slowest_of.c_str());
}

TEST(SameWorld, AWorldOrAQuestionSaidInAnotherWayHasTheSameAnswer) {
  test::SameTally tally;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) test::SameWorld(seed, tally).judge();
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  EXPECT_EQ(tally.wrong, 0u);
  EXPECT_GT(tally.free, 100u);
  EXPECT_GT(tally.contact, 100u);
}

}  // namespace
}  // namespace keepclear
