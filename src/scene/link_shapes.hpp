// SPDX-License-Identifier: BSD-3-Clause
//
// What bodies are put around: the shapes of a link, in the frame of the link, and the one test of
// whether a body contains them. Shared by those who fit bodies and those who prove them.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "keepclear/model.hpp"
#include "robot/model.hpp"
#include "shape/mesh.hpp"
#include "shape/near_hull.hpp"
#include "shape/primitives.hpp"

namespace keepclear {

/// Collision elements, visual ones, or both in this order. A link that is not seen counts with its
/// collision elements: a body must stand for something.
std::vector<const Collision*> elements_of(const Link& link, Around around);

/// Throws Error (malformed, of this file) where visual geometry is asked for and some of it was not
/// found or not understood: no body can be proved to contain that.
void require_visuals(const Link& link, Around around, const std::string& file);

/// Each mesh file is read once for each scale it is used at.
using MeshKey = std::tuple<const Mesh*, std::string, double, double, double>;
MeshKey key_of(const Geometry& geometry);
using Meshes = std::map<MeshKey, Mesh>;
/// Those of all elements that have one. Throws Error.
Meshes read_meshes(std::span<const Collision* const> elements, int threads);

/// A primitive as the loader takes it; not for a mesh.
RoundedHull rounded_hull(const Geometry& geometry);
/// The volume (cubic metres) of a primitive itself. For reports.
double primitive_volume(const Geometry& geometry);

/// A shape in the frame of its link: of a mesh its vertices and triangles, of a primitive the
/// points that span it and the radius around them.
struct LinkShape {
  std::vector<Vec3> points;
  std::vector<std::array<std::uint32_t, 3>> triangles;  ///< none for a primitive
  double radius = 0;
  double excess = 0;    ///< of a primitive: how far (metres) points and radius reach beyond it
  double error_hi = 0;  ///< metres: how far each point may be from its real place
  /// At least radius + error: the ball around each point that a body must contain.
  double reach_hi() const;
};
LinkShape shape_of(const Collision& element, const Meshes& meshes);

/// The point and, for a radius above zero, 26 of the ball around it, a hair within: their hull is
/// inside the ball.
void add_ball(Vec3 centre, double radius, std::vector<Vec3>& points);

/// The radius that makes a body with these points contain every point within `reach_hi` of p. A
/// mesh is inside its bodies if each triangle has all three corners in one and the same body; a
/// primitive if all its points are.
double needed_radius_hi(const NearHull& body, Vec3 p, double reach_hi);

}  // namespace keepclear
