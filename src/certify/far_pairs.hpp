// SPDX-License-Identifier: BSD-3-Clause
//
// The cheap first look at a box: balls around all bodies, carried up the tree through one point a
// joint, once for all pairs. Most pairs are so far apart that nothing else need be asked.
#pragma once

#include <span>
#include <vector>

#include "keepclear/box.hpp"
#include "scene/world.hpp"
#include "sweep/swept_body.hpp"

namespace keepclear {

class FarPairs {
 public:
  /// `data` must outlive this.
  explicit FarPairs(const WorldData& data);

  /// The balls over a box, an interval for each number of a configuration.
  void update(std::span<const Interval> box) noexcept;

  /// At most the distance of two links anywhere in the box; minus infinity where nothing is shown.
  double links_lo(const LinkPair& pair) const noexcept;
  /// True only if everything that stands still, and is checked against a link, is farther away from
  /// it than `need` metres anywhere in the box.
  bool surroundings_beyond(int solid, double need) const noexcept;

 private:
  struct Ball {
    Vec3 centre;
    double radius_hi = 0;
  };
  const Ball& ball(int body, int frame) const noexcept {
    return balls_[first_[body] + depth_[frame]];
  }

  const WorldData& data_;
  std::vector<std::size_t> depth_;  ///< of frames
  std::vector<std::size_t> first_;  ///< of bodies: one ball for each frame from the root down
  std::vector<int> meeting_;        ///< of link pairs
  std::vector<Stage> stages_;
  std::vector<Ball> balls_;
};

}  // namespace keepclear
