// SPDX-License-Identifier: BSD-3-Clause
//
// Any world as the peers get it: scenes with objects, mimic joints and bodies of a model included.
// What bench/scene.hpp calls a link is a solid here, and the poses are those of our own kinematics.
#pragma once

#include <cstdint>
#include <filesystem>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "bench/scene.hpp"
#include "keepclear/box.hpp"
#include "robot/kinematics.hpp"

namespace keepclear::bench {

/// $KEEPCLEAR_DATA/robots, or shared/robots beside the project.
std::filesystem::path robots_dir();

/// The SRDF that belongs to a URDF: of those beside it that say why pairs are disabled, the one
/// whose name begins the URDF's, the longest; or else one whose name the URDF's begins. Empty if
/// there is none.
std::filesystem::path srdf_of(const std::filesystem::path& urdf);

/// The bodies of a world as hulls, in the frames that carry them; its checked pairs, by solid.
Scene solids_of(const std::string& name, const World& world);

/// The same pairs and places, but meshes as they are: the triangles of their files.
Scene surfaces_of(const Scene& hulls, const std::filesystem::path& urdf);

/// Where the solids of a world are.
class SolidPoses {
 public:
  explicit SolidPoses(const World& world);
  /// False if q is no configuration. `X_WS` has a place for each solid: the pose of its frame, or
  /// the identity for what stands still.
  bool operator()(std::span<const double> q, std::span<Pose> X_WS);

 private:
  World world_;
  std::vector<int> frame_of_solid_;
  std::vector<BoundedPose> frames_;
};

/// Numbers in [0, 1) that do not depend on the standard library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  double operator()() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double operator()(Interval range) {
    return range.lower + (range.upper - range.lower) * (*this)();
  }

 private:
  std::mt19937_64 engine_;
};

/// A configuration at random within the limits: a turn where there are none, a metre either way of
/// a position without limit, a rotation of a floating joint.
void set_random(const World& world, Random& random, std::span<double> q);

/// For the head of a report.
std::vector<std::string> machine_head();

}  // namespace keepclear::bench
