// SPDX-License-Identifier: BSD-3-Clause
//
// The steps by which polyhedra are made.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "shape/polyhedron.hpp"

namespace keepclear::polyhedron {

/// A point in the coordinates (u, v) of a face.
struct FlatPoint {
  double u = 0, v = 0;

  friend constexpr bool operator==(const FlatPoint&, const FlatPoint&) = default;
};

/// The sign of the area of a, b, c: 1 anticlockwise, -1 clockwise, 0 in a line. Exact, as long as
/// nothing under- or overflows.
int orientation(FlatPoint a, FlatPoint b, FlatPoint c);

/// Divides a face: the first ring is its border, the others are holes, either way round; what is
/// named is the place in `points`. The triangles cover all of it, whatever rounding did to its
/// points, are anticlockwise, and of positive area. Nothing if that cannot be done without covering
/// more: rings that cross.
std::optional<std::vector<std::array<std::uint32_t, 3>>> divide(
    std::span<const FlatPoint> points, std::span<const std::vector<std::uint32_t>> rings);

/// Lambda, corners, stretch of a face whose anchors and triangles are set, and of the vertices
/// `border` how far they may be from where their (u, v), which go to `flat`, put them. Infinite
/// where the face is too thin for coordinates.
double set_coordinates(FaceData& face, std::span<const Vec3> vertices,
                       std::span<const std::uint32_t> border, std::vector<FlatPoint>& flat);
/// Of a triangle, whose anchors are its corners: exact.
void set_triangle(FaceData& face, std::span<const Vec3> vertices);

/// The elements of one primitive of the tree: a face with what it owns, or a loose edge or vertex.
struct Primitive {
  static constexpr std::uint32_t kNone = 0xffffffff;
  std::uint32_t face = kNone;
  std::uint32_t first_edge = 0, last_edge = 0;      ///< of the list of owned edges
  std::uint32_t first_vertex = 0, last_vertex = 0;  ///< of the list of owned vertices
  Vec3 middle;
};
/// Sets nodes and leaf lists.
void build_tree(PolyhedronData& data, std::span<const Primitive> primitives,
                std::span<const std::uint32_t> edges, std::span<const std::uint32_t> vertices);
/// The border edges of faces as they were given, one face after the other: of those that are kept,
/// and of those left out because they are thin.
struct Borders {
  std::vector<std::uint32_t> ends, edges;
  std::vector<std::uint32_t> thin_ends, thin_edges;

  std::span<const std::uint32_t> of(std::uint32_t face) const { return part(edges, ends, face); }
  std::span<const std::uint32_t> of_thin(std::uint32_t face) const {
    return part(thin_edges, thin_ends, face);
  }
  static std::span<const std::uint32_t> part(std::span<const std::uint32_t> list,
                                             std::span<const std::uint32_t> ends, std::uint32_t i) {
    const std::uint32_t first = i == 0 ? 0 : ends[i - 1];
    return list.subspan(first, ends[i] - first);
  }
};
/// Sets shells, and those of the faces; `uses`: how many faces each edge has, thin ones included.
void find_shells(PolyhedronData& data, const Borders& given, std::span<const std::uint32_t> uses);
/// Sets the balls of nodes whose elements are known.
void fit_balls(PolyhedronData& data);

/// What a polyhedron is made from. Vertices of the same group at the same place become one.
struct Parts {
  std::vector<Vec3> vertices;
  std::vector<std::uint32_t> groups;  ///< one for each vertex; empty: all the same
  /// Borders, then holes: rings of vertices, one after the other.
  std::vector<std::uint32_t> corners;
  std::vector<std::uint32_t> ring_ends;  ///< of `corners`
  std::vector<std::uint32_t> face_ends;  ///< of `ring_ends`
  std::vector<Polyhedron::Edge> edges{};
  /// Vertices that nothing uses are elements too.
  bool loose_vertices = false;
  double radius = 0, error = 0;

  void add_ring(std::span<const std::uint32_t> ring);
  void end_face();
};
Polyhedron build(const Parts& parts);

}  // namespace keepclear::polyhedron
