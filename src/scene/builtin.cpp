// SPDX-License-Identifier: BSD-3-Clause
//
// The worlds that come with Keepclear: files under worlds/, embedded at configure time. A world is
// a robot, NAME.urdf and perhaps NAME.srdf and NAME.model.json (its bodies), or a scene, NAME.json;
// either may have tasks, NAME_TASK.csv.
#include "scene/builtin.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <string_view>
#include <vector>

#include "keepclear/scene.hpp"
#include "keepclear/world.hpp"
#include "rounding/mode.hpp"
#include "scene/model_file.hpp"
#include "scene/scene_file.hpp"

namespace keepclear {

namespace {

struct Description {
  std::string_view name, what;
  std::string_view robot;  ///< of a scene: the built-in robot it names
  bool own_model = false;  ///< the robot has the bodies of its model unless told otherwise
};
constexpr Description kWorlds[] = {
    {"six_axis_arm", "a six-axis arm with a gripper, on a bench, beside a post", ""},
    {"bench_arm", "a slender arm of seven joints, one capsule a link", ""},
    {"two_arms", "two bench_arms at a bench with tables, boxes and modules, 35 solids",
     "bench_arm"},
    {"humanoid", "a mobile humanoid of 20 joints, 26 bodies and 80 points, with its model", "",
     true},
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
    {"humanoid", "hands",
     "free: the hands come together three times, at 0.22, 0.65 and 1.1 m/s, and stop short"},
    {"humanoid", "reach",
     "both hands reach down in front, the trunk leans, and they hit the platform"},
};

/// Files longer than the literals that C++ promises come as several pieces in a row.
struct FilePart {
  const char* file;
  const char* text;
};
constexpr FilePart kPieces[] = {
#include "worlds.inc"
};

using Files = std::map<std::string, std::string, std::less<>>;

const Files& files() {
  static const Files all = [] {
    Files joined;
    for (const FilePart& piece : kPieces) joined[piece.file] += piece.text;
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
    add_file(world, robot + ".model.json");
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

std::string_view builtin_scene(const std::string& name) {
  const bool known = std::any_of(std::begin(kWorlds), std::end(kWorlds),
                                 [&](const Description& world) { return world.name == name; });
  if (!known) fail_unknown("world", name, "");
  return text_of(name + ".json");
}

std::shared_ptr<const BodyModel> builtin_model(const std::string& name) {
  rounding::require_mode();
  auto whole = std::make_shared<BodyModel>();
  if (const std::string_view json = builtin_scene(name); !json.empty()) {
    // The robots have theirs, or the scene has none.
    whole->world = name;
    whole->file = name;
    for (const SceneRobot& robot : parse_scene(json, name, {}).robots) {
      const auto part = robot.builtin.empty() ? nullptr : builtin_model(robot.builtin);
      if (part == nullptr) return nullptr;
      whole->around = part->around;
      const std::string prefix = robot.name.empty() ? "" : robot.name + '/';
      for (ModelBody body : part->bodies) {
        body.link = prefix + body.link;
        body.place = part->file + ' ' + body.place;
        whole->bodies.push_back(std::move(body));
      }
    }
    return whole;
  }
  const std::string file = name + ".model.json";
  const std::string_view text = text_of(file);
  if (text.empty()) return nullptr;
  *whole = parse_model(text, file);
  return whole;
}

std::shared_ptr<const BodyModel> builtin_own_model(const std::string& robot) {
  for (const Description& world : kWorlds) {
    if (world.name == robot && world.own_model) return builtin_model(robot);
  }
  return nullptr;
}

}  // namespace keepclear
