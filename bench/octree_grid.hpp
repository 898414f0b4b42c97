// SPDX-License-Identifier: BSD-3-Clause
//
// The uniform grid of paper 5 (5.6): G x G x G cells, each with a list of the objects in it, and
// the octree's shortcuts. Cells at the border reach to infinity, so that nothing is outside.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear::bench {

class Grid {
 public:
  struct Options {
    Vec3 centre;
    double size = 4;  ///< edge of the whole, metres
    int cells = 8;    ///< G
    /// Which cells a box is in from its coordinates, as one would do it today; else by way of the
    /// 26 neighbours of the cells it was in, as the paper does.
    bool by_coordinates = false;
    bool inside_test = true, direction_filter = true;  ///< the paper's shortcuts
  };

  Grid(const Options& options, std::span<const Box> boxes);

  void move(int id, const Box& box);

  /// f(other) for every other object whose box overlaps that of `id`, once each.
  template <typename F>
  void visit_partners(int id, F&& f) {
    const auto at = static_cast<std::size_t>(id);
    seen_[at] = ++stamp_;
    for (int cell : locations_[at]) {
      for (int other : lists_[static_cast<std::size_t>(cell)]) {
        const auto o = static_cast<std::size_t>(other);
        if (seen_[o] == stamp_) continue;
        seen_[o] = stamp_;
        if (overlap(boxes_[at], boxes_[o])) f(other);
      }
    }
  }

 private:
  struct Range {
    std::array<int, 3> lo, hi;
    friend bool operator==(const Range&, const Range&) = default;
  };

  Range range_of(const Box& box) const;
  Box cell_box(int cell) const;
  int index(int x, int y, int z) const { return (x * options_.cells + y) * options_.cells + z; }
  void add(int id, int cell);
  void remove(int id, int cell);
  void insert(int id);
  void follow(int id, const Box& old);

  Options options_;
  Vec3 corner_;
  double edge_ = 0;
  std::vector<Box> boxes_;
  std::vector<std::vector<int>> lists_, locations_;
  std::vector<std::uint64_t> seen_, checked_;
  std::uint64_t stamp_ = 0, check_ = 0;
};

}  // namespace keepclear::bench
