// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as OBJ: a whole, finite mesh or an Error, nothing else. Small meshes go on to the hull,
// whose promises hold for any finite points.
#include <cmath>
#include <cstdlib>
#include <span>

#include "keepclear/error.hpp"
#include "shape/hull.hpp"
#include "shape/mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto mesh = keepclear::parse_obj(std::as_bytes(std::span(data, size)), "fuzz.obj");
    if (mesh.triangles.empty()) std::abort();
    for (const auto& t : mesh.triangles) {
      for (const auto v : t) {
        if (v >= mesh.vertices.size()) std::abort();
      }
    }
    for (const auto& p : mesh.vertices) {
      if (!keepclear::is_finite(p)) std::abort();
    }
    if (mesh.vertices.size() > 200) return 0;
    const auto hull = keepclear::convex_hull(mesh.vertices);
    if (hull.vertices.empty() || !std::isfinite(hull.excess)) std::abort();
    if (hull.first_neighbour.size() != hull.vertices.size() + 1) std::abort();
  } catch (const keepclear::Error&) {
  }
  return 0;
}
