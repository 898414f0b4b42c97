// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear::Guard called in any order, against the truth, a fresh guard and a twin. The same judge
// runs as long as asked in tests/campaigns/order.cpp.
#include <gtest/gtest.h>

#include "guard/order_judge.hpp"

namespace keepclear {
namespace {

TEST(GuardOrder, NoOrderOfCallsMakesAContactGo) {
  const test::OrderTally tally = test::judge_order(5'000, 1);
  EXPECT_EQ(tally.wrong_go, 0);
  EXPECT_EQ(tally.contacts, 0);
  EXPECT_EQ(tally.wrong_returns, 0);
  EXPECT_EQ(tally.wrong_reasons, 0);
  EXPECT_EQ(tally.not_nothing, 0);
  EXPECT_EQ(tally.needless, 0);
  EXPECT_EQ(tally.other_than_fresh, 0);
  EXPECT_EQ(tally.other_than_twin, 0);
  EXPECT_EQ(tally.other_bytes, 0);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  // Enough of everything to mean something.
  EXPECT_GT(tally.goes, 1'000);
  EXPECT_GT(tally.attached, 100);
  EXPECT_GT(tally.released, 30);
  EXPECT_GT(tally.refused, 500);
  EXPECT_GT(tally.resets, 30);
  EXPECT_GT(tally.restores, 30);
  EXPECT_GT(tally.rollbacks, 10);
  EXPECT_GT(tally.fresh, 300);
  EXPECT_GT(tally.saved, 200);
  for (const Reason reason :
       {Reason::not_clear, Reason::wrong_size, Reason::not_finite, Reason::beyond_limits,
        Reason::too_fast, Reason::time_back, Reason::time_repeats, Reason::time_jumps,
        Reason::stale, Reason::jump, Reason::world_stale, Reason::latched, Reason::still_moving,
        Reason::bad_rounding, Reason::corrupted}) {
    EXPECT_GT(tally.reasons[static_cast<std::size_t>(reason)], 0) << name_of(reason);
  }
}

// Of this seed the state after a reset() was off by half a metre, and an attach() rested on it: no
// guard can tell, so the judge must not tell such a lie.
TEST(GuardOrder, TheJudgeTellsNoLieThatNobodyCanTell) {
  const test::OrderTally tally = test::judge_order(400, 5533);
  EXPECT_EQ(tally.violations(), 0);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
}

}  // namespace
}  // namespace keepclear
