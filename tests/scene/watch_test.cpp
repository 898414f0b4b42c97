// SPDX-License-Identifier: BSD-3-Clause
//
// What keepclear/watch.hpp promises of cycles, sentence by sentence.
#include <cmath>
#include <memory>

#include "scene/watch_bench.hpp"

namespace keepclear {
namespace {

using test::find;
using test::kBall;
using test::kInfinity;
using test::step;
using test::WatchTest;

TEST_F(WatchTest, RefusesOptionsThatMakeNoSense) {
  add_robot("left", {});
  const World w = world();
  const auto refuses = [&](auto change) {
    WatchOptions options;
    change(options);
    EXPECT_THROW(Watch(w, options), Error);
  };
  for (const double bad : {-1.0, std::nan(""), kInfinity}) {
    refuses([&](WatchOptions& o) { o.margin = bad; });
    refuses([&](WatchOptions& o) { o.reaction_time = bad; });
    refuses([&](WatchOptions& o) { o.stopping_time = bad; });
    refuses([&](WatchOptions& o) { o.slack = bad; });
  }
  for (const double bad : {-1.0, std::nan("")}) {
    refuses([&](WatchOptions& o) { o.fine_below = bad; });
    refuses([&](WatchOptions& o) { o.smallest_cell = bad; });
  }
  refuses([&](WatchOptions& o) { o.slack = 0; });
  refuses([&](WatchOptions& o) { o.smallest_cell = 0; });
  refuses([&](WatchOptions& o) { o.objects_per_cell = 0; });
}

TEST_F(WatchTest, KeepsEveryPairApartByTheSumOfItsMargins) {
  add_robot("left", {});
  add_ball("near", {0.5, 0, 0});
  add_ball("far", {-0.5, 0, 0});
  scene.margin = 0.02;
  scene.margins.push_back({{"left/hand", "far", ""}, 0.1});
  WatchOptions options;
  options.margin = 0.05;
  const World w = world();
  Watch watch(w, options);
  const int hand = w.find_solid("left/hand"), near = w.find_solid("near");
  // The near ball is touched at 0.3, the far one at -0.3.
  EXPECT_EQ(step(watch, {0.2299}).verdict, Verdict::free);
  const WatchCycle cycle = step(watch, {0.2301});
  EXPECT_EQ(cycle.verdict, Verdict::contact);
  ASSERT_NE(find(cycle, hand, near), nullptr);
  EXPECT_NEAR(find(cycle, hand, near)->tolerance, 0.07, 1e-12);
  EXPECT_NEAR(find(cycle, hand, near)->distance, 0.0699, 1e-9);
  EXPECT_EQ(step(watch, {-0.1499}).verdict, Verdict::free);
  EXPECT_EQ(step(watch, {-0.1501}).verdict, Verdict::contact);
}

TEST_F(WatchTest, AsksForSpeedTimesReactionAndStoppingTime) {
  add_robot("left", {});
  add_ball("wall", {2, 0, 0});
  WatchOptions options;
  options.reaction_time = 0.1, options.stopping_time = 0.3;
  const World w = world();
  Watch watch(w, options);
  const int hand = w.find_solid("left/hand"), wall = w.find_solid("wall");
  EXPECT_EQ(step(watch, {1}).verdict, Verdict::free);  // no speed in the first cycle
  // 0.2 m in 0.1 s are 2 m/s, 0.8 m to stop in, and 0.6 m are left.
  WatchCycle cycle = step(watch, {1.2}, 0.1);
  EXPECT_EQ(cycle.verdict, Verdict::contact);
  ASSERT_NE(find(cycle, hand, wall), nullptr);
  EXPECT_NEAR(find(cycle, hand, wall)->tolerance, 0.8, 1e-9);
  EXPECT_NEAR(find(cycle, hand, wall)->distance, 0.6, 1e-9);
  EXPECT_EQ(step(watch, {1.2}, 0.1).verdict, Verdict::free);  // it stands
  EXPECT_EQ(step(watch, {1.3}, 0.1).verdict, Verdict::free);  // 0.4 m asked, 0.5 m left
  EXPECT_EQ(step(watch, {1.42}, 0.1).verdict, Verdict::contact);
  watch.reset();
  EXPECT_EQ(step(watch, {1.6}, 0.001).verdict, Verdict::free);  // forgotten
}

TEST_F(WatchTest, AddsUpTheSpeedsOfTwoThatMove) {
  add_robot("left", {});
  add_robot("right", {2, 0, 0});
  WatchOptions options;
  options.stopping_time = 1;
  const World w = world();
  Watch watch(w, options);
  step(watch, {0.5, -0.5});
  // 0.8 m apart, and each 0.1 m nearer in 0.3 s.
  const WatchCycle cycle = step(watch, {0.6, -0.6}, 0.3);
  const Imminent* found = find(cycle, w.find_solid("left/hand"), w.find_solid("right/hand"));
  ASSERT_NE(found, nullptr);
  EXPECT_NEAR(found->tolerance, 2.0 / 3, 1e-9);
  EXPECT_NEAR(found->distance, 0.6, 1e-9);
  EXPECT_EQ(step(watch, {0.61, -0.61}, 0.3).verdict, Verdict::free);
}

TEST_F(WatchTest, IsUndecidedWithoutAStateAndCarriesOn) {
  add_robot("left", {});
  add_ball("wall", {2, 0, 0});
  const World w = world();
  Watch watch(w);
  const double nan = std::nan("");
  for (int round = 0; round < 3; ++round) {
    EXPECT_EQ(step(watch, {nan}).verdict, Verdict::undecided);
    EXPECT_EQ(step(watch, {kInfinity}).verdict, Verdict::undecided);
    EXPECT_EQ(step(watch, {}).verdict, Verdict::undecided);
    EXPECT_EQ(step(watch, {0, 0}).verdict, Verdict::undecided);
    for (const double dt : {0.0, -1.0, nan, kInfinity, -kInfinity}) {
      EXPECT_EQ(step(watch, {0}, dt).verdict, Verdict::undecided) << dt;
    }
    EXPECT_TRUE(step(watch, {nan}).imminent.empty());
    EXPECT_EQ(step(watch, {0.1 * round}).verdict, Verdict::free);
  }
  EXPECT_EQ(step(watch, {1.9}).verdict, Verdict::contact);
  EXPECT_EQ(step(watch, {nan}).verdict, Verdict::undecided);
  EXPECT_TRUE(step(watch, {nan}).imminent.empty());
  EXPECT_EQ(watch.counters().cycles, 3u * 11u + 3u);
}

TEST_F(WatchTest, IsUndecidedWhereAJointThatMovesNoBodyIsNoNumber) {
  // The joint of the pointer moves nothing that can be hit.
  const std::string pointer =
      "</link><joint name=\"turn\" type=\"continuous\"><parent link=\"base\"/><child "
      "link=\"pointer\"/></joint><link name=\"pointer\">";
  add_robot("left", {}, kBall + pointer);
  add_ball("wall", {2, 0, 0});
  const World w = world();
  ASSERT_EQ(w.dof(), 2u);
  Watch watch(w);
  for (std::size_t i = 0; i < 2; ++i) {
    step(watch, {0, 0});
    step(watch, {0, 0});
    for (const double bad : {std::nan(""), kInfinity, 1e16}) {
      std::vector<double> q{0, 0};
      q[i] = bad;
      EXPECT_EQ(step(watch, q).verdict, Verdict::undecided) << i << ' ' << bad;
    }
  }
}

TEST_F(WatchTest, IsNotFreeInNoTimeAtAll) {
  add_robot("left", {});
  add_ball("wall", {2, 0, 0});
  for (const double time : {0.0, 0.1}) {
    WatchOptions options;
    options.stopping_time = time;
    const World w = world();
    Watch watch(w, options);
    step(watch, {0});
    // So fast that its speed is no number any more; then the wall.
    const Verdict fast = step(watch, {1}, 5e-324).verdict;
    if (time > 0) {
      EXPECT_NE(fast, Verdict::free);
    }
    EXPECT_EQ(step(watch, {1.85}, 5e-324).verdict, Verdict::contact);
    EXPECT_EQ(step(watch, {1.85}, 1).verdict, Verdict::contact);
    step(watch, {1}, 1);
    EXPECT_EQ(step(watch, {1}, 1).verdict, Verdict::free);
  }
}

TEST_F(WatchTest, ListsPairsInOrderAndCountsTheRest) {
  add_robot("left", {});
  for (int i = 0; i < 6; ++i) add_ball("ball" + std::to_string(i), {0, 0.1 * i - 0.25, 0}, 0.2);
  const World w = world();
  {
    Watch watch(w);
    const WatchCycle cycle = step(watch, {0});
    EXPECT_EQ(cycle.imminent.size(), 6u);
    EXPECT_EQ(cycle.unlisted, 0u);
    for (std::size_t i = 1; i < cycle.imminent.size(); ++i) {
      EXPECT_LT(cycle.imminent[i - 1].b, cycle.imminent[i].b);
    }
  }
  for (const std::size_t most : {std::size_t{0}, std::size_t{2}}) {
    WatchOptions options;
    options.max_listed = most;
    Watch watch(w, options);
    const WatchCycle cycle = step(watch, {0});
    EXPECT_EQ(cycle.verdict, Verdict::contact);
    EXPECT_EQ(cycle.imminent.size(), most);
    EXPECT_EQ(cycle.unlisted, 6 - most);
    EXPECT_EQ(step(watch, {5}).unlisted, 0u);
  }
}

TEST_F(WatchTest, IsUndecidedWithoutRoomForAllPartners) {
  add_robot("left", {});
  for (int i = 0; i < 6; ++i) add_ball("ball" + std::to_string(i), {0.1 * i, 0.35, 0}, 0.05);
  WatchOptions options;
  options.max_partners = 2;
  options.slack = 0.5;
  const World w = world();
  Watch watch(w, options);
  EXPECT_EQ(step(watch, {0.2}).verdict, Verdict::undecided);
  EXPECT_EQ(step(watch, {50}).verdict, Verdict::free);
  EXPECT_EQ(step(watch, {0.2}).verdict, Verdict::undecided);
  Watch with_room(w);
  EXPECT_EQ(step(with_room, {0.2}).verdict, Verdict::free);
}

TEST_F(WatchTest, JudgesFastSolidsByOneBodyAroundTheirOwn) {
  // Two bars make a letter L; the object stands in its corner.
  add_robot("left", {},
            "<collision><origin xyz=\"0 0 -0.5\"/><geometry><box size=\"1 0.1 0.1\"/></geometry>"
            "</collision><collision><origin xyz=\"-0.45 0 0\"/><geometry><box size=\"0.1 0.1 1\"/>"
            "</geometry></collision>");
  add_ball("stone", {0, 0, 0}, 0.05);
  scene.allow.push_back({"left/base", "left/hand", ""});
  WatchOptions options;
  options.fine_below = 0.5;
  const World w = world();
  Watch watch(w, options);
  const int hand = w.find_solid("left/hand"), stone = w.find_solid("stone");
  EXPECT_EQ(step(watch, {5}).verdict, Verdict::free);
  EXPECT_EQ(step(watch, {0}, 100).verdict, Verdict::free);  // 0.05 m/s
  EXPECT_EQ(step(watch, {5}).verdict, Verdict::free);
  const WatchCycle cycle = step(watch, {0}, 1);  // 5 m/s
  EXPECT_NE(cycle.verdict, Verdict::free);
  ASSERT_NE(find(cycle, hand, stone), nullptr);
  EXPECT_TRUE(find(cycle, hand, stone)->coarse);
  EXPECT_EQ(step(watch, {0.001}, 0.01).verdict, Verdict::free);  // 0.1 m/s
  // Where the bars themselves are, both say contact, and only the slow one means the bars.
  const WatchCycle hit = step(watch, {0.41}, 10);
  ASSERT_NE(find(hit, hand, stone), nullptr);
  EXPECT_FALSE(find(hit, hand, stone)->coarse);
  EXPECT_EQ(hit.verdict, Verdict::contact);
}

TEST_F(WatchTest, IsNeverLateOnAStraightWay) {
  // Balls that pass each other askew, so that the boxes around them overlap before they touch: one
  // of them standing, and one that moves as well.
  add_robot("left", {});
  add_robot("right", {3, 0.05, 0.1});
  add_ball("stone", {1, 0.05, 0.17});
  for (const double slack : {1e-3, 0.02, 0.05, 0.3, 2.0}) {
    for (const double pace : {1e-4, 1e-3, 7e-3, 0.03}) {
      WatchOptions options;
      options.margin = 0.01;
      options.slack = slack;
      const World w = world();
      Watch watch(w, options);
      const int left = w.find_solid("left/hand"), right = w.find_solid("right/hand");
      const int stone = w.find_solid("stone");
      const double aside = std::hypot(0.05, 0.17), beside = std::hypot(0.05, 0.1);
      int late = 0, early = 0;
      for (double x = 0.7; x < 1.2; x += pace) {
        const double there = -0.8 - 0.5 * x;  // the other hand comes from 3 m
        const WatchCycle cycle = step(watch, {x, there});
        const double to_stone = std::hypot(1 - x, aside) - 0.2 - 0.01;
        const double to_right = std::hypot(3 + there - x, beside) - 0.2 - 0.01;
        late += to_stone < -1e-9 && find(cycle, left, stone) == nullptr;
        late += to_right < -1e-9 && find(cycle, left, right) == nullptr;
        early += to_stone > 1e-9 && find(cycle, left, stone) != nullptr;
        early += to_right > 1e-9 && find(cycle, left, right) != nullptr;
      }
      EXPECT_EQ(late, 0) << "slack " << slack << ", pace " << pace;
      EXPECT_EQ(early, 0) << "slack " << slack << ", pace " << pace;
    }
  }
}

TEST_F(WatchTest, SeesWhatWasBeyondTheSlackWhenItWasLookedUp) {
  // The stone is no partner at the start, and near enough to be reached before levers give up.
  add_robot("left", {});
  const WatchOptions options;
  add_ball("stone", {0.2 + 1.4 * options.slack, 0, 0});
  const World w = world();
  Watch watch(w, options);
  for (int k = 0; k < 100; ++k) {
    const double x = 1e-3 * k;
    const bool touching = x > 1.4 * options.slack;
    const WatchCycle cycle = step(watch, {x});
    EXPECT_EQ(cycle.verdict == Verdict::free, !touching) << x;
  }
  EXPECT_GT(watch.counters().quiet, 20u);
}

TEST_F(WatchTest, IsUndecidedWhereARotationThatMovesNoBodyIsNone) {
  // A camera without bodies, on a floating joint; the slider's text closes the last link.
  add_robot("left", {},
            std::string(kBall) +
                "</link><link name=\"camera\"/><joint name=\"free\" type=\"floating\"><parent "
                "link=\"hand\"/><child link=\"camera\"/></joint><joint name=\"end\" "
                "type=\"fixed\"><parent link=\"hand\"/><child link=\"tip\"/></joint><link "
                "name=\"tip\">");
  add_ball("wall", {2, 0, 0});
  const World w = world();
  Watch watch(w);
  std::vector<double> q = w.neutral();
  ASSERT_EQ(q.size(), 8u);
  for (int k = 0; k < 5; ++k) EXPECT_EQ(step(watch, q).verdict, Verdict::free);
  EXPECT_GT(watch.counters().quiet, 0u);
  q.back() = 0;  // no rotation
  EXPECT_EQ(step(watch, q).verdict, Verdict::undecided);
}

TEST_F(WatchTest, MayBeMoved) {
  add_robot("left", {});
  add_ball("wall", {2, 0, 0});
  const World w = world();
  Watch first(w);
  step(first, {0});
  Watch second(std::move(first));
  EXPECT_EQ(step(second, {1.85}).verdict, Verdict::contact);
  Watch third(w);
  third = std::move(second);
  EXPECT_EQ(step(third, {1}).verdict, Verdict::free);
  EXPECT_EQ(third.counters().cycles, 3u);
}

TEST_F(WatchTest, OutlivesTheWorldItWasMadeFrom) {
  add_robot("left", {});
  add_ball("wall", {2, 0, 0});
  auto w = std::make_unique<World>(world());
  Watch watch(*w);
  w.reset();
  EXPECT_EQ(step(watch, {1.85}).verdict, Verdict::contact);
}

TEST_F(WatchTest, CountsAndMeasures) {
  add_robot("left", {});
  for (int i = 0; i < 30; ++i) add_ball("ball" + std::to_string(i), {0.1 * i, 0.1, 0.1}, 0.02);
  const World w = world();
  WatchOptions options;
  options.objects_per_cell = 2;
  Watch plain(w, options);
  options.profile = true;
  Watch measured(w, options);
  for (int k = 0; k <= 300; ++k) {
    step(plain, {0.01 * k});
    step(measured, {0.01 * k});
  }
  EXPECT_EQ(plain.counters().cycles, 301u);
  EXPECT_GE(plain.counters().lookups, 3 / (8 * 0.05));
  EXPECT_LT(plain.counters().lookups, 301u);
  EXPECT_GT(plain.counters().searches, 0u);
  EXPECT_LE(plain.counters().structural_changes, plain.counters().splits + plain.counters().merges);
  EXPECT_EQ(plain.counters().kinematics, 0);
  EXPECT_EQ(plain.counters().index, 0);
  EXPECT_EQ(plain.counters().distances, 0);
  EXPECT_GT(measured.counters().kinematics, 0);
  EXPECT_GT(measured.counters().index, 0);
  EXPECT_GT(measured.counters().distances, 0);
}

TEST_F(WatchTest, SettlesQuietCyclesFromTheJointValues) {
  add_robot("left", {});
  add_ball("wall", {2, 0, 0});
  const World w = world();
  Watch watch(w);
  for (int k = 0; k < 100; ++k) EXPECT_EQ(step(watch, {1e-5 * k}).verdict, Verdict::free);
  EXPECT_GT(watch.counters().quiet, 90u);
  EXPECT_EQ(step(watch, {1.85}).verdict, Verdict::contact);
}

TEST_F(WatchTest, WorksWithoutObjects) {
  add_robot("left", {});
  add_robot("right", {2, 0, 0});
  const World w = world();
  Watch watch(w);
  EXPECT_EQ(step(watch, {0.5, -0.5}).verdict, Verdict::free);
  EXPECT_EQ(step(watch, {1, -0.9}).verdict, Verdict::contact);
  // The hand of the one, the base of the other.
  EXPECT_NE(find(step(watch, {1.9, 5}), w.find_solid("left/hand"), w.find_solid("right/base")),
            nullptr);
  EXPECT_FALSE(watch.attach(0, 1));
  EXPECT_FALSE(watch.release(0));
}

TEST_F(WatchTest, WorksWithoutRobots) {
  add_ball("a", {});
  add_ball("b", {0.05, 0, 0});
  const World w = world();
  Watch watch(w);
  EXPECT_EQ(step(watch, {}).verdict, Verdict::free);  // what stands on the bench may touch
  EXPECT_TRUE(watch.place(w.find_solid("a"), {}));
  EXPECT_EQ(step(watch, {}).verdict, Verdict::free);
  EXPECT_FALSE(watch.attach(0, 1));
}

TEST_F(WatchTest, KnowsFloors) {
  add_robot("left", {0, 0, 0.5});
  add_floor(0.3);
  scene.margin = 0.05;
  const World w = world();
  {
    Watch watch(w);
    EXPECT_EQ(step(watch, {0}).verdict, Verdict::free);
    EXPECT_EQ(step(watch, {90}).verdict, Verdict::free);
    EXPECT_FALSE(watch.place(w.find_solid("floor"), {}));
    EXPECT_FALSE(watch.attach(w.find_solid("floor"), w.find_solid("left/hand")));
    EXPECT_EQ(step(watch, {0}).verdict, Verdict::free);
  }
  WatchOptions options;
  options.margin = 0.06;
  Watch watch(w, options);
  const WatchCycle cycle = step(watch, {40});
  const Imminent* found = find(cycle, w.find_solid("left/hand"), w.find_solid("floor"));
  ASSERT_NE(found, nullptr);
  EXPECT_EQ(found->verdict, Verdict::contact);
  EXPECT_NEAR(found->distance, 0.1, 1e-12);
  EXPECT_NEAR(found->point_a.z, 0.4, 1e-12);
  EXPECT_NEAR(found->point_b.z, 0.3, 1e-12);
}

}  // namespace
}  // namespace keepclear
