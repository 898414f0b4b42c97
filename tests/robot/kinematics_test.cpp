// SPDX-License-Identifier: BSD-3-Clause
#include "robot/kinematics.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "robot/urdf.hpp"

namespace keepclear {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

RobotModel parse(const std::string& inside) {
  return parse_urdf("<robot name=\"r\">" + inside + "</robot>", "test.urdf", {}, {});
}
std::string link(const std::string& name) {
  return "<link name=\"" + name + "\"/>";
}
std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                  const std::string& child, const std::string& rest = {}) {
  const bool limited = type == "revolute" || type == "prismatic";
  const bool has = rest.find("<limit") != std::string::npos;
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent +
         "\"/><child link=\"" + child + "\"/>" + rest +
         (limited && !has ? "<limit lower=\"-3\" upper=\"3\" effort=\"1\" velocity=\"1\"/>" : "") +
         "</joint>";
}

Pose link_pose(const Kinematics& k, const std::vector<double>& q, int link) {
  std::vector<BoundedPose> poses(k.frame_count());
  EXPECT_TRUE(k.forward(q, 0, poses));
  return (poses[k.frame_of_link(link)] * k.pose_in_frame(link)).X;
}

void expect_near(Vec3 a, Vec3 b, double tolerance = 1e-14) {
  EXPECT_NEAR(a.x, b.x, tolerance);
  EXPECT_NEAR(a.y, b.y, tolerance);
  EXPECT_NEAR(a.z, b.z, tolerance);
}

TEST(KinematicsVariables, AreMovableJointsThatMimicNoneDepthFirst) {
  const RobotModel robot =
      parse(link("a") + link("b") + link("c") + link("d") + link("e") + link("f") + link("g") +
            // In the file the branch to e comes first; below it are planar and floating joints.
            joint("je", "planar", "a", "e") + joint("jb", "revolute", "a", "b") +
            joint("jf", "floating", "e", "f") + joint("jc", "fixed", "b", "c") +
            joint("jd", "prismatic", "c", "d") +
            joint("jg", "continuous", "c", "g", "<mimic joint=\"jb\" multiplier=\"2\"/>"));
  const Kinematics k(robot);
  std::vector<std::string> names;
  for (const Variable& v : k.variables()) names.push_back(v.name);
  EXPECT_EQ(names, (std::vector<std::string>{"je/x", "je/y", "je/theta", "jf/trans_x", "jf/trans_y",
                                             "jf/trans_z", "jf/rot_x", "jf/rot_y", "jf/rot_z",
                                             "jf/rot_w", "jb", "jd"}));
  EXPECT_EQ(k.variables()[0].joint, "je");
  EXPECT_EQ(k.variables()[0].type, "planar");
  EXPECT_EQ(k.variables()[0].lower, -kInf);
  EXPECT_EQ(k.variables()[10].lower, -3);
  EXPECT_EQ(k.variables()[11].upper, 3);
  EXPECT_EQ(k.frame_count(), 6);
  for (int f = 1; f < k.frame_count(); ++f) EXPECT_LT(k.parent(f), f);
  EXPECT_EQ(k.frame_of_link(robot.find_link("b")), k.frame_of_link(robot.find_link("c")));
}

TEST(KinematicsNeutral, IsZeroOrTheNearestLimit) {
  const auto limits = [](double lower, double upper) {
    return "<limit lower=\"" + std::to_string(lower) + "\" upper=\"" + std::to_string(upper) +
           "\" effort=\"1\" velocity=\"1\"/>";
  };
  const Kinematics k(parse(link("a") + link("b") + link("c") + link("d") + link("e") +
                           joint("j1", "revolute", "a", "b", limits(0.5, 1)) +
                           joint("j2", "prismatic", "b", "c", limits(-2, -1.5)) +
                           joint("j3", "revolute", "c", "d", limits(-1, 1)) +
                           joint("j4", "floating", "d", "e")));
  EXPECT_EQ(k.neutral(), (std::vector<double>{0.5, -1.5, 0, 0, 0, 0, 0, 0, 0, 1}));
  std::vector<BoundedPose> poses(k.frame_count());
  EXPECT_TRUE(k.forward(k.neutral(), 0, poses));
}

TEST(KinematicsForward, TurnsSlidesAndPlacesAsUrdfSays) {
  const RobotModel robot = parse(
      link("a") + link("b") + link("c") + link("d") +
      joint("turn", "revolute", "a", "b", "<origin xyz=\"0 0 1\"/><axis xyz=\"0 0 1\"/>") +
      joint("slide", "prismatic", "b", "c", "<origin xyz=\"1 0 0\"/><axis xyz=\"0 3 0\"/>") +
      joint("stay", "fixed", "c", "d", "<origin xyz=\"0 0 1\" rpy=\"0 0 1.5707963267948966\"/>"));
  const Kinematics k(robot);
  const double half_turn = std::numbers::pi / 2;
  const Pose d = link_pose(k, {half_turn, 0.25}, robot.find_link("d"));
  expect_near(d.p, {-0.25, 1, 2});
  expect_near(d.R.row0, {-1, 0, 0});
}

TEST(KinematicsForward, APlanarJointMovesAcrossItsAxisAndTurnsAboutIt) {
  const auto pose = [](const std::string& axis, std::vector<double> q) {
    const RobotModel robot = parse(link("a") + link("b") +
                                   joint("j", "planar", "a", "b", "<axis xyz=\"" + axis + "\"/>"));
    return link_pose(Kinematics(robot), q, 1);
  };
  const Pose z = pose("0 0 1", {0.3, -0.4, 0.5});
  expect_near(z.p, {0.3, -0.4, 0});
  expect_near(z.R.row0, {std::cos(0.5), -std::sin(0.5), 0});
  for (const char* axis : {"1 0 0", "0 1 0", "0 0 -1", "1 2 3", "-1 1e-9 0", "1 1 1"}) {
    const RobotModel robot =
        parse(link("a") + link("b") +
              joint("j", "planar", "a", "b", std::string("<axis xyz=\"") + axis + "\"/>"));
    const Vec3 n = (1 / norm(robot.joints[0].axis)) * robot.joints[0].axis;
    const Pose x = pose(axis, {1, 0, 0}), y = pose(axis, {0, 1, 0}), turned = pose(axis, {0, 0, 1});
    EXPECT_NEAR(dot(x.p, n), 0, 1e-14);
    EXPECT_NEAR(dot(y.p, n), 0, 1e-14);
    EXPECT_NEAR(dot(x.p, y.p), 0, 1e-14);
    EXPECT_NEAR(norm(x.p), 1, 1e-14);
    EXPECT_NEAR(norm(y.p), 1, 1e-14);
    expect_near(turned.R * n, n);
    expect_near(turned.p, {});
    // The positive sense: x, y and the axis are right-handed.
    expect_near(cross(x.p, y.p), n);
  }
}

TEST(KinematicsForward, AFloatingJointTakesAQuaternionInTheOrderXyzw) {
  const RobotModel robot = parse(link("a") + link("b") + joint("j", "floating", "a", "b"));
  const double s = std::sqrt(0.5);
  const Pose X = link_pose(Kinematics(robot), {1, 2, 3, 0, 0, s, s}, 1);
  expect_near(X.p, {1, 2, 3});
  expect_near(X.R.row0, {0, -1, 0});
}

TEST(KinematicsForward, FollowsChainsOfMimicJoints) {
  const RobotModel robot = parse(
      link("a") + link("b") + link("c") + link("d") +
      joint("third", "continuous", "c", "d",
            "<axis xyz=\"0 0 1\"/><mimic joint=\"second\" multiplier=\"-1\" offset=\"0.25\"/>") +
      joint("second", "continuous", "b", "c",
            "<axis xyz=\"0 0 1\"/><mimic joint=\"first\" multiplier=\"2\" offset=\"0.5\"/>") +
      joint("first", "continuous", "a", "b", "<axis xyz=\"0 0 1\"/>"));
  const Kinematics k(robot);
  ASSERT_EQ(k.variables().size(), 1u);
  const double q = 0.3, second = 2 * q + 0.5, third = -second + 0.25;
  const Pose d = link_pose(k, {q}, robot.find_link("d"));
  expect_near(d.R.row0, {std::cos(q + second + third), -std::sin(q + second + third), 0});
}

TEST(KinematicsForward, JointsAboveTheOriginDropOut) {
  const RobotModel robot =
      parse(link("a") + link("b") + link("c") + link("d") + link("e") +
            joint("j1", "revolute", "a", "b", "<origin xyz=\"1 2 3\" rpy=\"1 2 3\"/>") +
            joint("j2", "revolute", "b", "c", "<origin xyz=\"0 0 1\" rpy=\"0.1 0 0\"/>") +
            joint("j3", "prismatic", "c", "d", "<origin xyz=\"0 1 0\"/>") +
            joint("j4", "revolute", "a", "e"));
  const Kinematics k(robot);
  const int origin = k.frame_of_link(robot.find_link("b")), beside = k.frame_of_link(4);
  std::vector<BoundedPose> one(k.frame_count()), other(k.frame_count());
  one[beside].X.p = other[beside].X.p = {7, 7, 7};
  ASSERT_TRUE(k.forward(std::vector<double>{0.1, 0.2, 0.3, 0.4}, origin, one));
  ASSERT_TRUE(k.forward(std::vector<double>{-2, 0.2, 0.3, 1}, origin, other));
  for (const int f : {origin, origin + 1, origin + 2}) {
    EXPECT_EQ(one[f].X, other[f].X) << f;
    EXPECT_EQ(one[f].error.position, other[f].error.position);
  }
  EXPECT_EQ(one[origin].X, Pose{});
  EXPECT_EQ(one[origin].error.rotation, 0);
  // Those beside the origin are left as they were.
  EXPECT_EQ(one[beside].X.p, (Vec3{7, 7, 7}));
}

TEST(KinematicsForward, RefusesWhatIsNoConfiguration) {
  const Kinematics k(
      parse(link("a") + link("b") + link("c") + link("d") + link("e") +
            joint("turn", "continuous", "a", "b") + joint("slide", "prismatic", "b", "c") +
            joint("plane", "planar", "c", "d") + joint("float", "floating", "d", "e")));
  std::vector<BoundedPose> poses(k.frame_count());
  const std::vector<double> good = k.neutral();
  ASSERT_EQ(good.size(), 12u);
  ASSERT_TRUE(k.forward(good, 0, poses));
  const auto accepts = [&](std::size_t at, double value) {
    std::vector<double> q = good;
    q[at] = value;
    return k.forward(q, 0, poses);
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    for (const double bad : {std::nan(""), kInf, -kInf, 1e300, -1.1e15}) {
      EXPECT_FALSE(accepts(i, bad)) << i << ' ' << bad;
    }
  }
  EXPECT_TRUE(accepts(0, 1e15));
  EXPECT_TRUE(accepts(1, -1e9));
  EXPECT_FALSE(accepts(1, 1.001e9));
  EXPECT_FALSE(accepts(2, 1.001e9));
  EXPECT_TRUE(accepts(4, 1e15));
  EXPECT_FALSE(accepts(5, -1.001e9));
  for (const double w : {0.0, 1 + 2e-6, 1 - 2e-6, 2.0}) EXPECT_FALSE(accepts(11, w)) << w;
  EXPECT_TRUE(accepts(11, 1 + 0.9e-6));
  EXPECT_TRUE(accepts(11, -1));
  std::vector<double> short_q = good, long_q = good;
  short_q.pop_back();
  long_q.push_back(0);
  EXPECT_FALSE(k.forward(short_q, 0, poses));
  EXPECT_FALSE(k.forward(long_q, 0, poses));
  EXPECT_FALSE(k.forward({}, 0, poses));
}

TEST(KinematicsForward, AMimicThatOverflowsPromisesNothingFinite) {
  for (const char* type : {"continuous", "prismatic", "revolute"}) {
    for (const double multiplier : {1e300, -1e300, 1e200, 1e9}) {
      RobotModel robot = parse(link("a") + link("b") + link("c") + link("d") +
                               joint("master", "continuous", "a", "b") +
                               joint("slave", type, "b", "c", "<mimic joint=\"master\"/>") +
                               joint("after", "fixed", "c", "d", "<origin xyz=\"1 0 0\"/>"));
      robot.joints[1].mimic->multiplier = multiplier;
      const Kinematics k(robot);
      std::vector<BoundedPose> poses(k.frame_count());
      if (!k.forward(std::vector<double>{1e12}, 0, poses)) continue;
      const BoundedPose& c = poses[k.frame_of_link(2)];
      EXPECT_FALSE(c.error.rotation < 1 && c.error.position < 1) << type << ' ' << multiplier;
    }
  }
}

TEST(KinematicsForward, TheErrorOfAFixedExactPoseIsZero) {
  const RobotModel robot =
      parse(link("a") + link("b") + joint("j", "fixed", "a", "b", "<origin xyz=\"0.1 0.2 0.3\"/>"));
  const Kinematics k(robot);
  EXPECT_EQ(k.frame_count(), 1);
  EXPECT_EQ(k.pose_in_frame(1).X.p, (Vec3{0.1, 0.2, 0.3}));
  EXPECT_LT(k.pose_in_frame(1).error.position, 1e-14);
}

}  // namespace
}  // namespace keepclear
