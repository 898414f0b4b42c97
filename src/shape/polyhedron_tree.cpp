// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <numeric>

#include "rounding/rounding.hpp"
#include "shape/polyhedron_parts.hpp"

namespace keepclear::polyhedron {
namespace {

/// Primitives of a leaf: a ball around one alone saves no more than it costs.
constexpr std::uint32_t kLeaf = 2;

struct Extent {
  Box box{{1e300, 1e300, 1e300}, {-1e300, -1e300, -1e300}};

  void add(Vec3 p) {
    box.lo = {std::min(box.lo.x, p.x), std::min(box.lo.y, p.y), std::min(box.lo.z, p.z)};
    box.hi = {std::max(box.hi.x, p.x), std::max(box.hi.y, p.y), std::max(box.hi.z, p.z)};
  }
  int longest_axis() const {
    const Vec3 size = box.hi - box.lo;
    if (size.x >= size.y && size.x >= size.z) return 0;
    return size.y >= size.z ? 1 : 2;
  }
};

/// Calls `use` with every vertex of the elements of a node.
template <class Use>
void each_vertex(const PolyhedronData& data, const PolyhedronNode& node, const Use& use) {
  for (std::uint32_t i = node.first_face; i < node.last_face; ++i) {
    const FaceData& face = data.faces[data.leaf_faces[i]];
    for (std::uint32_t t = face.first; t < face.last; ++t) {
      for (const std::uint32_t v : data.triangles[t]) use(data.vertices[v]);
    }
    for (const std::uint32_t v : face.anchors) use(data.vertices[v]);
  }
  for (std::uint32_t i = node.first_edge; i < node.last_edge; ++i) {
    for (const std::uint32_t v : data.edges[data.leaf_edges[i]]) use(data.vertices[v]);
  }
  for (std::uint32_t i = node.first_vertex; i < node.last_vertex; ++i) {
    use(data.vertices[data.leaf_vertices[i]]);
  }
}

}  // namespace

void fit_balls(PolyhedronData& data) {
  for (PolyhedronNode& node : data.nodes) {
    Extent extent;
    each_vertex(data, node, [&](Vec3 p) { extent.add(p); });
    node.centre = 0.5 * extent.box.lo + 0.5 * extent.box.hi;
    double most = 0;
    each_vertex(data, node, [&](Vec3 p) { most = std::max(most, squared_norm(p - node.centre)); });
    // Differences, squares, two sums, and the root.
    node.radius_hi = rounding::inflate(std::sqrt(most), 8) + (most > 0 ? 0x1p-500 : 0);
  }
}

void build_tree(PolyhedronData& data, std::span<const Primitive> primitives,
                std::span<const std::uint32_t> edges, std::span<const std::uint32_t> vertices) {
  std::vector<std::uint32_t> order(primitives.size());
  std::iota(order.begin(), order.end(), 0U);
  struct Range {
    std::uint32_t first = 0, last = 0;
  };
  std::vector<Range> ranges{{0, static_cast<std::uint32_t>(order.size())}};
  data.nodes.assign(1, {});
  for (std::size_t n = 0; n < ranges.size(); ++n) {
    const auto [first, last] = ranges[n];
    if (last - first <= kLeaf) continue;
    Extent extent;
    for (std::uint32_t i = first; i < last; ++i) extent.add(primitives[order[i]].middle);
    const int axis = extent.longest_axis();
    const std::uint32_t middle = first + (last - first) / 2;
    std::nth_element(order.begin() + first, order.begin() + middle, order.begin() + last,
                     [&](std::uint32_t a, std::uint32_t b) {
                       const double x = primitives[a].middle[axis], y = primitives[b].middle[axis];
                       return x != y ? x < y : a < b;
                     });
    data.nodes[n].child = static_cast<std::uint32_t>(ranges.size());
    ranges.push_back({first, middle});
    ranges.push_back({middle, last});
    data.nodes.resize(ranges.size());
  }
  // How many elements come before each primitive.
  std::vector<std::array<std::uint32_t, 3>> before;
  before.reserve(order.size() + 1);
  const auto count = [&] {
    before.push_back({static_cast<std::uint32_t>(data.leaf_faces.size()),
                      static_cast<std::uint32_t>(data.leaf_edges.size()),
                      static_cast<std::uint32_t>(data.leaf_vertices.size())});
  };
  for (const std::uint32_t i : order) {
    count();
    const Primitive& p = primitives[i];
    if (p.face != Primitive::kNone) data.leaf_faces.push_back(p.face);
    data.leaf_edges.insert(data.leaf_edges.end(), edges.begin() + p.first_edge,
                           edges.begin() + p.last_edge);
    data.leaf_vertices.insert(data.leaf_vertices.end(), vertices.begin() + p.first_vertex,
                              vertices.begin() + p.last_vertex);
  }
  count();
  for (std::size_t n = 0; n < ranges.size(); ++n) {
    const auto& from = before[ranges[n].first];
    const auto& to = before[ranges[n].last];
    PolyhedronNode& node = data.nodes[n];
    node.first_face = from[0], node.last_face = to[0];
    node.first_edge = from[1], node.last_edge = to[1];
    node.first_vertex = from[2], node.last_vertex = to[2];
  }
  fit_balls(data);
}

}  // namespace keepclear::polyhedron
