// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as the SRDF of a small robot: only names that the robot has, or an Error of one line.
// With other pairs in it, it has these pairs and is the same else.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

#include "certify/srdf_edit.hpp"
#include "keepclear/error.hpp"
#include "robot/srdf.hpp"
#include "robot/urdf.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

const keepclear::RobotModel& robot() {
  static const auto model = keepclear::parse_urdf(
      "<robot name='r'><link name='base'/><link name='arm'/><link name='hand'/>"
      "<joint name='j1' type='continuous'><parent link='base'/><child link='arm'/></joint>"
      "<joint name='j2' type='floating'><parent link='arm'/><child link='hand'/></joint></robot>",
      "robot.urdf", {}, {});
  return model;
}

void require_same_with_other_pairs(std::string_view text, const keepclear::Srdf& before) {
  const std::vector<std::string> lines = {
      std::string(keepclear::kPairsComment) + " of a test -->",
      "<disable_collisions link1=\"base\" link2=\"hand\" reason=\"Never\"/>"};
  const std::string edited = keepclear::replace_pairs(text, lines);
  const auto after = keepclear::parse_srdf(edited, "edited.srdf", robot());
  require(after.disabled.size() == 1 && after.disabled[0].link2 == "hand");
  require(after.name == before.name && after.groups.size() == before.groups.size());
  require(after.states.size() == before.states.size());
  // All that was said about pairs has gone: a link whose default is off would not be checked.
  require(after.enabled.empty() && after.disabled_by_default.empty());
  require(keepclear::replace_pairs(edited, lines) == edited);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto srdf = keepclear::parse_srdf(text, "fuzz.srdf", robot());
    for (const auto& pair : srdf.disabled) {
      require(robot().find_link(pair.link1) >= 0 && robot().find_link(pair.link2) >= 0);
      require(pair.link1 != pair.link2 && pair.line > 0);
    }
    for (const auto& state : srdf.states) {
      for (const auto& [joint, values] : state.joints) {
        for (const double value : values) require(std::isfinite(value));
      }
    }
    require_same_with_other_pairs(text, srdf);
  } catch (const keepclear::Error& error) {
    require(error.kind() == keepclear::Error::Kind::malformed);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
