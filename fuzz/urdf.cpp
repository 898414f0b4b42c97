// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a URDF: a model that keeps its promises, or an Error of one line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keepclear/error.hpp"
#include "robot/urdf.hpp"

namespace {

void require(bool good) {
  if (!good) std::abort();
}

void check(const keepclear::RobotModel& robot) {
  using keepclear::JointType;
  require(robot.root >= 0 && !robot.links.empty());
  require(robot.joints.size() + 1 == robot.links.size());
  require(robot.depth_first_joints().size() == robot.joints.size());
  for (const auto& joint : robot.joints) {
    require(keepclear::is_finite(joint.origin.xyz) && keepclear::is_finite(joint.origin.rpy));
    const double length = keepclear::norm(joint.axis);
    require(length > 1e-7 && length < 1e7);
    require(joint.lower <= joint.upper);
    if (joint.type == JointType::revolute || joint.type == JointType::prismatic) {
      require(std::isfinite(joint.lower) && std::isfinite(joint.upper));
    }
    if (joint.mimic) require(std::isfinite(joint.mimic->multiplier + joint.mimic->offset));
  }
  for (const auto& link : robot.links) {
    for (const auto& collision : link.collisions) {
      const auto& shape = collision.geometry;
      require(collision.line > 0);
      require(shape.radius >= 0 && shape.length >= 0);
      require(keepclear::is_finite(shape.size) && keepclear::is_finite(shape.scale));
      require(shape.scale.x != 0 && shape.scale.y != 0 && shape.scale.z != 0);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  keepclear::PackagePaths packages;
  packages.look_on_disk = false;
  try {
    check(keepclear::parse_urdf(text, "fuzz.urdf", packages, {}));
  } catch (const keepclear::Error& error) {
    require(error.kind() == keepclear::Error::Kind::malformed);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
