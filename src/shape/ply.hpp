// SPDX-License-Identifier: BSD-3-Clause
//
// PLY: a header declares elements of properties, scalars or lists; the data follow in that order,
// so that everything before what is wanted must be walked over, and everything after it shows
// whether the file is whole. For ply_points.cpp and ply_mesh.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shape/cloud_parts.hpp"

namespace keepclear::ply {

struct Property {
  std::string_view name;
  cloud::Scalar type{};
  std::optional<cloud::Scalar> count_type;  ///< of a list
  int axis = -1;                            ///< of a scalar: where in Row::p it is wanted
  bool is_corners = false;                  ///< of a list of integers: wanted in Row::corners
};

struct Element {
  std::string_view name;
  std::uint64_t count = 0;
  int line = 0;  ///< in the header
  std::vector<Property> properties;
};

/// What is wanted of one element.
struct Row {
  std::array<double, 3> p{};
  std::vector<std::int64_t> corners;
  std::uint64_t index = 0;  ///< from one
  int line = 0;             ///< 0 in binary files
};

/// Who takes the elements of a file, in its order.
class Taker {
 public:
  /// Called before the first of its elements. The file has room for as many as the header
  /// announces.
  virtual void begin(const Element&) {}
  virtual void take(const Element& element, const Row& row) = 0;

 protected:
  ~Taker() = default;
};

/// A PLY file in memory. Strict: whatever is malformed, missing or left over is refused, with the
/// line where there are lines.
class Document {
 public:
  /// Reads the header. `bytes` and `name` must outlive the document.
  Document(std::string_view bytes, const std::string& name);

  bool is_ascii() const { return is_ascii_; }
  std::vector<Element>& elements() { return elements_; }
  /// The element `vertex`, whose x, y and z are now wanted. Refuses a file without them.
  const Element& want_vertices();
  /// Walks the data once.
  void walk(Taker& taker);

 private:
  [[noreturn]] void refuse_header(const std::string& what, const std::string& hint = {}) const;
  void read_header();
  void read_format(std::string_view line);
  void read_element(std::string_view line);
  void read_property(std::string_view line);
  void check_room(const Element& element, std::size_t left) const;
  std::string place(const Element& element) const;
  std::string_view take_bytes(std::uint64_t size, const Element& element);
  void read_binary(const Element& element);
  double take_number(std::string_view& line, const Element& element) const;
  double take_stored(std::string_view& line, const Property& property,
                     const Element& element) const;
  void read_line(const Element& element);

  cloud::Lines lines_;
  const std::string& name_;
  std::vector<Element> elements_;
  std::string_view data_;  ///< what is left of a binary file
  Row row_;
  bool is_ascii_ = false, is_big_endian_ = false;
};

}  // namespace keepclear::ply
