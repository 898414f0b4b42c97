// SPDX-License-Identifier: BSD-3-Clause
//
// One configuration for the page: poses of all frames, the nearest pairs, clearance of each solid.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "keepclear/distance.hpp"
#include "keepclear/world.hpp"
#include "robot/kinematics.hpp"

namespace keepclear::command {

/// What is known of one configuration.
struct PosedWorld {
  std::vector<double> q;
  std::vector<Pose> frames;  ///< X_WF
  Nearest nearest;           ///< as `keepclear distance` has it
  /// Every pair is proved to be farther apart than its margin, as `check` has it.
  bool kept = false;
  double depth = std::numeric_limits<double>::quiet_NaN();
  std::vector<Nearest> near;      ///< the least first
  std::vector<double> clearance;  ///< of each solid; NaN: not checked. Empty: too many pairs
  std::vector<int> partner;       ///< of each solid; -1: none
};

/// Answers depend on the configuration alone, not on those before. One object a thread.
class Poser {
 public:
  /// Metres: of pairs that the scene has no larger margin for.
  explicit Poser(const World& world, double margin = 0);
  /// False for what is no configuration of the world: a wrong size, a number that is none. Without
  /// `all`, the nearest pair alone is looked for.
  bool pose(std::span<const double> q, PosedWorld& out, bool all = true);

 private:
  World world_;
  double margin_;
  DistanceQuery query_, depth_query_;
  std::vector<BoundedPose> frames_;
};

/// A PoseAnswer of document.ts.
std::string json_of(const World& world, const PosedWorld& posed);
/// A Near of document.ts; "null" for none.
std::string json_of(const Nearest& nearest);

}  // namespace keepclear::command
