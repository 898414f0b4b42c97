// SPDX-License-Identifier: BSD-3-Clause
// What the readers of meshes share.
#pragma once
#include "description.hpp"

namespace verify {

Mesh read_dae(const std::filesystem::path& file);
Point take_point(std::string_view& rest);  // three numbers
void add_polygon(Mesh& mesh, const std::vector<std::size_t>& corners);
void add_strip(Mesh& mesh, const std::vector<std::size_t>& corners);

}  // namespace verify
