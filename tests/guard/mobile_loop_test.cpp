// SPDX-License-Identifier: BSD-3-Clause
#include "guard/mobile_loop.hpp"

#include <gtest/gtest.h>

namespace keepclear {
namespace {

TEST(MobileLoop, BasesThatDriveAndFlyNeverTouchAnythingAndAreLetGoWhereNothingIsNear) {
  test::MobileTally tally;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) test::judge_mobile(seed, 4, tally);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  EXPECT_EQ(tally.violations(), 0u);
  EXPECT_GT(tally.driving, 5u);
  EXPECT_GT(tally.flying, 5u);
  EXPECT_GT(3 * tally.braked, tally.approaches);
  EXPECT_GT(tally.branches, 10u);
  // A guard that always brakes is of no use.
  EXPECT_GT(tally.far, 1000u);
  EXPECT_GT(tally.liveness(), 0.9);
}

TEST(MobileLoop, BasesThatBrakeLessThanTheGuardCountsOnTouch) {
  test::MobileTally tally;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) test::judge_mobile(seed, 4, tally, 0.5);
  EXPECT_GT(tally.contacts + tally.wrong_go, 2u);
}

}  // namespace
}  // namespace keepclear
