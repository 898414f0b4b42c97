// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes small enough to know the answers by heart.
#include <gtest/gtest.h>

#include <numbers>

#include "keepclear/box.hpp"
#include "scene/scenes.hpp"

namespace keepclear {
namespace {

using std::numbers::pi;
using test::joint;
using test::link;
using test::sphere;
using test::world_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

/// To a centimetre, however far away.
BoxOptions closely() {
  BoxOptions options;
  options.relative_tolerance = 0;
  return options;
}

std::string at(const std::string& xyz) {
  return "<origin xyz=\"" + xyz + "\"/>";
}

/// A ball of 0.05 m at the end of a rod of 1 m that turns about z, and a post of 0.1 m at (0, 1,
/// 0).
std::string clock_hand(const std::string& type, const std::string& limits = {}) {
  return test::robot(
      link("base") + link("post", sphere(0.1)) + link("rod") + link("tip", sphere(0.05)) +
      joint("to_post", "fixed", "base", "post", at("0 1 0")) + "<joint name=\"hand\" type=\"" +
      type + "\"><parent link=\"base\"/><child link=\"rod\"/><axis xyz=\"0 0 1\"/>" + limits +
      "</joint>" + joint("to_tip", "fixed", "rod", "tip", at("1 0 0")));
}

double hand_distance(double angle) {
  return 2 * std::sin(0.5 * std::fabs(pi / 2 - angle)) - 0.15;
}

TEST(BoxQuery, ClearanceIsThatOfTheNearestConfiguration) {
  const World world = world_of(clock_hand("continuous"));
  BoxOptions options = closely();
  options.tolerance = 1e-4;
  BoxQuery query(world, options);
  for (const Interval range : {Interval{0, 1}, Interval{-1, 1.4}, Interval{1.2, 1.3},
                               Interval{-4, 0}, Interval{0.5, 0.5}}) {
    const BoxResult result = query(std::vector{range});
    const double real = std::min(hand_distance(range.upper), hand_distance(range.lower + 2 * pi));
    EXPECT_EQ(result.verdict, Verdict::free);
    EXPECT_LE(result.clearance, real + 1e-12);
    EXPECT_GE(result.clearance, real - 2e-4);
    EXPECT_EQ(test::names_of(world, result.a, result.b), "post and tip");
    EXPECT_EQ(result.open_pairs, 0u);
  }
}

TEST(BoxQuery, ContactNamesAConfigurationOfTheBox) {
  const World world = world_of(clock_hand("continuous"));
  for (const Interval range : {Interval{-1, 1.45}, Interval{1.6, 3}, Interval{-100, 100}}) {
    const BoxResult result = prove_box(world, std::vector{range}, closely());
    ASSERT_EQ(result.verdict, Verdict::contact);
    ASSERT_EQ(result.q.size(), 1u);
    EXPECT_GE(result.q[0], range.lower);
    EXPECT_LE(result.q[0], range.upper);
    EXPECT_EQ(DistanceQuery(world).check(result.q).verdict, Verdict::contact);
    EXPECT_EQ(result.distance, 0);
    EXPECT_EQ(result.clearance, 0);
  }
}

TEST(BoxQuery, FindsANarrowContactInAWideBox) {
  // The post is as thin as a needle's eye: one part in ten thousand of the box touches it.
  std::string thin = clock_hand("continuous");
  thin.replace(thin.find("0.100000"), 8, "0.000100");
  thin.replace(thin.find("0.050000"), 8, "0.000200");
  const BoxResult result = prove_box(world_of(thin), std::vector{Interval{-3, 3}});
  EXPECT_EQ(result.verdict, Verdict::contact);
}

TEST(BoxQuery, AMarginIsKept) {
  const World world = world_of(clock_hand("continuous"));
  const std::vector box{Interval{0, 1}};
  const double real = hand_distance(1);
  BoxOptions options;
  options.margin = real - 0.01;
  EXPECT_EQ(prove_box(world, box, options).verdict, Verdict::free);
  options.margin = real + 0.01;
  const BoxResult nearer = prove_box(world, box, options);
  EXPECT_EQ(nearer.verdict, Verdict::contact);
  EXPECT_GT(nearer.distance, 0);
  EXPECT_LT(nearer.distance, options.margin);
}

TEST(BoxQuery, SaysUndecidedWhenTheBudgetIsSpent) {
  const World world = world_of(clock_hand("continuous"));
  BoxOptions options;
  options.budget = 3;
  // Free by a hair: many parts are needed.
  const double touch = pi / 2 - 2 * std::asin(0.075);
  const BoxResult result = prove_box(world, std::vector{Interval{-1, touch - 1e-6}}, options);
  EXPECT_EQ(result.verdict, Verdict::undecided);
  EXPECT_EQ(result.open_pairs, 1u);
  EXPECT_EQ(result.clearance, 0);
  EXPECT_EQ(prove_box(world, std::vector{Interval{-1, touch - 1e-6}}).verdict, Verdict::free);
}

TEST(BoxQuery, ABoxThatTouchesExactlyIsNeverFree) {
  // Two balls on one line that meet in a point at the end of the interval.
  const World world =
      world_of(test::robot(link("base") + link("a", sphere(0.5)) + link("s") +
                           link("b", sphere(0.25)) + joint("f", "fixed", "base", "a", at("2 0 0")) +
                           joint("x", "prismatic", "base", "s") + joint("g", "fixed", "s", "b")));
  BoxOptions options;
  options.budget = 2000;
  EXPECT_NE(prove_box(world, std::vector{Interval{0, 1.25}}, options).verdict, Verdict::free);
  EXPECT_EQ(prove_box(world, std::vector{Interval{0, 1.2499999}}, options).verdict, Verdict::free);
}

TEST(BoxQuery, RefusesWhatIsNoBox) {
  const World world = world_of(clock_hand("continuous"));
  BoxQuery query(world);
  for (const std::vector<Interval>& box :
       {std::vector<Interval>{}, std::vector<Interval>{{0, 1}, {0, 1}},
        std::vector<Interval>{{1, 0}}, std::vector<Interval>{{kNan, 0}},
        std::vector<Interval>{{0, kNan}}, std::vector<Interval>{{kInfinity, kInfinity}}}) {
    const BoxResult result = query(box);
    EXPECT_EQ(result.verdict, Verdict::undecided);
    EXPECT_EQ(result.a, -1);
  }
  BoxOptions options;
  options.margin = -1;
  EXPECT_THROW(BoxQuery(world, options), Error);
  options.margin = 0, options.tolerance = kNan;
  EXPECT_THROW(BoxQuery(world, options), Error);
}

TEST(BoxQuery, AWorldWithoutPairsIsFreeAtInfinity) {
  const World world = world_of(test::robot(link("a", sphere(1))));
  const BoxResult result = prove_box(world, std::vector<Interval>{});
  EXPECT_EQ(result.verdict, Verdict::free);
  EXPECT_EQ(result.clearance, kInfinity);
}

TEST(BoxQuery, TurnsWithoutEndAreOneTurn) {
  const World world = world_of(clock_hand("continuous"));
  EXPECT_EQ(prove_box(world, std::vector{Interval{-kInfinity, kInfinity}}).verdict,
            Verdict::contact);
  // Out of reach of the post, however often it turns.
  std::string far = clock_hand("continuous");
  far.replace(far.find("0 1 0"), 5, "0 3 0");
  const BoxResult result =
      prove_box(world_of(far), std::vector{Interval{-kInfinity, kInfinity}}, closely());
  EXPECT_EQ(result.verdict, Verdict::free);
  EXPECT_NEAR(result.clearance, 1.85, 0.02);
}

TEST(BoxQuery, ASlideWithoutEndIsNotShown) {
  const World world = test::rail();
  BoxOptions options;
  options.budget = 1000;
  const BoxResult result =
      prove_box(world, std::vector<Interval>{{1, kInfinity}, {-1, 0}}, options);
  EXPECT_EQ(result.verdict, Verdict::undecided);
  EXPECT_EQ(prove_box(world, std::vector<Interval>{{1, 1e6}, {-1, 0}}, options).verdict,
            Verdict::free);
}

TEST(BoxQuery, JointsWithOneMasterMoveTogether) {
  // Two balls on rails, the second always half a metre ahead of the first: never nearer, though
  // their ranges overlap.
  const World world =
      world_of(test::robot(link("base") + link("a", sphere(0.1)) + link("b", sphere(0.1)) +
                           joint("ja", "prismatic", "base", "a") +
                           joint("jb", "prismatic", "base", "b",
                                 "<mimic joint=\"ja\" multiplier=\"1\" offset=\"0.5\"/>")));
  const BoxResult result = prove_box(world, std::vector{Interval{-2, 2}}, closely());
  EXPECT_EQ(result.verdict, Verdict::free);
  EXPECT_NEAR(result.clearance, 0.3, 0.011);
}

TEST(BoxQuery, APlanarBaseInABox) {
  const World world = world_of(
      test::robot(link("world") + link("post", sphere(0.5)) + link("base", test::box(0.4)) +
                  joint("f", "fixed", "world", "post", at("3 0 0")) +
                  joint("drive", "planar", "world", "base", "<axis xyz=\"0 0 1\"/>")));
  ASSERT_EQ(world.dof(), 3u);
  const BoxResult free =
      prove_box(world, std::vector<Interval>{{-1, 2}, {-1, 1}, {-pi, pi}}, closely());
  EXPECT_EQ(free.verdict, Verdict::free);
  // The corner of the box that faces the post: 1 - 0.5 - 0.2 sqrt(2).
  EXPECT_NEAR(free.clearance, 0.5 - 0.2 * std::sqrt(2.0), 0.011);
  const BoxResult contact = prove_box(world, std::vector<Interval>{{-1, 2.4}, {-1, 1}, {-pi, pi}});
  EXPECT_EQ(contact.verdict, Verdict::contact);
}

TEST(BoxQuery, AFloatingBaseInABox) {
  const World world = world_of(test::robot(link("world") + link("post", sphere(0.5)) +
                                           link("base", test::box(0.4)) +
                                           joint("f", "fixed", "world", "post", at("3 0 0")) +
                                           joint("fly", "floating", "world", "base")));
  ASSERT_EQ(world.dof(), 7u);
  BoxOptions options = closely();
  options.tolerance = 0.05;
  std::vector<Interval> box{{-1, 2}, {-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}, {-1, 1}};
  const BoxResult free = prove_box(world, box, options);
  EXPECT_EQ(free.verdict, Verdict::free);
  EXPECT_LE(free.clearance, 0.5 - 0.2 + 1e-9);
  EXPECT_GT(free.clearance, 0.5 - 0.2 * std::sqrt(3.0) - 0.05);
  box[0].upper = 2.6;
  const BoxResult contact = prove_box(world, box, options);
  ASSERT_EQ(contact.verdict, Verdict::contact);
  for (std::size_t i = 0; i < box.size(); ++i) {
    EXPECT_GE(contact.q[i], box[i].lower);
    EXPECT_LE(contact.q[i], box[i].upper);
  }
  EXPECT_EQ(DistanceQuery(world).check(contact.q).verdict, Verdict::contact);
}

TEST(BoxQuery, WhatStandsStillIsKeptClearOf) {
  test::Folder folder;
  Scene scene;
  scene.file = "test.json";
  scene.robots.push_back(test::robot_of(
      "",
      folder.write("hand.urdf",
                   test::robot(link("base") + link("rod") + link("tip", sphere(0.05)) +
                               joint("hand", "continuous", "base", "rod", "<axis xyz=\"0 1 0\"/>") +
                               joint("g", "fixed", "rod", "tip", at("1 0 0"))))));
  scene.objects.push_back(
      test::object_of("floor", test::plane_shape({0, 0, 1}, 0), {{0, 0, -0.9}, {}, {}}));
  scene.objects.push_back(
      test::object_of("wall", test::box_shape({0.1, 4, 4}), {{-1.2, 0, 0}, {}, {}}));
  const World world = compile(scene);
  // Turning about +y by q brings the tip to (cos q, 0, -sin q).
  const BoxResult free = prove_box(world, std::vector{Interval{-1, 0.8}}, closely());
  EXPECT_EQ(free.verdict, Verdict::free);
  EXPECT_NEAR(free.clearance, 0.9 - std::sin(0.8) - 0.05, 0.011);
  EXPECT_EQ(test::names_of(world, free.a, free.b), "tip and floor");
  const BoxResult floor = prove_box(world, std::vector{Interval{-1, 1.2}});
  EXPECT_EQ(floor.verdict, Verdict::contact);
  EXPECT_EQ(test::names_of(world, floor.a, floor.b), "tip and floor");
  const BoxResult wall = prove_box(world, std::vector{Interval{-3.2, -1}}, closely());
  EXPECT_EQ(wall.verdict, Verdict::free);
  EXPECT_NEAR(wall.clearance, 0.1, 0.011);
  EXPECT_EQ(test::names_of(world, wall.a, wall.b), "tip and wall");
  scene.margin = 0.12;
  EXPECT_EQ(prove_box(compile(scene), std::vector{Interval{-3.2, -1}}).verdict, Verdict::contact);
}

TEST(BoxQuery, ACloudOfManyPointsIsDecided) {
  // More points near the link than are looked at while dividing may still help.
  test::Folder folder;
  Scene scene;
  scene.file = "test.json";
  scene.robots.push_back(test::robot_of(
      "", folder.write("slab.urdf",
                       test::robot(link("base") + link("slab", "<box size=\"2 0.1 0.1\"/>") +
                                   joint("x", "prismatic", "base", "slab")))));
  Shape cloud;
  cloud.kind = Shape::Kind::points;
  cloud.radius = 0.001;
  for (int i = 0; i < 90; ++i) {
    for (int j = 0; j < 90; ++j) cloud.points.push_back({-1 + i / 45.0, -0.1 + j / 450.0, -0.45});
  }
  scene.objects.push_back(test::object_of("cloud", cloud));
  const World world = compile(scene);
  for (const Interval range : {Interval{0, 0}, Interval{0, 0.01}, Interval{-1, 1}}) {
    const BoxResult result = prove_box(world, std::vector{range}, closely());
    EXPECT_EQ(result.verdict, Verdict::free);
    EXPECT_NEAR(result.clearance, 0.399, 0.011);
  }
}

TEST(BoxQuery, ManyEqualJointsCostNoMoreThanTheyMust) {
  std::string chain = link("l0", sphere(0.1));
  for (int i = 1; i <= 24; ++i) {
    const std::string n = std::to_string(i), before = std::to_string(i - 1);
    chain += link("l" + n, i == 24 ? sphere(0.1) : "") +
             joint("j" + n, "prismatic", "l" + before, "l" + n, "<axis xyz=\"1 1 1\"/>");
  }
  const World world = world_of(test::robot(chain));
  BoxOptions options;
  options.budget = 50;
  const std::vector<Interval> box(24, Interval{0.01, 0.5});
  // Choices of two points at each of 24 joints would be sixteen million.
  EXPECT_EQ(prove_box(world, box, options).tests <= 200, true);
}

TEST(BoxQuery, KeepsNothingOfTheLastBox) {
  const World world = load_builtin("two_arms");
  std::mt19937_64 random(9);
  BoxOptions options;
  options.budget = 1000;
  BoxQuery reused(world, options);
  for (int k = 0; k < 8; ++k) {
    const std::vector<double> q = test::random_pose(world, random, 0.6);
    JointBox box;
    for (const double x : q) box.push_back({x - 0.1 * k, x + 0.1 * k});
    const BoxResult again = reused(box), fresh = prove_box(world, box, options);
    EXPECT_EQ(again.verdict, fresh.verdict);
    EXPECT_EQ(again.clearance, fresh.clearance);
    EXPECT_EQ(again.a, fresh.a);
    EXPECT_EQ(again.b, fresh.b);
    EXPECT_EQ(again.q, fresh.q);
    EXPECT_EQ(again.distance, fresh.distance);
  }
}

TEST(BoxQuery, AContactIsInItsBoxWhateverElseFloats) {
  // The two that touch ride on a base that floats; their contact does not depend on it.
  const World world = world_of(
      test::robot(link("world") + link("base") + link("a", sphere(0.3)) + link("b", sphere(0.3)) +
                  joint("fly", "floating", "world", "base") +
                  joint("ja", "prismatic", "base", "a") + joint("jb", "prismatic", "base", "b")));
  for (const Interval w : {Interval{-1, 1}, Interval{0.6, 0.9}, Interval{-0.4, 0.2}}) {
    JointBox box{{0, 0}, {0, 0}, {0, 0}, {0.1, 0.5}, {-0.7, 0.2}, {0, 0.9}, w, {0, 1}, {0, 1}};
    BoxOptions options;
    options.budget = 500;
    const BoxResult result = prove_box(world, box, options);
    ASSERT_EQ(result.verdict, Verdict::contact);
    for (std::size_t i = 0; i < box.size(); ++i) {
      EXPECT_GE(result.q[i], box[i].lower);
      EXPECT_LE(result.q[i], box[i].upper);
    }
    EXPECT_EQ(DistanceQuery(world).check(result.q).verdict, Verdict::contact);
  }
  // No quaternion is this short: there is no such configuration, and none is named.
  JointBox none{{0, 0},     {0, 0},     {0, 0}, {0.3, 0.4}, {0.3, 0.4},
                {0.3, 0.4}, {0.3, 0.4}, {0, 1}, {0, 1}};
  BoxOptions options;
  options.budget = 500;
  EXPECT_NE(prove_box(world, none, options).verdict, Verdict::contact);
}

TEST(BoxQuery, TheAnswerDoesNotDependOnTheNumberOfThreads) {
  const World world = load_builtin("two_arms");
  std::mt19937_64 random(5);
  for (int k = 0; k < 6; ++k) {
    const std::vector<double> q = test::random_pose(world, random, 0.5);
    JointBox box;
    for (const double x : q) box.push_back({x - 0.15, x + 0.15});
    BoxOptions options;
    options.budget = 3000;
    options.threads = 1;
    const BoxResult one = prove_box(world, box, options);
    options.threads = 3;
    const BoxResult three = prove_box(world, box, options);
    EXPECT_EQ(one.verdict, three.verdict);
    EXPECT_EQ(one.clearance, three.clearance);
    EXPECT_EQ(one.a, three.a);
    EXPECT_EQ(one.b, three.b);
    EXPECT_EQ(one.q, three.q);
  }
}

}  // namespace
}  // namespace keepclear
