// SPDX-License-Identifier: BSD-3-Clause
//
// Convex bodies as polyhedra. The facets of a hull come from qhull and are not believed: that what
// they enclose holds the hull, to within a gap that goes into the radius, is checked here.
//
// Let y be inside a closed surface of facets, and x a point of the hull that is outside. The
// segment from y to x leaves the surface at a point z of some facet. Of any plane, let y be r or
// more below it, that facet e or less, and no vertex more than d above it. Then x is at most d
// above it, z at most e below, and |x - z| <= |z - y| (d + e) / (r - e).
#include <algorithm>
#include <cmath>
#include <numbers>

#include "keepclear/error.hpp"
#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"
#include "rounding/rounding.hpp"
#include "shape/hull.hpp"
#include "shape/polyhedron_parts.hpp"

namespace keepclear {
namespace {

using Triangle = Polyhedron::Triangle;
using rounding::gamma;
using rounding::inflate;
using rounding::norm_hi;

/// The facets on the other sides of the edges of each; nothing unless every edge has two facets,
/// one each way.
std::vector<Triangle> neighbours(const Hull& hull) {
  struct Side {
    std::uint32_t a, b, facet, edge;
  };
  std::vector<Side> sides;
  for (std::uint32_t f = 0; f < hull.facets.size(); ++f) {
    for (std::uint32_t k = 0; k < 3; ++k) {
      sides.push_back({hull.facets[f][k], hull.facets[f][(k + 1) % 3], f, k});
    }
  }
  const auto less = [](const Side& x, const Side& y) { return x.a != y.a ? x.a < y.a : x.b < y.b; };
  std::sort(sides.begin(), sides.end(), less);
  std::vector<Triangle> result(hull.facets.size());
  for (std::size_t i = 0; i < sides.size(); ++i) {
    if (i > 0 && !less(sides[i - 1], sides[i])) return {};
    const Side back{sides[i].b, sides[i].a, 0, 0};
    const auto other = std::lower_bound(sides.begin(), sides.end(), back, less);
    if (other == sides.end() || less(back, *other)) return {};
    result[sides[i].facet][sides[i].edge] = other->facet;
  }
  return result;
}

/// How often the facets go around y: one for a point inside.
double turns_around(const Hull& hull, Vec3 y) {
  double angle = 0;
  for (const Triangle& f : hull.facets) {
    const Vec3 a = hull.vertices[f[0]] - y, b = hull.vertices[f[1]] - y,
               c = hull.vertices[f[2]] - y;
    const double la = norm(a), lb = norm(b), lc = norm(c);
    angle += 2 * std::atan2(dot(a, cross(b, c)),
                            la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb);
  }
  return angle / (4 * std::numbers::pi);
}

class Gap {
 public:
  explicit Gap(const Hull& hull) : hull_(hull) {
    for (const Vec3 v : hull.vertices) middle_ = middle_ + v;
    middle_ = (1 / static_cast<double>(hull.vertices.size())) * middle_;
    for (const Vec3 v : hull.vertices) reach_hi_ = std::max(reach_hi_, norm_hi(v - middle_));
  }

  /// At least how far a point of the hull may be outside; infinite when nothing is proved.
  double bound_hi() const {
    const std::vector<Triangle> around = neighbours(hull_);
    if (around.empty() || std::abs(turns_around(hull_, middle_) - 1) > 0.1) return kInfinity;
    double most = 0;
    for (std::uint32_t f = 0; f < hull_.facets.size(); ++f) {
      double ratio = ratio_hi(f, f);
      // The plane of a needle is mostly rounding: that of a neighbour may do better.
      for (std::size_t k = 0; k < 3 && ratio > 1e-13; ++k) {
        ratio = std::min(ratio, ratio_hi(f, around[f][k]));
        for (const std::uint32_t g : around[around[f][k]]) ratio = std::min(ratio, ratio_hi(f, g));
      }
      most = std::max(most, ratio);
    }
    return inflate(most * reach_hi_, 4);
  }

 private:
  /// (d + e) / (r - e) of a facet and the plane of another.
  double ratio_hi(std::uint32_t facet, std::uint32_t plane) const {
    const Triangle& p = hull_.facets[plane];
    const Vec3 a = hull_.vertices[p[0]];
    const Vec3 along = hull_.vertices[p[1]] - a, across = hull_.vertices[p[2]] - a;
    // Any direction will do: of this one, as it is rounded, the heights are taken.
    const Vec3 n = cross(along, across);
    const double length_hi = norm_hi(n);
    if (!(length_hi > 1e-200)) return kInfinity;
    const auto height = [&](Vec3 v) { return dot(n, v - a); };
    const double rounded = inflate(gamma(8) * (length_hi * (2 * reach_hi_)), 4);
    double above = 0, below = 0;
    for (const Vec3 v : hull_.vertices) above = std::max(above, height(v));
    for (const std::uint32_t v : hull_.facets[facet])
      below = std::max(below, -height(hull_.vertices[v]));
    const double inside = -height(middle_) - below - 2 * rounded;
    if (!(inside > 0)) return kInfinity;
    return inflate((above + below + 2 * rounded) / (inside * (1 - 0x1p-40)), 6);
  }

  const Hull& hull_;
  Vec3 middle_;
  double reach_hi_ = 0;
};

/// The vertices of a flat hull in order; nothing unless each has two neighbours, all in one ring.
std::vector<std::uint32_t> ring_of(const Hull& hull) {
  std::vector<std::uint32_t> ring{0};
  for (std::uint32_t before = 0; ring.size() <= hull.vertices.size();) {
    const std::uint32_t at = ring.back(), first = hull.first_neighbour[at];
    if (hull.first_neighbour[at + 1] - first != 2) return {};
    const std::uint32_t a = hull.neighbours[first], b = hull.neighbours[first + 1];
    const std::uint32_t next = ring.size() == 1 || a != before ? a : b;
    if (next == 0) break;
    before = at;
    ring.push_back(next);
  }
  if (ring.size() != hull.vertices.size()) return {};
  return ring;
}

/// The same as Gap for a flat face, in its own coordinates: a share of its size. Every point of the
/// hull has coordinates in the hull of those of the vertices.
double flat_ratio_hi(std::span<const polyhedron::FlatPoint> ring) {
  using polyhedron::FlatPoint;
  FlatPoint middle;
  for (const FlatPoint p : ring) middle = {middle.u + p.u, middle.v + p.v};
  const double share = 1 / static_cast<double>(ring.size());
  middle = {share * middle.u, share * middle.v};
  double turn = 0, most = 0, reach = 0;
  for (const FlatPoint p : ring) reach = std::max({reach, std::abs(p.u), std::abs(p.v)});
  for (std::size_t i = 0; i < ring.size(); ++i) {
    const FlatPoint a = ring[i], b = ring[(i + 1) % ring.size()];
    const double x = a.u - middle.u, y = a.v - middle.v, z = b.u - middle.u, w = b.v - middle.v;
    turn += std::atan2(x * w - y * z, x * z + y * w);
    const double nu = b.v - a.v, nv = a.u - b.u;
    const auto height = [&](FlatPoint p) { return nu * (p.u - a.u) + nv * (p.v - a.v); };
    const double sign = height(middle) < 0 ? 1 : -1;
    const double rounded = gamma(8) * (std::abs(nu) + std::abs(nv)) * (2 * reach);
    double above = 0;
    for (const FlatPoint p : ring) above = std::max(above, sign * height(p));
    const double below = std::max(0.0, -sign * height(b));
    const double inside = -sign * height(middle) - below - 2 * rounded;
    if (!(inside > 0)) return kInfinity;
    most = std::max(most, (above + below + 2 * rounded) / inside);
  }
  const bool once = std::abs(std::abs(turn) / (2 * std::numbers::pi) - 1) < 0.1;
  return once ? inflate(most, 20) : kInfinity;
}

/// A flat hull as one face; nothing if that does not work out.
std::shared_ptr<PolyhedronData> flat_face(const Hull& hull, double size) {
  const std::vector<std::uint32_t> ring = ring_of(hull);
  if (ring.size() < 3) return nullptr;
  std::vector<Vec3> border;
  border.reserve(ring.size());
  for (const std::uint32_t v : ring) border.push_back(hull.vertices[v]);
  try {
    auto data = std::make_shared<PolyhedronData>(Polyhedron::polygon(border).data());
    // As thin as an edge: everything is near the border.
    if (data->faces.empty()) return data;
    std::vector<std::uint32_t> order(ring.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) order[i] = i;
    std::vector<polyhedron::FlatPoint> flat;
    FaceData face = data->faces[0];
    if (!(polyhedron::set_coordinates(face, data->vertices, order, flat) < size)) return nullptr;
    const double ratio_hi = flat_ratio_hi(flat);
    if (!(ratio_hi <= 0.1)) return nullptr;
    data->radius = inflate(ratio_hi * (2 * size), 4);
    return data;
  } catch (const Error&) {
    return nullptr;
  }
}

Box extent(const Hull& hull) {
  Box box{hull.vertices[0], hull.vertices[0]};
  for (const Vec3 p : hull.vertices) {
    box.lo = {std::min(box.lo.x, p.x), std::min(box.lo.y, p.y), std::min(box.lo.z, p.z)};
    box.hi = {std::max(box.hi.x, p.x), std::max(box.hi.y, p.y), std::max(box.hi.z, p.z)};
  }
  return box;
}

}  // namespace

Polyhedron Polyhedron::of(const Body& body) {
  rounding::require_mode();
  const Volume volume = body.volume();
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < volume.count; ++i) points.push_back(volume.point(i));
  const Hull hull = convex_hull(points);
  double radius = volume.radius;
  if (hull.excess > 0) radius = rounding::up(radius + hull.excess);
  if (hull.dimension == 0) return Polyhedron::points(hull.vertices, radius);
  if (hull.dimension == 1) return segment(hull.vertices[0], hull.vertices[1], radius);
  const Box box = extent(hull);
  const double size = norm_hi(box.hi - box.lo);
  if (hull.dimension == 3) {
    const double gap_hi = Gap(hull).bound_hi();
    if (gap_hi <= 0.1 * size) {
      return mesh(hull.vertices, hull.facets, gap_hi > 0 ? rounding::up(radius + gap_hi) : radius);
    }
  } else if (auto data = flat_face(hull, size)) {
    data->radius = rounding::up(data->radius + radius);
    return Polyhedron(std::move(data));
  }
  // What no facets describe well enough, a box does.
  return boxes({&box, 1}, radius);
}

}  // namespace keepclear
