// SPDX-License-Identifier: BSD-3-Clause
//
// The compiled world behind keepclear::World: everything is decided here, once; queries only run.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "keepclear/body.hpp"
#include "keepclear/world.hpp"
#include "robot/kinematics.hpp"
#include "robot/model.hpp"
#include "robot/srdf.hpp"

namespace keepclear {

/// A body in the frame that carries its link.
struct WorldBody {
  Body body;
  int link = 0;
  int frame = 0;
};

/// Two links that are checked, and their bodies: pairs of bodies [first, last).
struct LinkPair {
  int link_a = 0, link_b = 0;
  int frame_a = 0, frame_b = 0;
  int first = 0, last = 0;
};

/// Two bodies; `pair` is the LinkPair they belong to.
struct BodyPair {
  int a = 0, b = 0;
  int pair = 0;
};

struct WorldData {
  explicit WorldData(const RobotModel& robot) : kinematics(robot) {}

  std::string name, file, hash;
  Kinematics kinematics;
  std::vector<std::string> links, links_without_bodies, notes;
  std::vector<WorldBody> bodies;
  std::vector<BodyInfo> body_infos;
  std::vector<LinkPair> link_pairs;
  std::vector<BodyPair> body_pairs;
  std::vector<PairInfo> pair_infos;
  std::vector<LeftOutPair> left_out;
  /// The lowest frame above all bodies that are checked: joints above it move all of them alike.
  int origin = 0;
};

/// What may be checked at most; beyond it a world is refused.
inline constexpr std::size_t kMaxBodyPairs = 10'000'000;

World compile_world(const RobotModel& robot, const Srdf* srdf, const LoadOptions& options);

/// Builds the bodies of all collision elements (world_bodies.cpp).
void build_bodies(const RobotModel& robot, const LoadOptions& options, WorldData& world);
/// Sorts all pairs of links with bodies into checked and left out (pairs.cpp).
void select_pairs(const RobotModel& robot, const Srdf* srdf, WorldData& world);
/// Names the checked pairs that overlap in the neutral pose (pairs.cpp).
void mark_neutral_overlaps(const std::shared_ptr<WorldData>& world, bool has_srdf);
/// SHA-256, in hexadecimal, of everything that a verdict depends on (hash.cpp).
std::string hash_world(const WorldData& world, const RobotModel& robot);

}  // namespace keepclear
