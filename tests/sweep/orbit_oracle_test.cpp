// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include "sweep/orbit_judge.hpp"

namespace keepclear::test {
namespace {

TEST(OrbitOracle, NothingLeavesAFatElementAndEachSurfaceIsReached) {
  Random random(1);
  OrbitTally tally;
  for (int i = 0; i < 10000; ++i) judge_orbit(random, tally);
  EXPECT_GT(tally.checks, 100000u);
  EXPECT_EQ(tally.misses, 0u);
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
  // Random displacements in twelve dimensions move a point by a good part of what is possible.
  EXPECT_GT(tally.fullest_ball, 0.8);
}

}  // namespace
}  // namespace keepclear::test
