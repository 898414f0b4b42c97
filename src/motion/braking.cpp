// SPDX-License-Identifier: BSD-3-Clause
//
// The letters are those of docs/theory/braking.md.
#include "motion/braking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "keepclear/error.hpp"
#include "motion/brake_file.hpp"
#include "rounding/infinity.hpp"
#include "rounding/rounding.hpp"

namespace keepclear {
namespace {

using rounding::down;
using rounding::norm_hi;
using rounding::norm_lo;
using rounding::up;

/// No product below overflows for numbers up to this.
constexpr double kLargest = kLargestBrakeNumber;
/// Wider turns of a velocity may point anywhere.
constexpr double kWidestTurn = 1.5;
/// Operations of the functions below, at most, an up or down counting four besides its own.
constexpr std::uint64_t kFarthestFlops = 125, kSingleFlops = kFarthestFlops + 135,
                        kStopsFlops = 2 * kSingleFlops, kDistanceFlops = kFarthestFlops + 180,
                        kHeadingFlops = 65;

bool is_sane(double x) noexcept {
  return std::fabs(x) <= kLargest;
}

/// At least the way of something at speed v >= 0 that loses `rate` >= 0 of it a second, at least,
/// until it stands, after `time` seconds; they may be infinite where the rate is positive.
double slow_hi(double v, double rate, double time) noexcept {
  if (!(v > 0)) return 0;
  const double lost = rate * time;
  if (up(lost) <= v) return up(time * up(v - 0.5 * down(lost)));
  return up(0.5 * up(up(v / rate) * v));
}

/// At most that way, where it loses no more than `rate` > 0, which may be infinite.
double slow_lo(double v, double rate, double time) noexcept {
  if (!(v > 0) || !(time > 0) || rate == kInfinity) return 0;
  const double lost = rate * time;
  const double way = time == kInfinity || down(lost) >= v ? down(0.5 * down(down(v / rate) * v))
                                                          : down(time * down(v - 0.5 * up(lost)));
  return std::max(0.0, way);
}

/// At most the way, until `time`, of something at speed v that loses no more than a, or what
/// braking takes, until braking takes hold, and what braking takes from there.
double shortest_lo(double v, double a, const JointBrake& brake, double latency,
                   double time) noexcept {
  const double rate = std::max(a, brake.brake_deceleration_most);
  const double way = slow_lo(v, rate, std::min(time, latency));
  if (!(time > latency) || rate == kInfinity) return way;
  const double beyond = time == kInfinity ? time : down(time - latency);
  const double speed = down(v - up(rate * latency));
  return std::max(0.0, down(way + slow_lo(speed, brake.brake_deceleration_most, beyond)));
}

/// At least how far a number can be above its start, at any of `time`, that starts with the
/// velocity v and gains at most `a` a second until braking takes hold. `extra` seconds more at the
/// speed that it has then.
double farthest_hi(double v, double a, const JointBrake& brake, double latency, Interval time,
                   double extra) noexcept {
  const double within = std::min(time.upper, latency);
  const double beyond = time.upper > latency ? up(time.upper - latency) : 0;
  const auto go_on = [&](double way, double speed, double kept) {
    const double stopped = up(way + slow_hi(speed, brake.brake_deceleration, beyond));
    return extra > 0 ? up(stopped + up(extra * kept)) : stopped;
  };
  if (v >= 0) {
    // Braking at once may lose less speed than the command would.
    const double rate = std::max(a, -brake.brake_deceleration);
    if (rate < 0) {
      const double speed = std::max(0.0, up(v - down(-rate * within)));
      return go_on(slow_hi(v, -rate, within), speed, v);
    }
    const double gained = up(rate * within), speed = up(v + gained);
    return go_on(up(within * up(v + 0.5 * gained)), speed, speed);
  }
  // It falls, and least if it brakes hardest at once; or it turns round before braking takes hold.
  const double least = -shortest_lo(-v, a, brake, latency, time.lower);
  if (a <= 0) return least;
  const double gained = up(a * within);
  const double speed = up(v + gained);
  if (speed <= 0) return least;
  return std::max(least, go_on(up(within * up(v + 0.5 * gained)), speed, speed));
}

/// The accelerations that a number may have until braking takes hold.
Interval accelerations(const JointBrake& brake, const JointState& state, std::size_t i) noexcept {
  if (state.command.empty()) return {-brake.max_acceleration, brake.max_acceleration};
  return {down(state.command[i] - brake.acceleration_uncertainty),
          up(state.command[i] + brake.acceleration_uncertainty)};
}

/// The numbers of several directions as those of their common speed: the worse of each.
void worsen(JointBrake& brake, const JointBrake& other) noexcept {
  brake.max_acceleration = std::max(brake.max_acceleration, other.max_acceleration);
  brake.brake_deceleration = std::min(brake.brake_deceleration, other.brake_deceleration);
  brake.brake_deceleration_most =
      std::max(brake.brake_deceleration_most, other.brake_deceleration_most);
  brake.position_uncertainty = std::max(brake.position_uncertainty, other.position_uncertainty);
  brake.velocity_uncertainty = std::max(brake.velocity_uncertainty, other.velocity_uncertainty);
  brake.acceleration_uncertainty =
      std::max(brake.acceleration_uncertainty, other.acceleration_uncertainty);
}

/// Two or three numbers as a vector.
Vec3 vector_of(std::span<const double> x, std::size_t first, std::size_t count) noexcept {
  return {x[first], x[first + 1], count > 2 ? x[first + 2] : 0};
}

/// At least the angular speed (or acceleration) of a unit quaternion that changes by these numbers.
double turning_hi(std::span<const double> x, std::size_t first) noexcept {
  const double rest = norm_hi(vector_of(x, first, 3));
  return up(2 * norm_hi({rest, x[first + 3], 0}));
}

/// A velocity of two or three numbers: where it points, and how far it can go.
struct Way {
  double shortest = 0, longest = 0;  ///< of the path
  Vec3 e;                            ///< the direction that was measured
  double swerve = 0;                 ///< radians that it may be off by, before the joint turns
};

Way way_of(const JointBrake& brake, std::size_t count, const JointState& state, std::size_t first,
           double latency, Interval time, double extra) noexcept {
  const Vec3 v = vector_of(state.v, first, count);
  const double slack = up(brake.velocity_uncertainty * rounding::kSqrt3Hi);
  // The command is a vector, and what it is off by is another.
  const double a = state.command.empty()
                       ? brake.max_acceleration
                       : up(norm_hi(vector_of(state.command, first, count)) +
                            up(brake.acceleration_uncertainty * rounding::kSqrt3Hi));
  const double speed_hi = up(norm_hi(v) + slack);
  const double speed_lo = norm_lo(v);
  Way way;
  way.longest = farthest_hi(speed_hi, a, brake, latency, {0, time.upper}, extra);
  way.shortest = shortest_lo(down(speed_lo - slack), a, brake, latency, time.lower);
  const double off = up(slack + up(a * std::min(latency, time.upper)));
  way.swerve = kInfinity;
  if (speed_lo > 1e-100 && off < 0.7 * speed_lo) {
    const double sine = up(off / speed_lo);
    way.swerve = up(sine / down(std::sqrt(down(1 - up(sine * sine)))));
    const double length = std::sqrt(dot(v, v));
    way.e = {v.x / length, v.y / length, v.z / length};
  }
  return way;
}

/// What e cos t + p sin t can be for t from -back to forth, where e and p are off by at most 16 kU.
Interval heading(double e, double p, double back, double forth) noexcept {
  const double most = std::max(back, forth);
  if (!(most <= kWidestTurn)) return {-1, 1};
  const double shrunk = e * (1 - 0.5 * most * most);
  const double above = std::max({0.0, p * forth, -p * back});
  const double below = std::max({0.0, -p * forth, p * back});
  constexpr double kSlack = 128 * rounding::kU;
  return {std::max(-1.0, std::min(e, shrunk) - below - kSlack),
          std::min(1.0, std::max(e, shrunk) + above + kSlack)};
}

/// Where a number is that goes the way with its share of the direction.
Interval along(const Way& way, Interval share, double q, double uncertainty) noexcept {
  const double ahead = share.upper * (share.upper >= 0 ? way.longest : way.shortest);
  const double behind = share.lower * (share.lower >= 0 ? way.shortest : way.longest);
  return {down(down(q - uncertainty) + down(behind)), up(up(q + uncertainty) + up(ahead))};
}

}  // namespace

Braking::Braking(const World& world, const BrakeModel& model) : model_(model) {
  const auto variables = world.variables();
  const auto refuse = [&](const std::string& what) {
    throw Error(Error::Kind::usage, world.file(), 0, "brake model: " + what);
  };
  if (model.joints.size() != variables.size()) {
    refuse(fmt::format("has {} joints, the world has {} numbers", model.joints.size(),
                       variables.size()));
  }
  if (const std::string fault = fault_of_timing(model); !fault.empty()) refuse(fault);
  for (std::size_t i = 0; i < variables.size(); ++i) {
    const std::string fault = fault_of_brake(model.joints[i]);
    if (!fault.empty()) refuse(variables[i].name + ": " + fault);
    limits_.push_back(model.joints[i].stops ? Interval{variables[i].lower, variables[i].upper}
                                            : Interval{-kInfinity, kInfinity});
  }
  for (std::size_t i = 0; i < variables.size();) {
    Part part{Part::Kind::single, i, model.joints[i], {}};
    std::size_t ways = 1, count = 1;
    box_flops_ += kSingleFlops + (model.joints[i].stops ? kStopsFlops : 0);
    if (variables[i].type == "planar") {
      part.kind = Part::Kind::planar;
      ways = 2;
      count = 3;
      box_flops_ += kDistanceFlops + 2 * kFarthestFlops + 2 * kHeadingFlops + kStopsFlops;
    } else if (variables[i].type == "floating") {
      part.kind = Part::Kind::floating;
      ways = 3;
      count = 7;
      box_flops_ += kDistanceFlops + kFarthestFlops + 3 * kHeadingFlops + 200;
    }
    for (std::size_t k = 1; k < ways; ++k) worsen(part.way, model.joints[i + k]);
    if (count > ways) part.turn = model.joints[i + ways];
    for (std::size_t k = ways + 1; k < count; ++k) worsen(part.turn, model.joints[i + k]);
    parts_.push_back(part);
    i += count;
  }
}

bool Braking::understands(const JointState& state) const noexcept {
  const std::size_t n = model_.joints.size();
  if (state.q.size() != n || state.v.size() != n) return false;
  if (!state.command.empty() && state.command.size() != n) return false;
  if (!std::ranges::all_of(state.q, is_sane) || !std::ranges::all_of(state.v, is_sane) ||
      !std::ranges::all_of(state.command, is_sane)) {
    return false;
  }
  // What a command says of a joint whose acceleration may be off it by anything is nothing.
  if (!state.command.empty() && !std::ranges::all_of(model_.joints, [](const JointBrake& joint) {
        return joint.acceleration_uncertainty <= kLargestBrakeNumber;
      })) {
    return false;
  }
  return std::ranges::all_of(parts_, [&](const Part& part) {
    const double* r = state.q.data() + part.first + 3;
    return part.kind != Part::Kind::floating ||
           rounding::is_unit_quaternion(r[0], r[1], r[2], r[3]);
  });
}

Interval Braking::single(const JointState& state, std::size_t i, Interval time,
                         double extra) const noexcept {
  const JointBrake& brake = model_.joints[i];
  const double q = state.q[i], v = state.v[i];
  const Interval a = accelerations(brake, state, i);
  const Interval start{down(q - brake.position_uncertainty), up(q + brake.position_uncertainty)};
  const Interval speed{down(v - brake.velocity_uncertainty), up(v + brake.velocity_uncertainty)};
  const auto box_of = [&](Interval at, Interval speeds, Interval when) {
    return Interval{
        down(at.lower - farthest_hi(-speeds.lower, -a.lower, brake, model_.latency, when, extra)),
        up(at.upper + farthest_hi(speeds.upper, a.upper, brake, model_.latency, when, extra))};
  };
  Interval box = box_of(start, speed, time);
  if (!brake.stops) return box;
  const Interval limits{q < limits_[i].lower ? start.lower : limits_[i].lower,
                        q > limits_[i].upper ? start.upper : limits_[i].upper};
  const Interval whole = box_of(start, speed, kWholeBraking);
  if (whole.lower >= limits.lower && whole.upper <= limits.upper) return box;
  // A stop takes the speed at any moment, and what is left of the latency can speed the joint up
  // from there: nothing is known of the time any more.
  box = whole;
  if (std::isfinite(limits_[i].upper)) {
    const double top = limits_[i].upper;
    box.lower = std::min(box.lower, box_of({top, top}, {0, 0}, kWholeBraking).lower);
  }
  if (std::isfinite(limits_[i].lower)) {
    const double bottom = limits_[i].lower;
    box.upper = std::max(box.upper, box_of({bottom, bottom}, {0, 0}, kWholeBraking).upper);
  }
  return {std::max(box.lower, limits.lower), std::min(box.upper, limits.upper)};
}

void Braking::planar(const Part& part, const JointState& state, Interval time, double extra,
                     std::span<Interval> out) const noexcept {
  const std::size_t i = part.first;
  out[i + 2] = single(state, i + 2, time, extra);
  const Interval a = accelerations(part.turn, state, i + 2);
  const double slack = part.turn.velocity_uncertainty, v = state.v[i + 2];
  const Interval until{0, time.upper};
  // From rest if it moves the other way: what it turns back counts from there.
  const double forth =
      farthest_hi(std::max(0.0, up(v + slack)), a.upper, part.turn, model_.latency, until, extra);
  const double back = farthest_hi(std::max(0.0, -down(v - slack)), -a.lower, part.turn,
                                  model_.latency, until, extra);
  const Way way = way_of(part.way, 2, state, i, model_.latency, time, extra);
  const double most_forth = up(forth + way.swerve), most_back = up(back + way.swerve);
  out[i] = along(way, heading(way.e.x, -way.e.y, most_back, most_forth), state.q[i],
                 model_.joints[i].position_uncertainty);
  out[i + 1] = along(way, heading(way.e.y, way.e.x, most_back, most_forth), state.q[i + 1],
                     model_.joints[i + 1].position_uncertainty);
}

void Braking::floating(const Part& part, const JointState& state, Interval time, double extra,
                       std::span<Interval> out) const noexcept {
  const std::size_t i = part.first;
  const double a = state.command.empty()
                       ? part.turn.max_acceleration
                       : up(turning_hi(state.command, i + 3) + part.turn.acceleration_uncertainty);
  const double speed_hi = up(turning_hi(state.v, i + 3) + part.turn.velocity_uncertainty);
  const double angle = farthest_hi(speed_hi, a, part.turn, model_.latency, {0, time.upper}, extra);
  const Way way = way_of(part.way, 3, state, i, model_.latency, time, extra);
  const double turn = up(angle + way.swerve);
  const double e[3] = {way.e.x, way.e.y, way.e.z};
  for (std::size_t k = 0; k < 3; ++k) {
    const double across =
        std::sqrt(e[(k + 1) % 3] * e[(k + 1) % 3] + e[(k + 2) % 3] * e[(k + 2) % 3]);
    out[i + k] = along(way, heading(e[k], across, turn, turn), state.q[i + k],
                       model_.joints[i + k].position_uncertainty);
  }
  const double* r = state.q.data() + i + 3;
  const double length = std::sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2] + r[3] * r[3]);
  const double half = up(up(0.5 * up(angle + part.turn.position_uncertainty)) +
                         up(std::fabs(length - 1) + 8 * rounding::kU));
  for (std::size_t k = 0; k < 4; ++k) out[i + 3 + k] = {down(r[k] - half), up(r[k] + half)};
}

void Braking::fill(const JointState& state, Interval time, double extra,
                   std::span<Interval> out) const noexcept {
  for (const Part& part : parts_) {
    switch (part.kind) {
      case Part::Kind::single:
        out[part.first] = single(state, part.first, time, extra);
        break;
      case Part::Kind::planar:
        planar(part, state, time, extra, out);
        break;
      case Part::Kind::floating:
        floating(part, state, time, extra, out);
        break;
    }
  }
}

bool Braking::box(const JointState& state, Interval time, std::span<Interval> out) const noexcept {
  if (!understands(state) || out.size() != model_.joints.size()) return false;
  if (!(time.lower >= 0 && time.lower <= time.upper)) return false;
  fill(state, time, 0, out);
  return true;
}

double Braking::stop_time_hi(const JointState& state) const noexcept {
  if (!understands(state)) return kInfinity;
  double longest = model_.latency;
  for (const Part& part : parts_) {
    const auto stops_hi = [&](double speed, double a, const JointBrake& brake) {
      const double most = up(up(speed + brake.velocity_uncertainty * 2) + up(a * model_.latency));
      longest = std::max(longest, up(model_.latency + up(most / brake.brake_deceleration)));
    };
    const auto single_hi = [&](std::size_t i, const JointBrake& brake) {
      const Interval a = accelerations(brake, state, i);
      stops_hi(std::fabs(state.v[i]), std::max(std::fabs(a.lower), std::fabs(a.upper)), brake);
    };
    const std::size_t i = part.first;
    if (part.kind == Part::Kind::single) {
      single_hi(i, part.way);
      continue;
    }
    const std::size_t count = part.kind == Part::Kind::planar ? 2 : 3;
    const double a = state.command.empty() ? part.way.max_acceleration
                                           : up(norm_hi(vector_of(state.command, i, count)) +
                                                part.way.acceleration_uncertainty * 2);
    stops_hi(norm_hi(vector_of(state.v, i, count)), a, part.way);
    if (part.kind == Part::Kind::planar) {
      single_hi(i + 2, part.turn);
    } else {
      stops_hi(turning_hi(state.v, i + 3),
               state.command.empty()
                   ? part.turn.max_acceleration
                   : up(turning_hi(state.command, i + 3) + part.turn.acceleration_uncertainty),
               part.turn);
    }
  }
  return longest;
}

void Braking::extend(const JointState& state, double scale, double horizon,
                     std::span<Interval> box) const noexcept {
  const double extra = up(scale * horizon);
  const bool sane = scale >= 0 && horizon >= 0 && is_sane(extra) && understands(state) &&
                    box.size() == model_.joints.size();
  if (!sane) {
    std::ranges::fill(box, Interval{-kInfinity, kInfinity});
    return;
  }
  fill(state, kWholeBraking, extra, box);
}

bool Braking::reachable(const JointState& from, const JointState& to, double dt) const noexcept {
  if (!understands(from) || !understands(to) || !(dt > 0 && dt <= kLargest)) return false;
  // A few units in the last place for what the arithmetic here loses.
  constexpr double kSlack = 0x1p-40;
  const auto at_most = [](double x, double most, double size) {
    return x <= most + kSlack * (std::fabs(most) + size);
  };
  // Speeding up the whole time; and having braked, first, whatever was in the way of it.
  const auto single_ok = [&](std::size_t i) {
    const JointBrake& brake = model_.joints[i];
    double a = brake.max_acceleration;
    if (!from.command.empty()) {
      a = std::max(a, std::fabs(from.command[i]) + brake.acceleration_uncertainty);
    }
    const double gained = a * dt, off = 2 * brake.position_uncertainty;
    const double v_hi = std::max(0.0, from.v[i] + brake.velocity_uncertainty);
    const double v_lo = std::min(0.0, from.v[i] - brake.velocity_uncertainty);
    const double size = std::fabs(from.q[i]);
    const double moved = to.q[i] - from.q[i];
    return at_most(moved, (v_hi + 0.5 * gained) * dt + off, size) &&
           at_most(-moved, (0.5 * gained - v_lo) * dt + off, size) &&
           at_most(to.v[i], v_hi + gained + brake.velocity_uncertainty, 0) &&
           at_most(-to.v[i], gained - v_lo + brake.velocity_uncertainty, 0);
  };
  const auto speed_ok = [&](const JointBrake& brake, double v0, double v1, double command,
                            double moved, double off, double slack, double size) {
    // Unknown only without a command.
    const double off_command =
        brake.acceleration_uncertainty < kInfinity ? 2 * brake.acceleration_uncertainty : 0;
    const double gained = std::max(brake.max_acceleration, command + off_command) * dt;
    return at_most(moved, (v0 + slack + 0.5 * gained) * dt + off, size) &&
           at_most(v1, v0 + gained + 2 * slack, 0);
  };
  return std::ranges::all_of(parts_, [&](const Part& part) {
    const std::size_t i = part.first;
    if (part.kind == Part::Kind::single) return single_ok(i);
    const std::size_t count = part.kind == Part::Kind::planar ? 2 : 3;
    const Vec3 p0 = vector_of(from.q, i, count), p1 = vector_of(to.q, i, count);
    const double command = from.command.empty() ? 0 : norm_hi(vector_of(from.command, i, count));
    if (!speed_ok(part.way, norm_hi(vector_of(from.v, i, count)),
                  norm_lo(vector_of(to.v, i, count)), command, norm_lo(p1 - p0),
                  4 * part.way.position_uncertainty, 2 * part.way.velocity_uncertainty,
                  norm_hi(p0))) {
      return false;
    }
    if (part.kind == Part::Kind::planar) return single_ok(i + 2);
    // The numbers move by half the angle; a quaternion and its negative are the same rotation.
    const double* r0 = from.q.data() + i + 3;
    const double* r1 = to.q.data() + i + 3;
    double apart = 0, against = 0;
    for (int k = 0; k < 4; ++k) {
      apart += (r1[k] - r0[k]) * (r1[k] - r0[k]);
      against += (r1[k] + r0[k]) * (r1[k] + r0[k]);
    }
    // Each may be off a length of one by a millionth: they are apart by 2e-6 less or more, twice
    // that for the angle, and a few roundings.
    constexpr double kUnitSlack = 4.1e-6;
    const double turned = std::max(0.0, 2 * std::sqrt(std::min(apart, against)) - kUnitSlack);
    const double turning = from.command.empty() ? 0 : turning_hi(from.command, i + 3);
    return speed_ok(part.turn, turning_hi(from.v, i + 3), turning_hi(to.v, i + 3), turning, turned,
                    2 * part.turn.position_uncertainty, part.turn.velocity_uncertainty, 1);
  });
}

}  // namespace keepclear
