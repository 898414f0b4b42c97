// SPDX-License-Identifier: BSD-3-Clause
//
// Judges keepclear::Guard when it is called in any order: hands drive among balls as the guard lets
// them; between cycles things are taken and put down, margins set, the world confirmed, the guard
// reset, saved and restored; states of every kind are refused. Each answer is compared with what is
// true, with a fresh guard that is told the truth, and with a twin in other memory.
#pragma once

#include "guard/order_run.hpp"

namespace keepclear::test {

class OrderJudge : private OrderRun {
 public:
  OrderJudge(std::uint64_t seed, OrderTally& tally)
      : OrderRun(seed, tally), truth_at_load_(truth_) {}

  void run(int cycles) {
    for (int k = 0; k < cycles; ++k, ++cycle_) {
      step();
      if (options_.max_world_age < kInfinity && dice_.happens(0.5)) confirm();
      if (last_ == Last::believed && known_.braked && options_.latch && dice_.happens(0.1)) reset();
      while (dice_.happens(last_ == Last::believed ? 0.15 : 0.4)) act();
      // How far the check of memory has come is not saved: what is corrupted is found when it is.
      if (cycle_ % 16 == 0 && !known_.corrupted) compare_bytes();
    }
  }

 private:
  void step() {
    advance(kCycle);
    if (dice_.happens(0.02)) {  // nobody asks for a while
      brake_robot();
      advance(kCycle * dice_.real(2, 6));
    }
    const bool elsewhere = robot_->standing() && dice_.happens(0.05);  // moved by hand
    if (elsewhere) put_robot_somewhere();
    robot_->measure();
    JointSimulation next = *robot_;
    choose_way();
    next.drive(wanted_, kCycle);
    Sample sample;
    sample.time = time_;
    sample.q.assign(robot_->measured_q().begin(), robot_->measured_q().end());
    sample.v.assign(robot_->measured_v().begin(), robot_->measured_v().end());
    sample.command.assign(next.command().begin(), next.command().end());
    if (dice_.happens(elsewhere ? 0.6 : 0.15)) spoil(sample);
    const Action action = ask(sample);
    judge(sample, action);
    if (action == Action::go) {
      *robot_ = std::move(next);
      covered_ = true;
    } else {
      brake_robot();
    }
  }

  /// Towards some ball, mostly.
  void choose_way() {
    if (!wanted_.empty() && !dice_.happens(0.05)) return;
    wanted_.resize(world_.dof());
    const Vec3 p = truth_.centre(dice_.whole(0, truth_.count() - 1), robot_->q());
    const double speed = dice_.real(0.5, 3);
    for (std::size_t i = 0; i < wanted_.size(); ++i) {
      const std::size_t number = i % truth_.dof_of_hand();
      const double ahead = number == 2 ? dice_.either_side(1) : p[static_cast<int>(number)];
      wanted_[i] = std::clamp(speed * (ahead - (number == 2 ? 0 : robot_->q()[i])), -3.0, 3.0);
    }
  }

  void judge(const Sample& s, Action action) {
    const Reason said = guard_->last().reason, expected = gate(s);
    ++tally_.cycles;
    ++tally_.reasons[static_cast<std::size_t>(said)];
    const bool go = action == Action::go;
    tally_.goes += go ? 1 : 0;
    if (go != (said == Reason::free)) blame(tally_.wrong_reasons, "go, and a reason to brake");
    const bool understood = said == Reason::free || said == Reason::not_clear ||
                            said == Reason::latched || said == Reason::still_moving;
    if (expected != Reason::free ? said != expected : !understood) {
      blame(tally_.wrong_reasons,
            std::string(name_of(said)) + ", expected " + std::string(name_of(expected)));
    }
    last_ = expected == Reason::free          ? Last::believed
            : expected == Reason::world_stale ? Last::unconfirmed
                                              : Last::refused;
    if (understood && expected == Reason::free) judge_understood(s, said);
    known_.braked = !go && known_.went;
    known_.went = known_.went || go;
  }

  /// What a guard says of a state that is clear.
  Reason reason_of_clear(const Sample& s) const {
    if (!known_.braked) return Reason::free;
    if (options_.latch) return Reason::latched;
    bool lets_go = !options_.known_command, stands = true;
    for (std::size_t i = 0; i < s.v.size(); ++i) {
      const JointBrake& joint = brake_.joints[i];
      lets_go = lets_go && joint.brake_deceleration_most <= joint.max_acceleration;
      stands = stands && std::fabs(s.v[i]) <= joint.velocity_uncertainty;
    }
    return lets_go || stands ? Reason::free : Reason::still_moving;
  }

  void judge_understood(const Sample& s, Reason said) {
    const std::span<const double> command =
        options_.known_command ? std::span<const double>(s.command) : std::span<const double>{};
    if (!braking_->box({s.q, s.v, command}, kWholeBraking, box_)) {
      blame(tally_.wrong_reasons, "a state without a box was understood");
      return;
    }
    std::vector<std::vector<double>> samples(1, s.q);
    for (int k = 0; k < 12; ++k) {
      std::vector<double> q = s.q;
      for (std::size_t i = 0; i < q.size(); ++i) {
        const double share = k < 4 ? dice_.whole(0, 1) : dice_.unit();
        q[i] = box_[i].lower + share * (box_[i].upper - box_[i].lower);
      }
      samples.push_back(std::move(q));
    }
    tally_.poses += static_cast<std::int64_t>(samples.size());
    double least = kInfinity;
    for (const auto& q : samples) least = std::min(least, truth_.least(q, options_.margin));
    if (!truth_.turns()) least = truth_.least_over(box_, options_.margin);
    // Parts in time show what the whole box does not: then only where it is now is sure to count.
    const double judged = options_.slices == 1 ? least : truth_.least(s.q, options_.margin);
    const bool clear = said != Reason::not_clear;
    if (said == Reason::free && judged < -1e-9) {
      blame(tally_.wrong_go, "go, and " + std::to_string(judged) + " m are left in the box");
    }
    if (clear && said != reason_of_clear(s)) {
      blame(tally_.wrong_reasons, std::string(name_of(said)) + " of a clear state, expected " +
                                      std::string(name_of(reason_of_clear(s))));
    }
    truth_.looked_at(s.q, box_, options_.margin);
    if (truth_.any_excused()) return;
    if (!truth_.turns() && least > kNear && !clear) {
      blame(tally_.needless, "brake, and all is " + std::to_string(least) + " m clear");
    }
    if (dice_.happens(0.3)) compare_with_fresh(s, clear, least);
  }

  /// A guard of a world in which everything stands where it is now, and that takes what is carried.
  void compare_with_fresh(const Sample& s, bool clear, double least) {
    // Near the edge, and in parts of time, a search may go either way.
    if (std::fabs(least) < (truth_.turns() ? 10 : 1) * kNear) return;
    if (least < 0 && options_.slices > 1) return;
    const World world = truth_.world_at(s.q);
    GuardOptions options = options_;
    options.check_jumps = options.latch = options.graded = false;
    options.max_gap = 1e9;
    options.max_world_age = kInfinity;
    Guard fresh(world, brake_, options);
    const auto solid = [&](int b) { return world.find_solid(truth_.ball(b).name); };
    const auto set_margins = [&] {
      for (const auto& [pair, margin] : truth_.margins()) {
        fresh.set_margin(solid(pair.first), solid(pair.second), margin);
      }
    };
    const std::vector<double> rest(s.v.size(), 0.0);
    fresh.step({.time = 0, .q = s.q, .v = rest, .command = rest});
    set_margins();
    for (int b = truth_.hands(); b < truth_.count(); ++b) {
      const TrueBall& ball = truth_.ball(b);
      if (ball.hand < 0) continue;
      std::vector<int> touch;
      for (const int other : ball.touch) touch.push_back(solid(other));
      if (!fresh.attach(solid(b), solid(ball.hand), touch)) {
        blame(tally_.wrong_returns, "attach, of a fresh guard");
      }
    }
    set_margins();
    fresh.reset();
    fresh.step({.time = 1, .q = s.q, .v = s.v, .command = s.command});
    ++tally_.fresh;
    const Reason other = fresh.last().reason;
    if ((other == Reason::free) == clear) return;
    // Of hands that turn, a bound from before may show what a search of now does not.
    if (truth_.turns() && least > 0) {
      ++tally_.loose;
      return;
    }
    blame(tally_.other_than_fresh, std::string("a fresh guard says ") +
                                       std::string(name_of(other)) +
                                       (clear ? ", this one clear, " : ", this one not clear, ") +
                                       std::to_string(least) + " m apart");
  }

  // --- what happens between cycles -------------------------------------------------------------

  std::vector<std::byte> saved(const Guard& guard) const {
    std::vector<std::byte> memory(guard.memory_size(), std::byte{0x77});
    guard.save(memory);
    return memory;
  }
  void compare_bytes() {
    std::vector<std::byte> own, other;
    {
      const Poison poison(0xcc);
      own = saved(*guard_);
    }
    {
      const Poison poison(0x33);
      other = saved(*twin_);
    }
    ++tally_.saved;
    std::size_t differ = 0;
    for (std::size_t i = 0; i < own.size(); ++i) differ += own[i] != other[i] ? 1 : 0;
    if (differ == 0) return;
    blame(tally_.other_bytes, std::to_string(differ) + " of " + std::to_string(own.size()) +
                                  " saved bytes differ from those of the twin");
  }

  /// A call of both guards that has to answer as expected, and to change nothing where it is false.
  template <typename F>
  bool call(const char* what, bool expected, const F& f) {
    const std::vector<std::byte> before = expected ? std::vector<std::byte>{} : saved(*guard_);
    const bool done = both(f);
    tally_.refused += expected ? 0 : 1;
    if (done != expected) {
      static constexpr const char* kNames[] = {"no state", "a refused state",
                                               "a world that is not confirmed", "a state"};
      blame(tally_.wrong_returns, std::string(what) + (done ? " is true" : " is false") +
                                      " after " + kNames[static_cast<int>(last_)] + ", " +
                                      std::string(name_of(guard_->last().reason)));
    } else if (!done && saved(*guard_) != before) {
      blame(tally_.not_nothing, std::string(what) + " is false, and something happened");
    }
    return done;
  }

  void act() {
    if (known_.corrupted && dice_.happens(0.3)) {
      start_over();
      return;
    }
    switch (dice_.whole(0, 15)) {
      case 0:
      case 1:
      case 2:
      case 3:
      case 4:
        attach();
        break;
      case 5:
      case 6:
      case 7:
        release();
        break;
      case 8:
        set_margin();
        break;
      case 9:
      case 10:
      case 11:
        confirm();
        break;
      case 12:
        if (dice_.happens(0.3)) reset();
        break;
      case 13:
        snapshot_ = {saved(*guard_), truth_, known_};
        break;
      case 14:
        restore();
        break;
      default:
        if (dice_.happens(0.3)) roll_back();
    }
    if (guard_->changed() != known_.changed) {
      blame(tally_.wrong_returns, "changed() is not what was changed");
    }
  }

  int any_object() { return dice_.whole(truth_.hands(), truth_.count() - 1); }

  void attach() {
    const bool bad = dice_.happens(0.05);
    const int b = bad ? dice_.whole(0, truth_.hands() - 1) : any_object();
    const int hand = dice_.whole(0, truth_.hands() - 1);
    std::vector<int> touch, solids;
    for (int other = 0; other < truth_.count(); ++other) {
      if (other != b && dice_.happens(0.3)) touch.push_back(other);
    }
    for (const int other : touch) solids.push_back(solids_[static_cast<std::size_t>(other)]);
    const bool done = call("attach()", last_ == Last::believed && !bad, [&](Guard& guard) {
      return guard.attach(solids_[static_cast<std::size_t>(b)],
                          solids_[static_cast<std::size_t>(hand)], solids);
    });
    if (!done || bad) return;
    ++tally_.attached;
    truth_.attach(b, hand, touch, robot_->q());
    known_.changed = true;
    covered_ = false;
  }
  void release() {
    const int b = any_object();
    const bool expected = last_ == Last::believed && truth_.ball(b).hand >= 0;
    const bool done = call("release()", expected, [&](Guard& guard) {
      return guard.release(solids_[static_cast<std::size_t>(b)]);
    });
    if (!done) return;
    ++tally_.released;
    truth_.release(b, robot_->q());
    known_.changed = true;
    covered_ = false;
  }
  void set_margin() {
    const int a = dice_.whole(0, truth_.count() - 1), b = dice_.whole(0, truth_.count() - 1);
    const double margin = dice_.happens(0.5) ? 0 : dice_.real(0, 0.1);
    const bool done = both([&](Guard& guard) {
      return guard.set_margin(solids_[static_cast<std::size_t>(a)],
                              solids_[static_cast<std::size_t>(b)], margin);
    });
    if (!done) return;
    ++tally_.margins;
    truth_.set_margin(a, b, margin);
    known_.changed = true;
    covered_ = false;
  }
  void confirm() {
    const double nan = std::nan("");
    const std::vector<double> times = {
        known_.time,       known_.time,        known_.time, known_.time - 0.05,
        known_.time + 0.1, 1000 * known_.time, nan,         kInfinity};
    const double time = dice_.one_of(times);
    const bool expected = std::isfinite(time) && last_ != Last::refused &&
                          (last_ == Last::none || time <= known_.time);
    const auto f = [&](auto& guard) {
      if constexpr (std::is_void_v<decltype(guard.confirm_world(time))>) {
        guard.confirm_world(time);
        return expected;
      } else {
        return guard.confirm_world(time);
      }
    };
    if (!call("confirm_world()", expected, f)) return;
    ++tally_.confirmed;
    known_.confirmed = std::max(known_.confirmed, time);
  }

  void reset() {
    both([](Guard& guard) {
      guard.reset();
      return true;
    });
    ++tally_.resets;
    last_ = Last::none;
    known_.has_last = known_.went = known_.braked = false;
  }

  bool restore_both(const std::vector<std::byte>& memory) {
    last_ = Last::none;
    return both([&](Guard& guard) { return guard.restore(memory); });
  }
  /// A guard in other memory goes on in place of the one that saved.
  void restore() {
    std::vector<std::byte> memory = saved(*guard_);
    if (dice_.happens(0.7)) guard_ = make(dice_.whole(1, 255));
    if (dice_.happens(0.3)) {
      std::vector<std::byte> damaged = memory;
      damaged[static_cast<std::size_t>(dice_.unit() * static_cast<double>(damaged.size()))] ^=
          std::byte{1};
      if (guard_->restore(damaged)) blame(tally_.wrong_returns, "restore() of damaged memory");
    }
    ++tally_.restores;
    if (!restore_both(memory)) blame(tally_.wrong_returns, "restore() is false");
  }
  /// The world and the guard are put back to what they were; the robot is where it is.
  void roll_back() {
    if (snapshot_.memory.empty()) return;
    const bool corrupted = known_.corrupted;
    if (!restore_both(snapshot_.memory)) blame(tally_.wrong_returns, "restore() is false");
    ++tally_.rollbacks;
    truth_ = snapshot_.truth;
    known_ = snapshot_.known;
    known_.corrupted = known_.corrupted || corrupted;
    covered_ = false;
  }
  /// A corrupted guard is of no use any more: another one, of the world as it was loaded.
  void start_over() {
    ++tally_.corrupted;
    guard_ = make(0x5a);
    twin_ = make(0xa5);
    truth_ = truth_at_load_;
    known_ = {};
    last_ = Last::none;
    snapshot_.memory.clear();
    put_robot_somewhere();
  }

  static constexpr double kNear = 1e-2;

  struct Snapshot {
    std::vector<std::byte> memory{};
    CarriedTruth truth;
    Known known{};
  };
  CarriedTruth truth_at_load_;
  Snapshot snapshot_{{}, truth_at_load_, {}};
};

/// As many runs as it takes for that many cycles.
inline OrderTally judge_order(std::int64_t cycles, std::uint64_t seed) {
  OrderTally tally;
  for (; tally.cycles < cycles; ++seed) OrderJudge(seed, tally).run(400);
  return tally;
}

}  // namespace keepclear::test
