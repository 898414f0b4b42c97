// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers and triangles as the page reads them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "keepclear/geometry.hpp"
#include "shape/surface.hpp"

namespace keepclear::command {

/// A JSON list: `json` of each item.
template <typename Items, typename Json>
std::string json_list(const Items& items, Json&& json) {
  std::string text = "[";
  for (const auto& item : items) {
    if (text.size() > 1) text += ',';
    text += json(item);
  }
  return text + "]";
}

/// Little-endian numbers, base64, with quotes: a Packed of document.ts.
std::string packed(std::span<const float> values);
std::string packed(std::span<const std::uint32_t> values);
std::string packed(std::span<const std::uint16_t> values);

/// 3x4 by rows, as JSON or as floats for a packed list.
std::string json_of(const Pose& X);
void append(const Pose& X, std::vector<float>& to);
std::string json_of(Vec3 p);

/// Triangles on a grid of 2^bits steps along the longest side of their box; what falls together
/// becomes one.
struct Grid {
  Vec3 lo;
  double step = 0;
  std::vector<std::uint16_t> vertices;  ///< three coordinates each, in steps
  std::vector<std::uint32_t> indices;   ///< three a triangle
};
Grid on_grid(std::span<const Vec3> points, std::span<const Triangle> triangles, int bits);
/// The finest grid on which there are no more triangles than that; `thinned` is set where it is not
/// the finest there is.
Grid thinned(std::span<const Vec3> points, std::span<const Triangle> triangles, std::size_t most,
             bool& thinned);
/// A Shape of document.ts.
std::string json_of(const Grid& grid);

/// The surface of a body of these points and radius for the screen: around it, not within, so that
/// no shape pierces it only there.
Surface surface_of(std::span<const Vec3> points, double radius, int subdivisions);
/// How finely the surfaces of so many bodies are drawn.
int subdivisions_for(std::size_t bodies);

}  // namespace keepclear::command
