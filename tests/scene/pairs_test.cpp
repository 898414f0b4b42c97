// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <set>

#include "data.hpp"
#include "scene/worlds.hpp"

namespace keepclear {
namespace {

using test::box;
using test::joint;
using test::link;
using test::robot;
using test::sphere;
using test::world_of;
using Why = LeftOutPair::Why;

/// base - arm - hand (fixed finger, cover), and a sensor fixed to the base. All have bodies but
/// `flange` between arm and hand.
std::string tree() {
  return robot(link("base", box(0.2)) + link("arm", box(0.2)) + link("flange") +
               link("hand", box(0.1)) + link("finger", box(0.1)) + link("cover", box(0.1)) +
               link("sensor", sphere(0.1)) +
               joint("j1", "revolute", "base", "arm", "<origin xyz=\"1 0 0\"/>") +
               joint("j2", "fixed", "arm", "flange", "<origin xyz=\"1 0 0\"/>") +
               joint("j3", "revolute", "flange", "hand", "<origin xyz=\"1 0 0\"/>") +
               joint("j4", "fixed", "hand", "finger", "<origin xyz=\"0 0.3 0\"/>") +
               joint("j5", "fixed", "hand", "cover", "<origin xyz=\"0 -0.3 0\"/>") +
               joint("j6", "fixed", "base", "sensor", "<origin xyz=\"0 0 1\"/>"));
}

using Names = std::set<std::string>;

Names unordered(const std::string& a, const std::string& b) {
  return {a, b};
}
Names unordered(const World& world, const PairInfo& pair) {
  return unordered(world.solids()[pair.a].name, world.solids()[pair.b].name);
}

void expect_none_dropped(const World& world) {
  std::set<std::string> with_bodies;
  for (const BodyInfo& body : world.bodies()) with_bodies.insert(body.link);
  EXPECT_EQ(with_bodies.size() + world.links_without_bodies().size(), world.links().size());
  std::set<Names> seen;
  for (const PairInfo& pair : world.pairs()) {
    EXPECT_TRUE(seen.insert(unordered(world, pair)).second)
        << test::names_of(world, pair.a, pair.b);
  }
  for (const LeftOutPair& pair : world.left_out()) {
    EXPECT_TRUE(seen.insert(unordered(pair.a, pair.b)).second) << pair.a << ' ' << pair.b;
  }
  for (const Names& names : seen) {
    EXPECT_EQ(names.size(), 2u);
    for (const std::string& name : names) EXPECT_TRUE(with_bodies.contains(name)) << name;
  }
  EXPECT_EQ(seen.size(), with_bodies.size() * (with_bodies.size() - 1) / 2);
}

/// The entry of a pair that is not checked; fails the test if it is.
std::optional<LeftOutPair> left_out(const World& world, const std::string& a,
                                    const std::string& b) {
  for (const LeftOutPair& pair : world.left_out()) {
    if (unordered(pair.a, pair.b) == unordered(a, b)) return pair;
  }
  ADD_FAILURE() << a << " and " << b << " are not left out";
  return LeftOutPair{};
}
bool checked(const World& world, const std::string& a, const std::string& b) {
  for (const PairInfo& pair : world.pairs()) {
    if (unordered(world, pair) == unordered(a, b)) return true;
  }
  return false;
}

TEST(PairSelection, LeavesOutAdjacentAndRigidLinksAlone) {
  const World world = world_of(tree());
  expect_none_dropped(world);
  EXPECT_EQ(left_out(world, "base", "arm")->why, Why::adjacent);
  EXPECT_EQ(left_out(world, "hand", "finger")->why, Why::adjacent);
  EXPECT_EQ(left_out(world, "base", "sensor")->why, Why::adjacent);
  EXPECT_EQ(left_out(world, "finger", "cover")->why, Why::rigid);
  // A link without bodies between them makes arm and hand no neighbours.
  EXPECT_TRUE(checked(world, "arm", "hand"));
  EXPECT_TRUE(checked(world, "base", "hand"));
  EXPECT_TRUE(checked(world, "sensor", "arm"));
  EXPECT_TRUE(checked(world, "sensor", "cover"));
  EXPECT_EQ(world.left_out().size(), 5u);
}

TEST(PairSelection, DoesNotDependOnTheOrderOfLinksInTheFile) {
  // A child before its parent, and one with a movable joint between.
  const World world =
      world_of(robot(link("tip", box(0.1)) + link("arm", box(0.1)) + link("base", box(0.1)) +
                     joint("j1", "revolute", "base", "arm", "<origin xyz=\"1 0 0\"/>") +
                     joint("j2", "revolute", "arm", "tip", "<origin xyz=\"1 0 0\"/>")));
  expect_none_dropped(world);
  EXPECT_EQ(left_out(world, "tip", "arm")->why, Why::adjacent);
  EXPECT_EQ(left_out(world, "arm", "base")->why, Why::adjacent);
  EXPECT_TRUE(checked(world, "tip", "base"));
  EXPECT_EQ(world.pairs().size(), 1u);
}

TEST(PairSelection, FollowsTheSrdfAndKeepsItsReasons) {
  const World world = world_of(tree(), R"(<robot name="r">
    <disable_collisions link1="hand" link2="base" reason="Never"/>
    <disable_collisions link1="arm" link2="sensor" reason="User"/>
    <disable_collisions link1="base" link2="arm" reason="Adjacent"/></robot>)");
  expect_none_dropped(world);
  EXPECT_EQ(left_out(world, "base", "hand")->why, Why::disabled);
  EXPECT_EQ(left_out(world, "base", "hand")->reason, "Never");
  EXPECT_EQ(left_out(world, "sensor", "arm")->reason, "User");
  EXPECT_TRUE(checked(world, "sensor", "hand"));
}

TEST(PairSelection, DisablesByDefaultAndEnablesAgain) {
  const World world = world_of(tree(), R"(<robot name="r">
    <disable_default_collisions link="sensor"/>
    <enable_collisions link1="hand" link2="sensor"/></robot>)");
  expect_none_dropped(world);
  EXPECT_EQ(left_out(world, "sensor", "arm")->why, Why::by_default);
  EXPECT_EQ(left_out(world, "sensor", "finger")->why, Why::by_default);
  EXPECT_TRUE(checked(world, "sensor", "hand"));
  EXPECT_TRUE(checked(world, "base", "hand"));
}

TEST(PairSelection, NamesThePairsThatOverlapInTheNeutralPose) {
  const World world =
      world_of(robot(link("a", box(1)) + link("b") + link("c", box(1)) + link("d", box(1)) +
                     joint("j1", "revolute", "a", "b") + joint("j2", "revolute", "b", "c") +
                     joint("j3", "revolute", "b", "d", "<origin xyz=\"5 0 0\"/>")));
  ASSERT_EQ(world.pairs().size(), 3u);
  for (const PairInfo& pair : world.pairs()) {
    EXPECT_EQ(pair.overlap_at_neutral, unordered(world, pair) == unordered("a", "c"));
  }
  bool noted = false;
  for (const std::string& note : world.notes()) {
    noted = noted || note.find("neutral") != std::string::npos;
  }
  EXPECT_TRUE(noted);
}

TEST(PairSelection, TheWordsForReasonsDiffer) {
  std::set<std::string> words;
  for (const Why why : {Why::adjacent, Why::rigid, Why::disabled, Why::by_default}) {
    words.insert(to_string(why));
  }
  EXPECT_EQ(words.size(), 4u);
}

TEST(PairSelection, DropsNoPairOfAnyRobotWithOrWithoutItsSrdf) {
  KEEPCLEAR_NEEDS_DATA("robots");
  const std::filesystem::path robots = test::data_dir() / "robots";
  const std::pair<const char*, const char*> files[] = {
      {"panda/panda.urdf", "panda/panda.srdf"},
      {"ur5_robotiq85/ur5_robotiq85.urdf", "ur5_robotiq85/ur5_robotiq85.srdf"},
      {"yumi/yumi.urdf", "yumi/yumi.srdf"},
      {"talos/talos_full_v2.urdf", "talos/talos.srdf"},
      {"iiwa14_spheres/iiwa14_spheres.urdf", nullptr}};
  for (const auto& [urdf, srdf] : files) {
    SCOPED_TRACE(urdf);
    const World plain = load(robots / urdf);
    expect_none_dropped(plain);
    if (srdf == nullptr) continue;
    LoadOptions options;
    options.srdf = robots / srdf;
    const World allowed = load(robots / urdf, options);
    expect_none_dropped(allowed);
    EXPECT_LT(allowed.pairs().size(), plain.pairs().size());
    EXPECT_EQ(allowed.bodies().size(), plain.bodies().size());
  }
}

}  // namespace
}  // namespace keepclear
