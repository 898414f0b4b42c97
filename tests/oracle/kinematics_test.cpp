// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "oracle/reference_kinematics.hpp"

namespace keepclear::oracle {
namespace {

void expect_near(const QVec& a, Vec3 b, double tolerance) {
  EXPECT_NEAR(static_cast<double>(a.x), b.x, tolerance);
  EXPECT_NEAR(static_cast<double>(a.y), b.y, tolerance);
  EXPECT_NEAR(static_cast<double>(a.z), b.z, tolerance);
}

/// A chain of links, joint k between links k and k + 1.
RobotModel chain(std::initializer_list<Joint> joints) {
  RobotModel robot;
  robot.root = 0;
  robot.links.resize(joints.size() + 1);
  for (Joint joint : joints) {
    const int k = static_cast<int>(robot.joints.size());
    joint.parent = k, joint.child = k + 1;
    robot.links[k].child_joints.push_back(k);
    robot.links[k + 1].parent_joint = k;
    robot.joints.push_back(joint);
  }
  return robot;
}

Joint joint_of(JointType type, Vec3 axis, Origin origin = {}) {
  Joint joint;
  joint.type = type, joint.axis = axis, joint.origin = origin;
  return joint;
}

TEST(ReferenceKinematics, TurnsAboutAnAxisThatIsNotNormalised) {
  const RobotModel robot = chain({joint_of(JointType::revolute, {0, 0, 5}, {{1, 0, 0}, {}}),
                                  joint_of(JointType::prismatic, {0, 3, 0}, {{2, 0, 0}, {}})});
  const double q[] = {std::numbers::pi / 2, 0.5};
  const auto X = ReferenceKinematics(robot)(q);
  expect_near(X[2].p, {0.5, 2, 0}, 1e-15);
}

TEST(ReferenceKinematics, RollsThenPitchesThenYaws) {
  const Vec3 rpy{0.3, -1.1, 2.5};
  const QMat R = reference_origin({{}, rpy}).R;
  const Mat3 expected = rotation_from_rpy(rpy);
  expect_near(R.row0, expected.row0, 1e-15);
  expect_near(R.row1, expected.row1, 1e-15);
  expect_near(R.row2, expected.row2, 1e-15);
}

TEST(ReferenceKinematics, RotationsAreOrthonormalTo30Digits) {
  const QMat R = reference_origin({{}, {1e5, 0.7, -3e3}}).R;
  EXPECT_LT(std::abs(static_cast<double>(dot(R.row0, R.row1))), 1e-30);
  EXPECT_LT(std::abs(static_cast<double>(dot(R.row2, R.row2) - 1)), 1e-30);
}

TEST(ReferenceKinematics, FollowsChainsOfMimics) {
  RobotModel robot =
      chain({joint_of(JointType::prismatic, {1, 0, 0}), joint_of(JointType::prismatic, {1, 0, 0}),
             joint_of(JointType::prismatic, {1, 0, 0})});
  robot.joints[0].mimic = Mimic{2, 2, 1};
  robot.joints[2].mimic = Mimic{1, -3, 0.5};
  const ReferenceKinematics kinematics(robot);
  ASSERT_EQ(kinematics.dof(), 1u);
  const double q[] = {0.25};
  // Joint 2 is at -0.25, joint 0 at 0.5.
  expect_near(kinematics(q)[3].p, {0.5, 0, 0}, 0);
}

TEST(ReferenceKinematics, PlanarAndFloatingJointsTakeThreeAndSevenNumbers) {
  const RobotModel robot =
      chain({joint_of(JointType::planar, {0, 0, 1}), joint_of(JointType::floating, {1, 0, 0})});
  const ReferenceKinematics kinematics(robot);
  ASSERT_EQ(kinematics.dof(), 10u);
  // The quaternion is twice a unit one: half a turn about x.
  const double q[] = {1, 2, std::numbers::pi / 2, 1, 0, 0, 2, 0, 0, 0};
  const auto X = kinematics(q);
  expect_near(X[1].p, {1, 2, 0}, 0);
  expect_near(X[2].p, {1, 3, 0}, 1e-15);
  expect_near(X[2].R * QVec{0, 0, 1}, {0, 0, -1}, 1e-15);
}

}  // namespace
}  // namespace keepclear::oracle
