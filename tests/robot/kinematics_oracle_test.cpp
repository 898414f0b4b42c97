// SPDX-License-Identifier: BSD-3-Clause
//
// Poses against 113-bit kinematics: what the library says it may be off by, it is never off by
// more.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include "data.hpp"
#include "oracle/reference_kinematics.hpp"
#include "robot/kinematics.hpp"
#include "robot/random_robots.hpp"
#include "robot/urdf.hpp"

namespace keepclear {
namespace {

using oracle::QPose;
using oracle::Quad;
using oracle::QVec;

using namespace testing_robots;

/// The largest |M v| / |v| over some v: at most the spectral norm, which the bound must exceed.
Quad spectral_norm_at_least(const oracle::QMat& m) {
  QVec v{1, Quad(0.7), Quad(-0.4)};
  for (int k = 0; k < 40; ++k) {
    const QVec w = transposed_times(m, m * v);
    const Quad length = norm(w);
    if (!(length > 0)) break;
    v = (1 / length) * w;
  }
  return norm(m * v) / norm(v);
}

struct Worst {
  double rotation = 0, position = 0;            ///< of the bounds
  double used_rotation = 0, used_position = 0;  ///< largest share of a bound that was needed
};

/// All links at q, in the frame of the root: within the bounds.
void expect_within_bounds(const RobotModel& robot, const Kinematics& kinematics,
                          const std::vector<double>& q, Worst& worst) {
  const std::vector<QPose> reference = oracle::ReferenceKinematics(robot)(q);
  std::vector<BoundedPose> poses(kinematics.frame_count());
  ASSERT_TRUE(kinematics.forward(q, 0, poses));
  for (int l = 0; l < static_cast<int>(robot.links.size()); ++l) {
    // Composing with the identity adds to the bound what it could hide: not where there is none.
    const BoundedPose& X_FL = kinematics.pose_in_frame(l);
    const BoundedPose& X_WF = poses[kinematics.frame_of_link(l)];
    const BoundedPose X = X_FL.X == Pose{} ? X_WF : X_WF * X_FL;
    const QPose computed = oracle::widen<Quad>(X.X);
    const Quad position = norm(computed.p - reference[l].p);
    const oracle::QMat off{computed.R.row0 - reference[l].R.row0,
                           computed.R.row1 - reference[l].R.row1,
                           computed.R.row2 - reference[l].R.row2};
    const Quad rotation = spectral_norm_at_least(off);
    ASSERT_LE(position, Quad(X.error.position)) << robot.name << ' ' << robot.links[l].name;
    ASSERT_LE(rotation, Quad(X.error.rotation)) << robot.name << ' ' << robot.links[l].name;
    worst.rotation = std::max(worst.rotation, X.error.rotation);
    worst.position = std::max(worst.position, X.error.position);
    if (X.error.rotation > 0) {
      worst.used_rotation =
          std::max(worst.used_rotation, static_cast<double>(rotation) / X.error.rotation);
    }
    if (X.error.position > 0) {
      worst.used_position =
          std::max(worst.used_position, static_cast<double>(position) / X.error.position);
    }
  }
}

TEST(KinematicsOracle, OriginsStayWithinTheirBounds) {
  Random random(6);
  double used = 0;
  for (int k = 0; k < 3000; ++k) {
    const Origin origin{uniform_vec(random, 10), uniform_vec(random, k % 2 ? 4 : 1000)};
    const BoundedPose X = from_origin(origin);
    const QPose real = oracle::reference_origin(origin), computed = oracle::widen<Quad>(X.X);
    ASSERT_EQ(X.X.p, origin.xyz);
    const Quad off =
        spectral_norm_at_least({computed.R.row0 - real.R.row0, computed.R.row1 - real.R.row1,
                                computed.R.row2 - real.R.row2});
    ASSERT_LE(off, Quad(X.error.rotation));
    used = std::max(used, static_cast<double>(off) / X.error.rotation);
  }
  EXPECT_GT(used, 0.05);
}

TEST(KinematicsOracle, RandomTreesWithAllJointsStayWithinTheirBounds) {
  Random random(1);
  Worst worst;
  for (int k = 0; k < 150; ++k) {
    const RobotModel robot = random_tree(random, 2 + static_cast<int>(random() % 20));
    const Kinematics kinematics(robot);
    for (int pose = 0; pose < 4; ++pose) {
      expect_within_bounds(robot, kinematics, random_configuration(random, kinematics, 3.2), worst);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_LT(worst.rotation, 1e-12);
  EXPECT_LT(worst.position, 1e-9);  // some reach kilometres
  // A bound that is never half used up could hide a mistake in the test.
  EXPECT_GT(worst.used_rotation, 0.005);
  EXPECT_GT(worst.used_position, 0.005);
}

TEST(KinematicsOracle, AnglesOfAMillionRadiansStayWithinTheirBounds) {
  Random random(2);
  Worst worst;
  int judged = 0;
  for (int k = 0; k < 60; ++k) {
    const RobotModel robot = random_tree(random, 2 + static_cast<int>(random() % 12));
    const Kinematics kinematics(robot);
    const bool mimics = std::any_of(robot.joints.begin(), robot.joints.end(),
                                    [](const Joint& joint) { return joint.mimic.has_value(); });
    for (const double turn : {1e3, 1e6, 1e12}) {
      const std::vector<double> q = random_configuration(random, kinematics, turn);
      // What such an angle does to a mimic joint may be no position: that is refused.
      std::vector<BoundedPose> poses(kinematics.frame_count());
      if (turn > 1e6 && mimics && !kinematics.forward(q, 0, poses)) continue;
      expect_within_bounds(robot, kinematics, q, worst);
      if (HasFatalFailure()) return;
      ++judged;
    }
  }
  EXPECT_GT(judged, 120);
}

TEST(KinematicsOracle, AxesOfAllLengthsStayWithinTheirBounds) {
  Random random(3);
  Worst worst;
  for (int k = 0; k < 200; ++k) {
    RobotModel robot = random_tree(random, 6);
    for (Joint& joint : robot.joints) {
      if (joint.type == JointType::planar) continue;
      joint.axis = std::pow(10.0, uniform(random, -6, 6)) * joint.axis;
    }
    const Kinematics kinematics(robot);
    expect_within_bounds(robot, kinematics, random_configuration(random, kinematics, 3.2), worst);
    if (HasFatalFailure()) return;
  }
}

/// The planar joint about an axis that is not z: its own reference, with the library's convention.
TEST(KinematicsOracle, PlanarJointsAboutAnyAxisStayWithinTheirBounds) {
  Random random(4);
  for (int k = 0; k < 300; ++k) {
    RobotModel robot;
    robot.links = {{"a", {}, -1, {}, 0}, {"b", {}, -1, {}, 0}};
    Joint joint;
    joint.name = "j", joint.type = JointType::planar, joint.parent = 0, joint.child = 1;
    joint.origin = {uniform_vec(random, 1), uniform_vec(random, 3)};
    joint.axis = uniform_vec(random, 1);
    robot.joints.push_back(joint);
    robot.build_tree();
    const Kinematics kinematics(robot);
    std::vector<BoundedPose> poses(2);
    const double x = uniform(random, -5, 5), y = uniform(random, -5, 5);
    ASSERT_TRUE(kinematics.forward(std::vector<double>{x, y, 0.5}, 0, poses));
    const QVec wide = oracle::widen<Quad>(joint.axis), n = (1 / norm(wide)) * wide;
    const Vec3 a{std::fabs(joint.axis.x), std::fabs(joint.axis.y), std::fabs(joint.axis.z)};
    const QVec helper = a.z >= a.x && a.z >= a.y ? QVec{1, 0, 0}
                        : a.x >= a.y             ? QVec{0, 1, 0}
                                                 : QVec{0, 0, 1};
    const QVec rest = helper - dot(helper, n) * n;
    const QVec first = (1 / norm(rest)) * rest, second = cross(n, first);
    const QPose origin = oracle::reference_origin(joint.origin);
    const QVec p = origin * (Quad(x) * first + Quad(y) * second);
    const QVec off = oracle::widen<Quad>(poses[1].X.p) - p;
    ASSERT_LE(norm(off), Quad(poses[1].error.position));
    ASSERT_LT(poses[1].error.position, 1e-12);
  }
}

TEST(KinematicsOracle, EveryRobotStaysWithinItsBounds) {
  KEEPCLEAR_NEEDS_DATA("robots");
  Random random(5);
  int robots = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::data_dir() / "robots")) {
    if (entry.path().extension() != ".urdf") continue;
    PackagePaths packages;
    packages.look_on_disk = false;
    const RobotModel robot = read_urdf(entry.path(), packages);
    const Kinematics kinematics(robot);
    SCOPED_TRACE(entry.path().filename());
    ASSERT_EQ(oracle::ReferenceKinematics(robot).dof(), kinematics.variables().size());
    Worst worst;
    expect_within_bounds(robot, kinematics, kinematics.neutral(), worst);
    for (int pose = 0; pose < 8; ++pose) {
      expect_within_bounds(robot, kinematics, random_configuration(random, kinematics, 3.2), worst);
      if (HasFatalFailure()) return;
    }
    EXPECT_LT(worst.rotation, 1e-12);
    EXPECT_LT(worst.position, 1e-12);
    ++robots;
  }
  EXPECT_GT(robots, 20);
}

}  // namespace
}  // namespace keepclear
