// SPDX-License-Identifier: BSD-3-Clause
//
// How far from the origin the objects of an object_query may go.
#pragma once

#include "keepclear/toleranced.hpp"

namespace keepclear {

/// Metres: a plane of a scene that is turned, and so a little off in its direction, is told right
/// within this of the origin.
inline constexpr double kPlaneReach = 4e6;

/// At least how far from the origin any point of the body comes on the curve.
double reach_hi(const TolerancedQuery& query, const DisplacementCurve& curve, double deviation);

/// Throws Error (usage) where the scene has turned planes that the object must not touch, and the
/// object may come farther out than kPlaneReach.
void require_within_reach(const Scene& scene, const TolerancedQuery& query,
                          const DisplacementCurve& curve, double deviation);

}  // namespace keepclear
