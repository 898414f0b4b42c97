// SPDX-License-Identifier: BSD-3-Clause
//
// The hash of a world: SHA-256 over a plain serialisation of everything that a verdict depends on.
// It covers the description as it was read (robots, objects, meshes) and what was made of it
// (bodies, pairs, margins). Every structure of the description is taken apart member by member: a
// member that is added to one does not compile until it stands here, hashed or left out by name.
#include <map>
#include <set>
#include <string_view>

#include "scene/hasher.hpp"
#include "scene/world.hpp"
#include "shape/support_table.hpp"

namespace keepclear {
namespace {

void add_count(Hasher& h, std::size_t count) {
  h.add(static_cast<std::uint64_t>(count));
}

/// Files and URIs are left out: what was read from them is in mesh_hashes.
void add_geometry(Hasher& h, const Geometry& geometry) {
  const auto& [kind, size, radius, length, uri, file, scale, in_place] = geometry;
  h.add(static_cast<int>(kind)), h.add(size), h.add(radius), h.add(length), h.add(scale);
}

/// Names of collision elements and lines are for people.
void add_collision(Hasher& h, const Collision& collision) {
  const auto& [name, geometry, origin, line] = collision;
  add_geometry(h, geometry);
  h.add(origin);
}

/// Visual geometry is seen, not checked. Parent and children stand in the joints.
void add_link(Hasher& h, const Link& link) {
  const auto& [name, collisions, parent_joint, child_joints, line, file, visuals, visual_faults] =
      link;
  h.add(std::string_view(name));
  add_count(h, collisions.size());
  for (const Collision& collision : collisions) add_collision(h, collision);
}

void add_joint(Hasher& h, const Joint& joint) {
  const auto& [name, type, parent, child, origin, axis, lower, upper, velocity, mimic, line] =
      joint;
  h.add(std::string_view(name));
  h.add(std::string_view(to_string(type)));
  h.add(parent), h.add(child);
  h.add(origin), h.add(axis);
  h.add(lower), h.add(upper), h.add(velocity);
  const auto& [other, multiplier, offset] = mimic.value_or(Mimic{});
  h.add(other), h.add(multiplier), h.add(offset);
}

/// The name of a robot, its file and the notes are for people.
void add_robot(Hasher& h, const RobotModel& robot) {
  const auto& [name, file, links, joints, root, notes] = robot;
  add_count(h, links.size());
  for (const Link& link : links) add_link(h, link);
  add_count(h, joints.size());
  for (const Joint& joint : joints) add_joint(h, joint);
  h.add(root);
}

void add_shape(Hasher& h, const Shape& shape) {
  const auto& [kind, size, radius, length, normal, offset, file, scale, points, triangles,
               unknown] = shape;
  h.add(std::string_view(to_string(kind)));
  h.add(size), h.add(radius), h.add(length);
  h.add(normal), h.add(offset), h.add(scale);
  add_count(h, points.size());
  for (const Vec3 p : points) h.add(p);
  add_count(h, triangles.size());
  for (const auto& corners : triangles) {
    for (const std::uint32_t v : corners) add_count(h, v);
  }
  h.add(static_cast<int>(unknown));
}

/// Files are in the robot, the meshes and the bodies; pairs by name, margins and contacts stand
/// below by solid.
void add_scene(Hasher& h, const Scene& scene) {
  const auto& [name, scene_file, included, robots, objects, attached, allow, margin, margins,
               contacts, notes] = scene;
  add_count(h, robots.size());
  for (const SceneRobot& robot : robots) {
    const auto& [called, urdf, builtin, srdf, model, base, packages, place] = robot;
    h.add(std::string_view(called));
    h.add(base);
  }
  add_count(h, objects.size());
  for (const SceneObject& object : objects) {
    const auto& [called, shape, pose, place] = object;
    h.add(std::string_view(called));
    add_shape(h, shape);
    h.add(pose);
  }
  h.add(margin);
}

/// Which robot a link belongs to, which object it is, and where each robot stands: a base
/// uncertainty and clocks go by them.
void add_places(Hasher& h, const WorldModel& model) {
  add_count(h, model.robot_of_link.size());
  for (const int robot : model.robot_of_link) h.add(robot);
  for (const int object : model.object_of_link) h.add(object);
  h.add(model.first_attached);
  add_count(h, model.robots.size());
  for (const RobotNames& robot : model.robots) {
    const auto& [name, prefix, base] = robot;
    h.add(std::string_view(prefix)), h.add(base);
  }
}

/// What stands still, as it was placed.
void add_environment(Hasher& h, const WorldData& world) {
  const Environment& env = world.environment;
  add_count(h, env.objects.size());
  for (const PlacedObject& object : env.objects) {
    h.add(std::string_view(world.solids[object.solid].name));
    h.add(object.X_WO.X.R), h.add(object.X_WO.X.p);
    h.add(object.X_WO.error.rotation), h.add(object.X_WO.error.position);
    h.add(object.pose);
    add_count(h, object.last - object.first);
    for (std::uint32_t p = object.first; p < object.last; ++p) {
      const Piece& piece = env.pieces[p];
      h.add(static_cast<int>(piece.kind));
      switch (piece.kind) {
        case PieceKind::body:
          h.add(env.bodies[piece.index].volume());
          break;
        case PieceKind::ball:
          h.add(env.balls[piece.index].centre), h.add(env.balls[piece.index].radius);
          break;
        case PieceKind::box:
          h.add(env.boxes[piece.index].centre), h.add(env.boxes[piece.index].half);
          break;
        case PieceKind::half_space:
          h.add(env.half_spaces[piece.index].n), h.add(env.half_spaces[piece.index].offset);
          break;
      }
    }
  }
}

/// Who is checked, how far apart, and who may touch whom.
void add_rules(Hasher& h, const WorldData& world) {
  add_count(h, world.link_pairs.size());
  for (const LinkPair& pair : world.link_pairs) {
    h.add(pair.solid_a), h.add(pair.solid_b), h.add(pair.margin);
  }
  // Sorted: a set has no order of its own.
  for (const auto* keys : {&world.rules.allowed_keys(), &world.rules.touching_keys()}) {
    add_count(h, keys->size());
    for (const std::uint64_t key : std::set<std::uint64_t>(keys->begin(), keys->end())) h.add(key);
  }
  h.add(world.rules.margin);
  const auto& margins = world.rules.margins();
  add_count(h, margins.size());
  for (const auto& [key, margin] :
       std::map<std::uint64_t, double>(margins.begin(), margins.end())) {
    h.add(key), h.add(margin);
  }
  add_count(h, world.contacts.size());
  for (const SolidContact& contact : world.contacts) {
    const auto& [link, object, max_speed] = contact;
    h.add(link), h.add(object), h.add(max_speed);
  }
  add_count(h, world.attached.size());
  for (const SolidAttachment& held : world.attached) {
    const auto& [object, link, touch] = held;
    h.add(object), h.add(link);
    add_count(h, touch.size());
    for (const int other : touch) h.add(other);
  }
}

}  // namespace

std::string hash_mesh(const Mesh& mesh) {
  const auto& [vertices, triangles, vertex_error] = mesh;
  Hasher h;
  add_count(h, vertices.size());
  for (const Vec3 v : vertices) h.add(v);
  add_count(h, triangles.size());
  for (const auto& corners : triangles) {
    for (const std::uint32_t v : corners) add_count(h, v);
  }
  h.add(vertex_error);
  return h.hex();
}

std::string hash_world(const WorldData& world, const WorldModel& model) {
  Hasher h;
  h.add(std::string_view("keepclear world 3"));
  add_robot(h, model.robot);
  add_places(h, model);
  if (model.scene != nullptr) add_scene(h, *model.scene);
  for (const auto* hashes : {&world.mesh_hashes, &world.environment.mesh_hashes}) {
    add_count(h, hashes->size());
    for (const std::string& hash : *hashes) h.add(std::string_view(hash));
  }
  add_count(h, world.bodies.size());
  for (const WorldBody& body : world.bodies) {
    h.add(body.link), h.add(body.frame), h.add(body.body.volume());
  }
  add_environment(h, world);
  add_rules(h, world);
  return h.hex();
}

}  // namespace keepclear
