// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a brake file of a robot with every kind of joint: numbers that make sense, or an
// Error of one line.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keepclear/error.hpp"
#include "motion/brake_file.hpp"
#include "robot/urdf.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

const keepclear::Kinematics& kinematics() {
  static const keepclear::Kinematics tree(keepclear::parse_urdf(
      "<robot name='r'><link name='0'/><link name='1'/><link name='2'/><link name='3'/>"
      "<link name='4'/>"
      "<joint name='a' type='continuous'><parent link='0'/><child link='1'/></joint>"
      "<joint name='b' type='continuous'><parent link='1'/><child link='2'/><mimic joint='a'/>"
      "</joint><joint name='p' type='planar'><parent link='2'/><child link='3'/></joint>"
      "<joint name='f' type='floating'><parent link='3'/><child link='4'/></joint></robot>",
      "robot.urdf", {}, {}));
  return tree;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto model = keepclear::parse_brake(text, "fuzz.json", kinematics());
    require(model.joints.size() == kinematics().variables().size());
    require(keepclear::fault_of_latency(model.latency).empty());
    require(keepclear::fault_of_timing(model).empty());
    for (const auto& joint : model.joints) require(keepclear::fault_of_brake(joint).empty());
  } catch (const keepclear::Error& error) {
    require(error.kind() == keepclear::Error::Kind::malformed);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
