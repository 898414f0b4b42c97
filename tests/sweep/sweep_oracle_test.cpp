// SPDX-License-Identifier: BSD-3-Clause
//
// Swept volumes of whole worlds against the bodies themselves: built-in worlds, robots that are not
// ours, and random trees of every kind of joint, in boxes from nothing to full turns.
#include <gtest/gtest.h>

#include "data.hpp"
#include "robot/random_robots.hpp"
#include "scene/source.hpp"
#include "sweep/volumes_judge.hpp"

namespace keepclear {
namespace {

using oracle::worlds::JudgedBoxes;
using oracle::worlds::Random;
using oracle::worlds::SweepJudge;

/// Random boxes of each width, random configurations in each.
JudgedBoxes judge(const World& world, const RobotModel& robot, const SweepPlan& plan, int boxes,
                  int members, std::uint64_t seed) {
  SweepJudge judge(world, robot);
  Random random(seed);
  JudgedBoxes tally;
  for (const double width : {0.0, 0.002, 0.1, 0.8, 6.4}) {
    judge_boxes(world, judge, plan, width, boxes, members, random, tally);
  }
  return tally;
}

void expect_sound(const JudgedBoxes& tally, const std::string& name) {
  EXPECT_EQ(tally.escapes, 0u) << name;
  EXPECT_EQ(tally.refuted, 0u) << name;
  EXPECT_GT(tally.points, 0u) << name;
}

class BuiltinSweep : public ::testing::TestWithParam<const char*> {};

TEST_P(BuiltinSweep, HoldsEveryPoseOfItsBoxes) {
  const World world = load_builtin(GetParam());
  const WorldSource source = read_builtin_source(GetParam(), {});
  std::uint64_t seed = 1;
  for (const SweepPlan& plan :
       {uniform_plan(world, {1, 1}), paper_plan(world, 3), paper_plan(world, 6)}) {
    const JudgedBoxes tally = judge(world, source.model.robot, plan, 3, 2, seed++);
    expect_sound(tally, GetParam());
    EXPECT_GT(tally.shown, 0u) << GetParam();
  }
  SweepPlan mixed = uniform_plan(world, {1, 1});
  for (std::size_t j = 0; j < 3; ++j) mixed.operators[j] = {static_cast<int>(j) + 2, 2};
  expect_sound(judge(world, source.model.robot, mixed, 3, 2, seed), GetParam());
}

INSTANTIATE_TEST_SUITE_P(Worlds, BuiltinSweep,
                         ::testing::Values("six_axis_arm", "two_arms", "humanoid"));

TEST(SweepOfRobots, HoldsEveryPoseOfItsBoxes) {
  KEEPCLEAR_NEEDS_DATA("robots");
  for (const char* file : {"kuka_lbr_iiwa7_r800/iiwa7.urdf", "ur5_robotiq85/ur5_robotiq85.urdf",
                           "iiwa14_spheres/iiwa14_spheres.urdf"}) {
    const auto path = test::data_dir() / "robots" / file;
    const World world = load(path);
    const WorldSource source = read_source(path, {});
    expect_sound(judge(world, source.model.robot, paper_plan(world, 3), 1, 1, 5), file);
  }
}

/// Balls, segments and triangles on the links of a random tree.
RobotModel dressed(RobotModel robot, Random& random) {
  for (Link& link : robot.links) {
    Collision collision;
    collision.geometry.kind = random() % 2 ? Geometry::Kind::box : Geometry::Kind::sphere;
    collision.geometry.size = {oracle::worlds::uniform(random, 0.05, 0.5), 0.1, 0.2};
    collision.geometry.radius = oracle::worlds::uniform(random, 0.05, 0.3);
    collision.origin.xyz = {oracle::worlds::uniform(random, -0.5, 0.5), 0.1, 0};
    link.collisions.push_back(collision);
  }
  return robot;
}

TEST(SweepOfRandomTrees, HoldsEveryPoseOfItsBoxes) {
  Random random(17);
  std::size_t looked = 0;
  for (int k = 0; k < 40; ++k) {
    const RobotModel robot = dressed(testing_robots::random_tree(random, 2 + k % 7), random);
    const World world = compile_robot(robot, nullptr, {.allow_no_pairs = true});
    SweepPlan plan = uniform_plan(world, {1, 1});
    for (JointOperator& op : plan.operators) {
      op = {1 + static_cast<int>(random() % 4), 1 + static_cast<int>(random() % 2)};
    }
    const std::size_t points = Sweep(world, plan).point_count();
    if (points > 20'000) plan = uniform_plan(world, {1, 1});
    const JudgedBoxes tally = judge(world, robot, plan, 1, 2, static_cast<std::uint64_t>(k));
    EXPECT_EQ(tally.escapes, 0u) << "tree " << k;
    EXPECT_EQ(tally.refuted, 0u) << "tree " << k;
    looked += tally.points;
  }
  EXPECT_GT(looked, 10'000u);
}

TEST(ClearBoxes, AreAllShownFree) {
  struct Case {
    const char* world;
    int fine;
    std::size_t poses;
  };
  for (const auto& [name, fine, poses] :
       {Case{"six_axis_arm", 3, 300}, Case{"two_arms", 3, 100}, Case{"humanoid", 7, 100}}) {
    std::size_t left_out = 0;
    const char* const builtin = name;
    const World world = oracle::worlds::without_near_pairs(
        [&] { return read_builtin_source(builtin, {}); }, 0.02, left_out);
    EXPECT_LE(left_out, 2u) << name;  // of the humanoid the shoulders, 7 mm from the chest
    const oracle::worlds::ClearBoxes seen =
        oracle::worlds::clear_boxes(world, paper_plan(world, fine), poses, 0.02, 0.002, 9);
    EXPECT_EQ(seen.poses, poses) << name;
    EXPECT_EQ(seen.shown, poses) << name << ", least " << seen.least;
  }
}

}  // namespace
}  // namespace keepclear
