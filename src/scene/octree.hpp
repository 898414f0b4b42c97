// SPDX-License-Identifier: BSD-3-Clause
//
// The N-Objects octree (paper 5, 3.3, 4.2, 4.3, corrected): which boxes are near which. A leaf that
// would hold more than N objects is split, eight leaves that together hold few are merged, and an
// object that moves a little is followed from the cells it was in to their neighbours.
//
// It compares coordinates and computes none, so nothing rounds. Cells are half open (lo <= p < hi)
// and those at the border of the root reach to infinity: every point of space is in exactly one
// leaf, and an object is in every leaf that its closed box meets. Two boxes that overlap therefore
// share a leaf, wherever they are.
//
// All memory is taken at construction. Where a pool is spent the tree gets coarser, never wrong: a
// leaf is not split when there are no nodes left, and an object for which there are no entries left
// is put on the list of those that are everywhere. docs/theory/octree.md has the proofs.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "keepclear/geometry.hpp"
#include "rounding/rounding.hpp"
#include "shape/aligned.hpp"

namespace keepclear {

/// At most the real distance of two boxes, metres; zero when they overlap, when one is no box (a
/// NaN, lo > hi), and never NaN.
double box_distance_lo(const Box& a, const Box& b) noexcept;

class Octree {
 public:
  struct Options {
    Vec3 centre{};      ///< of the root cube
    double size = 4;    ///< its edge, metres; finite, positive
    int split_at = 10;  ///< N: a leaf with more objects than this is split
    /// Eight leaves that hold no more distinct objects than this become one. Below N, so that one
    /// object that goes to and fro over a border does not split and merge in turn; the paper has N.
    int merge_at = 7;
    /// Metres: no cell is smaller. The paper's rule is the greatest move in a cycle.
    double smallest_cell = 0.02;
    std::size_t max_objects = 0;  ///< ids are below this
    /// Pools; 0 lets the tree choose from max_objects.
    std::size_t max_nodes = 0, max_entries = 0;
  };

  /// Counted since construction.
  struct Counters {
    std::uint64_t splits = 0, merges = 0;
    std::uint64_t insertions = 0;    ///< from the root, those after long moves included
    std::uint64_t long_moves = 0;    ///< farther than a cell the object was in
    std::uint64_t short_moves = 0;   ///< followed by neighbour finding
    std::uint64_t inside_moves = 0;  ///< that ended at the box-inside-node test
    std::uint64_t node_tests = 0;    ///< box against cell
  };
  struct Shape {
    std::size_t nodes = 0, leaves = 0, empty_leaves = 0, entries = 0, everywhere = 0;
    int depth = 0;
    std::size_t bytes = 0;
  };

  /// An object that would be in more cells than this is put on the list of those that are
  /// everywhere: a box against every query then costs less than that many entries in cells.
  static constexpr int kMostCells = 4096;
  /// Cells are at least 2^-24 of the root, and of its distance from the origin, so that the planes
  /// between them, which are rounded, stay apart.
  static constexpr int kMostLevels = 24;

  Octree() = default;
  /// Throws keepclear::Error (usage) for a root cube that is not finite, or more objects than fit.
  explicit Octree(const Options& options);

  /// `id` is below max_objects; if it is in the tree already it is moved. A box with lo > hi or a
  /// NaN anywhere is taken as one that is everywhere, and `box` is then the whole of space.
  void insert(int id, const Box& box) noexcept;
  /// Nothing happens if it is not in the tree.
  void erase(int id) noexcept;
  /// The object is now at `box`. Any distance is fine. Inserts it if it is not in the tree.
  void move(int id, const Box& box) noexcept;

  bool contains(int id) const noexcept { return objects_[id].at != kAbsent; }
  const Box& box(int id) const noexcept { return objects_[id].box; }
  const Options& options() const noexcept { return options_; }
  const Counters& counters() const noexcept { return counters_; }
  Shape shape() const noexcept;

  /// f(id) for every object whose box overlaps `box`, once each. A box with lo > hi or a NaN
  /// overlaps all. f may not change the tree; nor may those of the other visits.
  template <typename F>
  void visit(const Box& box, F&& f) const;

  /// f(other) for every other object whose box overlaps that of `id`, once each, by way of the
  /// location links: no descent from the root.
  template <typename F>
  void visit_partners(int id, F&& f) const;

  /// f(id, distance_lo) for every object whose box is nearer to `box` than `reach` (metres), near
  /// cells first; f returns the reach from then on (no larger than before). An object that lies in
  /// several cells may be offered more than once.
  template <typename F>
  void visit_nearest(const Box& box, double reach, F&& f) const {
    visit_nearest(box, reach, f, [](int) { return true; });
  }
  /// The same, asking charge(n) before every n distances of boxes or cells: it ends when that is
  /// false. For those who count their work.
  template <typename F, typename Charge>
  void visit_nearest(const Box& box, double reach, F&& f, Charge&& charge) const;
  /// f(cell) for every leaf that holds objects; cells at the border end where the root cube does.
  /// For pictures.
  template <typename F>
  void visit_cells(F&& f) const {
    if (!nodes_.empty()) visit_cells_below(0, f);
  }
  /// The memory that a search reads, for checksums.
  std::array<std::span<const std::byte>, 4> memory() const noexcept {
    return {std::as_bytes(std::span(nodes_)), std::as_bytes(std::span(objects_)),
            std::as_bytes(std::span(entries_)), std::as_bytes(std::span(everywhere_))};
  }

  /// What must hold between calls: for the tests. False names the fault in `what`.
  bool valid(const char** what) const;

 private:
  friend struct OctreePeer;  // the tests: stamps near their end

  static constexpr std::int32_t kNone = -1;
  // Object::at, where it is not the place in everywhere_.
  static constexpr std::int32_t kInCells = -1, kAbsent = -2;
  // Node::count of a node that is split.
  static constexpr std::int32_t kInner = -1;

  /// What a descent reads: half a cache line. Node 0 is the root; the eight children of a node are
  /// 1 + 8 g + k, where bit a of k says that the child is on the upper side of axis a.
  struct Node {
    Vec3 centre;  ///< where it is split
    /// The first child, or the first entry of a leaf, or the next free group.
    std::int32_t link = kNone;
    std::int32_t count = 0;  ///< objects in a leaf, or kInner
  };
  /// What an update needs besides: a cache line.
  struct Cell {
    Box bounds;  ///< lo <= p < hi; infinite at the border
    std::int32_t parent = kNone;
    std::uint32_t stamp = 0;    ///< of the last move that came by
    std::int32_t retry_at = 0;  ///< a split was refused: not before there are that many objects
    std::int32_t level = 0;
  };
  /// One object in one leaf.
  struct Entry {
    std::int32_t object, node;
    std::int32_t next, previous;              ///< in the leaf
    std::int32_t next_place, previous_place;  ///< of the object: the location links (4.2)
  };
  struct Object {
    Box box;
    std::int32_t first = kNone;  ///< entry
    std::int32_t entries = 0;
    std::int32_t at = kAbsent;
    std::uint32_t stamp = 0;  ///< of the last count of distinct objects
  };

  static bool is_box(const Box& b) noexcept {
    return b.lo.x <= b.hi.x && b.lo.y <= b.hi.y && b.lo.z <= b.hi.z;
  }
  static constexpr Box all_space() noexcept {
    constexpr double kInf = std::numeric_limits<double>::infinity();
    return {{-kInf, -kInf, -kInf}, {kInf, kInf, kInf}};
  }
  static bool meets(const Box& cell, const Box& b) noexcept {
    return (b.lo.x < cell.hi.x) & (b.hi.x >= cell.lo.x) & (b.lo.y < cell.hi.y) &
           (b.hi.y >= cell.lo.y) & (b.lo.z < cell.hi.z) & (b.hi.z >= cell.lo.z);
  }
  static bool is_inside(const Box& cell, const Box& b) noexcept {
    return (b.lo.x >= cell.lo.x) & (b.hi.x < cell.hi.x) & (b.lo.y >= cell.lo.y) &
           (b.hi.y < cell.hi.y) & (b.lo.z >= cell.lo.z) & (b.hi.z < cell.hi.z);
  }
  /// Two boxes that overlap in several leaves are reported in one: the leaf of the lower corner of
  /// what they have in common.
  static bool is_reported_in(const Box& cell, const Box& a, const Box& b) noexcept {
    const Vec3 p{std::max(a.lo.x, b.lo.x), std::max(a.lo.y, b.lo.y), std::max(a.lo.z, b.lo.z)};
    return is_inside(cell, {p, p});
  }
  /// The children that a box meets which meets the node: bit k is child k. Never none.
  static unsigned children_met(Vec3 centre, const Box& b) noexcept {
    return ((b.lo.x < centre.x ? 0x55u : 0u) | (b.hi.x >= centre.x ? 0xaau : 0u)) &
           ((b.lo.y < centre.y ? 0x33u : 0u) | (b.hi.y >= centre.y ? 0xccu : 0u)) &
           ((b.lo.z < centre.z ? 0x0fu : 0u) | (b.hi.z >= centre.z ? 0xf0u : 0u));
  }
  static unsigned child_number(std::int32_t node) noexcept { return (node - 1) & 7; }

  bool belongs_everywhere(const Box& box) const noexcept;
  std::uint32_t next_stamp() noexcept;
  int cells_met(std::int32_t node, const Box& box, int limit) const noexcept;

  std::int32_t take_entry(std::int32_t object, std::int32_t node) noexcept;
  void link_to_leaf(std::int32_t entry, std::int32_t node) noexcept;
  void unlink_from_leaf(std::int32_t entry) noexcept;
  void unlink_from_object(std::int32_t entry) noexcept;
  void free_entry(std::int32_t entry) noexcept;

  void put_everywhere(std::int32_t id) noexcept;
  void take_from_everywhere(std::int32_t id) noexcept;
  void evict(std::int32_t id) noexcept;
  void insert_from_root(std::int32_t id) noexcept;
  template <bool kMayBeThere>
  bool enter(std::int32_t node, std::int32_t id) noexcept;
  void leave_cells(std::int32_t id, bool all) noexcept;
  void follow(std::int32_t id, std::int32_t leaf, const Box& before) noexcept;
  std::int32_t neighbour(std::int32_t node, unsigned axes, unsigned upper) const noexcept;

  void split(std::int32_t leaf) noexcept;
  void reconsider(std::int32_t leaf) noexcept;
  void merge_from(std::int32_t node) noexcept;
  void measure(std::int32_t node, int level, Shape& shape) const noexcept;
  const char* fault_below(std::int32_t node, std::vector<int>& seen, std::size_t& nodes) const;

  template <typename F>
  void visit_below(std::int32_t node, const Box& box, F& f) const;
  template <typename F>
  void visit_cells_below(std::int32_t node, F& f) const;
  template <typename F, typename Charge>
  void visit_nearest_below(std::int32_t node, Vec3 gap_lo, const Box& box, double& reach, F& f,
                           Charge& charge) const;

  Options options_;
  Counters counters_;
  std::array<double, kMostLevels + 1> cell_size_{};  ///< nominal, by level
  int max_level_ = 0;
  Box root_cube_{};
  std::uint32_t stamp_ = 0;
  std::vector<Node, CacheLineAllocator<Node>> nodes_;
  std::vector<Cell, CacheLineAllocator<Cell>> cells_;
  std::vector<Object, CacheLineAllocator<Object>> objects_;
  std::vector<Entry> entries_;
  std::vector<std::int32_t> everywhere_;  ///< the first everywhere_count_
  // Beyond `touched` nothing was used yet; the rest that is free is in a list.
  std::int32_t present_ = 0, everywhere_count_ = 0;
  std::int32_t entries_touched_ = 0, first_free_entry_ = kNone, free_entries_ = 0;
  std::int32_t nodes_touched_ = 0, first_free_group_ = kNone, free_groups_ = 0;
};

/// At most the distance from a number that is `above` to one that is not; zero if it is not above.
/// Infinite and NaN arguments give a bound that holds.
inline double gap_lo(double above, double below) noexcept {
  const double gap = above - below;
  if (!(gap > 0)) return 0;
  return gap < 0x1p500 ? std::max(0.0, rounding::down(gap)) : 0x1p499;
}

template <typename F>
void Octree::visit_below(std::int32_t n, const Box& box, F& f) const {
  while (nodes_[n].count == kInner) {
    unsigned met = children_met(nodes_[n].centre, box);
    const std::int32_t first = nodes_[n].link;
    for (; (met & (met - 1)) != 0; met &= met - 1)
      visit_below(first + std::countr_zero(met), box, f);
    n = first + std::countr_zero(met);
  }
  if (nodes_[n].count == 0) return;
  for (std::int32_t e = nodes_[n].link; e != kNone; e = entries_[e].next) {
    const std::int32_t id = entries_[e].object;
    const Box& other = objects_[id].box;
    if (overlap(box, other) && is_reported_in(cells_[n].bounds, box, other)) f(id);
  }
}

template <typename F>
void Octree::visit_cells_below(std::int32_t n, F& f) const {
  if (nodes_[n].count == kInner) {
    for (std::int32_t k = 0; k < 8; ++k) visit_cells_below(nodes_[n].link + k, f);
  } else if (nodes_[n].count > 0) {
    const auto& [lo, hi] = cells_[n].bounds;
    const auto& [least, most] = root_cube_;
    f(Box{{std::max(lo.x, least.x), std::max(lo.y, least.y), std::max(lo.z, least.z)},
          {std::min(hi.x, most.x), std::min(hi.y, most.y), std::min(hi.z, most.z)}});
  }
}

template <typename F>
void Octree::visit(const Box& given, F&& f) const {
  if (nodes_.empty()) return;
  const Box box = is_box(given) ? given : all_space();
  for (std::int32_t k = 0; k < everywhere_count_; ++k) {
    if (overlap(box, objects_[everywhere_[k]].box)) f(static_cast<int>(everywhere_[k]));
  }
  visit_below(0, box, f);
}

template <typename F>
void Octree::visit_partners(int id, F&& f) const {
  const Object& object = objects_[id];
  if (object.at == kAbsent) return;
  if (object.at != kInCells) {
    visit(object.box, [&](int other) {
      if (other != id) f(other);
    });
    return;
  }
  for (std::int32_t k = 0; k < everywhere_count_; ++k) {
    if (overlap(object.box, objects_[everywhere_[k]].box)) f(static_cast<int>(everywhere_[k]));
  }
  const bool one_leaf = object.entries == 1;
  for (std::int32_t place = object.first; place != kNone; place = entries_[place].next_place) {
    const std::int32_t n = entries_[place].node;
    for (std::int32_t e = nodes_[n].link; e != kNone; e = entries_[e].next) {
      const std::int32_t other = entries_[e].object;
      const Box& box = objects_[other].box;
      if (other == id || !overlap(object.box, box)) continue;
      if (one_leaf || is_reported_in(cells_[n].bounds, object.box, box)) f(static_cast<int>(other));
    }
  }
}

template <typename F, typename Charge>
void Octree::visit_nearest_below(std::int32_t n, Vec3 gap, const Box& box, double& reach, F& f,
                                 Charge& charge) const {
  constexpr double kEnd = -std::numeric_limits<double>::infinity();
  if (nodes_[n].count != kInner) {
    if (nodes_[n].count == 0) return;
    if (!charge(nodes_[n].count)) {
      reach = kEnd;
      return;
    }
    for (std::int32_t e = nodes_[n].link; e != kNone; e = entries_[e].next) {
      const std::int32_t id = entries_[e].object;
      const double distance_lo = box_distance_lo(box, objects_[id].box);
      if (distance_lo >= reach) continue;
      const double now = f(static_cast<int>(id), distance_lo);
      if (now < reach) reach = now;
    }
    return;
  }
  if (!charge(8)) {
    reach = kEnd;
    return;
  }
  // In each axis one half of the node is as far as the node, the other perhaps farther.
  const Vec3 c = nodes_[n].centre;
  const double x[2] = {std::max(gap.x, gap_lo(box.lo.x, c.x)),
                       std::max(gap.x, gap_lo(c.x, box.hi.x))};
  const double y[2] = {std::max(gap.y, gap_lo(box.lo.y, c.y)),
                       std::max(gap.y, gap_lo(c.y, box.hi.y))};
  const double z[2] = {std::max(gap.z, gap_lo(box.lo.z, c.z)),
                       std::max(gap.z, gap_lo(c.z, box.hi.z))};
  struct Child {
    double distance_lo;
    int number;
  };
  Child near[8];
  int count = 0;
  for (int k = 0; k < 8; ++k) {
    const std::int32_t child = nodes_[n].link + k;
    if (nodes_[child].count == 0) continue;
    const double d = rounding::norm_lo({x[k & 1], y[k >> 1 & 1], z[k >> 2]});
    if (d >= reach) continue;
    int at = count++;
    for (; at > 0 && near[at - 1].distance_lo > d; --at) near[at] = near[at - 1];
    near[at] = {d, k};
  }
  for (int i = 0; i < count; ++i) {
    if (near[i].distance_lo >= reach) return;
    const int k = near[i].number;
    visit_nearest_below(nodes_[n].link + k, {x[k & 1], y[k >> 1 & 1], z[k >> 2]}, box, reach, f,
                        charge);
  }
}

template <typename F, typename Charge>
void Octree::visit_nearest(const Box& given, double reach, F&& f, Charge&& charge) const {
  if (nodes_.empty()) return;
  if (!charge(everywhere_count_)) return;
  const Box box = is_box(given) ? given : all_space();
  for (std::int32_t k = 0; k < everywhere_count_; ++k) {
    const double distance_lo = box_distance_lo(box, objects_[everywhere_[k]].box);
    if (distance_lo >= reach) continue;
    const double now = f(static_cast<int>(everywhere_[k]), distance_lo);
    if (now < reach) reach = now;
  }
  visit_nearest_below(0, {}, box, reach, f, charge);
}

}  // namespace keepclear
