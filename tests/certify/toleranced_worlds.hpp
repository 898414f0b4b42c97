// SPDX-License-Identifier: BSD-3-Clause
//
// Random bodies of vertices, edges and triangles, and random motions of all kinds, each with what
// it is by definition: for the judge of toleranced motions.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <numbers>
#include <vector>

#include "distance/generators.hpp"
#include "keepclear/displacement.hpp"
#include "keepclear/polyhedron.hpp"

namespace keepclear::test {

/// A body as the judge has it. Parts that are closed are solid.
struct MeshShape {
  std::vector<Vec3> vertices;
  std::vector<Polyhedron::Triangle> triangles;
  std::vector<Polyhedron::Edge> edges;
  /// Triangles [first, last) of parts that are closed, one vertex each.
  struct Solid {
    std::uint32_t first = 0, last = 0;
  };
  std::vector<Solid> solids;
  std::vector<std::uint32_t> parts;  ///< a vertex of each part, closed or not
  /// The same as flat faces of more than three corners, for queries; empty: the triangles.
  std::vector<Polyhedron::Face> faces;
  std::vector<Polyhedron::Face> quads;  ///< what was added as such
  double radius = 0;

  std::uint32_t add(Vec3 v) {
    vertices.push_back(v);
    return static_cast<std::uint32_t>(vertices.size() - 1);
  }
  void add_quad(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d) {
    triangles.push_back({a, b, c});
    triangles.push_back({a, c, d});
    quads.push_back({{a, b, c, d}, {}});
  }
  Polyhedron polyhedron() const {
    if (!faces.empty()) return Polyhedron::faces(vertices, faces, radius);
    if (!triangles.empty()) return Polyhedron::mesh(vertices, triangles, radius);
    if (!edges.empty()) return Polyhedron::segment(vertices[0], vertices[1], radius);
    return Polyhedron::points(vertices, radius);
  }
  /// All edges of triangles.
  void finish() {
    for (const auto& [a, b, c] : triangles) {
      for (const auto& [from, to] : {std::pair{a, b}, {b, c}, {c, a}}) {
        const Polyhedron::Edge edge{std::min(from, to), std::max(from, to)};
        if (std::find(edges.begin(), edges.end(), edge) == edges.end()) edges.push_back(edge);
      }
    }
  }
};

/// A box, with its top or without.
inline void add_box(MeshShape& shape, Vec3 centre, Vec3 half, bool top) {
  const auto first = static_cast<std::uint32_t>(shape.triangles.size());
  std::array<std::uint32_t, 8> v{};
  for (std::uint32_t i = 0; i < 8; ++i) {
    v[i] = shape.add(centre + Vec3{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y,
                                   i & 4 ? half.z : -half.z});
  }
  shape.parts.push_back(v[0]);
  shape.add_quad(v[0], v[2], v[3], v[1]);
  shape.add_quad(v[0], v[1], v[5], v[4]);
  shape.add_quad(v[2], v[6], v[7], v[3]);
  shape.add_quad(v[0], v[4], v[6], v[2]);
  shape.add_quad(v[1], v[3], v[7], v[5]);
  if (!top) return;
  shape.add_quad(v[4], v[5], v[7], v[6]);
  shape.solids.push_back({first, static_cast<std::uint32_t>(shape.triangles.size())});
}

/// The octahedron, its corners at random distances; each triangle in four, or not. Not convex.
inline void add_star(MeshShape& shape, Random& random, Vec3 centre, double size, bool fine) {
  const auto first = static_cast<std::uint32_t>(shape.triangles.size());
  const std::array<Vec3, 6> directions{
      {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}}};
  std::vector<Vec3> corner(directions.begin(), directions.end());
  std::vector<Polyhedron::Triangle> faces;
  for (const std::uint32_t x : {0u, 1u}) {
    for (const std::uint32_t y : {2u, 3u}) {
      for (const std::uint32_t z : {4u, 5u}) faces.push_back({x, y, z});
    }
  }
  if (fine) {
    std::vector<Polyhedron::Triangle> finer;
    const auto middle = [&](std::uint32_t a, std::uint32_t b) {
      const Vec3 m = unit(corner[a] + corner[b]);
      for (std::uint32_t i = 0; i < corner.size(); ++i) {
        if (corner[i] == m) return i;
      }
      corner.push_back(m);
      return static_cast<std::uint32_t>(corner.size() - 1);
    };
    for (const auto& [a, b, c] : faces) {
      const std::uint32_t ab = middle(a, b), bc = middle(b, c), ca = middle(c, a);
      for (const Polyhedron::Triangle& t :
           {Polyhedron::Triangle{a, ab, ca}, {b, bc, ab}, {c, ca, bc}, {ab, bc, ca}}) {
        finer.push_back(t);
      }
    }
    faces = finer;
  }
  const bool convex = pick(random, 3) == 0;
  const auto base = static_cast<std::uint32_t>(shape.vertices.size());
  for (const Vec3& d : corner) {
    shape.add(centre + (size * (convex ? 1 : uniform(random, 0.2, 1))) * d);
  }
  for (const auto& [a, b, c] : faces) shape.triangles.push_back({base + a, base + b, base + c});
  shape.parts.push_back(base);
  shape.solids.push_back({first, static_cast<std::uint32_t>(shape.triangles.size())});
}

/// A prism over an L.
inline void add_angle(MeshShape& shape, double size, double thick, bool faces) {
  const double s = size, t = thick;
  const std::array<Vec3, 6> border{
      {{0, 0, 0}, {s, 0, 0}, {s, t, 0}, {t, t, 0}, {t, s, 0}, {0, s, 0}}};
  const auto base = static_cast<std::uint32_t>(shape.vertices.size());
  for (const double z : {0.0, size}) {
    for (const Vec3& p : border) shape.add({p.x - s / 2, p.y - s / 2, z - size / 2});
  }
  const auto first = static_cast<std::uint32_t>(shape.triangles.size());
  for (std::uint32_t i = 0; i < 6; ++i) {
    const std::uint32_t j = (i + 1) % 6;
    shape.add_quad(base + i, base + j, base + 6 + j, base + 6 + i);
  }
  if (faces) shape.faces = shape.quads;
  for (const std::uint32_t level : {0u, 6u}) {
    const std::uint32_t b = base + level;
    if (faces) shape.faces.push_back({{b, b + 1, b + 2, b + 3, b + 4, b + 5}, {}});
    shape.add_quad(b, b + 1, b + 2, b + 3);
    shape.add_quad(b, b + 3, b + 4, b + 5);
  }
  shape.parts.push_back(base);
  shape.solids.push_back({first, static_cast<std::uint32_t>(shape.triangles.size())});
}

inline MeshShape random_shape(Random& random, double size) {
  MeshShape shape;
  const auto part = [&] { return size * uniform(random, 0.2, 1); };
  switch (pick(random, 12)) {
    case 0:
    case 1: {
      const Vec3 half{part(), part(), part()};
      add_box(shape, {}, half, pick(random, 3) != 0);
      if (pick(random, 2)) shape.faces = shape.quads;
      break;
    }
    case 2:
    case 3:
      add_star(shape, random, {}, size, pick(random, 3) == 0);
      break;
    case 4:
      add_angle(shape, size, size * uniform(random, 0.1, 0.6), pick(random, 2) == 0);
      break;
    case 5: {
      // One in another that is open: nothing is solid but the inner one.
      add_box(shape, {}, {size, size, size}, false);
      add_box(shape, {0, 0, 0.2 * size}, {0.3 * size, 0.3 * size, 0.3 * size}, true);
      break;
    }
    case 6: {
      // Loose triangles.
      const int count = 1 + pick(random, 8);
      for (int i = 0; i < count; ++i) {
        const Vec3 at = part() * random_unit(random);
        const auto a = shape.add(at);
        const auto b = shape.add(at + part() * random_unit(random));
        const auto c = shape.add(at + part() * random_unit(random));
        shape.triangles.push_back({a, b, c});
        shape.parts.push_back(a);
      }
      break;
    }
    case 7: {
      // A flat regular polygon, as a fan.
      const std::uint32_t count = 3 + static_cast<std::uint32_t>(pick(random, 6));
      const double thick = uniform(random, 0.2, 1);
      for (std::uint32_t i = 0; i < count; ++i) {
        const double angle = 2 * std::numbers::pi * i / count;
        shape.add({size * std::cos(angle), thick * size * std::sin(angle), 0});
        if (i > 1) shape.triangles.push_back({0, i - 1, i});
      }
      if (pick(random, 2)) {
        shape.faces.push_back({});
        for (std::uint32_t i = 0; i < count; ++i) shape.faces[0].border.push_back(i);
      }
      shape.parts.push_back(0);
      break;
    }
    case 10: {
      // A square with a square hole.
      const double inner = uniform(random, 0.2, 0.8);
      for (const double half : {size, inner * size}) {
        for (const auto& [x, y] : {std::pair{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}) {
          shape.add({half * x, half * y, 0});
        }
      }
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t j = (i + 1) % 4;
        shape.add_quad(i, j, 4 + j, 4 + i);
      }
      shape.faces.push_back({{0, 1, 2, 3}, {{4, 5, 6, 7}}});
      shape.parts.push_back(0);
      break;
    }
    case 11: {
      // Many small ones here and there.
      const int count = 2 + pick(random, 7);
      for (int i = 0; i < count; ++i) {
        const Vec3 at = size * random_unit(random);
        const Vec3 half{0.2 * part(), 0.2 * part(), 0.2 * part()};
        add_box(shape, at, half, pick(random, 4) != 0);
      }
      break;
    }
    case 8: {
      const Vec3 a = part() * random_unit(random), b = part() * random_unit(random);
      shape.edges.push_back({shape.add(a), shape.add(b)});
      shape.parts.push_back(0);
      break;
    }
    default: {
      const int count = 1 + pick(random, 5);
      for (int i = 0; i < count; ++i) {
        shape.parts.push_back(shape.add(part() * random_unit(random)));
      }
      break;
    }
  }
  if (pick(random, 6) == 0) shape.radius = size * log_uniform(random, 1e-3, 0.2);
  shape.finish();
  return shape;
}

/// A motion, and where it takes the body, to within rounding of the last bits.
struct JudgedMotion {
  CurvePointer curve;
  std::function<Affine(double time)> at;
  const char* kind = "";
};

using Long = long double;

inline std::function<Affine(double)> bezier_at(const std::vector<Affine>& control,
                                               const std::vector<double>& weights, double begin,
                                               double end) {
  return [=](double time) {
    const Long s = (Long(time) - begin) / (Long(end) - begin);
    std::vector<std::array<Long, 13>> h;
    for (std::size_t i = 0; i < control.size(); ++i) {
      const Affine& g = control[i];
      const Long w = weights.empty() ? 1 : weights[i];
      h.push_back({w * g.A.row0.x, w * g.A.row0.y, w * g.A.row0.z, w * g.a.x, w * g.A.row1.x,
                   w * g.A.row1.y, w * g.A.row1.z, w * g.a.y, w * g.A.row2.x, w * g.A.row2.y,
                   w * g.A.row2.z, w * g.a.z, w});
    }
    for (std::size_t n = h.size() - 1; n > 0; --n) {
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t k = 0; k < 13; ++k) h[i][k] = (1 - s) * h[i][k] + s * h[i + 1][k];
      }
    }
    const auto value = [&](std::size_t k) { return static_cast<double>(h[0][k] / h[0][12]); };
    return Affine{{{value(0), value(1), value(2)},
                   {value(4), value(5), value(6)},
                   {value(8), value(9), value(10)}},
                  {value(3), value(7), value(11)}};
  };
}

/// Turns in long double: v turned about the unit vector a.
using LVec = std::array<Long, 3>;
inline LVec turned(const LVec& a, Long c, Long s, const LVec& v) {
  const Long d = (a[0] * v[0] + a[1] * v[1] + a[2] * v[2]) * (1 - c);
  return {c * v[0] + s * (a[1] * v[2] - a[2] * v[1]) + d * a[0],
          c * v[1] + s * (a[2] * v[0] - a[0] * v[2]) + d * a[1],
          c * v[2] + s * (a[0] * v[1] - a[1] * v[0]) + d * a[2]};
}
inline LVec long_unit(Vec3 v) {
  const Long n = std::sqrt(Long(v.x) * v.x + Long(v.y) * v.y + Long(v.z) * v.z);
  return {v.x / n, v.y / n, v.z / n};
}
inline Vec3 short_of(const LVec& v) {
  return {static_cast<double>(v[0]), static_cast<double>(v[1]), static_cast<double>(v[2])};
}

inline std::function<Affine(double)> screw_at(Pose start, Vec3 point, Vec3 axis, double angle,
                                              double slide, double begin, double end) {
  return [=](double time) {
    const Long share = (Long(time) - begin) / (Long(end) - begin);
    const Long c = std::cos(share * angle), s = std::sin(share * angle);
    const LVec a = long_unit(axis);
    const Mat3 columns = transpose(start.R);
    const auto column = [&](Vec3 v) { return short_of(turned(a, c, s, {v.x, v.y, v.z})); };
    const Mat3 R = transpose({column(columns.row0), column(columns.row1), column(columns.row2)});
    LVec p = turned(
        a, c, s, {Long(start.p.x) - point.x, Long(start.p.y) - point.y, Long(start.p.z) - point.z});
    for (int k = 0; k < 3; ++k) {
      const auto i = static_cast<std::size_t>(k);
      p[i] += point[k] + share * slide * a[i];
    }
    return Affine{R, short_of(p)};
  };
}

inline std::function<Affine(double)> poses_at(const std::vector<Pose>& poses,
                                              const std::vector<double>& times,
                                              const std::vector<Vec3>& axes,
                                              const std::vector<double>& angles, Vec3 centre) {
  return [=](double time) {
    std::size_t i = 0;
    while (i + 2 < times.size() && time > times[i + 1]) ++i;
    const Long share = (Long(time) - times[i]) / (Long(times[i + 1]) - times[i]);
    const Long c = std::cos(share * angles[i]), s = std::sin(share * angles[i]);
    // Turning about an axis of the body first: rows of R turned back.
    const LVec a = long_unit(axes[i]);
    const auto row = [&](Vec3 v) { return short_of(turned(a, c, -s, {v.x, v.y, v.z})); };
    const Mat3& from = poses[i].R;
    const Mat3 R{row(from.row0), row(from.row1), row(from.row2)};
    const Vec3 begin = poses[i] * centre, end = poses[i + 1] * centre;
    return Affine{R, begin + static_cast<double>(share) * (end - begin) - R * centre};
  };
}

}  // namespace keepclear::test
