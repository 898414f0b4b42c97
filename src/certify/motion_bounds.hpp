// SPDX-License-Identifier: BSD-3-Clause
//
// How far bodies can be from where a few poses show them, while the joints go along a part of a
// path: from levers measured in a pose at hand, and what can change of them on the way. All bounds
// of paper 3, corrected: a lever of a joint takes in everything behind it, whichever of two bodies
// is taken to move. docs/theory/certify.md has the proofs.
#pragma once

#include <span>
#include <vector>

#include "certify/joint_step.hpp"
#include "motion/path_data.hpp"
#include "scene/world.hpp"
#include "shape/aligned.hpp"

namespace keepclear {

/// All frames and the balls around all bodies at one place of a path.
struct PosedWorld {
  std::vector<double> q;
  std::vector<BoundedPose> frames;
  AlignedVector x, y, z;      ///< centres of balls, in the origin's frame and the order of rows
  rounding::PoseError error;  ///< the largest of any frame
  double point_error_hi = 0;  ///< at least what a point of any body may be off by, metres
  double place = 0;
  int users = 0;
};

/// How far a body can be, over the part, from what the poses at its ends show, in the frame of one
/// of the joints above it. Metres, at least.
struct Excursion {
  double bulge = 0;  ///< out of the straight way of each point between the poses of the ends
  double moved = 0;  ///< from any position on the part to any other, the tube left aside
  double tube = 0;   ///< from the path, by the tube

  double beside() const noexcept { return bulge + tube; }
};

/// What the axis of a joint in a pose may be turned by, radians.
inline double axis_off_hi(const PosedWorld& at, const FrameJoint& joint) noexcept {
  return at.error.rotation + joint.axis.error + rounding::gamma(32);
}

/// Divides the quaternions of a configuration by their norms.
void make_quaternions_unit(const Kinematics& kinematics, std::span<double> q) noexcept;

class MotionBounds {
 public:
  /// `data` must outlive this.
  explicit MotionBounds(const WorldData& data);

  /// Memory for a pose.
  PosedWorld make_posed() const {
    PosedWorld posed;
    posed.q.resize(difference_.size());
    posed.frames.resize(steps_.size());
    for (AlignedVector* v : {&posed.x, &posed.y, &posed.z}) v->resize(width_);
    return posed;
  }

  /// The ball around all bodies of a solid: it has excursions, a centre and a radius as bodies
  /// have. That of its only body, or one more number after those of all bodies.
  int ball_of_solid(int solid) const noexcept { return ball_of_solid_[solid]; }
  double radius_hi(int body) const noexcept { return balls_[body].radius_hi; }

  /// Everything at a place of a path, quaternions divided by their norms. False if that is no
  /// configuration.
  bool pose_at(const PathData& path, double place, PosedWorld& posed) const noexcept;
  /// The same at posed.q.
  bool pose(PosedWorld& posed) const noexcept;

  /// Begins with the part of a path between two places.
  void begin(const PathData& path, const PosedWorld& first, const PosedWorld& last) noexcept;
  /// How far each number is from the straight line between the ends at most, the half width of the
  /// tube, and, for quaternions, every value, tube included.
  std::span<const double> off() const noexcept { return off_; }
  std::span<const double> tube() const noexcept { return tube_; }
  std::span<const Interval> range() const noexcept { return range_; }
  const JointStep& step(int frame) const noexcept { return steps_[frame]; }
  /// Of a body, in a frame below the origin that carries it, or its own. Stands until the next
  /// begin.
  Excursion excursion(int body, int frame) const noexcept {
    const std::size_t at = row(frame) + row_of_[body];
    return {bulge_[at], moved_[at], tube_out_[at]};
  }
  Vec3 centre(const PosedWorld& posed, int body) const noexcept {
    const std::size_t at = row_of_[body];
    return {posed.x[at], posed.y[at], posed.z[at]};
  }
  /// About how far any body goes on a part, in metres, from levers in the neutral pose: a guess.
  double way_of(std::span<const double> from, std::span<const double> to) const noexcept;

  /// At least how much nearer two bodies can come, anywhere on a part, than they are in the pose
  /// `at` on it, where each number differs from that pose by no more than `way` (radians, metres).
  /// Joints above both drop out; of each joint between, the lesser lever of the two bodies counts.
  /// Without a body B (-1): than what stands still. Quaternions are in range().
  double approach_hi(int body_a, int body_b, std::span<const double> way,
                     const PosedWorld& at) noexcept;

  int meeting(int frame_a, int frame_b) const noexcept;

 private:
  /// At least the distance of any point of a body from the axis (or centre) of a frame's joint.
  double lever_hi(int body, int frame, const PosedWorld& at) const noexcept;
  JointStep step_of(int frame) const noexcept;
  std::size_t row(int frame) const noexcept { return static_cast<std::size_t>(frame) * width_; }

  /// A ball around a body, or around all bodies of a solid, in its frame.
  struct BodyBall {
    int frame = 0;
    Vec3 centre;
    double radius_hi = 0;
  };
  void list_balls();

  const WorldData& data_;
  std::vector<BodyBall> balls_;
  std::vector<int> ball_of_solid_;
  std::vector<std::size_t> row_of_;                          ///< of bodies: in the order of frames
  std::vector<std::pair<std::size_t, std::size_t>> behind_;  ///< of frames: bodies they carry
  AlignedVector radius_hi_;                                  ///< of the balls around bodies
  std::vector<double> usual_lever_;                          ///< of frames, a guess
  double reach_hi_ = 0;                                      ///< the largest of any body
  bool has_floating_ = false;
  std::vector<double> difference_, off_, tube_;
  JointBox range_, path_range_;     ///< with the tube, and without
  const PathData* path_ = nullptr;  ///< that of begin, where a joint is floating
  std::vector<double> raw_;         ///< a position of it, quaternions as they come
  std::vector<JointStep> steps_;    ///< of frames
  // Sums along the chain, by body, and bounds, by frame and body.
  AlignedVector second_, moved_sum_, off_sum_, tube_sum_;
  std::size_t width_ = 0;
  AlignedVector bulge_, moved_, tube_out_;
  // Of approach_hi: joints from B to A.
  struct Link {
    int frame;
    double turn, slide;
    double from_a, from_b;
  };
  std::vector<Link> chain_;
};

}  // namespace keepclear
