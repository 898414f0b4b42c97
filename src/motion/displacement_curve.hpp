// SPDX-License-Identifier: BSD-3-Clause
//
// What the curves of displacements share: times as shares of a curve, what an error of twelve
// numbers is in a metric, and the ball around balls.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>

#include "keepclear/displacement.hpp"
#include "rounding/mode.hpp"
#include "rounding/rounding.hpp"

namespace keepclear {

/// Throws Error (usage).
[[noreturn]] void refuse_curve(const std::string& what, const std::string& hint = {});
/// Refuses times that are not finite, do not grow, or whose difference is not finite.
void require_growing(double begin, double end);
bool is_finite(const Affine& g);
/// Refuses what is not finite or farther than 1e-6 from a rotation.
void require_pose(const Pose& X, const char* what);

constexpr double kNothingKnown = std::numeric_limits<double>::infinity();

/// The ball of a curve. Curves of the caller run foreign code: throws Error (usage) where that left
/// the floating-point unit in a mode in which nothing can be proved.
inline DisplacementBall checked_ball(const DisplacementCurve& curve,
                                     const DisplacementMetric& metric, double from, double to) {
  const DisplacementBall ball = curve.ball(metric, from, to);
  rounding::require_mode();
  return ball;
}

/// At least the square root of the sum of the squares of the entries of A.
double frobenius_hi(const Mat3& A);

/// A change of A by a matrix of spectral norm e and of a by a vector of norm f is, in the metric,
/// at most e * lever_hi + f.
double lever_hi(const DisplacementMetric& metric);
/// The same for changes of A that leave the image of `fixed` where it is.
double lever_about_hi(const DisplacementMetric& metric, Vec3 fixed);

/// An interval of shares, 0 at the begin of a curve and 1 at its end, that holds the real shares of
/// the times it was made of.
struct Shares {
  double lo = 0, hi = 1;

  double middle() const { return lo + 0.5 * (hi - lo); }
  /// At least how far any share of the interval is from the computed middle().
  double half_hi() const {
    const double m = middle();
    return rounding::up(std::max(hi - m, m - lo));
  }
};

/// The shares of the times [from, to], cut to [begin, end]; begin and end are exact.
inline Shares shares(double begin, double end, double from, double to) {
  // Two differences and a quotient: three roundings, of which each `up` covers two at least.
  const auto share = [&](double t, bool upward) {
    if (t <= begin) return 0.0;
    if (t >= end) return 1.0;
    const double s = (t - begin) / (end - begin);
    return upward ? std::min(1.0, rounding::up(rounding::up(s)))
                  : std::max(0.0, rounding::down(rounding::down(s)));
  };
  return {share(std::min(from, to), false), share(std::max(from, to), true)};
}

/// The line from g to h: at share s.
Affine between(const Affine& g, const Affine& h, double s);

/// A ball around all of the balls; not empty.
DisplacementBall ball_around(const DisplacementMetric& metric,
                             std::span<const DisplacementBall> balls);

}  // namespace keepclear
