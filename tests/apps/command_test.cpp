// SPDX-License-Identifier: BSD-3-Clause
//
// The commands as the contract describes them: help, rows, fields, exit codes.
#include <cmath>
#include <random>
#include <set>

#include "run.hpp"

namespace keepclear::test {
namespace {

using nlohmann::json;

const std::string kHeader = "waist,shoulder,elbow,forearm_roll,wrist_bend,tool_roll\n";
const std::vector<std::string> kCommands = {"info", "distance", "check",  "fit",
                                            "box",  "certify",  "pairs",  "guard",
                                            "view", "report",   "worlds", "demo"};

std::string random_poses(int count) {
  std::mt19937_64 generator(7);
  std::uniform_real_distribution<double> angle(-2.5, 2.5);
  std::string csv = kHeader;
  for (int i = 0; i < count; ++i) {
    for (int j = 0; j < 6; ++j) {
      if (j > 0) csv += ',';
      csv += std::to_string(angle(generator));
    }
    csv += "\n";
  }
  return csv;
}

TEST(Help, ExitsZeroForEveryCommand) {
  const Result top = run({"--help"});
  EXPECT_EQ(top.code, 0);
  EXPECT_EQ(top.err, "");
  for (const std::string& command : kCommands) {
    EXPECT_NE(top.out.find("\n  " + command + " "), std::string::npos) << top.out;
    const Result help = run({command, "--help"});
    EXPECT_EQ(help.code, 0);
    EXPECT_EQ(help.err, "");
    EXPECT_NE(help.out.find("Usage: keepclear " + command), std::string::npos) << help.out;
    for (const char* option : {"--json", "--quiet", "--help", "--version"}) {
      EXPECT_NE(help.out.find(option), std::string::npos) << command << " lacks " << option;
    }
  }
}

TEST(Help, RefusesACommandThatIsNotThere) {
  expect_error(run({"verify", "six_axis_arm"}), 64, "there is no command");
}

TEST(Version, IsTheSameEverywhere) {
  const Result top = run({"--version"});
  EXPECT_EQ(top.code, 0);
  EXPECT_EQ(top.out.rfind("keepclear ", 0), 0U);
  for (const std::string& command : kCommands) {
    EXPECT_EQ(run({command, "--version"}).out, top.out);
  }
}

TEST(Worlds, EveryListedWorldLoads) {
  const Result list = run({"worlds", "--json"});
  ASSERT_EQ(list.code, 0);
  const json document = json::parse(list.out);
  ASSERT_FALSE(document["worlds"].empty());
  for (const json& world : document["worlds"]) {
    EXPECT_FALSE(world["what"].get<std::string>().empty());
    const Result info = run({"info", world["name"].get<std::string>(), "--json"});
    EXPECT_EQ(info.code, 0) << info.err;
  }
  EXPECT_NE(run({"worlds"}).out.find("six_axis_arm"), std::string::npos);
}

TEST(SixAxisArm, IsFreeInTheNeutralPoseAndHasPairsToCheck) {
  const json info = json::parse(run({"info", "six_axis_arm", "--json"}).out);
  std::vector<std::string> joints;
  for (const json& joint : info["joints"]) joints.push_back(joint["name"]);
  EXPECT_EQ(joints, (std::vector<std::string>{"waist", "shoulder", "elbow", "forearm_roll",
                                              "wrist_bend", "tool_roll"}));
  EXPECT_GT(info["pairs"].size(), 20U);
  for (const json& pair : info["pairs"]) EXPECT_FALSE(pair["overlap_at_neutral"]) << pair;
  EXPECT_EQ(run({"check", "six_axis_arm", "--q", "0,0,0,0,0,0"}).code, 0);
}

// Independent of the library: the post stands 0.03 thick, 0.7 high, at (0.42, 0.42); see the URDF.
TEST(SixAxisArm, HitsThePostWhenTheForearmIsLaidThroughIt) {
  const Result result = run({"check", "six_axis_arm", "--json", "--q",
                             "waist=0.7853981633974483,shoulder=0.9,elbow=-0.5"});
  EXPECT_EQ(result.code, 1) << result.err;
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows[0]["verdict"], "contact");
  EXPECT_EQ(rows[0]["pair"].size(), 2U);
}

TEST(Distance, RowsHaveTheFieldsOfTheContract) {
  const Result result = run({"distance", "six_axis_arm", "--poses", "-", "--json", "--quiet"},
                            {.input = random_poses(500)});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), 500U);
  std::set<std::string> verdicts;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const json& row = rows[i];
    ASSERT_EQ(row["pose"], i);
    ASSERT_EQ(row["pair"].size(), 2U);
    const double distance = row["distance"];
    const double lower_bound = row["lower_bound"];
    const std::string verdict = row["verdict"];
    verdicts.insert(verdict);
    ASSERT_GE(distance, 0);
    if (verdict != "free") continue;
    ASSERT_GT(lower_bound, 0);
    ASSERT_LE(lower_bound, distance + 1e-12);
    ASSERT_LE(distance - lower_bound, 1e-9);
    double squared = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double a = row["points"][0][axis];
      const double b = row["points"][1][axis];
      squared += (a - b) * (a - b);
    }
    ASSERT_NEAR(std::sqrt(squared), distance, 1e-9);
  }
  EXPECT_TRUE(verdicts.contains("free"));
  EXPECT_TRUE(verdicts.contains("contact"));
}

TEST(Distance, TheLeastOfAllPairsIsTheLeast) {
  const std::string csv = random_poses(60);
  const auto pairs = json::parse(run({"info", "six_axis_arm", "--json"}).out)["pairs"].size();
  const auto least =
      json_lines(run({"distance", "six_axis_arm", "--poses", "-", "--json"}, {.input = csv}).out);
  const auto all = json_lines(
      run({"distance", "six_axis_arm", "--poses", "-", "--json", "--all-pairs"}, {.input = csv})
          .out);
  ASSERT_EQ(least.size(), 60U);
  ASSERT_EQ(all.size(), 60U * pairs);
  for (std::size_t pose = 0; pose < 60; ++pose) {
    double smallest = 1e9;
    for (std::size_t i = pose * pairs; i < (pose + 1) * pairs; ++i) {
      ASSERT_EQ(all[i]["pose"], pose);
      smallest = std::min(smallest, all[i]["distance"].get<double>());
    }
    ASSERT_NEAR(smallest, least[pose]["distance"].get<double>(), 1e-9);
  }
}

TEST(Distance, SignedDistancesAreNegativeInContactAndElseTheSame) {
  const std::string csv = random_poses(200);
  const std::vector<std::string> words = {"distance", "six_axis_arm", "--poses", "-", "--json"};
  std::vector<std::string> with_depth = words;
  with_depth.push_back("--signed");
  const auto plain = json_lines(run(words, {.input = csv}).out);
  const auto depth = json_lines(run(with_depth, {.input = csv}).out);
  ASSERT_EQ(plain.size(), depth.size());
  std::size_t negative = 0;
  for (std::size_t i = 0; i < plain.size(); ++i) {
    ASSERT_EQ(plain[i]["verdict"], depth[i]["verdict"]);
    if (plain[i]["verdict"] == "contact") {
      ASSERT_EQ(plain[i]["distance"], 0);
      ASSERT_LE(depth[i]["distance"].get<double>(), 0);
      negative += depth[i]["distance"].get<double>() < -1e-3 ? 1 : 0;
    } else {
      ASSERT_NEAR(plain[i]["distance"].get<double>(), depth[i]["distance"].get<double>(), 1e-9);
    }
  }
  EXPECT_GT(negative, 10U);
}

TEST(Distance, ExitsZeroInContactAndPrintsATable) {
  const Result result = run({"distance", "six_axis_arm", "--q", "shoulder=2.2,elbow=1.2"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("contact"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("1 pose; rows: 0 free, 1 contact, 0 undecided"), std::string::npos)
      << result.out;
}

TEST(Check, TheExitCodeTells) {
  const Result free = run({"check", "six_axis_arm", "--q", "0,0,0,0,0,0"});
  EXPECT_EQ(free.code, 0) << free.err;
  EXPECT_NE(free.out.find("1 pose: 1 free, 0 contact, 0 undecided"), std::string::npos) << free.out;
  EXPECT_EQ(run({"check", "six_axis_arm", "--q", "shoulder=2.2,elbow=1.2"}).code, 1);
  const Result mixed = run({"check", "six_axis_arm", "--poses", "-", "--json"},
                           {.input = kHeader + "0,0,0,0,0,0\n0,2.2,1.2,0,0,0\n0,0.1,0,0,0,0\n"});
  EXPECT_EQ(mixed.code, 1);
  const auto rows = json_lines(mixed.out);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0], (json{{"pose", 0}, {"verdict", "free"}, {"pair", nullptr}}));
  EXPECT_EQ(rows[1]["verdict"], "contact");
  EXPECT_EQ(rows[1]["pair"].size(), 2U);
  EXPECT_EQ(rows[2]["verdict"], "free");
}

constexpr const char* kTouching = R"(<robot name="touching">
  <link name="rail"/>
  <link name="left"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
  <link name="right"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
  <joint name="at_left" type="prismatic"><parent link="rail"/><child link="left"/>
    <axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
  <joint name="at_right" type="prismatic"><parent link="rail"/><child link="right"/>
    <axis xyz="1 0 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
</robot>)";

TEST(Check, ATouchThatNobodyCanProveIsUndecidedAndExitsTwo) {
  const TempFolder folder;
  const std::string urdf = folder.write("touching.urdf", kTouching);
  EXPECT_EQ(run({"check", urdf, "--q", "0,1"}).code, 2);
  EXPECT_EQ(run({"check", urdf, "--q", "0,1.001"}).code, 0);
  EXPECT_EQ(run({"check", urdf, "--q", "0,0.999"}).code, 1);
  // Contact outranks undecided, whatever comes first.
  EXPECT_EQ(run({"check", urdf, "--poses", "-"}, {.input = "at_left,at_right\n0,1\n0,0\n"}).code,
            1);
  EXPECT_EQ(run({"check", urdf, "--poses", "-"}, {.input = "at_left,at_right\n0,1\n0,3\n"}).code,
            2);
}

TEST(Check, TheMarginIsKept) {
  const TempFolder folder;
  const std::string urdf = folder.write("touching.urdf", kTouching);
  EXPECT_EQ(run({"check", urdf, "--q", "0,1.1", "--margin", "0.09"}).code, 0);
  EXPECT_NE(run({"check", urdf, "--q", "0,1.1", "--margin", "0.11"}).code, 0);
  expect_error(run({"check", urdf, "--q", "0,2", "--margin", "-1"}), 64, "--margin: '-1'");
  expect_error(run({"check", urdf, "--q", "0,2", "--margin", "nan"}), 64,
               "--margin: 'nan' is not a finite decimal number");
  expect_error(run({"check", urdf, "--q", "0,2", "--margin", "1cm"}), 64,
               "'1cm' is not a finite decimal number");
}

TEST(Threads, DoNotChangeAByte) {
  const std::string csv = random_poses(6000);
  const std::vector<std::vector<std::string>> commands = {
      {"distance"}, {"distance", "--signed"}, {"check"}, {"check", "--margin", "0.05"}};
  for (std::vector<std::string> words : commands) {
    words.insert(words.begin() + 1, {"six_axis_arm", "--poses", "-", "--json", "--threads", "1"});
    const Result one = run(words, {.input = csv});
    ASSERT_FALSE(one.out.empty()) << one.err;
    for (const char* threads : {"2", "3", "0"}) {
      *(std::find(words.begin(), words.end(), "--threads") + 1) = threads;
      EXPECT_EQ(run(words, {.input = csv}).out, one.out) << words[0] << " --threads " << threads;
    }
  }
}

TEST(Demo, DoesRealWorkAndFindsTheContact) {
  const Result tour = run({"demo"});
  EXPECT_EQ(tour.code, 0) << tour.err;
  EXPECT_EQ(tour.err, "");
  const auto lines = std::count(tour.out.begin(), tour.out.end(), '\n');
  EXPECT_GE(lines, 20);
  EXPECT_LE(lines, 99);
  const TempFolder folder;
  const std::string page = folder.path() / "tour.html";
  const Result result = run({"demo", "--json", "--threads", "1", "--report", page});
  ASSERT_EQ(result.code, 0) << result.err;
  const json document = json::parse(result.out);
  EXPECT_EQ(document["report"], page);
  EXPECT_GT(document["certificate"]["clearance"], 0.01);
  EXPECT_GT(document["certificate"]["records"], 100);
  const json shown = document_of(slurp(page));
  ASSERT_EQ(shown["motions"].size(), 3U);
  EXPECT_EQ(shown["motions"][0]["verdict"], "free");
  EXPECT_EQ(shown["motions"][1]["verdict"], "contact");
  std::set<std::string> verdicts;
  for (const json& step : document["swing"]) verdicts.insert(step["verdict"]);
  EXPECT_TRUE(verdicts.contains("free"));
  EXPECT_TRUE(verdicts.contains("contact"));
  const json& batch = document["batch"];
  EXPECT_EQ(batch["free"].get<int>() + batch["contact"].get<int>() + batch["undecided"].get<int>(),
            20000);
  EXPECT_GT(batch["free"], 0);
  EXPECT_GT(batch["contact"], 0);

  const json& boxes = document["boxes"];
  ASSERT_EQ(boxes.size(), 2U);
  EXPECT_EQ(boxes[0]["verdict"], "free") << boxes[0];
  EXPECT_GT(boxes[0]["clearance"], 0);
  EXPECT_EQ(boxes[1]["verdict"], "contact") << boxes[1];
  EXPECT_GT(document["pairs"]["never"], 0);
  EXPECT_GT(document["pairs"]["sometimes"], 0);

  const json& motions = document["motions"];
  ASSERT_EQ(motions.size(), 4U);
  EXPECT_EQ(motions[0]["verdict"], "free") << motions[0];
  EXPECT_GT(motions[0]["clearance"], 0.01);
  EXPECT_EQ(motions[1]["pair"], (json{"left/link7", "front_table"})) << motions[1];
  EXPECT_EQ(motions[2]["pair"], (json{"right/link7", "front_table"})) << motions[2];
  EXPECT_EQ(motions[3]["verdict"], "free") << motions[3];

  const json& tray = document["tray"];
  ASSERT_EQ(tray.size(), 3U);
  EXPECT_GT(tray[0]["clearance"], tray[1]["clearance"]);
  EXPECT_EQ(tray[1]["verdict"], "free") << tray[1];
  EXPECT_EQ(tray[2]["verdict"], "undecided") << tray[2];

  // docs/worlds.md says which task ends how.
  const json& tasks = document["watch"]["tasks"];
  ASSERT_EQ(tasks.size(), 3U);
  EXPECT_EQ(tasks[0]["verdict"], "free") << tasks[0];
  EXPECT_TRUE(tasks[0]["pair"].is_null());
  EXPECT_EQ(tasks[1]["pair"], (json{"left/link7", "front_table"})) << tasks[1];
  EXPECT_LT(tasks[1]["time"], 39.9);
  EXPECT_GT(tasks[1]["time"], 35);
  EXPECT_EQ(tasks[2]["pair"], (json{"right/link7", "front_table"})) << tasks[2];
  EXPECT_LT(tasks[2]["time"], 38.35);
  for (const json& task : tasks) {
    if (task["verdict"] == "free") continue;
    EXPECT_NE(tour.out.find(task["pair"][0].get<std::string>() + " - front_table"),
              std::string::npos)
        << tour.out;
  }
}

}  // namespace
}  // namespace keepclear::test
