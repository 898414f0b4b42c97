// SPDX-License-Identifier: BSD-3-Clause
//
// What a Watch holds: who moves, who is near whom, and until when nothing can have happened.
//
// A mover's travel t is how far any point of it has moved, at most, up to the last anchor: a cycle
// in which poses were computed. Since then it has moved by no more than d, which levers bound from
// the joint values alone. Its tolerance s is what its speed asks for, and its use t + d + s. A
// partner that stands still was at distance D or more when the travel was t0, and is asked to stay
// m away: it is clear while the use is below D + t0 - m, its limit. Of a partner that moves the
// uses are added up. docs/theory/watch.md.
#pragma once

#include <cstdint>
#include <limits>
#include <unordered_set>
#include <utility>
#include <vector>

#include "keepclear/watch.hpp"
#include "robot/levers.hpp"
#include "scene/solve.hpp"
#include "scene/world.hpp"

namespace keepclear {

/// How a solid moves: with a frame, or not at all.
struct Carrier {
  int frame = -1;       ///< -1: it stands in the world
  BoundedPose X;        ///< of the solid in that frame, or in the world
  BoundedPose X_WS;     ///< at the anchor
  bool simple = false;  ///< X is the identity
  bool moving = false;  ///< has movers
};

/// A partner of a mover. `limit`: clear while the uses stay below it. `again_at`: half way there;
/// where poses are at hand anyway, it is measured again from then on, so that quiet cycles last.
struct Partner {
  int item = -1;
  std::int32_t next = -1;
  double limit = -std::numeric_limits<double>::infinity();
  double again_at = limit;
  GjkCache cache;
};

/// One body, or one piece of an object, that moves.
struct Mover {
  int item = -1, solid = -1;
  // In the solid's frame: a ball around it, a capsule, and how far from the origin it reaches.
  Vec3 centre_S, end_a_S, end_b_S;
  double ball_hi = 0, radius_hi = 0, reach_hi = 0;
  // At the anchor.
  Vec3 centre;
  Mat3 R;
  double error_hi = 0;
  bool seen = false;  ///< the above is known
  double travel_hi = 0;
  double speed_hi = 0, tolerance = 0;  ///< of the last cycle
  double use = 0;
  /// Partners must be looked up again beyond this use, and better are from `again_at` on.
  double lookup_at = -std::numeric_limits<double>::infinity();
  double again_at = lookup_at;
  double slack = 0;             ///< metres: of the box in the octree
  std::uint64_t looked_up = 0;  ///< in this cycle
  /// All partners that stand still are clear below this use; none wants a new measure below the
  /// other.
  double quiet_below = -std::numeric_limits<double>::infinity();
  double measure_at = quiet_below;
  std::int32_t standing = -1, moving = -1;  ///< lists of partners
  bool overflow = false;                    ///< there was no room for all partners
};

struct Touch {
  int object = -1, other = -1;
};

struct Watch::Impl {
  Impl(const World& world, const WatchOptions& options);

  WatchCycle step(std::span<const double> q, double dt);
  bool attach(int object, int link, std::span<const int> touch);
  bool release(int object);
  bool place(int object, const Pose& X_WO);
  bool expect_contact(int link, int object, double max_speed);
  void reset();
  WatchCycle refuse();

  // watch.cpp: construction and the cycle.
  void require_options() const;
  void build_solids();
  void build_index();
  /// Nothing can have happened since the anchor: proved from the joint values alone.
  bool nothing_happened(std::span<const double> q, double dt);
  /// Poses, travel and speeds at q.
  bool drop_anchor(std::span<const double> q, double dt);
  void prepare_quiet_cycles(std::span<const double> q);

  // watch_change.cpp: who moves.
  bool add_movers(int solid);
  void remove_movers(int solid);
  void arrange();
  void stir();
  void settle(int object);
  bool come_up_to_date();
  bool is_object(int solid) const;
  bool is_link(int solid) const;
  void forget_touches(int object);

  // watch_partners.cpp: who is near, and how near.
  void drop_list(std::int32_t& head);
  void drop_partners(Mover& mover);
  bool has_partner(const Mover& mover, int item) const;
  bool checked(int a, int b) const;
  double margin_of(int a, int b) const;
  void choose_slack(Mover& mover) const;
  void look_up(Mover& mover);
  void go_through_standing(Mover& mover);
  void examine(Mover& mover, Partner& partner);
  double measure(int a, int b, double asked, GjkCache& cache, Imminent& report);
  double measure_fine(int a, const BoundedPose& X_a, int b, const BoundedPose& X_b,
                      const PairOptions& how, Imminent& report);
  void take(const Imminent& report);
  bool contact_is_meant(int a, int b) const;
  double speed_of(int solid) const;
  PieceView view_of(int item, Workbench& bench) const;
  PieceView fine_view(int item, int k, Workbench& bench) const;
  Box box_of(int item) const;

  int solid_of_item(int item) const {
    if (item < first_piece) return item;
    return data.environment.solid_of(static_cast<std::uint32_t>(item - first_piece));
  }
  std::uint32_t piece_of(int item) const { return static_cast<std::uint32_t>(item - first_piece); }
  bool has_finer(int item) const { return item < first_piece && is_plain[item] == 0; }
  int fine_count(int item) const {
    return item < first_piece ? fine[item].second - fine[item].first : 1;
  }

  World keep;
  const WorldData& data;
  WatchOptions options;
  double time_hi = 0;  ///< reaction and stopping time

  // Solids and items. Items of the octree: the coarse body of each link, then every piece.
  std::vector<Carrier> carriers;          ///< of each solid
  std::vector<std::pair<int, int>> fine;  ///< bodies of each link
  std::vector<Body> coarse;               ///< of each link
  std::vector<char> is_plain;             ///< its coarse body is its only one
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pieces_of;  ///< of each standing object
  std::unordered_set<std::uint64_t> link_pairs;
  int first_piece = 0;
  Octree index;

  // Who moves, in the order of the frames; and their partners.
  std::vector<Mover> movers;
  std::vector<int> mover_of;   ///< of each item; -1: it stands
  std::vector<int> in_motion;  ///< solids that have movers
  std::vector<Partner> partners;
  std::int32_t first_free = -1;
  std::vector<SolidContact> contacts;
  std::vector<Touch> touching;

  // The anchor, and what is watched from it.
  std::vector<BoundedPose> frames, frames_before;
  std::vector<double> anchor_q, last_q;
  Levers levers;
  std::vector<LeverBody> lever_bodies;
  std::vector<double> moved, moved_now, use, slack;
  std::vector<PairSlack> pairs;  ///< movers by number
  bool has_last = false;         ///< there was a cycle
  bool quiet = false;            ///< levers and pairs stand, and all was clear

  Workbench bench_a, bench_b;
  EpaWorkspace space;
  std::vector<Imminent> listed;
  std::size_t unlisted = 0;
  Verdict worst = Verdict::free;
  WatchCounters counters;
};

}  // namespace keepclear
