// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "scene/worlds.hpp"

namespace keepclear {
namespace {

using test::box;
using test::joint;
using test::link;
using test::robot;
using test::sphere;
using test::world_of;

using Q = std::vector<double>;
constexpr double kInf = std::numeric_limits<double>::infinity();

TEST(DistanceQuery, MeasuresTheGapAndNamesItsPoints) {
  const World rail = test::rail();
  DistanceQuery query(rail);
  const Nearest near = query(Q{0, 0.5});
  EXPECT_EQ(near.verdict, Verdict::free);
  EXPECT_NEAR(near.distance, 0.3, 1e-14);
  EXPECT_LE(near.lower_bound, near.distance);
  EXPECT_GT(near.lower_bound, 0.3 - 1e-10);
  EXPECT_EQ(test::names_of(rail, near.a, near.b), "a and b");
  EXPECT_NEAR(near.point_a.x, 0.1, 1e-14);
  EXPECT_NEAR(near.point_b.x, 0.4, 1e-14);
}

TEST(DistanceQuery, OverlapIsContactAtDistanceZero) {
  const World rail = test::rail();
  DistanceQuery query(rail);
  const Nearest near = query(Q{0, 0.15});
  EXPECT_EQ(near.verdict, Verdict::contact);
  EXPECT_EQ(near.distance, 0);
  EXPECT_LE(near.lower_bound, 0);
  EXPECT_EQ(test::names_of(rail, near.a, near.b), "a and b");
}

TEST(DistanceQuery, SignedOverlapIsMinusTheDepth) {
  DistanceOptions options;
  options.signed_distance = true;
  DistanceQuery query(test::rail(), options);
  for (const double apart : {0.15, 0.01, 1e-3}) {
    const Nearest near = query(Q{0, apart});
    EXPECT_EQ(near.verdict, Verdict::contact);
    EXPECT_NEAR(near.distance, apart - 0.2, 1e-12);
    EXPECT_LE(near.lower_bound, near.distance + 1e-15);
    EXPECT_NEAR(near.lower_bound, apart - 0.2, 1e-9);
  }
  EXPECT_NEAR(query(Q{0, 0.5}).distance, 0.3, 1e-14);
}

TEST(DistanceQuery, SignedContactOfConcentricBallsIsStillContact) {
  DistanceOptions options;
  options.signed_distance = true;
  DistanceQuery query(test::rail(), options);
  const Nearest near = query(Q{0.25, 0.25});
  EXPECT_EQ(near.verdict, Verdict::contact);
  EXPECT_NEAR(near.distance, -0.2, 1e-9);
}

TEST(DistanceQuery, TouchingToWithinRoundingIsNotProvedEitherWay) {
  DistanceQuery query(test::rail());
  // 0.2 is where the computed balls touch; a radius is a hair more than 0.1 at most.
  const Nearest near = query(Q{0, 0.2});
  EXPECT_NE(near.verdict, Verdict::free);
  EXPECT_NEAR(near.distance, 0, 1e-14);
}

TEST(DistanceQuery, WhatIsNoConfigurationIsUndecided) {
  DistanceQuery query(test::rail());
  const double nan = std::nan("");
  for (const Q& q : {Q{}, Q{0}, Q{0, 0.5, 0}, Q{nan, 0.5}, Q{0, nan}, Q{0, kInf}, Q{-kInf, 0},
                     Q{0, 1e300}, Q{1.1e9, 0}}) {
    const Nearest near = query(q);
    EXPECT_EQ(near.verdict, Verdict::undecided);
    EXPECT_TRUE(std::isnan(near.distance));
    EXPECT_EQ(near.lower_bound, 0);
    EXPECT_EQ(near.a, -1);
    EXPECT_EQ(near.b, -1);
    EXPECT_TRUE(query.all_pairs(q).empty());
    const CheckResult check = query.check(q);
    EXPECT_EQ(check.verdict, Verdict::undecided);
    EXPECT_EQ(check.a, -1);
    EXPECT_EQ(check.b, -1);
    // And the next pose is answered as if nothing had been.
    EXPECT_NEAR(query(Q{0, 0.5}).distance, 0.3, 1e-14);
  }
}

TEST(DistanceQuery, AWorldWithoutPairsIsFreeAtInfinity) {
  const World world =
      world_of(robot(link("a", box(1)) + link("b", box(1)) + joint("j", "revolute", "a", "b")));
  ASSERT_TRUE(world.pairs().empty());
  DistanceQuery query(world);
  const Nearest near = query(Q{0});
  EXPECT_EQ(near.verdict, Verdict::free);
  EXPECT_EQ(near.distance, kInf);
  EXPECT_EQ(near.a, -1);
  EXPECT_EQ(near.b, -1);
  EXPECT_EQ(query.check(Q{0}).verdict, Verdict::free);
  EXPECT_EQ(query.check(Q{0}, 100).verdict, Verdict::free);
  EXPECT_TRUE(query.all_pairs(Q{0}).empty());
  EXPECT_EQ(query(Q{std::nan("")}).verdict, Verdict::undecided);
  EXPECT_EQ(query.check(Q{std::nan("")}).verdict, Verdict::undecided);
}

TEST(DistanceCheck, ComparesWithTheMargin) {
  DistanceQuery query(test::rail());
  const Q q{0, 0.5};
  EXPECT_EQ(query.check(q).verdict, Verdict::free);
  EXPECT_EQ(query.check(q, 0.3 - 1e-9).verdict, Verdict::free);
  const CheckResult nearer = query.check(q, 0.3 + 1e-9);
  EXPECT_EQ(nearer.verdict, Verdict::contact);
  EXPECT_EQ(nearer.a, 0);
  EXPECT_EQ(nearer.b, 1);
  EXPECT_EQ(query.check(q, 1e6).verdict, Verdict::contact);
  EXPECT_EQ(query.check(Q{0, 0.1}, 0).verdict, Verdict::contact);
  EXPECT_EQ(query.check(Q{0, 0.1}, 0.5).verdict, Verdict::contact);
}

TEST(DistanceCheck, AMarginThatIsNoneIsUndecided) {
  DistanceQuery query(test::rail());
  for (const double margin : {-1e-9, -kInf, kInf, std::nan("")}) {
    EXPECT_EQ(query.check(Q{0, 0.5}, margin).verdict, Verdict::undecided) << margin;
  }
}

TEST(DistanceQuery, PointsAreInTheFrameOfTheRootWhateverCarriesTheRobot) {
  // A platform that drives and floats, with two balls on rails.
  const World world = world_of(
      robot(link("map") + link("platform") + link("body") + link("a", sphere(0.1)) +
            link("b", sphere(0.1)) +
            joint("drive", "planar", "map", "platform", "<axis xyz=\"0 0 1\"/>") +
            joint("float", "floating", "platform", "body", "<origin xyz=\"0 0 1\"/>") +
            joint("ja", "prismatic", "body", "a") + joint("jb", "prismatic", "body", "b")));
  ASSERT_EQ(world.dof(), 12u);
  DistanceQuery query(world);
  Q q = world.neutral();
  q[11] = 0.5;
  const Nearest still = query(q);
  EXPECT_NEAR(still.point_b.x, 0.4, 1e-13);
  EXPECT_NEAR(still.point_b.z, 1, 1e-13);
  q[0] = 100, q[1] = -7, q[2] = 2;
  q[4] = 3;
  const Nearest moved = query(q);
  // Joints above all bodies move all alike, to the bit.
  EXPECT_EQ(moved.distance, still.distance);
  EXPECT_EQ(moved.lower_bound, still.lower_bound);
  const double c = std::cos(2.0), s = std::sin(2.0);
  EXPECT_NEAR(moved.point_b.x, 100 + c * 0.4 - s * 3, 1e-12);
  EXPECT_NEAR(moved.point_b.y, -7 + s * 0.4 + c * 3, 1e-12);
  EXPECT_NEAR(norm(moved.point_a - moved.point_b), moved.distance, 1e-12);
}

TEST(DistanceQuery, AMimicJointThatRunsAwayIsNeverFree) {
  const World world =
      world_of(robot(link("ground", sphere(0.1)) + link("m") + link("a", sphere(0.1)) +
                     joint("jm", "continuous", "ground", "m") +
                     joint("ja", "prismatic", "m", "a",
                           "<origin xyz=\"1 0 0\"/><mimic joint=\"jm\" multiplier=\"1e6\"/>")));
  DistanceQuery query(world);
  EXPECT_EQ(query(Q{0}).verdict, Verdict::free);
  for (const double q : {1e4, 1e9, 1e15}) {
    EXPECT_NE(query(Q{q}).verdict, Verdict::free) << q;
    EXPECT_NE(query.check(Q{q}).verdict, Verdict::free) << q;
    EXPECT_EQ(query(Q{0}).verdict, Verdict::free);
  }
}

/// The built-in arm: everything about how the parts of the interface agree.
class BuiltinArm : public testing::Test {
 protected:
  World world = load_builtin("six_axis_arm");
  std::vector<Q> mixed_poses() const {
    std::mt19937_64 random(5);
    std::vector<Q> poses = test::smooth_poses(world, 6, 10, 100);
    for (int k = 0; k < 1000; ++k) poses.push_back(test::random_pose(world, random));
    return poses;
  }
};

TEST_F(BuiltinArm, TheLeastDistanceIsTheLeastOfAllPairs) {
  for (const bool with_sign : {false, true}) {
    DistanceOptions options;
    options.signed_distance = with_sign;
    DistanceQuery query(world, options), all_query(world, options);
    int contacts = 0, free = 0;
    for (const Q& q : mixed_poses()) {
      const Nearest least = query(q);
      const auto all = all_query.all_pairs(q);
      ASSERT_EQ(all.size(), world.pairs().size());
      double distance = kInf, lower = kInf;
      bool contact = false, undecided = false;
      for (std::size_t p = 0; p < all.size(); ++p) {
        ASSERT_EQ(all[p].a, world.pairs()[p].a);
        ASSERT_EQ(all[p].b, world.pairs()[p].b);
        ASSERT_LE(all[p].lower_bound, all[p].distance + 1e-15);
        distance = std::min(distance, all[p].distance);
        lower = std::min(lower, all[p].lower_bound);
        contact = contact || all[p].verdict == Verdict::contact;
        undecided = undecided || all[p].verdict == Verdict::undecided;
      }
      ASSERT_EQ(least.verdict, contact     ? Verdict::contact
                               : undecided ? Verdict::undecided
                                           : Verdict::free);
      ASSERT_NEAR(least.distance, distance, with_sign ? 1e-8 : 1e-10);
      ASSERT_LE(least.lower_bound, distance + 1e-15);
      ASSERT_NEAR(all[test::index_of(world, least.a, least.b)].distance, least.distance,
                  with_sign ? 1e-8 : 1e-10);
      if (least.verdict == Verdict::free) {
        ++free;
        ASSERT_LE(least.distance - least.lower_bound, 1e-10);
        ASSERT_GT(least.lower_bound, 0);
        ASSERT_NEAR(norm(least.point_a - least.point_b), least.distance, 1e-10);
      }
      if (contact) ++contacts;
    }
    EXPECT_GT(contacts, 100);
    EXPECT_GT(free, 100);
  }
}

TEST_F(BuiltinArm, TheCheckAgreesWithTheDistance) {
  DistanceQuery query(world), checker(world), cold(world);
  for (const Q& q : mixed_poses()) {
    const Nearest least = query(q);
    for (const double margin : {0.0, 0.01, 0.1}) {
      const CheckResult check = checker.check(q, margin);
      if (least.lower_bound > margin + 1e-9) {
        ASSERT_EQ(check.verdict, Verdict::free);
        ASSERT_EQ(check.a, -1);
        ASSERT_EQ(check.b, -1);
      } else if (margin == 0 ? least.verdict == Verdict::contact : least.distance < margin - 1e-9) {
        ASSERT_EQ(check.verdict, Verdict::contact);
      }
      if (check.verdict == Verdict::free) {
        ASSERT_GT(least.distance, margin - 1e-12);
      }
      if (check.verdict == Verdict::contact) {
        const Nearest named = cold.all_pairs(q)[test::index_of(world, check.a, check.b)];
        if (margin == 0) {
          ASSERT_EQ(named.verdict, Verdict::contact);
        } else {
          ASSERT_LT(named.lower_bound, margin);
        }
      }
    }
  }
}

TEST_F(BuiltinArm, WarmAndColdAgree) {
  DistanceQuery warm(world), cold(world);
  for (const Q& q : mixed_poses()) {
    cold.reset();
    const Nearest a = warm(q), b = cold(q);
    ASSERT_EQ(a.verdict, b.verdict);
    ASSERT_NEAR(a.distance, b.distance, 1e-10);
    if (a.verdict == Verdict::free) {
      ASSERT_NEAR(a.lower_bound, b.lower_bound, 2e-10);
    }
  }
}

TEST_F(BuiltinArm, AfterResetNothingDependsOnWhatCameBefore) {
  DistanceQuery used(world);
  for (const Q& q : test::smooth_poses(world, 7, 3, 50)) {
    used(q);
    used.check(q, 0.02);
  }
  used.reset();
  DistanceQuery fresh(world);
  for (const Q& q : test::smooth_poses(world, 8, 3, 50)) {
    const Nearest a = used(q), b = fresh(q);
    ASSERT_EQ(a.distance, b.distance);
    ASSERT_EQ(a.lower_bound, b.lower_bound);
    ASSERT_EQ(a.a, b.a);
    ASSERT_EQ(a.b, b.b);
    ASSERT_EQ(a.point_a, b.point_a);
    ASSERT_EQ(a.verdict, b.verdict);
  }
}

TEST_F(BuiltinArm, TheFunctionForThoseInNoHurryAgrees) {
  DistanceQuery query(world);
  for (const Q& q : test::smooth_poses(world, 9, 2, 10)) {
    query.reset();
    EXPECT_EQ(distance(world, q).distance, query(q).distance);
  }
}

TEST_F(BuiltinArm, AMovedQueryGoesOn) {
  DistanceQuery one(world);
  const Nearest before = one(world.neutral());
  DistanceQuery two = std::move(one);
  EXPECT_NEAR(two(world.neutral()).distance, before.distance, 1e-10);
}

TEST_F(BuiltinArm, AQueryOutlivesItsWorld) {
  std::optional<World> gone = load_builtin("six_axis_arm");
  DistanceQuery query(*gone);
  gone.reset();
  EXPECT_EQ(query(world.neutral()).distance, distance(world, world.neutral()).distance);
}

TEST_F(BuiltinArm, TheToleranceBoundsTheGap) {
  for (const double tolerance : {1e-3, 1e-6, 1e-9}) {
    DistanceOptions options;
    options.tolerance = tolerance;
    DistanceQuery query(world, options);
    for (const Q& q : test::smooth_poses(world, 10, 3, 30)) {
      const Nearest near = query(q);
      if (near.verdict == Verdict::free) {
        ASSERT_LE(near.distance - near.lower_bound, tolerance);
      }
    }
  }
}

}  // namespace
}  // namespace keepclear
