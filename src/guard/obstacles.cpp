// SPDX-License-Identifier: BSD-3-Clause
//
// A body and everything that stands in the scene: near cells of the octree first, until nothing
// that is left can be nearer than what was found.
#include <algorithm>
#include <cmath>

#include "guard/guard_impl.hpp"

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::norm_hi;
using Settled = Guard::Impl::Settled;

/// Metres: farther away nothing is looked for.
constexpr double kReach = 0.5;
/// Floating-point operations of the distance of two boxes, or of a cell.
constexpr std::uint64_t kBoxFlops = 16;

/// At least the box that a body covers, which is placed.
Box box_of(const GuardPose& where, int b, const GuardBodies& all, const SpreadSide& side) {
  const double way_hi = where.way_hi(b, 0);
  if (all.tables[b] != nullptr) {
    return placed_box(*all.tables[b], where.frame(all.bodies[b].frame), way_hi);
  }
  if (side.in_frame) {
    return box_around(where.centre(b), where.ball_hi(b), inflate(way_hi + side.radius_hi, 1));
  }
  Vec3 lo{side.x[0], side.y[0], side.z[0]}, hi = lo;
  for (std::size_t i = 1; i < side.count; ++i) {
    lo = {std::min(lo.x, side.x[i]), std::min(lo.y, side.y[i]), std::min(lo.z, side.z[i])};
    hi = {std::max(hi.x, side.x[i]), std::max(hi.y, side.y[i]), std::max(hi.z, side.z[i])};
  }
  return grown({lo, hi}, inflate(way_hi + (side.radius_hi + side.error_hi), 3));
}

/// A piece as the other side: its tables where it stands.
SpreadSide still_side(const PieceView& view, const BoundedPose& X_WO) {
  SpreadSide side;
  side.tables = view.tables;
  side.X = X_WO.X;
  side.radius_hi = view.tables->radius;
  const double p_hi = norm_hi(X_WO.X.p);
  side.size_hi =
      std::max(1.0, inflate(p_hi + (1 + X_WO.error.rotation) * view.tables->reach_hi, 3));
  side.error_hi = inflate(
      X_WO.error.rotation * view.tables->reach_hi + X_WO.error.position + gamma(16) * side.size_hi,
      8);
  return side;
}

/// A half-space as one point of its border, to be looked at along its normal alone.
struct Border {
  double x = 0, y = 0, z = 0;
  Vec3 inwards;
  SpreadSide side;
};
void set_border(const HalfSpace& solid, const BoundedPose& X_WO, double size_hi, Border& border) {
  const Vec3 n = X_WO.X.R * solid.n;
  const double length = norm(n);
  border.inwards = (-1 / length) * n;
  const Vec3 p = X_WO.X.p - solid.offset * border.inwards;
  border.x = p.x, border.y = p.y, border.z = p.z;
  border.side.x = &border.x, border.side.y = &border.y, border.side.z = &border.z;
  border.side.count = 1;
  border.side.size_hi = inflate(norm_hi(p) + size_hi, 1);
  // The normal is off by a rotation, and so is every n.(x - p).
  border.side.error_hi = inflate(
      X_WO.error.position + (X_WO.error.rotation + gamma(32)) *
                                (border.side.size_hi + std::fabs(solid.offset) + norm_hi(X_WO.X.p)),
      12);
}

}  // namespace

double Guard::Impl::obstacle_margin(int solid, int other) const noexcept {
  for (const GuardMargin& m : margins) {
    if ((m.a == solid && m.b == other) || (m.a == other && m.b == solid)) {
      return rounding::up(m.margin + options.margin);
    }
  }
  return rounding::up(data.rules.margin_of(solid, other) + options.margin);
}

Settled Guard::Impl::settle_obstacles(GuardPose& where, int at, double lasting, bool may_refine,
                                      GuardBound& bound) noexcept {
  ++kept.counters.lookups;
  const Environment& env = data.environment;
  const int b = among[at];
  const GuardBody& body = all.bodies[b];
  if (body.frame == 0) {  // what stands is not checked against what stands
    bound.lower = kInfiniteMetres;
    return Settled::clear;
  }
  const std::uint64_t flops = where.side_flops(b, 0) + 6 * std::min(body.count, kFewPoints) + 100;
  if (!place(where, b) || !afford(flops)) return Settled::no_budget;
  const SpreadSide side = where.side(b, 0);
  const Box around = box_of(where, b, all, side);
  if (++search_number == 0) {
    std::fill(offered.begin(), offered.end(), 0u);
    search_number = 1;
  }
  double least = kReach;
  int nearest = -1;
  bool fleeting = false;
  Settled end = Settled::clear;
  const auto reach = [&] {
    return end == Settled::clear ? inflate(least + margin_hi, 1) : -kInfiniteMetres;
  };
  const auto charge = [&](int boxes) {
    if (afford(kBoxFlops * static_cast<std::uint64_t>(boxes))) return true;
    end = Settled::no_budget;
    return false;
  };
  const auto look_at = [&](int id, double distance_lo) {
    const auto piece = static_cast<std::uint32_t>(id);
    // A piece may be offered once for each cell that it lies in.
    if (end != Settled::clear || offered[piece] == search_number) return reach();
    offered[piece] = search_number;
    const int other = env.solid_of(piece);
    if (is_moved[other] != 0 || lets_touch(body.solid, other)) return reach();
    Meeting m;
    m.a = b;
    m.last = body.frame;
    m.margin = obstacle_margin(body.solid, other);
    m.lasting = lasting;
    GuardBound found;
    found.lower = distance_lo;
    if (!(distance_lo > m.margin + lasting)) {
      PieceDirection& seen = piece_directions[static_cast<std::size_t>(at * kPieceDirections) +
                                              piece % kPieceDirections];
      const BoundedPose& X_WO = env.objects[env.pieces[piece].object].X_WO;
      const PieceView view = bench.view(env, piece);
      SpreadSide still;
      Border border;
      if (!afford(120)) {
        end = Settled::no_budget;
        return reach();
      }
      if (view.half_space != nullptr) {
        // Wherever in the box the body is looked at.
        const double anywhere = inflate(2 * side.size_hi + 2 * where.way_hi(b, 0), 3);
        set_border(*view.half_space, X_WO, anywhere, border);
        found.n = border.inwards;
        m.one_direction = true;
        m.still = &border.side;
      } else {
        still = still_side(view, X_WO);
        m.still = &still;
        const Vec3 apart = X_WO.X * view.tables->centre - where.centre(b);
        const double length = norm(apart);
        found.n = seen.piece == piece && seen.n != Vec3{} ? seen.n
                  : length > 1e-9                         ? (1 / length) * apart
                                                          : Vec3{0, 0, 1};
      }
      const Settled settled = settle(where, m, may_refine, found);
      seen = {piece, found.n};
      fleeting = fleeting || found.fleeting;
      if (settled != Settled::clear && !(found.lower > m.margin)) {
        end = settled;
        least = -kInfiniteMetres, nearest = other;
        return reach();
      }
    }
    const double slack = rounding::down(found.lower - m.margin);
    if (slack < least) least = slack, nearest = other;
    return reach();
  };
  env.index.visit_nearest(around, reach(), look_at, charge);
  bound.fleeting = fleeting;
  bound.other = nearest;
  bound.lower = end == Settled::clear ? least : -kInfiniteMetres;
  return end;
}

}  // namespace keepclear
