// SPDX-License-Identifier: BSD-3-Clause
//
// What the octree looks like, and whether all that must hold in it does.
#include "scene/octree.hpp"

namespace keepclear {

void Octree::measure(std::int32_t n, int level, Shape& shape) const noexcept {
  ++shape.nodes;
  shape.depth = std::max(shape.depth, level);
  if (nodes_[n].count == kInner) {
    for (int k = 0; k < 8; ++k) measure(nodes_[n].link + k, level + 1, shape);
    return;
  }
  ++shape.leaves;
  shape.empty_leaves += nodes_[n].count == 0;
  shape.entries += nodes_[n].count;
}

Octree::Shape Octree::shape() const noexcept {
  Shape shape;
  if (!nodes_.empty()) measure(0, 0, shape);
  shape.everywhere = everywhere_count_;
  shape.bytes = nodes_.capacity() * sizeof(Node) + cells_.capacity() * sizeof(Cell) +
                objects_.capacity() * sizeof(Object) + entries_.capacity() * sizeof(Entry) +
                everywhere_.capacity() * sizeof(everywhere_[0]);
  return shape;
}

/// Of the subtree of `n`; counts the leaves that list each object, and the nodes.
const char* Octree::fault_below(std::int32_t n, std::vector<int>& listed,
                                std::size_t& nodes) const {
  ++nodes;
  const Box& b = cells_[n].bounds;
  const Vec3 c = nodes_[n].centre;
  if (nodes_[n].count == kInner) {
    for (int a = 0; a < 3; ++a) {
      if (!(b.lo[a] < c[a] && c[a] < b.hi[a])) return "a node is not split inside its bounds";
    }
    for (int k = 0; k < 8; ++k) {
      const Cell& child = cells_[nodes_[n].link + k];
      if (child.parent != n) return "a child does not know its parent";
      if (child.level != cells_[n].level + 1) return "a child is not one level below";
      for (int a = 0; a < 3; ++a) {
        const bool upper = (k >> a & 1) != 0;
        if (child.bounds.lo[a] != (upper ? c[a] : b.lo[a]) ||
            child.bounds.hi[a] != (upper ? b.hi[a] : c[a])) {
          return "a child is not an octant of its parent";
        }
      }
      if (const char* fault = fault_below(nodes_[n].link + k, listed, nodes)) return fault;
    }
    return nullptr;
  }
  std::int32_t count = 0, previous = kNone;
  for (std::int32_t e = nodes_[n].link; e != kNone; previous = e, e = entries_[e].next) {
    const Entry& entry = entries_[e];
    if (entry.node != n) return "an entry is not in the list of its leaf";
    if (entry.previous != previous) return "the list of a leaf is not linked both ways";
    if (!meets(b, objects_[entry.object].box))
      return "an object is in a leaf that it does not meet";
    if (++count > nodes_[n].count) break;
    ++listed[entry.object];
  }
  return count == nodes_[n].count ? nullptr : "the count of a leaf is wrong";
}

bool Octree::valid(const char** what) const {
  const auto fault = [&](const char* text) {
    if (what != nullptr) *what = text;
    return false;
  };
  if (nodes_.empty()) return true;
  std::vector<int> listed(objects_.size(), 0);
  std::size_t nodes = 0, entries = 0, present = 0, on_list = 0;
  if (cells_[0].bounds != all_space()) return fault("the root is not the whole of space");
  if (const char* text = fault_below(0, listed, nodes)) return fault(text);
  for (std::size_t id = 0; id < objects_.size(); ++id) {
    const Object& object = objects_[id];
    std::int32_t count = 0, previous = kNone;
    std::int32_t last_node = kNone;
    for (std::int32_t e = object.first; e != kNone; previous = e, e = entries_[e].next_place) {
      if (entries_[e].object != static_cast<std::int32_t>(id)) return fault("a place of another");
      if (entries_[e].previous_place != previous) return fault("places are not linked both ways");
      if (entries_[e].node == last_node) return fault("an object is twice in a leaf");
      last_node = entries_[e].node;
      if (++count > object.entries) break;
    }
    if (count != object.entries) return fault("an object has another number of places");
    if (count != listed[id]) return fault("an object is not listed where it has places");
    if (object.at == kInCells) {
      // Each leaf lists only what meets it, so the numbers agree only if the leaves do.
      if (count != cells_met(0, object.box, std::numeric_limits<int>::max())) {
        return fault("an object is not in every leaf that it meets");
      }
    } else if (count != 0) {
      return fault("an object that is in no cell has places");
    }
    present += object.at != kAbsent;
    if (object.at >= 0) {
      ++on_list;
      if (object.at >= everywhere_count_ || everywhere_[object.at] != static_cast<int>(id)) {
        return fault("the list of those everywhere is wrong");
      }
    }
    entries += count;
  }
  if (on_list != static_cast<std::size_t>(everywhere_count_)) return fault("the list is too long");
  if (present != static_cast<std::size_t>(present_)) return fault("the count of objects is wrong");
  std::size_t free_entries = entries_.size() - entries_touched_;
  for (std::int32_t e = first_free_entry_; e != kNone; e = entries_[e].next) ++free_entries;
  if (free_entries != static_cast<std::size_t>(free_entries_) ||
      entries + free_entries != entries_.size()) {
    return fault("entries are lost");
  }
  std::size_t free_nodes = nodes_.size() - nodes_touched_;
  for (std::int32_t n = first_free_group_; n != kNone; n = nodes_[n].link) free_nodes += 8;
  if (free_nodes != 8 * static_cast<std::size_t>(free_groups_) ||
      nodes + free_nodes != nodes_.size()) {
    return fault("nodes are lost");
  }
  return true;
}

}  // namespace keepclear
