// SPDX-License-Identifier: BSD-3-Clause
//
// What is said of toleranced motions against samples of them, near contact by design: free is never
// said where a sample overlaps, contact only where one does. For a test a few motions, for a
// campaign as many as one likes.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "certify/polyhedron_overlap.hpp"
#include "certify/toleranced_motions.hpp"
#include "keepclear/toleranced.hpp"

namespace keepclear::test {

struct TolerancedTally {
  std::size_t motions = 0, free = 0, contact = 0, undecided = 0;
  std::size_t poses = 0, tests = 0, balls = 0;
  std::size_t grazing = 0;  ///< contacts that are not more than touching
  std::size_t clear = 0;    ///< sampled farther apart than 0.01 and three tolerances
  std::size_t open = 0;     ///< undecided, with budget and depth left, and clear by four tolerances
  /// Undecided, with budget and depth left, and every fourth sample overlaps.
  std::size_t deep = 0;
  /// Free, and the clearance known less well than twice what was asked for.
  std::size_t loose = 0;
  // These must stay zero.
  std::size_t refuted = 0;        ///< free, all of it or a stretch, and a sample overlaps
  std::size_t no_contact = 0;     ///< contact, and at the time named the bodies are apart
  std::size_t too_much = 0;       ///< a clearance that a sample falls short of
  std::size_t not_certified = 0;  ///< clear, with budget left, and yet not free
  std::vector<std::string> messages;

  std::size_t misses() const { return refuted + no_contact + too_much + not_certified; }
};

/// What stands there: a body or a plane.
struct Standing {
  MeshShape shape;
  bool is_plane = false;
  StandingPlane plane;
};

/// One motion among one or two standing bodies.
struct TolerancedCase {
  MeshShape moving;
  std::vector<Standing> standing;
  JudgedMotion motion;
  TolerancedOptions options;
  const char* kind = "near";
  double noise = 1e-11;  ///< more than the rounding of sampled poses
};

/// How near a displacement brings the bodies, beyond what they must keep: not positive is contact.
inline double sampled_gap(const TolerancedCase& made, const DisplacementMetric& metric,
                          const Affine& g) {
  const PlacedShape a(made.moving, g);
  double gap = std::numeric_limits<double>::infinity();
  const Affine still{};
  for (const Standing& other : made.standing) {
    const double keep = made.options.margin + made.moving.radius + other.shape.radius;
    if (other.is_plane) {
      const Vec3 n = unit(other.plane.normal);
      for (std::size_t i = 0; i < a.at.size(); ++i) {
        const double reach = made.options.deviation * metric.distortion(made.moving.vertices[i]);
        gap = std::min(gap, dot(n, a.at[i]) - other.plane.offset - reach - keep);
      }
      continue;
    }
    const PlacedShape b(other.shape, still);
    // Deep inside of one another: as if they had met in the middle.
    if (overlaps(a, b)) return -1;
    gap = std::min(gap, Nearest(a, b, metric, made.options.deviation).value() - keep);
  }
  return gap;
}

inline TolerancedCase random_case(Random& random) {
  TolerancedCase made;
  const double size = log_uniform(random, 0.05, 1);
  made.moving = random_shape(random, size);
  const double reach = log_uniform(random, 0.3, 3);
  if (pick(random, 5) == 0) {
    const Vec3 off = uniform(random, 0, 2) * random_unit(random);
    for (Vec3& v : made.moving.vertices) v = v + off;
  }
  const Vec3 origin =
      (pick(random, 6) == 0 ? log_uniform(random, 1, 1e5) : 0) * random_unit(random);
  made.noise += 1e-14 * norm(origin);
  made.options.metric = pick(random, 2) ? DisplacementMetric(made.moving.vertices)
                                        : DisplacementMetric::balanced(made.moving.vertices);
  const DisplacementMetric& metric = *made.options.metric;
  made.motion = random_motion(random, reach, origin, metric);
  made.options.tolerance = log_uniform(random, 1e-5, 1e-2);
  made.options.budget = 300'000;
  made.options.nested = pick(random, 8) != 0;
  made.options.threads = 1 + (pick(random, 10) == 0);
  made.options.depth = pick(random, 10) == 0 ? 6 : 48;
  const std::array<Ask, 4> asks{Ask::verdict, Ask::first_contact, Ask::all_intervals,
                                Ask::clearance};
  made.options.ask = asks[static_cast<std::size_t>(pick(random, 4))];
  if (pick(random, 4) == 0) made.options.margin = log_uniform(random, 1e-4, 0.1);
  if (pick(random, 3) == 0) made.options.deviation = log_uniform(random, 1e-6, 0.02);

  const double begin = made.motion.curve->begin(), end = made.motion.curve->end();
  const int kind = pick(random, 10);
  const int count = 1 + (pick(random, 3) == 0);
  for (int i = 0; i < count; ++i) {
    Standing other;
    other.shape = random_shape(random, log_uniform(random, 0.05, 2));
    if (kind == 0 && !other.shape.triangles.empty()) {
      // Large and around the start: a part inside of the other, or through it.
      for (Vec3& v : other.shape.vertices) v = 3 * v;
    }
    const Affine g = made.motion.at(kind <= 1 ? begin : uniform(random, begin, end));
    const Vec3 here = g * made.moving.vertices[made.moving.parts[0]];
    const Mat3 R = pick(random, 4) == 0 ? random_cube_rotation(random) : random_rotation(random);
    const auto place = [&](Vec3 by) {
      for (Vec3& v : other.shape.vertices) v = R * v + by;
    };
    if (kind <= 1) {
      made.kind = kind == 0 ? "inside" : "pierced";
      place(here);
    } else if (i == 0 && pick(random, 6) == 0) {
      other.is_plane = true;
      other.shape = {};
      other.plane.normal = log_uniform(random, 0.1, 10) * random_unit(random);
      other.plane.offset = dot(unit(other.plane.normal), here) - 10;
    } else {
      place({});
    }
    made.standing.push_back(other);
    if (kind <= 1) continue;
    // From far away along a direction, by steps that are no longer than they are apart, to about
    // contact; and then a little to or fro.
    Standing& last = made.standing.back();
    const Vec3 toward = last.is_plane ? unit(last.plane.normal) : random_unit(random);
    const auto shift = [&](double by) {
      last.plane.offset += by;
      for (Vec3& v : last.shape.vertices) v = v + by * toward;
    };
    TolerancedCase alone{made.moving, {}, made.motion, made.options, made.kind, made.noise};
    const auto gap = [&] {
      alone.standing = {last};
      double least = std::numeric_limits<double>::infinity();
      for (int k = 0; k <= 24; ++k) {
        const Affine at = made.motion.at(begin + (end - begin) * k / 24);
        least = std::min(least, sampled_gap(alone, metric, at));
      }
      return least;
    };
    if (!last.is_plane) shift(dot(here, toward) - 10);
    if (!last.is_plane) {
      const Vec3 aside = here - dot(here, toward) * toward;
      for (Vec3& v : last.shape.vertices) v = v + aside;
    }
    for (int step = 0; step < 12; ++step) {
      const double d = gap();
      if (!(d > 1e-9 + made.noise) || d > 30) break;
      shift(d);
    }
    const double by = log_uniform(random, 1e-7, 0.2);
    shift(pick(random, 3) == 0 ? by : -by);
  }
  return made;
}

/// The least gap that sampling and descent find, and every sample that is in contact.
struct SampledMotion {
  double least = std::numeric_limits<double>::infinity();
  double least_at = 0;
  std::vector<double> contacts;  ///< times

  SampledMotion(const TolerancedCase& made, const DisplacementMetric& metric, int samples,
                std::size_t& poses) {
    const double begin = made.motion.curve->begin(), end = made.motion.curve->end();
    const auto gap = [&](double time) {
      ++poses;
      const double d = sampled_gap(made, metric, made.motion.at(time));
      if (d < least) least = d, least_at = time;
      if (d < -made.noise) contacts.push_back(time);
      return d;
    };
    std::vector<std::pair<double, double>> coarse;  // gap, time
    for (int i = 0; i <= samples; ++i) {
      const double time = i == samples ? end : begin + (end - begin) * i / samples;
      coarse.emplace_back(gap(time), time);
    }
    // Around the three lowest places: thirds of the interval, again and again.
    std::vector<std::pair<double, double>> low;
    for (std::size_t i = 0; i < coarse.size(); ++i) {
      const bool left = i == 0 || coarse[i - 1].first >= coarse[i].first;
      const bool right = i + 1 == coarse.size() || coarse[i + 1].first >= coarse[i].first;
      if (left && right && coarse[i].first > 0) low.push_back(coarse[i]);
    }
    std::sort(low.begin(), low.end());
    const double width = (end - begin) / samples;
    for (std::size_t i = 0; i < low.size() && i < 3; ++i) {
      double from = std::max(begin, low[i].second - width);
      double to = std::min(end, low[i].second + width);
      for (int step = 0; step < 24; ++step) {
        const double s = from + (to - from) / 3, t = to - (to - from) / 3;
        if (gap(s) < gap(t)) {
          to = t;
        } else {
          from = s;
        }
      }
    }
  }
};

inline void judge_case(const TolerancedCase& made, const std::string& name, int samples,
                       TolerancedTally& tally) {
  ++tally.motions;
  std::vector<StandingBody> bodies;
  std::vector<StandingPlane> planes;
  for (const Standing& other : made.standing) {
    if (other.is_plane) {
      planes.push_back(other.plane);
    } else {
      bodies.push_back({other.shape.polyhedron(), "", 0});
    }
  }
  TolerancedQuery query(made.moving.polyhedron(), bodies, planes, made.options);
  const DisplacementMetric& metric = query.metric();
  const TolerancedResult result = query(*made.motion.curve);
  tally.tests += result.tests, tally.balls += result.balls;
  const auto miss = [&](std::size_t& count, const std::string& what) {
    ++count;
    if (tally.messages.size() < 40) {
      tally.messages.push_back(name + " (" + made.motion.kind + ", " + made.kind + "): " + what);
    }
  };
  const SampledMotion sampled(made, metric, samples, tally.poses);
  const auto number = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.17g", x);
    return std::string(text);
  };
  switch (result.verdict) {
    case Verdict::free: {
      ++tally.free;
      if (!sampled.contacts.empty()) {
        miss(tally.refuted, "free, but in contact at " + number(sampled.contacts[0]) + " by " +
                                number(-sampled.least));
      }
      const double apart = sampled.least + made.options.margin;
      const TolerancedOptions& asked = made.options;
      const double wanted = std::max(asked.accuracy, asked.relative_accuracy * apart);
      tally.loose += asked.ask == Ask::clearance && asked.deviation == 0 && asked.depth >= 48 &&
                     result.tests < asked.budget / 32 && result.clearance < apart - 2 * wanted;
      if (result.clearance > apart + made.noise) {
        miss(tally.too_much, "clearance " + number(result.clearance) + ", but " + number(apart) +
                                 " at " + number(sampled.least_at));
      }
      break;
    }
    case Verdict::contact: {
      ++tally.contact;
      double gap = std::numeric_limits<double>::infinity();
      const double time = result.first_contact;
      if (time >= made.motion.curve->begin() && time <= made.motion.curve->end()) {
        gap = sampled_gap(made, metric, made.motion.at(time));
      }
      if (!(gap <= made.noise)) {
        miss(tally.no_contact, "contact at " + number(time) + ", but " + number(gap) + " apart");
      } else if (gap > -made.noise) {
        ++tally.grazing;
      }
      break;
    }
    case Verdict::undecided:
      ++tally.undecided;
      break;
  }
  for (const TolerancedInterval& interval : result.intervals) {
    for (const double time : sampled.contacts) {
      if (interval.status == Verdict::free && time >= interval.from && time <= interval.to) {
        miss(tally.refuted, "a free stretch from " + number(interval.from) + " to " +
                                number(interval.to) + ", but in contact at " + number(time));
        break;
      }
    }
    if (interval.status == Verdict::contact) {
      const double gap = sampled_gap(made, metric, made.motion.at(interval.time));
      if (!(gap <= made.noise) || interval.time < interval.from || interval.time > interval.to) {
        miss(tally.no_contact, "a stretch of contact, but at " + number(interval.time) + " " +
                                   number(gap) + " apart");
      }
    }
  }
  // A point goes through a face between two samples: where it is said to be, it is looked for.
  double least = sampled.least;
  for (const TolerancedInterval& interval : result.intervals) {
    if (!std::isfinite(interval.time)) continue;
    least = std::min(least, sampled_gap(made, metric, made.motion.at(interval.time)));
  }
  // Stretches of a motion have shares of the budget.
  const bool ended = result.tests >= made.options.budget / 32 || made.options.depth < 48;
  if (result.verdict == Verdict::undecided && !ended) {
    // A deviation and a radius are taken together, for a little more than their sum.
    tally.open += least > 4 * made.options.tolerance + 4 * made.options.deviation;
    // With a deviation, what some displacement near the curve meets is no contact of the curve.
    tally.deep += made.options.deviation == 0 && sampled.least < -made.options.tolerance &&
                  sampled.contacts.size() * 4 >= static_cast<std::size_t>(samples);
  }
  if (least > 0.01 + 3 * made.options.tolerance) {
    ++tally.clear;
    if (result.verdict != Verdict::free && !ended) {
      miss(tally.not_certified, "clear by " + number(least) + ", but " + to_string(result.verdict) +
                                    " after " + std::to_string(result.tests) + " tests");
    }
  }
}

/// Case `k` of a seed, by itself.
inline void judge_case(std::uint64_t seed, std::uint64_t k, int samples, TolerancedTally& tally) {
  Random random(seed * 0x9E3779B97F4A7C15u + k);
  const TolerancedCase made = random_case(random);
  judge_case(made, "seed " + std::to_string(seed) + " case " + std::to_string(k), samples, tally);
}

}  // namespace keepclear::test
