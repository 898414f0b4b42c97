// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a box of a robot with every kind of joint: intervals that a configuration can be in,
// or an Error of one line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keepclear/error.hpp"
#include "motion/box_file.hpp"
#include "robot/urdf.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

const keepclear::Kinematics& kinematics() {
  static const keepclear::Kinematics tree(keepclear::parse_urdf(
      "<robot name='r'><link name='0'/><link name='1'/><link name='2'/><link name='3'/>"
      "<link name='4'/><link name='5'/>"
      "<joint name='a' type='continuous'><parent link='0'/><child link='1'/></joint>"
      "<joint name='b' type='continuous'><parent link='1'/><child link='2'/><mimic joint='a'/>"
      "</joint><joint name='s' type='prismatic'><parent link='2'/><child link='3'/>"
      "<limit lower='0' upper='1' effort='1' velocity='1'/></joint>"
      "<joint name='p' type='planar'><parent link='3'/><child link='4'/></joint>"
      "<joint name='f' type='floating'><parent link='4'/><child link='5'/></joint></robot>",
      "robot.urdf", {}, {}));
  return tree;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto box = keepclear::parse_box(text, "fuzz.json", kinematics());
    const auto full = keepclear::full_range(kinematics());
    require(box.size() == kinematics().variables().size() && box.size() == full.size());
    for (std::size_t i = 0; i < box.size(); ++i) {
      require(box[i].lower <= box[i].upper);
      require(box[i] == full[i] ||
              (std::abs(box[i].lower) <= 1e15 && std::abs(box[i].upper) <= 1e15));
    }
  } catch (const keepclear::Error& error) {
    require(error.kind() == keepclear::Error::Kind::malformed);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
