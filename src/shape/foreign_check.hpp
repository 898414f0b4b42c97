// SPDX-License-Identifier: BSD-3-Clause
//
// What must hold of a DAE file before assimp sees it: bounded nesting, honest counts, finite
// numbers in a form that it reads well, and no reference that it would drop in silence. And what
// the file says that its surface is, to compare with what assimp makes of it.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <map>
#include <numbers>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "shape/collada_geometry.hpp"
#include "shape/foreign_words.hpp"
#include "shape/surface_claim.hpp"

namespace keepclear::foreign {

/// One pass over a Collada file.
class ColladaCheck {
 public:
  ColladaCheck(std::string_view text, const std::string& name)
      : text_(text), name_(name), geometry_(name, claim_) {}

  /// A part of the text.
  struct Range {
    std::size_t begin, end;
  };
  /// Whole elements that make no shape (materials, animations, ...): nobody needs to read them, and
  /// of materials bound to an instance assimp loses count.
  const std::vector<Range>& unused() const { return unused_; }

  SurfaceClaim run() {
    if (text_.find('\0') != std::string_view::npos) refuse(name_, 0, "not UTF-8 text");
    while (at_ < text_.size()) {
      const std::size_t tag = std::min(text_.find('<', at_), text_.size());
      count_lines(at_, tag);
      at_ = tag;
      if (at_ < text_.size()) markup();
    }
    if (!open_.empty()) refuse(name_, line_, "the file ends inside <" + open_.back() + ">");
    check_references();
    show_scene();
    claim_.error = {largest_error_, largest_error_ * largest_shift_};
    return std::move(claim_);
  }

 private:
  struct Node {
    int parent = -1;
    std::string id, name;
    bool in_library = false;  ///< directly: where assimp looks first, by ids alone
    std::vector<std::string> instances, geometries;
    std::vector<Step> steps;     ///< as they stand in the file: the last is applied first
    double gain = 1, shift = 0;  ///< what its transforms amount to
    double error = 0;            ///< the sum of their float32 errors, before the gain
    int elements = 0;
    bool turns = false;
    std::size_t expanded = 0;  ///< nodes below it, instances resolved; 0 = not known yet
    int depth = 0;
    std::vector<int> children;
  };

  void count_lines(std::size_t begin, std::size_t end) {
    line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(begin),
                                         text_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
  }

  void skip_past(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) refuse(name_, line_, "unfinished markup");
    count_lines(at_, found);
    at_ = found + end.size();
  }

  void markup() {
    const std::string_view rest = text_.substr(at_);
    if (rest.starts_with("<!--")) return skip_past("-->");
    if (rest.starts_with("<?")) return skip_past("?>");
    if (rest.starts_with("<!")) {
      refuse(name_, line_, "a document type, entity or CDATA section", "plain Collada has none");
    }
    // To the closing bracket; one inside quotes does not count.
    const int tag_line = line_;
    const std::size_t begin = at_;
    std::size_t end = at_ + 1;
    for (char quote = 0; end < text_.size() && (quote || text_[end] != '>'); ++end) {
      const char c = text_[end];
      if (c == '\n') ++line_;
      if (quote ? c == quote : (c == '"' || c == '\'')) quote = quote ? 0 : c;
    }
    if (end >= text_.size()) refuse(name_, tag_line, "unfinished tag");
    std::string_view tag = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    if (tag.starts_with("/")) {
      tag.remove_prefix(1);
      if (open_.empty() || text::take_word(tag) != open_.back()) {
        refuse(name_, tag_line, "a closing tag that nothing opened");
      }
      return close();
    }
    const bool closed = tag.ends_with("/");
    if (closed) tag.remove_suffix(1);
    const std::string element(text::take_word(tag));
    if (open_.size() >= kMaxDepth) refuse(name_, tag_line, "nesting too deep");
    if (skipped_from_ == 0 && (open_.size() == 1 ? !makes_shape(element) : is_aside(element))) {
      unused_.push_back({begin, begin});
      skipped_from_ = open_.size() + 1;
    }
    open_.push_back(element);
    if (!passing_over()) open(element, tag, tag_line);
    if (closed) return close();
    if (!passing_over()) numbers(element);
  }

  static bool makes_shape(const std::string& top) {
    return top == "asset" || top == "library_geometries" || top == "library_nodes" ||
           top == "library_visual_scenes" || top == "scene";
  }
  /// Inside the elements that make a shape.
  static bool is_aside(const std::string& element) {
    return element == "extra" || element == "bind_material";
  }
  /// Inside an element that is not used, its own tags included.
  bool passing_over() const { return skipped_from_ > 0; }
  std::string_view parent() const {
    return open_.size() > 1 ? std::string_view(open_[open_.size() - 2]) : std::string_view();
  }

  std::string attribute(std::string_view tag, std::string_view key, int line) const {
    return foreign::attribute(tag, key, name_, line);
  }

  void open(const std::string& element, std::string_view tag, int line) {
    for (const char* other :
         {"spline", "convex_mesh", "brep", "ph", "h", "instance_controller", "lookat", "skew"}) {
      if (element == other) {
        refuse(name_, line, "<" + element + "> is not supported",
               "export the mesh as plain polygons, without skins");
      }
    }
    require_known(element, line);
    geometry_.open(element, std::string(parent()), tag, line);
    if (element == "unit") {
      open_unit(tag, line);
    } else if (element == "visual_scene") {
      require(parent() == "library_visual_scenes", element, line);
      if (!scenes_.try_emplace(attribute(tag, "id", line)).second) {
        refuse(name_, line, "a second visual scene of the same name");
      }
      scene_ = attribute(tag, "id", line);
    } else if (element == "instance_visual_scene") {
      require(parent() == "scene", element, line);
      if (shown_line_ > 0) refuse(name_, line, "a second visual scene is shown");
      shown_ = attribute(tag, "url", line);
      shown_line_ = line;
    } else if (element == "node") {
      require(parent() == "node" || parent() == "visual_scene" || parent() == "library_nodes",
              element, line);
      Node node;
      node.id = attribute(tag, "id", line);
      node.name = attribute(tag, "name", line);
      node.in_library = parent() == "library_nodes";
      node.parent = node_stack_.empty() ? -1 : node_stack_.back();
      const int index = static_cast<int>(nodes_.size());
      if (node.parent >= 0) nodes_[node.parent].children.push_back(index);
      if (parent() == "visual_scene") scenes_[scene_].push_back(index);
      if (!node.id.empty()) node_ids_.emplace(node.id, index);
      if (node.name != node.id) names_.insert(node.name);
      node_stack_.push_back(index);
      nodes_.push_back(std::move(node));
    } else if (element == "geometry") {
      geometry_ids_[attribute(tag, "id", line)]++;
    } else if (element == "instance_node" || element == "instance_geometry") {
      const std::string url = attribute(tag, "url", line);
      if (!url.starts_with("#") || parent() != "node") {
        refuse(name_, line, "<" + element + "> refers outside the file or stands outside a node");
      }
      Node& node = nodes_[node_stack_.back()];
      if (element == "instance_node") node.instances.push_back(url.substr(1));
      if (element == "instance_geometry") {
        node.geometries.push_back(url.substr(1));
        used_geometry_.emplace(url.substr(1), line);
      }
    }
  }

  void require(bool right, const std::string& element, int line) const {
    if (!right) refuse(name_, line, "<" + element + "> in a place where it has no meaning");
  }

  /// Of the file as a whole: assimp knows no other.
  /// What places shapes has no elements but these; another spelling, or a prefix, would be passed
  /// over, and a shape with it.
  void require_known(const std::string& element, int line) const {
    static const std::map<std::string, std::set<std::string>, std::less<>> kChildren{
        {"COLLADA",
         {"asset", "library_geometries", "library_nodes", "library_visual_scenes", "scene"}},
        {"asset",
         {"contributor", "coverage", "created", "keywords", "modified", "revision", "subject",
          "title", "unit", "up_axis"}},
        {"library_nodes", {"asset", "node"}},
        {"library_visual_scenes", {"asset", "visual_scene"}},
        {"visual_scene", {"asset", "node", "evaluate_scene"}},
        {"scene", {"instance_visual_scene", "instance_physics_scene", "instance_kinematics_scene"}},
        {"node",
         {"asset", "matrix", "translate", "rotate", "scale", "node", "instance_node",
          "instance_geometry", "instance_camera", "instance_light"}}};
    if (element.find(':') != std::string::npos) {
      refuse(name_, line, "<" + element + "> is not known: what it says would be lost",
             "write Collada's elements without a prefix");
    }
    const auto known = kChildren.find(parent());
    if (known == kChildren.end() || known->second.count(element) > 0) return;
    refuse(name_, line,
           "<" + element + "> in <" + std::string(parent()) +
               "> is not known: what it says would be lost",
           "correct its name, or remove it");
  }

  void open_unit(std::string_view tag, int line) {
    const std::string metres = attribute(tag, "meter", line);
    const bool says_another = tag.find('=') != std::string_view::npos &&
                              attribute(tag, "name", line).empty() && metres.empty();
    if (says_another) refuse(name_, line, "<unit> without 'meter'", "write meter=\"1\"");
    const double unit = metres.empty() ? 1 : checked_number(metres, name_, line);
    if (!(unit >= 1e-9 && unit <= 1e9)) refuse(name_, line, "a unit of " + metres + " m");
    const bool is_whole = open_.size() == 3 && parent() == "asset";
    if (is_whole && unit_line_ > 0) refuse(name_, line, "a second unit");
    if (is_whole) {
      unit_ = unit;
      unit_line_ = line;
    } else {
      other_units_.emplace_back(unit, line);
    }
  }

  void close() {
    const std::string closed = open_.back();
    open_.pop_back();
    if (passing_over()) {
      if (open_.size() + 1 == skipped_from_) {
        unused_.back().end = at_;
        skipped_from_ = 0;
      }
      return;
    }
    geometry_.close(closed);
    if (closed != "node") return;
    const Node& node = nodes_[node_stack_.back()];
    // One element alone is no product; how its numbers are read is counted with the matrix.
    const bool alone = node.elements == 1 && !node.turns;
    if (!alone) largest_error_ = std::max(largest_error_, node.error * node.gain);
    largest_shift_ = std::max(largest_shift_, node.shift);
    node_stack_.pop_back();
  }

  /// Checks the numbers of elements that make the shape, up to their closing tag.
  void numbers(const std::string& element) {
    const bool integers = element == "p" || element == "vcount";
    const bool transform =
        element == "matrix" || element == "translate" || element == "rotate" || element == "scale";
    if (!integers && !transform && element != "float_array") return;
    if (transform) require(parent() == "node", element, line_);
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    std::string_view content = text_.substr(at_, end - at_);
    if (!text_.substr(end).starts_with("</")) {
      // assimp reads the text up to here and forgets the rest.
      refuse(name_, line_, "<" + element + "> holds more than numbers");
    }
    int line = line_;
    std::vector<double> values;
    std::vector<std::uint32_t> indices;
    const char* seen = content.data();
    for (auto word = text::take_word(content); !word.empty(); word = text::take_word(content)) {
      line += static_cast<int>(std::count(seen, word.data(), '\n'));
      seen = word.data();
      if (integers) {
        indices.push_back(static_cast<std::uint32_t>(checked_count(word, name_, line)));
      } else {
        values.push_back(checked_number(word, name_, line));
      }
    }
    if (transform) add_transform(element, values);
    if (integers) geometry_.indices(element, std::move(indices), line_);
    if (element == "float_array") geometry_.array(std::move(values));
  }

  void add_transform(const std::string& element, const std::vector<double>& v) {
    Node& node = nodes_[node_stack_.back()];
    const std::size_t expected = element == "matrix" ? 16 : element == "rotate" ? 4 : 3;
    if (v.size() != expected) {
      refuse(name_, line_, "<" + element + "> of " + std::to_string(v.size()) + " numbers");
    }
    // assimp multiplies the elements of a node in float32. With spectral norms whose product is at
    // most `gain`, each product is off by at most 12 units of 2^-24 times the gain (4 for the sums
    // of four terms, 3 from spectral to Frobenius norms), each element by at most as much again for
    // reading its numbers, and a rotation by that of its angle and of the length of its axis.
    constexpr double kUnit = 0x1p-24;
    double error = 24 * kUnit;
    if (element == "translate") {
      node.steps.push_back(step({}, {v[0], v[1], v[2]}));
      // A translation that comes first, as exporters write it, is not multiplied.
      if (node.elements > 0) node.shift += node.gain * std::hypot(v[0], v[1], v[2]);
    } else if (element == "scale") {
      if (v[0] == 1 && v[1] == 1 && v[2] == 1) return;
      if (v[0] == 0 || v[1] == 0 || v[2] == 0) refuse(name_, line_, "a scale of zero");
      node.steps.push_back(step({{v[0], 0, 0}, {0, v[1], 0}, {0, 0, v[2]}}, {}));
      node.gain *= std::max({1.0, std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
    } else if (element == "matrix") {
      if (v[12] != 0 || v[13] != 0 || v[14] != 0 || v[15] != 1) {
        refuse(name_, line_, "a <matrix> whose last row is not 0 0 0 1");
      }
      node.steps.push_back(
          step({{v[0], v[1], v[2]}, {v[4], v[5], v[6]}, {v[8], v[9], v[10]}}, {v[3], v[7], v[11]}));
      double squares = 0;
      for (const std::size_t i : {0, 1, 2, 4, 5, 6, 8, 9, 10}) squares += v[i] * v[i];
      if (node.elements > 0) node.shift += node.gain * std::hypot(v[3], v[7], v[11]);
      node.gain *= std::max(1.0, 1.001 * std::sqrt(squares));
    } else {
      if (v[3] == 0) return;
      const double off = std::abs(std::hypot(v[0], v[1], v[2]) - 1);
      if (off > 1e-5 || std::abs(v[3]) > 720) {
        refuse(name_, line_, "a <rotate> about an axis not of length one, or by more than 720");
      }
      node.steps.push_back(step(turn({v[0], v[1], v[2]}, v[3]), {}));
      node.turns = true;
      error += 4 * (std::abs(v[3]) / 57.0) * kUnit + 4 * off;
    }
    node.error += error;
    ++node.elements;
  }

  /// Rodrigues' formula, for an axis of nearly length one and degrees.
  static Mat3 turn(Vec3 axis, double degrees) {
    const Vec3 k = (1 / norm(axis)) * axis;
    const double angle = degrees * (std::numbers::pi / 180);
    const double s = std::sin(angle), c = std::cos(angle), d = 1 - c;
    return {{c + d * k.x * k.x, d * k.x * k.y - s * k.z, d * k.x * k.z + s * k.y},
            {d * k.x * k.y + s * k.z, c + d * k.y * k.y, d * k.y * k.z - s * k.x},
            {d * k.x * k.z - s * k.y, d * k.y * k.z + s * k.x, c + d * k.z * k.z}};
  }

  /// Puts what the scene shows into the claim, in the order in which assimp does: the geometries of
  /// a node, the nodes below it, the nodes that it instances.
  void show_scene() {
    if (shown_line_ == 0) {
      refuse(name_, 0, "no <scene> with an <instance_visual_scene>: nothing says what is shown");
    }
    const auto found = shown_.starts_with("#") ? scenes_.find(shown_.substr(1)) : scenes_.end();
    if (found == scenes_.end()) {
      refuse(name_, shown_line_, "visual scene " + text::quoted(shown_) + " is not in the file");
    }
    if (node_ids_.count(found->first) > 0) {
      refuse(name_, shown_line_, "a node has the id of the visual scene " + text::quoted(shown_));
    }
    for (const auto& [unit, line] : other_units_) {
      if (unit != unit_) refuse(name_, line, "a unit other than that of the file");
    }
    claim_.frames.push_back({-1, {step({{unit_, 0, 0}, {0, unit_, 0}, {0, 0, unit_}}, {})}});
    for (const int node : found->second) show(node, 0);
  }

  void show(int index, int parent) {
    const Node& node = nodes_[index];
    const int frame = static_cast<int>(claim_.frames.size());
    claim_.frames.push_back({parent, {node.steps.rbegin(), node.steps.rend()}});
    for (const std::string& id : node.geometries) {
      for (const std::size_t element : geometry_.elements_of().at(id)) {
        if (claim_.shown.size() >= kMaxInstances) refuse(name_, 0, "too many elements are shown");
        claim_.shown.push_back({element, frame});
      }
    }
    for (const int child : node.children) show(child, frame);
    for (const std::string& id : node.instances) show(node_ids_.find(id)->second, frame);
  }

  /// Every instance must be there, once; what they expand to must be bounded.
  void check_references() {
    for (const auto& [id, line] : used_geometry_) {
      const auto found = geometry_ids_.find(id);
      if (found == geometry_ids_.end() || found->second != 1) {
        refuse(name_, line, "geometry " + text::quoted(id) + " is not in the file, or twice");
      }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) expand(static_cast<int>(i), 0);
    std::size_t total = 0;
    for (const Node& node : nodes_) total += node.parent < 0 ? node.expanded : 0;
    if (total > kMaxInstances) refuse(name_, 0, "too many nodes");
  }

  void expand(int index, int level) {
    if (nodes_[index].expanded) return;
    if (level > kMaxDepth) refuse(name_, 0, "nodes that contain each other, or nested too deep");
    std::size_t expanded = 1;
    int depth = 1;
    std::vector<int> below = nodes_[index].children;
    for (const std::string& id : nodes_[index].instances) {
      const auto [first, last] = node_ids_.equal_range(id);
      if (first == last || std::next(first) != last) {
        refuse(name_, 0, "node " + text::quoted(id) + " is not in the file, or twice");
      }
      // Elsewhere it takes the first node of the scene with that name or id, and for a node that
      // has its own name it never comes back.
      if (!nodes_[first->second].in_library && names_.count(id) > 0) {
        refuse(name_, 0,
               "node " + text::quoted(id) + " is instanced by its id, and a node has that name");
      }
      below.push_back(first->second);
    }
    for (const int child : below) {
      expand(child, level + 1);
      expanded += nodes_[child].expanded;
      depth = std::max(depth, nodes_[child].depth + 1);
      if (expanded > kMaxInstances) refuse(name_, 0, "too many nodes");
      if (depth > kMaxDepth) refuse(name_, 0, "nesting too deep");
    }
    nodes_[index].expanded = expanded;
    nodes_[index].depth = depth;
  }

  std::string_view text_;
  const std::string& name_;
  std::size_t at_ = 0;
  int line_ = 1;
  std::vector<std::string> open_;
  std::vector<Node> nodes_;
  std::vector<int> node_stack_;
  std::multimap<std::string, int> node_ids_;
  std::set<std::string> names_;  ///< of nodes with another id
  std::map<std::string, int> geometry_ids_;
  std::multimap<std::string, int> used_geometry_;
  double largest_error_ = 0, largest_shift_ = 0;
  double unit_ = 1;
  int unit_line_ = 0;
  std::vector<std::pair<double, int>> other_units_;  ///< with their lines
  std::map<std::string, std::vector<int>> scenes_;   ///< their nodes, by their ids
  std::string scene_, shown_;  ///< the one that is open; the one that is shown
  int shown_line_ = 0;
  SurfaceClaim claim_;
  ColladaGeometry geometry_;
  std::vector<Range> unused_;
  std::size_t skipped_from_ = 0;  ///< depth of the element that is passed over; 0 for none
};

}  // namespace keepclear::foreign
