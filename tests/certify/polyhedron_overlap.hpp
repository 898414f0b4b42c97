// SPDX-License-Identifier: BSD-3-Clause
//
// Whether two bodies of vertices, edges and triangles overlap, and about how far they are apart:
// the judge's own. Signs of determinants are exact (doubles with a filter, then rationals), so that
// a crossing is one; bodies that only touch are none, and have a distance of zero or next to it.
#pragma once

#include <gmpxx.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "certify/toleranced_worlds.hpp"

namespace keepclear::test {

/// The sign of the volume of a, b, c, d.
inline int orientation(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
  const Vec3 u = a - d, v = b - d, w = c - d;
  const double det = dot(u, cross(v, w));
  const double size = (std::fabs(u.x) + std::fabs(u.y) + std::fabs(u.z)) *
                      (std::fabs(v.x) + std::fabs(v.y) + std::fabs(v.z)) *
                      (std::fabs(w.x) + std::fabs(w.y) + std::fabs(w.z));
  if (std::fabs(det) > 4e-15 * size && size > 1e-200) return det > 0 ? 1 : -1;
  const auto minus = [](double x, double y) -> mpq_class { return mpq_class(x) - mpq_class(y); };
  const std::array<mpq_class, 3> U{minus(a.x, d.x), minus(a.y, d.y), minus(a.z, d.z)};
  const std::array<mpq_class, 3> V{minus(b.x, d.x), minus(b.y, d.y), minus(b.z, d.z)};
  const std::array<mpq_class, 3> W{minus(c.x, d.x), minus(c.y, d.y), minus(c.z, d.z)};
  return sgn(mpq_class(U[0] * (V[1] * W[2] - V[2] * W[1]) + U[1] * (V[2] * W[0] - V[0] * W[2]) +
                       U[2] * (V[0] * W[1] - V[1] * W[0])));
}

/// A segment goes through the inside of a triangle: 1, does not: 0, touches its plane or border:
/// -1.
inline int pierces(Vec3 p, Vec3 q, Vec3 a, Vec3 b, Vec3 c) {
  const int sp = orientation(a, b, c, p), sq = orientation(a, b, c, q);
  if (sp * sq > 0) return 0;
  const int s0 = orientation(p, q, a, b), s1 = orientation(p, q, b, c),
            s2 = orientation(p, q, c, a);
  const int most = std::max({s0, s1, s2}), least = std::min({s0, s1, s2});
  if (most > 0 && least < 0) return 0;
  return sp == 0 || sq == 0 || s0 == 0 || s1 == 0 || s2 == 0 ? -1 : 1;
}

struct PlacedShape {
  const MeshShape* shape = nullptr;
  std::vector<Vec3> at;
  /// Around each edge and triangle.
  struct Around {
    Vec3 centre;
    double radius = 0;
  };
  std::vector<Around> edges, triangles;

  PlacedShape(const MeshShape& of, const Affine& g) : shape(&of) {
    for (const Vec3& v : of.vertices) {
      const auto row = [&](Vec3 r, double shift) {
        return static_cast<double>(Long(r.x) * v.x + Long(r.y) * v.y + Long(r.z) * v.z + shift);
      };
      at.push_back({row(g.A.row0, g.a.x), row(g.A.row1, g.a.y), row(g.A.row2, g.a.z)});
    }
    for (const auto& [a, b] : of.edges) edges.push_back(around({at[a], at[b], at[b]}));
    for (const auto& [a, b, c] : of.triangles) triangles.push_back(around({at[a], at[b], at[c]}));
  }

 private:
  static Around around(const std::array<Vec3, 3>& p) {
    Around ball{(1.0 / 3) * (p[0] + p[1] + p[2]), 0};
    for (const Vec3& v : p) ball.radius = std::max(ball.radius, norm(v - ball.centre));
    ball.radius *= 1 + 1e-12;
    return ball;
  }
};

/// The inside of a closed part, by parity, for points that are not on it.
inline bool is_inside(Vec3 p, const PlacedShape& b, MeshShape::Solid solid) {
  Random random(17);
  for (int tries = 0; tries < 50; ++tries) {
    const Vec3 far = p + 1e3 * random_unit(random);
    bool odd = false, sure = true;
    for (std::uint32_t t = solid.first; t < solid.last && sure; ++t) {
      const auto& [i, j, k] = b.shape->triangles[t];
      const int hit = pierces(p, far, b.at[i], b.at[j], b.at[k]);
      sure = hit >= 0;
      odd = odd != (hit > 0);
    }
    if (sure) return odd;
  }
  return false;
}

/// True only if it is so: surfaces cross, or a part is inside a solid one.
inline bool overlaps(const PlacedShape& a, const PlacedShape& b) {
  const auto crosses = [](const PlacedShape& x, const PlacedShape& y) {
    for (std::size_t e = 0; e < x.edges.size(); ++e) {
      for (std::size_t t = 0; t < y.triangles.size(); ++t) {
        const double apart = x.edges[e].radius + y.triangles[t].radius;
        if (squared_norm(x.edges[e].centre - y.triangles[t].centre) > apart * apart) continue;
        const auto& [i, j] = x.shape->edges[e];
        const auto& [k, l, m] = y.shape->triangles[t];
        if (pierces(x.at[i], x.at[j], y.at[k], y.at[l], y.at[m]) > 0) return true;
      }
    }
    return false;
  };
  if (crosses(a, b) || crosses(b, a)) return true;
  const auto holds = [](const PlacedShape& x, const PlacedShape& y) {
    for (const std::uint32_t vertex : x.shape->parts) {
      for (const MeshShape::Solid& solid : y.shape->solids) {
        if (is_inside(x.at[vertex], y, solid)) return true;
      }
    }
    return false;
  };
  return holds(a, b) || holds(b, a);
}

/// The smallest of |x - y| - deviation * rho(x) that is found among vertices, edges and faces of a,
/// which moves, and b; less than `stop` is not sought out.
class Nearest {
 public:
  Nearest(const PlacedShape& a, const PlacedShape& b, const DisplacementMetric& metric,
          double deviation)
      : a_(a), b_(b), metric_(metric), deviation_(deviation) {
    double rho = 1;
    for (const Vec3& v : a.shape->vertices) rho = std::max(rho, metric.distortion(v));
    most_ = deviation * rho;
    for (std::size_t i = 0; i < a.at.size(); ++i) {
      for (std::size_t j = 0; j < b.at.size(); ++j) take(i, i, 0, a.at[i], b.at[j]);
    }
    for (std::size_t i = 0; i < a.at.size(); ++i) {
      for (std::size_t e = 0; e < b.edges.size(); ++e) {
        if (!near({a.at[i], 0}, b.edges[e])) continue;
        const auto& [k, l] = b.shape->edges[e];
        take(i, i, 0, a.at[i], on_segment(a.at[i], b.at[k], b.at[l]).first);
      }
      for (std::size_t t = 0; t < b.triangles.size(); ++t) {
        if (near({a.at[i], 0}, b.triangles[t])) vertex_face(i, t);
      }
    }
    for (std::size_t e = 0; e < a.edges.size(); ++e) {
      const auto& [i, j] = a.shape->edges[e];
      for (std::size_t k = 0; k < b.at.size(); ++k) {
        if (!near(a.edges[e], {b.at[k], 0})) continue;
        const auto [x, share] = on_segment(b.at[k], a.at[i], a.at[j]);
        take(i, j, share, x, b.at[k]);
      }
      for (std::size_t f = 0; f < b.edges.size(); ++f) {
        if (near(a.edges[e], b.edges[f])) edge_edge(i, j, f);
      }
    }
    for (std::size_t t = 0; t < a.triangles.size(); ++t) {
      for (std::size_t k = 0; k < b.at.size(); ++k) {
        if (near(a.triangles[t], {b.at[k], 0})) face_vertex(t, k);
      }
    }
  }

  double value() const { return best_; }

 private:
  using Around = PlacedShape::Around;

  bool near(const Around& x, const Around& y) const {
    const double reach = best_ + most_ + x.radius + y.radius;
    return reach > 0 && squared_norm(x.centre - y.centre) < reach * reach;
  }
  /// Point x of a is at `share` from vertex i to vertex j.
  void take(std::size_t i, std::size_t j, double share, Vec3 x, Vec3 y) {
    const double d = norm(x - y);
    if (d - most_ >= best_) return;
    const Vec3& from = a_.shape->vertices[i];
    const Vec3 own = from + share * (a_.shape->vertices[j] - from);
    take_at(own, d);
  }
  void take_at(Vec3 own, double d) {
    best_ = std::min(best_, deviation_ == 0 ? d : d - deviation_ * metric_.distortion(own));
  }
  static std::pair<Vec3, double> on_segment(Vec3 p, Vec3 a, Vec3 b) {
    const Vec3 e = b - a;
    const double e2 = squared_norm(e);
    const double s = e2 > 0 ? std::clamp(dot(p - a, e) / e2, 0.0, 1.0) : 0.0;
    return {a + s * e, s};
  }
  /// Shares of b and c of the foot of p on the triangle; false if that is not inside.
  static bool on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c, double& s, double& t) {
    const Vec3 n = cross(b - a, c - a);
    const double n2 = squared_norm(n);
    if (!(n2 > 0)) return false;
    s = dot(cross(p - a, c - a), n) / n2, t = dot(cross(b - a, p - a), n) / n2;
    return s >= 0 && t >= 0 && s + t <= 1;
  }
  void vertex_face(std::size_t i, std::size_t t) {
    const auto& [k, l, m] = b_.shape->triangles[t];
    const Vec3 &a = b_.at[k], &b = b_.at[l], &c = b_.at[m];
    double s = 0, u = 0;
    if (!on_triangle(a_.at[i], a, b, c, s, u)) return;
    take(i, i, 0, a_.at[i], a + s * (b - a) + u * (c - a));
  }
  void face_vertex(std::size_t t, std::size_t k) {
    const auto& [i, j, l] = a_.shape->triangles[t];
    const Vec3 &a = a_.at[i], &b = a_.at[j], &c = a_.at[l];
    double s = 0, u = 0;
    if (!on_triangle(b_.at[k], a, b, c, s, u)) return;
    const auto& v = a_.shape->vertices;
    take_at(v[i] + s * (v[j] - v[i]) + u * (v[l] - v[i]),
            norm(a + s * (b - a) + u * (c - a) - b_.at[k]));
  }
  void edge_edge(std::size_t i, std::size_t j, std::size_t f) {
    const auto& [k, l] = b_.shape->edges[f];
    const Vec3 &p = a_.at[i], &q = b_.at[k];
    const Vec3 u = a_.at[j] - p, v = b_.at[l] - q, w = p - q;
    const double uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), det = uu * vv - uv * uv;
    if (!(det > 1e-12 * uu * vv)) return;
    const double s = (uv * dot(v, w) - vv * dot(u, w)) / det;
    const double t = (uu * dot(v, w) - uv * dot(u, w)) / det;
    if (s < 0 || s > 1 || t < 0 || t > 1) return;
    take(i, j, s, p + s * u, q + t * v);
  }

  const PlacedShape& a_;
  const PlacedShape& b_;
  const DisplacementMetric& metric_;
  double deviation_ = 0, most_ = 0;
  double best_ = std::numeric_limits<double>::infinity();
};

}  // namespace keepclear::test
