// SPDX-License-Identifier: BSD-3-Clause
//
// Rational Bezier curves of displacements. A piece of one is found anew from the control points by
// two cuts of de Casteljau, so that what rounding adds does not depend on how small it is.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <vector>

#include "motion/displacement_curve.hpp"
#include "rounding/mode.hpp"

namespace keepclear {

using rounding::gamma;
using rounding::inflate;
using rounding::norm_hi;

namespace {

constexpr std::size_t kMostDegree = 32;
/// The largest quotient of two weights: far enough from underflow, far beyond use.
constexpr double kMostWeights = 1e30;

/// Twelve numbers of a displacement, by rows of 3x4, times a weight, and the weight.
using Homogeneous = std::array<double, 13>;

Homogeneous homogeneous(const Affine& g, double w) {
  return {w * g.A.row0.x,
          w * g.A.row0.y,
          w * g.A.row0.z,
          w * g.a.x,
          w * g.A.row1.x,
          w * g.A.row1.y,
          w * g.A.row1.z,
          w * g.a.y,
          w * g.A.row2.x,
          w * g.A.row2.y,
          w * g.A.row2.z,
          w * g.a.z,
          w};
}
Affine affine_of(const Homogeneous& h) {
  const double w = h[12];
  return {{{h[0] / w, h[1] / w, h[2] / w},
           {h[4] / w, h[5] / w, h[6] / w},
           {h[8] / w, h[9] / w, h[10] / w}},
          {h[3] / w, h[7] / w, h[11] / w}};
}
void mix(Homogeneous& a, double c, const Homogeneous& b, double s) {
  for (std::size_t k = 0; k < 13; ++k) a[k] = c * a[k] + s * b[k];
}

/// Control points on the stack.
struct CurvePiece {
  std::array<Homogeneous, kMostDegree + 1> point;
  std::size_t degree = 0;

  /// What is left of s.
  void cut_after(double s) {
    for (std::size_t r = 1; r <= degree; ++r) {
      for (std::size_t i = degree; i >= r; --i) mix(point[i], s, point[i - 1], 1 - s);
    }
  }
  /// What is right of s.
  void cut_before(double s) {
    for (std::size_t r = 1; r <= degree; ++r) {
      for (std::size_t i = 0; i + r <= degree; ++i) mix(point[i], 1 - s, point[i + 1], s);
    }
  }
};

/// The middle of the smallest ball around points: Frank and Wolfe's method with pairs, which moves
/// weight from the nearest point that has some to the farthest. Begins with the ends, and mostly
/// ends there.
class SmallestBall {
 public:
  SmallestBall(const DisplacementMetric& metric, std::span<const Affine> points) : points_(points) {
    const std::array<double, 3> root{std::sqrt(metric.moments()[0]), std::sqrt(metric.moments()[1]),
                                     std::sqrt(metric.moments()[2])};
    for (std::size_t i = 1; i < points.size(); ++i) {
      const Affine& g = points[i];
      const Affine& o = points[0];
      const Mat3 D{g.A.row0 - o.A.row0, g.A.row1 - o.A.row1, g.A.row2 - o.A.row2};
      y_[i][0] = D * metric.barycentre() + (g.a - o.a);
      for (std::size_t k = 0; k < 3; ++k) y_[i][k + 1] = root[k] * (D * metric.axes()[k]);
    }
  }

  Affine centre() {
    const std::size_t n = points_.size();
    std::array<double, kMostDegree + 1> share{};
    share[0] += 0.5, share[n - 1] += 0.5;
    Coordinates c = mixed(share);
    for (int step = 0; step < 200; ++step) {
      double far = -1, near = kNothingKnown, mean = 0;
      std::size_t i = 0, j = 0;
      for (std::size_t k = 0; k < n; ++k) {
        const double d2 = squared_distance(y_[k], c);
        mean += share[k] * d2;
        if (d2 > far) far = d2, i = k;
        if (share[k] > 0 && d2 < near) near = d2, j = k;
      }
      // The weighted mean of the squares is at most the square of the smallest radius.
      if (!(far > 1.001 * mean) || i == j) break;
      const double pair = squared_distance(y_[i], y_[j]);
      if (!(pair > 0)) break;
      const double moved = std::min(share[j], (far - near) / (2 * pair));
      share[i] += moved;
      share[j] = moved == share[j] ? 0 : share[j] - moved;
      c = mixed(share);
    }
    Affine centre = points_[0];
    for (std::size_t k = 1; k < n; ++k) {
      const Affine line = between(points_[0], points_[k], share[k]);
      centre.A.row0 = centre.A.row0 + (line.A.row0 - points_[0].A.row0);
      centre.A.row1 = centre.A.row1 + (line.A.row1 - points_[0].A.row1);
      centre.A.row2 = centre.A.row2 + (line.A.row2 - points_[0].A.row2);
      centre.a = centre.a + (line.a - points_[0].a);
    }
    return centre;
  }

 private:
  using Coordinates = std::array<Vec3, 4>;

  static double squared_distance(const Coordinates& a, const Coordinates& b) {
    return squared_norm(a[0] - b[0]) + squared_norm(a[1] - b[1]) + squared_norm(a[2] - b[2]) +
           squared_norm(a[3] - b[3]);
  }
  Coordinates mixed(const std::array<double, kMostDegree + 1>& share) const {
    Coordinates c{};
    for (std::size_t i = 1; i < points_.size(); ++i) {
      if (share[i] == 0) continue;
      for (std::size_t k = 0; k < 4; ++k) c[k] = c[k] + share[i] * y_[i][k];
    }
    return c;
  }

  std::span<const Affine> points_;
  std::array<Coordinates, kMostDegree + 1> y_{};
};

class RationalBezier final : public DisplacementCurve {
 public:
  RationalBezier(std::span<const Affine> control, std::span<const double> weights, double begin,
                 double end, BezierBall kind)
      : begin_(begin), end_(end), kind_(kind) {
    require_growing(begin, end);
    if (control.size() < 2 || control.size() > kMostDegree + 1) {
      refuse_curve(fmt::format("a rational Bezier curve needs 2 to {} control points, not {}",
                               kMostDegree + 1, control.size()));
    }
    if (!weights.empty() && weights.size() != control.size()) {
      refuse_curve(fmt::format("{} weights for {} control points", weights.size(), control.size()));
    }
    double least = 1, most = 1;
    for (std::size_t i = 0; i < weights.size(); ++i) {
      if (!(weights[i] > 0) || !std::isfinite(weights[i])) {
        refuse_curve(fmt::format("weight {} of a rational Bezier curve is not positive", i));
      }
      least = i == 0 ? weights[0] : std::min(least, weights[i]);
      most = i == 0 ? weights[0] : std::max(most, weights[i]);
    }
    if (!(most / least <= kMostWeights)) {
      refuse_curve(fmt::format("weights of a rational Bezier curve differ by a factor of {:.3g}",
                               most / least),
                   fmt::format("at most {:g}", kMostWeights));
    }
    // By a power of two, so that the largest is between 1 and 2 and nothing rounds.
    const int shift = -std::ilogb(most);
    Affine largest{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0, 0, 0}};
    const auto enlarge = [](Vec3& to, Vec3 by) {
      to = {std::max(to.x, std::fabs(by.x)), std::max(to.y, std::fabs(by.y)),
            std::max(to.z, std::fabs(by.z))};
    };
    for (std::size_t i = 0; i < control.size(); ++i) {
      if (!is_finite(control[i])) {
        refuse_curve(fmt::format("control point {} of a rational Bezier curve is not finite", i));
      }
      enlarge(largest.A.row0, control[i].A.row0);
      enlarge(largest.A.row1, control[i].A.row1);
      enlarge(largest.A.row2, control[i].A.row2);
      enlarge(largest.a, control[i].a);
      const double w = weights.empty() ? 1.0 : std::scalbn(weights[i], shift);
      control_.push_back(homogeneous(control[i], w));
    }
    first_ = control.front();
    // Each step of a cut rounds a number thrice (1 - s, the product, the sum) and its weight
    // likewise; two cuts, the first product and the last quotient. All terms of a sum weigh
    // positively, so the error is that share of the mean of the absolute values, which is at most
    // the largest. Weights of at least 1e-30 make of what underflows next to nothing.
    const int roundings = 12 * static_cast<int>(control.size() - 1) + 4;
    matrix_error_ = inflate(gamma(roundings) * frobenius_hi(largest.A), 2) + 0x1p-900;
    shift_error_ = inflate(gamma(roundings) * norm_hi(largest.a), 2) + 0x1p-900;
  }

  double begin() const noexcept override { return begin_; }
  double end() const noexcept override { return end_; }

  DisplacementBall ball(const DisplacementMetric& metric, double from, double to) const override {
    if (!rounding::mode_is_right()) return {{}, kNothingKnown};
    if (std::isnan(from) || std::isnan(to)) return {{}, kNothingKnown};
    const Shares s = shares(begin_, end_, from, to);
    if (s.hi == 0) return {first_, 0, std::max(1.0, rounding::stretch_hi(first_.A))};
    CurvePiece piece;
    piece.degree = control_.size() - 1;
    std::copy(control_.begin(), control_.end(), piece.point.begin());
    // What is cut is the interval [share * hi, hi] for the share below: no smaller than [lo, hi].
    if (s.hi < 1) piece.cut_after(s.hi);
    const double share = s.lo == 0 ? 0 : std::clamp(rounding::down(s.lo / s.hi), 0.0, 1.0);
    if (share > 0) piece.cut_before(share);

    const std::size_t count = control_.size();
    std::array<Affine, kMostDegree + 1> control;
    for (std::size_t i = 0; i < count; ++i) control[i] = affine_of(piece.point[i]);
    const std::span<const Affine> points(control.data(), count);
    Affine centre;
    if (kind_ == BezierBall::smallest && from != to) {
      centre = SmallestBall(metric, points).centre();
    } else {
      piece.cut_after(0.5);
      centre = affine_of(piece.point[piece.degree]);
    }
    double reach = 0, stretch = 1;
    for (const Affine& point : points) {
      const double d = metric.distance_hi(centre, point);
      if (!(d <= reach)) reach = d;
      // The norm is convex, and the curve is in the hull of its control points.
      stretch = std::max(stretch, rounding::stretch_hi(point.A));
    }
    return {centre, inflate(reach + matrix_error_ * lever_hi(metric) + shift_error_, 6),
            rounding::up(stretch + matrix_error_)};
  }

 private:
  double begin_, end_;
  BezierBall kind_;
  std::vector<Homogeneous> control_;
  Affine first_;
  double matrix_error_ = 0, shift_error_ = 0;
};

}  // namespace

CurvePointer rational_bezier_curve(std::span<const Affine> control, std::span<const double> weights,
                                   double begin, double end, BezierBall ball) {
  rounding::require_mode();
  return std::make_shared<RationalBezier>(control, weights, begin, end, ball);
}

}  // namespace keepclear
