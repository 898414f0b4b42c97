// SPDX-License-Identifier: BSD-3-Clause
//
// Forward kinematics in 113 bits, straight from the description: the numbers of the model are
// taken as exact, axes and quaternions are normalised here. Shares no arithmetic with the library.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <vector>

#include "oracle/quad.hpp"
#include "robot/model.hpp"

namespace keepclear::oracle {

/// Rotation about a unit axis (Rodrigues).
inline QMat rotation_about(const QVec& n, Quad angle) {
  const Quad c = cosq(angle), s = sinq(angle), v = 1 - c;
  return {{c + v * n.x * n.x, v * n.x * n.y - s * n.z, v * n.x * n.z + s * n.y},
          {v * n.y * n.x + s * n.z, c + v * n.y * n.y, v * n.y * n.z - s * n.x},
          {v * n.z * n.x - s * n.y, v * n.z * n.y + s * n.x, c + v * n.z * n.z}};
}

/// Of any four numbers (x, y, z, w) but zeros: they are divided by their norm.
inline QMat rotation_of(Quad x, Quad y, Quad z, Quad w) {
  const Quad length = sqrtq(x * x + y * y + z * z + w * w);
  x /= length, y /= length, z /= length, w /= length;
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
          {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
          {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
}

inline QPose reference_origin(const Origin& origin) {
  if (origin.quaternion) {
    const Quaternion& r = *origin.quaternion;
    return {rotation_of(r.x, r.y, r.z, r.w), widen<Quad>(origin.xyz)};
  }
  return {rotation_about({0, 0, 1}, origin.rpy.z) * rotation_about({0, 1, 0}, origin.rpy.y) *
              rotation_about({1, 0, 0}, origin.rpy.x),
          widen<Quad>(origin.xyz)};
}

/// How many numbers of a configuration a joint of its own takes.
inline std::size_t variable_count(JointType type) {
  switch (type) {
    case JointType::fixed:
      return 0;
    case JointType::planar:
      return 3;
    case JointType::floating:
      return 7;
    case JointType::revolute:
    case JointType::continuous:
    case JointType::prismatic:
      break;
  }
  return 1;
}

/// The motion of a joint with values `q`. Planar joints move in x and y and turn about z, floating
/// ones by translation and quaternion (x, y, z, w), as in MoveIt.
inline QPose reference_motion(const Joint& joint, std::span<const Quad> q) {
  const QVec axis = (1 / norm(widen<Quad>(joint.axis))) * widen<Quad>(joint.axis);
  QPose X;
  switch (joint.type) {
    case JointType::fixed:
      break;
    case JointType::revolute:
    case JointType::continuous:
      X.R = rotation_about(axis, q[0]);
      break;
    case JointType::prismatic:
      X.p = q[0] * axis;
      break;
    case JointType::planar:
      X.R = rotation_about({0, 0, 1}, q[2]);
      X.p = {q[0], q[1], 0};
      break;
    case JointType::floating: {
      X.p = {q[0], q[1], q[2]};
      X.R = rotation_of(q[3], q[4], q[5], q[6]);
      break;
    }
  }
  return X;
}

/// Poses of all links in the frame of the root, in the order of RobotModel::links.
class ReferenceKinematics {
 public:
  explicit ReferenceKinematics(const RobotModel& robot)
      : robot_(robot), first_(robot.joints.size(), 0) {
    collect(robot.root);
    std::size_t next = 0;
    for (const int j : order_) {
      if (robot.joints[j].mimic) continue;
      first_[j] = next;
      next += variable_count(robot.joints[j].type);
    }
    dof_ = next;
    for (const Joint& joint : robot.joints) origins_.push_back(reference_origin(joint.origin));
  }

  std::size_t dof() const { return dof_; }

  std::vector<QPose> operator()(std::span<const double> q) const {
    return (*this)(std::span<const Quad>(std::vector<Quad>(q.begin(), q.end())));
  }
  std::vector<QPose> operator()(std::span<const Quad> q) const {
    if (q.size() != dof_) throw std::invalid_argument("wrong size of configuration");
    std::vector<QPose> X(robot_.links.size());
    for (const int j : order_) {
      const Joint& joint = robot_.joints[j];
      std::array<Quad, 7> values{};
      if (joint.mimic) {
        values[0] = mimicked(j, q);
      } else {
        for (std::size_t k = 0; k < variable_count(joint.type); ++k) values[k] = q[first_[j] + k];
      }
      X[joint.child] = X[joint.parent] *
                       (origins_[static_cast<std::size_t>(j)] * reference_motion(joint, values));
    }
    return X;
  }

 private:
  void collect(int link) {
    for (const int j : robot_.links[link].child_joints) {
      order_.push_back(j);
      collect(robot_.joints[j].child);
    }
  }

  Quad mimicked(int j, std::span<const Quad> q) const {
    const auto& mimic = robot_.joints[j].mimic;
    if (!mimic) return q[first_[j]];
    return Quad(mimic->multiplier) * mimicked(mimic->joint, q) + Quad(mimic->offset);
  }

  const RobotModel& robot_;
  std::vector<int> order_;          ///< joints, parents first, depth first
  std::vector<std::size_t> first_;  ///< of each joint that mimics none
  std::vector<QPose> origins_;      ///< of each joint
  std::size_t dof_ = 0;
};

}  // namespace keepclear::oracle
