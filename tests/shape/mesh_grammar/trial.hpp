// SPDX-License-Identifier: BSD-3-Clause
//
// One file of a grammar: written, read as users do, judged.
#pragma once

#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "shape/mesh_grammar/choices.hpp"
#include "shape/mesh_grammar/dae_writer.hpp"
#include "shape/mesh_grammar/gltf_writer.hpp"
#include "shape/mesh_grammar/judge.hpp"
#include "shape/mesh_grammar/ply_writer.hpp"

namespace keepclear::test {

enum class Grammar { ply, dae, gltf };
inline constexpr Grammar kGrammars[] = {Grammar::ply, Grammar::dae, Grammar::gltf};
inline const char* to_string(Grammar g) {
  return g == Grammar::ply ? "ply" : g == Grammar::dae ? "dae" : "gltf";
}

inline Written write(Grammar grammar, Choices& choices) {
  if (grammar == Grammar::ply) return PlyWriter(choices).write();
  if (grammar == Grammar::dae) return DaeWriter(choices).write();
  return GltfWriter(choices).write();
}

/// A folder for files that are gone when the trial ends.
class Trial {
 public:
  Trial() {
    std::string name =
        (std::filesystem::temp_directory_path() / "keepclear_grammar_XXXXXX").string();
    folder_ = ::mkdtemp(name.data());
  }
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;
  ~Trial() { std::filesystem::remove_all(folder_); }

  /// Refused where the reader promises to read is wrong too.
  Judgement judge(const Written& written) const {
    const auto file = folder_ / ("file." + written.extension);
    put(file, written.bytes);
    for (const auto& [name, bytes] : written.beside) put(folder_ / name, bytes);
    try {
      return test::judge(written, read_mesh(file, {1, 1, 1}));
    } catch (const Error& error) {
      return {written.must_load ? Judgement::Kind::wrong : Judgement::Kind::refused,
              std::string("refused: ") + error.what()};
    }
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  static void put(const std::filesystem::path& file, const std::string& bytes) {
    std::ofstream(file, std::ios::binary) << bytes;
  }
  std::filesystem::path folder_;
};

}  // namespace keepclear::test
