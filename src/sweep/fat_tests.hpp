// SPDX-License-Identifier: BSD-3-Clause
//
// Fat elements: what a vertex, an edge or a face covers while its displacement ranges over a ball
// (paper 4, sections 3 and 4). A point x fills a ball of radius R rho(x) around where the centre
// takes it, and the square of rho is quadratic in x: an element keeps clear of another if a
// quadratic function has no zero on an interval or a polygon. Written so, radii larger than nu need
// no cases of their own: the function is then least on the border of the element. Every 'clear' is
// certain; docs/theory/displacements.md.
#pragma once

#include <array>
#include <span>

#include "keepclear/geometry.hpp"
#include "shape/polyhedron.hpp"
#include "sweep/bounded.hpp"

namespace keepclear {

/// On an edge, t from 0 to 1: rho^2 <= c + 2 t b + t^2 a.
struct RhoOnEdge {
  double c = 1, b = 0, a = 0;
};
/// On a face, in its (u, v): rho^2 = c + 2 u bu + 2 v bv + u^2 uu + 2 u v uv + v^2 vv.
struct RhoOnFace {
  Bounded c{1, 0}, bu, bv, uu, uv, vv;
};

/// The square of the radius around a point: scale * rho^2 + constant, as these numbers are.
struct Growth {
  double scale = 0, constant = 0;
};
/// At least (R rho + s)^2 for every rho, next to an equality at `typical`.
Growth growth_hi(double R, double s, double typical) noexcept;

/// True if no point of the fat edge p0 p1 is on the edge f0 f1 (ends included). Points and their
/// differences are taken as exact: what they are off by belongs into s. f0 == f1 is a vertex.
bool edge_is_clear(Vec3 p0, Vec3 p1, const RhoOnEdge& rho, Growth growth, Vec3 f0,
                   Vec3 f1) noexcept;

/// A face in place: its origin and directions, as FaceData has them.
struct PlacedFace {
  Vec3 origin, e1, e2;
};
inline PlacedFace place_face(Vec3 v0, Vec3 v1, Vec3 v2, double lambda) noexcept {
  const Vec3 e1 = v1 - v0;
  return {v0, e1, (v2 - v0) - lambda * e1};
}
/// True if the point y is not in the fat face, border included.
bool face_is_clear(const PlacedFace& face, std::span<const std::array<double, 6>> corners,
                   const RhoOnFace& rho, Growth growth, Vec3 y) noexcept;
/// True if a face is beyond a ball around p, border included.
bool ball_is_clear(const PlacedFace& face, std::span<const std::array<double, 6>> corners, Vec3 p,
                   double squared_radius_hi) noexcept;

}  // namespace keepclear
