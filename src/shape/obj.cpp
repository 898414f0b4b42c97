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
#include "rounding/rounding.hpp"
#include "shape/certificate.hpp"
#include "shape/mesh.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

/// Names, looks and display settings: nothing that moves or adds a surface.
constexpr std::array<std::string_view, 19> kWithoutShape = {
    "vn",     "vt",     "vp",       "g",        "o",   "s",          "mg",
    "usemtl", "mtllib", "usemap",   "maplib",   "lod", "shadow_obj", "trace_obj",
    "bevel",  "l",      "c_interp", "d_interp", "p"};

/// Of its size: a face that is thicker is not flat. Of such ones all triangles count, up to so many
/// corners.
constexpr double kWarped = 1e-6;
constexpr std::size_t kMostWarpedCorners = 24;

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
    keep_used_vertices();
    double far_hi = 0;
    for (const Vec3& p : mesh_.vertices) far_hi = std::max(far_hi, rounding::norm_hi(p));
    mesh_.vertex_error = rounding::up(rounding::kU * far_hi) + 2 * rounding::kEta;
    // Heights over a face round by a few products: less than 2^-46 of the largest coordinate.
    if (has_polygons_) mesh_.vertex_error += rounding::inflate(warp_ + 0x1p-46 * far_hi, 4);
    return std::move(mesh_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& hint = {}) const {
    throw Error(Error::Kind::malformed, name_, line_, what, hint);
  }

  std::string_view take_line() {
    const std::size_t end = std::min(rest_.find('\n'), rest_.size());
    std::string_view line = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
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

  /// A fan from the first corner. Of a polygon that is flat and not convex the fan covers more than
  /// the polygon, never less, and its corners are the same.
  void face(std::string_view line) {
    corners_.clear();
    for (auto word = text::take_word(line); !word.empty(); word = text::take_word(line)) {
      corners_.push_back(corner_index(word));
    }
    const std::size_t count = corners_.size();
    if (count < 3) refuse("a face of " + std::to_string(count) + " corners");
    if (count > 3 && is_warped()) {
      add_all_triangles();
      return;
    }
    for (std::size_t i = 2; i < count; ++i) add(0, i - 1, i);
  }

  void add(std::size_t i, std::size_t j, std::size_t k) {
    if (mesh_.triangles.size() >= kMaxMeshTriangles) refuse("too many faces");
    mesh_.triangles.push_back({corners_[i], corners_[j], corners_[k]});
  }

  /// A face that is not flat can be cut into triangles in several ways, and only who made it knows
  /// which. A little of that is in the vertex error: any two ways are within the thickness of the
  /// corners of each other.
  bool is_warped() {
    std::vector<Vec3> points;
    for (const std::uint32_t c : corners_) points.push_back(mesh_.vertices[c]);
    const certificate::Spread spread = certificate::measure(points);
    if (spread.thickness > kWarped * spread.length) return true;
    warp_ = std::max(warp_, 2 * spread.thickness);
    has_polygons_ = true;
    return false;
  }

  void add_all_triangles() {
    const std::size_t count = corners_.size();
    if (count > kMostWarpedCorners) {
      refuse("a face of " + std::to_string(count) + " corners that is not flat");
    }
    for (std::size_t i = 0; i < count; ++i) {
      for (std::size_t j = i + 1; j < count; ++j) {
        for (std::size_t k = j + 1; k < count; ++k) add(i, j, k);
      }
    }
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

  /// Vertices that no face uses are not part of the surface.
  void keep_used_vertices() {
    constexpr std::uint32_t kUnused = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> renamed(mesh_.vertices.size(), kUnused);
    for (const auto& t : mesh_.triangles) {
      for (const std::uint32_t v : t) renamed[v] = 0;
    }
    std::uint32_t kept = 0;
    for (std::size_t v = 0; v < renamed.size(); ++v) {
      if (renamed[v] == kUnused) continue;
      mesh_.vertices[kept] = mesh_.vertices[v];
      renamed[v] = kept++;
    }
    mesh_.vertices.resize(kept);
    for (auto& t : mesh_.triangles) {
      for (std::uint32_t& v : t) v = renamed[v];
    }
  }

  std::string_view rest_;
  const std::string& name_;
  int next_line_ = 1;                   ///< of the text in rest_
  int line_ = 0;                        ///< of the statement at hand
  std::vector<std::uint32_t> corners_;  ///< of the face at hand
  bool has_polygons_ = false;           ///< of more than three corners
  double warp_ = 0;                     ///< the thickest of them
  Mesh mesh_;
};

}  // namespace

Mesh parse_obj(std::span<const std::byte> bytes, const std::string& name) {
  if (bytes.size() > kMaxMeshBytes) {
    throw Error(Error::Kind::malformed, name, 0, "too large for a mesh file");
  }
  return ObjReader({reinterpret_cast<const char*>(bytes.data()), bytes.size()}, name).read();
}

}  // namespace keepclear
