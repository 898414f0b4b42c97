// SPDX-License-Identifier: BSD-3-Clause
//
// The hull of a few points, with its volume when grown by a radius: what a fit is searched with.
// Plain arithmetic, for proposals; nothing here is a verdict.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear {

/// The surface of conv(points): triangles, outward by the right-hand rule. A flat hull has each
/// triangle twice, once a side; a segment or a point has none.
class SmallHull {
 public:
  explicit SmallHull(std::span<const Vec3> points = {});
  void assign(std::span<const Vec3> points);

  struct Facet {
    std::array<std::uint32_t, 3> v;  ///< indices of points
    Vec3 normal;                     ///< unit
    double offset = 0;               ///< of the plane: normal . x
  };
  /// Where two facets meet, or the one edge of a segment.
  struct Edge {
    std::uint32_t a = 0, b = 0;
    std::uint32_t left = 0, right = 0;  ///< facets
  };
  std::span<const Vec3> points() const { return points_; }
  std::span<const Facet> facets() const { return facets_; }
  std::span<const Edge> edges() const { return edges_; }
  int dimension() const { return dimension_; }
  /// The points that the hull needs, in their order.
  std::vector<Vec3> corners() const;

  /// The point of the hull (of a point inside: of its surface) next to p.
  struct Nearest {
    double distance = 0;  ///< negative inside
    Vec3 direction;       ///< unit, outward: the distance grows that way
    std::array<std::uint32_t, 3> v{};
    std::array<double, 3> weight{};  ///< of these points, sum one
  };
  Nearest nearest(Vec3 p) const;

  /// Volume of the hull grown by a ball of that radius (Steiner's formula, exact but for rounding),
  /// and how it changes with each point and with the radius.
  double volume(double radius) const;
  void gradient(double radius, std::span<Vec3> by_point, double& by_radius) const;

 private:
  friend class SmallHullBuilder;
  std::vector<Vec3> points_;
  std::vector<Facet> facets_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> facet_of_edge_;  ///< by its two points, in the order of the facet
  double size_ = 0;                           ///< of a flat or solid hull, the largest extent
  int dimension_ = 0;
};

}  // namespace keepclear
