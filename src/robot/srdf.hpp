// SPDX-License-Identifier: BSD-3-Clause
//
// MoveIt's SRDF: who need not be checked, groups, named states, virtual joints.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "robot/model.hpp"

namespace keepclear {

struct DisabledPair {
  std::string link1, link2;
  std::string reason;  ///< as written. "Never" was sampled by MoveIt, not proved
  int line = 0;
};

struct Srdf {
  std::string name, file;
  std::vector<DisabledPair> disabled;
  /// <disable_default_collisions link="..."/>: a link that is checked only where enabled.
  std::vector<std::string> disabled_by_default;
  std::vector<std::pair<std::string, std::string>> enabled;
  struct Group {
    std::string name;
    std::vector<std::string> links, joints, groups;
    std::vector<std::pair<std::string, std::string>> chains;  ///< base link, tip link
  };
  std::vector<Group> groups;
  struct State {
    std::string name, group;
    std::map<std::string, std::vector<double>> joints;
  };
  std::vector<State> states;
  struct VirtualJoint {
    std::string name, type, parent_frame, child_link;
  };
  std::vector<VirtualJoint> virtual_joints;
  std::vector<std::string> notes;
};

/// Strict as the URDF reader: unknown elements and attributes are errors. Public SRDFs are often
/// those of a sibling robot: links and joints that `robot` has not are left out and noted, with the
/// pairs, chains and values that name them; to leave out such a pair loses nothing. Only a link of
/// enable_collisions must be there.
Srdf read_srdf(const std::filesystem::path& file, const RobotModel& robot);
Srdf parse_srdf(std::string_view xml, const std::string& name, const RobotModel& robot);

}  // namespace keepclear
