// SPDX-License-Identifier: BSD-3-Clause
//
// What bodies cover over a box of joint values, for the page.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "keepclear/box.hpp"
#include "keepclear/sweep.hpp"
#include "keepclear/world.hpp"
#include "page_geometry.hpp"
#include "page_pose.hpp"

namespace keepclear::command {

struct DrawnVolume {
  int solid = -1, body = -1;
  Pose X_WF;  ///< of the frame in which it was computed, in the middle of the box
  Grid shape;
};
struct DrawnSweep {
  std::vector<DrawnVolume> volumes;
  /// Proved for every configuration in the box; not positive: not shown.
  double clearance = 0;
  int a = -1, b = -1;
  std::size_t not_drawn = 0;
};

/// One object a thread.
class Sweeper {
 public:
  explicit Sweeper(const World& world);
  /// Triangles of a volume, unless told.
  static constexpr std::size_t kTriangles = 700;
  /// False for what is no box of the world.
  bool sweep(std::span<const Interval> box, DrawnSweep& out, std::size_t triangles = kTriangles);
  /// Volumes that a sweep draws at most.
  std::size_t volume_count() const noexcept;

 private:
  World world_;
  Sweep sweep_;
  std::vector<BoundedPose> frames_;
};

/// A SweepAnswer of document.ts.
std::string json_of(const DrawnSweep& sweep);
/// Its volumes alone: a list.
std::string json_of(std::span<const DrawnVolume> volumes);

}  // namespace keepclear::command
