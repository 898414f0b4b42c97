// SPDX-License-Identifier: BSD-3-Clause
//
// A body against a half-space (the paper's last chapter asks for planes): one support point
// decides, and the same rounding bound as everywhere certifies it.
#pragma once

#include "distance/pair.hpp"

namespace keepclear {

/// Every x with n.x <= offset |n|. n points out of the solid; 1e-100 < |n| < 1e100.
struct HalfSpace {
  Vec3 n{0, 0, 1};
  double offset = 0;
};

/// Body B against a half-space given in frame A; `error` is that of X_AB. As solve_pair: points and
/// direction in A's frame, from the half-space to the body; signed by nature.
PairAnswer solve_half_space(const HalfSpace& solid, const BodyTables& body, const Pose& X_AB,
                            rounding::PoseError error, const PairOptions& options) noexcept;

}  // namespace keepclear
