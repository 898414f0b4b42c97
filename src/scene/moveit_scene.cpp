// SPDX-License-Identifier: BSD-3-Clause
//
// MoveIt's text format for the objects of a planning scene, as PlanningScene::saveGeometryToStream
// writes it. One thing a line:
//
//   name of the scene
//   * name of an object
//   x y z                    pose of the object, since MoveIt 1.1; before, there was none
//   qx qy qz qw
//   number of shapes
//   for each: its type, its numbers, x y z, qx qy qz qw, r g b a
//   number of subframes      since MoveIt 1.1; for each: its name, x y z, qx qy qz qw
//   .
//
// Which of the two it is shows in the line after the first name. MoveIt reads words wherever they
// stand; here a line must hold what belongs on it, so that a number too many is seen.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_set>

#include "keepclear/error.hpp"
#include "robot/urdf.hpp"
#include "scene/scene_file.hpp"
#include "shape/mesh.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

/// MoveIt writes six digits: each number is off by 5e-7 at most, and the norm by 1e-6, as the four
/// add up to two at most. Twice that, and normalised here.
constexpr double kSixDigits = 2 * kQuaternionTolerance;

std::string_view trimmed(std::string_view line) {
  while (!line.empty() && text::is_blank(line.front())) line.remove_prefix(1);
  while (!line.empty() && text::is_blank(line.back())) line.remove_suffix(1);
  return line;
}

/// In extended precision: the pose of a shape is the product of two.
struct WidePose {
  std::array<long double, 3> p{};
  std::array<long double, 4> q{0, 0, 0, 1};  ///< x, y, z, w
};

std::array<long double, 3> rotated(const std::array<long double, 4>& q,
                                   const std::array<long double, 3>& v) {
  // v + 2 (u x (u x v + w v)) with u the vector part.
  const auto cross = [&q](const std::array<long double, 3>& b) {
    return std::array<long double, 3>{q[1] * b[2] - q[2] * b[1], q[2] * b[0] - q[0] * b[2],
                                      q[0] * b[1] - q[1] * b[0]};
  };
  auto t = cross(v);
  for (std::size_t i = 0; i < 3; ++i) t[i] += q[3] * v[i];
  t = cross(t);
  for (std::size_t i = 0; i < 3; ++i) t[i] = v[i] + 2 * t[i];
  return t;
}

WidePose operator*(const WidePose& a, const WidePose& b) {
  WidePose out;
  out.p = rotated(a.q, b.p);
  for (std::size_t i = 0; i < 3; ++i) out.p[i] += a.p[i];
  const auto& [ax, ay, az, aw] = a.q;
  const auto& [bx, by, bz, bw] = b.q;
  out.q = {aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx,
           aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz};
  return out;
}

class MoveitReader {
 public:
  MoveitReader(std::string_view text, const std::string& name) : rest_(text), file_(name) {
    scene_.file = name;
  }

  Scene read() {
    if (rest_.size() > kMaxSceneBytes) {
      refuse(fmt::format("larger than the limit of {} MiB", kMaxSceneBytes >> 20));
    }
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3);
    if (trimmed(rest_).empty()) refuse("the file is empty");
    scene_.name = trimmed(take_line());
    if (const auto fault = name_fault(scene_.name); !scene_.name.empty() && !fault.empty()) {
      refuse(fault);
    }
    while (true) {
      const auto line = next_line("'* name' or '.'");
      if (line == ".") break;
      if (!line.starts_with('*') || (line.size() > 1 && !text::is_blank(line[1]))) {
        refuse("'* name' or '.' is expected, not " + text::quoted(line));
      }
      read_object(trimmed(line.substr(1)));
    }
    if (!trimmed(rest_).empty()) {
      next_line("");
      refuse("after the '.' that ends the scene there is more");
    }
    if (planes_ > 0) {
      scene_.notes.push_back(fmt::format(
          "{} planes: the side that the normal points away from is taken as solid", planes_));
    }
    return std::move(scene_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& hint = {}) const {
    throw Error(Error::Kind::malformed, file_, line_, what, hint);
  }

  std::string_view take_line() {
    const auto end = rest_.find('\n');
    const auto line = rest_.substr(0, end);
    rest_.remove_prefix(end == rest_.npos ? rest_.size() : end + 1);
    ++line_;
    return line;
  }

  /// The next line that is not blank, trimmed.
  std::string_view next_line(std::string_view wanted) {
    while (!rest_.empty()) {
      if (const auto line = trimmed(take_line()); !line.empty()) return line;
    }
    refuse(fmt::format("the file ends: no {}", wanted));
  }

  /// A line of exactly N numbers.
  template <std::size_t N>
  std::array<double, N> numbers(const char* what) {
    const auto line = next_line(what);
    std::array<double, N> values{};
    std::size_t count = 0;
    auto rest = line;
    for (auto word = text::take_word(rest); !word.empty(); word = text::take_word(rest), ++count) {
      const auto value = text::parse_number(word);
      if (!value) {
        refuse(fmt::format("{}: {} is not a finite number", what, text::quoted(word)));
      }
      if (count < N) values[count] = *value;
    }
    if (count != N) {
      refuse(fmt::format("{}: must be {} number{}, is {}", what, N, N == 1 ? "" : "s", count));
    }
    return values;
  }

  /// A line of N whole numbers below 2^32.
  template <std::size_t N>
  std::array<std::uint32_t, N> whole_numbers(const char* what) {
    const auto line = next_line(what);
    std::array<std::uint32_t, N> values{};
    auto rest = line;
    for (auto& value : values) {
      const auto word = text::take_word(rest);
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
      if (word.empty() || error != std::errc{} || end != word.data() + word.size()) {
        refuse(fmt::format("{}: {} is not a whole number", what, text::quoted(word)));
      }
    }
    if (!trimmed(rest).empty()) refuse(fmt::format("{}: more than {} on a line", what, N));
    return values;
  }

  template <std::size_t N>
  std::array<double, N> sizes(const char* what) {
    const auto values = numbers<N>(what);
    for (const double value : values) {
      if (!(value > 0)) refuse(fmt::format("{}: must be positive, is {}", what, value));
      if (value > kMaxMetres) {
        refuse(fmt::format("{}: is {} m, the limit is {} m", what, value, kMaxMetres));
      }
    }
    return values;
  }

  std::array<double, 3> position(const char* what) {
    const auto values = numbers<3>(what);
    for (const double value : values) {
      if (std::abs(value) > kMaxMetres) {
        refuse(fmt::format("{}: is {} m, the limit is {} m", what, value, kMaxMetres));
      }
    }
    return values;
  }

  WidePose pose() {
    WidePose out;
    const auto p = position("position");
    std::copy(p.begin(), p.end(), out.p.begin());
    const auto q = numbers<4>("quaternion");
    std::copy(q.begin(), q.end(), out.q.begin());
    const auto& [x, y, z, w] = out.q;
    const long double length = std::hypot(std::hypot(x, y), std::hypot(z, w));
    if (!(std::abs(length - 1) <= kSixDigits)) {
      refuse(fmt::format("quaternion: must be of length one, is of length {}",
                         static_cast<double>(length)),
             "write x, y, z, w with six digits or more");
    }
    for (auto& value : out.q) value /= length;
    return out;
  }

  Origin origin(const WidePose& pose) const {
    Origin out;
    std::array<double, 3> p{};
    for (std::size_t i = 0; i < 3; ++i) p[i] = static_cast<double>(pose.p[i]);
    for (const double value : p) {
      if (std::abs(value) > kMaxMetres) {
        refuse(fmt::format("position in the world: is {} m, the limit is {} m", value, kMaxMetres));
      }
    }
    out.xyz = {p[0], p[1], p[2]};
    std::array<double, 4> q{};
    for (std::size_t i = 0; i < 4; ++i) q[i] = static_cast<double>(pose.q[i]);
    if (q[0] != 0 || q[1] != 0 || q[2] != 0) out.quaternion = {q[0], q[1], q[2], q[3]};
    return out;
  }

  void read_object(std::string_view name) {
    if (const auto fault = name_fault(name); !fault.empty()) refuse(fault);
    const int object_line = line_;
    if (!format_known_) {
      format_known_ = true;
      has_object_pose_ = next_line_has_words();
    }
    const auto object_pose = has_object_pose_ ? pose() : WidePose{};
    const auto count = whole_numbers<1>("number of shapes")[0];
    if (count == 0) {
      scene_.notes.push_back(
          fmt::format("line {}: object {} has no shapes", object_line, text::quoted(name)));
    }
    for (std::uint32_t i = 0; i < count; ++i) {
      SceneObject object;
      object.name = count == 1 ? std::string(name) : fmt::format("{}#{}", name, i);
      object.shape = read_shape();
      object.place = fmt::format("line {}", shape_line_);
      object.pose = origin(has_object_pose_ ? object_pose * pose() : pose());
      numbers<4>("colour");
      if (scene_.objects.size() >= kMaxSceneObjects) {
        refuse(fmt::format("more than {} objects", kMaxSceneObjects));
      }
      if (!names_.insert(object.name).second) {
        throw Error(Error::Kind::malformed, file_, object_line,
                    "a second object " + text::quoted(object.name));
      }
      scene_.objects.push_back(std::move(object));
    }
    if (!has_object_pose_) return;
    // Frames for grasping: no shape.
    const auto subframes = whole_numbers<1>("number of subframes")[0];
    for (std::uint32_t i = 0; i < subframes; ++i) {
      next_line("name of a subframe");
      pose();
    }
  }

  /// Whether a position comes next, rather than the number of shapes.
  bool next_line_has_words() const {
    auto ahead = rest_;
    text::take_word(ahead);
    return !trimmed(ahead.substr(0, ahead.find('\n'))).empty();
  }

  Shape read_shape() {
    const auto word = next_line("shape");
    shape_line_ = line_;
    Shape shape;
    if (word == "box") {
      const auto size = sizes<3>("size of the box");
      shape.size = {size[0], size[1], size[2]};
    } else if (word == "sphere") {
      shape.kind = Shape::Kind::sphere;
      shape.radius = sizes<1>("radius of the sphere")[0];
    } else if (word == "cylinder" || word == "cone") {
      shape.kind = word == "cone" ? Shape::Kind::cone : Shape::Kind::cylinder;
      const auto size = sizes<2>("radius and length");
      shape.radius = size[0];
      shape.length = size[1];
    } else if (word == "plane") {
      read_plane(shape);
    } else if (word == "mesh") {
      read_mesh(shape);
    } else {
      refuse("unknown shape " + text::quoted(word),
             xml::did_you_mean(word, {"box", "sphere", "cylinder", "cone", "plane", "mesh"}));
    }
    return shape;
  }

  /// MoveIt's a x + b y + c z + d = 0 is a sheet without thickness. A half-space that ends with it
  /// contains it; rounding makes that larger, never smaller.
  void read_plane(Shape& shape) {
    const auto v = numbers<4>("plane");
    shape.kind = Shape::Kind::plane;
    shape.normal = {v[0], v[1], v[2]};
    const long double length =
        std::hypot(static_cast<long double>(v[0]), static_cast<long double>(v[1]),
                   static_cast<long double>(v[2]));
    if (!(length > kShortestNormal && length < kMaxMetres)) {
      refuse(fmt::format("plane: the normal is of length {}, the limits are {} and {}",
                         static_cast<double>(length), kShortestNormal, kMaxMetres));
    }
    shape.offset = static_cast<double>(-v[3] / length);
    if (length != 1) {
      shape.offset = std::nextafter(shape.offset, std::numeric_limits<double>::infinity());
    }
    if (!(std::abs(shape.offset) <= kMaxMetres)) {
      refuse(fmt::format("plane: is {} m away, the limit is {} m", std::abs(shape.offset),
                         kMaxMetres));
    }
    ++planes_;
  }

  void read_mesh(Shape& shape) {
    shape.kind = Shape::Kind::mesh;
    const auto counts = whole_numbers<2>("numbers of vertices and triangles");
    const std::size_t vertices = counts[0], triangles = counts[1];
    if (triangles == 0) refuse("a mesh without triangles", "only a surface is a shape");
    if (triangles > kMaxMeshTriangles) {
      refuse(fmt::format("{} triangles: the limit is {}", triangles, kMaxMeshTriangles));
    }
    // Six bytes at least for each: no memory for what cannot be there.
    if ((vertices + triangles) * 6 > rest_.size() + 1) {
      refuse("more vertices and triangles than the file can hold");
    }
    shape.points.reserve(vertices);
    for (std::size_t i = 0; i < vertices; ++i) {
      const auto p = position("vertex");
      shape.points.push_back({p[0], p[1], p[2]});
    }
    shape.triangles.reserve(triangles);
    for (std::size_t i = 0; i < triangles; ++i) {
      const auto corners = whole_numbers<3>("triangle");
      for (const std::uint32_t corner : corners) {
        if (corner >= vertices) {
          refuse(fmt::format("triangle: no vertex {}, there are {}", corner, vertices));
        }
      }
      shape.triangles.push_back(corners);
    }
    keep_used_vertices(shape);
  }

  /// Vertices that no triangle uses are not part of the surface.
  static void keep_used_vertices(Shape& shape) {
    constexpr auto kUnused = std::numeric_limits<std::uint32_t>::max();
    std::vector<std::uint32_t> renamed(shape.points.size(), kUnused);
    for (const auto& triangle : shape.triangles) {
      for (const std::uint32_t v : triangle) renamed[v] = 0;
    }
    std::uint32_t kept = 0;
    for (std::size_t v = 0; v < renamed.size(); ++v) {
      if (renamed[v] == kUnused) continue;
      shape.points[kept] = shape.points[v];
      renamed[v] = kept++;
    }
    shape.points.resize(kept);
    for (auto& triangle : shape.triangles) {
      for (std::uint32_t& v : triangle) v = renamed[v];
    }
  }

  std::string_view rest_;
  const std::string& file_;
  int line_ = 0, shape_line_ = 0;  ///< read last; of the shape at hand
  bool format_known_ = false, has_object_pose_ = false;
  std::size_t planes_ = 0;
  std::unordered_set<std::string> names_;
  Scene scene_;
};

}  // namespace

Scene parse_moveit_scene(std::string_view text, const std::string& name) {
  return MoveitReader(text, name).read();
}

}  // namespace keepclear
