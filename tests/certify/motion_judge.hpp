// SPDX-License-Identifier: BSD-3-Clause
//
// What is proved of motions against what sampling, descent and 113-bit arithmetic find. For a test
// a few motions, for a campaign as many as one likes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "certify/contact_judge.hpp"
#include "certify/displaced.hpp"
#include "certify/motion_worlds.hpp"
#include "certify/refute.hpp"
#include "keepclear/certify.hpp"
#include "keepclear/distance.hpp"

namespace keepclear::test {

struct MotionTally {
  std::size_t worlds = 0, motions = 0, free = 0, contact = 0, undecided = 0;
  std::size_t tests = 0, samples = 0;
  std::size_t clear = 0;    ///< farther off than the margin and twice the tolerance, as sampled
  std::size_t grazing = 0;  ///< within a tenth of a millimetre of the margin, as sampled
  std::size_t out_of_budget = 0;  ///< of the undecided
  std::size_t ordinary = 0;  ///< in worlds where nothing was placed so that it is nearly touched
  std::size_t ordinary_undecided = 0;
  std::size_t clocks = 0, clocks_free = 0, clocks_contact = 0;  ///< motions of two, each on its own
  std::size_t loose = 0;  ///< free, and the clearance less well known than asked for

  // These must stay zero.
  std::size_t refuted = 0;        ///< free, all of it or a part, and found nearer than was proved
  std::size_t no_contact = 0;     ///< contacts that are none in 113 bits, or not on the path
  std::size_t not_certified = 0;  ///< clear, and yet undecided
  std::size_t not_found = 0;      ///< deeper below the margin than the tolerance, and yet undecided
  std::size_t contradictions = 0;  ///< between `connects` and the certificate, or within one
  std::vector<std::string> messages;

  std::size_t violations() const {
    return refuted + no_contact + not_certified + not_found + contradictions;
  }
  void add(const MotionTally& other) {
    worlds += other.worlds, motions += other.motions, free += other.free;
    contact += other.contact, undecided += other.undecided, tests += other.tests;
    samples += other.samples, clear += other.clear, grazing += other.grazing;
    clocks += other.clocks, clocks_free += other.clocks_free;
    clocks_contact += other.clocks_contact;
    ordinary += other.ordinary, ordinary_undecided += other.ordinary_undecided;
    out_of_budget += other.out_of_budget, loose += other.loose, refuted += other.refuted;
    no_contact += other.no_contact, not_certified += other.not_certified;
    not_found += other.not_found, contradictions += other.contradictions;
    messages.insert(messages.end(), other.messages.begin(), other.messages.end());
  }
};

/// The nearest that is found of a motion, and every time at which it was seen too near.
struct Sampled {
  double least = std::numeric_limits<double>::infinity();
  double time = 0;
  std::vector<double> q;
  bool overlap = false;
  std::vector<double> too_near;
};

class MotionJudge {
 public:
  MotionJudge(const Scene& scene, const World& world, int samples, MotionTally& tally)
      : world_(world),
        contacts_(scene, world),
        distance_(world),
        samples_(samples),
        tally_(tally) {}

  /// Two robots, each on its own clock.
  void judge_clocks(const Motion& first, const Motion& second, double offset,
                    const CertifyOptions& options, std::mt19937_64& random) {
    MotionQuery query(world_, options);
    const Path paths[] = {first.path, second.path};
    const Certificate found = query(paths, offset);
    ++tally_.clocks;
    tally_.tests += found.tests;
    tally_.clocks_free += found.verdict == Verdict::free;
    tally_.clocks_contact += found.verdict == Verdict::contact;
    if (found.verdict == Verdict::contact) {
      const double apart =
          found.a < 0 || found.b < 0 ? 1 : contacts_.distance(found.a, found.b, found.q);
      if (apart > options.margin + 1e-12) {
        blame(tally_.no_contact, first, options, "clocks: " + std::to_string(apart) + " apart");
      }
    }
    if (found.verdict != Verdict::free) return;
    const double begin = std::min(paths[0].begin(), paths[1].begin());
    const double end = std::max(paths[0].end(), paths[1].end());
    const double most = std::min(offset, end - begin);
    for (int k = 0; k < 4 * samples_; ++k) {
      const double time = uniform(random, begin, end);
      const double other = std::clamp(time + uniform(random, -most, most), begin, end);
      std::vector<double> q =
          first.has_tube ? in_tube(paths[0], time, random) : paths[0].position(time);
      const std::vector<double> b =
          second.has_tube ? in_tube(paths[1], other, random) : paths[1].position(other);
      for (std::size_t i = 0; i < q.size(); ++i) {
        if (world_.variables()[i].name.starts_with("right/")) q[i] = b[i];
      }
      Sampled sampled;
      const double least = look(q, time, options.margin, sampled).distance;
      if (sampled.overlap || least < std::max(options.margin, found.clearance) - kSlack) {
        return blame(tally_.refuted, first, options,
                     "clocks at " + std::to_string(time) + " and " + std::to_string(other) +
                         ": seen at " + std::to_string(least));
      }
    }
  }

  void judge(const Motion& motion, const CertifyOptions& options, std::mt19937_64& random) {
    MotionQuery query(world_, options);
    const Certificate found = query(motion.path);
    const Sampled sampled = sample(motion, options.margin, random);
    ++tally_.motions;
    tally_.tests += found.tests;
    tally_.clear += sampled.least > options.margin + 2 * options.tolerance;
    tally_.grazing += !sampled.overlap && std::abs(sampled.least - options.margin) < 1.1e-4;
    switch (found.verdict) {
      case Verdict::free:
        ++tally_.free;
        judge_free(motion, options, found, sampled);
        break;
      case Verdict::contact:
        ++tally_.contact;
        judge_contact(motion, options, found);
        break;
      case Verdict::undecided:
        ++tally_.undecided;
        judge_undecided(motion, options, found, sampled);
        break;
    }
    judge_intervals(motion, options, found, sampled);
    if (!motion.ends.empty() && !motion.has_tube)
      judge_connects(motion, options, found, sampled, query);
  }

 private:
  static constexpr double kSlack = 1e-9;

  void blame(std::size_t& counter, const Motion& motion, const CertifyOptions& options,
             const std::string& what) {
    ++counter;
    if (tally_.messages.size() >= 20) return;
    tally_.messages.push_back(world_.name() + ", " + motion.name + ", margin " +
                              std::to_string(options.margin) + ", " + to_string(options.method) +
                              ", tolerance " + std::to_string(options.tolerance) + ": " + what);
  }

  Nearest look(const std::vector<double>& q, double time, double margin, Sampled& sampled) {
    const Nearest nearest = distance_(q);
    ++tally_.samples;
    const bool overlap = nearest.verdict == Verdict::contact;
    if (nearest.distance < sampled.least || (overlap && !sampled.overlap)) {
      sampled.least = nearest.distance;
      sampled.time = time;
      sampled.q = q;
    }
    sampled.overlap = sampled.overlap || overlap;
    if (overlap || nearest.distance < margin - kSlack) sampled.too_near.push_back(time);
    return nearest;
  }

  /// Somewhere in the tube, at its corners half of the time; a hair inside, as widths are rounded.
  static std::vector<double> in_tube(const Path& path, double time, std::mt19937_64& random) {
    std::vector<double> q = path.position(time);
    const std::vector<double> width = path.tube(time, time);
    const bool corner = random() % 2 == 0;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double at = uniform(random, -1, 1);
      q[i] += (1 - 1e-9) * width[i] * (corner ? (at < 0 ? -1 : 1) : at);
    }
    return q;
  }

  Sampled sample(const Motion& motion, double margin, std::mt19937_64& random) {
    const Path& path = motion.path;
    Sampled sampled;
    const double step = (path.end() - path.begin()) / samples_;
    std::vector<std::pair<double, double>> seen;  // distance, time
    for (int k = 0; k <= samples_; ++k) {
      const double inside = k == 0 || k == samples_ ? 0 : uniform(random, -0.5, 0.5);
      const double time = path.begin() + step * (k + inside);
      seen.emplace_back(look(path.position(time), time, margin, sampled).distance, time);
      if (motion.has_tube) look(in_tube(path, time, random), time, margin, sampled);
    }
    std::sort(seen.begin(), seen.end());
    for (const double time : motion.times) {
      look(path.position(time), time, margin, sampled);
      descend(motion, time, 0.1 * step, margin, sampled);
    }
    for (std::size_t k = 0; k < 4 && k < seen.size(); ++k)
      descend(motion, seen[k].second, step, margin, sampled);
    if (motion.has_tube && !sampled.overlap) descend_in_tube(path, margin, random, sampled);
    return sampled;
  }

  /// Golden section in time.
  void descend(const Motion& motion, double time, double step, double margin, Sampled& sampled) {
    constexpr double kGolden = 0.6180339887498949;
    double low = std::max(time - step, motion.path.begin());
    double high = std::min(time + step, motion.path.end());
    for (int k = 0; k < 30 && !sampled.overlap; ++k) {
      const double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
      const double at_a = look(motion.path.position(a), a, margin, sampled).distance;
      const double at_b = look(motion.path.position(b), b, margin, sampled).distance;
      (at_a < at_b ? high : low) = at_a < at_b ? b : a;
    }
  }

  void descend_in_tube(const Path& path, double margin, std::mt19937_64& random, Sampled& sampled) {
    const double time = sampled.time;
    const std::vector<double> q = path.position(time), width = path.tube(time, time);
    JointBox box;
    std::vector<int> all;
    for (std::size_t i = 0; i < q.size(); ++i) {
      const double half = (1 - 1e-9) * width[i];
      box.push_back({q[i] - half, q[i] + half});
      if (half > 0) all.push_back(static_cast<int>(i));
    }
    if (all.empty()) return;
    least_in_box(box, q, all, 10, random, [&](const std::vector<double>& at) {
      return look(at, time, margin, sampled).distance;
    });
  }

  void judge_free(const Motion& motion, const CertifyOptions& options, const Certificate& found,
                  const Sampled& sampled) {
    if (sampled.overlap || !(sampled.least >= options.margin - kSlack) ||
        !(sampled.least >= found.clearance - kSlack)) {
      blame(tally_.refuted, motion, options,
            "free with a clearance of " + std::to_string(found.clearance) + ", seen at " +
                std::to_string(sampled.least) + " at " + std::to_string(sampled.time));
    }
    if (options.deviation > 0) judge_displaced(motion, options, found, sampled);
    if (options.ask != Ask::clearance || is_loose(motion, options) ||
        !std::isfinite(found.distance)) {
      return;
    }
    const double known = std::max(options.accuracy, options.relative_accuracy * found.distance);
    if (found.distance - found.clearance > known + kSlack && found.tests < options.budget) {
      ++tally_.loose;
    }
    if (distance_(found.q).distance > found.distance + kSlack) {
      blame(tally_.contradictions, motion, options, "the nearest pose is not as near as it says");
    }
  }

  static bool is_loose(const Motion& motion, const CertifyOptions& options) {
    return motion.has_tube || options.deviation > 0;
  }

  /// Bodies that are off, as far as they may be, where they were seen nearest.
  void judge_displaced(const Motion& motion, const CertifyOptions& options,
                       const Certificate& found, const Sampled& sampled) {
    const double apart =
        displaced_distance(world_, MotionBalls(world_.data()), sampled.q, options.deviation);
    if (apart < std::max(options.margin, found.clearance) - kSlack) {
      blame(tally_.refuted, motion, options,
            "free with a clearance of " + std::to_string(found.clearance) + ", displaced at " +
                std::to_string(apart));
    }
  }

  bool on_path(const Motion& motion, double time, const std::vector<double>& q) const {
    const std::vector<double> at = motion.path.position(time);
    const std::vector<double> width = motion.path.tube(time, time);
    if (q.size() != at.size()) return false;
    for (std::size_t i = 0; i < q.size(); ++i) {
      if (!(std::abs(q[i] - at[i]) <= width[i] + kSlack * (1 + std::abs(q[i])))) return false;
    }
    return true;
  }

  void judge_contact(const Motion& motion, const CertifyOptions& options,
                     const Certificate& found) {
    const double time = found.first_contact;
    if (!(time >= motion.path.begin() && time <= motion.path.end()) || found.a < 0 || found.b < 0 ||
        !on_path(motion, time, found.q)) {
      return blame(tally_.no_contact, motion, options, "a contact that is not on the path");
    }
    const double apart = contacts_.distance(found.a, found.b, found.q);
    if (apart > options.margin + 1e-12) {
      blame(tally_.no_contact, motion, options,
            "a contact of solids that are " + std::to_string(apart) + " apart");
    }
  }

  /// Once more, where it is not decided: samples that are far apart may have missed it.
  Sampled look_closer(const Motion& motion, double margin, const Certificate& found,
                      Sampled sampled) {
    for (const MotionInterval& part : found.intervals) {
      if (part.status != Verdict::undecided) continue;
      constexpr int kLooks = 20;
      const double step = (part.to - part.from) / kLooks;
      for (int k = 0; k <= kLooks; ++k) {
        const double time = std::min(part.from + step * k, motion.path.end());
        look(motion.path.position(time), time, margin, sampled);
      }
      descend(motion, sampled.time, step, margin, sampled);
    }
    return sampled;
  }

  void judge_undecided(const Motion& motion, const CertifyOptions& options,
                       const Certificate& found, const Sampled& coarse) {
    if (found.tests >= options.budget) {
      ++tally_.out_of_budget;
      return;
    }
    const Sampled sampled = look_closer(motion, options.margin, found, coarse);
    if (!is_loose(motion, options) && sampled.least > options.margin + 2 * options.tolerance) {
      blame(tally_.not_certified, motion, options,
            "undecided, the nearest that is seen is " + std::to_string(sampled.least));
    }
    DistanceQuery depth(world_, {.tolerance = 1e-10, .signed_distance = true});
    const double deepest = depth(sampled.q).distance;
    if (!motion.has_tube && deepest < options.margin - options.tolerance - kSlack) {
      blame(
          tally_.not_found, motion, options,
          "undecided, seen at " + std::to_string(deepest) + " at " + std::to_string(sampled.time));
    }
  }

  void judge_intervals(const Motion& motion, const CertifyOptions& options,
                       const Certificate& found, const Sampled& sampled) {
    double reached = motion.path.begin();
    for (const MotionInterval& part : found.intervals) {
      if (!(part.from <= part.to)) {
        blame(tally_.contradictions, motion, options, "an interval that ends before it begins");
      }
      if (part.from <= reached + kSlack) reached = std::max(reached, part.to);
      if (part.status == Verdict::free) {
        for (const double time : sampled.too_near) {
          if (time > part.from && time < part.to) {
            blame(tally_.refuted, motion, options,
                  "too near at " + std::to_string(time) + ", which is called free");
            break;
          }
        }
      } else if (part.status == Verdict::contact && !motion.has_tube) {
        const bool inside = part.contact >= part.from && part.contact <= part.to;
        const double apart =
            inside ? contacts_.distance(part.a, part.b, motion.path.position(part.contact)) : 0;
        if (!inside || apart > options.margin + kSlack) {
          blame(tally_.no_contact, motion, options,
                "an interval from " + std::to_string(part.from) + " to " + std::to_string(part.to) +
                    " with a contact at " + std::to_string(part.contact) + ": " +
                    std::to_string(apart) + " apart");
        }
      }
    }
    const double whole = found.verdict == Verdict::contact && options.ask != Ask::all_intervals
                             ? found.first_contact
                             : motion.path.end();
    if (options.ask != Ask::verdict && !(reached >= whole - kSlack)) {
      blame(tally_.contradictions, motion, options,
            "intervals that end at " + std::to_string(reached));
    }
  }

  void judge_connects(const Motion& motion, const CertifyOptions& options, const Certificate& found,
                      const Sampled& sampled, MotionQuery& query) {
    const std::span<const double> ends = motion.ends;
    const std::size_t dof = world_.dof();
    const Verdict verdict = query.connects(ends.first(dof), ends.subspan(dof, dof));
    if ((verdict == Verdict::free && found.verdict == Verdict::contact) ||
        (verdict == Verdict::contact && found.verdict == Verdict::free)) {
      blame(tally_.contradictions, motion, options, "connects says otherwise");
    }
    if (verdict == Verdict::free &&
        (sampled.overlap || !(sampled.least >= options.margin - kSlack))) {
      blame(tally_.refuted, motion, options, "connects, and yet too near");
    }
  }

  World world_;
  ContactJudge contacts_;
  DistanceQuery distance_;
  int samples_;
  MotionTally& tally_;
};

/// One world of a robot, its obstacles made for the first of `motions` motions in it.
inline void judge_world(const MotionRobot& robot, std::uint64_t seed, std::size_t number,
                        int motions, int samples, MotionTally& tally) {
  std::mt19937_64 random(seed * 0x9e3779b97f4a7c15ull + 77 * number + 1);
  MotionDraw draw(robot, random);
  std::vector<Motion> drawn;
  std::vector<CertifyOptions> options;
  for (int k = 0; k < motions; ++k) {
    drawn.push_back(draw.motion());
    options.push_back(draw.options());
  }
  Scene scene = robot.scene;
  const bool placed = draw.add_objects(drawn[0], options[0], scene);
  const World world = compile(scene);
  ++tally.worlds;
  MotionJudge judge(scene, world, samples, tally);
  for (std::size_t k = 0; k < drawn.size(); ++k) {
    const std::size_t before = tally.undecided;
    judge.judge(drawn[k], options[k], random);
    if (placed || options[k].deviation > 0) continue;
    ++tally.ordinary;
    tally.ordinary_undecided += tally.undecided - before;
  }
  if (scene.robots.size() == 2 && motions > 1) {
    const double offset = one_of(random, {0.0, 0.01, 0.3, std::numeric_limits<double>::infinity()});
    judge.judge_clocks(drawn[0], drawn[1], offset, options[1], random);
  }
}

}  // namespace keepclear::test
