// SPDX-License-Identifier: BSD-3-Clause
//
// What the geometries of a Collada file claim: counts, strides, offsets and who refers to whom.
// assimp believes most of it and reads past the end of arrays, takes a coordinate for another, or
// aborts where it is wrong; so here it must all be right.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shape/foreign_words.hpp"

namespace keepclear::foreign {

class ColladaGeometry {
 public:
  explicit ColladaGeometry(const std::string& name) : name_(name) {}

  /// An element opens in `parent`; `tag` holds its attributes.
  void open(const std::string& element, const std::string& parent, std::string_view tag, int line) {
    const auto value = [&](std::string_view key) { return attribute(tag, key, name_, line); };
    const auto count = [&](std::string_view key, std::size_t absent) {
      const std::string word = value(key);
      return word.empty() ? absent : checked_count(word, name_, line);
    };
    if (element == "mesh") {
      in(parent == "geometry", element, line);
      mesh_ = {};
    } else if (element == "source") {
      in(parent == "mesh", element, line);
      source_ = Source{};
      source_id_ = value("id");
      if (sources_.count(source_id_)) refuse(name_, line, "a second source of the same name");
    } else if (element == "float_array") {
      in(parent == "source", element, line);
      if (!source_.array.empty()) refuse(name_, line, "a second array in one source");
      source_.array = value("id");
      if (source_.array.empty()) refuse(name_, line, "an array without a name");
      announced_ = count("count", 0);
      array_line_ = line;
    } else if (element == "accessor") {
      in(parent == "technique_common" && source_.accessor_line == 0, element, line);
      source_.accessor_line = line;
      if (value("source") != "#" + source_.array) {
        refuse(name_, line, "an accessor of another array than that of its source");
      }
      source_.count = count("count", 0);
      source_.stride = count("stride", 1);
      source_.offset = count("offset", 0);
    } else if (element == "param" && parent == "accessor") {
      source_.params.push_back(value("name"));
    } else if (element == "vertices") {
      in(parent == "mesh" && mesh_.vertices.empty(), element, line);
      mesh_.vertices = value("id");
      if (mesh_.vertices.empty()) refuse(name_, line, "vertices without a name");
    } else if (element == "input") {
      in(parent == "vertices" || primitive_, element, line);
      input(parent, value("semantic"), value("source"), count("offset", 0), line);
    } else if (is_primitive(element)) {
      in(parent == "mesh" && !primitive_, element, line);
      primitive_ = Primitive{element, count("count", 0), 0, 0, 0, {}, {}, line};
    } else if (element == "p" || element == "vcount") {
      in(primitive_ && parent == primitive_->kind, element, line);
    }
  }

  /// The words of a float_array, in number.
  void array(std::size_t numbers) { source_.size = numbers; }
  /// The words of a p or vcount.
  void indices(const std::string& element, const std::vector<std::size_t>& values, int line) {
    if (!primitive_) return;
    if (element == "p") {
      primitive_->corners.push_back(values.size());
    } else if (element == "vcount") {
      if (!primitive_->polygons.empty()) refuse(name_, line, "a second <vcount>");
      primitive_->polygons = values;
    }
  }

  void close(const std::string& element) {
    if (element == "float_array" && source_.size != announced_) {
      refuse(
          name_, array_line_,
          std::to_string(source_.size) + " numbers in an array of " + std::to_string(announced_));
    } else if (element == "source") {
      close_source();
    } else if (element == "mesh") {
      close_mesh();
    } else if (primitive_ && element == primitive_->kind) {
      close_primitive();
      primitive_.reset();
    }
  }

 private:
  struct Source {
    std::string array;
    std::size_t size = 0, count = 0, stride = 1, offset = 0;
    int accessor_line = 0;
    std::vector<std::string> params;
  };
  struct Primitive {
    std::string kind;
    std::size_t count = 0, offsets = 0, vertex_inputs = 0, normals = 0;
    std::vector<std::size_t> corners;   ///< the indices of each <p>
    std::vector<std::size_t> polygons;  ///< vcount
    int line = 0;
  };
  struct MeshClaim {
    std::string vertices, positions;
    int line = 0;
  };

  static bool is_primitive(const std::string& element) {
    for (const char* kind :
         {"triangles", "polylist", "polygons", "tristrips", "trifans", "lines", "linestrips"}) {
      if (element == kind) return true;
    }
    return false;
  }

  void in(bool right, const std::string& element, int line) const {
    if (!right) refuse(name_, line, "<" + element + "> in a place where it has no meaning");
  }

  void input(const std::string& parent, const std::string& semantic, const std::string& source,
             std::size_t offset, int line) {
    if (!source.starts_with("#")) refuse(name_, line, "an input from outside the file");
    if (parent == "vertices") {
      if (semantic == "VERTEX") refuse(name_, line, "vertices made of vertices");
      if (semantic != "POSITION") return;
      if (!mesh_.positions.empty()) refuse(name_, line, "two positions of one vertex");
      mesh_.positions = source.substr(1);
      mesh_.line = line;
      return;
    }
    if (offset > 63) refuse(name_, line, "an input at offset " + std::to_string(offset));
    primitive_->offsets = std::max(primitive_->offsets, offset + 1);
    if (semantic == "POSITION") refuse(name_, line, "a position outside <vertices>");
    if (semantic != "VERTEX") return;
    ++primitive_->vertex_inputs;
    if (source != "#" + mesh_.vertices) refuse(name_, line, "the vertices of another mesh");
  }

  void close_source() {
    if (source_.accessor_line > 0) {
      const bool fits = source_.stride >= 1 && source_.stride <= 1024 &&
                        source_.params.size() <= source_.stride &&
                        source_.offset + source_.count * source_.stride <= source_.size;
      if (!fits) {
        refuse(name_, source_.accessor_line, "an accessor that reaches beyond its array");
      }
    }
    sources_.emplace(source_id_, std::move(source_));
    source_ = {};
  }

  void close_mesh() {
    if (mesh_.positions.empty()) return;
    const auto found = sources_.find(mesh_.positions);
    if (found == sources_.end()) {
      refuse(name_, mesh_.line, "source " + text::quoted(mesh_.positions) + " is not in the mesh");
    }
    for (const char* axis : {"X", "Y", "Z"}) {
      const auto& params = found->second.params;
      if (std::count(params.begin(), params.end(), axis) != 1) {
        refuse(name_, found->second.accessor_line, "positions without one parameter for each axis",
               "the parameters of their accessor are called X, Y and Z");
      }
    }
  }

  void close_primitive() {
    const Primitive& p = *primitive_;
    std::size_t indices = 0;
    for (const std::size_t n : p.corners) indices += n;
    if (p.count == 0 && indices == 0) return;
    if (p.vertex_inputs != 1) refuse(name_, p.line, "<" + p.kind + "> without one VERTEX input");
    bool right = true;
    if (p.kind == "triangles" || p.kind == "lines") {
      const std::size_t each = p.kind == "lines" ? 2 : 3;
      right = p.corners.size() == 1 && indices == p.count * each * p.offsets;
    } else if (p.kind == "polylist") {
      std::size_t corners = 0;
      for (const std::size_t n : p.polygons) corners += n;
      right =
          p.corners.size() == 1 && p.polygons.size() == p.count && indices == corners * p.offsets;
    } else {
      const std::size_t least = p.kind == "linestrips" ? 2 : 3;
      right = p.corners.size() == p.count;
      for (const std::size_t n : p.corners) {
        right = right && n % p.offsets == 0 && n / p.offsets >= least;
      }
    }
    if (!right) {
      refuse(name_, p.line, "<" + p.kind + "> whose count does not agree with its indices");
    }
  }

  const std::string& name_;
  std::map<std::string, Source> sources_;
  Source source_;
  std::string source_id_;
  std::size_t announced_ = 0;
  int array_line_ = 0;
  MeshClaim mesh_;
  std::optional<Primitive> primitive_;
};

}  // namespace keepclear::foreign
