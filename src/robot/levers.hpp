// SPDX-License-Identifier: BSD-3-Clause
//
// How far bodies can have moved since an anchor pose, from the joint values alone: a joint that
// turns by d moves a point no farther than d times its distance from the axis. No poses are
// computed until the bound is used up. docs/theory/levers.md has the proof.
#pragma once

#include <span>
#include <vector>

#include "robot/kinematics.hpp"

namespace keepclear {

/// A body as its levers see it: a capsule around it in the anchor pose, from a to b, errors of the
/// pose inside its radius. A ball has both ends in one.
struct LeverBody {
  int frame = 0;
  Vec3 a, b;
  double radius_hi = 0;
};

/// Two bodies, by number, and how much nearer (metres) they may come to each other.
struct PairSlack {
  int a = 0, b = 0;
  double slack = 0;
};

class Levers {
 public:
  /// Room for that many bodies; nothing is allocated afterwards.
  Levers(const Kinematics& kinematics, std::size_t max_bodies);

  /// `bodies` in ascending order of their frames; a frame below 1 is not moved by any joint.
  /// `frames` are the poses at q. `allowance` (metres): displacements are vouched for up to this.
  void anchor(std::span<const double> q, std::span<const BoundedPose> frames,
              std::span<const LeverBody> bodies, double allowance) noexcept;

  /// displacement[i]: at least how far any point of body i is from where it was at `from`, and both
  /// are vouched for; room for places() numbers. False if a body may be farther from the anchor
  /// than the allowance, or a joint that is neither a hinge nor a slide has moved. `from` is the
  /// anchor, or a q that was vouched for.
  bool displacement(std::span<const double> from, std::span<const double> q,
                    std::span<double> displacement) const noexcept;

  /// At least how much nearer two bodies have come since the anchor, where q was vouched for:
  /// joints above both do not count.
  double nearer_hi(int a, int b, std::span<const double> q) const noexcept;

  /// What each body may move from the anchor, and what pairs of bodies may come nearer, as one
  /// weight for each number of a configuration.
  void condense(std::span<const double> slack, std::span<const PairSlack> pairs) noexcept;
  /// True only if q is finite, every body has moved by less than its slack, every pair has
  /// come nearer by less than its own, and all is within the allowance, where each body's way from
  /// `last` to q, times `rate`, counts as moved too. `last` is the anchor or was vouched for. A few
  /// operations a joint; says no more often than it must.
  bool surely_within(std::span<const double> last, std::span<const double> q,
                     double rate) const noexcept;

  /// The bodies of the anchor, rounded up to whole blocks.
  std::size_t places() const noexcept { return places_; }
  static constexpr std::size_t kBlockOfBodies = 4;
  std::span<const double> anchor_q() const noexcept { return anchor_; }
  double allowance() const noexcept { return allowance_; }

 private:
  /// The bodies that a joint moves are neighbours: whole blocks of them from `first` on, with a
  /// lever of zero for those that it does not move.
  struct Row {
    int variable = 0, width = 1;
    double gain_hi = 1;
    bool other = false;                           ///< planar or floating: must not move
    std::size_t first = 0, count = 0, lever = 0;  ///< count: a multiple of a block
  };

  /// Zero for a body that the joint does not move.
  double lever_of(const Row& row, int body) const noexcept {
    const std::size_t k = static_cast<std::size_t>(body) - row.first;
    return k < row.count ? levers_[row.lever + k] : 0.0;
  }

  const Kinematics& kinematics_;
  std::vector<double> anchor_;
  std::vector<Row> rows_;
  std::size_t row_count_ = 0, places_ = 0;
  std::vector<double> levers_;
  double allowance_ = 0;
  std::vector<double> weight_, speed_weight_;  ///< of each number of a configuration
  bool has_other_ = false;
};

}  // namespace keepclear
