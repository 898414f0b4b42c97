// SPDX-License-Identifier: BSD-3-Clause
#include "robot/kinematics.hpp"
#include "rounding/infinity.hpp"

#include <algorithm>
#include <cmath>

namespace keepclear {
namespace {

using rounding::gamma;
using rounding::inflate;
using rounding::norm_hi;
using rounding::PoseError;

/// Two unit vectors across the axis; x and y when the axis is z. Any choice is a convention; this
/// one is exact for axes along a coordinate.
void across(Vec3 axis, Vec3& first, Vec3& second) {
  const double ax = std::fabs(axis.x), ay = std::fabs(axis.y), az = std::fabs(axis.z);
  const Vec3 helper = az >= ax && az >= ay ? Vec3{1, 0, 0}
                      : ax >= ay           ? Vec3{0, 1, 0}
                                           : Vec3{0, 0, 1};
  const Vec3 rest = helper - dot(helper, axis) * axis;
  first = (1 / norm(rest)) * rest;
  second = cross(axis, first);
}

}  // namespace

bool is_angle(const Variable& variable) noexcept {
  return variable.type == "revolute" || variable.type == "continuous" ||
         (variable.type == "planar" && variable.name.ends_with("/theta"));
}

BoundedPose operator*(const BoundedPose& X_AB, const BoundedPose& X_BC) {
  return {X_AB.X * X_BC.X,
          rounding::compose(X_AB.error, norm_hi(X_AB.X.p), X_BC.error, norm_hi(X_BC.X.p))};
}

BoundedPose from_origin(const Origin& origin) {
  if (origin.quaternion) {
    const Quaternion& q = *origin.quaternion;
    if (q == Quaternion{}) return {{Mat3{}, origin.xyz}, {}};
    return {{rounding::rotation_from_any_quaternion(q.x, q.y, q.z, q.w), origin.xyz},
            {rounding::kQuaternionError, 0}};
  }
  if (origin.rpy == Vec3{}) return {{Mat3{}, origin.xyz}, {}};
  return {{rotation_from_rpy(origin.rpy), origin.xyz}, {rounding::kRpyError, 0}};
}

Kinematics::Kinematics(const RobotModel& robot) : links_(robot.links.size()) {
  // Variables: movable joints that mimic none, depth first.
  const std::vector<int> order = robot.depth_first_joints();
  std::vector<int> variable_of_joint(robot.joints.size(), -1);
  auto add_variable = [&](const Joint& joint, const char* suffix, double lower, double upper) {
    variables_.push_back({suffix[0] == '\0' ? joint.name : joint.name + '/' + suffix, joint.name,
                          to_string(joint.type), lower, upper});
  };
  for (const int j : order) {
    const Joint& joint = robot.joints[j];
    if (joint.type == JointType::fixed || joint.mimic) continue;
    variable_of_joint[j] = static_cast<int>(variables_.size());
    switch (joint.type) {
      case JointType::planar:
        for (const char* suffix : {"x", "y", "theta"}) {
          add_variable(joint, suffix, -kInfinity, kInfinity);
        }
        break;
      case JointType::floating:
        for (const char* suffix : {"trans_x", "trans_y", "trans_z"}) {
          add_variable(joint, suffix, -kInfinity, kInfinity);
        }
        quaternions_.push_back(static_cast<int>(variables_.size()));
        for (const char* suffix : {"rot_x", "rot_y", "rot_z", "rot_w"}) {
          add_variable(joint, suffix, -1, 1);
        }
        break;
      default:
        add_variable(joint, "", joint.lower, joint.upper);
        if (joint.velocity > 0) variables_.back().velocity = joint.velocity;
    }
  }
  magnitude_limit_.assign(variables_.size(), kLargestPosition);
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    if (is_angle(variables_[i])) magnitude_limit_[i] = kLargestAngle;
  }

  // Frames, depth first, so that what is below a frame follows it directly.
  frames_.emplace_back();
  links_[robot.root] = {0, {}};
  for (const int j : order) {
    const Joint& joint = robot.joints[j];
    const LinkPlace& parent = links_[joint.parent];
    const BoundedPose X_FJ = parent.X_FL * from_origin(joint.origin);
    if (joint.type == JointType::fixed) {
      links_[joint.child] = {parent.frame, X_FJ};
    } else {
      add_frame(robot, joint, parent.frame, X_FJ, variable_of_joint);
      links_[joint.child] = {frame_count() - 1, {}};
    }
  }
  for (int f = frame_count() - 1; f >= 0; --f) {
    frames_[f].last_below = std::max(frames_[f].last_below, f);
    if (f > 0) {
      Frame& up = frames_[frames_[f].parent];
      up.last_below = std::max(up.last_below, frames_[f].last_below);
    }
  }
}

void Kinematics::add_frame(const RobotModel& robot, const Joint& joint, int parent,
                           const BoundedPose& X_PJ, const std::vector<int>& variable_of_joint) {
  Frame frame;
  frame.parent = parent;
  frame.type = joint.type;
  frame.X_PJ = X_PJ;
  frame.p_hi = norm_hi(X_PJ.X.p);
  // The chain of mimics, from the master's own variable inwards.
  const Joint* source = &joint;
  while (source->mimic) {
    frame.mimic.insert(frame.mimic.begin(), {source->mimic->multiplier, source->mimic->offset});
    source = &robot.joints[source->mimic->joint];
  }
  frame.variable = variable_of_joint[source - robot.joints.data()];
  const rounding::UnitAxis axis = rounding::unit_axis(joint.axis);
  frame.joint = {joint.type, frame.variable, 1, axis, joint.name};
  for (const auto& [multiplier, offset] : frame.mimic) {
    frame.joint.gain_hi = rounding::up(frame.joint.gain_hi * std::fabs(multiplier));
  }
  frame.rotation = rounding::AxisRotation(X_PJ.X.R, X_PJ.error.rotation, axis);
  if (joint.type == JointType::prismatic) {
    frame.slide[0] = rounding::AxisTranslation(X_PJ.X, X_PJ.error, axis);
  } else if (joint.type == JointType::planar) {
    Vec3 first, second;
    across(axis.a, first, second);
    // `across` turns an error of the axis into at most three and a half times as much, and rounds
    // a few times itself.
    const double error = axis.error == 0 ? 0 : inflate(4 * axis.error + gamma(32), 4);
    frame.slide[0] = rounding::AxisTranslation(X_PJ.X, X_PJ.error, {first, error});
    frame.slide[1] =
        rounding::AxisTranslation({X_PJ.X.R, {}}, {X_PJ.error.rotation, 0}, {second, error});
  }
  frames_.push_back(std::move(frame));
}

bool Kinematics::Frame::returns_after_a_turn() const noexcept {
  return turns() && std::all_of(mimic.begin(), mimic.end(), [](const auto& step) {
           return std::trunc(step.first) == step.first;
         });
}

std::vector<double> Kinematics::neutral() const {
  std::vector<double> q;
  for (const Variable& v : variables_) q.push_back(std::clamp(0.0, v.lower, v.upper));
  for (const int first : quaternions_) q[first + 3] = 1;
  return q;
}

bool Kinematics::is_configuration(std::span<const double> q) const noexcept {
  if (q.size() != variables_.size()) return false;
  for (std::size_t i = 0; i < q.size(); ++i) {
    if (!(std::fabs(q[i]) <= magnitude_limit_[i])) return false;
  }
  return std::all_of(quaternions_.begin(), quaternions_.end(), [&](int i) {
    return rounding::is_unit_quaternion(q[i], q[i + 1], q[i + 2], q[i + 3]);
  });
}

BoundedPose Kinematics::joint_pose(const Frame& frame, const double* q,
                                   double& p_hi) const noexcept {
  const Pose& X_PJ = frame.X_PJ.X;
  double value = q[frame.variable], value_error = 0;
  for (const auto& [multiplier, offset] : frame.mimic) {
    value_error = rounding::mimic_error(multiplier, offset, std::fabs(value), value_error);
    value = multiplier * value + offset;
  }
  // A mimic joint may be sent anywhere; where that is no position, nothing can be said of it.
  if (!(std::fabs(value) <= kLargestPosition) && !frame.mimic.empty()) {
    value = 0, value_error = kInfinity;
  }
  p_hi = frame.p_hi;
  const PoseError& fixed = frame.X_PJ.error;
  switch (frame.type) {
    case JointType::revolute:
    case JointType::continuous:
      return {{frame.rotation.at(value), X_PJ.p},
              {frame.rotation.error(value_error), fixed.position}};
    case JointType::prismatic: {
      const Vec3 p = frame.slide[0].at(value);
      p_hi = rounding::span_hi(p);
      return {{X_PJ.R, p}, {fixed.rotation, frame.slide[0].error(std::fabs(value), value_error)}};
    }
    case JointType::planar: {
      const double x = q[frame.variable], y = q[frame.variable + 1];
      const Vec3 p = frame.slide[0].at(x) + frame.slide[1].at(y);
      p_hi = rounding::span_hi(p);
      const double error = frame.slide[0].error(std::fabs(x)) + frame.slide[1].error(std::fabs(y));
      return {{frame.rotation.at(q[frame.variable + 2]), p},
              {frame.rotation.error(), inflate(error + gamma(1) * p_hi, 3)}};
    }
    default: {  // floating
      const double* v = q + frame.variable;
      const Pose X_JF{rounding::rotation_from_any_quaternion(v[3], v[4], v[5], v[6]),
                      {v[0], v[1], v[2]}};
      const BoundedPose X_PF = frame.X_PJ * BoundedPose{X_JF, {rounding::kQuaternionError, 0}};
      p_hi = norm_hi(X_PF.X.p);
      return X_PF;
    }
  }
}

bool Kinematics::forward(std::span<const double> q, int origin, int last,
                         std::span<BoundedPose> poses) const noexcept {
  if (!is_configuration(q)) return false;
  poses[origin] = {};
  for (int f = origin + 1; f <= last; ++f) {
    const Frame& frame = frames_[f];
    double p_hi = 0;
    const BoundedPose X_PF = joint_pose(frame, q.data(), p_hi);
    if (frame.parent == origin) {
      poses[f] = X_PF;
      continue;
    }
    const BoundedPose& X_OP = poses[frame.parent];
    poses[f] = {X_OP.X * X_PF.X,
                rounding::compose(X_OP.error, rounding::span_hi(X_OP.X.p), X_PF.error, p_hi)};
  }
  // A bound that says nothing, or is not a number, promises nothing: no query may go on with it.
  for (int f = origin; f <= last; ++f) {
    const PoseError& error = poses[f].error;
    if (!(error.rotation <= 1e-3 && error.position <= 1)) return false;
  }
  return true;
}

}  // namespace keepclear
