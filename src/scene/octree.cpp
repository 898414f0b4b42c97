// SPDX-License-Identifier: BSD-3-Clause
//
// Paper 5: building 3.3.1, updating 3.3.2, location links 4.2, neighbours 4.3; as corrected in
// docs/theory/octree.md.
#include "scene/octree.hpp"

#include <cmath>

#include "keepclear/error.hpp"

namespace keepclear {
namespace {

/// A split is refused that leaves the average child with more than this share of the objects, that
/// is, with more than eight times it as many entries as before. Boxes as large as the cell, or many
/// at one place, would only be copied eight times at every level. Up to 8 / 3 the pairs to look at
/// in all children become fewer; the rest is for the sake of small objects that come by.
constexpr int kMostEntriesPerObject = 3;

double largest(Vec3 a) {
  return std::max({std::abs(a.x), std::abs(a.y), std::abs(a.z)});
}

std::size_t at_most_int32(std::size_t n) {
  return std::min<std::size_t>(n, std::numeric_limits<std::int32_t>::max());
}

}  // namespace

double box_distance_lo(const Box& a, const Box& b) noexcept {
  const bool boxes = (a.lo.x <= a.hi.x) & (a.lo.y <= a.hi.y) & (a.lo.z <= a.hi.z) &
                     (b.lo.x <= b.hi.x) & (b.lo.y <= b.hi.y) & (b.lo.z <= b.hi.z);
  if (!boxes) return 0;
  // Of the two gaps of an axis one is zero.
  const Vec3 gap{gap_lo(a.lo.x, b.hi.x) + gap_lo(b.lo.x, a.hi.x),
                 gap_lo(a.lo.y, b.hi.y) + gap_lo(b.lo.y, a.hi.y),
                 gap_lo(a.lo.z, b.hi.z) + gap_lo(b.lo.z, a.hi.z)};
  return rounding::norm_lo(gap);
}

Octree::Octree(const Options& options) : options_(options) {
  const double reach = largest(options.centre) + options.size;
  if (!is_finite(options.centre) || !(options.size > 0) || !(reach < 0x1p1000)) {
    throw Error(Error::Kind::usage, "", 0, "the root cube of an octree is not finite",
                "give a finite centre and a positive size");
  }
  if (options.max_objects > std::size_t{1} << 28) {
    throw Error(Error::Kind::usage, "", 0, "too many objects for an octree",
                "it takes at most 2^28");
  }
  options_.split_at = std::max(1, options.split_at);
  // At N and above, what was just merged could have to be split again.
  options_.merge_at = std::clamp(options.merge_at, 0, options_.split_at);
  cell_size_[0] = options.size;
  for (int level = 1; level <= kMostLevels; ++level) {
    const double size = cell_size_[level] = cell_size_[level - 1] / 2;
    if (size >= options.smallest_cell && size >= 0x1p-24 * reach && size > 0x1p-900) {
      max_level_ = level;
    } else {
      break;
    }
  }
  const double half = options.size / 2;
  const Vec3 h{half, half, half};
  root_cube_ = {options.centre - h, options.centre + h};

  // Small boxes at random need 1.6 entries and half a node each, boxes that overlap several others
  // up to five and one; docs/theory/octree.md.
  const std::size_t n = options.max_objects;
  const std::size_t entries = options.max_entries > 0 ? options.max_entries : 4 * n + 16384;
  const std::size_t nodes = options.max_nodes > 0 ? options.max_nodes : n + 4096;
  const std::size_t groups = (at_most_int32(nodes) - 1) / 8;
  objects_.resize(n);
  everywhere_.resize(n);
  entries_.resize(at_most_int32(entries));
  free_entries_ = static_cast<std::int32_t>(entries_.size());
  free_groups_ = static_cast<std::int32_t>(groups);
  nodes_.resize(1 + 8 * static_cast<std::size_t>(free_groups_));
  cells_.resize(nodes_.size());
  nodes_[0].centre = options.centre;
  cells_[0].bounds = all_space();
  nodes_touched_ = 1;
}

bool Octree::belongs_everywhere(const Box& b) const noexcept {
  if (!is_finite(b.lo) || !is_finite(b.hi)) return true;
  const Box& r = root_cube_;
  return b.lo.x <= r.lo.x && b.lo.y <= r.lo.y && b.lo.z <= r.lo.z && b.hi.x >= r.hi.x &&
         b.hi.y >= r.hi.y && b.hi.z >= r.hi.z;
}

std::uint32_t Octree::next_stamp() noexcept {
  if (++stamp_ == 0) {
    for (Cell& cell : cells_) cell.stamp = 0;
    for (Object& object : objects_) object.stamp = 0;
    stamp_ = 1;
  }
  return stamp_;
}

int Octree::cells_met(std::int32_t n, const Box& box, int limit) const noexcept {
  int count = 0;
  while (nodes_[n].count == kInner) {
    unsigned met = children_met(nodes_[n].centre, box);
    const std::int32_t first = nodes_[n].link;
    for (; (met & (met - 1)) != 0; met &= met - 1) {
      count += cells_met(first + std::countr_zero(met), box, limit - count);
      if (count >= limit) return count;
    }
    n = first + std::countr_zero(met);
  }
  return count + 1;
}

// Entries.

void Octree::link_to_leaf(std::int32_t e, std::int32_t n) noexcept {
  Entry& entry = entries_[e];
  entry.node = n;
  entry.previous = kNone;
  entry.next = nodes_[n].link;
  if (entry.next != kNone) entries_[entry.next].previous = e;
  nodes_[n].link = e;
  ++nodes_[n].count;
}

void Octree::unlink_from_leaf(std::int32_t e) noexcept {
  const Entry& entry = entries_[e];
  Node& node = nodes_[entry.node];
  (entry.previous == kNone ? node.link : entries_[entry.previous].next) = entry.next;
  if (entry.next != kNone) entries_[entry.next].previous = entry.previous;
  --node.count;
  // Other objects than those for which a split was refused: it may be worth trying sooner.
  if (node.count < cells_[entry.node].retry_at / 4) cells_[entry.node].retry_at = 0;
}

void Octree::unlink_from_object(std::int32_t e) noexcept {
  const Entry& entry = entries_[e];
  Object& object = objects_[entry.object];
  (entry.previous_place == kNone ? object.first : entries_[entry.previous_place].next_place) =
      entry.next_place;
  if (entry.next_place != kNone) entries_[entry.next_place].previous_place = entry.previous_place;
  --object.entries;
}

std::int32_t Octree::take_entry(std::int32_t id, std::int32_t n) noexcept {
  std::int32_t e = first_free_entry_;
  if (e != kNone) {
    first_free_entry_ = entries_[e].next;
  } else {
    e = entries_touched_++;
  }
  --free_entries_;
  Object& object = objects_[id];
  Entry& entry = entries_[e];
  entry.object = id;
  entry.previous_place = kNone;
  entry.next_place = object.first;
  if (object.first != kNone) entries_[object.first].previous_place = e;
  object.first = e;
  ++object.entries;
  link_to_leaf(e, n);
  return e;
}

void Octree::free_entry(std::int32_t e) noexcept {
  entries_[e].next = first_free_entry_;
  first_free_entry_ = e;
  ++free_entries_;
}

// The list of those that are everywhere.

void Octree::put_everywhere(std::int32_t id) noexcept {
  objects_[id].at = everywhere_count_;
  everywhere_[everywhere_count_++] = id;
}

void Octree::take_from_everywhere(std::int32_t id) noexcept {
  const std::int32_t at = objects_[id].at;
  const std::int32_t last = everywhere_[--everywhere_count_];
  everywhere_[at] = last;
  objects_[last].at = at;
  objects_[id].at = kInCells;
}

/// From all cells to the list. Merges nothing: it is called from within a descent.
void Octree::evict(std::int32_t id) noexcept {
  for (std::int32_t e = objects_[id].first; e != kNone;) {
    const std::int32_t next = entries_[e].next_place;
    unlink_from_leaf(e);
    free_entry(e);
    e = next;
  }
  objects_[id].first = kNone;
  objects_[id].entries = 0;
  put_everywhere(id);
}

// Insertion.

/// Puts the object in every leaf below `n` that its box meets; the box meets `n`. With kMayBeThere
/// leaves with the current stamp are passed over, the others get it. False if it had to go on the
/// list of those that are everywhere.
template <bool kMayBeThere>
bool Octree::enter(std::int32_t n, std::int32_t id) noexcept {
  const Box& box = objects_[id].box;
  ++counters_.node_tests;
  while (nodes_[n].count == kInner) {
    unsigned met = children_met(nodes_[n].centre, box);
    const std::int32_t first = nodes_[n].link;
    for (; (met & (met - 1)) != 0; met &= met - 1) {
      if (!enter<kMayBeThere>(first + std::countr_zero(met), id)) return false;
    }
    n = first + std::countr_zero(met);
    ++counters_.node_tests;
  }
  if constexpr (kMayBeThere) {
    if (cells_[n].stamp == stamp_) return true;
    cells_[n].stamp = stamp_;
  }
  if (free_entries_ == 0 || objects_[id].entries == kMostCells) {
    evict(id);
    return false;
  }
  take_entry(id, n);
  if (nodes_[n].count > options_.split_at) split(n);
  return objects_[id].at == kInCells;
}

void Octree::insert_from_root(std::int32_t id) noexcept {
  ++counters_.insertions;
  const Box& box = objects_[id].box;
  // Large ones are counted first, so that those on the list do not split cells in passing.
  const double large = options_.size / 16;
  const bool is_large = box.hi.x - box.lo.x > large || box.hi.y - box.lo.y > large ||
                        box.hi.z - box.lo.z > large || free_entries_ < 64;
  if (is_large) {
    const int limit = std::min(kMostCells, free_entries_) + 1;
    if (cells_met(0, box, limit) >= limit) {
      put_everywhere(id);
      return;
    }
  }
  enter<false>(0, id);
}

void Octree::insert(int id, const Box& box) noexcept {
  Object& object = objects_[id];
  if (object.at != kAbsent) {
    move(id, box);
    return;
  }
  object.box = is_box(box) ? box : all_space();
  object.at = kInCells;
  ++present_;
  if (belongs_everywhere(object.box)) {
    put_everywhere(id);
  } else {
    insert_from_root(id);
  }
}

void Octree::erase(int id) noexcept {
  Object& object = objects_[id];
  if (object.at == kAbsent) return;
  if (object.at == kInCells) {
    leave_cells(id, true);
  } else {
    take_from_everywhere(id);
  }
  object.at = kAbsent;
  --present_;
}

/// From the cells that its box does not meet, or from all, merging where few remain.
void Octree::leave_cells(std::int32_t id, bool all) noexcept {
  // Merging moves entries about, so first all are taken out, then it is done for each.
  std::int32_t left = kNone;
  for (std::int32_t e = objects_[id].first; e != kNone;) {
    const std::int32_t next = entries_[e].next_place;
    if (all || !meets(cells_[entries_[e].node].bounds, objects_[id].box)) {
      unlink_from_leaf(e);
      unlink_from_object(e);
      entries_[e].next_place = left;
      left = e;
    }
    e = next;
  }
  while (left != kNone) {
    const std::int32_t next = entries_[left].next_place;
    // A node that a merge has freed has no parent any more.
    merge_from(cells_[entries_[left].node].parent);
    free_entry(left);
    left = next;
  }
}

// Updating.

void Octree::move(int id, const Box& given) noexcept {
  Object& object = objects_[id];
  if (object.at == kAbsent) {
    insert(id, given);
    return;
  }
  const Box box = is_box(given) ? given : all_space();
  if (belongs_everywhere(box)) {
    if (object.at == kInCells) {
      leave_cells(id, true);
      put_everywhere(id);
      ++counters_.long_moves;
    }
    object.box = box;
    return;
  }
  if (object.at != kInCells) {
    ++counters_.long_moves;
    object.box = box;
    take_from_everywhere(id);
    insert_from_root(id);
    return;
  }
  if (object.entries == 1) {
    ++counters_.node_tests;
    if (is_inside(cells_[entries_[object.first].node].bounds, box)) {
      ++counters_.inside_moves;
      object.box = box;
      reconsider(entries_[object.first].node);
      return;
    }
  }
  const Box before = object.box;
  object.box = box;
  const double moved = std::max(largest(box.lo - before.lo), largest(box.hi - before.hi));
  const std::uint32_t stamp = next_stamp();
  int level = 0;
  for (std::int32_t e = object.first; e != kNone; e = entries_[e].next_place) {
    Cell& cell = cells_[entries_[e].node];
    cell.stamp = stamp;
    level = std::max(level, cell.level);
  }
  // 2^-20 pays for the rounding of `moved` and of the planes between the cells.
  if (moved * (1 + 0x1p-20) <= cell_size_[level]) {
    ++counters_.short_moves;
    // New entries go to the front of the list of places and are not seen by this loop.
    for (std::int32_t e = object.first; e != kNone && object.at == kInCells;) {
      const std::int32_t next = entries_[e].next_place;
      follow(id, entries_[e].node, before);
      e = next;
    }
  } else {
    ++counters_.long_moves;
    ++counters_.insertions;
    enter<true>(0, id);
  }
  if (object.at != kInCells) return;
  leave_cells(id, false);
  for (std::int32_t e = object.first; e != kNone && object.at == kInCells;) {
    const std::int32_t next = entries_[e].next_place;
    reconsider(entries_[e].node);
    e = next;
  }
}

/// Enters the neighbours of a leaf that the object was in on those sides where a face of its box
/// has crossed a face of the leaf.
void Octree::follow(std::int32_t id, std::int32_t leaf, const Box& before) noexcept {
  const Cell& cell = cells_[leaf];
  if (cell.parent == kNone) return;
  const Box& now = objects_[id].box;
  ++counters_.node_tests;
  unsigned up = 0, down = 0;
  for (int a = 0; a < 3; ++a) {
    if (before.hi[a] < cell.bounds.hi[a] && cell.bounds.hi[a] <= now.hi[a]) up |= 1u << a;
    if (now.lo[a] < cell.bounds.lo[a] && cell.bounds.lo[a] <= before.lo[a]) down |= 1u << a;
  }
  if ((up | down) == 0) return;
  const auto enter_if_met = [&](std::int32_t n) {
    if (n == kNone || cells_[n].stamp == stamp_ || objects_[id].at != kInCells) return;
    ++counters_.node_tests;
    if (meets(cells_[n].bounds, now)) enter<true>(n, id);
    cells_[n].stamp = stamp_;
  };
  const unsigned k = child_number(leaf);
  const std::int32_t parent = cell.parent;
  const std::int32_t first = leaf - static_cast<std::int32_t>(k);
  const unsigned inner = (up & ~k) | (down & k), outer = (up & k) | (down & ~k);
  for (unsigned axes = inner; axes != 0; axes = (axes - 1) & inner) {
    enter_if_met(first + static_cast<std::int32_t>(k ^ axes));
  }
  for (unsigned axes = outer; axes != 0; axes = (axes - 1) & outer) {
    enter_if_met(neighbour(parent, axes, k));
  }
}

/// The smallest node, no smaller than `n`, that covers the place as large as `n` beside it: across
/// the face, edge or corner of the given axes, on their upper side where `upper` has the bit.
/// kNone outside the root. GetFaceNeighbor (4.3.1) for all axes at once: up to the common ancestor,
/// and down again by the mirror image of the way.
std::int32_t Octree::neighbour(std::int32_t n, unsigned axes, unsigned upper) const noexcept {
  unsigned way[kMostLevels + 1];
  int length = 0;
  while (axes != 0) {
    if (cells_[n].parent == kNone) return kNone;
    const unsigned k = child_number(n);
    way[length++] = k ^ axes;
    // An axis is settled once a node is not at that face of its parent.
    axes &= ~(k ^ upper);
    n = cells_[n].parent;
  }
  while (length > 0 && nodes_[n].count == kInner) {
    n = nodes_[n].link + static_cast<std::int32_t>(way[--length]);
  }
  return n;
}

// Structure.

void Octree::split(std::int32_t n) noexcept {
  const std::int32_t count = nodes_[n].count;
  const std::int32_t level = cells_[n].level + 1;
  if (level > max_level_ || count < cells_[n].retry_at || free_groups_ == 0) return;
  const Vec3 c = nodes_[n].centre;
  counters_.node_tests += static_cast<std::uint64_t>(count);
  std::int64_t stay = 0, needed = 0;
  for (std::int32_t e = nodes_[n].link; e != kNone; e = entries_[e].next) {
    const Object& object = objects_[entries_[e].object];
    const int met = std::popcount(children_met(c, object.box));
    if (object.entries + met - 1 > kMostCells) continue;
    ++stay;
    needed += met;
  }
  // Room is kept for the objects to come and for moves: beyond a quarter of the pool only the share
  // of those that are here. A coarse tree is better than a long list of objects everywhere.
  const auto pool = static_cast<double>(entries_.size());
  const double used = pool - free_entries_ + static_cast<double>(needed - stay);
  const double share = 0.9 * pool * present_ / static_cast<double>(objects_.size());
  if (needed > kMostEntriesPerObject * stay || used > std::max(pool / 4, share)) {
    // Not again for every object that comes, or many at one place would take quadratic time.
    cells_[n].retry_at = 2 * count;
    return;
  }
  ++counters_.splits;
  std::int32_t e = nodes_[n].link;
  std::int32_t first = first_free_group_;
  if (first != kNone) {
    first_free_group_ = nodes_[first].link;
  } else {
    first = nodes_touched_;
    nodes_touched_ += 8;
  }
  --free_groups_;
  const double quarter = cell_size_[level] / 2;
  const Box& whole = cells_[n].bounds;
  for (int k = 0; k < 8; ++k) {
    const bool x = (k & 1) != 0, y = (k & 2) != 0, z = (k & 4) != 0;
    nodes_[first + k] = {{x ? c.x + quarter : c.x - quarter, y ? c.y + quarter : c.y - quarter,
                          z ? c.z + quarter : c.z - quarter},
                         kNone,
                         0};
    // The stamp is passed on: a move that was in this leaf has been in all its children.
    cells_[first + k] = {{{x ? c.x : whole.lo.x, y ? c.y : whole.lo.y, z ? c.z : whole.lo.z},
                          {x ? whole.hi.x : c.x, y ? whole.hi.y : c.y, z ? whole.hi.z : c.z}},
                         n,
                         cells_[n].stamp,
                         0,
                         level};
  }
  while (e != kNone) {
    const std::int32_t next = entries_[e].next;
    const std::int32_t id = entries_[e].object;
    unsigned met = children_met(c, objects_[id].box);
    if (objects_[id].entries + std::popcount(met) - 1 > kMostCells) {
      // What was before it in the list has gone to the children.
      nodes_[n].link = e;
      entries_[e].previous = kNone;
      evict(id);
    } else {
      link_to_leaf(e, first + std::countr_zero(met));
      for (met &= met - 1; met != 0; met &= met - 1) take_entry(id, first + std::countr_zero(met));
    }
    e = next;
  }
  nodes_[n].link = first;
  nodes_[n].count = kInner;
  for (int k = 0; k < 8; ++k) {
    if (nodes_[first + k].count > options_.split_at) split(first + k);
  }
}

/// An object moved within a leaf. Where a split was refused it may now help: after as many moves as
/// there were objects it is tried again, so that a move costs no more for it.
void Octree::reconsider(std::int32_t n) noexcept {
  const std::int32_t count = nodes_[n].count;
  if (count > options_.split_at && cells_[n].retry_at > count && --cells_[n].retry_at <= count) {
    split(n);
  }
}

/// Makes `n`, whose children are perhaps all leaves, a leaf if they hold few enough; and its
/// parents.
void Octree::merge_from(std::int32_t n) noexcept {
  for (; n != kNone; n = cells_[n].parent) {
    const std::int32_t first = nodes_[n].link;
    std::int32_t sum = 0;
    for (int k = 0; k < 8; ++k) {
      const std::int32_t count = nodes_[first + k].count;
      if (count == kInner || count > options_.merge_at) return;
      sum += count;
    }
    if (sum > options_.merge_at) {
      const std::uint32_t stamp = next_stamp();
      std::int32_t distinct = 0;
      for (int k = 0; k < 8; ++k) {
        for (std::int32_t e = nodes_[first + k].link; e != kNone; e = entries_[e].next) {
          Object& object = objects_[entries_[e].object];
          distinct += object.stamp != stamp;
          object.stamp = stamp;
        }
        if (distinct > options_.merge_at) return;
      }
    }
    ++counters_.merges;
    const std::uint32_t stamp = next_stamp();
    nodes_[n].link = kNone;
    nodes_[n].count = 0;
    cells_[n].retry_at = 0;
    for (int k = 0; k < 8; ++k) {
      for (std::int32_t e = nodes_[first + k].link; e != kNone;) {
        const std::int32_t next = entries_[e].next;
        Object& object = objects_[entries_[e].object];
        if (object.stamp == stamp) {
          unlink_from_object(e);
          free_entry(e);
        } else {
          object.stamp = stamp;
          link_to_leaf(e, n);
        }
        e = next;
      }
      cells_[first + k].parent = kNone;
    }
    nodes_[first].link = first_free_group_;
    first_free_group_ = first;
    ++free_groups_;
  }
}

}  // namespace keepclear
