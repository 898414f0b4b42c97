// SPDX-License-Identifier: BSD-3-Clause
//
// The bodies that a guard moves, and where they are in the middle of a joint box: poses, points and
// motions are computed when they are asked for, once a box.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "scene/world.hpp"
#include "shape/aligned.hpp"
#include "sweep/spread.hpp"

namespace keepclear {

/// Yes or no in memory that comes back from a file: any byte will do.
using Flag = std::uint8_t;

/// A convex body in the frame that moves it; frame 0 stands still.
struct GuardBody {
  int frame = 0, solid = 0;
  std::uint32_t first = 0, count = 0;  ///< its points
  double radius_hi = 0;
  Vec3 centre;          ///< of a ball around the points, in the frame
  double ball_hi = 0;   ///< its radius
  double reach_hi = 0;  ///< at least every |point|, and |centre|
  std::uint32_t way =
      0;  ///< where the ways of its motions start, in GuardPose; one more at the end
  Flag active = 0;
};

/// Points that are looked at one by one without much ado.
inline constexpr std::uint32_t kFewPoints = kOutermost;

/// All bodies and their points. Room for more is made when it is built.
struct GuardBodies {
  std::vector<GuardBody> bodies;
  /// Of each body with many points, which is looked at by these first; else null.
  std::vector<const BodyTables*> tables;
  AlignedVector x, y, z;  ///< in the frames
  /// Of each frame: motions from the root to it, its own included.
  std::vector<int> motions_to;
  std::vector<std::uint8_t> shared;  ///< of each number: several joints move by it
  bool any_shared = false;
  std::vector<std::uint32_t> chain;  ///< where the chain of a frame starts, in GuardPose
  std::size_t chain_size = 0, way_size = 0;
};

/// Sets count, centre, ball and reach from the points that are there.
void measure_points(GuardBodies& all, GuardBody& body) noexcept;

class GuardPose {
 public:
  GuardPose(const WorldData& data, const GuardBodies& bodies);

  /// A new box; all frames below `origin`, in its frame, up to `last`. False where the middle of
  /// the box is no configuration.
  bool set(std::span<const Interval> box, int origin, int last) noexcept;
  /// Nothing is known any more.
  void clear() noexcept { is_set_ = false; }
  bool is_set() const noexcept { return is_set_; }

  /// Computes where a body is, if that is not known yet; and the floating-point operations of it.
  void place(int body) noexcept;
  std::uint64_t place_flops(int body) const noexcept;
  /// The same of a body that is not placed yet; of one that is yet to be carried, wherever.
  std::uint64_t place_flops_most(std::size_t body) const noexcept;
  /// Of a body that was placed: a ball around its points, and at least how far any of them is moved
  /// by all its motions but the first `skip`.
  Vec3 centre(int body) const noexcept { return centre_[body]; }
  double ball_hi(int body) const noexcept { return ball_hi_[body]; }
  double way_hi(int body, int skip) const noexcept {
    return ways_after_[all_.bodies[body].way + static_cast<std::size_t>(skip)];
  }
  /// A body that was placed as one of two that meet where `skip` motions are common to both. Valid
  /// until the next set().
  SpreadSide side(int body, int skip) const noexcept;
  /// Of a body with tables: the same, to be looked at by these.
  SpreadSide rough_side(int body, int skip) const noexcept;
  /// Floating-point operations of side(), and of what is asked of each of its motions once.
  std::uint64_t side_flops(int body, int skip) const noexcept {
    const auto k = static_cast<std::uint64_t>(all_.motions_to[all_.bodies[body].frame] - skip);
    return 8 + 24 * k + (all_.any_shared ? 4 * k * k : 0);
  }
  const BoundedPose& frame(int f) const noexcept { return frames_[f]; }
  std::span<const double> half_hi() const noexcept { return half_hi_; }
  /// Floating-point operations of set().
  std::uint64_t set_flops(int origin, int last) const noexcept {
    return 4 * middle_.size() + 200 * static_cast<std::uint64_t>(last - origin);
  }

 private:
  void fill_chain(int frame) noexcept;

  const WorldData& data_;
  const GuardBodies& all_;
  int origin_ = 0;
  bool is_set_ = false;
  std::uint32_t stamp_ = 0;
  std::vector<double> middle_, half_hi_;
  std::vector<BoundedPose> frames_;
  std::vector<SpreadMotion> motions_, chains_;  ///< of each frame; from the root to each
  std::vector<std::uint32_t> chain_stamp_, motion_stamp_, body_stamp_;
  AlignedVector x_, y_, z_;
  std::vector<Vec3> centre_;
  std::vector<double> ball_hi_, ways_, ways_after_, size_hi_, error_hi_, reach_, chain_reach_;
};

}  // namespace keepclear
