// SPDX-License-Identifier: BSD-3-Clause
//
// Scene files, strictly: what is not understood is an error that names its place. An obstacle that
// was lost to a typing error would be worse than no scene.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "keepclear/scene.hpp"

namespace keepclear {

/// Limits on what a stranger's file may ask for; beyond them reading fails with the limit named.
inline constexpr std::size_t kMaxSceneBytes = std::size_t{1} << 30;
inline constexpr std::size_t kMaxSceneRobots = 1000;
inline constexpr std::size_t kMaxSceneObjects = 4'000'000;
/// Of `attached`, `allow`, `margins` and `contacts` each.
inline constexpr std::size_t kMaxSceneEntries = 1'000'000;
inline constexpr std::size_t kMaxSceneIncludes = 1000;
/// Of one cloud that stands in the scene itself; larger ones belong into a file of their own.
inline constexpr std::size_t kMaxScenePoints = 1'000'000;
/// Of a plane: longer than this, as the axis of a joint, and shorter than kMaxMetres.
inline constexpr double kShortestNormal = 1e-6;
/// How far the norm of a quaternion may be from one.
inline constexpr double kQuaternionTolerance = 1e-6;

/// read_scene from memory: JSON as in docs/scenes.md. `name` appears in errors; relative paths are
/// joined to `base`. Files named by `include` are read, those of robots and shapes are not.
Scene parse_scene(std::string_view json, const std::string& name,
                  const std::filesystem::path& base);

/// The same for MoveIt's text format; see moveit_scene.cpp.
Scene parse_moveit_scene(std::string_view text, const std::string& name);

/// What is wrong with the name of an object, a robot or a link; empty if nothing is.
std::string name_fault(std::string_view name);

}  // namespace keepclear
