// SPDX-License-Identifier: BSD-3-Clause
//
// Any bytes as a file that keepclear-verify --against reads: the first one says of which kind. It
// is read, or there is a word why it cannot be told.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>

#include "description.hpp"

namespace {

const std::filesystem::path& folder() {
  static const std::filesystem::path made = [] {
    std::string name = (std::filesystem::temp_directory_path() / "keepclear-fuzz-XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) std::abort();
    std::atexit([] { std::filesystem::remove_all(folder()); });
    return std::filesystem::path(name);
  }();
  return made;
}

void read(int kind, const std::filesystem::path& file) {
  if (kind == 0 && verify::is_urdf(file)) verify::read_urdf(file, {});
  if (kind == 1) verify::read_srdf(file, {"r", "", {{"a", {}, {}, ""}, {"b", {}, {}, ""}}, {}});
  if (kind == 2 && !verify::is_model(file)) verify::read_scene(file);
  if (kind == 3) verify::read_model(file);
  if (kind == 4) verify::read_scene(file);
  if (kind > 4) verify::read_mesh(file);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  constexpr const char* kEndings[] = {".urdf", ".srdf", ".json", ".json", ".scene", ".stl",
                                      ".obj",  ".ply",  ".dae",  ".gltf", ".glb"};
  const int kind = data[0] % 11;
  const std::filesystem::path file = folder() / ("file" + std::string(kEndings[kind]));
  std::ofstream(file, std::ios::binary)
      .write(reinterpret_cast<const char*>(data + 1), static_cast<std::streamsize>(size - 1));
  try {
    read(kind, file);
  } catch (const verify::CannotTell& found) {
    if (found.why.empty()) std::abort();
  }
  return 0;
}
