// SPDX-License-Identifier: BSD-3-Clause
//
// After construction an octree allocates nothing, whatever happens to it.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "scene/octree.hpp"
#include "support/count_allocations.hpp"

namespace keepclear {
namespace {

TEST(OctreeAllocation, NoneAfterConstruction) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const std::size_t max_entries : {std::size_t{0}, std::size_t{900}}) {
    Octree::Options options;
    options.max_objects = 500;
    options.max_entries = max_entries;
    options.split_at = 3;
    options.merge_at = 2;
    Octree tree(options);
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> at(-2.5, 2.5), edge(0, 0.4), step(-0.05, 0.05);
    int found = 0;

    const std::size_t before = test::allocation_count;
    for (int k = 0; k < 50'000; ++k) {
      const int id = static_cast<int>(random() % 500);
      Box box{{at(random), at(random), at(random)}, {}};
      box.hi = box.lo + Vec3{edge(random), edge(random), edge(random)};
      switch (random() % 8) {
        case 0:
          tree.erase(id);
          break;
        case 1:
          tree.insert(id, box);
          break;
        case 2:
          tree.move(id, box);
          break;
        case 3:
          if (id < 10) tree.move(id, {box.lo, {kInf, kInf, kInf}});
          break;
        default:
          if (tree.contains(id)) {
            const Vec3 d{step(random), step(random), step(random)};
            tree.move(id, {tree.box(id).lo + d, tree.box(id).hi + d});
          }
      }
      tree.visit_partners(id, [&](int) { ++found; });
      tree.visit(box, [&](int) { ++found; });
      tree.visit_nearest(box, kInf, [&](int, double distance_lo) { return distance_lo; });
      if (k % 1000 == 0) tree.shape();
    }
    EXPECT_EQ(test::allocation_count, before);
    // It did all that it can do.
    EXPECT_GT(found, 0);
    const Octree::Counters& counters = tree.counters();
    EXPECT_GT(counters.splits, 0u);
    EXPECT_GT(counters.merges, 0u);
    EXPECT_GT(counters.long_moves, 0u);
    EXPECT_GT(counters.short_moves, 0u);
    EXPECT_GT(counters.inside_moves, 0u);
  }
}

}  // namespace
}  // namespace keepclear
