// SPDX-License-Identifier: BSD-3-Clause
//
// The operators on explicit volumes against their motions in 113 bits: random motions of each kind,
// degenerate ones among them, and points of random bodies.
#pragma once

#include <functional>

#include "oracle/sweep_judge.hpp"
#include "sweep/operators.hpp"

namespace keepclear::oracle {

/// Points of a random body and volumes swept by `sweep`, judged at `poses` moments: `moment` draws
/// one and returns the motion as a map of points, in quads.
template <class Moment>
void judge_motion(Random& random, SweepTally& tally, int poses, int factor,
                  const std::function<double(PointVolume, std::span<Vec3>)>& sweep, Moment moment) {
  const PlainVolume body = random_body(random, 1 + static_cast<int>(random() % 4));
  PlainVolume volume;
  volume.points.resize(body.points.size() * static_cast<std::size_t>(factor));
  volume.radius = sweep({body.points, body.radius}, volume.points);
  std::vector<QVec> exact;
  for (int k = 0; k < 32; ++k) exact.push_back(random_body_point(random, body));
  ContainmentJudge judge(volume, tally);
  for (int pose = 0; pose < poses; ++pose) {
    const auto motion = moment();
    // The map itself comes in quads and is applied to many points in doubles.
    Motion<double> near{{widen<double>(narrow(motion.R.row0)), widen<double>(narrow(motion.R.row1)),
                         widen<double>(narrow(motion.R.row2))},
                        widen<double>(narrow(motion.p))};
    for (int k = 0; k < 64; ++k) {
      const QVec& p = exact[random() % exact.size()];
      const Vec<double> q = widen<double>(narrow(p)), at = near * q;
      const double off = 1e-14 * (norm(near.p) + 4 * norm(q) + norm(at));
      judge.see(narrow(at), off, [&] { return motion * p; });
    }
  }
}

/// A moment of an interval, with its ends and exact otherwise.
inline Quad moment_of(Random& random, Interval interval) {
  const auto kind = random() % 6;
  if (kind == 0) return interval.lower;
  if (kind == 1) return interval.upper;
  return interval.lower +
         Quad(uniform(random, 0, 1)) * (Quad(interval.upper) - Quad(interval.lower));
}

inline Interval random_interval(Random& random, double place) {
  const double lower = uniform(random, -place, place);
  return {lower, lower + random_width(random)};
}

inline SweepTally judge_cylindrical(std::int64_t points, std::uint64_t seed, int poses = 4) {
  Random random(seed);
  SweepTally tally;
  while (tally.points < points) {
    const Vec3 axis = random() % 3 == 0 ? Vec3{0, 0, -2} : uniform_vec(random, 3);
    const Interval turn = random_interval(random, 4), slide = random_interval(random, 1);
    const JointOperator op{1 + static_cast<int>(random() % 5), 1 + static_cast<int>(random() % 2)};
    Stage stage;
    make_cylindrical_stage(axis, turn, slide, op, stage);
    const QVec a = (1 / norm(widen<Quad>(axis))) * widen<Quad>(axis);
    judge_motion(
        random, tally, poses, stage.count,
        [&](PointVolume v, std::span<Vec3> out) { return sweep_stage(stage, v, out); },
        [&] {
          return QPose{rotation_about(a, moment_of(random, turn)), moment_of(random, slide) * a};
        });
  }
  return tally;
}

/// count: 1, or 3 and more.
inline SweepTally judge_ball(std::int64_t points, std::uint64_t seed, int count, int poses = 4) {
  Random random(seed);
  SweepTally tally;
  while (tally.points < points) {
    BallMotion motion;
    const double kAngles[] = {0, 1e-300, 1e-16, 1e-9, std::numbers::pi / 2, std::numbers::pi, 4};
    motion.angle_hi = random() % 3 == 0   ? kAngles[random() % std::size(kAngles)]
                      : random() % 2 == 0 ? uniform(random, 0, 3.2)
                                          : uniform(random, 0, 0.5);
    const Vec3 rpy = random() % 3 == 0 ? Vec3{} : uniform_vec(random, 4);
    if (rpy != Vec3{}) motion.R = rotation_from_rpy(rpy), motion.error = rounding::kRpyError;
    const QMat R = reference_origin({{}, rpy, {}}).R;
    judge_motion(
        random, tally, poses, count,
        [&](PointVolume v, std::span<Vec3> out) { return sweep_ball(motion, count, v, out); },
        [&] {
          const QVec d = widen<Quad>(uniform_vec(random, 1));
          const Quad share = random() % 2 ? 1 : uniform(random, 0, 1);
          const Quad angle = share * std::min(motion.angle_hi, 3.15);
          const QMat turn = rotation_about((1 / norm(d)) * d, angle);
          return QPose{random() % 2 ? R * turn : turn * R, {}};
        });
  }
  return tally;
}

/// sin x / x and (1 - cos x) / x.
inline Quad sinc_of(Quad x) {
  return x > -1e-8 && x < 1e-8 ? 1 - x * x / 6 : sinq(x) / x;
}
inline Quad cosc_of(Quad x) {
  const Quad half = sinc_of(x / 2);
  return x / 2 * half * half;
}
/// Where the base is at a time.
inline QPose base_at(const BaseMotion& motion, Quad time) {
  const Quad turn = motion.omega * time, along = time * sinc_of(turn), aside = time * cosc_of(turn);
  return {rotation_about({0, 0, 1}, turn),
          {along * motion.vx - aside * motion.vy, aside * motion.vx + along * motion.vy, 0}};
}

inline SweepTally judge_base(std::int64_t points, std::uint64_t seed, int count, int poses = 4) {
  Random random(seed);
  SweepTally tally;
  while (tally.points < points) {
    BaseMotion motion;
    const double kRates[] = {0, 1e-300, -1e-16, 1e-9, 1e-4, 10, -1e3, 1e6};
    motion.omega =
        random() % 3 == 0 ? kRates[random() % std::size(kRates)] : uniform(random, -2, 2);
    motion.time = random_interval(random, random() % 4 == 0 ? 1e3 : 2);
    if (random() % 8 != 0) motion.vx = uniform(random, -2, 2);
    if (random() % 2 != 0) motion.vy = uniform(random, -2, 2);
    judge_motion(
        random, tally, poses, count,
        [&](PointVolume v, std::span<Vec3> out) { return sweep_base(motion, count, v, out); },
        [&] { return base_at(motion, moment_of(random, motion.time)); });
  }
  return tally;
}

/// De Casteljau's in quads, on the numbers of the displacements with their weights.
inline QPose bezier_at(const BezierMotion& motion, Quad t) {
  std::vector<QPose> b;
  std::vector<Quad> w;
  for (std::size_t i = 0; i < motion.control.size(); ++i) {
    const Quad weight = motion.weights.empty() ? 1 : motion.weights[i];
    const QPose X = widen<Quad>(Pose{motion.control[i].M, motion.control[i].t});
    b.push_back({{weight * X.R.row0, weight * X.R.row1, weight * X.R.row2}, weight * X.p});
    w.push_back(weight);
  }
  for (std::size_t n = b.size(); n > 1; --n) {
    const auto mix = [&](QVec& first, const QVec& second) { first = (1 - t) * first + t * second; };
    for (std::size_t i = 0; i + 1 < n; ++i) {
      mix(b[i].R.row0, b[i + 1].R.row0), mix(b[i].R.row1, b[i + 1].R.row1);
      mix(b[i].R.row2, b[i + 1].R.row2), mix(b[i].p, b[i + 1].p);
      w[i] = (1 - t) * w[i] + t * w[i + 1];
    }
  }
  const Quad scale = 1 / w[0];
  return {{scale * b[0].R.row0, scale * b[0].R.row1, scale * b[0].R.row2}, scale * b[0].p};
}

inline SweepTally judge_bezier(std::int64_t points, std::uint64_t seed, int poses = 4) {
  Random random(seed);
  SweepTally tally;
  while (tally.points < points) {
    std::vector<AffineMap> control(1 + random() % 6);
    for (AffineMap& map : control) {
      map.M = rotation_from_rpy(uniform_vec(random, 1));
      if (random() % 4 == 0) map.M.row0 = uniform_vec(random, 2);
      map.t = uniform_vec(random, 2);
    }
    std::vector<double> weights;
    if (random() % 2) {
      const double range = random() % 4 == 0 ? 40 : 2;
      for (std::size_t i = 0; i < control.size(); ++i) {
        weights.push_back(std::pow(10, uniform(random, -range, range)));
      }
    }
    BezierMotion motion{control, weights};
    const double lower = random() % 3 == 0 ? 0 : uniform(random, 0, 1);
    const double width = std::min(1 - lower, random_width(random));
    motion.t = {lower, random() % 4 == 0 ? 1 : std::min(1.0, lower + width)};
    judge_motion(
        random, tally, poses, static_cast<int>(control.size()),
        [&](PointVolume v, std::span<Vec3> out) { return sweep_bezier(motion, v, out); },
        [&] { return bezier_at(motion, moment_of(random, motion.t)); });
  }
  return tally;
}

}  // namespace keepclear::oracle
