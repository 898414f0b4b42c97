// SPDX-License-Identifier: BSD-3-Clause
//
// Primitive shapes as sphere-swept convex hulls, centred as in URDF.
#pragma once

#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear {

/// conv(points) grown by radius contains the primitive; no point of it is farther than `excess`
/// (metres) from the primitive. Rounding is inside both.
struct RoundedHull {
  std::vector<Vec3> points;
  double radius = 0;
  double excess = 0;
};

/// Half the edge lengths are size/2, exactly representable: no excess.
RoundedHull box_hull(Vec3 size);
/// A radius of zero is a point: public URDFs mark contact points so.
RoundedHull sphere_hull(double radius);
/// A cylinder along z, circumscribed by a prism. `sides` >= 3.
RoundedHull cylinder_hull(double radius, double length, int sides = 64);
/// A cone along z, apex up, circumscribed by a pyramid.
RoundedHull cone_hull(double radius, double length, int sides = 64);
/// A capsule along z: `length` is that of the cylindrical part, as in the URDF extension.
RoundedHull capsule_hull(double radius, double length);

}  // namespace keepclear
