// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies as triangles, for pictures and for measures that are told and never relied on.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "keepclear/body.hpp"
#include "keepclear/geometry.hpp"

namespace keepclear {

using Triangle = std::array<std::uint32_t, 3>;

struct Surface {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;  ///< outward by the right-hand rule
};

/// The boundary of a body as triangles between points of it (paper 1, (32)): its support points in
/// the directions of an icosahedron that is subdivided so many times (0 to 6), and in those of the
/// facets of its hull. Inside the body, and with a radius of zero the body itself. A flat body has
/// each triangle twice, once a side; a segment and a point have a triangle without area.
Surface triangulate(const Volume& body, int subdivisions);

/// The point of triangle abc nearest to p, rounded.
Vec3 nearest_on_triangle(Vec3 p, Vec3 a, Vec3 b, Vec3 c);

/// Boxes around triangles, to find the one nearest to a point. Keeps the spans.
class TriangleTree {
 public:
  TriangleTree(std::span<const Vec3> vertices, std::span<const Triangle> triangles);

  bool empty() const { return order_.empty(); }
  /// The distance of p from triangle t.
  double distance(Vec3 p, std::uint32_t t) const;
  struct Nearest {
    double distance = 0;  ///< infinite when there is no triangle
    std::uint32_t triangle = 0;
  };
  Nearest nearest(Vec3 p) const;

 private:
  struct Node {
    Box box;
    std::uint32_t first = 0, last = 0;  ///< of order_; a leaf has no children
    std::uint32_t child = 0;            ///< the first of two; 0: a leaf
  };
  void split(std::uint32_t node, std::span<const Vec3> centres);

  std::span<const Vec3> vertices_;
  std::span<const Triangle> triangles_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
};

/// The largest distance (metres) from a point of the body's surface to the triangle nearest to it,
/// found to a hundredth of the body's size. Deterministic. Infinite when there is no triangle.
double farthest_from(const Volume& body, const TriangleTree& triangles);
double farthest_from(const Volume& body, std::span<const Vec3> vertices,
                     std::span<const Triangle> triangles);

}  // namespace keepclear
