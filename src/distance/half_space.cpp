// SPDX-License-Identifier: BSD-3-Clause
#include "distance/half_space.hpp"

#include <algorithm>
#include <cmath>

namespace keepclear {

PairAnswer solve_half_space(const HalfSpace& solid, const BodyTables& body, const Pose& X_AB,
                            rounding::PoseError error, const PairOptions& options) noexcept {
  PairAnswer answer;
  const double length = norm(solid.n);
  if (!(length > 1e-100 && length < 1e100)) return answer;
  // The least n.(R p + t) over the points: n turned into B, and the point farthest against it. The
  // half-space is a body A of one point, the origin, and an offset.
  const Vec3 turned = transposed_times(X_AB.R, solid.n);
  const std::uint32_t vertex = support_scan(body, -turned);
  const double gap = dot(turned, body.point(vertex)) + dot(solid.n, X_AB.p);
  static const BodyTables kOrigin{};
  Placement pair{&kOrigin, &body, X_AB, 0};
  pair.error_hi = placement_error_hi(kOrigin, body, X_AB, error);
  const double hull_lo = hull_distance_lo(pair, gap, length);
  // The offset is one more term, as exact as the radius.
  const double beyond = solid.offset + body.radius;
  const double size = std::fabs(hull_lo) + std::fabs(solid.offset) + body.radius;
  const double slack = 8 * rounding::kU * size;
  answer.lower = answer.signed_lower = (hull_lo - beyond) - slack;
  const double upper_hi =
      gap / length + pair.error_hi + 16 * rounding::kU * std::fabs(gap / length);
  const double distance_hi = (upper_hi - beyond) + slack + 16 * rounding::kU * std::fabs(upper_hi);
  answer.distance = gap / length - beyond;
  if (answer.lower > options.margin) {
    answer.verdict = Verdict::free;
  } else if (distance_hi < options.margin) {
    answer.verdict = Verdict::contact;
  }
  answer.n = (1 / length) * solid.n;
  answer.p_b = X_AB * body.point(vertex) - body.radius * answer.n;
  answer.p_a = answer.p_b - answer.distance * answer.n;
  if (!options.signed_distance) {
    answer.lower = std::max(answer.lower, 0.0);
    if (answer.distance < 0) {
      answer.distance = 0;
      answer.p_a = answer.p_b = 0.5 * (answer.p_a + answer.p_b);
    }
  }
  return answer;
}

}  // namespace keepclear
