// SPDX-License-Identifier: BSD-3-Clause
//
// Curves of displacements and their metric in 113 bits, written from the definitions alone; and
// random ones, with their references.
#pragma once

#include <functional>
#include <numbers>
#include <span>
#include <vector>

#include "distance/generators.hpp"
#include "keepclear/displacement.hpp"
#include "oracle/quad.hpp"

namespace keepclear::test {

using oracle::QMat;
using oracle::QPose;
using oracle::Quad;
using oracle::QVec;

/// Any displacement, not only rigid ones.
using QAffine = QPose;
using Reference = std::function<QAffine(Quad time)>;

inline QVec wide(Vec3 a) {
  return oracle::widen<Quad>(a);
}
inline QAffine wide(const Affine& g) {
  return {{wide(g.A.row0), wide(g.A.row1), wide(g.A.row2)}, wide(g.a)};
}
inline QMat operator+(const QMat& a, const QMat& b) {
  return {a.row0 + b.row0, a.row1 + b.row1, a.row2 + b.row2};
}
inline QMat operator*(Quad s, const QMat& a) {
  return {s * a.row0, s * a.row1, s * a.row2};
}

inline Quad distance(const DisplacementMetric& metric, const QAffine& g, const QAffine& h) {
  const QMat D = g.R + Quad(-1) * h.R;
  const QVec b = D * wide(metric.barycentre()) + (g.p - h.p);
  Quad sum = dot(b, b);
  for (std::size_t k = 0; k < 3; ++k) {
    const QVec q = D * wide(metric.axes()[k]);
    sum += Quad(metric.moments()[k]) * dot(q, q);
  }
  return sqrtq(sum);
}

inline QMat turn_about(QVec axis, Quad angle) {
  axis = (1 / norm(axis)) * axis;
  const Quad c = cosq(angle), s = sinq(angle), v = 1 - c;
  const auto [x, y, z] = axis;
  return {{v * x * x + c, v * x * y - s * z, v * x * z + s * y},
          {v * x * y + s * z, v * y * y + c, v * y * z - s * x},
          {v * x * z - s * y, v * y * z + s * x, v * z * z + c}};
}

inline Reference bezier_reference(const std::vector<Affine>& control,
                                  const std::vector<double>& weights, double begin, double end) {
  return [=](Quad time) {
    const Quad s = (time - Quad(begin)) / (Quad(end) - Quad(begin));
    std::vector<QAffine> points;
    std::vector<Quad> w;
    for (std::size_t i = 0; i < control.size(); ++i) {
      w.push_back(weights.empty() ? Quad(1) : Quad(weights[i]));
      const QAffine g = wide(control[i]);
      points.push_back({w[i] * g.R, w[i] * g.p});
    }
    for (std::size_t n = control.size() - 1; n > 0; --n) {
      for (std::size_t i = 0; i < n; ++i) {
        points[i] = {(1 - s) * points[i].R + s * points[i + 1].R,
                     (1 - s) * points[i].p + s * points[i + 1].p};
        w[i] = (1 - s) * w[i] + s * w[i + 1];
      }
    }
    return QAffine{(1 / w[0]) * points[0].R, (1 / w[0]) * points[0].p};
  };
}

inline Reference screw_reference(Pose start, Vec3 point, Vec3 axis, double angle, double slide,
                                 double begin, double end) {
  return [=](Quad time) {
    const Quad s = (time - Quad(begin)) / (Quad(end) - Quad(begin));
    const QAffine g = wide(affine(start));
    const QMat N = turn_about(wide(axis), s * Quad(angle));
    const QVec a = wide(axis), p = wide(point);
    return QAffine{N * g.R, p + N * (g.p - p) + (s * Quad(slide) / norm(a)) * a};
  };
}

/// Poses of which each comes from the one before by a turn in the body's own frame, and so are
/// known better than their rounded matrices.
struct PoseChain {
  std::vector<Pose> poses;
  std::vector<double> times;
  std::vector<Vec3> axes;  ///< in the body
  std::vector<double> angles;
  Vec3 centre;

  /// The turns begin anew at each pose as it was rounded.
  QAffine at(Quad time) const {
    std::size_t i = 0;
    while (i + 2 < times.size() && time > Quad(times[i + 1])) ++i;
    const Quad s = (time - Quad(times[i])) / (Quad(times[i + 1]) - Quad(times[i]));
    const QAffine g = wide(affine(poses[i])), h = wide(affine(poses[i + 1]));
    const QVec c = wide(centre), from = g * c, to = h * c;
    const QMat R = angles[i] == 0 ? g.R : g.R * turn_about(wide(axes[i]), s * Quad(angles[i]));
    return {R, from + s * (to - from) - R * c};
  }
};

inline Mat3 narrow(const QMat& m) {
  return {oracle::narrow(m.row0), oracle::narrow(m.row1), oracle::narrow(m.row2)};
}

inline PoseChain random_chain(Random& random, std::size_t count, double size) {
  PoseChain chain;
  chain.centre = uniform(random, 0, size) * random_unit(random);
  if (pick(random, 3) == 0) chain.centre = {};
  double time = uniform(random, -3, 3);
  Pose X{random_rotation(random), uniform(random, 0, size) * random_unit(random)};
  for (std::size_t i = 0; i < count; ++i) {
    chain.poses.push_back(X);
    chain.times.push_back(time);
    const Vec3 axis = pick(random, 4) == 0 ? Vec3{0, 1, 0} : random_unit(random);
    double angle = log_uniform(random, 1e-9, std::numbers::pi - 1e-6);
    const int kind = pick(random, 6);
    if (kind == 0) angle = 0;
    if (kind == 1) angle = std::numbers::pi - 1e-6;
    chain.axes.push_back(axis);
    chain.angles.push_back(angle);
    const QMat R = wide(affine(X)).R * turn_about(wide(axis), Quad(angle));
    X.R = narrow(R);
    if (pick(random, 4) != 0) X.p = X.p + uniform(random, 0, size) * random_unit(random);
    time += log_uniform(random, 1e-3, 10);
  }
  return chain;
}

/// Metrics of bodies of all proportions, far from their origin or not.
inline DisplacementMetric random_metric(Random& random, double size = 1) {
  std::vector<Vec3> points(1 + static_cast<std::size_t>(pick(random, 9)));
  const Vec3 far = (pick(random, 3) == 0 ? 10 * size : 0) * random_unit(random);
  const Vec3 stretch{size, size * log_uniform(random, 1e-3, 1), pick(random, 3) == 0 ? 0 : size};
  const Mat3 R = random_rotation(random);
  for (Vec3& p : points) {
    const Vec3 v = random_unit(random);
    p = far + R * Vec3{stretch.x * v.x, stretch.y * v.y, stretch.z * v.z};
  }
  return DisplacementMetric(points);
}

inline Affine random_affine(Random& random, double size) {
  const auto row = [&] { return uniform(random, 0, 2) * random_unit(random); };
  const Vec3 r0 = row(), r1 = row(), r2 = row();
  return {{r0, r1, r2}, uniform(random, 0, size) * random_unit(random)};
}

}  // namespace keepclear::test
