// SPDX-License-Identifier: BSD-3-Clause
//
// Shapes with normals, for pictures.
#pragma once

#include <cstdint>
#include <vector>

#include "keepclear/geometry.hpp"
#include "page_geometry.hpp"

namespace keepclear::command {

/// A shape with a normal for each corner of each triangle.
struct SmoothSolid {
  std::vector<Vec3> points;
  std::vector<std::uint32_t> indices;
  std::vector<Vec3> normals;  ///< one for each index
};

/// Round where faces meet at a small angle, with an edge where they do not.
SmoothSolid smoothed(const Grid& grid);
/// A ball of radius one, coarser where it is one of very many.
SmoothSolid unit_ball(std::size_t count);

}  // namespace keepclear::command
