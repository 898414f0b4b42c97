// SPDX-License-Identifier: BSD-3-Clause
//
// Distances of a pose. A pair is settled by the cheapest bound that settles it: what was proved of
// it last, less how far its bodies have travelled since; then balls; then a search that ends as
// soon as it can no longer matter; then the full distance.
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "distance/gjk_lanes.hpp"
#include "distance/pair.hpp"
#include "keepclear/distance.hpp"
#include "rounding/rounding.hpp"
#include "scene/world.hpp"
#include "shape/support_table.hpp"

namespace keepclear {
namespace {

using rounding::inflate;
using rounding::norm_hi;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bodies that moved farther than this share of their size are searched afresh.
constexpr double kColdStart = 0.25;

/// What is known of a body in the current pose.
struct BodyState {
  Vec3 centre;           ///< of its ball, in O
  double ball_hi = 0;    ///< radius of a ball around `centre` that contains the real body
  double travel_hi = 0;  ///< since the query was built or reset: how far any point of it has moved
  double error_hi = 0;   ///< how far the computed place of any point of it may be from the real one
};

/// What was proved of a pair of bodies, and how far the two had travelled by then.
struct Memory {
  double lower = -kInfinity;
  double travel = 0;
  GjkCache cache;
};

}  // namespace

struct DistanceQuery::Impl {
  Impl(const World& world, const DistanceOptions& opts)
      : keep(world),
        data(world.data()),
        options(opts),
        frames(data.kinematics.frame_count()),
        last_frames(data.kinematics.frame_count()),
        turned_hi(data.kinematics.frame_count()),
        bodies(data.bodies.size()),
        memory(data.body_pairs.size()),
        bound(data.body_pairs.size()),
        order(data.body_pairs.size()),
        results(data.link_pairs.size()),
        placements(data.link_pairs.size()),
        found(data.link_pairs.size()),
        search_tasks(data.link_pairs.size()),
        answers(data.link_pairs.size()),
        searched(data.link_pairs.size()) {
    used_frames.assign(frames.size(), 0);
    std::vector<char> used(data.bodies.size(), 0);
    for (const BodyPair& pair : data.body_pairs) used[pair.a] = used[pair.b] = 1;
    for (std::size_t b = 0; b < used.size(); ++b) {
      if (used[b] == 0) continue;
      checked_bodies.push_back(static_cast<int>(b));
      used_frames[data.bodies[b].frame] = 1;
    }
  }

  /// Moves everything to q. False when q is no configuration; what was remembered is then void.
  bool update(std::span<const double> q) {
    std::swap(frames, last_frames);
    if (!data.kinematics.forward(q, data.origin, frames)) {
      forget();
      return false;
    }
    // One bound for the relative poses of all pairs: the largest errors, the farthest frames.
    rounding::PoseError largest;
    double far_hi = 0;
    for (std::size_t f = 0; f < frames.size(); ++f) {
      if (used_frames[f] == 0) continue;
      largest.rotation = std::max(largest.rotation, frames[f].error.rotation);
      largest.position = std::max(largest.position, frames[f].error.position);
      far_hi = std::max(far_hi, rounding::span_hi(frames[f].X.p));
    }
    apart_hi = inflate(2 * far_hi * (1 + largest.rotation), 6);
    relative_error = rounding::relative(largest, largest, apart_hi);
    if (has_last) {
      for (std::size_t f = 0; f < frames.size(); ++f) {
        if (used_frames[f] == 0) continue;
        const Mat3 &R = frames[f].X.R, &S = last_frames[f].X.R;
        const double turned2 = squared_norm(R.row0 - S.row0) + squared_norm(R.row1 - S.row1) +
                               squared_norm(R.row2 - S.row2);
        turned_hi[f] = inflate(std::sqrt(turned2), 20) + 1e-150;
      }
    }
    for (const int b : checked_bodies) {
      const BodyTables& tables = data.bodies[b].body.tables();
      const int f = data.bodies[b].frame;
      const BoundedPose& X_OF = frames[f];
      BodyState& state = bodies[b];
      const Vec3 centre = X_OF.X * tables.centre;
      // Any point of the body is off by this at most, its computed centre included.
      const double error_hi =
          rounding::transform_error(X_OF.error, rounding::span_hi(X_OF.X.p), 0, tables.reach_hi);
      state.ball_hi = inflate(tables.bounding_radius_hi * (1 + X_OF.error.rotation) + error_hi, 4);
      if (has_last) {
        // x moves by R x + p - (S x + o): the centre's way, and the turn about the centre; the
        // real poses are off by the error now and before.
        const double way = norm_hi(centre - state.centre) +
                           turned_hi[f] * tables.bounding_radius_hi + 2 * error_hi +
                           2 * state.error_hi;
        state.travel_hi = inflate(state.travel_hi + way, 10);
      }
      state.centre = centre;
      state.error_hi = error_hi;
    }
    has_last = true;
    return true;
  }

  void forget() {
    has_last = false;
    last_nearest = -1;
    for (BodyState& body : bodies) body.travel_hi = 0;
    for (Memory& m : memory) m = {};
  }

  /// At most the real distance of a pair of bodies: what was proved of it last, less how far its
  /// bodies have travelled since.
  double remembered_lower(int i) const {
    const BodyPair& pair = data.body_pairs[i];
    const Memory& m = memory[i];
    const double travel = bodies[pair.a].travel_hi + bodies[pair.b].travel_hi;
    return rounding::down(m.lower - rounding::up(rounding::up(travel) - m.travel));
  }

  /// True only if a pair of bodies is proved farther apart than `margin` without a search.
  bool cheaply_apart(int i, double margin) const {
    if (remembered_lower(i) > margin) return true;
    const BodyPair& pair = data.body_pairs[i];
    const BodyState &a = bodies[pair.a], &b = bodies[pair.b];
    return balls_apart(a.centre, b.centre, rounding::up(a.ball_hi + b.ball_hi), margin);
  }

  /// At most the real distance of a pair of bodies, by both.
  double cheap_lower(int i) const {
    const BodyPair& pair = data.body_pairs[i];
    const BodyState &a = bodies[pair.a], &b = bodies[pair.b];
    return std::max(remembered_lower(i),
                    ball_distance_lo(a.centre, b.centre, rounding::up(a.ball_hi + b.ball_hi)));
  }

  /// Two bodies as they stand in the current pose.
  Placement placement_of(const BodyPair& pair) const {
    const WorldBody &a = data.bodies[pair.a], &b = data.bodies[pair.b];
    Placement placement{&a.body.tables(), &b.body.tables(),
                        rounding::relative_pose(frames[a.frame].X, frames[b.frame].X), 0};
    placement.error_hi = placement_error_hi(*placement.a, *placement.b, apart_hi, relative_error);
    return placement;
  }

  /// Where the search of a pair may start from. Far from where it ended last, it does better
  /// afresh.
  GjkCache& start_of(int i) {
    const BodyState &a = bodies[data.body_pairs[i].a], &b = bodies[data.body_pairs[i].b];
    Memory& m = memory[i];
    if (a.travel_hi + b.travel_hi - m.travel > kColdStart * (a.ball_hi + b.ball_hi)) {
      m.cache.size = 0;
    }
    return m.cache;
  }

  const PairAnswer& remember(int i, const PairAnswer& answer) {
    const BodyState &a = bodies[data.body_pairs[i].a], &b = bodies[data.body_pairs[i].b];
    memory[i].lower = answer.signed_lower;
    memory[i].travel = rounding::down(a.travel_hi + b.travel_hi);
    return answer;
  }

  /// With a margin only the verdict counts; without, the distance as far as it is below stop_above.
  PairAnswer solve(int i, double stop_above, std::optional<double> margin = {}) {
    PairOptions how;
    how.tolerance = options.tolerance;
    how.signed_distance = options.signed_distance && !margin;
    how.margin = margin.value_or(0);
    how.stop_above = stop_above;
    how.verdict_only = margin.has_value();
    return remember(i, solve_pair(placement_of(data.body_pairs[i]), how, start_of(i), space));
  }

  /// Solves the first pair of bodies of every pair of links, all searches side by side.
  void solve_first_of_each() {
    PairOptions how;
    how.tolerance = options.tolerance;
    how.signed_distance = options.signed_distance;
    std::size_t tasks = 0;
    for (std::size_t p = 0; p < data.link_pairs.size(); ++p) {
      const int i = data.link_pairs[p].first;
      placements[p] = placement_of(data.body_pairs[i]);
      searched[p] = !solve_closed(placements[p], how, answers[p]);
      if (searched[p]) search_tasks[tasks++] = {&placements[p], &start_of(i), &found[p]};
    }
    gjk_lanes({search_tasks.data(), tasks}, {.tolerance = options.tolerance});
    for (std::size_t p = 0; p < data.link_pairs.size(); ++p) {
      const int i = data.link_pairs[p].first;
      if (searched[p]) answers[p] = conclude(placements[p], found[p], how, space);
      if (answers[p].verdict == Verdict::undecided) {
        answers[p] = solve_pair(placements[p], how, memory[i].cache, space);
      }
      remember(i, answers[p]);
    }
  }

  /// Points from A's frame to the root's.
  void place(int i, const PairAnswer& answer, Nearest& result) const {
    const Pose& X_OA = frames[data.bodies[data.body_pairs[i].a].frame].X;
    result.point_a = X_OA * answer.p_a;
    result.point_b = X_OA * answer.p_b;
    if (data.origin == 0) return;
    result.point_a = X_RO * result.point_a;
    result.point_b = X_RO * result.point_b;
  }

  /// The pose of the origin's frame in the root's; joints above the origin count only here.
  void locate_origin(std::span<const double> q) {
    if (data.origin == 0) return;
    std::vector<BoundedPose>& poses = last_frames;  // overwritten by the next update anyway
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    X_RO = data.kinematics.forward(q, 0, poses) ? poses[data.origin].X
                                                : Pose{{}, {kNone, kNone, kNone}};
  }

  World keep;
  const WorldData& data;
  DistanceOptions options;
  std::vector<BoundedPose> frames, last_frames;
  std::vector<double> turned_hi;
  std::vector<char> used_frames;
  std::vector<int> checked_bodies;
  std::vector<BodyState> bodies;
  std::vector<Memory> memory;
  std::vector<double> bound;
  std::vector<int> order;
  std::vector<Nearest> results;
  /// Of all_pairs, a place for each pair of links.
  std::vector<Placement> placements;
  std::vector<GjkResult> found;
  std::vector<GjkTask> search_tasks;
  std::vector<PairAnswer> answers;
  std::vector<char> searched;
  EpaWorkspace space;
  double apart_hi = 0;                 ///< at least the distance of any two frames
  rounding::PoseError relative_error;  ///< of the relative pose of any two frames
  Pose X_RO;
  bool has_last = false;
  int last_nearest = -1;
};

DistanceQuery::DistanceQuery(const World& world, const DistanceOptions& options)
    : impl_(std::make_unique<Impl>(world, options)) {}
DistanceQuery::~DistanceQuery() = default;
DistanceQuery::DistanceQuery(DistanceQuery&&) noexcept = default;
DistanceQuery& DistanceQuery::operator=(DistanceQuery&&) noexcept = default;

void DistanceQuery::reset() noexcept {
  impl_->forget();
}

Nearest DistanceQuery::operator()(std::span<const double> q) noexcept {
  Impl& m = *impl_;
  Nearest nearest;
  if (!m.update(q)) {
    nearest.distance = std::numeric_limits<double>::quiet_NaN();
    return nearest;
  }
  m.locate_origin(q);
  nearest.distance = nearest.lower_bound = kInfinity;
  nearest.verdict = Verdict::free;

  int nearest_body_pair = -1;
  PairAnswer nearest_answer;
  double lower = kInfinity;
  bool contact = false, all_free = true;
  auto look_at = [&](int i) {
    const PairAnswer answer = m.solve(i, nearest.distance);
    lower = std::min(lower, answer.lower);
    // From the pair's own verdict, not from the least bound: min would pass over a NaN.
    all_free = all_free && answer.verdict == Verdict::free;
    const bool first_contact = answer.verdict == Verdict::contact && !contact;
    contact = contact || answer.verdict == Verdict::contact;
    if (answer.distance < nearest.distance || first_contact || nearest_body_pair < 0) {
      nearest.distance = answer.distance;
      nearest_body_pair = i;
      nearest_answer = answer;
    }
  };

  // The pair that was nearest last, then the others by what is cheaply known of them. A pair that
  // is passed over is proved farther than the nearest found, so it cannot lower the bound either.
  const int count = static_cast<int>(m.data.body_pairs.size());
  if (m.last_nearest >= 0) look_at(m.last_nearest);
  int waiting = 0;
  for (int i = 0; i < count; ++i) {
    if (i == m.last_nearest || m.cheaply_apart(i, std::max(nearest.distance, 0.0))) continue;
    m.bound[i] = m.cheap_lower(i);
    m.order[waiting++] = i;
  }
  std::sort(m.order.begin(), m.order.begin() + waiting, [&](int a, int b) {
    return m.bound[a] < m.bound[b] || (m.bound[a] == m.bound[b] && a < b);
  });
  for (int k = 0; k < waiting; ++k) {
    // The rest is farther than what was found, or nothing can be nearer than a contact.
    if (m.bound[m.order[k]] > nearest.distance) break;
    if (contact && !m.options.signed_distance) break;
    look_at(m.order[k]);
  }
  m.last_nearest = nearest_body_pair;
  if (nearest_body_pair < 0) return nearest;
  nearest.pair = m.data.body_pairs[nearest_body_pair].pair;
  nearest.lower_bound = lower;
  nearest.verdict = contact ? Verdict::contact : all_free ? Verdict::free : Verdict::undecided;
  m.place(nearest_body_pair, nearest_answer, nearest);
  return nearest;
}

std::span<const Nearest> DistanceQuery::all_pairs(std::span<const double> q) noexcept {
  Impl& m = *impl_;
  if (!m.update(q)) return {};
  m.locate_origin(q);
  m.solve_first_of_each();
  for (std::size_t p = 0; p < m.data.link_pairs.size(); ++p) {
    const LinkPair& pair = m.data.link_pairs[p];
    Nearest& nearest = m.results[p];
    nearest = {};
    nearest.distance = nearest.lower_bound = kInfinity;
    nearest.pair = static_cast<int>(p);
    bool contact = false, all_free = true;
    for (int i = pair.first; i < pair.last; ++i) {
      if (i > pair.first && m.cheaply_apart(i, std::max(nearest.distance, 0.0))) continue;
      const PairAnswer answer = i == pair.first ? m.answers[p] : m.solve(i, nearest.distance);
      nearest.lower_bound = std::min(nearest.lower_bound, answer.lower);
      all_free = all_free && answer.verdict == Verdict::free;
      const bool first_contact = answer.verdict == Verdict::contact && !contact;
      contact = contact || answer.verdict == Verdict::contact;
      if (answer.distance < nearest.distance || first_contact || i == pair.first) {
        nearest.distance = answer.distance;
        m.place(i, answer, nearest);
      }
    }
    nearest.verdict = contact ? Verdict::contact : all_free ? Verdict::free : Verdict::undecided;
  }
  return m.results;
}

CheckResult DistanceQuery::check(std::span<const double> q, double margin) noexcept {
  Impl& m = *impl_;
  CheckResult result;
  if (!m.update(q) || !(margin >= 0 && margin < kInfinity)) return result;
  int open = -1;
  const int count = static_cast<int>(m.data.body_pairs.size());
  // The pair that was in contact last is the likeliest to be so again.
  auto in_contact = [&](int i) {
    const PairAnswer answer = m.solve(i, margin, margin);
    if (answer.lower > margin) return false;
    if (open < 0) open = i;
    if (answer.verdict != Verdict::contact) return false;
    m.last_nearest = i;
    result = {Verdict::contact, m.data.body_pairs[i].pair};
    return true;
  };
  if (m.last_nearest >= 0 && !m.cheaply_apart(m.last_nearest, margin) &&
      in_contact(m.last_nearest)) {
    return result;
  }
  for (int i = 0; i < count; ++i) {
    if (i == m.last_nearest || m.cheaply_apart(i, margin)) continue;
    if (in_contact(i)) return result;
  }
  if (open < 0) {
    result.verdict = Verdict::free;
  } else {
    result.pair = m.data.body_pairs[open].pair;
  }
  return result;
}

Nearest distance(const World& world, std::span<const double> q, const DistanceOptions& options) {
  return DistanceQuery(world, options)(q);
}

}  // namespace keepclear
