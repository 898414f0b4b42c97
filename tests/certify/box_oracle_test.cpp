// SPDX-License-Identifier: BSD-3-Clause
//
// What is proved of boxes against poses in them: sampled, and brought as near as they go.
#include <gtest/gtest.h>

#include <numeric>

#include "certify/refute.hpp"
#include "data.hpp"
#include "keepclear/box.hpp"
#include "scene/worlds.hpp"

namespace keepclear {
namespace {

struct Tally {
  int free = 0, contact = 0, undecided = 0;
};

/// Boxes of up to `width` about free poses. None that is called free may hold a pose nearer than
/// its clearance; every contact must be one.
Tally judge(const World& world, int boxes, double width, std::size_t budget, std::uint64_t seed) {
  Tally tally;
  BoxOptions options;
  options.budget = budget;
  BoxQuery query(world, options);
  DistanceQuery distance(world);
  std::mt19937_64 random(seed);
  std::vector<int> all(world.dof());
  std::iota(all.begin(), all.end(), 0);
  for (int k = 0; k < boxes;) {
    const std::vector<double> q = test::random_pose(world, random);
    if (distance(q).verdict != Verdict::free) continue;
    ++k;
    JointBox box;
    for (const double x : q) {
      const double half = 0.5 * width * static_cast<double>(random() >> 11) * 0x1p-53;
      box.push_back({x - half, x + half});
    }
    const BoxResult result = query(box);
    if (result.verdict == Verdict::free) {
      ++tally.free;
      const test::Refutation found =
          test::least_in_box(box, q, all, 60, random,
                             [&](const std::vector<double>& at) { return distance(at).distance; });
      EXPECT_GE(found.least, result.clearance - 1e-12) << world.name() << ", box " << k;
      EXPECT_GT(found.least, 0);
    } else if (result.verdict == Verdict::contact) {
      ++tally.contact;
      EXPECT_EQ(distance.check(result.q).verdict, Verdict::contact);
      for (std::size_t i = 0; i < box.size(); ++i) {
        EXPECT_GE(result.q[i], box[i].lower);
        EXPECT_LE(result.q[i], box[i].upper);
      }
    } else {
      ++tally.undecided;
    }
  }
  return tally;
}

TEST(BoxOracle, NoPoseOfABuiltInWorldRefutesAFreeBox) {
  for (const char* name : {"six_axis_arm", "bench_arm", "two_arms", "humanoid"}) {
    const Tally tally = judge(load_builtin(name), 20, 0.8, 10'000, 11);
    EXPECT_GT(tally.free, 0) << name;
    EXPECT_LE(tally.undecided, 4) << name;
  }
}

TEST(BoxOracle, NoPoseOfARealArmRefutesAFreeBox) {
  KEEPCLEAR_NEEDS_DATA("robots");
  const auto robots = test::data_dir() / "robots";
  for (const char* name : {"panda/panda", "kuka_lbr_iiwa7_r800/iiwa7"}) {
    LoadOptions options;
    options.srdf = robots / (std::string(name) + ".srdf");
    const Tally tally =
        judge(load(robots / (std::string(name) + ".urdf"), options), 20, 0.8, 10'000, 3);
    EXPECT_GT(tally.free, 0) << name;
    EXPECT_LE(tally.undecided, 4) << name;
  }
}

TEST(BoxOracle, SmallBoxesAboutPosesWithRoomAreFree) {
  for (const char* name : {"six_axis_arm", "two_arms", "humanoid"}) {
    const World world = load_builtin(name);
    BoxOptions options;
    options.tolerance = std::numeric_limits<double>::infinity();
    BoxQuery query(world, options);
    DistanceQuery distance(world);
    std::mt19937_64 random(8);
    for (int k = 0, tries = 0; k < 100 && tries < 3000; ++tries) {
      const std::vector<double> q = test::random_pose(world, random, 0.7);
      if (!(distance(q).lower_bound > 0.02)) continue;
      ++k;
      JointBox box;
      for (const double x : q) box.push_back({x - 0.001, x + 0.001});
      EXPECT_EQ(query(box).verdict, Verdict::free) << name;
    }
  }
}

}  // namespace
}  // namespace keepclear
