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
#include "scene/moving_bodies.hpp"
#include "scene/solve.hpp"
#include "scene/world.hpp"

namespace keepclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Bodies that moved farther than this share of their size are searched afresh.
constexpr double kColdStart = 0.25;

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
constexpr std::size_t kPieceCaches = 4096;
/// Objects of no more pieces than this are gone through without the octree.
constexpr std::uint32_t kFewPieces = 64;

/// Bodies whose pairs count, and those that move among what stands still.
std::vector<int> checked_bodies(const WorldData& data) {
  std::vector<char> used(data.bodies.size(), 0);
  for (const BodyPair& pair : data.body_pairs) used[pair.a] = used[pair.b] = 1;
  std::vector<int> bodies;
  for (int b = 0; b < static_cast<int>(used.size()); ++b) {
    const bool among = !data.environment.empty() && data.moves(data.bodies[b].solid);
    if (used[b] != 0 || among) bodies.push_back(b);
  }
  return bodies;
}

}  // namespace

struct DistanceQuery::Impl {
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

  /// Moves everything to q. False when q is no configuration; what was remembered is then void.
  bool update(std::span<const double> q) {
    if (moving.update(q)) return true;
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

  double lower = kInfinity;
  bool contact = false, all_free = true, found = false;
  // True if this is the nearest so far.
  auto take = [&](const PairAnswer& answer) {
    lower = std::min(lower, answer.lower);
    // From the pair's own verdict, not from the least bound: min would pass over a NaN.
    all_free = all_free && answer.verdict == Verdict::free;
    const bool first_contact = answer.verdict == Verdict::contact && !contact;
    contact = contact || answer.verdict == Verdict::contact;
    if (!(answer.distance < nearest.distance || first_contact || !found)) return false;
    nearest.distance = answer.distance;
    return found = true;
  };
  auto settled = [&] { return contact && !m.options.signed_distance; };

  int nearest_pair = -1;
  PairAnswer nearest_answer;
  auto look_at = [&](int i) {
    const PairAnswer answer = m.solve(i, nearest.distance);
    if (take(answer)) nearest_pair = i, nearest_answer = answer;
  };
  int nearest_body = -1;
  std::uint32_t nearest_piece = 0;
  auto look_at_piece = [&](int body, std::uint32_t piece, double stop_above) {
    const PairAnswer answer = m.solve_piece(body, piece, stop_above);
    if (take(answer)) {
      nearest_body = body, nearest_piece = piece, nearest_answer = answer, nearest_pair = -1;
    }
    return answer.signed_lower;
  };

  // The pair that was nearest last, then the others by what is cheaply known of them. A pair that
  // is passed over is proved farther than the nearest found, so it cannot lower the bound either.
  const int count = static_cast<int>(m.data.body_pairs.size());
  if (m.last_nearest >= 0) look_at(m.last_nearest);
  if (m.last_body >= 0) look_at_piece(m.last_body, m.last_piece, kInfinity);
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
    if (m.bound[m.order[k]] > nearest.distance || settled()) break;
    look_at(m.order[k]);
  }
  for (const int body : m.among) {
    if (settled()) break;
    if (m.remembered_around(body) > nearest.distance) continue;
    // Overlapping boxes are at distance zero, which must stay within reach of a signed search.
    auto reach = [&] {
      return std::max(nearest.distance + m.headroom(body), std::numeric_limits<double>::min());
    };
    double least = kInfinity;
    const double beyond = m.search_around(body, reach(), -1, [&](std::uint32_t piece) {
      if (settled()) return 0.0;
      least = std::min(least, look_at_piece(body, piece, reach()));
      return reach();
    });
    m.remember_around(body, std::min(least, beyond));
  }
  m.last_nearest = nearest_pair;
  m.last_body = nearest_pair < 0 ? nearest_body : -1;
  m.last_piece = nearest_piece;
  if (!found) return nearest;
  nearest.lower_bound = lower;
  nearest.verdict = contact ? Verdict::contact : all_free ? Verdict::free : Verdict::undecided;
  if (nearest_pair >= 0) {
    const LinkPair& pair = m.data.link_pairs[m.data.body_pairs[nearest_pair].pair];
    nearest.a = pair.solid_a, nearest.b = pair.solid_b;
    m.place(nearest_pair, nearest_answer, nearest);
  } else {
    nearest.a = m.data.bodies[nearest_body].solid;
    nearest.b = m.data.environment.solid_of(nearest_piece);
    nearest.point_a = nearest_answer.p_a;
    nearest.point_b = nearest_answer.p_b;
  }
  return nearest;
}

std::span<const Nearest> DistanceQuery::all_pairs(std::span<const double> q) noexcept {
  Impl& m = *impl_;
  if (!m.update(q) || !Impl::listed(m.data)) return {};
  m.locate_origin(q);
  m.solve_first_of_each();
  struct Sum {
    Nearest& nearest;
    bool contact = false, all_free = true;

    /// True if this is the nearest so far.
    bool take(const PairAnswer& answer) {
      nearest.lower_bound = std::min(nearest.lower_bound, answer.lower);
      all_free = all_free && answer.verdict == Verdict::free;
      const bool first_contact = answer.verdict == Verdict::contact && !contact;
      contact = contact || answer.verdict == Verdict::contact;
      const bool first = nearest.distance == kInfinity;
      if (!(answer.distance < nearest.distance || first_contact || first)) return false;
      nearest.distance = answer.distance;
      return true;
    }
    void conclude() {
      nearest.verdict = contact ? Verdict::contact : all_free ? Verdict::free : Verdict::undecided;
    }
  };
  auto begin = [&](std::size_t p) {
    Nearest& nearest = m.results[p];
    nearest = {};
    nearest.distance = nearest.lower_bound = kInfinity;
    nearest.a = m.data.pair_infos[p].a;
    nearest.b = m.data.pair_infos[p].b;
    return Sum{nearest};
  };
  for (std::size_t p = 0; p < m.data.link_pairs.size(); ++p) {
    const LinkPair& pair = m.data.link_pairs[p];
    Sum sum = begin(p);
    for (int i = pair.first; i < pair.last; ++i) {
      if (i > pair.first && m.cheaply_apart(i, std::max(sum.nearest.distance, 0.0))) continue;
      const PairAnswer answer = i == pair.first ? m.answers[p] : m.solve(i, sum.nearest.distance);
      if (sum.take(answer)) m.place(i, answer, sum.nearest);
    }
    sum.conclude();
  }
  const Environment& env = m.data.environment;
  for (std::size_t p = m.data.link_pairs.size(); p < m.results.size(); ++p) {
    Sum sum = begin(p);
    // Standing objects are the last solids, in order.
    const PlacedObject& object = env.objects[sum.nearest.b - env.objects.front().solid];
    auto look_at = [&](int body, std::uint32_t piece) {
      const PairAnswer answer = m.solve_piece(body, piece, sum.nearest.distance);
      if (!sum.take(answer)) return;
      sum.nearest.point_a = answer.p_a;
      sum.nearest.point_b = answer.p_b;
    };
    for (const int body : m.among) {
      if (m.data.bodies[body].solid != sum.nearest.a) continue;
      // Few pieces are looked at one by one; the octree would offer everything else on the way.
      if (object.last - object.first <= kFewPieces) {
        const Box box = m.box_of(body);
        for (std::uint32_t piece = object.first; piece < object.last; ++piece) {
          const double apart_lo = box_distance_lo(box, env.piece_boxes[piece]);
          if (apart_lo <= std::max(sum.nearest.distance, 0.0)) look_at(body, piece);
        }
        continue;
      }
      auto reach = [&] {
        return std::max(sum.nearest.distance, std::numeric_limits<double>::min());
      };
      m.search_around(body, reach(), sum.nearest.b, [&](std::uint32_t piece) {
        look_at(body, piece);
        return reach();
      });
    }
    sum.conclude();
  }
  return m.results;
}

CheckResult DistanceQuery::check(std::span<const double> q, double margin) noexcept {
  Impl& m = *impl_;
  CheckResult result;
  if (!m.update(q) || !(margin >= 0 && margin < kInfinity)) return result;
  CheckResult open;
  const int count = static_cast<int>(m.data.body_pairs.size());
  auto margin_of = [&](int i) {
    return std::max(margin, m.data.link_pairs[m.data.body_pairs[i].pair].margin);
  };
  // False if the answer proves the two apart; keeps what it says otherwise.
  auto not_free = [&](const PairAnswer& answer, double asked, int a, int b) {
    if (answer.lower > asked) return false;
    if (open.a < 0) open = {Verdict::undecided, a, b};
    if (answer.verdict != Verdict::contact) return false;
    result = {Verdict::contact, a, b};
    return true;
  };
  auto in_contact = [&](int i) {
    const LinkPair& pair = m.data.link_pairs[m.data.body_pairs[i].pair];
    const double asked = margin_of(i);
    if (!not_free(m.solve(i, asked, asked), asked, pair.solid_a, pair.solid_b)) return false;
    m.last_nearest = i, m.last_body = -1;
    return true;
  };
  double least = kInfinity;  // of the pieces looked at around one body
  auto touches_piece = [&](int body, std::uint32_t piece) {
    const int a = m.data.bodies[body].solid, b = m.data.environment.solid_of(piece);
    const double asked = std::max(margin, m.data.rules.margin_of(a, b));
    const PairAnswer answer = m.solve_piece(body, piece, asked, asked);
    least = std::min(least, answer.signed_lower);
    if (!not_free(answer, asked, a, b)) return false;
    m.last_body = body, m.last_piece = piece, m.last_nearest = -1;
    return true;
  };
  // The pair that was in contact last is the likeliest to be so again.
  const int last = m.last_nearest;
  if (last >= 0 && !m.cheaply_apart(last, margin_of(last)) && in_contact(last)) return result;
  const double margin_hi = std::max(margin, m.data.rules.margin_hi);
  if (m.last_body >= 0 && !(m.remembered_around(m.last_body) > margin_hi) &&
      touches_piece(m.last_body, m.last_piece)) {
    return result;
  }
  for (int i = 0; i < count; ++i) {
    if (i == last || m.cheaply_apart(i, margin_of(i))) continue;
    if (in_contact(i)) return result;
  }
  for (const int body : m.among) {
    if (m.remembered_around(body) > margin_hi) continue;
    const int own = m.data.bodies[body].solid;
    const double looked = margin_hi + m.headroom(body);
    const Box box = m.box_of(body);
    bool touching = false;
    least = kInfinity;
    m.data.environment.index.visit(grown(box, looked), [&](int id) {
      const auto piece = static_cast<std::uint32_t>(id);
      if (touching || m.data.rules.may_touch(own, m.data.environment.solid_of(piece))) return;
      const double apart_lo = box_distance_lo(box, m.data.environment.piece_boxes[piece]);
      if (apart_lo > margin_hi) {
        least = std::min(least, apart_lo);
      } else {
        touching = touches_piece(body, piece);
      }
    });
    if (touching) {
      m.remember_around(body, -kInfinity);
      return result;
    }
    m.remember_around(body, std::min(least, looked));
  }
  if (open.a >= 0) return open;
  result.verdict = Verdict::free;
  return result;
}

Nearest distance(const World& world, std::span<const double> q, const DistanceOptions& options) {
  return DistanceQuery(world, options)(q);
}

std::vector<std::pair<int, int>> DistanceQuery::Impl::overlaps(std::span<const double> q) {
  std::vector<std::pair<int, int>> pairs;
  if (!update(q)) return pairs;
  for (const LinkPair& pair : data.link_pairs) {
    for (int i = pair.first; i < pair.last; ++i) {
      if (cheaply_apart(i, 0) || solve(i, 0, 0).verdict == Verdict::free) continue;
      pairs.emplace_back(pair.solid_a, pair.solid_b);
      break;
    }
  }
  for (const int body : among) {
    const int own = data.bodies[body].solid;
    data.environment.index.visit(box_of(body), [&](int id) {
      const auto piece = static_cast<std::uint32_t>(id);
      const int other = data.environment.solid_of(piece);
      if (data.rules.may_touch(own, other)) return;
      if (solve_piece(body, piece, 0, 0).verdict != Verdict::free) pairs.emplace_back(own, other);
    });
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

std::vector<std::pair<int, int>> find_overlaps(const World& world, std::span<const double> q) {
  return DistanceQuery::Impl(world, {}).overlaps(q);
}

}  // namespace keepclear
