// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear box as a user runs it: boxes from files, options and configurations, what it says of
// them, and the exit code.
#include <cmath>

#include "run.hpp"

namespace keepclear::test {
namespace {

using nlohmann::json;

/// Two balls of radius 0.5 on a rail: their distance is |slide| - 1.
constexpr const char* kRail = R"(<robot name="rail">
  <link name="stop"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
  <link name="axle"/>
  <link name="cart"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
  <link name="flag"/>
  <joint name="slide" type="prismatic"><parent link="stop"/><child link="axle"/>
    <axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
  <joint name="mount" type="fixed"><parent link="axle"/><child link="cart"/></joint>
  <joint name="wave" type="prismatic"><parent link="cart"/><child link="flag"/>
    <limit lower="-9" upper="9" effort="1" velocity="1"/><mimic joint="slide"/></joint></robot>)";

class Box : public testing::Test {
 protected:
  Result box(std::vector<std::string> words) const {
    words.insert(words.begin(), {"box", rail_});
    return run(words);
  }
  json answer(std::vector<std::string> words, int code) const {
    words.insert(words.end(), {"--json", "--quiet"});
    const Result result = box(words);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.err, "");
    const auto lines = json_lines(result.out);
    EXPECT_EQ(lines.size(), 1U) << result.out;
    return lines.empty() ? json() : lines[0];
  }
  std::string file(const std::string& text) const { return folder_.write("box.json", text); }

  const TempFolder folder_;
  const std::string rail_ = folder_.write("rail.urdf", kRail);
};

TEST_F(Box, AFreeBoxHasItsClearance) {
  const json free = answer({"--joint", "slide=2,3"}, 0);
  EXPECT_EQ(free["verdict"], "free");
  EXPECT_EQ(free["pair"], json({"stop", "cart"}));
  EXPECT_LE(free["clearance"].get<double>(), 1);
  EXPECT_GE(free["clearance"].get<double>(), 0.98);
  EXPECT_GE(free["distance"].get<double>(), 1 - 1e-9);
  const double slide = free["q"]["slide"].get<double>();
  EXPECT_GE(slide, 2);
  EXPECT_LE(slide, 3);
  EXPECT_NEAR(free["distance"].get<double>(), slide - 1, 1e-9);
  EXPECT_GT(free["tests"].get<int>(), 0);
  EXPECT_EQ(free["open_pairs"], 0);
}

TEST_F(Box, AContactComesWithAConfigurationThatCheckSeesToo) {
  const json contact = answer({"--joint", "slide=-0.5,3"}, 1);
  EXPECT_EQ(contact["verdict"], "contact");
  EXPECT_TRUE(contact["clearance"].is_null());
  EXPECT_EQ(contact["pair"], json({"stop", "cart"}));
  const double slide = contact["q"]["slide"].get<double>();
  EXPECT_GE(slide, -0.5);
  EXPECT_LE(slide, 1);
  EXPECT_EQ(run({"check", rail_, "--q", "slide=" + contact["q"]["slide"].dump()}).code, 1);
}

TEST_F(Box, AMarginIsAskedForOnTop) {
  EXPECT_EQ(answer({"--joint", "slide=2,3", "--margin", "0.9"}, 0)["verdict"], "free");
  const json near = answer({"--joint", "slide=2,3", "--margin", "1.5"}, 1);
  EXPECT_EQ(near["verdict"], "contact");
  EXPECT_LT(near["q"]["slide"].get<double>(), 2.5);
  EXPECT_GT(near["distance"].get<double>(), 0.99);
}

TEST_F(Box, TheMarginThatCountedIsSaid) {
  const std::string said = "within the margin of ";
  const Result asked = box({"--joint", "slide=2,3", "--margin", "1.25"});
  EXPECT_NE(asked.out.find(said + "1.25 m, at\n"), std::string::npos) << asked.out;
  const std::string scene = folder_.write("scene.json", R"({"robots": [{"urdf": "rail.urdf"}],
      "margin": 1.25})");
  const auto with = [&](const char* margin) {
    return run({"box", scene, "--joint", "slide=2,3", "--margin", margin});
  };
  const Result of_scene = with("1");
  EXPECT_EQ(of_scene.code, 1);
  EXPECT_NE(of_scene.out.find(said + "1.25 m that the scene asks for, at\n"), std::string::npos)
      << of_scene.out;
  EXPECT_NE(with("1.375").out.find(said + "1.375 m, at\n"), std::string::npos);
  const Result overlap = run({"box", scene, "--joint", "slide=0"});
  EXPECT_NE(overlap.out.find("overlapping at"), std::string::npos) << overlap.out;
}

TEST_F(Box, ABoxThatEndsInATouchIsUndecided) {
  const json touch = answer({"--joint", "slide=1,3", "--budget", "200"}, 2);
  EXPECT_EQ(touch["verdict"], "undecided");
  EXPECT_TRUE(touch["clearance"].is_null());
  EXPECT_EQ(touch["pair"], json({"stop", "cart"}));
  EXPECT_EQ(touch["open_pairs"], 1);
  EXPECT_LE(touch["tests"].get<int>(), 220);
}

TEST_F(Box, FileOptionAndConfigurationSayTheSame) {
  const json by_option = answer({"--joint", "slide=2,3"}, 0);
  EXPECT_EQ(answer({"--box", file(R"({"joints": {"slide": [2, 3]}})")}, 0), by_option);
  EXPECT_EQ(answer({"--box", file(R"({"joints": {"slide": [-3, 3]}})"), "--joint", "slide=2,3"}, 0),
            by_option);
  const json about = answer({"--q", "2.5", "--width", "1"}, 0);
  EXPECT_NEAR(about["clearance"].get<double>(), by_option["clearance"].get<double>(), 1e-6);
}

TEST_F(Box, AJointMayBeHeldStill) {
  for (const auto& words :
       {std::vector<std::string>{"--joint", "slide=1.25"},
        std::vector<std::string>{"--q", "slide=1.25", "--width", "0"},
        std::vector<std::string>{"--box", file(R"({"joints": {"slide": 1.25}})")}}) {
    const json still = answer(words, 0);
    EXPECT_EQ(still["q"]["slide"], 1.25);
    EXPECT_NEAR(still["clearance"].get<double>(), 0.25, 1e-9);
  }
}

TEST_F(Box, WithoutAnythingThatCanBeHitAllIsFree) {
  const std::string rock = folder_.write("rock.urdf", R"(<robot name="rock"><link name="rock">
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>)");
  const Result result = run({"box", rock, "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("no pair to check"), std::string::npos) << result.err;
  const auto lines = json_lines(result.out);
  ASSERT_EQ(lines.size(), 1U);
  EXPECT_EQ(lines[0]["verdict"], "free");
  EXPECT_TRUE(lines[0]["clearance"].is_null());
  EXPECT_TRUE(lines[0]["pair"].is_null());
}

TEST_F(Box, TextTellsVerdictClearanceAndWhere) {
  const Result free = box({"--joint", "slide=2,3"});
  EXPECT_EQ(free.code, 0);
  EXPECT_EQ(free.err, "");
  EXPECT_EQ(free.out.rfind("free: ", 0), 0U) << free.out;
  EXPECT_NE(free.out.find("stop - cart"), std::string::npos) << free.out;
  EXPECT_NE(free.out.find(" m, the least found of any pair, at\n"), std::string::npos) << free.out;
  EXPECT_NE(free.out.find("--q slide=2"), std::string::npos) << free.out;
  const Result contact = box({"--joint", "slide=0,3"});
  EXPECT_EQ(contact.code, 1);
  EXPECT_EQ(contact.out.rfind("contact: stop - cart\n", 0), 0U) << contact.out;
  const Result undecided = box({"--joint", "slide=1,3", "--budget", "50"});
  EXPECT_EQ(undecided.code, 2);
  EXPECT_EQ(undecided.out.rfind("undecided: 1 pair ", 0), 0U) << undecided.out;
}

TEST_F(Box, BeyondTheLimitsIsAnsweredAndNoted) {
  const Result loud = box({"--joint", "slide=8,12"});
  EXPECT_EQ(loud.code, 0);
  EXPECT_NE(loud.err.find("the box reaches beyond the limits of 1 joint"), std::string::npos);
  EXPECT_EQ(box({"--joint", "slide=8,12", "--quiet"}).err, "");
  EXPECT_EQ(box({"--joint", "slide=2,3"}).err, "");
}

TEST_F(Box, WhatIsNoBoxOnTheCommandLineIsWrongUsage) {
  const std::string good = file(R"({"joints": {}})");
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "no box given; give --box FILE"},
      {{"--box", good, "--q", "0", "--width", "1"}, ": not with --q"},
      {{"--q", "0"}, "--q '0': only with --width"},
      {{"--width", "1", "--joint", "slide=0,1"}, "--width '1': only with --q"},
      {{"--q", "0", "--width", "-1"}, "--width: '-1' is out of range"},
      {{"--q", "0", "--width", "1e300"}, "is beyond"},
      {{"--q", "0,0", "--width", "1"}, "--q: 2 numbers given"},
      {{"--joint", "slide"}, "--joint: 'slide' has no '='; it is NAME=LOWER,UPPER"},
      {{"--joint", "slide="}, "--joint: 'slide=' has nothing after '='"},
      {{"--joint", "slide=1,x"}, "has 'x', which is not a finite decimal number"},
      {{"--joint", "slide=1,2,3"}, "is not 1 to 2 numbers"},
      {{"--joint", "slide=2,1"}, "the lower end 2 is above the upper end 1"},
      {{"--joint", "slide=0,2e9"}, "is beyond"},
      {{"--joint", "slid=0,1"}, "no variable 'slid'; did you mean 'slide'?"},
      {{"--joint", "wave=0,1"}, "follows 'slide'"},
      {{"--joint", "slide=0,1", "--joint", "slide=0,1"}, "'slide' is given twice"},
      {{"--joint", "slide=0,1", "--margin", "-1"}, "--margin: '-1' is out of range"},
      {{"--joint", "slide=0,1", "--tolerance", "x"},
       "--tolerance: 'x' is not a finite decimal number"},
      {{"--joint", "slide=0,1", "--tolerance", "0"},
       "--tolerance: '0' is out of range; it is a length in metres, above 0"},
      {{"--joint", "slide=0,1", "--budget", "0"}, "--budget"},
      {{"--joint", "slide=0,1", "--box", ""}, "--box"},
  };
  for (const auto& [words, text] : cases) {
    SCOPED_TRACE(text);
    const Result result = box(words);
    expect_error(result, 64, text);
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(Box, AFileThatIsNoneNamesThePlace) {
  const auto of_file = [&](const std::string& text) { return box({"--box", file(text)}); };
  expect_error(box({"--box", "/nonexistent.json"}), 66, "/nonexistent.json: no such file");
  expect_error(box({"--box", "/"}), 66, "folder");
  expect_error(of_file(""), 65, "box.json: the file is empty");
  expect_error(of_file("{\n\"joints\": {"), 65, "box.json:2: ");
  expect_error(of_file(R"({"joint": {}})"), 65, "box.json: /joint: unknown key");
  expect_error(of_file(R"({"joints": {"slide": [3, 2]}})"), 65,
               "box.json: /joints/slide: the lower");
  expect_error(of_file(R"({"joints": {"wave": [0, 1]}})"), 65, "box.json: /joints/wave: ");
}

TEST_F(Box, AFailedWriteIsSaid) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  expect_error(run({"box", rail_, "--joint", "slide=2,3", "--quiet"}, {.output_file = "/dev/full"}),
               74, "standard output: cannot write");
}

TEST(BoxOfAnArm, TheVerdictDoesNotDependOnTheThreads) {
  const std::vector<std::string> words = {
      "box",    "six_axis_arm", "--q",      "waist=-0.5,shoulder=0.3", "--width", "0.1",
      "--json", "--quiet",      "--threads"};
  const auto with = [&](const char* threads) {
    std::vector<std::string> all = words;
    all.emplace_back(threads);
    return run(all);
  };
  const Result one = with("1"), two = with("2");
  ASSERT_EQ(one.code, 0) << one.err << one.out;
  EXPECT_EQ(two.code, 0);
  const json a = json_lines(one.out).at(0), b = json_lines(two.out).at(0);
  EXPECT_EQ(a["verdict"], b["verdict"]);
  EXPECT_GT(a["clearance"].get<double>(), 0.01);
  EXPECT_EQ(a["q"].size(), 6U);
}

TEST(BoxOfAnArm, IntoThePostIsAContact) {
  const Result result = run({"box", "six_axis_arm", "--joint", "waist=0.3,1.3", "--joint",
                             "shoulder=0.9", "--joint", "elbow=-0.5", "--joint", "forearm_roll=0",
                             "--joint", "wrist_bend=0", "--joint", "tool_roll=0", "--json"});
  ASSERT_EQ(result.code, 1) << result.err << result.out;
  const json contact = json_lines(result.out).at(0);
  std::string q;
  for (const auto& [name, value] : contact["q"].items()) {
    q += (q.empty() ? "" : ",") + name + "=" + value.dump();
  }
  EXPECT_EQ(run({"check", "six_axis_arm", "--q", q}).code, 1);
}

TEST(BoxOfADrone, ThePositionWantsAnIntervalAndTheRotationHasOne) {
  const TempFolder folder;
  const std::string urdf = folder.write("drone.urdf", R"(<robot name="drone">
    <link name="pad"><collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
    <link name="frame"/>
    <link name="body"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="free" type="floating"><parent link="pad"/><child link="frame"/></joint>
    <joint name="mount" type="fixed"><parent link="frame"/><child link="body"/></joint></robot>)");
  const Result endless = run({"box", urdf, "--joint", "free/trans_z=1,2", "--budget", "1000"});
  EXPECT_EQ(endless.code, 2) << endless.out;
  EXPECT_NE(endless.err.find("'free/trans_x' has no limits"), std::string::npos) << endless.err;
  const Result about = run({"box", urdf, "--q", "free/trans_z=1", "--width", "0.2"});
  EXPECT_EQ(about.code, 0) << about.out;
  EXPECT_EQ(about.err, "");
  const Result still = run({"box", urdf, "--joint", "free/trans_z=1", "--joint",
                            "free/rot_x=0.8,0.9", "--joint", "free/rot_y=0.8,0.9"});
  expect_error(still, 64, "no quaternion of joint 'free' in the box has length 1");
}

TEST(BoxOfAScene, AJointNeedsItsRobot) {
  expect_error(run({"box", "two_arms", "--joint", "joint1=0,1"}), 64,
               "robot/joint: 'left/joint1' or 'right/joint1'");
}

}  // namespace
}  // namespace keepclear::test
