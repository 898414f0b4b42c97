// SPDX-License-Identifier: BSD-3-Clause
//
// The maps of a stage on the points of all bodies that pass its joint, in lanes. Every target, and
// the plain twin, agree to the bit: products and sums in the order of Vec3 and Mat3, and maxima,
// which have no order.
#pragma once

#include <cstddef>
#include <span>

#include "sweep/stage.hpp"

namespace keepclear {

/// Past their last point the arrays of a task must have this many doubles more, of any content.
inline constexpr std::size_t kSweepPad = 8;

/// The points of one body on their way through a joint. Coordinates are apart: x of all points, y
/// of all, z of all.
struct SweepTask {
  const double* in[3] = {nullptr, nullptr, nullptr};
  double* out[3] = {nullptr, nullptr, nullptr};
  std::size_t count = 0;  ///< points that come in
  /// Of the curve that joints of one number have made of each point so far; 0 of a joint that is
  /// swept on its own, or is the first of its number. Each map makes a copy of all points then, one
  /// after the other. Otherwise the points are control points, `inner` to each: [outer][degree +
  /// 1][inner], and the two maps raise the degree by one.
  int degree = 0;
  std::size_t inner = 0;
  // What comes out, of the points that came in.
  double lever2 = 0;  ///< the largest squared lever, as computed
  double reach2 = 0;  ///< the largest squared distance from the origin, as computed
};

/// Points that go out.
std::size_t points_after(const SweepTask& task, int maps) noexcept;

void apply_stage(const Stage& stage, std::span<SweepTask> tasks) noexcept;
void apply_stage_plain(const Stage& stage, std::span<SweepTask> tasks) noexcept;

/// Points as the search wants them: in blocks of kBlock, the last one repeated to fill up, of which
/// also x, y, z get a copy. Returns the box around them.
Box fill_blocks(double* const points[3], std::size_t count, double* blocks) noexcept;

}  // namespace keepclear
