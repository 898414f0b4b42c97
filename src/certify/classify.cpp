// SPDX-License-Identifier: BSD-3-Clause
//
// Sorts all pairs of links over the whole range of their joints.
#include <algorithm>
#include <mutex>

#include "certify/parallel.hpp"
#include "certify/search.hpp"
#include "keepclear/pairs.hpp"
#include "rounding/infinity.hpp"
#include "rounding/mode.hpp"

namespace keepclear {
namespace {

/// Metres: what the clearance of a pair that never touches is worked out to, where that is not much
/// more work than the proof itself.
constexpr Closeness kCloseness{0.01, 0};
constexpr std::size_t kLeastRefinement = 2000;
/// Poses in which two links must overlap before it is tried to prove that they always do, and from
/// which the deepest overlap is sought.
constexpr std::size_t kDepthSamples = 200;

void classify(const WorldData& data, std::span<const Interval> box, const PairsOptions& options,
              PairOfLinks& pair, SearchWorkspace& space) {
  PairSearch search(data, pair.a, pair.b, false);
  pair.joints.assign(search.variables().begin(), search.variables().end());
  search.start(box, 0, kCloseness, kInfinity, space);
  if (search.verdict() == Verdict::undecided) {
    search.probe(options.samples, options.seed, false, space);
    // The verdict first.
    search.run(options.budget, {kInfinity, 0}, kInfinity, space);
  }
  if (search.verdict() == Verdict::free) {
    const std::size_t more = std::min(options.budget - std::min(options.budget, search.tests()),
                                      std::max(kLeastRefinement, search.tests()));
    search.run(more, kCloseness, kInfinity, space);
    pair.kind = PairClass::never;
    pair.clearance = std::max(0.0, search.clearance());
  } else if (search.verdict() == Verdict::contact) {
    pair.kind = PairClass::sometimes;
    if (search.share_in_contact(kDepthSamples, 2, box, space) == kDepthSamples &&
        search.overlap_throughout(box, options.budget, space)) {
      pair.kind = PairClass::always;
    }
    search.probe(kDepthSamples, options.seed, true, space);
  }
  pair.tests = search.tests();
  pair.witness = search.nearest();
  pair.distance = search.distance();
}

}  // namespace

std::vector<PairOfLinks> classify_pairs(const World& world, const PairsOptions& options) {
  rounding::require_mode();
  const WorldData& data = world.data();
  std::vector<PairOfLinks> pairs;
  std::vector<int> links;
  for (const WorldBody& body : data.bodies) {
    if (links.empty() || links.back() != body.solid) links.push_back(body.solid);
  }
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (std::size_t j = i + 1; j < links.size(); ++j) {
      PairOfLinks pair;
      pair.a = links[i], pair.b = links[j];
      pairs.push_back(std::move(pair));
    }
  }
  for (const LeftOutPair& out : data.left_out) {
    const int a = world.find_solid(out.a), b = world.find_solid(out.b);
    const auto found = std::find_if(pairs.begin(), pairs.end(), [&](const PairOfLinks& pair) {
      return (pair.a == a && pair.b == b) || (pair.a == b && pair.b == a);
    });
    if (found == pairs.end()) continue;
    if (out.why == LeftOutPair::Why::adjacent) found->kind = PairClass::adjacent;
    const bool by_default = out.why == LeftOutPair::Why::by_default;
    found->disabled = by_default || out.why == LeftOutPair::Why::disabled;
    found->reason = by_default ? "by default" : out.reason;
  }
  const JointBox box = full_range(world);
  std::vector<SearchWorkspace> workspaces;
  const std::size_t threads = thread_count(options.threads, pairs.size());
  for (std::size_t i = 0; i < threads; ++i) workspaces.emplace_back(data);
  std::mutex reporting;
  std::size_t done = 0;
  for_each_task(pairs.size(), workspaces, [&](std::size_t i, SearchWorkspace& space) {
    if (pairs[i].kind != PairClass::adjacent) classify(data, box, options, pairs[i], space);
    const std::lock_guard lock(reporting);
    ++done;
    if (!options.progress) return;
    options.progress(done, pairs.size());
    rounding::require_mode();
  });
  return pairs;
}

}  // namespace keepclear
