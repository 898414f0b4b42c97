// SPDX-License-Identifier: BSD-3-Clause
//
// Convex hulls with their edge graph: qhull proposes, we check.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear {

/// The extreme vertices of a point set and the edge graph of their hull. Every input point is
/// within `excess` (metres) of the hull of `vertices`: checked by us, not believed.
struct Hull {
  std::vector<Vec3> vertices;  ///< some of the input points, bit for bit, each once
  /// The neighbours of vertex i are neighbours[first_neighbour[i] .. first_neighbour[i + 1]).
  std::vector<std::uint32_t> first_neighbour, neighbours;
  /// Facets (triangles, outward by the right-hand rule) of a solid hull; empty for a flat one.
  std::vector<std::array<std::uint32_t, 3>> facets;
  double excess = 0;
  int dimension = 0;  ///< 0 a point, 1 a segment, 2 a flat polygon, 3 a solid
};

/// The hull of a non-empty set of finite points, of any degeneracy. Throws Error (internal) only
/// when memory runs out.
Hull convex_hull(std::span<const Vec3> points);

/// Volume of a solid hull, zero for a flat one. For reports, not for verdicts.
double volume(const Hull& hull);

}  // namespace keepclear
