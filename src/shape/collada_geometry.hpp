// SPDX-License-Identifier: BSD-3-Clause
//
// What the geometries of a Collada file claim: counts, strides, offsets and who refers to whom.
// assimp believes most of it and reads past the end of arrays, takes a coordinate for another, or
// aborts where it is wrong; so here it must all be right. Then every polygon, by its own numbers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shape/foreign_words.hpp"
#include "shape/surface_claim.hpp"

namespace keepclear::foreign {

class ColladaGeometry {
 public:
  ColladaGeometry(const std::string& name, SurfaceClaim& claim) : name_(name), claim_(claim) {}

  /// The elements of each geometry by its id, as indices into the claim: those that have polygons
  /// or lines, in the order of the file.
  const std::map<std::string, std::vector<std::size_t>>& elements_of() const {
    return elements_of_;
  }

  /// An element opens in `parent`; `tag` holds its attributes.
  void open(const std::string& element, const std::string& parent, std::string_view tag, int line) {
    const auto value = [&](std::string_view key) { return attribute(tag, key, name_, line); };
    const auto count = [&](std::string_view key, std::size_t absent) {
      const std::string word = value(key);
      return word.empty() ? absent : checked_count(word, name_, line);
    };
    if (element == "geometry") {
      in(parent == "library_geometries", element, line);
      geometry_id_ = value("id");
      has_mesh_ = false;
      elements_of_.try_emplace(geometry_id_);
    } else if (element == "mesh") {
      in(parent == "geometry" && !has_mesh_, element, line);
      has_mesh_ = true;
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
      in(parent == "vertices" || (primitive_ && parent == primitive_->kind), element, line);
      input(parent, value("semantic"), value("source"), count("offset", 0), line);
    } else if (is_primitive(element)) {
      in(parent == "mesh" && !primitive_, element, line);
      primitive_ = Element{element, count("count", 0), 0, 0, 0, {}, {}, line};
    } else if (element == "p" || element == "vcount") {
      in(primitive_ && parent == primitive_->kind, element, line);
    }
  }

  /// The numbers of a float_array.
  void array(std::vector<double> numbers) { source_.numbers = std::move(numbers); }
  /// The words of a p or vcount.
  void indices(const std::string& element, std::vector<std::uint32_t> values, int line) {
    if (!primitive_) return;
    if (element == "p") {
      primitive_->lists.push_back(std::move(values));
    } else if (element == "vcount") {
      if (!primitive_->polygons.empty()) refuse(name_, line, "a second <vcount>");
      primitive_->polygons = std::move(values);
    }
  }

  void close(const std::string& element) {
    if (element == "float_array" && source_.numbers.size() != announced_) {
      refuse(name_, array_line_,
             std::to_string(source_.numbers.size()) + " numbers in an array of " +
                 std::to_string(announced_));
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
    std::vector<double> numbers;
    std::size_t count = 0, stride = 1, offset = 0;
    int accessor_line = 0;
    std::vector<std::string> params;
  };
  struct Element {
    std::string kind;
    std::size_t count = 0, offsets = 0, vertex_inputs = 0, vertex_offset = 0;
    std::vector<std::vector<std::uint32_t>> lists;  ///< the indices of each <p>
    std::vector<std::uint32_t> polygons;            ///< vcount
    int line = 0;
  };
  struct MeshClaim {
    std::string vertices, positions;
    int line = 0;
    std::optional<std::size_t> claimed;  ///< where the claim has the positions
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
    primitive_->vertex_offset = offset;
    if (source != "#" + mesh_.vertices) refuse(name_, line, "the vertices of another mesh");
  }

  void close_source() {
    if (source_.accessor_line > 0) {
      const bool fits = source_.stride >= 1 && source_.stride <= 1024 &&
                        source_.params.size() <= source_.stride &&
                        source_.offset + source_.count * source_.stride <= source_.numbers.size();
      if (!fits) {
        refuse(name_, source_.accessor_line, "an accessor that reaches beyond its array");
      }
    }
    sources_.emplace(source_id_, std::move(source_));
    source_ = {};
  }

  void close_mesh() {
    if (!mesh_.positions.empty()) check_positions();
    // Names stay known, so that no two are alike; the numbers have been used.
    for (auto& [id, source] : sources_) source.numbers = {};
  }

  const Source& check_positions() const {
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
    return found->second;
  }

  /// Where the claim has the positions of the mesh, which are put there for its first element.
  std::size_t claimed_positions() {
    if (mesh_.claimed) return *mesh_.claimed;
    if (mesh_.positions.empty()) refuse(name_, primitive_->line, "a mesh without positions");
    const Source& source = check_positions();
    const auto column = [&](const char* axis) {
      return static_cast<std::size_t>(std::find(source.params.begin(), source.params.end(), axis) -
                                      source.params.begin());
    };
    const std::size_t x = column("X"), y = column("Y"), z = column("Z");
    std::vector<Vec3> positions(source.count);
    for (std::size_t i = 0; i < source.count; ++i) {
      const double* at = source.numbers.data() + source.offset + i * source.stride;
      positions[i] = {at[x], at[y], at[z]};
    }
    claim_.positions.push_back(std::move(positions));
    mesh_.claimed = claim_.positions.size() - 1;
    return *mesh_.claimed;
  }

  void close_primitive() {
    const Element& p = *primitive_;
    std::size_t indices = 0;
    for (const auto& list : p.lists) indices += list.size();
    if (p.count == 0 && indices == 0) return;
    if (p.vertex_inputs != 1) refuse(name_, p.line, "<" + p.kind + "> without one VERTEX input");
    bool right = true;
    if (p.kind == "triangles" || p.kind == "lines") {
      const std::size_t each = p.kind == "lines" ? 2 : 3;
      right = p.lists.size() == 1 && indices == p.count * each * p.offsets;
    } else if (p.kind == "polylist") {
      std::size_t corners = 0;
      for (const std::uint32_t n : p.polygons) corners += n;
      right = p.lists.size() == 1 && p.polygons.size() == p.count && indices == corners * p.offsets;
    } else {
      // assimp takes a strip of fewer for one of 2^64 triangles.
      const std::size_t least = p.kind == "linestrips" ? 2 : p.kind == "polygons" ? 1 : 3;
      right = p.lists.size() == p.count;
      for (const auto& list : p.lists) {
        right = right && list.size() % p.offsets == 0 && list.size() / p.offsets >= least;
      }
    }
    if (!right) {
      refuse(name_, p.line, "<" + p.kind + "> whose count does not agree with its indices");
    }
    claim_primitive(p);
  }

  void claim_primitive(const Element& p) {
    Primitive made;
    made.place = "<" + p.kind + "> of geometry " + text::quoted(geometry_id_);
    made.line = p.line;
    made.positions = claimed_positions();
    made.has_surface = p.kind != "lines" && p.kind != "linestrips";
    const std::size_t points = claim_.positions[made.positions].size();
    for (const auto& list : p.lists) {
      std::vector<std::uint32_t> corners;
      for (std::size_t i = p.vertex_offset; i < list.size(); i += p.offsets) {
        if (list[i] >= points) {
          refuse(name_, p.line,
                 "<" + p.kind + ">: no position " + std::to_string(list[i]) + ", there are " +
                     std::to_string(points) + ", counted from zero");
        }
        corners.push_back(list[i]);
      }
      claim_polygons(p, corners, made);
    }
    elements_of_[geometry_id_].push_back(claim_.primitives.size());
    claim_.primitives.push_back(std::move(made));
  }

  /// The polygons of one <p>. assimp takes a fan for one polygon, which is cut into the same fan.
  static void claim_polygons(const Element& p, const std::vector<std::uint32_t>& corners,
                             Primitive& made) {
    const auto take = [&](std::size_t first, std::size_t size) {
      const auto begin = corners.begin() + static_cast<std::ptrdiff_t>(first);
      made.corners.insert(made.corners.end(), begin, begin + static_cast<std::ptrdiff_t>(size));
      made.sizes.push_back(static_cast<std::uint32_t>(size));
    };
    if (!made.has_surface) return;
    if (p.kind == "polylist") {
      std::size_t first = 0;
      for (const std::uint32_t size : p.polygons) {
        take(first, size);
        first += size;
      }
    } else if (p.kind == "triangles") {
      for (std::size_t i = 0; i < corners.size(); i += 3) take(i, 3);
    } else if (p.kind == "tristrips") {
      for (std::size_t i = 2; i < corners.size(); ++i) {
        const bool turned = i % 2 == 1;
        made.add({corners[turned ? i - 1 : i - 2], corners[turned ? i - 2 : i - 1], corners[i]});
      }
    } else {
      take(0, corners.size());
      made.is_fan = p.kind == "trifans";
    }
  }

  const std::string& name_;
  SurfaceClaim& claim_;
  std::map<std::string, std::vector<std::size_t>> elements_of_;
  std::string geometry_id_;
  bool has_mesh_ = false;
  std::map<std::string, Source> sources_;
  Source source_;
  std::string source_id_;
  std::size_t announced_ = 0;
  int array_line_ = 0;
  MeshClaim mesh_;
  std::optional<Element> primitive_;
};

}  // namespace keepclear::foreign
