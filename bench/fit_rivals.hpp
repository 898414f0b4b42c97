// SPDX-License-Identifier: BSD-3-Clause
//
// What others put around a link: the smallest capsule, the smallest box, and spheres by hand. Found
// by methods of their own, so that a fault in fit() does not hide in both.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "keepclear/geometry.hpp"
#include "shape/mesh.hpp"

namespace keepclear::bench {

/// conv(points) grown by radius: what is to be contained.
struct Piece {
  std::vector<Vec3> points;
  double radius = 0;
};

struct Capsule {
  Vec3 a, b;
  double radius = 0;
  double volume() const;
};

struct OrientedBox {
  std::array<Vec3, 3> axes;  ///< unit, perpendicular
  Vec3 lo, hi;               ///< along these
  double volume() const;
};

/// The capsule of least volume: over directions the smallest circle around the shadow, caps where
/// they fit, then a search over both ends of the axis.
Capsule best_capsule(const Piece& piece);

/// The box of least volume: over the normals of the hull's facets and directions in between the
/// smallest rectangle around the shadow, then a search over the direction.
OrientedBox best_box(const Piece& piece);

/// How far (metres) the piece sticks out of them; rounding if they contain it.
double sticks_out(const Piece& piece, const Capsule& capsule);
double sticks_out(const Piece& piece, const OrientedBox& box);

struct Sphere {
  Vec3 centre;
  double radius = 0;
};

/// How far the surface of a mesh sticks out of the union of spheres: the real value is between
/// `least` and `least` + `within`. Negative when all of it is inside.
double sticks_out(const Mesh& mesh, std::span<const Sphere> spheres, double within);

/// Volume of the union, by rays through a grid of its shadow.
double union_volume(std::span<const Sphere> spheres);

}  // namespace keepclear::bench
