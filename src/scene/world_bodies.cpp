// SPDX-License-Identifier: BSD-3-Clause
//
// From collision elements to bodies: meshes become hulls, primitives their circumscribed forms, all
// placed in the frame that carries the link.
#include <fmt/format.h>

#include <map>
#include <tuple>

#include "scene/mesh_hulls.hpp"
#include "scene/world.hpp"
#include "shape/body.hpp"
#include "shape/primitives.hpp"

namespace keepclear {
namespace {

/// A link farther across than this (metres) is more likely a mesh in millimetres than a robot.
constexpr double kSuspiciousSize = 10;

using MeshKey = std::tuple<const Mesh*, std::string, double, double, double>;

MeshKey key_of(const Geometry& g) {
  return {g.in_place.get(), g.file.string(), g.scale.x, g.scale.y, g.scale.z};
}

/// One body to build: where it comes from and how.
struct Job {
  const Collision* collision = nullptr;
  const MeshHulls* mesh = nullptr;
  int link = 0, element = 0, part = 0, parts = 1;
};

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

/// Builds one body and says what it is.
Body build_body(const RobotModel& robot, const Job& job, const WorldData& world, BodyInfo& info) {
  const Geometry& g = job.collision->geometry;
  const BoundedPose X_FC =
      world.kinematics.pose_in_frame(job.link) * from_origin(job.collision->origin);
  info.link = robot.links[job.link].name;
  info.shape = to_string(g.kind);
  info.name = job.collision->name;
  info.element = job.element;
  info.part = job.part;
  info.parts = job.parts;
  info.line = job.collision->line;
  double shape_radius = 0, shape_excess = 0;
  std::optional<Body> body;
  if (job.mesh != nullptr) {
    const Hull& hull = job.mesh->hulls[job.part];
    body = make_body({hull.vertices, hull.excess, hull.excess}, X_FC.X, X_FC.error,
                     job.mesh->vertex_error);
    info.file = g.file.string();
    info.source_vertices = job.mesh->vertices;
    info.source_triangles = job.mesh->triangles;
  } else if (g.kind == Geometry::Kind::box) {
    body = make_box(g.size, 0, X_FC.X, X_FC.error);
  } else {
    const RoundedHull hull = rounded_hull(g);
    body = make_body(hull, X_FC.X, X_FC.error);
    shape_radius = hull.radius;
    shape_excess = hull.excess;
  }
  info.points = body->point_count();
  info.radius = body->radius();
  info.excess = rounding::up(rounding::up(info.radius - shape_radius) + shape_excess);
  return *body;
}

}  // namespace

MeshHulls make_hulls(const Mesh& mesh, int parts) {
  MeshHulls result;
  result.vertices = mesh.vertices.size();
  result.triangles = mesh.triangles.size();
  result.vertex_error = mesh.vertex_error;
  if (parts == 1) {
    result.hulls.push_back(convex_hull(mesh.vertices));
    return result;
  }
  for (const auto& cluster : cluster_triangles(mesh, parts)) {
    std::vector<Vec3> points;
    for (const auto t : cluster) {
      for (const auto v : mesh.triangles[t]) points.push_back(mesh.vertices[v]);
    }
    result.hulls.push_back(convex_hull(points));
  }
  return result;
}

void build_bodies(const RobotModel& robot, const LoadOptions& options, WorldData& world) {
  // Each mesh file is read once for each scale it is used at.
  std::map<MeshKey, MeshHulls> meshes;
  std::vector<std::pair<const Geometry*, MeshHulls*>> to_read;
  for (const Link& link : robot.links) {
    for (const Collision& c : link.collisions) {
      if (c.geometry.kind != Geometry::Kind::mesh) continue;
      const auto [place, fresh] = meshes.try_emplace(key_of(c.geometry));
      if (fresh) to_read.push_back({&c.geometry, &place->second});
    }
  }
  for_each_parallel(to_read.size(), options.threads, [&](std::size_t i) {
    const Geometry& g = *to_read[i].first;
    *to_read[i].second =
        make_hulls(g.in_place ? *g.in_place : read_mesh(g.file, g.scale), options.parts);
  });

  std::vector<Job> jobs;
  for (int l = 0; l < static_cast<int>(robot.links.size()); ++l) {
    const auto& collisions = robot.links[l].collisions;
    for (int e = 0; e < static_cast<int>(collisions.size()); ++e) {
      const Collision& c = collisions[e];
      const MeshHulls* mesh =
          c.geometry.kind == Geometry::Kind::mesh ? &meshes.at(key_of(c.geometry)) : nullptr;
      const int parts = mesh != nullptr ? static_cast<int>(mesh->hulls.size()) : 1;
      for (int part = 0; part < parts; ++part) jobs.push_back({&c, mesh, l, e, part, parts});
    }
  }
  std::vector<std::optional<Body>> bodies(jobs.size());
  world.body_infos.resize(jobs.size());
  auto file_of_link = [&](int link) -> const std::string& {
    return robot.links[link].file.empty() ? robot.file : robot.links[link].file;
  };
  for_each_parallel(jobs.size(), options.threads, [&](std::size_t i) {
    const Job& job = jobs[i];
    try {
      bodies[i] = build_body(robot, job, world, world.body_infos[i]);
    } catch (const Error& error) {
      // A shape that is refused on its own account is a fault of the file that asks for it.
      throw Error(Error::Kind::malformed, file_of_link(job.link), job.collision->line,
                  fmt::format("link '{}': {}", robot.links[job.link].name, error.what()));
    }
  });
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const int link = jobs[i].link;
    world.bodies.push_back({std::move(*bodies[i]), link, world.kinematics.frame_of_link(link), -1});
    if (2 * world.bodies[i].body.bounding_radius() > kSuspiciousSize) {
      world.notes.push_back(
          fmt::format("{}:{}: a body of link '{}' is {:.3g} m across; are its units metres?",
                      file_of_link(link), jobs[i].collision->line, robot.links[link].name,
                      2 * world.bodies[i].body.bounding_radius()));
    }
  }
}

}  // namespace keepclear
