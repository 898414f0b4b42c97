// SPDX-License-Identifier: BSD-3-Clause
#include "motion/braking.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "keepclear/error.hpp"
#include "motion/brake_worlds.hpp"
#include "motion/simulation.hpp"

namespace keepclear {
namespace {

using test::chain_of;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

World hinge() {
  return chain_of({{"joint", "revolute"}});
}

Interval box_of(const JointBrake& brake, double latency, double q, double v,
                Interval time = kWholeBraking) {
  Interval box;
  EXPECT_TRUE(Braking(hinge(), {latency, {brake}}).box({{&q, 1}, {&v, 1}}, time, {&box, 1}));
  return box;
}

void expect_near(Interval box, double lower, double upper) {
  EXPECT_LE(box.lower, lower);
  EXPECT_GE(box.upper, upper);
  EXPECT_NEAR(box.lower, lower, 1e-12);
  EXPECT_NEAR(box.upper, upper, 1e-12);
}

TEST(Braking, TheWholeMotionIsThatOfThePaper) {
  const double a = 4, b = 2.5, latency = 0.03, q = 0.4;
  for (const double v : {0.0, 0.5, -0.5, 0.05, -0.05, 3.0, -3.0}) {
    const auto end = [&](double sign) {  // (36), (37)
      const double after = v + sign * a * latency;
      return q + (v + after) / 2 * latency + after * std::fabs(after) / (2 * b);
    };
    const double low = std::min({q, end(-1), end(1)}), high = std::max({q, end(-1), end(1)});
    expect_near(box_of({.max_acceleration = a, .brake_deceleration = b}, latency, q, v), low, high);
  }
}

TEST(Braking, UncertaintyIsAddedBeforeUse) {
  const JointBrake exact{.max_acceleration = 1, .brake_deceleration = 2};
  JointBrake off = exact;
  off.position_uncertainty = 0.01;
  off.velocity_uncertainty = 0.1;
  const double upper = box_of(exact, 0.05, 0.2, 0.6).upper + 0.01;
  const double lower = box_of(exact, 0.05, 0.2, 0.4).lower - 0.01;
  expect_near(box_of(off, 0.05, 0.2, 0.5), lower, upper);
}

TEST(Braking, LimitsCountOnlyWhereThereAreStops) {
  JointBrake brake{.max_acceleration = 0, .brake_deceleration = 1};
  expect_near(box_of(brake, 0, 1.9, 1), 1.9, 2.4);
  brake.stops = true;
  expect_near(box_of(brake, 0, 1.9, 1), 1.9, 2);
  expect_near(box_of(brake, 0, -0.9, -1), -1, -0.9);
  expect_near(box_of(brake, 0, 0.5, 1), 0.5, 1);
}

TEST(Braking, AJointBeyondItsStopsStillHasABox) {
  const JointBrake brake{
      .max_acceleration = 0, .brake_deceleration = 1, .position_uncertainty = 0.01, .stops = true};
  // The stop is where the limit says, or where the joint was seen.
  expect_near(box_of(brake, 0, 2.1, 1), 2, 2.11);
  expect_near(box_of(brake, 0, 2.1, -1), 1.59, 2.11);
  expect_near(box_of(brake, 0, -1.1, 1), -1.11, -0.59);
}

TEST(Braking, AfterAStopTheLatencyCanSpeedAJointUpAgain) {
  const JointBrake brake{.max_acceleration = 10, .brake_deceleration = 5, .stops = true};
  // From rest: half a t^2, then v^2 / 2b.
  const double back = 0.05 + 1.0 / 10;
  expect_near(box_of(brake, 0.1, 1.99, 5), 2 - back, 2);
  // And no slice of time says more.
  expect_near(box_of(brake, 0.1, 1.99, 5, {0.05, 0.06}), 2 - back, 2);
}

TEST(Braking, AContinuousJointIsNotWrapped) {
  const World world = chain_of({{"joint", "continuous"}});
  const Braking braking(
      world,
      uniform_brake(world, 0, {.max_acceleration = 0, .brake_deceleration = 1, .stops = true}));
  const double q = 3, v = 4;
  Interval box;
  ASSERT_TRUE(braking.box({{&q, 1}, {&v, 1}}, kWholeBraking, {&box, 1}));
  expect_near(box, 3, 11);
}

TEST(Braking, ACommandThatIsKnownIsTighterAtStandstill) {
  const JointBrake brake{
      .max_acceleration = 10, .brake_deceleration = 5, .acceleration_uncertainty = 0.1};
  const Braking braking(hinge(), {0.1, {brake}});
  const double q = 0.5, v = 0, command = 0;
  Interval box;
  ASSERT_TRUE(braking.box({{&q, 1}, {&v, 1}, {&command, 1}}, kWholeBraking, {&box, 1}));
  const double way = 0.1 * 0.01 / 2 + 0.01 * 0.01 / 10;
  expect_near(box, q - way, q + way);
}

TEST(Braking, SlicesFollowTheMotionInTime) {
  const JointBrake brake{
      .max_acceleration = 0, .brake_deceleration = 2, .brake_deceleration_most = 2};
  // It brakes at 0.5 s at the latest, with exactly 2: it is where both say.
  expect_near(box_of(brake, 0.5, 0, 2, {0, 0}), 0, 0);
  expect_near(box_of(brake, 0.5, 0, 2, {0.5, 0.5}), 0.75, 1);
  expect_near(box_of(brake, 0.5, 0, 2, {0.25, 1}), 0.4375, 1.75);
  expect_near(box_of(brake, 0.5, 0, 2, {9, 10}), 1, 2);
  expect_near(box_of(brake, 0.5, 0, 2, {kInfinity, kInfinity}), 1, 2);
}

TEST(Braking, ASpeedThatIsKeptForAWhileAddsItsWay) {
  const Braking braking(hinge(), {0.1, {{.max_acceleration = 1, .brake_deceleration = 2}}});
  const double q = 0, v = 1;
  Interval box;
  ASSERT_TRUE(braking.box({{&q, 1}, {&v, 1}}, kWholeBraking, {&box, 1}));
  Interval longer = box;
  braking.extend({{&q, 1}, {&v, 1}}, 0.5, 0.2, {&longer, 1});
  expect_near(longer, box.lower, box.upper + 0.5 * 1.1 * 0.2);
  braking.extend({{&q, 1}, {&v, 1}}, kInfinity, 0.2, {&longer, 1});
  EXPECT_EQ(longer, (Interval{-kInfinity, kInfinity}));
}

TEST(Braking, TheTimeToStopHoldsTheLatency) {
  const Braking braking(hinge(), {0.1, {{.max_acceleration = 1, .brake_deceleration = 2}}});
  const double q = 0, v = -1, bad = NAN;
  EXPECT_NEAR(braking.stop_time_hi({{&q, 1}, {&v, 1}}), 0.1 + 1.1 / 2, 1e-12);
  EXPECT_EQ(braking.stop_time_hi({{&q, 1}, {&bad, 1}}), kInfinity);
}

TEST(Braking, StatesThatAreNoneHaveNoBox) {
  const World world = chain_of({{"a", "revolute"}, {"base", "planar"}, {"drone", "floating"}});
  const Braking braking(
      world, uniform_brake(world, 0.01, {.max_acceleration = 1, .brake_deceleration = 1}));
  const std::vector<double> still(11, 0.0), q = world.neutral();
  std::vector<Interval> box(11);
  EXPECT_TRUE(braking.box({q, still}, kWholeBraking, box));
  EXPECT_FALSE(braking.box({q, {still.data(), 10}}, kWholeBraking, box));
  EXPECT_FALSE(braking.box({q, still, {still.data(), 3}}, kWholeBraking, box));
  EXPECT_FALSE(braking.box({q, still}, kWholeBraking, {box.data(), 10}));
  EXPECT_FALSE(braking.box({still, still}, kWholeBraking, box)) << "no quaternion";
  EXPECT_FALSE(braking.box({q, still}, {1, 0}, box));
  EXPECT_FALSE(braking.box({q, still}, {NAN, 1}, box));
  EXPECT_FALSE(braking.box({q, still}, {-1, 1}, box));
}

TEST(Braking, SillyNumbersNeverGiveABoxThatIsNone) {
  const World world = chain_of({{"a", "revolute"}, {"base", "planar"}, {"drone", "floating"}});
  const double silly[] = {0,     -0.0, 1e-320, -1e-320, 1e-160, 1e-30,  1,   -1,       1e15,
                          -1e30, 1e30, 1e31,   1e200,   1e308,  -1e308, NAN, kInfinity};
  const double brakes[] = {1e-30, 1, 1e30};
  int boxes = 0;
  for (const double x : silly) {
    for (const double y : silly) {
      for (const double b : brakes) {
        for (const double t : {0.0, 1e-320, 0.1, 1e300, kInfinity}) {
          JointBrake brake{.max_acceleration = b, .brake_deceleration = b};
          if (t == 0.1) brake.brake_deceleration_most = b;
          const Braking braking(world, uniform_brake(world, 1 / b, brake));
          std::vector<double> q = world.neutral(), v(11, x), command(11, y);
          std::fill_n(q.begin(), 7, y);
          std::vector<Interval> box(11, {NAN, NAN});
          for (const bool commanded : {false, true}) {
            JointState state{q, v};
            if (commanded) state.command = command;
            if (!braking.box(state, {t, std::max(t, 1.0)}, box)) continue;
            ++boxes;
            for (std::size_t i = 0; i < box.size(); ++i) {
              ASSERT_LE(box[i].lower, box[i].upper) << x << ' ' << y << ' ' << b << ' ' << t;
            }
            braking.extend(state, 0.5, 1e20, box);
            for (const Interval& interval : box) ASSERT_LE(interval.lower, interval.upper);
            EXPECT_GE(braking.stop_time_hi(state), 0);
          }
        }
      }
    }
  }
  EXPECT_GT(boxes, 1000);
}

TEST(Braking, ModelsThatMakeNoSenseAreRefused) {
  const World world = hinge();
  const JointBrake good{.max_acceleration = 1, .brake_deceleration = 1};
  EXPECT_NO_THROW(Braking(world, {0, {good}}));
  const auto refused = [&](const BrakeModel& model) {
    try {
      Braking{world, model};
    } catch (const Error& error) {
      return error.kind() == Error::Kind::usage;
    }
    return false;
  };
  EXPECT_TRUE(refused({0, {}}));
  EXPECT_TRUE(refused({-1, {good}}));
  EXPECT_TRUE(refused({NAN, {good}}));
  EXPECT_TRUE(refused({kInfinity, {good}}));
  EXPECT_TRUE(refused({0, {JointBrake{}}})) << "nothing is given";
  EXPECT_TRUE(refused({0, {{.max_acceleration = 1}}})) << "it never stops";
  EXPECT_TRUE(refused({0, {{.brake_deceleration = 1}}})) << "how it speeds up is not said";
  for (const double bad : {-1.0, static_cast<double>(NAN)}) {
    for (auto member : {&JointBrake::max_acceleration, &JointBrake::brake_deceleration,
                        &JointBrake::brake_deceleration_most, &JointBrake::position_uncertainty,
                        &JointBrake::velocity_uncertainty, &JointBrake::acceleration_uncertainty,
                        &JointBrake::max_velocity}) {
      JointBrake brake = good;
      brake.*member = bad;
      EXPECT_TRUE(refused({0, {brake}}));
    }
  }
}

TEST(Reachable, IsWhatAJointCanDoBetweenTwoMeasurements) {
  const JointBrake brake{.max_acceleration = 2,
                         .brake_deceleration = 1,
                         .position_uncertainty = 0.001,
                         .velocity_uncertainty = 0.01};
  const Braking braking(hinge(), {0.1, {brake}});
  const auto reaches = [&](double q, double v, double dt = 0.1) {
    const double q0 = 0.5, v0 = 1;
    return braking.reachable({{&q0, 1}, {&v0, 1}}, {{&q, 1}, {&v, 1}}, dt);
  };
  const double most = 0.5 + 0.1 * 1.01 + 0.01 + 0.002;
  EXPECT_TRUE(reaches(most, 1.0 + 0.2 + 0.02));
  EXPECT_FALSE(reaches(most + 1e-9, 1));
  EXPECT_FALSE(reaches(0.6, 1.221));
  // It stops at once, and goes back.
  EXPECT_TRUE(reaches(0.5 - 0.01 - 0.002, -0.2 - 0.01));
  EXPECT_FALSE(reaches(0.487, 0));
  EXPECT_FALSE(reaches(0.5, -0.22));
  EXPECT_FALSE(reaches(0.5, 1, 0));
  EXPECT_FALSE(reaches(0.5, 1, NAN));
  EXPECT_FALSE(reaches(NAN, 1));
}

TEST(Reachable, ABaseMayTurnItsVelocityAndADroneItsSign) {
  const World world = chain_of({{"base", "planar"}, {"drone", "floating"}});
  const Braking braking(world,
                        uniform_brake(world, 0, {.max_acceleration = 1, .brake_deceleration = 1}));
  std::vector<double> q0 = world.neutral(), v0(10, 0.0);
  v0[0] = 1;
  std::vector<double> q1 = q0, v1 = v0;
  q1[0] = 0.05;
  q1[1] = 0.09;
  v1[0] = 0;
  v1[1] = 1;
  EXPECT_TRUE(braking.reachable({q0, v0}, {q1, v1}, 0.1));
  q1[1] = 0.1;
  EXPECT_FALSE(braking.reachable({q0, v0}, {q1, v1}, 0.1));
  q1[1] = 0.05;
  v1[1] = 1.2;
  EXPECT_FALSE(braking.reachable({q0, v0}, {q1, v1}, 0.1));
  v1[1] = 1;
  q1[9] = -1;
  EXPECT_TRUE(braking.reachable({q0, v0}, {q1, v1}, 0.1)) << "the same rotation";
  q1[6] = 1;
  q1[9] = 0;
  EXPECT_FALSE(braking.reachable({q0, v0}, {q1, v1}, 0.1)) << "half a turn";
}

/// Drives about, then brakes, all joints at once, and stays in the box of what was measured last.
void expect_inside(Behaviour behaviour, bool commanded, std::uint64_t seed) {
  const World world =
      chain_of({{"a", "revolute"}, {"b", "continuous"}, {"c", "prismatic"}, {"base", "planar"}});
  BrakeModel model = uniform_brake(world, 0.05,
                                   {.max_acceleration = 6,
                                    .brake_deceleration = 3,
                                    .brake_deceleration_most = 12,
                                    .position_uncertainty = 0.002,
                                    .velocity_uncertainty = 0.02,
                                    .acceleration_uncertainty = 0.3});
  model.joints[1].brake_deceleration = 5;
  model.joints[2].stops = true;
  JointSimulation joints(world, model, behaviour, seed);
  joints.keep_commands(commanded);
  const Braking braking(world, model);
  std::vector<Interval> whole(world.dof()), slice(world.dof());
  for (int run = 0; run < 20; ++run) {
    for (int k = 0; k < 30; ++k) {
      std::vector<double> target(world.dof());
      for (std::size_t i = 0; i < target.size(); ++i) {
        target[i] = std::sin(static_cast<double>(run) * 0.7 + static_cast<double>(i));
      }
      const std::vector<double> q0(joints.measured_q().begin(), joints.measured_q().end());
      const std::vector<double> v0(joints.measured_v().begin(), joints.measured_v().end());
      joints.drive(target, 0.01);
      joints.advance(0.01);
      joints.measure();
      EXPECT_TRUE(braking.reachable({q0, v0}, {joints.measured_q(), joints.measured_v()}, 0.01));
    }
    JointState state{joints.measured_q(), joints.measured_v()};
    if (commanded) state.command = joints.command();
    ASSERT_TRUE(braking.box(state, kWholeBraking, whole));
    const double stops_by = braking.stop_time_hi(state);
    const double start = joints.time();
    joints.brake();
    while (!joints.standing()) {
      const double t0 = joints.time() - start;
      ASSERT_TRUE(braking.box(state, {t0, t0 + 0.011}, slice));
      joints.advance(0.01);
      for (std::size_t i = 0; i < world.dof(); ++i) {
        const double q = joints.q()[i];
        ASSERT_TRUE(q >= whole[i].lower - 1e-12 && q <= whole[i].upper + 1e-12) << i;
        ASSERT_TRUE(q >= slice[i].lower - 1e-12 && q <= slice[i].upper + 1e-12) << i;
      }
      ASSERT_LE(joints.time() - start, stops_by + 0.011);
    }
    joints.measure();
  }
}

TEST(JointSimulation, StaysInTheBoxesOfItsModel) {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    for (const bool commanded : {false, true}) {
      expect_inside(Behaviour::exact, commanded, seed);
      expect_inside(Behaviour::worst, commanded, seed);
      expect_inside(Behaviour::random, commanded, seed);
    }
  }
}

TEST(JointSimulation, TheWorstReachesTheEndOfTheBox) {
  const World world = hinge();
  const BrakeModel model = uniform_brake(
      world, 0.05, {.max_acceleration = 6, .brake_deceleration = 3, .position_uncertainty = 0.01});
  JointSimulation joints(world, model, Behaviour::worst, 1);
  const double q = 0.1, v = 0.5, back = -1;
  for (const bool pushed : {false, true}) {
    if (pushed) joints.push({&back, 1});
    joints.set({&q, 1}, {&v, 1});
    Interval box;
    ASSERT_TRUE(Braking(world, model)
                    .box({joints.measured_q(), joints.measured_v()}, kWholeBraking, {&box, 1}));
    joints.brake();
    joints.advance(10);
    EXPECT_TRUE(joints.standing());
    if (pushed) {
      EXPECT_LT(joints.q()[0], 0.15);
    } else {
      EXPECT_NEAR(joints.q()[0], box.upper, 1e-12);
    }
  }
}

TEST(JointSimulation, SmallStepsDoWhatOneDoes) {
  const World world = hinge();
  const BrakeModel model =
      uniform_brake(world, 0.05, {.max_acceleration = 6, .brake_deceleration = 3});
  const double q = 0.1, v = 0.5;
  JointSimulation large(world, model, Behaviour::random, 7);
  JointSimulation small(world, model, Behaviour::random, 7);
  for (JointSimulation* joints : {&large, &small}) {
    joints->set({&q, 1}, {&v, 1});
    joints->brake();
  }
  large.advance(1);
  for (int i = 0; i < 1000; ++i) small.advance(0.001);
  EXPECT_NEAR(large.q()[0], small.q()[0], 1e-12);
  EXPECT_TRUE(large.standing());
  EXPECT_EQ(large.v()[0], 0);
}

TEST(JointSimulation, ADriveStopsAtTheLimits) {
  const World world = hinge();
  const BrakeModel model =
      uniform_brake(world, 0.05, {.max_acceleration = 6, .brake_deceleration = 3});
  JointSimulation joints(world, model, Behaviour::exact, 1);
  for (const double target : {3.0, -3.0}) {
    for (int i = 0; i < 400; ++i) {
      joints.drive({&target, 1}, 0.01);
      joints.advance(0.01);
      ASSERT_LE(joints.q()[0], 2 + 1e-9);
      ASSERT_GE(joints.q()[0], -1 - 1e-9);
    }
    EXPECT_NEAR(joints.q()[0], target > 0 ? 2 : -1, 0.01);
  }
}

}  // namespace
}  // namespace keepclear
