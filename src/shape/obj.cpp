// SPDX-License-Identifier: BSD-3-Clause
//
// Wavefront OBJ: the polygons. Lines and points (l, p) have no surface and are left out, as every
// robot tool does. Statements that make surfaces in other ways, and those that we do not know, are
// refused: a shape must not lose a part in silence.
#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string_view>

#include "keepclear/error.hpp"
#include "shape/mesh.hpp"
#include "shape/polygons.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

/// Names, looks and display settings: nothing that moves or adds a surface.
constexpr std::array<std::string_view, 19> kWithoutShape = {
    "vn",     "vt",     "vp",       "g",        "o",   "s",          "mg",
    "usemtl", "mtllib", "usemap",   "maplib",   "lod", "shadow_obj", "trace_obj",
    "bevel",  "l",      "c_interp", "d_interp", "p"};

class ObjReader {
 public:
  ObjReader(std::string_view text, const std::string& name) : rest_(text), name_(name) {}

  Mesh read() {
    std::string joined;
    while (!rest_.empty()) {
      std::string_view line = take_line();
      // A backslash at the end joins the next line; the statement keeps its first line's number.
      const int first_line = next_line_ - 1;
      if (ends_in_backslash(line)) {
        joined.clear();
        while (ends_in_backslash(line)) {
          joined.append(line.substr(0, line.find_last_of('\\'))).push_back(' ');
          line = take_line();
        }
        joined.append(line);
        line = joined;
      }
      line_ = first_line;
      statement(line.substr(0, line.find('#')));
    }
    if (mesh_.triangles.empty()) refuse("no faces", "only a surface is a shape");
    polygons_.finish(true);
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& hint = {}) const {
    throw Error(Error::Kind::malformed, name_, line_, what, hint);
  }

  std::string_view take_line() {
    // A line ends with \n, \r\n or \r: files put together from several have them all.
    const std::size_t end = std::min(rest_.find_first_of("\r\n"), rest_.size());
    const std::string_view line = rest_.substr(0, end);
    const bool two = rest_.substr(end).starts_with("\r\n");
    rest_.remove_prefix(std::min(end + (two ? 2 : 1), rest_.size()));
    if (next_line_ < std::numeric_limits<int>::max()) ++next_line_;
    return line;
  }

  static bool ends_in_backslash(std::string_view line) {
    return !line.empty() && line.back() == '\\' && line.find('#') == std::string_view::npos;
  }

  void statement(std::string_view line) {
    const std::string_view keyword = text::take_word(line);
    if (keyword.empty()) return;
    if (keyword == "v") return vertex(line);
    if (keyword == "f") return face(line);
    if (std::find(kWithoutShape.begin(), kWithoutShape.end(), keyword) != kWithoutShape.end()) {
      return;
    }
    refuse("statement " + text::quoted(keyword) + " is not supported",
           "export the mesh as plain polygons (v and f)");
  }

  void vertex(std::string_view line) {
    std::array<double, 6> values{};
    std::size_t count = 0;
    for (auto word = text::take_word(line); !word.empty(); word = text::take_word(line)) {
      const auto value = text::parse_number(word);
      if (!value) {
        refuse("vertex " + std::to_string(mesh_.vertices.size() + 1) + ": " + text::quoted(word) +
               " is not a finite number");
      }
      if (count == values.size()) refuse("a vertex of more than six numbers");
      values[count++] = *value;
    }
    // x y z, x y z w, or x y z and a colour.
    if (count != 3 && count != 4 && count != 6) {
      refuse("a vertex of " + std::to_string(count) + " numbers");
    }
    if (count == 4 && values[3] != 1) refuse("a vertex with a weight other than 1");
    if (mesh_.vertices.size() >= std::numeric_limits<std::int32_t>::max()) {
      refuse("too many vertices");
    }
    mesh_.vertices.push_back({values[0], values[1], values[2]});
  }

  void face(std::string_view line) {
    corners_.clear();
    for (auto word = text::take_word(line); !word.empty(); word = text::take_word(line)) {
      corners_.push_back(corner_index(word));
    }
    if (corners_.size() < 3) refuse("a face of " + std::to_string(corners_.size()) + " corners");
    polygons_.add(corners_, line_, "a face", 0);
  }

  /// v, v/vt, v//vn or v/vt/vn: the index of v from zero.
  std::uint32_t corner_index(std::string_view word) const {
    const std::size_t slash = word.find('/');
    const auto index = integer(word.substr(0, slash), word);
    // Texture and normal do not matter, but must look like it.
    if (slash != std::string_view::npos) {
      const std::string_view more = word.substr(slash + 1);
      const std::size_t second = more.find('/');
      const std::string_view texture = more.substr(0, second);
      if (!texture.empty()) integer(texture, word);
      if (second != std::string_view::npos) integer(more.substr(second + 1), word);
      if (second == std::string_view::npos && texture.empty()) integer("", word);
    }
    const auto count = static_cast<std::int64_t>(mesh_.vertices.size());
    const std::int64_t from_zero = index > 0 ? index - 1 : count + index;
    if (index == 0 || from_zero < 0 || from_zero >= count) {
      refuse("face corner " + text::quoted(word) + ": no such vertex, " + std::to_string(count) +
             " are known here");
    }
    return static_cast<std::uint32_t>(from_zero);
  }

  std::int64_t integer(std::string_view digits, std::string_view word) const {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    constexpr std::int64_t kFar = std::int64_t{1} << 40;
    if (error != std::errc{} || end != digits.data() + digits.size() || value > kFar ||
        value < -kFar) {
      refuse("face corner " + text::quoted(word) + " is not v, v/vt, v//vn or v/vt/vn");
    }
    return value;
  }

  std::string_view rest_;
  const std::string& name_;
  int next_line_ = 1;                   ///< of the text in rest_
  int line_ = 0;                        ///< of the statement at hand
  std::vector<std::uint32_t> corners_;  ///< of the face at hand
  Mesh mesh_;
  Polygons polygons_{mesh_, name_};
};

}  // namespace

Mesh parse_obj(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() > kMaxMeshBytes) {
    throw Error(Error::Kind::malformed, name, 0, "too large for a mesh file");
  }
  return ObjReader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name).read();
}

}  // namespace keepclear
