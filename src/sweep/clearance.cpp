// SPDX-License-Identifier: BSD-3-Clause
//
// What the volumes of a Sweep show: the least clearance of any checked pair.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"
#include "rounding/rounding.hpp"
#include "sweep/sweep_impl.hpp"

namespace keepclear {
namespace {

/// Metres: a search ends when its bound is within this of the distance of the volumes.
constexpr double kTolerance = 1e-7;

/// At most the distance of two placed volumes; the search may end once it is above `least`.
double volume_distance_lo(const Placement& pair, double least, GjkCache& cache) noexcept {
  const double stop = least + (pair.a->radius + pair.b->radius);
  GjkOptions options;
  options.tolerance = kTolerance;
  options.stop_above = stop + 1e-12 * std::fabs(stop);
  GjkResult found;
  gjk(pair, options, cache, found);
  return body_distance_lo(pair, found.lower);
}

}  // namespace

double Sweep::Impl::pair_lower(const VolumePair& pair, double bound_lo, double least,
                               GjkCache& cache) noexcept {
  // Everything is where everything else is, and a search has nothing to look along.
  if (!(bound_lo > -kInfinity)) return -kInfinity;
  Placement placement{tables[pair.a], tables[pair.b], Pose{}, 0};
  placement.error_hi = placement_error_hi(*placement.a, *placement.b, 0.0, {});
  return std::max(bound_lo, volume_distance_lo(placement, least, cache));
}

double Sweep::Impl::piece_lower(int volume, std::uint32_t piece, double least) noexcept {
  const Environment& env = data.environment;
  const BoundedPose& X_WO = env.objects[env.pieces[piece].object].X_WO;
  const BodyTables& body = *tables[volume];
  if (!(body.radius < kInfinity)) return -kInfinity;
  const PieceView view = bench.view(env, piece);
  if (view.half_space != nullptr) {
    const double apart_hi = rounding::norm_hi(X_WO.X.p);
    return solve_half_space(*view.half_space, body, rounding::relative_pose(X_WO.X, {}),
                            rounding::relative(X_WO.error, {}, apart_hi), {})
        .signed_lower;
  }
  Placement placement{&body, view.tables, X_WO.X, 0};
  placement.error_hi = placement_error_hi(body, *view.tables, X_WO.X, X_WO.error);
  const std::uint64_t key = (static_cast<std::uint64_t>(volume) << 32) | piece;
  PieceCache& slot = piece_caches[(key * 0x9e3779b97f4a7c15u) >> 54];
  static_assert(kPieceCaches == 1u << 10);
  if (slot.key != key) slot = {key, {}};
  return volume_distance_lo(placement, least, slot.cache);
}

void Sweep::Impl::search_environment(SweptClearance& result) noexcept {
  const Environment& env = data.environment;
  for (const int volume : layout.among) {
    const int own = data.bodies[volumes[volume].body].solid;
    const double radius = tables[volume]->radius;
    if (!(radius < kInfinity)) {
      for (const PlacedObject& object : env.objects) {
        if (object.last == object.first || data.rules.may_touch(own, object.solid)) continue;
        result = {-kInfinity, own, object.solid};
        return;
      }
    }
    if (++search == 0) {
      std::fill(offered.begin(), offered.end(), 0u);
      search = 1;
    }
    // Even where something overlaps already: what overlaps more is still to be found.
    const auto reach = [&] {
      return std::max(result.clearance, std::numeric_limits<double>::min());
    };
    const Box box = grown(tables[volume]->box, radius);
    env.index.visit_nearest(box, reach(), [&](int id, double) {
      const auto piece = static_cast<std::uint32_t>(id);
      // A piece may be offered once for each cell that it lies in.
      if (offered[piece] == search) return reach();
      offered[piece] = search;
      const int other = env.solid_of(piece);
      if (data.rules.may_touch(own, other)) return reach();
      const double lower = piece_lower(volume, piece, result.clearance);
      if (lower < result.clearance) result = {lower, own, other};
      return reach();
    });
  }
}

SweptClearance Sweep::Impl::clearance() noexcept {
  if (!valid || !rounding::mode_is_right()) return {-kInfinity, -1, -1};
  SweptClearance result{kInfinity, -1, -1};
  for (std::size_t i = 0; i < layout.pairs.size(); ++i) {
    const BodyTables &a = *tables[layout.pairs[i].a], &b = *tables[layout.pairs[i].b];
    const double radii = rounding::up(a.bounding_radius_hi + b.bounding_radius_hi);
    bound[i] = radii < kInfinity ? ball_distance_lo(a.centre, b.centre, radii) : -kInfinity;
  }
  // The nearest first: most of the others are farther than they can come.
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int i, int j) { return bound[i] < bound[j] || (bound[i] == bound[j] && i < j); });
  for (const int i : order) {
    if (!(bound[i] < result.clearance)) break;
    const VolumePair& pair = layout.pairs[i];
    const double lower = pair_lower(pair, bound[i], result.clearance, caches[i]);
    if (!(lower < result.clearance)) continue;
    const LinkPair& solids = data.link_pairs[data.body_pairs[pair.pair].pair];
    result = {lower, solids.solid_a, solids.solid_b};
  }
  if (result.clearance > -kInfinity) search_environment(result);
  return result;
}

}  // namespace keepclear
