// SPDX-License-Identifier: BSD-3-Clause
//
// What must hold of a DAE, PLY or glTF file before assimp sees it: bounded nesting, honest counts,
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

#include "keepclear/error.hpp"
#include "shape/text.hpp"

namespace keepclear::foreign {

/// Deeper than any exporter nests, far from what overflows assimp's stack.
inline constexpr int kMaxDepth = 64;
inline constexpr std::size_t kMaxInstances = 100'000;

/// How far assimp's float32 may take a transform of one node from what the file says, of which
/// `matrix` applies to the 3x3 part (spectral norm) and `shift` to the translation (metres).
struct TransformError {
  double matrix = 0, shift = 0;
};

[[noreturn]] inline void refuse(const std::string& name, int line, const std::string& what,
                                const std::string& hint = {}) {
  throw Error(Error::Kind::malformed, name, line, what, hint);
}

/// A finite number that assimp's own conversion reads to float32 accuracy: it overflows beyond 19
/// digits before the point and stops 15 digits after it, which an exponent would blow up.
inline double checked_number(std::string_view word, const std::string& name, int line) {
  const auto value = text::parse_number(word);
  if (!value || std::abs(*value) > 1e30) {
    refuse(name, line, text::quoted(word) + " is not a finite number of reasonable size");
  }
  const std::size_t e = word.find_first_of("eE");
  const std::string_view mantissa = word.substr(0, e);
  const std::size_t point = std::min(mantissa.find('.'), mantissa.size());
  const std::size_t decimals = mantissa.size() - std::min(point + 1, mantissa.size());
  const bool grows = e != std::string_view::npos && word[e + 1] != '-';
  if (point > 18 || (grows && decimals > 15)) {
    refuse(name, line, text::quoted(word) + " has too many digits");
  }
  return *value;
}

/// One pass over a Collada file.
class ColladaCheck {
 public:
  ColladaCheck(std::string_view text, const std::string& name) : text_(text), name_(name) {}

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
    open_.push_back(element);
    open(element, tag, tag_line);
    if (closed) return close();
    numbers(element);
  }

  static std::string attribute(std::string_view tag, std::string_view key) {
    for (std::size_t i = tag.find(key); i != std::string_view::npos; i = tag.find(key, i + 1)) {
      if (i > 0 && !text::is_blank(tag[i - 1])) continue;
      std::size_t at = i + key.size();
      while (at < tag.size() && text::is_blank(tag[at])) ++at;
      if (at >= tag.size() || tag[at] != '=') continue;
      do ++at;
      while (at < tag.size() && text::is_blank(tag[at]));
      if (at >= tag.size()) break;
      const std::size_t end = tag.find(tag[at], at + 1);
      if (end == std::string_view::npos) break;
      return std::string(tag.substr(at + 1, end - at - 1));
    }
    return {};
  }

  void open(const std::string& element, std::string_view tag, int line) {
    for (const char* other :
         {"spline", "convex_mesh", "brep", "ph", "h", "instance_controller", "lookat", "skew"}) {
      if (element == other) {
        refuse(name_, line, "<" + element + "> is not supported",
               "export the mesh as plain polygons, without skins");
      }
    }
    if (element == "node") {
      Node node;
      node.id = attribute(tag, "id");
      node.parent = node_stack_.empty() ? -1 : node_stack_.back();
      const int index = static_cast<int>(nodes_.size());
      if (node.parent >= 0) nodes_[node.parent].children.push_back(index);
      if (!node.id.empty()) node_ids_.emplace(node.id, index);
      node_stack_.push_back(index);
      nodes_.push_back(std::move(node));
    } else if (element == "geometry") {
      geometry_ids_[attribute(tag, "id")]++;
    } else if (element == "instance_node" || element == "instance_geometry") {
      const std::string url = attribute(tag, "url");
      if (!url.starts_with("#") || node_stack_.empty()) {
        refuse(name_, line, "<" + element + "> refers outside the file or stands outside a node");
      }
      if (element == "instance_node") nodes_[node_stack_.back()].instances.push_back(url.substr(1));
      if (element == "instance_geometry") used_geometry_.emplace(url.substr(1), line);
    }
  }

  void close() {
    if (open_.back() == "node" && !node_stack_.empty()) {
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
    const bool integers = element == "p" || element == "vcount" || element == "v";
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
    const char* seen = content.data();
    for (auto word = text::take_word(content); !word.empty(); word = text::take_word(content)) {
      line += static_cast<int>(std::count(seen, word.data(), '\n'));
      seen = word.data();
      if (integers) {
        const bool digits =
            std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (!digits && element != "v") refuse(name_, line, text::quoted(word) + " is no index");
      } else {
        const double value = checked_number(word, name_, line);
        if (transform) values.push_back(value);
      }
    }
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
};

/// One pass over a PLY file: every count is paid for by bytes that are there.
class PlyCheck {
 public:
  PlyCheck(std::string_view bytes, const std::string& name) : rest_(bytes), name_(name) {}

  void run() {
    if (take_line() != "ply") refuse(name_, 1, "not a PLY file");
    read_header();
    if (!has_vertices_) refuse(name_, 0, "no vertices with x, y and z");
    for (const Element& element : elements_) {
      for (std::size_t i = 0; i < element.count; ++i) {
        for (const Property& property : element.properties) {
          const std::size_t items = property.is_list() ? take_count(property) : 1;
          if (ascii_) {
            for (std::size_t k = 0; k < items; ++k) checked_number(take(), name_, line_);
          } else {
            if (items > rest_.size() / property.bytes) cut_short();
            rest_.remove_prefix(items * property.bytes);
          }
        }
      }
    }
  }

 private:
  struct Property {
    std::size_t bytes = 0, count_bytes = 0;  ///< count_bytes of a list
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
    return line;
  }

  std::string_view take() {
    const std::string_view word = text::take_word(rest_);
    if (word.empty()) cut_short();
    return word;
  }

  std::size_t take_count(const Property& property) {
    if (ascii_) {
      const double count = checked_number(take(), name_, line_);
      if (!(count >= 0 && count <= 1e9 && count == std::floor(count))) cut_short();
      return static_cast<std::size_t>(count);
    }
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

  void read_header() {
    std::string_view element;
    std::string axes;
    for (std::string_view line = take_line();; line = take_line()) {
      const std::string_view keyword = text::take_word(line);
      if (keyword == "end_header") break;
      if (keyword == "format") {
        const std::string_view format = text::take_word(line);
        ascii_ = format == "ascii";
        big_endian_ = format == "binary_big_endian";
        if (!ascii_ && !big_endian_ && format != "binary_little_endian") {
          refuse(name_, line_ - 1, "unknown format " + text::quoted(format));
        }
      } else if (keyword == "element") {
        element = text::take_word(line);
        const auto count = text::parse_number(text::take_word(line));
        if (!count || *count < 0 || *count > static_cast<double>(rest_.size())) {
          refuse(name_, line_ - 1, "more elements than the file has room for");
        }
        elements_.push_back({static_cast<std::size_t>(*count), {}});
        if (elements_.size() > 64) refuse(name_, line_ - 1, "too many kinds of element");
      } else if (keyword == "property") {
        if (elements_.empty()) refuse(name_, line_ - 1, "a property of nothing");
        Property property;
        std::string_view type = text::take_word(line);
        if (type == "list") {
          property.count_bytes = type_bytes(text::take_word(line));
          type = text::take_word(line);
        }
        property.bytes = type_bytes(type);
        const std::string_view label = text::take_word(line);
        if (element == "vertex" && (label == "x" || label == "y" || label == "z")) axes += label;
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
    has_vertices_ = axes == "xyz";
  }

  std::string_view rest_;
  const std::string& name_;
  int line_ = 1;
  bool ascii_ = false, big_endian_ = false, has_vertices_ = false;
  std::vector<Element> elements_;
};

/// One pass over the JSON of a glTF 2 file, or that inside a GLB.
inline void check_gltf(std::string_view bytes, bool binary, const std::string& name) {
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
      if (word == "extensionsRequired" || word == "skins" || word == "targets") {
        refuse(name, line, text::quoted(word) + " is not supported",
               "export plain triangles, without compression, skins or morphs");
      }
    }
  }
  if (links > 512) refuse(name, 0, "nesting too deep, or too many escapes");
}

}  // namespace keepclear::foreign
