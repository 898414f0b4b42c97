// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "keepclear/world.hpp"

namespace keepclear {

/// What the description of a link leaves to be desired. Measured for a look at the model, never for
/// a verdict.
struct LinkLint {
  std::string link;
  bool has_collision = false, has_visual = false;
  /// At least this far (metres) does the visual geometry stick out of the bodies that are checked:
  /// the vertex that is farthest out, its place in the frame of the link, and its file. Zero when
  /// it does not, cannot be read, or there are no bodies.
  double visual_sticks_out = 0;
  Vec3 sticks_out_at;
  std::string visual_file;
  /// Cubic metres: the hulls of the link's meshes, and about those of each mesh split into at most
  /// kLintParts; the same for one that fills its hull. Zero for a link without meshes.
  double hull_volume = 0, parts_volume = 0;
};
inline constexpr int kLintParts = 4;

struct Lint {
  /// Of each of World::bodies(): the largest distance (metres) from a point of its surface to the
  /// geometry of its link, to a hundredth of its size; zero for what a link carries.
  std::vector<double> surface_distance;
  std::vector<LinkLint> links;  ///< of the robots, in the order of World::links()
  /// What a person should look at, one line each: visual geometry beyond the bodies, hulls that
  /// `parts` would make much smaller, links that are seen and not checked, visual meshes that could
  /// not be read.
  std::vector<std::string> findings;
};

/// Reads the robots of a world again, their visual meshes too. What cannot be read of these is a
/// finding; for all else that load() needs of the robots, throws Error where load() does.
Lint lint(const std::filesystem::path& file, const LoadOptions& options = {});
/// The same for a built-in world.
Lint lint_builtin(const std::string& name, const LoadOptions& options = {});

}  // namespace keepclear
