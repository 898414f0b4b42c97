// SPDX-License-Identifier: BSD-3-Clause
//
// Triangle meshes as robot descriptions refer to them. Open, non-manifold, inside-out and
// degenerate meshes are normal: only vertices and triangles are used, never inside or outside.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear {

struct Mesh {
  std::vector<Vec3> vertices;
  std::vector<std::array<std::uint32_t, 3>> triangles;
  /// Each vertex is within this distance (metres) of the one that the file and the scale say:
  /// rounding of the scale, of decimal numbers, of a library that stores float32.
  double vertex_error = 0;
};

/// The most that one mesh may hold. Beyond it loading fails, before memory is taken.
inline constexpr std::size_t kMaxMeshBytes = std::size_t{512} << 20;
inline constexpr std::size_t kMaxMeshTriangles = 20'000'000;
/// Metres, after the scale: no robot is larger, and squares and cubes of it stay finite.
inline constexpr double kMaxCoordinate = 1e9;

/// Reads STL (binary, ASCII), OBJ and PLY in double precision; DAE and glTF through assimp, every
/// triangle compared with what the file's own numbers say. The kind goes by the extension, binary
/// or ASCII by the content. `scale` multiplies each axis; a negative factor mirrors. Only polygons
/// count: lines, points and unused vertices are left out. The unit that a DAE states is applied,
/// its up axis is not (as in rviz). Throws Error for anything that is not a whole, finite mesh.
Mesh read_mesh(const std::filesystem::path& file, Vec3 scale);

/// The same from memory; `name` appears in errors.
Mesh parse_stl(std::span<const std::byte> bytes, const std::string& name);
Mesh parse_obj(std::span<const std::byte> bytes, const std::string& name);
Mesh parse_ply_mesh(std::span<const std::byte> bytes, const std::string& name);

/// Applies a scale and grows vertex_error by its rounding. Throws Error for a zero or non-finite
/// factor, or when a vertex is beyond kMaxCoordinate.
void scale_mesh(Mesh& mesh, Vec3 scale, const std::string& name);

}  // namespace keepclear
