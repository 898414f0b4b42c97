// SPDX-License-Identifier: BSD-3-Clause
//
// Points of the Minkowski difference A - B of a placed pair.
#pragma once

#include "distance/separation.hpp"
#include "distance/subdistance.hpp"

namespace keepclear {

inline Vec3 difference(const Placement& pair, std::uint32_t a, std::uint32_t b) {
  return pair.a->point(a) - pair.X_AB * pair.b->point(b);
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
