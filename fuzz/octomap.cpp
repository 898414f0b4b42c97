// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as OctoMap's files: voxels that fill the box around the known ones exactly, or an
// Error, nothing else.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>

#include "keepclear/error.hpp"
#include "shape/point_cloud.hpp"

namespace {

struct Filled {
  std::array<double, 3> low, high;
  double volume = 0;  ///< in voxels: integers below 2^48, so sums are exact
};

void add(Filled& filled, const std::vector<keepclear::Voxel>& voxels, double resolution) {
  for (const auto& v : voxels) {
    const double size = std::round(2 * v.half / resolution);
    if (!(size >= 1 && size <= 65536)) std::abort();
    filled.volume += size * size * size;
    for (int axis = 0; axis < 3; ++axis) {
      const double low = std::round((v.centre[axis] - v.half) / resolution);
      const double high = std::round((v.centre[axis] + v.half) / resolution);
      if (!(low >= -32768 && high <= 32768 && high - low == size)) std::abort();
      filled.low[axis] = std::min(filled.low[axis], low);
      filled.high[axis] = std::max(filled.high[axis], high);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const char* extension : {"bt", "ot"}) {
    try {
      auto map = keepclear::parse_octomap(bytes, extension, "fuzz", false);
      if (map.occupied.empty() && map.free.empty()) std::abort();
      if (!(map.corner_error > 0 && map.corner_error < 1e-8)) std::abort();
      constexpr double kInf = std::numeric_limits<double>::infinity();
      Filled filled{{kInf, kInf, kInf}, {-kInf, -kInf, -kInf}};
      add(filled, map.occupied, map.resolution);
      add(filled, map.free, map.resolution);
      const Filled known = filled;
      std::array<double, 3> edge{};
      for (int axis = 0; axis < 3; ++axis) edge[axis] = known.high[axis] - known.low[axis];
      // The unknown cells are as many as the surface of the box has voxels, at worst. Millions take
      // seconds in here and show nothing that thousands do not.
      if (edge[0] * edge[1] + edge[1] * edge[2] + edge[2] * edge[0] > 3e5) continue;
      map = keepclear::parse_octomap(bytes, extension, "fuzz", true);
      add(filled, map.unknown, map.resolution);
      if (filled.low != known.low || filled.high != known.high) std::abort();
      if (filled.volume != edge[0] * edge[1] * edge[2]) std::abort();
    } catch (const keepclear::Error&) {
    }
  }
  return 0;
}
