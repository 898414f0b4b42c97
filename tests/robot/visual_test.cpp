// SPDX-License-Identifier: BSD-3-Clause
//
// What is seen is read for a look at the model, and can neither break nor change it.
#include <gtest/gtest.h>

#include "data.hpp"
#include "keepclear/error.hpp"
#include "robot/urdf.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

std::string robot_with(const std::string& visuals) {
  return "<robot name=\"r\"><link name=\"a\">\n" + visuals +
         "\n<collision><geometry><sphere radius=\"1\"/></geometry></collision></link></robot>";
}

Link parse_link(const std::string& visuals, const PackagePaths& packages = {},
                const fs::path& base = {}) {
  const RobotModel robot = parse_urdf(robot_with(visuals), "r.urdf", packages, base);
  EXPECT_EQ(robot.notes, std::vector<std::string>{});
  EXPECT_EQ(robot.links.at(0).collisions.size(), 1U);
  return robot.links.at(0);
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(Visuals, AreReadLikeCollisionElements) {
  const Link link = parse_link(R"(<visual name="shell"><origin xyz="1 2 3" rpy="0 0 1"/>
    <geometry><box size="1 2 3"/></geometry><material name="grey"/></visual>
    <visual><geometry><cylinder radius="0.5" length="2"/></geometry></visual>
    <visual><geometry><capsule radius="0.25" length="1"/></geometry></visual>)");
  ASSERT_EQ(link.visuals.size(), 3U);
  EXPECT_TRUE(link.visual_faults.empty());
  EXPECT_EQ(link.visuals[0].name, "shell");
  EXPECT_EQ(link.visuals[0].line, 2);
  EXPECT_EQ(link.visuals[0].origin.xyz, (Vec3{1, 2, 3}));
  EXPECT_EQ(link.visuals[0].origin.rpy, (Vec3{0, 0, 1}));
  EXPECT_EQ(link.visuals[0].geometry.kind, Geometry::Kind::box);
  EXPECT_EQ(link.visuals[0].geometry.size, (Vec3{1, 2, 3}));
  EXPECT_EQ(link.visuals[1].geometry.kind, Geometry::Kind::cylinder);
  EXPECT_EQ(link.visuals[1].geometry.length, 2);
  EXPECT_EQ(link.visuals[2].geometry.kind, Geometry::Kind::capsule);
  EXPECT_EQ(link.collisions[0].geometry.kind, Geometry::Kind::sphere);
}

TEST(Visuals, OfAMeshThatIsThereHaveItsFile) {
  const fs::path folder = fs::path(KEEPCLEAR_CORPUS) / "mesh/ok";
  const Link link = parse_link(
      "<visual><geometry><mesh filename=\"z_up.dae\" scale=\"2 2 -2\"/></geometry></visual>"
      "<visual><geometry><mesh filename=\"package://parts/y_up.dae\"/></geometry></visual>",
      {{{"parts", folder}}, {}}, folder);
  ASSERT_EQ(link.visuals.size(), 2U);
  EXPECT_TRUE(link.visual_faults.empty());
  EXPECT_EQ(link.visuals[0].geometry.file, folder / "z_up.dae");
  EXPECT_EQ(link.visuals[0].geometry.scale, (Vec3{2, 2, -2}));
  EXPECT_EQ(link.visuals[1].geometry.file, folder / "y_up.dae");
}

TEST(Visuals, OfAMeshThatIsNotThereKeepItsName) {
  const Link link = parse_link(
      "<visual><geometry><mesh filename=\"not/there.stl\"/></geometry></visual>\n"
      "<visual><geometry><mesh filename=\"package://nowhere/a.stl\"/></geometry></visual>\n"
      "<visual><geometry><mesh filename=\"http://example.com/a.stl\"/></geometry></visual>");
  ASSERT_EQ(link.visuals.size(), 3U);
  ASSERT_EQ(link.visual_faults.size(), 3U);
  for (const Collision& visual : link.visuals) {
    EXPECT_EQ(visual.geometry.kind, Geometry::Kind::mesh);
    EXPECT_TRUE(visual.geometry.file.empty());
  }
  EXPECT_EQ(link.visuals[0].geometry.uri, "not/there.stl");
  EXPECT_TRUE(contains(link.visual_faults[0], "r.urdf:2:")) << link.visual_faults[0];
  EXPECT_TRUE(contains(link.visual_faults[0], "not/there.stl")) << link.visual_faults[0];
  EXPECT_TRUE(contains(link.visual_faults[1], "r.urdf:3:")) << link.visual_faults[1];
  EXPECT_TRUE(contains(link.visual_faults[2], "http")) << link.visual_faults[2];
}

TEST(Visuals, ThatAreNotUnderstoodAreLeftOutAndTold) {
  const char* const faulty[] = {
      "<visual/>",
      "<visual><geometry/></visual>",
      "<visual><geometry><torus radius=\"1\"/></geometry></visual>",
      "<visual><geometry><box size=\"1 2\"/></geometry></visual>",
      "<visual><geometry><box size=\"1 -2 3\"/></geometry></visual>",
      "<visual><geometry><sphere radius=\"nan\"/></geometry></visual>",
      "<visual><geometry><sphere radius=\"1e300\"/></geometry></visual>",
      "<visual><geometry><cylinder radius=\"1\"/></geometry></visual>",
      "<visual><geometry><mesh/></geometry></visual>",
      "<visual><geometry><mesh filename=\"a.stl\" scale=\"0 1 1\"/></geometry></visual>",
      "<visual><geometry><sphere radius=\"1\"/><sphere radius=\"1\"/></geometry></visual>",
      "<visual><geometry><sphere radius=\"1\"/></geometry><geometry/></visual>",
      "<visual><orgin xyz=\"1 2 3\"/><geometry><sphere radius=\"1\"/></geometry></visual>",
      "<visual><origin xyz=\"1 2\"/><geometry><sphere radius=\"1\"/></geometry></visual>"};
  for (const char* text : faulty) {
    SCOPED_TRACE(text);
    const Link link =
        parse_link(std::string("<visual><geometry><box size=\"1 1 1\"/></geometry></visual>\n") +
                   text + "\n<visual><geometry><box size=\"2 2 2\"/></geometry></visual>");
    EXPECT_EQ(link.visuals.size(), 2U);
    ASSERT_EQ(link.visual_faults.size(), 1U);
    EXPECT_TRUE(contains(link.visual_faults[0], "r.urdf:3: ")) << link.visual_faults[0];
    EXPECT_FALSE(contains(link.visual_faults[0], "\n"));
    EXPECT_FALSE(contains(link.visual_faults[0], "collision")) << link.visual_faults[0];
  }
}

TEST(Visuals, AddNoNotes) {
  // Each of these is noted in a collision element.
  for (const std::string shape : {"<box size=\"1 1 3000\"/>", "<sphere radius=\"0\"/>",
                                  "<drake:declare_convex/><box size=\"1 1 1\"/>"}) {
    SCOPED_TRACE(shape);
    const std::string element = "<geometry>" + shape + "</geometry>";
    EXPECT_EQ(parse_link("<visual>" + element + "</visual>").visuals.size(), 1U);
    const auto noted =
        parse_urdf(robot_with("<collision>" + element + "</collision>"), "r.urdf", {}, {});
    EXPECT_EQ(noted.notes.size(), 1U);
  }
  // What would be refused in a collision element is left out, and told.
  const Link odd = parse_link(
      "<visual><origin xzy=\"1 0 0\"/><geometry><box size=\"1 1 1\"/>"
      "</geometry></visual>");
  EXPECT_TRUE(odd.visuals.empty());
  EXPECT_EQ(odd.visual_faults.size(), 1U);
}

TEST(Visuals, DoNotMakeADescriptionLessStrict) {
  const auto refused = [](const std::string& visuals) {
    EXPECT_THROW(parse_urdf(robot_with(visuals), "r.urdf", {}, {}), Error) << visuals;
  };
  refused("<visual><collision/></visual>");
  refused("<visual><geometry><colision/></geometry></visual>");
  refused("<visual><geometry><box size=\"1 1 1\"/></geometry><link name=\"b\"/></visual>");
  refused("<visuals/>");
}

TEST(Visuals, TellSoManyFaultsAndNoMore) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "<visual/>\n";
  const RobotModel robot =
      parse_urdf("<robot name=\"r\"><link name=\"a\">" + many +
                     "</link><link name=\"late\"><visual/></link><joint name=\"j\" type=\"fixed\">"
                     "<parent link=\"a\"/><child link=\"late\"/></joint></robot>",
                 "r.urdf", {}, {});
  EXPECT_EQ(robot.links[0].visual_faults.size(), 200U);
  // Each link keeps the word that something of it is missing.
  EXPECT_EQ(robot.links[1].visual_faults.size(), 1U);
}

TEST(Visuals, OfPublicRobotsChangeNothingElse) {
  KEEPCLEAR_NEEDS_DATA("robots");
  std::size_t robots = 0, visuals = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::data_dir() / "robots")) {
    if (entry.path().extension() != ".urdf") continue;
    SCOPED_TRACE(entry.path());
    ++robots;
    for (const Link& link : read_urdf(entry.path(), {}).links) {
      for (const Collision& visual : link.visuals) {
        ++visuals;
        const bool found = !visual.geometry.file.empty();
        if (visual.geometry.kind == Geometry::Kind::mesh && !found) {
          EXPECT_FALSE(link.visual_faults.empty());
        }
      }
    }
  }
  EXPECT_GE(robots, 22U);
  EXPECT_GT(visuals, 0U);
}

}  // namespace
}  // namespace keepclear
