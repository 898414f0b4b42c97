// SPDX-License-Identifier: BSD-3-Clause
#include "shape/point_cloud.hpp"

#include <new>

#include "keepclear/error.hpp"
#include "shape/assimp_mesh.hpp"
#include "shape/cloud_parts.hpp"
#include "shape/text.hpp"

namespace keepclear {

PointCloud parse_point_cloud(std::string_view bytes, const std::string& extension,
                             const std::string& name) {
  if (bytes.size() > kMaxCloudBytes) cloud::refuse(name, 0, "too large for a point cloud");
  if (extension == "ply") return cloud::parse_ply(bytes, name);
  if (extension == "pcd") return cloud::parse_pcd(bytes, name);
  if (extension == "xyz" || extension == "txt") return cloud::parse_xyz(bytes, name);
  if (extension == "csv") return cloud::parse_csv(bytes, name);
  cloud::refuse(name, 0, "not a kind of point cloud that is read: " + text::quoted(extension),
                "PLY, PCD, XYZ, TXT and CSV are");
}

PointCloud read_point_cloud(const std::filesystem::path& file) try {
  std::string extension = file.extension().string();
  if (!extension.empty()) extension.erase(0, 1);
  for (char& c : extension) c = text::lower(c);
  const auto bytes = read_regular_file(file, kMaxCloudBytes);
  return parse_point_cloud({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, extension,
                           file.string());
} catch (const std::bad_alloc&) {
  throw Error(Error::Kind::internal, file.string(), 0, "out of memory");
}

}  // namespace keepclear
