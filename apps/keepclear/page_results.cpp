// SPDX-License-Identifier: BSD-3-Clause
#include "page_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "output.hpp"

namespace keepclear::command {

namespace {

constexpr std::size_t kMostPoses = 300;

/// Contacts that nobody looks for come first, then contacts, then near misses.
int rank_of(const PairOfLinks& pair) {
  if (pair.kind == PairClass::sometimes) return pair.disabled ? 0 : 1;
  return pair.kind == PairClass::undecided ? 2 : 3;
}

}  // namespace

std::string fit_document(const World& world, const std::string& model,
                         std::span<const double> surface_distance) {
  std::string bodies;
  for (std::size_t i = 0; i < world.bodies().size(); ++i) {
    const BodyInfo& body = world.bodies()[i];
    if (!body.modelled) continue;
    const double surface = i < surface_distance.size() ? surface_distance[i]
                                                       : std::numeric_limits<double>::quiet_NaN();
    bodies += fmt::format(
        R"({}{{"body":{},"volume":{},"hull_volume":{},"excess":{},"surface_distance":{}}})",
        bodies.empty() ? "" : ",", i, json_number(body.volume), json_number(body.hull_volume),
        json_number(body.excess), json_number(surface));
  }
  if (bodies.empty()) return {};
  return fmt::format(R"({{"model":{},"around":"shapes of links","bodies":[{}]}})",
                     json_string(model.empty() ? "that of the world" : model), bodies);
}

std::string pairs_document(const World& world, std::span<const PairOfLinks> pairs, Poser& poser) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (!pairs[i].witness.empty()) order.push_back(i);
  }
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return rank_of(pairs[i]); });
  std::vector<int> pose(pairs.size(), -1);
  std::string poses, rows;
  int count = 0;
  for (const std::size_t i : order) {
    PosedWorld posed;
    if (static_cast<std::size_t>(count) == kMostPoses) break;
    if (!poser.pose(pairs[i].witness, posed)) continue;
    pose[i] = count++;
    poses += (poses.empty() ? "" : ",\n") + json_of(world, posed);
  }
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const PairOfLinks& pair = pairs[i];
    const std::string reason = pair.reason.empty() ? "disabled" : pair.reason;
    rows += fmt::format(
        R"({}{{"a":{},"b":{},"class":"{}","clearance":{},"distance":{},"pose":{},"disabled":{}}})",
        i == 0 ? "" : ",\n", pair.a, pair.b, to_string(pair.kind),
        pair.kind == PairClass::never ? json_number(pair.clearance) : "null",
        pair.witness.empty() ? "null" : json_number(pair.distance), pose[i],
        json_string(pair.disabled ? reason : ""));
  }
  return fmt::format("{{\"pairs\":[{}],\n\"poses\":[{}]}}", rows, poses);
}

}  // namespace keepclear::command
