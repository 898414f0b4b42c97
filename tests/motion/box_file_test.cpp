// SPDX-License-Identifier: BSD-3-Clause
#include "motion/box_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <limits>
#include <numbers>

#include "keepclear/error.hpp"
#include "robot/urdf.hpp"

namespace keepclear {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Every kind of joint: yaw, pitch, its follower, lift, base, drone.
const Kinematics& kinematics() {
  static const Kinematics tree(parse_urdf(
      "<robot name='r'><link name='0'/><link name='1'/><link name='2'/><link name='3'/>"
      "<link name='4'/><link name='5'/><link name='6'/>"
      "<joint name='yaw' type='continuous'><parent link='0'/><child link='1'/></joint>"
      "<joint name='pitch' type='revolute'><parent link='1'/><child link='2'/>"
      "<limit lower='-1' upper='2' effort='1' velocity='1'/></joint>"
      "<joint name='follower' type='revolute'><parent link='2'/><child link='3'/>"
      "<limit lower='-1' upper='2' effort='1' velocity='1'/><mimic joint='pitch'/></joint>"
      "<joint name='lift' type='prismatic'><parent link='3'/><child link='4'/>"
      "<limit lower='0' upper='0.5' effort='1' velocity='1'/></joint>"
      "<joint name='base' type='planar'><parent link='4'/><child link='5'/></joint>"
      "<joint name='drone' type='floating'><parent link='5'/><child link='6'/></joint></robot>",
      "r.urdf", {}, {}));
  return tree;
}

std::size_t index_of(const std::string& name) {
  return box_variable(kinematics(), name, Error::Kind::usage, "", "");
}

JointBox parsed(const std::string& text) {
  return parse_box(text, "box.json", kinematics());
}

void expect_refused(const std::function<void()>& read, Error::Kind kind, const std::string& part) {
  SCOPED_TRACE(part);
  try {
    read();
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_EQ(error.kind(), kind) << what;
    EXPECT_NE(what.find(part), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos);
  }
}

void expect_refused(const std::string& text, const std::string& part) {
  expect_refused([&] { parsed(text); }, Error::Kind::malformed, "box.json: " + part);
}

TEST(FullRange, IsTheLimitsATurnAndEverythingElse) {
  const JointBox box = full_range(kinematics());
  ASSERT_EQ(box.size(), kinematics().variables().size());
  EXPECT_EQ(box[index_of("pitch")], (Interval{-1, 2}));
  EXPECT_EQ(box[index_of("lift")], (Interval{0, 0.5}));
  for (const char* name : {"base/x", "base/y", "drone/trans_x", "drone/trans_z"}) {
    EXPECT_EQ(box[index_of(name)], (Interval{-kInfinity, kInfinity})) << name;
  }
  for (const char* name : {"drone/rot_x", "drone/rot_w"}) {
    EXPECT_EQ(box[index_of(name)], (Interval{-1, 1})) << name;
  }
}

TEST(FullRange, ATurnHasNoGap) {
  const JointBox box = full_range(kinematics());
  for (const char* name : {"yaw", "base/theta"}) {
    const Interval turn = box[index_of(name)];
    // The nearest double to pi is below it.
    EXPECT_GT(turn.upper, std::numbers::pi) << name;
    EXPECT_LT(turn.upper, std::numbers::pi + 1e-15) << name;
    EXPECT_EQ(turn.lower, -turn.upper) << name;
  }
}

TEST(BoxFile, NamedJointsHaveTheirIntervalsAndOthersTheirRange) {
  const JointBox box = parsed(
      R"({"joints": {"pitch": [-0.5, 0.25], "base/x": [1, 2], "yaw": [-7, 7], "lift": 0.125}})");
  JointBox expected = full_range(kinematics());
  expected[index_of("pitch")] = {-0.5, 0.25};
  expected[index_of("base/x")] = {1, 2};
  expected[index_of("yaw")] = {-7, 7};
  expected[index_of("lift")] = {0.125, 0.125};
  EXPECT_EQ(box, expected);
  EXPECT_EQ(parsed(R"({"joints": {}})"), full_range(kinematics()));
}

TEST(BoxFile, AnIntervalMayReachBeyondTheLimitsAndBeAPoint) {
  const JointBox box = parsed(R"({"joints": {"pitch": [-9, 9], "lift": [2, 2]}})");
  EXPECT_EQ(box[index_of("pitch")], (Interval{-9, 9}));
  EXPECT_EQ(box[index_of("lift")], (Interval{2, 2}));
}

TEST(BoxFile, WhatIsNoBoxIsRefusedWithItsPlace) {
  expect_refused("{}", "'joints' is missing");
  expect_refused("[]", "must be an object");
  expect_refused(R"({"joints": [1, 2]})", "/joints: must be an object, is a list");
  expect_refused(R"({"joints": {}, "joint": {}})", "/joint: unknown key 'joint'; did you mean");
  expect_refused(R"({"joints": {}, "world": {}})", "/world: unknown key 'world'; a box has");
  expect_refused(R"({"joints": {"pitch": [0, 1], "pitch": [0, 1]}})",
                 "/joints/pitch: this key is given twice");
  expect_refused(R"({"joints": {"pitch": "all"}})", "/joints/pitch: must be [lower, upper], is");
  expect_refused(R"({"joints": {"pitch": [0]}})", "/joints/pitch: must be two numbers");
  expect_refused(R"({"joints": {"pitch": [0, 1, 2]}})", "/joints/pitch: must be two numbers");
  expect_refused(R"({"joints": {"pitch": [0, null]}})", "/joints/pitch/1: must be a number");
  expect_refused(R"({"joints": {"pitch": [1, 0]}})",
                 "/joints/pitch: the lower end 1 is above the upper end 0");
}

TEST(BoxFile, NumbersThatNoConfigurationHoldsAreRefused) {
  expect_refused(R"({"joints": {"lift": [0, 2e9]}})", "/joints/lift: 2000000000 is beyond");
  expect_refused(R"({"joints": {"yaw": [-2e15, 0]}})", "/joints/yaw: -2000000000000000 is beyond");
  expect_refused(R"({"joints": {"base/theta": 2e15}})", "/joints/base~1theta: ");
  EXPECT_NO_THROW(parsed(R"({"joints": {"yaw": [-1e15, 1e15], "base/x": [-1e9, 1e9]}})"));
  expect_refused([] { parsed(R"({"joints": {"yaw": [0, 1e999]}})"); }, Error::Kind::malformed,
                 "box.json:1: ");
}

TEST(BoxFile, ANameThatIsNoneComesWithOneThatMayBeMeant) {
  expect_refused(R"({"joints": {"ptich": [0, 1]}})",
                 "/joints/ptich: the world has no variable 'ptich'; did you mean 'pitch'?");
  expect_refused(R"({"joints": {"base": [0, 1]}})",
                 "/joints/base: the world has no variable 'base'; this joint has several numbers: "
                 "'base/x', 'base/y', 'base/theta'");
  expect_refused(R"({"joints": {"nonsense": [0, 1]}})",
                 "/joints/nonsense: the world has no variable 'nonsense'; there are 'yaw', ");
}

TEST(BoxFile, AJointWithoutItsRobotIsToldHowItIsCalled) {
  const Kinematics two(parse_urdf(
      "<robot name='r'><link name='0'/><link name='1'/><link name='2'/>"
      "<joint name='left/elbow' type='continuous'><parent link='0'/><child link='1'/></joint>"
      "<joint name='right/elbow' type='continuous'><parent link='0'/><child link='2'/></joint>"
      "</robot>",
      "r.urdf", {}, {}));
  expect_refused([&] { parse_box(R"({"joints": {"elbow": 0}})", "box.json", two); },
                 Error::Kind::malformed,
                 "a joint is called robot/joint: 'left/elbow' or 'right/elbow'");
}

TEST(BoxFile, AMimicJointIsRefusedAndTheOneItFollowsNamed) {
  expect_refused(R"({"joints": {"follower": [0, 1]}})",
                 "/joints/follower: this joint follows 'pitch' (mimic); give an interval for "
                 "'pitch' alone");
}

TEST(BoxFile, ABoxWithoutAUnitQuaternionIsRefused) {
  expect_refused(R"({"joints": {"drone/rot_x": 0, "drone/rot_y": 0, "drone/rot_z": 0,
                     "drone/rot_w": [0, 0.9]}})",
                 "/joints: no quaternion of joint 'drone' in the box has length 1");
  expect_refused(R"({"joints": {"drone/rot_x": [0.8, 0.9], "drone/rot_y": [-0.9, -0.8]}})",
                 "/joints: no quaternion of joint 'drone'");
  EXPECT_NO_THROW(parsed(R"({"joints": {"drone/rot_x": 0, "drone/rot_y": 0, "drone/rot_z": 0,
                             "drone/rot_w": 1}})"));
}

TEST(BoxFile, SyntaxErrorsHaveTheirLine) {
  expect_refused([] { parsed("{\"joints\":\n {\"pitch\": [0 1]}}"); }, Error::Kind::malformed,
                 "box.json:2: column ");
  expect_refused([] { parsed("{\"joints\": {}} rest"); }, Error::Kind::malformed, "box.json:1: ");
  expect_refused([] { parsed(" \n"); }, Error::Kind::malformed, "box.json: the file is empty");
}

TEST(BoxFile, IsReadForAWorld) {
  const World world = load_builtin("six_axis_arm");
  const auto file = std::filesystem::temp_directory_path() / "keepclear-box-file-test.json";
  std::ofstream(file) << R"({"joints": {"waist": [-0.25, 0.5]}})";
  const JointBox box = read_box(world, file);
  std::filesystem::remove(file);
  JointBox expected = full_range(world);
  ASSERT_EQ(expected.size(), world.dof());
  EXPECT_EQ(expected[1], (Interval{world.variables()[1].lower, world.variables()[1].upper}));
  expected[0] = {-0.25, 0.5};
  EXPECT_EQ(box, expected);
  expect_refused([&] { read_box(world, file); }, Error::Kind::missing, "no such file");
}

}  // namespace
}  // namespace keepclear
