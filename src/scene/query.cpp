// SPDX-License-Identifier: BSD-3-Clause
//
// Distances of a pose. A pair is settled by the cheapest bound that settles it: what was proved of
// it last, less how far its bodies have travelled since; then balls; then a search that ends as
// soon as it can no longer matter; then the full distance.
#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"
#include "scene/query_impl.hpp"

namespace keepclear {
namespace {

constexpr std::uint32_t kFewPieces = DistanceQuery::Impl::kFewPieces;

}  // namespace

DistanceQuery::DistanceQuery(const World& world, const DistanceOptions& options)
    : impl_((rounding::require_mode(), std::make_unique<Impl>(world, options))) {}
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
    // A depth may be of any size: zero would be a promise.
    if (m.options.signed_distance) nearest.lower_bound = -kInfinity;
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
