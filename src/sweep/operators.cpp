// SPDX-License-Identifier: BSD-3-Clause
#include "sweep/operators.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "rounding/axis_rotation.hpp"
#include "rounding/infinity.hpp"
#include "rounding/rounding.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::kU;
using rounding::norm_hi;
using std::numbers::pi;

/// Nothing is known of the motion.
double endless(std::span<Vec3> out) {
  std::fill(out.begin(), out.end(), Vec3{});
  return kInfinity;
}

double grown(double radius, double growth_hi) {
  const double sum = rounding::up(radius + growth_hi);
  return sum >= 0 ? sum : kInfinity;
}

/// sin x / x, to 10 kU. The series where the sine's own error would count: the first term that is
/// left out is below 2^-16 / 17!, and so is what follows.
double sinc(double x) {
  if (!(std::fabs(x) < 0.5)) return std::sin(x) / x;
  const double s = x * x;
  double sum = 1;
  for (int k = 14; k >= 2; k -= 2) sum = 1 - s / (k * (k + 1)) * sum;
  return sum;
}
/// (1 - cos x) / x, to 16 kU.
double cosc(double x) {
  const double half = sinc(0.5 * x);
  return 0.5 * x * half * half;
}

/// What the computed points of a twist's cover are off by, for points of that size.
constexpr double twist_rounding(double size) {
  return 256 * kU * (1 + size);
}

struct Across {
  Vec3 first, second;
};
/// Two directions across a unit vector, all to a dozen kU.
Across across(Vec3 n) {
  const double x = std::fabs(n.x), y = std::fabs(n.y), z = std::fabs(n.z);
  const Vec3 helper = x <= y && x <= z ? Vec3{1, 0, 0} : y <= z ? Vec3{0, 1, 0} : Vec3{0, 0, 1};
  const Vec3 side = cross(helper, n);
  const Vec3 first = (1 / norm(side)) * side;
  return {first, cross(n, first)};
}

/// The control displacements of a part of the motion, each with its weight: 9 + 3 + 1 numbers.
struct Homogeneous {
  double v[13];
};

void split_left(std::span<Homogeneous> h, double t) {
  const double s = 1 - t;
  for (std::size_t level = 1; level < h.size(); ++level) {
    for (std::size_t i = h.size() - 1; i >= level; --i) {
      for (int k = 0; k < 13; ++k) h[i].v[k] = s * h[i - 1].v[k] + t * h[i].v[k];
    }
  }
}
void split_right(std::span<Homogeneous> h, double t) {
  const double s = 1 - t;
  for (std::size_t level = 1; level < h.size(); ++level) {
    for (std::size_t i = 0; i + level < h.size(); ++i) {
      for (int k = 0; k < 13; ++k) h[i].v[k] = s * h[i].v[k] + t * h[i + 1].v[k];
    }
  }
}

/// At least the spectral norm: the square root of the largest sums of rows and columns.
double spectral_hi(const Mat3& m) {
  const auto sum = [](Vec3 a) { return rounding::span_hi(a); };
  const Mat3 t = transpose(m);
  const double rows = std::max({sum(m.row0), sum(m.row1), sum(m.row2)});
  const double columns = std::max({sum(t.row0), sum(t.row1), sum(t.row2)});
  return inflate(std::sqrt(rows * columns), 2) + 0x1p-500;
}

double largest(Vec3 a) {
  return std::max({std::fabs(a.x), std::fabs(a.y), std::fabs(a.z)});
}

}  // namespace

double sweep_stage(const Stage& stage, PointVolume volume, std::span<Vec3> out) noexcept {
  double longest_hi = 0, reach_hi = 0;
  std::size_t next = 0;
  for (const Vec3 p : volume.points) {
    longest_hi = std::max(longest_hi, lever_hi(stage, p));
    reach_hi = std::max(reach_hi, norm_hi(p));
    for (int k = 0; k < stage.count; ++k) out[next++] = stage.maps[k] * p;
  }
  return grown(volume.radius, stage.growth_hi(longest_hi, reach_hi));
}

void make_cylindrical_stage(Vec3 axis, Interval turn, Interval slide, JointOperator op,
                            Stage& stage) noexcept {
  const rounding::UnitAxis unit = rounding::unit_axis(axis);
  const rounding::AxisRotation rotation(Mat3{}, 0, unit);
  const rounding::AxisTranslation along(Pose{}, {}, unit);
  const ArcCover arc = cover_arc(turn, op.turn);
  const Middle middle = middle_of(slide);
  const bool finite = middle.half_hi < kInfinity && unit.error < 1;
  const int ends = op.slide >= 2 ? 2 : 1;
  stage = {};
  stage.count = 0;
  stage.axis = unit.a;
  double error = 0;
  for (int k = 0; k < arc.count; ++k) {
    const Mat3 M = rotation.at(arc.c[k], arc.s[k]);
    error = std::max(error, rotation.error_of_any(arc.c[k], arc.s[k]));
    for (int end = 0; end < ends; ++end) {
      const double d = ends == 1 ? middle.value : end == 0 ? slide.lower : slide.upper;
      stage.maps[stage.count++] = {M, finite ? along.at(d) : Vec3{}};
    }
  }
  stage.per_lever_hi = arc.slack_hi;
  stage.per_reach_hi = inflate(error + arc.slack_hi * unit.error, 3);
  stage.size_hi = inflate(arc.size_hi + error, 2);
  const double most = std::max(std::fabs(slide.lower), std::fabs(slide.upper));
  stage.fixed_hi =
      finite ? inflate((ends == 1 ? middle.half_hi : 0) + along.error(most), 2) : kInfinity;
  for (int k = 0; k < stage.count; ++k) {
    stage.t_hi = std::max(stage.t_hi, norm_hi(stage.maps[k].t));
  }
}

double sweep_ball(const BallMotion& motion, int count, PointVolume volume,
                  std::span<Vec3> out) noexcept {
  const double angle = motion.angle_hi;
  const double c = std::cos(std::clamp(angle, 0.0, pi)), s = std::sin(std::clamp(angle, 0.0, pi));
  // Of a unit vector: how high the points are, how far from it, and what they leave out.
  double height = 0, side = 0, slack = 1;
  const bool fine = count >= 3;
  if (fine && angle < pi) {
    slack = 0.5 * (1 - c);
    height = 1 - slack;
    side = s / std::cos(pi / count);
  } else if (!fine && angle < pi / 2) {
    height = c;
    slack = s;
  }
  double reach_hi = 0;
  std::size_t next = 0;
  for (const Vec3 p : volume.points) {
    reach_hi = std::max(reach_hi, norm_hi(p));
    const Vec3 q = motion.R * p;
    const Vec3 centre = height * q;
    if (side == 0) {
      for (int k = 0; k < count; ++k) out[next++] = centre;
      continue;
    }
    const auto [first, second] = across(rounding::unit_axis(q).a);
    const double size = side * norm_hi(q);
    for (int k = 0; k < count; ++k) {
      const double at = 2 * pi * k / count;
      out[next++] = centre + ((size * std::cos(at)) * first + (size * std::sin(at)) * second);
    }
  }
  // A centre that is off by e moves and stretches the patch by no more than 2 e. The frame across,
  // the sines and what is computed of them: below 256 kU of the length, at most twice as far out.
  const double off = 2 * (motion.error + gamma(8));
  return grown(volume.radius, inflate(reach_hi * (slack + off * (1 + side) + 512 * kU), 8));
}

TwistCover cover_twist(double half_turn, int points) noexcept {
  points = std::clamp(points, 1, kMaxArcPoints);
  const double h = half_turn, size = std::fabs(h);
  TwistCover cover;
  cover.count = points;
  const auto set = [&](int k, double a, double b) { cover.a[k] = a, cover.b[k] = b; };
  if (points <= 2) {
    if (!(size < (points == 1 ? pi / 2 : pi))) {
      // The centre of rotation, from where all of the circle is equally far.
      for (int k = 0; k < points; ++k) set(k, 0, 1 / h);
      cover.slack_hi = 1 / size + twist_rounding(0);
      cover.size_hi = 1;
      return cover;
    }
    const double x = sinc(h), y = cosc(h);
    if (points == 1) {
      set(0, 0, y);
      cover.slack_hi = x + twist_rounding(0);
    } else {
      set(0, -x, 0.5 * y), set(1, x, 0.5 * y);
      cover.slack_hi = 0.5 * std::fabs(y) + twist_rounding(1);
    }
    cover.size_hi = 1.25;  // x <= 1, |y| <= 0.725
    return cover;
  }
  const int pieces = points - 2;
  const double step = h / pieces;
  if (!(std::fabs(step) < pi / points)) {
    if (points == 3) {  // as for arcs: a triangle around the circle is wider
      cover = cover_twist(h, 2);
      cover.a[2] = cover.a[1], cover.b[2] = cover.b[1];
      cover.count = 3;
      return cover;
    }
    const double stretch = 1 / std::cos(pi / points);
    for (int k = 0; k < points; ++k) {
      const double at = (2 * k + 1) * (pi / points);
      set(k, stretch * std::sin(at) / h, (1 - stretch * std::cos(at)) / h);
    }
    cover.size_hi = 3;  // (1 + sqrt(2)) / h, and h >= pi / 2, for four points; less for more
    cover.slack_hi = twist_rounding(3);
    return cover;
  }
  const double x = sinc(h), y = cosc(h), low = cosc(step) / pieces, stretch = 1 / std::cos(step);
  set(0, -x, y);
  for (int k = 0; k < pieces; ++k) {
    const double share = static_cast<double>(2 * k + 1 - pieces) / pieces;
    const double at = (2 * k + 1 - pieces) * step;
    set(k + 1, share * sinc(at) * stretch, (share * cosc(at) - low) * stretch);
  }
  set(points - 1, x, y);
  cover.size_hi = 3;
  cover.slack_hi = twist_rounding(3);
  return cover;
}

double sweep_base(const BaseMotion& motion, int count, PointVolume volume,
                  std::span<Vec3> out) noexcept {
  const auto [middle, half] = middle_of(motion.time);
  const double half_turn = motion.omega * half, turn = motion.omega * middle;
  const double speed_hi = norm_hi({motion.vx, motion.vy, 0}), omega_hi = std::fabs(motion.omega);
  if (!std::isfinite(half_turn) || !std::isfinite(turn) || !(speed_hi < kInfinity)) {
    return endless(out);
  }
  const TwistCover cover = cover_twist(half_turn, count);
  // Where the base is in the middle of the time.
  const double c = std::cos(turn), s = std::sin(turn);
  const double along = middle * sinc(turn), aside = middle * cosc(turn);
  const double px = along * motion.vx - aside * motion.vy;
  const double py = aside * motion.vx + along * motion.vy;
  double growth_hi = 0;
  std::size_t next = 0;
  for (const Vec3 p : volume.points) {
    const double wx = half * (motion.vx - motion.omega * p.y);
    const double wy = half * (motion.vy + motion.omega * p.x);
    for (int k = 0; k < cover.count; ++k) {
      const double x = p.x + (cover.a[k] * wx - cover.b[k] * wy);
      const double y = p.y + (cover.a[k] * wy + cover.b[k] * wx);
      out[next++] = {c * x - s * y + px, s * x + c * y + py, p.z};
    }
    // Lengths that the roundings are in proportion to: the way, its parts not cancelling; the place
    // itself; the way to the middle.
    const double reach_hi = norm_hi(p), pace_hi = speed_hi + omega_hi * reach_hi;
    const double rounded =
        4 * (half * pace_hi) * (1 + cover.size_hi) + reach_hi + std::fabs(middle) * pace_hi;
    growth_hi = std::max(growth_hi,
                         inflate(cover.slack_hi * norm_hi({wx, wy, 0}) + gamma(64) * rounded, 16));
  }
  return grown(volume.radius, growth_hi);
}

double sweep_bezier(const BezierMotion& motion, PointVolume volume, std::span<Vec3> out) noexcept {
  const std::size_t count = motion.control.size();
  const auto [t0, t1] = motion.t;
  const bool rational = !motion.weights.empty();
  if (count == 0 || count > kMaxBezierControls || !(0 <= t0 && t0 <= t1 && t1 <= 1) ||
      (rational && motion.weights.size() != count)) {
    return endless(out);
  }
  int shift = 0;
  if (rational) {
    const double most = *std::max_element(motion.weights.begin(), motion.weights.end());
    if (!(most > 0 && most < kInfinity)) return endless(out);
    shift = -std::ilogb(most);
  }
  Homogeneous storage[kMaxBezierControls];
  const std::span<Homogeneous> h(storage, count);
  double entry = 0, offset = 0, stretch_hi = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [M, t] = motion.control[i];
    const double weight = rational ? std::scalbn(motion.weights[i], shift) : 1;
    if (!(weight > 0) || !is_finite(M.row0) || !is_finite(M.row1) || !is_finite(M.row2) ||
        !is_finite(t)) {
      return endless(out);
    }
    const double v[13] = {M.row0.x, M.row0.y, M.row0.z, M.row1.x, M.row1.y, M.row1.z, M.row2.x,
                          M.row2.y, M.row2.z, t.x,      t.y,      t.z,      1};
    for (int k = 0; k < 13; ++k) h[i].v[k] = weight * v[k];
    entry = std::max({entry, largest(M.row0), largest(M.row1), largest(M.row2)});
    offset = std::max(offset, largest(t));
    stretch_hi = std::max(stretch_hi, spectral_hi(M));
  }
  split_left(h, t1);
  // Rounded down: a little more of the motion, never less.
  if (t0 > 0) split_right(h, std::max(0.0, rounding::down(t0 / t1)));
  AffineMap maps[kMaxBezierControls];
  for (std::size_t i = 0; i < count; ++i) {
    const double* v = h[i].v;
    const double weight = v[12];
    // Lighter than this, what underflow took from it could count.
    if (!(weight > 0x1p-900)) return endless(out);
    maps[i] = {{{v[0] / weight, v[1] / weight, v[2] / weight},
                {v[3] / weight, v[4] / weight, v[5] / weight},
                {v[6] / weight, v[7] / weight, v[8] / weight}},
               {v[9] / weight, v[10] / weight, v[11] / weight}};
  }
  double reach_hi = 0;
  std::size_t next = 0;
  for (const Vec3 p : volume.points) {
    reach_hi = std::max(reach_hi, norm_hi(p));
    for (std::size_t i = 0; i < count; ++i) out[next++] = maps[i] * p;
  }
  // Both splits: three roundings a level, above and below the line. All terms have one sign, so the
  // error of a number is in proportion to the largest that it is mixed of. Then applying the map.
  const double rounded = gamma(12 * static_cast<int>(count) + 16);
  const double growth = rounded * (3 * entry * reach_hi + 2 * offset) + 0x1p-150 * (1 + reach_hi);
  const double radius = rounding::up(volume.radius * std::min(motion.stretch_hi, stretch_hi));
  return grown(radius, inflate(growth, 12));
}

}  // namespace keepclear
