// SPDX-License-Identifier: BSD-3-Clause
//
// Faces divided by clipping ears, holes joined to the border by bridges first.
//
// Whatever is clipped, the triangles with their signs add up to the rings: each point is covered
// once more often anticlockwise than clockwise if it is inside. So those of positive area cover all
// of the face, and leaving out the others loses nothing. Only if one is clockwise could they cover
// more than the face; then the face is refused.
#include <algorithm>
#include <cmath>
#include <limits>

#include "rounding/rounding.hpp"
#include "shape/polyhedron_parts.hpp"

namespace keepclear::polyhedron {
namespace {

/// Adds x to a sum of doubles that is kept without rounding, smallest first.
template <std::size_t n>
void grow(std::array<double, n>& sum, std::size_t& count, double x) {
  for (std::size_t i = 0; i < count; ++i) {
    const double s = x + sum[i];
    const double b = s - x;
    sum[i] = (x - (s - b)) + (sum[i] - b);
    x = s;
  }
  sum[count++] = x;
}

int exact_orientation(FlatPoint a, FlatPoint b, FlatPoint c) {
  const std::array<std::array<double, 2>, 6> products{
      {{a.u, b.v}, {-a.v, b.u}, {b.u, c.v}, {-b.v, c.u}, {c.u, a.v}, {-c.v, a.u}}};
  std::array<double, 12> sum{};
  std::size_t count = 0;
  for (const auto& [x, y] : products) {
    const double high = x * y;
    grow(sum, count, std::fma(x, y, -high));
    grow(sum, count, high);
  }
  for (std::size_t i = count; i-- > 0;) {
    if (sum[i] != 0) return sum[i] > 0 ? 1 : -1;
  }
  return 0;
}

/// A ring of places, as linked lists, so that ears come off.
struct Node {
  std::uint32_t point = 0;
  std::uint32_t previous = 0, next = 0;
};

class Clipper {
 public:
  Clipper(std::span<const FlatPoint> points, std::span<const std::vector<std::uint32_t>> rings)
      : points_(points) {
    for (std::size_t i = 0; i < rings.size(); ++i) add_ring(rings[i], i == 0);
  }

  bool join_holes();
  bool clip();
  std::vector<std::array<std::uint32_t, 3>> triangles;

 private:
  FlatPoint at(std::uint32_t node) const { return points_[nodes_[node].point]; }
  int turn(std::uint32_t a, std::uint32_t b, std::uint32_t c) const {
    return orientation(at(a), at(b), at(c));
  }

  void add_ring(const std::vector<std::uint32_t>& ring, bool anticlockwise) {
    double area = 0;
    for (std::size_t i = 0; i < ring.size(); ++i) {
      const FlatPoint o = points_[ring[0]], p = points_[ring[i]],
                      q = points_[ring[(i + 1) % ring.size()]];
      area += (p.u - o.u) * (q.v - o.v) - (p.v - o.v) * (q.u - o.u);
    }
    const auto first = static_cast<std::uint32_t>(nodes_.size());
    const auto count = static_cast<std::uint32_t>(ring.size());
    for (std::uint32_t i = 0; i < count; ++i) {
      const std::uint32_t place = (area > 0) == anticlockwise ? i : count - 1 - i;
      nodes_.push_back({ring[place], first + (i + count - 1) % count, first + (i + 1) % count});
    }
    heads_.push_back(first);
  }

  /// True if the direction from a node to `to` goes into the face there.
  bool goes_inside(std::uint32_t node, FlatPoint to) const {
    const FlatPoint p = at(node), before = at(nodes_[node].previous), after = at(nodes_[node].next);
    if (orientation(before, p, after) >= 0) {
      return orientation(p, after, to) >= 0 && orientation(p, to, before) >= 0;
    }
    return orientation(p, after, to) > 0 || orientation(p, to, before) > 0;
  }

  bool is_free(std::uint32_t a, std::uint32_t b) const;
  bool is_ear(std::uint32_t node, bool strict) const;
  void bridge(std::uint32_t a, std::uint32_t b);
  void remove(std::uint32_t node) {
    nodes_[nodes_[node].previous].next = nodes_[node].next;
    nodes_[nodes_[node].next].previous = nodes_[node].previous;
  }

  std::span<const FlatPoint> points_;
  std::vector<Node> nodes_;
  std::vector<std::uint32_t> heads_;
};

/// No side of any ring meets the line between two nodes, but where it ends.
bool Clipper::is_free(std::uint32_t a, std::uint32_t b) const {
  const FlatPoint p = at(a), q = at(b);
  const auto between = [&](FlatPoint x) {
    return std::min(p.u, q.u) <= x.u && x.u <= std::max(p.u, q.u) && std::min(p.v, q.v) <= x.v &&
           x.v <= std::max(p.v, q.v);
  };
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    const FlatPoint x = at(i), y = at(nodes_[i].next);
    const int at_x = orientation(p, q, x), at_y = orientation(p, q, y);
    if (x != p && x != q && at_x == 0 && between(x)) return false;
    if (at_x * at_y < 0 && orientation(x, y, p) * orientation(x, y, q) < 0) return false;
  }
  return true;
}

void Clipper::bridge(std::uint32_t a, std::uint32_t b) {
  // a: ... -> a -> b -> (around the hole) -> b' -> a' -> ...
  const auto a2 = static_cast<std::uint32_t>(nodes_.size());
  const std::uint32_t b2 = a2 + 1;
  nodes_.push_back({nodes_[a].point, b2, nodes_[a].next});
  nodes_.push_back({nodes_[b].point, nodes_[b].previous, a2});
  nodes_[nodes_[a2].next].previous = a2;
  nodes_[nodes_[b2].previous].next = b2;
  nodes_[a].next = b;
  nodes_[b].previous = a;
}

bool Clipper::join_holes() {
  // By their points farthest along u, the farthest hole first: what is beyond is joined already,
  // and one of its points can be seen from there.
  std::vector<std::uint32_t> tips;
  for (std::size_t h = 1; h < heads_.size(); ++h) {
    std::uint32_t tip = heads_[h];
    for (std::uint32_t i = nodes_[tip].next; i != heads_[h]; i = nodes_[i].next) {
      if (at(i).u > at(tip).u) tip = i;
    }
    tips.push_back(tip);
  }
  std::sort(tips.begin(), tips.end(), [&](std::uint32_t a, std::uint32_t b) {
    return at(a).u != at(b).u ? at(a).u > at(b).u : a < b;
  });
  for (const std::uint32_t tip : tips) {
    const FlatPoint p = at(tip);
    std::vector<std::pair<double, std::uint32_t>> near;
    std::uint32_t i = heads_[0];
    do {
      const double du = at(i).u - p.u, dv = at(i).v - p.v;
      near.emplace_back(du * du + dv * dv, i);
      i = nodes_[i].next;
    } while (i != heads_[0]);
    std::sort(near.begin(), near.end());
    const auto seen = std::find_if(near.begin(), near.end(), [&](const auto& candidate) {
      const std::uint32_t node = candidate.second;
      return at(node) != p && goes_inside(node, p) && goes_inside(tip, at(node)) &&
             is_free(tip, node);
    });
    if (seen == near.end()) return false;
    bridge(seen->second, tip);
  }
  return true;
}

/// Strictly: no other point is in it or on its border. Otherwise: none is inside.
bool Clipper::is_ear(std::uint32_t node, bool strict) const {
  const std::uint32_t before = nodes_[node].previous, after = nodes_[node].next;
  const FlatPoint a = at(before), b = at(node), c = at(after);
  const int least = strict ? 0 : 1;
  for (std::uint32_t i = nodes_[after].next; i != before; i = nodes_[i].next) {
    const FlatPoint p = at(i);
    if (p == a || p == b || p == c) continue;
    if (orientation(c, a, p) >= least && orientation(a, b, p) >= least &&
        orientation(b, c, p) >= least) {
      return false;
    }
  }
  return true;
}

bool Clipper::clip() {
  std::uint32_t node = heads_[0];
  std::size_t left = nodes_.size(), since = 0;
  bool strict = true;
  while (left > 2) {
    const std::uint32_t before = nodes_[node].previous, after = nodes_[node].next;
    const int sign = turn(before, node, after);
    // A point in line with its neighbours, or where the ring turns back, has no area.
    if (sign == 0 || (sign > 0 && is_ear(node, strict))) {
      if (sign > 0) {
        triangles.push_back({nodes_[before].point, nodes_[node].point, nodes_[after].point});
      }
      remove(node);
      --left;
      since = 0;
      strict = true;
      // The one after the next: fewer fans of thin triangles.
      node = sign > 0 ? nodes_[after].next : after;
      continue;
    }
    node = after;
    if (++since > left) {
      if (!strict) return false;
      strict = false;
      since = 0;
    }
  }
  return true;
}

}  // namespace

int orientation(FlatPoint a, FlatPoint b, FlatPoint c) {
  const double left = (b.u - a.u) * (c.v - a.v), right = (b.v - a.v) * (c.u - a.u);
  const double area = left - right;
  const double error = 8 * rounding::kU * (std::abs(left) + std::abs(right)) + 0x1p-1000;
  if (std::abs(area) > error) return area > 0 ? 1 : -1;
  return exact_orientation(a, b, c);
}

std::optional<std::vector<std::array<std::uint32_t, 3>>> divide(
    std::span<const FlatPoint> points, std::span<const std::vector<std::uint32_t>> rings) {
  Clipper clipper(points, rings);
  if (!clipper.join_holes() || !clipper.clip() || clipper.triangles.empty()) return std::nullopt;
  return std::move(clipper.triangles);
}

}  // namespace keepclear::polyhedron
