// SPDX-License-Identifier: BSD-3-Clause
//
// A state that is refused leaves nothing to rest on: what is carried is bound where the link is, or
// not at all. Every reason that a guard has for it, and every call that needs a state.
#include <gtest/gtest.h>

#include <cfenv>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "guard/guard_impl.hpp"
#include "scene/watch_bench.hpp"

namespace keepclear {
namespace {

/// A hand that slides along x, a crate beside it, and a wall that the crate would meet.
class Refused : public test::WatchTest {
 protected:
  Refused() {
    add_robot("left", {0, 0, 0});
    add_ball("crate", {0, 0.3, 0});
    add_ball("wall", {5, 0.3, 0});
  }
  void make(GuardOptions options = {}) {
    w = world();
    JointBrake joint;
    joint.max_velocity = 100;
    joint.max_acceleration = joint.acceleration_uncertainty = 0;
    joint.brake_deceleration = 1;
    options.check_jumps = check_jumps;
    guard.emplace(w, uniform_brake(w, 0.1, joint), options);
    crate = w.find_solid("crate"), hand = w.find_solid("left/hand");
    time = 0;
  }
  Action step(double q0, double age = 0) {
    const double q[] = {q0}, v[] = {0};
    return guard->step({.time = time += 0.01, .q = q, .v = v, .age = age});
  }
  std::vector<std::byte> saved() const {
    std::vector<std::byte> memory(guard->memory_size());
    guard->save(memory);
    return memory;
  }
  /// Nothing that needs a state is done, and nothing of it happens.
  void expect_nothing_to_rest_on(const std::string& after) {
    const std::vector<std::byte> before = saved();
    EXPECT_FALSE(guard->attach(crate, hand)) << after;
    EXPECT_FALSE(guard->release(crate)) << after;
    EXPECT_FALSE(guard->confirm_world(time)) << after;
    EXPECT_EQ(saved(), before) << after;
    // Nor by a guard that goes on from what was saved.
    Guard other(std::move(*guard));
    guard.emplace(std::move(other));
    ASSERT_TRUE(guard->restore(before));
    EXPECT_FALSE(guard->attach(crate, hand)) << after << ", restored";
    EXPECT_FALSE(guard->release(crate)) << after << ", restored";
  }

  World w{nullptr};
  std::optional<Guard> guard;
  bool check_jumps = false;
  double time = 0;
  int crate = -1, hand = -1;
};

TEST_F(Refused, ACarriedCrateIsNotBoundWhereTheHandWas) {
  GuardOptions options;
  options.max_gap = 1000;
  make(options);
  ASSERT_EQ(step(0), Action::go);
  // The hand is at 2 now, and the state that says so is too old.
  time = 60;
  EXPECT_EQ(step(2, 0.5), Action::brake);
  EXPECT_EQ(guard->last().reason, Reason::stale);
  EXPECT_FALSE(guard->attach(crate, hand));
  EXPECT_EQ(step(2), Action::go);
  ASSERT_TRUE(guard->attach(crate, hand));
  // The crate is 2 m behind the hand: it meets the wall where the hand is at 7.
  for (double q = 2; q < 6.7; q += 0.1) EXPECT_EQ(step(q), Action::go) << q;
  EXPECT_EQ(step(7), Action::brake);
  EXPECT_EQ(guard->last().reason, Reason::not_clear);
}

TEST_F(Refused, EveryReasonLeavesNothingToRestOn) {
  const double nan = std::nan(""), far = 200;
  struct Case {
    Reason reason;
    std::function<void()> spoil;
  };
  const double good[] = {0}, bad[] = {nan}, two[] = {0, 0}, beyond[] = {far}, fast[] = {101};
  const auto ask = [&](const GuardState& state) { guard->step(state); };
  const std::vector<Case> cases = {
      {Reason::wrong_size,
       [&] {
         ask({time += 0.01, two, good});
       }},
      {Reason::wrong_size,
       [&] {
         ask({time += 0.01, good, {}});
       }},
      {Reason::wrong_size,
       [&] {
         ask({time += 0.01, good, good, two});
       }},
      {Reason::wrong_size,
       [&] {
         ask({time += 0.01, good, good, {}, 0, two});
       }},
      {Reason::not_finite,
       [&] {
         ask({time += 0.01, bad, good});
       }},
      {Reason::not_finite,
       [&] {
         ask({time += 0.01, good, bad});
       }},
      {Reason::not_finite,
       [&] {
         ask({nan, good, good});
       }},
      {Reason::stale,
       [&] {
         ask({time += 0.01, good, good, {}, 0.2});
       }},
      {Reason::stale,
       [&] {
         ask({time += 0.01, good, good, {}, 0, std::vector{0.2}});
       }},
      {Reason::time_back,
       [&] {
         ask({time - 0.01, good, good});
       }},
      {Reason::time_repeats,
       [&] {
         ask({time, good, good});
       }},
      {Reason::time_jumps,
       [&] {
         ask({time += 10, good, good});
       }},
      {Reason::jump,
       [&] {
         ask({time += 0.01, std::vector{2.0}, good});
       }},
      {Reason::beyond_limits,
       [&] {
         ask({time += 0.01, beyond, good});
       }},
      {Reason::too_fast,
       [&] {
         ask({time += 0.01, good, fast});
       }},
      {Reason::bad_rounding,
       [&] {
         std::fesetround(FE_UPWARD);
         ask({time += 0.01, good, good});
         std::fesetround(FE_TONEAREST);
       }},
  };
  for (const Case& one : cases) {
    check_jumps = one.reason == Reason::jump;
    make();
    ASSERT_EQ(step(0), Action::go);
    one.spoil();
    ASSERT_EQ(guard->last().reason, one.reason);
    expect_nothing_to_rest_on(std::string(name_of(one.reason)));
    check_jumps = false;
    // A state that is understood is something to rest on, also when it brakes.
    make();
    ASSERT_EQ(step(0), Action::go);
    one.spoil();
    time += 0.001;
    step(0);
    step(0);
    EXPECT_TRUE(guard->attach(crate, hand)) << name_of(one.reason);
  }
}

TEST_F(Refused, AWorldThatNobodyConfirmedHoldsNothingToTake) {
  GuardOptions options;
  options.max_world_age = 0.1;
  make(options);
  step(0);
  ASSERT_EQ(guard->last().reason, Reason::world_stale);
  EXPECT_FALSE(guard->attach(crate, hand));
  EXPECT_TRUE(guard->confirm_world(time));
  EXPECT_FALSE(guard->attach(crate, hand));  // where things are is known from the next state on
  EXPECT_EQ(step(0), Action::go);
  EXPECT_TRUE(guard->attach(crate, hand));
}

TEST_F(Refused, AnotherModeOfTheFloatingPointUnitTakesNothing) {
  make();
  ASSERT_EQ(step(0), Action::go);
  std::fesetround(FE_UPWARD);
  const bool attached = guard->attach(crate, hand), released = guard->release(crate);
  const bool margin = guard->set_margin(hand, crate, 0.1);
  std::fesetround(FE_TONEAREST);
  EXPECT_FALSE(attached || released || margin);
  EXPECT_TRUE(guard->attach(crate, hand));
}

TEST_F(Refused, ResetAndRestoreWaitForAState) {
  make();
  EXPECT_FALSE(guard->attach(crate, hand));
  ASSERT_EQ(step(0), Action::go);
  const std::vector<std::byte> memory = saved();
  guard->reset();
  EXPECT_FALSE(guard->attach(crate, hand));
  ASSERT_EQ(step(0), Action::go);
  ASSERT_TRUE(guard->attach(crate, hand));
  // The robot is elsewhere by now, and carries nothing: who restores knows, the guard does not.
  ASSERT_TRUE(guard->restore(memory));
  EXPECT_EQ(saved(), memory);
  EXPECT_FALSE(guard->attach(crate, hand));
  EXPECT_FALSE(guard->release(crate));
  ASSERT_EQ(step(0), Action::go);
  EXPECT_TRUE(guard->attach(crate, hand));
}

TEST_F(Refused, ConfirmationsFromTheFutureConfirmNothing) {
  GuardOptions options;
  options.max_world_age = 1;
  make(options);
  // Before the first state, the first state judges.
  EXPECT_TRUE(guard->confirm_world(5000));
  step(0);
  EXPECT_EQ(guard->last().reason, Reason::world_stale);
  EXPECT_TRUE(guard->confirm_world(time));
  EXPECT_EQ(step(0), Action::go);
  // Milliseconds for seconds, and a clock that is a little ahead.
  for (const double late : {time * 1000, time + 1e-9, 1e300, test::kInfinity, std::nan("")}) {
    const std::vector<std::byte> before = saved();
    EXPECT_FALSE(guard->confirm_world(late)) << late;
    EXPECT_EQ(saved(), before) << late;
  }
  EXPECT_TRUE(guard->confirm_world(time - 10));  // an older one changes nothing
  EXPECT_EQ(step(0), Action::go);
  // After a reset as well, when the clock starts again.
  guard->reset();
  time = -50;
  step(0);
  EXPECT_EQ(guard->last().reason, Reason::world_stale);
}

TEST_F(Refused, WhatWasFoundCorruptedStaysSoThroughSnapshots) {
  GuardOptions options;
  options.check_cycles = 1;
  make(options);
  ASSERT_EQ(step(0), Action::go);
  const std::vector<std::byte> sound = saved();
  auto* const byte = const_cast<std::byte*>(
      reinterpret_cast<const std::byte*>(&w.data().kinematics.frame(1)) + 11);
  *byte ^= std::byte{0x10};
  step(0);
  step(0);
  *byte ^= std::byte{0x10};
  ASSERT_EQ(guard->last().reason, Reason::corrupted);
  expect_nothing_to_rest_on("corrupted");
  const std::vector<std::byte> corrupted = saved();
  ASSERT_TRUE(guard->restore(sound));
  step(0);
  EXPECT_EQ(guard->last().reason, Reason::corrupted);
  make(options);
  ASSERT_TRUE(guard->restore(corrupted));
  step(0);
  EXPECT_EQ(guard->last().reason, Reason::corrupted);
}

}  // namespace
}  // namespace keepclear
