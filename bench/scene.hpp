// SPDX-License-Identifier: BSD-3-Clause
//
// The robots and the motions of the benchmark.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "keepclear/geometry.hpp"
#include "keepclear/world.hpp"

namespace keepclear::bench {

/// A convex body of a link: the points and facets that Keepclear's own loader made, so that every
/// library works on the very same polyhedra.
struct Shape {
  int link = 0;                                      ///< index into World::links()
  std::vector<Vec3> points;                          ///< in the frame of the link
  std::vector<std::array<std::uint32_t, 3>> facets;  ///< outward; empty for points and segments
  double radius = 0;     ///< around them, metres; what rounding added is left out
  bool surface = false;  ///< triangles that need not be convex, and nothing but them
};

/// The hull of points in the frame of a link, as every library gets it.
Shape hull_shape(int link, std::span<const Vec3> points, double radius);

struct Scene {
  std::string name;
  World world;
  std::vector<Shape> shapes;
  /// Shapes of each link, and the pairs of links that are checked, as in World::pairs().
  std::vector<std::vector<int>> shapes_of_link;
  std::vector<std::array<int, 2>> pairs;
};

/// The names of all scenes, in the order of the report.
std::vector<std::string> scene_names();

/// A scene, or none when the data of that robot is not there.
std::optional<Scene> load_scene(const std::string& name);

/// Configurations in rows of `dof`, and the poses of all links for each row.
struct Workload {
  std::string name;
  std::size_t count = 0, dof = 0, links = 0;
  std::vector<double> q;
  std::vector<Pose> X_WL;
};

/// Uniform within the limits (a turn where there are none); the same on every machine.
Workload random_poses(const Scene& scene, std::size_t count, std::uint64_t seed);

/// 1 kHz samples of a sum of three sinusoids a joint, over nine tenths of its range and with a peak
/// speed of at most 1.5 rad/s (or m/s).
Workload smooth_motion(const Scene& scene, std::size_t count, std::uint64_t seed);

}  // namespace keepclear::bench
