// SPDX-License-Identifier: BSD-3-Clause
//
// How far bodies move, in 113 bits, against what levers say from the joint values alone.
#include <gtest/gtest.h>

#include "oracle/reference_kinematics.hpp"
#include "robot/levers.hpp"
#include "robot/random_robots.hpp"

namespace keepclear {
namespace {

using namespace testing_robots;
using oracle::Quad;
using oracle::QVec;

/// A ball on a link: some of its points, in the frame of the link.
struct LinkBall {
  int link = 0;
  Vec3 centre;
  double radius = 0;
  std::vector<Vec3> points;
};

std::vector<LinkBall> balls_on_links(Random& random, const RobotModel& robot) {
  std::vector<LinkBall> balls;
  for (int l = 0; l < static_cast<int>(robot.links.size()); ++l) {
    LinkBall ball{l, uniform_vec(random, 0.5), uniform(random, 0, 0.3), {}};
    ball.points.push_back(ball.centre);
    for (int k = 0; k < 8; ++k) {
      const Vec3 d = uniform_vec(random, 1);
      ball.points.push_back(ball.centre + (ball.radius / norm(d)) * d);
    }
    balls.push_back(ball);
  }
  return balls;
}

struct Bench {
  explicit Bench(const RobotModel& r, std::vector<LinkBall> b)
      : robot(r), kinematics(r), reference(r), balls(std::move(b)) {
    std::sort(balls.begin(), balls.end(), [&](const LinkBall& a, const LinkBall& c) {
      return kinematics.frame_of_link(a.link) < kinematics.frame_of_link(c.link);
    });
  }

  std::vector<LeverBody> at(const std::vector<BoundedPose>& frames) const {
    std::vector<LeverBody> bodies;
    for (const LinkBall& ball : balls) {
      const int frame = kinematics.frame_of_link(ball.link);
      const BoundedPose X_WL = frames[frame] * kinematics.pose_in_frame(ball.link);
      const double off =
          rounding::transform_error(X_WL.error, norm(X_WL.X.p) + 1e-9, 0, norm(ball.centre) + 1e-9);
      const Vec3 centre = X_WL.X * ball.centre;
      bodies.push_back({frame, centre, centre, ball.radius + 1e-12 + off});
    }
    return bodies;
  }

  Quad farthest(const LinkBall& ball, const std::vector<double>& from,
                const std::vector<double>& to) const {
    const auto before = reference(from), after = reference(to);
    Quad most = 0;
    for (const Vec3 p : ball.points) {
      const QVec q = oracle::widen<Quad>(p);
      const Quad way = norm(after[ball.link] * q - before[ball.link] * q);
      if (way > most) most = way;
    }
    return most;
  }

  RobotModel robot;
  Kinematics kinematics;
  oracle::ReferenceKinematics reference;
  std::vector<LinkBall> balls;
};

TEST(Levers, NeverSayLessThanABodyMoves) {
  Random random(11);
  int vouched = 0;
  double used = 0;
  for (int robots = 0; robots < 150; ++robots) {
    const RobotModel robot = random_tree(random, 2 + static_cast<int>(random() % 10));
    const Bench bench(robot, balls_on_links(random, robot));
    Levers levers(bench.kinematics, bench.balls.size());
    std::vector<BoundedPose> frames(bench.kinematics.frame_count());
    std::vector<double> moved(bench.balls.size() + Levers::kBlockOfBodies), moved_on = moved;
    const auto q0 = random_configuration(random, bench.kinematics, 3.2);
    ASSERT_TRUE(bench.kinematics.forward(q0, 0, frames));
    const double allowance = std::pow(10, uniform(random, -3, 0));
    levers.anchor(q0, frames, bench.at(frames), allowance);
    for (int k = 0; k < 6; ++k) {
      auto q1 = q0, q2 = q0;
      const double size = std::pow(10, uniform(random, -9, -0.5));
      for (std::size_t i = 0; i < q0.size(); ++i) {
        const std::string& type = bench.kinematics.variables()[i].type;
        if (type == "floating" || type == "planar") continue;
        q1[i] += uniform(random, -size, size);
        q2[i] += uniform(random, -size, size);
      }
      if (!levers.displacement(levers.anchor_q(), q1, moved)) continue;
      const bool both = levers.displacement(levers.anchor_q(), q2, moved_on) &&
                        levers.displacement(q1, q2, moved_on);
      ++vouched;
      for (std::size_t b = 0; b < bench.balls.size(); ++b) {
        const Quad way = bench.farthest(bench.balls[b], q0, q1);
        ASSERT_LE(way, Quad(moved[b]));
        if (moved[b] > 1e-6) used = std::max(used, static_cast<double>(way) / moved[b]);
        if (!both) continue;
        ASSERT_LE(bench.farthest(bench.balls[b], q1, q2), Quad(moved_on[b]));
      }
    }
  }
  EXPECT_GT(vouched, 300);
  EXPECT_GT(used, 0.9);  // a bound that is never near says nothing
}

/// The least distance, over points of the two, to where the other has them: how much nearer they
/// came.
Quad came_nearer(const Bench& bench, const LinkBall& a, const LinkBall& b,
                 const std::vector<double>& from, const std::vector<double>& to) {
  const auto before = bench.reference(from), after = bench.reference(to);
  Quad most = 0;
  for (const Vec3 p : a.points) {
    for (const Vec3 q : b.points) {
      auto apart = [&](const auto& poses) {
        return norm(poses[a.link] * oracle::widen<Quad>(p) -
                    poses[b.link] * oracle::widen<Quad>(q));
      };
      const Quad nearer = apart(before) - apart(after);
      if (nearer > most) most = nearer;
    }
  }
  return most;
}

TEST(Levers, CondensedNeverPassABodyOrAPairThatUsedUpItsSlack) {
  Random random(13);
  int passed = 0;
  for (int robots = 0; robots < 300; ++robots) {
    const RobotModel robot = random_tree(random, 2 + static_cast<int>(random() % 8));
    const Bench bench(robot, balls_on_links(random, robot));
    const int count = static_cast<int>(bench.balls.size());
    Levers levers(bench.kinematics, bench.balls.size());
    std::vector<BoundedPose> frames(bench.kinematics.frame_count());
    const auto q0 = random_configuration(random, bench.kinematics, 3.2);
    ASSERT_TRUE(bench.kinematics.forward(q0, 0, frames));
    levers.anchor(q0, frames, bench.at(frames), 0.2);
    std::vector<double> slack;
    std::vector<PairSlack> pairs;
    for (int b = 0; b < count; ++b) slack.push_back(uniform(random, 0.01, 0.3));
    for (int k = 0; k < 5; ++k) {
      const int a = static_cast<int>(random() % count), b = static_cast<int>(random() % count);
      if (a != b) pairs.push_back({a, b, uniform(random, 0.001, 0.2)});
    }
    levers.condense(slack, pairs);
    for (int k = 0; k < 4; ++k) {
      auto q1 = q0, q2 = q0;
      const double size = std::pow(10, uniform(random, -4, -1.5));
      for (std::size_t i = 0; i < q0.size(); ++i) {
        const std::string& type = bench.kinematics.variables()[i].type;
        if (type == "floating" || type == "planar") continue;
        q1[i] += uniform(random, -size, size);
        q2[i] += uniform(random, -size, size);
      }
      const double rate = k % 2 == 0 ? 0 : uniform(random, 0.1, 2);
      if (!levers.surely_within(q0, q1, 0) || !levers.surely_within(q1, q2, rate)) continue;
      ++passed;
      for (int b = 0; b < count; ++b) {
        const Quad moved = bench.farthest(bench.balls[b], q0, q2);
        const Quad speed = bench.farthest(bench.balls[b], q1, q2);
        ASSERT_LT(moved + Quad(rate) * speed, Quad(slack[b]));
      }
      for (const PairSlack& pair : pairs) {
        const LinkBall &a = bench.balls[pair.a], &b = bench.balls[pair.b];
        const Quad speeds = bench.farthest(a, q1, q2) + bench.farthest(b, q1, q2);
        const Quad nearer = came_nearer(bench, a, b, q0, q2);
        ASSERT_LT(nearer + Quad(rate) * speeds, Quad(pair.slack));
        // 113 bits round too.
        ASSERT_LE(nearer, Quad(levers.nearer_hi(pair.a, pair.b, q2)) + Quad(1e-25));
      }
    }
  }
  EXPECT_GT(passed, 100);
}

TEST(Levers, CondensedPassNothingThatIsNoConfiguration) {
  Random random(14);
  RobotModel robot = random_tree(random, 5);
  for (Joint& joint : robot.joints) joint.type = JointType::continuous;
  const Bench bench(robot, balls_on_links(random, robot));
  Levers levers(bench.kinematics, bench.balls.size());
  std::vector<BoundedPose> frames(bench.kinematics.frame_count());
  const std::vector<double> q0 = bench.kinematics.neutral();
  ASSERT_TRUE(bench.kinematics.forward(q0, 0, frames));
  // No bodies at all: no joint moves anything.
  levers.anchor(q0, frames, {}, 0.1);
  levers.condense({}, {});
  EXPECT_TRUE(levers.surely_within(q0, q0, 0));
  for (std::size_t i = 0; i < q0.size(); ++i) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), 1e16,
                             -std::numeric_limits<double>::infinity()}) {
      auto q1 = q0;
      q1[i] = bad;
      EXPECT_FALSE(levers.surely_within(q0, q1, 0)) << bad;
    }
  }
}

/// One joint, a long thin link: the lever is the distance from the axis, which a ball about the far
/// end reaches by its radius.
TEST(Levers, AreNoLongerThanTheyMustBe) {
  RobotModel robot;
  robot.links.resize(2);
  Joint joint;
  joint.type = JointType::continuous;
  joint.parent = 0, joint.child = 1;
  joint.axis = {0, 0, 1};
  robot.joints.push_back(joint);
  robot.build_tree();
  const Kinematics kinematics(robot);
  Levers levers(kinematics, 1);
  std::vector<BoundedPose> frames(2);
  const double q0[] = {0.3}, q1[] = {0.301};
  ASSERT_TRUE(kinematics.forward(q0, 0, frames));
  // A capsule: its far end counts, not how long it is along the axis.
  const LeverBody body{1, frames[1].X * Vec3{0.2, 0, -5}, frames[1].X * Vec3{1, 0, 5}, 0.1};
  levers.anchor(q0, frames, {&body, 1}, 0.01);
  double moved[Levers::kBlockOfBodies];
  ASSERT_TRUE(levers.displacement(q0, q1, moved));
  EXPECT_NEAR(moved[0], 0.001 * 1.1, 1e-12);
}

TEST(Levers, DoNotVouchBeyondTheAllowance) {
  Random random(12);
  const RobotModel robot = random_tree(random, 6);
  const Bench bench(robot, balls_on_links(random, robot));
  Levers levers(bench.kinematics, bench.balls.size());
  std::vector<BoundedPose> frames(bench.kinematics.frame_count());
  const auto q0 = random_configuration(random, bench.kinematics, 1);
  ASSERT_TRUE(bench.kinematics.forward(q0, 0, frames));
  levers.anchor(q0, frames, bench.at(frames), 1e-3);
  std::vector<double> moved(bench.balls.size() + Levers::kBlockOfBodies);
  ASSERT_TRUE(levers.displacement(q0, q0, moved));
  for (std::size_t b = 0; b < levers.places(); ++b) EXPECT_EQ(moved[b], 0);
  for (std::size_t i = 0; i < q0.size(); ++i) {
    auto q1 = q0;
    q1[i] += 0.5;
    EXPECT_FALSE(levers.displacement(q0, q1, moved)) << i;
    q1[i] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_FALSE(levers.displacement(q0, q1, moved)) << i;
  }
}

}  // namespace
}  // namespace keepclear
