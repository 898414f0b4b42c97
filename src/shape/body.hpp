// SPDX-License-Identifier: BSD-3-Clause
//
// Bodies from placed shapes, with the rounding of the placement inside their radius.
#pragma once

#include <span>
#include <vector>

#include "keepclear/body.hpp"
#include "rounding/rounding.hpp"
#include "shape/primitives.hpp"

namespace keepclear {

/// Points moved by a pose, and how far (metres) each may be from its real place.
struct PlacedPoints {
  std::vector<Vec3> points;
  double error_hi = 0;
};
PlacedPoints place(std::span<const Vec3> points, const Pose& X_AB, rounding::PoseError error);

/// The body of a rounded hull given in frame B, in frame A. `source_error` (metres) is how far each
/// given point may already be off.
Body make_body(const RoundedHull& hull, const Pose& X_AB, rounding::PoseError error,
               double source_error = 0);

/// The same for a box, which keeps its closed forms.
Body make_box(Vec3 size, double radius, const Pose& X_AB, rounding::PoseError error);

}  // namespace keepclear
