// SPDX-License-Identifier: BSD-3-Clause
//
// Balls of displacements around the pose in the middle of a part of a path: every displacement that
// a body has on the part is within a radius of the one it has there, in a metric that the body
// gives. A point of it then is within that radius times its distortion of where the middle has it.
// docs/theory/displacements.md, "Links of a robot".
#pragma once

#include <cstdint>
#include <vector>

#include "certify/motion_bounds.hpp"
#include "keepclear/displacement.hpp"
#include "sweep/between_fat.hpp"

namespace keepclear {

class MotionBalls {
 public:
  /// The metric of a body, that of the corners of the box around its points in the frame that
  /// carries it, and how far it lets its points go: none has a distortion of more than 2.
  struct BodyMetric {
    DisplacementMetric metric;
    AlignedVector distortion;  ///< of each point, padded as the tables are; at least
    double largest = 0;        ///< of them
    double reach_hi = 0;       ///< root mean square of the distance from the frame's origin
    double spread_hi = 0;      ///< the same from the barycentre
  };

  /// `data` must outlive this.
  explicit MotionBalls(const WorldData& data);

  const BodyMetric& of(int body) const noexcept { return bodies_[static_cast<std::size_t>(body)]; }

  /// Begins with the part of a path that `bounds` has in hand, with a pose on it, in the middle or
  /// about there. All of them must stay as they are until the next begin.
  void begin(const MotionBounds& bounds, const PosedWorld& first, const PosedWorld& middle,
             const PosedWorld& last) noexcept;
  /// At least the distance, in the metric of the body and in a frame that carries it, of its
  /// displacement in the middle from any that it has on the part, tube included. May be infinite.
  double radius_hi(int body, int frame) noexcept;

  /// A body as it is on the part; `more` is added to its radius.
  FatConvex fat(int body, int frame, const Convex& piece, double more) noexcept {
    const BodyMetric& metric = of(body);
    return {&piece, metric.distortion.data(), metric.largest,
            rounding::inflate(radius_hi(body, frame) + more, 1)};
  }

 private:
  double computed_radius_hi(int body, int frame) const noexcept;
  /// At least the root mean square of the distance of a body's feature points from the axis (or
  /// centre) of a joint, in the middle. `centre` and `axes` are images of its barycentre and axes.
  double lever_hi(const BodyMetric& metric, int body_frame, int joint_frame, Vec3 centre,
                  const Vec3 axes[3]) const noexcept;

  const WorldData& data_;
  std::vector<BodyMetric> bodies_;
  const MotionBounds* bounds_ = nullptr;
  const PosedWorld* poses_[3] = {nullptr, nullptr, nullptr};  ///< first, middle, last
  double longer_ = 0.5;       ///< at least the share of the way that is before the middle, or after
  std::vector<double> rest_;  ///< of each number: how far the middle is from the line of the ends
  std::vector<double> radius_;  ///< by frame and body
  std::vector<std::uint64_t> made_;
  std::uint64_t part_ = 0;
};

/// At least how far any point of a body, or of the bodies of a solid (as balls of `bounds` are
/// numbered), goes with a displacement within `deviation` of where it should be; zero for what no
/// joint moves.
std::vector<double> deviations_hi(const WorldData& data, const MotionBounds& bounds,
                                  const MotionBalls& balls, double deviation);

}  // namespace keepclear
