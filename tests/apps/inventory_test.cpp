// SPDX-License-Identifier: BSD-3-Clause
//
// `info` accounts for everything a file says: nothing is dropped in silence.
#include <map>
#include <regex>
#include <set>

#include "data.hpp"
#include "run.hpp"

namespace keepclear::test {
namespace {

using nlohmann::json;

void erase_between(std::string& text, const std::string& from, const std::string& to) {
  for (std::size_t begin; (begin = text.find(from)) != std::string::npos;) {
    const std::size_t end = text.find(to, begin + from.size());
    text.erase(begin, end == std::string::npos ? end : end + to.size() - begin);
  }
}

/// By plain text search, so that no XML library and no code of ours can agree on a mistake.
/// Comments and <gazebo> blocks, which speak of collisions in their own way, do not count.
std::size_t count_elements(std::string text, const std::string& tag) {
  erase_between(text, "<!--", "-->");
  text = std::regex_replace(text, std::regex("<gazebo[^>]*/>"), "");
  erase_between(text, "<gazebo", "</gazebo>");
  std::size_t count = 0;
  const std::string open = "<" + tag;
  for (std::size_t at = 0; (at = text.find(open, at)) != std::string::npos; at += open.size()) {
    const char next = text[at + open.size()];
    count +=
        next == '>' || next == '/' || next == ' ' || next == '\n' || next == '\r' || next == '\t'
            ? 1
            : 0;
  }
  return count;
}

std::vector<std::filesystem::path> robots() {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(data_dir() / "robots")) {
    if (entry.path().extension() == ".urdf") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

TEST(Info, AccountsForEveryCollisionElementOfEveryRobot) {
  KEEPCLEAR_NEEDS_DATA("robots");
  const auto files = robots();
  EXPECT_GE(files.size(), 22U);
  for (const auto& file : files) {
    SCOPED_TRACE(file.filename());
    const Result result = run({"info", file, "--json", "--quiet", "--no-lint"});
    EXPECT_EQ(result.code, 0) << result.err;
    if (result.code != 0) continue;
    const json info = json::parse(result.out);
    const std::string text = slurp(file);

    EXPECT_EQ(info["collision_elements"], count_elements(text, "collision"));
    std::map<std::string, std::set<int>> elements;
    std::size_t points = 0;
    for (const json& body : info["bodies"]) {
      elements[body["link"]].insert(body["element"].get<int>());
      EXPECT_GT(body["points"], 0);
      EXPECT_GE(body["radius"], 0);
      EXPECT_GE(body["excess"], 0);
      EXPECT_GE(body["volume"], 0.999 * body["hull_volume"].get<double>());
      EXPECT_FALSE(body["modelled"]);
      points += body["points"].get<std::size_t>();
    }
    EXPECT_EQ(info["totals"]["bodies"], info["bodies"].size());
    EXPECT_EQ(info["totals"]["points"], points);
    // Elements of a link are numbered from zero without a gap.
    std::size_t sum = 0;
    for (const auto& [link, indices] : elements) {
      EXPECT_EQ(*indices.rbegin() + 1, static_cast<int>(indices.size())) << link;
      sum += indices.size();
    }
    EXPECT_EQ(sum, info["collision_elements"].get<std::size_t>());

    // Every link has a body or is listed without one.
    std::set<std::string> links(info["links"].begin(), info["links"].end());
    EXPECT_EQ(links.size(), info["links"].size());
    std::set<std::string> seen(info["links_without_bodies"].begin(),
                               info["links_without_bodies"].end());
    for (const auto& [link, indices] : elements) EXPECT_TRUE(seen.insert(link).second) << link;
    EXPECT_EQ(seen, links);

    // Every two links with bodies are checked or left out, and never both.
    std::set<std::set<std::string>> pairs;
    for (const char* list : {"pairs", "left_out"}) {
      for (const json& entry : info[list]) {
        const std::set<std::string> pair(entry["pair"].begin(), entry["pair"].end());
        EXPECT_EQ(pair.size(), 2U);
        bool both = true;
        for (const std::string& link : pair) both = both && elements.contains(link);
        if (both) {
          EXPECT_TRUE(pairs.insert(pair).second) << entry;
        }
      }
    }
    EXPECT_EQ(pairs.size(), elements.size() * (elements.size() - 1) / 2);
  }
}

TEST(Info, NamesWhatAnSrdfLeavesOutAndThatNeverIsNotProved) {
  const TempFolder folder;
  const std::string srdf = folder.write("arm.srdf", R"(<robot name="six_axis_arm">
    <disable_collisions link1="base" link2="upper_arm" reason="Never"/>
    <disable_collisions link1="turret" link2="elbow_block" reason="Measured"/>
  </robot>)");
  const Result result = run({"info", "six_axis_arm", "--srdf", srdf, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const json with = json::parse(result.out);
  const json without = json::parse(run({"info", "six_axis_arm", "--json"}).out);
  EXPECT_EQ(with["pairs"].size() + 2, without["pairs"].size());
  EXPECT_NE(with["hash"], without["hash"]);
  std::map<std::string, std::string> notes;
  for (const json& pair : with["left_out"]) {
    if (pair.contains("reason")) notes[pair["reason"]] = pair.value("note", "");
  }
  EXPECT_EQ(notes.at("Never"), "sampled by MoveIt, not proved");
  EXPECT_EQ(notes.at("Measured"), "");
  const std::string text = run({"info", "six_axis_arm", "--srdf", srdf}).out;
  EXPECT_NE(text.find("\"Never\" (sampled by MoveIt, not proved): 1"), std::string::npos) << text;
}

TEST(Info, NamesPairsThatOverlapInTheNeutralPose) {
  const TempFolder folder;
  const std::string urdf = folder.write("o.urdf", R"(<robot name="o">
    <link name="a"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
    <link name="b"/>
    <link name="c"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
    <joint name="x" type="prismatic"><parent link="a"/><child link="b"/><axis xyz="1 0 0"/>
      <limit lower="-9" upper="9" effort="1" velocity="1"/></joint>
    <joint name="y" type="prismatic"><parent link="b"/><child link="c"/><axis xyz="0 1 0"/>
      <limit lower="-9" upper="9" effort="1" velocity="1"/></joint></robot>)");
  const Result result = run({"info", urdf});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("Overlapping in the neutral pose: 1\n  a - c\n"), std::string::npos)
      << result.out;
  EXPECT_NE(result.out.find("--srdf"), std::string::npos);
  const json info = json::parse(run({"info", urdf, "--json"}).out);
  ASSERT_EQ(info["pairs"].size(), 1U);
  EXPECT_TRUE(info["pairs"][0]["overlap_at_neutral"]);
  EXPECT_EQ(run({"check", urdf, "--q", "0,0"}).code, 1);
}

constexpr const char* kShelled = R"(<robot name="shelled">
  <link name="arm"><visual><geometry><box size="0.22 0.1 0.1"/></geometry></visual>
    <collision><geometry><box size="0.2 0.1 0.1"/></geometry></collision></link>
  <link name="lamp"><visual><geometry><mesh filename="lamp.dae"/></geometry></visual></link>
  <joint name="j" type="fixed"><parent link="arm"/><child link="lamp"/></joint></robot>)";

TEST(Info, SaysWhatToLookAtInAModel) {
  const TempFolder folder;
  const std::string urdf = folder.write("shelled.urdf", kShelled);
  const Result result = run({"info", urdf});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::size_t section = result.out.find("\nModel: what to look at: 3\n");
  ASSERT_NE(section, std::string::npos) << result.out;
  const std::string told = result.out.substr(section);
  for (const char* part : {"'arm'", "10.0 mm", "'lamp' is seen and not checked", "lamp.dae"}) {
    EXPECT_NE(told.find(part), std::string::npos) << part << told;
  }
  const json lint = json::parse(run({"info", urdf, "--json"}).out)["lint"];
  ASSERT_EQ(lint["links"].size(), 2U);
  EXPECT_EQ(lint["links"][0]["link"], "arm");
  EXPECT_NEAR(lint["links"][0]["visual_sticks_out"], 0.01, 1e-9);
  EXPECT_TRUE(lint["links"][1]["has_visual"]);
  EXPECT_FALSE(lint["links"][1]["has_collision"]);
  EXPECT_EQ(lint["findings"].size(), 3U);
}

TEST(Info, LeavesTheLookAtTheModelOutOnRequest) {
  const TempFolder folder;
  const std::string urdf = folder.write("shelled.urdf", kShelled);
  EXPECT_FALSE(json::parse(run({"info", urdf, "--json", "--no-lint"}).out).contains("lint"));
  const Result result = run({"info", urdf, "--no-lint"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.out.find("what to look at"), std::string::npos);
  // And a world without a fault says so.
  EXPECT_NE(run({"info", "six_axis_arm"}).out.find("what to look at: nothing was found"),
            std::string::npos);
}

TEST(Info, SaysVolumesOfBodiesAndOfAllTogether) {
  const TempFolder folder;
  const std::string urdf = folder.write("v.urdf", R"(<robot name="v"><link name="a">
    <collision><geometry><box size="0.1 0.2 0.3"/></geometry></collision>
    <collision><geometry><cylinder radius="0.1" length="0.5"/></geometry></collision>
    </link></robot>)");
  const json info = json::parse(run({"info", urdf, "--json"}).out);
  ASSERT_EQ(info["bodies"].size(), 2U);
  EXPECT_NEAR(info["bodies"][0]["volume"], 0.006, 1e-9);
  // A prism of 64 sides around the cylinder.
  EXPECT_NEAR(info["bodies"][1]["hull_volume"], 0.0157080, 1e-7);
  EXPECT_NEAR(info["bodies"][1]["volume"], 0.0157206, 1e-7);
  EXPECT_EQ(info["totals"]["points"], 8 + 128);
  EXPECT_NEAR(info["totals"]["volume"], 0.0217206, 1e-7);
  const std::string text = run({"info", urdf}).out;
  EXPECT_NE(text.find("Bodies: 2, from 2 collision elements; 136 points in all\n"),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("1.001"), std::string::npos) << text;
}

TEST(Info, NamesFromStrangersStayValidJsonAndHarmlessOnATerminal) {
  const TempFolder folder;
  const std::string urdf =
      folder.write("names.urdf",
                   "<robot name=\"r\"><link name=\"a&quot;\\b&#27;[31m\xff\xfe\">"
                   "<collision><geometry><sphere radius=\"1\"/></geometry></collision></link>"
                   "</robot>");
  const Result result = run({"info", urdf, "--json"});
  // A reader may refuse such a name; what it lets through must come out clean.
  if (result.code != 0) {
    expect_error(result, 65, "names.urdf");
    return;
  }
  EXPECT_TRUE(json::accept(result.out)) << result.out;
  EXPECT_EQ(run({"info", urdf}).out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace keepclear::test
