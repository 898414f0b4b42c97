// SPDX-License-Identifier: BSD-3-Clause
//
// All checked pairs over one box. Most are settled by a look at balls. Each of the others is a
// search of its own over the joints between the two; the budget is dealt out in rounds of equal
// shares, so that what one thread finds does not change what another may spend, and the answer is
// the same for any number of them.
#include <algorithm>
#include <atomic>
#include <cmath>

#include "certify/far_pairs.hpp"
#include "certify/parallel.hpp"
#include "certify/search.hpp"
#include "keepclear/box.hpp"
#include "keepclear/distance.hpp"
#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"

namespace keepclear {
namespace {

/// Tests of a pair in the first round; doubled in each that follows.
constexpr std::size_t kFirstShare = 64;

bool is_box(std::span<const Interval> box, std::size_t dof) {
  return box.size() == dof && std::all_of(box.begin(), box.end(), [](const Interval& i) {
           return i.lower <= i.upper && i.lower < kInfinity && i.upper > -kInfinity;
         });
}

}  // namespace

struct BoxQuery::Impl {
  Impl(const World& world, const BoxOptions& opts)
      : keep(world),
        data(world.data()),
        options(opts),
        closeness{opts.tolerance, opts.relative_tolerance},
        distance(world),
        far(data) {
    for (const LinkPair& pair : data.link_pairs) {
      searches.emplace_back(data, pair.solid_a, pair.solid_b);
    }
    if (!data.environment.empty()) {
      // Bodies come solid by solid.
      int last = -1;
      for (const WorldBody& body : data.bodies) {
        if (body.solid == last) continue;
        last = body.solid;
        if (data.moves(last) && is_checked_around(last)) searches.emplace_back(data, last);
      }
    }
    settled.resize(searches.size());
    const std::size_t threads = thread_count(options.threads, searches.size());
    for (std::size_t i = 0; i < threads; ++i) workspaces.emplace_back(data);
  }

  bool is_checked_around(int solid) const {
    const auto& objects = data.environment.objects;
    return std::any_of(objects.begin(), objects.end(), [&](const PlacedObject& object) {
      return !data.rules.may_touch(solid, object.solid);
    });
  }

  /// work(search, workspace) for the listed searches, those after a contact left aside. Returns the
  /// first in contact, or -1.
  template <typename Work>
  int for_each_search(const std::vector<std::size_t>& listed, const Work& work) {
    std::atomic<std::size_t> first{searches.size()};
    for_each_task(listed.size(), workspaces, [&](std::size_t task, SearchWorkspace& space) {
      const std::size_t i = listed[task];
      if (i > first) return;
      work(searches[i], space);
      if (searches[i].verdict() != Verdict::contact) return;
      std::size_t seen = first;
      while (i < seen && !first.compare_exchange_weak(seen, i)) {
      }
    });
    return first < searches.size() ? static_cast<int>(first) : -1;
  }

  /// How near anything is in the middle of the box. False when that is a contact.
  bool look_at_middle(std::span<const Interval> box) {
    nearest_q = data.kinematics.neutral();
    for (std::size_t i = 0; i < box.size(); ++i) {
      const double middle = 0.5 * box[i].lower + 0.5 * box[i].upper;
      nearest_q[i] = std::clamp(std::isfinite(middle) ? middle : 0.0, box[i].lower, box[i].upper);
    }
    // The middle of a box of quaternions is hardly ever one.
    const bool inside = data.kinematics.is_configuration(nearest_q);
    distance.reset();
    const Nearest near = inside ? distance(nearest_q) : Nearest{};
    nearest = inside && near.a >= 0 ? near.distance : kInfinity;
    middle_a = near.a, middle_b = near.b;
    return near.verdict != Verdict::contact;
  }

  /// Pairs that a look at balls shows to be far enough apart. What is left must be searched.
  std::vector<std::size_t> settle_far_pairs(std::span<const Interval> box) {
    far.update(box);
    const double goal = closeness.goal(nearest);
    std::vector<std::size_t> left;
    for (std::size_t i = 0; i < searches.size(); ++i) {
      const bool links = i < data.link_pairs.size();
      const double margin =
          std::max(options.margin, links ? data.link_pairs[i].margin : data.rules.margin_hi);
      const double need = std::max(goal, margin);
      settled[i] = -kInfinity;
      if (links) {
        settled[i] = far.links_lo(data.link_pairs[i]);
      } else if (far.surroundings_beyond(searches[i].solid_a(), need + kLookFarther)) {
        settled[i] = need + kLookFarther;
      }
      if (settled[i] > need) continue;
      settled[i] = -kInfinity;
      left.push_back(i);
    }
    return left;
  }

  BoxResult run(std::span<const Interval> box) {
    BoxResult none;
    if (!is_box(box, data.kinematics.variables().size())) return none;
    if (searches.empty()) {
      none.verdict = Verdict::free;
      none.clearance = none.distance = kInfinity;
      return none;
    }
    if (!look_at_middle(box)) {
      none.verdict = Verdict::contact;
      none.a = middle_a, none.b = middle_b;
      none.q = nearest_q;
      none.tests = 1;
      return none;
    }
    std::vector<std::size_t> active = settle_far_pairs(box);
    const std::vector<std::size_t> searched = active;
    const double start_nearest = nearest;
    int contact = for_each_search(active, [&](PairSearch& search, SearchWorkspace& space) {
      search.start(box, options.margin, closeness, start_nearest, space);
    });
    std::size_t before = 0;
    for (std::size_t share = kFirstShare; contact < 0; share *= 2) {
      std::size_t tests = searches.size() - searched.size();
      for (const std::size_t i : searched) {
        nearest = std::min(nearest, searches[i].distance());
        tests += searches[i].tests();
      }
      std::erase_if(active, [&](std::size_t i) { return is_done(searches[i]); });
      // No round may go by for nothing.
      if (active.empty() || tests >= options.budget || tests == before) break;
      before = tests;
      const std::size_t each = (options.budget - tests) / active.size();
      report(tests, active.size());
      if (each == 0) break;
      const double nearest_hi = nearest;
      contact = for_each_search(active, [&](PairSearch& search, SearchWorkspace& space) {
        search.run(std::min(share, each), closeness, nearest_hi, space);
      });
    }
    return conclude(searched, contact);
  }

  bool is_done(const PairSearch& search) const {
    if (search.exhausted()) return true;
    if (search.verdict() != Verdict::free) return false;
    return search.clearance() >= closeness.goal(std::min(search.distance(), nearest));
  }

  void report(std::size_t tests, std::size_t open) const {
    if (!options.progress) return;
    const double pairs = 1 - static_cast<double>(open) / static_cast<double>(searches.size());
    const double spent = static_cast<double>(tests) / static_cast<double>(options.budget);
    options.progress(std::min(1.0, std::max(pairs, spent)));
    rounding::require_mode();
  }

  BoxResult conclude(const std::vector<std::size_t>& searched, int contact) {
    BoxResult result;
    result.tests = searches.size() - searched.size();
    result.q = nearest_q;
    result.distance = nearest;
    result.clearance = kInfinity;
    result.verdict = Verdict::free;
    const auto name = [&](const PairSearch& pair) {
      result.a = pair.solid_a();
      result.b = pair.solid_b();
    };
    double least_open = kInfinity, least = kInfinity;
    for (const std::size_t i : searched) {
      const PairSearch& search = searches[i];
      result.tests += search.tests();
      if (search.distance() < least && !search.nearest().empty()) {
        least = search.distance();
        if (least <= result.distance) result.q = search.nearest(), result.distance = least;
      }
      if (search.verdict() == Verdict::free) continue;
      ++result.open_pairs;
      result.verdict = Verdict::undecided;
      if (result.open_pairs > 1 && !(search.distance() < least_open)) continue;
      least_open = search.distance();
      name(search);
    }
    if (contact >= 0) {
      result.verdict = Verdict::contact;
      result.open_pairs = 0;
      name(searches[contact]);
      result.q = searches[contact].nearest();
      result.distance = searches[contact].distance();
    }
    // Of all pairs there; and a configuration of the world it must be, not only of the two.
    distance.reset();
    const Nearest there = distance(result.q);
    if (there.a >= 0) {
      result.distance = std::max(there.distance, 0.0);
    } else {
      result.q.clear();
      result.distance = kInfinity;
      if (result.verdict == Verdict::contact)
        result.verdict = Verdict::undecided, result.open_pairs = 1;
    }
    if (result.verdict != Verdict::free) {
      result.clearance = 0;
      return result;
    }
    for (std::size_t i = 0; i < searches.size(); ++i) {
      const bool far_apart = settled[i] > -kInfinity;
      const double clearance = far_apart ? settled[i] : searches[i].clearance();
      if (!(clearance < result.clearance)) continue;
      result.clearance = clearance;
      name(searches[i]);
      // Of what stands around a link none was looked at.
      if (far_apart && i >= data.link_pairs.size()) result.b = -1;
    }
    result.clearance = std::max(result.clearance, 0.0);
    if (result.b < 0 && middle_b >= 0) result.a = middle_a, result.b = middle_b;
    return result;
  }

  World keep;
  const WorldData& data;
  BoxOptions options;
  Closeness closeness;
  DistanceQuery distance;
  FarPairs far;
  std::vector<PairSearch> searches;
  std::vector<double> settled;  ///< of pairs that are not searched: their clearance
  double nearest = kInfinity;   ///< the least distance found so far
  std::vector<double> nearest_q;
  int middle_a = -1, middle_b = -1;
  std::vector<SearchWorkspace> workspaces;
};

BoxQuery::BoxQuery(const World& world, const BoxOptions& options) {
  rounding::require_mode();
  auto refuse = [&](const char* what) { throw Error(Error::Kind::usage, world.file(), 0, what); };
  if (!(options.margin >= 0 && options.margin < kInfinity)) {
    refuse("the margin of a box must be a length, not negative");
  }
  if (!(options.relative_tolerance >= 0 && options.relative_tolerance < 1)) {
    refuse("the relative tolerance of a box must be from 0 to below 1");
  }
  if (!(options.tolerance > 0)) refuse("the tolerance of a box must be positive");
  impl_ = std::make_unique<Impl>(world, options);
}

BoxQuery::~BoxQuery() = default;
BoxQuery::BoxQuery(BoxQuery&&) noexcept = default;
BoxQuery& BoxQuery::operator=(BoxQuery&&) noexcept = default;

BoxResult BoxQuery::operator()(std::span<const Interval> box) {
  rounding::require_mode();
  return impl_->run(box);
}

BoxResult prove_box(const World& world, std::span<const Interval> box, const BoxOptions& options) {
  return BoxQuery(world, options)(box);
}

}  // namespace keepclear
