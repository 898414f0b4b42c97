// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear certify as a user runs it: motions from files and folders, on one clock and on several,
// what it says of them, and the exit code.
#include <cmath>
#include <set>

#include "data.hpp"
#include "run.hpp"

namespace keepclear::test {
namespace {

using nlohmann::json;

/// Two balls of radius 0.5 on a rail: their distance is |slide| - 1. A hand turns on the cart and
/// hits nothing.
constexpr const char* kRail = R"(<robot name="rail">
  <link name="stop"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
  <link name="axle"/>
  <link name="cart"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
  <link name="hand"/>
  <joint name="slide" type="prismatic"><parent link="stop"/><child link="axle"/>
    <axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
  <joint name="mount" type="fixed"><parent link="axle"/><child link="cart"/></joint>
  <joint name="turn" type="continuous"><parent link="cart"/><child link="hand"/></joint></robot>)";

/// From 3 down to 1.5, and up again.
constexpr const char* kFree = "time,slide\n0,3\n1,1.5\n2,3\n";
/// Into the stop: slide is 1 at time 2.
constexpr const char* kHit = "time,slide\n0,3\n3,0\n";
/// Comes to a touch and goes again.
constexpr const char* kTouch = "time,slide\n0,2\n1,1\n2,2\n";

class Certify : public testing::Test {
 protected:
  Result certify(std::vector<std::string> words) const {
    words.insert(words.begin(), {"certify", rail_});
    return run(words);
  }
  json answer(std::vector<std::string> words, int code) const {
    words.insert(words.end(), {"--json", "--quiet"});
    const Result result = certify(words);
    EXPECT_EQ(result.code, code) << result.err;
    EXPECT_EQ(result.err, "");
    const auto lines = json_lines(result.out);
    EXPECT_EQ(lines.size(), 1U) << result.out;
    return lines.empty() ? json() : lines[0];
  }

  const TempFolder folder_;
  const std::string rail_ = folder_.write("rail.urdf", kRail);
  const std::string free_ = folder_.write("free.csv", kFree);
  const std::string hit_ = folder_.write("hit.csv", kHit);
  const std::string touch_ = folder_.write("touch.csv", kTouch);
};

TEST_F(Certify, AFreeMotionHasItsClearanceWhenAndWho) {
  const json free = answer({"--path", free_}, 0);
  EXPECT_EQ(free["path"], free_);
  EXPECT_EQ(free["verdict"], "free");
  EXPECT_EQ(free["pair"], json({"stop", "cart"}));
  EXPECT_LE(free["clearance"].get<double>(), 0.5);
  EXPECT_GE(free["clearance"].get<double>(), 0.45);
  EXPECT_GE(free["distance"].get<double>(), 0.5 - 1e-9);
  EXPECT_NEAR(free["time"].get<double>(), 1, 0.05);
  EXPECT_NEAR(free["configuration"]["slide"].get<double>(), free["distance"].get<double>() + 1,
              1e-6);
  EXPECT_EQ(free["configuration"]["turn"], 0);
  EXPECT_TRUE(free["first_contact"].is_null());
  ASSERT_FALSE(free["intervals"].empty());
  for (const json& interval : free["intervals"]) EXPECT_EQ(interval["status"], "free");
  for (const char* count : {"tests", "parts", "depth"}) EXPECT_GE(free[count].get<int>(), 0);
  EXPECT_GT(free["seconds"].get<double>(), 0);
  EXPECT_EQ(free["contract"], (json{{"certified_above", 0.002}, {"found_below", -0.001}}));
}

TEST_F(Certify, AContactComesWithATimeAndAConfigurationThatCheckSeesToo) {
  const json contact = answer({"--path", hit_}, 1);
  EXPECT_EQ(contact["verdict"], "contact");
  EXPECT_TRUE(contact["clearance"].is_null());
  EXPECT_EQ(contact["pair"], json({"stop", "cart"}));
  EXPECT_NEAR(contact["first_contact"].get<double>(), 2, 0.01);
  EXPECT_GE(contact["first_contact"].get<double>(), 2);
  const std::string slide = contact["configuration"]["slide"].dump();
  EXPECT_EQ(run({"check", rail_, "--q", "slide=" + slide}).code, 1);
  const json& first = contact["intervals"].at(0);
  EXPECT_EQ(first["status"], "free");
  EXPECT_EQ(first["from"], 0);
  EXPECT_GT(first["to"].get<double>(), 1.9);
  EXPECT_LE(first["to"].get<double>(), 2);
  EXPECT_TRUE(first["contact"].is_null());
  for (const char* ask : {"verdict", "first", "all"}) {
    EXPECT_EQ(answer({"--path", hit_, "--ask", ask}, 1)["verdict"], "contact") << ask;
  }
}

TEST_F(Certify, AMarginATubeAndAnUncertainBaseAreAskedForOnTop) {
  EXPECT_EQ(answer({"--path", free_, "--margin", "0.4"}, 0)["verdict"], "free");
  EXPECT_EQ(answer({"--path", free_, "--margin", "0.6"}, 1)["verdict"], "contact");
  const json tube = answer({"--path", free_, "--tube", "0.3"}, 0);
  EXPECT_LE(tube["clearance"].get<double>(), 0.2);
  const std::string narrow = folder_.write("tube.csv", "time,slide\n0,0.6\n0.5,0.1\n2,0.1\n");
  const json by_file = answer({"--path", free_, "--tube", narrow}, 0);
  EXPECT_LE(by_file["clearance"].get<double>(), 0.4);
  EXPECT_GT(by_file["clearance"].get<double>(), 0.3);
  // A robot does not move against itself when its base does.
  EXPECT_EQ(answer({"--path", free_, "--base", "0.01,0.01"}, 0)["verdict"], "free");
  // The whole cart, a ball around a point, may be that far off.
  const json off = answer({"--path", free_, "--deviation", "0.1"}, 0);
  EXPECT_LE(off["clearance"].get<double>(), 0.4);
  EXPECT_GT(off["clearance"].get<double>(), 0.3);
  EXPECT_EQ(answer({"--path", free_, "--method", "ball"}, 0)["verdict"], "free");
  const Result text = certify({"--path", free_, "--margin", "0.4", "--tube", "0.01"});
  EXPECT_NE(text.out.find("contract   clear by more than 0.002 m + 0.4 m of margin and what the "
                          "tube takes is proved free"),
            std::string::npos)
      << text.out;
}

TEST_F(Certify, ATouchIsUndecidedAndSaysWhere) {
  const json touch = answer({"--path", touch_}, 2);
  EXPECT_EQ(touch["verdict"], "undecided");
  EXPECT_TRUE(touch["clearance"].is_null());
  bool open = false;
  for (const json& interval : touch["intervals"]) {
    if (interval["status"] != "undecided") continue;
    open = true;
    EXPECT_LE(interval["from"].get<double>(), 1);
    EXPECT_GE(interval["to"].get<double>(), 1);
    EXPECT_LT(interval["to"].get<double>() - interval["from"].get<double>(), 0.05);
    EXPECT_EQ(interval["pair"], json({"stop", "cart"}));
  }
  EXPECT_TRUE(open);
}

TEST_F(Certify, TextTellsVerdictTimeAndWhere) {
  const Result free = certify({"--path", free_, "--rest", "turn=0"});
  EXPECT_EQ(free.code, 0);
  EXPECT_EQ(free.err, "");
  EXPECT_EQ(free.out.rfind("free: proved for the whole motion, 0 to 2 s\n", 0), 0U) << free.out;
  EXPECT_NE(free.out.find("  clearance  at least 0.4"), std::string::npos) << free.out;
  EXPECT_NE(free.out.find("stop - cart at "), std::string::npos) << free.out;
  const Result contact = certify({"--path", hit_});
  EXPECT_EQ(contact.out.rfind("contact: stop - cart at 2.0", 0), 0U) << contact.out;
  EXPECT_NE(contact.out.find("  where      overlapping at\n"), std::string::npos) << contact.out;
  EXPECT_NE(contact.out.find("  free       until 1.99"), std::string::npos) << contact.out;
  const Result near = certify({"--path", hit_, "--margin", "0.25"});
  EXPECT_NE(near.out.find("within the margin of 0.25 m, at\n"), std::string::npos) << near.out;
  const Result undecided = certify({"--path", touch_});
  EXPECT_EQ(undecided.out.rfind("undecided: 1 stretch of the motion could not", 0), 0U)
      << undecided.out;
  EXPECT_NE(undecided.out.find("undecided  0.9"), std::string::npos) << undecided.out;
}

TEST_F(Certify, ABatchIsALineAPathInTheOrderOfTheInputForAnyThreads) {
  std::filesystem::create_directory(folder_.path() / "many");
  folder_.write("many/b.csv", kFree);
  folder_.write("many/a.csv", kTouch);
  folder_.write("many/notes.txt", "no path");
  folder_.write("many/c.json", R"({"joint_names": ["slide"], "points": [
      {"positions": [2], "time_from_start": 0}, {"positions": [3], "time_from_start": 1}]})");
  const std::string many = folder_.path() / "many";
  std::vector<std::string> words = {"certify", rail_,    "--path",    free_, "--path",
                                    many,      "--json", "--threads", "1"};
  const Result one = run(words);
  EXPECT_EQ(one.code, 2) << one.err;
  words.back() = "2";
  EXPECT_EQ(run(words).out, one.out);
  const auto lines = json_lines(one.out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0]["path"], free_);
  EXPECT_EQ(lines[1]["path"], many + "/a.csv");
  EXPECT_EQ(lines[2]["path"], many + "/b.csv");
  EXPECT_EQ(lines[3]["path"], many + "/c.json");
  EXPECT_EQ(lines[1]["verdict"], "undecided");
  for (const json& line : lines) EXPECT_FALSE(line.contains("seconds"));
  EXPECT_EQ(certify({"--path", touch_, "--path", hit_, "--path", free_}).code, 1);
  EXPECT_EQ(certify({"--path", free_, "--path", free_}).code, 0);
  const Result text = certify({"--path", many});
  EXPECT_NE(text.out.find("3 paths: 2 free, 0 contact, 1 undecided"), std::string::npos)
      << text.out;
}

TEST_F(Certify, AnUnreadablePathOfABatchStopsItBeforeItBegins) {
  const std::string bad = folder_.write("bad.csv", "time,slide\n0,3\n1,x\n");
  const Result result = certify({"--path", free_, "--path", bad, "--json"});
  expect_error(result, 65, "bad.csv:3: ");
  EXPECT_EQ(result.out, "");
}

TEST_F(Certify, JointsThatThePathDoesNotNameStayWhereRestHasThem) {
  const std::string turn = folder_.write("turn.csv", "time,turn\n0,0\n1,20\n");
  EXPECT_EQ(answer({"--path", turn}, 1)["verdict"], "contact");
  for (const char* rest : {"2,0", "slide=2", R"({"slide": 2})"}) {
    const json free = answer({"--path", turn, "--rest", rest}, 0);
    EXPECT_EQ(free["configuration"]["slide"], 2) << rest;
  }
  expect_error(certify({"--path", turn, "--rest", "1"}), 64, "--rest: 1 number given");
  expect_error(certify({"--path", turn, "--rest", "{\"slide\": \"x\"}"}), 64, "--rest: 'slide'");
  expect_error(certify({"--path", turn, "--rest", "slid=1"}), 64, "no variable 'slid'");
}

TEST_F(Certify, ALogIsReadThroughItsColumns) {
  const std::string log = folder_.write("log.csv", "t, x ,v,\"temp\"\n0,3,0,20\n1,1.5,0,20\n");
  for (const char* columns : {"t=time,x=slide", "time=t,slide=x"}) {
    const json free = answer({"--path", log, "--columns", columns}, 0);
    EXPECT_NEAR(free["clearance"].get<double>(), 0.5, 0.05);
  }
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"x", "has 'x', which has no '='"},
      {"t=time,x=slid", "'x=slid' names no joint"},
      {"t=time,x=slide,v=slide", "'slide' is given twice"},
      {"t=time,t=slide", "the column 't' is given twice"},
  };
  for (const auto& [columns, text] : cases) {
    expect_error(certify({"--path", log, "--columns", columns}), 64, text);
  }
  expect_error(certify({"--path", log, "--columns", "t=time,y=slide"}), 65, "log.csv:1: no column");
  const std::string torn = folder_.write("torn.csv", "t,x\n0,3\n1\n");
  expect_error(certify({"--path", torn, "--columns", "t=time,x=slide"}), 65,
               "torn.csv:3: 1 field where the header has 2");
}

TEST_F(Certify, AProofIsWrittenStepByStep) {
  const std::string proof = folder_.path() / "proof.jsonl";
  EXPECT_EQ(answer({"--path", free_, "--proof", proof}, 0)["verdict"], "free");
  const auto lines = json_lines(slurp(proof));
  ASSERT_GE(lines.size(), 2U);
  EXPECT_EQ(lines[0]["path"], free_);
  EXPECT_EQ(lines[0]["rules"], "docs/theory/certify.md");
  EXPECT_EQ(lines[0]["hash"].get<std::string>().size(), 64U);
  EXPECT_EQ(lines[0]["steps"], lines.size() - 1);
  for (std::size_t i = 1; i < lines.size(); ++i) {
    EXPECT_EQ(lines[i]["pair"], json({"stop", "cart"}));
    EXPECT_LT(lines[i]["from"].get<double>(), lines[i]["to"].get<double>());
    EXPECT_GT(lines[i]["bound"].get<double>(), 0);
  }
  expect_error(certify({"--path", free_, "--proof", free_}), 64, "is an input itself");
  expect_error(certify({"--path", free_, "--proof", rail_}), 64, "is an input itself");
  expect_error(certify({"--path", free_, "--proof", "/nonexistent/p"}), 74, "cannot be written");
  EXPECT_EQ(slurp(free_), kFree);
}

TEST_F(Certify, BeyondTheLimitsIsAnsweredAndNoted) {
  const std::string far = folder_.write("far.csv", "time,slide\n0,8\n1,12\n");
  const Result loud = certify({"--path", far});
  EXPECT_EQ(loud.code, 0);
  EXPECT_NE(loud.err.find("1 path goes beyond the limits of joints"), std::string::npos);
  EXPECT_EQ(certify({"--path", far, "--quiet"}).err, "");
  const std::string end = folder_.write("end.csv", "time,slide\n0,8\n1,9\n");
  EXPECT_EQ(certify({"--path", end, "--rest", "turn=0"}).err, "");
}

TEST_F(Certify, JointsThatAPathDoesNotNameAreNoted) {
  const std::string note = "does not name turn: taken as neutral; --rest says where";
  const auto says = [&](const std::string& path, const std::vector<std::string>& more = {}) {
    std::vector<std::string> words = {"--path", path};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = certify(words);
    EXPECT_EQ(result.code, 0) << result.err;
    return result.err.find(note) != std::string::npos;
  };
  EXPECT_TRUE(says(free_));
  EXPECT_FALSE(says(free_, {"--rest", "turn=0"}));
  EXPECT_FALSE(says(free_, {"--quiet"}));
  // Where it stands throughout may be said, and neutral.
  EXPECT_FALSE(says(folder_.write("all.csv", "time,slide,turn\n0,4,0\n1,5,0\n")));
  EXPECT_FALSE(says(folder_.write("turns.csv", "time,slide,turn\n0,4,0\n1,5,0.1\n")));
  const std::string points = R"("joint_trajectory": {"joint_names": ["slide"], "points": [
      {"positions": [4], "time_from_start": 0}, {"positions": [5], "time_from_start": 1}]})";
  EXPECT_TRUE(says(folder_.write("t.json", "{" + points + "}")));
  const std::string shown = R"({"trajectory_start": {"joint_state": {"name": ["turn"],
      "position": [0]}}, "trajectory": [{)" +
                            points + "}]}";
  EXPECT_FALSE(says(folder_.write("d.json", shown)));
  const Result page = run({"report", rail_, "--path", free_, "-o", folder_.path() / "p.html"});
  EXPECT_NE(page.err.find(note), std::string::npos) << page.err;
}

TEST_F(Certify, WhatMakesNoSenseIsWrongUsage) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{}, "no motion given; give --path FILE"},
      {{"--path", free_, "--clock", "a=" + free_}, ": not with --clock"},
      {{"--path", free_, "--offset", "1"}, "--offset '1': only with --clock"},
      {{"--clock", "rail=" + free_}, "--clock: the world has no two robots"},
      {{"--clock", free_}, "has no '='; it is ROBOT=PATH"},
      {{"--path", free_, "--deviation", "-1"}, "--deviation: '-1' is out of range"},
      {{"--path", free_, "--method", "magic"}, "--method: 'magic' is none of the words"},
      {{"--path", free_, "--ask", "why"}, "--ask: 'why' is none of the words"},
      {{"--path", free_, "--margin", "-1"}, "--margin: '-1' is out of range"},
      {{"--path", free_, "--tolerance", "0"}, "--tolerance: '0' is out of range"},
      {{"--path", free_, "--tolerance", "x"}, "--tolerance: 'x' is not a finite decimal number"},
      {{"--path", free_, "--accuracy", "0.1,2"}, "--accuracy: the share must be below 1"},
      {{"--path", free_, "--accuracy", "-1"}, "--accuracy: '-1' is out of range"},
      {{"--path", free_, "--budget", "0"}, "--budget"},
      {{"--path", free_, "--tube", "-0.1"}, "--tube: '-0.1' is out of range"},
      {{"--path", free_, "--tube", ""}, "--tube: '' is empty"},
      {{"--path", free_, "--tube", "nan"},
       "--tube: 'nan' is neither a number nor a file that is there"},
      {{"--path", free_, "--tube", "1e30"}, "--tube: '1e30' is too large"},
      {{"--path", free_, "--rest", "{"}, "--rest: is no JSON object"},
      {{"--path", free_, "--rest", "slide=1e300"}, "--rest: this is no configuration"},
      {{"--path", free_, "--base", "0.1"}, "--base: '0.1' is not 2 numbers; it is METRES,RADIANS"},
      {{"--path", free_, "--base", "-0.1,0"}, "has '-0.1', which is out of range"},
      {{"--path", free_, "--base", "left=0.1,0"}, "its only robot has no name"},
      {{"--path", free_, "--base", "0.1,0", "--base", "0.1,0"}, "given twice"},
      {{"--path", free_, "--summary"}, "--summary: only with --certificate"},
      {{"--path", rail_ + ".json", "--columns", "t=time"}, "no such file"},
      {{"--path", ""}, "--path"},
  };
  for (const auto& [words, text] : cases) {
    SCOPED_TRACE(text);
    const Result result = certify(words);
    expect_error(result, text == "no such file" ? 66 : 64, text);
    EXPECT_EQ(result.out, "");
  }
}

TEST_F(Certify, AFileThatIsNoPathNamesThePlace) {
  const auto of_file = [&](const std::string& text) {
    return certify({"--path", folder_.write("path.csv", text)});
  };
  expect_error(certify({"--path", "/nonexistent.csv"}), 66, "/nonexistent.csv: no such file");
  std::filesystem::create_directory(folder_.path() / "empty");
  expect_error(certify({"--path", folder_.path() / "empty"}), 66, "no path file in this folder");
  expect_error(certify({"--path", free_, "--tube", "/nonexistent.csv"}), 66, "/nonexistent.csv");
  expect_error(of_file(""), 65, "path.csv");
  expect_error(of_file("time,slid\n0,1\n1,2\n"), 65, "slid");
  expect_error(of_file("time,slide\n0,1\n1\n"), 65, "path.csv:3: ");
  expect_error(of_file("time,slide\n0,1\n0,2\n"), 65, "path.csv:3: ");
}

TEST_F(Certify, AFailedWriteIsSaid) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  for (const std::string& again : {std::string("--quiet"), "--path=" + free_}) {
    expect_error(run({"certify", rail_, "--path", free_, "--rest", "turn=0", again},
                     {.output_file = "/dev/full"}),
                 74, "standard output: cannot write");
  }
}

/// Two carts on one line, 4 m apart at zero, that drive towards each other and back.
TEST(CertifyOfAScene, RobotsOnClocksOfTheirOwn) {
  const TempFolder folder;
  folder.write("rail.urdf", kRail);
  const std::string scene = folder.write("scene.json", R"({"robots": [
    {"name": "a", "urdf": "rail.urdf"},
    {"name": "b", "urdf": "rail.urdf", "base": {"xyz": [10, 0, 0]}}]})");
  // a/cart goes from 2 to 5 and back, b/cart from 8 to 5 and back, one after the other.
  const std::string a = folder.write("a.csv", "time,a/slide\n0,2\n1,5\n2,2\n4,2\n");
  const std::string b = folder.write("b.csv", "time,b/slide\n0,-2\n2,-2\n3,-5\n4,-2\n");
  const std::vector<std::string> words = {"certify", scene,    "--clock", "b=" + b,
                                          "--clock", "a=" + a, "--json",  "--quiet"};
  const auto with = [&](const std::string& offset) {
    std::vector<std::string> all = words;
    if (!offset.empty()) all.insert(all.end(), {"--offset", offset});
    return run(all);
  };
  const Result apart = with("0.2");
  EXPECT_EQ(apart.code, 0) << apart.out << apart.err;
  const json document = json_lines(apart.out).at(0);
  EXPECT_EQ(document["offset"], 0.2);
  EXPECT_EQ(document["clocks"], (json{{"a", a}, {"b", b}}));
  const Result any = with("");
  EXPECT_EQ(any.code, 1) << any.out << any.err;
  const json contact = json_lines(any.out).at(0);
  EXPECT_EQ(contact["pair"].get<std::set<std::string>>(),
            (std::set<std::string>{"a/cart", "b/cart"}));
  EXPECT_TRUE(contact["offset"].is_null());
  EXPECT_LE(10 + contact["configuration"]["b/slide"].get<double>() -
                contact["configuration"]["a/slide"].get<double>(),
            1);
  EXPECT_EQ(
      run({"certify", scene, "--path", a, "--base", "b=0.01,0", "--rest", "b/slide=-2", "--quiet"})
          .code,
      0);
  expect_error(run({"certify", scene, "--clock", "a=" + a}), 64, "--clock: there is none for 'b'");
  expect_error(run({"certify", scene, "--clock", "c=" + a}), 64, "no robot 'c'; there is a, b");
  expect_error(with("-1"), 64, "--offset: '-1' is out of range");
}

TEST(CertifyOfABuiltinWorld, ItsTasksGoByName) {
  const Result result =
      run({"certify", "two_arms", "--path", "task2", "--ask", "verdict", "--json", "--quiet"});
  EXPECT_EQ(result.code, 1) << result.err;
  const json contact = json_lines(result.out).at(0);
  EXPECT_EQ(contact["pair"], json({"left/link7", "front_table"}));
  expect_error(run({"certify", "two_arms", "--path", "task4"}), 66,
               "task4: no such file, and no task; tasks of two_arms: task1, task2, task3");
}

TEST(CertifyOfALog, TheMeasuredMotionIsOneCommand) {
  KEEPCLEAR_NEEDS_DATA("scenes/panda_measured");
  const std::string robots = std::filesystem::canonical(data_dir() / "robots/panda");
  const auto certify = [&](const std::string& world) {
    return run({"certify", world, "--path",
                data_dir() / "scenes/panda_measured/exciting_trajectory.csv", "--columns",
                "t=time,q1=panda_joint1,q2=panda_joint2,q3=panda_joint3,q4=panda_joint4,"
                "q5=panda_joint5,q6=panda_joint6,q7=panda_joint7",
                "--json", "--quiet"});
  };
  // The fingers of the model would go 2 cm into the first link: the arm that was measured had none.
  json scene = {{"robots", {{{"urdf", robots + "/panda.urdf"}, {"srdf", robots + "/panda.srdf"}}}},
                {"allow", json::array()}};
  const TempFolder folder;
  const Result hands = certify(folder.write("hand.json", scene.dump()));
  EXPECT_EQ(hands.code, 1) << hands.err;
  EXPECT_NEAR(json_lines(hands.out).at(0)["first_contact"].get<double>(), 10.356, 0.01);
  for (const char* hand : {"panda_hand", "panda_leftfinger", "panda_rightfinger"}) {
    for (char link = '0'; link < '8'; ++link) {
      scene["allow"].push_back({hand, std::string("panda_link") + link});
    }
  }
  const Result arm = certify(folder.write("arm.json", scene.dump()));
  EXPECT_EQ(arm.code, 0) << arm.err;
  EXPECT_NEAR(json_lines(arm.out).at(0)["clearance"].get<double>(), 0.0175, 0.001);
}

}  // namespace
}  // namespace keepclear::test
