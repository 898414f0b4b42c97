// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds with bodies of a model: accepted only if they contain what they stand for.
#include "keepclear/model.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "keepclear/distance.hpp"
#include "keepclear/watch.hpp"
#include "scene/link_shapes.hpp"
#include "scene/scenes.hpp"
#include "scene/source.hpp"

namespace keepclear {
namespace {

using test::joint;
using test::link;
using test::sphere;

/// A cube of edge 0.2 around the origin.
const std::string kCube =
    "v -0.1 -0.1 -0.1\nv 0.1 -0.1 -0.1\nv 0.1 0.1 -0.1\nv -0.1 0.1 -0.1\n"
    "v -0.1 -0.1 0.1\nv 0.1 -0.1 0.1\nv 0.1 0.1 0.1\nv -0.1 0.1 0.1\n"
    "f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\n"
    "f 4 1 5\nf 4 5 8\n";

/// A base with a ball, an arm with a cube that is turned and moved, a hand with a cylinder and a
/// capsule, and a frame without a shape.
const std::string kRobot = test::robot(
    link("base", sphere(0.1)) +
    "<link name='arm'><collision name='shell'><origin xyz='0.05 0 0.1' rpy='0.3 -0.2 1'/>"
    "<geometry><mesh filename='cube.obj'/></geometry></collision></link>"
    "<link name='hand'><collision><origin xyz='0 0 0.1'/><geometry><cylinder radius='0.05' "
    "length='0.2'/></geometry></collision><collision><origin xyz='0.3 0 0' rpy='0 1.5 0'/>"
    "<geometry><capsule radius='0.02' length='0.1'/></geometry></collision></link>" +
    link("tool") +
    joint("j1", "revolute", "base", "arm", "<origin xyz='0 0 0.5'/><axis xyz='0 1 0'/>") +
    joint("j2", "revolute", "arm", "hand", "<origin xyz='0 0 0.5'/><axis xyz='1 0 0'/>") +
    joint("f", "fixed", "hand", "tool", "<origin xyz='0 0 0.2'/>"));

/// The least radius that is proved, as a fit finds it.
double proved_radius(const Link& link, const std::vector<Vec3>& points, Around around,
                     std::optional<std::size_t> only = {}) {
  const auto elements = elements_of(link, around);
  const Meshes meshes = read_meshes(elements, 1);
  const NearHull hull(points);
  double radius = 0;
  for (std::size_t e = 0; e < elements.size(); ++e) {
    if (only && *only != e) continue;
    const LinkShape shape = shape_of(*elements[e], meshes);
    for (const Vec3 p : shape.points) {
      radius = std::max(radius, needed_radius_hi(hull, p, shape.reach_hi()));
    }
  }
  return radius;
}

class Model : public testing::Test {
 protected:
  Model() {
    folder_.write("cube.obj", kCube);
    urdf_ = folder_.write("robot.urdf", kRobot);
    robot_ = read_source(urdf_, {}).model.robot;
    model_.file = "test.model.json";
    add("base", {{0, 0, 0}});
    add("arm", {{0.05, 0, 0.05}, {0.05, 0, 0.15}});
    add("hand", {{0, 0, 0.05}, {0, 0, 0.15}}, 0);
    add("hand", {{0.25, 0, 0}, {0.35, 0, 0}, {0.3, 0.01, 0}}, 1);
  }

  void add(const std::string& name, const std::vector<Vec3>& points,
           std::optional<std::size_t> element = {}) {
    const Link& link = robot_.links[static_cast<std::size_t>(robot_.find_link(name))];
    model_.bodies.push_back(
        {name, proved_radius(link, points, model_.around, element), points, ""});
  }

  LoadOptions with(const BodyModel& model) const {
    LoadOptions options;
    options.bodies = std::make_shared<const BodyModel>(model);
    return options;
  }
  void expect_refused(const BodyModel& model, const std::vector<std::string>& words) const {
    expect_refused(with(model), words);
  }
  void expect_refused(const LoadOptions& options, const std::vector<std::string>& words,
                      Error::Kind kind = Error::Kind::malformed) const {
    try {
      load(urdf_, options);
      ADD_FAILURE() << "not refused: " << (words.empty() ? "" : words[0]);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), kind) << error.what();
      for (const std::string& word : words) {
        EXPECT_NE(std::string(error.what()).find(word), std::string::npos)
            << "no '" << word << "' in: " << error.what();
      }
    }
  }

  test::Folder folder_;
  std::filesystem::path urdf_;
  RobotModel robot_;
  BodyModel model_;
};

TEST_F(Model, BodiesStandForTheShapesOfTheirLinks) {
  const World world = load(urdf_, with(model_));
  const World plain = load(urdf_);
  const auto bodies = world.bodies();
  ASSERT_EQ(bodies.size(), 4u);
  EXPECT_EQ(plain.bodies().size(), 4u);
  EXPECT_NE(world.hash(), plain.hash());
  ASSERT_EQ(world.links_without_bodies().size(), 1u);
  EXPECT_EQ(world.links_without_bodies()[0], "tool");
  EXPECT_EQ(world.pair_count(), plain.pair_count());

  for (const BodyInfo& body : bodies) EXPECT_TRUE(body.modelled);
  for (const BodyInfo& body : plain.bodies()) EXPECT_FALSE(body.modelled);
  EXPECT_EQ(bodies[0].link, "base");
  EXPECT_EQ(bodies[0].shape, "sphere");
  EXPECT_NEAR(bodies[0].radius, 0.1, 1e-12);
  const double ball = 4 * std::numbers::pi * 0.001 / 3;
  EXPECT_NEAR(bodies[0].volume, ball, 1e-12);
  EXPECT_NEAR(bodies[0].hull_volume, ball, 1e-12);
  EXPECT_LT(bodies[0].excess, 1e-12);

  EXPECT_EQ(bodies[1].link, "arm");
  EXPECT_EQ(bodies[1].shape, "mesh");
  EXPECT_EQ(bodies[1].name, "shell");
  EXPECT_EQ(bodies[1].file, (folder_.path() / "cube.obj").string());
  EXPECT_EQ(bodies[1].source_vertices, 8u);
  EXPECT_EQ(bodies[1].source_triangles, 12u);
  EXPECT_EQ(bodies[1].elements, std::vector<int>{0});
  EXPECT_EQ(bodies[1].points, 2u);
  EXPECT_NEAR(bodies[1].hull_volume, 0.008, 1e-9);
  const double r = bodies[1].radius;
  EXPECT_NEAR(bodies[1].volume, std::numbers::pi * r * r * (0.1 + 4 * r / 3), 1e-9);

  EXPECT_EQ(bodies[2].shape, "cylinder");
  EXPECT_EQ(bodies[2].elements, std::vector<int>{0});
  EXPECT_NEAR(bodies[2].hull_volume, std::numbers::pi * 0.0025 * 0.2, 1e-12);
  EXPECT_EQ(bodies[3].shape, "capsule");
  EXPECT_EQ(bodies[3].element, 1);
  EXPECT_EQ(bodies[3].elements, std::vector<int>{1});

  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_GT(plain.bodies()[i].volume, 0.99 * plain.bodies()[i].hull_volume);
    EXPECT_NEAR(plain.bodies()[i].hull_volume, bodies[i].hull_volume, 1e-9);
  }
}

TEST_F(Model, TheExcessIsHowFarABodyReachesBeyondItsShape) {
  // Around the cube, in whose frame everything is easily told: from a ball's pole to a face, and
  // from the cap above its upper end likewise.
  robot_ = read_source(
               folder_.write("cube.urdf", test::robot("<link name='arm'><collision><geometry><mesh "
                                                      "filename='cube.obj'/></geometry></collision>"
                                                      "</link>")),
               {})
               .model.robot;
  model_.bodies.clear();
  add("arm", {{0, 0, 0}});
  add("arm", {{0, 0, -0.02}, {0, 0, 0.04}});
  World world = load(folder_.path() / "cube.urdf", with({"", "m", {}, {model_.bodies[0]}}));
  ASSERT_EQ(world.bodies().size(), 1u);
  EXPECT_NEAR(world.bodies()[0].radius, 0.1 * std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(world.bodies()[0].excess, 0.1 * std::sqrt(3.0) - 0.1, 1e-8);
  EXPECT_GE(world.bodies()[0].excess, 0.1 * std::sqrt(3.0) - 0.1);
  world = load(folder_.path() / "cube.urdf", with({"", "m", {}, {model_.bodies[1]}}));
  const double r = std::sqrt(0.02 + 0.08 * 0.08);
  EXPECT_NEAR(world.bodies()[0].radius, r, 1e-12);
  EXPECT_NEAR(world.bodies()[0].excess, r - 0.06, 1e-8);
  EXPECT_GE(world.bodies()[0].excess, r - 0.06);
  // Of two that contain everything the smaller stands for it; the other is measured all the same.
  world = load(folder_.path() / "cube.urdf", with(model_));
  ASSERT_EQ(world.bodies().size(), 2u);
  EXPECT_EQ(world.bodies()[0].elements, std::vector<int>{0});
  EXPECT_TRUE(world.bodies()[1].elements.empty());
  EXPECT_NEAR(world.bodies()[1].hull_volume, 0.008, 1e-12);
  EXPECT_NEAR(world.bodies()[1].excess, r - 0.06, 1e-8);
}

TEST_F(Model, ARadiusAMillionthTooSmallIsRefused) {
  ASSERT_NO_THROW(load(urdf_, with(model_)));
  const char* const shapes[] = {"sphere", "cube.obj", "cylinder", "capsule"};
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    BodyModel smaller = model_;
    smaller.bodies[i].radius *= 1 - 1e-6;
    expect_refused(smaller, {"test.model.json: /bodies/", "link '" + smaller.bodies[i].link + "'",
                             shapes[i], "sticks out by", "fit the model again"});
    // Even the last bits count: nothing smaller than what was proved is taken.
    if (i > 0) {
      smaller.bodies[i].radius = std::nextafter(model_.bodies[i].radius, 0);
      expect_refused(smaller, {"sticks out by"});
    }
    smaller.bodies[i].radius = std::nextafter(model_.bodies[i].radius, 1);
    EXPECT_NO_THROW(load(urdf_, with(smaller)));
  }
}

TEST_F(Model, HowFarItSticksOutIsTold) {
  BodyModel smaller = model_;
  smaller.bodies[1].radius -= 0.0123;
  expect_refused(smaller, {"/bodies/1: link 'arm': mesh ", "cube.obj", "by 0.0123 m"});
  smaller.bodies[1].place = "/bodies/17";
  expect_refused(smaller, {"/bodies/17: "});
}

TEST_F(Model, MovedPointsAreRefused) {
  for (std::size_t i = 0; i < model_.bodies.size(); ++i) {
    SCOPED_TRACE(i);
    // To and fro: what was proved leaves no room, unless it is along a side of the body.
    int refused = 0;
    for (const Vec3 step : {Vec3{1e-6, 0, 0}, {0, 1e-6, 0}, {0, 0, 1e-6}}) {
      for (const double way : {1.0, -1.0}) {
        BodyModel moved = model_;
        for (Vec3& p : moved.bodies[i].points) p = p + way * step;
        try {
          load(urdf_, with(moved));
        } catch (const Error& error) {
          EXPECT_EQ(error.kind(), Error::Kind::malformed);
          ++refused;
        }
      }
    }
    EXPECT_GE(refused, 2);
  }
}

TEST_F(Model, AShapeThatIsItsOwnBodyIsTaken) {
  BodyModel own = model_;
  own.bodies[0].radius = 0.1;
  EXPECT_EQ(load(urdf_, with(own)).bodies()[0].radius, 0.1);
  own.bodies[0].radius = std::nextafter(0.1, 0);
  expect_refused(own, {"link 'base': sphere"});
}

TEST_F(Model, ATriangleBetweenTwoBodiesIsRefused) {
  const auto urdf = folder_.write(
      "bar.urdf", test::robot("<link name='bar'><collision><geometry>"
                              "<mesh filename='bar.obj'/></geometry></collision></link>"));
  folder_.write("bar.obj", "v 0 0 0\nv 0 0.1 0\nv 1 0 0\nv 1 0.1 0\nf 1 2 2\nf 3 4 4\n");
  const BodyModel two{
      "", "two.json", {}, {{"bar", 0.2, {{0, 0, 0}}, ""}, {"bar", 0.2, {{1, 0, 0}}, ""}}};
  ASSERT_NO_THROW(load(urdf, with(two)));
  // Every corner is in a body, but no body has all of the last triangle.
  folder_.write("bar.obj", "v 0 0 0\nv 0 0.1 0\nv 1 0 0\nv 1 0.1 0\nf 1 2 2\nf 3 4 4\nf 1 2 3\n");
  try {
    load(urdf, with(two));
    ADD_FAILURE();
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_NE(what.find("two.json: /bodies/0: link 'bar': mesh"), std::string::npos) << what;
    EXPECT_NE(what.find("triangle 2, sticks out by 0.8 m and is in no other body"),
              std::string::npos)
        << what;
  }
  BodyModel third = two;
  third.bodies.push_back({"bar", 0.11, {{0, 0, 0}, {1, 0, 0}}, ""});
  const World world = load(urdf, with(third));
  ASSERT_EQ(world.bodies().size(), 3u);
  for (const BodyInfo& body : world.bodies()) EXPECT_EQ(body.elements, std::vector<int>{0});
}

TEST_F(Model, APrimitiveMustBeInOneBody) {
  // Both halves of the cylinder are covered, the whole is in neither.
  BodyModel halves = model_;
  halves.bodies[2] = {"hand", 0.12, {{0, 0, 0.05}}, ""};
  halves.bodies.push_back({"hand", 0.12, {{0, 0, 0.15}}, ""});
  expect_refused(halves, {"cylinder of line", "is in no other body"});
}

TEST_F(Model, LinksMustBeThoseOfTheRobot) {
  BodyModel unknown = model_;
  unknown.bodies.push_back({"forearm", 1, {{}}, ""});
  expect_refused(unknown, {"test.model.json: /bodies/4/link", "no link 'forearm'"});
  BodyModel without = model_;
  without.bodies.erase(without.bodies.begin() + 1);
  expect_refused(without, {"no body for link 'arm'", "fit the model again"});
  // A frame without a shape may have a body: there is then more to hit.
  BodyModel more = model_;
  more.bodies.push_back({"tool", 0.01, {{}}, ""});
  const World world = load(urdf_, with(more));
  EXPECT_TRUE(world.links_without_bodies().empty());
  EXPECT_EQ(world.bodies().size(), 5u);
  EXPECT_GE(world.find_solid("tool"), 0);
}

TEST_F(Model, AModelInMemoryIsLookedAtLikeAFile) {
  BodyModel odd = model_;
  odd.bodies[0].radius = std::nan("");
  expect_refused(odd, {"/bodies/0/radius"});
  odd = model_;
  odd.bodies[1].points[0].x = HUGE_VAL;
  expect_refused(odd, {"/bodies/1/points/0"});
  odd.bodies.clear();
  expect_refused(odd, {"no bodies"});
}

TEST_F(Model, OneModelIsGivenAtMost) {
  LoadOptions options = with(model_);
  options.without_model = true;
  expect_refused(options, {"given"}, Error::Kind::usage);
  options.without_model = false;
  options.model = folder_.path() / "model.json";
  expect_refused(options, {"twice"}, Error::Kind::usage);
  options.bodies.reset();
  expect_refused(options, {"model.json", "no such file"}, Error::Kind::missing);
  write_model(model_, *options.model);
  EXPECT_EQ(load(urdf_, options).hash(), load(urdf_, with(model_)).hash());
}

TEST_F(Model, WhatIsSeenCanBeContained) {
  const std::string seen =
      "<visual><origin xyz='0 0 0.05'/><geometry><sphere radius='0.2'/></geometry></visual></link>";
  std::string text = kRobot;
  const std::string base_end = "<sphere radius=\"0.100000\"/></geometry></collision></link>";
  const std::size_t at = text.find(base_end);
  ASSERT_NE(at, std::string::npos);
  text.replace(at + base_end.size() - 7, 7, seen);
  urdf_ = folder_.write("seen.urdf", text);
  EXPECT_NO_THROW(load(urdf_, with(model_)));
  BodyModel visual = model_;
  visual.around = Around::visual;
  expect_refused(visual, {"/bodies/0: link 'base': visual sphere", "sticks out by 0.15 m"});
  visual.around = Around::both;
  expect_refused(visual, {"visual sphere"});
  // Around both the element is counted after the collision elements.
  visual.bodies[0].radius = 0.26;
  World world = load(urdf_, with(visual));
  EXPECT_EQ(world.bodies()[0].elements, (std::vector<int>{0, 1}));
  // Around what is seen alone, the collision element may stick out; links that are not seen count
  // with theirs.
  visual.around = Around::visual;
  visual.bodies[0] = {"base", 0.2 + 1e-12, {{0, 0, 0.05}}, ""};
  world = load(urdf_, with(visual));
  EXPECT_EQ(world.bodies()[0].elements, std::vector<int>{0});
  EXPECT_EQ(world.bodies()[0].shape, "sphere");
  visual.bodies[1].radius *= 1 - 1e-6;
  expect_refused(visual, {"link 'arm'", "cube.obj"});
}

TEST_F(Model, VisualMeshesThatAreNotThereCannotBeContained) {
  BodyModel visual = model_;
  visual.around = Around::visual;
  RobotModel robot = robot_;
  Collision lost;
  lost.geometry.kind = Geometry::Kind::mesh;
  lost.geometry.uri = "package://lost/shell.dae";
  robot.links[0].visuals.push_back(lost);
  const auto refusal = [&] {
    try {
      compile_robot(robot, nullptr, with(visual));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("not refused");
  };
  EXPECT_NE(refusal().find("package://lost/shell.dae was not found"), std::string::npos)
      << refusal();
  robot.links[0].visuals.clear();
  robot.links[0].visual_faults = {"line 3: no shape"};
  EXPECT_NE(refusal().find("line 3: no shape"), std::string::npos) << refusal();
  visual.around = Around::collision;
  EXPECT_EQ(refusal(), "not refused");
}

TEST_F(Model, RobotsOfASceneHaveModelsOfTheirOwn) {
  const auto file = folder_.path() / "robot.model.json";
  write_model(model_, file);
  Scene scene;
  scene.file = "scene.json";
  for (const char* name : {"left", "right"}) {
    SceneRobot robot = test::robot_of(name, urdf_, {{0, name[0] == 'l' ? 1.0 : -1.0, 0}, {}, {}});
    robot.model = file;
    scene.robots.push_back(robot);
  }
  const World own = compile(scene);
  ASSERT_EQ(own.bodies().size(), 8u);
  for (const BodyInfo& body : own.bodies()) EXPECT_TRUE(body.modelled);
  // The same with one model for all, whose links have their robot's name.
  BodyModel all{"", "all.json", {}, {}};
  for (const char* name : {"left/", "right/"}) {
    for (ModelBody body : model_.bodies) {
      body.link = name + body.link;
      all.bodies.push_back(body);
    }
  }
  EXPECT_EQ(compile(scene, with(all)).hash(), own.hash());
  LoadOptions none;
  none.without_model = true;
  const World shapes = compile(scene, none);
  EXPECT_NE(shapes.hash(), own.hash());
  for (const BodyInfo& body : shapes.bodies()) EXPECT_FALSE(body.modelled);
  EXPECT_THROW(compile(scene, with(model_)), Error);
  // One robot with its shapes beside one with a model.
  scene.robots[0].model.reset();
  const World mixed = compile(scene);
  EXPECT_FALSE(mixed.bodies()[0].modelled);
  EXPECT_TRUE(mixed.bodies()[7].modelled);
  scene.robots[1].model = folder_.path() / "lost.json";
  try {
    compile(scene);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::missing);
    EXPECT_NE(std::string(error.what()).find("scene.json: /robots/right/model: "),
              std::string::npos)
        << error.what();
  }
}

TEST_F(Model, ASceneFileNamesTheModelOfARobot) {
  write_model(model_, folder_.path() / "bodies.json");
  const auto file = folder_.write("scene.json",
                                  R"({"robots": [{"urdf": "robot.urdf", "model": "bodies.json"}],
          "objects": [{"name": "cup", "shape": "sphere", "radius": 0.05},
                      {"name": "post", "shape": "box", "size": [1, 1, 1], "pose": {"xyz": [9, 0, 0]}}],
          "attached": [{"object": "cup", "link": "tool", "touch": ["hand"]}]})");
  EXPECT_EQ(read_scene(file).robots[0].model, folder_.path() / "bodies.json");
  const World world = load(file);
  EXPECT_TRUE(world.bodies()[0].modelled);
  // What is carried, and what stands, keeps its shape.
  ASSERT_EQ(world.bodies().size(), 5u);
  EXPECT_FALSE(world.bodies()[4].modelled);
  EXPECT_EQ(world.bodies()[4].link, "cup");
}

TEST_F(Model, DistancesAreNeverLargerThanThoseOfTheShapes) {
  const World shapes = load(urdf_), world = load(urdf_, with(model_));
  DistanceQuery of_shapes(shapes, {1e-10, true}), query(world, {1e-10, true});
  Watch watch(world);
  std::mt19937_64 random(1);
  int nearer = 0;
  for (int i = 0; i < 300; ++i) {
    const auto q = test::random_pose(shapes, random);
    const Nearest plain = of_shapes(q), found = query(q);
    EXPECT_LE(found.lower_bound, plain.distance + 1e-9);
    EXPECT_LE(found.distance, plain.distance + 1e-9);
    if (found.distance < plain.distance - 1e-3) ++nearer;
    if (plain.verdict == Verdict::contact) {
      EXPECT_NE(found.verdict, Verdict::free);
      watch.reset();
      EXPECT_NE(watch.step(q, 0.01).verdict, Verdict::free);
    }
  }
  EXPECT_GT(nearer, 0);
}

TEST(BuiltinModel, TheModelsThatComeWithWorldsFitThem) {
  for (const BuiltinWorld& world : builtin_worlds()) {
    SCOPED_TRACE(world.name);
    const auto model = builtin_model(world.name);
    if (model == nullptr) continue;
    LoadOptions with, without;
    with.bodies = model;
    without.without_model = true;
    const World modelled = load_builtin(world.name, with);
    const World shapes = load_builtin(world.name, without);
    EXPECT_NE(modelled.hash(), shapes.hash());
    EXPECT_TRUE(modelled.bodies()[0].modelled);
    EXPECT_FALSE(shapes.bodies()[0].modelled);
  }
  EXPECT_THROW(builtin_model("no such world"), Error);
  EXPECT_THROW(builtin_model("six_axis_arm.model"), Error);
}

}  // namespace
}  // namespace keepclear
