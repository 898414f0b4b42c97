// SPDX-License-Identifier: BSD-3-Clause
#include "keepclear/sweep.hpp"
#include "rounding/mode.hpp"
#include "scene/world.hpp"

namespace keepclear {

std::vector<std::string> swept_joints(const World& world) {
  const Kinematics& kinematics = world.data().kinematics;
  std::vector<std::string> names;
  for (int f = 1; f < kinematics.frame_count(); ++f) names.push_back(kinematics.joint(f).name);
  return names;
}

SweepPlan uniform_plan(const World& world, JointOperator op) {
  rounding::require_mode();
  const Kinematics& kinematics = world.data().kinematics;
  return {std::vector<JointOperator>(static_cast<std::size_t>(kinematics.frame_count() - 1), op)};
}

SweepPlan paper_plan(const World& world, int fine) {
  rounding::require_mode();
  const Kinematics& kinematics = world.data().kinematics;
  SweepPlan plan;
  std::vector<int> depth{0};  // joints from the root to each frame
  for (int f = 1; f < kinematics.frame_count(); ++f) {
    depth.push_back(depth[static_cast<std::size_t>(kinematics.parent(f))] + 1);
    plan.operators.push_back(depth.back() <= fine ? JointOperator{2, 2} : JointOperator{1, 1});
  }
  return plan;
}

}  // namespace keepclear
