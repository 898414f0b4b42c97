// SPDX-License-Identifier: BSD-3-Clause
//
// What must hold of a glTF file before assimp sees it. assimp takes a transform of the wrong length
// for none, coordinates of any type for floats, and drops faces whose indices are out of range.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shape/foreign_words.hpp"
#include "shape/gltf_data.hpp"
#include "shape/surface_claim.hpp"
#include "shape/text.hpp"

namespace keepclear::foreign {

/// One pass over the document and the buffers that its scene needs.
class GltfCheck {
 public:
  GltfCheck(std::string_view json, std::optional<std::string_view> chunk, const std::string& name,
            const ReadBuffer& read)
      : name_(name), data_(json, chunk, name, read) {}

  SurfaceClaim run() {
    for (const Json& node : data_.list("nodes")) check_node(node);
    for (std::size_t i = 0; i < data_.list("accessors").size(); ++i) data_.check_accessor(i);
    for (const std::size_t node : data_.indices_in(scene(), "nodes")) show(node, -1, 0);
    return std::move(claim_);
  }

 private:
  using Json = GltfData::Json;

  /// The one that is shown.
  const Json& scene() const {
    const std::size_t scenes = data_.list("scenes").size();
    if (scenes == 0) {
      refuse(name_, 0, "no scene: nothing says which nodes are shown",
             "export the file with a scene");
    }
    if (scenes > 1 && !data_.document().contains("scene")) {
      refuse(name_, 0, std::to_string(scenes) + " scenes, and no 'scene' says which is shown",
             "write \"scene\": 0, or the number of another");
    }
    return data_.item("scenes", data_.count(data_.document(), "scene", 0));
  }

  /// The meshes of a node, then the nodes below it: the order of assimp.
  void show(std::size_t index, int parent, int depth) {
    if (depth > kMostLinks) refuse(name_, 0, "nodes that contain each other, or nested too deep");
    if (claim_.frames.size() >= kMaxInstances) refuse(name_, 0, "too many nodes");
    const Json& node = data_.item("nodes", index);
    const int frame = static_cast<int>(claim_.frames.size());
    claim_.frames.push_back({parent, steps(node)});
    if (node.contains("mesh")) {
      for (const std::size_t element : elements_of(data_.count(node, "mesh", 0))) {
        if (claim_.shown.size() >= kMaxInstances) refuse(name_, 0, "too many elements are shown");
        claim_.shown.push_back({element, frame});
      }
    }
    for (const std::size_t child : data_.indices_in(node, "children"))
      show(child, frame, depth + 1);
  }

  /// A matrix by columns, or scale, rotation and translation in this order.
  std::vector<Step> steps(const Json& node) const {
    std::vector<Step> made;
    if (const auto m = numbers(node, "matrix", 16); !m.empty()) {
      made.push_back(step({{m[0], m[4], m[8]}, {m[1], m[5], m[9]}, {m[2], m[6], m[10]}},
                          {m[12], m[13], m[14]}));
    }
    if (const auto s = numbers(node, "scale", 3); !s.empty()) {
      made.push_back(step({{s[0], 0, 0}, {0, s[1], 0}, {0, 0, s[2]}}, {}));
    }
    if (const auto q = numbers(node, "rotation", 4); !q.empty()) {
      const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
      const double x = q[0] / length, y = q[1] / length, z = q[2] / length, w = q[3] / length;
      made.push_back(step({{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
                           {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
                           {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}},
                          {}));
    }
    if (const auto t = numbers(node, "translation", 3); !t.empty()) {
      made.push_back(step({}, {t[0], t[1], t[2]}));
    }
    return made;
  }

  const std::vector<std::size_t>& elements_of(std::size_t index) {
    const auto [place, fresh] = elements_of_.try_emplace(index);
    if (!fresh) return place->second;
    const Json& mesh = data_.item("meshes", index);
    require_keys(mesh, "a mesh", {"primitives", "weights", "name", "extensions", "extras"});
    if (!mesh.contains("primitives") || !mesh["primitives"].is_array()) {
      refuse(name_, 0, "a mesh without primitives");
    }
    for (const Json& primitive : mesh["primitives"]) {
      Primitive made;
      made.place =
          "primitive " + std::to_string(place->second.size()) + " of mesh " + std::to_string(index);
      claim_primitive(primitive, made);
      place->second.push_back(claim_.primitives.size());
      claim_.primitives.push_back(std::move(made));
    }
    return place->second;
  }

  /// Exactly `size` numbers, or none at all.
  std::vector<double> numbers(const Json& node, const char* key, std::size_t size) const {
    std::vector<double> values;
    if (!node.contains(key)) return values;
    const Json& from = node[key];
    if (from.is_array()) {
      for (const Json& value : from) {
        if (value.is_number()) values.push_back(value.get<double>());
      }
    }
    const bool good =
        std::all_of(values.begin(), values.end(), [](double v) { return std::abs(v) <= 1e30; });
    if (values.size() != size || from.size() != size || !good) {
      refuse(name_, 0,
             text::quoted(key) + " of a node is not " + std::to_string(size) + " finite numbers");
    }
    return values;
  }

  void check_node(const Json& node) {
    if (!node.is_object()) refuse(name_, 0, "a node that is no object");
    require_keys(node, "a node",
                 {"camera", "children", "skin", "matrix", "mesh", "rotation", "scale",
                  "translation", "weights", "name", "extensions", "extras"});
    if (node.contains("extensions")) {
      require_keys(node["extensions"], "the extensions of a node", {"KHR_lights_punctual"});
    }
    const auto shift = numbers(node, "translation", 3), turn = numbers(node, "rotation", 4),
               scale = numbers(node, "scale", 3), matrix = numbers(node, "matrix", 16);
    if (!matrix.empty()) {
      if (!shift.empty() || !turn.empty() || !scale.empty()) {
        refuse(name_, 0, "a node with a matrix and another transform beside it");
      }
      if (matrix[3] != 0 || matrix[7] != 0 || matrix[11] != 0 || matrix[15] != 1) {
        refuse(name_, 0, "a matrix whose last row is not 0 0 0 1");
      }
    }
    if (std::count(scale.begin(), scale.end(), 0.0) > 0) refuse(name_, 0, "a scale of zero");
    if (turn.empty()) return;
    const double off =
        std::abs(std::hypot(std::hypot(turn[0], turn[1]), std::hypot(turn[2], turn[3])) - 1);
    if (!(off <= 1e-5)) refuse(name_, 0, "a rotation that is no quaternion of length one");
    // assimp does not normalise: nine entries, each off by at most 4.1 times this, and their scale.
    double most = 1;
    for (const double s : scale) most = std::max(most, std::abs(s));
    claim_.error.matrix = std::max(claim_.error.matrix, 16 * off * most);
  }

  /// Another key is one misspelt, or says what nothing here reads.
  void require_keys(const Json& object, const std::string& what,
                    std::initializer_list<std::string_view> known) const {
    if (!object.is_object()) refuse(name_, 0, what + ": no object");
    for (const auto& [key, value] : object.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      refuse(name_, 0, what + " has " + text::quoted(key) + ", which is not known",
             "correct its name, or remove it");
    }
  }

  void claim_primitive(const Json& primitive, Primitive& made) {
    require_keys(
        primitive, made.place,
        {"attributes", "indices", "material", "mode", "targets", "name", "extensions", "extras"});
    const std::size_t mode = primitive.is_object() ? data_.count(primitive, "mode", 4) : 7;
    if (mode > 6 || !primitive.contains("attributes") || !primitive["attributes"].is_object() ||
        !primitive["attributes"].contains("POSITION")) {
      refuse(name_, 0, made.place + ": without positions, or of an unknown mode");
    }
    made.positions = positions(data_.count(primitive["attributes"], "POSITION", 0));
    const std::size_t points = claim_.positions[made.positions].size();
    std::vector<std::uint32_t> corners;
    if (primitive.contains("indices")) {
      corners = data_.corners(data_.count(primitive, "indices", 0), points);
    } else {
      for (std::uint32_t i = 0; i < points; ++i) corners.push_back(i);
    }
    const std::size_t least = mode >= 4 ? 3 : mode == 0 ? 1 : 2;
    if (corners.size() < least || (mode == 4 && corners.size() % 3 != 0)) {
      refuse(name_, 0,
             made.place + ": " + std::to_string(corners.size()) + " corners do not make " +
                 (mode >= 4 ? "triangles" : "lines or points"));
    }
    made.has_surface = mode >= 4;
    if (mode == 4) {
      for (std::size_t i = 2; i < corners.size(); i += 3) {
        made.add({corners[i - 2], corners[i - 1], corners[i]});
      }
    } else if (mode == 5) {
      for (std::size_t i = 2; i < corners.size(); ++i) {
        const bool turned = i % 2 == 1;
        made.add({corners[turned ? i - 1 : i - 2], corners[turned ? i - 2 : i - 1], corners[i]});
      }
    } else if (mode == 6) {
      for (std::size_t i = 2; i < corners.size(); ++i) {
        made.add({corners[0], corners[i - 1], corners[i]});
      }
    }
  }

  /// Where the claim has the positions of an accessor.
  std::size_t positions(std::size_t accessor) {
    const auto [place, fresh] = positions_of_.try_emplace(accessor, claim_.positions.size());
    if (fresh) claim_.positions.push_back(data_.positions(accessor));
    return place->second;
  }

  /// More keys 'children' than this are refused before: no chain of nodes is longer.
  static constexpr int kMostLinks = 512;

  const std::string& name_;
  GltfData data_;
  SurfaceClaim claim_;
  std::map<std::size_t, std::vector<std::size_t>> elements_of_;
  std::map<std::size_t, std::size_t> positions_of_;
};

/// One pass over a glTF 2 file or a GLB.
inline SurfaceClaim check_gltf(std::string_view bytes, bool binary, const std::string& name,
                               const ReadBuffer& read) {
  std::string_view json = bytes;
  std::optional<std::string_view> chunk;
  if (binary) {
    const auto u32 = [&](std::size_t at) {
      std::size_t value = 0;
      for (std::size_t k = 4; k-- > 0;)
        value = value << 8 | static_cast<unsigned char>(bytes[at + k]);
      return value;
    };
    if (bytes.size() < 20 || !bytes.starts_with("glTF") || u32(4) != 2 || u32(8) != bytes.size() ||
        u32(12) > bytes.size() - 20 || bytes.substr(16, 4) != "JSON") {
      refuse(name, 0, "not a whole GLB file of version 2");
    }
    json = bytes.substr(20, u32(12));
    // Chunks begin at multiples of four bytes; behind the binary one, unknown ones may follow.
    const std::size_t next = 20 + (u32(12) + 3) / 4 * 4;
    if (next + 8 <= bytes.size()) {
      if (bytes.substr(next + 4, 4) != std::string_view("BIN\0", 4) ||
          u32(next) > bytes.size() - next - 8) {
        refuse(name, 0, "the second chunk is not whole, or not binary");
      }
      chunk = bytes.substr(next + 8, u32(next));
    }
  }
  // A chain of nodes is as deep as there are lists of children; a key may be spelt with escapes.
  std::size_t links = 0, depth = 0;
  int line = 1;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (c == '\n') ++line;
    if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) refuse(name, line, "nesting too deep");
    } else if (c == ']' || c == '}') {
      if (depth > 0) --depth;
    } else if (c == '"') {
      const std::size_t begin = ++i;
      for (; i < json.size() && json[i] != '"'; ++i) {
        if (json[i] == '\\') {
          if (i + 1 < json.size() && json[i + 1] == 'u') ++links;
          ++i;
        }
      }
      const std::string_view word = json.substr(begin, std::min(i, json.size()) - begin);
      if (word == "children") ++links;
      if (word == "extensionsRequired" || word == "skins" || word == "targets" ||
          word == "sparse" || word == "KHR_draco_mesh_compression" ||
          word == "EXT_meshopt_compression" || word == "EXT_mesh_gpu_instancing") {
        refuse(name, line, text::quoted(word) + " is not supported",
               "export plain triangles, without compression, skins or morphs");
      }
    }
  }
  if (links > 512) refuse(name, 0, "nesting too deep, or too many escapes");
  return GltfCheck(json, chunk, name, read).run();
}

}  // namespace keepclear::foreign
