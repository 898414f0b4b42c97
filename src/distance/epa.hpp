// SPDX-License-Identifier: BSD-3-Clause
//
// Overlapping hulls: proof that they overlap, and how deep (expanding polytope).
//
// A closed surface of triangles between points of A - B, each with the origin strictly on its inner
// side, surrounds the origin: the radial projection onto the unit sphere turns the same way on
// every triangle, so it covers the sphere. The hull of these points then contains the origin, and
// the bodies overlap. The signs are those of determinants that exceed their error bounds.
#pragma once

#include <array>
#include <cstdint>

#include "distance/gjk.hpp"

namespace keepclear {

/// All the memory of a search, owned by the caller: nothing is allocated. About 60 kB.
struct EpaWorkspace {
  static constexpr int kMaxVertices = 256;
  static constexpr int kMaxFaces = 2 * kMaxVertices;

  struct Vertex {
    Vec3 w;
    std::uint32_t a = 0, b = 0;
  };
  struct Face {
    std::array<std::uint16_t, 3> vertex{};     ///< counter-clockwise from outside
    std::array<std::uint16_t, 3> neighbour{};  ///< across edge (i, i + 1)
    Vec3 n;                                    ///< outward, unit to rounding
    double distance = 0;                       ///< of the plane from the origin
    bool alive = false;
    bool shown = false;  ///< the origin is proved to be on the inner side
  };
  int vertices = 0, faces = 0, alive = 0, shown = 0;
  std::array<Vertex, kMaxVertices> vertex;
  std::array<Face, kMaxFaces> face;
  std::array<std::uint16_t, kMaxFaces> free, stack;
  int free_count = 0;
  struct Edge {
    std::uint16_t from, to, face, side;  ///< the surviving face and its side
  };
  std::array<Edge, kMaxFaces> horizon;
  std::array<std::uint16_t, kMaxFaces> created;
};

struct EpaResult {
  bool contact = false;  ///< proved: the hulls overlap in real arithmetic
  double depth_lo = 0;   ///< least distance from the origin to the surface found
  /// Proved: hulls moved by less than this, any way, still overlap. Zero without contact, and
  /// where the depth was not wanted.
  double sure_depth_lo = 0;
  double signed_lo = 0;  ///< certified lower bound of the signed distance of the hulls
  Vec3 n;                ///< unit, in A: moving B along it by the depth separates
  Vec3 p_a, p_b;         ///< in A: the points of A and B that meet on the nearest face
};

/// Starts from the simplex at which GJK found the origin inside (or as near as rounding can tell).
/// With `depth_wanted` it goes on until the depth is known to `tolerance` metres; without, until
/// contact is proved or the search is at its end. Where points of A - B on one line or in one plane
/// keep it from that, it begins again from corners of A - B that lie in no special direction.
EpaResult epa(const Placement& pair, const Simplex& start, bool depth_wanted, double tolerance,
              EpaWorkspace& space) noexcept;

}  // namespace keepclear
