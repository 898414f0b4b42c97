// SPDX-License-Identifier: BSD-3-Clause
//
// The metric of displacements that a body gives: second moments about the barycentre, and their
// principal axes. Once these are rounded to doubles they are the metric; what follows is bounded
// for them. docs/theory/displacements.md.
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "keepclear/displacement.hpp"
#include "keepclear/error.hpp"
#include "rounding/mode.hpp"
#include "rounding/rounding.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;

/// At least the spectral norm of Q^T Q - 1 of the axes Q: asked of every metric that is made.
constexpr double kAxesError = 4e-14;
/// The least moment of a set, as a share of its largest, and in metres squared for a set that is
/// one point. Small: a flat body then pays little for turning out of its plane.
constexpr double kThinShare = 1e-6;
constexpr double kThinMoment = 1e-18;
/// Rounds of weights, fewer for many points: each brings the largest distortion nearer to the least
/// possible.
int balancings(std::size_t points) {
  return static_cast<int>(std::clamp<std::size_t>(2'000'000 / points, 4, 64));
}

struct Moments {
  Vec3 barycentre;
  double about[3][3] = {};
};

Moments moments_of(std::span<const Vec3> points, std::span<const double> weights) {
  Moments m;
  double mass = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double w = weights.empty() ? 1 : weights[i];
    m.barycentre = m.barycentre + w * points[i];
    mass += w;
  }
  m.barycentre = (1 / mass) * m.barycentre;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const double w = (weights.empty() ? 1 : weights[i]) / mass;
    const Vec3 y = points[i] - m.barycentre;
    for (int r = 0; r < 3; ++r) {
      for (int c = 0; c < 3; ++c) m.about[r][c] += w * y[r] * y[c];
    }
  }
  return m;
}

/// Jacobi's rotations: columns of v become the axes of a.
void diagonalise(double a[3][3], double v[3][3]) {
  for (int r = 0; r < 3; ++r) {
    for (int c = 0; c < 3; ++c) v[r][c] = r == c ? 1 : 0;
  }
  for (int sweep = 0; sweep < 30; ++sweep) {
    for (const auto& [p, q] : {std::pair{0, 1}, {0, 2}, {1, 2}}) {
      if (a[p][q] == 0) continue;
      const double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
      const double t = std::isfinite(theta)
                           ? std::copysign(1, theta) / (std::fabs(theta) + std::hypot(1, theta))
                           : 0;
      const double c = 1 / std::hypot(1, t), s = t * c;
      for (int k = 0; k < 3; ++k) {
        const double x = a[k][p], y = a[k][q];
        a[k][p] = c * x - s * y, a[k][q] = s * x + c * y;
      }
      for (int k = 0; k < 3; ++k) {
        const double x = a[p][k], y = a[q][k];
        a[p][k] = c * x - s * y, a[q][k] = s * x + c * y;
      }
      for (int k = 0; k < 3; ++k) {
        const double x = v[k][p], y = v[k][q];
        v[k][p] = c * x - s * y, v[k][q] = s * x + c * y;
      }
    }
  }
}

bool nearly_orthonormal(const std::array<Vec3, 3>& q) {
  double off2 = 0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      const double off = dot(q[i], q[j]) - (i == j ? 1 : 0);
      off2 += off * off;
    }
  }
  // Written so that what is not a number is not.
  return inflate(std::sqrt(off2), 30) + 16 * gamma(5) <= kAxesError;
}

/// At least the squared length of D y + d, rounding included.
double squared_way_hi(const Mat3& D, Vec3 y, Vec3 d) {
  const auto along = [&](Vec3 row, double shift) {
    const double sum = row.x * y.x + row.y * y.y + row.z * y.z + shift;
    const double size =
        std::fabs(row.x * y.x) + std::fabs(row.y * y.y) + std::fabs(row.z * y.z) + std::fabs(shift);
    const double most = std::fabs(sum) + gamma(6) * size;
    return most * most;
  };
  return along(D.row0, d.x) + along(D.row1, d.y) + along(D.row2, d.z);
}

Mat3 difference(const Mat3& a, const Mat3& b) {
  return {a.row0 - b.row0, a.row1 - b.row1, a.row2 - b.row2};
}

}  // namespace

DisplacementMetric::DisplacementMetric(std::span<const Vec3> points,
                                       std::span<const double> weights) {
  rounding::require_mode();
  const auto refuse = [](const char* what) { throw Error(Error::Kind::usage, "", 0, what); };
  if (points.empty()) refuse("a metric of displacements needs a point");
  if (!weights.empty() && weights.size() != points.size()) refuse("one weight for each point");
  for (const Vec3 p : points) {
    if (!is_finite(p) || !(rounding::span_hi(p) < 1e100)) refuse("a point is not finite");
  }
  for (const double w : weights) {
    if (!(w > 1e-100 && w < 1e100)) refuse("a weight is not positive");
  }
  Moments m = moments_of(points, weights);
  double v[3][3];
  diagonalise(m.about, v);
  barycentre_ = m.barycentre;
  const double largest = std::max({m.about[0][0], m.about[1][1], m.about[2][2]});
  const double floor =
      std::max({kThinShare * largest, kThinMoment, 1e-24 * squared_norm(barycentre_)});
  for (int k = 0; k < 3; ++k) {
    axes_[k] = {v[0][k], v[1][k], v[2][k]};
    moments_[k] = std::max(m.about[k][k], floor);
  }
  if (!nearly_orthonormal(axes_)) {
    // Any axes make a metric; moments along those of the frame then.
    axes_ = {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
    for (int k = 0; k < 3; ++k) moments_[k] = std::max(largest, floor);
  }
}

DisplacementMetric DisplacementMetric::balanced(std::span<const Vec3> points) {
  std::vector<double> weights(points.size(), 1.0);
  DisplacementMetric best(points, weights);
  const auto most = [&](const DisplacementMetric& metric) {
    double rho = 0;
    for (const Vec3 p : points) rho = std::max(rho, metric.distortion(p));
    return rho;
  };
  double least = most(best);
  DisplacementMetric metric = best;
  for (int i = 0, rounds = balancings(points.size()); i < rounds; ++i) {
    // The weights of a smallest ellipsoid: what is far out gains. None vanishes.
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double rho = metric.distortion(points[k]);
      weights[k] = std::max(weights[k] * rho * rho / 4, 1e-9);
    }
    metric = DisplacementMetric(points, weights);
    const double now = most(metric);
    if (now < least) least = now, best = metric;
  }
  return best;
}

double DisplacementMetric::distance(const Affine& g, const Affine& h) const noexcept {
  const Mat3 D = difference(g.A, h.A);
  double sum = squared_norm(D * barycentre_ + (g.a - h.a));
  for (int k = 0; k < 3; ++k) sum += moments_[k] * squared_norm(D * axes_[k]);
  return std::sqrt(sum);
}

double DisplacementMetric::distance_hi(const Affine& g, const Affine& h) const noexcept {
  if (!rounding::mode_is_right()) return std::numeric_limits<double>::infinity();
  const Mat3 D = difference(g.A, h.A);
  double sum = squared_way_hi(D, barycentre_, g.a - h.a);
  for (int k = 0; k < 3; ++k) sum += moments_[k] * squared_way_hi(D, axes_[k], {});
  const double most = inflate(std::sqrt(sum), 40) + 0x1p-500;
  return std::isfinite(most) ? most : std::numeric_limits<double>::infinity();
}

Vec3 DisplacementMetric::coordinates(Vec3 x) const noexcept {
  const Vec3 y = x - barycentre_;
  return {dot(axes_[0], y), dot(axes_[1], y), dot(axes_[2], y)};
}

double DisplacementMetric::coordinate_error_hi(Vec3 x) const noexcept {
  if (!rounding::mode_is_right()) return std::numeric_limits<double>::infinity();
  return inflate(1.5 * kAxesError * rounding::norm_hi(x - barycentre_), 4);
}

double DisplacementMetric::distortion(Vec3 x) const noexcept {
  const Vec3 c = coordinates(x);
  return std::sqrt(1 + c.x * c.x / moments_[0] + c.y * c.y / moments_[1] + c.z * c.z / moments_[2]);
}

double DisplacementMetric::distortion_hi(Vec3 x) const noexcept {
  const Vec3 c = coordinates(x);
  const double error = coordinate_error_hi(x);
  double sum = 1;
  for (int k = 0; k < 3; ++k) {
    const double most = std::fabs(c[k]) + error;
    sum += most * most / moments_[k];
  }
  return inflate(std::sqrt(sum), 20);
}

LineMetric line_metric(const DisplacementMetric& metric, Vec3 a, Vec3 b) {
  rounding::require_mode();
  // The square of the distortion along a + t d is rho_a^2 + 2 t s + t^2 / nu^2.
  LineMetric line;
  line.direction = (1 / norm(b - a)) * (b - a);
  const Vec3 c = metric.coordinates(a);
  double slope = 0, curve = 0;
  for (int k = 0; k < 3; ++k) {
    const double along = dot(metric.axes()[k], line.direction);
    slope += c[k] * along / metric.moments()[k];
    curve += along * along / metric.moments()[k];
  }
  line.nu = 1 / std::sqrt(curve);
  line.foot = a - (slope / curve) * line.direction;
  line.rho0 = metric.distortion(line.foot);
  return line;
}

PlaneMetric plane_metric(const DisplacementMetric& metric, Vec3 a, Vec3 b, Vec3 c) {
  rounding::require_mode();
  PlaneMetric plane;
  const Vec3 e1 = (1 / norm(b - a)) * (b - a);
  const Vec3 off = (c - a) - dot(c - a, e1) * e1;
  const Vec3 e2 = (1 / norm(off)) * off;
  const Vec3 from = metric.coordinates(a);
  double h11 = 0, h12 = 0, h22 = 0, g1 = 0, g2 = 0;
  for (int k = 0; k < 3; ++k) {
    const double m = metric.moments()[k];
    const double k1 = dot(metric.axes()[k], e1), k2 = dot(metric.axes()[k], e2);
    h11 += k1 * k1 / m, h12 += k1 * k2 / m, h22 += k2 * k2 / m;
    g1 += from[k] * k1 / m, g2 += from[k] * k2 / m;
  }
  const double det = h11 * h22 - h12 * h12;
  plane.foot = a - ((h22 * g1 - h12 * g2) / det) * e1 - ((h11 * g2 - h12 * g1) / det) * e2;
  plane.rho0 = metric.distortion(plane.foot);
  // The axes of the form: the larger value belongs to the smaller nu.
  const double turn = 0.5 * std::atan2(2 * h12, h11 - h22);
  const double co = std::cos(turn), si = std::sin(turn);
  const Vec3 steep = co * e1 + si * e2, gentle = -si * e1 + co * e2;
  const double most = h11 * co * co + 2 * h12 * co * si + h22 * si * si;
  const double least = h11 * si * si - 2 * h12 * co * si + h22 * co * co;
  plane.axis1 = gentle, plane.nu1 = 1 / std::sqrt(least);
  plane.axis2 = steep, plane.nu2 = 1 / std::sqrt(most);
  return plane;
}

}  // namespace keepclear
