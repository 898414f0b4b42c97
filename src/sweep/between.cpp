// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sweep/between.cpp"
#include <hwy/foreach_target.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "distance/subdistance.hpp"
#include "distance/support-inl.hpp"
#include "shape/coarse.hpp"
#include "sweep/between.hpp"

HWY_BEFORE_NAMESPACE();
namespace keepclear {
namespace HWY_NAMESPACE {
namespace {

struct Far {
  double value;
  Vec3 point;  ///< in the piece's frame
};

/// The extreme point of a piece; n is given in its frame, finite and not zero.
HWY_INLINE Far farthest(const Convex& c, Vec3 n) {
  if (c.tables != nullptr) {
    const Extreme found = support(*c.tables, n);
    return {found.value, found.point};
  }
  const Vec3 p{c.centre.x + std::copysign(c.half.x, n.x), c.centre.y + std::copysign(c.half.y, n.y),
               c.centre.z + std::copysign(c.half.z, n.z)};
  return {dot(n, p), p};
}

/// What a direction shows: -gap, and where.
struct Look {
  double value;
  Vec3 w;  ///< point of A minus point of B, in M
};

HWY_INLINE Look look_at(const Convex& a, const Convex& b, const Moment& m, Vec3 n) {
  const Vec3 n_O = m.R_OM != nullptr ? *m.R_OM * n : n;
  const Far in_a = farthest(a, transposed_times(m.X_OA->R, n_O));
  const Far in_b = farthest(b, -transposed_times(m.X_OB->R, n_O));
  const Vec3 apart = m.X_OA->p - m.X_OB->p;
  const Vec3 w = apart + (m.X_OA->R * in_a.point - m.X_OB->R * in_b.point);
  return {dot(n_O, apart) + in_a.value + in_b.value,
          m.R_OM != nullptr ? transposed_times(*m.R_OM, w) : w};
}

HWY_INLINE Look look_in_step(const Convex& a, const Convex& b, const Moment& first,
                             const Moment& last, Vec3 n) {
  if (first.X_OB == last.X_OB && first.R_OM == nullptr) {
    // B stands still: it is asked once.
    const Far in_b = farthest(b, -transposed_times(first.X_OB->R, n));
    const Far a_0 = farthest(a, transposed_times(first.X_OA->R, n));
    const Far a_1 = farthest(a, transposed_times(last.X_OA->R, n));
    const Vec3 p_0 = first.X_OA->p - first.X_OB->p, p_1 = last.X_OA->p - first.X_OB->p;
    const double v_0 = dot(n, p_0) + a_0.value, v_1 = dot(n, p_1) + a_1.value;
    const Vec3 y = first.X_OB->R * in_b.point;
    if (v_0 >= v_1) return {v_0 + in_b.value, p_0 + (first.X_OA->R * a_0.point - y)};
    return {v_1 + in_b.value, p_1 + (last.X_OA->R * a_1.point - y)};
  }
  const Look best = look_at(a, b, first, n);
  const Look other = look_at(a, b, last, n);
  return other.value > best.value ? other : best;
}

HWY_INLINE Look look_out_of_step(const Convex& a, const Convex& b, const Moment& first,
                                 const Moment& last, Vec3 n) {
  auto one = [&](const Convex& c, const Pose& X, const Pose& Y, Vec3 along) HWY_ATTR {
    const Far at_x = farthest(c, transposed_times(X.R, along));
    const Far at_y = farthest(c, transposed_times(Y.R, along));
    const double x = at_x.value + dot(along, X.p), y = at_y.value + dot(along, Y.p);
    return x >= y ? Far{x, X * at_x.point} : Far{y, Y * at_y.point};
  };
  const Far in_a = one(a, *first.X_OA, *last.X_OA, n), in_b = one(b, *first.X_OB, *last.X_OB, -n);
  return {in_a.value + in_b.value, in_a.point - in_b.point};
}

/// At least the largest n.p over a piece, its radius included: the lesser of the box around its
/// points and the capsule around it.
HWY_INLINE double roughly_farthest(const Convex& c, Vec3 n, double length) {
  const double box =
      dot(n, c.centre) +
      (std::fabs(n.x) * c.half.x + std::fabs(n.y) * c.half.y + std::fabs(n.z) * c.half.z) +
      c.radius * length;
  if (!(c.capsule_hi < 1e100)) return box;
  const double capsule = std::max(dot(n, c.end_a), dot(n, c.end_b)) + c.capsule_hi * length;
  return std::min(box, capsule);
}

/// -gap along n, at most that much and with the radii.
HWY_INLINE double look_roughly(const Convex& a, const Convex& b, const Moment& first,
                               const Moment& last, Vec3 n, double length) {
  const auto one = [&](const Moment& m) HWY_ATTR {
    const Vec3 n_O = m.R_OM != nullptr ? *m.R_OM * n : n;
    return dot(n_O, m.X_OA->p - m.X_OB->p) +
           roughly_farthest(a, transposed_times(m.X_OA->R, n_O), length) +
           roughly_farthest(b, -transposed_times(m.X_OB->R, n_O), length);
  };
  return std::max(one(first), one(last));
}

template <typename LookAlong>
HWY_INLINE BetweenBound search(const Convex& a, const Convex& b, double error_hi, Vec3 start,
                               double enough, const LookAlong& look) {
  constexpr int kSteps = 16;
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  BetweenBound bound{-kInfinity, kInfinity, start, 0};
  const double radii = a.radius + b.radius;
  if (!(radii < 1e100 && error_hi < 1e100)) return bound;
  Simplex s;
  Vec3 n = start;
  double upper = kInfinity;
  for (; bound.steps < kSteps; ++bound.steps) {
    const double size = norm(n);
    if (!(size > 1e-9 && size < 1e100)) break;
    n = (1 / size) * n;
    const Look found = look(n);
    const double lo =
        body_distance_lo(a.radius, b.radius, hull_distance_lo(error_hi, -found.value, norm(n)));
    if (lo > bound.lower) bound.lower = lo, bound.n = n;
    if (bound.lower > enough || upper - radii - bound.lower < 1e-7) break;
    bool known = false;
    for (int i = 0; i < s.size; ++i) known = known || s.w[i] == found.w;
    if (known || s.size == 4) break;
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
  return bound;
}

}  // namespace

BetweenBound run_between(const Convex& a, const Convex& b, const Moment& first, const Moment& last,
                         double error_hi, Vec3 start, double enough) {
  // Boxes and capsules need no tables, which are rarely at hand: most questions end here.
  const double length = norm(start);
  const double gap = -look_roughly(a, b, first, last, start, length);
  const double radii_error = rounding::gamma(16) * (a.reach_hi + b.reach_hi + a.radius + b.radius);
  const double lo = body_distance_lo(0, 0, hull_distance_lo(error_hi + radii_error, gap, length));
  if (lo > enough) return {lo, lo, start, 0};
  return search(a, b, error_hi, start, enough,
                [&](Vec3 n) HWY_ATTR { return look_in_step(a, b, first, last, n); });
}

BetweenBound run_out_of_step(const Convex& a, const Convex& b, const Moment& first,
                             const Moment& last, double error_hi, Vec3 start, double enough) {
  return search(a, b, error_hi, start, enough,
                [&](Vec3 n) HWY_ATTR { return look_out_of_step(a, b, first, last, n); });
}

double run_gap(const Convex& a, const Convex& b, const Moment& first, const Moment& last, Vec3 n) {
  return -look_in_step(a, b, first, last, n).value;
}

}  // namespace HWY_NAMESPACE
}  // namespace keepclear
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace keepclear {

HWY_EXPORT(run_between);
HWY_EXPORT(run_out_of_step);
HWY_EXPORT(run_gap);

Convex convex_of(const BodyTables& tables) noexcept {
  // Around the points, wherever the centre of the box rounds to.
  const Vec3 centre = 0.5 * (tables.box.lo + tables.box.hi);
  const auto half = [](double lo, double hi, double c) {
    return rounding::up(std::max(hi - c, c - lo));
  };
  Convex made = convex_box(centre,
                           {half(tables.box.lo.x, tables.box.hi.x, centre.x),
                            half(tables.box.lo.y, tables.box.hi.y, centre.y),
                            half(tables.box.lo.z, tables.box.hi.z, centre.z)},
                           tables.radius);
  made.tables = &tables;
  made.reach_hi = std::max(made.reach_hi, tables.reach_hi);
  return made;
}

Convex convex_of(const Body& body) {
  Convex made = convex_of(body.tables());
  const Body capsule = capsule_around({&body, 1});
  const BodyTables& ends = capsule.tables();
  made.end_a = ends.point(0);
  made.end_b = ends.point(ends.count - 1);
  made.capsule_hi = capsule.radius();
  made.reach_hi = std::max(made.reach_hi, rounding::inflate(ends.reach_hi + made.capsule_hi, 1));
  return made;
}

Convex convex_box(Vec3 centre, Vec3 half, double radius) noexcept {
  // The corners are sums that round; that is inside the error of a gap.
  const Vec3 corner{std::fabs(centre.x) + half.x, std::fabs(centre.y) + half.y,
                    std::fabs(centre.z) + half.z};
  Convex made;
  made.centre = centre, made.half = half;
  made.radius = radius;
  made.reach_hi = rounding::inflate(rounding::norm_hi(corner), 4);
  return made;
}

double between_error_hi(const Convex& a, const Convex& b, double apart_hi,
                        rounding::PoseError error) noexcept {
  const double reach = a.reach_hi + b.reach_hi + apart_hi;
  const double off = 4 * error.rotation * reach + 2 * error.position;
  return rounding::inflate(rounding::gamma(128) * reach + off, 16) + 1e-150;
}

BetweenBound bound_between(const Convex& a, const Convex& b, const Moment& first,
                           const Moment& last, double error_hi, Vec3 start,
                           double enough) noexcept {
  return HWY_DYNAMIC_DISPATCH(run_between)(a, b, first, last, error_hi, start, enough);
}

BetweenBound bound_out_of_step(const Convex& a, const Convex& b, const Moment& first,
                               const Moment& last, double error_hi, Vec3 start,
                               double enough) noexcept {
  return HWY_DYNAMIC_DISPATCH(run_out_of_step)(a, b, first, last, error_hi, start, enough);
}

double between_gap(const Convex& a, const Convex& b, const Moment& first, const Moment& last,
                   Vec3 n) noexcept {
  return HWY_DYNAMIC_DISPATCH(run_gap)(a, b, first, last, n);
}

namespace {

/// The largest n.p over all points.
double largest_plain(const Convex& c, Vec3 n) noexcept {
  double best = -std::numeric_limits<double>::infinity();
  if (c.tables != nullptr) {
    for (std::size_t i = 0; i < c.tables->count; ++i) {
      best = std::max(best, dot(n, c.tables->point(i)));
    }
    return best;
  }
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 p{c.centre.x + ((corner & 1) != 0 ? c.half.x : -c.half.x),
                 c.centre.y + ((corner & 2) != 0 ? c.half.y : -c.half.y),
                 c.centre.z + ((corner & 4) != 0 ? c.half.z : -c.half.z)};
    best = std::max(best, dot(n, p));
  }
  return best;
}

}  // namespace

double between_gap_plain(const Convex& a, const Convex& b, const Moment& first, const Moment& last,
                         Vec3 n) noexcept {
  double least = std::numeric_limits<double>::infinity();
  for (const Moment* m : {&first, &last}) {
    const Vec3 n_O = m->R_OM != nullptr ? *m->R_OM * n : n;
    const double apart = dot(n_O, m->X_OB->p - m->X_OA->p);
    least = std::min(least, apart - largest_plain(a, transposed_times(m->X_OA->R, n_O)) -
                                largest_plain(b, -transposed_times(m->X_OB->R, n_O)));
  }
  return least;
}

}  // namespace keepclear
#endif  // HWY_ONCE
