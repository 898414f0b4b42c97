// SPDX-License-Identifier: BSD-3-Clause
//
// What must hold of a glTF file before assimp sees it. assimp takes a transform of the wrong length
// for none, coordinates of any type for floats, and drops faces whose indices are out of range.
#pragma once

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "shape/foreign_words.hpp"

namespace keepclear::foreign {

struct GltfClaims {
  TransformError error;
  /// Of every primitive together: what assimp must come back with.
  std::size_t primitives = 0, faces = 0;
};

/// One pass over the document.
class GltfCheck {
 public:
  GltfCheck(std::string_view text, const std::string& name) : name_(name) {
    try {
      document_ = Json::parse(text, refuse_twins());
    } catch (const Json::exception& e) {
      refuse(name_, 0, std::string("not JSON: ") + e.what());
    }
    if (!document_.is_object()) refuse(name_, 0, "not a glTF document");
  }

  GltfClaims run() {
    for (const Json& node : list("nodes")) check_node(node);
    for (std::size_t i = 0; i < list("accessors").size(); ++i) check_accessor(i);
    // assimp reads the meshes that the scene shows, each once.
    std::vector<std::size_t> nodes, meshes;
    const Json& scenes = list("scenes");
    if (!scenes.empty()) reach(item("scenes", count(document_, "scene", 0)), "nodes", nodes);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes.size() > kMaxInstances) refuse(name_, 0, "too many nodes");
      const Json& node = item("nodes", nodes[i]);
      reach(node, "children", nodes);
      if (node.contains("mesh")) meshes.push_back(count(node, "mesh", 0));
    }
    std::sort(meshes.begin(), meshes.end());
    meshes.erase(std::unique(meshes.begin(), meshes.end()), meshes.end());
    for (const std::size_t index : meshes) {
      const Json& mesh = item("meshes", index);
      if (!mesh.contains("primitives") || !mesh["primitives"].is_array()) {
        refuse(name_, 0, "a mesh without primitives");
      }
      for (const Json& primitive : mesh["primitives"]) check_primitive(primitive);
    }
    return claims_;
  }

 private:
  using Json = nlohmann::json;

  /// One side would take the first of two equal keys, the other the last.
  Json::parser_callback_t refuse_twins() const {
    return [this, open = std::vector<std::set<std::string>>()](int, Json::parse_event_t event,
                                                               Json& parsed) mutable {
      if (event == Json::parse_event_t::object_start) open.emplace_back();
      if (event == Json::parse_event_t::object_end) open.pop_back();
      if (event == Json::parse_event_t::key) {
        const auto& key = parsed.get_ref<const std::string&>();
        if (!open.back().insert(key).second) {
          refuse(name_, 0, text::quoted(key) + " stands twice in one object");
        }
      }
      return true;
    };
  }

  void reach(const Json& from, const char* key, std::vector<std::size_t>& to) const {
    if (!from.contains(key)) return;
    if (!from[key].is_array()) refuse(name_, 0, text::quoted(key) + " is no list");
    for (const Json& index : from[key]) {
      if (!index.is_number_unsigned()) refuse(name_, 0, text::quoted(key) + " holds no index");
      to.push_back(index.get<std::size_t>());
    }
  }

  const Json& list(const char* key) const {
    static const Json kNone = Json::array();
    if (!document_.contains(key)) return kNone;
    const Json& found = document_[key];
    if (!found.is_array()) refuse(name_, 0, text::quoted(key) + " is no list");
    return found;
  }

  std::size_t count(const Json& of, const char* key, std::size_t absent) const {
    if (!of.contains(key)) return absent;
    const Json& value = of[key];
    if (!value.is_number_unsigned() || value.get<std::size_t>() > 1'000'000'000) {
      refuse(name_, 0, text::quoted(key) + " is no count or index");
    }
    return value.get<std::size_t>();
  }

  const Json& item(const char* key, std::size_t index) const {
    const Json& all = list(key);
    if (index >= all.size() || !all[index].is_object()) {
      refuse(name_, 0, "no number " + std::to_string(index) + " in " + text::quoted(key));
    }
    return all[index];
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
    claims_.error.matrix = std::max(claims_.error.matrix, 16 * off * most);
  }

  void check_accessor(std::size_t index) const {
    const Json& accessor = item("accessors", index);
    if (!accessor.contains("bufferView")) return;  // all zero; assimp refuses it where it is used
    const Json& view = item("bufferViews", count(accessor, "bufferView", 0));
    const std::size_t type = count(accessor, "componentType", 0);
    const std::size_t bytes = type == 5120 || type == 5121   ? 1
                              : type == 5122 || type == 5123 ? 2
                              : type == 5125 || type == 5126 ? 4
                                                             : 0;
    const std::string kind = accessor.value("type", Json()).is_string() ? accessor["type"] : "";
    std::size_t components = 0;
    for (const auto& [name, n] : {std::pair{"SCALAR", 1},
                                  {"VEC2", 2},
                                  {"VEC3", 3},
                                  {"VEC4", 4},
                                  {"MAT2", 4},
                                  {"MAT3", 9},
                                  {"MAT4", 16}}) {
      if (kind == name) components = static_cast<std::size_t>(n);
    }
    const std::size_t element = bytes * components, items = count(accessor, "count", 0);
    const std::size_t stride = count(view, "byteStride", element);
    const std::size_t begin = count(accessor, "byteOffset", 0);
    const bool right = element > 0 && items > 0 && stride >= element &&
                       begin + stride * (items - 1) + element <= count(view, "byteLength", 0);
    if (!right) {
      refuse(name_, 0,
             "accessor " + std::to_string(index) + " does not fit the view that it looks through");
    }
  }

  void check_primitive(const Json& primitive) {
    const std::size_t mode = primitive.is_object() ? count(primitive, "mode", 4) : 7;
    if (mode > 6 || !primitive.contains("attributes") || !primitive["attributes"].is_object() ||
        !primitive["attributes"].contains("POSITION")) {
      refuse(name_, 0, "a primitive without positions, or of an unknown mode");
    }
    const Json& positions = item("accessors", count(primitive["attributes"], "POSITION", 0));
    if (positions.value("type", Json()) != "VEC3" ||
        positions.value("componentType", Json()) != 5126) {
      refuse(name_, 0, "positions that are not three floats", "export without quantization");
    }
    std::size_t corners = count(positions, "count", 0);
    if (primitive.contains("indices")) {
      const Json& indices = item("accessors", count(primitive, "indices", 0));
      const std::size_t type = count(indices, "componentType", 0);
      if (indices.value("type", Json()) != "SCALAR" ||
          (type != 5121 && type != 5123 && type != 5125)) {
        refuse(name_, 0, "indices that are no whole numbers");
      }
      corners = count(indices, "count", 0);
    }
    if ((mode == 4 && corners % 3 != 0) || (mode >= 4 && corners < 3) || corners == 0) {
      refuse(name_, 0, std::to_string(corners) + " corners do not make triangles");
    }
    ++claims_.primitives;
    claims_.faces += mode == 4 ? corners / 3 : mode > 4 ? corners - 2 : 0;
  }

  const std::string& name_;
  Json document_;
  GltfClaims claims_;
};

/// One pass over the JSON of a glTF 2 file, or that inside a GLB.
inline GltfClaims check_gltf(std::string_view bytes, bool binary, const std::string& name) {
  std::string_view json = bytes;
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
  return GltfCheck(json, name).run();
}

}  // namespace keepclear::foreign
