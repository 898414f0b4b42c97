// SPDX-License-Identifier: BSD-3-Clause
//
// What must hold of a DAE or PLY file before assimp sees it: bounded nesting, honest counts,
// finite numbers in a form that it reads well, and no reference that it would drop in silence.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "shape/collada_geometry.hpp"
#include "shape/foreign_words.hpp"

namespace keepclear::foreign {

/// One pass over a Collada file.
class ColladaCheck {
 public:
  ColladaCheck(std::string_view text, const std::string& name)
      : text_(text), name_(name), geometry_(name) {}

  /// A part of the text.
  struct Range {
    std::size_t begin, end;
  };
  /// Whole elements that make no shape (materials, animations, ...): nobody needs to read them.
  const std::vector<Range>& unused() const { return unused_; }

  TransformError run() {
    if (text_.find('\0') != std::string_view::npos) refuse(name_, 0, "not UTF-8 text");
    while (at_ < text_.size()) {
      const std::size_t tag = std::min(text_.find('<', at_), text_.size());
      count_lines(at_, tag);
      at_ = tag;
      if (at_ < text_.size()) markup();
    }
    if (!open_.empty()) refuse(name_, line_, "the file ends inside <" + open_.back() + ">");
    check_references();
    return {largest_error_, largest_error_ * largest_shift_};
  }

 private:
  struct Node {
    int parent = -1;
    std::string id;
    std::vector<std::string> instances;
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
    if (open_.size() == 1 && !makes_shape(element)) unused_.push_back({begin, begin});
    open_.push_back(element);
    if (!passing_over()) open(element, tag, tag_line);
    if (closed) return close();
    if (!passing_over()) numbers(element);
  }

  static bool makes_shape(const std::string& top) {
    return top == "asset" || top == "library_geometries" || top == "library_nodes" ||
           top == "library_visual_scenes" || top == "scene";
  }
  /// Inside an element that is not used, its own tags included.
  bool passing_over() const { return open_.size() >= 2 && !makes_shape(open_[1]); }

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
    geometry_.open(element, open_.size() > 1 ? open_[open_.size() - 2] : "", tag, line);
    if (element == "unit") {
      const std::string metres = attribute(tag, "meter", line);
      const double unit = metres.empty() ? 1 : checked_number(metres, name_, line);
      if (!(unit >= 1e-9 && unit <= 1e9)) refuse(name_, line, "a unit of " + metres + " m");
    } else if (element == "node") {
      Node node;
      node.id = attribute(tag, "id", line);
      node.parent = node_stack_.empty() ? -1 : node_stack_.back();
      const int index = static_cast<int>(nodes_.size());
      if (node.parent >= 0) nodes_[node.parent].children.push_back(index);
      if (!node.id.empty()) node_ids_.emplace(node.id, index);
      node_stack_.push_back(index);
      nodes_.push_back(std::move(node));
    } else if (element == "geometry") {
      geometry_ids_[attribute(tag, "id", line)]++;
    } else if (element == "instance_node" || element == "instance_geometry") {
      const std::string url = attribute(tag, "url", line);
      if (!url.starts_with("#") || node_stack_.empty()) {
        refuse(name_, line, "<" + element + "> refers outside the file or stands outside a node");
      }
      if (element == "instance_node") nodes_[node_stack_.back()].instances.push_back(url.substr(1));
      if (element == "instance_geometry") used_geometry_.emplace(url.substr(1), line);
    }
  }

  void close() {
    if (passing_over()) {
      unused_.back().end = at_;
    } else {
      geometry_.close(open_.back());
    }
    if (open_.back() == "node" && !passing_over() && !node_stack_.empty()) {
      const Node& node = nodes_[node_stack_.back()];
      // One element alone is no product; how its numbers are read is counted with the matrix.
      const bool alone = node.elements == 1 && !node.turns;
      if (!alone) largest_error_ = std::max(largest_error_, node.error * node.gain);
      largest_shift_ = std::max(largest_shift_, node.shift);
      node_stack_.pop_back();
    }
    open_.pop_back();
  }

  /// Checks the numbers of elements that make the shape, up to their closing tag.
  void numbers(const std::string& element) {
    const bool integers = element == "p" || element == "vcount";
    const bool transform =
        element == "matrix" || element == "translate" || element == "rotate" || element == "scale";
    if (!integers && !transform && element != "float_array") return;
    const std::size_t end = std::min(text_.find('<', at_), text_.size());
    std::string_view content = text_.substr(at_, end - at_);
    if (!text_.substr(end).starts_with("</")) {
      // assimp reads the text up to here and forgets the rest.
      refuse(name_, line_, "<" + element + "> holds more than numbers");
    }
    int line = line_;
    std::vector<double> values;
    std::vector<std::size_t> indices;
    std::size_t numbers = 0;
    const char* seen = content.data();
    for (auto word = text::take_word(content); !word.empty(); word = text::take_word(content)) {
      line += static_cast<int>(std::count(seen, word.data(), '\n'));
      seen = word.data();
      if (integers) {
        indices.push_back(checked_count(word, name_, line));
      } else {
        const double value = checked_number(word, name_, line);
        if (transform) values.push_back(value);
        ++numbers;
      }
    }
    if (integers) geometry_.indices(element, indices, line_);
    if (element == "float_array") geometry_.array(numbers);
    if (transform && !node_stack_.empty()) add_transform(element, values);
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
      // A translation that comes first, as exporters write it, is not multiplied.
      if (node.elements > 0) node.shift += node.gain * std::hypot(v[0], v[1], v[2]);
    } else if (element == "scale") {
      if (v[0] == 1 && v[1] == 1 && v[2] == 1) return;
      if (v[0] == 0 || v[1] == 0 || v[2] == 0) refuse(name_, line_, "a scale of zero");
      node.gain *= std::max({1.0, std::abs(v[0]), std::abs(v[1]), std::abs(v[2])});
    } else if (element == "matrix") {
      if (v[12] != 0 || v[13] != 0 || v[14] != 0 || v[15] != 1) {
        refuse(name_, line_, "a <matrix> whose last row is not 0 0 0 1");
      }
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
      node.turns = true;
      error += 4 * (std::abs(v[3]) / 57.0) * kUnit + 4 * off;
    }
    node.error += error;
    ++node.elements;
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
  std::map<std::string, int> geometry_ids_;
  std::multimap<std::string, int> used_geometry_;
  double largest_error_ = 0, largest_shift_ = 0;
  ColladaGeometry geometry_;
  std::vector<Range> unused_;
};

/// One pass over a PLY file: every count is paid for by bytes that are there, and in text each
/// element has its line, because assimp reads by lines and takes what is left of one for granted.
class PlyCheck {
 public:
  PlyCheck(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}

  void run() {
    if (take_line() != "ply") refuse(name_, 1, "not a PLY file");
    read_header();
    if (!has_vertices_) refuse(name_, 0, "no vertices with x, y and z");
    // assimp skips line ends behind the header, and with them bytes of the first number.
    if (!ascii_ && (rest_.starts_with('\n') || rest_.starts_with('\r'))) {
      refuse(name_, 0, "binary data that begins with the byte of a line end",
             "write the file as text, or as STL");
    }
    for (const Element& element : elements_) {
      for (std::size_t i = 0; i < element.count; ++i) {
        if (ascii_) {
          text_element(element);
        } else {
          binary_element(element);
        }
      }
    }
    if (!text::take_word(rest_).empty()) {
      refuse(name_, 0, "more data than the header announces", "is a count in the header wrong?");
    }
  }

 private:
  struct Property {
    std::size_t bytes = 0, count_bytes = 0;  ///< count_bytes of a list
    bool whole = false;                      ///< an integer, or a list of such
    bool is_list() const { return count_bytes > 0; }
  };
  struct Element {
    std::size_t count = 0;
    std::vector<Property> properties;
  };

  [[noreturn]] void cut_short() const {
    refuse(name_, 0, "less data than the header announces", "the file is cut short or no PLY");
  }

  std::string_view take_line() {
    const std::size_t end = rest_.find('\n');
    if (end == std::string_view::npos) refuse(name_, line_, "the file ends in its header");
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(end + 1);
    ++line_;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.starts_with(' ') || line.starts_with('\t')) {
      refuse(name_, line_ - 1, "a line of the header begins with a blank");
    }
    require_plain(line, line_ - 1);
    return line;
  }

  /// Form feeds and their like are blanks to some readers and not to others; assimp can hang there.
  void require_plain(std::string_view line, int at) const {
    for (const char c : line) {
      if ((static_cast<unsigned char>(c) < 0x20 && c != '\t') || c == 0x7f) {
        refuse(name_, at, "a control character in the text");
      }
    }
  }

  /// The words of one line, no more and no fewer.
  void text_element(const Element& element) {
    std::string_view line;
    std::string_view word;
    while (word.empty()) {
      if (rest_.empty()) cut_short();
      const std::size_t end = std::min(rest_.find('\n'), rest_.size());
      line = rest_.substr(0, end);
      rest_.remove_prefix(std::min(end + 1, rest_.size()));
      ++line_;
      if (line.ends_with('\r')) line.remove_suffix(1);
      require_plain(line, line_ - 1);
      word = text::take_word(line);
    }
    const int at = line_ - 1;
    const auto next = [&] {
      const std::string_view taken = word;
      if (taken.empty()) refuse(name_, at, "fewer numbers in a line than the header announces");
      word = text::take_word(line);
      return taken;
    };
    for (const Property& property : element.properties) {
      const std::size_t items = property.is_list() ? checked_count(next(), name_, at) : 1;
      for (std::size_t k = 0; k < items; ++k) {
        const std::string_view item = next();
        const double value = checked_number(item, name_, at);
        if (property.whole && item.find_first_not_of("0123456789-") != std::string_view::npos) {
          refuse(name_, at, text::quoted(item) + " is no whole number");
        }
        if (property.is_list() && value < 0 && property.whole && !strips_) {
          refuse(name_, at, text::quoted(item) + " is no index");
        }
      }
    }
    if (!word.empty()) refuse(name_, at, "more numbers in a line than the header announces");
  }

  void binary_element(const Element& element) {
    for (const Property& property : element.properties) {
      const std::size_t items = property.is_list() ? binary_count(property) : 1;
      if (items > rest_.size() / property.bytes) cut_short();
      rest_.remove_prefix(items * property.bytes);
    }
  }

  std::size_t binary_count(const Property& property) {
    if (rest_.size() < property.count_bytes) cut_short();
    std::size_t count = 0;
    for (std::size_t k = 0; k < property.count_bytes; ++k) {
      const std::size_t i = big_endian_ ? k : property.count_bytes - 1 - k;
      count = count << 8 | static_cast<unsigned char>(rest_[i]);
    }
    rest_.remove_prefix(property.count_bytes);
    return count;
  }

  std::size_t type_bytes(std::string_view type) const {
    for (const char* t : {"char", "uchar", "int8", "uint8"}) {
      if (type == t) return 1;
    }
    for (const char* t : {"short", "ushort", "int16", "uint16"}) {
      if (type == t) return 2;
    }
    for (const char* t : {"int", "uint", "float", "int32", "uint32", "float32"}) {
      if (type == t) return 4;
    }
    if (type == "double" || type == "float64") return 8;
    refuse(name_, line_ - 1, "unknown type " + text::quoted(type));
  }

  static bool is_whole(std::string_view type) {
    return !type.starts_with("float") && type != "double";
  }

  void read_header() {
    std::string_view element;
    std::string axes, seen = " ";
    for (std::string_view line = take_line();; line = take_line()) {
      const std::string_view keyword = text::take_word(line);
      if (keyword == "end_header") break;
      if (keyword == "format") {
        const std::string_view format = text::take_word(line);
        formatted_ = true;
        ascii_ = format == "ascii";
        big_endian_ = format == "binary_big_endian";
        if (!ascii_ && !big_endian_ && format != "binary_little_endian") {
          refuse(name_, line_ - 1, "unknown format " + text::quoted(format));
        }
      } else if (keyword == "element") {
        element = text::take_word(line);
        // Of a name that it does not know assimp takes the letters for the count.
        const bool known = element == "vertex" || element == "face" || element == "tristrips" ||
                           element == "edge" || element == "material";
        if (!known || seen.find(' ' + std::string(element) + ' ') != std::string::npos) {
          refuse(name_, line_ - 1, "unknown element " + text::quoted(element) + ", or a second one",
                 "vertex, face, tristrips, edge and material are read");
        }
        seen += std::string(element) + ' ';
        const std::size_t count = checked_count(text::take_word(line), name_, line_ - 1);
        if (count > rest_.size()) {
          refuse(name_, line_ - 1, "more elements than the file has room for");
        }
        elements_.push_back({count, {}});
        strips_ = strips_ || element == "tristrips";
        if (elements_.size() > 64) refuse(name_, line_ - 1, "too many kinds of element");
      } else if (keyword == "property") {
        if (elements_.empty()) refuse(name_, line_ - 1, "a property of nothing");
        Property property;
        std::string_view type = text::take_word(line);
        if (type == "list") {
          const std::string_view count_type = text::take_word(line);
          property.count_bytes = type_bytes(count_type);
          if (!is_whole(count_type)) refuse(name_, line_ - 1, "a list whose length is a fraction");
          type = text::take_word(line);
        }
        property.bytes = type_bytes(type);
        property.whole = is_whole(type);
        const std::string_view label = text::take_word(line);
        if (element == "vertex" && (label == "x" || label == "y" || label == "z")) {
          if (property.is_list()) refuse(name_, line_ - 1, "a list as a coordinate");
          axes += label;
        }
        const bool corners = label == "vertex_index" || label == "vertex_indices";
        if (corners && !(property.is_list() && property.whole)) {
          refuse(name_, line_ - 1, "corners of a face that are no list of whole numbers");
        }
        auto& properties = elements_.back().properties;
        properties.push_back(property);
        if (properties.size() > 256) refuse(name_, line_ - 1, "too many properties");
      } else if (keyword != "comment" && keyword != "obj_info") {
        refuse(name_, line_ - 1, "unknown header word " + text::quoted(keyword));
      }
    }
    for (const Element& e : elements_) {
      if (e.count > 0 && e.properties.empty()) refuse(name_, 0, "elements without properties");
    }
    if (!formatted_) refuse(name_, 2, "no format in the header");
    has_vertices_ = axes == "xyz";
  }

  std::string_view rest_;
  const std::string& name_;
  int line_ = 1;
  bool formatted_ = false, ascii_ = false, big_endian_ = false;
  bool has_vertices_ = false, strips_ = false;
  std::vector<Element> elements_;
};

}  // namespace keepclear::foreign
