// SPDX-License-Identifier: BSD-3-Clause
//
// Objects of scenes as polyhedra: what moves, what stands around it, and what is left out.
#include <gtest/gtest.h>

#include <algorithm>

#include "keepclear/error.hpp"
#include "keepclear/toleranced.hpp"

namespace keepclear {
namespace {

SceneObject object(const std::string& name, Shape::Kind kind, Vec3 at = {}) {
  SceneObject made;
  made.name = name;
  made.shape.kind = kind;
  made.shape.size = {0.2, 0.2, 0.2};
  made.shape.radius = 0.1;
  made.shape.length = 0.4;
  made.pose.xyz = at;
  return made;
}

/// A mesh of boxes, each closed: a gate of two posts and a beam, 1 m wide inside.
SceneObject gate() {
  SceneObject made = object("gate", Shape::Kind::mesh);
  const auto add = [&](Vec3 lo, Vec3 hi) {
    const auto first = static_cast<std::uint32_t>(made.shape.points.size());
    for (unsigned i = 0; i < 8; ++i) {
      made.shape.points.push_back(
          {i & 1U ? hi.x : lo.x, i & 2U ? hi.y : lo.y, i & 4U ? hi.z : lo.z});
    }
    constexpr std::uint32_t kSides[6][4] = {{0, 2, 6, 4}, {1, 3, 7, 5}, {0, 1, 5, 4},
                                            {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 5, 7, 6}};
    for (const auto& s : kSides) {
      made.shape.triangles.push_back({first + s[0], first + s[1], first + s[2]});
      made.shape.triangles.push_back({first + s[0], first + s[2], first + s[3]});
    }
  };
  add({-0.1, -0.7, 0}, {0.1, -0.5, 2});
  add({-0.1, 0.5, 0}, {0.1, 0.7, 2});
  add({-0.1, -0.7, 2}, {0.1, 0.7, 2.2});
  return made;
}

TolerancedResult moved(TolerancedQuery& query, Vec3 from, Vec3 to) {
  const Affine control[] = {{{}, from}, {{}, to}};
  return query(*rational_bezier_curve(control, {}));
}

TEST(ObjectQuery, TakesMeshesAsTheyAreAndNotAsHulls) {
  Scene scene;
  scene.objects = {object("cube", Shape::Kind::box, {0, 0, 99}), gate()};
  TolerancedQuery query = object_query(scene, {}, "cube");
  EXPECT_EQ(query.moving().face_count(), 6U);
  ASSERT_EQ(query.bodies().size(), 1U);
  EXPECT_EQ(query.bodies()[0].name, "gate");
  EXPECT_EQ(query.bodies()[0].body.face_count(), 36U);
  const TolerancedResult through = moved(query, {-2, 0, 1}, {2, 0, 1});
  EXPECT_EQ(through.verdict, Verdict::free);
  EXPECT_GT(through.clearance, 0.35);
  EXPECT_LE(through.clearance, 0.4);
  EXPECT_EQ(moved(query, {-2, 0.45, 1}, {2, 0.45, 1}).verdict, Verdict::contact);
  // Inside a post throughout, and touching none of its faces.
  scene.objects[0].shape.size = {0.02, 0.02, 0.02};
  TolerancedQuery small = object_query(scene, {}, "cube");
  EXPECT_EQ(moved(small, {0, 0.6, 0.5}, {0, 0.6, 1}).verdict, Verdict::contact);
}

TEST(ObjectQuery, KnowsEveryShape) {
  Scene scene;
  scene.objects = {object("cone", Shape::Kind::cone),
                   object("box", Shape::Kind::box, {1, 0, 0}),
                   object("sphere", Shape::Kind::sphere, {2, 0, 0}),
                   object("cylinder", Shape::Kind::cylinder, {3, 0, 0}),
                   object("capsule", Shape::Kind::capsule, {4, 0, 0}),
                   object("cloud", Shape::Kind::points, {5, 0, 0}),
                   object("plane", Shape::Kind::plane)};
  scene.objects[5].shape.points = {{0, 0, 0}, {0.5, 0, 0}};
  scene.objects[6].shape.normal = {0, 0, 3};
  scene.objects[6].shape.offset = -1;
  scene.objects[6].pose.rpy = {3.141592653589793, 0, 0};
  scene.objects[6].pose.xyz = {0, 0, 1};
  TolerancedQuery query = object_query(scene, {}, "cone");
  EXPECT_TRUE(query.moving().solid());
  ASSERT_EQ(query.bodies().size(), 5U);
  ASSERT_EQ(query.planes().size(), 1U);
  // Turned over: solid is what is above z = 2, and a hair more.
  EXPECT_LT(norm(query.planes()[0].normal - Vec3{0, 0, -3}), 1e-14);
  EXPECT_GE(query.planes()[0].offset, -2);
  EXPECT_LT(query.planes()[0].offset, -2 + 1e-7);
  const double nearest[] = {0.9, 1.9, 2.9, 3.9, 4.9};
  for (std::size_t i = 0; i < 5; ++i) {
    const Polyhedron& body = query.bodies()[i].body;
    EXPECT_EQ(query.bodies()[i].name, scene.objects[i + 1].name);
    double least = 1e9;
    for (const Vec3 v : body.vertices()) least = std::min(least, v.x - body.radius());
    EXPECT_NEAR(least, nearest[i], 1e-3) << query.bodies()[i].name;
  }
  const TolerancedResult stays = moved(query, {0, 0, 0}, {0, 0, 0.5});
  EXPECT_EQ(stays.verdict, Verdict::free);
  EXPECT_NEAR(stays.clearance, 0.8, 0.05);
  EXPECT_EQ(moved(query, {0, 0, 0}, {0, 0, 1.9}).other, 5);
}

TEST(ObjectQuery, KeepsTheRulesOfTheScene) {
  Scene scene;
  scene.margin = 0.01;
  SceneRobot robot;
  robot.builtin = "bench_arm";
  robot.base.xyz = {0, 0, -3};
  scene.robots = {robot};
  scene.objects = {object("cube", Shape::Kind::box), object("near", Shape::Kind::box, {1, 0, 0}),
                   object("soft", Shape::Kind::sphere, {2, 0, 0}),
                   object("held", Shape::Kind::box, {0, 0, 0.2})};
  const World world = compile(scene);
  const std::string last = std::string(world.solids()[world.bodies().empty() ? 0 : 1].name);
  scene.attached = {{"held", last, {"cube"}, ""}};
  scene.allow = {{"cube", "soft", ""}};
  scene.margins = {{{"cube", "near", ""}, 0.2}};
  const TolerancedQuery query = object_query(scene, {}, "cube");
  const auto count = [&](const std::string& name) {
    return std::count_if(query.bodies().begin(), query.bodies().end(),
                         [&](const StandingBody& body) { return body.name == name; });
  };
  EXPECT_EQ(count("soft"), 0);
  EXPECT_EQ(count("held"), 0);  // it may touch the cube
  EXPECT_EQ(count("cube"), 0);
  EXPECT_EQ(count("near"), 1);
  EXPECT_GE(count(last), 1);
  for (const StandingBody& body : query.bodies()) {
    EXPECT_EQ(body.margin, body.name == "near" ? 0.2 : 0.01) << body.name;
  }
  EXPECT_THROW(object_query(scene, {}, "held"), Error);
  EXPECT_THROW(object_query(scene, {}, "nobody"), Error);
  EXPECT_THROW(object_query(scene, {}, "cube", {}, std::vector<double>{1, 2}), Error);
  scene.objects.push_back(object("ground", Shape::Kind::plane, {0, 0, -9}));
  EXPECT_THROW(object_query(scene, {}, "ground"), Error);
}

}  // namespace
}  // namespace keepclear
