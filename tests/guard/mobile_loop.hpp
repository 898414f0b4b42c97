// SPDX-License-Identifier: BSD-3-Clause
//
// Robots on bases that drive and fly before a guard: they go for what stands around them, move as
// their brake model allows, brake when the guard says so, and must never come nearer to anything
// than the margin. What is near in samples is measured again in 113 bits.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "certify/exact_world.hpp"
#include "certify/motion_worlds.hpp"
#include "guard/base_motion.hpp"
#include "guard/closed_loop.hpp"
#include "oracle/mobile_worlds.hpp"

namespace keepclear::test {

struct MobileTally {
  std::size_t worlds = 0, approaches = 0, cycles = 0, poses = 0, exact = 0;
  std::size_t driving = 0, flying = 0;  ///< approaches of worlds with such bases
  std::size_t braked = 0, again = 0, passed = 0, idle = 0;
  std::size_t near = 0;      ///< approaches that came within two millimetres of the margin
  std::size_t branches = 0;  ///< answers *go* after which braking began a cycle later
  std::size_t scales = 0;
  std::size_t far = 0, far_go = 0;  ///< cycles far from everything, and those of them that went
  double least = std::numeric_limits<double>::infinity();  ///< metres beyond a margin, of any pose
  std::array<std::size_t, 32> reasons{};                   ///< of brakes far from everything

  // These must stay zero.
  std::size_t contacts = 0;         ///< nearer than the margin after the guard said brake
  std::size_t wrong_go = 0;         ///< the same where braking began right after a *go*
  std::size_t scale_contacts = 0;   ///< the same at a speed that was said to be safe
  std::size_t not_as_measured = 0;  ///< distances that are not those of 113 bits
  std::size_t over_bound = 0;
  std::vector<std::string> messages;

  std::size_t violations() const {
    return contacts + wrong_go + scale_contacts + not_as_measured + over_bound;
  }
  /// Share of *go* where nothing is near: low where a guard brakes without need.
  double liveness() const {
    return far == 0 ? 0 : static_cast<double>(far_go) / static_cast<double>(far);
  }
  void add(const MobileTally& o) {
    worlds += o.worlds, approaches += o.approaches, cycles += o.cycles, poses += o.poses;
    exact += o.exact, driving += o.driving, flying += o.flying, braked += o.braked;
    again += o.again, passed += o.passed, idle += o.idle, near += o.near, branches += o.branches;
    scales += o.scales, far += o.far, far_go += o.far_go, contacts += o.contacts;
    wrong_go += o.wrong_go, scale_contacts += o.scale_contacts;
    not_as_measured += o.not_as_measured, over_bound += o.over_bound;
    least = std::min(least, o.least);
    for (std::size_t i = 0; i < reasons.size(); ++i) reasons[i] += o.reasons[i];
    messages.insert(messages.end(), o.messages.begin(), o.messages.end());
  }
};

/// All joints of a world as they move.
class MobileRobot {
 public:
  MobileRobot(const World& world, const BrakeModel& model, Behaviour behaviour, std::uint64_t seed)
      : joints_(world, model, behaviour, seed),
        q_(world.neutral()),
        v_(q_.size()),
        measured_(q_.size()) {
    const auto variables = world.variables();
    for (std::size_t i = 0; i < variables.size();) {
      const bool flies = variables[i].type == "floating";
      if (flies || variables[i].type == "planar") {
        bases.emplace_back(flies, i, model, behaviour, seed * 31 + i);
        i += flies ? 7 : 3;
      } else {
        ++i;
      }
    }
  }

  std::vector<BaseMotion> bases;

  void set(std::span<const double> q) {
    joints_.set(q, std::vector<double>(q.size(), 0.0));
    for (BaseMotion& base : bases) base.set(q.subspan(base.first, base.q().size()));
    gather();
  }
  void keep_commands(bool keep) {
    joints_.keep_commands(keep);
    for (BaseMotion& base : bases) base.keep_commands(keep);
  }
  JointSimulation& joints() { return joints_; }
  const std::vector<double>& q() const { return q_; }
  bool braking() const { return joints_.braking(); }
  void brake(double within, double share = 0, double hold = 0) {
    joints_.brake(within);
    for (BaseMotion& base : bases) base.brake(within, share, hold);
  }
  void advance(double dt) {
    joints_.advance(dt);
    for (BaseMotion& base : bases) base.advance(dt);
    gather();
  }
  bool standing() const {
    return joints_.standing() && std::all_of(bases.begin(), bases.end(),
                                             [](const BaseMotion& b) { return b.standing(); });
  }
  /// Metres a second, at most about: of a point two metres out.
  double speed() const {
    double sum = 0;
    for (const double v : joints_.v()) sum += 1.5 * std::abs(v);
    for (const BaseMotion& base : bases) sum += base.speed() + 2 * base.turning();
    return sum;
  }
  void measure() {
    joints_.measure();
    measured_.assign(joints_.measured_q().begin(), joints_.measured_q().end());
    v_.assign(joints_.measured_v().begin(), joints_.measured_v().end());
    for (BaseMotion& base : bases) {
      base.measure(std::span(measured_).subspan(base.first, base.q().size()),
                   std::span(v_).subspan(base.first, base.q().size()));
    }
  }
  const std::vector<double>& measured_q() const { return measured_; }
  const std::vector<double>& measured_v() const { return v_; }
  std::vector<double> command() const {
    std::vector<double> all(joints_.command().begin(), joints_.command().end());
    for (const BaseMotion& base : bases) {
      base.tell(std::span(all).subspan(base.first, base.q().size()));
    }
    return all;
  }

 private:
  void gather() {
    std::copy(joints_.q().begin(), joints_.q().end(), q_.begin());
    for (const BaseMotion& base : bases) {
      std::copy(base.q().begin(), base.q().end(),
                q_.begin() + static_cast<std::ptrdiff_t>(base.first));
    }
  }

  JointSimulation joints_;
  std::vector<double> q_, v_, measured_;
};

/// Where a robot goes at the speed one: for a joint its rate, for a base two vectors.
struct MobileApproach {
  std::vector<double> start, rates;
  struct Way {
    Vec3 velocity, turning;
  };
  std::vector<Way> ways;
  double contact = 0;  ///< seconds at the speed one
};

class MobileLoop {
 public:
  MobileLoop(const Scene& scene, const World& world, const LoadOptions& load, std::uint64_t seed)
      : world_(world),
        exact_(scene, world, load),
        distance_(world, {.tolerance = 1e-6}),
        settings_(world, seed),
        dice_(seed * 977 + 5) {
    const BrakeModel none =
        uniform_brake(world, 0.01, {.max_acceleration = 1, .brake_deceleration = 1});
    bases_ = MobileRobot(world, none, Behaviour::exact, 1).bases;
  }

  /// The share of the deceleration that the guard counts on which the robots brake with.
  double brakes = 1;

  /// False where this try found nothing to run into.
  bool draw(MobileApproach& out) {
    const std::size_t n = world_.dof();
    out.start = world_.neutral();
    out.rates.assign(n, 0);
    out.ways.clear();
    std::vector<char> is_base(n, 0);
    for (const BaseMotion& base : bases_) {
      std::fill_n(is_base.begin() + static_cast<std::ptrdiff_t>(base.first), base.q().size(), 1);
      BaseMotion placed = base;
      place_somewhere(placed);
      std::copy(placed.q().begin(), placed.q().end(),
                out.start.begin() + static_cast<std::ptrdiff_t>(base.first));
      MobileApproach::Way way;
      if (!dice_.chance(0.1))
        way.velocity = dice_.real(0.3, 1) * dice_.direction(base.flies ? 3 : 2);
      if (dice_.chance(0.6)) way.turning = dice_.real(0, 1) * dice_.direction(base.flies ? 3 : 1);
      out.ways.push_back(way);
    }
    const bool arm = dice_.chance(0.6);
    for (std::size_t i = 0; i < n; ++i) {
      if (is_base[i] != 0) continue;
      const Variable& v = world_.variables()[i];
      out.start[i] = dice_.real(std::max(v.lower, -3.0), std::min(v.upper, 3.0));
      if (arm) out.rates[i] = dice_.real(-0.5, 0.5);
    }
    if (!(margin_left(out.start) > 0.02)) return false;
    constexpr double kStep = 0.02, kLongest = 4;
    for (out.contact = kStep; out.contact < kLongest; out.contact += kStep) {
      if (!(margin_left(pose(out, out.contact)) > 0)) return true;
    }
    return false;
  }

  void run(const MobileApproach& approach, std::uint64_t seed, MobileTally& tally) {
    LoopSetting s = settings_.draw_setting();
    vary(s);
    Guard guard(world_, s.brake, s.options);
    BrakeModel model = s.brake;
    for (JointBrake& joint : model.joints) joint.brake_deceleration *= brakes;
    MobileRobot robot(world_, model, s.behaviour, seed);
    const double back = 2 * s.speed + 0.25 * s.speed * s.speed + 0.1;
    robot.set(pose(approach, std::max(0.0, approach.contact - back)));
    robot.brake(0);
    robot.keep_commands(s.options.known_command);
    const double drive_time = 1.5 * std::min(back, approach.contact) / s.speed + 0.5;
    const auto limit = static_cast<int>(std::min(drive_time / s.cycle, 3000.0));
    const int wander = static_cast<int>(dice_.next() % 3);  // how the controller behaves
    std::vector<double> wanted(world_.dof()), swerve(world_.dof() + 6 * bases_.size());
    least_ = std::numeric_limits<double>::infinity();
    safe_ = 0;
    look(robot.q(), tally);
    bool went = false, braked = false, moving_brake = false;
    int branches = 0, scales = 0, first_brake = 0;
    for (int k = 0; k < limit || robot.braking(); ++k) {
      if (k >= limit && robot.standing()) break;
      if (k > 4 * limit + 4000) break;
      if (moving_brake && robot.standing() && (s.options.latch || k > first_brake + 300)) break;
      robot.measure();
      if (wander > 0 && k % (wander == 1 ? 20 : 3) == 0) {
        for (double& x : swerve) x = dice_.real(-1, 1) * (wander == 1 ? 0.5 : 1.0);
      }
      MobileRobot next = robot;
      const double scale = guard.last().scale;
      const bool slows = s.options.graded && went && guard.last().action == Action::go && scale < 1;
      steer(next, approach, s, slows ? s.speed * std::max(scale, 0.05) : s.speed, swerve);
      const std::vector<double> command = next.command();
      const bool far = is_far(robot, s);
      const Action action = guard.step({.time = 1 + k * s.cycle,
                                        .q = robot.measured_q(),
                                        .v = robot.measured_v(),
                                        .command = command,
                                        .age = dice_.real(0, 0.5 * (s.brake.latency - s.cycle))});
      ++tally.cycles;
      if (guard.last().flops > guard.work_bound()) ++tally.over_bound;
      if (far && guard.last().reason != Reason::latched &&
          guard.last().reason != Reason::still_moving) {
        ++tally.far;
        tally.far_go += action == Action::go;
        if (action != Action::go) ++tally.reasons[static_cast<std::size_t>(guard.last().reason)];
      }
      const double fraction = guard.last().scale;
      if (s.options.graded && fraction > 0 && went && scales < 3 && dice_.chance(0.1)) {
        ++scales;
        ++tally.scales;
        MobileRobot other = s.options.known_command ? next : robot;
        if (!robot.braking()) {
          other.brake(s.brake.latency, fraction, s.options.horizon);
          follow(other, s, tally, tally.scale_contacts, "at a scale", k);
        }
      }
      if (action == Action::go) {
        if (braked && robot.braking()) ++tally.again;
        robot = std::move(next);
        went = true;
        if (branches < 6 && dice_.chance(0.02)) {
          ++branches;
          ++tally.branches;
          MobileRobot other = robot;
          const double kept = safe_;
          if (advance(other, s.cycle, s, tally)) {
            push(other, s);
            other.brake(s.brake.latency - s.cycle);
            follow(other, s, tally, tally.wrong_go, "after a go", k);
          }
          safe_ = kept;
        }
      } else if (!went) {
        if (k > 300) break;
      } else if (!robot.braking()) {
        if (!moving_brake && !robot.standing()) moving_brake = true, first_brake = k;
        braked = true;
        push(robot, s);
        robot.brake(s.brake.latency - s.cycle);
      }
      if (!advance(robot, s.cycle, s, tally)) {
        blame(tally.contacts, tally, "contact", s, k);
        break;
      }
    }
    ++tally.approaches;
    tally.idle += !went;
    tally.braked += moving_brake;
    tally.passed += went && !moving_brake;
    tally.near += least_ < 0.002;
    tally.least = std::min(tally.least, least_);
    for (const BaseMotion& base : bases_) (base.flies ? tally.flying : tally.driving) += 1;
    measure_exactly(nearest_, tally);
  }

 private:
  void place_somewhere(BaseMotion& base) {
    std::vector<double> q(base.q().size(), 0.0);
    for (std::size_t k = 0; k < base.ways(); ++k) q[k] = dice_.real(-0.4, 0.4);
    if (base.flies) {
      q[6] = 1;
      base.set(q);
      base.turn.u = dice_.real(0, 3) * dice_.direction(3);
      base.advance(1);
    } else {
      q[2] = dice_.real(-3, 3);
      base.set(q);
    }
  }

  /// Where the approach is after that many seconds at the speed one.
  std::vector<double> pose(const MobileApproach& a, double time) const {
    std::vector<double> q = a.start;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const Variable& v = world_.variables()[i];
      if (a.rates[i] != 0) q[i] = std::clamp(q[i] + time * a.rates[i], v.lower, v.upper);
    }
    for (std::size_t b = 0; b < bases_.size(); ++b) {
      const std::size_t first = bases_[b].first, ways = bases_[b].ways();
      for (std::size_t k = 0; k < ways; ++k)
        q[first + k] += time * a.ways[b].velocity[static_cast<int>(k)];
      if (!bases_[b].flies) {
        q[first + 2] += time * a.ways[b].turning.x;
        continue;
      }
      const double angle = 0.5 * time * norm(a.ways[b].turning);
      const double by = angle > 0 ? std::sin(angle) / norm(a.ways[b].turning) : 0;
      const Vec3 t = by * a.ways[b].turning;
      const double c = std::cos(angle), x = q[first + 3], y = q[first + 4], z = q[first + 5],
                   w = q[first + 6];
      q[first + 3] = c * x + t.x * w + t.y * z - t.z * y;
      q[first + 4] = c * y - t.x * z + t.y * w + t.z * x;
      q[first + 5] = c * z + t.x * y - t.y * x + t.z * w;
      q[first + 6] = c * w - t.x * x - t.y * y - t.z * z;
    }
    return q;
  }

  /// What only these worlds have: stops, and numbers that differ within a joint.
  void vary(LoopSetting& s) {
    const bool stops = dice_.chance(0.4);
    for (std::size_t i = 0; i < s.brake.joints.size(); ++i) {
      const Variable& v = world_.variables()[i];
      JointBrake& joint = s.brake.joints[i];
      if (stops && std::isfinite(v.lower) && std::isfinite(v.upper)) joint.stops = true;
      const double by = dice_.real(1, 1.5);
      if (dice_.chance(0.2)) {
        joint.brake_deceleration *= by;
        joint.brake_deceleration_most *= by;
      }
      if (dice_.chance(0.2)) joint.position_uncertainty *= dice_.real(0, 2);
      if (dice_.chance(0.2)) joint.velocity_uncertainty *= dice_.real(0, 2);
    }
    if (dice_.chance(0.2)) s.options.margin = dice_.real(0, 0.05);
  }

  void steer(MobileRobot& robot, const MobileApproach& a, const LoopSetting& s, double speed,
             const std::vector<double>& swerve) {
    std::vector<double> wanted(world_.dof());
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      wanted[i] = speed * (a.rates[i] + (a.rates[i] != 0 ? swerve[i] : 0));
    }
    robot.joints().drive(wanted, s.cycle);
    for (std::size_t b = 0; b < bases_.size(); ++b) {
      const double* const by = swerve.data() + wanted.size() + 6 * b;
      const bool flies = bases_[b].flies;
      const Vec3 v = a.ways[b].velocity + Vec3{by[0], by[1], flies ? by[2] : 0};
      const Vec3 w = a.ways[b].turning + (flies ? Vec3{by[3], by[4], by[5]} : Vec3{by[3], 0, 0});
      robot.bases[b].aim(speed * v, speed * w, s.cycle);
    }
  }

  /// Beyond its margin, the pair that is nearest to it; lower than zero where one is nearer.
  double margin_left(std::span<const double> q, double more = 0) {
    if (distance_.check(q, more).verdict == Verdict::contact) return -1;
    const Nearest nearest = distance_(q);
    return nearest.verdict == Verdict::contact ? -1 : nearest.distance;
  }

  /// False for a contact. Remembers the nearest pose.
  bool look(std::span<const double> q, MobileTally& tally, double margin = 0) {
    const Nearest nearest = distance_(q);
    ++tally.poses;
    const bool touches = nearest.verdict == Verdict::contact ||
                         distance_.check(q, margin).verdict == Verdict::contact;
    safe_ = nearest.distance;
    if (nearest.distance - margin < least_ || touches) {
      least_ = touches ? 0 : nearest.distance - margin;
      nearest_.assign(q.begin(), q.end());
    }
    if (tally.poses % 2000 == 0) measure_exactly({q.begin(), q.end()}, tally);
    return !touches;
  }

  /// Every pair in 113 bits, against what the library says.
  void measure_exactly(const std::vector<double>& q, MobileTally& tally) {
    if (q.empty()) return;
    ++tally.exact;
    const Nearest nearest = distance_(q);
    const std::vector<QPose> frames = exact_.frames(std::vector<Quad>(q.begin(), q.end()));
    const WorldData& data = world_.data();
    double least = std::numeric_limits<double>::infinity();
    const auto take = [&](const ExactWorld::Apart& apart) { least = std::min(least, apart.about); };
    const Quad bound = nearest.distance;
    for (const BodyPair& pair : data.body_pairs) {
      take(ExactWorld::look(exact_.body(pair.a), exact_.frame_of(frames, pair.a),
                            exact_.body(pair.b), exact_.frame_of(frames, pair.b), bound));
    }
    for (std::size_t b = 0; b < data.bodies.size(); ++b) {
      if (!data.moves(data.bodies[b].solid)) continue;
      const auto body = static_cast<int>(b);
      for (int p = 0; p < static_cast<int>(exact_.piece_count()); ++p) {
        const int solid = data.environment.solid_of(static_cast<std::uint32_t>(p));
        if (data.rules.may_touch(data.bodies[b].solid, solid)) continue;
        take(ExactWorld::look(exact_.body(body), exact_.frame_of(frames, body), exact_.piece(p),
                              exact_.place_of_piece(p), bound));
      }
    }
    const bool touches = nearest.verdict == Verdict::contact;
    if (touches ? least > 1e-9 : !(std::abs(least - nearest.distance) < 2e-6 && least > 0)) {
      ++tally.not_as_measured;
      tally.messages.push_back("distance " + std::to_string(nearest.distance) + ", in 113 bits " +
                               std::to_string(least));
    }
  }

  /// Nothing is as near as the robot can come before it stands, many times over.
  bool is_far(const MobileRobot& robot, const LoopSetting& s) const {
    double way = 0;
    const auto add = [&](double v, double a, double b, double reach) {
      const double faster = v + a * s.brake.latency;
      way += reach * ((v + faster) * s.brake.latency + faster * faster / (2 * b));
    };
    std::vector<char> of_base(world_.dof(), 0);
    for (const BaseMotion& base : robot.bases) {
      const JointBrake& joint = s.brake.joints[base.first];
      const JointBrake turn =
          BaseMotion::worst_of(s.brake, base.first + base.ways(), base.q().size() - base.ways());
      const JointBrake ways = BaseMotion::worst_of(s.brake, base.first, base.ways());
      add(base.speed() + 2 * joint.velocity_uncertainty, ways.max_acceleration,
          ways.brake_deceleration, 1);
      add(base.turning() + 2 * turn.velocity_uncertainty, turn.max_acceleration,
          turn.brake_deceleration, 3);
      std::fill_n(of_base.begin() + static_cast<std::ptrdiff_t>(base.first), base.q().size(), 1);
    }
    for (std::size_t i = 0; i < of_base.size(); ++i) {
      const JointBrake& joint = s.brake.joints[i];
      if (of_base[i] == 0) {
        add(std::abs(robot.measured_v()[i]) + joint.velocity_uncertainty, joint.max_acceleration,
            joint.brake_deceleration, 1.5);
      }
    }
    return safe_ > s.options.margin + 0.15 + 3 * way;
  }

  /// Towards what is near, as hard as may be, in the latency.
  void push(MobileRobot& robot, const LoopSetting& s) {
    if (s.behaviour != Behaviour::worst) return;
    std::vector<double> q = robot.q(), signs(q.size());
    const double here = distance_(q).distance;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double kept = q[i];
      q[i] += 1e-4;
      signs[i] = here - distance_(q).distance;
      q[i] = kept;
    }
    for (BaseMotion& base : robot.bases) {
      Vec3 way{signs[base.first], signs[base.first + 1], base.flies ? signs[base.first + 2] : 0};
      Vec3 turn{signs[base.first + 2], 0, 0};
      if (base.flies) turn = dice_.direction(3);
      base.push(way, turn);
    }
    for (double& sign : signs) sign = sign > 0 ? 1 : sign < 0 ? -1 : 0;
    robot.joints().push(signs);
  }

  /// Until it stands; counts a contact on the way.
  void follow(MobileRobot& robot, const LoopSetting& s, MobileTally& tally, std::size_t& counter,
              const char* what, int cycle) {
    const double kept = safe_;
    for (int i = 0; i < 20000 && !robot.standing(); ++i) {
      if (advance(robot, 2e-3, s, tally)) continue;
      blame(counter, tally, what, s, cycle);
      break;
    }
    safe_ = kept;
  }

  bool advance(MobileRobot& robot, double dt, const LoopSetting& s, MobileTally& tally) {
    if (robot.standing()) {
      robot.advance(dt);
      return true;
    }
    const double closing = 3 * (robot.speed() + 0.1) * dt;
    const double most = std::ceil(dt / 5e-4);
    const double room = std::max(safe_ - s.options.margin, 1e-6);
    const int parts = static_cast<int>(std::clamp(std::ceil(closing / room), 1.0, most));
    for (int i = 0; i < parts; ++i) {
      robot.advance(dt / parts);
      if (!look(robot.q(), tally, s.options.margin)) return false;
    }
    return true;
  }

  void blame(std::size_t& counter, MobileTally& tally, const char* what, const LoopSetting& s,
             int cycle) {
    ++counter;
    tally.messages.push_back(
        std::string(what) + ": behaviour " + std::to_string(static_cast<int>(s.behaviour)) +
        ", cycle " + std::to_string(s.cycle) + " s, latency " + std::to_string(s.brake.latency) +
        ", speed " + std::to_string(s.speed) + ", margin " + std::to_string(s.options.margin) +
        (s.options.known_command ? ", known command" : "") + (s.options.graded ? ", graded" : "") +
        (s.options.latch ? ", latch" : "") + ", step " + std::to_string(cycle));
  }

  World world_;
  ExactWorld exact_;
  DistanceQuery distance_;
  ClosedLoop settings_;
  LoopDice dice_;
  std::vector<BaseMotion> bases_;
  double safe_ = 0, least_ = 0;
  std::vector<double> nearest_;
};

/// One random world, and that many approaches in it.
inline void judge_mobile(std::uint64_t seed, int approaches, MobileTally& tally,
                         double brakes = 1) {
  oracle::Dice dice(seed * 0x9e3779b97f4a7c15ull + 3);
  const oracle::ScratchFolder folder(seed);
  LoadOptions load;
  load.allow_no_pairs = true;
  const Scene scene = motion_robot(oracle::mobile_scene(dice, folder, 2, 3)).scene;
  const World world = compile(scene, load);
  ++tally.worlds;
  MobileLoop loop(scene, world, load, seed);
  loop.brakes = brakes;
  MobileApproach approach;
  int tries = 0;
  for (int k = 0; k < approaches; ++k) {
    while (k % 2 == 0 && !loop.draw(approach)) {
      if (++tries > 300) return;
    }
    const std::size_t before = tally.messages.size();
    loop.run(approach, seed * 1000 + static_cast<std::uint64_t>(k), tally);
    for (std::size_t i = before; i < tally.messages.size(); ++i) {
      tally.messages[i] = "seed " + std::to_string(seed) + ", approach " + std::to_string(k) +
                          ": " + tally.messages[i];
    }
  }
}

}  // namespace keepclear::test
