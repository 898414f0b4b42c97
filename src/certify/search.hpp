// SPDX-License-Identifier: BSD-3-Clause
//
// Branch and bound for two solids, or one and everything that stands still, over a box of the
// joints between them. A part of the box is settled when every pair of bodies that is still open
// there is proved apart as swept volumes; the part of least bound is divided next, along the joint
// that moves the two against each other most. The middle of every part is tried as it is: a contact
// there ends the search. Proofs are those of the separation check alone; everything else here
// chooses where to look.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <queue>
#include <span>
#include <vector>

#include "keepclear/box.hpp"
#include "rounding/infinity.hpp"
#include "scene/solve.hpp"
#include "scene/world.hpp"
#include "sweep/swept_body.hpp"

namespace keepclear {

/// Metres beyond what is asked that the surroundings are looked at, so that what is not found there
/// is proved to be farther away than asked.
inline constexpr double kLookFarther = 1e-3;

/// How closely a clearance is to be known: within so many metres of the least distance, or within a
/// share of it, whichever is more.
struct Closeness {
  double metres = 0, share = 0;

  /// What is to be shown where `nearest` is the least distance known; minus infinity where any
  /// proof will do.
  double goal(double nearest) const noexcept {
    const double aim = nearest - std::max(metres, share * nearest);
    return std::isfinite(aim) ? aim : -std::numeric_limits<double>::infinity();
  }
};

/// Memory for searching, one a thread: nothing in it outlives a call.
struct SearchWorkspace {
  explicit SearchWorkspace(const WorldData& data);

  std::vector<BoundedPose> frames;
  std::vector<Stage> stages;
  std::vector<double> q;
  JointBox box;  ///< of the part in hand; numbers that do not matter are anything
  EpaWorkspace epa;
  Workbench bench;
};

class PairSearch {
 public:
  /// Two links with bodies. `data` must outlive this. Without `margins` those of the scene do not
  /// count.
  PairSearch(const WorldData& data, int solid_a, int solid_b, bool margins = true);
  /// A link and all that stands still and is checked against it.
  PairSearch(const WorldData& data, int solid);

  /// The numbers of a configuration that move one against the other.
  std::span<const int> variables() const noexcept { return variables_; }
  int solid_a() const noexcept { return solid_a_; }
  /// The other link; of the surroundings, the solid that is nearest, in contact or open.
  int solid_b() const noexcept { return solid_b_ >= 0 ? solid_b_ : nearest_solid_; }

  /// Begins with a box, an interval for each number of a configuration: one test of the whole, and
  /// a look at a few poses if that does not show it free. `margin` counts beside that of the scene
  /// for the pair; `closeness` and `nearest_hi` as in `run`.
  void start(std::span<const Interval> box, double margin, Closeness closeness, double nearest_hi,
             SearchWorkspace& space);
  /// Goes on for about that many tests, or until the verdict stands and `clearance` is close to the
  /// lesser of `distance()` and `nearest_hi`.
  void run(std::size_t tests, Closeness closeness, double nearest_hi, SearchWorkspace& space);
  /// Tries that many configurations of the box at random, and descends from the nearest of them:
  /// for finding contacts. With `deepest` it goes on into a contact.
  void probe(std::size_t samples, unsigned seed, bool deepest, SearchWorkspace& space);

  /// How many of that many poses at random are in contact.
  std::size_t share_in_contact(std::size_t samples, unsigned seed, std::span<const Interval> box,
                               SearchWorkspace& space);
  /// Of two links: true only if some bodies of the two overlap in every configuration of the box.
  /// Divides it into no more parts than `budget`. False of joints that are neither hinges nor
  /// slides.
  bool overlap_throughout(std::span<const Interval> box, std::size_t budget,
                          SearchWorkspace& space);

  Verdict verdict() const noexcept;
  /// At most the real distance anywhere in the box, metres; may be negative.
  double clearance() const noexcept;
  /// The least distance found, and where; minus the depth after a descent into a contact.
  double distance() const noexcept { return distance_; }
  const std::vector<double>& nearest() const noexcept { return nearest_; }
  std::size_t tests() const noexcept { return tests_; }
  /// True when nothing is left whose division could change the verdict or, of a free box, the
  /// clearance.
  bool exhausted() const noexcept {
    return parts_.empty() || (!(settled_room_ > 0) && parts_.top().room > 0);
  }

 private:
  /// A body of the first solid, and one of the second, or a piece of the surroundings: bodies by
  /// their place in bodies_a_ and bodies_b_.
  struct Item {
    std::uint32_t body = 0;
    std::uint32_t other = 0;
  };
  struct Part {
    double lower = -kInfinity;  ///< of every item, those that were dropped included
    double room = -kInfinity;   ///< the same less the margin of each
    double dropped_lower = kInfinity, dropped_room = kInfinity;
    double near = 0;  ///< a guess of how near they come: the distance in a middle above
    /// Of the surroundings: `open` has all that is not farther away than this, or is dropped.
    double look = -kInfinity;
    int split = -1;  ///< of variables_: along which to divide it; -1: it cannot be
    std::uint32_t order = 0;
    std::vector<Interval> box;  ///< of variables_
    std::vector<Item> open;

    /// Parts that are not proved come first, then the least bound; then the oldest.
    double key() const noexcept { return room > 0 ? lower : room - 1e9; }
  };
  struct Later {
    bool operator()(const Part& a, const Part& b) const noexcept {
      return a.key() != b.key() ? a.key() > b.key() : a.order > b.order;
    }
  };

  void set_up(int frame_a, int frame_b);
  /// The box to search: of a hinge that may go round more than once, one turn. And a configuration
  /// of it, for the numbers that do not move the two.
  void set_box(std::span<const Interval> box);
  /// By how much a number must change, at least, for the two to be to each other as they were;
  /// infinite if they never are, or that is not known.
  double period_of(int variable) const;
  double margin_of(const Item& item) const;
  PieceView view_other(const Item& item, SearchWorkspace& space) const;
  const BoundedPose& pose_other(const Item& item, const SearchWorkspace& space) const;
  PairAnswer solve(const Item& item, double stop_above, bool deepest, SearchWorkspace& space) const;

  /// Goes to space.q. False if that is no configuration.
  bool pose(SearchWorkspace& space) const;
  /// The middle of a part to space.q. False if it is outside of the part: a quaternion whose
  /// middle is none.
  bool set_middle(const Part& part, std::vector<double>& q) const;
  /// Takes in what was found at space.q.
  void take(const Item& item, const PairAnswer& answer, const SearchWorkspace& space);

  void add(Part part);
  /// Bounds a part, down to `goal` where that is possible, and tries its middle.
  void assess(Part& part, double goal, SearchWorkspace& space);
  double bound(const Item& item, const SweptBody& a, std::span<const SweptBody> swept_b, Vec3 start,
               double enough, SearchWorkspace& space) const;
  /// The stages of all joints on the way, in space.stages: first those of path_a_.
  void make_stages(const Part& part, bool posed, SearchWorkspace& space) const;
  /// Pieces near a swept body. False if there are too many of them to look at.
  bool list_pieces(std::uint32_t body, const SweptBody& swept, double look,
                   std::vector<Item>& open) const;
  void choose_split(Part& part, bool posed, SearchWorkspace& space) const;
  /// How far a joint moves the link behind it, metres per radian, in the pose of space.frames. A
  /// guess that only steers.
  double lever_of(int frame, bool of_b, const SearchWorkspace& space) const;
  /// Half of what a joint's numbers move the link behind it, metres: a guess.
  double sway_of(int frame, bool of_b, bool posed, const SearchWorkspace& space) const;
  /// The nearest item at space.q. False if that is no configuration.
  bool nearest_at(bool deepest, Item& item, PairAnswer& answer, SearchWorkspace& space);
  /// From space.q on, downhill in the distance of an item, within the box.
  void descend(Item item, bool deepest, SearchWorkspace& space);
  /// A pose of the box at random to space.q. False if it is none, or not in the box.
  template <typename Random>
  bool set_random(Random& random, SearchWorkspace& space) const;
  /// At least how far each body is moved from where it is in the middle of a part, in the meeting
  /// frame. False of joints that are neither hinges nor slides.
  bool moves_at_most(const Part& part, SearchWorkspace& space, std::vector<double>& way_a,
                     std::vector<double>& way_b) const;
  /// What the distance of an item changes by, metres per radian or metre, for each of variables_.
  void gradient(const PairAnswer& answer, const SearchWorkspace& space,
                std::vector<double>& slope) const;

  const WorldData& data_;
  int solid_a_ = -1, solid_b_ = -1, nearest_solid_ = -1;
  int meeting_ = 0;                   ///< the frame in which they meet
  int last_ = 0;                      ///< of the frames on the way to either
  std::vector<int> path_a_, path_b_;  ///< frames from there down to each
  std::vector<int> variables_;        ///< of their joints
  std::vector<int> bodies_a_, bodies_b_;
  Ball ball_a_, ball_b_;   ///< around them, in their frames; guesses
  std::vector<Item> all_;  ///< of two links
  bool margins_ = true;
  double margin_ = 0;
  JointBox box_;              ///< the whole
  bool base_inside_ = true;   ///< base_ is in the box, quaternions included
  std::vector<double> base_;  ///< a configuration in it
  std::priority_queue<Part, std::vector<Part>, Later> parts_;
  /// Of parts that cannot be divided.
  double settled_lower_ = kInfinity, settled_room_ = kInfinity;
  bool contact_ = false;
  double distance_ = kInfinity;
  std::vector<double> nearest_;
  std::size_t tests_ = 0;
  std::uint32_t order_ = 0;
};

}  // namespace keepclear
