// SPDX-License-Identifier: BSD-3-Clause
//
// The hash of a world: SHA-256 over a plain serialisation of everything that a verdict depends on.
#include <map>
#include <set>
#include <string_view>

#include "scene/hasher.hpp"
#include "scene/world.hpp"
#include "shape/support_table.hpp"

namespace keepclear {
namespace {

/// What stands still, and who may touch it.
void add_environment(Hasher& h, const WorldData& world) {
  const Environment& env = world.environment;
  h.add(static_cast<std::uint64_t>(env.objects.size()));
  for (const PlacedObject& object : env.objects) {
    h.add(std::string_view(world.solids[object.solid].name));
    h.add(object.X_WO.X.R), h.add(object.X_WO.X.p);
    h.add(object.X_WO.error.rotation), h.add(object.X_WO.error.position);
    h.add(static_cast<std::uint64_t>(object.last - object.first));
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
  // Sorted: a set has no order of its own.
  for (const auto* keys : {&world.rules.allowed_keys(), &world.rules.touching_keys()}) {
    h.add(static_cast<std::uint64_t>(keys->size()));
    for (const std::uint64_t key : std::set<std::uint64_t>(keys->begin(), keys->end())) h.add(key);
  }
  h.add(world.rules.margin);
  const auto& margins = world.rules.margins();
  h.add(static_cast<std::uint64_t>(margins.size()));
  for (const auto& [key, margin] :
       std::map<std::uint64_t, double>(margins.begin(), margins.end())) {
    h.add(key), h.add(margin);
  }
  h.add(static_cast<std::uint64_t>(world.contacts.size()));
  for (const SolidContact& contact : world.contacts) {
    h.add(contact.link), h.add(contact.object), h.add(contact.max_speed);
  }
  h.add(static_cast<std::uint64_t>(world.attached.size()));
  for (const SolidAttachment& held : world.attached) {
    h.add(held.object), h.add(held.link), h.add(static_cast<std::uint64_t>(held.touch.size()));
    for (const int other : held.touch) h.add(other);
  }
}

}  // namespace

std::string hash_world(const WorldData& world, const RobotModel& robot) {
  Hasher h;
  h.add(std::string_view("keepclear world 2"));
  h.add(static_cast<std::uint64_t>(robot.links.size()));
  for (const Link& link : robot.links) h.add(std::string_view(link.name));
  h.add(static_cast<std::uint64_t>(robot.joints.size()));
  for (const Joint& joint : robot.joints) {
    h.add(std::string_view(joint.name));
    h.add(std::string_view(to_string(joint.type)));
    h.add(joint.parent), h.add(joint.child);
    h.add(joint.origin), h.add(joint.axis);
    h.add(joint.lower), h.add(joint.upper);
    h.add(joint.mimic ? joint.mimic->joint : -1);
    if (joint.mimic) h.add(joint.mimic->multiplier), h.add(joint.mimic->offset);
  }
  h.add(static_cast<std::uint64_t>(world.bodies.size()));
  for (const WorldBody& body : world.bodies) {
    h.add(body.link), h.add(body.frame), h.add(body.body.volume());
  }
  h.add(static_cast<std::uint64_t>(world.link_pairs.size()));
  for (const LinkPair& pair : world.link_pairs) {
    h.add(pair.solid_a), h.add(pair.solid_b), h.add(pair.margin);
  }
  add_environment(h, world);
  return h.hex();
}

}  // namespace keepclear
