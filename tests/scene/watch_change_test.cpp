// SPDX-License-Identifier: BSD-3-Clause
//
// What keepclear/watch.hpp promises of things that are taken, put down, moved and touched.
#include <cmath>

#include "scene/watch_bench.hpp"

namespace keepclear {
namespace {

using test::find;
using test::kInfinity;
using test::step;
using test::WatchTest;

/// Two arms, a ball in the reach of both, a table for it to stand on, a post.
class CarryTest : public WatchTest {
 protected:
  CarryTest() {
    add_robot("left", {0, 0, 0});
    add_robot("right", {2, 0, 0});
    add_ball("part", {0, 0.3, 0});
    add_ball("table", {0, 0.6, 0}, 0.2);
    add_ball("post", {5, 0.3, 0});
  }
  int solid(const char* name) const { return w.find_solid(name); }

  World make() {
    w = world();
    left = solid("left/hand"), right = solid("right/hand");
    part = solid("part"), table = solid("table"), post = solid("post");
    return w;
  }

  World w{nullptr};
  int left = -1, right = -1, part = -1, table = -1, post = -1;
};

TEST_F(CarryTest, AttachRefusesWhatItCannotDo) {
  add_floor(-1);
  make();
  Watch watch(w);
  EXPECT_FALSE(watch.attach(part, left));  // before the first cycle
  step(watch, {0, 0});
  const int many = static_cast<int>(w.solids().size());
  EXPECT_FALSE(watch.attach(left, right));
  EXPECT_FALSE(watch.attach(part, table));
  EXPECT_FALSE(watch.attach(-1, left));
  EXPECT_FALSE(watch.attach(many, left));
  EXPECT_FALSE(watch.attach(part, -1));
  EXPECT_FALSE(watch.attach(part, many));
  const int bad[] = {left, many};
  EXPECT_FALSE(watch.attach(part, left, bad));
  EXPECT_FALSE(watch.attach(solid("floor"), left));
  EXPECT_FALSE(watch.release(part));  // nothing of it happened
  const std::vector<int> too_many(100'000, table);
  EXPECT_FALSE(watch.attach(part, left, too_many));
  EXPECT_EQ(step(watch, {0, 0}).verdict, Verdict::free);
  watch.reset();
  EXPECT_FALSE(watch.attach(part, left));
  step(watch, {0, 0});
  EXPECT_TRUE(watch.attach(part, left));
  EXPECT_TRUE(watch.attach(part, left));  // again is fine
}

TEST_F(CarryTest, WhatIsNoStateLeavesNothingToRestOn) {
  make();
  const double nan = std::nan("");
  const std::vector<std::pair<std::vector<double>, double>> none = {
      {{2, nan}, 0.01},   {{kInfinity, 0}, 0.01}, {{1e16, 0}, 0.01},
      {{2}, 0.01},        {{2, 0, 0}, 0.01},      {{}, 0.01},
      {{2, 0}, 0},        {{2, 0}, -0.01},        {{2, 0}, nan},
      {{2, 0}, kInfinity}};
  for (const auto& [q, dt] : none) {
    for (const bool quiet : {true, false}) {
      Watch watch(w);
      step(watch, {0, 0});
      if (quiet) step(watch, {0, 0});
      // The hand is at 2 by now, and nobody has seen it.
      EXPECT_EQ(step(watch, q, dt).verdict, Verdict::undecided);
      EXPECT_FALSE(watch.attach(part, left)) << dt;
      EXPECT_FALSE(watch.release(part)) << dt;
      step(watch, {2, 0});
      ASSERT_TRUE(watch.attach(part, left));
      step(watch, {2.5, 0});
      EXPECT_EQ(step(watch, {nan, 0}).verdict, Verdict::undecided);
      EXPECT_FALSE(watch.release(part)) << dt;
      // Two metres behind the hand: at the post where the hand is at 7.
      step(watch, {3, 0});
      EXPECT_EQ(step(watch, {7, -9}).verdict, Verdict::contact);
      EXPECT_TRUE(watch.release(part));
    }
  }
}

TEST_F(CarryTest, AttachRefusesMorePiecesThanThereIsRoomFor) {
  SceneObject cloud;
  cloud.name = "cloud";
  cloud.shape.kind = Shape::Kind::points;
  cloud.shape.radius = 0.01;
  for (int i = 0; i < 5; ++i) cloud.shape.points.push_back({0, 0.01 * i, 3});
  scene.objects.push_back(cloud);
  make();
  WatchOptions options;
  options.max_carried = 4;
  Watch watch(w, options);
  step(watch, {0, 0});
  EXPECT_FALSE(watch.attach(solid("cloud"), left));
  EXPECT_FALSE(watch.place(solid("cloud"), {}));
  EXPECT_EQ(step(watch, {0.1, 0}).verdict, Verdict::free);
  EXPECT_TRUE(watch.attach(part, left));
  EXPECT_NE(find(step(watch, {0.1, 0}), part, table), nullptr);
}

TEST_F(CarryTest, CarriedObjectsKeepTheirPlaceInTheHand) {
  make();
  Watch watch(w);
  step(watch, {0.2, 0});
  const int touch[] = {table};
  ASSERT_TRUE(watch.attach(part, left, touch));
  EXPECT_EQ(step(watch, {0.2, 0}).verdict, Verdict::free);
  EXPECT_EQ(step(watch, {4.9, 50}).verdict, Verdict::free);  // the part is 0.1 m before the post
  const WatchCycle cycle = step(watch, {5.1, 50});
  const Imminent* found = find(cycle, part, post);
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->verdict, Verdict::contact);
  EXPECT_EQ(cycle.imminent.size(), 1u);
}

TEST_F(CarryTest, CarriedObjectsMayTouchTheirHandAndWhatIsListed) {
  make();
  Watch watch(w);
  step(watch, {0, 0});
  ASSERT_TRUE(watch.attach(part, left));
  // The part stands on the table to within rounding, or overlaps the hand: 0.3 - 0.2 - 0.1 = 0.
  EXPECT_NE(find(step(watch, {0, 0}), part, table), nullptr);
  const int touch[] = {table};
  ASSERT_TRUE(watch.attach(part, left, touch));
  EXPECT_EQ(step(watch, {0, 0}).verdict, Verdict::free);
  const int other[] = {post};
  ASSERT_TRUE(watch.attach(part, left, other));
  EXPECT_NE(find(step(watch, {0, 0}), part, table), nullptr);
  EXPECT_EQ(step(watch, {5, 50}).verdict, Verdict::free);
}

TEST_F(CarryTest, CarriedObjectsAreKeptFromTheOtherArmAndItsBase) {
  make();
  Watch watch(w);
  step(watch, {0, 0});
  const int touch[] = {table};
  // Taken to where it touches the hand's side, then carried through the other robot's place.
  ASSERT_TRUE(watch.place(part, {{}, {0.15, 0, 0}}));
  step(watch, {0, 50});
  ASSERT_TRUE(watch.attach(part, left, touch));
  EXPECT_EQ(step(watch, {0.5, 50}).verdict, Verdict::free);
  const WatchCycle base = step(watch, {1.75, 50});
  EXPECT_NE(find(base, part, solid("right/base")), nullptr);
  EXPECT_EQ(find(base, left, solid("right/base")), nullptr);
  const WatchCycle hand = step(watch, {1, -0.75});
  EXPECT_NE(find(hand, part, right), nullptr);
  EXPECT_EQ(find(hand, left, right), nullptr);
  EXPECT_EQ(find(hand, left, part), nullptr);
}

TEST_F(CarryTest, ReleasedObjectsStayWhereTheyWere) {
  make();
  Watch watch(w);
  EXPECT_FALSE(watch.release(part));
  step(watch, {0, 0});
  EXPECT_FALSE(watch.release(part));
  EXPECT_FALSE(watch.release(left));
  EXPECT_FALSE(watch.release(-1));
  EXPECT_FALSE(watch.release(1000));
  const int touch[] = {table};
  ASSERT_TRUE(watch.attach(part, left, touch));
  step(watch, {3, 50});
  ASSERT_TRUE(watch.release(part));
  EXPECT_FALSE(watch.release(part));
  EXPECT_EQ(step(watch, {10, 50}).verdict, Verdict::free);
  // The hand goes by the part at 0.1 m, and is kept from it again; so is the other.
  EXPECT_EQ(step(watch, {3, 50}).verdict, Verdict::free);
  WatchOptions options;
  options.margin = 0.2;
  Watch wary(w, options);
  step(wary, {0, 50});
  ASSERT_TRUE(wary.attach(part, left, touch));
  step(wary, {3, 50});
  ASSERT_TRUE(wary.release(part));
  WatchCycle cycle = step(wary, {3, 50});
  ASSERT_NE(find(cycle, left, part), nullptr);
  EXPECT_NEAR(find(cycle, left, part)->distance, 0.1, 1e-9);
  cycle = step(wary, {10, 1});
  ASSERT_NE(find(cycle, right, part), nullptr);
  EXPECT_NEAR(find(cycle, right, part)->distance, 0.1, 1e-9);
  EXPECT_EQ(find(cycle, part, table), nullptr);  // objects on the bench may touch
}

TEST_F(CarryTest, ObjectsAreHandedOverFromArmToArm) {
  make();
  Watch watch(w);
  const int touch[] = {table};
  step(watch, {0, 0});
  ASSERT_TRUE(watch.attach(part, left, touch));
  step(watch, {1, -0.8});
  ASSERT_TRUE(watch.attach(part, right));
  EXPECT_EQ(step(watch, {0.5, -0.8}).verdict, Verdict::free);    // it did not go with the left one
  EXPECT_EQ(step(watch, {-9, 2.2}).verdict, Verdict::free);      // with the right: at 4
  EXPECT_NE(find(step(watch, {-9, 3.1}), part, post), nullptr);  // at 4.9
  // And it is kept from the left hand and from the table now.
  WatchOptions options;
  options.margin = 0.15;
  Watch wary(w, options);
  step(wary, {0, 0});
  ASSERT_TRUE(wary.attach(part, left, touch));
  step(wary, {1, -0.8});
  ASSERT_TRUE(wary.attach(part, right));
  EXPECT_NE(find(step(wary, {1, -0.8}), left, part), nullptr);
  EXPECT_EQ(find(step(wary, {1, -0.8}), right, part), nullptr);
  EXPECT_NE(find(step(wary, {9, -1.8}), part, table), nullptr);
}

TEST_F(CarryTest, AttachedToABaseItStands) {
  make();
  Watch watch(w);
  step(watch, {0, 0});
  ASSERT_TRUE(watch.attach(part, solid("left/base")));
  EXPECT_EQ(step(watch, {9, 9}).verdict, Verdict::free);
  EXPECT_EQ(step(watch, {0, 9}).verdict, Verdict::free);
  EXPECT_TRUE(watch.release(part));
  EXPECT_EQ(step(watch, {0, 9}).verdict, Verdict::free);
}

TEST_F(CarryTest, WhatTheSceneAttachesIsCarriedFromTheStart) {
  scene.objects[0].pose.xyz = {0, 0.3, 0};
  scene.attached.push_back({"part", "left/hand", {"table"}, ""});
  make();
  Watch watch(w);
  EXPECT_FALSE(watch.place(part, {}));  // it is carried
  EXPECT_EQ(step(watch, {0, 50}).verdict, Verdict::free);
  EXPECT_NE(find(step(watch, {5, 50}), part, post), nullptr);
  step(watch, {3, 50});
  ASSERT_TRUE(watch.release(part));
  EXPECT_EQ(step(watch, {9, 50}).verdict, Verdict::free);
  // Put to where the right hand is: the pose is that of the object, not of what carried it.
  ASSERT_TRUE(watch.place(part, {{}, {7, 0.15, 0}}));
  EXPECT_NE(find(step(watch, {9, 5}), part, right), nullptr);
  ASSERT_TRUE(watch.place(part, {{}, {7, 0.3, 0}}));
  EXPECT_EQ(step(watch, {9, 5}).verdict, Verdict::free);
}

TEST_F(CarryTest, PlaceRefusesWhatItCannotDo) {
  add_floor(-1);
  make();
  Watch watch(w);
  const double nan = std::nan("");
  const Mat3 mirror{{-1, 0, 0}, {0, 1, 0}, {0, 0, 1}}, twice{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}};
  const Mat3 none{{nan, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (int round = 0; round < 2; ++round) {
    for (const Mat3& R : {mirror, twice, none}) EXPECT_FALSE(watch.place(part, {R, {}}));
    EXPECT_FALSE(watch.place(part, {{}, {nan, 0, 0}}));
    EXPECT_FALSE(watch.place(part, {{}, {0, kInfinity, 0}}));
    EXPECT_FALSE(watch.place(part, {{}, {0, 0, 1e10}}));
    EXPECT_FALSE(watch.place(left, {}));
    EXPECT_FALSE(watch.place(-1, {}));
    EXPECT_FALSE(watch.place(1000, {}));
    EXPECT_FALSE(watch.place(solid("floor"), {}));
    EXPECT_EQ(step(watch, {0, 0}).verdict, Verdict::free);
  }
  ASSERT_TRUE(watch.attach(part, left));
  EXPECT_FALSE(watch.place(part, {{}, {0, 9, 0}}));
  WatchOptions tight;
  tight.max_carried = 0;
  Watch full(w, tight);
  step(full, {0, 0});
  EXPECT_FALSE(full.place(part, {{}, {0, 9, 0}}));
  EXPECT_FALSE(full.attach(part, left));
}

TEST_F(CarryTest, PlacedObjectsStandThereAndTheirSpeedCounts) {
  make();
  WatchOptions options;
  options.stopping_time = 1;
  Watch watch(w, options);
  step(watch, {0, 50}, 1);
  step(watch, {0, 50}, 1);
  // 2 m in 1 s: 2 m/s ask for 2 m, and the hand is 1.5 m away.
  ASSERT_TRUE(watch.place(part, {{}, {0, 0, 1.7}}));
  WatchCycle cycle = step(watch, {0, 50}, 1);
  const Imminent* found = find(cycle, left, part);
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(found->distance, 1.5, 1e-9);
  EXPECT_NEAR(found->tolerance, std::hypot(0.3, 1.7), 1e-9);
  EXPECT_NE(find(cycle, part, solid("left/base")), nullptr);  // what moves is kept from bases too
  EXPECT_EQ(step(watch, {0, 50}, 1).verdict, Verdict::free);  // it stands again
  ASSERT_TRUE(watch.place(part, {{}, {0, 0, 1.6}}));
  EXPECT_EQ(step(watch, {0, 50}, 1).verdict, Verdict::free);  // slow enough
  ASSERT_TRUE(watch.place(part, {{}, {0, 0, 0.1}}));
  cycle = step(watch, {50, 50}, 1000);
  EXPECT_NE(find(cycle, part, solid("left/base")), nullptr);
  EXPECT_EQ(find(cycle, part, table), nullptr);
}

TEST_F(CarryTest, PlacedObjectsKeepTheirSpeedWhileOthersAreTakenAndPutDown) {
  make();
  WatchOptions options;
  options.stopping_time = 1;
  Watch watch(w, options);
  for (int k = 0; k < 5; ++k) step(watch, {1e-6 * k, 50}, 1);  // cycles that need no poses
  ASSERT_TRUE(watch.place(part, {{}, {0, 0, 1.7}}));
  ASSERT_TRUE(watch.attach(post, right));
  EXPECT_NE(find(step(watch, {5e-6, 50}, 1), left, part), nullptr);
  for (int k = 0; k < 5; ++k) step(watch, {1e-6 * k, 50}, 1);
  ASSERT_TRUE(watch.place(part, {{}, {0, 0, 3.4}}));
  ASSERT_TRUE(watch.place(part, {{}, {0, 0, 1.5}}));  // there and back in no time
  ASSERT_TRUE(watch.release(post));
  EXPECT_EQ(step(watch, {5e-6, 50}, 1).verdict, Verdict::free);
}

TEST_F(CarryTest, IntendedContactsHoldForTheirPairAndBelowTheirSpeed) {
  make();
  Watch watch(w);
  ASSERT_TRUE(watch.place(part, {{}, {1, 0, 0}}));
  EXPECT_NE(step(watch, {0.9, 50}).verdict, Verdict::free);
  ASSERT_TRUE(watch.expect_contact(left, part, 0.5));
  EXPECT_EQ(step(watch, {0.9, 50}, 1).verdict, Verdict::free);
  EXPECT_EQ(step(watch, {1.0, 50}, 1).verdict, Verdict::free);       // 0.1 m/s
  EXPECT_EQ(step(watch, {1.1, 50}, 0.1).verdict, Verdict::contact);  // 1 m/s
  EXPECT_EQ(step(watch, {1.1, 50}, 0.1).verdict, Verdict::free);
  // Not for the other hand, nor for another object.
  EXPECT_NE(find(step(watch, {50, -1}, 100), right, part), nullptr);
  EXPECT_EQ(step(watch, {50, 50}, 1e5).verdict, Verdict::free);
  ASSERT_TRUE(watch.place(post, {{}, {1, 0.05, 0}}));
  step(watch, {50, 50}, 1e5);
  const WatchCycle cycle = step(watch, {1, 50}, 1e5);
  EXPECT_EQ(find(cycle, left, part), nullptr);
  EXPECT_NE(find(cycle, left, post), nullptr);
  // A faster object counts as well as a faster link.
  ASSERT_TRUE(watch.place(part, {{}, {1, 0.1, 0}}));
  EXPECT_NE(find(step(watch, {1, 50}, 0.1), left, part), nullptr);
  EXPECT_EQ(find(step(watch, {1, 50}, 0.1), left, part), nullptr);
  ASSERT_TRUE(watch.expect_contact(left, part, 0));
  EXPECT_NE(find(step(watch, {1, 50}, 0.1), left, part), nullptr);
  ASSERT_TRUE(watch.expect_contact(left, part, 0.1));
  ASSERT_TRUE(watch.expect_contact(left, part, -1));
  EXPECT_NE(find(step(watch, {1, 50}, 0.1), left, part), nullptr);
}

TEST_F(CarryTest, IntendedContactsAreOfALinkAndAnObject) {
  for (int i = 0; i < 300; ++i) add_ball("nail" + std::to_string(i), {0.1 * i, 9, 0}, 0.01);
  make();
  Watch watch(w);
  EXPECT_FALSE(watch.expect_contact(left, right, 1));
  EXPECT_FALSE(watch.expect_contact(part, left, 1));
  EXPECT_FALSE(watch.expect_contact(part, table, 1));
  EXPECT_FALSE(watch.expect_contact(-1, part, 1));
  EXPECT_FALSE(watch.expect_contact(left, -1, 1));
  EXPECT_FALSE(watch.expect_contact(left, 100'000, 1));
  int taken = 0;
  for (int i = 0; i < 300; ++i) {
    const int nail = w.find_solid("nail" + std::to_string(i));
    taken += watch.expect_contact(left, nail, 1) ? 1 : 0;
  }
  EXPECT_GT(taken, 100);
  EXPECT_LT(taken, 300);
  const int nail = w.find_solid("nail0");
  EXPECT_TRUE(watch.expect_contact(left, nail, 0));  // makes room for one
  EXPECT_TRUE(watch.expect_contact(right, nail, 1));
  EXPECT_FALSE(watch.expect_contact(right, part, 1));
}

TEST_F(CarryTest, TheContactsOfTheSceneAreMeantFromTheStart) {
  scene.contacts.push_back({"left/hand", "post", 0.5, ""});
  make();
  Watch watch(w);
  EXPECT_EQ(step(watch, {0, 50}).verdict, Verdict::free);
  EXPECT_EQ(step(watch, {5, 50}, 100).verdict, Verdict::free);
  EXPECT_EQ(step(watch, {4.9, 50}, 0.01).verdict, Verdict::free);  // the hand passes 0.1 m beside
  ASSERT_TRUE(watch.place(post, {{}, {5, 0.1, 0}}));
  step(watch, {4.9, 50}, 100);
  EXPECT_EQ(step(watch, {4.9, 50}, 100).verdict, Verdict::free);
  EXPECT_EQ(step(watch, {5, 50}, 0.01).verdict, Verdict::contact);
}

TEST_F(CarryTest, ResetForgetsTheLastCycleAndNotWhatIsAttached) {
  make();
  WatchOptions options;
  options.stopping_time = 1;
  Watch watch(w, options);
  const int touch[] = {table};
  step(watch, {0, 50});
  ASSERT_TRUE(watch.attach(part, left, touch));
  watch.reset();
  // No speed, wherever it comes from; and the part is at 4.9.
  const WatchCycle cycle = step(watch, {4.9, 50}, 0.001);
  ASSERT_NE(find(cycle, part, post), nullptr);
  EXPECT_EQ(find(cycle, part, post)->tolerance < 1e-9, true);
  EXPECT_EQ(cycle.imminent.size(), 1u);
}

}  // namespace
}  // namespace keepclear
