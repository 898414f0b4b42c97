// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <vector>

#include "certify/motion_bounds.hpp"
#include "keepclear/certify.hpp"

namespace keepclear {

/// At least how far any point of a body of a solid, on the part of a path that `bounds` has in
/// hand, is from where it would be if the base of its robot stood exactly.
inline double base_excursion_hi(const WorldData& data, const std::vector<BaseUncertainty>& bases,
                                int solid, int body, const MotionBounds& bounds,
                                const PosedWorld& at) noexcept {
  const int robot = data.solids[solid].robot;
  if (robot < 0 || bases.empty()) return 0;
  double position = 0, rotation = 0;
  for (const BaseUncertainty& base : bases) {
    if (base.robot != robot && base.robot >= 0) continue;
    position += base.position;
    rotation += base.rotation;
  }
  const auto index = static_cast<std::size_t>(robot);
  const Vec3 stand = index < data.robots.size() ? data.robots[index].base : Vec3{};
  const Excursion way = bounds.excursion(body, data.origin);
  const double reach = rounding::norm_hi(bounds.centre(at, body) - stand) + at.point_error_hi +
                       bounds.radius_hi(body) + way.moved + way.tube;
  return rounding::inflate(position + rotation * reach, 16);
}

}  // namespace keepclear
