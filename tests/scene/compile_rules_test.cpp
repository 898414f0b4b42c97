// SPDX-License-Identifier: BSD-3-Clause
//
// What compile() promises of rules, margins, files and options, sentence by sentence of the header.
#include <gtest/gtest.h>

#include "scene/compile_fixture.hpp"

namespace keepclear {
namespace {

using test::box_shape;
using test::robot_of;
using test::sphere_shape;
using Kind = Shape::Kind;

class CompileRules : public test::CompileFixture {};

TEST_F(CompileRules, ARobotsNameStandsForAllItsLinks) {
  two_robots();
  add("table", box_shape({1, 1, 0.1}), {{0, 0, -3}, {}, {}});
  scene_.allow.push_back({"left", "right", "/allow/0"});
  scene_.allow.push_back({"table", "left", "/allow/1"});
  const World world = compile(scene_);
  EXPECT_EQ(pair_names(world),
            (std::set<std::string>{"left/base and left/hand", "right/base and right/hand",
                                   "right/arm and table", "right/hand and table"}));
  EXPECT_EQ(why(world, "left/hand", "right/arm"), "allowed");
  EXPECT_EQ(why(world, "left/hand", "table"), "allowed");
  scene_.allow = {{"left", "left", "/allow/0"}};
  EXPECT_EQ(why(compile(scene_), "left/base", "left/hand"), "allowed");
}

TEST_F(CompileRules, NamesOfRulesMustExist) {
  one_robot("left");
  scene_.allow = {{"left", "nobody", "/allow/0"}};
  expect_refused(Error::Kind::malformed, {"/allow/0", "'nobody'"});
  scene_.allow = {{"", "left", "/allow/0"}};
  expect_refused(Error::Kind::malformed, {"/allow/0"});
  scene_.allow = {{"left/tool", "left/base", "/allow/0"}};  // has no bodies: nothing to allow
  EXPECT_NO_THROW(compile(scene_));
  scene_.allow.clear();
  scene_.margins = {{{"left/hand", "hand", "/margins/0"}, 0.1}};
  expect_refused(Error::Kind::malformed, {"/margins/0", "'hand'"});
}

TEST_F(CompileRules, MarginsAreOfThePairOrOfTheScene) {
  two_robots();
  add("table", box_shape({1, 1, 0.1}), {{0, 0, -3}, {}, {}});
  scene_.margin = 0.02;
  scene_.margins = {{{"left", "right", "/margins/0"}, 0.2},
                    {{"right/hand", "left/hand", "/margins/1"}, 0.005},
                    {{"table", "left/hand", "/margins/2"}, 0}};
  const World world = compile(scene_);
  for (const PairInfo& pair : world.pairs()) {
    const std::string name = test::names_of(world, pair.a, pair.b);
    const double expected =
        name == "left/hand and right/hand"                                                  ? 0.005
        : name == "left/hand and table"                                                     ? 0
        : name.find("left") != std::string::npos && name.find("right") != std::string::npos ? 0.2
                                                                                            : 0.02;
    EXPECT_EQ(pair.margin, expected) << name;
  }
}

TEST_F(CompileRules, MarginsOutOfRangeAreRefused) {
  one_robot("left");
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const double margin : {-1e-9, 1e4, kNan, std::numeric_limits<double>::infinity()}) {
    scene_.margin = margin;
    scene_.margins.clear();
    expect_refused(Error::Kind::malformed, {"margin"});
    scene_.margin = 0;
    scene_.margins = {{{"left/base", "left/hand", "/margins/0"}, margin}};
    expect_refused(Error::Kind::malformed, {"/margins/0", "margin"});
  }
}

TEST_F(CompileRules, IntendedContactsAreOfALinkAndAnObject) {
  one_robot();
  add("cup", sphere_shape(0.05), {{3, 0, 0}, {}, {}});
  add("mug", sphere_shape(0.05), {{4, 0, 0}, {}, {}});
  scene_.contacts = {{"hand", "cup", 0.1, "/contacts/0"}};
  EXPECT_NO_THROW(compile(scene_));
  const auto refuses = [&](const IntendedContact& contact) {
    scene_.contacts = {contact};
    expect_refused(Error::Kind::malformed, {"/contacts/0"});
  };
  refuses({"nobody", "cup", 0.1, "/contacts/0"});
  refuses({"hand", "nothing", 0.1, "/contacts/0"});
  refuses({"cup", "hand", 0.1, "/contacts/0"});
  refuses({"mug", "cup", 0.1, "/contacts/0"});
  refuses({"hand", "arm", 0.1, "/contacts/0"});
  refuses({"tool", "cup", 0.1, "/contacts/0"});
  refuses({"hand", "cup", 0, "/contacts/0"});
  refuses({"hand", "cup", -1, "/contacts/0"});
  refuses({"hand", "cup", std::numeric_limits<double>::quiet_NaN(), "/contacts/0"});
}

TEST_F(CompileRules, AMapWithoutAWordOnUnknownSpaceIsRefused) {
  one_robot();
  Shape map;
  map.kind = Kind::octomap;
  map.file = std::filesystem::path(KEEPCLEAR_CORPUS) / "octomap/ok/bits.bt";
  add("map", map);
  expect_refused(Error::Kind::malformed, {"test.json", "/objects/map", "unknown"});
  scene_.objects[0].shape.unknown = UnknownSpace::free;
  const World free = compile(scene_);
  scene_.objects[0].shape.unknown = UnknownSpace::occupied;
  const World occupied = compile(scene_);
  const auto pieces = [](const World& world) {
    return world.solids()[static_cast<std::size_t>(world.find_solid("map"))].pieces;
  };
  EXPECT_GT(pieces(free), 0u);
  EXPECT_GT(pieces(occupied), pieces(free));
  EXPECT_NE(free.hash(), occupied.hash());
}

TEST_F(CompileRules, FilesThatAreNotThereAreNamed) {
  one_robot();
  for (const Kind kind : {Kind::mesh, Kind::points, Kind::octomap}) {
    Shape shape;
    shape.kind = kind;
    shape.radius = 0.1;
    shape.unknown = UnknownSpace::free;
    shape.file = folder_.path() / (kind == Kind::mesh     ? "none.stl"
                                   : kind == Kind::points ? "none.xyz"
                                                          : "none.bt");
    scene_.objects.clear();
    add("thing", shape);
    expect_refused(Error::Kind::missing, {shape.file.filename().string()});
    if (kind == Kind::octomap) continue;
    attach("thing", "hand");
    expect_refused(Error::Kind::missing, {shape.file.filename().string()});
    scene_.attached.clear();
  }
}

const char* const kTetrahedron =
    "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 4\n";

TEST_F(CompileRules, PackagesOfRobotsAndOptionsLeadToMeshes) {
  folder_.write("parts/shapes/tetra.obj", kTetrahedron);
  one_robot();
  Shape mesh;
  mesh.kind = Kind::mesh;
  mesh.file = "package://parts/shapes/tetra.obj";
  add("tetra", mesh, {{0, 0, 3}, {}, {}});
  scene_.file = "/nowhere/test.json";
  expect_refused(Error::Kind::missing, {"package://parts"});
  const auto solid = [](const World& world) {
    return world.solids()[static_cast<std::size_t>(world.find_solid("tetra"))];
  };
  LoadOptions options;
  options.packages["parts"] = folder_.path() / "parts";
  EXPECT_EQ(std::filesystem::path(solid(compile(scene_, options)).file).filename(), "tetra.obj");
  scene_.robots[0].packages["parts"] = folder_.path() / "parts";
  EXPECT_EQ(std::filesystem::path(solid(compile(scene_)).file).filename(), "tetra.obj");
  // The robots' own come before those of the options.
  options.packages["parts"] = folder_.path() / "elsewhere";
  EXPECT_NO_THROW(compile(scene_, options));
}

TEST_F(CompileRules, PackagesOfARobotComeBeforeThoseOfTheOptions) {
  folder_.write("meshes/a.obj", kTetrahedron);
  const auto urdf = folder_.write(
      "robot/mesh.urdf",
      test::robot(test::link("base", "<mesh filename=\"package://pkg/a.obj\"/>") +
                  test::link("ball", test::sphere(0.1)) +
                  test::joint("j", "prismatic", "base", "ball", "<origin xyz=\"0 0 3\"/>")));
  scene_.robots.push_back(robot_of("", urdf));
  scene_.robots[0].packages["pkg"] = folder_.path() / "meshes";
  LoadOptions options;
  options.packages["pkg"] = folder_.path() / "nowhere";
  const World world = compile(scene_, options);
  EXPECT_EQ(std::filesystem::path(world.bodies()[0].file).filename(), "a.obj");
}

TEST_F(CompileRules, ASceneFileSurroundsAUrdf) {
  const auto scene = folder_.write(
      "around.json",
      R"({"objects": [{"name": "table", "shape": "box", "size": [1, 1, 0.1]}], "margin": 0.01})");
  LoadOptions options;
  options.scene = scene;
  const World world = load(urdf_, options);
  EXPECT_EQ(solid_names(world), (std::vector<std::string>{"base", "arm", "hand", "table"}));
  for (const PairInfo& pair : world.pairs()) EXPECT_EQ(pair.margin, 0.01);
  const auto with_robot = folder_.write("more.json", R"({"robots": [{"urdf": "slider.urdf"}]})");
  options.scene = with_robot;
  EXPECT_THROW(load(urdf_, options), Error);
  EXPECT_EQ(load(with_robot).dof(), 2u);
  EXPECT_THROW(load(with_robot, options), Error);  // a scene around a scene
}

TEST_F(CompileRules, AnSrdfIsOfOneRobot) {
  const auto srdf = folder_.write(
      "slider.srdf",
      "<robot name=\"r\"><disable_collisions link1=\"base\" link2=\"hand\" reason=\"Never\"/>"
      "</robot>");
  two_robots();
  LoadOptions options;
  options.srdf = srdf;
  expect_refused(Error::Kind::usage, {"several robots"}, options);
  scene_.robots[1].srdf = srdf;
  const World both = compile(scene_);
  EXPECT_EQ(why(both, "left/base", "left/hand"), "checked");
  EXPECT_EQ(why(both, "right/base", "right/hand"), "disabled");
  EXPECT_EQ(both.left_out().size(), 2u + 2u + 1u + 1u);
  scene_.robots.pop_back();
  add("table", box_shape({1, 1, 0.1}));
  const World one = compile(scene_, options);
  EXPECT_EQ(why(one, "left/base", "left/hand"), "disabled");
}

TEST_F(CompileRules, LeavingNothingToCheckIsRefusedUnlessAllowed) {
  one_robot("left");
  scene_.allow = {{"left", "left", "/allow/0"}};
  expect_refused(Error::Kind::malformed, {"no pair is left"});
  LoadOptions options;
  options.allow_no_pairs = true;
  const World world = compile(scene_, options);
  EXPECT_EQ(world.pair_count(), 0u);
  const Nearest none = distance(world, world.neutral());
  EXPECT_EQ(none.verdict, Verdict::free);
  EXPECT_EQ(none.distance, std::numeric_limits<double>::infinity());
}

TEST_F(CompileRules, ASceneOfObjectsAloneIsFree) {
  add("a", box_shape({1, 1, 1}));
  add("b", box_shape({1, 1, 1}));
  const World world = compile(scene_);
  EXPECT_EQ(world.dof(), 0u);
  EXPECT_EQ(world.pair_count(), 0u);
  EXPECT_EQ(distance(world, {}).verdict, Verdict::free);
}

TEST_F(CompileRules, AnObjectSaysHowFarItReachesBeyondItsShapeCarriedOrNot) {
  const auto file = folder_.write("tetra.obj", kTetrahedron);
  one_robot();
  add("can", test::round_shape(Kind::cylinder, 0.5, 1), {{0, 0, 9}, {}, {}});
  Shape mesh;
  mesh.kind = Kind::mesh;
  mesh.file = file;
  add("mesh", mesh, {{0, 0, 12}, {}, {}});
  const auto solid = [](const World& world, const char* name) {
    return world.solids()[static_cast<std::size_t>(world.find_solid(name))];
  };
  const World standing = compile(scene_);
  EXPECT_GT(solid(standing, "can").excess, 1e-5);
  EXPECT_EQ(solid(standing, "mesh").file, file.string());
  attach("can", "hand");
  attach("mesh", "arm");
  const World carried = compile(scene_);
  EXPECT_GE(solid(carried, "can").excess, solid(standing, "can").excess);
  EXPECT_EQ(solid(carried, "mesh").file, file.string());
}

TEST_F(CompileRules, NamesThatCouldMeanTwoThingsAreRefused) {
  // An object called like a robot, or like a link without bodies: rules would take one for both.
  one_robot("left");
  add("left", box_shape({1, 1, 1}), {{0, 0, 9}, {}, {}});
  expect_refused(Error::Kind::malformed, {"'left'"});
  scene_.objects[0].name = "left/tool";
  expect_refused(Error::Kind::malformed, {"'left/tool'"});
}

TEST_F(CompileRules, AnSrdfDecidesWithinItsRobotAlone) {
  two_robots();
  scene_.robots[0].srdf = folder_.write(
      "off.srdf", "<robot name=\"slider\"><disable_default_collisions link=\"hand\"/></robot>");
  add("load", box_shape({0.1, 0.1, 0.1}), {{0, 0, 0.3}, {}, {}});
  attach("load", "right/hand");
  const World world = compile(scene_);
  auto checked = [&](const char* a, const char* b) {
    const int first = world.find_solid(a), second = world.find_solid(b);
    return std::any_of(world.pairs().begin(), world.pairs().end(), [&](const PairInfo& pair) {
      return (pair.a == first && pair.b == second) || (pair.a == second && pair.b == first);
    });
  };
  EXPECT_FALSE(checked("left/hand", "left/base"));
  EXPECT_TRUE(checked("left/hand", "right/hand"));
  EXPECT_TRUE(checked("left/hand", "load"));
}

TEST_F(CompileRules, TheHashTellsWhoMayTouchWhom) {
  one_robot();
  add("a", box_shape({0.1, 0.1, 0.1}), {{0, 0, 0.3}, {}, {}});
  add("b", box_shape({0.1, 0.1, 0.1}), {{0, 0, 0.6}, {}, {}});
  attach("a", "hand", {"b"});
  attach("b", "arm");
  const std::string one = compile(scene_).hash();
  scene_.attached[0].touch.clear();
  scene_.attached[1].touch = {"a"};
  EXPECT_NE(compile(scene_).hash(), one);
}

TEST_F(CompileRules, AMeshScaledByNoNumberIsRefused) {
  one_robot();
  Shape mesh;
  mesh.kind = Kind::mesh;
  mesh.points = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  mesh.triangles = {{0, 1, 2}};
  mesh.scale = {std::numeric_limits<double>::quiet_NaN(), 1, 1};
  add("mesh", mesh, {{0, 0, 9}, {}, {}});
  expect_refused(Error::Kind::malformed, {"scale"});
}

}  // namespace
}  // namespace keepclear
