// SPDX-License-Identifier: BSD-3-Clause
//
// Who is carried where, and with how many points: what a plan makes of a world, before any box.
#pragma once

#include <cstddef>
#include <vector>

#include "keepclear/sweep.hpp"
#include "scene/world.hpp"

namespace keepclear {

/// A body in one of the frames between its own and the highest in which it meets a partner.
struct SweepNode {
  int body = 0, frame = 0;
  int from = -1;          ///< the node one joint nearer the body; -1: this is the body itself
  std::size_t count = 0;  ///< points
  int volume = -1;        ///< index into SweepLayout::volumes
  bool even = false;      ///< the joint on the way here is swept together with another
  int degree = 0;         ///< as in SweepTask, of the way here
  std::size_t inner = 0;  ///< likewise
};

/// Two bodies that are checked, as volumes in the frame where they meet.
struct VolumePair {
  int a = 0, b = 0;  ///< indices into SweepLayout::volumes
  int pair = 0;      ///< index into WorldData::body_pairs
};

struct SweepLayout {
  std::vector<SweepNode> nodes;   ///< body by body, from the body upwards
  std::vector<int> volumes;       ///< nodes in which a partner is met
  std::vector<VolumePair> pairs;  ///< in the order of WorldData::body_pairs
  std::vector<int> among;         ///< volumes in the world that meet what stands still
  /// Points of all volumes together; more than Sweep::kMaxPoints where there would be too many, and
  /// the layout is not complete then.
  std::size_t points = 0;
};

SweepLayout make_layout(const WorldData& data, const SweepPlan& plan);

/// The lowest frame that carries both.
int meeting_frame(const Kinematics& kinematics, int a, int b) noexcept;

/// Throws Error (usage) unless the plan has an operator for each joint of the world.
void require_plan(const WorldData& data, const SweepPlan& plan);

}  // namespace keepclear
