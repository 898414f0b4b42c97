// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as STL: a whole, finite mesh or an Error, nothing else.
#include <cstdlib>
#include <span>

#include "keepclear/error.hpp"
#include "shape/mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    const auto mesh = keepclear::parse_stl(std::as_bytes(std::span(data, size)), "fuzz.stl");
    if (mesh.triangles.empty() || mesh.vertices.size() != 3 * mesh.triangles.size()) std::abort();
    for (const auto& p : mesh.vertices) {
      if (!keepclear::is_finite(p)) std::abort();
    }
  } catch (const keepclear::Error&) {
  }
  return 0;
}
