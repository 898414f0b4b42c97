// SPDX-License-Identifier: BSD-3-Clause
//
// The tables behind a body's support function: the points, the edge graph for hill climbing, and
// the direction cells.
//
// A direction cell is a pyramid of directions (a square of a cube map). For each cell the table
// lists the candidates: vertices that can be extreme in some direction of the cell. A vertex v is
// left out only when one listed vertex w has (w - v).c >= 0, rounding included, for the four
// corners c of the (slightly enlarged) cell: every direction of the cell is a non-negative
// combination of its corners, so w is never behind v there. The largest n.p over the candidates is
// therefore the largest over the body: a scan of a dozen points, cold, and as certain as the scan
// of all (docs/theory/separation.md).
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "keepclear/body.hpp"
#include "shape/aligned.hpp"
#include "shape/hull.hpp"

namespace keepclear {

/// Points are stored in blocks of this many: x of all, y of all, z of all. A lane width divides it.
inline constexpr int kBlock = 8;

/// Which closed form may stand in for the search.
enum class BodyKind { hull, point, segment, box };

struct BodyTables {
  double radius = 0;
  std::size_t count = 0;
  AlignedVector x, y, z;  ///< padded to a multiple of kBlock by repeating the last point

  /// The edge graph, as in Hull.
  std::vector<std::uint32_t> first_neighbour, neighbours;

  /// 6 * cells_per_edge^2 cells; one cell for all directions when cells_per_edge is 0.
  int cells_per_edge = 0;
  /// Cell c holds blocks [first_block[c], first_block[c + 1]) of `blocks` (3 * kBlock doubles
  /// each).
  std::vector<std::uint32_t> first_block;
  AlignedVector blocks;
  std::vector<std::uint32_t> slot_vertex;  ///< the vertex behind each slot of each block

  Box box;              ///< around the points, the radius left aside
  double reach_hi = 0;  ///< at least the largest |point|, and |centre|, in the body's frame
  Vec3 spine[2];        ///< ends of a segment along the body: where a search starts from
  Vec3 centre;          ///< of a ball that contains the body
  double bounding_radius_hi = 0;  ///< of that ball, the body's own radius included

  BodyKind kind = BodyKind::hull;
  Vec3 box_half;  ///< of a box: half the edge lengths
  Pose X_AB;      ///< of a box: its own frame B in the body's frame A

  Vec3 point(std::size_t i) const { return {x[i], y[i], z[i]}; }
};

/// Builds the tables of a hull; the hull's excess is added to the radius.
BodyTables make_tables(const Hull& hull, double radius);

/// The cell of direction n, of a length from 1e-100 to 1e100: index of the cube-map square.
/// Every n in the real pyramid of a cell, and all that rounding may send there, are covered by the
/// enlarged corners that make_tables uses.
[[gnu::always_inline]] inline std::uint32_t cell_of(int cells_per_edge, Vec3 n) {
  // Without branches, since which face a direction is on cannot be predicted: the bits of
  // non-negative doubles order as the doubles do.
  const double around[5] = {n.x, n.y, n.z, n.x, n.y};
  const auto ax = std::bit_cast<std::int64_t>(std::fabs(n.x));
  const auto ay = std::bit_cast<std::int64_t>(std::fabs(n.y));
  const auto az = std::bit_cast<std::int64_t>(std::fabs(n.z));
  const int y_over_x = ay > ax;
  const std::int64_t larger = y_over_x ? ay : ax;
  const int axis = az > larger ? 2 : y_over_x;
  const double major = around[axis];
  const int face = 2 * axis + static_cast<int>(std::bit_cast<std::uint64_t>(major) >> 63);
  const double half = 0.5 * cells_per_edge;
  const double scale = half / std::fabs(major);
  // Counted from the middle of the face, whose boundary is exact that way: rounding moves no
  // direction across it. cells_per_edge is even.
  const int middle = cells_per_edge / 2;
  auto index = [&](double u) {
    // Written so that a value that is not a number goes to the middle, not out of the table.
    const double out = std::min(std::max(0.0, std::fabs(u) * scale), 0.5 * cells_per_edge - 1);
    return middle +
           (static_cast<int>(out) ^ -static_cast<int>(std::bit_cast<std::uint64_t>(u) >> 63));
  };
  const int i = index(around[axis + 1]), j = index(around[axis + 2]);
  return static_cast<std::uint32_t>((face * cells_per_edge + i) * cells_per_edge + j);
}

/// The plain support function: the first vertex with the largest n.p by scanning all points.
std::uint32_t support_scan(const BodyTables& body, Vec3 n);
/// The same by the candidates of the cell of n.
std::uint32_t support_cells(const BodyTables& body, Vec3 n);
/// A vertex that is extreme near n: where a climb that has no last vertex starts from.
inline std::uint32_t climb_start(const BodyTables& body, Vec3 n) {
  const std::uint32_t cell = body.cells_per_edge == 0 ? 0 : cell_of(body.cells_per_edge, n);
  return body.slot_vertex[static_cast<std::size_t>(body.first_block[cell]) * kBlock];
}
/// The same by hill climbing on the edge graph from vertex `start` (paper 2, II-C). May end on a
/// vertex that ties with the largest to within rounding.
std::uint32_t support_climb(const BodyTables& body, Vec3 n, std::uint32_t start);

}  // namespace keepclear
