// SPDX-License-Identifier: BSD-3-Clause
//
// Points of the Minkowski difference A - B of a placed pair.
#pragma once

#include <algorithm>

#include "distance/separation.hpp"
#include "distance/subdistance.hpp"

namespace keepclear {

inline Vec3 difference(const Placement& pair, std::uint32_t a, std::uint32_t b) {
  return pair.a->point(a) - pair.X_AB * pair.b->point(b);
}

/// From a point of B's spine to one of A's, about the nearest two: lines first, then each point to
/// the nearest of the other segment. Any direction will do as a start; this one saves steps.
[[gnu::always_inline]] inline Vec3 between_spines(const Placement& pair) {
  const BodyTables &a = *pair.a, &b = *pair.b;
  const Vec3 u = a.spine[1] - a.spine[0], c = pair.X_AB * b.spine[0];
  const Vec3 v = pair.X_AB.R * (b.spine[1] - b.spine[0]), r = a.spine[0] - c;
  const double uu = squared_norm(u), vv = squared_norm(v), uv = dot(u, v);
  const double ru = dot(r, u), rv = dot(r, v);
  const double det = uu * vv - uv * uv;
  auto clamp01 = [](double t) { return std::min(std::max(t, 0.0), 1.0); };
  double s = det > 1e-12 * uu * vv ? clamp01((uv * rv - vv * ru) / det) : 0.5;
  const double t = vv > 0 ? clamp01((s * uv + rv) / vv) : 0;
  s = uu > 0 ? clamp01((t * uv - ru) / uu) : 0;
  return (r + s * u) - t * v;
}

inline void append(const Placement& pair, Simplex& s, std::uint32_t a, std::uint32_t b) {
  s.w[s.size] = difference(pair, a, b);
  s.vertex_a[s.size] = a, s.vertex_b[s.size] = b;
  ++s.size;
}

inline void append(Simplex& s, const Separation& found) {
  s.w[s.size] = found.w;
  s.vertex_a[s.size] = found.vertex_a, s.vertex_b[s.size] = found.vertex_b;
  ++s.size;
}

template <typename Vector>
inline bool holds(const BasicSimplex<Vector>& s, std::uint32_t a, std::uint32_t b) {
  for (int i = 0; i < s.size; ++i) {
    if (s.vertex_a[i] == a && s.vertex_b[i] == b) return true;
  }
  return false;
}

}  // namespace keepclear
