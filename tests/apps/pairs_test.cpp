// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear pairs as a user runs it: every class of pair, what it says of an SRDF, and the SRDF it
// writes.
#include <map>

#include "run.hpp"

namespace keepclear::test {
namespace {

using nlohmann::json;

/// Balls of radius 0.1, with one pair of every class: `core` turns about the middle of `base`,
/// `arm` stays a metre from both, and `finger` can be drawn back into all of them.
constexpr const char* kToy = R"(<robot name="toy">
  <link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="hub"/>
  <link name="core"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="arm"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="hand"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="finger"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="j0" type="continuous"><parent link="base"/><child link="hub"/>
    <axis xyz="0 0 1"/></joint>
  <joint name="j1" type="continuous"><parent link="hub"/><child link="core"/>
    <axis xyz="0 1 0"/></joint>
  <joint name="j2" type="revolute"><parent link="core"/><child link="arm"/><origin xyz="1 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-0.5" upper="0.5" effort="1" velocity="1"/></joint>
  <joint name="j3" type="revolute"><parent link="arm"/><child link="hand"/><origin xyz="1 0 0"/>
    <axis xyz="0 0 1"/><limit lower="-0.25" upper="0.25" effort="1" velocity="1"/></joint>
  <joint name="j4" type="prismatic"><parent link="hand"/><child link="finger"/>
    <axis xyz="1 0 0"/><limit lower="-2" upper="0" effort="1" velocity="1"/></joint></robot>)";

constexpr const char* kToySrdf = R"(<?xml version="1.0"?>
<robot name="toy">
  <group name="arm"><chain base_link="base" tip_link="finger"/></group>
  <disable_collisions link1="base" link2="arm" reason="Never"/>
  <disable_collisions link1="finger" link2="base" reason="never"/>
  <disable_collisions link1="core" link2="finger" reason="User"/>
  <disable_collisions link1="arm" link2="hand" reason="Adjacent"/>
</robot>
)";

std::string name_of(const json& pair) {
  return pair["pair"][0].get<std::string>() + " " + pair["pair"][1].get<std::string>();
}

class Pairs : public testing::Test {
 protected:
  Result pairs(std::vector<std::string> words) const {
    words.insert(words.begin(), {"pairs", toy_});
    return run(words);
  }
  json answer(std::vector<std::string> words = {}) const {
    words.insert(words.end(), {"--json", "--quiet"});
    const Result result = pairs(words);
    EXPECT_EQ(result.code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    const json document = json::parse(result.out, nullptr, false);
    EXPECT_TRUE(document.is_object()) << result.out;
    return document;
  }
  std::map<std::string, json> by_name(const json& document) const {
    std::map<std::string, json> map;
    for (const json& pair : document["pairs"]) map[name_of(pair)] = pair;
    return map;
  }

  const TempFolder folder_;
  const std::string toy_ = folder_.write("toy.urdf", kToy);
  const std::string srdf_ = folder_.write("toy.srdf", kToySrdf);
  const std::string out_ = folder_.path() / "out.srdf";
};

TEST_F(Pairs, EveryPairHasItsClass) {
  const json document = answer();
  const std::map<std::string, std::string> expected = {
      {"base core", "always"},      {"base arm", "never"},    {"base hand", "never"},
      {"base finger", "sometimes"}, {"core arm", "adjacent"}, {"core hand", "never"},
      {"core finger", "sometimes"}, {"arm hand", "adjacent"}, {"arm finger", "sometimes"},
      {"hand finger", "adjacent"}};
  std::map<std::string, std::string> classes;
  for (const json& pair : document["pairs"]) classes[name_of(pair)] = pair["class"];
  EXPECT_EQ(classes, expected);
  EXPECT_EQ(document["counts"],
            json::parse(R"({"adjacent":3,"always":1,"never":3,"sometimes":3,"undecided":0})"));
}

TEST_F(Pairs, ANeverHasAClearanceAndASometimesAPose) {
  const auto found = by_name(answer());
  const json& never = found.at("base arm");
  EXPECT_GT(never["clearance"].get<double>(), 0);
  EXPECT_LE(never["clearance"].get<double>(), 0.8);
  // Where they were nearest, which is no nearer than that.
  ASSERT_EQ(never["witness"].size(), 5U);
  EXPECT_GE(never["distance"], never["clearance"]);
  EXPECT_EQ(never["disabled"], false);
  EXPECT_TRUE(never["reason"].is_null());
  for (const auto& [name, pair] : found) {
    if (pair["class"] != "sometimes") continue;
    SCOPED_TRACE(name);
    EXPECT_TRUE(pair["clearance"].is_null());
    EXPECT_LT(pair["distance"].get<double>(), 0);
    ASSERT_EQ(pair["witness"].size(), 5U);
    std::string q;
    for (const auto& [joint, value] : pair["witness"].items()) {
      q += (q.empty() ? "" : ",") + joint + "=" + value.dump();
    }
    const Result distance =
        run({"distance", toy_, "--q", q, "--all-pairs", "--signed", "--json", "--quiet"});
    ASSERT_EQ(distance.code, 0) << distance.err;
    bool seen = false;
    for (const json& row : json_lines(distance.out)) {
      if (row["pair"] != pair["pair"]) continue;
      seen = true;
      EXPECT_EQ(row["verdict"], "contact");
      EXPECT_NEAR(row["distance"].get<double>(), pair["distance"].get<double>(), 1e-6);
    }
    EXPECT_TRUE(seen);
  }
}

TEST_F(Pairs, TheSameForAnyNumberOfThreads) {
  json one = answer({"--threads", "1"}), two = answer({"--threads", "2"});
  one.erase("seconds");
  two.erase("seconds");
  EXPECT_EQ(one, two);
}

TEST_F(Pairs, AnSrdfIsComparedWithWhatIsTrue) {
  const auto found = by_name(answer({"--srdf", srdf_}));
  EXPECT_EQ(found.at("base arm")["disabled"], true);
  EXPECT_EQ(found.at("base arm")["reason"], "Never");
  EXPECT_EQ(found.at("base arm")["class"], "never");
  EXPECT_EQ(found.at("base finger")["reason"], "never");
  EXPECT_EQ(found.at("base finger")["class"], "sometimes");
  EXPECT_EQ(found.at("base hand")["disabled"], false);
  EXPECT_EQ(found.at("arm hand")["reason"], "Adjacent");

  const Result text = pairs({"--srdf", srdf_});
  EXPECT_EQ(text.code, 0) << text.err;
  const auto said = [&](const std::string& part) { return text.out.find(part); };
  const std::size_t section = said("Disabled by the SRDF, and in contact: 2 pairs");
  ASSERT_NE(section, std::string::npos) << text.out;
  // What was called never in contact comes first; only the joints between the two are named.
  const std::size_t never = text.out.find("base - finger, \"never\": sometimes", section);
  const std::size_t user = text.out.find("core - finger, \"User\": sometimes", section);
  ASSERT_NE(never, std::string::npos) << text.out;
  ASSERT_NE(user, std::string::npos) << text.out;
  EXPECT_LT(never, user);
  const std::string line =
      text.out.substr(user, text.out.find("\n", text.out.find("--q", user)) - user);
  EXPECT_EQ(line.find("j0="), std::string::npos) << line;
  EXPECT_NE(line.find("j4="), std::string::npos) << line;
  EXPECT_NE(said("2 pairs are checked for nothing"), std::string::npos) << text.out;
  EXPECT_EQ(pairs({}).out.find("SRDF"), std::string::npos);
}

TEST_F(Pairs, WritesAnSrdfThatEveryCommandTakes) {
  const Result result = pairs({"-o", out_});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("SRDF: " + out_), std::string::npos) << result.out;
  const json info = json::parse(run({"info", toy_, "--srdf", out_, "--json"}).out);
  EXPECT_EQ(info["pairs"].size(), 3U);
  const std::string text = slurp(out_);
  EXPECT_NE(text.find("<robot name=\"toy\">"), std::string::npos) << text;
  EXPECT_NE(text.find("link1=\"base\" link2=\"core\" reason=\"Always (proved)\""),
            std::string::npos);
  EXPECT_NE(text.find("link1=\"base\" link2=\"arm\" reason=\"Never (proved, clearance at least 0."),
            std::string::npos);
  EXPECT_NE(text.find("link1=\"core\" link2=\"arm\" reason=\"Adjacent\""), std::string::npos);
}

TEST_F(Pairs, KeepsTheGroupsOfTheSrdfItWasGiven) {
  ASSERT_EQ(pairs({"--srdf", srdf_, "-o", out_, "--quiet"}).code, 0);
  const std::string text = slurp(out_);
  EXPECT_NE(
      text.find(
          "\n  <group name=\"arm\"><chain base_link=\"base\" tip_link=\"finger\"/></group>\n"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("No longer disabled (it said never): base and finger, sometimes"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("reason=\"User\""), std::string::npos);
  // With the new one, nothing is wrong any more.
  const Result again = pairs({"--srdf", out_});
  EXPECT_NE(again.out.find("No pair that the SRDF disables for another reason than"),
            std::string::npos)
      << again.out;
  EXPECT_EQ(again.out.find("with the reason"), std::string::npos) << again.out;
}

TEST_F(Pairs, WhatIsOffByDefaultIsDisabledAndIsOnAgainInTheNewFile) {
  const std::string given = folder_.write("off.srdf", R"(<robot name="toy">
  <disable_default_collisions link="finger"/>
  <enable_collisions link1="finger" link2="base"/>
  <disable_collisions link1="base" link2="hand" reason="Never"/>
</robot>
)");
  const Result report = pairs({"--srdf", given, "-o", out_, "--json"});
  ASSERT_EQ(report.code, 0) << report.err;
  const json document = json::parse(report.out);
  EXPECT_EQ(document["srdf"], out_);
  const auto found = by_name(document);
  EXPECT_EQ(found.at("core finger")["disabled"], true);
  EXPECT_EQ(found.at("core finger")["reason"], "by default");
  EXPECT_EQ(found.at("base finger")["disabled"], false);
  const std::string text = slurp(out_);
  EXPECT_NE(text.find("No longer disabled (off by default): core and finger, sometimes"),
            std::string::npos)
      << text;
  // Nothing else is left out than what was proved, and what is joined.
  const json info = json::parse(run({"info", toy_, "--srdf", out_, "--json"}).out);
  EXPECT_EQ(info["pairs"].size(), 3U);
  for (const json& pair : info["left_out"]) {
    const std::string kind = found.at(name_of(pair))["class"];
    EXPECT_TRUE(kind == "adjacent" || kind == "always" || kind == "never") << pair;
  }
}

TEST_F(Pairs, ReasonsThatExpectAContactAreCountedAlone) {
  const std::string given = folder_.write("default.srdf", R"(<robot name="toy">
  <disable_collisions link1="base" link2="finger" reason="Default"/>
  <disable_collisions link1="core" link2="finger" reason="Default"/>
  <disable_collisions link1="arm" link2="finger" reason="Adjacent"/>
  <disable_collisions link1="arm" link2="hand" reason="Adjacent"/>
</robot>
)");
  const std::string text = pairs({"--srdf", given}).out;
  EXPECT_NE(text.find("another reason than Adjacent, Default or Always"), std::string::npos);
  EXPECT_NE(text.find("  2 with the reason Default are in contact, and not listed."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("  1 with the reason Adjacent is in contact, and not listed."),
            std::string::npos)
      << text;
}

TEST_F(Pairs, AnSrdfOfAnotherRobotIsNoted) {
  const std::string other = folder_.write("other.srdf", "<robot name=\"other\"/>");
  const Result result = pairs({"--srdf", other, "-o", out_});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.err.find("written for robot 'other', used with 'toy'; -o keeps that name\n"),
            std::string::npos)
      << result.err;
  EXPECT_EQ(pairs({"--srdf", other, "-o", out_, "--quiet"}).err, "");
  EXPECT_EQ(pairs({"--srdf", srdf_, "-o", out_}).err, "");
}

TEST_F(Pairs, InfoTakesProvedPairsForOneReason) {
  ASSERT_EQ(pairs({"-o", out_}).code, 0);
  const std::string text = run({"info", toy_, "--srdf", out_}).out;
  EXPECT_NE(text.find("\"Never (proved, ...)\": 3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("\"Always (proved)\": 1\n"), std::string::npos) << text;
}

TEST_F(Pairs, APoseToPasteIsWithinTheLimits) {
  // The limit that they meet at is beyond its six decimals.
  const std::string urdf = folder_.write("limit.urdf", R"(<robot name="r">
    <link name="a"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <link name="b"/>
    <link name="c"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
    <joint name="j" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
      <limit lower="-0.1234564" upper="-0.1234562" effort="1" velocity="1"/></joint>
    <joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint></robot>)");
  const std::string srdf = folder_.write(
      "limit.srdf",
      R"(<robot name="r"><disable_collisions link1="a" link2="c" reason="Never"/></robot>)");
  const std::string text = run({"pairs", urdf, "--srdf", srdf}).out;
  const std::size_t at = text.find("--q j=");
  ASSERT_NE(at, std::string::npos) << text;
  const double value = std::stod(text.substr(at + 6));
  EXPECT_GE(value, -0.1234564) << text;
  EXPECT_LE(value, -0.1234562) << text;
}

TEST_F(Pairs, AnSrdfThatLeavesNothingToCheckIsLookedAtAllTheSame) {
  std::string all = "<robot name=\"toy\">";
  const std::vector<std::string> links = {"base", "core", "arm", "hand", "finger"};
  for (std::size_t i = 0; i < links.size(); ++i) {
    for (std::size_t j = i + 1; j < links.size(); ++j) {
      all += "<disable_collisions link1=\"" + links[i] + "\" link2=\"" + links[j] + "\"/>";
    }
  }
  const json document = answer({"--srdf", folder_.write("all.srdf", all + "</robot>")});
  EXPECT_EQ(document["counts"]["sometimes"], 3);
  EXPECT_EQ(document["pairs"].size(), 10U);
}

TEST_F(Pairs, OfAnSrdfForOneOfSeveralRobotsTheRobotMustBeNamed) {
  const std::string scene = folder_.write("two.json", R"({"robots": [
    {"name": "left", "urdf": "toy.urdf", "srdf": "toy.srdf"},
    {"name": "right", "urdf": "toy.urdf", "base": {"xyz": [9, 0, 0]}}]})");
  expect_error(run({"pairs", scene, "-o", out_}), 64,
               "-o: an SRDF is about one robot, the world has several; say which by --robot; they "
               "are left, right");
  expect_error(run({"pairs", scene, "-o", out_, "--robot", "middle"}), 64,
               "no robot 'middle'; there is left, right");
  expect_error(run({"pairs", scene, "--robot", "left"}), 64, "--robot 'left': only with -o");
  expect_error(run({"pairs", toy_, "--robot", "left", "-o", out_}), 64, "no robot 'left'");
  EXPECT_FALSE(std::filesystem::exists(out_));
  const std::vector<std::string> words = {"pairs",    scene,  "-o",      out_,
                                          "--budget", "2000", "--quiet", "--robot"};
  for (const std::string robot : {"left", "right"}) {
    std::vector<std::string> all = words;
    all.push_back(robot);
    const Result result = run(all);
    ASSERT_EQ(result.code, 0) << result.err;
    const std::string text = slurp(out_);
    EXPECT_EQ(text.find("left/"), std::string::npos) << text;
    EXPECT_EQ(text.find("<group") != std::string::npos, robot == "left") << text;
    const json info = json::parse(run({"info", toy_, "--srdf", out_, "--json"}).out);
    EXPECT_EQ(info["pairs"].size(), 3U);
  }
}

TEST_F(Pairs, WhatCannotBeWrittenIsFoundOutBeforeTheWork) {
  expect_error(pairs({"-o", toy_}), 64, "is an input itself");
  expect_error(pairs({"--srdf", srdf_, "-o", srdf_}), 64, "is an input itself");
  EXPECT_EQ(slurp(srdf_), kToySrdf);
  expect_error(pairs({"-o", "/nonexistent/out.srdf"}), 74, "there is no folder /nonexistent");
  expect_error(pairs({"-o", folder_.path().string()}), 74, "it is a folder");
  expect_error(pairs({"-o", ""}), 64, "-o");
  if (std::filesystem::exists("/dev/full")) {
    const Result full = pairs({"-o", "/dev/full"});
    expect_error(full, 74, "/dev/full: cannot write");
    // The work is not lost, either way.
    EXPECT_NE(full.out.find("Never in contact:"), std::string::npos) << full.out;
    EXPECT_EQ(full.out.find("SRDF: "), std::string::npos) << full.out;
    expect_error(run({"pairs", toy_, "-o", out_}, {.output_file = "/dev/full"}), 74,
                 "standard output: cannot write");
    EXPECT_NE(slurp(out_).find("</robot>"), std::string::npos);
  }
}

TEST_F(Pairs, BadInputIsOneLine) {
  expect_error(run({"pairs"}), 64, "WORLD is required");
  expect_error(run({"pairs", "no_such.urdf"}), 66, "no_such.urdf");
  expect_error(pairs({"--budget", "0"}), 64, "--budget");
  expect_error(pairs({"--samples", "-1"}), 64, "--samples");
  expect_error(pairs({"--srdf", "/nonexistent.srdf"}), 66, "/nonexistent.srdf");
  expect_error(pairs({"--srdf", folder_.write("bad.srdf", "<robot name=\"toy\">")}), 65,
               "bad.srdf:1");
}

}  // namespace
}  // namespace keepclear::test
