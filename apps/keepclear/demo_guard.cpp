// SPDX-License-Identifier: BSD-3-Clause
#include "demo_guard.hpp"

#include <algorithm>
#include <chrono>

#include "csv.hpp"
#include "keepclear/distance.hpp"
#include "keepclear/error.hpp"
#include "keepclear/guard.hpp"
#include "motion/simulation.hpp"
#include "poses.hpp"

namespace keepclear::command {
namespace {

constexpr double kCycle = 0.001, kLatency = 0.01;  // seconds
constexpr double kAcceleration = 20;               // rad/s^2, as in paper 1

/// How far the hands are from each other.
class Hands {
 public:
  explicit Hands(const World& world)
      : query_(world), left_(world.find_solid("l_hand")), right_(world.find_solid("r_hand")) {}
  double distance(std::span<const double> q) {
    for (const Nearest& pair : query_.all_pairs(q)) {
      if (pair.a == left_ && pair.b == right_) return pair.distance;
    }
    throw Error(Error::Kind::internal, "", 0, "the humanoid has lost a hand");
  }

 private:
  DistanceQuery query_;
  int left_, right_;
};

/// From where the hands are far apart in the task to where they are nearest, and as far again.
struct Way {
  std::vector<double> from, step;
};
Way way_of_hands(const World& world) {
  const auto builtin = std::ranges::find(builtin_worlds(), "humanoid", &BuiltinWorld::name);
  const auto task = std::ranges::find(builtin->tasks, "hands", &BuiltinWorld::Task::name);
  Hands hands(world);
  Way way;
  std::vector<double> nearest;
  double least = 1e9;
  for (const std::vector<double>& row : task_rows(task->csv)) {
    const std::vector<double> q(row.begin() + 1, row.end());
    if (way.from.empty()) way.from = q;
    const double distance = hands.distance(q);
    if (distance < least) least = distance, nearest = q;
  }
  for (std::size_t i = 0; i < nearest.size(); ++i) way.step.push_back(nearest[i] - way.from[i]);
  return way;
}

GuardedApproach approach(const World& world, const Way& way, double rate) {
  JointBrake joint;
  joint.max_acceleration = joint.brake_deceleration = kAcceleration;
  const BrakeModel brake = uniform_brake(world, kLatency, joint);
  Guard guard(world, brake);
  JointSimulation robot(world, brake, Behaviour::exact, 1);
  Hands hands(world);
  std::vector<double> target = way.step;
  for (double& v : target) v *= rate;
  robot.set(way.from, std::vector<double>(target.size(), 0.0));
  GuardedApproach seen;
  std::vector<double> times;
  double before = hands.distance(robot.q());
  seen.left = before;
  for (int k = 1; k < 100'000; ++k) {
    const double time = k * kCycle;
    const auto start = std::chrono::steady_clock::now();
    const Action action = guard.step({time, robot.q(), robot.v()});
    const auto took = std::chrono::steady_clock::now() - start;
    times.push_back(std::chrono::duration<double, std::micro>(took).count());
    seen.flops = std::max(seen.flops, guard.last().flops);
    const double distance = hands.distance(robot.q());
    if (!robot.braking()) {
      if (action == Action::go) {
        robot.drive(target, kCycle);
      } else if (guard.last().reason != Reason::starting) {
        robot.brake(kLatency - kCycle);
        seen.at_brake = distance;
        seen.speed = (before - distance) / kCycle;
        seen.a = guard.last().a, seen.b = guard.last().b;
      }
    } else if (robot.standing()) {
      seen.cycles = static_cast<std::size_t>(k);
      break;
    }
    seen.left = std::min(seen.left, distance);
    before = distance;
    robot.advance(kCycle);
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  seen.microseconds = times[times.size() / 2];
  return seen;
}

}  // namespace

GuardTour guard_hands(const LoadOptions& load) {
  LoadOptions with_bodies = load;
  with_bodies.bodies = builtin_model("humanoid");
  GuardTour tour{load_builtin("humanoid", with_bodies), {}};
  const Way way = way_of_hands(tour.world);
  for (const double rate : {0.5, 1.5, 3.0}) {
    tour.approaches.push_back(approach(tour.world, way, rate));
  }
  return tour;
}

void print_guard(Output& out, const GuardTour& tour) {
  out.print(
      "\n10. The guard, a thousand times a second: can braking still wait? The hands of '{}'\n"
      "   towards each other, {} s of latency, {} rad/s^2, every braking motion covered:\n",
      tour.world.name(), kLatency, kAcceleration);
  for (const GuardedApproach& seen : tour.approaches) {
    out.print(
        "   at {:.2f} m/s it brakes {:.1f} cm from contact, stands {:.1f} cm from it; {:.1f} us a "
        "cycle\n",
        seen.speed, 100 * seen.at_brake, 100 * seen.left, seen.microseconds);
  }
}

void print_guard_json(Output& out, const GuardTour& tour) {
  out.write("\"guard\":[");
  const char* comma = "";
  JsonPairs json_pair(tour.world);
  for (const GuardedApproach& seen : tour.approaches) {
    out.print(
        "{}{{\"speed\":{},\"distance_at_brake\":{},\"least_distance\":{},\"pair\":{},\"cycles\":{},"
        "\"microseconds\":{},\"flops\":{}}}",
        comma, json_number(seen.speed), json_number(seen.at_brake), json_number(seen.left),
        json_pair(seen.a, seen.b), seen.cycles, json_number(seen.microseconds), seen.flops);
    comma = ",";
  }
  out.write("]");
}

}  // namespace keepclear::command
