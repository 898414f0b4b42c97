// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

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

std::string two_arms(const std::string& size = "0.2", const std::string& at = "1 0 0",
                     const std::string& axis = "0 0 1", const std::string& turn = "0 0 0") {
  return robot(link("a", "<box size=\"" + size + " 0.2 0.2\"/>") + link("b") +
               link("c", sphere(0.1)) +
               joint("j1", "revolute", "a", "b",
                     "<origin xyz=\"" + at + "\"/><axis xyz=\"" + axis + "\"/>") +
               joint("j2", "revolute", "b", "c", "<origin xyz=\"1 0 0\" rpy=\"" + turn + "\"/>"));
}

TEST(WorldHash, IsSha256AndTheSameForTheSameWorld) {
  const World one = world_of(two_arms()), two = world_of(two_arms());
  EXPECT_TRUE(std::regex_match(one.hash(), std::regex("[0-9a-f]{64}")));
  EXPECT_EQ(one.hash(), two.hash());
}

TEST(WorldHash, ChangesWithEveryNumberThatAVerdictDependsOn) {
  const std::string plain = world_of(two_arms()).hash();
  EXPECT_NE(world_of(two_arms("0.2000000000000001")).hash(), plain);
  EXPECT_NE(world_of(two_arms("0.2", "1.0000000000000002 0 0")).hash(), plain);
  EXPECT_NE(world_of(two_arms("0.2", "1 0 0", "0 1e-300 1")).hash(), plain);
  EXPECT_NE(world_of(two_arms("0.2", "1 0 0", "0 0 1", "0 0 1e-9")).hash(), plain);
  LoadOptions none_left;
  none_left.allow_no_pairs = true;
  EXPECT_NE(world_of(two_arms(), R"(<robot name="r">
    <disable_collisions link1="a" link2="c" reason="User"/></robot>)",
                     none_left)
                .hash(),
            plain);
}

TEST(WorldHash, ChangesWithAVelocityLimit) {
  const auto with = [](const std::string& velocity) {
    return world_of(robot(link("a", box(1)) + link("b") + link("c", box(1)) +
                          joint("j1", "continuous", "a", "b",
                                "<limit effort=\"1\" velocity=\"" + velocity + "\"/>") +
                          joint("j2", "continuous", "b", "c")))
        .hash();
  };
  EXPECT_NE(with("2"), with("2.0000000000000004"));
}

TEST(WorldHash, ChangesWithAMimic) {
  const auto with = [](const std::string& mimic) {
    return world_of(robot(link("a", box(1)) + link("b") + link("c", box(1)) +
                          joint("j1", "continuous", "a", "b") +
                          joint("j2", "continuous", "b", "c", mimic)))
        .hash();
  };
  EXPECT_NE(with(""), with("<mimic joint=\"j1\"/>"));
  EXPECT_NE(with("<mimic joint=\"j1\"/>"), with("<mimic joint=\"j1\" multiplier=\"2\"/>"));
  EXPECT_NE(with("<mimic joint=\"j1\"/>"), with("<mimic joint=\"j1\" offset=\"1e-9\"/>"));
}

TEST(WorldHash, DoesNotDependOnTheNumberOfThreads) {
  KEEPCLEAR_NEEDS_DATA("robots");
  const auto file = test::data_dir() / "robots/meca500_r3/meca500_r3.urdf";
  LoadOptions one, three;
  one.threads = 1, three.threads = 3;
  one.parts = three.parts = 3;
  EXPECT_EQ(load(file, one).hash(), load(file, three).hash());
}

TEST(World, SaysWhatItIsMadeOf) {
  const World world = world_of(two_arms());
  EXPECT_EQ(world.name(), "r");
  EXPECT_EQ(world.file(), "test.urdf");
  ASSERT_EQ(world.dof(), 2u);
  EXPECT_EQ(world.variables()[1].name, "j2");
  EXPECT_EQ(world.links().size(), 3u);
  ASSERT_EQ(world.links_without_bodies().size(), 1u);
  EXPECT_EQ(world.links_without_bodies()[0], "b");
  ASSERT_EQ(world.bodies().size(), 2u);
  EXPECT_EQ(world.bodies()[0].shape, "box");
  EXPECT_EQ(world.bodies()[0].points, 8u);
  EXPECT_EQ(world.bodies()[1].link, "c");
  EXPECT_EQ(world.bodies()[1].shape, "sphere");
  EXPECT_GE(world.bodies()[1].radius, 0.1);
  EXPECT_LT(world.bodies()[1].excess, 1e-12);
}

TEST(World, RefusesPartsOutsideItsLimits) {
  for (const int parts : {0, -1, 257}) {
    LoadOptions options;
    options.parts = parts;
    try {
      world_of(two_arms(), {}, options);
      ADD_FAILURE() << parts;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::usage);
    }
  }
}

TEST(World, BuiltinWorldsLoadByName) {
  ASSERT_FALSE(builtin_worlds().empty());
  for (const BuiltinWorld& builtin : builtin_worlds()) {
    const World world = load_builtin(builtin.name);
    EXPECT_FALSE(builtin.what.empty());
    EXPECT_GT(world.dof(), 0u);
    EXPECT_GT(world.pairs().size(), 0u);
    EXPECT_EQ(distance(world, world.neutral()).verdict, Verdict::free) << builtin.name;
    for (const PairInfo& pair : world.pairs()) EXPECT_FALSE(pair.overlap_at_neutral);
  }
  try {
    load_builtin("no such world");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::missing);
  }
}

TEST(WorldParts, FollowTheMeshMoreCloselyThanItsHull) {
  KEEPCLEAR_NEEDS_DATA("robots");
  const auto file = test::data_dir() / "robots/kuka_lbr_iiwa7_r800/iiwa7.urdf";
  LoadOptions options;
  options.parts = 4;
  const World one = load(file), four = load(file, options);
  EXPECT_GT(four.bodies().size(), one.bodies().size());
  EXPECT_NE(one.hash(), four.hash());
  ASSERT_EQ(one.pairs().size(), four.pairs().size());
  DistanceQuery query_one(one), query_four(four);
  std::mt19937_64 random(1);
  int farther = 0;
  for (int k = 0; k < 200; ++k) {
    const auto q = test::random_pose(one, random);
    const auto all_one = query_one.all_pairs(q), all_four = query_four.all_pairs(q);
    for (std::size_t p = 0; p < all_one.size(); ++p) {
      ASSERT_GE(all_four[p].distance, all_one[p].lower_bound - 1e-9);
      if (all_four[p].distance > all_one[p].distance + 1e-6) ++farther;
      if (all_one[p].verdict == Verdict::free) {
        ASSERT_NE(all_four[p].verdict, Verdict::contact);
      }
    }
  }
  EXPECT_GT(farther, 0);
}

}  // namespace
}  // namespace keepclear
