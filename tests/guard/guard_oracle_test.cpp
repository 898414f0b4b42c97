// SPDX-License-Identifier: BSD-3-Clause
//
// Whenever a guard says go: no configuration of the braking box is nearer than it claims. Random
// states, near contact more often than not, of worlds with and without obstacles, whole boxes and
// slices, all kinds of joints.
#include <gtest/gtest.h>

#include "guard/guard_impl.hpp"
#include "keepclear/distance.hpp"
#include "robot/random_robots.hpp"
#include "sweep/volumes_judge.hpp"

namespace keepclear {
namespace {

using oracle::worlds::Random;
using oracle::worlds::uniform;

struct Tally {
  std::size_t states = 0, go = 0, wrong = 0, near = 0, scaled = 0;
};

/// A random configuration within the limits; of several, the one nearest to contact.
std::vector<double> near_contact(const World& world, DistanceQuery& query, Random& random) {
  std::vector<double> best;
  double least = 1e9;
  for (int k = 0; k < 30; ++k) {
    JointBox box = oracle::worlds::random_box(world, random, 0);
    std::vector<double> q = oracle::worlds::random_member(world, box, random);
    const double distance = query(q).distance;
    if (!(distance > 0.002) || (distance >= least && !best.empty())) continue;
    least = distance, best = std::move(q);
    if (k > 4 && least < 0.05) break;
  }
  return best;
}

void judge(const World& world, JointBrake joint, const GuardOptions& options, int states,
           std::uint64_t seed, Tally& tally) {
  Random random(seed);
  DistanceQuery query(world);
  joint.max_acceleration = 20, joint.brake_deceleration = 20, joint.max_velocity = 100;
  joint.acceleration_uncertainty = 0;
  const BrakeModel model = uniform_brake(world, 0.01, joint);
  const Braking braking(world, model);
  const std::size_t dof = world.variables().size();
  GuardOptions how = options;
  how.check_jumps = false;
  how.limit_tolerance = 10;
  Guard guard(world, model, how);
  double time = 0;
  for (int k = 0; k < states; ++k) {
    guard.reset();
    std::vector<double> q = near_contact(world, query, random);
    if (q.empty()) continue;
    ++tally.states;
    std::vector<double> v(dof), command(dof);
    const double speed = uniform(random, 0, 1) < 0.2 ? 0 : uniform(random, 0, 2);
    for (std::size_t i = 0; i < dof; ++i) {
      const bool rotation = oracle::worlds::is_quaternion(world.variables()[i]);
      v[i] = rotation || random() % 3 == 0 ? 0 : uniform(random, -speed, speed);
      command[i] = uniform(random, -20, 20);
    }
    // A few cycles along the motion, and back now and then.
    for (int cycle = 0; cycle < 12; ++cycle) {
      time += 0.002;
      for (std::size_t i = 0; i < dof; ++i) q[i] += 0.002 * v[i];
      if (random() % 8 == 0) {
        for (double& x : v) x = -0.5 * x;
      }
      GuardState state{time, q, v};
      if (how.known_command) state.command = command;
      const Action action = guard.step(state);
      ASSERT_LE(guard.last().flops, guard.work_bound());
      if (action != Action::go) continue;
      ++tally.go;
      const GuardCycle& found = guard.last();
      const JointState joints{q, v, how.known_command ? state.command : std::span<const double>{}};
      std::vector<Interval> box(dof);
      const double stop = braking.stop_time_hi(joints);
      for (int m = 0; m < 12; ++m) {
        Interval when = kWholeBraking;
        // Of a motion that is followed in time only what can be at one moment counts.
        if (joint.brake_deceleration_most < 1e9) {
          const double t = uniform(random, 0, stop);
          when = {t, t};
        }
        ASSERT_TRUE(braking.box(joints, when, box));
        if (found.scale > 0 && m % 2 == 0 && when.upper > stop) {
          braking.extend(joints, found.scale, how.horizon, box);
          ++tally.scaled;
        }
        const auto member = oracle::worlds::random_member(world, box, random);
        const Nearest near = query(member);
        if (near.distance < 0.02) ++tally.near;
        const CheckResult check = query.check(member, how.margin);
        if (check.verdict == Verdict::contact) ++tally.wrong;
      }
    }
  }
}

TEST(Guard, GoesOnlyWhereTheWholeBrakingMotionIsFree) {
  struct Case {
    const char* world;
    JointBrake joint;
    GuardOptions options;
  };
  JointBrake both;
  both.brake_deceleration_most = 22;
  JointBrake unsure;
  unsure.position_uncertainty = 0.001, unsure.velocity_uncertainty = 0.01;
  GuardOptions plain;
  plain.budget = 500'000;
  GuardOptions tight = plain;
  tight.splits = 6, tight.margin = 0.003;
  GuardOptions small = plain;
  small.budget = 20'000;
  GuardOptions known = plain;
  known.known_command = true;
  GuardOptions graded = plain;
  graded.graded = true;
  std::uint64_t seed = 1;
  for (const Case& c : {Case{"humanoid", {}, plain}, Case{"humanoid", both, tight},
                        Case{"two_arms", unsure, small}, Case{"two_arms", both, known},
                        Case{"six_axis_arm", {}, graded}, Case{"two_arms", unsure, graded}}) {
    const World world = load_builtin(c.world);
    Tally tally;
    judge(world, c.joint, c.options, 25, seed++, tally);
    EXPECT_EQ(tally.wrong, 0u) << c.world << seed;
    EXPECT_GT(tally.go, tally.states) << c.world << seed;
    EXPECT_EQ(tally.scaled > 0, c.options.graded);
  }
}

TEST(Guard, GoesOnlyWhereItIsFreeOnRandomTrees) {
  Random random(11);
  Tally tally;
  for (int k = 0; k < 25; ++k) {
    RobotModel robot = testing_robots::random_tree(random, 3 + k % 6);
    for (Link& link : robot.links) {
      Collision collision;
      collision.geometry.kind = random() % 2 ? Geometry::Kind::box : Geometry::Kind::sphere;
      collision.geometry.size = {uniform(random, 0.05, 0.5), 0.1, 0.2};
      collision.geometry.radius = uniform(random, 0.05, 0.3);
      link.collisions.push_back(collision);
    }
    const World world = compile_robot(robot, nullptr, {.allow_no_pairs = true});
    GuardOptions options;
    options.budget = 1'000'000;
    judge(world, {}, options, 4, static_cast<std::uint64_t>(k), tally);
  }
  EXPECT_EQ(tally.wrong, 0u);
  EXPECT_GT(tally.go, 200u);
}

}  // namespace
}  // namespace keepclear
