// SPDX-License-Identifier: BSD-3-Clause
//
// From collision elements to bodies: meshes become hulls, primitives their circumscribed forms, all
// placed in the frame that carries the link.
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <mutex>
#include <thread>
#include <tuple>

#include "scene/world.hpp"
#include "shape/body.hpp"
#include "shape/hull.hpp"
#include "shape/mesh.hpp"
#include "shape/primitives.hpp"

namespace keepclear {
namespace {

/// A link farther across than this (metres) is more likely a mesh in millimetres than a robot.
constexpr double kSuspiciousSize = 10;

/// The hulls of one mesh at one scale, in the frame of the mesh.
struct MeshHulls {
  std::vector<Hull> hulls;
  std::size_t vertices = 0, triangles = 0;
  double vertex_error = 0;
};

using MeshKey = std::tuple<std::string, double, double, double>;

MeshKey key_of(const Geometry& g) {
  return {g.file.string(), g.scale.x, g.scale.y, g.scale.z};
}

MeshHulls make_hulls(const Geometry& geometry, int parts) {
  const Mesh mesh = read_mesh(geometry.file, geometry.scale);
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

/// Runs job(i) for i < count on several threads; the first error in index order is thrown.
template <typename Job>
void for_each_parallel(std::size_t count, int threads, const Job& job) {
  if (threads <= 0) threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const std::size_t workers = std::min<std::size_t>(static_cast<std::size_t>(threads), count);
  std::vector<std::exception_ptr> errors(count);
  std::atomic<std::size_t> next{0};
  auto work = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        job(i);
      } catch (...) {
        errors[i] = std::current_exception();
      }
    }
  };
  {
    std::vector<std::jthread> pool;
    for (std::size_t i = 1; i < workers; ++i) pool.emplace_back(work);
    work();
  }
  for (const auto& error : errors) {
    if (error) std::rethrow_exception(error);
  }
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
    *to_read[i].second = make_hulls(*to_read[i].first, options.parts);
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
  for_each_parallel(jobs.size(), options.threads, [&](std::size_t i) {
    const Job& job = jobs[i];
    try {
      bodies[i] = build_body(robot, job, world, world.body_infos[i]);
    } catch (const Error& error) {
      // A shape that is refused on its own account is a fault of the file that asks for it.
      throw Error(Error::Kind::malformed, robot.file, job.collision->line,
                  fmt::format("link '{}': {}", robot.links[job.link].name, error.what()));
    }
  });
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const int link = jobs[i].link;
    world.bodies.push_back({std::move(*bodies[i]), link, world.kinematics.frame_of_link(link)});
    if (2 * world.bodies[i].body.bounding_radius() > kSuspiciousSize) {
      world.notes.push_back(
          fmt::format("{}:{}: a body of link '{}' is {:.3g} m across; are its units metres?",
                      robot.file, jobs[i].collision->line, robot.links[link].name,
                      2 * world.bodies[i].body.bounding_radius()));
    }
  }
}

}  // namespace keepclear
