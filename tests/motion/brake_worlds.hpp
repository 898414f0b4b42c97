// SPDX-License-Identifier: BSD-3-Clause
//
// Worlds without bodies, for what joints do by themselves.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/world.hpp"
#include "robot/urdf.hpp"
#include "scene/world.hpp"

namespace keepclear::test {

/// A chain of joints: name and type. Hinges and slides have limits at -1 and 2.
inline World chain_of(const std::vector<std::pair<std::string, std::string>>& joints) {
  std::string text = "<robot name='r'><link name='0'/>";
  int link = 0;
  for (const auto& [name, type] : joints) {
    const std::string from = std::to_string(link), to = std::to_string(++link);
    text += "<link name='" + to + "'/><joint name='" + name + "' type='" + type +
            "'><parent link='" + from + "'/><child link='" + to + "'/>";
    if (type == "revolute" || type == "prismatic") {
      text += "<limit lower='-1' upper='2' effort='1' velocity='1'/>";
    }
    text += "</joint>";
  }
  LoadOptions options;
  options.allow_no_pairs = true;
  return compile_robot(parse_urdf(text + "</robot>", "r.urdf", {}, {}), nullptr, options);
}

}  // namespace keepclear::test
