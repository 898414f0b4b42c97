// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "certify/toleranced_judge.hpp"

namespace keepclear::test {
namespace {

TEST(TolerancedProperty, MotionsNearContactAreNeverFreeWhereASampleOverlaps) {
  TolerancedTally tally;
  for (std::uint64_t k = 0; k < 200; ++k) judge_case(1, k, 30, tally);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  EXPECT_EQ(tally.misses(), 0u);
  // Each answer is given often: the motions are near contact, on both sides of it.
  EXPECT_GT(tally.free, 40u);
  EXPECT_GT(tally.contact, 40u);
  EXPECT_LT(tally.undecided, 40u);
}

}  // namespace
}  // namespace keepclear::test
