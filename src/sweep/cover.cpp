// SPDX-License-Identifier: BSD-3-Clause
#include "sweep/cover.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "rounding/rounding.hpp"

namespace keepclear {
namespace {

using rounding::kU;
using std::numbers::pi;

/// Points of size g are computed with at most a dozen roundings and four sines and cosines, each
/// off by kSinCosError: less than 64 kU g together, in the plane.
constexpr double arc_rounding(double size) {
  return 64 * kU * size;
}

/// Adds the point (x, y) of the frame whose first axis points to the middle of the arc.
void add(ArcCover& cover, double cm, double sm, double x, double y) {
  cover.c[cover.count] = x * cm - y * sm;
  cover.s[cover.count] = x * sm + y * cm;
  ++cover.count;
}

/// What the computed points may be longer than the real ones.
constexpr double size_of(double size) {
  return size * (1 + 64 * kU);
}

/// All of the unit circle: its centre, as often as there are points to be.
ArcCover whole_circle(int points) {
  ArcCover cover;
  cover.count = points;
  return cover;
}

ArcCover circumscribed(int points, double cm, double sm) {
  ArcCover cover;
  cover.count = 0;
  const double half = pi / points;
  // A little more than 1 / cos: the angle of the corners is rounded, which the slack pays for.
  const double size = 1 / std::cos(half);
  for (int k = 0; k < points; ++k) {
    const double at = (2 * k + 1) * half;
    add(cover, cm, sm, size * std::cos(at), size * std::sin(at));
  }
  cover.size_hi = size_of(size);
  // Corners that are off by a rounded angle are off by as much.
  cover.slack_hi = 2 * arc_rounding(cover.size_hi);
  return cover;
}

}  // namespace

Middle middle_of(Interval interval) noexcept {
  if (!(interval.lower >= -1e300 && interval.upper <= 1e300)) {
    return {0, std::numeric_limits<double>::infinity()};
  }
  const double middle = 0.5 * interval.lower + 0.5 * interval.upper;
  const double half = std::max(interval.upper - middle, middle - interval.lower);
  return {middle, half > 0 ? rounding::up(half) : 0.0};
}

ArcCover cover_arc(Interval angle, int points) noexcept {
  points = std::clamp(points, 1, kMaxArcPoints);
  const auto [middle, half] = middle_of(angle);
  const double cm = std::cos(middle), sm = std::sin(middle);
  ArcCover cover;
  cover.count = 0;
  if (points == 1) {
    if (!(half < pi / 2)) return whole_circle(1);
    add(cover, cm, sm, std::cos(half), 0);
    cover.size_hi = size_of(1);
    cover.slack_hi = std::sin(half) + arc_rounding(1);
    return cover;
  }
  if (points == 2) {
    if (!(half < pi)) return whole_circle(2);
    const double f = 0.5 * (1 - std::cos(half)), y = std::sin(half);
    add(cover, cm, sm, 1 - f, -y);
    add(cover, cm, sm, 1 - f, y);
    cover.size_hi = 1.1548;  // (1 - f)(1 + 3 f) <= 4/3
    cover.slack_hi = f + arc_rounding(2);
    return cover;
  }
  const int pieces = points - 2;
  const double step = half / pieces;
  if (!(step < pi / points)) {
    if (points > 3) return circumscribed(points, cm, sm);
    // A triangle around the circle is twice as wide: Circ2, one point twice, is nearer.
    cover = cover_arc(angle, 2);
    cover.c[2] = cover.c[1], cover.s[2] = cover.s[1];
    cover.count = 3;
    return cover;
  }
  const double size = 1 / std::cos(step);
  const double x = std::cos(half), y = std::sin(half);
  add(cover, cm, sm, x, -y);
  for (int k = 0; k < pieces; ++k) {
    const double at = (2 * k + 1 - pieces) * step;
    add(cover, cm, sm, size * std::cos(at), size * std::sin(at));
  }
  add(cover, cm, sm, x, y);
  cover.size_hi = size_of(size);
  cover.slack_hi = 2 * arc_rounding(cover.size_hi);
  return cover;
}

ArcCover cover_arc_evenly(Interval angle, double off_hi) noexcept {
  const auto [middle, half] = middle_of(angle);
  if (!(half < pi)) return whole_circle(2);
  ArcCover cover = cover_arc(angle, 2);
  // sin(t h) - t sin h <= h^3 (t - t^3) / 6 for 0 <= t <= 1, and (t - t^3) / 6 <= 0.06416. That is
  // off along the chord, and the slack of Circ2 is across it.
  const double uneven = 0.06416 * (half * half * half);
  // The ends of the arc that is covered are those of the interval up to rounding, and so is what
  // share of the way an angle is.
  const double ends = 16 * kU * (std::fabs(middle) + half);
  const double slack_hi = std::sqrt(cover.slack_hi * cover.slack_hi + uneven * uneven) +
                          (ends + off_hi) * (1 + 16 * kU) + arc_rounding(2);
  // Any share of the way from the centre to itself is as good.
  if (!(slack_hi < 1)) return whole_circle(2);
  cover.slack_hi = slack_hi;
  return cover;
}

RotationCover cover_rotations(double angle_hi, bool fine) noexcept {
  RotationCover cover;
  cover.count = fine ? 6 : 1;
  if (!(angle_hi < pi / 2)) return cover;
  const double c = std::cos(angle_hi), s = std::sin(angle_hi);
  if (!fine) {
    cover.scale = c;
    cover.size_hi = size_of(1);
    cover.slack_hi = s + arc_rounding(1);
    return cover;
  }
  const double f = 0.5 * (1 - c);
  cover.scale = 1 - f;
  cover.turn = rounding::kSqrt3Hi * s;
  cover.size_hi = rounding::up(std::sqrt(cover.scale * cover.scale + cover.turn * cover.turn));
  cover.size_hi = size_of(std::max(1.0, cover.size_hi));
  cover.slack_hi = f + arc_rounding(2);
  return cover;
}

}  // namespace keepclear
