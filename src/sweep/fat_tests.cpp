// SPDX-License-Identifier: BSD-3-Clause
#include "sweep/fat_tests.hpp"

#include <algorithm>
#include <cmath>

#include "rounding/rounding.hpp"
#include "sweep/bounded.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;

/// c + 2 b t + a t^2.
struct Quadratic {
  Bounded c, b, a;
};

/// True if the function is positive on [lo, hi], which is part of [0, 1].
bool positive_on(const Quadratic& f, double lo, double hi) noexcept {
  // For t >= 0 the function is at least that of the least coefficients, which are exact from here.
  const double c = f.c.lo(), b = f.b.lo(), a = f.a.lo();
  const auto positive_at = [&](double t) {
    const double value = c + t * (2 * b + a * t);
    const double size = std::fabs(c) + t * (2 * std::fabs(b) + std::fabs(a) * t);
    return value > gamma(8) * size + kTiny;
  };
  if (!positive_at(lo) || !positive_at(hi)) return false;
  if (!(a > 0)) return a <= 0;  // concave: least at an end
  // The slope, halved, is b + a t.
  const auto slope_error = [&](double t) { return gamma(3) * (std::fabs(b) + a * t) + kTiny; };
  if (b + a * lo > slope_error(lo) || b + a * hi < -slope_error(hi)) return true;
  // Least between: a c - b^2 decides.
  return a * c - b * b > gamma(4) * (a * std::fabs(c) + b * b) + kTiny;
}

/// Where a + b t <= 0 for certain, t from 0 to 1; [1, 0] if nowhere.
struct Stretch {
  double lo = 1, hi = 0;
  bool empty() const noexcept { return !(lo <= hi); }
};
Stretch certainly_below(double a, double b) noexcept {
  const auto below = [&](double t) {
    return a + b * t + (gamma(4) * (std::fabs(a) + std::fabs(b) * t) + kTiny) <= 0;
  };
  const bool at_0 = below(0), at_1 = below(1);
  if (at_0 && at_1) return {0, 1};
  if (!at_0 && !at_1) return {};
  // A little to the certain side of the root; if that is not enough, nothing is certain.
  const double root = -a / b;
  const double t = at_0 ? root * (1 - 1e-14) : root * (1 + 1e-14);
  if (!(t >= 0 && t <= 1) || !below(t)) return {};
  return at_0 ? Stretch{0, t} : Stretch{t, 1};
}

}  // namespace

Growth growth_hi(double R, double s, double typical) noexcept {
  // (R rho + s)^2 = R^2 rho^2 + 2 R s rho + s^2, and 2 rho <= rho^2 / t + t.
  const double both = R * s;
  return {inflate(R * R + both / typical, 5), inflate(s * s + both * typical, 5)};
}

bool edge_is_clear(Vec3 p0, Vec3 p1, const RhoOnEdge& rho, Growth growth, Vec3 f0,
                   Vec3 f1) noexcept {
  const Vec3 w = p0 - f0, d = p1 - p0, g = f1 - f0;
  const Bounded ww = bounded_dot(w, w), wd = bounded_dot(w, d), dd = bounded_dot(d, d);
  const Bounded r0 = growth.scale * Bounded{rho.c, 0} + Bounded{growth.constant, 0};
  const Bounded r1 = growth.scale * Bounded{rho.b, 0}, r2 = growth.scale * Bounded{rho.a, 0};
  // The squared distance of the point t from f0, less the square of its radius.
  const Quadratic from_0{ww - r0, wd - r1, dd - r2};
  if (g == Vec3{}) return positive_on(from_0, 0, 1);
  const Bounded gg = bounded_dot(g, g), wg = bounded_dot(w, g), dg = bounded_dot(d, g);
  // From the whole line of the other edge, times |g|^2.
  const Quadratic from_line{gg * from_0.c - wg * wg, gg * from_0.b - wg * dg,
                            gg * from_0.a - dg * dg};
  if (positive_on(from_line, 0, 1)) return true;
  // The point of that line nearest to the point t is at (wg + dg t) / |g|^2 along g: before the
  // edge, or after it, an end is nearer than any other point of the edge. Where that is not
  // certain, the line stays.
  const Stretch before = certainly_below(wg.hi(), dg.hi());
  if (!before.empty() && !positive_on(from_0, before.lo, before.hi)) return false;
  const Stretch after = certainly_below((gg - wg).hi(), rounding::up(-dg.lo()));
  if (!after.empty()) {
    const Quadratic from_1{from_0.c - 2 * wg + gg, from_0.b - dg, from_0.a};
    if (!positive_on(from_1, after.lo, after.hi)) return false;
  }
  double lo = 0, hi = 1;
  for (const Stretch& known : {before, after}) {
    if (known.empty()) continue;
    if (known.lo <= lo) lo = std::max(lo, known.hi);
    if (known.hi >= hi) hi = std::min(hi, known.lo);
  }
  return !(lo < hi) || positive_on(from_line, lo, hi);
}

namespace {

/// c + 2 b.z + z.Hz on a face.
struct Form {
  Bounded c, b1, b2, h11, h12, h22;

  /// Along the edge from z to z + d.
  Quadratic along(double u, double v, double du, double dv) const noexcept {
    const Bounded x = b1 + (u * h11 + v * h12), y = b2 + (u * h12 + v * h22);
    const Bounded dx = Bounded{du, 0}, dy = Bounded{dv, 0};
    return {c + (u * (x + b1) + v * (y + b2)), dx * x + dy * y,
            dx * (dx * h11 + 2 * (dy * h12)) + dy * (dy * h22)};
  }
};

/// True if the form is positive on all of the triangles.
bool positive_on(const Form& f, std::span<const std::array<double, 6>> corners) noexcept {
  const Bounded det = f.h11 * f.h22 - f.h12 * f.h12;
  const Bounded m1 = f.h22 * f.b1 - f.h12 * f.b2, m2 = f.h11 * f.b2 - f.h12 * f.b1;
  const bool convex = f.h11.positive() && det.positive();
  // The least value anywhere, times det.
  if (convex && (f.c * det - (m1 * f.b1 + m2 * f.b2)).positive()) return true;
  // Along some direction the form is concave then: no point inside is less than all of the border.
  const bool border = f.h11.negative() || f.h22.negative() || det.negative();
  if (!convex && !border) return false;
  const Bounded zero{};
  const Bounded u = zero - m1, v = zero - m2;
  for (const std::array<double, 6>& t : corners) {
    bool clear = true, beside = border;
    for (std::size_t i = 0; i < 3 && clear; ++i) {
      const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
      const double ix = t[2 * i], iy = t[2 * i + 1];
      const double dx = t[2 * j] - ix, dy = t[2 * j + 1] - iy;
      if (!beside) {
        // The least is at (u, v) / det. Is it on the other side of this edge than the corner k?
        const Bounded jx{dx, 0}, jy{dy, 0};
        const Bounded side = jx * (v - iy * det) - jy * (u - ix * det);
        const Bounded corner = jx * (Bounded{t[2 * k + 1], 0} - Bounded{iy, 0}) -
                               jy * (Bounded{t[2 * k], 0} - Bounded{ix, 0});
        beside = (side.positive() && corner.negative()) || (side.negative() && corner.positive());
      }
      clear = positive_on(f.along(ix, iy, dx, dy), 0, 1);
    }
    if (!clear || !beside) return false;
  }
  return true;
}

}  // namespace

bool face_is_clear(const PlacedFace& face, std::span<const std::array<double, 6>> corners,
                   const RhoOnFace& rho, Growth growth, Vec3 y) noexcept {
  const Vec3 w = face.origin - y;
  const double scale = growth.scale;
  const Bounded r0 = scale * rho.c + Bounded{growth.constant, 0};
  return positive_on(
      {bounded_dot(w, w) - r0, bounded_dot(w, face.e1) - scale * rho.bu,
       bounded_dot(w, face.e2) - scale * rho.bv, bounded_dot(face.e1, face.e1) - scale * rho.uu,
       bounded_dot(face.e1, face.e2) - scale * rho.uv,
       bounded_dot(face.e2, face.e2) - scale * rho.vv},
      corners);
}

bool ball_is_clear(const PlacedFace& face, std::span<const std::array<double, 6>> corners, Vec3 p,
                   double squared_radius_hi) noexcept {
  const Vec3 w = face.origin - p;
  return positive_on({bounded_dot(w, w) - Bounded{squared_radius_hi, 0}, bounded_dot(w, face.e1),
                      bounded_dot(w, face.e2), bounded_dot(face.e1, face.e1),
                      bounded_dot(face.e1, face.e2), bounded_dot(face.e2, face.e2)},
                     corners);
}

}  // namespace keepclear
