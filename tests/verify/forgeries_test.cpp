// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds that are not what the files say: --against accepts none. More of them:
// campaigns/forgeries.cpp.
#include "verify/forgeries.hpp"

#include <gtest/gtest.h>

#include "verify/described.hpp"

namespace keepclear::test {
namespace {

TEST(Forgeries, OfRandomWorldsAreFound) {
  ForgeryTally tally;
  for (std::uint64_t number = 0; number < 40; ++number) {
    const DescribedWorld drawn(number);
    judge_forgeries(
        "world " + std::to_string(number), world_text(drawn.world()), true, true, drawn.files(),
        false, [&](std::size_t i) { return i % 5 == number % 5; }, tally);
  }
  tally.print();
  EXPECT_TRUE(tally.refused.empty());
  EXPECT_TRUE(tally.wrong.empty());
  EXPECT_GT(tally.kinds.size(), 40u);
  // What is refused is mostly refused for what it is.
  EXPECT_LT(10 * tally.all().cannot_tell, tally.all().tried);
}

}  // namespace
}  // namespace keepclear::test
