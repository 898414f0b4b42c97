// SPDX-License-Identifier: BSD-3-Clause
//
// Keepclear's Watch among the contenders: joint values in, kinematics and error bounds included.
#include <algorithm>
#include <stdexcept>

#include "bench/octree_contender.hpp"
#include "keepclear/watch.hpp"

namespace keepclear::bench {
namespace {

class Watching final : public Contender {
 public:
  Watching(const Cell& cell, double tolerance, bool profile)
      : cell_(cell), world_(compile(cell.scene)), watch_(world_, options(tolerance, profile)) {}

  void cycle(const Instant& now) override { cycle_ = watch_.step(now.q, now.period); }

  void near(std::vector<Pair>& pairs) const override {
    if (cycle_.unlisted > 0) throw std::runtime_error("the watch's list is too short");
    for (const Imminent& imminent : cycle_.imminent) {
      const int a = part_of(imminent.a), b = part_of(imminent.b);
      pairs.push_back({std::min(a, b), std::max(a, b)});
    }
    if (pairs.empty() != (cycle_.verdict == Verdict::free)) {
      throw std::runtime_error("the watch's verdict and its list do not agree");
    }
  }

  Figures figures() const override {
    const WatchCounters& c = watch_.counters();
    const double cycles = static_cast<double>(c.cycles);
    const auto each = [&](std::uint64_t n) { return static_cast<double>(n) / cycles; };
    Figures all{{"lookups_per_cycle", each(c.lookups)},
                {"searches_per_cycle", each(c.searches)},
                {"cycles_between_changes",
                 c.structural_changes == 0 ? cycles : 1 / each(c.structural_changes)}};
    if (c.kinematics > 0) {
      all.emplace_back("kinematics_us", 1e6 * c.kinematics / cycles);
      all.emplace_back("index_us", 1e6 * c.index / cycles);
      all.emplace_back("distances_us", 1e6 * c.distances / cycles);
    }
    return all;
  }

 private:
  static WatchOptions options(double tolerance, bool profile) {
    WatchOptions options;
    options.margin = tolerance;
    options.profile = profile;
    return options;
  }

  int part_of(int solid) const {
    const std::string& name = world_.solids()[static_cast<std::size_t>(solid)].name;
    const auto known = std::find(cell_.names.begin(), cell_.names.end(), name);
    if (known != cell_.names.end()) return static_cast<int>(known - cell_.names.begin());
    return cell_.moving_count() + std::stoi(name.substr(Cell::kAdded.size()));
  }

  const Cell& cell_;
  World world_;
  Watch watch_;
  WatchCycle cycle_;
};

}  // namespace

ContenderKind watch_kind(bool profile) {
  return {"watch", "keepclear::Watch, kinematics and error bounds included",
          [=](const Cell& cell, double tolerance) -> std::unique_ptr<Contender> {
            return std::make_unique<Watching>(cell, tolerance, profile);
          },
          true};
}

}  // namespace keepclear::bench
