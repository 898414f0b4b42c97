// SPDX-License-Identifier: BSD-3-Clause
//
// What keepclear::Guard is judged on when it is called in any order (order_judge.hpp): hands that
// drive among balls as a guard lets them, states of every kind, and the gate that they must pass.
#pragma once

#include <malloc.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

#include "guard/carried_truth.hpp"
#include "keepclear/recorder.hpp"
#include "motion/braking.hpp"
#include "motion/simulation.hpp"
#include "scene/world.hpp"

namespace keepclear::test {

/// What was counted; the lower half must stay zero.
struct OrderTally {
  std::int64_t runs = 0, cycles = 0, goes = 0, poses = 0;
  std::array<std::int64_t, 32> reasons{};
  std::int64_t attached = 0, released = 0, margins = 0, confirmed = 0;
  std::int64_t refused = 0;  ///< calls that had to be answered by false
  std::int64_t resets = 0, restores = 0, rollbacks = 0, corrupted = 0;
  std::int64_t fresh = 0;  ///< compared with a guard without history
  std::int64_t loose = 0;  ///< of those, apart by bounds that the other did not find
  std::int64_t saved = 0;  ///< compared with the bytes of the twin

  std::int64_t wrong_go = 0;       ///< go, and two bodies are too near within the braking motion
  std::int64_t contacts = 0;       ///< the robot that was let go came too near
  std::int64_t wrong_returns = 0;  ///< of attach, release, confirm_world, restore
  std::int64_t wrong_reasons = 0;  ///< another than the one that the state was spoiled for
  std::int64_t not_nothing = 0;    ///< false, and something happened
  std::int64_t needless = 0;       ///< brake, and all is clear
  std::int64_t other_than_fresh = 0, other_than_twin = 0, other_bytes = 0;
  std::vector<std::string> messages;

  std::int64_t violations() const {
    return wrong_go + contacts + wrong_returns + wrong_reasons + not_nothing + needless +
           other_than_fresh + other_than_twin + other_bytes;
  }
};

/// Leaves the memory that is allocated next, and the stack, full of one byte.
class Poison {
 public:
  explicit Poison(int byte) {
    mallopt(M_PERTURB, byte);
    fill(byte);
  }
  ~Poison() { mallopt(M_PERTURB, 0); }
  Poison(const Poison&) = delete;
  Poison& operator=(const Poison&) = delete;

 private:
  [[gnu::noinline]] static void fill(int byte) {
    volatile char stack[1 << 14];
    for (volatile char& c : stack) c = static_cast<char>(byte);
  }
};

class OrderRun {
 protected:
  OrderRun(std::uint64_t seed, OrderTally& tally)
      : seed_(seed),
        tally_(tally),
        dice_(seed),
        folder_(seed),
        truth_(dice_, folder_),
        world_(truth_.world()) {
    draw_options();
    braking_.emplace(world_, brake_);
    for (int b = 0; b < truth_.count(); ++b)
      solids_.push_back(world_.find_solid(truth_.ball(b).name));
    robot_ = std::make_unique<JointSimulation>(
        world_, brake_, dice_.happens(0.5) ? Behaviour::worst : Behaviour::random, seed);
    robot_->keep_commands(options_.known_command);
    put_robot_somewhere();
    guard_ = make(0x5a);
    twin_ = make(0xa5);
    box_.resize(world_.dof());
    ++tally_.runs;
  }

  enum class Last { none, refused, unconfirmed, believed };

  void blame(std::int64_t& counter, const std::string& what) {
    ++counter;
    if (tally_.messages.size() >= 20) return;
    tally_.messages.push_back("seed " + std::to_string(seed_) + ", cycle " +
                              std::to_string(cycle_) + ": " + what);
  }

  void draw_options() {
    JointBrake joint;
    joint.max_velocity = 8;
    joint.max_acceleration = dice_.real(3, 20);
    joint.brake_deceleration = dice_.real(3, 20);
    joint.brake_deceleration_most = joint.brake_deceleration * (dice_.happens(0.5) ? 1 : 2);
    joint.acceleration_uncertainty = 0;
    joint.velocity_uncertainty = dice_.happens(0.5) ? 1e-3 : 0;
    brake_ = uniform_brake(world_, kCycle * dice_.real(1.2, 3), joint);
    options_.budget = 50'000'000;
    options_.margin = dice_.happens(0.5) ? 0 : 0.02;
    options_.latch = dice_.happens(0.2);
    options_.graded = dice_.happens(0.3);
    options_.known_command = dice_.happens(0.2);
    options_.check_jumps = dice_.happens(0.5);
    options_.slices = dice_.happens(0.5) ? 1 : 4;
    options_.max_age = 0.5 * kCycle;
    if (dice_.happens(0.4)) options_.max_world_age = 10 * kCycle;
    options_.max_carried = static_cast<std::size_t>(truth_.count());
    options_.check_cycles = 1;
  }
  std::unique_ptr<Guard> make(int byte) {
    const Poison poison(byte);
    return std::make_unique<Guard>(world_, brake_, options_);
  }

  /// f of the guard and of its twin, each with other garbage around.
  template <typename F>
  auto both(const F& f) {
    {
      const Poison poison(0x33);
      f(*twin_);
    }
    const Poison poison(0xcc);
    return f(*guard_);
  }

  // --- the robot -------------------------------------------------------------------------------

  void put_robot_somewhere() {
    std::vector<double> q(world_.dof()), rest(world_.dof(), 0.0);
    for (int tries = 0; tries < 200; ++tries) {
      for (double& x : q) x = dice_.either_side(1.8);
      if (truth_.least(q, options_.margin) > 0.05) break;
    }
    robot_->set(q, rest);
    robot_->brake(0);
    covered_ = false;
  }
  void advance(double dt) {
    constexpr int kParts = 4;
    for (int i = 0; i < kParts; ++i) {
      robot_->advance(dt / kParts);
      ++tally_.poses;
      if (covered_ && truth_.least(robot_->q(), options_.margin) < -1e-9) {
        blame(tally_.contacts, "the robot that was let go came too near");
        covered_ = false;
      }
    }
    time_ += dt;
  }
  void brake_robot() {
    if (!robot_->braking()) robot_->brake(brake_.latency - kCycle);
  }

  // --- a cycle ---------------------------------------------------------------------------------

  struct Sample {
    double time = 0, age = 0;
    std::vector<double> q, v, command, ages;
    bool rounding = false, flip = false;
    bool lies = false;  ///< the robot is not there
    GuardState state() const {
      return {.time = time, .q = q, .v = v, .command = command, .age = age, .ages = ages};
    }
  };

  /// A lie has to be one that a guard can tell: by the last state, too far from it for any robot,
  /// or by limits. What it believes it rests on: after reset() there is nothing to compare with,
  /// and what is taken at a state that is not true is believed to be where it is not.
  void spoil(Sample& s) {
    const double nan = std::nan(""), infinity = std::numeric_limits<double>::infinity();
    double& number = dice_.happens(0.5) ? s.q[0] : s.v.back();
    const bool jumps_are_seen = options_.check_jumps && known_.has_last;
    switch (dice_.whole(0, 13)) {
      case 0:
        s.q.push_back(0);
        break;
      case 1:
        s.v.pop_back();
        break;
      case 2:
        s.ages.assign(1 + s.q.size(), 0.0);
        break;
      case 3:
        number = dice_.happens(0.5) ? nan : infinity;
        break;
      case 4:
        s.time = dice_.happens(0.5) ? nan : infinity;
        break;
      case 5:
        s.age = dice_.happens(0.5) ? 0.5 : dice_.happens(0.5) ? -1e-3 : nan;
        break;
      case 6:
        s.ages.assign(s.q.size(), 0.0);
        s.ages.back() = 0.5;
        break;
      case 7:
        s.time = known_.time - dice_.real(1e-3, 10);
        break;
      case 8:
        s.time = known_.time;
        break;
      case 9:
        s.q[0] = jumps_are_seen && dice_.happens(0.5) ? known_.q[0] + 0.5 : s.q[0] + 30;
        s.lies = true;
        break;
      case 10:
        s.v[0] = !jumps_are_seen || dice_.happens(0.5) ? 8.5 : known_.v[0] > 0 ? -2 : 2;
        s.lies = true;
        break;
      case 11:
        s.command.clear();
        break;
      case 12:
        s.rounding = true;
        break;
      default:
        s.flip = dice_.happens(0.1);
    }
  }

  Action ask(const Sample& sample) {
#if defined(__SSE2__)
    const unsigned mode = _mm_getcsr();
#endif
    // Memory that nobody writes, and that both guards check: all of it twice in two cycles.
    auto* const byte = const_cast<std::byte*>(
        reinterpret_cast<const std::byte*>(&world_.data().kinematics.frame(1)) + 11);
    if (sample.flip) {
      *byte ^= std::byte{0x10};
      both([&](Guard& guard) { return guard.step(sample.state()); });
    }
    const Action action = both([&](Guard& guard) {
#if defined(__SSE2__)
      if (sample.rounding) _mm_setcsr(mode | (dice_bit_ ? 0x2000u : 0x8000u));
#endif
      const Action one = guard.step(sample.state());
#if defined(__SSE2__)
      _mm_setcsr(mode);
#endif
      return one;
    });
    if (sample.flip) *byte ^= std::byte{0x10};
    dice_bit_ = !dice_bit_;
    if (!same_finding(guard_->last(), twin_->last())) {
      blame(tally_.other_than_twin, std::string("answers differ: ") +
                                        std::string(name_of(guard_->last().reason)) + " and " +
                                        std::string(name_of(twin_->last().reason)));
    }
    return action;
  }

  /// What the gate has to say, by the words of keepclear/guard.hpp; free: it lets the state
  /// through.
  Reason gate(const Sample& s) {
    const std::size_t dof = world_.dof();
    if (s.rounding) return Reason::bad_rounding;
    known_.corrupted = known_.corrupted || s.flip;
    if (known_.corrupted) return Reason::corrupted;
    if (s.q.size() != dof || s.v.size() != dof) return Reason::wrong_size;
    if (s.command.empty() && options_.known_command) return Reason::wrong_size;
    if (!s.ages.empty() && s.ages.size() != dof) return Reason::wrong_size;
    bool finite = std::isfinite(s.time);
    for (std::size_t i = 0; i < dof; ++i) {
      finite = finite && std::isfinite(s.q[i]) && std::isfinite(s.v[i]);
    }
    if (!finite) return Reason::not_finite;
    const double oldest = std::min(options_.max_age, brake_.latency);
    bool young = s.age >= 0 && s.age <= oldest;
    for (const double age : s.ages) young = young && age >= 0 && age <= oldest;
    if (!young) return Reason::stale;
    const double dt = s.time - known_.time;
    if (known_.has_last && dt < 0) return Reason::time_back;
    if (known_.has_last && dt == 0) return Reason::time_repeats;
    Reason reason = Reason::free;
    if (known_.has_last && dt > brake_.latency * (1 + 1e-6)) {
      reason = Reason::time_jumps;
    } else if (known_.has_last && options_.check_jumps &&
               !braking_->reachable({known_.q, known_.v}, {s.q, s.v}, dt)) {
      reason = Reason::jump;
    }
    for (std::size_t i = 0; i < dof && reason == Reason::free; ++i) {
      if (std::fabs(s.q[i]) > 20 + options_.limit_tolerance)
        reason = Reason::beyond_limits;
      else if (std::fabs(s.v[i]) > 8)
        reason = Reason::too_fast;
    }
    if (s.lies && reason == Reason::free) blame(tally_.wrong_reasons, "a lie that nobody can tell");
    known_.time = s.time, known_.q = s.q, known_.v = s.v, known_.has_last = true;
    if (reason != Reason::free) return reason;
    if (known_.confirmed > s.time) known_.confirmed = -kInfinity;
    return s.time - known_.confirmed <= options_.max_world_age ? Reason::free : Reason::world_stale;
  }

  static constexpr double kCycle = 0.01;
  static constexpr double kInfinity = std::numeric_limits<double>::infinity();

  std::uint64_t seed_;
  OrderTally& tally_;
  oracle::Dice dice_;
  oracle::ScratchFolder folder_;
  CarriedTruth truth_;
  World world_;
  BrakeModel brake_;
  GuardOptions options_;
  std::optional<Braking> braking_;
  std::vector<int> solids_;  ///< of each ball
  std::unique_ptr<JointSimulation> robot_;
  std::unique_ptr<Guard> guard_, twin_;
  std::vector<Interval> box_;
  std::vector<double> wanted_;
  std::int64_t cycle_ = 0;
  double time_ = 1;
  bool covered_ = false;  ///< a go holds for all that is checked
  bool dice_bit_ = false;

  // What the guard must know, by the words of keepclear/guard.hpp.
  struct Known {
    double time = 0, confirmed = -std::numeric_limits<double>::infinity();
    std::vector<double> q, v;
    bool has_last = false, went = false, braked = false, changed = false, corrupted = false;
  };
  Known known_;
  Last last_ = Last::none;
};

}  // namespace keepclear::test
