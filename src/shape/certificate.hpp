// SPDX-License-Identifier: BSD-3-Clause
//
// How near a point is to the hull of a few others, as a bound that holds in real arithmetic: an
// explicit convex combination and its residual. For hull.cpp; the argument is docs/theory/hull.md.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <utility>
#include <vector>

#include "keepclear/geometry.hpp"
#include "rounding/rounding.hpp"

namespace keepclear::certificate {

namespace bound = rounding;

/// How the points spread: a segment, a plane through it, and the thickness across that plane.
struct Spread {
  std::uint32_t a = 0, b = 0;  ///< far apart
  /// Unit: from a to b, in the plane through the point farthest from ab, and across that plane.
  Vec3 along, side, normal;
  double length = 0, width = 0, thickness = 0;

  /// A vector in this frame, each axis scaled to size one. Convex combinations do not notice, and a
  /// needle or a plate becomes a set that numbers of 53 bits can deal with.
  Vec3 shape(Vec3 v) const {
    return {dot(v, along) / length, dot(v, side) / width, dot(v, normal) / thickness};
  }
};

/// `v` without its part along the unit vector `u`, of length one. Twice, so that the rounding of a
/// difference of nearly equal vectors does not leave such a part behind.
inline Vec3 unit_across(Vec3 v, Vec3 u) {
  for (int round = 0; round < 2; ++round) {
    v = v - dot(v, u) * u;
    const double length = norm(v);
    if (!(length > 0)) return {};
    v = (1 / length) * v;
  }
  return v;
}

inline Spread measure(const std::vector<Vec3>& points) {
  Spread s;
  const auto farthest_from = [&](std::uint32_t from) {
    std::uint32_t far = from;
    double best = 0;
    for (std::uint32_t i = 0; i < points.size(); ++i) {
      const double d = squared_norm(points[i] - points[from]);
      if (d > best) {
        best = d;
        far = i;
      }
    }
    return far;
  };
  s.a = farthest_from(0);
  s.b = farthest_from(s.a);
  if (s.a == s.b) return s;
  const Vec3 a = points[s.a];
  s.length = norm(points[s.b] - a);
  s.along = (1 / s.length) * (points[s.b] - a);
  Vec3 farthest;
  for (const Vec3& p : points) {
    const Vec3 aside = (p - a) - dot(p - a, s.along) * s.along;
    if (squared_norm(aside) > s.width * s.width) {
      s.width = norm(aside);
      farthest = p - a;
    }
  }
  s.side = unit_across(farthest - dot(farthest, s.along) * s.along, s.along);
  s.normal = cross(s.along, s.side);
  for (const Vec3& p : points) s.thickness = std::max(s.thickness, std::abs(dot(p - a, s.normal)));
  return s;
}

inline std::vector<Vec3> shaped(const std::vector<Vec3>& points, const Spread& spread) {
  std::vector<Vec3> result;
  for (const Vec3& p : points) result.push_back(spread.shape(p - points[spread.a]));
  return result;
}

/// At least the distance of p from the point sum(w_i v_i) / sum(w_i), which is in the hull of the
/// v_i because the weights, taken as exact, are not negative.
inline double residual_hi(Vec3 p, std::initializer_list<std::pair<Vec3, double>> terms) {
  Vec3 sum;
  double weight = 0, magnitude = 0;
  for (const auto& [v, w] : terms) {
    if (!(w >= 0)) return std::numeric_limits<double>::infinity();
    const Vec3 away = p - v;
    sum = sum + w * away;
    weight += w;
    magnitude += w * (std::abs(away.x) + std::abs(away.y) + std::abs(away.z));
  }
  if (!(weight > 0x1p-200)) return std::numeric_limits<double>::infinity();
  // A difference, a product and at most four sums: six roundings on each coordinate of each term.
  const double numerator_hi = bound::norm_hi(sum) + bound::gamma(8) * magnitude + 0x1p-900;
  const double result = bound::inflate(numerator_hi / weight, 16);
  return std::isfinite(result) ? result : std::numeric_limits<double>::infinity();
}

/// A point of a hull by the weights of up to four corners, and at least how far p is from it.
struct Near {
  double distance_hi = std::numeric_limits<double>::infinity();
  std::array<double, 4> weights{};
};

/// The point of segment ab that is nearest to p.
inline Near segment_near(Vec3 p, Vec3 a, Vec3 b) {
  const Vec3 ab = b - a;
  const double length2 = squared_norm(ab);
  const double t = length2 > 0 ? std::clamp(dot(p - a, ab) / length2, 0.0, 1.0) : 0;
  return {residual_hi(p, {{a, 1 - t}, {b, t}}), {1 - t, t}};
}
inline double segment_residual_hi(Vec3 p, Vec3 a, Vec3 b) {
  return segment_near(p, a, b).distance_hi;
}

/// The same for triangle abc: a point that is close to the nearest, not that itself.
inline Near triangle_near(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
  const Vec3 ab = b - a, ac = c - a, ap = p - a;
  const Vec3 n = cross(ab, ac);
  const double n2 = squared_norm(n);
  Near best = segment_near(p, a, b);
  if (const Near bc = segment_near(p, b, c); bc.distance_hi < best.distance_hi) {
    best = {bc.distance_hi, {0, bc.weights[0], bc.weights[1]}};
  }
  if (const Near ca = segment_near(p, c, a); ca.distance_hi < best.distance_hi) {
    best = {ca.distance_hi, {ca.weights[1], 0, ca.weights[0]}};
  }
  if (n2 > 0) {
    const double wb = std::max(0.0, dot(cross(ap, ac), n) / n2);
    const double wc = std::max(0.0, dot(cross(ab, ap), n) / n2);
    const double wa = std::max(0.0, 1 - wb - wc);
    const double here = residual_hi(p, {{a, wa}, {b, wb}, {c, wc}});
    if (here < best.distance_hi) best = {here, {wa, wb, wc}};
  }
  return best;
}
inline double triangle_residual_hi(Vec3 p, Vec3 a, Vec3 b, Vec3 c) {
  return triangle_near(p, a, b, c).distance_hi;
}

/// The same for the tetrahedron of abc and an apex, and p near it or inside. Of a thin tetrahedron
/// the first weights are poor; putting right what is left over makes them good.
inline Near tetrahedron_near(Vec3 p, const std::array<Vec3, 4>& corners, const Spread& spread,
                             double enough) {
  const auto& [apex, a, b, c] = corners;
  const Vec3 fa = spread.shape(a - apex), fb = spread.shape(b - apex), fc = spread.shape(c - apex);
  const Vec3 bc = cross(fb, fc), ca = cross(fc, fa), ab = cross(fa, fb);
  const double det = dot(fa, bc);
  Near best;
  if (!(std::abs(det) > 0x1p-900)) return best;
  double wa = 0, wb = 0, wc = 0;
  Vec3 left = p - apex;
  for (int round = 0; round < 4; ++round) {
    left = spread.shape(left);
    wa += dot(left, bc) / det;
    wb += dot(left, ca) / det;
    wc += dot(left, ab) / det;
    const double w0 = 1 - wa - wb - wc;
    const std::array<double, 4> weights{std::max(0.0, w0), std::max(0.0, wa), std::max(0.0, wb),
                                        std::max(0.0, wc)};
    const double residual =
        residual_hi(p, {{apex, weights[0]}, {a, weights[1]}, {b, weights[2]}, {c, weights[3]}});
    if (!(residual < best.distance_hi)) break;
    best = {residual, weights};
    if (residual <= enough) break;
    left = w0 * (p - apex) + wa * (p - a) + wb * (p - b) + wc * (p - c);
  }
  return best;
}
inline double tetrahedron_residual_hi(Vec3 p, const std::array<Vec3, 4>& corners,
                                      const Spread& spread, double enough) {
  return tetrahedron_near(p, corners, spread, enough).distance_hi;
}

}  // namespace keepclear::certificate
