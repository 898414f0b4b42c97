// SPDX-License-Identifier: BSD-3-Clause
//
// What the entries of a scene file are made of: names, numbers with their ranges, paths, poses and
// shapes.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>

#include "keepclear/scene.hpp"
#include "scene/json.hpp"

namespace keepclear {

/// Metres: sizes beyond it are noted, for they may be millimetres.
inline constexpr double kLargeSize = 100;

/// Metres: what may be asked to stay between a pair.
inline constexpr double kMaxMargin = 1e3;

class SceneValues : public json::Reader {
 public:
  /// Relative paths are joined to `base`.
  SceneValues(const std::string& file, std::filesystem::path base)
      : Reader(file), base_(std::move(base)) {}

  std::string name(const json::Value& value, const json::Place& at) const;
  std::string required_name(const json::Object& object, const char* key,
                            const json::Place& at) const;
  /// Metres: not negative, at most kMaxMargin.
  double margin(const json::Value& value, const json::Place& at) const;
  /// Positive, at most kMaxMetres.
  double positive(const json::Value& value, const json::Place& at) const;
  /// Metres: each coordinate at most kMaxMetres.
  Vec3 position(const json::Value& value, const json::Place& at) const;
  std::filesystem::path path(const json::Value& value, const json::Place& at) const;
  /// That of a key which may be absent.
  Origin pose(const json::Object& object, const char* key, const json::Place& up);
  Origin pose(const json::Value& value, const json::Place& at);
  /// Of an object: all keys but name and pose. Fails for keys that do not belong to its kind.
  Shape shape(const json::Object& members, const json::Place& at);

  /// Something odd that may be meant: counted, with the first place.
  struct Oddity {
    std::size_t many = 0;
    std::string first;
    void count(const json::Place& at) {
      if (many++ == 0) first = at.pointer();
    }
  };
  Oddity large_sizes, many_turns;

 private:
  double positive(double given, const json::Place& at) const;
  double size(double given, const json::Place& at);
  double size(const json::Object& object, const char* key, const json::Place& at);
  void check_within(Vec3 v, double most, const char* unit, const json::Place& at) const;
  Quaternion read_quaternion(const json::Value& value, const json::Place& at) const;
  const std::string& path_text(const json::Value& value, const json::Place& at) const;
  std::filesystem::path shape_file(const json::Object& members, const json::Place& at) const;
  Shape::Kind read_kind(const json::Object& members, const json::Place& at) const;
  void check_keys(const json::Object& members, Shape::Kind kind, const json::Place& at) const;
  void read_plane(const json::Object& members, Shape& shape, const json::Place& at) const;
  void read_mesh(const json::Object& members, Shape& shape, const json::Place& at) const;
  void check_scale(double scale, const json::Place& at) const;
  void read_points(const json::Object& members, Shape& shape, const json::Place& at);
  void read_octomap(const json::Object& members, Shape& shape, const json::Place& at) const;

  std::filesystem::path base_;
};

}  // namespace keepclear
