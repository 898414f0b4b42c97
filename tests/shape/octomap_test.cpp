// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <memory>

#include "shape/point_cloud.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::expect_refused;

const fs::path kCorpus = fs::path(KEEPCLEAR_CORPUS) / "octomap";

/// A tree to write: a leaf, or a node with children where they are not null.
struct Node {
  bool occupied = false;
  std::array<std::unique_ptr<Node>, 8> children;

  bool inner() const {
    for (const auto& child : children) {
      if (child) return true;
    }
    return false;
  }
  std::size_t count() const {
    std::size_t n = 1;
    for (const auto& child : children) n += child ? child->count() : 0;
    return n;
  }
  /// The node of the cell `size` voxels wide that holds the voxel `key`, made where it is missing.
  Node& at(std::array<int, 3> key, int size = 1) {
    Node* node = this;
    for (int half = 1 << 15; half >= size; half /= 2) {
      int i = 0;
      for (int axis = 0; axis < 3; ++axis) i |= (key[axis] & half) != 0 ? 1 << axis : 0;
      if (!node->children[i]) node->children[i] = std::make_unique<Node>();
      node = node->children[i].get();
    }
    return *node;
  }
};

std::string bits(const Node& node) {
  unsigned labels = 0;
  std::string below;
  for (int i = 0; i < 8; ++i) {
    const Node* child = node.children[i].get();
    if (child == nullptr) continue;
    labels |= (child->inner() ? 3U : child->occupied ? 2U : 1U) << (2 * i);
    if (child->inner()) below += bits(*child);
  }
  return std::string{static_cast<char>(labels & 0xFF), static_cast<char>(labels >> 8)} + below;
}

std::string bt(std::size_t nodes, const std::string& data, const std::string& res = "0.1") {
  return "# Octomap OcTree binary file\n# a comment\nid OcTree\nsize " + std::to_string(nodes) +
         "\nres " + res + "\ndata\n" + data;
}

std::string bt(const Node& root, const std::string& res = "0.1") {
  return bt(root.count(), bits(root), res);
}

VoxelMap parse(const std::string& bytes, bool with_unknown = true) {
  return parse_octomap(bytes, "bt", "x", with_unknown);
}

double volume(const std::vector<Voxel>& voxels) {
  double sum = 0;
  for (const Voxel& v : voxels) sum += 8 * v.half * v.half * v.half;
  return sum;
}

TEST(OctomapCorpus, EveryGoodFileGivesTheSameMap) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / "ok")) {
    SCOPED_TRACE(entry.path().string());
    const VoxelMap map = read_octomap(entry.path(), true);
    EXPECT_EQ(map.resolution, 0.5);
    ASSERT_EQ(map.occupied.size(), 1U);
    ASSERT_EQ(map.free.size(), 1U);
    ASSERT_EQ(map.unknown.size(), 2U);
    EXPECT_EQ(map.occupied[0].centre, (Vec3{0.25, 0.25, 0.25}));
    EXPECT_EQ(map.occupied[0].half, 0.25);
    EXPECT_EQ(map.free[0].centre, (Vec3{0.75, 0.75, 0.25}));
    EXPECT_EQ(map.unknown[0].centre, (Vec3{0.75, 0.25, 0.25}));
    EXPECT_EQ(map.unknown[1].centre, (Vec3{0.25, 0.75, 0.25}));
    EXPECT_EQ(map.unknown[1].half, 0.25);
    EXPECT_TRUE(read_octomap(entry.path(), false).unknown.empty());
    ++count;
  }
  EXPECT_GE(count, 8);
}

TEST(OctomapCorpus, EveryBadFileIsRefusedForItsReason) {
  const std::map<std::string, std::string> reasons = {
      {"bits_as_values.ot", ":1: holds a tree of bits, not of values; name it .bt"},
      {"childless.bt", "an inner node without children at byte 138"},
      {"childless_root.bt", "an inner node without children at byte 136"},
      {"cut.bt", "the file ends inside the tree, in the node at byte 167"},
      {"cut.ot", "the file ends inside the tree, in the node at byte 215"},
      {"cut_colour.ot", "the file ends inside the tree, in the node at byte 271"},
      {"empty.bt", "does not begin with '# Octomap OcTree binary file'"},
      {"empty_map.bt", "a map without any cell"},
      {"first_line.bt", ":1: does not begin with '# Octomap OcTree binary file'"},
      {"headerless_cut.bt", ":1: does not begin with '# Octomap OcTree binary file'"},
      {"headerless_res.bt", "the resolution is not from 1e-6 to 10 m"},
      {"keyword.bt", ":7: 'depth' is no entry"},
      {"kind.ot", ":4: trees of the kind 'OcTreeStamped' are not read"},
      {"kind.vdb", "not a kind of voxel map that is read"},
      {"nan.ot", "an occupancy that is not a number at byte 215"},
      {"no_data.bt", "no entry 'data'"},
      {"no_id.bt", "no entry 'id'"},
      {"no_res.bt", "no entry 'res'"},
      {"no_size.bt", "no entry 'size'"},
      {"only_header.ot", "the file ends inside the tree, in the node at byte 130"},
      {"res_comma.bt", ":6: res: '0,5' is not a finite number"},
      {"res_huge.bt", ":6: the resolution is not from 1e-6 to 10 m"},
      {"res_nan.bt", ":6: res: 'nan' is not a finite number"},
      {"res_negative.bt", ":6: the resolution is not from 1e-6 to 10 m"},
      {"res_tiny.bt", ":6: the resolution is not from 1e-6 to 10 m"},
      {"res_zero.bt", ":6: the resolution is not from 1e-6 to 10 m"},
      {"size_huge.bt", "the header announces 18446744073709551615 nodes, the tree has 18"},
      {"size_negative.bt", ":5: size: '-1' is not a count"},
      {"size_too_large.bt", "the header announces 19 nodes, the tree has 18"},
      {"size_too_large.ot", "the header announces 19 nodes, the tree has 18"},
      {"size_too_small.bt", "more than the 17 nodes of the header"},
      {"size_too_small.ot", "more than the 17 nodes of the header"},
      {"too_deep.bt", "a node below the sixteenth level at byte 168"},
      {"too_deep.ot", "a node below the sixteenth level at byte 211"},
      {"trailing.bt", "the tree ends at byte 169, the file at byte 170"},
      {"trailing.ot", "the tree ends at byte 220, the file at byte 221"},
      {"two_res.bt", ":7: a second entry 'res'"},
      {"two_words.bt", ":6: 'res' wants one word"},
      {"values_as_bits.bt", ":1: holds a tree of values, not of bits; name it .ot"},
      {"words_after_data.bt", ":7: words after 'data'"},
  };
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(kCorpus / "reject")) {
    SCOPED_TRACE(entry.path().string());
    const Error error = error_of([&] { read_octomap(entry.path(), true); });
    EXPECT_EQ(error.kind(), Error::Kind::malformed) << error.what();
    EXPECT_EQ(std::string(error.what()).rfind(entry.path().string() + ":", 0), 0U) << error.what();
    const auto reason = reasons.find(entry.path().filename().string());
    ASSERT_NE(reason, reasons.end()) << "no reason is listed";
    EXPECT_NE(std::string(error.what()).find(reason->second), std::string::npos) << error.what();
    ++count;
  }
  EXPECT_EQ(count, reasons.size());
}

TEST(OctomapReader, IsMissingOrNoFileAtAll) {
  EXPECT_EQ(error_of([] { read_octomap(kCorpus / "none.bt", true); }).kind(), Error::Kind::missing);
  EXPECT_EQ(error_of([] { read_octomap(kCorpus, true); }).kind(), Error::Kind::missing);
}

TEST(OctomapReader, GivesAPrunedLeafAsOneVoxelOfItsSize) {
  Node root;
  root.at({32768, 32768, 32768}, 8).occupied = true;
  root.at({32768 - 1, 32768, 32768 - 2}, 2).occupied = false;
  const VoxelMap map = parse(bt(root, "0.25"));
  ASSERT_EQ(map.occupied.size(), 1U);
  EXPECT_EQ(map.occupied[0].centre, (Vec3{1, 1, 1}));
  EXPECT_EQ(map.occupied[0].half, 1);
  ASSERT_EQ(map.free.size(), 1U);
  EXPECT_EQ(map.free[0].centre, (Vec3{-0.25, 0.25, -0.25}));
  EXPECT_EQ(map.free[0].half, 0.25);
}

TEST(OctomapReader, TakesARootThatIsALeafWithValues) {
  const std::string head = "# Octomap OcTree file\nid OcTree\nsize 1\nres 0.5\ndata\n";
  const auto value = std::bit_cast<std::uint32_t>(-1.0F);
  std::string node;
  for (int i = 0; i < 4; ++i) node.push_back(static_cast<char>(value >> (8 * i) & 0xFF));
  const VoxelMap map = parse_octomap(head + node + '\0', "ot", "x", true);
  ASSERT_EQ(map.free.size(), 1U);
  EXPECT_EQ(map.free[0].centre, (Vec3{0, 0, 0}));
  EXPECT_EQ(map.free[0].half, 16384);
  EXPECT_TRUE(map.occupied.empty());
  EXPECT_TRUE(map.unknown.empty());
}

TEST(OctomapReader, BoundsHowFarCornersAreFromThoseOfTheFile) {
  Node root;
  root.at({65535, 0, 40000}).occupied = true;
  const VoxelMap map = parse(bt(root, "0.1"));
  // A tenth is not a double: in exact arithmetic the corner is at 3276.8.
  const long double corner =
      static_cast<long double>(map.occupied[0].centre.x) + map.occupied[0].half;
  EXPECT_LE(std::abs(corner - 3276.8L), map.corner_error);
  EXPECT_GT(map.corner_error, 0);
  EXPECT_LT(map.corner_error, 1e-11);
}

TEST(OctomapReader, ListsUnknownSpaceAsLargeCellsInsideTheBox) {
  // Two voxels at opposite corners of a cube of 64 that the octree has as one cell.
  Node root;
  root.at({32768, 32768, 32768}).occupied = true;
  root.at({32768 + 63, 32768 + 63, 32768 + 63}).occupied = false;
  const VoxelMap map = parse(bt(root, "0.5"));
  // Six of eight children of the cell, then seven of eight on five levels towards each corner.
  EXPECT_EQ(map.unknown.size(), 6U + 2 * 5 * 7);
  EXPECT_EQ(volume(map.unknown), 32.0 * 32 * 32 - 2 * 0.125);
  EXPECT_EQ(map.unknown[6 * 7 - 7].half, 8);
}

TEST(OctomapReader, CutsUnknownSpaceToTheBoxInWholeVoxels) {
  // A box that no level of the octree is aligned with.
  const std::array<int, 3> low{32765, 32700, 32769}, high{32771, 32703, 32780};
  Node root;
  root.at(low).occupied = true;
  root.at(high).occupied = true;
  const VoxelMap map = parse(bt(root, "1"));
  std::map<std::array<int, 3>, int> seen;
  const auto mark = [&](const std::vector<Voxel>& voxels) {
    for (const Voxel& v : voxels) {
      const int size = static_cast<int>(2 * v.half);
      for (int i = 0; i < size * size * size; ++i) {
        const std::array<int, 3> offset{i % size, i / size % size, i / size / size};
        std::array<int, 3> key{};
        for (int axis = 0; axis < 3; ++axis) {
          key[axis] = static_cast<int>(v.centre[axis] - v.half) + 32768 + offset[axis];
          EXPECT_GE(key[axis], low[axis]);
          EXPECT_LE(key[axis], high[axis]);
        }
        ++seen[key];
      }
    }
  };
  mark(map.occupied);
  mark(map.unknown);
  EXPECT_EQ(seen.size(), 7U * 4 * 12);
  for (const auto& [key, times] : seen) EXPECT_EQ(times, 1);
  EXPECT_LT(map.unknown.size(), 7U * 4 * 12 - 2);
}

TEST(OctomapReader, RefusesUnknownSpaceBeyondTheLimit) {
  Node root;
  root.at({1, 1, 1}).occupied = true;
  root.at({65534, 65534, 65534}).occupied = true;
  EXPECT_EQ(parse(bt(root), false).occupied.size(), 2U);
  expect_refused([&] { parse(bt(root)); }, "the unknown space is more than the 10000000 voxels", 0);
}

TEST(OctomapReader, RefusesMoreVoxelsThanTheLimit) {
  // Seven full levels of inner nodes, then leaves only: 8^8 of them.
  std::string data, leaves("\x55\x55", 2);
  const auto fill = [&](const auto& self, int level) -> void {
    if (level == 7) {
      data += leaves;
      return;
    }
    data += "\xFF\xFF";
    for (int i = 0; i < 8; ++i) self(self, level + 1);
  };
  fill(fill, 0);
  const std::size_t nodes = ((std::size_t{1} << 27) - 1) / 7;
  expect_refused([&] { parse(bt(nodes, data), false); },
                 "more than the 10000000 voxels that are allowed", 0);
}

TEST(OctomapReader, RefusesEveryCutOfAFile) {
  Node root;
  for (int i = 0; i < 20; ++i)
    root.at({32768 + 7 * i, 32768 - i, 32768 + i % 3}).occupied = i % 2 == 0;
  const std::string whole = bt(root);
  EXPECT_EQ(parse(whole).occupied.size(), 10U);
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_THROW(parse(whole.substr(0, size)), Error) << size;
  }
}

}  // namespace
}  // namespace keepclear
