// SPDX-License-Identifier: BSD-3-Clause
//
// A few of the long chains and turning robots of the campaigns `chains` and `turning`.
// KEEPCLEAR_CASES asks for more.
#include <gtest/gtest.h>

#include <cstdlib>

#include "oracle/chain_judge.hpp"
#include "oracle/turning_judge.hpp"

namespace keepclear::oracle {
namespace {

std::uint64_t cases(std::uint64_t usual) {
  const char* asked = std::getenv("KEEPCLEAR_CASES");
  return asked != nullptr ? std::strtoull(asked, nullptr, 10) : usual;
}

void expect_none_wrong(const PreciseTally& tally) {
  EXPECT_EQ(tally.off_bounds, 0u);
  EXPECT_EQ(tally.refuted, 0u);
  EXPECT_EQ(tally.no_contact, 0u);
  EXPECT_EQ(tally.useless, 0u);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
}

TEST(LongChains, NothingFreeIsRefutedAndPosesAreWithinTheirBounds) {
  PreciseTally tally;
  for (std::uint64_t k = 0; k < cases(6); ++k) judge_chain(1000 + k, 50, 120, 16, tally);
  judge_chain(1, 300, 300, 8, tally);
  expect_none_wrong(tally);
  tally.print("chains");
  EXPECT_GT(tally.free_poses + tally.free_boxes + tally.free_motions + tally.gone, 8u);
}

TEST(TurningQuaternions, NothingFreeIsRefuted) {
  PreciseTally tally;
  for (std::uint64_t k = 0; k < cases(60); ++k) judge_turner(1000 + k, 30, tally);
  expect_none_wrong(tally);
  tally.print("turning");
  EXPECT_GT(tally.free_boxes, 10u);
  EXPECT_GT(tally.free_motions, 5u);
}

}  // namespace
}  // namespace keepclear::oracle
