// SPDX-License-Identifier: BSD-3-Clause
//
// A mesh cut into parts whose hulls together are small in volume.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear {

/// Triangles of a mesh, some of them pieces of triangles that a cut went through. Together the
/// parts cover the surface: each point of it is within `error_hi` (metres) of a triangle of one of
/// them.
struct MeshPart {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  double error_hi = 0;
  double hull_volume = 0;
};

/// At most `parts` of them, by cuts along planes, each where it lowers the sum of the volumes of
/// the hulls most; fewer where no cut lowers it. Both sides of a cut keep what is within `overlap`
/// (a share of the mesh's size) of it. Every vertex of a part is used. Deterministic; fewer parts
/// of the same mesh are joined from more. `volumes`, if asked for, gets the sum of the volumes of
/// the hulls with 1, 2, ... parts.
std::vector<MeshPart> split_mesh(std::span<const Vec3> vertices,
                                 std::span<const std::array<std::uint32_t, 3>> triangles, int parts,
                                 double overlap, std::vector<double>* volumes = nullptr);

}  // namespace keepclear
