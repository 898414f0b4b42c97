// SPDX-License-Identifier: BSD-3-Clause
#include "bench/guard_cost.hpp"
#include "bench/octree_scene.hpp"

namespace keepclear::bench {

ArmsAmongBoxes arms_among(std::size_t objects, double period, std::size_t count) {
  Cell cell = load_cell();
  const Motion fine = load_motion(cell, period, 1'000'000);
  const Swept swept(cell, fine, 0.07);
  const Cell full = with_boxes(cell, swept, Spread::spread, objects, 1);
  ArmsAmongBoxes out{compile(full.scene), {}};
  out.log.dof = fine.dof;
  out.log.period = period;
  out.log.count = std::min(count, fine.count);
  for (std::size_t i = 0; i < out.log.count; ++i) {
    const auto now = fine.row(i);
    const auto next = fine.row(std::min(i + 1, fine.count - 1));
    const auto last = fine.row(i == 0 ? 0 : i - 1);
    bool seam = i == 0;
    for (std::size_t k = 0; k < fine.dof; ++k) {
      // Between two tasks, where the rows leap, the arms stand.
      seam = seam || std::abs(next[k] - now[k]) > 10 * period ||
             std::abs(now[k] - last[k]) > 10 * period;
    }
    for (std::size_t k = 0; k < fine.dof; ++k) {
      out.log.q.push_back(now[k]);
      out.log.v.push_back(seam ? 0 : (next[k] - last[k]) / (2 * period));
      out.log.a.push_back(0);
    }
  }
  return out;
}

}  // namespace keepclear::bench
