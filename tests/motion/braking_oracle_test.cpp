// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes of braking motions against motions in 113 or 64 bits that do their worst.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "motion/brake_worlds.hpp"
#include "motion/braking.hpp"

namespace keepclear {
namespace {

using test::chain_of;
using Quad = __float128;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

struct Dice {
  std::mt19937_64 engine;
  double real(double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(engine() >> 11) * 0x1p-53;
  }
  bool chance(double share) { return real(0, 1) < share; }
  /// Often one of the ends.
  double ends(double lower, double upper) {
    return chance(0.3) ? lower : chance(0.4) ? upper : real(lower, upper);
  }
};

/// A motion of constant accelerations, piece by piece; the last piece stands.
struct Motion {
  struct Piece {
    Quad t, q, v, a;
  };
  std::vector<Piece> pieces;

  explicit Motion(Quad q, Quad v) : pieces{{0, q, v, 0}} {}
  Piece at(Quad t) const {
    std::size_t i = pieces.size() - 1;
    while (i > 0 && pieces[i].t > t) --i;
    const Piece& p = pieces[i];
    const Quad s = t - p.t;
    return {t, p.q + p.v * s + p.a * s * s / 2, p.v + p.a * s, p.a};
  }
  /// Accelerates by a for that long.
  void go(Quad a, Quad time) {
    Piece& last = pieces.back();
    last.a = a;
    pieces.push_back(at(last.t + time));
    pieces.back().a = 0;
  }
  /// Loses `rate` of its speed a second for that long, or stands; infinitely much: at once.
  void slow(double rate, Quad time) {
    const Quad v = pieces.back().v, speed = v < 0 ? -v : v;
    if (rate == kInfinity || speed == 0) {
      pieces.back().v = 0;
      go(0, time);
      return;
    }
    const Quad stands = speed / Quad(rate);
    go(v < 0 ? Quad(rate) : -Quad(rate), std::min(time, stands));
    if (stands > time) return;
    pieces.back().v = 0;
    go(0, time - stands);
  }
};

struct Case {
  double latency = 0, q = 0, v = 0, command = 0;
  bool commanded = false;
  JointBrake brake;
  Interval time;

  double a_lo() const {
    return commanded ? command - brake.acceleration_uncertainty : -brake.max_acceleration;
  }
  double a_hi() const {
    return commanded ? command + brake.acceleration_uncertainty : brake.max_acceleration;
  }
};

Case random_case(Dice& dice) {
  Case c;
  c.latency = dice.chance(0.1) ? 0 : dice.real(0, 0.2);
  c.q = dice.chance(0.5) ? 0 : dice.real(-3, 3);
  c.v = dice.chance(0.1) ? 0 : dice.real(-2, 2) * (dice.chance(0.3) ? 0.02 : 1);
  c.brake.max_acceleration = dice.chance(0.1) ? 0 : dice.real(0, 20);
  c.brake.brake_deceleration = dice.real(0.5, 8);
  c.brake.brake_deceleration_most =
      dice.chance(0.4) ? kInfinity : c.brake.brake_deceleration * dice.real(1, 3);
  if (dice.chance(0.5)) {
    c.brake.position_uncertainty = dice.real(0, 0.01);
    c.brake.velocity_uncertainty = dice.real(0, 0.1);
  }
  c.commanded = dice.chance(0.5);
  c.command = dice.real(-15, 15);
  // Whole multiples, so that the sums above are exact.
  c.command = std::round(c.command * 1024) / 1024;
  c.brake.acceleration_uncertainty = std::round(dice.real(0, 2) * 1024) / 1024;
  const double end = dice.real(0, 2);
  c.time = dice.chance(0.3)   ? kWholeBraking
           : dice.chance(0.1) ? Interval{end, end}
                              : Interval{dice.real(0, end), end};
  return c;
}

Interval box_of(const World& world, const Case& c) {
  const Braking braking(world, {c.latency, {c.brake}});
  Interval box;
  const JointState state{
      {&c.q, 1},
      {&c.v, 1},
      c.commanded ? std::span<const double>(&c.command, 1) : std::span<const double>{}};
  EXPECT_TRUE(braking.box(state, c.time, {&box, 1}));
  EXPECT_LE(box.lower, box.upper);
  return box;
}

/// A motion that the model allows.
Motion random_motion(const Case& c, Dice& dice) {
  const JointBrake& b = c.brake;
  Motion motion(Quad(c.q) + Quad(dice.ends(-1, 1)) * Quad(b.position_uncertainty),
                Quad(c.v) + Quad(dice.ends(-1, 1)) * Quad(b.velocity_uncertainty));
  const Quad braked = Quad(dice.ends(0, 1)) * Quad(c.latency);
  const int pieces = dice.chance(0.5) ? 1 : 4;
  for (int i = 0; i < pieces; ++i) motion.go(Quad(dice.ends(c.a_lo(), c.a_hi())), braked / pieces);
  while (motion.pieces.back().v != 0) {
    const double most = b.brake_deceleration_most == kInfinity ? 1e3 : b.brake_deceleration_most;
    double rate = dice.ends(b.brake_deceleration, most);
    if (b.brake_deceleration_most == kInfinity && dice.chance(0.2)) rate = kInfinity;
    motion.slow(rate, dice.chance(0.5) ? Quad(1e6) : Quad(dice.real(0.01, 0.2)));
  }
  return motion;
}

TEST(Braking, NoMotionOfTheModelLeavesItsBox) {
  const World world = chain_of({{"joint", "continuous"}});
  Dice dice{std::mt19937_64(1)};
  for (int trial = 0; trial < 4000; ++trial) {
    const Case c = random_case(dice);
    const Interval box = box_of(world, c);
    for (int k = 0; k < 12; ++k) {
      const Motion motion = random_motion(c, dice);
      const double last = std::min(c.time.upper, 20.0);
      for (int s = 0; s <= 16; ++s) {
        const Quad t = Quad(c.time.lower) + (Quad(last) - Quad(c.time.lower)) * Quad(s) / 16;
        const Quad q = motion.at(t).q;
        ASSERT_TRUE(q >= Quad(box.lower) && q <= Quad(box.upper))
            << "trial " << trial << " at " << static_cast<double>(t) << ": "
            << static_cast<double>(q) << " not in " << box.lower << ", " << box.upper;
      }
    }
  }
}

/// The farthest up that the motions go which docs/theory/braking.md names.
Quad reached(const Case& c) {
  const JointBrake& b = c.brake;
  const Quad q = Quad(c.q) + Quad(b.position_uncertainty);
  const Quad v = Quad(c.v) + Quad(b.velocity_uncertainty);
  std::vector<Motion> motions;
  const auto brakes_at = [&](Quad when, double rate) {
    motions.emplace_back(q, v);
    motions.back().go(Quad(c.a_hi()), when);
    motions.back().slow(rate, Quad(1e9));
  };
  const Quad latency = c.latency;
  brakes_at(latency, b.brake_deceleration);
  brakes_at(0, b.brake_deceleration);
  brakes_at(0, b.brake_deceleration_most);
  brakes_at(latency, b.brake_deceleration_most);
  // When it would turn round.
  const Quad turn = c.a_hi() == 0 ? Quad(0) : -v / Quad(c.a_hi());
  if (turn > 0 && turn < latency) brakes_at(turn, b.brake_deceleration);
  Quad best = -1e300;
  for (const Motion& motion : motions) {
    for (const double t : {c.time.lower, std::min(c.time.upper, 1e4)}) {
      best = std::max(best, motion.at(Quad(t)).q);
    }
  }
  return best;
}

TEST(Braking, TheEndsOfABoxAreReached) {
  const World world = chain_of({{"joint", "continuous"}});
  Dice dice{std::mt19937_64(2)};
  for (int trial = 0; trial < 20000; ++trial) {
    const Case c = random_case(dice);
    const Interval box = box_of(world, c);
    const Quad upper = reached(c);
    EXPECT_TRUE(upper <= Quad(box.upper) && upper >= Quad(box.upper) - 1e-12)
        << "trial " << trial << ": " << static_cast<double>(upper) << " of " << box.upper;
    Case mirrored = c;
    mirrored.q = -c.q;
    mirrored.v = -c.v;
    mirrored.command = -c.command;
    const Interval other = box_of(world, mirrored);
    EXPECT_EQ(other.lower, -box.upper);
    EXPECT_EQ(other.upper, -box.lower);
  }
}

/// A planar or floating joint as the model has it: a velocity in the frame that turns with it, of
/// which braking keeps the direction, seen from a frame that has turned by a part of its turn.
struct Vector3 {
  long double x = 0, y = 0, z = 0;
};
Vector3 operator+(Vector3 a, Vector3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
Vector3 operator*(long double s, Vector3 a) {
  return {s * a.x, s * a.y, s * a.z};
}
long double length(Vector3 a) {
  return std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
}
Vector3 random_direction(Dice& dice, bool flat) {
  for (;;) {
    const Vector3 a{dice.real(-1, 1), dice.real(-1, 1), flat ? 0 : dice.real(-1, 1)};
    const long double n = length(a);
    if (n > 0.1 && n < 1) return (1 / n) * a;
  }
}
/// One step of a velocity: speeds up by a, or brakes.
Vector3 next(Vector3 u, Vector3 a, bool brakes, long double rate, long double dt) {
  if (!brakes) return u + dt * a;
  const long double s = length(u);
  return s <= rate * dt ? Vector3{} : (1 - rate * dt / s) * u;
}

/// For numerical integration by the rule of the middle.
constexpr double kTolerance = 1e-5;

TEST(Braking, ABaseThatTurnsStaysInItsBoxAndLeavesThatOfItsAxes) {
  const World world = chain_of({{"base", "planar"}});
  const World axes = chain_of({{"x", "prismatic"}, {"y", "prismatic"}, {"theta", "continuous"}});
  Dice dice{std::mt19937_64(3)};
  int left_axes = 0, narrow = 0;
  for (int trial = 0; trial < 400; ++trial) {
    BrakeModel model{dice.real(0, 0.1), std::vector<JointBrake>(3)};
    for (JointBrake& b : model.joints) {
      b = {.max_acceleration = dice.chance(0.2) ? 0 : dice.real(0, 5),
           .brake_deceleration = dice.real(0.5, 4),
           .velocity_uncertainty = dice.chance(0.5) ? 0.05 : 0,
           .acceleration_uncertainty = 0.5};
    }
    // Of both directions the worse counts.
    const double least =
        std::min(model.joints[0].brake_deceleration, model.joints[1].brake_deceleration);
    const double most =
        std::max(model.joints[0].max_acceleration, model.joints[1].max_acceleration);
    if (dice.chance(0.5)) {
      for (JointBrake& b : model.joints) b.brake_deceleration_most = 2 * b.brake_deceleration;
    }
    const double hardest =
        std::max(model.joints[0].brake_deceleration_most, model.joints[1].brake_deceleration_most);
    const std::vector<double> q{0.3, -0.2, 0.1};
    const std::vector<double> v{dice.real(-1.5, 1.5), dice.real(-1.5, 1.5),
                                dice.real(-2, 2) * (dice.chance(0.5) ? 0.1 : 1)};
    const Interval time =
        dice.chance(0.5) ? kWholeBraking : Interval{dice.real(0, 0.3), dice.real(0.3, 0.6)};
    const std::vector<double> command{dice.real(-4, 4), dice.real(-4, 4), dice.real(-4, 4)};
    JointState state{q, v};
    const bool commanded = dice.chance(0.3);
    if (commanded) state.command = command;
    std::vector<Interval> box(3), box_axes(3);
    ASSERT_TRUE(Braking(world, model).box(state, time, box));
    ASSERT_TRUE(Braking(axes, model).box(state, time, box_axes));
    narrow += box[0].lower > q[0] - 1e-9 || box[0].upper < q[0] + 1e-9;

    bool left = false;
    for (int k = 0; k < 6; ++k) {
      long double off[3];
      for (int i = 0; i < 3; ++i) off[i] = dice.ends(-1, 1) * model.joints[i].velocity_uncertainty;
      Vector3 u{v[0] + off[0], v[1] + off[1]}, p{q[0], q[1]};
      long double theta = q[2], omega = v[2] + off[2], t = 0, turned = 0;
      const long double braked = model.latency * dice.ends(0, 1), dt = 1e-3;
      const long double follows = dice.ends(0, 1);
      Vector3 a = dice.ends(0, most) * random_direction(dice, true);
      long double turn_a = dice.ends(-1, 1) * model.joints[2].max_acceleration;
      if (commanded) {
        a = {command[0] + dice.ends(-0.5, 0.5), command[1] + dice.ends(-0.5, 0.5)};
        turn_a = command[2] + dice.ends(-0.5, 0.5);
      }
      const long double rate = dice.ends(least, std::min(hardest, 5 * least));
      const long double turn_least = model.joints[2].brake_deceleration;
      while (t < std::min(time.upper, 3.0)) {
        const bool brakes = t >= braked;
        const long double step = brakes ? dt : std::min(dt, braked - t);
        const Vector3 u1 = next(u, a, brakes, rate, step);
        const long double omega1 = next({omega}, {turn_a}, brakes, turn_least, step).x;
        const Vector3 middle = 0.5L * (u + u1);
        // A command is one of the parent frame, in which nothing turns until it ends.
        if (commanded && !brakes) turned = theta + (omega + omega1) / 2 * step - q[2];
        const long double psi =
            commanded && !brakes ? 0 : follows * (theta - q[2] - turned + omega * step / 2);
        p = p + step * Vector3{std::cos(psi) * middle.x - std::sin(psi) * middle.y,
                               std::sin(psi) * middle.x + std::cos(psi) * middle.y};
        theta += (omega + omega1) / 2 * step;
        u = u1;
        omega = omega1;
        t += step;
        if (t < time.lower || t > time.upper) continue;
        const long double at[3] = {p.x, p.y, theta};
        for (int i = 0; i < 3; ++i) {
          ASSERT_GE(at[i], box[i].lower - kTolerance) << "trial " << trial << " number " << i;
          ASSERT_LE(at[i], box[i].upper + kTolerance) << "trial " << trial << " number " << i;
          left |= at[i] < box_axes[i].lower - kTolerance || at[i] > box_axes[i].upper + kTolerance;
        }
      }
    }
    left_axes += left;
  }
  EXPECT_GT(left_axes, 100);
  EXPECT_GT(narrow, 50);
}

TEST(Braking, AFloatingJointStaysInItsBox) {
  const World world = chain_of({{"drone", "floating"}});
  Dice dice{std::mt19937_64(4)};
  for (int trial = 0; trial < 200; ++trial) {
    const JointBrake slide{.max_acceleration = dice.real(0, 3),
                           .brake_deceleration = dice.real(1, 4)};
    const JointBrake spin{.max_acceleration = dice.real(0, 3),
                          .brake_deceleration = dice.real(1, 4)};
    const BrakeModel model{dice.real(0, 0.1), {slide, slide, slide, spin, spin, spin, spin}};
    long double r[4];  // x, y, z, w
    for (long double& x : r) x = dice.real(-1, 1);
    const long double norm = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
    for (long double& x : r) x /= norm;
    const auto rate_of = [&](Vector3 w, long double* out) {  // dr/dt = (w, 0) r / 2
      out[0] = (w.x * r[3] + w.y * r[2] - w.z * r[1]) / 2;
      out[1] = (w.y * r[3] + w.z * r[0] - w.x * r[2]) / 2;
      out[2] = (w.z * r[3] + w.x * r[1] - w.y * r[0]) / 2;
      out[3] = -(w.x * r[0] + w.y * r[1] + w.z * r[2]) / 2;
    };
    Vector3 u = dice.real(0, 1.5) * random_direction(dice, false);
    Vector3 w = dice.real(0, 2) * random_direction(dice, false);
    long double rate[4];
    rate_of(w, rate);
    std::vector<double> q{0.1, 0.2, 0.3}, v;
    for (const long double x : r) q.push_back(static_cast<double>(x));
    for (const long double x : {u.x, u.y, u.z}) v.push_back(static_cast<double>(x));
    for (const long double x : rate) v.push_back(static_cast<double>(x));
    std::vector<Interval> box(7);
    ASSERT_TRUE(Braking(world, model).box({q, v}, kWholeBraking, box));

    Vector3 p{q[0], q[1], q[2]};
    const Vector3 a = slide.max_acceleration * random_direction(dice, false);
    const Vector3 spin_a = dice.chance(0.5) ? (spin.max_acceleration / length(w)) * w
                                            : spin.max_acceleration * random_direction(dice, false);
    const long double braked = model.latency * dice.ends(0, 1), dt = 1e-3;
    for (long double t = 0; t < 3;) {
      const bool brakes = t >= braked;
      const long double step = brakes ? dt : std::min(dt, braked - t);
      const Vector3 u1 = next(u, a, brakes, slide.brake_deceleration, step);
      const Vector3 w1 = next(w, spin_a, brakes, spin.brake_deceleration, step);
      p = p + step / 2 * (u + u1);
      rate_of(0.5L * (w + w1), rate);
      long double size = 0;
      for (int i = 0; i < 4; ++i) r[i] += step * rate[i];
      for (const long double x : r) size += x * x;
      for (long double& x : r) x /= std::sqrt(size);
      u = u1;
      w = w1;
      t += step;
      const long double at[7] = {p.x, p.y, p.z, r[0], r[1], r[2], r[3]};
      for (int i = 0; i < 7; ++i) {
        ASSERT_GE(at[i], box[i].lower - kTolerance) << "trial " << trial << " number " << i;
        ASSERT_LE(at[i], box[i].upper + kTolerance) << "trial " << trial << " number " << i;
      }
    }
  }
}

}  // namespace
}  // namespace keepclear
