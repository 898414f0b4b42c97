// SPDX-License-Identifier: BSD-3-Clause
//
// Forward kinematics compiled from a robot model: links without a movable joint between them share
// a frame, and only frames are moved. Every pose comes with a bound on its error.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "keepclear/variable.hpp"
#include "robot/model.hpp"
#include "rounding/axis_rotation.hpp"
#include "rounding/rounding.hpp"

namespace keepclear {

/// A computed pose and what it may be off by.
struct BoundedPose {
  Pose X;
  rounding::PoseError error;
};
BoundedPose operator*(const BoundedPose& X_AB, const BoundedPose& X_BC);
/// The pose of an origin as files write it; a quaternion is of norm one to within 1e-6.
BoundedPose from_origin(const Origin& origin);

/// What a number of a configuration may be at most, either way.
inline constexpr double kLargestPosition = 1e9;  ///< metres
inline constexpr double kLargestAngle = 1e15;    ///< radians
/// Whether a number is an angle, not a position or a part of a quaternion.
bool is_angle(const Variable& variable) noexcept;

/// What moves a frame in its parent.
struct FrameJoint {
  JointType type = JointType::fixed;  ///< fixed for frame 0
  int variable = -1;                  ///< its first number in a configuration
  double gain_hi = 1;                 ///< of a mimic joint: at least |its value per that number|
  rounding::UnitAxis axis;            ///< in the frame itself, and in the joint's at zero
  std::string name{};
};

class Kinematics {
 public:
  /// A frame and how its joint moves it.
  struct Frame {
    int parent = -1;
    int last_below = 0;  ///< frames [this, last_below] are this one and those below it
    JointType type = JointType::fixed;
    int variable = -1;
    std::vector<std::pair<double, double>>
        mimic;                        ///< value -> multiplier * value + offset, in turn
    BoundedPose X_PJ;                 ///< of the joint at zero, in the parent frame
    double p_hi = 0;                  ///< at least |X_PJ.p|
    rounding::AxisRotation rotation;  ///< revolute, continuous, planar
    /// Along the axis (prismatic), or along two directions across it (planar).
    rounding::AxisTranslation slide[2];
    FrameJoint joint;

    bool turns() const noexcept {
      return type == JointType::revolute || type == JointType::continuous;
    }
    /// A hinge that is where it was when its number has grown by a full turn: it has the number
    /// itself for its angle, or follows it by whole multiples.
    bool returns_after_a_turn() const noexcept;
  };

  explicit Kinematics(const RobotModel& robot);

  std::span<const Variable> variables() const noexcept { return variables_; }
  /// Zero, or the nearest limit; (0, 0, 0, 1) for quaternions.
  std::vector<double> neutral() const;

  int frame_count() const noexcept { return static_cast<int>(frames_.size()); }
  /// -1 for frame 0, the root's. A parent comes before its children.
  int parent(int frame) const noexcept { return frames_[frame].parent; }
  /// Frames [frame, last_below(frame)] are the frame itself and all that it carries.
  int last_below(int frame) const noexcept { return frames_[frame].last_below; }
  const FrameJoint& joint(int frame) const noexcept { return frames_[frame].joint; }
  const Frame& frame(int frame) const noexcept { return frames_[frame]; }
  /// The frame of a link and its constant pose there.
  int frame_of_link(int link) const noexcept { return links_[link].frame; }
  const BoundedPose& pose_in_frame(int link) const noexcept { return links_[link].X_FL; }

  /// Poses X_OF of all frames F below `origin` (itself included, as identity); others are left as
  /// they are. Joints above the origin drop out. `poses` has frame_count() places. False, and
  /// nothing promised of `poses`, when q is no configuration: a wrong size, a value that is not
  /// finite, a position beyond 1e9 m, an angle beyond 1e15 rad, a quaternion whose norm is off one
  /// by more than 1e-6, a mimic joint sent where its position means nothing. On success every error
  /// is a number, at most 1e-3 of rotation and 1 m.
  bool forward(std::span<const double> q, int origin, std::span<BoundedPose> poses) const noexcept {
    return forward(q, origin, last_below(origin), poses);
  }
  /// The same for the frames up to `last` alone; all frames on the way to one come before it.
  bool forward(std::span<const double> q, int origin, int last,
               std::span<BoundedPose> poses) const noexcept;
  /// What `forward` asks of q alone: size, finite values, positions and quaternions that are some.
  bool is_configuration(std::span<const double> q) const noexcept;

 private:
  struct LinkPlace {
    int frame = 0;
    BoundedPose X_FL;
  };

  void add_frame(const RobotModel& robot, const Joint& joint, int parent, const BoundedPose& X_PJ,
                 const std::vector<int>& variable_of_joint);
  BoundedPose joint_pose(const Frame& frame, const double* q, double& p_hi) const noexcept;

  std::vector<Variable> variables_;
  std::vector<Frame> frames_;
  std::vector<LinkPlace> links_;
  std::vector<int> quaternions_;  ///< first variables of floating joints' rotations
  std::vector<double> magnitude_limit_;
};

}  // namespace keepclear
