// SPDX-License-Identifier: BSD-3-Clause
//
// What a DistanceQuery remembers from pose to pose, and how one pair, or one body among what stands
// still, is settled.
#pragma once

#include <algorithm>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "distance/gjk_lanes.hpp"
#include "distance/pair.hpp"
#include "keepclear/distance.hpp"
#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"
#include "rounding/rounding.hpp"
#include "scene/moving_bodies.hpp"
#include "scene/solve.hpp"
#include "scene/world.hpp"

namespace keepclear {

struct DistanceQuery::Impl {
  /// Bodies that moved farther than this share of their size are searched afresh.
  static constexpr double kColdStart = 0.25;

  /// What was proved of a pair of bodies, and how far the two had travelled by then.
  struct Memory {
    double lower = -kInfinity;
    double travel = 0;
    GjkCache cache;
  };

  /// What was proved of a body and everything that stands still around it, and how far it had
  /// travelled by then.
  struct Surroundings {
    double lower = -kInfinity;
    double travel = 0;
  };

  /// Where searches of bodies against pieces ended last: a small table that forgets.
  struct PieceCache {
    std::uint64_t key = ~std::uint64_t{0};
    double travel = 0;
    GjkCache cache;
  };
  static constexpr std::size_t kPieceCaches = 4096;
  /// Objects of no more pieces than this are gone through without the octree.
  static constexpr std::uint32_t kFewPieces = 64;

  /// Bodies whose pairs count, and those that move among what stands still.
  static std::vector<int> checked_bodies(const WorldData& data) {
    std::vector<char> used(data.bodies.size(), 0);
    for (const BodyPair& pair : data.body_pairs) used[pair.a] = used[pair.b] = 1;
    std::vector<int> bodies;
    for (int b = 0; b < static_cast<int>(used.size()); ++b) {
      const bool among = !data.environment.empty() && data.moves(data.bodies[b].solid);
      if (used[b] != 0 || among) bodies.push_back(b);
    }
    return bodies;
  }

  Impl(const World& world, const DistanceOptions& opts)
      : keep(world),
        data(world.data()),
        options(opts),
        moving(data, checked_bodies(data)),
        memory(data.body_pairs.size()),
        bound(data.body_pairs.size()),
        order(data.body_pairs.size()),
        results(listed(data) ? data.pair_infos.size() : 0),
        placements(data.link_pairs.size()),
        found(data.link_pairs.size()),
        search_tasks(data.link_pairs.size()),
        answers(data.link_pairs.size()),
        searched(data.link_pairs.size()) {
    if (data.environment.empty()) return;
    for (const int b : moving.bodies()) {
      if (data.moves(data.bodies[b].solid)) among.push_back(b);
    }
    around.resize(data.bodies.size());
    piece_caches.resize(kPieceCaches);
    offered.resize(data.environment.pieces.size());
  }

  static bool listed(const WorldData& data) { return data.pair_infos.size() == data.pair_count; }

  /// Moves everything to q. False when q is no configuration, and in a floating-point mode in
  /// which nothing can be proved; what was remembered is then void.
  bool update(std::span<const double> q) {
    if (rounding::mode_is_right() && moving.update(q)) return true;
    forget();
    return false;
  }

  void forget() {
    moving.forget();
    last_nearest = last_body = -1;
    for (Memory& m : memory) m = {};
    for (Surroundings& s : around) s = {};
    for (PieceCache& c : piece_caches) c = {};
  }

  /// At most the real distance of a pair of bodies: what was proved of it last, less how far its
  /// bodies have travelled since.
  double remembered_lower(int i) const {
    const BodyPair& pair = data.body_pairs[i];
    const Memory& m = memory[i];
    const double travel = moving.state(pair.a).travel_hi + moving.state(pair.b).travel_hi;
    return rounding::down(m.lower - rounding::up(rounding::up(travel) - m.travel));
  }

  /// True only if a pair of bodies is proved farther apart than `margin` without a search.
  bool cheaply_apart(int i, double margin) const {
    if (remembered_lower(i) > margin) return true;
    const BodyPair& pair = data.body_pairs[i];
    const BodyState &a = moving.state(pair.a), &b = moving.state(pair.b);
    return balls_apart(a.centre, b.centre, rounding::up(a.ball_hi + b.ball_hi), margin);
  }

  /// At most the real distance of a pair of bodies, by both.
  double cheap_lower(int i) const {
    const BodyPair& pair = data.body_pairs[i];
    const BodyState &a = moving.state(pair.a), &b = moving.state(pair.b);
    return std::max(remembered_lower(i),
                    ball_distance_lo(a.centre, b.centre, rounding::up(a.ball_hi + b.ball_hi)));
  }

  /// Two bodies as they stand in the current pose.
  Placement placement_of(const BodyPair& pair) const {
    const WorldBody &a = data.bodies[pair.a], &b = data.bodies[pair.b];
    Placement placement{&a.body.tables(), &b.body.tables(),
                        rounding::relative_pose(moving.frame(a.frame).X, moving.frame(b.frame).X),
                        0};
    placement.error_hi =
        placement_error_hi(*placement.a, *placement.b, moving.apart_hi(), moving.relative_error());
    return placement;
  }

  /// Where the search of a pair may start from. Far from where it ended last, it does better
  /// afresh.
  GjkCache& start_of(int i) {
    const BodyState& a = moving.state(data.body_pairs[i].a);
    const BodyState& b = moving.state(data.body_pairs[i].b);
    Memory& m = memory[i];
    if (a.travel_hi + b.travel_hi - m.travel > kColdStart * (a.ball_hi + b.ball_hi)) {
      m.cache.size = 0;
    }
    return m.cache;
  }

  const PairAnswer& remember(int i, const PairAnswer& answer) {
    const BodyState& a = moving.state(data.body_pairs[i].a);
    const BodyState& b = moving.state(data.body_pairs[i].b);
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
    const Pose& X_OA = moving.frame(data.bodies[data.body_pairs[i].a].frame).X;
    result.point_a = X_OA * answer.p_a;
    result.point_b = X_OA * answer.p_b;
    if (data.origin == 0) return;
    result.point_a = X_RO * result.point_a;
    result.point_b = X_RO * result.point_b;
  }

  /// The pose of the origin's frame in the root's; joints above the origin count only here.
  void locate_origin(std::span<const double> q) {
    if (data.origin != 0) X_RO = moving.root_pose(q, data.origin);
  }

  /// At most the distance of a body from all that stands still and is checked against it.
  double remembered_around(int body) const {
    const Surroundings& s = around[body];
    const double way = rounding::up(moving.state(body).travel_hi - s.travel);
    return rounding::down(s.lower - way);
  }
  void remember_around(int body, double lower) {
    around[body] = {lower, rounding::down(moving.state(body).travel_hi)};
  }
  /// How much farther than needed it is worth to look, so that the next poses need not: a few times
  /// the way from the last pose. Nothing after a jump, when there is no next pose nearby.
  double headroom(int body) const {
    const Surroundings& s = around[body];
    const BodyState& state = moving.state(body);
    const double way = state.travel_hi - s.travel;
    return way < kColdStart * state.ball_hi && s.lower > -kInfinity ? 8 * way : 0;
  }

  GjkCache& start_of_piece(int body, std::uint32_t piece) {
    const std::uint64_t key = (static_cast<std::uint64_t>(body) << 32) | piece;
    PieceCache& slot = piece_caches[(key * 0x9e3779b97f4a7c15u) >> 52];
    const BodyState& state = moving.state(body);
    if (slot.key != key || state.travel_hi - slot.travel > kColdStart * state.ball_hi) {
      slot.cache.size = 0;
    }
    slot.key = key;
    slot.travel = state.travel_hi;
    return slot.cache;
  }

  /// A body against one piece of what stands still; points in the world.
  PairAnswer solve_piece(int body, std::uint32_t piece, double stop_above,
                         std::optional<double> margin = {}) {
    PairOptions how;
    how.tolerance = options.tolerance;
    how.signed_distance = options.signed_distance && !margin;
    how.margin = margin.value_or(0);
    how.stop_above = stop_above;
    how.verdict_only = margin.has_value();
    const Environment& env = data.environment;
    const WorldBody& b = data.bodies[body];
    return solve_views({&b.body.tables(), nullptr}, moving.frame(b.frame), bench.view(env, piece),
                       env.objects[env.pieces[piece].object].X_WO, how, start_of_piece(body, piece),
                       space);
  }

  Box box_of(int body) const {
    const WorldBody& b = data.bodies[body];
    return placed_box(b.body.tables(), moving.frame(b.frame), 0);
  }

  /// The checked pairs of solids that are not proved apart at q.
  std::vector<std::pair<int, int>> overlaps(std::span<const double> q);

  /// A piece is offered once in a search, however many cells it lies in.
  void begin_search() {
    if (++search == 0) {
      std::fill(offered.begin(), offered.end(), 0u);
      search = 1;
    }
  }
  bool first_offer(int piece) {
    if (offered[piece] == search) return false;
    offered[piece] = search;
    return true;
  }

  /// The nearest piece of what stands still to a body, below `reach`; of one solid, if one is
  /// given. look(piece) takes it in and returns the reach from then on. Returns what everything not
  /// looked at is farther than.
  template <typename Look>
  double search_around(int body, double reach, int solid, const Look& look) {
    const int own = data.bodies[body].solid;
    begin_search();
    data.environment.index.visit_nearest(box_of(body), reach, [&](int piece, double) {
      if (!first_offer(piece)) return reach;
      const int other = data.environment.solid_of(static_cast<std::uint32_t>(piece));
      if ((solid >= 0 && other != solid) || data.rules.may_touch(own, other)) return reach;
      reach = std::min(reach, look(static_cast<std::uint32_t>(piece)));
      return reach;
    });
    return reach;
  }

  World keep;
  const WorldData& data;
  DistanceOptions options;
  MovingBodies moving;
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
  Pose X_RO;
  int last_nearest = -1;
  /// Of what stands still: bodies that move among it, by body what is known around it.
  std::vector<int> among;
  std::vector<Surroundings> around;
  std::vector<PieceCache> piece_caches;
  std::vector<std::uint32_t> offered;
  std::uint32_t search = 0;
  Workbench bench;
  int last_body = -1;  ///< the nearest pair was one of a body and a piece
  std::uint32_t last_piece = 0;
};

}  // namespace keepclear
