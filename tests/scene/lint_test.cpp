// SPDX-License-Identifier: BSD-3-Clause
#include "keepclear/lint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "data.hpp"
#include "scene/scenes.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

/// An OBJ of cubes, each with the corner of its least coordinates here.
std::string cells(const std::vector<Vec3>& corners, double size) {
  std::string text;
  int first = 1;
  for (const Vec3 corner : corners) {
    for (int i = 0; i < 8; ++i) {
      text += "v " + std::to_string(corner.x + (i & 1 ? size : 0)) + " " +
              std::to_string(corner.y + (i & 2 ? size : 0)) + " " +
              std::to_string(corner.z + (i & 4 ? size : 0)) + "\n";
    }
    for (const auto& face : {"1 3 4 2", "5 6 8 7", "1 2 6 5", "3 7 8 4", "1 5 7 3", "2 4 8 6"}) {
      text += "f";
      for (const char* c = face; *c != 0; ++c) {
        text += *c == ' ' ? std::string() : " " + std::to_string(first + *c - '1');
      }
      text += "\n";
    }
    first += 8;
  }
  return text;
}

class LintTest : public testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const { folder_.write(name, text); }
  /// A robot of these links, each on a joint of its own.
  fs::path robot(const std::vector<std::string>& links) const {
    std::string text = "<robot name=\"r\"><link name=\"root\"/>";
    for (std::size_t i = 0; i < links.size(); ++i) {
      const std::string name = "l" + std::to_string(i);
      text += "<link name=\"" + name + "\">" + links[i] + "</link><joint name=\"j" +
              std::to_string(i) + "\" type=\"fixed\"><origin xyz=\"0 0 " + std::to_string(i) +
              "\" rpy=\"0.3 0.2 0.1\"/><parent link=\"root\"/><child link=\"" + name +
              "\"/></joint>";
    }
    return folder_.write("r.urdf", text + "</robot>");
  }

  test::Folder folder_;
};

std::string seen(const std::string& shape, const std::string& origin = {}) {
  return "<visual>" + origin + "<geometry>" + shape + "</geometry></visual>";
}
std::string checked(const std::string& shape, const std::string& origin = {}) {
  return "<collision>" + origin + "<geometry>" + shape + "</geometry></collision>";
}
std::string mesh(const std::string& file) {
  return "<mesh filename=\"" + file + "\"/>";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST_F(LintTest, SaysHowFarAVisualMeshSticksOutAndWhere) {
  write("small.obj", cells({{0, 0, 0}}, 0.1));
  write("large.obj", cells({{0, 0, 0}, {0.0049, 0.05, 0.05}}, 0.1));
  const Lint found = lint(robot({checked(mesh("small.obj")) + seen(mesh("large.obj")),
                                 checked(mesh("large.obj")) + seen(mesh("small.obj")),
                                 checked(mesh("small.obj")) + seen(mesh("small.obj"))}));
  ASSERT_EQ(found.links.size(), 4U);
  EXPECT_EQ(found.links[0].link, "root");
  EXPECT_FALSE(found.links[0].has_collision);
  EXPECT_FALSE(found.links[0].has_visual);
  const LinkLint& out = found.links[1];
  EXPECT_TRUE(out.has_collision);
  EXPECT_TRUE(out.has_visual);
  const double farthest = norm(Vec3{0.0049, 0.05, 0.05});
  EXPECT_NEAR(out.visual_sticks_out, farthest, 1e-9);
  EXPECT_LE(out.visual_sticks_out, farthest);
  EXPECT_LT(norm(out.sticks_out_at - Vec3{0.1049, 0.15, 0.15}), 1e-9);
  EXPECT_EQ(out.visual_file, folder_.path() / "large.obj");
  EXPECT_EQ(found.links[2].visual_sticks_out, 0);
  EXPECT_EQ(found.links[3].visual_sticks_out, 0);
  ASSERT_EQ(found.findings.size(), 1U) << found.findings[1];
  EXPECT_TRUE(contains(found.findings[0], "'l0'")) << found.findings[0];
  EXPECT_TRUE(contains(found.findings[0], "70.9 mm")) << found.findings[0];
  EXPECT_TRUE(contains(found.findings[0], "large.obj")) << found.findings[0];
}

TEST_F(LintTest, FollowsOriginsScalesAndPrimitives) {
  write("unit.obj", cells({{-0.5, -0.5, -0.5}}, 1));
  const std::string turned = "<origin xyz=\"0.1 0 0\" rpy=\"0 0 1.5707963267948966\"/>";
  const Lint found = lint(robot({
      // Lengths 0.2, 0.4 turned about z: as checked.
      checked("<box size=\"0.2 0.4 0.6\"/>") +
          seen("<mesh filename=\"unit.obj\" scale=\"0.4 0.2 0.6\"/>",
               "<origin rpy=\"0 0 1.5707963267948966\"/>"),
      // And moved by 0.1.
      checked("<box size=\"0.2 0.4 0.6\"/>") +
          seen("<mesh filename=\"unit.obj\" scale=\"0.4 0.2 0.6\"/>", turned),
      checked("<box size=\"0.2 0.2 0.2\"/>") + seen("<sphere radius=\"0.1\"/>"),
      checked("<box size=\"0.2 0.2 0.2\"/>") + seen("<sphere radius=\"0.11\"/>"),
      checked("<sphere radius=\"0.1\"/>") + seen("<box size=\"0.2 0.2 0.2\"/>"),
      checked("<cylinder radius=\"0.1\" length=\"0.4\"/>") +
          seen("<cylinder radius=\"0.1\" length=\"0.42\"/>"),
  }));
  ASSERT_EQ(found.links.size(), 7U);
  EXPECT_LT(found.links[1].visual_sticks_out, 1e-12);
  EXPECT_NEAR(found.links[2].visual_sticks_out, 0.1, 1e-9);
  EXPECT_EQ(found.links[3].visual_sticks_out, 0);
  // Measured at points of the ball, not at all of it.
  EXPECT_NEAR(found.links[4].visual_sticks_out, 0.01, 0.002);
  EXPECT_LE(found.links[4].visual_sticks_out, 0.01);
  EXPECT_NEAR(found.links[5].visual_sticks_out, 0.1 * std::sqrt(3.0) - 0.1, 1e-9);
  EXPECT_NEAR(found.links[6].visual_sticks_out, 0.01, 0.0002);
  EXPECT_TRUE(found.links[6].visual_file.empty());
  EXPECT_EQ(found.findings.size(), 4U);
}

TEST_F(LintTest, LooksForTheNearestOfSeveralBodies) {
  const auto at = [](const std::string& x) { return "<origin xyz=\"" + x + " 0 0\"/>"; };
  const std::string cube = "<box size=\"1 1 1\"/>";
  const Lint found =
      lint(robot({checked(cube, at("0")) + checked(cube, at("1")) + checked(cube, at("3")) +
                      seen(cube, at("0.5")) + seen(cube, at("1.25")),
                  checked(cube, at("0")) + checked(cube, at("1")) + seen(cube, at("0.75"))}));
  // 1.75 is between the second cube, which ends at 1.5, and the third, which begins at 2.5.
  EXPECT_NEAR(found.links[1].visual_sticks_out, 0.25, 1e-9);
  EXPECT_EQ(found.links[2].visual_sticks_out, 0);
}

TEST_F(LintTest, ComparesWithTheBodiesThatAreChecked) {
  // An L of three cells: one hull covers its inner corner, three parts do not.
  write("ell.obj", cells({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 2, 0}}, 1));
  write("corner.obj", cells({{1, 1, 0}}, 0.5));
  const fs::path file = robot({checked(mesh("ell.obj")) + seen(mesh("corner.obj"))});
  EXPECT_LT(lint(file).links[1].visual_sticks_out, 1e-12);
  LoadOptions parts;
  parts.parts = 4;
  EXPECT_GT(lint(file, parts).links[1].visual_sticks_out, 0.2);
}

TEST_F(LintTest, NamesHullsThatPartsWouldMakeMuchSmaller) {
  write("ell.obj", cells({{0, 0, 0}, {1, 0, 0}, {2, 0, 0}, {0, 1, 0}, {0, 2, 0}}, 1));
  write("cube.obj", cells({{0, 0, 0}}, 1));
  const fs::path file = robot({checked(mesh("ell.obj")), checked(mesh("cube.obj"))});
  const Lint found = lint(file);
  // The hull of the L is the square of 3 less a triangle of 2 by 2.
  EXPECT_NEAR(found.links[1].hull_volume, 7, 1e-9);
  EXPECT_NEAR(found.links[1].parts_volume, 5, 0.1);
  EXPECT_NEAR(found.links[2].hull_volume, 1, 1e-9);
  EXPECT_NEAR(found.links[2].parts_volume, 1, 1e-9);
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_TRUE(contains(found.findings[0], "'l0'")) << found.findings[0];
  EXPECT_TRUE(contains(found.findings[0], "28 %")) << found.findings[0];
  EXPECT_TRUE(contains(found.findings[0], "--parts 4")) << found.findings[0];
  EXPECT_TRUE(contains(found.findings[0], "ell.obj")) << found.findings[0];
  LoadOptions parts;
  parts.parts = 2;
  EXPECT_TRUE(lint(file, parts).findings.empty());
}

TEST_F(LintTest, NamesLinksThatAreSeenAndNotChecked) {
  const Lint found = lint(robot({seen("<sphere radius=\"0.1\"/>"), ""}));
  EXPECT_TRUE(found.links[1].has_visual);
  EXPECT_FALSE(found.links[1].has_collision);
  EXPECT_FALSE(found.links[2].has_visual);
  ASSERT_EQ(found.findings.size(), 1U);
  EXPECT_TRUE(contains(found.findings[0], "'l0' is seen and not checked")) << found.findings[0];
}

TEST_F(LintTest, NamesVisualMeshesThatCannotBeRead) {
  write("broken.obj", "v 1 2\n");
  write("cube.obj", cells({{0, 0, 0}}, 1));
  const std::string cube = checked(mesh("cube.obj"));
  const Lint found = lint(
      robot({cube + seen(mesh("broken.obj")) + seen(mesh("cube.obj"), "<origin xyz=\"1 0 0\"/>"),
             cube + seen(mesh("nowhere.stl")), cube + seen("<box size=\"1 1\"/>")}));
  // What can be read is measured all the same.
  EXPECT_NEAR(found.links[1].visual_sticks_out, 1, 1e-9);
  ASSERT_EQ(found.findings.size(), 4U);
  EXPECT_TRUE(contains(found.findings[1], "'l0'") && contains(found.findings[1], "broken.obj"));
  EXPECT_TRUE(contains(found.findings[2], "'l1'") && contains(found.findings[2], "nowhere.stl"));
  EXPECT_TRUE(contains(found.findings[3], "'l2'") && contains(found.findings[3], "size"));

  std::vector<std::string> many(20, cube + seen(mesh("nowhere.stl")));
  const Lint missing = lint(robot(many));
  ASSERT_EQ(missing.findings.size(), 6U);
  EXPECT_EQ(missing.findings[5], "and 15 more visual elements are not read");
}

TEST_F(LintTest, IsTheSameForAnyNumberOfThreads) {
  KEEPCLEAR_NEEDS_DATA("robots");
  const fs::path file = test::data_dir() / "robots/panda/panda.urdf";
  if (!fs::exists(file)) GTEST_SKIP() << "skipped: no data";
  LoadOptions one;
  one.threads = 1;
  LoadOptions three;
  three.threads = 3;
  const Lint a = lint(file, one), b = lint(file, three);
  EXPECT_EQ(a.findings, b.findings);
  ASSERT_EQ(a.links.size(), b.links.size());
  for (std::size_t i = 0; i < a.links.size(); ++i) {
    EXPECT_EQ(a.links[i].visual_sticks_out, b.links[i].visual_sticks_out);
    EXPECT_EQ(a.links[i].parts_volume, b.links[i].parts_volume);
  }
}

TEST_F(LintTest, NamesLinkFiveOfTheIiwa) {
  KEEPCLEAR_NEEDS_DATA("robots");
  const Lint found = lint(test::data_dir() / "robots/kuka_lbr_iiwa7_r800/iiwa7.urdf");
  EXPECT_TRUE(std::ranges::any_of(found.findings, [](const std::string& finding) {
    return contains(finding, "link_5") && contains(finding, "--parts");
  }));
}

TEST(Lint, TakesBuiltInWorldsAndThrowsForOthers) {
  for (const BuiltinWorld& world : builtin_worlds()) {
    SCOPED_TRACE(world.name);
    const Lint found = lint_builtin(world.name);
    const World loaded = load_builtin(world.name);
    ASSERT_EQ(found.links.size(), loaded.links().size());
    for (std::size_t i = 0; i < found.links.size(); ++i) {
      EXPECT_EQ(found.links[i].link, loaded.links()[i]);
    }
  }
  EXPECT_THROW(lint_builtin("no such world"), Error);
  EXPECT_THROW(lint("no/such/file.urdf"), Error);
}

}  // namespace
}  // namespace keepclear
