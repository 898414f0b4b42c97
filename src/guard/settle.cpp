// SPDX-License-Identifier: BSD-3-Clause
//
// One pair over a box: a ball around each, then directions, then parts of the box.
#include <algorithm>
#include <cmath>

#include "distance/separation.hpp"
#include "distance/subdistance.hpp"
#include "guard/guard_impl.hpp"

namespace keepclear {
namespace {

using Settled = Guard::Impl::Settled;

/// Directions that are tried before a box is divided, and for each part of it.
constexpr int kLooks = 8, kLooksAtPart = 4;
/// Floating-point operations of a step from one direction to the next, at most.
constexpr std::uint64_t kStepFlops = 400;
/// Metres: a box is not divided for less than this.
constexpr double kLittle = 1e-3;
/// Of a pair of balls.
constexpr std::uint64_t kBallFlops = 30;

std::uint64_t side_look_flops(const SpreadSide& side, Vec3 n, bool second) {
  if (side.tables != nullptr) return table_look_flops(side, n);
  return look_flops(side.motions.size(), side.count, second);
}

}  // namespace

Settled Guard::Impl::ready(GuardPose& where, std::span<const Interval> over) noexcept {
  if (where.is_set()) return Settled::clear;
  const int last = data.kinematics.frame_count() - 1;
  const std::uint64_t flops = where.set_flops(0, last);
  if (&where == &pose) {
    posing += flops;
  } else if (!afford(flops)) {
    return Settled::no_budget;
  }
  return where.set(over, 0, last) ? Settled::clear : Settled::not_clear;
}

/// Where bodies are in the middle of the cycle's own box is no matter of the budget: it is bounded,
/// as the volumes of paper 1 are.
bool Guard::Impl::place(GuardPose& where, int body) noexcept {
  if (body < 0) return true;
  const std::uint64_t flops = where.place_flops(body);
  if (&where == &pose) {
    posing += flops;
  } else if (!afford(flops)) {
    return false;
  }
  where.place(body);
  return true;
}

/// From one direction to the next as GJK goes (on what the bodies cover to first order), until the
/// bound is enough, or no direction can show much more.
Settled Guard::Impl::search(const SpreadSide& a, const SpreadSide& b, double enough, double wish,
                            int looks, bool one_direction, Vec3& n, double& lower) noexcept {
  const double gain = (a.rest_hi(false) - a.rest_hi(true)) + (b.rest_hi(false) - b.rest_hi(true));
  // Products of joints are worth looking at where their norms would cost much.
  const bool second = gain > 5e-4;
  const double rest = a.rest_hi(second) + b.rest_hi(second);
  hopeless = false;
  Simplex simplex;
  Vec3 best = n;
  Settled end = Settled::not_clear;
  for (int i = 0; i < looks; ++i) {
    const std::uint64_t flops = side_look_flops(a, n, second) + side_look_flops(b, -n, second);
    if (!afford(i == 0 ? flops : flops + kStepFlops)) {
      end = Settled::no_budget;
      break;
    }
    ++kept.counters.looks;
    const SpreadLook look = look_spread(a, b, n, second);
    if (look.lower > lower) lower = look.lower, best = n;
    // More than enough is worth one more look.
    if (lower > wish || (lower > enough && i > 0) || i + 1 == looks) break;
    if (one_direction || !is_finite(look.w)) break;
    simplex.w[simplex.size] = look.w;
    ++simplex.size;
    SimplexPoint nearest = nearest_of_newest(simplex);
    if (nearest.inside) nearest = nearest_by_signed_volumes(simplex);
    const double length = norm(nearest.v);
    if (nearest.inside || !(length > 1e-9)) {
      // They overlap to first order; what is left out of that is too little to part them.
      hopeless = rest < kLittle;
      break;
    }
    // What is left to gain.
    const double most = length - (a.radius_hi + b.radius_hi) - rest;
    if (most - lower <= 1e-5 + 0.02 * std::fabs(lower)) break;
    n = (-1 / length) * nearest.v;
  }
  // A search that the budget has ended goes on where it was in the next cycle.
  if (end != Settled::no_budget) n = best;
  return lower > enough ? Settled::clear : end;
}

/// Both bodies, which are placed: by tables first where they have many points. `a` and `b` are the
/// sides with all their points afterwards, unless the budget is spent.
Settled Guard::Impl::look_over(const GuardPose& where, const Meeting& m, int looks, Vec3& n,
                               double& lower, SpreadSide& a, SpreadSide& b) noexcept {
  const bool rough_a = all.tables[m.a] != nullptr;
  const bool rough_b = m.b >= 0 && all.tables[m.b] != nullptr;
  const std::uint64_t flops =
      where.side_flops(m.a, m.skip) + (m.b >= 0 ? where.side_flops(m.b, m.skip) : 0);
  const double wish = m.margin + m.lasting, enough = m.insists ? wish : m.margin;
  if (looks > 0 && (rough_a || rough_b)) {
    if (!afford(flops)) return Settled::no_budget;
    a = rough_a ? where.rough_side(m.a, m.skip) : where.side(m.a, m.skip);
    b = m.b < 0 ? *m.still : rough_b ? where.rough_side(m.b, m.skip) : where.side(m.b, m.skip);
    const Settled end = search(a, b, enough, wish, looks, m.one_direction, n, lower);
    if (lower > enough || end == Settled::no_budget) return end;
  }
  if (!afford(flops)) return Settled::no_budget;
  a = where.side(m.a, m.skip);
  b = m.b >= 0 ? where.side(m.b, m.skip) : *m.still;
  return search(a, b, enough, wish, looks, m.one_direction, n, lower);
}

/// `bound.lower` is raised to what is shown; it must be a bound already, or minus infinity.
Settled Guard::Impl::settle(GuardPose& where, const Meeting& m, bool may_refine,
                            GuardBound& bound) noexcept {
  ++kept.counters.steps;
  if (!place(where, m.a) || !place(where, m.b)) return Settled::no_budget;
  if (m.b >= 0) {
    if (!afford(kBallFlops)) return Settled::no_budget;
    const double radii_hi =
        rounding::inflate((where.ball_hi(m.a) + where.ball_hi(m.b)) +
                              (all.bodies[m.a].radius_hi + all.bodies[m.b].radius_hi) +
                              (where.way_hi(m.a, m.skip) + where.way_hi(m.b, m.skip)),
                          6);
    const double ball_lo = ball_distance_lo(where.centre(m.a), where.centre(m.b), radii_hi);
    // Not a number compares false.
    if (ball_lo > bound.lower) bound.lower = ball_lo;
    if (bound.lower > (m.insists ? m.margin + m.lasting : m.margin)) return Settled::clear;
    if (bound.n == Vec3{}) {
      const Vec3 apart = where.centre(m.b) - where.centre(m.a);
      const double length = norm(apart);
      bound.n = length > 1e-9 ? (1 / length) * apart : Vec3{1, 0, 0};
    }
  }
  Vec3 n = bound.n;
  SpreadSide a, b;
  // A bound that is only to be better is given two looks.
  const Settled end = look_over(where, m, m.insists ? 2 : kLooks, n, bound.lower, a, b);
  bound.n = n;
  if (bound.lower > m.margin) return Settled::clear;
  if (end == Settled::no_budget || !may_refine || (hopeless && !sliced)) return end;
  if (options.splits == 0 && !sliced) return Settled::not_clear;
  // Parts of the box: those of time where the motion can be followed, else halves.
  double least = kInfiniteMetres;
  Meeting parts = m;
  parts.lasting = 0;
  const Vec3 along = transposed_times(where.frame(m.origin).X.R, n);
  if (!sliced) {
    std::copy(new_box.begin(), new_box.end(), part.begin());
    const Settled refined = refine(parts, 0, along, least);
    if (refined == Settled::clear) bound.lower = std::max(bound.lower, least);
    return refined;
  }
  const std::size_t dof = new_box.size();
  if (!slices_ready) {
    const auto count = static_cast<std::uint64_t>(options.slices);
    if (!afford((count + 1) * braking.box_flops())) return Settled::no_budget;
    const double stop = braking.stop_time_hi(state);
    if (!(stop < kInfiniteMetres)) return Settled::not_clear;
    for (int s = 0; s < options.slices; ++s) {
      const double from = stop * s / options.slices, to = stop * (s + 1) / options.slices;
      const bool last = s + 1 == options.slices;
      const std::span<Interval> out{slices.data() + static_cast<std::size_t>(s) * dof, dof};
      if (!braking.box(state, {from, last ? kInfiniteMetres : to}, out)) return Settled::not_clear;
    }
    slices_ready = true;
  }
  for (int s = options.slices; s-- > 0;) {
    const Interval* slice = slices.data() + static_cast<std::size_t>(s) * dof;
    std::copy(slice, slice + dof, part.begin());
    const Settled refined = refine(parts, 0, along, least);
    if (refined != Settled::clear) return refined;
  }
  bound.lower = std::max(bound.lower, least);
  bound.fleeting = true;
  return Settled::clear;
}

/// `part` over and over in halves. n is in the frame where they meet.
Settled Guard::Impl::refine(const Meeting& m, int depth, Vec3 n, double& least) noexcept {
  const bool whole = depth == 0 && !sliced;
  const std::uint64_t flops = fine.set_flops(m.origin, m.last);
  if (!afford(flops)) return Settled::no_budget;
  if (!fine.set(part, m.origin, m.last)) return Settled::not_clear;
  if (!place(fine, m.a) || !place(fine, m.b)) return Settled::no_budget;
  SpreadSide a, b;
  double lower = -kInfiniteMetres;
  // Of the whole box no direction showed enough: that is why it is divided.
  Settled end = look_over(fine, m, whole ? 0 : kLooksAtPart, n, lower, a, b);
  if (lower > m.margin) {
    least = std::min(least, lower);
    return Settled::clear;
  }
  if (end == Settled::no_budget) return end;
  if (depth >= options.splits || (hopeless && !whole)) return Settled::not_clear;
  // The number that moves the bodies most, and which way brings them nearer.
  int number = -1;
  double most = 0;
  for (const SpreadSide* side : {&a, &b}) {
    for (std::size_t k = 0; k < side->motions.size(); ++k) {
      if (side->motions[k].kind == SpreadMotion::Kind::any_turn) continue;
      if (side->way_hi[k] > most) most = side->way_hi[k], number = side->motions[k].number;
    }
  }
  if (number < 0) return Settled::not_clear;
  double nearer = 0;
  const auto towards = [&](const SpreadSide& side, Vec3 centre, Vec3 along) {
    for (const SpreadMotion& motion : side.motions) {
      if (motion.number != number) continue;
      const Vec3 way =
          motion.kind == SpreadMotion::Kind::turn ? cross(motion.z, centre - motion.p) : motion.z;
      nearer += motion.sign * motion.half_hi * dot(along, way);
    }
  };
  towards(a, fine.centre(m.a), n);
  if (m.b >= 0) towards(b, fine.centre(m.b), -n);
  const Interval here = part[number];
  const double middle = here.lower + 0.5 * (here.upper - here.lower);
  if (!(middle > here.lower && middle < here.upper)) return Settled::not_clear;
  const Interval halves[2] = {{here.lower, middle}, {middle, here.upper}};
  end = Settled::clear;
  // What fails, fails soon: the nearer half first.
  for (int i = 0; i < 2 && end == Settled::clear; ++i) {
    part[number] = halves[nearer > 0 ? 1 - i : i];
    end = refine(m, depth + 1, n, least);
  }
  part[number] = here;
  return end;
}

Settled Guard::Impl::settle_pair(GuardPose& where, std::size_t i, double lasting, bool insists,
                                 bool may_refine, GuardBound& bound) noexcept {
  const GuardPair& pair = pairs[i];
  Meeting m;
  m.a = pair.a, m.b = pair.b, m.skip = pair.skip, m.origin = pair.origin;
  m.last = std::max(all.bodies[pair.a].frame, all.bodies[pair.b].frame);
  m.margin = pair.margin;
  m.lasting = lasting;
  m.insists = insists;
  return settle(where, m, may_refine, bound);
}

}  // namespace keepclear
