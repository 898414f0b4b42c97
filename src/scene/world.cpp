// SPDX-License-Identifier: BSD-3-Clause
#include "scene/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "robot/urdf.hpp"

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
      break;
  }
  return "disabled by default";
}

World compile_world(const RobotModel& robot, const Srdf* srdf, const LoadOptions& options) {
  if (options.parts < 1 || options.parts > 256) {
    throw Error(Error::Kind::usage, robot.file, 0, "the number of parts must be from 1 to 256");
  }
  auto world = std::make_shared<WorldData>(robot);
  world->name = robot.name;
  world->file = robot.file;
  for (const Link& link : robot.links) {
    world->links.push_back(link.name);
    if (link.collisions.empty()) world->links_without_bodies.push_back(link.name);
  }
  world->notes = robot.notes;
  if (srdf != nullptr) {
    world->notes.insert(world->notes.end(), srdf->notes.begin(), srdf->notes.end());
  }
  build_bodies(robot, options, *world);
  select_pairs(robot, srdf, *world);
  const bool by_srdf =
      std::any_of(world->left_out.begin(), world->left_out.end(), [](const LeftOutPair& pair) {
        return pair.why == LeftOutPair::Why::disabled || pair.why == LeftOutPair::Why::by_default;
      });
  if (world->link_pairs.empty() && by_srdf && !options.allow_no_pairs) {
    throw Error(Error::Kind::malformed, srdf->file, 0,
                fmt::format("no pair is left to check: all {} pairs of links are left out",
                            world->left_out.size()),
                "every pose would be free; allow it explicitly if that is meant");
  }
  int origin = -1;
  for (const LinkPair& pair : world->link_pairs) {
    for (const int frame : {pair.frame_a, pair.frame_b}) {
      origin = origin < 0 ? frame : common_ancestor(world->kinematics, origin, frame);
    }
  }
  world->origin = std::max(origin, 0);
  mark_neutral_overlaps(world, srdf != nullptr);
  world->hash = hash_world(*world, robot);
  return World(world);
}

World load(const std::filesystem::path& file, const LoadOptions& options) {
  std::string extension = file.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (extension == ".json") {
    throw Error(Error::Kind::malformed, file.string(), 0,
                "scene files are not read by this version", "give a URDF file");
  }
  const RobotModel robot = read_urdf(file, {options.packages, options.package_path});
  if (!options.srdf) return compile_world(robot, nullptr, options);
  const Srdf srdf = read_srdf(*options.srdf, robot);
  return compile_world(robot, &srdf, options);
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
std::span<const PairInfo> World::pairs() const noexcept {
  return data_->pair_infos;
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
