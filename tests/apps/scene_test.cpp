// SPDX-License-Identifier: BSD-3-Clause
//
// Scenes on the command line: two balls on rails and what stands around them, so that every
// distance is known without the library.
#include <cmath>
#include <map>

#include "run.hpp"

namespace keepclear::test {
namespace {

using nlohmann::json;

/// A ball of radius 0.1 that slides along x.
constexpr const char* kBall = R"(<robot name="ball_on_a_rail">
  <link name="rail"/>
  <link name="ball"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="rail"/><child link="ball"/>
    <axis xyz="1 0 0"/><limit lower="-5" upper="5" effort="1" velocity="1"/></joint>
</robot>)";

/// Left slides along y = 0, right along y = 1; the post is a ball at (2, 0, 0).
constexpr const char* kRobots = R"("robots": [
    {"name": "left", "urdf": "ball.urdf"},
    {"name": "right", "urdf": "ball.urdf", "base": {"xyz": [0, 1, 0]}}])";
constexpr const char* kPost =
    R"({"name": "post", "shape": "sphere", "radius": 0.1, "pose": {"xyz": [2, 0, 0]}})";

class OnRails : public testing::Test {
 protected:
  OnRails() { urdf_ = folder_.write("ball.urdf", kBall); }

  /// Two robots, the objects (the post alone unless given), and what else the scene says.
  std::string cell(const std::string& rest = "", const std::string& objects = kPost) const {
    return folder_.write("cell.json", std::string("{\"name\": \"cell\", ") + kRobots +
                                          ", \"objects\": [" + objects + "]" +
                                          (rest.empty() ? "" : ", " + rest) + "}");
  }
  std::string objects_alone(const std::string& rest = "") const {
    return folder_.write("around.json", std::string("{\"objects\": [") + kPost + "]" + rest + "}");
  }
  static json info(const std::string& world, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"info", world, "--json"});
    const Result result = run(more);
    EXPECT_EQ(result.code, 0) << result.err;
    return json::parse(result.out, nullptr, false);
  }

  TempFolder folder_;
  std::string urdf_;
};

TEST_F(OnRails, TheNearestPairIsNamedByRobotAndLink) {
  const std::string scene = cell();
  const auto nearest = [&](const std::string& q) {
    const Result result = run({"distance", scene, "--q", q, "--json", "--quiet"});
    EXPECT_EQ(result.code, 0) << result.err;
    return json_lines(result.out).at(0);
  };
  const json robots = nearest("left/slide=0,right/slide=0");
  EXPECT_EQ(robots["pair"], (json{"left/ball", "right/ball"}));
  EXPECT_NEAR(robots["distance"].get<double>(), 0.8, 1e-9);
  EXPECT_LE(robots["lower_bound"].get<double>(), 0.8);
  // Points in the world: y = 0.1 on the left ball, 0.9 on the right one.
  EXPECT_NEAR(robots["points"][0][1].get<double>(), 0.1, 1e-9);
  EXPECT_NEAR(robots["points"][1][1].get<double>(), 0.9, 1e-9);
  const json post = nearest("1.5,0");
  EXPECT_EQ(post["pair"], (json{"left/ball", "post"}));
  EXPECT_NEAR(post["distance"].get<double>(), 0.3, 1e-9);
  EXPECT_EQ(nearest("1.9,0")["verdict"], "contact");
  const Result text = run({"distance", scene, "--q", "1.5,0"});
  EXPECT_NE(text.out.find("left/ball - post"), std::string::npos) << text.out;
}

TEST_F(OnRails, AllPairsAreLinksThenObjects) {
  const Result result = run({"distance", cell(), "--q", "0.5,1", "--all-pairs", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["pair"], (json{"left/ball", "right/ball"}));
  EXPECT_NEAR(rows[0]["distance"].get<double>(), std::hypot(0.5, 1) - 0.2, 1e-9);
  EXPECT_EQ(rows[1]["pair"], (json{"left/ball", "post"}));
  EXPECT_NEAR(rows[1]["distance"].get<double>(), 1.3, 1e-9);
  EXPECT_EQ(rows[2]["pair"], (json{"right/ball", "post"}));
  EXPECT_NEAR(rows[2]["distance"].get<double>(), std::hypot(1, 1) - 0.2, 1e-9);
}

TEST_F(OnRails, PosesNameTheJointsOfEachRobotAndATimeIsSkipped) {
  const Result result = run({"check", cell(), "--poses", "-", "--json", "--quiet"},
                            {.input = "time,right/slide,left/slide\n0,0,0\n0.5,0,2\n1,2,0\n"});
  EXPECT_EQ(result.code, 1) << result.err;
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0], (json{{"pose", 0}, {"verdict", "free"}, {"pair", nullptr}}));
  EXPECT_EQ(rows[1], (json{{"pose", 1}, {"verdict", "contact"}, {"pair", {"left/ball", "post"}}}));
  EXPECT_EQ(rows[2]["verdict"], "free");
  expect_error(run({"check", cell(), "--poses", "-"}, {.input = "slide\n0\n"}), 65,
               "unknown column 'slide'; the first line names every variable once: "
               "left/slide,right/slide");
}

TEST_F(OnRails, TheMarginsOfTheSceneAreKeptAndTheOptionAddsToThem) {
  const auto check = [&](const std::string& scene, const char* q, const char* margin = "0") {
    return run({"check", scene, "--q", q, "--margin", margin, "--quiet"}).code;
  };
  const std::string plain = cell();
  EXPECT_EQ(check(plain, "1.5,0"), 0);
  EXPECT_EQ(check(plain, "1.5,0", "0.29"), 0);
  EXPECT_EQ(check(plain, "1.5,0", "0.31"), 1);
  const std::string all = cell("\"margin\": 0.31");
  EXPECT_EQ(check(all, "1.5,0"), 1);
  EXPECT_EQ(check(all, "1.4,0"), 0);
  EXPECT_EQ(check(all, "1.4,0", "0.41"), 1);
  const std::string one =
      cell("\"margin\": 0.31, \"margins\": [{\"pair\": [\"left\", \"post\"], \"margin\": 0.1}]");
  EXPECT_EQ(check(one, "1.5,0"), 0);
  EXPECT_EQ(check(one, "1.71,0"), 1);
  EXPECT_EQ(check(one, "-1,-1", "0.79"), 0);
  EXPECT_EQ(check(one, "-1,-1", "0.81"), 1);

  const json document = info(one);
  std::map<std::string, double> margins;
  for (const json& pair : document["pairs"]) {
    margins[pair["pair"][0].get<std::string>() + " " + pair["pair"][1].get<std::string>()] =
        pair["margin"];
  }
  EXPECT_EQ(margins, (std::map<std::string, double>{{"left/ball right/ball", 0.31},
                                                    {"left/ball post", 0.1},
                                                    {"right/ball post", 0.31}}));
  const std::string text = run({"info", one}).out;
  EXPECT_NE(text.find("  0.31 m: 2 pairs\n  0.1 m: 1 pair\n"), std::string::npos) << text;
  EXPECT_EQ(run({"info", cell()}).out.find("Margins"), std::string::npos);
}

TEST_F(OnRails, AllowedPairsAreNotCheckedAndNamed) {
  const std::string scene = cell("\"allow\": [[\"left\", \"post\"]]");
  EXPECT_EQ(run({"check", scene, "--q", "2,0"}).code, 0);
  EXPECT_EQ(run({"check", scene, "--q", "0,0", "--margin", "0.9"}).code, 1);
  const json document = info(scene);
  ASSERT_EQ(document["left_out"].size(), 1U);
  EXPECT_EQ(document["left_out"][0], (json{{"pair", {"left/ball", "post"}}, {"why", "allowed"}}));
  EXPECT_EQ(document["pair_count"], 2);
}

TEST_F(OnRails, ASceneThatLeavesNothingToCheckIsRefusedUnlessAllowed) {
  const std::string scene =
      cell("\"allow\": [[\"left\", \"post\"], [\"right\", \"post\"], [\"left\", \"right\"]]");
  expect_error(run({"check", scene, "--q", "0,0"}), 65, "no pair is left to check");
  EXPECT_EQ(run({"check", scene, "--q", "0,0", "--allow-no-pairs", "--quiet"}).code, 0);
}

TEST_F(OnRails, WhatALinkCarriesMovesAlongAndIsWatched) {
  const std::string scene = cell(
      R"("attached": [{"object": "load", "link": "right/ball", "pose": {"xyz": [0, -0.5, 0]}}])",
      std::string(kPost) + R"(, {"name": "load", "shape": "box", "size": [0.2, 0.2, 0.2]})");
  // The load hangs at y = 0.5 beside the right ball: 0.3 from the left ball when level with it.
  const Result result = run({"distance", scene, "--q", "3,3", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json row = json_lines(result.out).at(0);
  EXPECT_EQ(row["pair"], (json{"left/ball", "load"}));
  EXPECT_NEAR(row["distance"].get<double>(), 0.3, 1e-9);
  const json document = info(scene);
  bool found = false;
  for (const json& solid : document["solids"]) {
    if (solid["name"] != "load") continue;
    found = true;
    EXPECT_TRUE(solid["object"].get<bool>());
    EXPECT_TRUE(solid["moves"].get<bool>());
    EXPECT_EQ(solid["robot"], 1);
    EXPECT_EQ(solid["shape"], "box");
  }
  EXPECT_TRUE(found);
  // It may touch who carries it, and nobody else.
  EXPECT_EQ(document["pair_count"], 5);
  ASSERT_EQ(document["left_out"].size(), 1U);
  const std::string text = run({"info", scene}).out;
  EXPECT_NE(text.find("carried, moves"), std::string::npos) << text;
  EXPECT_NE(text.find("stands"), std::string::npos) << text;
}

TEST_F(OnRails, InfoNamesRobotsObjectsAndPairs) {
  const std::string objects = std::string(kPost) +
                              R"(, {"name": "scan", "shape": "points", "radius": 0.01,
            "points": [[5, 5, 5], [5, 5, 6], [5, 6, 5]]},
          {"name": "floor", "shape": "plane", "normal": [0, 0, 1], "offset": -3})";
  const std::string scene = cell("", objects);
  const json document = info(scene);
  EXPECT_EQ(document["name"], "cell");
  EXPECT_EQ(document["file"], scene);
  ASSERT_EQ(document["robots"].size(), 2U);
  EXPECT_EQ(document["robots"][0], (json{{"name", "left"}, {"links", 2}, {"variables", 1}}));
  EXPECT_EQ(document["robots"][1]["name"], "right");
  EXPECT_EQ(document["links"], (json{"left/rail", "left/ball", "right/rail", "right/ball"}));
  EXPECT_EQ(document["links_without_bodies"], (json{"left/rail", "right/rail"}));
  EXPECT_EQ(document["joints"][1]["name"], "right/slide");
  ASSERT_EQ(document["solids"].size(), 5U);
  EXPECT_EQ(document["solids"][0]["name"], "left/ball");
  EXPECT_FALSE(document["solids"][0]["object"].get<bool>());
  EXPECT_TRUE(document["solids"][0]["moves"].get<bool>());
  const json& scan = document["solids"][3];
  EXPECT_EQ(scan["name"], "scan");
  EXPECT_EQ(scan["shape"], "points");
  EXPECT_EQ(scan["pieces"], 3);
  EXPECT_EQ(scan["robot"], -1);
  EXPECT_FALSE(scan["moves"].get<bool>());
  EXPECT_EQ(document["pair_count"], 7);
  EXPECT_EQ(document["pairs"].size(), 7U);

  const std::string text = run({"info", scene}).out;
  for (const char* part :
       {"Robots: 2\n", "left", "Objects: 3\n", "scan", "points", "plane", "Checked pairs: 7\n",
        "left/ball with right/ball, post, scan, floor\n", "not checked against each other"}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << '\n' << text;
  }
}

TEST_F(OnRails, ASceneStandsAroundARobotGivenByItsUrdf) {
  const std::string around = objects_alone();
  const Result result = run({"distance", urdf_, "--scene", around, "--q", "1.5", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json row = json_lines(result.out).at(0);
  EXPECT_EQ(row["pair"], (json{"ball", "post"}));
  EXPECT_NEAR(row["distance"].get<double>(), 0.3, 1e-9);
  EXPECT_EQ(run({"check", urdf_, "--scene", around, "--q", "slide=2"}).code, 1);
  EXPECT_EQ(run({"check", urdf_, "--q", "slide=2", "--quiet"}).code, 0);
  const json document = info(urdf_, {"--scene", around});
  EXPECT_EQ(document["pair_count"], 1);
  EXPECT_EQ(document["robots"], (json::array({{{"name", ""}, {"links", 2}, {"variables", 1}}})));
  EXPECT_NE(document["hash"], info(urdf_)["hash"]);
  // Also around a robot that comes with Keepclear.
  EXPECT_EQ(info("bench_arm", {"--scene", around})["pair_count"].get<int>(),
            info("bench_arm")["pair_count"].get<int>() + 7);

  expect_error(run({"info", urdf_, "--scene", cell()}), 64, "robots of its own");
  expect_error(run({"info", cell(), "--scene", around}), 64, "cell.json: ");
  expect_error(run({"info", "two_arms", "--scene", around}), 64, "two_arms");
  expect_error(run({"info", urdf_, "--scene", "/nonexistent.json"}), 66, "/nonexistent.json");
}

TEST_F(OnRails, MoveItsObjectsAreAWorldAndSurroundings) {
  const std::string file = folder_.write("objects.scene",
                                         "(noname)+\n* post\n2 0 0\n0 0 0 1\n1\nsphere\n0.1\n"
                                         "0 0 0\n0 0 0 1\n0 0 0 0\n0\n.\n");
  const json document = info(file);
  ASSERT_EQ(document["solids"].size(), 1U);
  EXPECT_EQ(document["solids"][0]["name"], "post");
  EXPECT_EQ(document["robots"].size(), 0U);
  const Result alone = run({"distance", file, "--json"});
  EXPECT_EQ(alone.code, 0) << alone.err;
  EXPECT_NE(alone.err.find("no pair to check"), std::string::npos) << alone.err;
  const Result result = run({"distance", urdf_, "--scene", file, "--q", "1.5", "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NEAR(json_lines(result.out).at(0)["distance"].get<double>(), 0.3, 1e-9);
}

TEST_F(OnRails, AFaultyScenePointsToItsPlace) {
  const auto scene = [&](const std::string& text) { return folder_.write("bad.json", text); };
  expect_error(run({"info", scene(R"({"objects": [{"name": "a", "shape": "sphere",
                                      "radius": -1}]})")}),
               65, "bad.json: /objects/0/radius: ");
  expect_error(run({"check", scene(R"({"objects": [{"name": "a", "shape": "sphere", "radius": 1,
                                       "colour": "red"}]})"),
                    "--q", "0"}),
               65, "bad.json: /objects/0");
  expect_error(run({"info", scene("{\"objects\": [")}), 65, "bad.json");
  expect_error(run({"info", cell("\"allow\": [[\"left\", \"pots\"]]")}), 65,
               "cell.json: /allow/0: there is no link, object or robot 'pots'");
  expect_error(run({"info", cell(R"("attached": [{"object": "post", "link": "left/hand"}])")}), 65,
               "cell.json: /attached/0: there is no link 'left/hand'");
  expect_error(run({"info", urdf_, "--scene", scene("[]")}), 65, "bad.json");
  expect_error(run({"info", folder_.write("bad.scene", "(noname)+\n* post\n2 0\n")}), 65,
               "bad.scene:");
}

TEST_F(OnRails, AFileThatASceneNamesAndThatIsNotThereIsMissing) {
  expect_error(run({"info", folder_.write("s.json", R"({"robots": [{"urdf": "none.urdf"}]})")}), 66,
               "none.urdf");
  expect_error(run({"info", cell("", R"({"name": "m", "shape": "mesh", "file": "none.stl"})")}), 66,
               "none.stl");
  expect_error(run({"info", cell("", R"({"name": "p", "shape": "points", "radius": 0.1,
                                         "file": "none.pcd"})")}),
               66, "none.pcd");
  expect_error(run({"info", folder_.write("s.json", R"({"robots": [{"builtin": "none"}]})")}), 66,
               "no built-in robot is called 'none'");
}

TEST(Lenient, WhatIsPassedOverIsSaidWithTheAnswer) {
  const TempFolder folder;
  const std::string file =
      folder.write("typo.urdf",
                   "<robot name=\"r\"><link name=\"a\"><collision><geometry><sphere "
                   "radius=\"1\"/></geometry></collision></link><link name=\"b\"/>"
                   "<link name=\"c\"><collision><origin colour=\"0 0 5\"/><geometry><sphere "
                   "radius=\"1\"/></geometry></collision></link>"
                   "<joint name=\"j\" type=\"continuous\"><parent link=\"a\"/><child "
                   "link=\"b\"/></joint><joint name=\"k\" type=\"continuous\"><parent "
                   "link=\"b\"/><child link=\"c\"/></joint></robot>");
  EXPECT_EQ(run({"check", file, "--q", "0,0"}).code, 65);
  const auto lenient = run({"check", file, "--q", "0,0", "--lenient"});
  EXPECT_EQ(lenient.code, 1);
  EXPECT_NE(lenient.err.find("typo.urdf:1: unknown attribute 'colour'"), std::string::npos)
      << lenient.err;
}

TEST(TwoArms, TheirTasksEndAsTheyAreDescribed) {
  const TempFolder folder;
  ASSERT_EQ(run({"worlds", "two_arms", "--export", folder.path()}).code, 0);
  const auto check = [&](const std::string& world, const std::string& task) {
    return run({"check", world, "--poses", folder.path() / ("two_arms_" + task + ".csv"), "--json",
                "--quiet"});
  };
  EXPECT_EQ(check("two_arms", "task1").code, 0);
  const Result second = check("two_arms", "task2");
  EXPECT_EQ(second.code, 1) << second.err;
  const auto rows = json_lines(second.out);
  const auto hit = std::find_if(rows.begin(), rows.end(),
                                [](const json& row) { return row["verdict"] != "free"; });
  ASSERT_NE(hit, rows.end());
  EXPECT_EQ((*hit)["pair"], (json{"left/link7", "front_table"}));
  const std::string text = run({"info", "two_arms"}).out;
  EXPECT_NE(text.find("left/link1 with left/link3,"), std::string::npos) << text;
  EXPECT_NE(text.find("20 of the 21 objects that stand"), std::string::npos) << text;
  // The exported scene is the same world.
  EXPECT_EQ(check(folder.path() / "two_arms.json", "task2").out, second.out);
}

/// Two hundred balls beside each other, and five thousand that stand still: more than a million
/// pairs.
TEST(ManyPairs, AreCheckedAndNotPrinted) {
  const TempFolder folder;
  std::string urdf = "<robot name=\"comb\"><link name=\"rail\"/>";
  constexpr int kBalls = 200, kObjects = 5000;
  for (int i = 0; i < kBalls; ++i) {
    const std::string n = std::to_string(i);
    urdf += "<link name=\"b" + n +
            "\"><collision><geometry><sphere radius=\"0.1\"/></geometry></collision></link>"
            "<joint name=\"j" +
            n + "\" type=\"prismatic\"><parent link=\"rail\"/><child link=\"b" + n +
            "\"/><origin xyz=\"0 " + n +
            " 0\"/><axis xyz=\"1 0 0\"/><limit lower=\"-50\" upper=\"50\" effort=\"1\" "
            "velocity=\"1\"/></joint>";
  }
  folder.write("comb.urdf", urdf + "</robot>");
  std::string scene = "{\"robots\": [{\"urdf\": \"comb.urdf\"}], \"objects\": [";
  for (int i = 0; i < kObjects; ++i) {
    scene += std::string(i > 0 ? "," : "") + "{\"name\": \"o" + std::to_string(i) +
             "\", \"shape\": \"sphere\", \"radius\": 0.1, \"pose\": {\"xyz\": [20, " +
             std::to_string(i) + ", 0]}}";
  }
  const std::string world = folder.write("comb.json", scene + "]}");

  expect_error(run({"distance", world, "--q", "j0=0", "--all-pairs"}), 64,
               "--all-pairs: 1019900 pairs are checked here, and at most 1000000 can be listed");
  const Result nearest = run({"distance", world, "--q", "j7=19.5", "--json", "--quiet"});
  ASSERT_EQ(nearest.code, 0) << nearest.err;
  const json row = json_lines(nearest.out).at(0);
  EXPECT_EQ(row["pair"], (json{"b7", "o7"}));
  EXPECT_NEAR(row["distance"].get<double>(), 0.3, 1e-9);
  EXPECT_EQ(run({"check", world, "--q", "j7=19.9", "--quiet"}).code, 1);

  const Result text = run({"info", world});
  ASSERT_EQ(text.code, 0) << text.err;
  EXPECT_LT(std::count(text.out.begin(), text.out.end(), '\n'), 2000);
  EXPECT_NE(text.out.find("\nChecked pairs: 1019900\n"), std::string::npos);
  EXPECT_NE(text.out.find("  and 1000000 pairs of these with objects that stand\n"),
            std::string::npos);
  EXPECT_NE(text.out.find("  and 4900 more; --json lists them\n"), std::string::npos);
  const json document = json::parse(run({"info", world, "--json"}).out, nullptr, false);
  EXPECT_EQ(document["pair_count"], 1019900);
  EXPECT_EQ(document["pairs"].size(), 19900U);
  EXPECT_EQ(document["solids"].size(), 5200U);
}

}  // namespace
}  // namespace keepclear::test
