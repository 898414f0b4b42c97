// SPDX-License-Identifier: BSD-3-Clause
//
// What is asked of the motion of one body, and the answer put together: stretches without events,
// each tested once for an overlap, and those in which an event may happen.
#include <algorithm>
#include <cmath>

#include "certify/ball_search.hpp"
#include "certify/parallel.hpp"
#include "keepclear/error.hpp"
#include "keepclear/toleranced.hpp"
#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"

namespace keepclear {
namespace {

/// Places that are looked at before a clearance is sought.
constexpr int kTries = 17;
/// Parts of a motion that threads share.
constexpr std::size_t kShared = 16;

void require(const Polyhedron& moving, std::span<const StandingPlane> planes,
             std::span<const StandingBody> bodies, const TolerancedOptions& options) {
  const auto refuse = [](const char* what) { throw Error(Error::Kind::usage, "", 0, what); };
  const auto is_length = [](double x) { return x >= 0 && x < kInfinity; };
  if (moving.vertices().empty()) refuse("a body that moves needs a vertex");
  if (!is_length(options.margin)) refuse("the margin of a motion must be a length, not negative");
  if (!(options.tolerance > 0)) refuse("the tolerance of a motion must be positive");
  if (!is_length(options.deviation)) refuse("the deviation of a motion must be a length");
  if (!(options.accuracy > 0)) refuse("the accuracy of a clearance must be positive");
  if (!(options.relative_accuracy >= 0 && options.relative_accuracy < 1)) {
    refuse("the relative accuracy of a clearance must be from 0 to below 1");
  }
  if (options.depth < 0) refuse("the depth of division must not be negative");
  for (const StandingBody& body : bodies) {
    if (!is_length(body.margin)) refuse("the margin of a body must be a length, not negative");
  }
  for (const StandingPlane& plane : planes) {
    if (!is_length(plane.margin)) refuse("the margin of a plane must be a length, not negative");
    const double length = norm(plane.normal);
    if (!(length > 1e-100 && length < 1e100) || !(std::fabs(plane.offset) < 1e100)) {
      refuse("the normal of a plane must have a length, and its offset be finite");
    }
  }
}

TolerancedInterval interval_of(const BallLeaf& leaf) {
  TolerancedInterval made;
  made.from = leaf.from, made.to = leaf.to;
  made.status = leaf.contact ? Verdict::contact : Verdict::undecided;
  made.other = leaf.item.other;
  made.moving = moving_element(leaf.item), made.standing = standing_element(leaf.item);
  made.time = leaf.time;
  made.place = leaf.place;
  return made;
}

/// Joins stretches that touch: one of them in contact makes it a contact.
void join(std::vector<TolerancedInterval>& intervals) {
  std::vector<TolerancedInterval> joined;
  for (const TolerancedInterval& next : intervals) {
    if (joined.empty() || next.from > joined.back().to) {
      joined.push_back(next);
      continue;
    }
    TolerancedInterval& before = joined.back();
    before.to = std::max(before.to, next.to);
    if (before.status != Verdict::contact && next.status == Verdict::contact) {
      before.status = Verdict::contact;
      before.time = next.time;
      // The event that began it is worth more than one on the way.
      if (before.moving.kind == Element::Kind::none) {
        before.moving = next.moving, before.standing = next.standing, before.place = next.place;
      }
    }
  }
  intervals = std::move(joined);
}

}  // namespace

const char* to_string(Element::Kind kind) noexcept {
  switch (kind) {
    case Element::Kind::vertex:
      return "vertex";
    case Element::Kind::edge:
      return "edge";
    case Element::Kind::face:
      return "face";
    default:
      return "none";
  }
}

struct TolerancedQuery::Impl {
  Impl(Polyhedron moving_body, std::vector<StandingBody> bodies, std::vector<StandingPlane> planes,
       const TolerancedOptions& opts)
      : moving(std::move(moving_body)),
        options(opts),
        fat(moving, opts.metric ? *opts.metric : DisplacementMetric::balanced(moving.vertices())),
        standing(fat, std::move(bodies), std::move(planes), opts.margin) {
    const std::size_t count = thread_count(options.threads, kShared);
    for (std::size_t i = 0; i < count; ++i) searches.emplace_back(fat, standing, options);
  }

  TolerancedResult run(const DisplacementCurve& curve, double deviation);
  /// What stands there and has no event in [from, to]: free, in contact or undecided throughout.
  Verdict status_of(const DisplacementCurve& curve, int other, double from, double to,
                    double& time);
  void conclude(const DisplacementCurve& curve, std::vector<BallLeaf>& leaves,
                TolerancedResult& result);

  Polyhedron moving;
  TolerancedOptions options;
  FatBody fat;
  Standing standing;
  std::vector<BallSearch> searches;
};

Verdict TolerancedQuery::Impl::status_of(const DisplacementCurve& curve, int other, double from,
                                         double to, double& time) {
  for (const double at : {from, 0.5 * from + 0.5 * to, to}) {
    time = at;
    const Verdict verdict = searches[0].classify(curve, other, at);
    if (verdict != Verdict::undecided) return verdict;
  }
  return Verdict::undecided;
}

TolerancedResult TolerancedQuery::Impl::run(const DisplacementCurve& curve, double deviation) {
  TolerancedResult result;
  const double begin = curve.begin(), end = curve.end();
  if (!(begin <= end) || !(deviation >= 0 && deviation < kInfinity)) return result;
  const bool all = options.ask == Ask::all_intervals;
  const auto count = static_cast<int>(standing.count());
  BallSearch::Near near;
  std::vector<BallLeaf> leaves;
  // A motion that begins in contact is told at once.
  bool at_begin = false;
  for (int i = 0; i < count && !all && !at_begin; ++i) {
    if (searches[0].classify(curve, i, begin) != Verdict::contact) continue;
    at_begin = true;
    leaves.push_back({begin, begin, {BallItem::Kind::nodes, i, 0, 0}, true, begin, {}});
  }
  if (options.ask == Ask::clearance && !at_begin) {
    for (int i = 0; i < kTries; ++i) {
      const double share = static_cast<double>(i) / (kTries - 1);
      searches[0].look(curve, i + 1 < kTries ? begin + share * (end - begin) : end, near);
    }
  }
  const std::size_t parts = searches.size() == 1 ? 1 : kShared;
  struct Share {
    std::vector<BallLeaf> leaves;
    double clearance = 0;
    BallSearch::Near near;
    bool contact = false;
    std::size_t balls = 0, tests = 0;
    int depth = 0;
  };
  std::vector<Share> shares(at_begin ? 0 : parts);
  const auto border = [&](std::size_t i) {
    const double share = static_cast<double>(i) / static_cast<double>(parts);
    return i == 0 ? begin : i == parts ? end : begin + share * (end - begin);
  };
  for_each_task(shares.size(), searches, [&](std::size_t i, BallSearch& search) {
    const std::size_t budget = options.budget / parts;
    search.run(curve, border(i), border(i + 1), deviation, near, budget);
    if (options.ask == Ask::clearance && !search.has_contact() && search.work() >= budget) {
      // A clearance was too much to ask: then whether it is free.
      BallSearch::Near nothing;
      nothing.distance = 0;
      search.run(curve, border(i), border(i + 1), deviation, nothing, budget);
    }
    shares[i] = {search.leaves(), search.clearance(), search.near(), search.has_contact(),
                 search.balls(),  search.tests(),     search.depth()};
  });
  result.clearance = kInfinity;
  for (const Share& share : shares) {
    leaves.insert(leaves.end(), share.leaves.begin(), share.leaves.end());
    result.clearance = std::min(result.clearance, share.clearance);
    if (share.near.other >= 0 && share.near.distance < near.distance) near = share.near;
    result.balls += share.balls, result.tests += share.tests;
    result.depth = std::max(result.depth, share.depth);
    if (share.contact && !all) break;
  }
  result.distance = near.distance, result.time = near.time, result.other = near.other;
  conclude(curve, leaves, result);
  return result;
}

void TolerancedQuery::Impl::conclude(const DisplacementCurve& curve, std::vector<BallLeaf>& leaves,
                                     TolerancedResult& result) {
  const bool all = options.ask == Ask::all_intervals;
  double last = curve.end();
  for (const BallLeaf& leaf : leaves) {
    // What comes after the first contact was not looked at.
    if (leaf.contact && !all) last = std::min(last, leaf.to);
  }
  std::vector<TolerancedInterval>& intervals = result.intervals;
  for (int i = 0; i < static_cast<int>(standing.count()); ++i) {
    std::vector<TolerancedInterval> own;
    for (const BallLeaf& leaf : leaves) {
      if (leaf.item.other == i) own.push_back(interval_of(leaf));
    }
    join(own);
    // Between them nothing begins or ends: one look at each stretch.
    const std::size_t events = own.size();
    double from = curve.begin();
    const auto look = [&](double to) {
      TolerancedInterval stretch;
      stretch.status = status_of(curve, i, from, to, stretch.time);
      if (stretch.status == Verdict::free) return;
      stretch.from = from, stretch.to = to;
      stretch.other = i;
      own.push_back(stretch);
    };
    for (std::size_t k = 0; k < events; ++k) {
      if (own[k].from > from) look(own[k].from);
      from = own[k].to;
    }
    if (from < last || events == 0) look(last);
    std::stable_sort(own.begin(), own.end(), [](const auto& x, const auto& y) {
      return x.from != y.from ? x.from < y.from : x.to < y.to;
    });
    join(own);
    intervals.insert(intervals.end(), own.begin(), own.end());
  }
  std::stable_sort(intervals.begin(), intervals.end(),
                   [](const auto& x, const auto& y) { return x.from < y.from; });
  result.verdict = Verdict::free;
  for (const TolerancedInterval& interval : intervals) {
    if (interval.status == Verdict::contact) {
      result.verdict = Verdict::contact;
      if (!(result.first_contact <= interval.time)) {
        result.first_contact = result.time = interval.time;
        result.other = interval.other;
        result.distance = 0;
      }
    } else if (result.verdict == Verdict::free) {
      result.verdict = Verdict::undecided;
    }
  }
  if (result.verdict != Verdict::free) result.clearance = 0;
  if (result.verdict == Verdict::contact && !all) {
    // Nothing is told of what comes later.
    last = result.first_contact;
    std::erase_if(intervals, [&](const TolerancedInterval& x) { return x.from > last; });
    for (TolerancedInterval& x : intervals) {
      x.to = std::min(x.to, last);
      if (x.status == Verdict::contact && x.time > last) x.status = Verdict::undecided;
    }
  }
  if (options.ask == Ask::verdict) return;
  std::vector<TolerancedInterval> with_free;
  double from = curve.begin();
  const auto add_free = [&](double to) {
    if (!(to > from)) return;
    TolerancedInterval free;
    free.from = from, free.to = to;
    free.status = Verdict::free;
    with_free.push_back(free);
  };
  for (const TolerancedInterval& interval : intervals) {
    add_free(interval.from);
    from = std::max(from, interval.to);
    with_free.push_back(interval);
  }
  add_free(last);
  intervals = std::move(with_free);
}

TolerancedQuery::TolerancedQuery(Polyhedron moving, std::vector<StandingBody> bodies,
                                 std::vector<StandingPlane> planes,
                                 const TolerancedOptions& options) {
  rounding::require_mode();
  require(moving, planes, bodies, options);
  impl_ = std::make_unique<Impl>(std::move(moving), std::move(bodies), std::move(planes), options);
}

TolerancedQuery::~TolerancedQuery() = default;
TolerancedQuery::TolerancedQuery(TolerancedQuery&&) noexcept = default;
TolerancedQuery& TolerancedQuery::operator=(TolerancedQuery&&) noexcept = default;

TolerancedResult TolerancedQuery::operator()(const DisplacementCurve& curve) {
  rounding::require_mode();
  return impl_->run(curve, impl_->options.deviation);
}

TolerancedResult TolerancedQuery::operator()(const DisplacementCurve& curve, double deviation) {
  rounding::require_mode();
  return impl_->run(curve, deviation);
}

const DisplacementMetric& TolerancedQuery::metric() const noexcept {
  return impl_->fat.metric();
}
const Polyhedron& TolerancedQuery::moving() const noexcept {
  return impl_->moving;
}
std::span<const StandingBody> TolerancedQuery::bodies() const noexcept {
  return impl_->standing.bodies();
}
std::span<const StandingPlane> TolerancedQuery::planes() const noexcept {
  return impl_->standing.planes();
}

}  // namespace keepclear
