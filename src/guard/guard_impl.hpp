// SPDX-License-Identifier: BSD-3-Clause
//
// What a Guard holds: bodies and pairs as they are checked, the table of lower bounds, and the work
// of the cycle at hand. docs/theory/guard.md says why the bounds hold.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "guard/bodies.hpp"
#include "keepclear/guard.hpp"
#include "motion/braking.hpp"
#include "scene/solve.hpp"
#include "scene/world.hpp"

namespace keepclear {

inline constexpr double kInfiniteMetres = std::numeric_limits<double>::infinity();

/// Two bodies that are checked.
struct GuardPair {
  int a = 0, b = 0;                ///< of GuardBodies
  int skip = 0;                    ///< motions that are common to both
  int origin = 0;                  ///< the frame where they meet
  int change_a = 0, change_b = 0;  ///< rows of the table of changes
  double margin = 0;
  Flag active = 1;
};

/// What is known of a pair, or of a body and all obstacles.
struct GuardBound {
  /// Metres, margins left aside for pairs and taken off for obstacles: at least this far apart over
  /// the last box.
  double lower = -kInfiniteMetres;
  Vec3 n;             ///< the direction that showed it; zero: none yet
  int other = -1;     ///< of obstacles: the solid it is of
  Flag fleeting = 0;  ///< holds for the last box alone, not for what it grows to
  Flag excused = 0;   ///< may touch until it is proved apart once
};

/// Where a body last met a piece.
struct PieceDirection {
  std::uint32_t piece = ~std::uint32_t{0};
  Vec3 n;
};
inline constexpr int kPieceDirections = 4;

struct GuardMargin {
  int a = -1, b = -1;
  double margin = 0;
};

/// An object that is carried, or stands where it was put down: bodies [first, last).
struct MovedObject {
  int solid = -1;
  int link = -1;  ///< the solid that carries it; -1: it stands
  int first = 0, last = 0;
};

/// May touch while the object is carried.
struct GuardTouch {
  int object = -1, other = -1;
};

struct Guard::Impl {
  Impl(const World& world, const BrakeModel& brake, const GuardOptions& options);

  Action step(const GuardState& state) noexcept;

  /// How a question about a pair ended.
  enum class Settled : std::uint8_t { clear, not_clear, no_budget };

  /// Two bodies, or a body and a piece that stands still.
  struct Meeting {
    int a = 0, b = -1;
    int skip = 0, origin = 0, last = 0;
    const SpreadSide* still = nullptr;  ///< in place of b, in the world
    bool one_direction = false;         ///< n is the only one that can show anything
    double margin = 0;
    double lasting = 0;    ///< metres beyond the margin that a bound should have
    bool insists = false;  ///< and a bound without them is not enough
  };

  // guard.cpp
  Reason check_input(const GuardState& state) noexcept;
  bool is_usual(std::span<const Interval> over) const noexcept;
  void change_bounds() noexcept;
  Settled settle_slot(std::size_t slot, bool may_refine) noexcept;
  bool is_active(std::size_t slot) const noexcept;
  std::pair<int, int> solids_of(std::size_t slot) const noexcept;
  void settle_all() noexcept;
  void tighten() noexcept;
  void report(Reason reason) noexcept;
  std::uint64_t always(std::size_t slots) const noexcept { return once + per_slot * slots; }
  void forget_bounds() noexcept;
  bool confirm_world(double time) noexcept;
  void reset() noexcept;
  // scale.cpp
  void grade() noexcept;
  // settle.cpp
  bool afford(std::uint64_t flops) noexcept {
    if (spent > limit || flops > limit - spent) return false;
    spent += flops;
    return true;
  }
  bool place(GuardPose& where, int body) noexcept;
  Settled ready(GuardPose& pose, std::span<const Interval> over) noexcept;
  Settled search(const SpreadSide& a, const SpreadSide& b, double enough, double wish, int looks,
                 bool one_direction, Vec3& n, double& lower) noexcept;
  Settled look_over(const GuardPose& where, const Meeting& meeting, int looks, Vec3& n,
                    double& lower, SpreadSide& a, SpreadSide& b) noexcept;
  Settled settle(GuardPose& pose, const Meeting& meeting, bool refine, GuardBound& bound) noexcept;
  Settled refine(const Meeting& meeting, int depth, Vec3 n, double& least) noexcept;
  Settled settle_pair(GuardPose& pose, std::size_t i, double lasting, bool insists, bool refine,
                      GuardBound& bound) noexcept;
  // obstacles.cpp
  Settled settle_obstacles(GuardPose& pose, int body, double lasting, bool refine,
                           GuardBound& bound) noexcept;
  double obstacle_margin(int solid, int other) const noexcept;
  // build.cpp
  void build_bodies();
  void build_pairs();
  int change_row(int body, int skip);
  void add_row_weights(int body, int skip);
  void require_options() const;
  void list_memory();
  // carry.cpp
  bool attach(int object, int link, std::span<const int> touch) noexcept;
  bool release(int object) noexcept;
  bool set_margin(int a, int b, double margin) noexcept;
  bool touches(int object, int other) const noexcept;
  bool lets_touch(int a, int b) const noexcept;
  void forget_touches(int object) noexcept;
  MovedObject* moved_object(int object) noexcept;
  double off_hi(int frame, Vec3 centre, double ball_hi) const noexcept;
  bool move_bodies(int object, int link, int frame) noexcept;
  void pair_up(int object, bool stands) noexcept;
  // memory.cpp
  void save(std::span<std::byte> memory) noexcept;
  bool restore(std::span<const std::byte> memory) noexcept;
  bool makes_sense(const std::byte* memory) noexcept;
  void sign(std::span<std::byte> memory) const noexcept;
  bool check_memory() noexcept;
  template <typename F>
  void each_block(F&& f);
  template <typename F>
  void each_list(F&& f);

  World keep;
  const WorldData& data;
  GuardOptions options;
  Braking braking;
  bool sliced = false;             ///< both decelerations are known of every number
  bool lets_go_in_motion = false;  ///< brakes are no stronger than the worst acceleration

  // What is checked.
  GuardBodies all;
  std::vector<GuardPair> pairs;
  std::size_t fixed_pairs = 0;  ///< of the world; those beyond are of moved objects
  std::vector<int> among;       ///< bodies that are checked against obstacles
  std::size_t fixed_among = 0;  ///< likewise
  std::vector<int> among_row;   ///< their rows of changes
  /// Metres that a volume changes by for each unit that a number's interval grows by.
  struct Weight {
    int number = 0;
    double metres_hi = 0;
  };
  struct Row {
    int body = 0, skip = 0;
    /// Weights; from `endless` on any growth is too much.
    std::uint32_t first = 0, endless = 0, last = 0;
  };
  /// At least how much the volume of a row changes when the intervals grow by `grown`.
  double row_change_hi(const Row& row) const noexcept;
  std::vector<Row> rows;
  std::map<std::pair<int, int>, int> row_of;  ///< by body and skip
  std::vector<Weight> weights;
  std::vector<MovedObject> moved;
  std::vector<GuardTouch> touching;
  std::vector<std::uint8_t> is_moved;  ///< by solid
  std::vector<GuardMargin> margins;    ///< of links and obstacles
  double margin_hi = 0;
  double max_gap = 0;  ///< seconds between states
  double oldest = 0;   ///< seconds: no state is older
  /// Seconds that time stamps may be rounded by: beyond a cycle that is exact, of delays. The age
  /// in them holds what clocks are off by.
  double stamps_hi = 0;
  std::vector<double> fastest;       ///< of each number: velocities beyond are not believed
  std::vector<std::uint8_t> slides;  ///< of each number: something slides by it
  std::size_t carried_points = 0;    ///< room for those of moved objects, after all others

  // What is known.
  struct Kept {
    double time = 0, world_time = -kInfiniteMetres;
    Flag has_last = 0, has_box = 0, settled_once = 0;
    Flag corrupted = 0;         ///< memory has changed: never trusted again
    Flag went = 0, braked = 0;  ///< since the last reset; since the last *go*
    Flag changed = 0;           ///< margins were set, or objects taken and put down
    std::uint64_t next_slot = 0, next_tight = 0;
    std::uint64_t used_pairs = 0, used_among = 0;  ///< slots beyond were never used
    int scale_level = 0;
    GuardCycle cycle;
    GuardCounters counters;
  };
  Kept kept;
  /// What attach(), release() and confirm_world() may rest on. Not saved: whoever restores a guard
  /// does not know where the robot is now.
  enum class LastState : std::uint8_t {
    none,         ///< no state since construction, reset() or restore()
    refused,      ///< whatever the reason
    unconfirmed,  ///< understood, but nobody has confirmed the world
    believed,     ///< passed the whole gate
  };
  LastState last_state = LastState::none;
  bool note_change(bool done) noexcept {
    if (done) kept.changed = 1;
    return done;
  }
  std::vector<double> last_q, last_v;
  std::vector<Interval> box;  ///< of the last cycle
  std::vector<GuardBound> bounds, obstacle_bounds;
  std::vector<PieceDirection> piece_directions;

  // The cycle at hand.
  std::uint64_t limit = 0, spent = 0;
  std::uint64_t posing = 0, posing_most = 0;  ///< where bodies are in the middle of the box
  std::uint64_t once = 0, per_slot = 0;       ///< work of every cycle
  JointState state;
  std::vector<Interval> new_box, ahead_box;
  std::vector<double> grown;                   ///< of each number
  std::vector<double> changes, ahead_changes;  ///< of each row
  GuardPose pose, fine, ahead;
  std::vector<Interval> part;    ///< of refine()
  std::vector<Interval> slices;  ///< slice by slice
  bool slices_ready = false, box_changed = false;
  std::vector<std::uint32_t> offered;
  std::uint32_t search_number = 0;
  Workbench bench;
  bool hopeless = false;  ///< of the last search: dividing the box would not help

  // Memory that proofs rest on.
  std::vector<std::span<const std::byte>> blocks;
  std::uint64_t memory_sum = 0, memory_words = 0;
  std::uint64_t check_at = 0, check_sum = 0, check_block = 0;
  std::string hash;       ///< of the world, the model and the options
  std::uint64_t key = 0;  ///< the same in short, and of the format of the memory
};

}  // namespace keepclear
