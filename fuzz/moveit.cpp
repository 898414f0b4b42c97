// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as MoveIt's .scene: whole shapes with unit quaternions, or an Error of one line.
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

void require(bool good) {
  if (!good) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const auto scene = keepclear::parse_moveit_scene(text, "fuzz.scene");
    require(scene.robots.empty());
    for (const auto& object : scene.objects) {
      require(!object.name.empty() && !object.place.empty());
      for (int i = 0; i < 3; ++i) {
        require(std::abs(object.pose.xyz[i]) <= keepclear::kMaxMetres);
      }
      if (object.pose.quaternion) {
        const auto& [x, y, z, w] = *object.pose.quaternion;
        require(std::abs(x * x + y * y + z * z + w * w - 1) <= 1e-15);
      }
      const auto& shape = object.shape;
      require(std::isfinite(shape.radius) && std::isfinite(shape.length));
      require(std::isfinite(shape.offset) && is_finite(shape.size) && is_finite(shape.normal));
      if (shape.kind == keepclear::Shape::Kind::mesh) require(!shape.triangles.empty());
      for (const auto& triangle : shape.triangles) {
        for (const std::uint32_t corner : triangle) require(corner < shape.points.size());
      }
    }
  } catch (const keepclear::Error& error) {
    require(error.kind() == keepclear::Error::Kind::malformed);
    require(std::string_view(error.what()).find('\n') == std::string_view::npos);
  }
  return 0;
}
