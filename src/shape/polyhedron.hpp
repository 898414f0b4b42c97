// SPDX-License-Identifier: BSD-3-Clause
//
// Polyhedra taken apart for tests of their elements: vertices, border edges, flat faces in
// coordinates of their own, and a tree of balls in which every element has one place.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "keepclear/polyhedron.hpp"

namespace keepclear {

/// A flat face. With anchors V0, V1, V2 and lambda, its points are
///   V0 + u (V1 - V0) + v ((V2 - V0) - lambda (V1 - V0)),
/// where the second direction is at right angles to the first to within rounding. An affine map of
/// the anchors maps all of it.
struct FaceData {
  std::array<std::uint32_t, 3> anchors{};
  double lambda = 0;
  std::uint32_t first = 0, last = 0;  ///< of PolyhedronData::triangles and corners
  /// At least |1 - u - (1 - lambda) v| + |u - lambda v| + |v| of any point of it: what an error of
  /// the anchors becomes. 1 for a triangle.
  double stretch_hi = 1;
  double most_u = 0, most_v = 0;  ///< at least |u| and |v| of any point of it
  std::uint32_t shell = 0;
  /// With the triangles of these turned the other way round, those of a shell go round alike.
  bool turned = false;
};

/// Elements that hang together, by a vertex or more.
struct PolyhedronPart {
  std::uint32_t vertex = 0;  ///< one of its vertices
};

/// Faces that hang together by edges. Faces given twice are one.
struct PolyhedronShell {
  bool closed = false;    ///< every edge has an even number of faces
  bool oriented = false;  ///< closed, and every edge has two, which can be turned alike
};

/// A ball around elements. Children come after their parent; the elements of a node are those
/// [first, last) of each list of leaf_*, and those of its children follow one another.
struct PolyhedronNode {
  Vec3 centre;
  double radius_hi = 0;     ///< around everything that its elements consist of
  std::uint32_t child = 0;  ///< the first of two neighbours; 0: a leaf
  std::uint32_t first_face = 0, last_face = 0;
  std::uint32_t first_edge = 0, last_edge = 0;
  std::uint32_t first_vertex = 0, last_vertex = 0;
};

struct PolyhedronData {
  std::vector<Vec3> vertices;
  double radius = 0;
  /// Each vertex, and what faces and edges span from it, is within this (metres) of what was given:
  /// the error given, what faces are not flat by, faces left out because they are as thin as an
  /// edge.
  double error = 0;
  /// Of borders (each once), and those of no face; a vertex without an edge is one from itself to
  /// itself.
  std::vector<Polyhedron::Edge> edges;
  std::vector<std::uint8_t> is_loose;  ///< of edges: in no face
  std::vector<FaceData> faces;
  std::vector<Polyhedron::Triangle> triangles;  ///< of the faces, one after the other
  /// (u, v) of the three corners of each triangle.
  std::vector<std::array<double, 6>> corners;
  std::vector<PolyhedronPart> parts;
  std::vector<PolyhedronShell> shells;
  std::vector<PolyhedronNode> nodes;  ///< the first is the root
  /// Each element once, in the order of the tree.
  std::vector<std::uint32_t> leaf_faces, leaf_edges, leaf_vertices;
};

}  // namespace keepclear
