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
    for (std::size_t r = 0; r < rows.size(); ++r) ahead_changes[r] = row_change_hi(rows[r]);
    bool proved = true;
    for (std::size_t i = 0; i < kept.used_pairs && proved; ++i) {
      const GuardPair& pair = pairs[i];
      if (!pair.active || bounds[i].excused) continue;
      const double change = ahead_changes[pair.change_a] + ahead_changes[pair.change_b];
      // A bound of slices says nothing of a box.
      if (!bounds[i].fleeting && bounds[i].lower - change > pair.margin + 1e-9) continue;
      GuardBound bound;
      bound.n = bounds[i].n;
      proved = ready(ahead, ahead_box) == Settled::clear &&
               settle_pair(ahead, i, 0, false, false, bound) == Settled::clear;
    }
    for (std::size_t i = 0; i < kept.used_among && proved; ++i) {
      if (!all.bodies[among[i]].active) continue;
      const GuardBound& known = obstacle_bounds[i];
      if (!known.fleeting && known.lower - ahead_changes[among_row[i]] > 1e-9) continue;
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
