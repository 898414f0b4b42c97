// SPDX-License-Identifier: BSD-3-Clause
//
// All checked pairs over one box. Each pair is a search of its own over the joints between the two;
// the budget is dealt out in rounds of equal shares, so that what one thread finds does not change
// what another may spend, and the answer is the same for any number of them.
#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>

#include "certify/parallel.hpp"
#include "certify/search.hpp"
#include "keepclear/box.hpp"

namespace keepclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
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
      : keep(world), data(world.data()), options(opts) {
    for (const LinkPair& pair : data.link_pairs) {
      searches.emplace_back(data, pair.solid_a, pair.solid_b);
    }
    if (!data.environment.empty()) {
      for (int s = 0; s < static_cast<int>(data.solids.size()); ++s) {
        if (data.solids[s].moves && is_checked_around(s)) searches.emplace_back(data, s);
      }
    }
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

  BoxResult answer(Verdict verdict, const PairSearch& pair, std::size_t open) const {
    BoxResult result;
    result.verdict = verdict;
    result.a = pair.solid_a();
    result.b = pair.solid_b();
    result.q = pair.nearest();
    result.distance = std::max(pair.distance(), 0.0);
    result.clearance = verdict == Verdict::free ? std::max(pair.clearance(), 0.0) : 0;
    for (const PairSearch& search : searches) result.tests += search.tests();
    result.open_pairs = open;
    return result;
  }

  BoxResult run(std::span<const Interval> box) {
    BoxResult none;
    if (!is_box(box, data.kinematics.variables().size())) return none;
    if (searches.empty()) {
      none.verdict = Verdict::free;
      none.clearance = none.distance = kInfinity;
      return none;
    }
    std::vector<std::size_t> active(searches.size());
    for (std::size_t i = 0; i < active.size(); ++i) active[i] = i;
    std::size_t before = 0;
    int contact = for_each_search(active, [&](PairSearch& search, SearchWorkspace& space) {
      search.start(box, options.margin, options.tolerance, space);
    });
    for (std::size_t share = kFirstShare; contact < 0; share *= 2) {
      double nearest = kInfinity;
      std::size_t tests = 0;
      for (const PairSearch& search : searches) {
        nearest = std::min(nearest, search.distance());
        tests += search.tests();
      }
      std::erase_if(active, [&](std::size_t i) { return is_done(searches[i], nearest); });
      // No round may go by for nothing.
      if (active.empty() || tests >= options.budget || tests == before) break;
      before = tests;
      const std::size_t left = (options.budget - tests) / active.size();
      report(tests, active.size());
      if (left == 0) break;
      contact = for_each_search(active, [&](PairSearch& search, SearchWorkspace& space) {
        search.run(std::min(share, left), options.tolerance, nearest, space);
      });
    }
    return conclude(contact);
  }

  bool is_done(const PairSearch& search, double nearest) const {
    if (search.exhausted()) return true;
    if (search.verdict() != Verdict::free) return false;
    const double aim = std::min(search.distance(), nearest) - options.tolerance;
    return !std::isfinite(aim) || search.clearance() >= aim;
  }

  void report(std::size_t tests, std::size_t open) const {
    if (!options.progress) return;
    const double pairs = 1 - static_cast<double>(open) / static_cast<double>(searches.size());
    const double spent = static_cast<double>(tests) / static_cast<double>(options.budget);
    options.progress(std::min(1.0, std::max(pairs, spent)));
  }

  BoxResult conclude(int contact) const {
    if (contact >= 0) return answer(Verdict::contact, searches[contact], 0);
    const PairSearch* open = nullptr;
    const PairSearch* least = nullptr;
    std::size_t open_count = 0;
    for (const PairSearch& search : searches) {
      if (search.verdict() != Verdict::free) {
        ++open_count;
        if (open == nullptr || search.distance() < open->distance()) open = &search;
      } else if (least == nullptr || search.clearance() < least->clearance()) {
        least = &search;
      }
    }
    if (open != nullptr) return answer(Verdict::undecided, *open, open_count);
    return answer(Verdict::free, *least, 0);
  }

  World keep;
  const WorldData& data;
  BoxOptions options;
  std::vector<PairSearch> searches;
  std::vector<SearchWorkspace> workspaces;
};

BoxQuery::BoxQuery(const World& world, const BoxOptions& options) {
  auto refuse = [&](const char* what) { throw Error(Error::Kind::usage, world.file(), 0, what); };
  if (!(options.margin >= 0 && options.margin < kInfinity)) {
    refuse("the margin of a box must be a length, not negative");
  }
  if (!(options.tolerance > 0)) refuse("the tolerance of a box must be positive");
  impl_ = std::make_unique<Impl>(world, options);
}

BoxQuery::~BoxQuery() = default;
BoxQuery::BoxQuery(BoxQuery&&) noexcept = default;
BoxQuery& BoxQuery::operator=(BoxQuery&&) noexcept = default;

BoxResult BoxQuery::operator()(std::span<const Interval> box) {
  return impl_->run(box);
}

BoxResult prove_box(const World& world, std::span<const Interval> box, const BoxOptions& options) {
  return BoxQuery(world, options)(box);
}

}  // namespace keepclear
