// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as each kind of point cloud: at least one point, all of them finite and near, or an
// Error, nothing else.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "keepclear/error.hpp"
#include "shape/point_cloud.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* extension : {"ply", "pcd", "xyz", "csv"}) {
    try {
      const auto cloud = keepclear::parse_point_cloud(bytes, extension, "fuzz");
      if (cloud.points.empty()) std::abort();
      // No format has a point in fewer bytes than these, LZF aside.
      if (cloud.points.size() + cloud.invalid > 88 * size) std::abort();
      if (!(cloud.point_error >= 0 && cloud.point_error < 1e-9)) std::abort();
      for (const auto& p : cloud.points) {
        for (int axis = 0; axis < 3; ++axis) {
          if (!(std::abs(p[axis]) <= keepclear::kMaxCloudCoordinate)) std::abort();
        }
      }
    } catch (const keepclear::Error&) {
    }
  }
  return 0;
}
