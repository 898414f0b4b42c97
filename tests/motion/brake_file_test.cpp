// SPDX-License-Identifier: BSD-3-Clause
#include "motion/brake_file.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <limits>
#include <utility>

#include "keepclear/error.hpp"
#include "motion/brake_worlds.hpp"
#include "motion/braking.hpp"

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
  expect_refused(R"({"latency": 0, "default": {"max_acceleration": 0}})",
                 "/joints/yaw: 'brake_deceleration' is missing");
  expect_refused(R"({"latency": 0, "default": {"max_acceleration": 0}, "joints": {
      "yaw": {"brake_deceleration": 1}, "lift": {"brake_deceleration": 1},
      "base/x": {"brake_deceleration": 1}}})",
                 "/joints/base~1y: 'brake_deceleration' is missing");
}

TEST(BrakeFile, HowAJointSpeedsUpIsNotGuessed) {
  expect_refused(R"({"latency": 0, "default": {"brake_deceleration": 1}})",
                 "/joints/yaw: 'max_acceleration' is missing");
  expect_refused(R"({"latency": 0, "default": {"brake_deceleration": 1}, "joints": {
      "yaw": {"max_acceleration": 1}, "lift": {"max_acceleration": 0},
      "base/x": {"max_acceleration": 1}}})",
                 "/joints/base~1y: 'max_acceleration' is missing");
  // Written it may be nothing.
  const BrakeModel model =
      parsed(R"({"latency": 0, "default": {"brake_deceleration": 1, "max_acceleration": 0}})");
  EXPECT_EQ(model.joints[4].max_acceleration, 0);
  EXPECT_EQ(model.joints[4].acceleration_uncertainty, std::numeric_limits<double>::infinity());
}

/// A brake file with these delays, as JSON.
std::string with_delays(const std::string& delays, const std::string& more = "") {
  return R"({"delays": {)" + delays + "}, " + more +
         R"("default": {"max_acceleration": 1, "brake_deceleration": 1}})";
}

TEST(BrakeFile, TheLatencyIsTheSumOfItsParts) {
  const std::string parts =
      R"("age": 0.001, "cycle": 0.004, "communication": 0.002, "brake_reaction": 0.02)";
  const BrakeModel at_once =
      parsed(with_delays(parts + R"(, "missing_answer_noticed": "at once")"));
  const BrakeModel late =
      parsed(with_delays(parts + R"(, "missing_answer_noticed": "end of cycle")"));
  // Never below the sum, and no more above it than roundings.
  for (const auto& [model, sum] : {std::pair(&at_once, 0.027L), std::pair(&late, 0.031L)}) {
    EXPECT_GE(model->latency, sum);
    EXPECT_LE(model->latency, sum * (1 + 0x1p-48L));
    ASSERT_TRUE(model->delays);
    EXPECT_EQ(model->latency, latency_of(*model->delays));
    EXPECT_NO_THROW(Braking(world(), *model));
  }
  EXPECT_EQ(late.delays->age, 0.001);
  EXPECT_EQ(late.delays->cycle, 0.004);
  EXPECT_EQ(late.delays->communication, 0.002);
  EXPECT_EQ(late.delays->brake_reaction, 0.02);
  EXPECT_EQ(latency_rule(*at_once.delays),
            "age 0.001 s + cycle 0.004 s + communication 0.002 s + brake_reaction 0.02 s");
  EXPECT_EQ(latency_rule(*late.delays),
            "age 0.001 s + 2 x cycle 0.004 s + communication 0.002 s + brake_reaction 0.02 s");
  EXPECT_EQ(uniform_brake(world(), *late.delays, late.joints[0]), late);
}

TEST(BrakeFile, EveryPartOfALatencyIsGivenAndMakesSense) {
  const std::vector<std::pair<std::string, std::string>> good = {
      {"age", "0.001"},
      {"cycle", "0.004"},
      {"communication", "0.002"},
      {"brake_reaction", "0.02"},
      {"missing_answer_noticed", R"("at once")"}};
  const auto text = [&](const std::string& name, const std::string& value) {
    std::string all;
    for (const auto& [key, is] : good) {
      if (key == name && value.empty()) continue;
      all += (all.empty() ? "\"" : ", \"") + key + "\": " + (key == name ? value : is);
    }
    return all;
  };
  parsed(with_delays(text("", "")));
  for (const auto& [name, value] : good) {
    expect_refused(with_delays(text(name, "")), "/delays: '" + name + "' is missing");
    expect_refused(with_delays(text(name, "null")), "/delays/" + name + ": must be");
    if (name == "missing_answer_noticed") continue;
    expect_refused(with_delays(text(name, "-0.001")),
                   "/delays/" + name + ": " + name + " must not be negative");
    expect_refused(with_delays(text(name, "20")),
                   "/delays/" + name + ": " + name + " must be at most 10 s, is 20");
    expect_refused(with_delays(text(name, R"("0.01")")), "/delays/" + name + ": must be a number");
    EXPECT_THROW(parsed(with_delays(text(name, "1e999"))), Error);
    EXPECT_THROW(parsed(with_delays(text(name, "nan"))), Error);
  }
  expect_refused(with_delays(text("cycle", "0")), "/delays/cycle: cycle must be above zero");
  parsed(with_delays(text("age", "0")));
  for (const char* word : {R"("never")", R"("")", "true", "0"}) {
    expect_refused(with_delays(text("missing_answer_noticed", word)),
                   "/delays/missing_answer_noticed: must be");
  }
  expect_refused(with_delays(text("", "") + R"(, "jitter": 0)"), "/delays/jitter: unknown key");
  expect_refused(with_delays(text("", ""), R"("latency": 0.1, )"),
                 "both 'latency' and 'delays' are given");
  expect_refused(R"({"delays": 0.1})", "/delays: must be an object");
}

TEST(BrakeFile, AModelWhoseLatencyIsNotItsSumIsRefused) {
  const BrakeDelays delays{.age = 0.001,
                           .cycle = 0.001,
                           .communication = 0,
                           .brake_reaction = 0.01,
                           .missing_answer_noticed = MissingAnswer::at_once};
  const JointBrake joint{.max_acceleration = 1, .brake_deceleration = 1};
  BrakeModel model = uniform_brake(world(), delays, joint);
  EXPECT_NO_THROW(Braking(world(), model));
  model.latency -= 0.001;
  EXPECT_THROW(Braking(world(), model), Error);
  EXPECT_THROW(uniform_brake(world(), BrakeDelays{}, joint), Error) << "nothing is given";
  EXPECT_THROW(Braking(world(), {.joints = model.joints}), Error) << "no latency";
  // A part that is left out is no zero.
  for (const auto part : {&BrakeDelays::age, &BrakeDelays::cycle, &BrakeDelays::communication,
                          &BrakeDelays::brake_reaction}) {
    for (const double bad : {std::nan(""), -1.0, 1e6}) {
      BrakeDelays wrong = delays;
      wrong.*part = bad;
      EXPECT_THROW(uniform_brake(world(), wrong, joint), Error) << bad;
    }
  }
}

TEST(BrakeFile, WarnsOfALatencyShorterThanTwoCycles) {
  const JointBrake joint{.max_acceleration = 1, .brake_deceleration = 1};
  const BrakeModel bare = uniform_brake(world(), 0.01, joint);
  EXPECT_EQ(latency_warning(bare, 0.005), "");
  EXPECT_NE(latency_warning(bare, 0.0051).find("shorter than two such cycles"), std::string::npos);
  EXPECT_EQ(latency_warning(bare, 0), "");
  BrakeModel parts = uniform_brake(world(),
                                   {.age = 0,
                                    .cycle = 0.004,
                                    .communication = 0,
                                    .brake_reaction = 0,
                                    .missing_answer_noticed = MissingAnswer::at_once},
                                   joint);
  EXPECT_EQ(latency_warning(parts, 0.004), "");
  EXPECT_NE(latency_warning(parts, 0.0041).find("more than the cycle of 0.004 s"),
            std::string::npos);
}

TEST(BrakeFile, WhatIsNotUnderstoodIsRefusedWithItsPlace) {
  const std::string rest = R"(, "default": {"max_acceleration": 1, "brake_deceleration": 1}})";
  expect_refused("[]", "must be an object");
  expect_refused(R"({"default": {"brake_deceleration": 1}})", "'delays' is missing");
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
  std::ofstream(path) << R"({"latency": 0.5, "default": {"max_acceleration": 3,
                            "brake_deceleration": 2}})";
  EXPECT_EQ(read_brake(world(), path),
            uniform_brake(world(), 0.5, {.max_acceleration = 3, .brake_deceleration = 2}));
  EXPECT_THROW(read_brake(world(), path + ".not"), Error);
}

}  // namespace
}  // namespace keepclear
