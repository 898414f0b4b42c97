// SPDX-License-Identifier: BSD-3-Clause
#include "distance/pair.hpp"

#include <algorithm>
#include <cmath>

#include "distance/closed_forms.hpp"
#include "keepclear/body.hpp"
#include "rounding/mode.hpp"

namespace keepclear {
namespace {

/// At least the real distance of the hulls, given the computed one of two witness points.
double witness_distance_hi(const Placement& pair, double upper) {
  // Each witness point is a rounded convex combination: at most 8 roundings a coordinate for the
  // sum, 4 for the sum of the weights that divides it, 5 for the pose, and one for the difference.
  const double reach = pair.a->reach_hi + 2 * pair.b->reach_hi + rounding::norm_hi(pair.X_AB.p);
  return rounding::inflate(upper + pair.error_hi + rounding::gamma(32) * reach, 8);
}

/// True if hulls whose computed distance is `upper` are proved nearer than the sum of the radii and
/// the margin.
bool radii_overlap(const Placement& pair, double upper, double margin) {
  const double radii = (pair.a->radius + pair.b->radius) + margin;
  return witness_distance_hi(pair, upper) < radii * (1 - 4 * rounding::kU);
}

/// How deep bodies are in each other by their radii, where their hulls are apart or just touch.
double depth_by_radii_lo(const Placement& pair, double upper) {
  const double radii_lo = (pair.a->radius + pair.b->radius) * (1 - 4 * rounding::kU);
  return std::max(0.0, rounding::down(radii_lo - witness_distance_hi(pair, upper)));
}

/// The witness points of what GJK found, with weights that are a convex combination to rounding,
/// and their distance. GJK's own |v| is a projection onto a computed plane, which on a sliver can
/// come nearer than any point of it: good for a search, no proof.
double witness_distance(const Placement& pair, const GjkResult& found, Witness& points) {
  const Simplex& s = found.simplex;
  double sum = 0;
  Vec3 p_a, p_b;
  for (int i = 0; i < s.size; ++i) {
    const double weight = std::max(s.weight[i], 0.0);
    sum += weight;
    p_a = p_a + weight * pair.a->point(s.vertex_a[i]);
    p_b = p_b + weight * pair.b->point(s.vertex_b[i]);
  }
  const double share = 1 / sum;
  points = {share * p_a, pair.X_AB * (share * p_b)};
  return norm(points.p_a - points.p_b);
}

/// The surface points along n, and unsigned answers clipped at contact.
void finish(const Placement& pair, double hull_distance, double hull_lo, const Witness& hull_points,
            Vec3 n, const PairOptions& options, PairAnswer& answer) {
  answer.n = n;
  // On the line of the witness points where it has a direction, else along n.
  const Vec3 across =
      hull_distance > 1e-6 ? (1 / hull_distance) * (hull_points.p_b - hull_points.p_a) : n;
  answer.p_a = hull_points.p_a + pair.a->radius * across;
  answer.p_b = hull_points.p_b - pair.b->radius * across;
  answer.distance = hull_distance - (pair.a->radius + pair.b->radius);
  answer.lower = answer.signed_lower = body_distance_lo(pair, hull_lo);
  if (answer.lower > options.margin) answer.verdict = Verdict::free;
  if (!options.signed_distance) {
    answer.lower = std::max(answer.lower, 0.0);
    if (answer.distance < 0) {
      // Both surfaces pass through the overlap: one point of it stands for both.
      answer.distance = 0;
      answer.p_a = answer.p_b = 0.5 * (answer.p_a + answer.p_b);
    }
  }
}

/// Hulls that overlap, or are so near that GJK could not tell: the expanding polytope proves the
/// overlap, or finds the direction that GJK's short v was too inexact for.
void solve_near(const Placement& pair, const GjkResult& found, const PairOptions& options,
                EpaWorkspace& space, PairAnswer& answer) {
  EpaResult deep = epa(pair, found.simplex, options.signed_distance, options.tolerance, space);
  if (found.lower > deep.signed_lo) deep.signed_lo = found.lower, deep.n = found.n;
  Witness points;
  const double upper = witness_distance(pair, found, points);
  if (deep.contact || radii_overlap(pair, upper, options.margin)) {
    answer.verdict = Verdict::contact;
  }
  if (options.signed_distance) {
    const double radii_lo = (pair.a->radius + pair.b->radius) * (1 - 4 * rounding::kU);
    answer.sure_depth_lo = deep.sure_depth_lo > 0 ? rounding::down(deep.sure_depth_lo + radii_lo)
                                                  : depth_by_radii_lo(pair, upper);
  }
  if (!deep.contact) {
    // Without a proof that the hulls overlap, their distance is at most that of the witness points.
    finish(pair, upper, deep.signed_lo, points, deep.n, options, answer);
    return;
  }
  double hull_distance = -deep.depth_lo;
  const bool both_boxes = pair.a->kind == BodyKind::box && pair.b->kind == BodyKind::box;
  if (both_boxes && options.signed_distance) {
    // The fifteen axes hold the exact answer; the search may have stopped short of it.
    const Pose X_CD = inverse(pair.a->X_AB) * (pair.X_AB * pair.b->X_AB);
    const BoxAxis best = best_box_axis(pair.a->box_half, pair.b->box_half, X_CD);
    const Vec3 n = pair.a->X_AB.R * best.n;
    const double lo = hull_distance_lo(pair, evaluate_direction(pair, n).gap, norm(n));
    if (lo > deep.signed_lo) deep.signed_lo = lo, deep.n = n;
    hull_distance = std::min(hull_distance, best.separation);
  }
  finish(pair, hull_distance, deep.signed_lo, {deep.p_a, deep.p_b}, deep.n, options, answer);
}

/// Metres: nearer than this, what GJK left open is worth a second look.
constexpr double kNear = 1e-5;

bool left_open(const Placement& pair, const GjkResult& found, double tolerance) {
  if (found.end == GjkResult::End::overlap || found.lower <= 0) return true;
  return found.upper < kNear && found.upper - found.lower > tolerance + 4 * pair.error_hi;
}

}  // namespace

bool solve_closed(const Placement& pair, const PairOptions& options, PairAnswer& answer) noexcept {
  const auto near = closed_form(pair);
  if (!near) return false;
  const Vec3 v = near->p_a - near->p_b;
  const double length = norm(v);
  if (!(length > 1e-9)) return false;  // the direction would be all rounding: let GJK and EPA look
  const Vec3 n = (-1 / length) * v;
  const double lo = hull_distance_lo(pair, evaluate_direction(pair, n).gap, norm(n));
  // Above its own lower bound, and near it: otherwise these are not the nearest points.
  if (!(length >= lo && length - lo <= options.tolerance)) return false;
  if (radii_overlap(pair, length, options.margin)) answer.verdict = Verdict::contact;
  if (options.signed_distance) answer.sure_depth_lo = depth_by_radii_lo(pair, length);
  finish(pair, length, lo, {near->p_a, near->p_b}, n, options, answer);
  return true;
}

PairAnswer conclude(const Placement& pair, const GjkResult& found, const PairOptions& options,
                    EpaWorkspace& space) noexcept {
  PairAnswer answer;
  if (found.end != GjkResult::End::stopped && left_open(pair, found, options.tolerance)) {
    solve_near(pair, found, options, space, answer);
    return answer;
  }
  Witness points;
  const double upper = witness_distance(pair, found, points);
  if (radii_overlap(pair, upper, options.margin)) answer.verdict = Verdict::contact;
  if (options.signed_distance) answer.sure_depth_lo = depth_by_radii_lo(pair, upper);
  finish(pair, upper, found.lower, points, found.n, options, answer);
  return answer;
}

PairAnswer solve_pair(const Placement& pair, const PairOptions& options, GjkCache& cache,
                      EpaWorkspace& space) noexcept {
  PairAnswer answer;
  if (solve_closed(pair, options, answer)) return answer;
  const double radii = pair.a->radius + pair.b->radius;
  GjkOptions search;
  search.tolerance = options.tolerance;
  // A little more than needed, so that the rounding of body_distance_lo cannot undo it.
  search.stop_above = (options.stop_above + radii) * (1 + 1e-12);
  if (options.verdict_only) search.stop_below = 0.5 * (radii + options.margin);
  GjkResult found;
  gjk(pair, search, cache, found);
  answer = conclude(pair, found, options, space);
  if (answer.verdict == Verdict::undecided && search.tolerance > 0) {
    // The tolerance left room for both verdicts, or the search was stopped by a |v| that proves
    // nothing: once more, to the end.
    search.tolerance = 0;
    search.stop_below = 0;
    gjk(pair, search, cache, found);
    answer = conclude(pair, found, options, space);
  }
  return answer;
}

BodyDistance distance(const Body& a, const Pose& X_WA, const Body& b, const Pose& X_WB,
                      const BodyDistanceOptions& options) noexcept {
  BodyDistance result;
  // What is left in answers that are none. A depth may be of any size: zero would be a promise.
  if (options.signed_distance) result.lower_bound = -std::numeric_limits<double>::infinity();
  if (!rounding::mode_is_right()) {
    result.distance = std::numeric_limits<double>::quiet_NaN();
    return result;
  }
  // The given maps are within error_a and error_b of rotations: the search runs on the rotations,
  // and what the maps move the points away from there is added to the error of the placement.
  const double error_a = rounding::deviation_from_rotation_hi(X_WA.R);
  const double error_b = rounding::deviation_from_rotation_hi(X_WB.R);
  const Vec3 apart = X_WB.p - X_WA.p;
  const double apart_hi = rounding::norm_hi(apart);
  if (!(error_a <= 1e-6 && error_b <= 1e-6 && apart_hi <= 1e9)) return result;
  Placement pair{&a.tables(), &b.tables(), rounding::relative_pose(X_WA, X_WB), 0};
  const rounding::PoseError error = rounding::relative({error_a, 0}, {error_b, 0}, apart_hi);
  pair.error_hi = rounding::inflate(placement_error_hi(*pair.a, *pair.b, pair.X_AB, error) +
                                        error_a * pair.a->reach_hi + error_b * pair.b->reach_hi,
                                    4);
  GjkCache cache;
  EpaWorkspace space;
  const PairAnswer answer =
      solve_pair(pair, {options.tolerance, options.signed_distance}, cache, space);
  result.verdict = answer.verdict;
  result.distance = answer.distance;
  result.lower_bound = answer.lower;
  result.point_a = X_WA * answer.p_a;
  result.point_b = X_WA * answer.p_b;
  result.normal = X_WA.R * answer.n;
  return result;
}

}  // namespace keepclear
