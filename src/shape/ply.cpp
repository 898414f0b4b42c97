// SPDX-License-Identifier: BSD-3-Clause
#include "shape/ply.hpp"

namespace keepclear::ply {
namespace {

using cloud::load_scalar;
using cloud::parse_any_number;
using cloud::parse_count;
using cloud::refuse;
using cloud::Scalar;
using cloud::size_of;

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

/// No point and no exponent.
bool has_digits_only(std::string_view word) {
  return word.find_first_not_of("+-0123456789") == std::string_view::npos;
}

/// Far beyond what any file declares, so that comparing each with all before it costs nothing.
constexpr std::size_t kMostDeclared = 1000;

}  // namespace

Document::Document(std::string_view bytes, const std::string& name) : lines_(bytes), name_(name) {
  read_header();
  for (const Element& element : elements_) {
    if (element.properties.empty() && element.count > 0) {
      refuse(name_, element.line,
             "the element " + text::quoted(element.name) + " has no properties");
    }
  }
}

void Document::walk(Taker& taker) {
  data_ = lines_.rest();
  const std::size_t whole = data_.size();
  for (const Element& element : elements_) {
    check_room(element, (is_ascii_ ? lines_.rest() : data_).size());
    taker.begin(element);
    for (row_.index = 1; row_.index <= element.count; ++row_.index) {
      row_.corners.clear();
      is_ascii_ ? read_line(element) : read_binary(element);
      taker.take(element, row_);
    }
  }
  if (std::string_view line; is_ascii_ && lines_.next_filled(line)) {
    refuse(name_, lines_.number(), "more data than the header announces",
           "correct the counts of the header");
  }
  if (!is_ascii_ && !data_.empty()) {
    refuse(name_, 0,
           std::to_string(data_.size()) + " of " + std::to_string(whole) +
               " bytes of data are more than the header announces",
           "correct the counts of the header");
  }
}

void Document::refuse_header(const std::string& what, const std::string& hint) const {
  refuse(name_, lines_.number(), what, hint);
}

void Document::read_header() {
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
      refuse_header(keyword == "format" ? "a second line 'format'"
                                        : text::quoted(keyword) + " is no keyword of a PLY header");
    }
  }
  refuse_header("the header has no end", "the file is cut short or is not PLY");
}

void Document::read_format(std::string_view line) {
  const std::string_view format = text::take_word(line), version = text::take_word(line);
  if (version != "1.0" || !text::take_word(line).empty()) {
    refuse_header("the format is not version 1.0");
  }
  is_ascii_ = format == "ascii";
  is_big_endian_ = format == "binary_big_endian";
  if (!is_ascii_ && !is_big_endian_ && format != "binary_little_endian") {
    refuse_header("unknown format " + text::quoted(format),
                  "ascii, binary_little_endian and binary_big_endian are read");
  }
}

void Document::read_element(std::string_view line) {
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

void Document::read_property(std::string_view line) {
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

const Element& Document::want_vertices() {
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
void Document::check_room(const Element& element, std::size_t left) const {
  if (element.count == 0) return;
  std::size_t least = 0;
  for (const Property& property : element.properties) {
    least += is_ascii_ ? 2 : size_of(property.count_type.value_or(property.type));
  }
  // The last number of a text may end it.
  const std::size_t room = (left + (is_ascii_ ? 1 : 0)) / std::max<std::size_t>(least, 1);
  if (element.count > room) {
    refuse(name_, element.line,
           "the header announces " + std::to_string(element.count) + " of " +
               text::quoted(element.name) + ", the file has room for " + std::to_string(room) +
               " at most",
           "the file is cut short or its header is wrong");
  }
}

std::string Document::place(const Element& element) const {
  return text::quoted(element.name) + " " + std::to_string(row_.index) + " of " +
         std::to_string(element.count);
}

std::string_view Document::take_bytes(std::uint64_t size, const Element& element) {
  if (size > data_.size()) {
    refuse(name_, 0, "the file ends inside " + place(element), "the file is cut short");
  }
  const std::string_view taken = data_.substr(0, static_cast<std::size_t>(size));
  data_.remove_prefix(static_cast<std::size_t>(size));
  return taken;
}

void Document::read_binary(const Element& element) {
  for (const Property& property : element.properties) {
    std::uint64_t count = 1;
    if (property.count_type) {
      const Scalar type = *property.count_type;
      const double stated = load_scalar(take_bytes(size_of(type), element), type, is_big_endian_);
      if (stated < 0) refuse(name_, 0, "a list of negative length in " + place(element));
      count = static_cast<std::uint64_t>(stated);
    }
    const std::size_t size = size_of(property.type);
    const std::string_view bytes = take_bytes(count * size, element);
    if (property.axis >= 0)
      row_.p[property.axis] = load_scalar(bytes, property.type, is_big_endian_);
    if (!property.is_corners) continue;
    for (std::size_t at = 0; at < bytes.size(); at += size) {
      const double value = load_scalar(bytes.substr(at), property.type, is_big_endian_);
      row_.corners.push_back(static_cast<std::int64_t>(value));
    }
  }
}

double Document::take_number(std::string_view& line, const Element& element) const {
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

/// A number of a text that is wanted: of an integer type, it is a whole one without point or
/// exponent.
double Document::take_stored(std::string_view& line, const Property& property,
                             const Element& element) const {
  std::string_view ahead = line;
  const double value = take_number(line, element);
  if (!is_integer(property.type)) return value;
  const std::string_view word = text::take_word(ahead);
  if (!fits(value, property.type) || !has_digits_only(word)) {
    refuse(name_, lines_.number(),
           place(element) + ": " + std::string(property.name) +
               " is not of the integer type that the header declares: " + text::quoted(word));
  }
  return value;
}

void Document::read_line(const Element& element) {
  std::string_view line;
  if (!lines_.next_filled(line)) {
    refuse(name_, lines_.number(), "the file ends before " + place(element),
           "the file is cut short");
  }
  row_.line = lines_.number();
  for (const Property& property : element.properties) {
    std::uint64_t count = 1;
    if (property.count_type) {
      std::string_view ahead = line;
      const double stated = take_number(line, element);
      if (stated < 0 || !fits(stated, *property.count_type) ||
          !has_digits_only(text::take_word(ahead))) {
        refuse(name_, lines_.number(), "a list of no possible length in " + place(element));
      }
      count = static_cast<std::uint64_t>(stated);
    }
    for (; count > 0; --count) {
      if (property.axis >= 0) {
        row_.p[property.axis] = take_stored(line, property, element);
      } else if (property.is_corners) {
        row_.corners.push_back(static_cast<std::int64_t>(take_stored(line, property, element)));
      } else {
        take_number(line, element);
      }
    }
  }
  if (const std::string_view word = text::take_word(line); !word.empty()) {
    refuse(name_, lines_.number(),
           text::quoted(word) + " is more than the header declares for " + place(element),
           "each element is one line");
  }
}

}  // namespace keepclear::ply
