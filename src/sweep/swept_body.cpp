// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/swept_body.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "distance/subdistance.hpp"
#include "distance/support-inl.hpp"
#include "sweep/swept_body.hpp"

HWY_BEFORE_NAMESPACE();
namespace keepclear {
namespace HWY_NAMESPACE {
namespace {

/// The extreme point of a swept body along a direction.
struct SweptExtreme {
  double value = -std::numeric_limits<double>::infinity();
  Vec3 point;  ///< in the frame of the stage it was asked at
};

/// Goes down the chain with the direction; on the way back the best point comes up.
HWY_NOINLINE SweptExtreme descend(const SweptBody& swept, std::size_t level, Vec3 n) {
  if (level == swept.stages.size()) {
    const double size = std::fabs(n.x) + std::fabs(n.y) + std::fabs(n.z);
    if (!(size > 1e-90)) return {dot(n, swept.body->point(0)), swept.body->point(0)};
    const Extreme found = support(*swept.body, n);
    return {found.value, found.point};
  }
  const Stage& stage = *swept.stages[level];
  SweptExtreme best;
  int from = 0;
  for (int k = 0; k < stage.count; ++k) {
    const AffineMap& map = stage.maps[k];
    const SweptExtreme found = descend(swept, level + 1, transposed_times(map.M, n));
    const double value = found.value + dot(n, map.t);
    if (value > best.value) best = {value, found.point}, from = k;
  }
  best.point = stage.maps[from] * best.point;
  return best;
}

}  // namespace

double run_largest(const SweptBody& swept, Vec3 n) {
  return descend(swept, 0, n).value;
}

SweptBound run_bound(const SweptBody& a, const SweptBody& b, Vec3 start, double enough) {
  constexpr int kSteps = 16;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  SweptBound bound{-kInfinity, start};
  // At least the sum of both radii, so that hulls nearer than that touch.
  const double radii = a.radius_hi + b.radius_hi;
  const double error = rounding::inflate(a.error_hi + b.error_hi, 2);
  if (!(radii < 1e100 && error < 1e100)) return bound;
  Simplex s;
  Vec3 n = start;
  double upper = kInfinity;
  for (int step = 0; step < kSteps; ++step) {
    const double length = norm(n);
    if (!(length > 1e-9)) break;
    n = (1 / length) * n;
    const SweptExtreme in_a = descend(a, 0, n), in_b = descend(b, 0, -n);
    const double gap = -in_b.value - in_a.value;
    const double lo =
        body_distance_lo(a.radius_hi, b.radius_hi, hull_distance_lo(error, gap, norm(n)));
    if (lo > bound.lower) bound = {lo, n};
    if (bound.lower > enough || upper - radii - bound.lower < 1e-7) break;
    const Vec3 w = in_a.point - in_b.point;
    bool known = false;
    for (int i = 0; i < s.size; ++i) known = known || s.w[i] == w;
    if (known || s.size == 4) break;
    s.w[s.size++] = w;
    const SimplexPoint nearest = nearest_by_signed_volumes(s);
    if (nearest.inside) break;
    upper = norm(nearest.v);
    // The volumes touch, or are nearer than what is asked for: no direction can show more.
    if (upper < radii + enough) break;
    n = -nearest.v;
  }
  return bound;
}

}  // namespace HWY_NAMESPACE
}  // namespace keepclear
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace keepclear {

HWY_EXPORT(run_largest);
HWY_EXPORT(run_bound);

SweptBall ball_of(const BodyTables& body) noexcept {
  // The ball of the tables is around the body with its radius: the points stay that far inside.
  const double ball = rounding::inflate(std::max(body.bounding_radius_hi - body.radius, 0.0), 2) +
                      4 * rounding::kU * body.bounding_radius_hi;
  return {body.centre, ball, body.radius, body.reach_hi};
}

SweptBall carried(const SweptBall& from, const Stage& stage) noexcept {
  using rounding::gamma;
  using rounding::inflate;
  using rounding::norm_hi;
  const double centre_hi = norm_hi(from.centre);
  const double reach = std::min(from.reach_hi, inflate(centre_hi + from.ball_hi, 1));
  const double lever = inflate(lever_hi(stage, from.centre) + from.ball_hi, 1);
  SweptBall to;
  to.radius_hi = inflate(from.radius_hi + stage.growth_hi(lever, reach), 1);
  to.reach_hi = inflate(stage.size_hi * reach + stage.t_hi, 2);
  if (stage.count == 1) {
    to.centre = stage.maps[0] * from.centre;
  } else {
    for (int k = 0; k < stage.count; ++k) to.centre = to.centre + stage.maps[k] * from.centre;
    to.centre = (1.0 / stage.count) * to.centre;
  }
  double spread = 0;
  for (int k = 0; k < stage.count && stage.count > 1; ++k) {
    spread = std::max(spread, norm_hi(stage.maps[k] * from.centre - to.centre));
  }
  // The images of the centre round.
  const double rounded = gamma(16) * (4 * stage.size_hi * centre_hi + 2 * stage.t_hi);
  to.ball_hi = inflate(spread + stage.size_hi * from.ball_hi + rounded, 4);
  return to;
}

SweptBody sweep_body(const BodyTables& body, std::span<const Stage* const> stages) noexcept {
  using rounding::gamma;
  using rounding::inflate;
  SweptBody swept;
  swept.body = &body;
  swept.stages = stages;
  SweptBall ball = ball_of(body);
  double sum = 2 * ball.reach_hi;
  for (std::size_t level = stages.size(); level-- > 0;) {
    const Stage& stage = *stages[level];
    // What is evaluated here: the direction is turned, an offset added.
    sum = inflate(stage.size_hi * (sum + 4 * ball.reach_hi) + 2 * stage.t_hi, 4);
    ball = carried(ball, stage);
  }
  const auto levels = static_cast<int>(stages.size());
  swept.radius_hi = ball.radius_hi;
  swept.error_hi = inflate(gamma(16 + 4 * levels) * sum, 2) + 1e-150;
  swept.centre = ball.centre;
  swept.ball_hi = ball.ball_hi;
  if (!(swept.radius_hi < 1e100 && swept.error_hi < 1e100)) {
    swept.radius_hi = std::numeric_limits<double>::infinity();
  }
  return swept;
}

Box box_of(const SweptBody& swept) noexcept {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!(swept.radius_hi < 1e100)) {
    return {{-kInfinity, -kInfinity, -kInfinity}, {kInfinity, kInfinity, kInfinity}};
  }
  const auto along = [&](Vec3 n) {
    const double value = HWY_DYNAMIC_DISPATCH(run_largest)(swept, n);
    return rounding::up(rounding::up(value + swept.error_hi) + swept.radius_hi);
  };
  return {{-along({-1, 0, 0}), -along({0, -1, 0}), -along({0, 0, -1})},
          {along({1, 0, 0}), along({0, 1, 0}), along({0, 0, 1})}};
}

SweptBound bound_swept(const SweptBody& a, const SweptBody& b, Vec3 start, double enough) noexcept {
  return HWY_DYNAMIC_DISPATCH(run_bound)(a, b, start, enough);
}

double bound_half_space(const SweptBody& a, const HalfSpace& solid,
                        const BoundedPose& X_WO) noexcept {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (!(a.radius_hi < 1e100)) return -kInfinity;
  const Vec3 n = X_WO.X.R * solid.n;
  const double length = norm(n), p_hi = rounding::norm_hi(X_WO.X.p);
  const double gap = -HWY_DYNAMIC_DISPATCH(run_largest)(a, -n) - dot(n, X_WO.X.p);
  // The normal is turned by a rotation that is off, and rounds; so is every n.x by as much.
  const double reach = rounding::norm_hi(a.centre) + a.ball_hi + p_hi;
  const double turned = 2 * (X_WO.error.rotation + rounding::gamma(16)) * reach;
  const double error = rounding::inflate(a.error_hi + turned + X_WO.error.position, 8);
  const double hull_lo = hull_distance_lo(error, gap, length);
  if (!(hull_lo > -kInfinity)) return -kInfinity;
  // The offset is one more radius, and may be negative.
  const double lo = rounding::down(hull_lo - solid.offset);
  return body_distance_lo(a.radius_hi, 0, lo);
}

double swept_gap(const SweptBody& a, const SweptBody& b, Vec3 n) noexcept {
  const double in_a = HWY_DYNAMIC_DISPATCH(run_largest)(a, n);
  return -HWY_DYNAMIC_DISPATCH(run_largest)(b, -n) - in_a;
}

namespace {

double largest_plain(const SweptBody& swept, std::size_t level, Vec3 n) noexcept {
  double best = -std::numeric_limits<double>::infinity();
  if (level == swept.stages.size()) {
    for (std::size_t i = 0; i < swept.body->count; ++i) {
      best = std::max(best, dot(n, swept.body->point(i)));
    }
    return best;
  }
  const Stage& stage = *swept.stages[level];
  for (int k = 0; k < stage.count; ++k) {
    const double inner = largest_plain(swept, level + 1, transposed_times(stage.maps[k].M, n));
    best = std::max(best, inner + dot(n, stage.maps[k].t));
  }
  return best;
}

}  // namespace

double swept_gap_plain(const SweptBody& a, const SweptBody& b, Vec3 n) noexcept {
  return -largest_plain(b, 0, -n) - largest_plain(a, 0, n);
}

}  // namespace keepclear
#endif  // HWY_ONCE
