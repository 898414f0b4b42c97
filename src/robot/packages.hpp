// SPDX-License-Identifier: BSD-3-Clause
//
// From the URI of a mesh to a file on disk.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace keepclear {

/// Where `package://NAME/...` may lead. Looked up in this order: `named`; then for each folder of
/// `search` the folder itself if it is called NAME, NAME below it, and share/NAME below it; then
/// for each folder from the URDF's own upwards the folder itself if it is called NAME, and NAME
/// below it. Nothing else: the library reads no environment; the command line passes
/// ROS_PACKAGE_PATH and AMENT_PREFIX_PATH in `search`.
struct PackagePaths {
  std::map<std::string, std::filesystem::path> named;
  std::vector<std::filesystem::path> search;
  /// False: readers look for no mesh and leave Geometry::file empty, for text that comes without
  /// its files.
  bool look_on_disk = true;
};

/// The regular file that `uri` names, for a description in folder `base`. Understands package://,
/// file:// and relative or absolute paths. A package path may not leave its package by `..` or by
/// a symbolic link; other schemes (http and the like), devices and pipes are refused. Throws Error:
/// malformed for a URI that may not be followed, missing where no file is found, with every place
/// tried. `file` and `line` say where the URI stands.
std::filesystem::path resolve_mesh(const std::string& uri, const PackagePaths& packages,
                                   const std::filesystem::path& base, const std::string& file,
                                   int line);

}  // namespace keepclear
