// SPDX-License-Identifier: BSD-3-Clause
//
// The parts of the interface against each other on robots of all kinds: meshes, boxes, spheres,
// hands with mimic joints, many pairs.
#include <gtest/gtest.h>

#include "data.hpp"
#include "scene/worlds.hpp"

namespace keepclear {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

void expect_consistent(const World& world, int random_poses, int legs) {
  std::mt19937_64 random(3);
  auto poses = test::smooth_poses(world, 4, legs, 40);
  for (int k = 0; k < random_poses; ++k) poses.push_back(test::random_pose(world, random));
  DistanceOptions with_sign;
  with_sign.signed_distance = true;
  DistanceQuery query(world), cold(world), all_query(world), checker(world), deep(world, with_sign);
  for (const auto& q : poses) {
    const Nearest warm = query(q);
    cold.reset();
    const Nearest afresh = cold(q);
    ASSERT_EQ(warm.verdict, afresh.verdict);
    ASSERT_NEAR(warm.distance, afresh.distance, 1e-10);
    const auto all = all_query.all_pairs(q);
    double distance = kInf, lower = kInf;
    bool contact = false, undecided = false;
    for (const Nearest& near : all) {
      ASSERT_LE(near.lower_bound, near.distance + 1e-15);
      if (near.verdict == Verdict::free) {
        ASSERT_LE(near.distance - near.lower_bound, 1e-10);
      }
      distance = std::min(distance, near.distance);
      lower = std::min(lower, near.lower_bound);
      contact = contact || near.verdict == Verdict::contact;
      undecided = undecided || near.verdict == Verdict::undecided;
    }
    ASSERT_EQ(warm.verdict, contact     ? Verdict::contact
                            : undecided ? Verdict::undecided
                                        : Verdict::free);
    ASSERT_NEAR(warm.distance, distance, 1e-10);
    ASSERT_LE(warm.lower_bound, distance);
    ASSERT_EQ(checker.check(q).verdict, warm.verdict);
    const Nearest depth = deep(q);
    ASSERT_EQ(depth.verdict, warm.verdict);
    ASSERT_LE(depth.lower_bound, depth.distance + 1e-12);
    if (contact) {
      ASSERT_LE(depth.distance, 1e-12);
    } else {
      ASSERT_NEAR(std::max(depth.distance, 0.0), warm.distance, 1e-10);
    }
  }
}

void expect_consistent(const char* urdf, const char* srdf, int random_poses, int legs) {
  LoadOptions options;
  const auto robots = test::data_dir() / "robots";
  if (srdf != nullptr) options.srdf = robots / srdf;
  expect_consistent(load(robots / urdf, options), random_poses, legs);
}

TEST(QueryOfRobots, PandaIsConsistent) {
  KEEPCLEAR_NEEDS_DATA("robots");
  expect_consistent("panda/panda.urdf", "panda/panda.srdf", 300, 5);
}
TEST(QueryOfRobots, Ur5WithAGripperOfMimicJointsIsConsistent) {
  KEEPCLEAR_NEEDS_DATA("robots");
  expect_consistent("ur5_robotiq85/ur5_robotiq85.urdf", "ur5_robotiq85/ur5_robotiq85.srdf", 300, 5);
}
TEST(QueryOfRobots, FetchOfSpheresIsConsistent) {
  KEEPCLEAR_NEEDS_DATA("robots");
  expect_consistent("fetch/fetch_mbm_spherized.urdf", "fetch/fetch_mbm.srdf", 100, 2);
}
TEST(QueryOfRobots, AllegroHandIsConsistent) {
  KEEPCLEAR_NEEDS_DATA("robots");
  expect_consistent("allegro_right/allegro_hand_right.urdf", nullptr, 200, 3);
}
TEST(QueryOfRobots, AnymalIsConsistent) {
  KEEPCLEAR_NEEDS_DATA("robots");
  expect_consistent("anymal_c/anymal_c.urdf", "anymal_c/anymal_c.srdf", 100, 2);
}
TEST(QueryOfRobots, RollinJustinIsConsistent) {
  KEEPCLEAR_NEEDS_DATA("robots");
  expect_consistent("rollin_justin/rollin_justin.urdf", nullptr, 50, 1);
}
TEST(QueryOfRobots, TalosIsConsistent) {
  KEEPCLEAR_NEEDS_DATA("robots");
  expect_consistent("talos/talos_full_v2.urdf", "talos/talos.srdf", 40, 1);
}

}  // namespace
}  // namespace keepclear
