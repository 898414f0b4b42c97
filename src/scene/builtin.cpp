// SPDX-License-Identifier: BSD-3-Clause
//
// The worlds that come with Keepclear: files under worlds/, embedded at configure time. A world is
// a robot, NAME.urdf and perhaps NAME.srdf, or a scene, NAME.json with its tasks NAME_TASK.csv.
#include "scene/builtin.hpp"

#include <map>
#include <string_view>
#include <vector>

#include "keepclear/scene.hpp"
#include "keepclear/world.hpp"
#include "robot/srdf.hpp"
#include "robot/urdf.hpp"
#include "scene/scene_file.hpp"
#include "scene/world.hpp"

namespace keepclear {

namespace {

struct Description {
  std::string_view name, what;
  std::string_view robot;  ///< of a scene: the built-in robot it names
};
constexpr Description kWorlds[] = {
    {"six_axis_arm", "a six-axis arm with a gripper, on a bench, beside a post", ""},
    {"bench_arm", "a slender arm of seven joints, one capsule a link", ""},
    {"two_arms", "two bench_arms at a bench with tables, boxes and modules, 35 solids",
     "bench_arm"},
};

struct TaskDescription {
  std::string_view world, name, what;
};
constexpr TaskDescription kTasks[] = {
    {"two_arms", "task1",
     "free: left arm to the box in front, right arm above the box to the right"},
    {"two_arms", "task2", "as task1, but the left arm runs into the front table"},
    {"two_arms", "task3",
     "the right arm reaches for the box in front and runs into the front table"},
};

/// Files longer than the literals that C++ promises come as several pieces in a row.
struct Piece {
  const char* file;
  const char* text;
};
constexpr Piece kPieces[] = {
#include "worlds.inc"
};

using Files = std::map<std::string, std::string, std::less<>>;

const Files& files() {
  static const Files all = [] {
    Files joined;
    for (const Piece& piece : kPieces) joined[piece.file] += piece.text;
    return joined;
  }();
  return all;
}

/// Empty if there is no such file.
std::string_view text_of(const std::string& file) {
  const auto found = files().find(file);
  return found == files().end() ? std::string_view() : found->second;
}

void add_file(BuiltinWorld& world, const std::string& file) {
  if (const std::string_view text = text_of(file); !text.empty())
    world.files.emplace_back(file, text);
}

BuiltinWorld describe(const Description& description) {
  BuiltinWorld world;
  world.name = description.name;
  world.what = description.what;
  add_file(world, world.name + ".json");
  for (const std::string& robot : {world.name, std::string(description.robot)}) {
    add_file(world, robot + ".urdf");
    add_file(world, robot + ".srdf");
  }
  for (const TaskDescription& task : kTasks) {
    if (task.world != description.name) continue;
    const std::string file = world.name + "_" + std::string(task.name) + ".csv";
    world.tasks.push_back({std::string(task.name), std::string(task.what), text_of(file)});
    add_file(world, file);
  }
  return world;
}

[[noreturn]] void fail_unknown(const std::string& what, const std::string& name,
                               const std::string& extension) {
  std::string names;
  for (const Description& world : kWorlds) {
    const std::string known(world.name);
    if (!extension.empty() && text_of(known + extension).empty()) continue;
    names += (names.empty() ? "" : ", ") + known;
  }
  throw Error(Error::Kind::missing, "", 0, "no built-in " + what + " is called '" + name + "'",
              "there are: " + names);
}

}  // namespace

std::span<const BuiltinWorld> builtin_worlds() {
  static const std::vector<BuiltinWorld> worlds = [] {
    std::vector<BuiltinWorld> list;
    for (const Description& world : kWorlds) list.push_back(describe(world));
    return list;
  }();
  return worlds;
}

std::string_view builtin_urdf(const std::string& name) {
  const std::string_view urdf = text_of(name + ".urdf");
  if (urdf.empty()) fail_unknown("robot", name, ".urdf");
  return urdf;
}

std::string_view builtin_srdf(const std::string& name) {
  builtin_urdf(name);
  return text_of(name + ".srdf");
}

World load_builtin(const std::string& name, const LoadOptions& options) {
  if (const std::string_view json = text_of(name + ".json"); !json.empty()) {
    return compile(parse_scene(json, name, {}), options);
  }
  if (text_of(name + ".urdf").empty()) fail_unknown("world", name, "");
  if (options.scene) {
    Scene scene = read_scene(*options.scene);
    if (!scene.robots.empty()) {
      throw Error(Error::Kind::usage, scene.file, 0,
                  "this scene has robots of its own, beside the built-in " + name,
                  "give the scene alone, or take its robots out");
    }
    scene.robots.emplace_back().builtin = name;
    LoadOptions rest = options;
    rest.scene.reset();
    return compile(scene, rest);
  }
  const RobotModel model =
      parse_urdf(builtin_urdf(name), name, {options.packages, options.package_path}, {});
  if (options.srdf) {
    const Srdf srdf = read_srdf(*options.srdf, model);
    return compile_robot(model, &srdf, options);
  }
  if (const std::string_view xml = builtin_srdf(name); !xml.empty()) {
    const Srdf srdf = parse_srdf(xml, name + ".srdf", model);
    return compile_robot(model, &srdf, options);
  }
  return compile_robot(model, nullptr, options);
}

}  // namespace keepclear
