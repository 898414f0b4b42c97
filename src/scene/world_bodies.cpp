// SPDX-License-Identifier: BSD-3-Clause
//
// From collision elements to bodies: meshes become hulls, primitives their circumscribed forms, all
// placed in the frame that carries the link. Links with a model have its bodies instead.
#include <fmt/format.h>

#include <map>
#include <optional>
#include <set>
#include <utility>

#include "scene/hasher.hpp"
#include "scene/link_shapes.hpp"
#include "scene/mesh_hulls.hpp"
#include "scene/model_bodies.hpp"
#include "scene/world.hpp"
#include "shape/body.hpp"
#include "shape/small_hull.hpp"
#include "shape/split.hpp"

namespace keepclear {
namespace {

/// A link farther across than this (metres) is more likely a mesh in millimetres than a robot.
constexpr double kSuspiciousSize = 10;

/// One body to build, or all of a link that has a model: where it comes from and how.
struct Job {
  const Collision* collision = nullptr;  ///< none for the bodies of a model
  const MeshHulls* mesh = nullptr;
  int link = 0, element = 0, part = 0, parts = 1;
};

/// Builds one body and says what it is.
BuiltBody build_body(const Link& link, const Job& job, const BoundedPose& X_FL) {
  const Geometry& g = job.collision->geometry;
  const BoundedPose X_FC = X_FL * from_origin(job.collision->origin);
  BodyInfo info;
  info.link = link.name;
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
    // The radius is that of rounding.
    info.volume = info.hull_volume = volume(hull);
  } else if (g.kind == Geometry::Kind::box) {
    body = make_box(g.size, 0, X_FC.X, X_FC.error);
    info.volume = info.hull_volume = primitive_volume(g);
  } else {
    const RoundedHull hull = rounded_hull(g);
    body = make_body(hull, X_FC.X, X_FC.error);
    shape_radius = hull.radius;
    shape_excess = hull.excess;
    info.volume = SmallHull(hull.points).volume(hull.radius);
    info.hull_volume = primitive_volume(g);
  }
  info.points = body->point_count();
  info.radius = body->radius();
  // What rounding added to the radius, the points may be off outwards by as well.
  info.excess = rounding::up(rounding::up(2 * (info.radius - shape_radius)) + shape_excess);
  return {*body, std::move(info)};
}

/// Once for each model.
void note_models_around_visuals(const std::vector<LinkBodies>& chosen,
                                std::vector<std::string>& notes) {
  std::set<const BodyModel*> noted;
  for (const LinkBodies& link : chosen) {
    if (link.empty() || link.model->around != Around::visual) continue;
    if (!noted.insert(link.model.get()).second) continue;
    notes.push_back(fmt::format(
        "{}: the model was made around visual geometry ({}): verdicts are about what is seen of "
        "links, not about their collision geometry",
        link.model->file.empty() ? "in memory" : link.model->file, kAroundVisual));
  }
}

/// The bodies of a link as its model gives them, and what they are around.
std::string hash_bodies(const LinkBodies& chosen) {
  Hasher h;
  h.add(static_cast<int>(chosen.model->around));
  for (const std::size_t i : chosen.bodies) {
    const auto& [link, radius, points, place] = chosen.model->bodies[i];
    h.add(radius), h.add(static_cast<std::uint64_t>(points.size()));
    for (const Vec3 p : points) h.add(p);
  }
  return h.hex();
}

/// A link farther across than this is told of.
void note_size(const BuiltBody& built, const std::string& file, std::vector<std::string>& notes) {
  const double size = 2 * built.body.bounding_radius();
  if (size <= kSuspiciousSize) return;
  notes.push_back(
      fmt::format("{}:{}: a body of link '{}' is {:.3g} m across; are its units metres?", file,
                  built.info.line, built.info.link, size));
}

}  // namespace

MeshHulls make_hulls(const Mesh& mesh, int parts) {
  MeshHulls result;
  result.vertices = mesh.vertices.size();
  result.triangles = mesh.triangles.size();
  result.vertex_error = mesh.vertex_error;
  result.hash = hash_mesh(mesh);
  if (parts == 1) {
    result.hulls.push_back(convex_hull(mesh.vertices));
    return result;
  }
  for (const MeshPart& part : split_mesh(mesh.vertices, mesh.triangles, parts, 0)) {
    result.hulls.push_back(convex_hull(part.vertices));
    const double error_hi = rounding::up(mesh.vertex_error + part.error_hi);
    result.vertex_error = std::max(result.vertex_error, error_hi);
  }
  return result;
}

void build_bodies(const WorldModel& model, const LoadOptions& options, WorldData& world) {
  const RobotModel& robot = model.robot;
  const std::vector<LinkBodies> chosen = choose_bodies(model, options);
  auto file_of_link = [&](int link) -> const std::string& {
    return robot.links[link].file.empty() ? robot.file : robot.links[link].file;
  };

  // Each mesh file is read once for each scale it is used at.
  std::map<MeshKey, MeshHulls> hulls;
  std::vector<std::pair<const Geometry*, MeshHulls*>> to_read;
  std::vector<const Collision*> to_contain;
  for (int l = 0; l < static_cast<int>(robot.links.size()); ++l) {
    const Link& link = robot.links[l];
    if (!chosen[l].empty()) {
      // Around what is seen, the others too: those that are not inside are told of.
      for (const Collision& c : link.collisions) to_contain.push_back(&c);
      if (chosen[l].model->around == Around::collision) continue;
      for (const Collision& v : link.visuals) to_contain.push_back(&v);
      continue;
    }
    for (const Collision& c : link.collisions) {
      if (c.geometry.kind != Geometry::Kind::mesh) continue;
      const auto [place, fresh] = hulls.try_emplace(key_of(c.geometry));
      if (fresh) to_read.push_back({&c.geometry, &place->second});
    }
  }
  for_each_parallel(to_read.size(), options.threads, [&](std::size_t i) {
    const Geometry& g = *to_read[i].first;
    *to_read[i].second =
        make_hulls(g.in_place ? *g.in_place : read_mesh(g.file, g.scale), options.parts);
  });
  const Meshes meshes = read_meshes(to_contain, options.threads);
  for (std::size_t l = 0; l < robot.links.size(); ++l) {
    if (!chosen[l].empty()) world.mesh_hashes.push_back(hash_bodies(chosen[l]));
    for (const Collision& c : robot.links[l].collisions) {
      if (c.geometry.kind != Geometry::Kind::mesh) continue;
      const MeshKey key = key_of(c.geometry);
      world.mesh_hashes.push_back(chosen[l].empty() ? hulls.at(key).hash
                                                    : hash_mesh(meshes.at(key)));
    }
  }

  std::vector<Job> jobs;
  for (int l = 0; l < static_cast<int>(robot.links.size()); ++l) {
    if (!chosen[l].empty()) {
      jobs.push_back({nullptr, nullptr, l});
      continue;
    }
    const auto& collisions = robot.links[l].collisions;
    for (int e = 0; e < static_cast<int>(collisions.size()); ++e) {
      const Collision& c = collisions[e];
      const MeshHulls* mesh =
          c.geometry.kind == Geometry::Kind::mesh ? &hulls.at(key_of(c.geometry)) : nullptr;
      const int parts = mesh != nullptr ? static_cast<int>(mesh->hulls.size()) : 1;
      for (int part = 0; part < parts; ++part) jobs.push_back({&c, mesh, l, e, part, parts});
    }
  }
  std::vector<std::vector<BuiltBody>> built(jobs.size());
  for_each_parallel(jobs.size(), options.threads, [&](std::size_t i) {
    const Job& job = jobs[i];
    const Link& link = robot.links[job.link];
    const BoundedPose& X_FL = world.kinematics.pose_in_frame(job.link);
    if (job.collision == nullptr) {
      built[i] = build_modelled(link, chosen[job.link], X_FL, meshes);
      return;
    }
    try {
      built[i].push_back(build_body(link, job, X_FL));
    } catch (const Error& error) {
      // A shape that is refused on its own account is a fault of the file that asks for it.
      throw Error(Error::Kind::malformed, file_of_link(job.link), job.collision->line,
                  fmt::format("link '{}': {}", link.name, error.what()));
    }
  });
  note_models_around_visuals(chosen, world.notes);
  for (int l = 0; l < static_cast<int>(robot.links.size()); ++l) {
    if (chosen[l].empty() || chosen[l].model->around != Around::visual) continue;
    if (holds_collisions(robot.links[l], chosen[l], meshes)) continue;
    world.notes.push_back(fmt::format(
        "{}: the model is around what is seen; collision geometry of link '{}' sticks out of it",
        chosen[l].model->file, robot.links[l].name));
  }
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const int link = jobs[i].link;
    for (BuiltBody& body : built[i]) {
      note_size(body, file_of_link(link), world.notes);
      world.bodies.push_back(
          {std::move(body.body), link, world.kinematics.frame_of_link(link), -1});
      world.body_infos.push_back(std::move(body.info));
    }
  }
}

}  // namespace keepclear
