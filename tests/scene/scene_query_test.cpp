// SPDX-License-Identifier: BSD-3-Clause
//
// Queries on scenes small enough to know the answers by heart.
#include <gtest/gtest.h>

#include <optional>

#include "scene/scenes.hpp"

namespace keepclear {
namespace {

using test::box_shape;
using test::object_of;
using test::plane_shape;
using test::robot_of;
using test::sphere_shape;
using Kind = Shape::Kind;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// A ball of radius 0.1 that goes where q says, in x, y and z.
const std::string kProbe =
    test::robot(test::link("base") + test::link("sx") + test::link("sy") +
                test::link("probe", test::sphere(0.1)) +
                test::joint("x", "prismatic", "base", "sx", "<axis xyz=\"1 0 0\"/>") +
                test::joint("y", "prismatic", "sx", "sy", "<axis xyz=\"0 1 0\"/>") +
                test::joint("z", "prismatic", "sy", "probe", "<axis xyz=\"0 0 1\"/>"));

class SceneQuery : public testing::Test {
 protected:
  SceneQuery() {
    scene_.file = "test.json";
    scene_.robots.push_back(robot_of("", folder_.write("probe.urdf", kProbe)));
  }
  void add(const std::string& name, const Shape& shape, Vec3 at = {}) {
    scene_.objects.push_back(object_of(name, shape, {at, {}, {}}));
  }
  static std::string names(const World& world, const Nearest& near) {
    return test::names_of(world, near.a, near.b);
  }

  test::Folder folder_;
  Scene scene_;
};

TEST_F(SceneQuery, EveryKindOfShapeIsAsFarAsItLooks) {
  struct Known {
    const char* name;
    Shape shape;
    double distance;  // from a ball of 0.1 at (2, 0, 0)
  };
  Shape points;
  points.kind = Kind::points;
  points.radius = 0.05;
  points.points = {{-1, 0, 0}, {0.5, 0, 0}, {0, 0.2, 0}};
  Shape mesh;
  mesh.kind = Kind::mesh;
  mesh.points = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, 0}};
  mesh.triangles = {{0, 1, 2}, {0, 1, 3}, {0, 2, 3}, {1, 2, 3}};
  const std::vector<Known> known{
      {"box", box_shape({1, 0.2, 0.2}), 1.4},
      {"sphere", sphere_shape(0.5), 1.4},
      {"cylinder", test::round_shape(Kind::cylinder, 0.5, 1), 1.4},
      {"capsule", test::round_shape(Kind::capsule, 0.5, 1), 1.4},
      {"plane", plane_shape({3, 0, 0}, 0.5), 1.4},
      {"points", points, 1.35},
      {"mesh", mesh, 0.9},
  };
  for (const Known& k : known) {
    scene_.objects.clear();
    add(k.name, k.shape);
    const World world = compile(scene_);
    const std::vector<double> q{2, 0, 0};
    const Nearest near = distance(world, q);
    // A cylinder is the prism around it.
    const double excess = world.solids()[static_cast<std::size_t>(world.find_solid(k.name))].excess;
    EXPECT_LE(near.distance, k.distance + 1e-9) << k.name;
    EXPECT_GE(near.distance, k.distance - excess - 1e-9) << k.name;
    EXPECT_LT(excess, 1e-3) << k.name;
    EXPECT_EQ(near.verdict, Verdict::free) << k.name;
    EXPECT_EQ(names(world, near), std::string("probe and ") + k.name);
    EXPECT_NEAR(norm(near.point_a - Vec3{1.9, 0, 0}), 0, 1e-9) << k.name;
    EXPECT_NEAR(norm(near.point_a - near.point_b), near.distance, 1e-12) << k.name;
  }
}

TEST_F(SceneQuery, AConeStandsApexUp) {
  add("cone", test::round_shape(Kind::cone, 0.5, 1));
  const World world = compile(scene_);
  const std::vector<double> above{0, 0, 2};
  EXPECT_NEAR(distance(world, above).distance, 1.4, 1e-9);
  const std::vector<double> beside{1, 0, 0.4};  // near the tip there is room
  EXPECT_GT(distance(world, beside).distance, 0.7);
}

TEST_F(SceneQuery, TheProbeInsideAnObjectIsInContact) {
  add("hall", box_shape({10, 10, 10}));
  const World world = compile(scene_);
  DistanceQuery query(world), signed_query(world, {.signed_distance = true});
  const std::vector<double> q{1, 2, 3};
  EXPECT_EQ(query(q).verdict, Verdict::contact);
  EXPECT_EQ(query(q).distance, 0);
  EXPECT_EQ(query.check(q).verdict, Verdict::contact);
  EXPECT_NEAR(signed_query(q).distance, -2.1, 1e-9);
}

TEST_F(SceneQuery, APlaneIsSolidAllTheWayDown) {
  add("floor", plane_shape({0, 0, 1}, -1));
  const World world = compile(scene_);
  DistanceQuery query(world), signed_query(world, {.signed_distance = true});
  EXPECT_NEAR(query(std::vector<double>{1, 2, 3}).distance, 3.9, 1e-12);
  const std::vector<double> below{0, 0, -3};
  EXPECT_EQ(query(below).verdict, Verdict::contact);
  EXPECT_NEAR(signed_query(below).distance, -2.1, 1e-12);
}

TEST_F(SceneQuery, ObjectsAreTurnedAboutTheirOwnOrigin) {
  scene_.objects.push_back(
      object_of("bar", box_shape({2, 0.2, 0.2}), {{0, 0, 0}, {0, 0, 1.5707963267948966}, {}}));
  scene_.objects.push_back(
      object_of("wall", plane_shape({1, 0, 0}, -2), {{}, {0, 0, 1.5707963267948966}, {}}));
  const World world = compile(scene_);
  const std::vector<double> q{0, 2, 0};
  const auto find = [&](const char* name) {
    DistanceQuery query(world);
    return query.all_pairs(q)[test::index_of(world, 0, world.find_solid(name))];
  };
  EXPECT_NEAR(find("bar").distance, 0.9, 1e-9);   // along y now
  EXPECT_NEAR(find("wall").distance, 3.9, 1e-9);  // its normal points along y
}

TEST_F(SceneQuery, ACheckAsksForTheLargerOfBothMargins) {
  add("near", sphere_shape(0.1), {1, 0, 0});
  add("far", sphere_shape(0.1), {-1.5, 0, 0});
  scene_.margin = 0.1;
  scene_.margins = {{{"probe", "far", "/margins/0"}, 1.4}};
  const World world = compile(scene_);
  DistanceQuery query(world);
  const std::vector<double> here{0, 0, 0};  // 0.8 m from near, 1.3 m from far
  CheckResult result = query.check(here);
  EXPECT_EQ(result.verdict, Verdict::contact);
  EXPECT_EQ(test::names_of(world, result.a, result.b), "probe and far");
  const std::vector<double> there{0.2, 0, 0};  // 0.6 and 1.5
  EXPECT_EQ(query.check(there).verdict, Verdict::free);
  EXPECT_EQ(query.check(there, 0.59).verdict, Verdict::free);
  result = query.check(there, 0.61);
  EXPECT_EQ(result.verdict, Verdict::contact);
  EXPECT_EQ(test::names_of(world, result.a, result.b), "probe and near");
  // Distances do not know of margins.
  EXPECT_EQ(query(there).verdict, Verdict::free);
  EXPECT_NEAR(query(there).distance, 0.6, 1e-9);
  const std::vector<double> touching{0.75, 0, 0};  // 0.05 from near
  EXPECT_EQ(query.check(touching).verdict, Verdict::contact);
  EXPECT_EQ(query(touching).verdict, Verdict::free);
}

TEST_F(SceneQuery, AMarginOfAPairMayBeSmallerThanThatOfTheScene) {
  add("near", sphere_shape(0.1), {1, 0, 0});
  add("other", sphere_shape(0.1), {0, 5, 0});
  scene_.margin = 1;
  scene_.margins = {{{"probe", "near", "/margins/0"}, 0}};
  const World world = compile(scene_);
  DistanceQuery query(world);
  EXPECT_EQ(query.check(std::vector<double>{0.79, 0, 0}).verdict, Verdict::free);
  EXPECT_EQ(query.check(std::vector<double>{0.81, 0, 0}).verdict, Verdict::contact);
  EXPECT_EQ(query.check(std::vector<double>{0.79, 0, 0}).verdict, Verdict::free);
}

TEST_F(SceneQuery, WhatIsAllowedIsNeverReported) {
  add("ghost", box_shape({2, 2, 2}));
  add("wall", plane_shape({-1, 0, 0}, -3));
  scene_.allow = {{"probe", "ghost", "/allow/0"}};
  const World world = compile(scene_);
  DistanceQuery query(world);
  const std::vector<double> q{0, 0, 0};
  EXPECT_EQ(query.check(q).verdict, Verdict::free);
  EXPECT_NEAR(query(q).distance, 2.9, 1e-12);
  EXPECT_EQ(query.all_pairs(q).size(), 1u);
}

TEST_F(SceneQuery, WhatIsNoConfigurationIsUndecidedAndForgotten) {
  add("wall", plane_shape({-1, 0, 0}, -3));
  const World world = compile(scene_);
  DistanceQuery query(world);
  const std::vector<double> good{0, 0, 0};
  for (const std::vector<double>& bad :
       {std::vector<double>{kNan, 0, 0}, {0, kInfinity, 0}, {0, 0}, {}, {0, 0, 0, 0}}) {
    EXPECT_EQ(query(good).verdict, Verdict::free);
    const Nearest near = query(bad);
    EXPECT_EQ(near.verdict, Verdict::undecided);
    EXPECT_TRUE(std::isnan(near.distance));
    EXPECT_EQ(near.lower_bound, 0);
    EXPECT_EQ(near.a, -1);
    EXPECT_TRUE(query.all_pairs(bad).empty());
    EXPECT_EQ(query.check(bad).verdict, Verdict::undecided);
    EXPECT_EQ(query.check(good).verdict, Verdict::free);
  }
}

TEST_F(SceneQuery, AMarginThatIsNoneIsUndecided) {
  add("wall", plane_shape({-1, 0, 0}, -3));
  const World world = compile(scene_);
  DistanceQuery query(world);
  const std::vector<double> q{0, 0, 0};
  for (const double margin : {-1e-300, -1.0, kNan, kInfinity}) {
    EXPECT_EQ(query.check(q, margin).verdict, Verdict::undecided) << margin;
  }
  EXPECT_EQ(query.check(q, 1e9).verdict, Verdict::contact);
}

TEST_F(SceneQuery, TheNearestIsFoundWhereverTheProbeJumps) {
  // A grid of small balls; from anywhere the nearest is the one that rounding finds.
  for (int x = -3; x <= 3; ++x) {
    for (int y = -3; y <= 3; ++y) {
      for (int z = -3; z <= 3; ++z) {
        add("b" + std::to_string(x) + "_" + std::to_string(y) + "_" + std::to_string(z),
            sphere_shape(0.05), {x * 0.5, y * 0.5, z * 0.5});
      }
    }
  }
  const World world = compile(scene_);
  DistanceQuery query(world);
  std::mt19937_64 random(1);
  for (int k = 0; k < 500; ++k) {
    std::vector<double> q;
    double squared = 0;
    std::string name = "probe and b";
    for (int i = 0; i < 3; ++i) {
      q.push_back(3.6 * (static_cast<double>(random() >> 11) * 0x1p-53) - 1.8);
      const double cell = std::clamp(std::round(q.back() / 0.5), -3.0, 3.0);
      squared += (q.back() - 0.5 * cell) * (q.back() - 0.5 * cell);
      name += (i > 0 ? "_" : "") + std::to_string(static_cast<int>(cell));
    }
    const double gap = std::sqrt(squared) - 0.15;
    const Nearest near = query(q);
    ASSERT_NEAR(near.distance, std::max(gap, 0.0), 1e-9);
    ASSERT_EQ(names(world, near), name);
    ASSERT_EQ(query.check(q).verdict, gap > 0 ? Verdict::free : Verdict::contact);
    ASSERT_EQ(query.check(q, 0.1).verdict, gap > 0.1 ? Verdict::free : Verdict::contact);
  }
}

TEST_F(SceneQuery, TwoRobotsMeetWhereTheirBasesPutThem) {
  scene_.robots[0].name = "left";
  scene_.robots.push_back(
      robot_of("right", scene_.robots[0].urdf, {{2, 0, 0}, {0, 0, 3.141592653589793}, {}}));
  const World world = compile(scene_);
  DistanceQuery query(world);
  // Both go half a metre towards each other: the right one is turned round.
  const std::vector<double> q{0.5, 0, 0, 0.5, 0, 0};
  const Nearest near = query(q);
  EXPECT_NEAR(near.distance, 0.8, 1e-9);
  EXPECT_EQ(names(world, near), "left/probe and right/probe");
  EXPECT_NEAR(norm(near.point_a - Vec3{0.6, 0, 0}), 0, 1e-9);
  EXPECT_NEAR(norm(near.point_b - Vec3{1.4, 0, 0}), 0, 1e-9);
  EXPECT_EQ(query.check(std::vector<double>{1, 0, 0, 0.9, 0, 0}).verdict, Verdict::contact);
}

TEST_F(SceneQuery, AMapOfNoOccupiedCellNearIsFree) {
  Shape map;
  map.kind = Kind::octomap;
  map.file = std::filesystem::path(KEEPCLEAR_CORPUS) / "octomap/ok/bits.bt";
  map.unknown = UnknownSpace::free;
  add("map", map, {50, 0, 0});
  const World world = compile(scene_);
  const std::vector<double> q{0, 0, 0};
  const Nearest near = distance(world, q);
  EXPECT_EQ(near.verdict, Verdict::free);
  EXPECT_EQ(names(world, near), "probe and map");
  EXPECT_GT(near.distance, 10);
}

TEST_F(SceneQuery, AQueryMayOutliveItsWorldAndBeMoved) {
  add("wall", plane_shape({-1, 0, 0}, -3));
  std::optional<DistanceQuery> query;
  {
    const World world = compile(scene_);
    query.emplace(world);
  }
  DistanceQuery moved = std::move(*query);
  EXPECT_NEAR(moved(std::vector<double>{0, 0, 0}).distance, 2.9, 1e-12);
}

}  // namespace
}  // namespace keepclear
