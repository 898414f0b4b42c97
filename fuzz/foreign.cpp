// SPDX-License-Identifier: BSD-3-Clause
//
// PLY meshes by our own reader, and the formats that assimp reads, behind our own check:
// FUZZ_EXTENSION says which. Whatever passes must be a whole, finite mesh; whatever does not must
// be refused by an Error.
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "keepclear/error.hpp"
#include "shape/assimp_mesh.hpp"
#include "shape/mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::byte> bytes(size);
  if (size > 0) std::memcpy(bytes.data(), data, size);
  try {
    const std::string file = std::string("/nowhere/fuzz.") + FUZZ_EXTENSION;
    keepclear::Mesh mesh = std::string_view(FUZZ_EXTENSION) == "ply"
                               ? keepclear::parse_ply_mesh(bytes, file)
                               : keepclear::parse_by_assimp(std::move(bytes), file, FUZZ_EXTENSION);
    if (mesh.triangles.empty()) std::abort();
    for (const auto& p : mesh.vertices) {
      if (!keepclear::is_finite(p)) std::abort();
    }
    for (const auto& triangle : mesh.triangles) {
      for (const auto i : triangle) {
        if (i >= mesh.vertices.size()) std::abort();
      }
    }
    keepclear::scale_mesh(mesh, {1, 1, 1}, "fuzz");
  } catch (const keepclear::Error&) {
    // A refusal is the right answer to most inputs.
  }
  return 0;
}
