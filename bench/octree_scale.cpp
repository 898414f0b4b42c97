// SPDX-License-Identifier: BSD-3-Clause
//
// The same two arms among up to a million boxes: the watch beside FCL and Bullet.
#include <cmath>

#include "bench/octree_bench.hpp"

namespace keepclear::bench {
namespace {

/// What was reached at one size, in the terms of the targets.
struct Reached {
  std::string setting;
  std::size_t objects = 0;
  double period = 0;
  double watch = 0, kinematics = 0;
  double better = 0;  ///< the fastest peer, poses for nothing
  std::string peer;

  double gain() const { return better / watch; }
  double gain_with_kinematics() const { return (better + kinematics) / watch; }
};

Reached judge(const std::string& setting, std::size_t objects, double period,
              const std::vector<Measured>& rows) {
  Reached out{setting, objects, period, 0, 0, 0, ""};
  for (const Measured& row : rows) {
    if (row.name == "watch") {
      out.watch = row.times.mean;
    } else if (row.name == "kinematics") {
      out.kinematics = row.times.mean;
    } else if (out.better == 0 || row.times.mean < out.better) {
      out.better = row.times.mean;
      out.peer = row.name;
    }
  }
  return out;
}

void print_targets(const std::vector<Reached>& all) {
  fmt::print(
      "\nTargets: mean time of the best peer over that of the watch; with the poses for nothing, "
      "and with the benchmark's kinematics added\n{:7} {:>8} {:>8} {:12} {:>7} {:>7}\n",
      "setting", "objects", "period", "best peer", "nothing", "added");
  for (const Reached& r : all) {
    const double goal = r.objects >= 10'000 ? 5 : 1;
    fmt::print("{:7} {:8} {:8} {:12} {:7.2f} {:7.2f}  to reach {}: {}\n", r.setting, r.objects,
               r.period, r.peer, r.gain(), r.gain_with_kinematics(), goal,
               r.gain() >= goal ? "reached" : "missed");
  }
  for (const Reached& small : all) {
    for (const Reached& large : all) {
      if (small.setting != "far" || large.setting != "far" || small.period != large.period ||
          small.objects != 1'000 || large.objects != 1'000'000) {
        continue;
      }
      const double growth = large.watch / small.watch;
      fmt::print(
          "far, period {}: from 1e3 to 1e6 objects {:.2f} times as long, to reach below 2: {}\n",
          small.period, growth, growth < 2 ? "reached" : "missed");
    }
  }
}

std::vector<Motion> scale_motions(Bench& bench) {
  if (bench.options.quick) return {bench.motion};
  std::vector<Motion> motions;
  for (double period : bench.options.periods) {
    motions.push_back(load_motion(bench.cell, period, 1'000'000));
  }
  return motions;
}

}  // namespace

void run_scale(Bench& bench) {
  const std::vector<Motion> motions = scale_motions(bench);
  for (const Motion& motion : motions) {
    bench.report.remark(
        fmt::format("scale: a cycle each {} s, {} cycles", motion.period, motion.count));
  }
  std::vector<ContenderKind> kinds{watch_kind(), kinematics_kind()};
  for (const auto& group : {fcl_kinds(), bullet_kinds()}) {
    kinds.insert(kinds.end(), group.begin(), group.end());
  }
  std::vector<Reached> reached;
  for (const Spread spread : {Spread::far, Spread::spread}) {
    const std::string setting = to_string(spread);
    for (std::size_t size : {std::size_t{35}, std::size_t{1'000}, std::size_t{10'000},
                             std::size_t{100'000}, std::size_t{1'000'000}}) {
      if (size > bench.options.max_objects) continue;
      const Cell cell =
          with_boxes(bench.cell, bench.swept, spread, size - bench.cell.moving.size(), kSeed);
      const auto all = measure(cell, motions, kinds, bench.options.measure);
      for (std::size_t m = 0; m < motions.size(); ++m) {
        const Motion& motion = motions[m];
        const int microseconds = static_cast<int>(std::lround(1e6 * motion.period));
        bench.report.head(fmt::format("Scale, {}, a cycle each {} us", setting, microseconds));
        for (const Measured& row : all[m]) {
          bench.report.row("scale", setting, row, size, microseconds, motion.count);
          if (m == 0) {
            bench.report.figures("scale", setting, row, size, microseconds, motion.count);
          }
        }
        const Reached& last = reached.emplace_back(judge(setting, size, motion.period, all[m]));
        bench.report.figure("scale", setting, "watch", size, microseconds, motion.count,
                            "times_best_peer", last.gain());
        bench.report.figure("scale", setting, "watch", size, microseconds, motion.count,
                            "times_best_peer_with_kinematics", last.gain_with_kinematics());
      }
      bench.report.flush();
    }
  }
  print_targets(reached);
}

}  // namespace keepclear::bench
