// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies placed against each other for tests of this room.
#pragma once

#include <vector>

#include "distance/generators.hpp"
#include "distance/separation.hpp"
#include "keepclear/body.hpp"
#include "oracle/quad.hpp"
#include "oracle/reference_distance.hpp"

namespace keepclear::test {

inline std::vector<Vec3> points_of(const BodyTables& body) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < body.count; ++i) points.push_back(body.point(i));
  return points;
}

inline Body body_of(const Shape& shape) {
  switch (shape.kind) {
    case Shape::Kind::box:
    case Shape::Kind::rounded_box:
    case Shape::Kind::needle:
    case Shape::Kind::plate:
      return Body::box(shape.size, {}, shape.radius);
    default:
      return Body::hull(shape.points, shape.radius);
  }
}

/// A handful of bodies of every kind, built once: building is what costs.
inline std::vector<Body> many_bodies(Random& random, int each) {
  std::vector<Body> bodies;
  for (int kind = 0; kind < 9; ++kind) {
    for (int k = 0; k < each; ++k) {
      bodies.push_back(body_of(random_shape(random, static_cast<Shape::Kind>(kind))));
    }
  }
  return bodies;
}

/// The placement of b in a's frame where the computed pose is the real one.
inline keepclear::Placement placement(const Body& a, const Body& b, const Pose& X_AB,
                                      rounding::PoseError error = {}) {
  return {&a.tables(), &b.tables(), X_AB, placement_error_hi(a.tables(), b.tables(), X_AB, error)};
}

/// From well apart through touching to deep inside.
inline Pose random_pose(Random& random, const Body& a, const Body& b) {
  const Mat3 R = pick(random, 4) == 0 ? random_cube_rotation(random) : random_rotation(random);
  const double reach = a.bounding_radius() + b.bounding_radius();
  const double away = uniform(random, 0, pick(random, 3) == 0 ? 3 : 1) * reach;
  const Vec3 way = random_unit(random);
  return {R, a.centre() - R * b.centre() + away * way};
}

inline oracle::CoreDistance<oracle::Quad> hull_distance(const keepclear::Placement& pair) {
  return oracle::reference_distance(oracle::PointSet(points_of(*pair.a)), {},
                                    oracle::PointSet(points_of(*pair.b)),
                                    oracle::widen<oracle::Quad>(pair.X_AB));
}

}  // namespace keepclear::test
