// SPDX-License-Identifier: BSD-3-Clause
#include "render_solid.hpp"

namespace keepclear::command {

namespace {

/// Corners whose faces differ by less than this are drawn round.
constexpr double kCrease = 0.78;  ///< cosine
/// Faces at a corner beyond which each is drawn flat: looking at all pairs of them would take long.
constexpr std::size_t kManyFaces = 64;
}  // namespace

SmoothSolid smoothed(const Grid& grid) {
  SmoothSolid solid;
  solid.points.reserve(grid.vertices.size() / 3);
  for (std::size_t i = 0; i + 2 < grid.vertices.size(); i += 3) {
    const Vec3 steps{static_cast<double>(grid.vertices[i]),
                     static_cast<double>(grid.vertices[i + 1]),
                     static_cast<double>(grid.vertices[i + 2])};
    solid.points.push_back(grid.lo + grid.step * steps);
  }
  solid.indices = grid.indices;
  const std::size_t faces = grid.indices.size() / 3;
  std::vector<Vec3> area(faces), unit(faces);  ///< normals: as long as twice the area, and one
  std::vector<std::vector<std::uint32_t>> at(solid.points.size());
  for (std::size_t f = 0; f < faces; ++f) {
    const auto corner = [&](std::size_t k) { return solid.points[grid.indices[3 * f + k]]; };
    area[f] = cross(corner(1) - corner(0), corner(2) - corner(0));
    const double length = norm(area[f]);
    unit[f] = length > 0 ? (1 / length) * area[f] : Vec3{0, 0, 1};
    for (std::size_t k = 0; k < 3; ++k) {
      at[grid.indices[3 * f + k]].push_back(static_cast<std::uint32_t>(f));
    }
  }
  solid.normals.resize(solid.indices.size());
  for (std::size_t i = 0; i < solid.indices.size(); ++i) {
    const std::size_t own = i / 3;
    Vec3 sum = unit[own];
    const auto& around = at[solid.indices[i]];
    if (around.size() <= kManyFaces) {
      sum = {};
      for (const std::uint32_t f : around) {
        if (dot(unit[f], unit[own]) > kCrease) sum = sum + area[f];
      }
    }
    const double length = norm(sum);
    solid.normals[i] = length > 0 ? (1 / length) * sum : unit[own];
  }
  return solid;
}

SmoothSolid unit_ball(std::size_t count) {
  const Vec3 origin{};
  const int subdivisions = count > 10'000 ? 0 : count > 500 ? 1 : 2;
  Surface surface = surface_of({&origin, 1}, 1, subdivisions);
  // With few corners, these are on the ball: what is drawn around it would look much larger.
  for (Vec3& p : surface.vertices) p = (1 / norm(p)) * p;
  SmoothSolid solid{surface.vertices, {}, {}};
  for (const Triangle& t : surface.triangles) {
    for (const std::uint32_t corner : t) {
      solid.indices.push_back(corner);
      const double length = norm(surface.vertices[corner]);
      solid.normals.push_back(length > 0 ? (1 / length) * surface.vertices[corner] : origin);
    }
  }
  return solid;
}

}  // namespace keepclear::command
