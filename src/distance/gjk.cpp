// SPDX-License-Identifier: BSD-3-Clause
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "distance/gjk.cpp"
#include <hwy/foreach_target.h>

#include "distance/gjk.hpp"
#include "distance/simplex.hpp"
#include "distance/support-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace keepclear {
namespace HWY_NAMESPACE {
namespace {

/// GJK on hulls of hundreds of vertices ends after three to fifteen steps; beyond this it has
/// stalled, and the bounds found so far are the answer.
constexpr int kMaxFastSteps = 48;
constexpr int kMaxSteps = 128;

/// Metres: below this the direction of v is better computed in extended precision. A difference of
/// coordinates of a metre is off by 1e-16, so that v would be off by 1e-9 in direction.
constexpr double kShort = 1e-7;

inline void append_fine(const Placement& pair, BasicSimplex<LongVec3>& s, unsigned a, unsigned b) {
  const Vec3 x = pair.a->point(a), y = pair.b->point(b);
  const Mat3& R = pair.X_AB.R;
  const Vec3 p = pair.X_AB.p;
  const LongVec3 t{y.x, y.y, y.z};
  auto row = [&](Vec3 r, double q) { return dot(LongVec3{r.x, r.y, r.z}, t) + q; };
  s.w[s.size] = {x.x - row(R.row0, p.x), x.y - row(R.row1, p.y), x.z - row(R.row2, p.z)};
  s.vertex_a[s.size] = a, s.vertex_b[s.size] = b;
  ++s.size;
}

/// The best bounds so far; kept small, since it is touched in every step.
struct Progress {
  Vec3 v;  ///< nearest point found, or the first direction
  double upper = std::numeric_limits<double>::infinity();
  double lower = -std::numeric_limits<double>::infinity();
  Vec3 lower_v;  ///< -lower_v is the direction that gave `lower`
  double lower_length = 1;
  int steps = 0, level_steps = 0;

  /// True if a nearest point at distance `length` is worth looking along. Near the end |v| is right
  /// to second order where its direction is right only to first: a step that leaves |v| level, to
  /// within rounding, can still close the gap. A few of those are allowed.
  bool accepts(double length) {
    if (length < upper) return true;
    return length <= upper * (1 + 8 * rounding::kU) && ++level_steps <= 8;
  }
};

enum class Step { go_on, done, stopped, overlap };

/// Looks along -v. Afterwards `found` holds the vertices extreme there.
template <typename Evaluate>
HWY_INLINE Step look(const Placement& pair, const GjkOptions& options, Progress& p,
                     Separation& found, double length, const Evaluate& evaluate) {
  found = evaluate(pair, -p.v);
  const double lo = hull_distance_lo(pair, found.gap, length);
  if (lo > p.lower) p.lower = lo, p.lower_v = p.v, p.lower_length = length;
  if (p.lower > options.stop_above) return Step::stopped;
  return p.upper - p.lower <= options.tolerance + 2 * pair.error_hi ? Step::done : Step::go_on;
}

/// Goes on in extended precision with the full sub-distance: for gaps near rounding, where the
/// direction of a short v is all cancellation, and for simplices so thin that the fast form loses
/// its way. Where the new vertex all but repeats an old one, each old vertex in turn makes room for
/// it. Starts from the vertices in the cache.
template <typename Evaluate>
HWY_NOINLINE Step search_carefully(const Placement& pair, const GjkOptions& options,
                                   const GjkCache& start, Simplex& s, Progress& p,
                                   const Evaluate& evaluate) {
  BasicSimplex<LongVec3> fine;
  for (int i = 0; i < start.size; ++i) append_fine(pair, fine, start.a[i], start.b[i]);
  BasicSimplexPoint<LongVec3> nearest = nearest_by_signed_volumes(fine);
  long double upper = std::sqrt(squared_norm(nearest.v));
  int level_steps = 0;
  Step step = Step::done;
  Separation found;
  for (; p.steps < kMaxSteps; ++p.steps) {
    p.upper = static_cast<double>(upper);
    if (nearest.inside || !(p.upper > 0)) {
      step = Step::overlap;
      break;
    }
    // Scaled to unit length: the shortest v keeps all the digits of its direction.
    p.v = {static_cast<double>(nearest.v.x / upper), static_cast<double>(nearest.v.y / upper),
           static_cast<double>(nearest.v.z / upper)};
    step = look(pair, options, p, found, norm(p.v), evaluate);
    if (p.upper < options.stop_below) step = Step::stopped;
    if (step != Step::go_on || holds(fine, found.vertex_a, found.vertex_b)) break;

    const BasicSimplex<LongVec3> before = fine;
    bool advanced = false;
    for (int left_out = -1; left_out < before.size && !advanced; ++left_out) {
      fine.size = 0;
      for (int i = 0; i < before.size; ++i) {
        if (i != left_out) append_fine(pair, fine, before.vertex_a[i], before.vertex_b[i]);
      }
      append_fine(pair, fine, found.vertex_a, found.vertex_b);
      nearest = nearest_by_signed_volumes(fine);
      const long double length = std::sqrt(squared_norm(nearest.v));
      advanced = nearest.inside || length < upper ||
                 (length <= upper * (1 + 8 * rounding::kU) && ++level_steps <= 8);
      if (advanced) upper = length;
    }
    if (!advanced) {
      fine = before;
      break;
    }
  }
  s.size = fine.size;
  for (int i = 0; i < fine.size; ++i) {
    s.w[i] = difference(pair, fine.vertex_a[i], fine.vertex_b[i]);
    s.vertex_a[i] = fine.vertex_a[i], s.vertex_b[i] = fine.vertex_b[i];
    s.weight[i] = static_cast<double>(fine.weight[i]);
  }
  return step == Step::go_on ? Step::done : step;
}

/// `Evaluate` gives the Separation along a direction. Starts from the vertices in the cache, or
/// from the spines.
template <bool kFast, typename Evaluate>
HWY_INLINE void search(const Placement& pair, const GjkOptions& options, GjkCache& cache,
                       GjkResult& result, const Evaluate& evaluate) {
  Progress p;
  Simplex& s = result.simplex;
  s.size = 0;
  Separation found;
  Step step = Step::go_on;
  double length = 0;
  if (cache.size > 0) {
    for (int i = 0; i < cache.size; ++i) append(pair, s, cache.a[i], cache.b[i]);
    const SimplexPoint nearest = nearest_by_signed_volumes(s);
    p.v = nearest.v;
    length = p.upper = norm(p.v);
    if (nearest.inside) step = Step::overlap;
  } else {
    p.v = between_spines(pair);
    length = norm(p.v);
    if (!(length > kShort)) p.v = {1, 0, 0}, length = 1;
    step = look(pair, options, p, found, length, evaluate);
    append(s, found);
    s.weight[0] = 1;
    p.v = s.w[0];
    length = p.upper = norm(p.v);
  }
  bool careful = !kFast;
  while (step == Step::go_on) {
    // A short v has lost its digits, a long search its way.
    careful = careful || !(length > kShort) || ++p.steps > kMaxFastSteps;
    if (length < options.stop_below) {
      step = Step::stopped;
      break;
    }
    if (!careful) {
      step = look(pair, options, p, found, length, evaluate);
      if (step != Step::go_on) break;
    }
    // What the simplex was, should the fast sub-distance lose its way.
    cache.size = s.size;
    for (int i = 0; i < s.size; ++i) cache.a[i] = s.vertex_a[i], cache.b[i] = s.vertex_b[i];
    careful = careful || holds(s, found.vertex_a, found.vertex_b);
    if (!careful) {
      append(s, found);
      SimplexPoint nearest = nearest_of_newest(s);
      if (nearest.inside) nearest = nearest_by_signed_volumes(s);
      if (nearest.inside) {
        step = Step::overlap;
        p.upper = norm(nearest.v);
        break;
      }
      length = norm(nearest.v);
      careful = !p.accepts(length);
      if (!careful) p.v = nearest.v, p.upper = length;
    }
    if (careful) step = search_carefully(pair, options, cache, s, p, evaluate);
  }

  result.end = step == Step::overlap   ? GjkResult::End::overlap
               : step == Step::stopped ? GjkResult::End::stopped
                                       : GjkResult::End::converged;
  result.upper = p.upper;
  result.lower = p.lower;
  result.n = (-1 / p.lower_length) * p.lower_v;
  result.iterations = p.steps;
  cache.size = s.size;
  for (int i = 0; i < s.size; ++i) cache.a[i] = s.vertex_a[i], cache.b[i] = s.vertex_b[i];
}

}  // namespace

void run_gjk(const Placement& pair, const GjkOptions& options, GjkCache& cache, GjkResult& result) {
  search<true>(pair, options, cache, result,
               [](const Placement& p, Vec3 n) HWY_ATTR { return separate(p, n); });
}

void run_gjk_plain(const Placement& pair, const GjkOptions& options, GjkResult& result) {
  GjkCache cold;
  search<false>(pair, options, cold, result, [](const Placement& p, Vec3 n) HWY_ATTR {
    Separation s;
    const Vec3 m = -transposed_times(p.X_AB.R, n);
    s.vertex_a = support_scan(*p.a, n);
    s.vertex_b = support_scan(*p.b, m);
    s.gap = (dot(n, p.X_AB.p) - dot(m, p.b->point(s.vertex_b))) - dot(n, p.a->point(s.vertex_a));
    s.w = difference(p, s.vertex_a, s.vertex_b);
    return s;
  });
}

Separation run_separate(const Placement& pair, Vec3 n) {
  return separate(pair, n);
}

}  // namespace HWY_NAMESPACE
}  // namespace keepclear
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace keepclear {

HWY_EXPORT(run_gjk);
HWY_EXPORT(run_separate);

void gjk(const Placement& pair, const GjkOptions& options, GjkCache& cache,
         GjkResult& result) noexcept {
  HWY_DYNAMIC_DISPATCH(run_gjk)(pair, options, cache, result);
}

Separation evaluate_direction(const Placement& pair, Vec3 n) noexcept {
  return HWY_DYNAMIC_DISPATCH(run_separate)(pair, n);
}

void gjk_plain(const Placement& pair, const GjkOptions& options, GjkResult& result) noexcept {
  HWY_STATIC_DISPATCH(run_gjk_plain)(pair, options, result);
}

Witness witness(const Placement& pair, const Simplex& s) noexcept {
  Vec3 p_a, p_b;
  for (int i = 0; i < s.size; ++i) {
    p_a = p_a + s.weight[i] * pair.a->point(s.vertex_a[i]);
    p_b = p_b + s.weight[i] * pair.b->point(s.vertex_b[i]);
  }
  return {p_a, pair.X_AB * p_b};
}

}  // namespace keepclear
#endif  // HWY_ONCE
