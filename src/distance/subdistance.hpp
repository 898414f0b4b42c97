// SPDX-License-Identifier: BSD-3-Clause
//
// The point of a simplex nearest to the origin, twice: the geometric form of paper 2 (III-B), which
// looks only at regions of the newest vertex, and the full form by signed volumes (Montanari,
// Petrinic, Barbieri 2017), which looks at all and is the fallback when the fast one makes no
// progress. Neither is trusted: both only propose the next direction.
#pragma once

#include <cmath>

#include "keepclear/geometry.hpp"

namespace keepclear {

/// A vector in extended precision, for the fallback.
struct LongVec3 {
  long double x = 0, y = 0, z = 0;

  long double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
};
inline LongVec3 operator+(LongVec3 a, LongVec3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
inline LongVec3 operator-(LongVec3 a, LongVec3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline LongVec3 operator*(long double s, LongVec3 a) {
  return {s * a.x, s * a.y, s * a.z};
}
inline long double dot(LongVec3 a, LongVec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline LongVec3 cross(LongVec3 a, LongVec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline long double squared_norm(LongVec3 a) {
  return dot(a, a);
}

/// Up to four points of the Minkowski difference A - B, the newest last, and where the nearest
/// point to the origin lies: sum of weight[i] * w[i]. The vertices that made each point come along.
template <typename Vector>
struct BasicSimplex {
  using Scalar = decltype(Vector::x);

  int size = 0;
  Vector w[4];
  Scalar weight[4] = {0, 0, 0, 0};
  unsigned vertex_a[4] = {0, 0, 0, 0};
  unsigned vertex_b[4] = {0, 0, 0, 0};
};
using Simplex = BasicSimplex<Vec3>;

/// The nearest point; `inside` when a tetrahedron contains the origin, as far as rounding can tell.
template <typename Vector>
struct BasicSimplexPoint {
  Vector v;
  bool inside = false;
};
using SimplexPoint = BasicSimplexPoint<Vec3>;

namespace subdistance {

/// A candidate answer on a face of the simplex: which vertices, which weights.
template <typename Vector>
struct BasicPart {
  using Scalar = decltype(Vector::x);

  int size = 0;
  int index[3] = {0, 0, 0};
  Scalar weight[3] = {0, 0, 0};
  Vector v;
};
using Part = BasicPart<Vec3>;

/// Reduces the simplex to the vertices of a part. Its indices may come in any order; unused ones
/// are zero, so that three can always be copied without asking.
template <typename Vector>
[[gnu::always_inline]] inline void keep(BasicSimplex<Vector>& s, const BasicPart<Vector>& part) {
  const int i = part.index[0], j = part.index[1], k = part.index[2];
  const Vector wi = s.w[i], wj = s.w[j], wk = s.w[k];
  const unsigned ai = s.vertex_a[i], aj = s.vertex_a[j], ak = s.vertex_a[k];
  const unsigned bi = s.vertex_b[i], bj = s.vertex_b[j], bk = s.vertex_b[k];
  s.w[0] = wi, s.w[1] = wj, s.w[2] = wk;
  s.vertex_a[0] = ai, s.vertex_a[1] = aj, s.vertex_a[2] = ak;
  s.vertex_b[0] = bi, s.vertex_b[1] = bj, s.vertex_b[2] = bk;
  s.weight[0] = part.weight[0], s.weight[1] = part.weight[1], s.weight[2] = part.weight[2];
  s.size = part.size;
}

/// Edge from old vertex b to newest vertex a. Region 3 of the paper (beyond b) is ruled out.
[[gnu::always_inline]] inline Part edge_of_newest(const Simplex& s, int b, int a) {
  const Vec3 ab = s.w[b] - s.w[a];
  const double along = -dot(s.w[a], ab), length2 = squared_norm(ab);
  if (!(along > 0) || !(length2 > 0)) return {1, {a, 0, 0}, {1, 0, 0}, s.w[a]};
  const double t = along < length2 ? along / length2 : 1;
  return {2, {b, a, 0}, {t, 1 - t, 0}, s.w[a] + t * ab};
}

/// Triangle of old vertices c, b and newest a (c < b < a as indices).
[[gnu::always_inline]] inline Part triangle_of_newest(const Simplex& s, int c, int b, int a) {
  const Vec3 ab = s.w[b] - s.w[a], ac = s.w[c] - s.w[a], ao = -s.w[a];
  const Vec3 n = cross(ab, ac);
  const double nn = squared_norm(n);
  // Weights of b and c times |n|^2; negative means beyond the opposite edge.
  const double wb = dot(cross(ac, n), ao), wc = dot(cross(n, ab), ao);
  if (wb > 0 && wc > 0 && wb + wc <= nn) {
    const double tb = wb / nn, tc = wc / nn;
    return {3, {c, b, a}, {tc, tb, 1 - tb - tc}, (dot(s.w[a], n) / nn) * n};
  }
  if (wb > 0 && wc > 0) {
    // Beyond edge bc: ruled out in exact arithmetic, so both edges of a are tried below.
  } else if (wc <= 0 && dot(ab, ao) > 0 && wb > 0) {
    return edge_of_newest(s, b, a);
  } else if (wb <= 0 && dot(ac, ao) > 0 && wc > 0) {
    return edge_of_newest(s, c, a);
  }
  const Part on_ab = edge_of_newest(s, b, a), on_ac = edge_of_newest(s, c, a);
  return squared_norm(on_ab.v) <= squared_norm(on_ac.v) ? on_ab : on_ac;
}

}  // namespace subdistance

/// Paper 2, III-B. Reduces the simplex to the vertices that carry the nearest point.
[[gnu::always_inline]] inline SimplexPoint nearest_of_newest(Simplex& s) {
  using namespace subdistance;
  Part part;
  switch (s.size) {
    case 1:
      s.weight[0] = 1;
      return {s.w[0], false};
    case 2:
      part = edge_of_newest(s, 0, 1);
      break;
    case 3:
      part = triangle_of_newest(s, 0, 1, 2);
      break;
    default: {
      // The three faces at the newest vertex; each is entered when the origin is outside of it.
      const int faces[3][3] = {{0, 1, 2}, {1, 2, 0}, {0, 2, 1}};  // two old ones, and the opposite
      const Vec3 a = s.w[3];
      double best = -1;
      bool outside_any = false;
      for (const auto& f : faces) {
        const Vec3 n = cross(s.w[f[0]] - a, s.w[f[1]] - a);
        const double inner = dot(n, s.w[f[2]] - a), origin = -dot(n, a);
        if ((inner > 0) == (origin > 0) && inner != 0 && origin != 0) continue;
        outside_any = true;
        const Part candidate = triangle_of_newest(s, f[0], f[1], 3);
        const double length2 = squared_norm(candidate.v);
        if (best < 0 || length2 < best) best = length2, part = candidate;
      }
      if (!outside_any) return {{}, true};
    }
  }
  const Vec3 v = part.v;
  keep(s, part);
  return {v, false};
}

namespace subdistance {

/// S1D: the nearest point of edge ij.
template <typename Vector>
inline BasicPart<Vector> signed_edge(const BasicSimplex<Vector>& s, int i, int j) {
  using Scalar = decltype(Vector::x);
  const Vector d = s.w[j] - s.w[i];
  const Scalar length2 = squared_norm(d), along = -dot(s.w[i], d);
  if (!(length2 > 0) || along <= 0) return {1, {i, 0, 0}, {1, 0, 0}, s.w[i]};
  if (along >= length2) return {1, {j, 0, 0}, {1, 0, 0}, s.w[j]};
  const Scalar t = along / length2;
  return {2, {i, j, 0}, {1 - t, t, 0}, s.w[i] + t * d};
}

template <typename Vector>
inline const BasicPart<Vector>& nearer(const BasicPart<Vector>& a, const BasicPart<Vector>& b) {
  return squared_norm(b.v) < squared_norm(a.v) ? b : a;
}

/// S2D: the nearest point of triangle ijk, by areas in the coordinate plane where it is largest.
template <typename Vector>
inline BasicPart<Vector> signed_triangle(const BasicSimplex<Vector>& s, int i, int j, int k) {
  using Scalar = decltype(Vector::x);
  const Vector n = cross(s.w[j] - s.w[i], s.w[k] - s.w[i]);
  const Scalar nn = squared_norm(n);
  if (nn > 0) {
    const Vector o = (dot(s.w[i], n) / nn) * n;  // the origin in the plane
    const Scalar ax = std::fabs(n.x), ay = std::fabs(n.y), az = std::fabs(n.z);
    const int skip = ax >= ay && ax >= az ? 0 : ay >= az ? 1 : 2;
    const int u = skip == 0 ? 1 : 0, v = skip == 2 ? 1 : 2;
    auto area = [&](Vector p, Vector q, Vector r) {
      return (q[u] - p[u]) * (r[v] - p[v]) - (q[v] - p[v]) * (r[u] - p[u]);
    };
    const Scalar whole = area(s.w[i], s.w[j], s.w[k]);
    const Scalar ci = area(o, s.w[j], s.w[k]), cj = area(s.w[i], o, s.w[k]),
                 ck = area(s.w[i], s.w[j], o);
    const bool positive = whole > 0;
    auto agrees = [&](Scalar c) { return c != 0 && (c > 0) == positive; };
    if (agrees(ci) && agrees(cj) && agrees(ck)) {
      const Scalar sum = ci + cj + ck;
      return {3, {i, j, k}, {ci / sum, cj / sum, ck / sum}, o};
    }
  }
  return nearer(nearer(signed_edge(s, i, j), signed_edge(s, j, k)), signed_edge(s, i, k));
}

}  // namespace subdistance

/// Signed volumes: all faces, no assumption about the newest vertex. A tetrahedron that contains
/// the origin keeps its four vertices and gets their weights.
template <typename Vector>
inline BasicSimplexPoint<Vector> nearest_by_signed_volumes(BasicSimplex<Vector>& s) {
  using namespace subdistance;
  using Scalar = decltype(Vector::x);
  BasicPart<Vector> part;
  switch (s.size) {
    case 1:
      s.weight[0] = 1;
      return {s.w[0], false};
    case 2:
      part = signed_edge(s, 0, 1);
      break;
    case 3:
      part = signed_triangle(s, 0, 1, 2);
      break;
    default: {
      auto volume = [](Vector a, Vector b, Vector c, Vector d) {
        return dot(b - a, cross(c - a, d - a));
      };
      const Vector o;
      const Scalar whole = volume(s.w[0], s.w[1], s.w[2], s.w[3]);
      const Scalar c[4] = {volume(o, s.w[1], s.w[2], s.w[3]), volume(s.w[0], o, s.w[2], s.w[3]),
                           volume(s.w[0], s.w[1], o, s.w[3]), volume(s.w[0], s.w[1], s.w[2], o)};
      const bool positive = whole > 0;
      bool inside = whole != 0;
      for (const Scalar ci : c) inside = inside && ci != 0 && (ci > 0) == positive;
      if (inside) {
        const Scalar sum = c[0] + c[1] + c[2] + c[3];
        Vector v;
        for (int i = 0; i < 4; ++i) {
          s.weight[i] = c[i] / sum;
          v = v + s.weight[i] * s.w[i];
        }
        return {v, true};
      }
      part = nearer(nearer(signed_triangle(s, 0, 1, 2), signed_triangle(s, 0, 1, 3)),
                    nearer(signed_triangle(s, 0, 2, 3), signed_triangle(s, 1, 2, 3)));
    }
  }
  const Vector v = part.v;
  keep(s, part);
  return {v, false};
}

}  // namespace keepclear
