// SPDX-License-Identifier: BSD-3-Clause
//
// Curves on which a body turns about an axis at a constant rate: screws, and poses in between. In
// the space of displacements a turn is an arc of a circle, and its smallest ball has its centre on
// the chord: a displacement that is no rotation.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <vector>

#include "motion/displacement_curve.hpp"
#include "rounding/axis_rotation.hpp"
#include "rounding/mode.hpp"

namespace keepclear {

using rounding::AxisRotation;
using rounding::gamma;
using rounding::inflate;
using rounding::kSinCosError;
using rounding::kU;
using rounding::norm_hi;
using rounding::product_error;
using rounding::rotate_error;
using rounding::UnitAxis;
using rounding::up;

namespace {

/// An arc of a circle of radius one, from -phi to phi, and the point of its axis of symmetry that
/// is `shrink` from the centre: how far from that any point of the arc is at most.
struct Arc {
  double shrink = 1;
  double reach_hi = 0;
  double off_middle_hi = 0;  ///< at least |cos t - shrink|, for t on the arc
  double bulge_hi = 0;       ///< at least phi - sin(phi)

  explicit Arc(double phi_hi) {
    const double half = 0.5 * phi_hi;
    const double sine_hi =
        half < 1.5707 ? std::min({half, up(std::sin(half) + kSinCosError), 1.0}) : 1.0;
    const double q = up(sine_hi * sine_hi);  // sin^2(phi / 2)
    shrink = std::max(0.0, 1 - 2 * q);
    const double rest = up(1 - shrink);
    // |exp(i t) - shrink|^2 = (1 - shrink)^2 + 4 shrink sin^2(t / 2)
    reach_hi = inflate(std::sqrt(rest * rest + 4 * shrink * q), 8) + 0x1p-500;
    off_middle_hi = std::max(rest, up(2 * q));
    bulge_hi = inflate(phi_hi * phi_hi * phi_hi * 0.16666666666666669, 4);
  }
};

/// At least the part of v at right angles to the real axis, of which `axis` is the computed one.
double off_axis_hi(Vec3 v, const UnitAxis& axis) {
  return inflate(norm_hi(cross(v, axis.a)) + (axis.error + gamma(6)) * norm_hi(v), 4);
}

/// The middle of an interval of shares, times `all`: a double that is the product by definition,
/// and at least how far the real product of any share of the interval is from it.
struct Stretch {
  double middle = 0, half_hi = 0;

  Stretch(double all, const Shares& s)
      : middle(all * s.middle()),
        half_hi(inflate(std::fabs(all) * s.half_hi() + 2 * kU * std::fabs(middle), 4)) {}
};

/// M0 + shrink (cos q M1 + sin q M2) of a turn, and how far its matrix is off at most.
struct Turned {
  Mat3 A;
  double error = 0;

  Turned(const AxisRotation& turn, double q, double shrink, double norm) {
    const double c = shrink * std::cos(q), s = shrink * std::sin(q);
    A = turn.at(c, s);
    error = inflate(norm * (turn.error_of_any(c, s) + 1.5 * (kSinCosError + 2 * kU)), 6);
  }
};

class Screw final : public DisplacementCurve {
 public:
  Screw(const Pose& start, Vec3 point, Vec3 axis, double angle, double slide, double begin,
        double end)
      : begin_(begin),
        end_(end),
        start_(start),
        point_(point),
        angle_(angle),
        slide_(slide),
        axis_(rounding::unit_axis(axis)),
        turn_(Mat3{}, 0, axis_) {
    require_growing(begin, end);
    require_pose(start, "the start of a screw");
    if (!is_finite(point)) refuse_curve("the point of a screw is not finite");
    if (!std::isfinite(axis_.error)) refuse_curve("the axis of a screw is zero or not finite");
    if (!(std::fabs(angle) <= 1e6) || !(std::fabs(slide) <= 1e9)) {
      refuse_curve("the angle or the slide of a screw is not finite, or beyond 1e6 rad or 1e9 m");
    }
    stretch_hi_ = frobenius_hi(start.R);
    lever_ = start.p - point;
  }

  double begin() const noexcept override { return begin_; }
  double end() const noexcept override { return end_; }

  DisplacementBall ball(const DisplacementMetric& metric, double from, double to) const override {
    if (!rounding::mode_is_right()) return {{}, kNothingKnown};
    if (std::isnan(from) || std::isnan(to)) return {{}, kNothingKnown};
    const Shares s = shares(begin_, end_, from, to);
    const Stretch turned(angle_, s), slid(slide_, s);
    const Arc arc(turned.half_hi);

    const Turned N(turn_, turned.middle, arc.shrink, 1);
    const Affine centre{N.A * start_.R, point_ + (N.A * lever_ + slid.middle * axis_.a)};
    const double lever = norm_hi(lever_), slide = std::fabs(slid.middle);
    const double A_error = N.error * stretch_hi_ + product_error(1 + N.error, stretch_hi_);
    const double a_error = N.error * lever + rotate_error(1 + N.error, lever) + 2 * kU * lever +
                           slide * (axis_.error + gamma(2)) +
                           gamma(3) * (norm_hi(point_) + 2 * lever + 2 * slide);
    const double rounded = A_error * lever_hi(metric) + a_error;

    // The squares of the distances from the axis, summed as the metric does: the circle.
    const Vec3 b = metric.barycentre();
    const double b_error = rotate_error(stretch_hi_, norm_hi(b)) +
                           gamma(3) * (2 * stretch_hi_ * norm_hi(b) + 2 * lever);
    const double b_off = off_axis_hi(start_.R * b + lever_, axis_) + b_error;
    double circle = b_off * b_off;
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3 q = metric.axes()[k];
      const double off = off_axis_hi(start_.R * q, axis_) + rotate_error(stretch_hi_, norm_hi(q));
      circle += metric.moments()[k] * (off * off);
    }
    const double radius =
        std::sqrt(circle * (arc.reach_hi * arc.reach_hi) + slid.half_hi * slid.half_hi);
    return {centre, inflate(inflate(radius, 30) + 0x1p-500 + rounded, 20),
            std::max(1.0, rounding::stretch_hi(start_.R))};
  }

 private:
  double begin_, end_;
  Pose start_;
  Vec3 point_, lever_;
  double angle_, slide_;
  UnitAxis axis_;
  AxisRotation turn_;
  double stretch_hi_ = 0;
};

/// Half the sine of half the angle times the axis (x, y, z) and its cosine (w), not negative.
Quaternion quaternion_of(const Mat3& S) {
  const double xx = S.row0.x, yy = S.row1.y, zz = S.row2.z;
  Quaternion q;
  if (xx + yy + zz > 0) {
    q = {S.row2.y - S.row1.z, S.row0.z - S.row2.x, S.row1.x - S.row0.y, 1 + xx + yy + zz};
  } else if (xx >= yy && xx >= zz) {
    q = {1 + xx - yy - zz, S.row0.y + S.row1.x, S.row0.z + S.row2.x, S.row2.y - S.row1.z};
  } else if (yy >= zz) {
    q = {S.row0.y + S.row1.x, 1 + yy - xx - zz, S.row1.z + S.row2.y, S.row0.z - S.row2.x};
  } else {
    q = {S.row0.z + S.row2.x, S.row1.z + S.row2.y, 1 + zz - xx - yy, S.row1.x - S.row0.y};
  }
  return q.w < 0 ? Quaternion{-q.x, -q.y, -q.z, -q.w} : q;
}

/// One stretch between two poses. Its matrix at share s is R Rot(axis, angle s) + s E, with E what
/// rounding leaves between the turn and the next pose as it was given, and the image of the centre
/// goes straight.
struct Between {
  Mat3 R;
  UnitAxis axis;
  double angle = 0;
  AxisRotation turn;
  double R_hi = 1;           ///< at least the spectral norm of R
  double left_hi = 0;        ///< at least that of E
  Vec3 line, way;            ///< the image of the centre, and how far it goes
  double line_error_hi = 0;  ///< of each end of the line

  Between(const Pose& X, const Pose& Y, Vec3 centre) : R(X.R) {
    const Quaternion q = quaternion_of(transpose(X.R) * Y.R);
    const Vec3 v{q.x, q.y, q.z};
    const double sine = norm(v);
    if (sine > 0) {
      axis = rounding::unit_axis(v);
      angle = 2 * std::atan2(sine, q.w);
    }
    turn = AxisRotation(R, 0, axis);
    R_hi = 1 + rounding::deviation_from_rotation_hi(R);
    // 'turn' takes R for a rotation; the share by which it is none is as little as a rounding.
    const Turned last(turn, angle, 1, 2 * R_hi);
    left_hi = inflate(rounding::turn_hi(last.A, Y.R) + last.error, 2);
    line = X * centre;
    const Vec3 next = Y * centre;
    way = next - line;
    const double c_hi = norm_hi(centre);
    line_error_hi = inflate(
        2 * rotate_error(2, c_hi) + gamma(4) * (2 * c_hi + norm_hi(X.p) + norm_hi(Y.p)), 12);
  }

  DisplacementBall ball(const DisplacementMetric& metric, Vec3 centre, const Shares& s) const {
    const Stretch turned(angle, s);
    const Arc arc(turned.half_hi);
    const double middle = s.middle();
    const Turned N(turn, turned.middle, arc.shrink, 2 * R_hi);
    const Vec3 at = line + middle * way;
    const Affine g{N.A, at - N.A * centre};
    const double c_hi = norm_hi(centre);
    const double at_error =
        2 * line_error_hi + gamma(4) * (norm_hi(line) + 2 * norm_hi(way)) + 0x1p-900;
    const double a_error =
        at_error + N.error * c_hi + rotate_error(2, c_hi) + gamma(2) * (norm_hi(at) + 2 * c_hi);
    const double rounded = N.error * lever_hi(metric) + a_error;
    const double left = left_hi * lever_about_hi(metric, centre);

    double circle = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const double off = R_hi * off_axis_hi(metric.axes()[k], axis);
      circle += metric.moments()[k] * (off * off);
    }
    // The barycentre moves along the line and on a circle about it at once. Either the sum of
    // both, or the sum of what is linear in time, which may cancel, and of the rest.
    const Vec3 b = metric.barycentre() - centre;
    const double b_error = gamma(2) * (norm_hi(metric.barycentre()) + c_hi);
    const double b_off = R_hi * (off_axis_hi(b, axis) + b_error);
    const double half = s.half_hi();
    const double way_hi = half * (norm_hi(way) + 3 * line_error_hi);
    const double apart = b_off * arc.reach_hi + way_hi;
    double b_hi = apart;
    if (arc.shrink > 0) {
      const Vec3 tangent = turn.at(turned.middle) * cross(axis.a, b);
      // The angle is half * angle to within rounding, which counts on its own.
      const double linear = norm_hi(turned.half_hi * tangent + half * way) +
                            turned.half_hi * (32 * N.error * norm_hi(b) + 4 * b_error) +
                            half * 3 * line_error_hi + gamma(32) * apart + gamma(64) * norm_hi(b);
      b_hi = std::min(b_hi, linear + b_off * (arc.off_middle_hi + arc.bulge_hi));
    }
    const double radius = std::sqrt(b_hi * b_hi + circle * (arc.reach_hi * arc.reach_hi));
    return {g, inflate(inflate(radius, 40) + 0x1p-500 + rounded + left, 30),
            inflate(R_hi + left_hi, 2)};
  }
};

class Interpolated final : public DisplacementCurve {
 public:
  Interpolated(std::span<const Pose> poses, std::span<const double> times, Vec3 centre)
      : times_(times.begin(), times.end()), centre_(centre) {
    if (poses.size() < 2) {
      refuse_curve(fmt::format("a curve through poses needs two or more, not {}", poses.size()));
    }
    if (times.size() != poses.size()) {
      refuse_curve(fmt::format("{} times for {} poses", times.size(), poses.size()));
    }
    if (!is_finite(centre)) refuse_curve("the centre of a curve through poses is not finite");
    for (std::size_t i = 0; i < poses.size(); ++i) {
      require_pose(poses[i], "a pose of a curve");
      if (i == 0) continue;
      require_growing(times[i - 1], times[i]);
      pieces_.emplace_back(poses[i - 1], poses[i], centre);
    }
    require_growing(times.front(), times.back());
  }

  double begin() const noexcept override { return times_.front(); }
  double end() const noexcept override { return times_.back(); }

  DisplacementBall ball(const DisplacementMetric& metric, double from, double to) const override {
    if (!rounding::mode_is_right()) return {{}, kNothingKnown};
    if (!(from <= to)) std::swap(from, to);
    from = std::clamp(from, begin(), end()), to = std::clamp(to, begin(), end());
    if (std::isnan(from) || std::isnan(to)) return {{}, kNothingKnown};
    const auto next = std::upper_bound(times_.begin() + 1, times_.end() - 1, from);
    auto i = static_cast<std::size_t>(next - times_.begin()) - 1;
    const auto piece = [&](std::size_t k) {
      return pieces_[k].ball(metric, centre_, shares(times_[k], times_[k + 1], from, to));
    };
    if (to <= times_[i + 1]) return piece(i);
    std::vector<DisplacementBall> balls;
    for (; i < pieces_.size() && times_[i] < to; ++i) balls.push_back(piece(i));
    return ball_around(metric, balls);
  }

 private:
  std::vector<double> times_;
  Vec3 centre_;
  std::vector<Between> pieces_;
};

}  // namespace

CurvePointer screw_curve(const Pose& start, Vec3 point, Vec3 axis, double angle, double slide,
                         double begin, double end) {
  rounding::require_mode();
  return std::make_shared<Screw>(start, point, axis, angle, slide, begin, end);
}

CurvePointer interpolated_curve(std::span<const Pose> poses, std::span<const double> times,
                                Vec3 centre) {
  rounding::require_mode();
  return std::make_shared<Interpolated>(poses, times, centre);
}

}  // namespace keepclear
