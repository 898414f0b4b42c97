// SPDX-License-Identifier: BSD-3-Clause
//
// Who is near whom, and how near: partners from the octree, distances where bounds are used up.
#include <algorithm>
#include <cmath>

#include "rounding/infinity.hpp"
#include "scene/watch_impl.hpp"
#include "shape/support_table.hpp"

namespace keepclear {
namespace {

using rounding::down;
using rounding::inflate;
using rounding::norm_hi;
using rounding::up;

/// Metres: distances of imminent pairs are this good; bounds are bounds all the same.
constexpr double kTolerance = 1e-7;

void fill(const PairAnswer& answer, Imminent& report) {
  report.verdict = answer.verdict;
  report.distance = answer.distance;
  report.lower_bound = answer.lower;
  report.point_a = answer.p_a;
  report.point_b = answer.p_b;
}

/// At most the distance of two views by the balls around them.
double balls_lo(const PieceView& a, const BoundedPose& X_a, const PieceView& b,
                const BoundedPose& X_b) {
  if (a.tables == nullptr || b.tables == nullptr) return -kInfinity;
  auto radius_hi = [](const BodyTables& body, const BoundedPose& X) {
    const double off_hi = rounding::transform_error(X.error, norm_hi(X.X.p), 0, body.reach_hi);
    return inflate(body.bounding_radius_hi + off_hi, 2);
  };
  return ball_distance_lo(X_a.X * a.tables->centre, X_b.X * b.tables->centre,
                          up(radius_hi(*a.tables, X_a) + radius_hi(*b.tables, X_b)));
}

/// Half way from what is used now to the limit: a hint, no bound.
double half_way(double now, double limit) {
  return now < limit ? now + 0.5 * (limit - now) : -kInfinity;
}

}  // namespace

void Watch::Impl::drop_list(std::int32_t& head) {
  while (head >= 0) {
    const std::int32_t next = partners[head].next;
    partners[head].next = first_free;
    first_free = head;
    head = next;
  }
}
void Watch::Impl::drop_partners(Mover& mover) {
  drop_list(mover.standing);
  drop_list(mover.moving);
}
bool Watch::Impl::has_partner(const Mover& mover, int item) const {
  for (std::int32_t p = mover.moving; p >= 0; p = partners[p].next) {
    if (partners[p].item == item) return true;
  }
  return false;
}

/// True if these two solids are to be kept apart, as things are attached now.
bool Watch::Impl::checked(int a, int b) const {
  if (a == b) return false;
  const bool object_a = data.solids[a].is_object, object_b = data.solids[b].is_object;
  if (!object_a && !object_b) return link_pairs.contains(PairRules::key(a, b));
  if (data.rules.allowed(a, b)) return false;
  // Objects are kept apart from what the joints move, not from each other on the bench.
  const Carrier &carrier_a = carriers[a], &carrier_b = carriers[b];
  if (object_a && object_b && carrier_a.frame <= 0 && carrier_b.frame <= 0) return false;
  const bool placed =
      (carrier_a.frame < 0 && carrier_a.moving) || (carrier_b.frame < 0 && carrier_b.moving);
  const bool rigid = std::max(carrier_a.frame, 0) == std::max(carrier_b.frame, 0);
  if (rigid && !placed) return false;  // nothing moves between them
  return std::none_of(touching.begin(), touching.end(), [&](const Touch& t) {
    return (t.object == a && t.other == b) || (t.object == b && t.other == a);
  });
}

double Watch::Impl::margin_of(int a, int b) const {
  return up(options.margin + data.rules.margin_of(a, b));
}

/// Where little is near and the mover is fast, a larger box saves lookups; where much is near, a
/// smaller one saves partners. Counts cycles and partners, never time.
void Watch::Impl::choose_slack(Mover& mover) const {
  constexpr std::uint64_t kSoon = 32;  // cycles since the last lookup
  constexpr int kFew = 6, kMany = 24;
  constexpr double kMost = 8;  // times the slack of the options
  int partners_now = 0;
  for (const std::int32_t head : {mover.standing, mover.moving}) {
    for (std::int32_t p = head; p >= 0 && partners_now <= kMany; p = partners[p].next) {
      ++partners_now;
    }
  }
  const bool soon = mover.looked_up > 0 && counters.cycles - mover.looked_up < kSoon;
  if (mover.slack == 0 || partners_now > kMany || mover.overflow) {
    mover.slack = options.slack;
  } else if (soon && partners_now <= kFew) {
    mover.slack = std::min(1.5 * mover.slack, kMost * options.slack);
  }
  mover.looked_up = counters.cycles;
}

/// The octree learns where the mover is, and the mover who is near.
void Watch::Impl::look_up(Mover& mover) {
  ++counters.lookups;
  choose_slack(mover);
  drop_partners(mover);
  const double margin_hi = up(options.margin + data.rules.margin_hi);
  const Box box = box_of(mover.item);
  const double reach = up(up(mover.tolerance + margin_hi) + mover.slack);
  index.move(mover.item, grown(box, reach));
  mover.lookup_at = down(mover.use + mover.slack);
  mover.again_at = mover.use + 0.5 * mover.slack;
  mover.quiet_below = mover.lookup_at;
  mover.measure_at = mover.again_at;
  mover.overflow = false;
  index.visit_partners(mover.item, [&](int item) {
    const int other = solid_of_item(item);
    if (mover.overflow || !checked(mover.solid, other)) return;
    const int m = mover_of[item];
    // A pair that moves is kept by one of the two.
    if (m >= 0 && has_partner(movers[m], mover.item)) return;
    if (first_free < 0) {
      mover.overflow = true;
      return;
    }
    const std::int32_t p = first_free;
    Partner& partner = partners[p];
    first_free = partner.next;
    partner.item = item;
    partner.cache.size = 0;
    // Boxes may settle it for now. That of a partner that moves is larger than the partner, which
    // only makes the bound smaller.
    const double apart_lo = m >= 0 ? 0 : box_distance_lo(box, index.box(item));
    const double asked = margin_of(mover.solid, other);
    partner.limit = apart_lo > asked ? down(down(apart_lo + mover.travel_hi) - asked) : -kInfinity;
    partner.again_at = half_way(mover.use, partner.limit);
    std::int32_t& head = m >= 0 ? mover.moving : mover.standing;
    partner.next = head;
    head = p;
    if (m < 0) {
      mover.quiet_below = std::min(mover.quiet_below, partner.limit);
      mover.measure_at = std::min(mover.measure_at, partner.again_at);
    }
  });
}

PieceView Watch::Impl::view_of(int item, Workbench& bench) const {
  if (item < first_piece) return {&coarse[item].tables(), nullptr};
  return bench.view(data.environment, piece_of(item));
}

Box Watch::Impl::box_of(int item) const {
  const BoundedPose& X = carriers[solid_of_item(item)].X_WS;
  if (item < first_piece) return placed_box(coarse[item].tables(), X, 0);
  return placed_box(data.environment, piece_of(item), X, 0);
}

PieceView Watch::Impl::fine_view(int item, int k, Workbench& bench) const {
  if (item >= first_piece) return bench.view(data.environment, piece_of(item));
  return {&data.bodies[fine[item].first + k].body.tables(), nullptr};
}
/// Of the fastest piece.
double Watch::Impl::speed_of(int solid) const {
  double most = 0;
  for (const Mover& mover : movers) {
    if (mover.solid == solid) most = std::max(most, mover.speed_hi);
  }
  return most;
}

bool Watch::Impl::contact_is_meant(int a, int b) const {
  return std::any_of(contacts.begin(), contacts.end(), [&](const SolidContact& c) {
    const bool same = (c.link == a && c.object == b) || (c.link == b && c.object == a);
    return same && speed_of(a) <= c.max_speed && speed_of(b) <= c.max_speed;
  });
}

/// Distance of two items as far as it matters: proved beyond `asked`, or what there is to report.
/// Returns a lower bound.
double Watch::Impl::measure(int a, int b, double asked, GjkCache& cache, Imminent& report) {
  PairOptions how;
  how.tolerance = kTolerance;
  how.margin = asked;
  const BoundedPose& X_a = carriers[solid_of_item(a)].X_WS;
  const BoundedPose& X_b = carriers[solid_of_item(b)].X_WS;
  ++counters.searches;
  const PairAnswer outer =
      solve_views(view_of(a, bench_a), X_a, view_of(b, bench_b), X_b, how, cache, space);
  report.coarse = has_finer(a) || has_finer(b);
  fill(outer, report);
  if (outer.lower > asked || !report.coarse) return outer.signed_lower;
  if (options.fine_below < kInfinity && (speed_of(solid_of_item(a)) > options.fine_below ||
                                         speed_of(solid_of_item(b)) > options.fine_below)) {
    return outer.signed_lower;
  }
  return measure_fine(a, X_a, b, X_b, how, report);
}

double Watch::Impl::measure_fine(int a, const BoundedPose& X_a, int b, const BoundedPose& X_b,
                                 const PairOptions& how, Imminent& report) {
  double lower = kInfinity;
  bool first = true;
  report.coarse = false;
  for (int i = 0; i < fine_count(a); ++i) {
    const PieceView view_a = fine_view(a, i, bench_a);
    for (int j = 0; j < fine_count(b); ++j) {
      const PieceView view_b = fine_view(b, j, bench_b);
      const double cheap = first ? -kInfinity : balls_lo(view_a, X_a, view_b, X_b);
      if (cheap > how.margin && cheap > report.distance) {
        lower = std::min(lower, cheap);
        continue;
      }
      GjkCache cold;
      ++counters.searches;
      const PairAnswer answer = solve_views(view_a, X_a, view_b, X_b, how, cold, space);
      lower = std::min(lower, answer.signed_lower);
      // A proof of contact is not given up for something nearer that proves less.
      const bool worse = report.verdict == Verdict::contact && answer.verdict != Verdict::contact;
      if (first || (answer.distance < report.distance && !worse) ||
          (answer.verdict == Verdict::contact && report.verdict != Verdict::contact)) {
        fill(answer, report);
      }
      first = false;
    }
  }
  return lower;
}

/// One pair whose bound is used up.
void Watch::Impl::examine(Mover& mover, Partner& partner) {
  const int m = mover_of[partner.item];
  const double other_travel = m >= 0 ? movers[m].travel_hi : 0;
  const double other_tolerance = m >= 0 ? movers[m].tolerance : 0;
  const int other = solid_of_item(partner.item);
  const double margin = margin_of(mover.solid, other);
  const double asked = up(up(margin + mover.tolerance) + other_tolerance);
  if (contact_is_meant(mover.solid, other)) return;
  Imminent report;
  const double lower = measure(mover.item, partner.item, asked, partner.cache, report);
  partner.limit = down(down(down(lower + mover.travel_hi) + other_travel) - margin);
  partner.again_at = half_way(mover.use + (m >= 0 ? movers[m].use : 0), partner.limit);
  if (lower > asked) return;
  // Looked at in every cycle, until it is clear again.
  partner.limit = partner.again_at = -kInfinity;
  if (report.verdict == Verdict::free) report.verdict = Verdict::undecided;
  report.tolerance = asked;
  report.a = mover.solid, report.b = other;
  if (report.a > report.b) {
    std::swap(report.a, report.b);
    std::swap(report.point_a, report.point_b);
  }
  take(report);
}

/// One place for each pair of solids: a proved contact before anything else, then the nearest.
void Watch::Impl::take(const Imminent& report) {
  worst = report.verdict == Verdict::contact ? Verdict::contact
          : worst == Verdict::free           ? Verdict::undecided
                                             : worst;
  for (Imminent& known : listed) {
    if (known.a != report.a || known.b != report.b) continue;
    const bool proves = report.verdict == Verdict::contact;
    const bool proved = known.verdict == Verdict::contact;
    if (proves != proved ? proves : report.distance < known.distance) known = report;
    return;
  }
  if (listed.size() < listed.capacity()) {
    listed.push_back(report);
  } else {
    ++unlisted;
  }
}

void Watch::Impl::go_through_standing(Mover& mover) {
  mover.quiet_below = mover.lookup_at;
  mover.measure_at = mover.again_at;
  for (std::int32_t p = mover.standing; p >= 0; p = partners[p].next) {
    Partner& partner = partners[p];
    if (!(mover.use < partner.again_at)) examine(mover, partner);
    mover.quiet_below = std::min(mover.quiet_below, partner.limit);
    mover.measure_at = std::min(mover.measure_at, partner.again_at);
  }
}

}  // namespace keepclear
