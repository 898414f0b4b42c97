// SPDX-License-Identifier: BSD-3-Clause
#include "shape/support_table.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "rounding/rounding.hpp"

namespace keepclear {
namespace {

using rounding::dot_error;
using rounding::inflate;
using rounding::norm_hi;

/// Bodies of fewer points are scanned whole: a table would not shorten the scan.
constexpr std::size_t kScanWhole = 24;

/// A cell boundary moves outward by this much of the face (whose half-width is one). cell_of rounds
/// twice in computing |u| * scale, at most cells_per_edge / 2: it is off by less than 2 kU of that,
/// far below this. The middle of a face is told by a sign, exactly, and does not move.
constexpr double kCellOverlap = 0x1p-40;

/// Cells on an edge of the cube map, an even number: about one cell for every two vertices.
int choose_cells_per_edge(std::size_t vertices) {
  if (vertices <= kScanWhole) return 0;
  const double cells = 0.6 * static_cast<double>(vertices);
  return std::clamp(2 * static_cast<int>(std::lround(0.5 * std::sqrt(cells / 6))), 2, 16);
}

/// The corners of a cell, enlarged; cell_of's inverse.
std::array<Vec3, 4> cell_corners(int cells_per_edge, std::uint32_t face, int i, int j) {
  const double step = 2.0 / cells_per_edge;
  const double sign = (face & 1) != 0 ? -1 : 1;
  std::array<Vec3, 4> corners;
  for (int k = 0; k < 4; ++k) {
    // The middle is exact (cell_of): no overlap there.
    auto boundary = [&](int index, bool upper) {
      if (2 * index == cells_per_edge) return 0.0;
      return -1 + step * index + (upper ? kCellOverlap : -kCellOverlap);
    };
    const double u = boundary(i + (k & 1), (k & 1) != 0), v = boundary(j + (k >> 1), (k >> 1) != 0);
    switch (face / 2) {
      case 0:
        corners[k] = {sign, u, v};
        break;
      case 1:
        corners[k] = {v, sign, u};
        break;
      default:
        corners[k] = {u, v, sign};
        break;
    }
  }
  return corners;
}

/// The candidates of one cell, ascending. `error` bounds the rounding of one n.p at a corner.
void find_candidates(const BodyTables& body, const std::array<Vec3, 4>& corners, double error,
                     std::vector<std::array<double, 4>>& values, std::vector<std::uint32_t>& order,
                     std::vector<std::uint32_t>& candidates) {
  values.resize(body.count);
  auto total = [&](std::uint32_t v) {
    return values[v][0] + values[v][1] + values[v][2] + values[v][3];
  };
  // Both values may be off by `error`; their computed difference by half an ulp more.
  // Along an axis of the frame the values are coordinates, exact, and so is the order of two: flat
  // faces square to an axis are shared out among the four cells that meet there.
  std::array<double, 4> slack;
  for (int k = 0; k < 4; ++k) {
    const Vec3 c = corners[k];
    const bool on_axis = (c.x == 0) + (c.y == 0) + (c.z == 0) == 2;
    slack[k] = on_axis ? 0 : 2.5 * error;
  }
  auto dominates = [&](std::uint32_t w, std::uint32_t v) {
    return values[w][0] - values[v][0] >= slack[0] && values[w][1] - values[v][1] >= slack[1] &&
           values[w][2] - values[v][2] >= slack[2] && values[w][3] - values[v][3] >= slack[3];
  };
  std::uint32_t best = 0;
  for (std::uint32_t v = 0; v < body.count; ++v) {
    const Vec3 p = body.point(v);
    for (int k = 0; k < 4; ++k) values[v][k] = dot(corners[k], p);
    if (total(v) > total(best)) best = v;
  }
  // The best vertex alone rules out most; the few that remain are worth sorting.
  order.clear();
  for (std::uint32_t v = 0; v < body.count; ++v) {
    if (!dominates(best, v)) order.push_back(v);
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    const double ta = total(a), tb = total(b);
    return ta != tb ? ta > tb : a < b;
  });
  candidates.clear();
  for (const std::uint32_t v : order) {
    const bool dominated = std::any_of(candidates.begin(), candidates.end(),
                                       [&](std::uint32_t w) { return dominates(w, v); });
    if (!dominated) candidates.push_back(v);
  }
  std::sort(candidates.begin(), candidates.end());
}

void append_blocks(BodyTables& body, const std::vector<std::uint32_t>& vertices) {
  for (std::size_t begin = 0; begin < vertices.size(); begin += kBlock) {
    std::array<std::uint32_t, kBlock> slot;
    for (std::size_t k = 0; k < kBlock; ++k) {
      slot[k] = vertices[std::min(begin + k, vertices.size() - 1)];
    }
    for (const auto v : slot) body.blocks.push_back(body.x[v]);
    for (const auto v : slot) body.blocks.push_back(body.y[v]);
    for (const auto v : slot) body.blocks.push_back(body.z[v]);
    body.slot_vertex.insert(body.slot_vertex.end(), slot.begin(), slot.end());
  }
  body.first_block.push_back(static_cast<std::uint32_t>(body.slot_vertex.size() / kBlock));
}

/// A ball around the points: the centre of their box, then steps towards the farthest point
/// (Badoiu and Clarkson), and the radius from a certified pass over all points.
void bound_by_ball(BodyTables& body) {
  Vec3 low = body.point(0), high = low;
  for (std::size_t i = 0; i < body.count; ++i) {
    const Vec3 p = body.point(i);
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  }
  body.box = {low, high};
  Vec3 centre = 0.5 * low + 0.5 * high;
  for (int step = 1; step <= 200; ++step) {
    std::size_t far = 0;
    for (std::size_t i = 1; i < body.count; ++i) {
      if (squared_norm(body.point(i) - centre) > squared_norm(body.point(far) - centre)) far = i;
    }
    centre = centre + (1.0 / (step + 8)) * (body.point(far) - centre);
  }
  double radius_hi = 0;
  for (std::size_t i = 0; i < body.count; ++i) {
    const Vec3 p = body.point(i);
    body.reach_hi = std::max(body.reach_hi, norm_hi(p));
    // The difference p - centre rounds once a coordinate: relative to its own result.
    radius_hi = std::max(radius_hi, inflate(norm_hi(p - centre), 2));
  }
  body.centre = centre;
  body.reach_hi = std::max(body.reach_hi, norm_hi(centre));
  body.bounding_radius_hi = inflate(radius_hi + body.radius, 2);
}

/// A segment along the longest direction of the points, kept as far from its ends as the body is
/// wide: what a capsule around the body would have as its core. Only a hint for searches.
void lay_spine(BodyTables& body) {
  // Power iteration on the second moments about the centre.
  Vec3 axis{1, 1, 1};
  for (int step = 0; step < 50; ++step) {
    Vec3 sum;
    for (std::size_t i = 0; i < body.count; ++i) {
      const Vec3 d = body.point(i) - body.centre;
      sum = sum + dot(d, axis) * d;
    }
    const double length = norm(sum);
    if (!(length > 1e-30)) break;
    axis = (1 / length) * sum;
  }
  const double length = norm(axis);
  axis = (1 / length) * axis;
  double low = 0, high = 0, wide2 = 0;
  for (std::size_t i = 0; i < body.count; ++i) {
    const Vec3 d = body.point(i) - body.centre;
    const double along = dot(d, axis);
    low = std::min(low, along), high = std::max(high, along);
    wide2 = std::max(wide2, squared_norm(d) - along * along);
  }
  const double wide = std::sqrt(std::max(wide2, 0.0));
  low = std::min(low + wide, 0.0), high = std::max(high - wide, 0.0);
  body.spine[0] = body.centre + low * axis;
  body.spine[1] = body.centre + high * axis;
}

}  // namespace

BodyTables make_tables(const Hull& hull, double radius) {
  BodyTables body;
  body.radius = hull.excess > 0 ? inflate(radius + hull.excess, 1) : radius;
  body.count = hull.vertices.size();
  const std::size_t padded = (body.count + kBlock - 1) / kBlock * kBlock;
  for (std::size_t i = 0; i < padded; ++i) {
    const Vec3 p = hull.vertices[std::min(i, body.count - 1)];
    body.x.push_back(p.x);
    body.y.push_back(p.y);
    body.z.push_back(p.z);
  }
  body.first_neighbour = hull.first_neighbour;
  body.neighbours = hull.neighbours;
  if (body.count == 1) body.kind = BodyKind::point;
  if (body.count == 2) body.kind = BodyKind::segment;
  bound_by_ball(body);
  lay_spine(body);

  body.first_block.push_back(0);
  std::vector<std::uint32_t> candidates(body.count);
  std::iota(candidates.begin(), candidates.end(), 0u);
  body.cells_per_edge = choose_cells_per_edge(body.count);
  if (body.cells_per_edge == 0) {
    append_blocks(body, candidates);
    return body;
  }
  const double error =
      dot_error(inflate(1.7320508075688774 * (1 + kCellOverlap), 2), body.reach_hi);
  std::vector<std::array<double, 4>> values;
  std::vector<std::uint32_t> order;
  const int k = body.cells_per_edge;
  for (std::uint32_t face = 0; face < 6; ++face) {
    for (int i = 0; i < k; ++i) {
      for (int j = 0; j < k; ++j) {
        find_candidates(body, cell_corners(k, face, i, j), error, values, order, candidates);
        append_blocks(body, candidates);
      }
    }
  }
  return body;
}

std::uint32_t support_scan(const BodyTables& body, Vec3 n) {
  std::uint32_t best = 0;
  double best_value = dot(n, body.point(0));
  for (std::uint32_t i = 1; i < body.count; ++i) {
    const double value = dot(n, body.point(i));
    if (value > best_value) best = i, best_value = value;
  }
  return best;
}

std::uint32_t support_cells(const BodyTables& body, Vec3 n) {
  const std::uint32_t cell = body.cells_per_edge == 0 ? 0 : cell_of(body.cells_per_edge, n);
  const std::uint32_t begin = body.first_block[cell] * kBlock;
  const std::uint32_t end = body.first_block[cell + 1] * kBlock;
  std::uint32_t best = body.slot_vertex[begin];
  double best_value = dot(n, body.point(best));
  for (std::uint32_t slot = begin + 1; slot < end; ++slot) {
    const double value = dot(n, body.point(body.slot_vertex[slot]));
    if (value > best_value) best = body.slot_vertex[slot], best_value = value;
  }
  return best;
}

std::uint32_t support_climb(const BodyTables& body, Vec3 n, std::uint32_t start) {
  std::uint32_t best = start;
  double best_value = dot(n, body.point(best));
  for (bool moved = true; moved;) {
    moved = false;
    const std::uint32_t from = best;
    for (std::uint32_t k = body.first_neighbour[from]; k < body.first_neighbour[from + 1]; ++k) {
      const std::uint32_t i = body.neighbours[k];
      const double value = dot(n, body.point(i));
      if (value > best_value) best = i, best_value = value, moved = true;
    }
  }
  return best;
}

}  // namespace keepclear
