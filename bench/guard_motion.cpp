// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/guard_bench.hpp"
#include "bench/sweep_scene.hpp"

namespace keepclear::bench {
namespace {

/// Room for speeding up and for the whole braking motion: radians of the fastest joint.
constexpr double kRunUp = 0.8;
constexpr double kStep = 0.02;
constexpr std::size_t kTries = 2'000'000;
/// Metres: bodies that are always near each other are nearer than a centimetre.
constexpr double kFreeStart = 0.005;
/// Of the joints that may move, about so many do.
constexpr double kShareMoving = 0.4;
/// So many lines are tried to one contact.
constexpr int kLinesOfContact = 100;
/// How near the braking distance of a manoeuvre is to that of the paper's.
constexpr double kAlike = 0.1;

/// A joint that speeds up and then keeps its speed.
struct Ramp {
  double place, speed, acceleration;
};
Ramp ramp(double time, double speed, double acceleration) {
  if (time <= 0) return {0, 0, 0};
  const double until = speed / acceleration;
  if (time < until) {
    return {0.5 * acceleration * time * time, acceleration * time, acceleration};
  }
  return {0.5 * speed * until + speed * (time - until), speed, 0};
}

/// One joint that brakes from speed v: how far it gets in this time.
double braked(double v, double deceleration, double time) {
  const double stop = std::abs(v) / deceleration;
  const double t = std::min(time, stop);
  return v * t - std::copysign(0.5 * deceleration * t * t, v);
}

/// Who touches, and which joints move: those whose names begin so.
struct Wanted {
  const char* name;
  const char *a, *b;
  std::vector<std::string> joints;
  double approach, braking;  ///< metres a second, metres, as in Table I
  /// The first that is tried: those from one on to it find nothing.
  std::uint64_t seed = 1;
};

bool moves(const Variable& variable, const std::vector<std::string>& joints) {
  return std::any_of(joints.begin(), joints.end(),
                     [&](const std::string& begin) { return variable.name.starts_with(begin); });
}

std::vector<double> rest_pose(const World& world) {
  constexpr double kArm[] = {1.1759, 0.3802, -0.9693, 1.6489, 1.0019, -0.0208, -0.2063};
  std::vector<double> q(world.dof(), 0.0);
  for (std::size_t i = 0; i < q.size(); ++i) {
    const std::string& name = world.variables()[i].name;
    if (name.find("_arm") != std::string::npos) {
      q[i] = kArm[static_cast<std::size_t>(name.back() - '0')];
    }
  }
  return q;
}

void draw(const World& world, const std::vector<std::string>& joints, Random& random,
          std::span<double> q) {
  for (std::size_t i = 0; i < q.size(); ++i) {
    const Variable& v = world.variables()[i];
    if (moves(v, joints)) q[i] = random({v.lower, v.upper});
  }
}

/// The place of the first contact on a line and its pair; negative if there is none up to `far`.
double first_contact(PairDistance& distance, const Line& line, double far, Nearest& nearest) {
  std::vector<double> q(line.start.size());
  const auto hits = [&](double x) {
    line.at_place(x, q);
    return distance.touches(q);
  };
  double hit = 0;
  while (hit <= far && !hits(hit)) hit += kStep;
  if (hit > far || hit == 0) return -1;
  double free = hit - kStep;
  while (hit - free > 1e-9) {
    const double middle = 0.5 * (free + hit);
    (hits(middle) ? hit : free) = middle;
  }
  line.at_place(hit, q);
  nearest = distance.nearest(q);
  return hit;
}

/// Metres a radian of the fastest joint: how fast the pair comes together before its contact, or
/// less than zero where it does not steadily.
double slope_before(PairDistance& distance, const Line& line, double contact, int a, int b) {
  std::vector<double> q(line.start.size());
  const auto at = [&](double back) {
    line.at_place(contact - back, q);
    return distance(q, a, b);
  };
  const double near = at(0.05), middle = at(0.15), far = at(0.3);
  if (!(near < middle && middle < far)) return -1;
  return (middle - near) / 0.1;
}

/// A line between two random poses, up to its first contact: that of the wanted pair, if one is.
bool draw_line(PairDistance& distance, const std::vector<std::string>& joints, Random& random,
               Manoeuvre& made) {
  const World& world = distance.world();
  made.line.start = rest_pose(world);
  made.line.ahead.clear();
  std::vector<double> end = rest_pose(world);
  draw(world, joints, random, made.line.start);
  draw(world, joints, random, end);
  double far = 0;
  for (std::size_t i = 0; i < end.size(); ++i) {
    far = std::max(far, std::abs(end[i] - made.line.start[i]));
  }
  if (far == 0 || distance.nearest(made.line.start).distance < kFreeStart) return false;
  for (std::size_t i = 0; i < end.size(); ++i) {
    made.line.ahead.push_back((end[i] - made.line.start[i]) / far);
  }
  Nearest hit;
  made.contact = first_contact(distance, made.line, far, hit);
  made.a = hit.a, made.b = hit.b;
  return made.contact > 0;
}

/// How far the pair comes together between the last moment to brake and the contact, when braked
/// exactly: searched on the line, backwards from the contact.
double braking_distance(PairDistance& distance, const Manoeuvre& m) {
  Kinetics state;
  std::vector<double> q(m.line.start.size());
  double late = 0;
  while (m.line.place(late) < m.contact) late += 1e-3;
  for (double t = late; t > 0; t -= 1e-3) {
    m.line.at(t, state);
    double least = 1;
    const double end = standing_after(state, kPaperLatency, kPaperDeceleration);
    for (double then = end; then > 0; then -= 0.01) {
      brake_exactly(state, kPaperLatency, kPaperDeceleration, then, q);
      least = std::min(least, distance(q, m.a, m.b));
    }
    if (least > 0) return distance(state.q, m.a, m.b) - least;
  }
  return 0;
}

/// Which way each joint closes the gap of a pair in a pose: the sign.
std::vector<double> closing_signs(PairDistance& distance, std::vector<double> q, int a, int b) {
  std::vector<double> signs(q.size());
  const double here = distance(q, a, b);
  for (std::size_t i = 0; i < q.size(); ++i) {
    const double kept = q[i];
    q[i] += 1e-4;
    signs[i] = distance(q, a, b) < here ? 1 : -1;
    q[i] = kept;
  }
  return signs;
}

/// A contact of the wanted pair, and lines to it on which a few joints move, each of them so that
/// it closes the gap, at the wanted speed of approach and with the wanted braking distance.
bool draw_approach(PairDistance& distance, const Wanted& wanted, Random& random, Manoeuvre& made) {
  const World& world = distance.world();
  const int a = world.find_solid(wanted.a), b = world.find_solid(wanted.b);
  if (a < 0 || b < 0) throw std::runtime_error(std::string("no solids for ") + wanted.name);
  const auto is_wanted = [&] {
    return std::min(made.a, made.b) == std::min(a, b) && std::max(made.a, made.b) == std::max(a, b);
  };
  if (!draw_line(distance, wanted.joints, random, made) || !is_wanted()) return false;
  std::vector<double> q(world.dof());
  made.line.at_place(made.contact - 0.02, q);
  const std::vector<double> signs = closing_signs(distance, q, a, b);
  for (int line = 0; line < kLinesOfContact; ++line) {
    std::vector<double> ahead(q.size(), 0.0);
    double most = 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!moves(world.variables()[i], wanted.joints) || random() > kShareMoving) continue;
      ahead[i] = signs[i] * random({0.3, 1});
      most = std::max(most, std::abs(ahead[i]));
    }
    if (most == 0) continue;
    bool within = true;
    for (std::size_t i = 0; i < q.size(); ++i) {
      ahead[i] /= most;
      made.line.start[i] = q[i] - kRunUp * ahead[i];
      const Variable& v = world.variables()[i];
      const double end = q[i] + 0.3 * ahead[i];
      within = within && std::min(made.line.start[i], end) >= v.lower &&
               std::max(made.line.start[i], end) <= v.upper;
    }
    if (!within) continue;
    made.line.ahead = std::move(ahead);
    if (distance.nearest(made.line.start).distance < kFreeStart) continue;
    Nearest hit;
    made.contact = first_contact(distance, made.line, kRunUp + 0.3, hit);
    made.a = hit.a, made.b = hit.b;
    if (made.contact < 0.9 * kRunUp || !is_wanted()) continue;
    const double slope = slope_before(distance, made.line, made.contact, a, b);
    made.line.speed = wanted.approach / slope;
    if (!(slope > 0 && made.line.speed <= kPaperSpeed)) continue;
    if (std::abs(braking_distance(distance, made) / wanted.braking - 1) > kAlike) continue;
    made.name = wanted.name;
    return true;
  }
  return false;
}

}  // namespace

double Line::place(double time) const {
  return bench::ramp(time, speed, ramp).place;
}

void Line::at_place(double x, std::span<double> q) const {
  for (std::size_t i = 0; i < q.size(); ++i) q[i] = start[i] + ahead[i] * x;
}

void Line::at(double time, Kinetics& out) const {
  const Ramp now = bench::ramp(time, speed, ramp);
  out.q.resize(start.size()), out.v.resize(start.size()), out.a.resize(start.size());
  at_place(now.place, out.q);
  for (std::size_t i = 0; i < start.size(); ++i) {
    out.v[i] = ahead[i] * now.speed;
    out.a[i] = ahead[i] * now.acceleration;
  }
}

void brake_exactly(const Kinetics& from, double latency, double deceleration, double time,
                   std::span<double> q) {
  const double t = std::min(time, latency);
  for (std::size_t i = 0; i < q.size(); ++i) {
    q[i] = from.q[i] + from.v[i] * t + 0.5 * from.a[i] * t * t;
    if (time > latency) {
      q[i] += braked(from.v[i] + from.a[i] * latency, deceleration, time - latency);
    }
  }
}

double standing_after(const Kinetics& from, double latency, double deceleration) {
  double last = latency;
  for (std::size_t i = 0; i < from.q.size(); ++i) {
    last = std::max(last, latency + std::abs(from.v[i] + from.a[i] * latency) / deceleration);
  }
  return last;
}

double PairDistance::operator()(std::span<const double> q, int a, int b) {
  const auto all = query_.all_pairs(q);
  const auto found = std::find_if(all.begin(), all.end(), [&](const Nearest& pair) {
    return (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
  });
  if (found == all.end()) throw std::runtime_error("a pair that is not checked");
  return std::max(0.0, found->distance);
}

double PairDistance::approach(const Line& line, double time, int a, int b) {
  constexpr double kStep = 1e-4;
  Kinetics before, after;
  line.at(time - kStep, before);
  line.at(time + kStep, after);
  return ((*this)(before.q, a, b) - (*this)(after.q, a, b)) / (2 * kStep);
}

std::vector<Manoeuvre> table_manoeuvres(const World& humanoid) {
  const std::vector<Wanted> all = {
      {"left hand to the head", "l_hand", "head", {"l_arm"}, 0.40, 0.030, 1893},
      {"hands to each other", "l_hand", "r_hand", {"l_arm", "r_arm"}, 0.65, 0.041, 4270},
      {"right hand to the chest", "r_hand", "torso3", {"r_arm"}, 0.40, 0.029, 4729},
      {"left forearm to right hand", "l_arm3", "r_hand", {"l_arm", "r_arm"}, 0.65, 0.041, 5978},
      {"left hand to the trunk", "l_hand", "torso1", {"l_arm"}, 0.34, 0.019, 128},
      {"right hand to the platform", "r_hand", "platform", {"r_arm", "torso"}, 0.49, 0.022, 74},
      {"right forearm to the trunk", "r_arm4", "torso2", {"r_arm"}, 0.34, 0.019, 37}};
  PairDistance distance(humanoid);
  std::vector<Manoeuvre> found;
  for (const Wanted& wanted : all) {
    Manoeuvre made;
    for (std::uint64_t seed = wanted.seed;; ++seed) {
      if (seed == kTries) throw std::runtime_error(std::string("no motion for ") + wanted.name);
      Random random(seed);
      if (draw_approach(distance, wanted, random, made)) break;
    }
    found.push_back(std::move(made));
  }
  return found;
}

std::vector<Manoeuvre> random_manoeuvres(const World& humanoid, std::size_t count,
                                         std::uint64_t seed) {
  PairDistance distance(humanoid);
  Random random(seed);
  std::vector<Manoeuvre> found;
  const std::vector<std::string> joints{"l_arm", "r_arm", "torso", "neck"};
  for (std::size_t tries = 0; found.size() < count; ++tries) {
    if (tries == kTries) throw std::runtime_error("no random motions");
    Manoeuvre made;
    if (!draw_line(distance, joints, random, made)) continue;
    if (made.contact < kRunUp) continue;
    made.name = "random " + std::to_string(found.size() + 1);
    const double slope = slope_before(distance, made.line, made.contact, made.a, made.b);
    made.line.speed = kPaperSpeed;
    if (slope * kPaperSpeed < 0.3 || slope * kPaperSpeed > 0.7) continue;
    found.push_back(std::move(made));
  }
  return found;
}

Manoeuvre hands_together(const World& humanoid, double speed) {
  // Both ends of the built-in task `hands`, which stops short of a contact.
  constexpr double kApart[] = {1.1759, 0.3802, -0.9693, 1.6489, 1.0019, -0.0208, -0.2063};
  constexpr double kNear[] = {0.9500, 0.9200, -0.3800, 1.6100, 0.8200, -0.6200, 0.2400};
  Manoeuvre made;
  made.name = "hands";
  made.line.start = rest_pose(humanoid);
  made.line.ahead.assign(humanoid.dof(), 0.0);
  double far = 0;
  for (int k = 0; k < 7; ++k) far = std::max(far, std::abs(kNear[k] - kApart[k]));
  for (std::size_t i = 0; i < humanoid.dof(); ++i) {
    const std::string& name = humanoid.variables()[i].name;
    if (name.find("_arm") == std::string::npos) continue;
    const auto k = static_cast<std::size_t>(name.back() - '0');
    // Some way back, so that the hands are up to speed in time.
    made.line.ahead[i] = (kNear[k] - kApart[k]) / far;
    made.line.start[i] -= 0.3 * made.line.ahead[i];
  }
  PairDistance distance(humanoid);
  Nearest hit;
  made.contact = first_contact(distance, made.line, 2, hit);
  if (made.contact < 0) throw std::runtime_error("the hands do not meet");
  made.a = hit.a, made.b = hit.b;
  made.line.speed = speed / slope_before(distance, made.line, made.contact, hit.a, hit.b);
  return made;
}

JointBox paper_box(const Kinetics& state, double latency, double worst, double deceleration) {
  JointBox box(state.q.size());
  for (std::size_t i = 0; i < box.size(); ++i) {
    const double q = state.q[i], v = state.v[i];
    double lower = q, upper = q;
    for (const double sign : {-1.0, 1.0}) {
      // With nothing to fear from the unknown, the acceleration is the one that is commanded.
      const double after = v + (worst > 0 ? sign * worst : state.a[i]) * latency;
      const double far =
          q + 0.5 * (v + after) * latency + after * std::abs(after) / (2 * deceleration);
      lower = std::min(lower, far), upper = std::max(upper, far);
    }
    box[i] = {lower, upper};
  }
  return box;
}

}  // namespace keepclear::bench
