// SPDX-License-Identifier: BSD-3-Clause
//
// A simulated robot that a guard stops: it drives towards a contact, moves as its brake model
// allows, brakes when the guard says so, and must never touch anything. For a test a few
// approaches, for a campaign as many as one likes.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "keepclear/distance.hpp"
#include "keepclear/guard.hpp"
#include "motion/simulation.hpp"

namespace keepclear::test {

struct LoopTally {
  std::size_t approaches = 0, cycles = 0, poses = 0;
  std::size_t braked = 0;  ///< approaches in which a moving robot was braked
  std::size_t again = 0;   ///< times that it went on after that
  std::size_t idle = 0;    ///< approaches in which the guard never said go
  std::size_t passed = 0;  ///< ended without a brake
  std::size_t scales = 0;  ///< speeds that were said to be safe, and tried
  std::size_t near = 0;    ///< approaches that came within two millimetres of a contact
  std::array<std::size_t, 32> reasons{};                   ///< of the first brake
  std::array<std::size_t, 32> idle_reasons{};              ///< at the end, of those that never went
  double least = std::numeric_limits<double>::infinity();  ///< metres, of any pose

  // These must stay zero.
  std::size_t contacts = 0;
  std::size_t scale_contacts = 0;  ///< at a speed that was said to be safe
  std::size_t over_bound = 0;      ///< cycles of more work than is promised
  std::vector<std::string> messages;

  std::size_t violations() const { return contacts + scale_contacts + over_bound; }
  void add(const LoopTally& other) {
    approaches += other.approaches, cycles += other.cycles, poses += other.poses;
    braked += other.braked, again += other.again, idle += other.idle, passed += other.passed;
    scales += other.scales, near += other.near, contacts += other.contacts;
    scale_contacts += other.scale_contacts, over_bound += other.over_bound;
    least = std::min(least, other.least);
    for (std::size_t i = 0; i < reasons.size(); ++i) {
      reasons[i] += other.reasons[i];
      idle_reasons[i] += other.idle_reasons[i];
    }
    messages.insert(messages.end(), other.messages.begin(), other.messages.end());
  }
};

/// A line in joint space from a free pose to a contact; `ahead` has one as its largest number.
struct Approach {
  std::vector<double> start, ahead;
  double contact = 0;
};

/// What is drawn for an approach besides its line.
struct LoopSetting {
  BrakeModel brake;
  BrakeModel robot{};  ///< what the robot does, if that is not what the guard is told
  GuardOptions options{};
  Behaviour behaviour = Behaviour::random;
  double cycle = 0.01;
  double speed = 1;  ///< of the fastest joint
};

class ClosedLoop {
 public:
  ClosedLoop(const World& world, std::uint64_t seed)
      : world_(world), distance_(world, {.tolerance = 1e-5}), random_(seed) {}

  double uniform(double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(random_() >> 11) * 0x1p-53;
  }
  bool chance(double share) { return uniform(0, 1) < share; }

  /// A line to a contact that is some way off. False where this try found none.
  bool draw(Approach& out) {
    const std::size_t n = world_.dof();
    out.start.resize(n);
    std::vector<double> end(n), q(n);
    const double share = uniform(0.1, 1);
    double far = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const Variable& v = world_.variables()[i];
      const double lower = std::max(v.lower, -3.1), upper = std::min(v.upper, 3.1);
      out.start[i] = uniform(lower, upper);
      end[i] = chance(share) ? uniform(lower, upper) : out.start[i];
      far = std::max(far, std::abs(end[i] - out.start[i]));
    }
    if (far == 0 || distance_.check(out.start, 1e-3).verdict != Verdict::free) return false;
    out.ahead.resize(n);
    for (std::size_t i = 0; i < n; ++i) out.ahead[i] = (end[i] - out.start[i]) / far;
    for (out.contact = 0.02; out.contact < far; out.contact += 0.02) {
      for (std::size_t i = 0; i < n; ++i) q[i] = out.start[i] + out.contact * out.ahead[i];
      if (distance_.check(q).verdict != Verdict::free) return true;
    }
    return false;
  }

  /// Everything at random inside what the guard is for.
  LoopSetting draw_setting() {
    LoopSetting s;
    const double cycles[] = {0.001, 0.002, 0.004, 0.01};
    s.cycle = cycles[random_() % 4];
    s.behaviour = std::array{Behaviour::exact, Behaviour::worst, Behaviour::random}[random_() % 3];
    JointBrake joint;
    joint.max_velocity = 100;  // faster than the limits of the robot
    joint.max_acceleration = std::exp(uniform(std::log(2.0), std::log(30.0)));
    joint.brake_deceleration = std::exp(uniform(std::log(2.0), std::log(30.0)));
    if (chance(0.5)) joint.brake_deceleration_most = joint.brake_deceleration * uniform(1, 2);
    if (chance(0.3)) joint.position_uncertainty = uniform(0, 2e-3);
    if (chance(0.3)) joint.velocity_uncertainty = uniform(0, 0.02);
    joint.acceleration_uncertainty = 0;
    if (chance(0.5)) joint.acceleration_uncertainty = uniform(0, 0.2) * joint.max_acceleration;
    s.brake = uniform_brake(world_, s.cycle + (chance(0.5) ? 0 : uniform(0, 0.02)), joint);
    for (JointBrake& each : s.brake.joints) {
      each.max_acceleration *= uniform(0.5, 1);
      each.acceleration_uncertainty =
          std::min(each.acceleration_uncertainty, each.max_acceleration);
    }
    s.options.known_command = chance(0.4);
    s.options.slices = chance(0.5) ? 8 : 1;
    s.options.splits = chance(0.7) ? 4 : 0;
    s.options.latch = chance(0.3);
    s.options.graded = chance(0.3);
    s.options.horizon = uniform(0.02, 0.2);
    s.options.limit_tolerance = 0.1;
    const double budgets[] = {55e3, 55e3, 55e3, 20e3, 550e3, 550e3, 5.5e3};
    // For the humanoid's 300 pairs; more for those who have more.
    const double more = std::clamp(static_cast<double>(world_.pair_count()) / 300, 1.0, 5.0);
    s.options.budget = static_cast<std::uint64_t>(more * budgets[random_() % 7]);
    s.speed = std::exp(uniform(std::log(0.05), std::log(3.0)));
    return s;
  }

  void run(const Approach& approach, const LoopSetting& s, std::uint64_t seed, LoopTally& tally) {
    Guard guard(world_, s.brake, s.options);
    const BrakeModel& model = s.robot.joints.empty() ? s.brake : s.robot;
    JointSimulation robot(world_, model, s.behaviour, seed);
    const std::vector<double> rest(world_.dof(), 0.0);
    // Two seconds before the contact, or where it takes longer to stop, as far as that.
    const double back = 2 * s.speed + 0.25 * s.speed * s.speed + 0.1;
    std::vector<double> start = approach.start;
    for (std::size_t i = 0; i < start.size(); ++i) {
      start[i] += std::max(0.0, approach.contact - back) * approach.ahead[i];
    }
    robot.set(start, rest);
    robot.brake(0);
    robot.keep_commands(s.options.known_command);
    std::vector<double> wanted(world_.dof());
    const double begin = tally.least;
    tally.least = std::numeric_limits<double>::infinity();
    const double drive_time = 1.5 * std::min(back, approach.contact) / s.speed + 0.5;
    const auto limit = static_cast<int>(std::min(drive_time / s.cycle, 6000.0));
    bool went = false, braked = false, moving_brake = false;
    int scale_tries = 0, first_brake = 0;
    safe_ = distance_(start).lower_bound;
    for (int k = 0; k < limit || robot.braking(); ++k) {
      if (k >= limit && robot.standing()) break;
      if (k > 4 * limit + 4000) break;
      if (moving_brake && robot.standing() && (s.options.latch || k > first_brake + 300)) break;
      robot.measure();
      for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] = approach.ahead[i] * s.speed;
      const double scale = guard.last().scale;
      if (s.options.graded && went && guard.last().action == Action::go && scale < 1) {
        for (double& v : wanted) v *= std::max(scale, 0.05);
      }
      JointSimulation next = robot;
      next.drive(wanted, s.cycle);
      const Action action = guard.step({.time = 1 + k * s.cycle,
                                        .q = robot.measured_q(),
                                        .v = robot.measured_v(),
                                        .command = next.command()});
      ++tally.cycles;
      if (guard.last().flops > guard.work_bound()) ++tally.over_bound;
      const double fraction = guard.last().scale;
      if (s.options.graded && fraction > 0 && went && scale_tries < 3 && chance(0.1)) {
        ++scale_tries;
        try_scale(robot, next, s, fraction, tally);
      }
      if (action == Action::go) {
        if (braked && robot.braking()) ++tally.again;
        robot = std::move(next);
        went = true;
      } else if (!went) {
        // Until the guard has said go, the brakes hold.
        if (k > 300) break;
      } else if (!robot.braking()) {
        if (!braked) ++tally.reasons[static_cast<std::size_t>(guard.last().reason)];
        if (!moving_brake && !robot.standing()) {
          moving_brake = true;
          first_brake = k;
        }
        braked = true;
        if (s.behaviour == Behaviour::worst) robot.push(closing_signs(robot.q()));
        robot.brake(model.latency - s.cycle);
      }
      if (!advance(robot, s.cycle, tally)) {
        ++tally.contacts;
        tally.messages.push_back(describe("contact", s, k));
        break;
      }
    }
    ++tally.approaches;
    if (!went) {
      ++tally.idle;
      ++tally.idle_reasons[static_cast<std::size_t>(guard.last().reason)];
    }
    if (moving_brake) ++tally.braked;
    if (went && !moving_brake) ++tally.passed;
    if (tally.least < 0.002) ++tally.near;
    tally.least = std::min(tally.least, begin);
  }

 private:
  /// How far apart things are; zero for a contact.
  double look(std::span<const double> q, LoopTally& tally) {
    const Nearest nearest = distance_(q);
    ++tally.poses;
    tally.least = std::min(tally.least, nearest.distance);
    return nearest.verdict == Verdict::contact ? 0 : nearest.distance;
  }

  /// False when something touches on the way. Looks as often as bodies can come together.
  bool advance(JointSimulation& robot, double dt, LoopTally& tally) {
    if (robot.standing()) {
      robot.advance(dt);
      return true;
    }
    double speed = 0;
    for (const double v : robot.v()) speed += std::abs(v);
    // Two bodies, a reach of a metre and a half each, and some speeding up.
    const double closing = 4 * (speed + 0.1) * dt;
    const double most = std::ceil(dt / 5e-4);
    const int parts = static_cast<int>(std::clamp(std::ceil(closing / safe_), 1.0, most));
    for (int i = 0; i < parts; ++i) {
      robot.advance(dt / parts);
      safe_ = look(robot.q(), tally);
      if (!(safe_ > 0)) return false;
    }
    return true;
  }

  /// Which way each joint brings the nearest pair together.
  std::vector<double> closing_signs(std::span<const double> at) {
    std::vector<double> q(at.begin(), at.end()), signs(at.size());
    const double here = distance_(q).distance;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double kept = q[i];
      q[i] += 1e-4;
      const double there = distance_(q).distance;
      signs[i] = there < here ? 1 : there > here ? -1 : 0;
      q[i] = kept;
    }
    return signs;
  }

  /// A robot that slows each joint to a share of its speed goes on so for the horizon, and brakes.
  void try_scale(const JointSimulation& robot, const JointSimulation& commanded,
                 const LoopSetting& s, double share, LoopTally& tally) {
    ++tally.scales;
    JointSimulation other = s.options.known_command ? commanded : robot;
    std::vector<double> target(world_.dof());
    for (std::size_t i = 0; i < target.size(); ++i) {
      // What was measured may be more than what is: the share is of the true speed.
      target[i] = share * other.v()[i];
    }
    other.brake(s.brake.latency);
    std::vector<double> q(other.q().begin(), other.q().end()), v(q.size(), 0.0);
    // Seconds that each joint has gone on at its share of the speed; negative: it still slows down.
    std::vector<double> kept(q.size(), -1);
    const double step = 5e-4;
    const double safe = safe_;
    for (double t = 0; t < 20; t += step) {
      other.advance(step);
      bool stands = true;
      for (std::size_t i = 0; i < q.size(); ++i) {
        const bool fast = t < s.brake.latency || std::abs(other.v()[i]) > std::abs(target[i]);
        if (kept[i] < 0 && fast) {
          q[i] = other.q()[i], v[i] = other.v()[i];
        } else {
          if (kept[i] < 0) {
            kept[i] = 0;
            if (std::abs(v[i]) > std::abs(target[i])) v[i] = target[i];
          }
          if (kept[i] + step > s.options.horizon) {
            const double less = s.brake.joints[i].brake_deceleration * step;
            v[i] = std::abs(v[i]) <= less ? 0 : v[i] - std::copysign(less, v[i]);
          }
          kept[i] += step;
          q[i] += v[i] * step;
        }
        stands = stands && v[i] == 0 && t > s.brake.latency;
      }
      safe_ = look(q, tally);
      if (!(safe_ > 0)) {
        ++tally.scale_contacts;
        tally.messages.push_back(describe("contact at a scale", s, static_cast<int>(t * 1e6)));
        break;
      }
      if (stands) break;
    }
    safe_ = safe;
  }

  static std::string describe(const char* what, const LoopSetting& s, int cycle) {
    return std::string(what) + ": behaviour " + std::to_string(static_cast<int>(s.behaviour)) +
           ", cycle " + std::to_string(s.cycle) + " s, latency " + std::to_string(s.brake.latency) +
           ", speed " + std::to_string(s.speed) + ", budget " + std::to_string(s.options.budget) +
           (s.options.known_command ? ", known command" : "") +
           (s.options.graded ? ", graded" : "") + (s.options.latch ? ", latch" : "") + ", slices " +
           std::to_string(s.options.slices) + ", splits " + std::to_string(s.options.splits) +
           ", step " + std::to_string(cycle);
  }

  World world_;
  DistanceQuery distance_;
  std::mt19937_64 random_;
  double safe_ = 0;
};

}  // namespace keepclear::test
