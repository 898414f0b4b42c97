// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

#include "keepclear/geometry.hpp"
#include "keepclear/verdict.hpp"
#include "keepclear/world.hpp"

namespace keepclear {

struct WatchOptions {
  /// Metres: beyond the margins of the scene.
  double margin = 0;
  /// Seconds: a body that moves at speed v is kept clear by v * (reaction_time + stopping_time) on
  /// top of the margins. Sound if no body gets faster while it is being stopped.
  double reaction_time = 0, stopping_time = 0;
  /// m/s: a solid that moves faster is measured as one coarse body around all of its own. A coarse
  /// body contains the fine ones, so no collision is lost by the change, only clearance.
  double fine_below = std::numeric_limits<double>::infinity();
  /// Metres: how far a body may move before its partners are looked up again; up to eight times as
  /// far where little is near.
  double slack = 0.05;
  int objects_per_cell = 10;    ///< N of the octree
  double smallest_cell = 0.02;  ///< metres, of the octree
  /// Imminent collisions that a cycle lists; more are counted.
  std::size_t max_listed = 64;
  /// Convex pieces of objects that may be carried, or moved, in all.
  std::size_t max_carried = 1024;
  /// Partners near moving bodies, in all, before cycles answer *undecided*; 0 lets the watch
  /// choose.
  std::size_t max_partners = 0;
  /// Measure the time of each phase (WatchCounters); costs a few clock readings a cycle.
  bool profile = false;
};

/// Two solids that are not proved to keep their distance. Of solids of several pieces the numbers
/// are those of the two pieces that matter: in contact, else nearest.
struct Imminent {
  int a = -1, b = -1;  ///< indices into World::solids()
  /// *contact*: proved nearer than `tolerance`. *undecided*: neither that nor farther.
  Verdict verdict = Verdict::undecided;
  double distance = 0, lower_bound = 0;  ///< metres; of coarse bodies if `coarse`
  double tolerance = 0;                  ///< metres: what was asked of this pair in this cycle
  Vec3 point_a, point_b;                 ///< witness points, in the world
  bool coarse = false;
};

/// What one cycle found. Valid until the next call.
struct WatchCycle {
  /// *free*: every checked pair is proved farther apart than its tolerance. *contact*: one is
  /// proved nearer. *undecided*: neither, or the input was no state. All but *free* want a stop.
  Verdict verdict = Verdict::undecided;
  std::span<const Imminent> imminent;  ///< in the order of (a, b), one for each pair of solids
  std::size_t unlisted = 0;            ///< that found no place in the list
};

/// Since construction.
struct WatchCounters {
  std::uint64_t cycles = 0;
  std::uint64_t quiet = 0;     ///< cycles settled from the joint values alone, without poses
  std::uint64_t lookups = 0;   ///< bodies whose partners were looked up in the octree
  std::uint64_t searches = 0;  ///< distance searches
  std::uint64_t splits = 0, merges = 0, long_moves = 0;
  /// Cycles in which the octree changed its cells.
  std::uint64_t structural_changes = 0;
  /// Seconds, with WatchOptions::profile: where the bodies are and how far they came; the octree
  /// and who is near; bounds and distances.
  double kinematics = 0, index = 0, distances = 0;
};

/// Watches a scene cycle by cycle (paper 5): takes joint values, and says which pairs of solids are
/// about to collide. Owns all its memory: the constructor allocates, nothing else does. One object
/// a thread. Cost follows what moves and what is near it, not what exists.
class Watch {
 public:
  explicit Watch(const World& world, const WatchOptions& options = {});
  ~Watch();
  Watch(Watch&&) noexcept;
  Watch& operator=(Watch&&) noexcept;

  /// One cycle: the state q (size World::dof()) `dt` seconds after the last one. Speeds come from
  /// how far each body moved since; in the first cycle, and after reset(), they are zero. A q that
  /// is no configuration, or a dt that is not positive, is refused: *undecided*, and the same as
  /// reset(). Speeds are known again in the second cycle after that: where they count, stop until
  /// then.
  WatchCycle step(std::span<const double> q, double dt) noexcept;

  /// The object (index into World::solids()) is now carried by the link, where it stands to it in
  /// the last cycle; it may touch the link and all of `touch`. Before the first cycle, after
  /// reset() or a cycle that was refused, of something that is no object or no link, or of more
  /// pieces than there is room for: false, and nothing happens. May be called from a control loop,
  /// between cycles.
  bool attach(int object, int link, std::span<const int> touch = {}) noexcept;
  /// The object stays where it was in the last cycle. False, and nothing happens, if nothing
  /// carries it, before the first cycle, and after reset() or a cycle that was refused.
  bool release(int object) noexcept;
  /// The object stands at X_WO from now on, as something that is seen to move: its speed counts in
  /// the next cycle. False, and nothing happens, for a pose that is none, for an object that is
  /// carried, and where there is no room.
  bool place(int object, const Pose& X_WO) noexcept;
  /// The link and the object may touch while neither moves faster than max_speed (m/s); with a
  /// speed of zero or less, no longer. False if there is no room, or these are no link and no
  /// object.
  bool expect_contact(int link, int object, double max_speed) noexcept;

  /// Forgets the last cycle, not what is attached.
  void reset() noexcept;
  const WatchCounters& counters() const noexcept;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace keepclear
