// SPDX-License-Identifier: BSD-3-Clause
//
// The built-in humanoid is what paper 1 says of its robot, and its bodies contain its shapes.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>

#include "keepclear/distance.hpp"
#include "keepclear/model.hpp"
#include "scene/builtin.hpp"
#include "scene/builtin_tasks.hpp"
#include "scene/worlds.hpp"

namespace keepclear {
namespace {

using test::find_world;
using test::Motion;
using test::names;
using test::read_task;

World humanoid_shapes() {
  LoadOptions options;
  options.without_model = true;
  return load_builtin("humanoid", options);
}

TEST(Humanoid, HasTheJointsBodiesAndPointsOfThePaper) {
  const World world = load_builtin("humanoid");
  const RobotModel robot = parse_urdf(builtin_urdf("humanoid"), "humanoid", {}, {});
  EXPECT_EQ(std::ranges::count(robot.joints, JointType::revolute, &Joint::type), 20);
  EXPECT_EQ(world.dof(), 19u);
  std::vector<std::string> expected{"torso0", "torso1", "torso2"};
  for (const std::string arm : {"l_arm", "r_arm"}) {
    for (int i = 0; i < 7; ++i) expected.push_back(arm + std::to_string(i));
  }
  expected.insert(expected.end(), {"neck0", "neck1"});
  for (std::size_t i = 0; i < world.dof(); ++i) {
    EXPECT_EQ(world.variables()[i].name, expected[i]);
  }
  EXPECT_EQ(world.bodies().size(), 26u);
  EXPECT_EQ(world.solids().size(), 26u);
  EXPECT_TRUE(world.links_without_bodies().empty());
  std::size_t points = 0;
  for (const BodyInfo& body : world.bodies()) points += body.points;
  EXPECT_EQ(points, 80u);
  // Every pair but those that a joint joins: no SRDF is needed.
  EXPECT_EQ(world.pair_count(), 26u * 25u / 2u - 25u);
}

// 19 numbers for 20 joints: torso3 undoes torso2.
TEST(Humanoid, TheChestLeansAsTorso1DoesWhereverTorso2Stands) {
  const RobotModel robot = parse_urdf(builtin_urdf("humanoid"), "humanoid", {}, {});
  const Kinematics kinematics(robot);
  const auto chest = std::ranges::find(robot.links, "torso3", &Link::name) - robot.links.begin();
  const int frame = kinematics.frame_of_link(static_cast<int>(chest));
  std::vector<BoundedPose> poses(static_cast<std::size_t>(kinematics.frame_count()));
  std::vector<Vec3> places;
  for (const double fold : {-1.2, 0.0, 0.7}) {
    std::vector<double> q(19);
    q[1] = 0.4;
    q[2] = fold;
    ASSERT_TRUE(kinematics.forward(q, 0, poses));
    const Pose& X = poses[static_cast<std::size_t>(frame)].X;
    EXPECT_LT(norm(X.R * Vec3{0, 0, 1} - Vec3{std::sin(0.4), 0, std::cos(0.4)}), 1e-12);
    places.push_back(X.p);
  }
  EXPECT_GT(norm(places[0] - places[1]), 0.2);
  EXPECT_GT(norm(places[2] - places[1]), 0.1);
}

TEST(Humanoid, EqualNumbersForBothArmsMakeASymmetricPose) {
  const World world = humanoid_shapes();
  DistanceQuery query(world);
  std::mt19937_64 random(8);
  const auto mirror = [&](int solid) {
    std::string name = world.solids()[static_cast<std::size_t>(solid)].name;
    if (name.starts_with("l_")) {
      name[0] = 'r';
    } else if (name.starts_with("r_")) {
      name[0] = 'l';
    }
    return world.find_solid(name);
  };
  for (int i = 0; i < 50; ++i) {
    std::vector<double> q = test::random_pose(world, random);
    std::copy_n(q.begin() + 3, 7, q.begin() + 10);
    q[0] = q[17] = 0;
    const auto all = query.all_pairs(q);
    for (const Nearest& pair : all) {
      const Nearest& other = all[test::index_of(world, mirror(pair.a), mirror(pair.b))];
      EXPECT_NEAR(pair.distance, other.distance, 1e-6) << test::names_of(world, pair.a, pair.b);
    }
  }
}

TEST(Humanoid, LinksThatMeetByDesignAreThoseThatAJointJoins) {
  const World world = load_builtin("humanoid");
  DistanceQuery query(world);
  std::mt19937_64 random(9);
  const auto arm_joint = [&](int solid) {
    const std::string& name = world.solids()[static_cast<std::size_t>(solid)].name;
    return name.substr(1, 4) == "_arm" ? name.back() - '0' : name.ends_with("hand") ? 7 : -100;
  };
  double arms = 1, trunk = 1;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> q = test::random_pose(world, random);
    // Many poses at the limits, where links come nearest.
    for (std::size_t j = 0; j < q.size(); ++j) {
      const Variable& v = world.variables()[j];
      if (random() % 3 == 0) q[j] = random() % 2 == 0 ? v.lower : v.upper;
    }
    for (const Nearest& pair : query.all_pairs(q)) {
      const int a = arm_joint(pair.a), b = arm_joint(pair.b);
      if (a < 0 && b < 0) trunk = std::min(trunk, pair.lower_bound);
      const bool same = world.solids()[static_cast<std::size_t>(pair.a)].name[0] ==
                        world.solids()[static_cast<std::size_t>(pair.b)].name[0];
      if (a >= 0 && b >= 0 && same && std::abs(a - b) == 2) {
        arms = std::min(arms, pair.lower_bound);
      }
    }
  }
  EXPECT_GT(arms, 0.01);
  EXPECT_GT(trunk, 0.01);
}

TEST(Humanoid, TheModelHitsWhateverTheShapesHitAndLittleElse) {
  const World model = load_builtin("humanoid"), shapes = humanoid_shapes();
  DistanceQuery of_model(model), of_shapes(shapes);
  std::mt19937_64 random(10);
  int contacts = 0, more = 0;
  for (int i = 0; i < 2000; ++i) {
    const std::vector<double> q = test::random_pose(model, random);
    const bool hit = of_shapes.check(q).verdict == Verdict::contact;
    const bool model_hit = of_model.check(q).verdict == Verdict::contact;
    EXPECT_TRUE(model_hit || !hit);
    contacts += hit;
    more += model_hit && !hit;
  }
  EXPECT_GT(contacts, 100);
  EXPECT_LT(contacts, 600);
  EXPECT_LT(more, 120);
}

// Loading proves containment, and this is what a proof is worth: no body has a micrometre to spare.
TEST(Humanoid, AModelWithASmallerRadiusIsRefused) {
  const auto model = builtin_model("humanoid");
  ASSERT_NE(model, nullptr);
  for (std::size_t i = 0; i < model->bodies.size(); ++i) {
    auto smaller = std::make_shared<BodyModel>(*model);
    smaller->bodies[i].radius -= 1e-6;
    LoadOptions options;
    options.bodies = smaller;
    EXPECT_THROW(load_builtin("humanoid", options), Error) << model->bodies[i].link;
  }
}

TEST(Humanoid, TasksAreWithinTheLimitsOfPositionAndSpeed) {
  const World world = load_builtin("humanoid");
  const RobotModel robot = parse_urdf(builtin_urdf("humanoid"), "humanoid", {}, {});
  std::map<std::string, double> fastest;
  for (const Joint& joint : robot.joints) fastest[joint.name] = joint.velocity;
  ASSERT_EQ(find_world("humanoid").tasks.size(), 2u);
  for (const BuiltinWorld::Task& task : find_world("humanoid").tasks) {
    const Motion motion = read_task("humanoid", task.name);
    ASSERT_EQ(motion.columns.size(), 20u);
    for (std::size_t row = 0; row < motion.poses.size(); ++row) {
      for (std::size_t i = 0; i < world.dof(); ++i) {
        const Variable& v = world.variables()[i];
        ASSERT_EQ(motion.columns[i + 1], v.name);
        ASSERT_GE(motion.poses[row][i], v.lower);
        ASSERT_LE(motion.poses[row][i], v.upper);
        if (row == 0) continue;
        const double dt = motion.time[row] - motion.time[row - 1];
        ASSERT_LE(std::abs(motion.poses[row][i] - motion.poses[row - 1][i]),
                  fastest.at(v.name) * dt)
            << task.name << " " << v.name << " at " << motion.time[row];
      }
    }
  }
}

// The first experiment of the paper, but for the braking.
TEST(Humanoid, HandsComeTogetherThreeTimesFasterAndFasterAndStopShort) {
  const World world = load_builtin("humanoid");
  const Motion motion = read_task("humanoid", "hands");
  DistanceQuery query(world);
  const std::size_t hands =
      test::index_of(world, world.find_solid("l_hand"), world.find_solid("r_hand"));
  std::vector<double> distance;
  for (const auto& q : motion.poses) {
    ASSERT_EQ(query.check(q).verdict, Verdict::free);
    distance.push_back(query.all_pairs(q)[hands].distance);
  }
  EXPECT_NEAR(std::ranges::min(distance), 0.02, 0.002);
  EXPECT_GT(std::ranges::max(distance), 0.5);
  // The fastest closing between one standstill near and the next.
  std::vector<double> speeds{0};
  for (std::size_t row = 1; row < distance.size(); ++row) {
    const double dt = motion.time[row] - motion.time[row - 1];
    const double speed = (distance[row - 1] - distance[row]) / dt;
    if (speed < -0.1 && speeds.back() > 0) speeds.push_back(0);
    speeds.back() = std::max(speeds.back(), speed);
  }
  speeds.pop_back();
  ASSERT_EQ(speeds.size(), 3u);
  EXPECT_NEAR(speeds[0], 0.22, 0.02);
  EXPECT_NEAR(speeds[1], 0.65, 0.03);
  EXPECT_NEAR(speeds[2], 1.1, 0.05);
}

TEST(Humanoid, ReachEndsWithTheHandsInThePlatform) {
  for (const World& world : {load_builtin("humanoid"), humanoid_shapes()}) {
    const Motion motion = read_task("humanoid", "reach");
    DistanceQuery query(world);
    std::size_t contacts = 0;
    for (const auto& q : motion.poses) {
      const CheckResult check = query.check(q);
      if (check.verdict == Verdict::free) {
        EXPECT_EQ(contacts, 0u);
        continue;
      }
      ASSERT_EQ(check.verdict, Verdict::contact);
      const std::set<std::string> pair = names(world, check.a, check.b);
      EXPECT_TRUE(pair.contains("platform"));
      EXPECT_TRUE(pair.contains("l_hand") || pair.contains("r_hand"));
      ++contacts;
    }
    EXPECT_GT(contacts, 30u);
    EXPECT_LT(contacts, motion.poses.size() / 2);
  }
}

}  // namespace
}  // namespace keepclear
