// SPDX-License-Identifier: BSD-3-Clause
#include "scene/octree.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>
#include <vector>

#include "keepclear/error.hpp"

namespace keepclear {

struct OctreePeer {
  static void set_stamp(Octree& tree, std::uint32_t stamp) { tree.stamp_ = stamp; }
  static std::uint32_t stamp(const Octree& tree) { return tree.stamp_; }
};

namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

Box cube(double x, double y, double z, double edge) {
  return {{x, y, z}, {x + edge, y + edge, z + edge}};
}

/// A cube from -4 to 4, cells of 0.25 at least.
Octree::Options options(int split_at, std::size_t objects = 200) {
  Octree::Options o;
  o.size = 8;
  o.smallest_cell = 0.25;
  o.split_at = split_at;
  o.merge_at = split_at;
  o.max_objects = objects;
  return o;
}

std::set<int> partners(Octree& tree, int id) {
  std::set<int> found;
  tree.visit_partners(id, [&](int other) { EXPECT_TRUE(found.insert(other).second); });
  return found;
}
std::set<int> visited(const Octree& tree, const Box& box) {
  std::set<int> found;
  tree.visit(box, [&](int other) { EXPECT_TRUE(found.insert(other).second); });
  return found;
}
void expect_valid(const Octree& tree) {
  const char* what = "";
  EXPECT_TRUE(tree.valid(&what)) << what;
}

TEST(Octree, FindsWhatOverlapsAndNothingElse) {
  Octree tree(options(1));
  tree.insert(0, cube(0, 0, 0, 1));
  tree.insert(1, cube(1, 1, 1, 1));  // touches
  tree.insert(2, cube(2.5, 0, 0, 1));
  EXPECT_EQ(partners(tree, 0), (std::set<int>{1}));
  EXPECT_EQ(visited(tree, cube(1.5, 0.5, 0.5, 1)), (std::set<int>{1, 2}));
  tree.erase(1);
  EXPECT_FALSE(tree.contains(1));
  EXPECT_TRUE(tree.contains(2));
  EXPECT_EQ(partners(tree, 0), std::set<int>{});
  expect_valid(tree);
}

TEST(Octree, ShowsTheCellsThatHoldSomething) {
  Octree tree(options(1));
  tree.insert(0, cube(-3, -3, -3, 0.5));
  tree.insert(1, cube(3, 3, 3, 20));  // over the border of the root cube
  std::vector<Box> cells;
  tree.visit_cells([&](const Box& cell) { cells.push_back(cell); });
  for (const Box& cell : cells) {
    EXPECT_TRUE(overlap(cell, tree.box(0)) || overlap(cell, tree.box(1)));
    EXPECT_GE(cell.lo.x, -4);
    EXPECT_LE(cell.hi.x, 4);
  }
  const auto meets = [&](int id) {
    return std::ranges::any_of(cells, [&](const Box& cell) { return overlap(cell, tree.box(id)); });
  };
  EXPECT_TRUE(meets(0));
  EXPECT_TRUE(meets(1));
  EXPECT_LT(cells.size(), tree.shape().leaves);
}

TEST(Octree, ForgivesWhatIsOrIsNotThereAlready) {
  Octree tree(options(1));
  tree.erase(3);
  tree.move(3, cube(0, 0, 0, 1));
  tree.insert(3, cube(2, 2, 2, 1));
  EXPECT_EQ(visited(tree, cube(0, 0, 0, 1)), std::set<int>{});
  EXPECT_EQ(visited(tree, cube(2, 2, 2, 1)), std::set<int>{3});
  tree.erase(3);
  EXPECT_EQ(partners(tree, 3), std::set<int>{});
  expect_valid(tree);
}

TEST(Octree, WithoutOptionsIsEmpty) {
  const Octree tree;
  EXPECT_EQ(visited(tree, cube(0, 0, 0, 1)), std::set<int>{});
  EXPECT_EQ(tree.shape().nodes, 0u);
  expect_valid(tree);
}

TEST(Octree, RefusesARootThatIsNotFinite) {
  for (const double bad : {0.0, -1.0, kInf, std::nan(""), 1e305}) {
    Octree::Options o;
    o.size = bad;
    EXPECT_THROW(Octree{o}, Error) << bad;
  }
  Octree::Options o;
  o.centre.y = std::nan("");
  EXPECT_THROW(Octree{o}, Error);
}

// The corrections of the paper.

TEST(OctreeCorrection, AnObjectThatMovedFartherThanTheSmallestCellIsNotLost) {
  Octree tree(options(1));
  // Small cells where it starts, and an object beyond the neighbours of that cell.
  tree.insert(0, cube(0.05, 0.05, 0.05, 0.1));
  tree.insert(1, cube(0.3, 0.05, 0.05, 0.1));
  tree.insert(2, cube(3.05, 3.05, 3.05, 0.1));
  ASSERT_EQ(tree.shape().depth, 5);
  tree.move(0, cube(3.1, 3.1, 3.1, 0.1));
  EXPECT_EQ(tree.counters().long_moves, 1u);
  EXPECT_EQ(tree.counters().short_moves, 0u);
  EXPECT_EQ(partners(tree, 0), std::set<int>{2});
  EXPECT_EQ(partners(tree, 2), std::set<int>{0});
  expect_valid(tree);
}

TEST(OctreeCorrection, ChildrenOfANeighbourAwayFromTheCommonFaceAreEntered) {
  Octree tree(options(2));
  // Beside the leaf of object 0 is a node as large that is split into small cells; object 3 is in
  // one that is nowhere near the common face x = 0.
  tree.insert(1, cube(3.05, 0.05, 0.05, 0.1));
  tree.insert(2, cube(3.05, 0.3, 0.05, 0.1));
  tree.insert(3, cube(3.05, 0.05, 0.3, 0.1));
  tree.insert(0, cube(-0.7, 0.05, 0.3, 0.5));
  ASSERT_EQ(tree.shape().depth, 5);
  const auto before = tree.counters();
  tree.move(0, cube(2.7, 0.05, 0.3, 0.5));  // by 3.4 of the 4 m of its leaf
  EXPECT_EQ(tree.counters().short_moves, before.short_moves + 1);
  EXPECT_EQ(tree.counters().long_moves, before.long_moves);
  EXPECT_EQ(partners(tree, 0), std::set<int>{3});
  EXPECT_EQ(partners(tree, 3), std::set<int>{0});
  expect_valid(tree);
}

TEST(OctreeCorrection, TheObjectIsInsertedWhereItCollides) {
  Octree tree(options(1));
  tree.insert(0, cube(-0.5, 0.5, 0.5, 0.4));
  tree.insert(1, cube(0.1, 0.5, 0.5, 0.4));
  ASSERT_EQ(tree.shape().depth, 1);
  tree.move(0, cube(-0.2, 0.5, 0.5, 0.4));
  EXPECT_EQ(tree.counters().short_moves, 1u);
  EXPECT_EQ(partners(tree, 0), std::set<int>{1});
  // The other one finds it too, and does so after one more step, now wholly in the new cell.
  EXPECT_EQ(partners(tree, 1), std::set<int>{0});
  tree.move(0, cube(0.2, 0.5, 0.5, 0.4));
  EXPECT_EQ(partners(tree, 1), std::set<int>{0});
  EXPECT_EQ(visited(tree, cube(0.55, 0.6, 0.6, 0.01)), std::set<int>{0});
  expect_valid(tree);
}

// Moves.

TEST(OctreeMoves, InsideOneLeafOnlyTheBoxChanges) {
  Octree tree(options(1));
  tree.insert(0, cube(1, 1, 1, 0.5));
  tree.insert(1, cube(-3, -3, -3, 0.5));
  const auto before = tree.counters();
  tree.move(0, cube(3, 3, 3, 0.5));
  EXPECT_EQ(tree.counters().inside_moves, before.inside_moves + 1);
  EXPECT_EQ(tree.counters().node_tests, before.node_tests + 1);
  EXPECT_EQ(tree.counters().short_moves, 0u);
  EXPECT_EQ(visited(tree, cube(3.2, 3.2, 3.2, 0.1)), std::set<int>{0});
  EXPECT_EQ(visited(tree, cube(1.2, 1.2, 1.2, 0.1)), std::set<int>{});
  // A box that ends on the upper face of the cell is in the next cell as well.
  tree.move(0, {{-1, 1, 1}, {0, 2, 2}});
  EXPECT_EQ(tree.counters().inside_moves, before.inside_moves + 1);
  expect_valid(tree);
}

/// Cells of 1 m everywhere, by eight tiny boxes in each of 512, and object 0 of 0.5 m.
Octree grid_with_one_mover(Vec3 at) {
  Octree::Options o = options(7, 5000);
  o.smallest_cell = 1;
  o.merge_at = 1;
  Octree tree(o);
  int id = 1;
  for (int cell = 0; cell < 512; ++cell) {
    for (int k = 0; k < 8; ++k) {
      const double x = cell % 8 - 4 + 0.001 * k, y = cell / 8 % 8 - 4, z = cell / 64 - 4;
      tree.insert(id++, cube(x + 0.9, y + 0.9, z + 0.9, 0.001));
    }
  }
  EXPECT_EQ(tree.shape().leaves, 512u);
  tree.insert(0, cube(at.x, at.y, at.z, 0.5));
  return tree;
}

TEST(OctreeMoves, NeighboursOnTheOtherSidesAreNotTested) {
  // One face of the box crosses one face of the cell; of 26 neighbours one is tested. The tests:
  // the box in its cell twice (inside? crossed?), the neighbour, and the leaf that is entered; on
  // the way to it, where the neighbour is not a sibling, that of the parent.
  for (const double dx : {0.3, -0.3}) {
    for (const double x : {0.25, 1.25}) {
      Octree tree = grid_with_one_mover({x, 0.25, 0.25});
      const auto before = tree.counters();
      tree.move(0, cube(x + dx, 0.25, 0.25, 0.5));
      EXPECT_EQ(tree.counters().short_moves, before.short_moves + 1);
      const bool sibling = (x < 1) == (dx > 0);
      EXPECT_EQ(tree.counters().node_tests - before.node_tests, sibling ? 4u : 5u);
      expect_valid(tree);
    }
  }
}

TEST(OctreeMoves, ABoxThatCrossesNoFaceTestsNoNeighbour) {
  Octree tree = grid_with_one_mover({0.75, 0.25, 0.25});
  const auto before = tree.counters();
  tree.move(0, cube(0.7, 0.3, 0.2, 0.5));
  EXPECT_EQ(tree.counters().short_moves, before.short_moves + 1);
  EXPECT_EQ(tree.counters().node_tests - before.node_tests, 2u);  // its two cells
  expect_valid(tree);
}

TEST(OctreeMoves, AcrossEveryFaceEdgeAndCornerOfEveryKindOfCell) {
  for (int cell = 0; cell < 8; ++cell) {
    const Vec3 at{cell % 2 + 0.25, cell / 2 % 2 + 0.25, cell / 4 + 0.25};
    Octree tree = grid_with_one_mover(at);
    for (int way = 0; way < 27; ++way) {
      const Vec3 d{way % 3 - 1.0, way / 3 % 3 - 1.0, way / 9 - 1.0};
      const auto before = tree.counters();
      tree.move(0, {at + 0.9 * d, at + 0.9 * d + Vec3{0.5, 0.5, 0.5}});
      EXPECT_EQ(tree.counters().long_moves, before.long_moves);
      expect_valid(tree);
      tree.move(0, {at, at + Vec3{0.5, 0.5, 0.5}});
      expect_valid(tree);
    }
  }
}

TEST(OctreeMoves, ABoxMayGrowOnAllSidesAtOnce) {
  Octree tree = grid_with_one_mover({1.25, 1.25, 1.25});
  const auto before = tree.counters();
  tree.move(0, {{0.3, 0.3, 0.3}, {2.7, 2.7, 2.7}});
  EXPECT_EQ(tree.counters().short_moves, before.short_moves + 1);
  EXPECT_EQ(partners(tree, 0).size(), 8u * 8);
  expect_valid(tree);
  tree.move(0, cube(1.25, 1.25, 1.25, 0.5));
  EXPECT_EQ(tree.shape().entries, 4096u + 1);
  expect_valid(tree);
}

TEST(OctreeMoves, StampsThatWrapAroundAreSetAnew) {
  for (int others = 0; others < 4; ++others) {
    Octree tree = grid_with_one_mover({0.25, 0.25, 0.25});
    // To the next cell and back: that cell keeps a small stamp.
    tree.move(0, cube(0.75, 0.25, 0.25, 0.5));
    tree.move(0, cube(0.25, 0.25, 0.25, 0.5));
    const std::uint32_t left_behind = OctreePeer::stamp(tree);
    OctreePeer::set_stamp(tree, std::numeric_limits<std::uint32_t>::max());
    for (int k = 0; k < others; ++k) tree.move(0, cube(0.25, k % 2 == 0 ? 0.75 : 0.3, 0.25, 0.5));
    tree.move(0, cube(0.75, 0.25, 0.25, 0.5));
    EXPECT_LE(OctreePeer::stamp(tree), left_behind + 3);
    EXPECT_GT(OctreePeer::stamp(tree), 0u);
    expect_valid(tree);
  }
}

// Structure.

TEST(OctreeStructure, SplitsAboveNAndMergesBelow) {
  Octree::Options o = options(4);
  o.merge_at = 2;
  Octree tree(o);
  for (int id = 0; id < 4; ++id) {
    const double x = id % 2 == 0 ? -2 : 1;
    tree.insert(id, cube(x, id < 2 ? -2 : 1, 1, 0.5));
  }
  EXPECT_EQ(tree.shape().leaves, 1u);
  EXPECT_EQ(tree.counters().splits, 0u);
  tree.insert(4, cube(-2, -2, -2, 0.5));
  EXPECT_EQ(tree.shape().leaves, 8u);
  EXPECT_EQ(tree.shape().empty_leaves, 3u);
  EXPECT_EQ(tree.counters().splits, 1u);
  tree.erase(0);
  tree.erase(1);
  EXPECT_EQ(tree.counters().merges, 0u);
  tree.erase(2);
  EXPECT_EQ(tree.counters().merges, 1u);
  EXPECT_EQ(tree.shape().leaves, 1u);
  expect_valid(tree);
}

TEST(OctreeStructure, MergingCountsAnObjectInSeveralLeavesOnce) {
  Octree::Options o = options(2);
  Octree tree(o);
  tree.insert(0, {{-1, 1, 1}, {1, 2, 2}});
  tree.insert(1, {{1, -1, 1}, {2, 1, 2}});
  tree.insert(2, cube(-2, -2, -2, 0.5));
  EXPECT_EQ(tree.shape().leaves, 8u);
  EXPECT_EQ(tree.shape().entries, 5u);
  tree.erase(2);
  EXPECT_EQ(tree.shape().leaves, 1u);
  EXPECT_EQ(tree.shape().entries, 2u);
  expect_valid(tree);
}

TEST(OctreeStructure, MergesAllTheWayUp) {
  Octree tree(options(1));
  tree.insert(0, cube(0.05, 0.05, 0.05, 0.01));
  tree.insert(1, cube(0.3, 0.05, 0.05, 0.01));
  EXPECT_EQ(tree.shape().depth, 5);
  tree.move(1, cube(0.3, 0.05, -3, 0.01));
  EXPECT_EQ(tree.shape().depth, 1);
  tree.erase(1);
  EXPECT_EQ(tree.shape().nodes, 1u);
  EXPECT_EQ(tree.counters().merges, tree.counters().splits);
  expect_valid(tree);
}

TEST(OctreeStructure, NoCellIsSmallerThanTheSmallest) {
  Octree::Options o = options(1);
  o.smallest_cell = 1;
  Octree tree(o);
  for (int id = 0; id < 20; ++id) tree.insert(id, cube(0.1, 0.1, 0.1, 0.01));
  EXPECT_EQ(tree.shape().depth, 3);
  o.smallest_cell = 0;
  Octree deep(o);
  for (int id = 0; id < 20; ++id) deep.insert(id, cube(0.1, 0.1, 0.1, 0));
  EXPECT_EQ(deep.shape().depth, 24);
  o.centre = {1e9, 0, 0};
  Octree far(o);
  for (int id = 0; id < 20; ++id) far.insert(id, cube(1e9, 0, 0, 0));
  EXPECT_EQ(far.shape().depth, 0);
  expect_valid(far);
}

TEST(OctreeStructure, SplitsThatDoNotHelpAreNotMade) {
  const int n = 10'000;
  Octree tree(options(10, n));
  for (int id = 0; id < n; ++id) tree.insert(id, {{-1, -1, -1}, {1, 1, 1}});
  EXPECT_EQ(tree.shape().leaves, 1u);
  EXPECT_EQ(tree.shape().entries, std::size_t{n});
  // Nor are they thought about at every insertion: that would be 10^8 / 2 tests.
  EXPECT_LT(tree.counters().node_tests, 4u * n);
  // Once they have gone apart within the cell it is split after all.
  for (int k = 0; k < 2 * n; ++k) {
    const int id = k % n;
    tree.move(id, cube(id % 100 * 0.07 - 3.5, id / 100 * 0.07 - 3.5, 1, 0.01));
  }
  EXPECT_GT(tree.shape().leaves, 100u);
  expect_valid(tree);
}

// Those that are everywhere.

TEST(OctreeEverywhere, WhatIsInfiniteOrNoBoxIsOnTheList) {
  Octree tree(options(1));
  const double nan = std::nan("");
  tree.insert(0, {{-kInf, -kInf, -kInf}, {kInf, kInf, 0}});
  tree.insert(1, {{nan, 0, 0}, {1, 1, 1}});
  tree.insert(2, {{2, 0, 0}, {1, 1, 1}});
  tree.insert(3, {{-5, -5, -5}, {5, 5, 5}});
  EXPECT_EQ(tree.shape().everywhere, 4u);
  tree.insert(4, cube(1, 1, 1, 1));
  EXPECT_EQ(partners(tree, 4), (std::set<int>{1, 2, 3}));
  EXPECT_EQ(partners(tree, 0), (std::set<int>{1, 2, 3}));
  EXPECT_EQ(partners(tree, 1), (std::set<int>{0, 2, 3, 4}));
  EXPECT_EQ(visited(tree, {{nan, nan, nan}, {nan, nan, nan}}), (std::set<int>{0, 1, 2, 3, 4}));
  tree.move(1, cube(1, 1, -3, 1));
  tree.move(4, {{0, 0, nan}, {1, 1, 1}});
  EXPECT_EQ(partners(tree, 1), (std::set<int>{0, 2, 3, 4}));
  tree.erase(0);
  EXPECT_EQ(tree.shape().everywhere, 3u);
  expect_valid(tree);
}

TEST(OctreeEverywhere, AnObjectInTooManyCellsGoesThereAndComesBack) {
  // 16^3 cells of 0.5 m and then some: a box over nearly all of them.
  Octree::Options o = options(1, 9000);
  o.smallest_cell = 0.125;
  o.max_entries = 100'000;
  o.max_nodes = 100'000;
  Octree tree(o);
  const Box wide{{-3.9, -3.9, -3.9}, {3.9, 3.9, 3.9}};
  tree.insert(0, wide);
  EXPECT_EQ(tree.shape().everywhere, 0u);
  int id = 1;
  for (int k = 0; k < 4096; ++k) {
    const double x = k % 16 * 0.5 - 4, y = k / 16 % 16 * 0.5 - 4, z = k / 256 * 0.5 - 4;
    tree.insert(id++, cube(x + 0.1, y + 0.1, z + 0.1, 0.01));
    tree.insert(id++, cube(x + 0.3, y + 0.3, z + 0.3, 0.01));
  }
  // It was in the cells that were split under it, until they became too many.
  EXPECT_GT(tree.shape().leaves, 4096u);
  EXPECT_EQ(tree.shape().everywhere, 1u);
  expect_valid(tree);
  EXPECT_EQ(partners(tree, 0).size(), 8192u);
  tree.move(0, wide);
  EXPECT_EQ(tree.shape().everywhere, 1u);
  tree.move(0, cube(0, 0, 0, 0.45));
  EXPECT_EQ(tree.shape().everywhere, 0u);
  EXPECT_EQ(partners(tree, 0).size(), 2u);
  tree.move(0, wide);
  EXPECT_EQ(tree.shape().everywhere, 1u);
  EXPECT_EQ(partners(tree, 0).size(), 8192u);
  expect_valid(tree);
}

TEST(OctreeEverywhere, SeveralGoThereFromTheMiddleOfSplits) {
  const int n = 40'000;
  Octree::Options o = options(10, n);
  o.smallest_cell = 0.01;
  Octree tree(o);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(-4, 3.9);
  for (int id = 0; id < n; ++id) {
    const bool wide = id % 12'000 == 5;
    tree.insert(
        id, wide ? cube(-3.9, -3.9, -3.9, 7.7) : cube(any(random), any(random), any(random), 0.01));
  }
  EXPECT_EQ(tree.shape().everywhere, 4u);
  expect_valid(tree);
}

TEST(OctreeEverywhere, TakesThoseForWhichThereAreNoEntries) {
  Octree::Options o = options(2);
  o.max_entries = 5;
  o.max_nodes = 9;
  Octree tree(o);
  for (int id = 0; id < 20; ++id) tree.insert(id, cube(-0.1 * id, -0.1, -0.1, 0.2));
  EXPECT_GE(tree.shape().everywhere, 15u);
  expect_valid(tree);
  for (int id = 0; id < 20; ++id) {
    std::set<int> expected;
    for (int other = 0; other < 20; ++other) {
      if (other != id && overlap(tree.box(id), tree.box(other))) expected.insert(other);
    }
    EXPECT_EQ(partners(tree, id), expected);
  }
  // Once there is room, those that move find it.
  for (int id = 0; id < 17; ++id) tree.erase(id);
  for (int id = 17; id < 20; ++id) tree.move(id, cube(1, 1, 1, 0.1));
  EXPECT_EQ(tree.shape().everywhere, 0u);
  expect_valid(tree);
}

TEST(OctreeEverywhere, StaysShortWhereEntriesAreScarce) {
  // Boxes that are in five cells each if the tree is let; with three entries for each it is
  // coarser.
  const int n = 5'000;
  Octree::Options o = options(10, n);
  o.max_entries = 3 * n;
  o.smallest_cell = 0.01;
  Octree tree(o);
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> any(-4, 4);
  for (int id = 0; id < n; ++id) {
    tree.insert(id, cube(any(random), any(random), any(random), 0.4));
  }
  EXPECT_EQ(tree.shape().everywhere, 0u);
  EXPECT_GT(tree.shape().leaves, 100u);
  expect_valid(tree);
}

TEST(BoxDistance, OfBoxesThatOverlapAreInfiniteOrNone) {
  const Box a = cube(0, 0, 0, 1), b = cube(4, 5, 0, 1);
  EXPECT_EQ(box_distance_lo(a, cube(1, 1, 1, 1)), 0);
  EXPECT_LE(box_distance_lo(a, b), 5);
  EXPECT_GT(box_distance_lo(a, b), 5 - 1e-13);
  const Box floor{{-kInf, -kInf, -kInf}, {kInf, kInf, -2}};
  EXPECT_LE(box_distance_lo(a, floor), 2);
  EXPECT_GT(box_distance_lo(a, floor), 2 - 1e-14);
  EXPECT_EQ(box_distance_lo(floor, floor), 0);
  const Box nowhere{{kInf, 0, 0}, {kInf, 1, 1}};
  EXPECT_EQ(box_distance_lo(nowhere, nowhere), 0);
  EXPECT_GT(box_distance_lo(nowhere, a), 1e100);
  const double most = std::numeric_limits<double>::max();
  EXPECT_GT(box_distance_lo({{most, 0, 0}, {most, 0, 0}}, {{-most, 0, 0}, {-most, 0, 0}}), 1e100);
  EXPECT_EQ(box_distance_lo(a, {{9, std::nan(""), 9}, {10, 10, 10}}), 0);
  EXPECT_EQ(box_distance_lo({{9, 9, 9}, {8, 8, 8}}, a), 0);
}

}  // namespace
}  // namespace keepclear
