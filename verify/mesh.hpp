// SPDX-License-Identifier: BSD-3-Clause
// What the readers of meshes share.
#pragma once
#include "description.hpp"

namespace verify {

/// Rows of an affine map.
struct Affine {
  std::array<Point, 3> rows = {Point{1, 0, 0}, Point{0, 1, 0}, Point{0, 0, 1}};
  Point shift = {0, 0, 0};

  Point operator*(const Point& p) const {
    return Point{inner(rows[0], p), inner(rows[1], p), inner(rows[2], p)} + shift;
  }
  Affine operator*(const Affine& b) const {
    Affine result;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        result.rows[i][k] = inner(rows[i], {b.rows[0][k], b.rows[1][k], b.rows[2][k]});
    result.shift = *this * b.shift;
    return result;
  }
};

Mesh read_gltf(const std::filesystem::path& file);
Mesh read_dae(const std::filesystem::path& file);
Point take_point(std::string_view& rest);  // three numbers
void add_polygon(Mesh& mesh, const std::vector<std::size_t>& corners);
void add_strip(Mesh& mesh, const std::vector<std::size_t>& corners);

}  // namespace verify
