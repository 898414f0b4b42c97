// SPDX-License-Identifier: BSD-3-Clause
//
// What the library says of a robot of balls and capsules, against 113 bits: poses within their
// bounds, distances, configurations, boxes, motions and braking. What is said to be free is
// sampled.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "keepclear/box.hpp"
#include "keepclear/certify.hpp"
#include "keepclear/distance.hpp"
#include "keepclear/guard.hpp"
#include "oracle/precise_scene.hpp"
#include "robot/kinematics.hpp"

namespace keepclear::oracle {

struct PreciseTally {
  std::size_t worlds = 0, pairs = 0, samples = 0;
  std::size_t poses = 0, free_poses = 0, boxes = 0, free_boxes = 0;
  std::size_t motions = 0, free_motions = 0, contact_motions = 0, lines = 0, free_lines = 0;
  std::size_t cycles = 0, gone = 0;
  double tightest = std::numeric_limits<double>::infinity();  ///< least seen over proved, metres

  // These must stay zero.
  std::size_t off_bounds = 0;  ///< links farther from their computed poses than was said
  std::size_t refuted = 0;     ///< free, and seen nearer than was proved
  std::size_t no_contact = 0;  ///< contacts, or distances, that are none
  std::size_t useless = 0;     ///< configurations that are no such, and should be one
  std::vector<std::string> messages;

  std::size_t violations() const { return off_bounds + refuted + no_contact + useless; }
  void add(const PreciseTally& t) {
    worlds += t.worlds, pairs += t.pairs, samples += t.samples, poses += t.poses;
    free_poses += t.free_poses, boxes += t.boxes, free_boxes += t.free_boxes;
    motions += t.motions, free_motions += t.free_motions, contact_motions += t.contact_motions;
    lines += t.lines, free_lines += t.free_lines, cycles += t.cycles, gone += t.gone;
    tightest = std::min(tightest, t.tightest);
    off_bounds += t.off_bounds, refuted += t.refuted, no_contact += t.no_contact;
    useless += t.useless;
    messages.insert(messages.end(), t.messages.begin(), t.messages.end());
  }
  void print(const char* name) const {
    std::printf("%s: %zu worlds, %zu checked pairs, %zu configurations in 113 bits\n", name, worlds,
                pairs, samples);
    std::printf("  configurations %zu, free %zu; boxes %zu, free %zu\n", poses, free_poses, boxes,
                free_boxes);
    std::printf("  motions %zu, free %zu, contact %zu; straight lines %zu, free %zu\n", motions,
                free_motions, contact_motions, lines, free_lines);
    std::printf("  cycles of a guard %zu, go %zu; least distance seen over proved %.3g m\n", cycles,
                gone, tightest);
    std::printf("  poses off their bounds %zu, refuted %zu, false contacts %zu, useless %zu\n",
                off_bounds, refuted, no_contact, useless);
    for (std::size_t k = 0; k < messages.size() && k < 20; ++k) {
      std::printf("  %s\n", messages[k].c_str());
    }
  }
};

class PreciseJudge {
 public:
  PreciseJudge(const PreciseScene& scene, const World& world, double size, Numbers& numbers,
               PreciseTally& tally)
      : scene_(scene), world_(world), size_(size), numbers_(numbers), tally_(tally) {
    ++tally_.worlds;
    tally_.pairs += world.pair_count();
    if (world.pair_count() != scene.pair_count() || world.dof() != scene.dof()) {
      blame(tally_.useless,
            fmt::format("{} pairs and {} numbers, not {} and {}", world.pair_count(), world.dof(),
                        scene.pair_count(), scene.dof()));
    }
  }

  void judge_pose(const std::vector<double>& q) {
    ++tally_.poses;
    judge_kinematics(q);
    const Quad real = look({q.begin(), q.end()});
    DistanceQuery query(world_);
    const Nearest near = query(q);
    const Verdict verdict = query.check(q).verdict;
    tally_.free_poses += verdict == Verdict::free;
    if (!std::isfinite(near.distance)) return;
    if (verdict == Verdict::free && real <= 0) blame(tally_.refuted, "a configuration", real, 0);
    if (near.lower_bound > 0) proved("a lower bound", real, near.lower_bound);
    // Bodies contain their shapes: they may be larger by rounding alone.
    if (verdict == Verdict::contact && real > slack()) {
      blame(tally_.no_contact, "a contact", real, 0);
    }
    if (near.distance < static_cast<double>(real) - 1e-9 * size_ - slack() && real > 0) {
      blame(tally_.no_contact, "a distance", real, near.distance);
    }
  }

  /// All numbers within `half` of q, as boxes have them.
  void judge_box(const std::vector<double>& q, const std::vector<double>& half, int samples) {
    JointBox box;
    for (std::size_t i = 0; i < q.size(); ++i) box.push_back({q[i] - half[i], q[i] + half[i]});
    BoxOptions options;
    options.budget = 3 * world_.pair_count() + 2000;
    options.threads = 1;
    const BoxResult found = BoxQuery(world_, options)(box);
    ++tally_.boxes;
    if (found.verdict == Verdict::contact) judge_contact("a contact in a box", found.q);
    if (found.verdict != Verdict::free) return;
    ++tally_.free_boxes;
    for (int k = 0; k < samples; ++k) {
      std::vector<Quad> at;
      const bool corner = k % 2 == 0;
      for (const Interval& i : box) {
        const double share = corner ? numbers_.pick(2) : numbers_.between(0, 1);
        at.push_back(std::clamp(i.lower + share * (i.upper - i.lower), i.lower, i.upper));
      }
      // A quaternion counts if its length is one.
      if (into_unit(box, at)) proved("a box", look(at), found.clearance);
    }
  }

  /// A Bezier path, with a tube around it.
  void judge_motion(const std::vector<double>& control, const std::vector<double>& tube,
                    const CertifyOptions& options, int samples) {
    const std::size_t dof = world_.dof();
    Path path = bezier_path(dof, control, 0, 1);
    const bool tubed = std::any_of(tube.begin(), tube.end(), [](double t) { return t > 0; });
    if (tubed) path = with_tube(path, tube);
    const Certificate found = certify(world_, path, options);
    ++tally_.motions;
    tally_.free_motions += found.verdict == Verdict::free;
    tally_.contact_motions += found.verdict == Verdict::contact;
    if (found.verdict == Verdict::contact && !tubed)
      judge_contact("a contact of a motion", found.q);
    if (found.verdict != Verdict::free) return;
    for (int k = 0; k <= samples; ++k) {
      // Ends, places that parts end at, and any others; and around where it was said to be nearest.
      const double near = std::isfinite(found.time) ? found.time : 0.5;
      const double t = k < 3        ? 0.5 * k
                       : k % 3 == 0 ? numbers_.pick(65) / 64.0
                       : k % 3 == 1 ? numbers_.between(0, 1)
                                    : std::clamp(near + numbers_.between(-1e-3, 1e-3), 0.0, 1.0);
      std::vector<Quad> at = bezier_point(control, dof, t);
      if (tubed) {
        for (std::size_t i = 0; i < dof; ++i) {
          at[i] += Quad(tube[i]) *
                   (numbers_.chance(0.5) ? numbers_.pick(3) - 1 : numbers_.between(-1, 1));
        }
      }
      if (!has_directions(at)) continue;
      proved("a motion", look(at), std::max(options.margin, found.clearance));
    }
  }

  void judge_line(const std::vector<double>& from, const std::vector<double>& to, int samples) {
    MotionQuery query(world_);
    ++tally_.lines;
    if (query.connects(from, to) != Verdict::free) return;
    ++tally_.free_lines;
    std::vector<double> control = from;
    control.insert(control.end(), to.begin(), to.end());
    for (int k = 0; k <= samples; ++k) {
      const double t = k < 2 ? k : numbers_.between(0, 1);
      const std::vector<Quad> at = bezier_point(control, from.size(), t);
      if (has_directions(at)) proved("a line", look(at), 0);
    }
  }

  /// One state of a robot of hinges and slides; what it may still do if the guard says go.
  void judge_guard(const std::vector<double>& q, const std::vector<double>& v, double a,
                   double deceleration, double latency, int samples) {
    JointBrake joint;
    joint.max_acceleration = a, joint.brake_deceleration = deceleration;
    const BrakeModel brake = uniform_brake(world_, latency, joint);
    GuardOptions options;
    options.budget = std::uint64_t{1} << 36;
    options.limit_tolerance = 1e9;
    Guard guard(world_, brake, options);
    GuardState state;
    state.q = q, state.v = v;
    ++tally_.cycles;
    if (guard.step(state) != Action::go) return;
    ++tally_.gone;
    for (int k = 0; k < samples; ++k) {
      // Speeds up as it likes until braking takes hold, then brakes as the model has it or harder.
      const double late = numbers_.chance(0.5) ? latency : numbers_.between(0, latency);
      std::vector<Quad> at;
      const double share = numbers_.chance(0.5) ? 1 : numbers_.between(0, 1);
      for (std::size_t i = 0; i < q.size(); ++i) {
        const Quad push = numbers_.chance(0.7) ? (v[i] < 0 ? -a : a) : numbers_.between(-a, a);
        const Quad speed = Quad(v[i]) + push * late;
        const Quad slow = Quad(deceleration) * (numbers_.chance(0.7) ? 1 : 3);
        const Quad stop = speed * speed / (2 * slow) * (speed < 0 ? -1 : 1);
        at.push_back(q[i] + Quad(v[i]) * late + push * late * late / 2 + Quad(share) * stop);
      }
      proved("a braking motion", look(at), 0);
    }
  }

 private:
  double slack() const { return 1e-12 * size_; }

  Quad look(const std::vector<Quad>& q) {
    ++tally_.samples;
    return scene_.least(q);
  }

  void blame(std::size_t& counter, const std::string& what) {
    if (++counter <= 3) tally_.messages.push_back(what);
  }
  void blame(std::size_t& counter, const char* what, Quad real, double said) {
    blame(counter, fmt::format("{}: {:.17g} m in 113 bits, {:.17g} m said", what,
                               static_cast<double>(real), said));
  }
  /// A quaternion of next to no length has no direction: that is no configuration.
  bool has_directions(const std::vector<Quad>& q) const {
    const auto variables = world_.variables();
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!variables[i].name.ends_with("/rot_x")) continue;
      Quad square = 0;
      for (std::size_t k = i; k < i + 4; ++k) square += q[k] * q[k];
      if (!(square > 1e-20)) return false;
    }
    return true;
  }

  /// Something was proved to be farther apart than `bound`, or not to overlap.
  void proved(const char* what, Quad real, double bound) {
    if (bound > 0 ? real < bound : real <= 0) return blame(tally_.refuted, what, real, bound);
    if (bound > 0) {
      tally_.tightest = std::min(tally_.tightest, static_cast<double>(real - Quad(bound)));
    }
  }

  void judge_contact(const char* what, const std::vector<double>& q) {
    const Quad real = look({q.begin(), q.end()});
    if (real > slack()) blame(tally_.no_contact, what, real, 0);
  }

  void judge_kinematics(const std::vector<double>& q) {
    const RobotModel& model = scene_.model();
    const Kinematics kinematics(model);
    std::vector<BoundedPose> frames(static_cast<std::size_t>(kinematics.frame_count()));
    if (!kinematics.forward(q, 0, frames)) {
      return blame(tally_.useless, "a configuration that should be one");
    }
    const std::vector<QPose> real = scene_.poses(std::vector<Quad>(q.begin(), q.end()));
    for (std::size_t l = 0; l < real.size(); ++l) {
      const BoundedPose at = frames[kinematics.frame_of_link(static_cast<int>(l))] *
                             kinematics.pose_in_frame(static_cast<int>(l));
      const QPose computed = widen<Quad>(at.X);
      const Quad off = norm(computed.p - real[l].p);
      bool within = off <= Quad(at.error.position);
      for (int k = 0; k < 4; ++k) {
        const QVec axis = widen<Quad>(k == 0   ? Vec3{1, 0, 0}
                                      : k == 1 ? Vec3{0, 1, 0}
                                      : k == 2 ? Vec3{0, 0, 1}
                                               : numbers_.direction());
        const QVec turned = computed.R * axis - real[l].R * axis;
        within = within && norm(turned) <= Quad(at.error.rotation) * norm(axis);
      }
      if (!within) {
        return blame(tally_.off_bounds,
                     fmt::format("link {}: {:.3g} m off, {:.3g} said", model.links[l].name,
                                 static_cast<double>(off), at.error.position));
      }
    }
  }

  /// Brings quaternions that lie in the box to a length of one, to within a millionth, along their
  /// rays; false if they leave it.
  bool into_unit(const JointBox& box, std::vector<Quad>& q) {
    const auto variables = world_.variables();
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!variables[i].name.ends_with("/rot_x")) continue;
      Quad length = 0;
      for (std::size_t k = i; k < i + 4; ++k) length += q[k] * q[k];
      const Quad factor = (1 + numbers_.pick(3) * Quad(0.9e-6) - Quad(0.9e-6)) / sqrtq(length);
      for (std::size_t k = i; k < i + 4; ++k) {
        q[k] *= factor;
        if (q[k] < box[k].lower || q[k] > box[k].upper) return false;
      }
    }
    return true;
  }

  const PreciseScene& scene_;
  const World& world_;
  double size_;  ///< metres: how far the robot reaches
  Numbers& numbers_;
  PreciseTally& tally_;
};

}  // namespace keepclear::oracle
