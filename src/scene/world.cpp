// SPDX-License-Identifier: BSD-3-Clause
#include "scene/world.hpp"

#include "rounding/mode.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "keepclear/limits.hpp"

namespace keepclear {
namespace {

/// The lowest common ancestor of two frames.
int common_ancestor(const Kinematics& kinematics, int a, int b) {
  // A parent has a smaller number than its children.
  while (a != b) {
    if (a > b) {
      a = kinematics.parent(a);
    } else {
      b = kinematics.parent(b);
    }
  }
  return a;
}

void require_free_name(const WorldModel& model, const WorldData& world, const std::string& name) {
  if (!world.solid_by_name.contains(name)) return;
  throw Error(Error::Kind::malformed, model.robot.file, 0,
              fmt::format("two links or objects are called '{}'", name), "rename one");
}

/// Solids of the links that have bodies; bodies come link by link.
void name_solids(const WorldModel& model, WorldData& world) {
  world.link_solids.assign(model.robot.links.size(), -1);
  for (std::size_t i = 0; i < world.bodies.size(); ++i) {
    WorldBody& body = world.bodies[i];
    int& solid = world.link_solids[body.link];
    if (solid < 0) {
      solid = static_cast<int>(world.solids.size());
      const std::string& name = model.robot.links[body.link].name;
      require_free_name(model, world, name);
      SolidInfo info;
      info.name = name;
      info.robot = model.robot_of_link[body.link];
      info.moves = body.frame != 0;
      const int object = model.object_of_link[body.link];
      info.is_object = object >= 0;
      if (object >= 0) info.shape = to_string(model.scene->objects[object].shape.kind);
      world.solid_by_name.emplace(name, solid);
      world.solids.push_back(std::move(info));
    }
    SolidInfo& info = world.solids[solid];
    ++info.pieces;
    if (info.is_object) {
      BodyInfo& made = world.body_infos[i];
      const Shape& shape = model.scene->objects[model.object_of_link[body.link]].shape;
      if (shape.kind == Shape::Kind::points) {
        // The ball was grown, before it became a body, by what its centre may be off.
        made.excess = rounding::up(2 * rounding::up(made.radius - shape.radius));
      }
      info.excess = std::max(info.excess, made.excess);
      info.file = made.file;
    }
    body.solid = solid;
  }
}

/// Solids of the objects that nothing carries.
void add_standing_objects(const WorldModel& model, WorldData& world,
                          std::vector<int>& solid_of_object) {
  std::vector<char> carried(solid_of_object.size(), 0);
  for (const int object : model.object_of_link) {
    if (object >= 0) carried[object] = 1;
  }
  for (std::size_t i = 0; i < solid_of_object.size(); ++i) {
    if (carried[i] != 0) continue;
    const SceneObject& object = model.scene->objects[i];
    require_free_name(model, world, object.name);
    solid_of_object[i] = static_cast<int>(world.solids.size());
    world.solid_by_name.emplace(object.name, solid_of_object[i]);
    SolidInfo info;
    info.name = object.name;
    info.is_object = true;
    world.solids.push_back(std::move(info));
  }
}

/// Where the bodies are in the neutral pose: what the index should be fine around.
std::vector<Box> boxes_at_neutral(const WorldData& world) {
  std::vector<BoundedPose> frames(world.kinematics.frame_count());
  std::vector<Box> boxes;
  if (!world.kinematics.forward(world.kinematics.neutral(), 0, frames)) return boxes;
  for (const WorldBody& body : world.bodies) {
    boxes.push_back(placed_box(body.body.tables(), frames[body.frame], 0));
  }
  return boxes;
}

}  // namespace

const char* to_string(LeftOutPair::Why why) noexcept {
  switch (why) {
    case LeftOutPair::Why::adjacent:
      return "adjacent";
    case LeftOutPair::Why::rigid:
      return "rigid";
    case LeftOutPair::Why::disabled:
      return "disabled";
    case LeftOutPair::Why::by_default:
      return "disabled by default";
    case LeftOutPair::Why::allowed:
      return "allowed";
    case LeftOutPair::Why::touch:
      break;
  }
  return "touch";
}

World compile_model(WorldModel model, const LoadOptions& options) {
  rounding::require_mode();
  const RobotModel& robot = model.robot;
  if (options.parts < 1 || options.parts > kMaxParts) {
    throw Error(Error::Kind::usage, robot.file, 0,
                fmt::format("{} parts: the number of parts must be from 1 to {}", options.parts,
                            kMaxParts));
  }
  auto world = std::make_shared<WorldData>(robot);
  world->model = std::make_shared<RobotModel>(robot);
  world->name = robot.name;
  world->file = robot.file;
  world->robots = model.robots;
  const bool is_scene = world->is_scene = model.scene != nullptr;
  world->notes = robot.notes;
  if (model.srdf) {
    world->notes.insert(world->notes.end(), model.srdf->notes.begin(), model.srdf->notes.end());
  }
  build_bodies(model, options, *world);
  name_solids(model, *world);
  for (int l = model.first_link(); l < model.first_attached; ++l) {
    world->links.push_back(robot.links[l].name);
    if (world->link_solids[l] < 0) world->links_without_bodies.push_back(robot.links[l].name);
  }
  if (is_scene) {
    std::vector<int> solid_of_object(model.scene->objects.size(), -1);
    add_standing_objects(model, *world, solid_of_object);
    build_environment(*model.scene, options, solid_of_object, world->solids, world->notes,
                      world->environment);
  }
  select_pairs(model, *world);
  const bool left_out_by_choice =
      std::any_of(world->left_out.begin(), world->left_out.end(), [](const LeftOutPair& pair) {
        return pair.why != LeftOutPair::Why::adjacent && pair.why != LeftOutPair::Why::rigid;
      });
  if (world->pair_count == 0 && left_out_by_choice && !options.allow_no_pairs) {
    throw Error(
        Error::Kind::malformed, model.srdf ? model.srdf->file : robot.file, 0,
        fmt::format("no pair is left to check: all {} pairs are left out", world->left_out.size()),
        "every pose would be free; allow it explicitly if that is meant");
  }
  int origin = world->environment.empty() ? -1 : 0;
  for (const LinkPair& pair : world->link_pairs) {
    for (const int frame : {pair.frame_a, pair.frame_b}) {
      origin = origin < 0 ? frame : common_ancestor(world->kinematics, origin, frame);
    }
  }
  world->origin = std::max(origin, 0);
  index_environment(world->environment, boxes_at_neutral(*world));
  mark_neutral_overlaps(world, model.srdf.has_value());
  world->hash = hash_world(*world, model);
  return World(world);
}

WorldModel model_of(const RobotModel& robot, const Srdf* srdf) {
  WorldModel model;
  model.robot = robot;
  model.robots.push_back({robot.name, ""});
  if (srdf != nullptr) model.srdf = *srdf;
  model.first_attached = static_cast<int>(robot.links.size());
  model.robot_of_link.assign(robot.links.size(), 0);
  model.object_of_link.assign(robot.links.size(), -1);
  return model;
}

World compile_robot(const RobotModel& robot, const Srdf* srdf, const LoadOptions& options) {
  return compile_model(model_of(robot, srdf), options);
}

const std::string& World::name() const noexcept {
  return data_->name;
}
const std::string& World::file() const noexcept {
  return data_->file;
}
std::span<const Variable> World::variables() const noexcept {
  return data_->kinematics.variables();
}
std::vector<double> World::neutral() const {
  return data_->kinematics.neutral();
}
std::span<const std::string> World::links() const noexcept {
  return data_->links;
}
std::span<const std::string> World::links_without_bodies() const noexcept {
  return data_->links_without_bodies;
}
std::span<const BodyInfo> World::bodies() const noexcept {
  return data_->body_infos;
}
std::span<const SolidInfo> World::solids() const noexcept {
  return data_->solids;
}
int World::find_solid(std::string_view name) const noexcept {
  const auto found = data_->solid_by_name.find(name);
  return found == data_->solid_by_name.end() ? -1 : found->second;
}
std::span<const PairInfo> World::pairs() const noexcept {
  return data_->pair_infos;
}
std::size_t World::pair_count() const noexcept {
  return data_->pair_count;
}
std::span<const LeftOutPair> World::left_out() const noexcept {
  return data_->left_out;
}
std::span<const std::string> World::notes() const noexcept {
  return data_->notes;
}
const std::string& World::hash() const noexcept {
  return data_->hash;
}

}  // namespace keepclear
