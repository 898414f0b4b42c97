// SPDX-License-Identifier: BSD-3-Clause
//
// The graded answer: the largest share of the speed that can be kept for a while, proved like the
// braking motion itself, over a box that is larger by what is driven meanwhile.
#include <algorithm>

#include "guard/guard_impl.hpp"

namespace keepclear {
namespace {

constexpr double kScales[] = {0, 0.25, 0.5, 0.75, 1};
constexpr int kLevels = 4;

}  // namespace

void Guard::Impl::grade() noexcept {
  // One step up a cycle at most: a scale that was not proved lately is seldom proved now.
  const int top = std::min(kLevels, kept.scale_level + 1);
  kept.scale_level = 0;
  for (int level = top; level > 0; --level) {
    std::copy(new_box.begin(), new_box.end(), ahead_box.begin());
    braking.extend(state, kScales[level], options.horizon, ahead_box);
    ahead.clear();
    for (std::size_t i = 0; i < grown.size(); ++i) {
      const double more =
          std::max(new_box[i].lower - ahead_box[i].lower, ahead_box[i].upper - new_box[i].upper);
      grown[i] = more > 0 ? rounding::up(more) : (more <= 0 ? 0.0 : kInfiniteMetres);
    }
    const bool usual = is_usual(ahead_box);
    for (std::size_t r = 0; r < rows.size(); ++r) {
      ahead_changes[r] = usual ? row_change_hi(rows[r]) : kInfiniteMetres;
    }
    // Not a number, of infinities, compares false.
    const auto still_above = [](const GuardBound& bound, double change, double margin) {
      return !bound.fleeting &&
             rounding::down(bound.lower - rounding::up(change)) > margin;  // slices are no box
    };
    bool proved = true;
    for (std::size_t i = 0; i < kept.used_pairs && proved; ++i) {
      const GuardPair& pair = pairs[i];
      if (!pair.active || bounds[i].excused) continue;
      const double change = ahead_changes[pair.change_a] + ahead_changes[pair.change_b];
      if (still_above(bounds[i], change, pair.margin)) continue;
      GuardBound bound;
      bound.n = bounds[i].n;
      proved = ready(ahead, ahead_box) == Settled::clear &&
               settle_pair(ahead, i, 0, false, false, bound) == Settled::clear;
    }
    for (std::size_t i = 0; i < kept.used_among && proved; ++i) {
      if (!all.bodies[among[i]].active) continue;
      if (still_above(obstacle_bounds[i], ahead_changes[among_row[i]], 0)) continue;
      GuardBound bound;
      proved = ready(ahead, ahead_box) == Settled::clear &&
               settle_obstacles(ahead, static_cast<int>(i), 0, false, bound) == Settled::clear;
    }
    if (!proved) continue;
    kept.scale_level = level;
    kept.cycle.scale = kScales[level];
    return;
  }
}

}  // namespace keepclear
