// SPDX-License-Identifier: BSD-3-Clause
//
// The experiments of paper 5, chapter 5, on the built-in cell.
#include <algorithm>

#include "bench/octree_bench.hpp"
#include "bench/octree_paper.hpp"

namespace keepclear::bench {

void run_fig14(Bench& bench) {
  std::vector<int> splits;
  for (int n = 1; n <= 40; n += bench.options.quick && n >= 4 ? 4 : 1) splits.push_back(n);
  std::vector<ContenderKind> kinds;
  for (int n : splits) {
    kinds.push_back(octree_kind(fmt::format("octree_{}", n), {n, std::max(0, 7 * n / 10)}));
  }
  const auto rows = measure(bench.cell, bench.motion, kinds, bench.options.measure);
  bench.report.head("Fig. 14: N of the octree");
  std::size_t best = 0;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bench.report.row("fig14", "cell", rows[i], bench.objects(), splits[i], bench.motion.count);
    bench.report.figures("fig14", "cell", rows[i], bench.objects(), splits[i], bench.motion.count);
    if (rows[i].times.mean < rows[best].times.mean) best = i;
  }
  fmt::print("best N: {}\n", splits[best]);
}

void run_fig15(Bench& bench) {
  bench.report.head("Fig. 15: objects in the immediate surroundings");
  std::vector<std::size_t> sizes{35, 50, 75, 100, 150, 200, 300, 400, 500, 700, 1000};
  if (bench.options.quick) sizes = {35, 200, 1000};
  for (std::size_t size : sizes) {
    const Cell cell =
        with_boxes(bench.cell, bench.swept, Spread::near, size - bench.cell.moving.size(), kSeed);
    const auto rows =
        measure(cell, bench.motion,
                {naive_kind(), octree_kind("octree", {}), grid_kind("grid", {}), watch_kind()},
                bench.options.measure);
    for (const Measured& row : rows) {
      bench.report.row("fig15", "near", row, size, 0, bench.motion.count);
      bench.report.figures("fig15", "near", row, size, 0, bench.motion.count);
    }
  }
}

void run_fig16(Bench& bench) {
  std::vector<ContenderKind> kinds{octree_kind("octree", {}), naive_kind(), watch_kind()};
  std::vector<int> sizes{0, 0, 0};
  for (int g = 2; g <= 20; g += bench.options.quick ? 6 : 1) {
    kinds.push_back(grid_kind("grid", {g}));
    kinds.push_back(grid_kind("grid_by_coordinates", {g, true}));
    sizes.insert(sizes.end(), {g, g});
  }
  const auto rows = measure(bench.cell, bench.motion, kinds, bench.options.measure);
  bench.report.head("Fig. 16: cells along an edge of the grid (G = 2 upwards, two ways each)");
  for (std::size_t i = 0; i < rows.size(); ++i) {
    bench.report.row("fig16", "cell", rows[i], bench.objects(), sizes[i], bench.motion.count);
  }
}

void run_phases(Bench& bench) {
  const PaperOptions profile{true, true};
  const auto rows =
      measure(bench.cell, bench.motion,
              {octree_kind("octree", {}, profile), octree_kind("octree_merge_at_N", {10, 10}),
               naive_kind(true, profile), watch_kind(true)},
              bench.options.measure);
  bench.report.head("Phases and structure (the clock readings are part of these times)");
  for (const Measured& row : rows) {
    bench.report.row("phases", "cell", row, bench.objects(), 10, bench.motion.count);
    bench.report.figures("phases", "cell", row, bench.objects(), 10, bench.motion.count);
  }
  for (const Measured& row : rows) {
    double sum = 0;
    for (const auto& [name, value] : row.figures) sum += name.ends_with("_us") ? value : 0;
    fmt::print("\n{}\n", row.name);
    for (const auto& [name, value] : row.figures) {
      if (name.ends_with("_us")) {
        fmt::print("  {:24} {:10.3f} {:5.1f} %\n", name, value, 100 * value / sum);
      } else {
        fmt::print("  {:24} {:10.3f}\n", name, value);
      }
    }
  }
}

void run_shortcuts(Bench& bench) {
  using Update = OctreeChoice::Update;
  PaperOptions twice;
  twice.pairs_once = false;
  const auto rows =
      measure(bench.cell, bench.motion,
              {octree_kind("octree", {}), octree_kind("octree_reinsert", {10, 7, Update::reinsert}),
               octree_kind("octree_rebuild", {10, 7, Update::rebuild}),
               octree_kind("octree_twice", {}, twice), naive_kind(), naive_kind(false),
               grid_kind("grid", {}), grid_kind("grid_no_inside", {8, false, false, true}),
               grid_kind("grid_no_direction", {8, false, true, false}),
               grid_kind("grid_neither", {8, false, false, false})},
              bench.options.measure);
  bench.report.head("Shortcuts, left out one at a time");
  for (const Measured& row : rows) {
    bench.report.row("shortcuts", "cell", row, bench.objects(), 0, bench.motion.count);
  }
}

}  // namespace keepclear::bench
