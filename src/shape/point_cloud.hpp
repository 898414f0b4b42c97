// SPDX-License-Identifier: BSD-3-Clause
//
// Clouds of points from PLY, PCD, XYZ and CSV, and voxels from OctoMap's .bt and .ot. Strict: what
// is malformed is refused, nothing is dropped in silence, and no size in a header is believed
// before the file has shown that it is that long.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear {

/// What a stranger's file may ask for; beyond it loading fails with the limit named.
inline constexpr std::size_t kMaxCloudPoints = 10'000'000;
inline constexpr std::size_t kMaxVoxels = 10'000'000;
inline constexpr std::size_t kMaxCloudBytes = std::size_t{1} << 30;
/// Metres, for each coordinate of a point.
inline constexpr double kMaxCloudCoordinate = 1e6;

/// By extension (.ply, .pcd, .xyz, .txt, .csv; any case):
/// - PLY: ascii, binary_little_endian, binary_big_endian; element vertex with x, y, z of any scalar
///   type; other elements and properties, lists included, are skipped by their declared types.
/// - PCD 0.7 and earlier: DATA ascii, binary, binary_compressed (LZF); FIELDS with x, y, z as F4 or
///   F8; COUNT, WIDTH * HEIGHT = POINTS checked. A VIEWPOINT other than the identity is refused,
///   and so are bytes after the last point, zeros too.
/// - XYZ, TXT: x y z and anything numeric after them, as many numbers on each line; blank lines and
///   lines that begin with # are skipped.
/// - CSV: a header that names x, y and z (any case and order, other columns ignored), or no header
///   and three or more numeric columns.
/// A point with a NaN in it is what depth cameras write for 'no return': such points are left out,
/// counted in `invalid`. A point with an infinity, or beyond 1e6 m, is refused with its index. An
/// empty cloud (no valid point) is refused.
struct PointCloud {
  std::vector<Vec3> points;
  std::size_t invalid = 0;  ///< left out: NaN
  /// Each point is within this distance (metres) of the one that the file says: the rounding of
  /// decimal numbers. Zero for the binary formats.
  double point_error = 0;
};
PointCloud read_point_cloud(const std::filesystem::path& file);
/// The same from memory; `extension` without the dot, lower case; `name` for messages.
PointCloud parse_point_cloud(std::string_view bytes, const std::string& extension,
                             const std::string& name);

/// Axis-aligned cubes that do not overlap (they share faces).
struct Voxel {
  Vec3 centre;
  double half = 0;  ///< half the edge, metres
};

/// An OctoMap tree, pruned cells as they are: one voxel of the size of the leaf.
struct VoxelMap {
  double resolution = 0;
  std::vector<Voxel> occupied, free;
  /// Each corner of each voxel, centre +- half, is within this distance (metres) of the one that
  /// the file says: centres and the decimal resolution are rounded.
  double corner_error = 0;
  /// Cells inside the bounding box of all known cells that the map says nothing about, as few and
  /// as large as the octree of the map allows, cut to that box in whole voxels of the resolution.
  /// Only filled when asked for.
  std::vector<Voxel> unknown;
};

/// By extension: `.bt` (occupied and free as bits; the headerless form of old OctoMap too) and
/// `.ot` (log-odds, occupied from 0 on, which is OctoMap's default threshold: probability one
/// half). Ids OcTree and ColorOcTree, resolutions from 1e-6 m to 10 m, depth 16 as in OctoMap. With
/// `with_unknown` the unknown cells are listed too. A map without any cell is refused. Throws
/// Error.
VoxelMap read_octomap(const std::filesystem::path& file, bool with_unknown);
VoxelMap parse_octomap(std::string_view bytes, const std::string& extension,
                       const std::string& name, bool with_unknown);

}  // namespace keepclear
