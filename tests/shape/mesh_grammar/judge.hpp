// SPDX-License-Identifier: BSD-3-Clause
//
// Whether a mesh that was read is the solid that was written: the same points, extents, hull and
// signed volume, as far as the mesh says that its vertices may be off.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "keepclear/error.hpp"
#include "shape/hull.hpp"
#include "shape/mesh.hpp"
#include "shape/mesh_grammar/solids.hpp"

namespace keepclear::test {

struct Judgement {
  enum class Kind { right, refused, wrong } kind = Kind::right;
  std::string why;
};

inline double six_volumes(const std::vector<Vec3>& points,
                          const std::vector<std::array<std::uint32_t, 3>>& triangles) {
  double sum = 0;
  for (const auto& t : triangles) sum += dot(points[t[0]], cross(points[t[1]], points[t[2]]));
  return sum;
}

inline double farthest(const std::vector<Vec3>& of, const std::vector<Vec3>& from) {
  double most = 0;
  for (const Vec3& p : of) {
    double nearest = INFINITY;
    for (const Vec3& q : from) nearest = std::min(nearest, norm(p - q));
    most = std::max(most, nearest);
  }
  return most;
}

inline Judgement judge(const Written& said, const Mesh& read) {
  using Kind = Judgement::Kind;
  double size = 0;
  for (const Vec3& p : said.points) size = std::max(size, norm(p));
  // The rounding of the reference itself, whose transforms are products of few doubles.
  const double off = read.vertex_error + 1e-13 * size;
  if (!(read.vertex_error <= 1e-3 * size)) return {Kind::wrong, "an error that hides the solid"};
  if (farthest(said.points, read.vertices) > off) return {Kind::wrong, "a point is lost"};
  if (farthest(read.vertices, said.points) > off) return {Kind::wrong, "a point is added"};
  const Hull hull = convex_hull(read.vertices), expected = convex_hull(said.points);
  for (const Vec3 d : {Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}, Vec3{.6, .64, .48},
                       Vec3{-.48, .6, .64}, Vec3{.64, -.48, .6}}) {
    for (const double sign : {1., -1.}) {
      const auto reach = [&](const std::vector<Vec3>& points) {
        double most = -INFINITY;
        for (const Vec3& p : points) most = std::max(most, sign * dot(p, d));
        return most;
      };
      if (std::abs(reach(hull.vertices) - reach(expected.vertices)) > 2 * off) {
        return {Kind::wrong, "another extent"};
      }
    }
  }
  double change = 0;
  for (const auto& t : read.triangles) {
    const double a = norm(read.vertices[t[0]]), b = norm(read.vertices[t[1]]),
                 c = norm(read.vertices[t[2]]);
    change += 2 * off * (a * b + b * c + c * a) + 1e-14 * a * b * c;
  }
  const double volume = six_volumes(read.vertices, read.triangles),
               wanted = six_volumes(said.points, said.triangles);
  if (!(std::abs(volume - wanted) <= change)) {
    return {Kind::wrong, "a signed volume of " + std::to_string(volume / 6) + " instead of " +
                             std::to_string(wanted / 6)};
  }
  return {};
}

}  // namespace keepclear::test
