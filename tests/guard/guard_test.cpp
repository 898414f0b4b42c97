// SPDX-License-Identifier: BSD-3-Clause
//
// What keepclear/guard.hpp promises, on hands that slide along x: distances can be told by hand.
// A hand at speed 1 goes on for 0.1 s and stops within half a metre more.
#include "keepclear/guard.hpp"

#include <cfenv>
#include <cmath>
#include <cstring>
#include <optional>
#include <random>

#include "guard/guard_impl.hpp"
#include "scene/watch_bench.hpp"

namespace keepclear {
namespace {

using test::kInfinity;

/// Two hands on one line, a ball beside it, a table that the ball stands on, a post in the way.
class GuardTest : public test::WatchTest {
 protected:
  GuardTest() {
    add_robot("left", {0, 0, 0});
    add_robot("right", {4, 0, 0});
    add_ball("part", {0, 0.3, 0});
    add_ball("table", {0, 0.6, 0}, 0.2);
    add_ball("post", {2, 0.3, 0});
  }
  void make(const GuardOptions& given = {}) {
    w = world();
    JointBrake joint;
    joint.max_acceleration = 0, joint.brake_deceleration = 1;
    joint.max_velocity = 100;
    model = uniform_brake(w, 0.1, joint);
    guard.emplace(w, model, given);
    left = w.find_solid("left/hand"), right = w.find_solid("right/hand");
    part = w.find_solid("part"), table = w.find_solid("table"), post = w.find_solid("post");
    time = 0;
  }
  /// A robot that stands is let go again after a brake; here every step begins so.
  Action step(double q0, double v0, double q1 = 0, double v1 = 0) {
    if (fresh && guard->last().action == Action::brake) {
      time += 0.001;
      const double far[] = {-20, 20}, still[] = {0, 0};
      guard->step({time, far, still});
    }
    time += 0.001;
    const double q[] = {q0, q1}, v[] = {v0, v1};
    return guard->step({time, q, v});
  }
  Reason why(double q0, double v0, double q1 = 0, double v1 = 0) {
    step(q0, v0, q1, v1);
    return guard->last().reason;
  }
  static GuardOptions loose() {
    GuardOptions options;
    options.check_jumps = false;
    return options;
  }

  World w{nullptr};
  BrakeModel model;
  std::optional<Guard> guard;
  double time = 0;
  bool fresh = false;
  int left = -1, right = -1, part = -1, table = -1, post = -1;
};

TEST_F(GuardTest, BrakesWhereBrakingNowIsJustInTime) {
  scene.objects.clear();
  make(loose());
  fresh = true;
  // The other robot's base, a ball of 0.05, is at 4, its hand 0.2 behind: 0.6 to stop.
  EXPECT_EQ(step(4 - 0.15 - 0.601, 1, 0.2), Action::go);
  EXPECT_NEAR(guard->last().bound, 0.001, 1e-9);
  EXPECT_EQ(step(4 - 0.15 - 0.599, 1, 0.2), Action::brake);
  EXPECT_EQ(guard->last().reason, Reason::not_clear);
  EXPECT_EQ(guard->last().a, left);
  EXPECT_EQ(guard->last().b, w.find_solid("right/base"));
  EXPECT_EQ(step(4 - 0.15 - 0.001, 0, 0.2), Action::go);
  // Both move: hands 0.2 apart from centre to centre when they touch, 1.2 to stop.
  EXPECT_EQ(step(-3, 1, -5.59, -1), Action::go);
  EXPECT_EQ(step(-3, 1, -5.61, -1), Action::brake);
  EXPECT_EQ(step(-3, -1, -5.61, -1), Action::go);
}

TEST_F(GuardTest, KeepsTheMarginsOfPairsAndObstacles) {
  make(loose());
  fresh = true;
  // Past the post, 0.3 beside the line with a radius of 0.1: 0.1 of clearance.
  EXPECT_EQ(step(1.9, 0.5), Action::go);
  EXPECT_TRUE(guard->set_margin(left, post, 0.12));
  EXPECT_EQ(step(1.9, 0.5), Action::brake);
  EXPECT_EQ(guard->last().b, post);
  EXPECT_EQ(step(1.2, 0.1), Action::go);
  EXPECT_TRUE(guard->set_margin(left, post, 0));
  EXPECT_EQ(step(1.9, 0.5), Action::go);
  EXPECT_TRUE(guard->set_margin(left, right, 0.5));
  EXPECT_EQ(step(3.2, 0, 0), Action::go);
  EXPECT_EQ(step(3.4, 0, 0), Action::brake);
  for (const double bad : {-1.0, kInfinity, std::nan("")}) {
    EXPECT_FALSE(guard->set_margin(left, right, bad));
  }
  EXPECT_FALSE(guard->set_margin(left, left, 0.1));
  EXPECT_FALSE(guard->set_margin(part, post, 0.1));
  EXPECT_FALSE(guard->set_margin(-1, 10'000, 0.1));
}

TEST_F(GuardTest, BrakesOnEveryStateThatIsNone) {
  GuardOptions options;
  options.max_age = 0.05, options.max_gap = 0.5;
  make(options);
  ASSERT_EQ(step(0, 0), Action::go);
  const double one[] = {0}, two[] = {0, 0}, three[] = {0, 0, 0};
  const auto reason = [&](const GuardState& state) {
    EXPECT_EQ(guard->step(state), Action::brake);
    return guard->last().reason;
  };
  EXPECT_EQ(reason({time + 0.001, one, two}), Reason::wrong_size);
  EXPECT_EQ(reason({time + 0.001, two, three}), Reason::wrong_size);
  EXPECT_EQ(reason({time + 0.001, two, two, one}), Reason::wrong_size);
  EXPECT_EQ(reason({time + 0.001, two, two, {}, 0, one}), Reason::wrong_size);
  EXPECT_EQ(reason({time + 0.001, {}, {}}), Reason::wrong_size);
  for (const double bad : {std::nan(""), kInfinity, -kInfinity, 1e308, 5e-324}) {
    const double with[] = {0, bad};
    EXPECT_EQ(reason({time + 0.001, with, two}), Reason::not_finite) << bad;
    EXPECT_EQ(reason({time + 0.001, two, with}), Reason::not_finite) << bad;
  }
  EXPECT_EQ(reason({std::nan(""), two, two}), Reason::not_finite);
  EXPECT_EQ(reason({kInfinity, two, two}), Reason::not_finite);
  EXPECT_EQ(reason({time, two, two}), Reason::time_repeats);
  EXPECT_EQ(reason({time - 0.01, two, two}), Reason::time_back);
  EXPECT_EQ(reason({time + 0.001, two, two, {}, 0.06}), Reason::stale);
  EXPECT_EQ(reason({time + 0.001, two, two, {}, -0.01}), Reason::stale);
  EXPECT_EQ(reason({time + 0.001, two, two, {}, std::nan("")}), Reason::stale);
  const double ages[] = {0.01, 0.06};
  EXPECT_EQ(reason({time + 0.001, two, two, {}, 0, ages}), Reason::stale);
  // None of these were states: the next one is compared with the last that was.
  EXPECT_EQ(step(0, 0), Action::go);
  time += 0.6;
  EXPECT_EQ(why(0, 0), Reason::time_jumps);
  EXPECT_EQ(why(0, 0), Reason::free);
  EXPECT_EQ(why(0.3, 0), Reason::jump);
  EXPECT_EQ(why(0.3, 0), Reason::free);
  EXPECT_EQ(why(0.3, 0.5), Reason::jump);
  EXPECT_EQ(why(1e9, 0), Reason::jump);
}

TEST_F(GuardTest, BrakesBeyondLimitsAndSpeeds) {
  GuardOptions options = loose();
  make(options);
  model.joints[0].max_velocity = 2;
  guard.emplace(w, model, options);
  EXPECT_EQ(why(-100.0005, 0), Reason::free);
  EXPECT_EQ(why(-100.01, 0), Reason::beyond_limits);
  fresh = true;
  EXPECT_EQ(why(-50, 2), Reason::free);
  EXPECT_EQ(why(-50, -2.001), Reason::too_fast);
  // Without a word of the brake model, the limit of the URDF.
  model.joints[0].max_velocity = kInfinity;
  model.joints[0].velocity_uncertainty = 0.1;
  guard.emplace(w, model, options);
  EXPECT_EQ(why(-50, 1.09), Reason::free);
  EXPECT_EQ(why(-50, 1.11), Reason::too_fast);
}

TEST_F(GuardTest, GoesAgainOrStaysLatched) {
  make(loose());
  EXPECT_EQ(step(1, 0), Action::go);
  EXPECT_EQ(step(3.5, 1), Action::brake);
  EXPECT_EQ(why(1, 0.1), Reason::still_moving);
  EXPECT_EQ(why(1, 0, 0, 0.001), Reason::still_moving);
  EXPECT_EQ(step(1, 0), Action::go);
  EXPECT_EQ(step(1, 0.1), Action::go);
  GuardOptions options = loose();
  options.latch = true;
  make(options);
  EXPECT_EQ(step(1, 0), Action::go);
  EXPECT_EQ(step(3.5, 1), Action::brake);
  EXPECT_EQ(why(1, 0), Reason::latched);
  EXPECT_EQ(why(1, 0), Reason::latched);
  guard->reset();
  EXPECT_EQ(step(1, 0), Action::go);
  // A bad state latches as well.
  EXPECT_EQ(step(std::nan(""), 0), Action::brake);
  EXPECT_EQ(why(1, 0), Reason::latched);
}

TEST_F(GuardTest, WantsItsWorldConfirmed) {
  GuardOptions options = loose();
  options.max_world_age = 0.01;
  make(options);
  EXPECT_EQ(why(0, 0), Reason::world_stale);
  guard->confirm_world(time);
  EXPECT_EQ(why(0, 0), Reason::free);
  time += 0.02;
  EXPECT_EQ(why(0, 0), Reason::world_stale);
  guard->confirm_world(std::nan(""));
  guard->confirm_world(kInfinity);
  EXPECT_EQ(why(0, 0), Reason::world_stale);
}

TEST_F(GuardTest, BrakesInAnyOtherModeOfTheFloatingPointUnit) {
  make(loose());
  ASSERT_EQ(step(0, 0), Action::go);
  for (const int mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
    time += 0.001;
    const double q[] = {0, 0}, v[] = {0, 0};
    std::fesetround(mode);
    const Action action = guard->step({time, q, v});
    std::fesetround(FE_TONEAREST);
    EXPECT_EQ(action, Action::brake);
    EXPECT_EQ(guard->last().reason, Reason::bad_rounding);
  }
  EXPECT_EQ(step(0, 0), Action::go);
}

TEST_F(GuardTest, FindsABitThatFlipped) {
  w = world();
  JointBrake joint;
  joint.max_acceleration = 0, joint.brake_deceleration = 1;
  GuardOptions options = loose();
  options.check_cycles = 20;
  const BrakeModel brake = uniform_brake(w, 0.1, joint);
  Guard::Impl sound(w, brake, options);
  const double q[] = {0, 0}, v[] = {0, 0};
  for (int k = 1; k < 200; ++k) ASSERT_EQ(sound.step({0.001 * k, q, v}), Action::go);
  for (std::size_t b = 0; b < sound.blocks.size(); ++b) {
    Guard::Impl guarded(w, brake, options);
    const std::span<const std::byte> block = guarded.blocks[b];
    auto* byte = const_cast<std::byte*>(block.data() + (block.size() * 2) / 3);
    const std::byte before = *byte;
    int found = -1;
    for (int k = 1; k < 100 && found < 0; ++k) {
      if (k == 30) *byte ^= std::byte{0x10};
      // What is flipped may be read before it is found: only the memory is asked.
      if (!guarded.check_memory()) found = k;
    }
    *byte = before;
    EXPECT_GE(found, 30) << b;
    EXPECT_LE(found, 30 + 2 * 21) << b;
    // Never trusted again.
    EXPECT_FALSE(guarded.check_memory());
  }
}

TEST_F(GuardTest, IsTheSameForTheSameInput) {
  GuardOptions options = loose();
  options.budget = 3000, options.graded = true;
  make(options);
  Guard twin(w, model, options);
  Guard third(w, model, options);
  std::vector<std::byte> memory(guard->memory_size());
  const auto same = [](const GuardCycle& a, const GuardCycle& b) {
    return a.action == b.action && a.reason == b.reason && a.a == b.a && a.b == b.b &&
           a.bound == b.bound && a.scale == b.scale && a.flops == b.flops && a.cycle == b.cycle;
  };
  int goes = 0;
  for (int k = 1; k < 1000; ++k) {
    const double t = 0.01 * k;
    const double q[] = {1.7 * std::sin(t), 1.5 * std::sin(1.7 * t)};
    const double v[] = {1.7 * std::cos(t), 2.5 * std::cos(1.7 * t)};
    if (k == 500) {
      guard->save(memory);
      ASSERT_TRUE(third.restore(memory));
    }
    goes += guard->step({t, q, v}) == Action::go ? 1 : 0;
    twin.step({t, q, v});
    ASSERT_TRUE(same(guard->last(), twin.last())) << k;
    if (k < 500) continue;
    third.step({t, q, v});
    ASSERT_TRUE(same(guard->last(), third.last())) << k;
  }
  EXPECT_GT(goes, 100);
  EXPECT_LT(goes, 990);
  // What is not its own is refused.
  memory[memory.size() / 2] ^= std::byte{1};
  EXPECT_FALSE(third.restore(memory));
  EXPECT_FALSE(third.restore(std::span(memory).first(memory.size() - 1)));
  options.margin = 0.001;
  Guard other(w, model, options);
  guard->save(memory);
  EXPECT_FALSE(other.restore(memory));
}

TEST_F(GuardTest, RestoresNothingThatLeadsAstray) {
  make(loose());
  ASSERT_EQ(step(0, 0), Action::go);
  const int may[] = {table};
  ASSERT_TRUE(guard->attach(part, left, may));
  ASSERT_EQ(step(0, 0), Action::go);
  Guard::Impl own(w, model, loose());
  std::vector<std::byte> memory(guard->memory_size());
  guard->save(memory);
  ASSERT_TRUE(own.restore(memory));
  // Words of other numbers, with a sum that is right again.
  std::mt19937_64 random(5);
  int refused = 0;
  const double q[] = {0, 0}, v[] = {0, 0};
  for (int k = 0; k < 3000; ++k) {
    std::vector<std::byte> wrong = memory;
    const std::size_t at = 8 + 4 * (random() % ((wrong.size() - 16) / 4));
    const std::uint32_t word = random() % 2 ? 0xffffffffu : static_cast<std::uint32_t>(random());
    std::memcpy(wrong.data() + at, &word, 4);
    own.sign(wrong);
    refused += own.restore(wrong) ? 0 : 1;
    own.step({1 + 0.001 * k, q, v});
  }
  EXPECT_GT(refused, 100);
}

TEST_F(GuardTest, GradesTheSpeedThatCanBeKept) {
  GuardOptions options = loose();
  options.graded = true, options.horizon = 0.4;
  make(options);
  const auto scale_at = [&](double q0) {
    for (int k = 0; k < 6; ++k) step(q0, 1, 0.2);
    return guard->last().scale;
  };
  // 0.6 to stop from 3.85, and 0.4 more at full speed.
  EXPECT_EQ(scale_at(3.85 - 0.6 - 0.41), 1);
  EXPECT_EQ(scale_at(3.85 - 0.6 - 0.39), 0.75);
  EXPECT_EQ(scale_at(3.85 - 0.6 - 0.21), 0.5);
  EXPECT_EQ(scale_at(3.85 - 0.6 - 0.11), 0.25);
  EXPECT_EQ(scale_at(3.85 - 0.6 - 0.09), 0);
  EXPECT_EQ(guard->last().action, Action::go);
  EXPECT_EQ(scale_at(3.85 - 0.6 + 0.01), 0);
  EXPECT_EQ(guard->last().action, Action::brake);
}

TEST_F(GuardTest, SpendsNoMoreThanItsBudget) {
  for (const std::uint64_t budget : {0u, 100u, 1000u, 5000u, 55'000u}) {
    GuardOptions options = loose();
    options.budget = budget;
    make(options);
    bool went = false;
    for (int k = 0; k < 50; ++k) {
      const Action action = step(0.01 * k, 1);
      ASSERT_LE(guard->last().flops, guard->work_bound());
      went = went || action == Action::go;
      if (budget == 0) {
        EXPECT_EQ(guard->last().reason, Reason::starting);
      }
    }
    EXPECT_EQ(went, budget >= 1000) << budget;
  }
}

TEST_F(GuardTest, ChecksWhatItCarries) {
  make(loose());
  EXPECT_FALSE(guard->attach(part, left));  // before the first state
  ASSERT_EQ(step(0, 0), Action::go);
  const int many = static_cast<int>(w.solids().size());
  EXPECT_FALSE(guard->attach(left, right));
  EXPECT_FALSE(guard->attach(part, table));
  EXPECT_FALSE(guard->attach(-1, left));
  EXPECT_FALSE(guard->attach(part, many));
  const int bad[] = {left, many};
  EXPECT_FALSE(guard->attach(part, left, bad));
  EXPECT_FALSE(guard->release(part));
  // It touches the table, which it may while it is carried only if that is said.
  ASSERT_TRUE(guard->attach(part, left));
  EXPECT_EQ(step(0, 0), Action::brake);
  EXPECT_EQ(guard->last().b, table);
  const int may[] = {table};
  ASSERT_TRUE(guard->attach(part, left, may));
  EXPECT_EQ(step(0, 0), Action::go);
  // The hand would pass the post, what it carries does not.
  EXPECT_EQ(step(1.7, 0.5), Action::brake);
  EXPECT_EQ(guard->last().a, part);
  EXPECT_EQ(guard->last().b, post);
  EXPECT_EQ(step(1.7, 0), Action::go);
  // The other hand meets it where the first one is not.
  EXPECT_EQ(step(3.3, 0, 0), Action::go);
  EXPECT_EQ(step(3.3, 0, -0.45), Action::go);
  ASSERT_TRUE(guard->release(part));
  EXPECT_FALSE(guard->release(part));
  // It stands at 3.3 now: the hand that let it go may leave, and not come back.
  EXPECT_EQ(step(3.3, 0), Action::go);
  EXPECT_EQ(step(2.9, 0), Action::go);
  EXPECT_EQ(step(3.3, 0), Action::go);  // 0.3 beside: never nearer than 0.1
  EXPECT_TRUE(guard->set_margin(part, left, 0.15));
  EXPECT_EQ(step(2.9, 0), Action::go);
  EXPECT_EQ(step(3.3, 0), Action::brake);
  EXPECT_EQ(guard->last().a, part);
  // Where it stood before is free.
  EXPECT_EQ(step(0, 0), Action::go);
  EXPECT_TRUE(guard->set_margin(left, table, 0.29));
  EXPECT_EQ(step(0, 0), Action::go);
}

TEST_F(GuardTest, PutsDownWhatTheSceneHasItCarry) {
  Attachment attachment;
  attachment.object = "part", attachment.link = "left/hand", attachment.touch = {"table"};
  scene.attached.push_back(attachment);
  make(loose());
  ASSERT_EQ(step(0, 0), Action::go);
  EXPECT_EQ(step(1.7, 0.5), Action::brake);
  EXPECT_EQ(guard->last().a, part);
  ASSERT_EQ(step(0.5, 0), Action::go);
  ASSERT_TRUE(guard->release(part));
  EXPECT_EQ(step(1.7, 0.5), Action::go);
  // The other hand, sent there, would meet it.
  EXPECT_EQ(step(1.7, 0, -3.5), Action::go);
  EXPECT_TRUE(guard->set_margin(part, right, 0.11));
  EXPECT_EQ(step(1.7, 0, -3.5), Action::brake);
  // Taken again it moves along.
  ASSERT_TRUE(guard->attach(part, right));
  EXPECT_EQ(step(1.7, 0, -1.9), Action::brake);
  EXPECT_EQ(guard->last().b, post);
}

TEST_F(GuardTest, KeepsItsOptionsApart) {
  w = world();
  JointBrake joint;
  joint.max_acceleration = 0, joint.brake_deceleration = 1;
  const BrakeModel brake = uniform_brake(w, 0.1, joint);
  const auto refuses = [&](auto change) {
    GuardOptions options;
    change(options);
    EXPECT_THROW(Guard(w, brake, options), Error);
  };
  refuses([](GuardOptions& o) { o.margin = -1; });
  refuses([](GuardOptions& o) { o.margin = std::nan(""); });
  refuses([](GuardOptions& o) { o.slices = 0; });
  refuses([](GuardOptions& o) { o.splits = -1; });
  refuses([](GuardOptions& o) { o.max_age = 0; });
  refuses([](GuardOptions& o) { o.horizon = -1; });
  BrakeModel wrong = brake;
  wrong.joints.pop_back();
  EXPECT_THROW(Guard(w, wrong), Error);
}

}  // namespace
}  // namespace keepclear
