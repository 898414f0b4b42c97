// SPDX-License-Identifier: BSD-3-Clause
//
// Poses as people write them: the corpus of CSV files, and what --q takes.
#include <map>

#include "run.hpp"

namespace keepclear::test {
namespace {

const std::filesystem::path kPoses = std::filesystem::path(KEEPCLEAR_CORPUS) / "poses";
const std::string kHeader = "waist,shoulder,elbow,forearm_roll,wrist_bend,tool_roll\n";

Result distances_of(const std::string& file, const RunOptions& options = {}) {
  return run({"distance", "six_axis_arm", "--poses", file, "--json", "--quiet"}, options);
}

TEST(PosesCsv, EveryWayToWriteTheSamePosesGivesTheSameBytes) {
  const Result plain = distances_of(kPoses / "ok/plain.csv");
  ASSERT_EQ(plain.code, 0) << plain.err;
  ASSERT_EQ(json_lines(plain.out).size(), 2U);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kPoses / "ok")) {
    const Result result = distances_of(entry.path());
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, plain.out) << entry.path();
    ++files;
  }
  EXPECT_GE(files, 9U);
  const Result piped = distances_of("-", {.input = slurp(kPoses / "ok/plain.csv")});
  EXPECT_EQ(piped.out, plain.out);
}

TEST(PosesCsv, EveryMalformedFileIsRefusedWithItsPlaceNamed) {
  const std::map<std::string, std::string> said = {
      {"unknown_column.csv", ":1: unknown column 'elbwo'"},
      {"two_time_columns.csv", ":1: column 'time' stands there twice"},
      {"time_is_no_number.csv", ":3: column 1 ('time'): 'later' is no number"},
      {"missing_column.csv", ":1: column 'tool_roll' is missing"},
      {"duplicate_column.csv", ":1: column 'elbow' stands there twice"},
      {"no_header.csv", ":1: unknown column '0.1'"},
      {"header_in_a_comment.csv", "a header behind '#' is a comment"},
      {"empty.csv", "there is no header line"},
      {"only_comments.csv", "there is no header line"},
      {"nan.csv", ":3: column 4 ('forearm_roll'): 'nan' is not finite"},
      {"infinity.csv", ":3: column 4 ('forearm_roll'): '-inf' is not finite"},
      {"text_after_a_number.csv", ":3: column 4 ('forearm_roll'): '1.0abc' is no number"},
      {"hexadecimal.csv", ":3: column 4 ('forearm_roll'): '0x10' is no number"},
      {"overflow.csv", ":3: column 4 ('forearm_roll'): '1e999' does not fit"},
      {"empty_field.csv", ":3: column 4 ('forearm_roll'): a number is missing"},
      {"two_signs.csv", ":3: column 4 ('forearm_roll'): '+-1' is no number"},
      {"two_numbers_in_a_field.csv", ":3: column 4 ('forearm_roll'): '1 2' is no number"},
      {"too_few_fields.csv", ":3: 5 fields where the header has 6"},
      {"too_many_fields.csv", ":3: 7 fields where the header has 6"},
      {"trailing_comma.csv", ":2: 7 fields where the header has 6"},
      {"semicolons.csv", "fields are separated by commas"},
      {"tabs.csv", "fields are separated by commas"},
      {"empty_line_between_rows.csv", ":3: an empty line between poses"},
      {"quote_not_closed.csv", ":2: column 1: a quote is not closed"},
      {"text_after_a_quote.csv", ":1: column 1: text after a quote"},
      {"utf16.csv", ":1: unknown column"},
      {"zero_bytes.csv",
       ":2: column 1 ('waist'): '"
       "???"
       "' is no number"},
      {"control_characters_in_a_name.csv",
       ":1: unknown column 'wa?[31mist??"
       "'"},
  };
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kPoses / "reject")) {
    const std::string name = entry.path().filename();
    ASSERT_TRUE(said.contains(name)) << "say what is expected of " << name;
    SCOPED_TRACE(name);
    const Result result = distances_of(entry.path());
    expect_error(result, 65, said.at(name));
    EXPECT_NE(result.err.find(name), std::string::npos) << result.err;
    ++files;
  }
  EXPECT_EQ(files, said.size());
}

TEST(PosesCsv, AJointCalledTimeIsAJoint) {
  const TempFolder folder;
  const std::string urdf = folder.write("clock.urdf", R"(<robot name="clock">
    <link name="case"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
    <link name="axle"/>
    <link name="hand"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
    <joint name="time" type="prismatic"><parent link="case"/><child link="axle"/>
      <axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
    <joint name="fit" type="fixed"><parent link="axle"/><child link="hand"/></joint></robot>)");
  const Result result = run({"distance", urdf, "--poses", "-", "--json"}, {.input = "time\n3\n"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_NEAR(rows[0]["distance"].get<double>(), 2, 1e-9);
  expect_error(run({"distance", urdf, "--poses", "-"}, {.input = "time,time\n3,3\n"}), 65,
               ":1: column 'time' stands there twice");
}

TEST(PosesCsv, AHeaderAloneIsNoPoseAndNoError) {
  for (const char* command : {"distance", "check"}) {
    const Result result =
        run({command, "six_axis_arm", "--poses", "-", "--json"}, {.input = kHeader});
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.out, "");
  }
}

TEST(PosesCsv, ALineWithoutAnEndIsRefused) {
  expect_error(distances_of("/dev/zero"), 65, "a line is longer than");
}

TEST(PosesCsv, AFileThatIsNotThereOrIsAFolderIsMissing) {
  expect_error(distances_of("/nonexistent/poses.csv"), 66, "/nonexistent/poses.csv: cannot open");
  expect_error(distances_of("/"), 66, "is a folder");
}

TEST(PosesCsv, RowsComeInTheOrderOfTheInputAcrossBlocks) {
  std::string csv = kHeader;
  constexpr std::size_t kRows = 9001;  // more than two blocks
  for (std::size_t i = 0; i < kRows; ++i) {
    csv += std::to_string(static_cast<double>(i % 17) * 0.1) + ",0.2,0,0,0,0\n";
  }
  const Result result = distances_of("-", {.input = csv});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), kRows);
  for (std::size_t i = 0; i < kRows; ++i) {
    ASSERT_EQ(rows[i]["pose"], i);
    // Equal poses, equal answers, wherever they stand.
    ASSERT_NEAR(rows[i]["distance"].get<double>(), rows[i % 17]["distance"].get<double>(), 1e-9);
  }
}

TEST(PosesCsv, AFaultyRowFarDownIsNamedByItsLine) {
  std::string csv = kHeader;
  for (int i = 0; i < 5000; ++i) csv += "0,0,0,0,0,0\n";
  csv += "0,0,0,zero,0,0\n";
  expect_error(distances_of("-", {.input = csv}), 65,
               "standard input:5002: column 4 ('forearm_roll'): 'zero' is no number");
}

TEST(PosesCsv, PosesBeyondTheLimitsAreAnsweredAndNoted) {
  const std::string csv = kHeader + "9,0,0,0,0,0\n";
  const Result loud = run({"check", "six_axis_arm", "--poses", "-"}, {.input = csv});
  EXPECT_NE(loud.err.find("1 pose lies outside the joint limits"), std::string::npos) << loud.err;
  const Result quiet = run({"check", "six_axis_arm", "--poses", "-", "--quiet"}, {.input = csv});
  EXPECT_EQ(quiet.err, "");
}

constexpr const char* kFloating = R"(<robot name="drone">
  <link name="world"><collision><geometry><box size="1 1 0.1"/></geometry></collision></link>
  <link name="frame"/>
  <link name="body"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="free" type="floating"><parent link="world"/><child link="frame"/></joint>
  <joint name="mount" type="revolute"><parent link="frame"/><child link="body"/>
    <axis xyz="0 0 1"/><limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>)";

TEST(PosesCsv, AQuaternionMustHaveUnitLength) {
  const TempFolder folder;
  const std::string urdf = folder.write("drone.urdf", kFloating);
  const std::string header =
      "free/trans_x,free/trans_y,free/trans_z,free/rot_x,free/rot_y,free/rot_z,free/rot_w,mount\n";
  const std::vector<std::string> words = {"distance", urdf, "--poses", "-", "--json", "--quiet"};
  const Result good = run(words, {.input = header + "0,0,1,0,0,0,1,0\n0,0,2,0.6,0,0.8,0,0\n"});
  ASSERT_EQ(good.code, 0) << good.err;
  const auto rows = json_lines(good.out);
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_NEAR(rows[0]["distance"].get<double>(), 0.85, 1e-9);
  EXPECT_NEAR(rows[1]["distance"].get<double>(), 1.85, 1e-9);
  expect_error(run(words, {.input = header + "0,0,1,0,0,0,1,0\n0,0,1,0.6,0,0.9,0,0\n"}), 65,
               "standard input:3: the quaternion of joint 'free'");
  expect_error(run(words, {.input = header + "0,0,1,0,0,0,0,0\n"}), 65, ":2: the quaternion");
  expect_error(run({"distance", urdf, "--q", "free/rot_w=2"}), 64, "the quaternion of joint");
  EXPECT_EQ(run({"distance", urdf, "--q", "free/trans_z=1"}).code, 0);
}

TEST(PoseOnTheCommandLine, NumbersAndNamesSayTheSame) {
  const Result numbers = run({"distance", "six_axis_arm", "--q", "-0.5,0.25,0,0,1,0", "--json"});
  ASSERT_EQ(numbers.code, 0) << numbers.err;
  const Result names =
      run({"distance", "six_axis_arm", "--q", "wrist_bend=1,shoulder=0.25,waist=-0.5", "--json"});
  EXPECT_EQ(names.out, numbers.out);
  EXPECT_EQ(json_lines(names.out).size(), 1U);
}

TEST(PoseOnTheCommandLine, WhatIsNoPoseIsWrongUsage) {
  const auto q = [](const std::string& text) {
    return run({"check", "six_axis_arm", "--q", text});
  };
  expect_error(q("0,0,0"), 64, "3 numbers given, the world has 6 variables");
  expect_error(q(""), 64, "--q: '' is empty");
  expect_error(q("0,0,0,0,0,x"), 64, "has 'x', which is not a finite decimal number");
  expect_error(q("0,0,0,0,0,nan"), 64, "has 'nan', which is not a finite decimal number");
  expect_error(q("0,0,0,0,0,"), 64, "has an empty entry");
  expect_error(q("knee=1"), 64, "no variable 'knee'");
  expect_error(q("elbow=1,elbow=2"), 64, "'elbow' stands there twice");
  expect_error(q("elbow=1,2"), 64, "'2' is not NAME=VALUE");
}

TEST(PoseOnTheCommandLine, AWorldWithoutMovableJointsHasOnePose) {
  const TempFolder folder;
  const std::string urdf = folder.write("rock.urdf", R"(<robot name="rock"><link name="rock">
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link></robot>)");
  const Result result = run({"distance", urdf, "--json", "--quiet"});
  ASSERT_EQ(result.code, 0) << result.err;
  // Nothing to hit: infinitely far, which JSON cannot say.
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_TRUE(rows[0]["distance"].is_null());
  EXPECT_TRUE(rows[0]["pair"].is_null());
  EXPECT_EQ(rows[0]["verdict"], "free");
  EXPECT_EQ(run({"check", urdf}).code, 0);
  expect_error(run({"check", urdf, "--poses", "-"}, {.input = "\n\n"}), 65, "no movable joint");
}

}  // namespace
}  // namespace keepclear::test
