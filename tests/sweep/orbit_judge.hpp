// SPDX-License-Identifier: BSD-3-Clause
//
// What points, edges and faces cover under a ball of displacements, against displacements in it, in
// 113 bits: nothing leaves the surfaces of the paper, and each is reached.
#pragma once

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "motion/displacement_reference.hpp"

namespace keepclear::test {

struct OrbitTally {
  std::size_t cases = 0, checks = 0, misses = 0;
  /// The largest shares of a point's radius and of the surfaces that random displacements fill.
  double fullest_ball = 0;
  std::vector<std::string> messages;

  void check(bool holds, const char* what) {
    ++checks;
    if (holds) return;
    ++misses;
    if (messages.size() < 20) messages.push_back("case " + std::to_string(cases) + ": " + what);
  }
};

inline Quad square(Quad x) {
  return x * x;
}
inline Quad magnitude(Quad x) {
  return x < 0 ? -x : x;
}
inline bool nearly(Quad a, Quad b, Quad share) {
  return magnitude(a - b) <= share * (magnitude(a) + magnitude(b));
}

/// The metric, with the inverse of its axes, which are orthonormal only to within rounding.
class QMetric {
 public:
  explicit QMetric(const DisplacementMetric& metric) : b(wide(metric.barycentre())) {
    const QVec x = wide(metric.axes()[0]), y = wide(metric.axes()[1]), z = wide(metric.axes()[2]);
    const QVec n = oracle::cross(y, z);
    const Quad volume = dot(x, n);
    dual = {(1 / volume) * n, (1 / volume) * oracle::cross(z, x),
            (1 / volume) * oracle::cross(x, y)};
    for (std::size_t k = 0; k < 3; ++k) root[k] = sqrtq(Quad(metric.moments()[k]));
  }

  /// Twelve orthonormal coordinates of x -> 1, c1 / root1, ...: rho is the norm of these.
  std::array<Quad, 4> weights(const QVec& x) const {
    const QVec y = x - b;
    return {1, dot(dual[0], y) / root[0], dot(dual[1], y) / root[1], dot(dual[2], y) / root[2]};
  }
  /// rho(x) rho(y) cos of their angle: the form of which rho^2 is the square.
  Quad form(const QVec& x, const QVec& y) const {
    const auto v = weights(x), w = weights(y);
    return v[0] * w[0] + v[1] * w[1] + v[2] * w[2] + v[3] * w[3];
  }
  Quad rho(const QVec& x) const { return sqrtq(form(x, x)); }

  /// The change of a displacement with orthonormal coordinates y: four vectors.
  QAffine change(const std::array<QVec, 4>& y) const {
    QMat D = Quad(0) * QMat{};
    for (std::size_t k = 0; k < 3; ++k) {
      const QVec v = (1 / root[k]) * y[k + 1];
      D = D + QMat{v.x * dual[k], v.y * dual[k], v.z * dual[k]};
    }
    return {D, y[0] - D * b};
  }
  /// The change of norm R that takes x farthest along the unit vector u.
  QAffine farthest(const QVec& x, const QVec& u, Quad R) const {
    const auto w = weights(x);
    const Quad share = R / rho(x);
    return change({share * w[0] * u, share * w[1] * u, share * w[2] * u, share * w[3] * u});
  }

  QVec b;
  std::array<QVec, 3> dual;
  std::array<Quad, 3> root;
};

/// Coordinates in the ball of radius R: on its sphere, or anywhere in it.
inline std::array<QVec, 4> random_coordinates(Random& random, Quad R) {
  std::array<double, 12> v{};
  double sum = 0;
  for (double& x : v) {
    // Nearly normal: the sum of some that are uniform.
    x = uniform(random, -1, 1) + uniform(random, -1, 1) + uniform(random, -1, 1);
    sum += x * x;
  }
  Quad length = 0;
  for (const double x : v) length += Quad(x) * Quad(x);
  Quad scale = R / sqrtq(length);
  if (pick(random, 2)) scale *= Quad(std::pow(uniform(random, 0, 1), 1.0 / 12));
  const auto part = [&](std::size_t k) { return scale * wide(Vec3{v[k], v[k + 1], v[k + 2]}); };
  return {part(0), part(3), part(6), part(9)};
}

inline QVec moved(const QAffine& g, const QAffine& change, const QVec& x) {
  return g * x + change * x;
}

/// rho^2 on a line or in a plane about its least value, in 113 bits.
struct QLine {
  QVec foot, direction;
  Quad rho0, nu;

  QLine(const QMetric& m, const QVec& a, const QVec& b) {
    direction = (1 / norm(b - a)) * (b - a);
    const QVec none = m.b, along = m.b + direction;
    // The form on differences: without the one that all points share.
    const Quad curve = m.form(along, along) - 1, slope = m.form(a, along) - m.form(a, none);
    foot = a - (slope / curve) * direction;
    nu = 1 / sqrtq(curve);
    rho0 = m.rho(foot);
  }
};

/// One metric, one ball, a triangle, displacements in the ball.
inline void judge_orbit(Random& random, OrbitTally& tally) {
  ++tally.cases;
  constexpr Quad kExact = 1e-24;
  // Where a body next to a point makes matrices of 1e9.
  constexpr Quad kNear = 1e-18;
  const double size = log_uniform(random, 1e-2, 10);
  const DisplacementMetric metric = random_metric(random, size);
  const QMetric m(metric);
  const auto point = [&] { return metric.barycentre() + size * random_unit(random); };
  const std::array<Vec3, 3> corner{point(), point(), point()};
  const std::array<QVec, 3> v{wide(corner[0]), wide(corner[1]), wide(corner[2])};

  // Rigid centres for the surfaces of the paper; any others for the balls they are made of.
  const bool rigid = pick(random, 2) == 0;
  QAffine g = wide(random_affine(random, size));
  if (rigid) {
    const QVec axis = wide(random_unit(random));
    g.R = turn_about(axis, Quad(uniform(random, -3, 3)));
  }
  const QLine line(m, v[0], v[1]);
  const LineMetric given = line_metric(metric, corner[0], corner[1]);
  tally.check(nearly(given.nu, line.nu, 1e-9), "nu of a line");
  tally.check(nearly(given.rho0, line.rho0, 1e-9), "rho0 of a line");
  // From far below nu to far above it.
  const Quad R = line.nu * Quad(log_uniform(random, 1e-4, 3));
  const QAffine change = m.change(random_coordinates(random, R));
  const QAffine none{Quad(0) * QMat{}, {0, 0, 0}};
  tally.check(distance(metric, change, none) <= R * (1 + kNear), "a displacement in the ball");

  // Vertices: a ball, and every point of its sphere is reached.
  const QVec& x = v[0];
  const Quad rho = m.rho(x);
  tally.check(nearly(metric.distortion(corner[0]), rho, 1e-12), "distortion");
  tally.check(Quad(metric.distortion_hi(corner[0])) >= rho, "distortion_hi");
  const Quad way = norm(change * x);
  tally.check(way <= R * rho * (1 + kExact), "a vertex leaves its ball");
  tally.fullest_ball = std::max(tally.fullest_ball, static_cast<double>(way / (R * rho)));
  QVec u = wide(random_unit(random));
  u = (1 / norm(u)) * u;
  const QAffine most = m.farthest(x, u, R);
  tally.check(nearly(distance(metric, most, none), R, kNear), "the farthest is in the ball");
  tally.check(norm(most * x - (R * rho) * u) <= kExact * R * rho, "a point of the sphere");

  // Edges: (4), and the hyperboloid (5) about the image of the line.
  const Quad t = norm(v[1] - v[0]) * Quad(uniform(random, -2, 2));
  const QVec on = line.foot + t * line.direction;
  tally.check(nearly(square(m.rho(on)), square(line.rho0) + square(t / line.nu), kExact),
              "rho on a line");
  const Quad k = square(R / line.nu);
  if (rigid && k < 1) {
    const QVec along = g.R * line.direction, foot = g * line.foot;
    const auto left = [&](const QVec& p) {
      const Quad X = dot(p - foot, along);
      const Quad r2 = dot(p - foot, p - foot) - X * X;
      return X * X / (1 - 1 / k) + r2 - square(R * line.rho0);
    };
    const Quad scale = square(R * line.rho0) + t * t + 1e-30;
    tally.check(left(moved(g, change, on)) <= kExact * scale, "an edge leaves its hyperboloid");
    // Where the normal from `on` meets it: at X = (1 - k) t, as far off as (5) says.
    const Quad X = (1 - k) * t, r2 = square(R * line.rho0) - X * X / (1 - 1 / k);
    QVec off = oracle::cross(along, u);
    off = (1 / norm(off)) * off;
    const QVec target = foot + X * along + sqrtq(r2) * off, step = target - g * on;
    tally.check(nearly(norm(step), R * m.rho(on), kExact), "the normal of the hyperboloid");
    const QAffine reach = m.farthest(on, (1 / norm(step)) * step, R);
    tally.check(norm(moved(g, reach, on) - target) <= kExact * (norm(step) + magnitude(t)),
                "a point of the hyperboloid");
  }

  // |p(x) - y|^2 - R^2 rho^2 on a segment, for any centre: its least value.
  const auto least_on_segment = [&](const QVec& a, const QVec& b, const QVec& y) {
    const QVec ga = g * a - y, e = g.R * (b - a);
    const Quad c0 = dot(ga, ga) - R * R * m.form(a, a);
    const Quad c1 = dot(ga, e) - R * R * (m.form(a, b) - m.form(a, a));
    const Quad c2 = dot(e, e) - R * R * (m.form(b, b) - 2 * m.form(a, b) + m.form(a, a));
    const auto at = [&](Quad s) { return c0 + 2 * c1 * s + c2 * s * s; };
    Quad least = at(0) < at(1) ? at(0) : at(1);
    if (c2 > 0 && -c1 > 0 && -c1 < c2 && at(-c1 / c2) < least) least = at(-c1 / c2);
    // Concave where R >= nu: the ends are enough.
    if (rigid && c2 <= 0) tally.check(least == (at(0) < at(1) ? at(0) : at(1)), "concave");
    return least;
  };
  const Quad share = Quad(uniform(random, 0, 1));
  const QVec inner = v[0] + share * (v[1] - v[0]);
  const QVec image = moved(g, change, inner);
  const Quad far2 = square(norm(image)) + R * R * m.form(inner, inner) + 1e-30;
  tally.check(least_on_segment(v[0], v[1], image) <= kExact * far2, "an edge leaves its balls");

  // Faces: (6), the two sheets (7), and the scaled polygon of Proposition 1.
  const Quad area = norm(oracle::cross(v[1] - v[0], v[2] - v[0]));
  if (!rigid || area < 1e-3 * square(Quad(size))) return;
  const PlaneMetric plane = plane_metric(metric, corner[0], corner[1], corner[2]);
  QVec normal = oracle::cross(v[1] - v[0], v[2] - v[0]);
  normal = (1 / norm(normal)) * normal;
  // The axes of the form in the plane, from those given: one step of Jacobi makes them exact.
  QVec e1 = wide(plane.axis1) - dot(wide(plane.axis1), normal) * normal;
  e1 = (1 / norm(e1)) * e1;
  QVec e2 = oracle::cross(normal, e1);
  const auto bilinear = [&](const QVec& a, const QVec& b) { return m.form(m.b + a, m.b + b) - 1; };
  for (int step = 0; step < 3; ++step) {
    const Quad aa = bilinear(e1, e1), ab = bilinear(e1, e2), bb = bilinear(e2, e2);
    if (magnitude(aa - bb) <= 1e-12 * (aa + bb)) break;
    // A small turn by about ab / (bb - aa); Newton's method.
    const Quad turn = -ab / (bb - aa);
    const QVec f1 = e1 + turn * e2;
    e1 = (1 / norm(f1)) * f1;
    e2 = oracle::cross(normal, e1);
  }
  const Quad curve1 = bilinear(e1, e1), curve2 = bilinear(e2, e2);
  if (magnitude(bilinear(e1, e2)) > kExact * (curve1 + curve2)) return;
  const Quad nu1 = 1 / sqrtq(curve1), nu2 = 1 / sqrtq(curve2);
  tally.check(nearly(plane.nu1, nu1, 1e-6) && nearly(plane.nu2, nu2, 1e-6), "nu of a plane");
  tally.check(plane.nu1 >= plane.nu2 * (1 - 1e-9), "the order of nu");
  const QVec foot =
      v[0] - (bilinear(v[0] - m.b, e1) / curve1) * e1 - (bilinear(v[0] - m.b, e2) / curve2) * e2;
  const Quad rho0 = m.rho(foot);
  tally.check(nearly(plane.rho0, rho0, 1e-6), "rho0 of a plane");

  const Quad a = Quad(uniform(random, 0, 1)), b = (1 - a) * Quad(uniform(random, 0, 1));
  const QVec in = v[0] + a * (v[1] - v[0]) + b * (v[2] - v[0]);
  const Quad s1 = dot(in - foot, e1), s2 = dot(in - foot, e2);
  tally.check(nearly(square(m.rho(in)), square(rho0) + square(s1 / nu1) + square(s2 / nu2), 1e-20),
              "rho in a plane");
  // A radius of its own: the plane is steeper than the line.
  const Quad Rf = (nu1 < nu2 ? nu1 : nu2) * Quad(log_uniform(random, 1e-4, 0.99));
  const QAffine turn = m.change(random_coordinates(random, Rf));
  const Quad k1 = square(Rf / nu1), k2 = square(Rf / nu2);
  const QVec g1 = g.R * e1, g2 = g.R * e2, gn = g.R * normal, gf = g * foot;
  const auto left = [&](const QVec& p) {
    const QVec d = p - gf;
    return square(dot(d, g1)) / (1 - 1 / k1) + square(dot(d, g2)) / (1 - 1 / k2) +
           square(dot(d, gn)) - square(Rf * rho0);
  };
  const QVec p = moved(g, turn, in);
  const Quad scale = square(Rf * m.rho(in)) + square(norm(in - foot));
  tally.check(left(p) <= 1e-20 * scale, "a face leaves its two sheets");
  const QVec target = gf + ((1 - k1) * s1) * g1 + ((1 - k2) * s2) * g2 +
                      sqrtq(square(Rf * rho0) + square(s1 / nu1 * Rf) * (1 - k1) +
                            square(s2 / nu2 * Rf) * (1 - k2)) *
                          gn;
  tally.check(magnitude(left(target)) <= 1e-20 * scale, "the scaled point is on a sheet");
  const QVec step = target - g * in;
  tally.check(nearly(norm(step), Rf * m.rho(in), 1e-20), "the normal of a sheet");
  const QAffine reach = m.farthest(in, (1 / norm(step)) * step, Rf);
  tally.check(norm(moved(g, reach, in) - target) <= 1e-20 * sqrtq(scale), "a point of a sheet");
  // Proposition 1: an image that is not over the scaled polygon is in a fat edge.
  const QVec back = foot + (dot(p - gf, g1) / (1 - k1)) * e1 + (dot(p - gf, g2) / (1 - k2)) * e2;
  bool over = true;
  for (std::size_t i = 0; i < 3; ++i) {
    const QVec& from = v[i];
    const QVec edge = v[(i + 1) % 3] - from;
    over = over && dot(oracle::cross(edge, back - from), normal) >= 0;
  }
  if (!over) {
    Quad least = 1e300;
    for (std::size_t i = 0; i < 3; ++i) {
      const QVec &from = v[i], &to = v[(i + 1) % 3];
      const QVec ga = g * from - p, e = g.R * (to - from);
      const Quad c0 = dot(ga, ga) - Rf * Rf * m.form(from, from);
      const Quad c1 = dot(ga, e) - Rf * Rf * (m.form(from, to) - m.form(from, from));
      const Quad c2 =
          dot(e, e) - Rf * Rf * (m.form(to, to) - 2 * m.form(from, to) + m.form(from, from));
      Quad s = -c1 / c2;
      s = s < 0 ? Quad(0) : s > 1 ? Quad(1) : s;
      const Quad value = c0 + 2 * c1 * s + c2 * s * s;
      if (value < least) least = value;
    }
    tally.check(least <= 1e-20 * scale, "an image beside the scaled polygon is in no fat edge");
  }
}

}  // namespace keepclear::test
