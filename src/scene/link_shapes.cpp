// SPDX-License-Identifier: BSD-3-Clause
#include "scene/link_shapes.hpp"

#include <fmt/format.h>

#include <numbers>
#include <utility>

#include "keepclear/error.hpp"
#include "robot/kinematics.hpp"
#include "scene/mesh_hulls.hpp"
#include "shape/body.hpp"

namespace keepclear {

std::vector<const Collision*> elements_of(const Link& link, Around around) {
  std::vector<const Collision*> elements;
  if (around != Around::visual || link.visuals.empty()) {
    for (const Collision& c : link.collisions) elements.push_back(&c);
  }
  if (around != Around::collision) {
    for (const Collision& v : link.visuals) elements.push_back(&v);
  }
  return elements;
}

void require_visuals(const Link& link, Around around, const std::string& file) {
  if (around == Around::collision) return;
  const auto refuse = [&](const std::string& what, Error::Kind kind = Error::Kind::malformed) {
    throw Error(kind, file, 0, fmt::format("link '{}': {}", link.name, what),
                "bodies around the collision geometry need none of it");
  };
  for (const Collision& v : link.visuals) {
    const Geometry& g = v.geometry;
    if (g.kind == Geometry::Kind::mesh && !g.in_place && g.file.empty()) {
      refuse(fmt::format("the visual mesh {} was not found", g.uri), Error::Kind::missing);
    }
  }
  if (!link.visual_faults.empty()) refuse(link.visual_faults.front());
}

MeshKey key_of(const Geometry& g) {
  return {g.in_place.get(), g.file.string(), g.scale.x, g.scale.y, g.scale.z};
}

Meshes read_meshes(std::span<const Collision* const> elements, int threads) {
  Meshes meshes;
  std::vector<std::pair<const Geometry*, Mesh*>> to_read;
  for (const Collision* element : elements) {
    const Geometry& g = element->geometry;
    if (g.kind != Geometry::Kind::mesh) continue;
    const auto [place, fresh] = meshes.try_emplace(key_of(g));
    if (fresh) to_read.push_back({&g, &place->second});
  }
  for_each_parallel(to_read.size(), threads, [&](std::size_t i) {
    const Geometry& g = *to_read[i].first;
    *to_read[i].second = g.in_place ? *g.in_place : read_mesh(g.file, g.scale);
  });
  return meshes;
}

RoundedHull rounded_hull(const Geometry& g) {
  switch (g.kind) {
    case Geometry::Kind::sphere:
      return sphere_hull(g.radius);
    case Geometry::Kind::cylinder:
      return cylinder_hull(g.radius, g.length);
    case Geometry::Kind::capsule:
      return capsule_hull(g.radius, g.length);
    case Geometry::Kind::cone:
      return cone_hull(g.radius, g.length);
    default:
      return box_hull(g.size);
  }
}

double primitive_volume(const Geometry& g) {
  const double disc = std::numbers::pi * g.radius * g.radius;
  switch (g.kind) {
    case Geometry::Kind::sphere:
      return 4 * disc * g.radius / 3;
    case Geometry::Kind::cylinder:
      return disc * g.length;
    case Geometry::Kind::capsule:
      return disc * g.length + 4 * disc * g.radius / 3;
    case Geometry::Kind::cone:
      return disc * g.length / 3;
    case Geometry::Kind::box:
      return g.size.x * g.size.y * g.size.z;
    default:
      return 0;
  }
}

double LinkShape::reach_hi() const {
  return error_hi > 0 ? rounding::up(radius + error_hi) : radius;
}

LinkShape shape_of(const Collision& element, const Meshes& meshes) {
  const Geometry& g = element.geometry;
  const BoundedPose X_LC = from_origin(element.origin);
  LinkShape shape;
  if (g.kind == Geometry::Kind::mesh) {
    const Mesh& mesh = meshes.at(key_of(g));
    PlacedPoints placed = place(mesh.vertices, X_LC.X, X_LC.error);
    shape.points = std::move(placed.points);
    shape.triangles = mesh.triangles;
    shape.error_hi = placed.error_hi;
    if (mesh.vertex_error > 0) shape.error_hi = rounding::up(placed.error_hi + mesh.vertex_error);
    return shape;
  }
  const RoundedHull hull = rounded_hull(g);
  PlacedPoints placed = place(hull.points, X_LC.X, X_LC.error);
  shape.points = std::move(placed.points);
  shape.radius = hull.radius;
  shape.excess = hull.excess;
  shape.error_hi = placed.error_hi;
  return shape;
}

void add_ball(Vec3 centre, double radius, std::vector<Vec3>& points) {
  points.push_back(centre);
  if (!(radius > 0)) return;
  for (int i = 0; i < 27; ++i) {
    const Vec3 d{double(i % 3 - 1), double(i / 3 % 3 - 1), double(i / 9 - 1)};
    if (d != Vec3{}) points.push_back(centre + ((1 - 1e-12) * radius / norm(d)) * d);
  }
}

double needed_radius_hi(const NearHull& body, Vec3 p, double reach_hi) {
  const double distance_hi = body.distance_hi(p);
  return reach_hi > 0 ? rounding::up(distance_hi + reach_hi) : distance_hi;
}

}  // namespace keepclear
