// SPDX-License-Identifier: BSD-3-Clause
#include "page_guard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "output.hpp"

namespace keepclear::command {

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
/// Rows of a document, poses among them, and volumes of these.
constexpr std::size_t kMostRows = 5'000, kMostPoses = 300, kMostVolumes = 24;
/// Each bin of the histogram is so many times as wide as the one before: 12 to a decade.
constexpr double kBinsPerDecade = 12, kShortest = 0.1;
constexpr std::size_t kBins = 96;
/// Latest cycles that quantiles are of.
constexpr std::size_t kRemembered = 200'000;
constexpr std::size_t kTriangles = 250;

/// Rows that are shown with their pose: evenly, and the first of each brake.
std::set<std::size_t> posed_rows(std::span<const ShownCycle> rows, std::size_t most) {
  std::set<std::size_t> chosen;
  for (std::size_t i = 0; i < rows.size() && chosen.size() < most / 2; ++i) {
    if (!rows[i].go && (i == 0 || rows[i - 1].go)) {
      chosen.insert(i);
      if (i > 0) chosen.insert(i - 1);
    }
  }
  const std::size_t rest = most - chosen.size();
  for (std::size_t k = 0; k < rest && !rows.empty(); ++k) {
    chosen.insert(rest == 1 ? 0 : k * (rows.size() - 1) / (rest - 1));
  }
  return chosen;
}

}  // namespace

void ShownLatencies::add(double microseconds) {
  if (!(microseconds >= 0)) return;
  if (bins_.empty()) bins_.resize(kBins);
  const double place = kBinsPerDecade * std::log10(std::max(microseconds, kShortest) / kShortest);
  ++bins_[std::min(static_cast<std::size_t>(place), kBins - 1)];
  if (latest_.size() < kRemembered) {
    latest_.push_back(microseconds);
  } else {
    latest_[count_ % kRemembered] = microseconds;
  }
  ++count_;
  longest_ = std::max(longest_, microseconds);
}

std::string ShownLatencies::json() const {
  if (count_ == 0) return "null";
  std::string from, number;
  std::size_t first = 0, last = kBins;
  while (bins_[first] == 0) ++first;
  while (bins_[last - 1] == 0) --last;
  for (std::size_t k = first; k < last; ++k) {
    const char* const comma = k > first ? "," : "";
    const double lower =
        k == 0 ? 0 : kShortest * std::pow(10, static_cast<double>(k) / kBinsPerDecade);
    from += fmt::format("{}{:.4g}", comma, lower);
    number += fmt::format("{}{}", comma, bins_[k]);
  }
  std::vector<double> sorted = latest_;
  std::ranges::sort(sorted);
  const auto quantile = [&](double share) {
    const double place = std::ceil(share * static_cast<double>(sorted.size()));
    return sorted[static_cast<std::size_t>(std::max(place, 1.0)) - 1];
  };
  return fmt::format(
      R"({{"from":[{}],"count":[{}],"median":{:.4g},"p99":{:.4g},"p999":{:.4g},"max":{:.4g}}})",
      from, number, quantile(0.5), quantile(0.99), quantile(0.999), longest_);
}

std::string rows_json(std::span<const ShownCycle> rows, Poser& poser) {
  std::vector<double> distances;
  PosedWorld posed;
  for (const ShownCycle& row : rows) {
    const bool found = poser.pose(row.q, posed, false) && posed.nearest.a >= 0;
    distances.push_back(found ? posed.nearest.distance : kNaN);
  }
  const auto number = [](double value) {
    return std::isfinite(value) ? fmt::format("{:.7g}", value) : std::string("null");
  };
  return fmt::format(
      R"({{"cycle":{},"time":{},"go":{},"reason":{},"a":{},"b":{},"bound":{},"distance":{},)"
      R"("flops":{},"microseconds":{}}})",
      json_list(rows, [](const ShownCycle& row) { return fmt::format("{}", row.cycle); }),
      json_list(rows, [](const ShownCycle& row) { return json_number(row.time); }),
      json_list(rows, [](const ShownCycle& row) { return std::string(row.go ? "1" : "0"); }),
      json_list(
          rows,
          [](const ShownCycle& row) { return json_string(std::string(reason_name(row.reason))); }),
      json_list(rows, [](const ShownCycle& row) { return fmt::format("{}", row.a); }),
      json_list(rows, [](const ShownCycle& row) { return fmt::format("{}", row.b); }),
      json_list(rows, [](const ShownCycle& row) { return json_number(row.bound); }),
      json_list(distances, number),
      json_list(rows, [](const ShownCycle& row) { return fmt::format("{}", row.flops); }),
      json_list(rows, [&](const ShownCycle& row) {
        return row.microseconds < 0 ? std::string("null") : number(row.microseconds);
      }));
}

std::vector<ShownCycle> thinned_rows(std::vector<ShownCycle> rows, std::size_t most) {
  if (rows.size() <= most || most == 0) return rows;
  std::vector<ShownCycle> kept;
  for (std::size_t k = 0; k < most; ++k) {
    const std::size_t first = k * rows.size() / most, last = (k + 1) * rows.size() / most;
    std::size_t worst = first;
    for (std::size_t i = first + 1; i < last; ++i) {
      if (rows[worst].go != rows[i].go) {
        if (!rows[i].go) worst = i;
      } else if (rows[i].go && rows[i].bound < rows[worst].bound) {
        worst = i;
      }
    }
    kept.push_back(std::move(rows[worst]));
  }
  return kept;
}

bool braking_sweep(const Braking& braking, std::span<const double> q, std::span<const double> v,
                   Sweeper& sweeper, DrawnSweep& out, std::size_t triangles) {
  std::vector<Interval> box(q.size());
  return braking.box({q, v}, kWholeBraking, box) && sweeper.sweep(box, out, triangles);
}

std::string guard_json(const ShownGuard& guard, const std::string& histogram,
                       const std::string& rows, const std::string& poses) {
  return fmt::format(
      R"({{"name":{},"live":{},"latency":{},"latency_rule":{},"margin":{},"budget":{},"work_bound":{},"cycles":{},)"
      R"("brakes":{},"overruns":{},"histogram":{},)"
      "\n\"rows\":{},\n\"poses\":[{}]}}",
      json_string(guard.name), guard.live, json_number(guard.brake.latency),
      guard.brake.delays ? json_string(latency_rule(*guard.brake.delays)) : "null",
      json_number(guard.options.margin), guard.options.budget, guard.work_bound, guard.cycles,
      guard.brakes, guard.overruns, histogram, rows, poses);
}

std::string guard_document(const World& world, const ShownGuard& guard,
                           const ShownLatencies& latencies, Poser& poser, Sweeper& sweeper) {
  const std::vector<ShownCycle> rows = thinned_rows(guard.rows, kMostRows);
  const Braking braking(world, guard.brake);
  std::string poses;
  PosedWorld posed;
  DrawnSweep sweep;
  const std::set<std::size_t> shown = posed_rows(rows, kMostPoses);
  const std::set<std::size_t> swept = posed_rows(rows, kMostVolumes);
  for (const std::size_t row : shown) {
    if (!poser.pose(rows[row].q, posed)) continue;
    sweep = {};
    if (swept.contains(row)) {
      braking_sweep(braking, rows[row].q, rows[row].v, sweeper, sweep, kTriangles);
    }
    poses += fmt::format(R"({}{{"row":{},"pose":{},"volumes":{}}})", poses.empty() ? "" : ",\n",
                         row, json_of(world, posed), json_of(sweep.volumes));
  }
  return guard_json(guard, latencies.json(), rows_json(rows, poser), poses);
}

}  // namespace keepclear::command
