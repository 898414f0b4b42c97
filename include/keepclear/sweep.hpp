// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "keepclear/body.hpp"
#include "keepclear/box.hpp"
#include "keepclear/world.hpp"

namespace keepclear {

/// How finely a joint is followed. Points for each point of what is behind it: of a hinge `turn`,
/// of a slide `slide`, of a planar joint turn * slide^2, of a floating one (1 or 6) * slide^3.
/// Hinges and slides of one number (mimic joints) with two points or more each are swept together
/// by a volume that passes several of them: m of those make m + 1 points.
struct JointOperator {
  int turn = 1;   ///< 1: Circ1, 2: Circ2, S + 2: Circ(S+2), up to 12; floating: 1, or more for 6
  int slide = 1;  ///< 1: the middle and a radius, 2: both ends

  friend constexpr bool operator==(const JointOperator&, const JointOperator&) = default;
};

/// Which operator follows which joint: one for each joint that moves, those that follow another
/// included, in the order of swept_joints(). Fixed when a Sweep is built, so that the volumes of
/// two boxes have the same points in the same order and can be compared one by one.
struct SweepPlan {
  std::vector<JointOperator> operators;

  friend bool operator==(const SweepPlan&, const SweepPlan&) = default;
};

/// The joints that move, mimic joints among them, depth first as in the URDF, robot by robot.
std::vector<std::string> swept_joints(const World& world);

/// The same operator everywhere.
SweepPlan uniform_plan(const World& world, JointOperator op);
/// The rule of the paper: two points at the first `fine` joints of every chain from the root on,
/// counted along it, and one above them.
SweepPlan paper_plan(const World& world, int fine);

struct AutomaticPlanOptions {
  /// Points of all volumes together, at most; the coarsest plan where even that has more.
  std::size_t points = 1000;
  /// Half the widths of the boxes that are expected, one for each number of a configuration; if
  /// empty, 0.1 rad and 0.02 m.
  std::vector<double> half_widths{};
  /// Configurations that the over-estimation is averaged over.
  int samples = 16;
  unsigned seed = 1;
};
/// The plan of least expected over-estimation (the growth of radius and support beyond the true
/// hull, averaged over volumes, directions and poses) within a number of points. Never worse, by
/// that measure, than paper_plan of the same number of points.
SweepPlan automatic_plan(const World& world, const AutomaticPlanOptions& options = {});

/// What a body covers in a frame while the joints range over a box.
struct SweptVolume {
  int body = 0;   ///< index into World::bodies()
  int frame = 0;  ///< 0: the world's; else that of swept_joints()[frame - 1]
  Volume volume;  ///< in that frame; contains every pose of the body, rounding included
};

/// What a Sweep shows of the checked pairs.
struct SweptClearance {
  /// Metres: at least this far apart is every checked pair in every configuration of the box. Not
  /// positive where that is not shown (a signed bound, then).
  double clearance = 0;
  int a = -1, b = -1;  ///< the pair that it is of, indices into World::solids(); -1: no pairs
};

/// Swept volumes of all checked bodies, each in the frames in which it meets a partner: the lowest
/// common ancestors (paper 1, III). Owns all its memory: the constructor allocates, nothing else
/// does, and the work does not depend on the box. One object a thread.
class Sweep {
 public:
  /// Throws Error (usage) for a plan of the wrong size or with operators that are none, and for one
  /// of more than kMaxPoints points.
  Sweep(const World& world, const SweepPlan& plan);
  ~Sweep();
  Sweep(Sweep&&) noexcept;
  Sweep& operator=(Sweep&&) noexcept;

  static constexpr std::size_t kMaxPoints = 50'000'000;

  /// Computes all volumes over a box of World::dof() intervals. False for one of the wrong size,
  /// empty, or not a number: nothing is promised of the volumes then. Without limits: volumes of
  /// infinite radius.
  bool update(std::span<const Interval> box) noexcept;
  /// The volumes of the last update, in the same order always: valid until the next.
  std::span<const SweptVolume> volumes() const noexcept;
  /// Points of all volumes together.
  std::size_t point_count() const noexcept;
  /// The least clearance of any checked pair over the last box, margins left aside. Ends a pair
  /// once it is shown to be farther than the least so far. Infinite when nothing is checked, minus
  /// infinity when the last update was none or a volume is everything.
  SweptClearance clearance() noexcept;

  struct Impl;

 private:
  std::unique_ptr<Impl> impl_;
};

}  // namespace keepclear
