// SPDX-License-Identifier: BSD-3-Clause
//
// Random maps written by OctoMap itself: what we read is what its own search says, voxel by voxel.
#include <gtest/gtest.h>

// OctoMap's headers write about every file otherwise.
#define OCTOMAP_NODEBUGOUT
#include <octomap/ColorOcTree.h>
#include <octomap/OcTree.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <random>

#include "shape/point_cloud.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

/// A folder that is gone when the test ends.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "keepclear_octomap_XXXXXX").string();
    path_ = ::mkdtemp(name.data());
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

enum State : char { outside, unknown, free_cell, occupied };

/// A box of voxels by OctoMap's keys, from `low` to before `high`.
struct Grid {
  std::array<int, 3> low{}, high{};
  std::vector<char> states;

  Grid(std::array<int, 3> from, std::array<int, 3> to) : low(from), high(to) {
    states.assign(length(0) * length(1) * length(2), outside);
  }
  std::size_t length(int axis) const { return static_cast<std::size_t>(high[axis] - low[axis]); }
  char& at(int x, int y, int z) {
    const auto i = static_cast<std::size_t>(x - low[0]), j = static_cast<std::size_t>(y - low[1]);
    const auto k = static_cast<std::size_t>(z - low[2]);
    return states[(k * length(1) + j) * length(0) + i];
  }
};

/// Ours into a grid; fails where voxels overlap, leave the grid or are off the raster.
void fill(Grid& grid, const std::vector<Voxel>& voxels, double resolution, State state) {
  for (const Voxel& v : voxels) {
    std::array<int, 3> from{}, to{};
    for (int axis = 0; axis < 3; ++axis) {
      const double low = (v.centre[axis] - v.half) / resolution;
      const double high = (v.centre[axis] + v.half) / resolution;
      ASSERT_NEAR(low, std::round(low), 1e-6);
      ASSERT_NEAR(high, std::round(high), 1e-6);
      from[axis] = static_cast<int>(std::lround(low)) + 32768;
      to[axis] = static_cast<int>(std::lround(high)) + 32768;
      ASSERT_LT(from[axis], to[axis]);
      ASSERT_GE(from[axis], grid.low[axis]);
      ASSERT_LE(to[axis], grid.high[axis]);
    }
    for (int z = from[2]; z < to[2]; ++z) {
      for (int y = from[1]; y < to[1]; ++y) {
        for (int x = from[0]; x < to[0]; ++x) {
          ASSERT_EQ(grid.at(x, y, z), outside) << "two voxels overlap";
          grid.at(x, y, z) = state;
        }
      }
    }
  }
}

/// The box of all leaves as keys, by OctoMap's own iterator.
template <typename Tree>
void box_of(const Tree& tree, std::array<int, 3>& low, std::array<int, 3>& high) {
  low = {65536, 65536, 65536};
  high = {0, 0, 0};
  for (auto it = tree.begin_leafs(); it != tree.end_leafs(); ++it) {
    const octomap::OcTreeKey first = it.getIndexKey();
    const int size = 1 << (16 - it.getDepth());
    for (int axis = 0; axis < 3; ++axis) {
      low[axis] = std::min(low[axis], static_cast<int>(first[axis]));
      high[axis] = std::max(high[axis], static_cast<int>(first[axis]) + size);
    }
  }
}

template <typename Tree>
void expect_same(const Tree& tree, const fs::path& file) {
  SCOPED_TRACE(file.string());
  const VoxelMap map = read_octomap(file, true);
  EXPECT_NEAR(map.resolution, tree.getResolution(), 1e-12);
  EXPECT_EQ(map.unknown.capacity(), map.unknown.size()) << "not as many as were counted";
  std::array<int, 3> low{}, high{};
  box_of(tree, low, high);
  Grid grid(low, high);
  ASSERT_NO_FATAL_FAILURE(fill(grid, map.occupied, map.resolution, occupied));
  ASSERT_NO_FATAL_FAILURE(fill(grid, map.free, map.resolution, free_cell));
  ASSERT_NO_FATAL_FAILURE(fill(grid, map.unknown, map.resolution, unknown));
  std::size_t wrong = 0;
  std::array<std::size_t, 4> counts{};
  for (int z = low[2]; z < high[2]; ++z) {
    for (int y = low[1]; y < high[1]; ++y) {
      for (int x = low[0]; x < high[0]; ++x) {
        const auto* node = tree.search(octomap::OcTreeKey(static_cast<std::uint16_t>(x),
                                                          static_cast<std::uint16_t>(y),
                                                          static_cast<std::uint16_t>(z)));
        const State expected = node == nullptr             ? unknown
                               : tree.isNodeOccupied(node) ? occupied
                                                           : free_cell;
        if (grid.at(x, y, z) != expected) ++wrong;
        ++counts[expected];
      }
    }
  }
  EXPECT_EQ(wrong, 0U);
  EXPECT_GT(counts[unknown], 0U);
  EXPECT_GT(counts[free_cell], 0U);
  EXPECT_GT(counts[occupied], 0U);
}

/// Scattered voxels, blocks that can be pruned, and values on and about the threshold, in a box of
/// at most 48 voxels an edge anywhere in the map.
template <typename Tree>
void scatter(Tree& tree, std::mt19937_64& random) {
  const auto number = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  std::array<int, 3> origin{};
  for (int& o : origin) {
    o = number(0, 2) == 0 ? number(0, 65536 - 48) : 32768 + number(-40, 0);
  }
  const auto key_at = [&](std::array<int, 3> offset) {
    octomap::OcTreeKey key;
    for (int axis = 0; axis < 3; ++axis) {
      key[axis] = static_cast<std::uint16_t>(origin[axis] + offset[axis]);
    }
    return key;
  };
  const std::array<float, 7> values = {0.0F, -0.0F, 1e-6F, -1e-6F, 3.5F, -2.0F, 0.85F};
  for (int block = number(0, 6); block > 0; --block) {
    const int size = number(1, 20);
    const std::array<int, 3> corner{number(0, 48 - size), number(0, 48 - size),
                                    number(0, 48 - size)};
    const float value = values[number(0, 6)];
    for (int z = 0; z < size; ++z) {
      for (int y = 0; y < size; ++y) {
        for (int x = 0; x < size; ++x) {
          tree.setNodeValue(key_at({corner[0] + x, corner[1] + y, corner[2] + z}), value);
        }
      }
    }
  }
  for (int i = number(1, 200); i > 0; --i) {
    const auto key = key_at({number(0, 47), number(0, 47), number(0, 47)});
    tree.updateNode(key, number(0, 1) == 0);
  }
  tree.setNodeValue(key_at({0, 1, 2}), 1.0F);
  tree.setNodeValue(key_at({3, 2, 1}), -1.0F);
}

template <typename Tree>
void run(std::uint64_t seed, int rounds) {
  const Folder folder;
  std::mt19937_64 random(seed);
  for (int round = 0; round < rounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    const std::array<double, 4> resolutions = {0.05, 0.1, 0.25, 0.013};
    Tree tree(resolutions[round % 4]);
    scatter(tree, random);
    const auto write_both = [&](const std::string& name) {
      ASSERT_TRUE(tree.write((folder / (name + ".ot")).string()));
      ASSERT_TRUE(tree.writeBinaryConst((folder / (name + ".bt")).string()));
      expect_same(tree, folder / (name + ".ot"));
      expect_same(tree, folder / (name + ".bt"));
    };
    write_both("as_it_is");
    tree.expand();
    write_both("expanded");
    tree.updateInnerOccupancy();
    tree.prune();
    write_both("pruned");
    // Writes the likeliest state, pruned; the tree is then that.
    ASSERT_TRUE(tree.writeBinary((folder / "likeliest.bt").string()));
    expect_same(tree, folder / "likeliest.bt");
  }
}

TEST(OctomapOracle, MapsReadAsOctoMapReadsThem) {
  run<octomap::OcTree>(1, 20);
}

TEST(OctomapOracle, ColouredMapsReadAsOctoMapReadsThem) {
  run<octomap::ColorOcTree>(2, 8);
}

TEST(OctomapOracle, VoxelsAreWhereOctoMapPutsThem) {
  const Folder folder;
  octomap::OcTree tree(0.05);
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> coordinate(-1500, 1500);
  std::vector<octomap::point3d> points;
  for (int i = 0; i < 500; ++i) {
    points.emplace_back(static_cast<float>(coordinate(random)),
                        static_cast<float>(coordinate(random)),
                        static_cast<float>(coordinate(random)));
    tree.updateNode(points.back(), true);
  }
  ASSERT_TRUE(tree.writeBinary((folder / "far.bt").string()));
  const VoxelMap map = read_octomap(folder / "far.bt", false);
  EXPECT_EQ(map.occupied.size(), tree.getNumLeafNodes());
  for (const octomap::point3d& p : points) {
    const octomap::point3d centre = tree.keyToCoord(tree.coordToKey(p));
    const bool found = std::any_of(map.occupied.begin(), map.occupied.end(), [&](const Voxel& v) {
      // OctoMap's own centres are float32.
      return std::abs(v.centre.x - centre.x()) < 2e-4 && std::abs(v.centre.y - centre.y()) < 2e-4 &&
             std::abs(v.centre.z - centre.z()) < 2e-4;
    });
    EXPECT_TRUE(found) << p;
  }
}

/// The leaf that OctoMap's reader makes of its own file is the voxel that ours makes.
TEST(OctomapOracle, LeavesAreTheSameInNumberAndSize) {
  const Folder folder;
  std::mt19937_64 random(4);
  for (int round = 0; round < 10; ++round) {
    octomap::OcTree tree(0.1);
    scatter(tree, random);
    ASSERT_TRUE(tree.writeBinary((folder / "map.bt").string()));
    octomap::OcTree again(0.1);
    ASSERT_TRUE(again.readBinary((folder / "map.bt").string()));
    const VoxelMap map = read_octomap(folder / "map.bt", false);
    std::array<std::vector<double>, 2> theirs, ours;
    for (auto it = again.begin_leafs(); it != again.end_leafs(); ++it) {
      theirs[again.isNodeOccupied(*it) ? 1 : 0].push_back(it.getSize() / 2);
    }
    for (const Voxel& v : map.free) ours[0].push_back(v.half);
    for (const Voxel& v : map.occupied) ours[1].push_back(v.half);
    for (int k = 0; k < 2; ++k) {
      std::sort(theirs[k].begin(), theirs[k].end());
      std::sort(ours[k].begin(), ours[k].end());
      ASSERT_EQ(ours[k].size(), theirs[k].size());
      for (std::size_t i = 0; i < ours[k].size(); ++i) EXPECT_NEAR(ours[k][i], theirs[k][i], 1e-9);
    }
  }
}

}  // namespace
}  // namespace keepclear
