// SPDX-License-Identifier: BSD-3-Clause
//
// The vertices of a PLY file. Its header declares elements of properties, scalars or lists; the
// data follow in that order, so that everything before the vertices must be walked over and
// everything after them shows whether the file is whole.
#include <array>
#include <vector>

#include "shape/cloud_parts.hpp"

namespace keepclear::cloud {
namespace {

struct Property {
  std::string_view name;
  Scalar type{};
  std::optional<Scalar> count_type;  ///< of a list
  int axis = -1;                     ///< 0, 1, 2 for x, y, z of the vertices
};

struct Element {
  std::string_view name;
  std::uint64_t count = 0;
  int line = 0;
  std::vector<Property> properties;
};

std::optional<Scalar> scalar_of(std::string_view word) {
  constexpr std::array<std::array<std::string_view, 2>, 8> kNames = {{{"char", "int8"},
                                                                      {"uchar", "uint8"},
                                                                      {"short", "int16"},
                                                                      {"ushort", "uint16"},
                                                                      {"int", "int32"},
                                                                      {"uint", "uint32"},
                                                                      {"float", "float32"},
                                                                      {"double", "float64"}}};
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (word == kNames[i][0] || word == kNames[i][1]) return static_cast<Scalar>(i);
  }
  return std::nullopt;
}

/// An integer that `type` holds.
bool fits(double value, Scalar type) {
  const int bits = static_cast<int>(8 * size_of(type));
  const bool is_signed = type == Scalar::int8 || type == Scalar::int16 || type == Scalar::int32;
  const double low = is_signed ? -std::ldexp(1.0, bits - 1) : 0;
  const double high = std::ldexp(1.0, is_signed ? bits - 1 : bits);
  return value >= low && value < high && value == std::floor(value);
}

class PlyReader {
 public:
  PlyReader(std::string_view bytes, const std::string& name)
      : lines_(bytes), name_(name), builder_(name) {}

  PointCloud read() {
    read_header();
    const Element& vertices = check_vertices();
    builder_.announce(vertices.count, vertices.line);
    data_ = lines_.rest();
    const std::size_t whole = data_.size();
    for (const Element& element : elements_) {
      check_room(element, (ascii_ ? lines_.rest() : data_).size());
      const bool is_vertex = &element == &vertices;
      if (is_vertex) builder_.reserve(static_cast<std::size_t>(element.count));
      for (index_ = 1; index_ <= element.count; ++index_) {
        ascii_ ? read_line(element, is_vertex) : read_binary(element, is_vertex);
      }
    }
    if (std::string_view line; ascii_ && lines_.next_filled(line)) {
      refuse(name_, lines_.number(), "more data than the header announces",
             "correct the counts of the header");
    }
    if (!ascii_ && !data_.empty()) {
      refuse(name_, 0,
             std::to_string(data_.size()) + " of " + std::to_string(whole) +
                 " bytes of data are more than the header announces",
             "correct the counts of the header");
    }
    return builder_.finish(ascii_);
  }

 private:
  [[noreturn]] void refuse_header(const std::string& what, const std::string& hint = {}) const {
    refuse(name_, lines_.number(), what, hint);
  }

  void read_header() {
    std::string_view line;
    if (!lines_.next(line) || text::take_word(line) != "ply" || !text::take_word(line).empty()) {
      refuse(name_, 1, "does not begin with a line 'ply'", "is it a PLY file?");
    }
    bool formatted = false;
    while (lines_.next(line)) {
      const std::string_view keyword = text::take_word(line);
      if (keyword == "comment" || keyword == "obj_info" || keyword.empty()) continue;
      if (keyword == "format" && !formatted) {
        read_format(line);
        formatted = true;
      } else if (keyword == "element") {
        read_element(line);
      } else if (keyword == "property") {
        read_property(line);
      } else if (keyword == "end_header") {
        if (!text::take_word(line).empty()) refuse_header("words after 'end_header'");
        if (!formatted) refuse_header("no line 'format' in the header");
        return;
      } else {
        refuse_header(keyword == "format"
                          ? "a second line 'format'"
                          : text::quoted(keyword) + " is no keyword of a PLY header");
      }
    }
    refuse_header("the header has no end", "the file is cut short or is not PLY");
  }

  void read_format(std::string_view line) {
    const std::string_view format = text::take_word(line), version = text::take_word(line);
    if (version != "1.0" || !text::take_word(line).empty()) {
      refuse_header("the format is not version 1.0");
    }
    ascii_ = format == "ascii";
    big_endian_ = format == "binary_big_endian";
    if (!ascii_ && !big_endian_ && format != "binary_little_endian") {
      refuse_header("unknown format " + text::quoted(format),
                    "ascii, binary_little_endian and binary_big_endian are read");
    }
  }

  void read_element(std::string_view line) {
    Element element;
    element.name = text::take_word(line);
    element.line = lines_.number();
    const std::string_view word = text::take_word(line);
    const auto count = parse_count(word);
    if (element.name.empty() || !count || !text::take_word(line).empty()) {
      refuse_header(text::quoted(word) + " is not the count of an element",
                    "the line is: element NAME COUNT");
    }
    element.count = *count;
    for (const Element& other : elements_) {
      if (other.name == element.name) {
        refuse_header("a second element " + text::quoted(element.name));
      }
    }
    // Each element is compared with all before it.
    if (elements_.size() == kMostDeclared) refuse_header("more elements than any PLY file has");
    elements_.push_back(std::move(element));
  }

  void read_property(std::string_view line) {
    if (elements_.empty()) refuse_header("a property before any element");
    Element& element = elements_.back();
    Property property;
    std::string_view type = text::take_word(line);
    if (type == "list") {
      const std::string_view counts = text::take_word(line);
      property.count_type = scalar_of(counts);
      if (!property.count_type || !is_integer(*property.count_type)) {
        refuse_header(text::quoted(counts) + " is no type for the length of a list");
      }
      type = text::take_word(line);
    }
    const auto scalar = scalar_of(type);
    property.name = text::take_word(line);
    if (!scalar || property.name.empty() || !text::take_word(line).empty()) {
      refuse_header(scalar ? "a property without a name of one word"
                           : text::quoted(type) + " is no type of a property");
    }
    property.type = *scalar;
    for (const Property& other : element.properties) {
      if (other.name == property.name) {
        refuse_header("a second property " + text::quoted(property.name));
      }
    }
    if (element.properties.size() == kMostDeclared) {
      refuse_header("more properties than any PLY file has");
    }
    element.properties.push_back(property);
  }

  const Element& check_vertices() {
    for (Element& element : elements_) {
      if (element.properties.empty() && element.count > 0) {
        refuse(name_, element.line,
               "the element " + text::quoted(element.name) + " has no properties");
      }
    }
    for (Element& element : elements_) {
      if (element.name != "vertex") continue;
      for (int axis = 0; axis < 3; ++axis) {
        const std::string_view wanted = std::string_view("xyz").substr(axis, 1);
        const auto found =
            std::find_if(element.properties.begin(), element.properties.end(),
                         [&](const Property& property) { return property.name == wanted; });
        if (found == element.properties.end() || found->count_type) {
          refuse(name_, element.line,
                 "the vertices have no scalar property '" + std::string(wanted) + "'");
        }
        found->axis = axis;
      }
      return element;
    }
    refuse_header("no element 'vertex'");
  }

  /// The count is believed once the file has the bytes that so many need at least.
  void check_room(const Element& element, std::size_t left) const {
    if (element.count == 0) return;
    std::size_t least = 0;
    for (const Property& property : element.properties) {
      least += ascii_ ? 2 : size_of(property.count_type.value_or(property.type));
    }
    // The last number of a text may end it.
    const std::size_t room = (left + (ascii_ ? 1 : 0)) / std::max<std::size_t>(least, 1);
    if (element.count > room) {
      refuse(name_, element.line,
             "the header announces " + std::to_string(element.count) + " of " +
                 text::quoted(element.name) + ", the file has room for " + std::to_string(room) +
                 " at most",
             "the file is cut short or its header is wrong");
    }
  }

  std::string place(const Element& element) const {
    return text::quoted(element.name) + " " + std::to_string(index_) + " of " +
           std::to_string(element.count);
  }

  std::string_view take_bytes(std::uint64_t size, const Element& element) {
    if (size > data_.size()) {
      refuse(name_, 0, "the file ends inside " + place(element), "the file is cut short");
    }
    const std::string_view taken = data_.substr(0, static_cast<std::size_t>(size));
    data_.remove_prefix(static_cast<std::size_t>(size));
    return taken;
  }

  void read_binary(const Element& element, bool is_vertex) {
    std::array<double, 3> p{};
    for (const Property& property : element.properties) {
      std::uint64_t count = 1;
      if (property.count_type) {
        const Scalar type = *property.count_type;
        const double stated = load_scalar(take_bytes(size_of(type), element), type, big_endian_);
        if (stated < 0) refuse(name_, 0, "a list of negative length in " + place(element));
        count = static_cast<std::uint64_t>(stated);
      }
      const std::string_view bytes = take_bytes(count * size_of(property.type), element);
      if (property.axis >= 0) p[property.axis] = load_scalar(bytes, property.type, big_endian_);
    }
    if (is_vertex) builder_.add({p[0], p[1], p[2]}, 0);
  }

  double take_number(std::string_view& line, const Element& element) const {
    const std::string_view word = text::take_word(line);
    const auto value = parse_any_number(word);
    if (!value) {
      refuse(name_, lines_.number(),
             word.empty() ? "too few numbers for " + place(element)
                          : place(element) + ": " + text::quoted(word) + " is not a number",
             word.empty() ? "each element is one line" : "");
    }
    return *value;
  }

  void read_line(const Element& element, bool is_vertex) {
    std::string_view line;
    if (!lines_.next_filled(line)) {
      refuse(name_, lines_.number(), "the file ends before " + place(element),
             "the file is cut short");
    }
    std::array<double, 3> p{};
    for (const Property& property : element.properties) {
      std::uint64_t count = 1;
      if (property.count_type) {
        const double stated = take_number(line, element);
        if (stated < 0 || !fits(stated, *property.count_type)) {
          refuse(name_, lines_.number(), "a list of no possible length in " + place(element));
        }
        count = static_cast<std::uint64_t>(stated);
      }
      for (; count > 0; --count) {
        const double value = take_number(line, element);
        if (property.axis < 0) continue;
        if (is_integer(property.type) && !fits(value, property.type)) {
          refuse(name_, lines_.number(),
                 place(element) + ": " + "xyz"[property.axis] +
                     " is not of the integer type that the header declares");
        }
        p[property.axis] = value;
      }
    }
    if (const std::string_view word = text::take_word(line); !word.empty()) {
      refuse(name_, lines_.number(),
             text::quoted(word) + " is more than the header declares for " + place(element),
             "each element is one line");
    }
    if (is_vertex) builder_.add({p[0], p[1], p[2]}, lines_.number());
  }

  static constexpr std::size_t kMostDeclared = 1000;

  Lines lines_;
  const std::string& name_;
  Builder builder_;
  std::vector<Element> elements_;
  std::string_view data_;  ///< what is left of a binary file
  std::uint64_t index_ = 0;
  bool ascii_ = false, big_endian_ = false;
};

}  // namespace

PointCloud parse_ply(std::string_view bytes, const std::string& name) {
  return PlyReader(bytes, name).read();
}

}  // namespace keepclear::cloud
