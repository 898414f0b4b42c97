// SPDX-License-Identifier: BSD-3-Clause
#include "scene/scene_values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "robot/urdf.hpp"
#include "scene/scene_file.hpp"
#include "shape/text.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;
using json::find;
using json::Names;
using json::Object;
using json::Place;
using json::Value;

constexpr std::array<const char*, 9> kKinds = {"box",   "sphere", "cylinder", "capsule", "cone",
                                               "plane", "mesh",   "points",   "octomap"};

constexpr std::size_t kMaxPath = 4096;  ///< bytes: PATH_MAX of Linux

/// The keys of an object of each kind.
const Names& keys_of(Shape::Kind kind) {
  static const std::array<Names, kKinds.size()> keys = {
      Names{"name", "shape", "pose", "size"},
      Names{"name", "shape", "pose", "radius"},
      Names{"name", "shape", "pose", "radius", "length"},
      Names{"name", "shape", "pose", "radius", "length"},
      Names{"name", "shape", "pose", "radius", "length"},
      Names{"name", "shape", "pose", "normal", "offset"},
      Names{"name", "shape", "pose", "file", "scale"},
      Names{"name", "shape", "pose", "points", "file", "radius"},
      Names{"name", "shape", "pose", "file", "unknown"}};
  return keys[static_cast<std::size_t>(kind)];
}

bool is_utf8(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const auto byte = [&](std::size_t k) {
      return i + k < text.size() ? static_cast<unsigned char>(text[i + k]) : 0u;
    };
    const unsigned lead = byte(0);
    const std::size_t more = lead < 0x80 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
    if ((lead >= 0x80 && lead < 0xC2) || lead > 0xF4) return false;
    // Longer than need be, half of a pair, beyond the last letter.
    if ((lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xED && byte(1) > 0x9F) ||
        (lead == 0xF0 && byte(1) < 0x90) || (lead == 0xF4 && byte(1) > 0x8F)) {
      return false;
    }
    for (std::size_t k = 1; k <= more; ++k) {
      if (byte(k) < 0x80 || byte(k) > 0xBF) return false;
    }
    i += more + 1;
  }
  return true;
}

bool is_uri(std::string_view path) {
  return path.find("://") != path.npos;
}

}  // namespace

const char* to_string(Shape::Kind kind) noexcept {
  const auto index = static_cast<std::size_t>(kind);
  return index < std::size(kKinds) ? kKinds[index] : "unknown shape";
}

std::string name_fault(std::string_view name) {
  if (name.empty()) return "an empty name";
  if (name.size() > kMaxName) {
    return fmt::format("a name of {} bytes: the limit is {}", name.size(), kMaxName);
  }
  for (const char c : name) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) return "a control character in a name";
  }
  return is_utf8(name) ? std::string() : "a name that is not UTF-8";
}

std::string SceneValues::name(const Value& value, const Place& at) const {
  const auto& word = text(value, at);
  if (const auto fault = name_fault(word); !fault.empty()) fail(at, fault);
  return word;
}

std::string SceneValues::required_name(const Object& object, const char* key,
                                       const Place& at) const {
  return name(required(object, key, at), {&at, key});
}

double SceneValues::margin(const Value& value, const Place& at) const {
  const double given = number(value, at);
  if (given < 0) fail(at, fmt::format("must not be negative, is {}", given));
  if (given > kMaxMargin) fail(at, fmt::format("is {} m: the limit is {} m", given, kMaxMargin));
  return given;
}

double SceneValues::positive(const Value& value, const Place& at) const {
  return positive(number(value, at), at);
}

double SceneValues::positive(double given, const Place& at) const {
  if (!(given > 0)) fail(at, fmt::format("must be positive, is {}", given));
  if (given > kMaxMetres) {
    fail(at, fmt::format("is {} m: the limit is {} m", given, kMaxMetres));
  }
  return given;
}

double SceneValues::size(double given, const Place& at) {
  if (positive(given, at) > kLargeSize) large_sizes.count(at);
  return given;
}

double SceneValues::size(const Object& object, const char* key, const Place& at) {
  const Place here{&at, key};
  return size(number(required(object, key, at), here), here);
}

void SceneValues::check_within(Vec3 v, double most, const char* unit, const Place& at) const {
  for (int i = 0; i < 3; ++i) {
    if (std::abs(v[i]) > most) {
      fail({&at, {}, static_cast<std::size_t>(i)},
           fmt::format("is {}: the limit is {} {}", v[i], most, unit));
    }
  }
}

Vec3 SceneValues::position(const Value& value, const Place& at) const {
  const Vec3 v = vec3(value, at);
  check_within(v, kMaxMetres, "m", at);
  return v;
}

Origin SceneValues::pose(const Object& object, const char* key, const Place& up) {
  const auto* value = find(object, key);
  return value ? pose(*value, {&up, key}) : Origin{};
}

Origin SceneValues::pose(const Value& value, const Place& at) {
  static const Names keys{"xyz", "rpy", "quaternion"};
  const auto& members = object(value, at);
  allow_keys(members, keys, at);
  Origin origin;
  if (const auto* xyz = find(members, "xyz")) origin.xyz = position(*xyz, {&at, "xyz"});
  const auto* rpy = find(members, "rpy");
  const auto* quaternion = find(members, "quaternion");
  if (rpy && quaternion) fail(at, "has both 'rpy' and 'quaternion'", "keep one of them");
  if (rpy) {
    const Place here{&at, "rpy"};
    origin.rpy = vec3(*rpy, here);
    check_within(origin.rpy, kMaxRpy, "rad", here);
    for (int i = 0; i < 3; ++i) {
      if (std::abs(origin.rpy[i]) > 6.3) many_turns.count(here);
    }
  }
  if (quaternion) origin.quaternion = read_quaternion(*quaternion, {&at, "quaternion"});
  return origin;
}

Quaternion SceneValues::read_quaternion(const Value& value, const Place& at) const {
  const auto& items = array(value, at);
  if (items.size() != 4) {
    fail(at, fmt::format("must be four numbers (x, y, z, w), is {}", items.size()));
  }
  std::array<double, 4> q{};
  for (std::size_t i = 0; i < 4; ++i) q[i] = number(items[i], {&at, {}, i});
  const double length = std::hypot(std::hypot(q[0], q[1]), std::hypot(q[2], q[3]));
  if (!(std::abs(length - 1) <= kQuaternionTolerance)) {
    fail(at, fmt::format("must be of length one, is of length {}", length),
         "write x, y, z, w with seven digits or more");
  }
  return {q[0], q[1], q[2], q[3]};
}

fs::path SceneValues::path(const Value& value, const Place& at) const {
  const auto& given = path_text(value, at);
  if (is_uri(given)) fail(at, "must be a path, is a URI " + text::quoted(given));
  return base_ / given;
}

const std::string& SceneValues::path_text(const Value& value, const Place& at) const {
  const auto& given = text(value, at);
  if (given.empty()) fail(at, "an empty path");
  if (given.size() > kMaxPath) {
    fail(at, fmt::format("a path of {} bytes: the limit is {}", given.size(), kMaxPath));
  }
  for (const char c : given) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      fail(at, "a control character in a path");
    }
  }
  return given;
}

Shape::Kind SceneValues::read_kind(const Object& members, const Place& at) const {
  const Place here{&at, "shape"};
  const auto& word = text(required(members, "shape", at), here);
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    if (word == kKinds[i]) return static_cast<Shape::Kind>(i);
  }
  fail(here, "unknown shape " + text::quoted(word),
       xml::did_you_mean(word, Names(kKinds.begin(), kKinds.end())));
}

/// A key of another shape is no typing error, and gets another message.
void SceneValues::check_keys(const Object& members, Shape::Kind kind, const Place& at) const {
  const auto& known = keys_of(kind);
  static const Names others{"size", "radius", "length", "normal", "offset",
                            "file", "scale",  "points", "unknown"};
  for (const auto& member : members) {
    if (std::find(known.begin(), known.end(), member.key) != known.end()) continue;
    if (std::find(others.begin(), others.end(), member.key) == others.end()) continue;
    fail({&at, member.key}, fmt::format("the shape '{}' has no '{}'", to_string(kind), member.key));
  }
  allow_keys(members, known, at);
}

Shape SceneValues::shape(const Object& members, const Place& at) {
  Shape shape;
  shape.kind = read_kind(members, at);
  check_keys(members, shape.kind, at);
  switch (shape.kind) {
    case Shape::Kind::box: {
      const Place here{&at, "size"};
      shape.size = vec3(required(members, "size", at), here);
      for (int i = 0; i < 3; ++i) {
        size(shape.size[i], {&here, {}, static_cast<std::size_t>(i)});
      }
      break;
    }
    case Shape::Kind::sphere:
      shape.radius = size(members, "radius", at);
      break;
    case Shape::Kind::cylinder:
    case Shape::Kind::capsule:
    case Shape::Kind::cone:
      shape.radius = size(members, "radius", at);
      shape.length = size(members, "length", at);
      break;
    case Shape::Kind::plane:
      read_plane(members, shape, at);
      break;
    case Shape::Kind::mesh:
      read_mesh(members, shape, at);
      break;
    case Shape::Kind::points:
      read_points(members, shape, at);
      break;
    case Shape::Kind::octomap:
      read_octomap(members, shape, at);
      break;
  }
  return shape;
}

fs::path SceneValues::shape_file(const Object& members, const Place& at) const {
  const Place here{&at, "file"};
  const auto& value = required(members, "file", at);
  // package:// needs the packages of the robots, which are not looked at here.
  const auto& given = path_text(value, here);
  return is_uri(given) ? fs::path(given) : base_ / given;
}

void SceneValues::read_plane(const Object& members, Shape& shape, const Place& at) const {
  const Place here{&at, "normal"};
  shape.normal = position(required(members, "normal", at), here);
  const double length = norm(shape.normal);
  if (!(length > kShortestNormal && length < kMaxMetres)) {
    fail(here, fmt::format("must be longer than {} and shorter than {}, is of length {}",
                           kShortestNormal, kMaxMetres, length));
  }
  if (const auto* offset = find(members, "offset")) {
    const Place there{&at, "offset"};
    shape.offset = number(*offset, there);
    if (std::abs(shape.offset) > kMaxMetres) {
      fail(there, fmt::format("is {}: the limit is {} m", shape.offset, kMaxMetres));
    }
  }
}

void SceneValues::read_mesh(const Object& members, Shape& shape, const Place& at) const {
  shape.file = shape_file(members, at);
  if (const auto* scale = find(members, "scale")) {
    const Place here{&at, "scale"};
    if (const auto* factor = std::get_if<double>(&scale->data)) {
      check_scale(*factor, here);
      shape.scale = {*factor, *factor, *factor};
    } else {
      shape.scale = vec3(*scale, here);
      for (int i = 0; i < 3; ++i) {
        check_scale(shape.scale[i], {&here, {}, static_cast<std::size_t>(i)});
      }
    }
  }
}

void SceneValues::check_scale(double scale, const Place& at) const {
  if (!std::isnormal(scale) || std::abs(scale) > kMaxMetres) {
    fail(at, fmt::format("must be neither zero nor huge, is {}", scale),
         "a negative scale mirrors");
  }
}

void SceneValues::read_points(const Object& members, Shape& shape, const Place& at) {
  shape.radius = size(members, "radius", at);
  const auto* points = find(members, "points");
  const auto* file = find(members, "file");
  if (points && file) fail(at, "has both 'points' and 'file'", "keep one of them");
  if (file) {
    shape.file = shape_file(members, at);
    return;
  }
  const Place here{&at, "points"};
  const auto& list = array(required(members, "points", at), here);
  if (list.empty()) fail(here, "no points");
  if (list.size() > kMaxScenePoints) {
    fail(here, fmt::format("{} points: the limit is {}", list.size(), kMaxScenePoints),
         "put them into a file of their own");
  }
  shape.points.reserve(list.size());
  for (std::size_t i = 0; i < list.size(); ++i) {
    shape.points.push_back(position(list[i], {&here, {}, i}));
  }
}

void SceneValues::read_octomap(const Object& members, Shape& shape, const Place& at) const {
  shape.file = shape_file(members, at);
  const auto* unknown = find(members, "unknown");
  if (!unknown) {
    fail(at, "'unknown' is missing",
         "say whether space that the map does not know is \"free\" or \"occupied\"");
  }
  const Place here{&at, "unknown"};
  const auto& word = text(*unknown, here);
  if (word != "free" && word != "occupied") {
    fail(here, "must be \"free\" or \"occupied\", is " + text::quoted(word));
  }
  shape.unknown = word == "free" ? UnknownSpace::free : UnknownSpace::occupied;
}

}  // namespace keepclear
