// SPDX-License-Identifier: BSD-3-Clause
//
// Faults of stream and time, by their numbers in the list of faults: each is injected into a guard
// that says go, and must be answered by brake in the same cycle; afterwards the guard says go
// again.
#include <cstdio>
#include <functional>
#include <limits>
#include <map>

#include <gtest/gtest.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "guard/guard_impl.hpp"
#include "keepclear/distance.hpp"

namespace keepclear {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kCycle = 0.01;

/// A state that is whole, for a fault to spoil.
struct Sample {
  double time = 0, age = 0;
  std::vector<double> q, v, ages;

  GuardState state() const { return {.time = time, .q = q, .v = v, .age = age, .ages = ages}; }
};

class Faults : public testing::Test {
 protected:
  Faults() : world_(load_builtin("two_arms")) {
    JointBrake joint;
    joint.max_acceleration = 20;
    joint.brake_deceleration = 20;
    joint.max_velocity = 3;
    brake_ = uniform_brake(world_, 0.03, joint);
    options_.max_age = 0.01;
    options_.max_gap = 1.5 * kCycle;
    options_.budget = 2'000'000;
    options_.max_world_age = 1000;
  }
  ~Faults() override {
    for (const auto& [number, t] : tally_) {
      std::printf("fault %d: injected %d, detected %d, wrongly free %d\n", number, t.injected,
                  t.detected, t.injected - t.detected);
    }
  }

  Sample whole() const {
    Sample s;
    s.time = time_;
    s.q = world_.neutral();
    s.v.assign(s.q.size(), 0.0);
    s.ages.assign(s.q.size(), 0.0);
    return s;
  }
  void start() {
    guard_ = std::make_unique<Guard>(world_, brake_, options_);
    guard_->confirm_world(time_);
    for (int k = 0; k < 5; ++k) advance();
    ASSERT_EQ(guard_->last().action, Action::go) << name_of(guard_->last().reason);
  }
  void advance() {
    time_ += kCycle;
    guard_->step(whole().state());
  }
  void count(int number, bool detected, const std::string& what) {
    Tally& t = tally_[number];
    ++t.injected;
    if (detected) {
      ++t.detected;
    } else {
      ADD_FAILURE() << "fault " << number << ", " << what
                    << ": go, or another reason: " << name_of(guard_->last().reason);
    }
  }
  /// One fault: brakes at once for this reason, and goes again on whole states.
  void inject(int number, Reason reason, const std::string& what,
              const std::function<void(Sample&)>& spoil) {
    time_ += kCycle;
    Sample s = whole();
    spoil(s);
    const Action action = guard_->step(s.state());
    count(number, action == Action::brake && guard_->last().reason == reason, what);
    guard_->reset();
    advance();
    advance();
    EXPECT_EQ(guard_->last().action, Action::go)
        << "after " << what << ": " << name_of(guard_->last().reason);
  }

  struct Tally {
    int injected = 0, detected = 0;
  };
  World world_;
  BrakeModel brake_;
  GuardOptions options_;
  std::unique_ptr<Guard> guard_;
  double time_ = 1;
  std::map<int, Tally> tally_;
};

TEST_F(Faults, InNumbersBrake) {
  start();
  for (const double bad : {kNaN, kInfinity, -kInfinity, 1e308, -1e308, 4e-320}) {
    for (std::size_t i = 0; i < world_.dof(); ++i) {
      const std::string what = std::to_string(bad) + " of joint " + std::to_string(i);
      inject(26, Reason::not_finite, "position " + what, [&](Sample& s) { s.q[i] = bad; });
      inject(26, Reason::not_finite, "velocity " + what, [&](Sample& s) { s.v[i] = bad; });
    }
  }
  inject(26, Reason::not_finite, "time", [](Sample& s) { s.time = kNaN; });
  inject(26, Reason::stale, "age", [](Sample& s) { s.age = kNaN; });
  inject(26, Reason::stale, "age of a joint", [](Sample& s) { s.ages[2] = kNaN; });
  inject(26, Reason::wrong_size, "too few", [](Sample& s) { s.q.pop_back(); });
  inject(26, Reason::wrong_size, "none", [](Sample& s) { s.v.clear(); });
}

TEST_F(Faults, InPlacesSpeedsAndTimesBrake) {
  start();
  for (std::size_t i = 0; i < world_.dof(); ++i) {
    const std::string what = " of joint " + std::to_string(i);
    inject(27, Reason::jump, "a jump" + what, [&](Sample& s) { s.q[i] += 0.2; });
    inject(27, Reason::jump, "a jump of speed" + what, [&](Sample& s) { s.v[i] = 2; });
    inject(30, Reason::stale, "a late joint", [&](Sample& s) { s.ages[i] = 0.011; });
  }
  options_.check_jumps = false;
  start();
  for (std::size_t i = 0; i < world_.dof(); ++i) {
    const Variable& v = world_.variables()[i];
    const std::string what = " of joint " + std::to_string(i);
    if (std::isfinite(v.upper)) {
      inject(27, Reason::beyond_limits, "limit" + what,
             [&](Sample& s) { s.q[i] = v.upper + 0.01; });
      inject(27, Reason::beyond_limits, "limit" + what,
             [&](Sample& s) { s.q[i] = v.lower - 0.01; });
    }
    inject(27, Reason::too_fast, "speed" + what, [](Sample& s) { s.v[0] = -3.01; });
  }
  inject(28, Reason::stale, "an old state", [](Sample& s) { s.age = 0.0101; });
  inject(28, Reason::time_repeats, "the same state again", [](Sample& s) { s.time -= kCycle; });
  inject(28, Reason::time_back, "replayed", [](Sample& s) { s.time -= 3 * kCycle; });
  inject(28, Reason::time_jumps, "from the future", [](Sample& s) { s.time += 60; });
  inject(29, Reason::time_back, "clock set back", [](Sample& s) { s.time -= 3600; });
  inject(29, Reason::time_jumps, "clock set ahead", [](Sample& s) { s.time += 3600; });
  inject(28, Reason::stale, "from the future, by its age", [](Sample& s) { s.age = -1e-3; });
  for (const int lost : {1, 2, 10, 100}) {
    inject(31, Reason::time_jumps, std::to_string(lost) + " states lost",
           [&](Sample& s) { s.time = time_ += lost * kCycle; });
  }
  inject(32, Reason::stale, "looked at too late", [](Sample& s) { s.age = 0.02; });
}

TEST_F(Faults, AnswersDoNotDependOnWhatTheClockShows) {
  start();
  const std::uint64_t flops = guard_->last().flops;
  const double bound = guard_->last().bound;
  time_ = 5e8;
  start();
  EXPECT_EQ(guard_->last().flops, flops);
  EXPECT_EQ(guard_->last().bound, bound);
}

TEST_F(Faults, InBudgetAndWorldBrake) {
  options_.budget = 0;
  guard_ = std::make_unique<Guard>(world_, brake_, options_);
  guard_->confirm_world(time_);
  advance();
  count(32, guard_->last().action == Action::brake, "no budget at all");
  options_.budget = 2'000'000;
  options_.max_world_age = 0.1;
  start();
  for (int k = 0; k < 20; ++k) advance();
  count(34, guard_->last().reason == Reason::world_stale, "an old world");
  guard_->confirm_world(time_);
  advance();
  EXPECT_EQ(guard_->last().reason, Reason::free);
  // More than there is room for changes nothing.
  options_.max_carried = 0;
  start();
  const auto solids = world_.solids();
  for (std::size_t i = 0; i < solids.size(); ++i) {
    if (!solids[i].is_object || solids[i].moves) continue;
    count(33, !guard_->attach(static_cast<int>(i), 0), "carried without room");
    advance();
    EXPECT_EQ(guard_->last().action, Action::go);
    break;
  }
  count(33, !guard_->attach(1 << 30, 0), "an object that is none");
  count(33, !guard_->attach(-1, -1), "an object that is none");
}

#if defined(__SSE2__)
TEST_F(Faults, InTheFloatingPointUnitBrake) {
  start();
  const unsigned good = _mm_getcsr();
  const unsigned bad[] = {good | 0x8000u,  good | 0x0040u,  good | 0x2000u,  good | 0x4000u,
                          good | 0x6000u,  good & ~0x0080u, good & ~0x0200u, good & ~0x0400u,
                          good & ~0x1000u, good & ~0x0800u};
  for (const unsigned mode : bad) {
    time_ += kCycle;
    const Sample s = whole();
    const GuardState state = s.state();
    _mm_setcsr(mode & ~0x3fu);
    guard_->step(state);
    _mm_setcsr(good);
    count(35, guard_->last().reason == Reason::bad_rounding, "mode " + std::to_string(mode));
    // That state was not looked at, so that the next comes after a gap.
    advance();
    advance();
    EXPECT_EQ(guard_->last().action, Action::go);
  }
}
#endif

TEST_F(Faults, InMemoryBrake) {
  options_.check_cycles = 10;
  const auto flip = [&](const std::string& what, double* number) {
    start();
    auto* const byte = reinterpret_cast<unsigned char*>(number);
    byte[3] ^= 0x10;
    bool found = false;
    // All is checked once in ten cycles, and what was just passed over, in the next ten.
    for (int k = 0; k < 20 && !found; ++k) {
      advance();
      found = guard_->last().reason == Reason::corrupted;
    }
    byte[3] ^= 0x10;
    count(36, found, what);
  };
  const Kinematics& kinematics = world_.data().kinematics;
  for (int i = 0; i < kinematics.frame_count(); i += 3) {
    flip("frame " + std::to_string(i),
         const_cast<double*>(reinterpret_cast<const double*>(&kinematics.frame(i))) + 1);
  }
}

TEST_F(Faults, NumbersThatAreNoneInsideNeverMakeAContactFree) {
  // A pose in contact, and everything that is known of it gone bad.
  std::vector<double> q = world_.neutral();
  DistanceQuery distance(world_);
  std::uint64_t random = 1;
  while (distance.check(q).verdict != Verdict::contact) {
    for (std::size_t i = 0; i < q.size(); ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      const Variable& v = world_.variables()[i];
      const double share = static_cast<double>(random >> 11) * 0x1p-53;
      q[i] = std::max(v.lower, -3.0) + share * (std::min(v.upper, 3.0) - std::max(v.lower, -3.0));
    }
  }
  start();
  Guard::Impl impl(world_, brake_, options_);
  impl.kept.world_time = 0;
  const std::vector<double> rest(q.size(), 0.0);
  for (int k = 1; k < 20; ++k) {
    const Action action = impl.step({.time = k * kCycle, .q = q, .v = rest});
    count(37, action == Action::brake, "cycle " + std::to_string(k));
    for (auto* const all : {&impl.bounds, &impl.obstacle_bounds}) {
      for (GuardBound& bound : *all) {
        bound.lower = kNaN;
        if (k % 2 == 0) bound.n = {kNaN, kNaN, kNaN};
      }
    }
  }
}

TEST_F(Faults, InDelaysBrakeOrAreRefused) {
  const JointBrake joint = brake_.joints[0];
  for (const MissingAnswer noticed : {MissingAnswer::at_once, MissingAnswer::end_of_cycle}) {
    const BrakeDelays delays{.age = 0.002,
                             .cycle = kCycle,
                             .communication = 0.001,
                             .brake_reaction = 0.02,
                             .missing_answer_noticed = noticed};
    brake_ = uniform_brake(world_, delays, joint);
    options_.max_age = kInfinity;
    options_.max_gap = 0;
    start();
    for (const double late : {0.01, 0.5, 1.0, 10.0}) {
      inject(54, Reason::time_jumps, "a cycle longer than planned", [&](Sample& s) {
        time_ += late * kCycle;
        s.time = time_;
      });
    }
    inject(54, Reason::stale, "an age beyond the plan", [](Sample& s) { s.age = 0.0021; });
    for (std::size_t i = 0; i < world_.dof(); ++i) {
      inject(54, Reason::stale, "an age of a joint", [&](Sample& s) { s.ages[i] = 0.0021; });
    }
    // A part is forgotten, or the sum is another.
    for (const double less :
         {delays.age, delays.cycle, delays.communication, delays.brake_reaction}) {
      BrakeModel wrong = brake_;
      wrong.latency -= less;
      bool refused = false;
      try {
        const Guard guard(world_, wrong, options_);
      } catch (const Error&) {
        refused = true;
      }
      count(54, refused, "a latency that lacks a part");
    }
  }
}

}  // namespace
}  // namespace keepclear
