// SPDX-License-Identifier: BSD-3-Clause
// --against: a certificate and the URDF it is of, and URDFs that are not.
#include "against.hpp"

#include <cstdlib>
#include <fstream>
#include <tuple>

#include "certificates.hpp"

namespace verify {
namespace {

const std::string kUrdf = R"(<robot name="test">
  <!-- <collision> in a comment, and <capsule radius="9" length="9"/> -->
  <link name="base"><collision><origin xyz="0 0 -0.5"/><geometry><box size="0.2 0.2 0.2"/></geometry></collision></link>
  <link name="arm">
    <collision><origin xyz="0.5 0 0" rpy="0 1.5707963267948966 0"/><geometry><capsule length="1" radius="0.05"/></geometry></collision>
    <collision><origin xyz="1 0 0"/><geometry><sphere radius="0.05"/></geometry></collision>
  </link>
  <link name="tip"><collision><geometry><mesh filename="package://pack/tip.stl" scale="2 2 2"/></geometry></collision></link>
  <link name="slider"/>
  <joint name="turn" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 0.1" rpy="0.3 0.2 0.1"/>
    <axis xyz="0 0 2"/><limit lower="-1" upper="2" velocity="1" effort="1"/></joint>
  <joint name="hold" type="fixed"><parent link="arm"/><child link="tip"/><origin xyz="1 0 0"/></joint>
  <joint name="slide" type="prismatic"><parent link="tip"/><child link="slider"/><axis xyz="1 0 0"/>
    <limit lower="0" upper="1" velocity="1" effort="1"/><mimic joint="turn" multiplier="0.5" offset="0.25"/></joint>
</robot>)";

// The tip is a tetrahedron of edges of 0.1.
const std::string kStl =
    "solid t\n"
    "facet normal 0 0 -1\nouter loop\nvertex 0 0 0\nvertex 0 0.05 0\nvertex 0.05 0 "
    "0\nendloop\nendfacet\n"
    "facet normal 0 -1 0\nouter loop\nvertex 0 0 0\nvertex 0.05 0 0\nvertex 0 0 "
    "0.05\nendloop\nendfacet\n"
    "facet normal -1 0 0\nouter loop\nvertex 0 0 0\nvertex 0 0 0.05\nvertex 0 0.05 "
    "0\nendloop\nendfacet\n"
    "facet normal 1 1 1\nouter loop\nvertex 0.05 0 0\nvertex 0 0.05 0\nvertex 0 0 "
    "0.05\nendloop\nendfacet\n"
    "endsolid t\n";

const std::string kWorld =
    "number turn {-1 2}\n"
    "link base\n"
    "link arm 0 hinge {0 0 0.1} rpy {0.3 0.2 0.1} {0 0 1} 0\n"
    "link tip 1 fixed {1 0 0} rpy {0 0 0}\n"
    "link slider 2 slide {0 0 0} rpy {0 0 0} {1 0 0} 0 {0.5 0.25}\n"
    "solid base link 0\nsolid arm link 1\nsolid tip link 2\n"
    "box 0 0 {0 0 -0.5} {0.1 0.1 0.1}\n"
    "hull 1 1 {0.05} {0 0 0} {1 0 0}\n"
    "hull 2 1 {0} {1 0 0} {1.1 0 0} {1 0.1 0} {1 0 0.1}\n"
    "margin {0}\nskip 0 1 adjacent %\nskip 0 2 disabled Never\nclearance {0}\nrange {-1 2}\n";
const std::string kSrdf =
    "<robot name='test'><disable_collisions link1='tip' link2='base' reason='Never'/></robot>";

using Files = std::vector<std::pair<std::string, std::string>>;  // name, text

class Against : public testing::Test {
 protected:
  void SetUp() override {
    std::string name =
        (std::filesystem::temp_directory_path() / "keepclear-against-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
    std::filesystem::create_directories(folder_ / "pack" / "urdf");
    write("pack/tip.stl", kStl);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) {
    std::ofstream(folder_ / name) << text;
  }

  /// What it says; the reason if the two differ.
  std::string compare(const std::string& urdf, const std::string& world = kWorld,
                      const Files& more = {{"r.srdf", kSrdf}}, const std::string& head_end = "") {
    write("pack/urdf/r.urdf", urdf);
    round_nearest();
    const std::string text = seal(head("box") + head_end + with_hex(world));
    round_upwards();
    Certificate c;
    try {  // nothing is proved here
      Reader in(text);
      in.take("keepclear-certificate"), in.index(2), c.read_world(in);
    } catch (const Invalid& e) {
      ADD_FAILURE() << e.line << ": " << e.why << ": " << e.record;
    }
    round_nearest();
    try {
      std::vector<std::filesystem::path> all;
      if (!urdf.empty()) all.push_back(folder_ / "pack/urdf/r.urdf");
      for (const auto& [name, text_of_file] : more) {
        write("pack/urdf/" + name, text_of_file);
        all.push_back(folder_ / "pack/urdf" / name);
      }
      return against(c, all, {});
    } catch (const Differs& e) {
      return "differs: " + e.why;
    } catch (const CannotTell& e) {
      return "cannot tell: " + e.why;
    }
  }
  void expect_differs(const std::string& from, const std::string& to, const std::string& why) {
    const std::string said = compare(replaced(kUrdf, from, to));
    EXPECT_TRUE(said.starts_with("differs: ") && said.find(why) != said.npos) << said;
  }

  std::filesystem::path folder_;
};

TEST_F(Against, ItsOwnFilesAgree) {
  const std::string said = compare(kUrdf);
  EXPECT_NE(said.find("4 links, 1 numbers, 3 solids of 4 shapes (4 triangles) and 2 skipped pairs"),
            said.npos)
      << said;
}

TEST_F(Against, WhatIsMissingIsAskedFor) {
  EXPECT_EQ(compare(kUrdf, kWorld, {}),
            "cannot tell: base and tip are skipped by an SRDF: give it, too");
  EXPECT_TRUE(compare("", kWorld).starts_with("cannot tell: one URDF alone"));
  const std::string scene =
      "link %\nlink base 0 fixed {0 0 0} rpy {0 0 0}\n"
      "margin {0}\nclearance {0}\n";
  EXPECT_EQ(compare(kUrdf, scene), "cannot tell: its world is a scene: give the scene, too");
  EXPECT_EQ(compare("", kWorld, {{"o.json", "{\"objects\": []}"}}),
            "cannot tell: the scene has no robot: give its URDF, too");
  EXPECT_EQ(compare(kUrdf, kWorld, {{"o.json", "{\"objects\": []}"}}),
            "differs: its world is no scene, and a scene is given");
  EXPECT_EQ(compare(kUrdf, kWorld, {{"a.srdf", kSrdf}, {"b.srdf", kSrdf}}),
            "cannot tell: two files of a kind: SRDF");
}

TEST_F(Against, WhatIsOtherInTheUrdfIsFound) {
  expect_differs("xyz=\"0 0 0.1\"", "xyz=\"0 0 0.1001\"", "arm: another origin");
  expect_differs("rpy=\"0.3 0.2 0.1\"", "rpy=\"0.3 0.2 0.1001\"", "arm: another origin");
  expect_differs("axis xyz=\"0 0 2\"", "axis xyz=\"0 0 -2\"", "arm: another axis");
  expect_differs("lower=\"-1\"", "lower=\"-1.1\"", "number turn: other limits");
  expect_differs("upper=\"2\"", "upper=\"3\"", "number turn: other limits");
  expect_differs("type=\"revolute\"", "type=\"continuous\"", "number turn: other limits");
  expect_differs("type=\"revolute\"", "type=\"prismatic\"", "arm: another kind");
  expect_differs("multiplier=\"0.5\"", "multiplier=\"0.6\"",
                 "slider: its joint follows another, or");
  expect_differs("offset=\"0.25\"", "offset=\"0\"", "slider: its joint follows another, or");
  expect_differs("<mimic joint=\"turn\" multiplier=\"0.5\" offset=\"0.25\"/>", "",
                 "no number slide");
  expect_differs("<parent link=\"tip\"/>", "<parent link=\"arm\"/>", "slider: another parent");
  expect_differs("<link name=\"slider\"/>",
                 "<link name=\"slider\"/><link name=\"more\"/><joint name=\"m\" type=\"fixed\">"
                 "<parent link=\"tip\"/><child link=\"more\"/></joint>",
                 "no link more");
}

TEST_F(Against, ShapesThatReachOutAreFound) {
  expect_differs("size=\"0.2 0.2 0.2\"", "size=\"0.2 0.2 0.201\"", "base: a shape ");
  expect_differs("xyz=\"0 0 -0.5\"", "xyz=\"0 0 -0.501\"", "base: a shape ");
  expect_differs("<sphere radius=\"0.05\"/>", "<sphere radius=\"0.051\"/>", "arm: a shape ");
  expect_differs("length=\"1\" radius=\"0.05\"", "length=\"1.01\" radius=\"0.05\"",
                 "arm: a shape ");
  expect_differs("<capsule length=\"1\" radius=\"0.05\"/>",
                 "<cylinder length=\"1.3\" radius=\"0.05\"/>", "arm: a shape ");
  expect_differs("scale=\"2 2 2\"", "scale=\"2 2 2.1\"", "tip: a shape ");
  expect_differs("<link name=\"slider\"/>",
                 "<link name=\"slider\"><collision><geometry><sphere "
                 "radius=\"0.01\"/></geometry></collision></link>",
                 "no solid slider");
  // A smaller one does not.
  EXPECT_TRUE(compare(replaced(kUrdf, "size=\"0.2 0.2 0.2\"", "size=\"0.1 0.2 0.2\""))
                  .find("as the files say") != std::string::npos);
  EXPECT_TRUE(compare(replaced(kUrdf, "<capsule length=\"1\" radius=\"0.05\"/>",
                               "<cylinder length=\"1\" radius=\"0.05\"/>"))
                  .find("as the files say") != std::string::npos);
}

TEST_F(Against, WhatCannotBeReadIsSaid) {
  EXPECT_TRUE(compare("garbage").starts_with("cannot tell"));
  EXPECT_NE(compare(replaced(kUrdf, "package://pack", "package://other")).find("--package other="),
            std::string::npos);
  EXPECT_TRUE(compare(replaced(kUrdf, "tip.stl", "top.stl")).starts_with("cannot tell: "));
  // Nothing that is not known is passed over.
  const std::pair<const char*, const char*> changes[] = {
      {"<sphere radius=\"0.05\"/>", "<torus radius=\"0.05\"/>"},
      {"<sphere radius=\"0.05\"/>", "<sphere radius=\"0.05\" thick=\"1\"/>"},
      {"<sphere radius=\"0.05\"/>", "<sphere radius=\"0.05\"/><sphere radius=\"0.04\"/>"},
      {"<sphere radius=\"0.05\"/>", "<sphere radius=\"0,05\"/>"},
      {"<sphere radius=\"0.05\"/>", "<sphere radius=\"0.05\" radius=\"0.05\"/>"},
      {"<link name=\"slider\"/>", "<link name=\"slider\"/><include/>"},
      {"<link name=\"slider\"/>", "<link name=\"slider\"/><group><link name=\"g\"/></group>"},
      {"<link name=\"slider\"/>", "<link name=\"slider\"/><robot name=\"r\"/>"},
      {"<link name=\"slider\"/>", "<link name=\"slider\"><colision/></link>"},
      {"<link name=\"slider\"/>", "<link name=\"slider\"/><link name=\"slider\"/>"},
      {"<link name=\"slider\"/>", "<link name=\"slider\"/><link name=\"lost\"/>"},
      {"<link name=\"slider\"/>", "<link name=\"slider\">word</link>"},
      {"lower=\"-1\"", "lower=\"-1rad\""},
      {"type=\"prismatic\"", "type=\"sliding\""},
      {"mimic joint=\"turn\"", "mimic joint=\"slide\""},
      {"mimic joint=\"turn\"", "mimic joint=\"none\""},
      {"<robot name=\"test\">", "<!DOCTYPE r><robot name=\"test\">"}};
  for (const auto& [from, to] : changes) {
    const std::string said = compare(replaced(kUrdf, from, to));
    EXPECT_TRUE(said.starts_with("cannot tell: ")) << to << "\n" << said;
  }
  for (const std::string srdf :
       {"<robot name='test'><disable_collision link1='tip' link2='base'/></robot>",
        "<robot name='test'><disable_collisions link1='tip'/></robot>",
        "<robot name='test'><enable_collisions link1='tip' link2='x'/></robot>"}) {
    const std::string said = compare(kUrdf, kWorld, {{"r.srdf", srdf}});
    EXPECT_TRUE(said.starts_with("cannot tell: ")) << said;
  }
}

TEST_F(Against, WhatTheSrdfDoesNotSayIsNoReason) {
  const auto said = [&](const std::string& from, const std::string& to) {
    return compare(kUrdf, kWorld, {{"r.srdf", replaced(kSrdf, from, to)}});
  };
  EXPECT_EQ(said("'Never'", "'User'"),
            "differs: base and tip: skipped as 'disabled', and not as 'disabled User'");
  EXPECT_EQ(said("link1='tip'", "link1='slider'"),
            "differs: base and tip: skipped as 'disabled', for which no file gives a reason");
  EXPECT_EQ(
      said("</robot>", "<disable_collisions link1='slider' link2='arm'/></robot>").find("differs"),
      std::string::npos);  // the slider has no body
}

TEST_F(Against, AMeshThatWasChangedIsFound) {
  round_nearest();
  const Files srdf = {{"r.srdf", kSrdf}};
  const std::string good = "source " + sha256(kStl) + " x/tip.stl\n",
                    bad = "source " + sha256("else") + " x/tip.stl\n";
  EXPECT_NE(compare(kUrdf, kWorld, srdf, good).find("as the files say"), std::string::npos);
  EXPECT_NE(compare(kUrdf, kWorld, srdf, bad).find("another hash"), std::string::npos);
}

/// The same robot in a scene: called a, a metre up, with a crate and something in its hand.
const std::string kCell =
    "number a/turn {-1 2}\n"
    "link %\n"
    "link a/base 0 fixed {0 0 1} rpy {0 0 0}\n"
    "link a/arm 1 hinge {0 0 0.1} rpy {0.3 0.2 0.1} {0 0 1} 0\n"
    "link a/tip 2 fixed {1 0 0} rpy {0 0 0}\n"
    "link a/slider 3 slide {0 0 0} rpy {0 0 0} {1 0 0} 0 {0.5 0.25}\n"
    "link part 4 fixed {0 0 0.2} rpy {0 0 0}\n"
    "link crate 0 fixed {3 0 0} quat {0 0.6 0 0.8}\n"
    "solid a/base link 1\nsolid a/arm link 2\nsolid a/tip link 3\nsolid part object 5\n"
    "solid crate object 6\n"
    "box 0 1 {0 0 -0.5} {0.1 0.1 0.1}\n"
    "hull 1 2 {0.05} {0 0 0} {1 0 0}\n"
    "hull 2 2 {0} {1 0 0} {1.1 0 0} {1 0.1 0} {1 0 0.1}\n"
    "hull 3 4 {0.1} {0 0 0.2}\n"
    "box 4 6 {0 0 0} {0.5 0.5 0.5}\n"
    "margin {0.01}\nmargin 1 4 {0.02}\n"
    "skip 0 1 adjacent %\nskip 0 2 disabled Never\nskip 0 3 allowed %\nskip 2 3 touch %\n"
    "clearance {0}\nrange {-1 2}\n";
const std::string kScene =
    R"({"name": "test", "robots": [{"name": "a", "urdf": "r.urdf", "srdf": "a.srdf", "base": {"xyz": [0, 0, 1]}}],
 "objects": [{"name": "crate", "shape": "box", "size": [1, 1, 1], "pose": {"xyz": [3, 0, 0], "quaternion": [0, 0.6, 0, 0.8]}},
             {"name": "part", "shape": "sphere", "radius": 0.1}],
 "attached": [{"object": "part", "link": "a/slider", "touch_links": ["a/tip"], "pose": {"xyz": [0, 0, 0.2]}}],
 "allow": [["a/base", "part"]], "margin": 0.01, "margins": [{"pair": ["a/arm", "crate"], "margin": 0.02}]})";

TEST_F(Against, ARobotOfAScene) {
  write("pack/urdf/a.srdf", kSrdf);
  const std::string& world = kCell;
  write("pack/urdf/r.urdf", kUrdf);
  const auto said = [&](const std::string& scene, const std::string& of) {
    return compare(kUrdf, of, {{"cell.json", scene}});
  };
  EXPECT_NE(said(kScene, world).find("as the files say"), std::string::npos) << said(kScene, world);
  const std::tuple<const char*, const char*, const char*> changes[] = {
      {"\"name\": \"test\"", "\"name\": \"other\"", "its world is called"},
      {"\"xyz\": [0, 0, 1]", "\"xyz\": [0, 0, 1.1]", "link a/base: another origin"},
      {"[1, 1, 1]", "[1, 1, 1.01]", "solid crate: a shape"},
      {"\"radius\": 0.1", "\"radius\": 0.11", "solid part: a shape"},
      {"[0, 0.6, 0, 0.8]", "[0, 0.8, 0, 0.6]", "link crate: another origin"},
      {"[0, 0, 0.2]", "[0, 0, 0.21]", "link part: another origin"},
      {"\"link\": \"a/slider\"", "\"link\": \"a/tip\"", "link part: another parent"},
      {"\"touch_links\": [\"a/tip\"]", "\"touch_links\": []", "a/tip and part: skipped as 'touch'"},
      {"[\"a/base\", \"part\"]", "[\"a/arm\", \"part\"]", "a/arm and part: not skipped"},
      {"\"margin\": 0.01", "\"margin\": 0.02", "another margin"},
      {"\"margin\": 0.02", "\"margin\": 0.03", "another margin"},
      {"\"objects\": [",
       "\"objects\": [{\"name\": \"more\", \"shape\": \"sphere\", \"radius\": 1}, ",
       "no link more"}};
  for (const auto& [from, to, why] : changes) {
    const std::string found = said(replaced(kScene, from, to), world);
    EXPECT_TRUE(found.starts_with("differs: ") && found.find(why) != found.npos) << to << "\n"
                                                                                 << found;
  }
  EXPECT_TRUE(said(replaced(kScene, "\"allow\"", "\"alow\""), world).starts_with("cannot tell"));
  EXPECT_TRUE(said(replaced(kScene, "\"shape\": \"box\"", "\"shape\": \"block\""), world)
                  .starts_with("cannot tell"));
  EXPECT_TRUE(
      said(replaced(kScene, "\"margin\": 0.01", "\"margin\": 0.01, \"margin\": 0.01"), world)
          .starts_with("cannot tell"));
}

}  // namespace
}  // namespace verify
