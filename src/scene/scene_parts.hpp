// SPDX-License-Identifier: BSD-3-Clause
//
// What the shapes of a scene refer to: files, clouds, meshes given in place. Shared by those who
// build what stands still and what is carried.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "keepclear/scene.hpp"
#include "scene/octree.hpp"
#include "shape/mesh.hpp"

namespace keepclear {

/// The file of a shape: as it is, or found as `package://` through the packages of the robots and
/// the options.
std::filesystem::path file_of(const Shape& shape, const Scene& scene, const LoadOptions& options);

struct CloudPoints {
  std::vector<Vec3> points;
  std::size_t invalid = 0;
  double point_error = 0;  ///< metres: how far each may be from what its text says
  std::string file;        ///< empty for points given in place
};
CloudPoints points_of(const Shape& shape, const Scene& scene, const LoadOptions& options);

/// A mesh given in place; throws Error for indices out of range, points that are no coordinates, a
/// mesh without triangles.
Mesh inline_mesh_of(const Shape& shape);

/// Throws an error met while an object was built again, with the scene's file and the place of the
/// object, unless it names a file of its own.
[[noreturn]] void rethrow_at(const Scene& scene, const std::string& place, const std::string& name,
                             const class Error& error);

/// An octree for these boxes (infinite ones aside), with room for so many objects.
Octree::Options octree_around(std::span<const Box> boxes, std::span<const Box> around,
                              std::size_t max_objects);

}  // namespace keepclear
