// SPDX-License-Identifier: BSD-3-Clause
#include "certify/srdf_writer.hpp"

#include <gtest/gtest.h>
#include <tinyxml2.h>

#include <algorithm>
#include <map>

#include "data.hpp"
#include "keepclear/error.hpp"
#include "robot/srdf.hpp"
#include "robot/urdf.hpp"
#include "robot/xml.hpp"
#include "scene/builtin.hpp"
#include "scene/world.hpp"

namespace keepclear {
namespace {

constexpr const char* kBall =
    "<collision><geometry><sphere radius='0.1'/></geometry></collision></link>";

/// Four balls in a row, with names that XML does not like.
RobotModel row(const std::string& name = "row") {
  const std::string names[] = {"a", "b&amp;c", "d&lt;--&gt;e", "f&quot;g"};
  std::string xml = "<robot name='" + name + "'>";
  for (int i = 0; i < 4; ++i) xml += "<link name='" + names[i] + "'>" + kBall;
  for (int i = 0; i < 3; ++i) {
    const std::string j(1, static_cast<char>('0' + i));
    xml += "<joint name='j" + j + "' type='continuous'><parent link='" + names[i] +
           "'/><child link='" + names[i + 1] + "'/><origin xyz='1 0 0'/></joint>";
  }
  return parse_urdf(xml + "</robot>", "row.urdf", {}, {});
}

PairOfLinks pair_of(int a, int b, PairClass kind, double clearance = 0) {
  PairOfLinks pair;
  pair.a = a;
  pair.b = b;
  pair.kind = kind;
  pair.clearance = clearance;
  return pair;
}

/// One of each kind.
std::vector<PairOfLinks> all_kinds() {
  return {pair_of(0, 1, PairClass::adjacent),    pair_of(0, 2, PairClass::always),
          pair_of(0, 3, PairClass::never, 0.05), pair_of(1, 2, PairClass::adjacent),
          pair_of(1, 3, PairClass::sometimes),   pair_of(2, 3, PairClass::undecided)};
}

std::map<std::pair<std::string, std::string>, std::string> reasons(const Srdf& srdf) {
  std::map<std::pair<std::string, std::string>, std::string> map;
  for (const DisabledPair& pair : srdf.disabled) map[{pair.link1, pair.link2}] = pair.reason;
  return map;
}

/// Everything but what is ours, line by line.
std::string without_ours(const std::string& text) {
  std::string rest;
  bool in_comment = false;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size() - 1) + 1;
    const std::string line = text.substr(at, end - at);
    at = end;
    if (line.find("<!-- keepclear pairs") != line.npos) in_comment = true;
    const bool ours = in_comment || line.find("<disable_") != line.npos ||
                      line.find("<enable_collisions") != line.npos;
    if (in_comment && line.find("-->") != line.npos) in_comment = false;
    if (!ours) rest += line;
  }
  return rest;
}

TEST(SrdfWriter, DisablesWhatWasProvedAndNothingElse) {
  const RobotModel robot = row();
  const World world = compile_robot(robot, nullptr, {});
  const std::string text = write_srdf(world, all_kinds());
  const Srdf srdf = parse_srdf(text, "row.srdf", robot);
  EXPECT_EQ(srdf.name, "row");
  EXPECT_TRUE(srdf.notes.empty());
  const std::map<std::pair<std::string, std::string>, std::string> expected = {
      {{"a", "b&c"}, "Adjacent"},
      {{"a", "d<-->e"}, "Always (proved)"},
      {{"a", "f\"g"}, "Never (proved, clearance at least 0.050000 m)"},
      {{"b&c", "d<-->e"}, "Adjacent"}};
  EXPECT_EQ(reasons(srdf), expected);
  EXPECT_NE(text.find(world.hash()), text.npos);
  EXPECT_NE(text.find("over the whole range of the joints"), text.npos);
}

TEST(SrdfWriter, IsWellFormedAlsoWhereNamesWouldEndAComment) {
  const RobotModel robot = row("r&amp;&quot;&lt;-->");
  const World world = compile_robot(robot, nullptr, {});
  std::vector<PairOfLinks> pairs = all_kinds();
  pairs[4].disabled = true;
  pairs[4].reason = "Never --> --- -";
  pairs[5].disabled = true;
  for (const std::string& text :
       {write_srdf(world, pairs), rewrite_srdf("<robot name='r'/>", "r.srdf", world, pairs)}) {
    tinyxml2::XMLDocument document;
    EXPECT_EQ(document.Parse(text.data(), text.size()), tinyxml2::XML_SUCCESS) << text;
    EXPECT_NO_THROW(parse_srdf(text, "r.srdf", robot)) << text;
    for (std::size_t at = text.find("--"); at != text.npos; at = text.find("--", at + 2)) {
      const bool opens = at >= 2 && text.compare(at - 2, 4, "<!--") == 0;
      const bool closes = text.compare(at, 3, "-->") == 0;
      const bool in_name = text.compare(at, 6, "--&gt;") == 0;
      EXPECT_TRUE(opens || closes || in_name) << text.substr(at);
    }
  }
  EXPECT_EQ(parse_srdf(write_srdf(world, pairs), "r.srdf", robot).name, robot.name);
}

TEST(SrdfWriter, AClearanceIsNeverRoundedUp) {
  const World world = compile_robot(row(), nullptr, {});
  const auto written = [&](double clearance) {
    const std::string text = write_srdf(world, {pair_of(0, 3, PairClass::never, clearance)});
    const std::size_t at = text.find("at least ") + 9;
    return std::stod(text.substr(at, text.find(' ', at) - at));
  };
  for (const double clearance : {0.0, 1e-9, 0.05, 0.0499999999, 0.3, 0.1 + 0.2, 1.9999999999}) {
    EXPECT_LE(written(clearance), clearance);
    EXPECT_GE(written(clearance), clearance - 1.1e-6);
  }
  EXPECT_EQ(written(0.05), 0.05);
}

TEST(SrdfWriter, OfSeveralRobotsThePairsWithinOneByTheNamesOfItsUrdf) {
  const World world = load_builtin("two_arms");
  const auto solid = [&](const char* name) { return world.find_solid(name); };
  const std::vector<PairOfLinks> pairs = {
      pair_of(solid("left/link1"), solid("left/link2"), PairClass::adjacent),
      pair_of(solid("left/link1"), solid("left/link3"), PairClass::never, 0.25),
      pair_of(solid("left/link1"), solid("right/link3"), PairClass::never, 0.5),
      pair_of(solid("right/link2"), solid("right/link5"), PairClass::never, 0.125)};
  const RobotModel arm = parse_urdf(builtin_urdf("bench_arm"), "bench_arm", {}, {});
  const Srdf left = parse_srdf(write_srdf(world, pairs, 0), "left.srdf", arm);
  EXPECT_EQ(left.name, "bench_arm");
  EXPECT_EQ(reasons(left).size(), 2u);
  EXPECT_EQ(reasons(left).count({"link1", "link3"}), 1u);
  const Srdf right = parse_srdf(write_srdf(world, pairs, 1), "right.srdf", arm);
  EXPECT_EQ(reasons(right).size(), 1u);
  EXPECT_EQ(reasons(right).count({"link2", "link5"}), 1u);
  for (const int robot : {-1, 2}) EXPECT_THROW(write_srdf(world, pairs, robot), Error);
}

TEST(SrdfWriter, ALinkThatHasASlashInItsUrdfKeepsIt) {
  const RobotModel robot = parse_urdf(
      "<robot name='r'><link name='ns/a'>" + std::string(kBall) + "<link name='ns/b'>" + kBall +
          "<joint name='j' type='continuous'><parent link='ns/a'/><child link='ns/b'/></joint>"
          "</robot>",
      "r.urdf", {}, {});
  const World world = compile_robot(robot, nullptr, {});
  const Srdf srdf = parse_srdf(write_srdf(world, {pair_of(0, 1, PairClass::adjacent)}), "", robot);
  EXPECT_EQ(reasons(srdf).count({"ns/a", "ns/b"}), 1u);
}

constexpr const char* kGiven = R"(<?xml version="1.0" ?>
<!-- made by hand: <disable_collisions link1="a" link2="b" reason="in a comment"/> -->
<robot name="row">
    <group name="arm">
        <chain base_link="a" tip_link="f&quot;g"/>
    </group>
    <group_state name="home" group="arm"><joint name="j0" value="0.5"/></group_state>
    <!-- what need not be checked -->
    <disable_collisions link1="a" link2="b&amp;c" reason="Adjacent"/>
    <disable_collisions link1='b&amp;c' link2='f"g' reason='Never > 0'></disable_collisions>
    <end_effector name="e" parent_link="a" group="arm"/> <disable_collisions link1="a" link2="f&quot;g"/>
	<passive_joint name="j2"/>
</robot>
<!-- the end -->
)";

TEST(SrdfRewriter, ReplacesThePairsAndKeepsAllElseByteForByte) {
  const RobotModel robot = row();
  const Srdf given = parse_srdf(kGiven, "given.srdf", robot);
  const World world = compile_robot(robot, &given, {});
  std::vector<PairOfLinks> pairs = all_kinds();
  pairs[4].disabled = true;
  pairs[4].reason = "Never";
  const std::string text = rewrite_srdf(kGiven, "given.srdf", world, pairs);
  const Srdf srdf = parse_srdf(text, "new.srdf", robot);
  EXPECT_EQ(reasons(srdf), reasons(parse_srdf(write_srdf(world, pairs), "", robot)));
  EXPECT_EQ(srdf.groups.size(), 1u);
  EXPECT_EQ(srdf.states.size(), 1u);
  // In place of the first, below the comment that stood before it, and indented as it was.
  EXPECT_NE(text.find("need not be checked -->\n    <!-- keepclear pairs"), text.npos) << text;
  EXPECT_NE(text.find("\n    <disable_collisions link1=\"a\" link2=\"b&amp;c\""), text.npos)
      << text;
  EXPECT_NE(text.find("No longer disabled (it said Never): b&c and f\"g, sometimes"), text.npos)
      << text;
  std::string rest = without_ours(text);
  std::string expected = without_ours(kGiven);
  // The one that shared its line is gone from there, too.
  const std::string shared = "<end_effector name=\"e\" parent_link=\"a\" group=\"arm\"/> \n";
  EXPECT_NE(text.find(shared), text.npos);
  rest.erase(rest.find(shared) - 4, shared.size() + 4);
  EXPECT_EQ(rest, expected);
}

TEST(SrdfRewriter, ReplacesAlsoWhatIsOffByDefaultAndEnabled) {
  const RobotModel robot = row();
  const std::string given =
      "<robot name='row'>\n"
      "  <disable_default_collisions link='f&quot;g'/>\n"
      "  <enable_collisions link1='a' link2='f&quot;g'></enable_collisions>\n"
      "  <passive_joint name='j2'/>\n"
      "</robot>\n";
  const Srdf before = parse_srdf(given, "given.srdf", robot);
  const World world = compile_robot(robot, &before, {});
  std::vector<PairOfLinks> pairs = all_kinds();
  pairs[4].disabled = true;
  pairs[4].reason = "by default";
  const std::string text = rewrite_srdf(given, "given.srdf", world, pairs);
  const Srdf after = parse_srdf(text, "new.srdf", robot);
  EXPECT_TRUE(after.disabled_by_default.empty()) << text;
  EXPECT_TRUE(after.enabled.empty()) << text;
  EXPECT_EQ(after.disabled.size(), 4u);
  EXPECT_NE(text.find("No longer disabled (off by default): b&c and f\"g, sometimes"), text.npos)
      << text;
  EXPECT_EQ(without_ours(text), without_ours(given));
}

TEST(SrdfRewriter, NamesBeyondAsciiAreRightInAnyEncoding) {
  // Of two, three and four bytes.
  const std::string first = "\xC3\xA4rm", second = "\xE2\x82\xAC\xF0\x9F\xA4\x96";
  const RobotModel robot =
      parse_urdf("<robot name='\xC3\xB6'><link name='" + first + "'>" + kBall + "<link name='" +
                     second + "'>" + kBall + "<joint name='j' type='continuous'><parent link='" +
                     first + "'/><child link='" + second + "'/></joint></robot>",
                 "r.urdf", {}, {});
  const World world = compile_robot(robot, nullptr, {});
  std::vector<PairOfLinks> pairs = {pair_of(0, 1, PairClass::adjacent),
                                    pair_of(0, 1, PairClass::sometimes)};
  pairs[1].disabled = true;
  const std::string latin = "<?xml version='1.0' encoding='ISO-8859-1'?>\n<robot name='r'/>\n";
  for (const std::string& text :
       {write_srdf(world, pairs), rewrite_srdf(latin, "r.srdf", world, pairs)}) {
    EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return (c & 0x80) == 0; })) << text;
    EXPECT_NE(text.find("\"&#xE4;rm\" link2=\"&#x20AC;&#x1F916;\""), text.npos) << text;
    EXPECT_EQ(reasons(parse_srdf(text, "r.srdf", robot)).count({first, second}), 1u) << text;
  }
}

TEST(SrdfRewriter, ASecondTimeChangesNothing) {
  const RobotModel robot = row();
  const World world = compile_robot(robot, nullptr, {});
  const std::string once = rewrite_srdf(kGiven, "given.srdf", world, all_kinds());
  EXPECT_EQ(rewrite_srdf(once, "once.srdf", world, all_kinds()), once);
  const std::string fresh = write_srdf(world, all_kinds());
  EXPECT_EQ(rewrite_srdf(fresh, "fresh.srdf", world, all_kinds()), fresh);
}

TEST(SrdfRewriter, WithoutAPairToReplaceTheyComeLast) {
  const RobotModel robot = row();
  const World world = compile_robot(robot, nullptr, {});
  for (const std::string given :
       {"<robot name='row'/>", "<robot name='row' />", "<robot name='row'></robot>",
        "<robot name='row'>\n  <group name='g'><link name='a'/></group>\n</robot>\n",
        "\xEF\xBB\xBF<robot name='row'>\r\n\t</robot>"}) {
    const std::string text = rewrite_srdf(given, "given.srdf", world, all_kinds());
    const Srdf srdf = parse_srdf(text, "new.srdf", robot);
    EXPECT_EQ(srdf.disabled.size(), 4u) << text;
    EXPECT_EQ(srdf.groups.size(), parse_srdf(given, "", robot).groups.size());
    EXPECT_EQ(rewrite_srdf(text, "again.srdf", world, all_kinds()), text);
  }
}

TEST(SrdfRewriter, KeepsTheLineEndsOfTheFile) {
  const World world = compile_robot(row(), nullptr, {});
  const std::string text = rewrite_srdf(
      "<robot name='row'>\r\n  <disable_collisions link1='a' link2='b&amp;c'/>\r\n</robot>\r\n",
      "given.srdf", world, all_kinds());
  EXPECT_EQ(std::ranges::count(text, '\n'), std::ranges::count(text, '\r'));
  EXPECT_TRUE(text.ends_with("\r\n</robot>\r\n")) << text;
}

TEST(SrdfRewriter, RefusesWhatIsNoXml) {
  const World world = compile_robot(row(), nullptr, {});
  for (const char* given : {"", "<robot name='row'>", "<robot name='row'/><robot/>"}) {
    EXPECT_THROW(rewrite_srdf(given, "given.srdf", world, {}), Error) << given;
  }
}

TEST(SrdfRewriter, KeepsAllElseOfRealFiles) {
  KEEPCLEAR_NEEDS_DATA("robots");
  const World world = compile_robot(row(), nullptr, {});
  std::size_t files = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(test::data_dir() / "robots")) {
    if (entry.path().extension() != ".srdf") continue;
    SCOPED_TRACE(entry.path().string());
    ++files;
    const std::string given = xml::read_file(entry.path());
    const std::string text = rewrite_srdf(given, entry.path().string(), world, {});
    EXPECT_EQ(without_ours(text), without_ours(given));
    tinyxml2::XMLDocument before, after;
    ASSERT_EQ(before.Parse(given.data(), given.size()), tinyxml2::XML_SUCCESS);
    ASSERT_EQ(after.Parse(text.data(), text.size()), tinyxml2::XML_SUCCESS);
    EXPECT_EQ(after.RootElement()->FirstChildElement("disable_collisions"), nullptr);
    const auto groups = [](const tinyxml2::XMLDocument& document) {
      int count = 0;
      for (auto* e = document.RootElement()->FirstChildElement("group"); e != nullptr;
           e = e->NextSiblingElement("group")) {
        ++count;
      }
      return count;
    };
    EXPECT_EQ(groups(after), groups(before));
  }
  EXPECT_GE(files, 10u);
}

}  // namespace
}  // namespace keepclear
