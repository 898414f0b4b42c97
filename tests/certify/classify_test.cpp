// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <map>

#include "certify/refute.hpp"
#include "data.hpp"
#include "keepclear/pairs.hpp"
#include "scene/scenes.hpp"

namespace keepclear {
namespace {

using test::joint;
using test::link;
using test::sphere;
using test::world_of;

std::string at(const std::string& xyz) {
  return "<origin xyz=\"" + xyz + "\"/>";
}

/// A mast with two rings of links: one of each kind of pair.
World of_each_kind(const std::string& srdf = {}) {
  LoadOptions options;
  options.allow_no_pairs = true;
  return world_of(test::robot(link("base", sphere(0.3)) + link("near", sphere(0.3)) + link("hub") +
                              link("inner", sphere(0.2)) + link("rod") + link("tip", sphere(0.1)) +
                              joint("f", "fixed", "base", "near", at("0.5 0 0")) +
                              joint("turn", "continuous", "base", "hub", "<axis xyz=\"0 0 1\"/>") +
                              joint("g", "fixed", "hub", "inner", at("0.1 0 0")) +
                              joint("swing", "continuous", "hub", "rod",
                                    "<axis xyz=\"0 0 1\"/>" + at("2 0 0")) +
                              joint("h", "fixed", "rod", "tip", at("1.5 0 0"))),
                  srdf, options);
}

std::map<std::string, PairOfLinks> by_name(const World& world, const PairsOptions& options = {}) {
  std::map<std::string, PairOfLinks> named;
  for (const PairOfLinks& pair : classify_pairs(world, options)) {
    named[test::names_of(world, pair.a, pair.b)] = pair;
  }
  return named;
}

TEST(ClassifyPairs, KnowsEachKind) {
  const auto pairs = by_name(of_each_kind());
  ASSERT_EQ(pairs.size(), 6u);
  EXPECT_EQ(pairs.at("base and near").kind, PairClass::adjacent);
  // 0.1 m from the middle of a ball of 0.3 m: inside whichever way it is turned.
  EXPECT_EQ(pairs.at("base and inner").kind, PairClass::always);
  EXPECT_EQ(pairs.at("base and inner").joints, std::vector<int>{0});
  EXPECT_NEAR(pairs.at("base and inner").distance, -0.4, 1e-3);
  // 0.5 +- 0.1 apart, and as large as that.
  EXPECT_EQ(pairs.at("near and inner").kind, PairClass::sometimes);
  EXPECT_EQ(DistanceQuery(of_each_kind()).check(pairs.at("near and inner").witness).verdict,
            Verdict::contact);
  EXPECT_LT(pairs.at("near and inner").distance, -0.09);
  // The tip comes to 0.5 m from the axis: 0.1 from the base, and into what is beside it.
  EXPECT_EQ(pairs.at("base and tip").kind, PairClass::never);
  EXPECT_LE(pairs.at("base and tip").clearance, 0.1 + 1e-9);
  EXPECT_GE(pairs.at("base and tip").clearance, 0.08);
  EXPECT_EQ(pairs.at("near and tip").kind, PairClass::sometimes);
  EXPECT_EQ(pairs.at("inner and tip").joints, std::vector<int>{1});
}

TEST(ClassifyPairs, LooksAtWhatAnSrdfDisables) {
  const World world = of_each_kind(
      "<robot name=\"r\"><disable_collisions link1=\"near\" link2=\"tip\" "
      "reason=\"Never\"/></robot>");
  const auto pairs = by_name(world);
  const PairOfLinks& pair = pairs.at("near and tip");
  EXPECT_TRUE(pair.disabled);
  EXPECT_EQ(pair.reason, "Never");
  EXPECT_EQ(pair.kind, PairClass::sometimes);
  EXPECT_FALSE(pairs.at("base and tip").disabled);
}

TEST(ClassifyPairs, SaysUndecidedWhenTheBudgetIsSpent) {
  PairsOptions options;
  options.budget = 2;
  const auto pairs = by_name(of_each_kind(), options);
  EXPECT_EQ(pairs.at("base and tip").kind, PairClass::undecided);
  EXPECT_EQ(pairs.at("base and tip").clearance, 0);
}

TEST(ClassifyPairs, MarginsOfASceneDoNotCount) {
  test::Folder folder;
  Scene scene;
  scene.file = "test.json";
  scene.margin = 0.3;
  scene.robots.push_back(test::robot_of(
      "", folder.write("r.urdf",
                       test::robot(link("a", sphere(0.3)) + link("b") + link("c", sphere(0.3)) +
                                   joint("j", "continuous", "a", "b") +
                                   joint("k", "fixed", "b", "c", at("0 0 0.8"))))));
  const auto pairs = by_name(compile(scene));
  EXPECT_EQ(pairs.at("a and c").kind, PairClass::never);
  EXPECT_NEAR(pairs.at("a and c").clearance, 0.2, 0.011);
}

TEST(ClassifyPairs, KnowsWhatIsOffByDefault) {
  const World world =
      of_each_kind("<robot name=\"r\"><disable_default_collisions link=\"tip\"/></robot>");
  const auto pairs = by_name(world);
  EXPECT_TRUE(pairs.at("near and tip").disabled);
  EXPECT_EQ(pairs.at("near and tip").kind, PairClass::sometimes);
  EXPECT_FALSE(pairs.at("near and inner").disabled);
}

TEST(ClassifyPairs, WhatFollowsAJointWithoutLimitsMayGoFartherThanOneTurn) {
  // A hand that goes half as fast as the joint it follows, and one that slides along with it: they
  // meet the wall only after more than half a turn of that joint.
  const std::string wall = link("base") + link("wall", sphere(0.2)) + link("wheel") +
                           joint("w", "fixed", "base", "wall", at("-2 0 0")) +
                           joint("m", "continuous", "base", "wheel", "<axis xyz=\"0 0 1\"/>");
  const World half =
      world_of(test::robot(wall + link("rod") + link("tip", sphere(0.1)) +
                           joint("f", "continuous", "base", "rod",
                                 "<axis xyz=\"0 0 1\"/><mimic joint=\"m\" multiplier=\"0.5\"/>") +
                           joint("t", "fixed", "rod", "tip", at("2 0 0"))));
  EXPECT_EQ(by_name(half).at("wall and tip").kind, PairClass::sometimes);
  const World slide = world_of(test::robot(
      wall + link("tip", sphere(0.1)) +
      joint("f", "prismatic", "base", "tip", "<mimic joint=\"m\" multiplier=\"0.1\"/>")));
  EXPECT_NE(by_name(slide).at("wall and tip").kind, PairClass::never);
  // Out of reach for a follower as for a leader: one turn of its own is enough to know.
  const World far = world_of(test::robot(
      wall + link("rod") + link("tip", sphere(0.1)) +
      joint("f", "continuous", "base", "rod",
            "<axis xyz=\"0 0 1\"/><mimic joint=\"m\" multiplier=\"0.37\" offset=\"1\"/>") +
      joint("t", "fixed", "rod", "tip", at("1 0 0"))));
  EXPECT_EQ(by_name(far).at("wall and tip").kind, PairClass::never);
  EXPECT_NEAR(by_name(far).at("wall and tip").clearance, 0.7, 0.011);
}

TEST(ClassifyPairs, RigidPairsAreAlwaysOrNever) {
  LoadOptions options;
  options.allow_no_pairs = true;
  const World world =
      world_of(test::robot(link("a", sphere(0.3)) + link("b") + link("c", sphere(0.3)) +
                           link("d", sphere(0.3)) + joint("j", "fixed", "a", "b") +
                           joint("k", "fixed", "b", "c", at("0.5 0 0")) +
                           joint("l", "fixed", "b", "d", at("0 2 0"))),
               {}, options);
  const auto pairs = by_name(world);
  EXPECT_EQ(pairs.at("a and c").kind, PairClass::always);
  EXPECT_EQ(pairs.at("a and d").kind, PairClass::never);
  EXPECT_NEAR(pairs.at("a and d").clearance, 1.4, 1e-6);
}

TEST(ClassifyPairs, TheResultDoesNotDependOnTheNumberOfThreads) {
  const World world = load_builtin("six_axis_arm");
  PairsOptions options;
  options.threads = 1;
  const auto one = classify_pairs(world, options);
  options.threads = 3;
  const auto three = classify_pairs(world, options);
  ASSERT_EQ(one.size(), three.size());
  for (std::size_t i = 0; i < one.size(); ++i) {
    EXPECT_EQ(one[i].kind, three[i].kind);
    EXPECT_EQ(one[i].clearance, three[i].clearance);
    EXPECT_EQ(one[i].witness, three[i].witness);
  }
}

TEST(ClassifyPairs, AReportThatFailsIsAnErrorOfTheCall) {
  PairsOptions options;
  options.threads = 3;
  options.progress = [](std::size_t, std::size_t) { throw std::runtime_error("no terminal"); };
  EXPECT_THROW(classify_pairs(load_builtin("six_axis_arm"), options), std::runtime_error);
}

/// Every class against poses: none nearer than the clearance of a pair that never touches, every
/// witness in contact, none free where they always touch.
void judge(const World& world, double most_undecided) {
  PairsOptions options;
  options.budget = 100'000;
  const auto pairs = classify_pairs(world, options);
  std::vector<Interval> box = full_range(world);
  for (Interval& i : box) i = {std::max(i.lower, -10.0), std::min(i.upper, 10.0)};
  DistanceQuery query(world, {.tolerance = 1e-9, .signed_distance = true});
  std::mt19937_64 random(17);
  std::size_t undecided = 0;
  for (const PairOfLinks& pair : pairs) {
    undecided += pair.kind == PairClass::undecided ? 1 : 0;
    const auto& listed = world.pairs();
    const auto checked = std::find_if(listed.begin(), listed.end(), [&](const PairInfo& info) {
      return info.a == pair.a && info.b == pair.b;
    });
    if (checked == listed.end()) continue;
    const auto index = static_cast<std::size_t>(checked - listed.begin());
    const auto distance = [&](const std::vector<double>& q) {
      return query.all_pairs(q)[index].distance;
    };
    const std::string names = world.name() + ": " + test::names_of(world, pair.a, pair.b);
    if (pair.kind == PairClass::never) {
      const auto found =
          test::least_in_box(box, world.neutral(), pair.joints, 40, random, distance);
      EXPECT_GE(found.least, pair.clearance - 1e-9) << names;
    } else if (pair.kind == PairClass::sometimes) {
      EXPECT_LT(distance(pair.witness), 0) << names;
      EXPECT_NEAR(distance(pair.witness), pair.distance, 1e-4) << names;
    } else if (pair.kind == PairClass::always) {
      for (int k = 0; k < 50; ++k)
        EXPECT_LT(distance(test::random_pose(world, random)), 0) << names;
    }
  }
  EXPECT_LE(static_cast<double>(undecided), most_undecided * static_cast<double>(pairs.size()))
      << world.name();
}

TEST(ClassifyPairs, NoPoseOfABuiltInArmRefutesAClass) {
  judge(load_builtin("six_axis_arm"), 0);
  judge(load_builtin("bench_arm"), 0);
}

TEST(ClassifyPairs, NoPoseOfARealArmRefutesAClass) {
  KEEPCLEAR_NEEDS_DATA("robots");
  for (const char* name : {"panda/panda.urdf", "ur5e/ur5e.urdf", "meca500_r3/meca500_r3.urdf",
                           "kuka_lbr_iiwa14_r820/lbr_iiwa_14_r820.urdf"}) {
    judge(load(test::data_dir() / "robots" / name), 0.05);
  }
}

}  // namespace
}  // namespace keepclear
