// SPDX-License-Identifier: BSD-3-Clause
//
// Random motions of all kinds for the judge of toleranced motions.
#pragma once

#include <algorithm>
#include <cmath>

#include "certify/toleranced_worlds.hpp"

namespace keepclear::test {

/// A rational motion that is rigid but for the rounding of its control points: a Bezier curve of
/// quaternions of degree n and positions make one of degree 2 n. False if a weight is not positive.
inline bool rigid_bezier(Random& random, std::size_t n, double reach, Vec3 origin,
                         std::vector<Affine>& control, std::vector<double>& weights) {
  std::vector<std::array<double, 4>> q;
  for (std::size_t i = 0; i <= n; ++i) {
    std::array<double, 4> next{uniform(random, -1, 1), uniform(random, -1, 1),
                               uniform(random, -1, 1), uniform(random, 0.6, 2)};
    q.push_back(next);
  }
  const auto choose = [](std::size_t m, std::size_t k) {
    double c = 1;
    for (std::size_t i = 1; i <= k; ++i) {
      c = c * static_cast<double>(m - k + i) / static_cast<double>(i);
    }
    return c;
  };
  control.clear(), weights.clear();
  for (std::size_t k = 0; k <= 2 * n; ++k) {
    double w = 0;
    Mat3 N{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
    for (std::size_t i = k > n ? k - n : 0; i <= std::min(k, n); ++i) {
      const auto& [x, y, z, s] = q[i];
      const auto& [X, Y, Z, S] = q[k - i];
      const double share = choose(n, i) * choose(n, k - i) / choose(2 * n, k);
      w += share * (x * X + y * Y + z * Z + s * S);
      // The matrix of a quaternion, times its squared norm, made symmetric in the two.
      N.row0 =
          N.row0 + share * Vec3{s * S + x * X - y * Y - z * Z, (x * Y + y * X) - (s * Z + z * S),
                                (x * Z + z * X) + (s * Y + y * S)};
      N.row1 =
          N.row1 + share * Vec3{(x * Y + y * X) + (s * Z + z * S), s * S - x * X + y * Y - z * Z,
                                (y * Z + z * Y) - (s * X + x * S)};
      N.row2 =
          N.row2 + share * Vec3{(x * Z + z * X) - (s * Y + y * S),
                                (y * Z + z * Y) + (s * X + x * S), s * S - x * X - y * Y + z * Z};
    }
    if (!(w > 0.05)) return false;
    weights.push_back(w);
    const Vec3 p = origin + uniform(random, 0, reach) * random_unit(random);
    control.push_back({{(1 / w) * N.row0, (1 / w) * N.row1, (1 / w) * N.row2}, p});
  }
  return true;
}

inline JudgedMotion random_bezier(Random& random, double reach, Vec3 origin) {
  std::vector<Affine> control;
  std::vector<double> weights;
  const double begin = uniform(random, -2, 2), end = begin + log_uniform(random, 0.01, 100);
  const auto ball = pick(random, 2) ? BezierBall::middle : BezierBall::smallest;
  const bool rigid = pick(random, 4) != 0;
  if (rigid) {
    const auto n = 1 + static_cast<std::size_t>(pick(random, 4));
    while (!rigid_bezier(random, n, reach, origin, control, weights)) {
    }
  } else {
    // Between poses on straight lines of twelve numbers: no rotation in between.
    const int degree = 2 + pick(random, 7);
    for (int i = 0; i <= degree; ++i) {
      const Mat3 R = random_rotation(random);
      control.push_back({R, origin + uniform(random, 0, reach) * random_unit(random)});
      weights.push_back(log_uniform(random, 0.1, 10));
    }
  }
  JudgedMotion motion;
  motion.curve = rational_bezier_curve(control, weights, begin, end, ball);
  motion.at = bezier_at(control, weights, begin, end);
  motion.kind = rigid ? "rigid Bezier" : "affine Bezier";
  return motion;
}

/// A screw, as itself or as a curve of which only length and curvature are known.
inline JudgedMotion random_screw(Random& random, double reach, Vec3 origin,
                                 const DisplacementMetric& metric) {
  const Pose start{random_rotation(random),
                   origin + uniform(random, 0, reach) * random_unit(random)};
  const Vec3 point = start.p + uniform(random, 0, 0.5 * reach) * random_unit(random);
  const Vec3 axis = random_unit(random);
  const double angle = pick(random, 5) == 0 ? 0 : uniform(random, -6, 6);
  const double slide = pick(random, 3) == 0 ? 0 : uniform(random, -reach, reach);
  const double begin = uniform(random, -2, 2), end = begin + log_uniform(random, 0.01, 100);
  JudgedMotion motion;
  motion.at = screw_at(start, point, axis, angle, slide, begin, end);
  if (pick(random, 3) != 0 || (angle == 0 && slide == 0)) {
    motion.curve = screw_curve(start, point, axis, angle, slide, begin, end);
    motion.kind = "screw";
    return motion;
  }
  const double duration = end - begin;
  const auto off = [&](Vec3 v) { return squared_norm(cross(v, axis)); };
  double circle = off(start.R * metric.barycentre() + start.p - point);
  for (std::size_t k = 0; k < 3; ++k) {
    circle += metric.moments()[k] * off(start.R * metric.axes()[k]);
  }
  const double rate = angle / duration, along = slide / duration;
  const double speed2 = circle * rate * rate + along * along;
  const double speed = std::sqrt(speed2) * (1 + 1e-12);
  const double bend = std::sqrt(circle) * rate * rate / speed2 * (1 + 1e-12);
  BoundedCurve bounded;
  bounded.begin = begin, bounded.end = end;
  bounded.at = motion.at;
  const auto at = motion.at;
  const Vec3 a = unit(axis);
  bounded.tangent = [=](double time) {
    const Affine g = at(time);
    const Mat3 columns = transpose(g.A);
    const auto turn = [&](Vec3 v) { return rate * cross(a, v); };
    return Affine{transpose({turn(columns.row0), turn(columns.row1), turn(columns.row2)}),
                  turn(g.a - point) + along * a};
  };
  bounded.length_hi = [=](double from, double to) { return speed * (to - from) * (1 + 1e-15); };
  bounded.curvature_hi = [=](double, double) { return bend; };
  bounded.error = 1e-13 * (1 + reach) * (1 + norm(metric.barycentre())) + 1e-15 * norm(origin);
  bounded.tangent_error = 1e-11;
  motion.curve = bounded_curve(bounded);
  motion.kind = "bounded screw";
  return motion;
}

inline JudgedMotion random_poses(Random& random, double reach, Vec3 origin) {
  const std::size_t count = 2 + static_cast<std::size_t>(pick(random, 5));
  std::vector<Pose> poses;
  std::vector<double> times, angles;
  std::vector<Vec3> axes;
  const Vec3 centre = (pick(random, 2) ? reach * 0.3 : 0) * random_unit(random);
  Pose X{random_rotation(random), origin + uniform(random, 0, reach) * random_unit(random)};
  double time = uniform(random, -2, 2);
  for (std::size_t i = 0; i < count; ++i) {
    poses.push_back(X);
    times.push_back(time);
    axes.push_back(random_unit(random));
    angles.push_back(pick(random, 4) == 0 ? 0 : uniform(random, 0, 3));
    X.R = X.R * rotation_about(axes[i], angles[i]);
    X.p = X.p + uniform(random, 0, reach) * random_unit(random);
    time += log_uniform(random, 0.1, 10);
  }
  JudgedMotion motion;
  motion.curve = interpolated_curve(poses, times, centre);
  motion.at = poses_at(poses, times, axes, angles, centre);
  motion.kind = "poses";
  return motion;
}

/// Two Bezier curves, one after the other.
inline JudgedMotion random_joined(Random& random, double reach, Vec3 origin) {
  std::vector<Affine> first, second;
  const auto control = [&] {
    const Mat3 R = random_rotation(random);
    return Affine{R, origin + uniform(random, 0, reach) * random_unit(random)};
  };
  for (int i = 0; i < 3; ++i) first.push_back(control());
  second.push_back(first.back());
  for (int i = 0; i < 2; ++i) second.push_back(control());
  const std::array<CurvePointer, 2> parts{rational_bezier_curve(first, {}, 0, 1),
                                          rational_bezier_curve(second, {}, 1, 3)};
  const auto a = bezier_at(first, {}, 0, 1), b = bezier_at(second, {}, 1, 3);
  JudgedMotion motion;
  motion.curve = joined_curve(parts);
  motion.at = [=](double time) { return time <= 1 ? a(time) : b(time); };
  motion.kind = "joined";
  return motion;
}

/// Within about `reach` of `origin`.
inline JudgedMotion random_motion(Random& random, double reach, Vec3 origin,
                                  const DisplacementMetric& metric) {
  switch (pick(random, 8)) {
    case 0:
    case 1:
      return random_screw(random, reach, origin, metric);
    case 2:
      return random_poses(random, reach, origin);
    case 3:
      return random_joined(random, reach, origin);
    default:
      return random_bezier(random, reach, origin);
  }
}

}  // namespace keepclear::test
