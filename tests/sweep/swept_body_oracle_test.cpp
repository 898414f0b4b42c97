// SPDX-License-Identifier: BSD-3-Clause
//
// Swept bodies that are never written down: their support against one that goes through all points,
// and their distance against poses of the box.
#include <gtest/gtest.h>

#include "scene/worlds.hpp"
#include "sweep/layout.hpp"
#include "sweep/swept_body.hpp"

namespace keepclear {
namespace {

/// The joints from the meeting frame down to a body's, with operators drawn at random.
struct Chain {
  std::vector<Stage> stages;
  std::vector<const Stage*> pointers;

  Chain(const Kinematics& kinematics, int top, int frame, std::span<const Interval> box,
        std::mt19937_64& random) {
    std::vector<int> path;
    for (int f = frame; f != top; f = kinematics.parent(f)) path.push_back(f);
    stages.resize(path.size());
    std::size_t maps = 1;
    for (std::size_t i = 0; i < path.size(); ++i) {
      JointOperator op{1 + static_cast<int>(random() % 4), 1 + static_cast<int>(random() % 2)};
      if (maps > 500) op = {};
      make_stage(kinematics, path[path.size() - 1 - i], box, op, stages[i]);
      maps *= static_cast<std::size_t>(stages[i].count);
    }
    for (const Stage& stage : stages) pointers.push_back(&stage);
  }
};

void judge(const World& world, int boxes, std::uint64_t seed) {
  const WorldData& data = world.data();
  const Kinematics& kinematics = data.kinematics;
  DistanceQuery query(world);
  std::mt19937_64 random(seed);
  auto uniform = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::size_t shown = 0;
  for (int k = 0; k < boxes; ++k) {
    const std::vector<double> middle = test::random_pose(world, random);
    const double half = std::vector{0.0, 0.001, 0.05, 0.3, 2.0}[random() % 5];
    JointBox box;
    for (const double x : middle) {
      const double h = half * uniform();
      box.push_back({x - h, x + h});
    }
    std::vector<std::vector<double>> poses{middle};
    for (int s = 0; s < 12; ++s) {
      std::vector<double> q;
      for (const Interval& i : box) {
        const double at = s % 2 == 0 ? uniform() : static_cast<double>(random() % 2);
        q.push_back(std::clamp(i.lower + at * (i.upper - i.lower), i.lower, i.upper));
      }
      poses.push_back(std::move(q));
    }
    for (int draws = 0; draws < 12; ++draws) {
      const BodyPair& pair = data.body_pairs[random() % data.body_pairs.size()];
      const WorldBody &a = data.bodies[pair.a], &b = data.bodies[pair.b];
      const int top = meeting_frame(kinematics, a.frame, b.frame);
      const Chain chain_a(kinematics, top, a.frame, box, random);
      const Chain chain_b(kinematics, top, b.frame, box, random);
      const SweptBody swept_a = sweep_body(a.body.tables(), chain_a.pointers);
      const SweptBody swept_b = sweep_body(b.body.tables(), chain_b.pointers);
      const Vec3 n{uniform() - 0.5, uniform() - 0.5, uniform() - 0.5};
      EXPECT_NEAR(swept_gap(swept_a, swept_b, n), swept_gap_plain(swept_a, swept_b, n),
                  swept_a.error_hi + swept_b.error_hi);
      const SweptBound bound = bound_swept(swept_a, swept_b, n, draws % 3 == 0 ? 0.2 : 0.0);
      shown += bound.lower > 0 ? 1 : 0;
      const double margin = 1e-9;
      for (const std::vector<double>& q : poses) {
        std::vector<BoundedPose> frames(static_cast<std::size_t>(kinematics.frame_count()));
        ASSERT_TRUE(kinematics.forward(q, top, frames));
        const BodyDistance real =
            distance(a.body, frames[a.frame].X, b.body, frames[b.frame].X, {1e-10, true});
        ASSERT_LE(bound.lower, real.distance + margin) << world.name();
        // Every point of the swept hulls' images is in the ball, and the support beyond it in n.
        const Vec3 p = frames[a.frame].X * a.body.tables().point(random() % a.body.point_count());
        const double reach = swept_a.ball_hi + swept_a.radius_hi;
        EXPECT_LE(norm(p - swept_a.centre), reach * (1 + 1e-12) + 1e-12);
      }
    }
  }
  EXPECT_GT(shown, 0u);
}

TEST(SweptBody, NoPoseOfABuiltInWorldIsNearerThanItsBound) {
  judge(load_builtin("six_axis_arm"), 60, 1);
  judge(load_builtin("two_arms"), 30, 2);
  judge(load_builtin("humanoid"), 30, 3);
}

TEST(SweptBody, AHalfSpaceIsAsFarAsItsNearestPoint) {
  const Body ball = Body::sphere({1, 0, 0}, 0.1);
  const World world = test::rail();
  Stage stage;
  // The first slide of the rail: along x, from 2 to 3.
  make_stage(world.data().kinematics, 1, std::vector<Interval>{{2, 3}, {0, 0}}, {1, 2}, stage);
  const Stage* const chain[] = {&stage};
  const SweptBody swept = sweep_body(ball.tables(), chain);
  // A wall that is solid below x = 1.5, given upside down and moved.
  const BoundedPose at{{rotation_from_rpy({0, 0, 3.141592653589793}), {0.5, 7, 8}}, {1e-15, 0}};
  const double lower = bound_half_space(swept, {{-2, 0, 0}, 1.0}, at);
  EXPECT_LE(lower, 3 - 0.1 - 1.5);
  EXPECT_NEAR(lower, 3 - 0.1 - 1.5, 1e-9);
}

TEST(SweptBody, ShowsNothingWhereSomethingHasNoEnd) {
  const World world = test::rail();
  const double infinity = std::numeric_limits<double>::infinity();
  Stage stage;
  make_stage(world.data().kinematics, 1, std::vector<Interval>{{0, infinity}, {0, 0}}, {1, 2},
             stage);
  const Stage* const chain[] = {&stage};
  const Body ball = Body::sphere({}, 0.1);
  const SweptBody swept = sweep_body(ball.tables(), chain);
  const SweptBody still = sweep_body(ball.tables(), {});
  EXPECT_EQ(bound_swept(swept, still, {1, 0, 0}, 0).lower, -infinity);
  EXPECT_EQ(bound_half_space(swept, {{1, 0, 0}, -5}, {}), -infinity);
}

}  // namespace
}  // namespace keepclear
