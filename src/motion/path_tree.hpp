// SPDX-License-Identifier: BSD-3-Clause
//
// Paths as JSON and YAML say them: messages of ROS and MoveIt, and curves.
#pragma once

#include <span>
#include <string>

#include "keepclear/path.hpp"
#include "robot/kinematics.hpp"
#include "scene/json.hpp"

namespace keepclear {

/// The keys that may stand at the top of a file.
const json::Names& path_keys();
/// Throws Error with the JSON pointer of the place. `rest` has a number for each variable.
Path path_of_tree(const json::Object& top, const std::string& file, const Kinematics& kinematics,
                  std::span<const double> rest);

}  // namespace keepclear
