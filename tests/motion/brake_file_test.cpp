// SPDX-License-Identifier: BSD-3-Clause
#include "motion/brake_file.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <limits>

#include "keepclear/error.hpp"
#include "motion/brake_worlds.hpp"

namespace keepclear {
namespace {

const World& world() {
  static const World all =
      test::chain_of({{"yaw", "continuous"}, {"lift", "prismatic"}, {"base", "planar"}});
  return all;
}

BrakeModel parsed(const std::string& text) {
  return parse_brake(text, "brake.json", world().data().kinematics);
}

void expect_refused(const std::string& text, const std::string& part) {
  SCOPED_TRACE(text);
  try {
    parsed(text);
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    const std::string what = error.what();
    EXPECT_EQ(error.kind(), Error::Kind::malformed) << what;
    EXPECT_NE(what.find("brake.json: " + part), std::string::npos) << what;
    EXPECT_EQ(what.find('\n'), std::string::npos);
  }
}

TEST(BrakeFile, JointsOverwriteTheDefaultAndNumbersTheirJoint) {
  const BrakeModel model = parsed(R"({
    "joints": {
      "base/theta": {"brake_deceleration": 7},
      "base": {"brake_deceleration": 3, "velocity_uncertainty": 0.5},
      "lift": {"stops": true, "brake_deceleration_most": 9, "max_velocity": 2}
    },
    "default": {"max_acceleration": 4, "brake_deceleration": 2, "position_uncertainty": 0.125,
                "acceleration_uncertainty": 0.25},
    "latency": 0.02
  })");
  const JointBrake plain{.max_acceleration = 4,
                         .brake_deceleration = 2,
                         .position_uncertainty = 0.125,
                         .acceleration_uncertainty = 0.25};
  std::vector<JointBrake> joints(5, plain);
  joints[1].stops = true;
  joints[1].brake_deceleration_most = 9;
  joints[1].max_velocity = 2;
  for (std::size_t i = 2; i < 5; ++i) {
    joints[i].brake_deceleration = 3;
    joints[i].velocity_uncertainty = 0.5;
  }
  joints[4].brake_deceleration = 7;
  EXPECT_EQ(model, (BrakeModel{0.02, joints}));
}

TEST(BrakeFile, EveryNumberMustStopSomehow) {
  expect_refused(R"({"latency": 0})", "/joints/yaw: 'brake_deceleration' is missing");
  expect_refused(R"({"latency": 0, "joints": {"yaw": {"brake_deceleration": 1},
      "lift": {"brake_deceleration": 1}, "base/x": {"brake_deceleration": 1}}})",
                 "/joints/base~1y: 'brake_deceleration' is missing");
}

TEST(BrakeFile, WhatIsNotUnderstoodIsRefusedWithItsPlace) {
  const std::string rest = R"(, "default": {"brake_deceleration": 1}})";
  expect_refused("[]", "must be an object");
  expect_refused(R"({"default": {"brake_deceleration": 1}})", "'latency' is missing");
  expect_refused(R"({"latency": -1)" + rest, "/latency: -1 is no latency");
  expect_refused(R"({"latency": "1")" + rest, "/latency: must be a number");
  expect_refused(R"({"latency": 1, "latency": 1)" + rest, "/latency: this key is given twice");
  expect_refused(R"({"latency": 1, "joint": {})" + rest, "/joint: unknown key 'joint'; did you");
  expect_refused(R"({"latency": 1, "joints": [])" + rest, "/joints: must be an object");
  expect_refused(R"({"latency": 1, "joints": {"yaww": {}})" + rest,
                 "/joints/yaww: the world has no variable 'yaww'; did you mean");
  expect_refused(R"({"latency": 1, "joints": {"yaw": 3})" + rest, "/joints/yaw: must be an object");
  expect_refused(R"({"latency": 1, "joints": {"yaw": {"deceleration": 3}})" + rest,
                 "/joints/yaw/deceleration: unknown key");
  expect_refused(R"({"latency": 1, "joints": {"yaw": {}, "yaw": {}})" + rest,
                 "/joints/yaw: this key is given twice");
  expect_refused(R"({"latency": 1, "joints": {"yaw": {"stops": 1}})" + rest,
                 "/joints/yaw/stops: must be true or false");
  expect_refused(R"({"latency": 1, "joints": {"yaw": {"max_acceleration": -1}})" + rest,
                 "/joints/yaw/max_acceleration: max_acceleration must not be negative, is -1");
  expect_refused(R"({"latency": 1, "joints": {"yaw": {"max_acceleration": 1e300}})" + rest,
                 "/joints/yaw/max_acceleration: max_acceleration must be at most");
  expect_refused(R"({"latency": 1, "joints": {"yaw": {"max_velocity": null}})" + rest,
                 "/joints/yaw/max_velocity: must be a number");
  expect_refused(R"({"latency": 1, "default": {"brake_deceleration": 0}})",
                 "/default/brake_deceleration: brake_deceleration must be above zero");
  expect_refused(R"({"latency": 1, "joints": {"yaw": {"brake_deceleration_most": 0.5}})" + rest,
                 "/joints/yaw: brake_deceleration_most 0.5 is below brake_deceleration 1");
  EXPECT_THROW(parsed(R"({"latency": 1e999)" + rest), Error);
}

TEST(BrakeFile, IsReadFromAFile) {
  const std::string path = testing::TempDir() + "brake.json";
  std::ofstream(path) << R"({"latency": 0.5, "default": {"brake_deceleration": 2}})";
  EXPECT_EQ(read_brake(world(), path), uniform_brake(world(), 0.5, {.brake_deceleration = 2}));
  EXPECT_THROW(read_brake(world(), path + ".not"), Error);
}

}  // namespace
}  // namespace keepclear
