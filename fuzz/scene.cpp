// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a scene in JSON: only what the limits allow, or an Error of one line.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "keepclear/error.hpp"
#include "robot/urdf.hpp"
#include "scene/scene_file.hpp"

namespace {

using keepclear::Shape;

void require(bool good) {
  if (!good) std::abort();
}

void require_pose(const keepclear::Origin& pose) {
  for (int i = 0; i < 3; ++i) {
    require(std::abs(pose.xyz[i]) <= keepclear::kMaxMetres);
    require(std::abs(pose.rpy[i]) <= keepclear::kMaxRpy);
  }
  if (!pose.quaternion) return;
  const auto& [x, y, z, w] = *pose.quaternion;
  require(pose.rpy == keepclear::Vec3{});
  require(std::abs(std::sqrt(x * x + y * y + z * z + w * w) - 1) <= 1.1e-6);
}

void require_shape(const Shape& shape) {
  const bool is_round = shape.kind == Shape::Kind::cylinder || shape.kind == Shape::Kind::capsule ||
                        shape.kind == Shape::Kind::cone;
  if (shape.kind == Shape::Kind::box) {
    for (int i = 0; i < 3; ++i) require(shape.size[i] > 0 && std::isfinite(shape.size[i]));
  }
  if (is_round) require(shape.length > 0 && std::isfinite(shape.length));
  if (is_round || shape.kind == Shape::Kind::sphere || shape.kind == Shape::Kind::points) {
    require(shape.radius > 0 && std::isfinite(shape.radius));
  }
  if (shape.kind == Shape::Kind::plane) {
    require(norm(shape.normal) > 0 && std::isfinite(norm(shape.normal)));
    require(std::isfinite(shape.offset));
  }
  if (shape.kind == Shape::Kind::mesh) {
    require(!shape.file.empty());
    for (int i = 0; i < 3; ++i) require(std::isnormal(shape.scale[i]));
  }
  if (shape.kind == Shape::Kind::points) require(shape.file.empty() != shape.points.empty());
  if (shape.kind == Shape::Kind::octomap) {
    require(shape.unknown != keepclear::UnknownSpace::unset);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto scene = keepclear::parse_scene(text, "fuzz.json", "/nowhere");
    require(!scene.robots.empty() || !scene.objects.empty());
    for (const auto& robot : scene.robots) {
      require(robot.urdf.empty() != robot.builtin.empty());
      require_pose(robot.base);
    }
    for (const auto& object : scene.objects) {
      require(!object.name.empty() && !object.place.empty());
      require_pose(object.pose);
      require_shape(object.shape);
    }
    require(scene.margin >= 0 && scene.margin <= keepclear::kMaxMetres);
    for (const auto& margin : scene.margins) require(margin.margin >= 0);
    for (const auto& contact : scene.contacts) require(contact.max_speed >= 0);
  } catch (const keepclear::Error& error) {
    // An included file is not there.
    require(error.kind() == keepclear::Error::Kind::malformed ||
            error.kind() == keepclear::Error::Kind::missing);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
