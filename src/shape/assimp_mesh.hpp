// SPDX-License-Identifier: BSD-3-Clause
//
// DAE and glTF by way of assimp. For mesh.cpp; everyone else calls read_mesh.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "shape/mesh.hpp"

namespace keepclear {

/// The bytes of a regular file of at most `most` bytes. Devices, pipes and folders are refused
/// before anything is read.
std::vector<std::byte> read_regular_file(const std::filesystem::path& file, std::size_t most);

/// `extension` is dae, gltf or glb.
Mesh parse_by_assimp(std::vector<std::byte> bytes, const std::filesystem::path& file,
                     const std::string& extension);

}  // namespace keepclear
