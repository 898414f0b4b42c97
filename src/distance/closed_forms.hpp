// SPDX-License-Identifier: BSD-3-Clause
//
// Nearest points of points, segments and boxes in closed form (paper 5, 4.1, corrected: the closest
// points of two lines clamped one by one are not those of the segments). They only propose: the
// separation check judges them like any other direction.
#pragma once

#include <optional>

#include "distance/separation.hpp"

namespace keepclear {

struct NearestPoints {
  Vec3 p_a, p_b;
};

/// The nearest points of segments ab and cd; both may be points.
NearestPoints nearest_of_segments(Vec3 a, Vec3 b, Vec3 c, Vec3 d) noexcept;

/// The nearest points of segment ab and the box |x| <= half.x and so on, centred at the origin.
struct SegmentAndBox {
  Vec3 on_segment, on_box;
  double t = 0;  ///< on_segment is a + t (b - a)
};
SegmentAndBox nearest_of_segment_and_box(Vec3 a, Vec3 b, Vec3 half) noexcept;

/// The unit axis (in the frame of the first box) of least overlap among the 15 of the separating
/// axis theorem, from the first box towards the second, and the signed separation along it.
struct BoxAxis {
  Vec3 n;
  double separation;
};
BoxAxis best_box_axis(Vec3 half_a, Vec3 half_b, const Pose& X_AB) noexcept;

/// Nearest points of the hulls of a placed pair in A's frame, where a closed form exists.
std::optional<NearestPoints> closed_form(const Placement& pair) noexcept;

}  // namespace keepclear
