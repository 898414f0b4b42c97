// SPDX-License-Identifier: BSD-3-Clause
#include "distance/closed_forms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace keepclear {
namespace {

double clamp01(double t) {
  return t > 0 ? (t < 1 ? t : 1) : 0;
}

/// The parameter of the point of segment a + t d nearest to p; 0 for a point.
double nearest_parameter(Vec3 a, Vec3 d, Vec3 p) {
  const double length2 = squared_norm(d);
  return length2 > 0 ? clamp01(dot(p - a, d) / length2) : 0;
}

Vec3 clamp_to_box(Vec3 p, Vec3 half) {
  return {std::clamp(p.x, -half.x, half.x), std::clamp(p.y, -half.y, half.y),
          std::clamp(p.z, -half.z, half.z)};
}

}  // namespace

NearestPoints nearest_of_segments(Vec3 a, Vec3 b, Vec3 c, Vec3 d) noexcept {
  const Vec3 u = b - a, v = d - c, r = a - c;
  const double uu = squared_norm(u), vv = squared_norm(v), uv = dot(u, v);
  const double ru = dot(r, u), rv = dot(r, v);
  // Inside both segments if they are not parallel; then the four ends against the other segment.
  // The least of all candidates is the answer: each is a pair of points of the segments, and the
  // true nearest pair is among them.
  NearestPoints best{a, c};
  double best2 = squared_norm(a - c);
  auto offer = [&](Vec3 p, Vec3 q) {
    const double d2 = squared_norm(p - q);
    if (d2 < best2) best = {p, q}, best2 = d2;
  };
  const double det = uu * vv - uv * uv;
  if (det > 0) {
    const double s = clamp01((uv * rv - vv * ru) / det);
    const Vec3 p = a + s * u;
    const Vec3 q = c + nearest_parameter(c, v, p) * v;
    offer(p, q);
    offer(a + nearest_parameter(a, u, q) * u, q);
  }
  offer(a, c + nearest_parameter(c, v, a) * v);
  offer(b, c + nearest_parameter(c, v, b) * v);
  offer(a + nearest_parameter(a, u, c) * u, c);
  offer(a + nearest_parameter(a, u, d) * u, d);
  return best;
}

SegmentAndBox nearest_of_segment_and_box(Vec3 a, Vec3 b, Vec3 half) noexcept {
  // The squared distance to the box is convex and piecewise quadratic along the segment; between
  // the parameters where a coordinate enters or leaves its slab it is one quadratic. Its derivative
  // grows, so the minimum is where it changes sign.
  const Vec3 d = b - a;
  auto derivative = [&](double t) {
    double sum = 0;
    for (int k = 0; k < 3; ++k) {
      const double x = a[k] + t * d[k], h = half[k];
      const double out = x > h ? x - h : x < -h ? x + h : 0;
      sum += out * d[k];
    }
    return sum;
  };
  std::array<double, 8> knots{0, 1};
  int count = 2;
  for (int k = 0; k < 3; ++k) {
    for (const double side : {-half[k], half[k]}) {
      const double t = (side - a[k]) / d[k];
      if (!(t > 0 && t < 1)) continue;
      int place = count++;
      for (; knots[place - 1] > t; --place) knots[place] = knots[place - 1];
      knots[place] = t;
    }
  }
  double best = 0;
  if (derivative(1) <= 0) {
    best = 1;
  } else if (derivative(0) < 0) {
    for (int i = 0; i + 1 < count; ++i) {
      const double low = derivative(knots[i]), high = derivative(knots[i + 1]);
      if (low <= 0 && high >= 0) {
        const double rise = high - low;
        best = knots[i] + (rise > 0 ? -low / rise : 0.5) * (knots[i + 1] - knots[i]);
        break;
      }
    }
  }
  const Vec3 p = a + best * d;
  return {p, clamp_to_box(p, half), best};
}

BoxAxis best_box_axis(Vec3 half_a, Vec3 half_b, const Pose& X_AB) noexcept {
  const Mat3 columns = transpose(X_AB.R);  // rows are the axes of B in A
  const Vec3 axes_a[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  const Vec3 axes_b[3] = {columns.row0, columns.row1, columns.row2};
  BoxAxis best{{0, 0, 1}, -std::numeric_limits<double>::infinity()};
  auto offer = [&](Vec3 n) {
    const double length = norm(n);
    if (length < 1e-8) return;  // parallel edges: a face axis does better
    n = (1 / length) * n;
    if (dot(n, X_AB.p) < 0) n = -n;
    double reach = 0;
    for (int k = 0; k < 3; ++k) {
      reach += half_a[k] * std::fabs(n[k]) + half_b[k] * std::fabs(dot(n, axes_b[k]));
    }
    const double separation = dot(n, X_AB.p) - reach;
    if (separation > best.separation) best = {n, separation};
  };
  for (const Vec3 n : axes_a) offer(n);
  for (const Vec3 n : axes_b) offer(n);
  for (const Vec3 ea : axes_a) {
    for (const Vec3 eb : axes_b) offer(cross(ea, eb));
  }
  return best;
}

std::optional<NearestPoints> closed_form(const Placement& pair) noexcept {
  const BodyTables &a = *pair.a, &b = *pair.b;
  const bool line_a = a.kind == BodyKind::point || a.kind == BodyKind::segment;
  const bool line_b = b.kind == BodyKind::point || b.kind == BodyKind::segment;
  if (line_a && line_b) {
    return nearest_of_segments(a.point(0), a.point(a.count - 1), pair.X_AB * b.point(0),
                               pair.X_AB * b.point(b.count - 1));
  }
  // A segment's own point is taken from its ends, not brought back from the frame C of the box: a
  // transpose is an inverse only up to rounding.
  if (line_a && b.kind == BodyKind::box) {
    const Vec3 p = a.point(0), q = a.point(a.count - 1);
    const Pose X_AC = pair.X_AB * b.X_AB;
    const Pose X_CA = inverse(X_AC);
    const SegmentAndBox near = nearest_of_segment_and_box(X_CA * p, X_CA * q, b.box_half);
    return NearestPoints{p + near.t * (q - p), X_AC * near.on_box};
  }
  if (a.kind == BodyKind::box && line_b) {
    const Vec3 p = pair.X_AB * b.point(0), q = pair.X_AB * b.point(b.count - 1);
    const Pose X_CA = inverse(a.X_AB);
    const SegmentAndBox near = nearest_of_segment_and_box(X_CA * p, X_CA * q, a.box_half);
    return NearestPoints{a.X_AB * near.on_box, p + near.t * (q - p)};
  }
  return std::nullopt;
}

}  // namespace keepclear
