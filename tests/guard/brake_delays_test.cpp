// SPDX-License-Identifier: BSD-3-Clause
//
// What a latency must hold: the events of docs/theory/braking.md, one after the other, at random
// and at their ends.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

#include "keepclear/guard.hpp"
#include "motion/brake_worlds.hpp"

namespace keepclear {
namespace {

/// Numbers of the parts: multiples of 2^-14, so that every sum below is exact.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  int below(int n) { return static_cast<int>(random_() % static_cast<unsigned>(n)); }
  double part(int least, int most) { return 0x1p-14 * (least + below(most - least + 1)); }
  /// From 0 to most, the ends often.
  double upto(double most) {
    const int which = below(4);
    return which == 0   ? 0
           : which == 1 ? most
                        : 0x1p-14 * below(static_cast<int>(most * 0x1p14) + 1);
  }
  BrakeDelays delays() {
    return {.age = part(0, 40),
            .cycle = part(1, 80),
            .communication = part(0, 40),
            .brake_reaction = part(0, 400),
            .missing_answer_noticed =
                below(2) == 0 ? MissingAnswer::at_once : MissingAnswer::end_of_cycle};
  }

 private:
  std::mt19937_64 random_;
};

/// When braking takes hold, counted from the measurement of the last state that was answered by go.
double brakes_after(const BrakeDelays& delays, Draw& draw) {
  const double measured = draw.upto(delays.cycle);  // of the next state
  const double handed = measured + draw.upto(delays.age);
  const bool waits = delays.missing_answer_noticed == MissingAnswer::end_of_cycle;
  double event = 0;
  switch (draw.below(3)) {
    case 0:  // it is answered by brake: no later than when the answer would be missed
      event = handed + (waits ? draw.upto(delays.cycle) : 0);
      break;
    case 1:  // its answer is missing
      event = handed + (waits ? delays.cycle : 0);
      break;
    default:  // it never comes: its time is over
      event = delays.cycle + delays.age + (waits ? delays.cycle : 0);
  }
  return event + draw.upto(delays.communication) + draw.upto(delays.brake_reaction);
}

TEST(BrakeDelays, TheLatencyHoldsWhateverHappensAndNoMore) {
  Draw draw(1);
  for (int trial = 0; trial < 1000; ++trial) {
    const BrakeDelays delays = draw.delays();
    const double latency = latency_of(delays);
    double longest = 0;
    for (int k = 0; k < 1000; ++k) longest = std::max(longest, brakes_after(delays, draw));
    ASSERT_LE(longest, latency) << latency_rule(delays);
    // The longest of everything occurs, and the sum has nothing beyond it but its rounding.
    ASSERT_GE(longest, latency * (1 - 0x1p-48)) << latency_rule(delays);
  }
}

TEST(BrakeDelays, AGuardGoesOnlyWhileTheDelaysHold) {
  const World world = test::chain_of({{"joint", "continuous"}});
  const double q = 0, v = 0;
  Draw draw(2);
  int kept = 0, late = 0, old = 0;
  for (int trial = 0; trial < 300; ++trial) {
    const BrakeDelays delays = draw.delays();
    Guard guard(world,
                uniform_brake(world, delays, {.max_acceleration = 1, .brake_deceleration = 1}));
    double time = draw.below(2) == 0 ? 0 : 1.7e9;
    double last = time;
    for (int k = 0; k < 40; ++k) {
      const double gap = draw.below(8) == 0 ? delays.cycle * 1.25 + 0x1p-14
                                            : std::max(0x1p-14, draw.upto(delays.cycle));
      const double age = draw.below(8) == 0 ? delays.age + 0x1p-14 : draw.upto(delays.age);
      time += gap;
      const Action action = guard.step({.time = time, .q = {&q, 1}, .v = {&v, 1}, .age = age});
      const Reason reason = guard.last().reason;
      const bool is_old = age > delays.age, is_late = k > 0 && time - last > delays.cycle * 1.001;
      ASSERT_EQ(action == Action::go, !is_old && !is_late)
          << name_of(reason) << ", gap " << time - last << ", age " << age << ": "
          << latency_rule(delays);
      ASSERT_EQ(reason, is_old ? Reason::stale : is_late ? Reason::time_jumps : Reason::free);
      old += is_old, late += is_late, kept += !is_old && !is_late;
      // One that is too old is no state: the next is compared with the one before.
      if (!is_old || k == 0) last = is_old ? last : time;
      if (is_old && k == 0) {
        guard.reset();
        break;
      }
    }
  }
  EXPECT_GT(kept, 3000);
  EXPECT_GT(late, 300);
  EXPECT_GT(old, 300);
}

TEST(BrakeDelays, WhatMustBeGivenIsAskedFor) {
  const World world = test::chain_of({{"joint", "continuous"}});
  const JointBrake joint{.max_acceleration = 1, .brake_deceleration = 1};
  const auto fault_of = [&](const BrakeModel& model, const GuardOptions& options = {}) {
    try {
      const Guard guard(world, model, options);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::usage);
      return std::string(error.what());
    }
    return std::string();
  };
  const auto expect_part = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  EXPECT_EQ(fault_of(uniform_brake(world, 0.1, joint)), "");
  expect_part(fault_of({.joints = {joint}}), "the latency is not given");
  expect_part(fault_of(uniform_brake(world, 0.1, {})), "joint: max_acceleration is not given");
  expect_part(fault_of(uniform_brake(world, 0.1, {.brake_deceleration = 1})),
              "joint: max_acceleration is not given");
  expect_part(fault_of(uniform_brake(world, 0.1, {.max_acceleration = 0})),
              "joint: brake_deceleration must be above zero");
  expect_part(fault_of(uniform_brake(world, 0.1, joint), {.known_command = true}),
              "joint: commands are relied on, and acceleration_uncertainty is not given");
  JointBrake known = joint;
  known.acceleration_uncertainty = 0;
  EXPECT_EQ(fault_of(uniform_brake(world, 0.1, known), {.known_command = true}), "");
  const BrakeDelays delays{
      .age = 0.001, .cycle = 0.002, .communication = 0, .brake_reaction = 0.01};
  BrakeModel model = uniform_brake(world, delays, joint);
  EXPECT_EQ(fault_of(model, {.max_age = 0.001, .max_gap = 0.002}), "");
  expect_part(fault_of(model, {.max_gap = 0.0021}), "the latency holds a cycle of 0.002 s");
  expect_part(fault_of(model, {.max_age = 0.0011}), "the latency holds an age of 0.001 s");
  model.latency = 0.01;
  expect_part(fault_of(model), "is not the sum of its delays");
}

}  // namespace
}  // namespace keepclear
