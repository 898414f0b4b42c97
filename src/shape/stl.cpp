// SPDX-License-Identifier: BSD-3-Clause
//
// STL, binary and ASCII. The float32 numbers of the binary form are doubles exactly; the decimal
// ones are read to the nearest double.
#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <string_view>

#include "keepclear/error.hpp"
#include "rounding/rounding.hpp"
#include "shape/mesh.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

constexpr std::size_t kHeaderBytes = 84, kFacetBytes = 50;

[[noreturn]] void refuse(const std::string& name, int line, const std::string& what,
                         const std::string& hint = {}) {
  throw Error(Error::Kind::malformed, name, line, what, hint);
}

std::uint32_t read_u32(const std::byte* at) {
  // Little-endian in the file, whatever the machine.
  return std::to_integer<std::uint32_t>(at[0]) | std::to_integer<std::uint32_t>(at[1]) << 8 |
         std::to_integer<std::uint32_t>(at[2]) << 16 | std::to_integer<std::uint32_t>(at[3]) << 24;
}

double read_float(const std::byte* at) {
  return static_cast<double>(std::bit_cast<float>(read_u32(at)));
}

Mesh parse_binary(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() < kHeaderBytes) refuse(name, 0, "too short for an STL file");
  const std::size_t count = read_u32(bytes.data() + 80);
  const std::size_t room = (bytes.size() - kHeaderBytes) / kFacetBytes;
  if (count > room) {
    refuse(name, 0,
           "the header announces " + std::to_string(count) + " facets, the file holds " +
               std::to_string(room),
           "the file is cut short or is not STL");
  }
  if (count == 0) refuse(name, 0, "no facets");
  // Less than a facet after the last one is padding that some programs write. More could be facets
  // that the count leaves out, and a shape must not lose any.
  if (count < room) {
    refuse(name, 0,
           "the header announces " + std::to_string(count) + " facets, but data for " +
               std::to_string(room) + " is there");
  }
  if (count > kMaxMeshTriangles) refuse(name, 0, "too many facets: " + std::to_string(count));
  Mesh mesh;
  mesh.vertices.reserve(3 * count);
  mesh.triangles.reserve(count);
  for (std::size_t facet = 0; facet < count; ++facet) {
    // The normal in front and the attribute behind say nothing about where the triangle is.
    const std::byte* at = bytes.data() + kHeaderBytes + kFacetBytes * facet + 12;
    for (int vertex = 0; vertex < 3; ++vertex, at += 12) {
      const Vec3 p{read_float(at), read_float(at + 4), read_float(at + 8)};
      if (!is_finite(p)) {
        refuse(name, 0,
               "facet " + std::to_string(facet + 1) + " of " + std::to_string(count) + ": vertex " +
                   std::to_string(vertex + 1) + " is not finite");
      }
      mesh.vertices.push_back(p);
    }
    const auto first = static_cast<std::uint32_t>(3 * facet);
    mesh.triangles.push_back({first, first + 1, first + 2});
  }
  return mesh;
}

/// Words with the line that they stand on.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  std::string_view next() {
    while (at_ < text_.size() && text::is_blank(text_[at_])) step();
    const std::size_t begin = at_;
    word_line_ = line_;
    while (at_ < text_.size() && !text::is_blank(text_[at_])) ++at_;
    return text_.substr(begin, at_ - begin);
  }
  /// To the end of the line, whichever way it ends. What is passed over is a name: a word of the
  /// grammar in it is a line end that was lost, and a facet with it; that word is returned.
  std::string_view skip_line() {
    const std::size_t end = std::min(text_.find_first_of("\r\n", at_), text_.size());
    std::string_view rest = text_.substr(at_, end - at_);
    at_ = end;
    while (true) {
      const std::string_view word = text::take_word(rest);
      if (word.empty()) return {};
      for (const char* taken : {"facet", "vertex", "outer", "endloop", "endfacet", "endsolid"}) {
        if (text::equal_ignoring_case(word, taken)) return word;
      }
    }
  }
  /// Of the last word.
  int line() const { return word_line_; }

 private:
  void step() {
    if (text_[at_] == '\n' && line_ < std::numeric_limits<int>::max()) ++line_;
    ++at_;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1, word_line_ = 1;
};

class AsciiReader {
 public:
  AsciiReader(std::string_view text, const std::string& name) : words_(text), name_(name) {}

  Mesh read() {
    std::string_view word = words_.next();
    while (!word.empty()) {
      if (!text::equal_ignoring_case(word, "solid")) {
        refuse(name_, words_.line(), "expected 'solid', found " + text::quoted(word));
      }
      skip_name();
      for (word = words_.next(); text::equal_ignoring_case(word, "facet"); word = words_.next()) {
        read_facet();
      }
      if (!text::equal_ignoring_case(word, "endsolid")) {
        refuse(name_, words_.line(),
               word.empty() ? "the file ends inside a solid"
                            : "expected 'facet' or 'endsolid', found " + text::quoted(word));
      }
      skip_name();
      word = words_.next();
    }
    if (mesh_.triangles.empty()) refuse(name_, 0, "no facets");
    double far_hi = 0;
    for (const Vec3& p : mesh_.vertices) far_hi = std::max(far_hi, rounding::norm_hi(p));
    // Each coordinate is the nearest double of what is written.
    mesh_.vertex_error = rounding::up(rounding::kU * far_hi) + 2 * rounding::kEta;
    return std::move(mesh_);
  }

 private:
  void skip_name() {
    const std::string_view word = words_.skip_line();
    if (word.empty()) return;
    refuse(name_, words_.line(), text::quoted(word) + " in the name of a solid",
           "begin a new line before it, or name the solid otherwise");
  }
  void expect(std::string_view keyword) {
    const std::string_view word = words_.next();
    if (text::equal_ignoring_case(word, keyword)) return;
    refuse(name_, words_.line(),
           "expected '" + std::string(keyword) + "', " +
               (word.empty() ? "the file ends" : "found " + text::quoted(word)));
  }

  void read_facet() {
    if (mesh_.triangles.size() >= kMaxMeshTriangles)
      refuse(name_, words_.line(), "too many facets");
    expect("normal");
    // Not used, and often nan for a degenerate triangle.
    for (int i = 0; i < 3; ++i) words_.next();
    expect("outer");
    expect("loop");
    const auto first = static_cast<std::uint32_t>(mesh_.vertices.size());
    for (int vertex = 0; vertex < 3; ++vertex) {
      expect("vertex");
      const double x = read_coordinate(vertex), y = read_coordinate(vertex);
      mesh_.vertices.push_back({x, y, read_coordinate(vertex)});
    }
    expect("endloop");
    expect("endfacet");
    mesh_.triangles.push_back({first, first + 1, first + 2});
  }

  double read_coordinate(int vertex) {
    const std::string_view word = words_.next();
    if (const auto value = text::parse_number(word)) return *value;
    refuse(name_, words_.line(),
           "facet " + std::to_string(mesh_.triangles.size() + 1) + ", vertex " +
               std::to_string(vertex + 1) + ": " + text::quoted(word) + " is not a finite number");
  }

  Words words_;
  const std::string& name_;
  Mesh mesh_;
};

bool begins_with_solid(std::string_view text) {
  constexpr std::string_view keyword = "solid";
  std::size_t at = 0;
  while (at < text.size() && text::is_blank(text[at])) ++at;
  return text::equal_ignoring_case(text.substr(at, keyword.size()), keyword);
}

}  // namespace

Mesh parse_stl(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() > kMaxMeshBytes) refuse(name, 0, "too large for a mesh file");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  // The size decides, because many binary files begin with the word solid. Text never passes for
  // binary: four of its bytes as a count are beyond what kMaxMeshBytes can hold.
  const bool fits =
      bytes.size() >= kHeaderBytes &&
      bytes.size() - kHeaderBytes == kFacetBytes * std::size_t{read_u32(bytes.data() + 80)};
  if (fits || !begins_with_solid(text)) return parse_binary(bytes, name);
  if (text.find('\0') != std::string_view::npos) {
    refuse(name, 0, "begins like text but holds zero bytes, and its size fits no binary STL",
           "the file is cut short or has bytes appended");
  }
  return AsciiReader(text, name).read();
}

}  // namespace keepclear
