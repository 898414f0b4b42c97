// SPDX-License-Identifier: BSD-3-Clause
//
// Scenes in memory for tests of this room: robots come from URDF text in a folder of their own.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <system_error>

#include "keepclear/scene.hpp"
#include "scene/worlds.hpp"

namespace keepclear::test {

/// A folder that goes away with the test.
class Folder {
 public:
  Folder() {
    std::string pattern = std::filesystem::temp_directory_path() / "keepclear-scene-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no folder for a test");
    path_ = pattern;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file;
  }

 private:
  std::filesystem::path path_;
};

inline SceneRobot robot_of(const std::string& name, const std::filesystem::path& urdf,
                           const Origin& base = {}) {
  SceneRobot robot;
  robot.name = name;
  robot.urdf = urdf;
  robot.base = base;
  robot.place = "/robots/" + name;
  return robot;
}

inline SceneObject object_of(const std::string& name, const keepclear::Shape& shape,
                             const Origin& pose = {}) {
  return {name, shape, pose, "/objects/" + name};
}

inline keepclear::Shape box_shape(Vec3 size) {
  keepclear::Shape shape;
  shape.kind = keepclear::Shape::Kind::box;
  shape.size = size;
  return shape;
}
inline keepclear::Shape round_shape(keepclear::Shape::Kind kind, double radius, double length = 0) {
  keepclear::Shape shape;
  shape.kind = kind;
  shape.radius = radius;
  shape.length = length;
  return shape;
}
inline keepclear::Shape sphere_shape(double radius) {
  return round_shape(keepclear::Shape::Kind::sphere, radius);
}
inline keepclear::Shape plane_shape(Vec3 normal, double offset) {
  keepclear::Shape shape;
  shape.kind = keepclear::Shape::Kind::plane;
  shape.normal = normal;
  shape.offset = offset;
  return shape;
}

}  // namespace keepclear::test
