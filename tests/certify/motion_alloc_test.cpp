// SPDX-License-Identifier: BSD-3-Clause
//
// Edges that were seen before are certified without allocating.
#include <gtest/gtest.h>

#include <atomic>

#include "keepclear/certify.hpp"
#include "scene/scenes.hpp"

namespace keepclear::test {
/// Counted by the source that replaces operator new.
inline std::atomic<std::size_t> allocation_count{0};
}  // namespace keepclear::test

namespace keepclear {
namespace {

TEST(MotionAllocations, AreNoneOnEdgesLikeThoseBefore) {
  for (const char* name : {"six_axis_arm", "two_arms", "humanoid"}) {
    const World world = load_builtin(name);
    for (const Method method : {Method::automatic, Method::ball}) {
      MotionQuery query(world, {.method = method});
      std::mt19937_64 random(1);
      std::vector<std::vector<double>> poses;
      for (int i = 0; i < 41; ++i) poses.push_back(test::random_pose(world, random, 0.5));
      std::size_t counted[4] = {0, 0, 0, 0};
      int free = 0;
      for (std::size_t& count : counted) {
        const std::size_t before = test::allocation_count;
        for (int i = 0; i < 40; ++i) {
          free += query.connects(poses[i], poses[i + 1]) == Verdict::free ? 1 : 0;
        }
        count = test::allocation_count - before;
      }
      EXPECT_GT(counted[0], 0u) << name;  // it counts
      EXPECT_EQ(counted[3], 0u) << name;
      EXPECT_GT(free, 0) << name;
    }
  }
}

}  // namespace
}  // namespace keepclear
