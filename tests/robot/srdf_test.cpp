// SPDX-License-Identifier: BSD-3-Clause
#include "robot/srdf.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "data.hpp"
#include "keepclear/error.hpp"
#include "robot/urdf.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

RobotModel robot() {
  return read_urdf(fs::path(KEEPCLEAR_CORPUS) / "srdf/ok/robot.urdf", {});
}

bool has_note(const Srdf& srdf, const std::string& part) {
  return std::any_of(srdf.notes.begin(), srdf.notes.end(),
                     [&](const std::string& note) { return note.find(part) != std::string::npos; });
}

TEST(SrdfReader, ReadsPairsWithTheirReasonsAndLines) {
  const auto srdf = read_srdf(fs::path(KEEPCLEAR_CORPUS) / "srdf/ok/full.srdf", robot());
  ASSERT_EQ(srdf.disabled.size(), 3u);
  EXPECT_EQ(srdf.disabled[0].link1, "base");
  EXPECT_EQ(srdf.disabled[0].link2, "arm");
  EXPECT_EQ(srdf.disabled[0].reason, "Adjacent");
  EXPECT_EQ(srdf.disabled[0].line, 18);
  EXPECT_EQ(srdf.disabled[1].reason, "Never");
  EXPECT_EQ(srdf.disabled[2].reason, "");
  EXPECT_EQ(srdf.disabled_by_default, std::vector<std::string>{"tip"});
  ASSERT_EQ(srdf.enabled.size(), 1u);
  EXPECT_EQ(srdf.enabled[0], (std::pair<std::string, std::string>{"tip", "base"}));
}

TEST(SrdfReader, ReadsGroupsStatesAndVirtualJoints) {
  const auto srdf = read_srdf(fs::path(KEEPCLEAR_CORPUS) / "srdf/ok/full.srdf", robot());
  ASSERT_EQ(srdf.groups.size(), 2u);
  EXPECT_EQ(srdf.groups[0].groups, std::vector<std::string>{"arm"});
  EXPECT_EQ(srdf.groups[0].links, std::vector<std::string>{"tip"});
  EXPECT_EQ(srdf.groups[1].joints, (std::vector<std::string>{"j1", "world"}));
  ASSERT_EQ(srdf.groups[1].chains.size(), 1u);
  EXPECT_EQ(srdf.groups[1].chains[0].second, "hand");
  ASSERT_EQ(srdf.states.size(), 1u);
  const auto& home = srdf.states[0];
  EXPECT_EQ(home.name, "home");
  EXPECT_EQ(home.group, "arm");
  ASSERT_EQ(home.joints.size(), 3u);
  EXPECT_EQ(home.joints.at("j1"), std::vector<double>{0.5});
  EXPECT_EQ(home.joints.at("j2"), std::vector<double>{-0.25});
  EXPECT_EQ(home.joints.at("world"), (std::vector<double>{0, 0, 0, 0, 0, 0, 1}));
  ASSERT_EQ(srdf.virtual_joints.size(), 1u);
  EXPECT_EQ(srdf.virtual_joints[0].type, "floating");
  EXPECT_EQ(srdf.virtual_joints[0].child_link, "base");
}

TEST(SrdfReader, NotesWhatIsLeftOut) {
  const auto srdf = read_srdf(fs::path(KEEPCLEAR_CORPUS) / "srdf/ok/full.srdf", robot());
  EXPECT_TRUE(has_note(srdf, "not in the robot, and left out: 'gone'"));
  EXPECT_TRUE(has_note(srdf, "<gripper>"));
  EXPECT_TRUE(has_note(srdf, "for a link with itself"));
  EXPECT_TRUE(has_note(srdf, "for a fixed joint"));
  const auto other = read_srdf(fs::path(KEEPCLEAR_CORPUS) / "srdf/ok/empty_robot.srdf", robot());
  EXPECT_TRUE(has_note(other, "written for robot 'other', used with 'r'"));
}

TEST(SrdfReader, ManyUnknownNamesMakeOneNote) {
  std::string text = "<robot name='r'>";
  for (int i = 0; i < 1000; ++i) {
    text += "<disable_collisions link1='base' link2='l" + std::to_string(i) + "'/>";
  }
  const auto srdf = parse_srdf(text + "</robot>", "s", robot());
  EXPECT_TRUE(srdf.disabled.empty());
  ASSERT_EQ(srdf.notes.size(), 1u);
  EXPECT_TRUE(has_note(srdf, "and 990 more"));
}

TEST(PublicRobots, EverySrdfLoadsWithEveryUrdfBesideIt) {
  KEEPCLEAR_NEEDS_DATA("robots");
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::data_dir() / "robots")) {
    if (entry.path().extension() != ".srdf") continue;
    ++files;
    for (const auto& beside : fs::directory_iterator(entry.path().parent_path())) {
      if (beside.path().extension() != ".urdf") continue;
      SCOPED_TRACE(entry.path().filename().string());
      try {
        const auto srdf = read_srdf(entry.path(), read_urdf(beside.path(), {}));
        EXPECT_FALSE(srdf.disabled.empty());
        EXPECT_FALSE(srdf.groups.empty());
      } catch (const Error& error) {
        ADD_FAILURE() << error.what();
      }
    }
  }
  EXPECT_GE(files, 14);
}

}  // namespace
}  // namespace keepclear
