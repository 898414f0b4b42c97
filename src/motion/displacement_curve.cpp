// SPDX-License-Identifier: BSD-3-Clause
#include "motion/displacement_curve.hpp"

#include <fmt/format.h>

#include <memory>
#include <utility>

#include "keepclear/error.hpp"
#include "rounding/mode.hpp"

namespace keepclear {

using rounding::gamma;
using rounding::inflate;
using rounding::norm_hi;
using rounding::up;

void refuse_curve(const std::string& what, const std::string& hint) {
  throw Error(Error::Kind::usage, "", 0, what, hint);
}

void require_growing(double begin, double end) {
  if (!std::isfinite(begin) || !std::isfinite(end) || !std::isfinite(end - begin)) {
    refuse_curve("a time of a curve of displacements is not finite");
  }
  if (!(begin < end)) {
    refuse_curve(
        fmt::format("the times of a curve of displacements must grow: {} after {}", end, begin));
  }
}

bool is_finite(const Affine& g) {
  return is_finite(g.A.row0) && is_finite(g.A.row1) && is_finite(g.A.row2) && is_finite(g.a);
}

void require_pose(const Pose& X, const char* what) {
  if (!is_finite(affine(X))) refuse_curve(fmt::format("{} is not finite", what));
  if (!(rounding::deviation_from_rotation_hi(X.R) <= 1e-6)) {
    refuse_curve(fmt::format("{} does not rotate", what),
                 "its matrix must be a rotation to within 1e-6");
  }
}

double frobenius_hi(const Mat3& A) {
  return inflate(std::sqrt(squared_norm(A.row0) + squared_norm(A.row1) + squared_norm(A.row2)),
                 20) +
         0x1p-500;
}

double lever_about_hi(const DisplacementMetric& metric, Vec3 fixed) {
  const double b_hi = up(norm_hi(metric.barycentre() - fixed) +
                         gamma(2) * (norm_hi(metric.barycentre()) + norm_hi(fixed)));
  double sum = b_hi * b_hi;
  for (std::size_t k = 0; k < 3; ++k) {
    sum += metric.moments()[k] * squared_norm(metric.axes()[k]);
  }
  return inflate(std::sqrt(sum), 30) + 0x1p-500;
}

double lever_hi(const DisplacementMetric& metric) {
  return lever_about_hi(metric, {});
}

Affine between(const Affine& g, const Affine& h, double s) {
  const auto line = [s](Vec3 a, Vec3 b) { return a + s * (b - a); };
  return {{line(g.A.row0, h.A.row0), line(g.A.row1, h.A.row1), line(g.A.row2, h.A.row2)},
          line(g.a, h.a)};
}

DisplacementBall ball_around(const DisplacementMetric& metric,
                             std::span<const DisplacementBall> balls) {
  if (balls.size() == 1) return balls.front();
  const auto farthest = [&](const Affine& centre) {
    std::pair<double, std::size_t> far{-1, 0};
    for (std::size_t i = 0; i < balls.size(); ++i) {
      const double reach = up(metric.distance_hi(centre, balls[i].centre) + balls[i].radius);
      if (!(reach <= far.first)) far = {reach, i};
    }
    return far;
  };
  // Steps towards the farthest, shorter each time, go to the smallest ball of all. The first two
  // make the ball of the two ends.
  constexpr int kSteps = 12;
  Affine centre = between(balls.front().centre, balls.back().centre, 0.5);
  DisplacementBall best{centre, kNothingKnown};
  for (int step = 2; step < 2 + kSteps; ++step) {
    const auto [reach, far] = farthest(centre);
    if (reach < best.radius) best = {centre, reach};
    const DisplacementBall& ball = balls[far];
    const double d = metric.distance(centre, ball.centre);
    if (!(d > 0) || !std::isfinite(reach)) break;
    // The farthest point of that ball, not its centre, is what counts.
    centre = between(centre, ball.centre, (1 + ball.radius / d) / (step + 1));
  }
  for (const DisplacementBall& ball : balls) best.stretch = std::max(best.stretch, ball.stretch);
  return best;
}

namespace {

class JoinedCurve final : public DisplacementCurve {
 public:
  JoinedCurve(std::span<const CurvePointer> parts, double gap)
      : parts_(parts.begin(), parts.end()) {
    if (parts_.empty()) refuse_curve("a joined curve of displacements needs a part");
    if (!(gap >= 0)) refuse_curve("the gap of a joined curve must not be negative");
    // Moments of one about the origin: the distance is that of twelve numbers.
    constexpr double kRoot3 = rounding::kSqrt3Hi;
    const std::array<Vec3, 6> points{{{kRoot3, 0, 0},
                                      {-kRoot3, 0, 0},
                                      {0, kRoot3, 0},
                                      {0, -kRoot3, 0},
                                      {0, 0, kRoot3},
                                      {0, 0, -kRoot3}}};
    const DisplacementMetric metric(points);
    for (std::size_t i = 0; i < parts_.size(); ++i) {
      if (!parts_[i]) refuse_curve("a part of a joined curve is missing");
      if (i == 0) continue;
      const double time = parts_[i]->begin();
      if (parts_[i - 1]->end() != time) {
        refuse_curve(fmt::format("part {} of a joined curve begins at {}, not at {}", i, time,
                                 parts_[i - 1]->end()));
      }
      const DisplacementBall before = checked_ball(*parts_[i - 1], metric, time, time);
      const DisplacementBall after = checked_ball(*parts_[i], metric, time, time);
      // |D x + d| <= |D| + |d| for |x| <= 1, at most sqrt 2 times the distance; a little more
      // because the moments are one to within rounding.
      const double off_hi = inflate(1.41422 * (metric.distance_hi(before.centre, after.centre) +
                                               before.radius + after.radius),
                                    4);
      // What only rounding parts is joined, however small the gap given.
      const double rounding_hi = 1.41422 * (before.radius + after.radius);
      if (!(off_hi <= std::max(gap, 2 * rounding_hi)) || !std::isfinite(off_hi)) {
        refuse_curve(fmt::format("part {} of a joined curve begins {:.3g} m from where the one "
                                 "before ends",
                                 i, off_hi),
                     "a larger gap allows it");
      }
      gap_hi_ = std::max(gap_hi_, off_hi);
    }
  }

  double begin() const noexcept override { return parts_.front()->begin(); }
  double end() const noexcept override { return parts_.back()->end(); }

  DisplacementBall ball(const DisplacementMetric& metric, double from, double to) const override {
    if (!rounding::mode_is_right()) return {{}, kNothingKnown};
    if (!(from <= to)) std::swap(from, to);
    const double first = std::clamp(from, begin(), end()), last = std::clamp(to, begin(), end());
    if (std::isnan(first) || std::isnan(last)) return {{}, kNothingKnown};
    std::vector<DisplacementBall> balls;
    const auto ends_before = [](const CurvePointer& part, double time) {
      return part->end() < time;
    };
    for (auto part = std::lower_bound(parts_.begin(), parts_.end(), first, ends_before);
         part != parts_.end(); ++part) {
      if (!balls.empty() && (*part)->begin() >= last) break;
      // A joint at the very begin belongs to the part after it, if there is anything more.
      if (balls.empty() && (*part)->end() == first && first < last) continue;
      balls.push_back(
          (*part)->ball(metric, std::max(first, (*part)->begin()), std::min(last, (*part)->end())));
    }
    DisplacementBall ball = ball_around(metric, balls);
    if (gap_hi_ > 0) {
      // |D x + d| <= gap for |x| <= 1 makes |D x|^2 + |d|^2 <= gap^2 for these x, and so this.
      const double lever = lever_hi(metric);
      ball.radius = inflate(ball.radius + gap_hi_ * std::sqrt(1 + lever * lever), 6);
    }
    return ball;
  }

 private:
  std::vector<CurvePointer> parts_;
  double gap_hi_ = 0;
};

class OnlyBounded final : public DisplacementCurve {
 public:
  explicit OnlyBounded(BoundedCurve curve) : curve_(std::move(curve)) {
    require_growing(curve_.begin, curve_.end);
    if (!curve_.at || !curve_.tangent || !curve_.length_hi || !curve_.curvature_hi) {
      refuse_curve("a bounded curve lacks a function");
    }
    if (!(curve_.error >= 0) || !(curve_.tangent_error >= 0)) {
      refuse_curve("the errors of a bounded curve must not be negative");
    }
    if (!std::isfinite(curve_.stretch)) refuse_curve("the stretch of a curve must be finite");
  }

  double begin() const noexcept override { return curve_.begin; }
  double end() const noexcept override { return curve_.end; }

  DisplacementBall ball(const DisplacementMetric& metric, double from, double to) const override {
    if (!rounding::mode_is_right()) return {{}, kNothingKnown};
    if (!(from <= to)) std::swap(from, to);
    from = std::clamp(from, curve_.begin, curve_.end);
    to = std::clamp(to, curve_.begin, curve_.end);
    if (std::isnan(from) || std::isnan(to)) return {{}, kNothingKnown};
    const Affine start = curve_.at(from);
    if (!is_finite(start)) return {{}, kNothingKnown};
    if (from == to) return {start, curve_.error, curve_.stretch};

    const double length = curve_.length_hi(from, to);
    if (!(length >= 0) || !std::isfinite(length)) return {start, kNothingKnown};
    const DisplacementBall by_length{start, up(length + curve_.error), curve_.stretch};
    const double half_turn = 0.5 * up(curve_.curvature_hi(from, to) * length);
    // Proposition 2: an arc of at most a quarter of a circle.
    if (!(half_turn >= 0 && half_turn < 0.78539816339744)) return by_length;
    const DisplacementBall by_curvature = along_tangent(metric, start, from, length, half_turn);
    return by_curvature.radius < by_length.radius ? by_curvature : by_length;
  }

 private:
  /// tan(x) / x for 0 <= x < pi / 4, or more.
  static double tangent_ratio_hi(double x) {
    // The series is 1 + x^2 / 3 + 2 x^4 / 15 + ...: below a thousandth all but the first two terms
    // are less than 2e-7 x^2, and 0.34 is more than a third by 6e-3.
    if (x < 1e-3) return inflate(1 + 0.34 * (x * x), 4);
    using rounding::kSinCosError;
    return inflate((std::sin(x) + kSinCosError) / (std::cos(x) - kSinCosError) / x, 8);
  }

  DisplacementBall along_tangent(const DisplacementMetric& metric, const Affine& start, double from,
                                 double length, double half_turn) const {
    const Affine nothing{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {0, 0, 0}};
    const DisplacementBall unknown{start, kNothingKnown};
    const Affine tangent = curve_.tangent(from);
    if (!is_finite(tangent)) return unknown;
    const double size = metric.distance(tangent, nothing);
    const double lever = lever_hi(metric);
    // What the sums of products in `size` are off by; where they cancel, that is much.
    const double along_hi = frobenius_hi(tangent.A) * lever + norm_hi(tangent.a);
    const double share_off = gamma(48) * (along_hi / size);
    if (!(size > 0) || !(share_off < 1e-3)) return unknown;

    const double k_hi = inflate(0.5 * length * tangent_ratio_hi(half_turn), 4);
    const double step = k_hi / size;
    const Affine centre{{start.A.row0 + step * tangent.A.row0, start.A.row1 + step * tangent.A.row1,
                         start.A.row2 + step * tangent.A.row2},
                        start.a + step * tangent.a};
    // The real centre is k_hi along the real unit tangent.
    const double off =
        k_hi * (curve_.tangent_error + 2 * share_off) +
        gamma(4) * (frobenius_hi(start.A) * lever + norm_hi(start.a) + 2 * step * along_hi);
    return {centre, inflate(k_hi + off + curve_.error, 20), curve_.stretch};
  }

  BoundedCurve curve_;
};

}  // namespace

CurvePointer joined_curve(std::span<const CurvePointer> parts, double gap) {
  rounding::require_mode();
  return std::make_shared<JoinedCurve>(parts, gap);
}

CurvePointer bounded_curve(BoundedCurve curve) {
  rounding::require_mode();
  return std::make_shared<OnlyBounded>(std::move(curve));
}

}  // namespace keepclear
