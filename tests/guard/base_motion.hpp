// SPDX-License-Identifier: BSD-3-Clause
//
// Driving and flying bases that move as a brake model allows: docs/theory/braking.md, 3 and 4. Each
// has a velocity along its way and one of its turn, which speed up by no more than they may until
// braking takes hold and lose speed then; the way is seen from the world, from the base, or from
// something between. Knows nothing of the boxes that are proved for it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "keepclear/brake.hpp"
#include "motion/simulation.hpp"

namespace keepclear::test {

class LoopDice {
 public:
  explicit LoopDice(std::uint64_t seed) : engine_(seed) {}
  double real(double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  bool chance(double share) { return real(0, 1) < share; }
  std::uint64_t next() { return engine_(); }
  Vec3 direction(int dimensions) {
    for (;;) {
      const double x = real(-1, 1), y = dimensions > 1 ? real(-1, 1) : 0;
      const Vec3 v{x, y, dimensions > 2 ? real(-1, 1) : 0};
      if (norm(v) > 0.1 && norm(v) <= 1) return (1 / norm(v)) * v;
    }
  }

 private:
  std::mt19937_64 engine_;
};

/// A velocity of one to three numbers, its acceleration bounded in length, in pieces of constant
/// acceleration.
class VectorMotion {
 public:
  VectorMotion() = default;
  VectorMotion(int dimensions, const JointBrake& brake, double latency, Behaviour behaviour,
               std::uint64_t seed)
      : dimensions_(dimensions),
        brake_(brake),
        latency_(latency),
        behaviour_(behaviour),
        dice_(seed) {}

  Vec3 u;  ///< the velocity now

  /// Commands an acceleration, and lets go of braking.
  void drive(Vec3 a) {
    const double size = norm(a);
    command_ = size > brake_.max_acceleration ? (brake_.max_acceleration / size) * a : a;
    braking_ = false;
    until_ = left_ = kNever;
    a_ = behaviour_ == Behaviour::random ? capped(command_ + off()) : command_;
  }
  Vec3 command() const { return command_; }
  void keep_commands(bool keep) { keeps_ = keep; }
  /// Which way Behaviour::worst speeds up in the latency; zero: the way that it moves.
  void push(Vec3 way) { push_ = way; }

  /// Braking takes hold within that many seconds. It ends at this share of the speed that it has
  /// then, which is kept for `hold` seconds.
  void brake(double within, double share = 0, double hold = 0) {
    if (braking_) return;
    braking_ = true;
    until_ = within;
    if (behaviour_ == Behaviour::random) until_ *= std::clamp(dice_.real(-0.2, 1.5), 0.0, 1.0);
    share_ = share, hold_ = hold, floor_ = 0;
    if (until_ > 0) {
      speed_up();
    } else {
      take_hold();
    }
  }
  bool braking() const { return braking_; }
  /// Of a base, for the frame that its way is seen from.
  bool took_hold() const { return braking_ && !(until_ > 0); }
  bool standing() const { return took_hold() && norm(u) == 0; }

  /// Seconds for which nothing changes but the velocity, evenly.
  double even() const {
    double least = std::min(left_, braking_ && until_ > 0 ? until_ : kNever);
    const double speed = norm(u);
    if (took_hold() && speed > floor_ && rate_ > 0)
      least = std::min(least, (speed - floor_) / rate_);
    return least;
  }
  /// The velocity after dt seconds, no more than even().
  Vec3 after(double dt) const {
    if (!took_hold()) return u + dt * a_;
    const double speed = norm(u);
    if (!(speed > 0)) return {};
    const double next = std::max(speed - rate_ * dt, std::min(floor_, speed));
    return (next / speed) * u;
  }
  void advance(double dt) {
    const bool held = took_hold();
    const double stands = held && rate_ > 0 ? (norm(u) - floor_) / rate_ : kNever;
    u = dt >= stands ? (floor_ > 0 ? (floor_ / norm(u)) * u : Vec3{}) : after(dt);
    left_ -= dt;
    if (!braking_) return;
    if (!held) {
      until_ -= dt;
      if (!(until_ > 0)) {
        take_hold();
      } else if (!(left_ > 0)) {
        speed_up();
      }
      return;
    }
    if (floor_ > 0 && dt >= stands) {
      // The speed that is kept, for as long as that.
      rate_ = 0;
      left_ = hold_;
      return;
    }
    if (!(left_ > 0)) {
      if (rate_ == 0) floor_ = 0;
      slow_down();
    }
  }

 private:
  static constexpr double kNever = 1e9;

  Vec3 capped(Vec3 a) const {
    const double size = norm(a);
    return size > brake_.max_acceleration ? (brake_.max_acceleration / size) * a : a;
  }
  /// What the drives make of a command: off by its uncertainty, each number by itself.
  Vec3 off() {
    const double e = std::min(brake_.acceleration_uncertainty, brake_.max_acceleration);
    if (dimensions_ == 3) return dice_.real(0, e) * dice_.direction(3);
    return {dice_.real(-e, e), dimensions_ > 1 ? dice_.real(-e, e) : 0, 0};
  }
  void speed_up() {
    left_ = until_;
    if (behaviour_ == Behaviour::exact) {
      a_ = command_;
      return;
    }
    const double most = keeps_ ? brake_.acceleration_uncertainty : brake_.max_acceleration;
    Vec3 way = push_;
    if (!(norm(way) > 0)) way = u;
    if (behaviour_ == Behaviour::random) {
      way = dice_.direction(dimensions_);
      left_ = std::min(left_, dice_.real(0.02, 0.8) * latency_ + 1e-9);
    }
    const double size = norm(way);
    const double by =
        behaviour_ == Behaviour::random ? std::clamp(dice_.real(-1, 2), 0.0, 1.0) * most : most;
    a_ = size > 0 ? (by / size) * way : Vec3{};
    if (keeps_) a_ = a_ + command_;
  }
  void take_hold() {
    until_ = 0;
    floor_ = share_ * norm(u);
    slow_down();
    if (!(share_ >= 1)) return;
    rate_ = 0;
    left_ = hold_;
  }
  void slow_down() {
    const double least = brake_.brake_deceleration;
    rate_ = least;
    left_ = kNever;
    if (behaviour_ == Behaviour::random) {
      const double most = std::min(brake_.brake_deceleration_most, 5 * least);
      rate_ = std::clamp(dice_.real(least - (most - least) / 2, most), least, most);
      left_ = dice_.real(0.01, 0.5) * (norm(u) / least) + 1e-6;
    }
  }

  int dimensions_ = 1;
  JointBrake brake_;
  double latency_ = 0;
  Behaviour behaviour_ = Behaviour::exact;
  LoopDice dice_{0};
  Vec3 command_, push_, a_;
  bool braking_ = false, keeps_ = false;
  double until_ = 0, left_ = kNever, rate_ = 0;
  double share_ = 0, hold_ = 0, floor_ = 0;
};

/// One planar or floating joint.
class BaseMotion {
 public:
  BaseMotion(bool does_fly, std::size_t at, const BrakeModel& model, Behaviour behaviour,
             std::uint64_t seed)
      : first(at), flies(does_fly), behaviour_(behaviour), dice_(seed), q_(does_fly ? 7 : 3) {
    const JointBrake way_brake = worst_of(model, first, ways());
    turn_brake_ = worst_of(model, first + ways(), q_.size() - ways());
    for (std::size_t k = 0; k < q_.size(); ++k) numbers_.push_back(model.joints[first + k]);
    way = VectorMotion(flies ? 3 : 2, way_brake, model.latency, behaviour, seed + 1);
    turn = VectorMotion(flies ? 3 : 1, turn_brake_, model.latency, behaviour, seed + 2);
    const double frames[] = {0, 1, dice_.real(0, 1), -1};
    carried_ = frames[dice_.next() % (flies ? 2 : 4)];
  }

  std::size_t first = 0;
  bool flies = false;
  VectorMotion way, turn;

  /// x, y and theta; or x, y, z and the quaternion.
  const std::vector<double>& q() const { return q_; }
  void set(std::span<const double> q) {
    q_.assign(q.begin(), q.end());
    way.u = turn.u = {};
    followed_ = false;
    drive({}, {});
  }
  /// Its velocity in the world's axes.
  Vec3 velocity() const { return seen(way.u, q_); }
  double speed() const { return norm(way.u); }
  double turning() const { return norm(turn.u); }
  bool standing() const { return way.standing() && turn.standing(); }

  /// Accelerations towards these velocities in the world's axes.
  void aim(Vec3 velocity, Vec3 turning, double dt) {
    let_go();
    drive((1 / dt) * (unseen(velocity) - way.u), (1 / dt) * (turning - turn.u));
  }
  void drive(Vec3 a, Vec3 turn_a) {
    let_go();
    way.drive(a), turn.drive(turn_a);
  }
  void brake(double within, double share = 0, double hold = 0) {
    way.brake(within, share, hold), turn.brake(within, share, hold);
  }
  void push(Vec3 velocity, Vec3 turning) { way.push(unseen(velocity)), turn.push(turning); }
  void keep_commands(bool keep) { way.keep_commands(keep), turn.keep_commands(keep); }

  void advance(double dt) {
    while (dt > 0) {
      double h = std::min({dt, kStep, way.even(), turn.even()});
      h = std::max(h, std::min(dt, 1e-12));
      move(h);
      dt -= h;
    }
  }

  /// What is measured, within the uncertainties.
  void measure(std::span<double> q, std::span<double> v) {
    std::vector<double> at = q_;
    Vec3 spin = turn.u;
    const auto off = [&](double most) {
      if (behaviour_ == Behaviour::exact) return 0.0;
      if (behaviour_ == Behaviour::worst) return dice_.chance(0.5) ? most : -most;
      return dice_.real(-most, most);
    };
    const Vec3 speed = velocity();
    for (std::size_t k = 0; k < ways(); ++k) {
      q[k] = at[k] + off(numbers_[k].position_uncertainty);
      v[k] = speed[static_cast<int>(k)] + off(numbers_[k].velocity_uncertainty);
    }
    if (!flies) {
      q[2] = at[2] + off(turn_brake_.position_uncertainty);
      v[2] = spin.x + off(turn_brake_.velocity_uncertainty);
      return;
    }
    rotate(at, (off(turn_brake_.position_uncertainty) * (1 - 1e-9)) * dice_.direction(3));
    spin = spin + (off(turn_brake_.velocity_uncertainty) * (1 - 1e-9)) * dice_.direction(3);
    // The same rotation by the opposite numbers, and by numbers of another length.
    if (behaviour_ == Behaviour::random && dice_.chance(0.02)) flip_ = !flip_;
    const double sign = flip_ ? -1 : 1, size = sign * (1 + off(5e-7));
    const std::array<double, 4> rate = half_product(spin, at);
    for (std::size_t k = 0; k < 4; ++k) q[3 + k] = size * at[3 + k], v[3 + k] = sign * rate[k];
  }
  /// The accelerations that are commanded, in the same numbers.
  void tell(std::span<double> command) const {
    const Vec3 a = seen(way.command(), q_), turn_a = turn.command();
    for (std::size_t k = 0; k < ways(); ++k) command[k] = a[static_cast<int>(k)];
    if (!flies) {
      command[2] = turn_a.x;
      return;
    }
    // Of numbers measured in another length or by the opposite ones, as long at least.
    const std::array<double, 4> rate = half_product((1 + 1e-6) * turn_a, q_);
    for (std::size_t k = 0; k < 4; ++k) command[3 + k] = rate[k];
  }
  std::size_t ways() const { return flies ? 3 : 2; }

  /// The worse numbers of several directions, for their common speed.
  static JointBrake worst_of(const BrakeModel& model, std::size_t first, std::size_t count) {
    JointBrake worst = model.joints[first];
    for (std::size_t k = 1; k < count; ++k) {
      const JointBrake& one = model.joints[first + k];
      worst.max_acceleration = std::max(worst.max_acceleration, one.max_acceleration);
      worst.brake_deceleration = std::min(worst.brake_deceleration, one.brake_deceleration);
      worst.brake_deceleration_most =
          std::max(worst.brake_deceleration_most, one.brake_deceleration_most);
      worst.position_uncertainty = std::max(worst.position_uncertainty, one.position_uncertainty);
      worst.velocity_uncertainty = std::max(worst.velocity_uncertainty, one.velocity_uncertainty);
      worst.acceleration_uncertainty =
          std::max(worst.acceleration_uncertainty, one.acceleration_uncertainty);
    }
    return worst;
  }

 private:
  /// Velocities are integrated by Simpson's rule over steps of this, seconds.
  static constexpr double kStep = 5e-4;

  /// Where the frame changes, the velocity in the world does not.
  void let_go() {
    if (!followed_) return;
    way.u = seen(way.u, q_);
    followed_ = false;
  }

  /// Half the product of (w, 0) and the quaternion.
  static std::array<double, 4> half_product(Vec3 w, std::span<const double> at) {
    const double x = at[3], y = at[4], z = at[5], s = at[6];
    return {0.5 * (w.x * s + w.y * z - w.z * y), 0.5 * (w.y * s + w.z * x - w.x * z),
            0.5 * (w.z * s + w.x * y - w.y * x), -0.5 * (w.x * x + w.y * y + w.z * z)};
  }
  static void rotate(std::vector<double>& at, Vec3 r) {
    const double angle = norm(r);
    if (!(angle > 0)) return;
    const double factor = std::sin(0.5 * angle) / angle, c = std::cos(0.5 * angle);
    const std::array<double, 4> half = half_product((2 * factor) * r, at);
    double size = 0;
    for (int k = 0; k < 4; ++k) at[3 + k] = c * at[3 + k] + half[k], size += at[3 + k] * at[3 + k];
    for (int k = 0; k < 4; ++k) at[3 + k] /= std::sqrt(size);
  }
  static Vec3 rotated(std::span<const double> at, Vec3 v, double sign) {
    const Vec3 r = sign * Vec3{at[3], at[4], at[5]};
    const Vec3 t = 2.0 * cross(r, v);
    return v + at[6] * t + cross(r, t);
  }

  /// The angle by which the frame that the way is seen from has turned in the plane.
  double frame_angle(double theta) const {
    if (carried_ >= 0) return carried_ * theta;
    // From the moment on that braking takes hold.
    return followed_ ? theta - start_ : 0;
  }
  Vec3 seen(Vec3 u, std::span<const double> at) const {
    if (flies) return carried_ > 0 ? rotated(at, u, 1) : u;
    const double a = frame_angle(at[2]), c = std::cos(a), s = std::sin(a);
    return {c * u.x - s * u.y, s * u.x + c * u.y, 0};
  }
  Vec3 unseen(Vec3 v) const {
    if (flies) return carried_ > 0 ? rotated(q_, v, -1) : v;
    const double a = frame_angle(q_[2]), c = std::cos(a), s = std::sin(a);
    return {c * v.x + s * v.y, c * v.y - s * v.x, 0};
  }

  void move(double h) {
    if (carried_ < 0 && !followed_ && way.took_hold()) followed_ = true, start_ = q_[2];
    std::vector<double> middle = q_, end = q_;
    const Vec3 spin_0 = turn.u, spin_m = turn.after(0.5 * h), spin_1 = turn.after(h);
    if (flies) {
      rotate(middle, 0.25 * h * (spin_0 + spin_m));
      rotate(end, h * spin_m);
    } else {
      middle[2] += 0.25 * h * (spin_0.x + spin_m.x);
      end[2] += 0.5 * h * (spin_0.x + spin_1.x);
    }
    const Vec3 w = (1.0 / 6) * (seen(way.u, q_) + 4.0 * seen(way.after(0.5 * h), middle) +
                                seen(way.after(h), end));
    q_ = end;
    for (std::size_t k = 0; k < ways(); ++k) q_[k] += h * w[static_cast<int>(k)];
    way.advance(h), turn.advance(h);
  }

  Behaviour behaviour_;
  LoopDice dice_;
  std::vector<double> q_;
  JointBrake turn_brake_;
  std::vector<JointBrake> numbers_;
  /// The share of the turn that carries the way; negative: all, from when braking takes hold.
  double carried_ = 0;
  double start_ = 0;
  bool followed_ = false, flip_ = false;
};

}  // namespace keepclear::test
