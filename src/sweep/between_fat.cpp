// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/between_fat.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "distance/subdistance.hpp"
#include "distance/support-inl.hpp"
#include "sweep/between_fat.hpp"

HWY_BEFORE_NAMESPACE();
namespace keepclear {
namespace HWY_NAMESPACE {
namespace {

struct FatFar {
  double value;
  Vec3 point;  ///< in the frame of the piece, what it may be off by left aside
  double off;  ///< the latter
};

/// The vertex that may come farthest along n, whose length is `length`.
HWY_INLINE FatFar scan_fat(const FatConvex& fat, Vec3 n, double length) {
  const BodyTables& body = *fat.piece->tables;
  const hn::FixedTag<double, HWY_MIN(kBlock, HWY_MAX_BYTES / sizeof(double))> d;
  using V = hn::Vec<decltype(d)>;
  constexpr std::size_t kLanes = hn::MaxLanes(d);
  const V nx = hn::Set(d, n.x), ny = hn::Set(d, n.y), nz = hn::Set(d, n.z);
  const V by = hn::Set(d, length * fat.radius_hi);
  V best = hn::Set(d, -std::numeric_limits<double>::infinity()), where = hn::Zero(d);
  // Rows are padded to whole blocks.
  for (std::size_t at = 0; at < body.count; at += kLanes) {
    const V along = hn::Add(hn::Add(hn::Mul(nx, hn::Load(d, body.x.data() + at)),
                                    hn::Mul(ny, hn::Load(d, body.y.data() + at))),
                            hn::Mul(nz, hn::Load(d, body.z.data() + at)));
    const V value = hn::Add(along, hn::Mul(by, hn::LoadU(d, fat.distortion + at)));
    const auto better = hn::Gt(value, best);
    best = hn::IfThenElse(better, value, best);
    where = hn::IfThenElse(better, hn::Set(d, static_cast<double>(at)), where);
  }
  HWY_ALIGN double values[kLanes];
  HWY_ALIGN double places[kLanes];
  hn::Store(best, d, values);
  hn::Store(where, d, places);
  // The first of the largest, on every target.
  double top = values[0];
  std::size_t vertex = static_cast<std::size_t>(places[0]);
  for (std::size_t lane = 1; lane < kLanes; ++lane) {
    const std::size_t i = static_cast<std::size_t>(places[lane]) + lane;
    if (values[lane] > top || (values[lane] == top && i < vertex)) top = values[lane], vertex = i;
  }
  vertex = std::min(vertex, body.count - 1);
  return {top, body.point(vertex), fat.radius_hi * fat.distortion[vertex]};
}

HWY_INLINE FatFar farthest(const FatConvex& fat, Vec3 n, double length) {
  if (fat.radius_hi > 0) return scan_fat(fat, n, length);
  const Convex& c = *fat.piece;
  if (c.tables != nullptr) {
    const Extreme found = support(*c.tables, n);
    return {found.value, found.point, 0};
  }
  const Vec3 p{c.centre.x + std::copysign(c.half.x, n.x), c.centre.y + std::copysign(c.half.y, n.y),
               c.centre.z + std::copysign(c.half.z, n.z)};
  return {dot(n, p), p, 0};
}

struct Look {
  double value;  ///< minus the gap
  Vec3 w;        ///< point of A minus point of B, in O
};

HWY_INLINE Look look_at(const FatConvex& a, const FatConvex& b, const Moment& m, Vec3 n) {
  const FatFar in_a = farthest(a, transposed_times(m.X_OA->R, n), 1);
  const FatFar in_b = farthest(b, -transposed_times(m.X_OB->R, n), 1);
  const Vec3 apart = m.X_OA->p - m.X_OB->p;
  return {dot(n, apart) + in_a.value + in_b.value,
          apart + (m.X_OA->R * in_a.point - m.X_OB->R * in_b.point) + (in_a.off + in_b.off) * n};
}

}  // namespace

BetweenBound run_fat(const FatConvex& a, const FatConvex& b, const Moment& at, double error_hi,
                     Vec3 start, double enough) {
  constexpr int kSteps = 12;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  BetweenBound bound{-kInfinity, kInfinity, start, 0};
  const double radius_a = a.piece->radius, radius_b = b.piece->radius;
  const double radii = radius_a + radius_b;
  if (!(radii < 1e100 && error_hi < 1e100)) return bound;
  Simplex s;
  Vec3 n = at.R_OM != nullptr ? *at.R_OM * start : start;
  double upper = kInfinity;
  for (; bound.steps < kSteps; ++bound.steps) {
    const double size = norm(n);
    if (!(size > 1e-9 && size < 1e100)) break;
    n = (1 / size) * n;
    const Look found = look_at(a, b, at, n);
    const double lo =
        body_distance_lo(radius_a, radius_b, hull_distance_lo(error_hi, -found.value, norm(n)));
    if (lo > bound.lower) bound.lower = lo, bound.n = n;
    if (bound.lower > enough || upper - radii - bound.lower < 1e-7) break;
    if (s.size == 4) break;
    bool known = false;
    for (int i = 0; i < s.size; ++i) known = known || s.w[i] == found.w;
    if (known) break;
    s.w[s.size++] = found.w;
    const SimplexPoint nearest = nearest_of_newest(s);
    if (nearest.inside) {
      upper = 0;
      break;
    }
    upper = norm(nearest.v);
    // They touch, or are nearer than what is asked for: no direction can show more.
    if (upper < radii + enough) break;
    n = -nearest.v;
  }
  bound.upper = upper - radii;
  if (at.R_OM != nullptr && bound.lower > -kInfinity) bound.n = transposed_times(*at.R_OM, bound.n);
  return bound;
}

double run_fat_support(const FatConvex& a, Vec3 n, double length) {
  return scan_fat(a, n, length).value;
}

}  // namespace HWY_NAMESPACE
}  // namespace keepclear
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace keepclear {

HWY_EXPORT(run_fat);
HWY_EXPORT(run_fat_support);

namespace {

/// What the balls add to the rounding of a gap along a direction of length one, to a few roundings:
/// two products and a sum, and the length itself.
double ball_error_hi(const FatConvex& fat) {
  return rounding::gamma(32) * fat.growth_hi();
}

}  // namespace

BetweenBound bound_fat(const FatConvex& a, const FatConvex& b, const Moment& at, double error_hi,
                       Vec3 start, double enough) noexcept {
  const double error = rounding::inflate(error_hi + ball_error_hi(a) + ball_error_hi(b), 3);
  return HWY_DYNAMIC_DISPATCH(run_fat)(a, b, at, error, start, enough);
}

double bound_fat_half_space(const FatConvex& a, const BoundedPose& X_OA, const HalfSpace& solid,
                            const BoundedPose& X_OB) noexcept {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const double length = norm(solid.n);
  if (!(length > 1e-100 && length < 1e100 && a.radius_hi < 1e100)) return -kInfinity;
  const Vec3 turned = X_OB.X.R * ((1 / length) * solid.n);
  const Vec3 n = (1 / norm(turned)) * turned;
  const Vec3 apart = X_OA.X.p - X_OB.X.p;
  const double inward = fat_support(a, -transposed_times(X_OA.X.R, n), 1);
  const double gap = dot(n, apart) - inward;
  // The half-space as a piece of one point, its own place, that is turned with its pose.
  const Convex place;
  const rounding::PoseError error{std::max(X_OA.error.rotation, X_OB.error.rotation),
                                  std::max(X_OA.error.position, X_OB.error.position)};
  const double error_hi = between_error_hi(*a.piece, place, rounding::span_hi(apart), error);
  const double hull_lo =
      hull_distance_lo(rounding::inflate(error_hi + ball_error_hi(a), 2), gap, norm(n));
  if (!(hull_lo > -kInfinity)) return -kInfinity;
  // The offset is one more radius, and may be negative.
  return body_distance_lo(a.piece->radius, 0, rounding::down(hull_lo - solid.offset));
}

double fat_support(const FatConvex& a, Vec3 n, double length) noexcept {
  return HWY_DYNAMIC_DISPATCH(run_fat_support)(a, n, length);
}

double fat_support_plain(const FatConvex& a, Vec3 n, double length) noexcept {
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < a.piece->tables->count; ++i) {
    best =
        std::max(best, dot(n, a.piece->tables->point(i)) + length * a.radius_hi * a.distortion[i]);
  }
  return best;
}

}  // namespace keepclear
#endif  // HWY_ONCE
