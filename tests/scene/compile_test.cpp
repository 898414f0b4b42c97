// SPDX-License-Identifier: BSD-3-Clause
//
// What compile() promises of robots, objects and what links carry, sentence by sentence of the
// header.
#include <gtest/gtest.h>

#include "scene/compile_fixture.hpp"

namespace keepclear {
namespace {

using test::box_shape;
using test::plane_shape;
using test::robot_of;
using test::sphere_shape;
using Kind = Shape::Kind;

class Compile : public test::CompileFixture {};

TEST_F(Compile, ASingleRobotWithoutANameKeepsItsNames) {
  one_robot();
  add("table", box_shape({1, 1, 0.1}), {{0, 0, -1}, {}, {}});
  const World world = compile(scene_);
  EXPECT_EQ(solid_names(world), (std::vector<std::string>{"base", "arm", "hand", "table"}));
  EXPECT_EQ(world.variables()[0].name, "x");
  EXPECT_EQ(std::vector(world.links().begin(), world.links().end()),
            (std::vector<std::string>{"base", "arm", "hand", "tool"}));
  EXPECT_EQ(std::vector(world.links_without_bodies().begin(), world.links_without_bodies().end()),
            (std::vector<std::string>{"tool"}));
}

TEST_F(Compile, ANamedRobotPutsItsNameBeforeLinksAndJoints) {
  two_robots();
  const World world = compile(scene_);
  EXPECT_EQ(solid_names(world),
            (std::vector<std::string>{"left/base", "left/arm", "left/hand", "right/base",
                                      "right/arm", "right/hand"}));
  std::vector<std::string> variables;
  for (const Variable& v : world.variables()) variables.push_back(v.name);
  EXPECT_EQ(variables, (std::vector<std::string>{"left/x", "left/y", "right/x", "right/y"}));
  EXPECT_EQ(world.solids()[0].robot, 0);
  EXPECT_EQ(world.solids()[5].robot, 1);
}

TEST_F(Compile, SeveralRobotsNeedANameEachAndDifferentOnes) {
  one_robot();
  one_robot("right");
  expect_refused(Error::Kind::malformed, {"several robots need a name each"});
  scene_.robots[0].name = "right";
  expect_refused(Error::Kind::malformed, {"/robots/right", "two robots are called 'right'"});
  scene_.robots[0].name = "a/b";
  expect_refused(Error::Kind::malformed, {"slash"});
}

TEST_F(Compile, ARobotWithoutAFileIsRefused) {
  one_robot();
  scene_.robots[0].urdf.clear();
  expect_refused(Error::Kind::malformed, {"/robots/", "needs a URDF"});
  scene_.robots[0].urdf = folder_.path() / "nothing.urdf";
  expect_refused(Error::Kind::missing, {"nothing.urdf"});
}

TEST_F(Compile, ABuiltinRobotStandsWhereItIsPut) {
  SceneRobot robot;
  robot.builtin = "six_axis_arm";
  robot.base.xyz = {5, 0, 0};
  scene_.robots.push_back(robot);
  add("marker", sphere_shape(0.01), {{5, 0, 3}, {}, {}});
  const World world = compile(scene_);
  EXPECT_EQ(world.dof(), 6u);
  EXPECT_LT(distance(world, world.neutral()).distance, 3);
  scene_.robots[0].builtin = "no_such_arm";
  expect_refused(Error::Kind::missing, {"no_such_arm"});
}

TEST_F(Compile, BasesAreInTheWorldByRpyOrQuaternion) {
  // The hand, one metre up, is turned to lie one metre along x, seen from a base at y = 3.
  const double half = std::sqrt(0.5);
  add("marker", sphere_shape(0.05), {{2, 3, 0}, {}, {}});
  const double quarter = std::acos(0.0);
  Scene by_rpy = scene_, by_quaternion = scene_;
  by_rpy.robots.push_back(robot_of("", urdf_, {{0, 3, 0}, {0, quarter, 0}, {}}));
  by_quaternion.robots.push_back(
      robot_of("", urdf_, {{0, 3, 0}, {}, Quaternion{0, half, 0, half}}));
  for (const Scene& scene : {by_rpy, by_quaternion}) {
    const World world = compile(scene);
    DistanceQuery query(world);
    const std::vector<double> q = world.neutral();
    const auto all = query.all_pairs(q);
    const Nearest& near =
        all[test::index_of(world, world.find_solid("hand"), world.find_solid("marker"))];
    EXPECT_NEAR(near.distance, 1 - 0.15, 1e-9);
    // Witness points are in the world.
    EXPECT_NEAR(norm(near.point_a - Vec3{1.1, 3, 0}), 0, 1e-9);
    EXPECT_NEAR(norm(near.point_b - Vec3{1.95, 3, 0}), 0, 1e-9);
    EXPECT_EQ(near.a, world.find_solid("hand"));
  }
}

TEST_F(Compile, EveryPairOfDifferentRobotsIsChecked) {
  two_robots();
  const World world = compile(scene_);
  // base-arm, arm-hand are joined; the two bases do not move against each other.
  EXPECT_EQ(why(world, "left/base", "right/base"), "rigid");
  EXPECT_EQ(why(world, "left/base", "left/arm"), "adjacent");
  EXPECT_EQ(world.pairs().size(), 2u + 8u);
  EXPECT_EQ(world.pair_count(), world.pairs().size());
  EXPECT_TRUE(pair_names(world).contains("left/base and left/hand"));
  EXPECT_TRUE(pair_names(world).contains("left/hand and right/hand"));
}

TEST_F(Compile, ObjectsAreCheckedAgainstAllThatMoves) {
  one_robot();
  add("table", box_shape({1, 1, 0.1}));
  add("post", box_shape({0.1, 0.1, 1}), {{1, 1, 0}, {}, {}});
  const World world = compile(scene_);
  EXPECT_EQ(pair_names(world),
            (std::set<std::string>{"base and hand", "arm and table", "arm and post",
                                   "hand and table", "hand and post"}));
  EXPECT_EQ(why(world, "base", "table"), "rigid");
  EXPECT_FALSE(world.solids()[0].moves);
  EXPECT_TRUE(world.solids()[1].moves);
  EXPECT_FALSE(world.solids()[3].moves);
  EXPECT_TRUE(world.solids()[3].is_object);
  EXPECT_EQ(world.solids()[3].robot, -1);
  EXPECT_EQ(world.solids()[3].shape, "box");
  EXPECT_EQ(world.solids()[3].pieces, 1u);
}

TEST_F(Compile, LinksComeBeforeObjectsInPairs) {
  two_robots();
  add("a", sphere_shape(0.1), {{9, 0, 0}, {}, {}});
  add("b", sphere_shape(0.1), {{9, 9, 0}, {}, {}});
  add("held", sphere_shape(0.1));
  attach("held", "left/hand");
  const World world = compile(scene_);
  bool objects_begun = false;
  for (const PairInfo& pair : world.pairs()) {
    const SolidInfo& b = world.solids()[static_cast<std::size_t>(pair.b)];
    const bool stands = b.is_object && b.robot < 0;
    EXPECT_TRUE(stands || !objects_begun);
    objects_begun = objects_begun || stands;
  }
  EXPECT_TRUE(objects_begun);
  // The attached one is among the links, before what stands.
  EXPECT_LT(world.find_solid("held"), world.find_solid("a"));
}

TEST_F(Compile, TwoThingsOfOneNameAreRefused) {
  one_robot();
  add("table", box_shape({1, 1, 1}));
  add("table", box_shape({1, 1, 2}));
  expect_refused(Error::Kind::malformed, {"test.json", "'table'"});
  scene_.objects[1].name = "arm";
  expect_refused(Error::Kind::malformed, {"'arm'"});
  scene_.objects[1].name = "held";
  scene_.objects[0].name = "held";
  attach("held", "hand");
  expect_refused(Error::Kind::malformed, {"'held'"});
}

TEST_F(Compile, AnAttachedObjectMovesWithItsLink) {
  one_robot();
  add("cup", sphere_shape(0.05), {{0, 0, 0.5}, {}, {}});
  add("wall", plane_shape({-1, 0, 0}, -3));  // solid from x = 3 on
  attach("cup", "tool");
  const World world = compile(scene_);
  const SolidInfo& cup = world.solids()[static_cast<std::size_t>(world.find_solid("cup"))];
  EXPECT_TRUE(cup.is_object);
  EXPECT_TRUE(cup.moves);
  EXPECT_EQ(cup.robot, 0);
  EXPECT_EQ(cup.shape, "sphere");
  DistanceQuery query(world);
  const std::vector<double> q{1, 0.5};
  const auto all = query.all_pairs(q);
  const Nearest& near =
      all[test::index_of(world, world.find_solid("cup"), world.find_solid("wall"))];
  EXPECT_NEAR(near.distance, 2 - 0.05, 1e-9);
  EXPECT_NEAR(norm(near.point_a - Vec3{1.05, 0.5, 1.75}), 0, 1e-9);
  EXPECT_NEAR(norm(near.point_b - Vec3{3, 0.5, 1.75}), 0, 1e-9);
}

TEST_F(Compile, AnAttachedObjectMayTouchItsLinkAndWhatIsListed) {
  two_robots();
  add("cup", sphere_shape(0.05));
  add("table", box_shape({1, 1, 0.1}), {{0, 0, -3}, {}, {}});
  add("tray", box_shape({1, 1, 0.1}), {{0, 0, -4}, {}, {}});
  attach("cup", "left/hand", {"left/arm", "tray", "right"});
  const World world = compile(scene_);
  for (const char* other : {"left/hand", "left/arm", "tray", "right/base", "right/hand"}) {
    EXPECT_EQ(why(world, "cup", other), "touch") << other;
  }
  EXPECT_EQ(why(world, "cup", "table"), "checked");
  EXPECT_EQ(why(world, "cup", "left/base"), "checked");
  EXPECT_TRUE(pair_names(world).contains("cup and table"));
  EXPECT_EQ(world.pair_count(), world.pairs().size());
}

TEST_F(Compile, AnAttachmentToNothingIsRefusedWithItsPlace) {
  one_robot();
  add("cup", sphere_shape(0.05));
  attach("cup", "nose");
  expect_refused(Error::Kind::malformed, {"test.json", "/attached/0", "'nose'"});
  scene_.attached[0].link = "cup";  // itself
  expect_refused(Error::Kind::malformed, {"/attached/0"});
  scene_.attached[0].link = "";  // the world
  expect_refused(Error::Kind::malformed, {"/attached/0"});
  scene_.attached[0] = {"glass", "hand", {}, "/attached/0"};
  expect_refused(Error::Kind::malformed, {"/attached/0", "'glass'"});
  scene_.attached[0] = {"cup", "hand", {"nobody"}, "/attached/0"};
  expect_refused(Error::Kind::malformed, {"/attached/0", "'nobody'"});
  scene_.attached[0].touch.clear();
  attach("cup", "arm");
  expect_refused(Error::Kind::malformed, {"attached twice"});
}

TEST_F(Compile, PlanesAndMapsCannotBeCarried) {
  one_robot();
  add("floor", plane_shape({0, 0, 1}, 0));
  attach("floor", "hand");
  expect_refused(Error::Kind::malformed, {"/objects/floor", "plane", "cannot be attached"});
  scene_.objects[0].shape.kind = Kind::points;
  scene_.objects[0].shape.points.assign(5000, {});
  expect_refused(Error::Kind::malformed, {"/objects/floor", "5000 points"});
}

TEST_F(Compile, AnAttachedCloudOrMeshHasAllItsPieces) {
  one_robot();
  Shape cloud;
  cloud.kind = Kind::points;
  cloud.radius = 0.01;
  cloud.points = {{0, 0, 1}, {0, 0, 2}, {0, 0, 3}};
  add("cloud", cloud);
  Shape mesh;
  mesh.kind = Kind::mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
  add("mesh", mesh);
  attach("cloud", "hand");
  attach("mesh", "arm");
  add("wall", plane_shape({0, 0, -1}, -5));  // solid from z = 5 on
  const World world = compile(scene_);
  EXPECT_EQ(world.solids()[static_cast<std::size_t>(world.find_solid("cloud"))].pieces, 3u);
  DistanceQuery query(world);
  const auto all = query.all_pairs(world.neutral());
  const int wall = world.find_solid("wall");
  EXPECT_NEAR(all[test::index_of(world, world.find_solid("cloud"), wall)].distance, 0.99, 1e-9);
  EXPECT_NEAR(all[test::index_of(world, world.find_solid("mesh"), wall)].distance, 3.5, 1e-9);
}

}  // namespace
}  // namespace keepclear
