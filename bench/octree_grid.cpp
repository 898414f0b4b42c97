// SPDX-License-Identifier: BSD-3-Clause
#include "bench/octree_grid.hpp"

#include <algorithm>
#include <cmath>

namespace keepclear::bench {

Grid::Grid(const Options& options, std::span<const Box> boxes)
    : options_(options),
      edge_(options.size / options.cells),
      boxes_(boxes.begin(), boxes.end()),
      locations_(boxes.size()),
      seen_(boxes.size(), 0) {
  const double half = 0.5 * options.size;
  corner_ = options.centre - Vec3{half, half, half};
  const auto cells = static_cast<std::size_t>(options.cells);
  lists_.resize(cells * cells * cells);
  checked_.assign(lists_.size(), 0);
  for (std::size_t i = 0; i < boxes.size(); ++i) insert(static_cast<int>(i));
}

Grid::Range Grid::range_of(const Box& box) const {
  Range range;
  for (int axis = 0; axis < 3; ++axis) {
    const auto cell = [&](double at) {
      return static_cast<int>(
          std::clamp(std::floor((at - corner_[axis]) / edge_), 0.0, options_.cells - 1.0));
    };
    range.lo[static_cast<std::size_t>(axis)] = cell(box.lo[axis]);
    range.hi[static_cast<std::size_t>(axis)] = cell(box.hi[axis]);
  }
  return range;
}

Box Grid::cell_box(int cell) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const int n = options_.cells;
  const int at[3] = {cell / (n * n), cell / n % n, cell % n};
  double lo[3], hi[3];
  for (int axis = 0; axis < 3; ++axis) {
    lo[axis] = at[axis] == 0 ? -kInfinity : corner_[axis] + at[axis] * edge_;
    hi[axis] = at[axis] == n - 1 ? kInfinity : corner_[axis] + (at[axis] + 1) * edge_;
  }
  return {{lo[0], lo[1], lo[2]}, {hi[0], hi[1], hi[2]}};
}

void Grid::add(int id, int cell) {
  lists_[static_cast<std::size_t>(cell)].push_back(id);
  locations_[static_cast<std::size_t>(id)].push_back(cell);
}

void Grid::remove(int id, int cell) {
  const auto drop = [](std::vector<int>& list, int value) {
    *std::find(list.begin(), list.end(), value) = list.back();
    list.pop_back();
  };
  drop(lists_[static_cast<std::size_t>(cell)], id);
  drop(locations_[static_cast<std::size_t>(id)], cell);
}

void Grid::insert(int id) {
  const Range range = range_of(boxes_[static_cast<std::size_t>(id)]);
  for (int x = range.lo[0]; x <= range.hi[0]; ++x) {
    for (int y = range.lo[1]; y <= range.hi[1]; ++y) {
      for (int z = range.lo[2]; z <= range.hi[2]; ++z) add(id, index(x, y, z));
    }
  }
}

void Grid::move(int id, const Box& box) {
  const auto at = static_cast<std::size_t>(id);
  const Box old = boxes_[at];
  boxes_[at] = box;
  bool anew = false;
  if (options_.by_coordinates) {
    if (range_of(old) == range_of(box)) return;
    anew = true;
  } else {
    // Beyond the neighbours: put in from scratch.
    for (int axis = 0; axis < 3; ++axis) {
      anew = anew || std::abs(box.lo[axis] - old.lo[axis]) >= edge_ ||
             std::abs(box.hi[axis] - old.hi[axis]) >= edge_;
    }
  }
  if (anew) {
    while (!locations_[at].empty()) remove(id, locations_[at].back());
    insert(id);
  } else {
    follow(id, old);
  }
}

void Grid::follow(int id, const Box& old) {
  const auto at = static_cast<std::size_t>(id);
  const Box& box = boxes_[at];
  const int n = options_.cells;
  ++check_;
  const std::size_t before = locations_[at].size();
  for (int cell : locations_[at]) checked_[static_cast<std::size_t>(cell)] = check_;
  int from[3], to[3];  // offsets of the neighbours that lie where the box went
  for (int axis = 0; axis < 3; ++axis) {
    from[axis] = !options_.direction_filter || box.lo[axis] < old.lo[axis] ? -1 : 0;
    to[axis] = !options_.direction_filter || box.hi[axis] > old.hi[axis] ? 1 : 0;
  }
  for (std::size_t k = 0; k < before; ++k) {
    const int cell = locations_[at][k];
    if (options_.inside_test) {
      const Box here = cell_box(cell);
      if (box.lo.x > here.lo.x && box.lo.y > here.lo.y && box.lo.z > here.lo.z &&
          box.hi.x < here.hi.x && box.hi.y < here.hi.y && box.hi.z < here.hi.z) {
        continue;
      }
    }
    const int x = cell / (n * n), y = cell / n % n, z = cell % n;
    for (int i = std::max(x + from[0], 0); i <= std::min(x + to[0], n - 1); ++i) {
      for (int j = std::max(y + from[1], 0); j <= std::min(y + to[1], n - 1); ++j) {
        for (int l = std::max(z + from[2], 0); l <= std::min(z + to[2], n - 1); ++l) {
          const int neighbour = index(i, j, l);
          if (checked_[static_cast<std::size_t>(neighbour)] == check_) continue;
          checked_[static_cast<std::size_t>(neighbour)] = check_;
          if (overlap(box, cell_box(neighbour))) add(id, neighbour);
        }
      }
    }
  }
  for (std::size_t k = before; k-- > 0;) {
    const int cell = locations_[at][k];
    if (!overlap(box, cell_box(cell))) remove(id, cell);
  }
}

}  // namespace keepclear::bench
