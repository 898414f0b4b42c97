// SPDX-License-Identifier: BSD-3-Clause
#include "robot/urdf.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "data.hpp"
#include "keepclear/error.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;

RobotModel parse(const std::string& text) {
  return parse_urdf(text, "r.urdf", {}, {});
}

RobotModel corpus(const std::string& name) {
  return read_urdf(fs::path(KEEPCLEAR_CORPUS) / "urdf/ok" / (name + ".urdf"), {});
}

std::string refusal(const std::string& text) {
  try {
    parse(text);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::malformed);
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

bool has_note(const RobotModel& robot, const std::string& part) {
  return std::any_of(robot.notes.begin(), robot.notes.end(),
                     [&](const std::string& note) { return contains(note, part); });
}

std::string chain(std::size_t links, const std::string& type = "continuous") {
  std::string text = "<robot name=\"chain\">\n<link name=\"l0\"/>\n";
  for (std::size_t i = 1; i < links; ++i) {
    const auto n = std::to_string(i);
    text += "<link name=\"l" + n + "\"/><joint name=\"j" + n + "\" type=\"" + type +
            "\"><parent link=\"l" + std::to_string(i - 1) + "\"/><child link=\"l" + n +
            "\"/></joint>\n";
  }
  return text + "</robot>\n";
}

TEST(UrdfReader, LenientNotesTypingErrorsAndNothingMore) {
  const std::string text =
      "<robot name=\"r\"><link name=\"a\"><collision><origin colour=\"1 0 0\" xyz=\"1 2 3\"/>colors"
      "<geometry><sphere radius=\"1\"/></geometry></collision></link></robot>";
  EXPECT_THROW(parse_urdf(text, "r.urdf", {}, {}), Error);
  const auto robot = parse_urdf(text, "r.urdf", {}, {}, true);
  EXPECT_EQ(robot.links[0].collisions[0].origin.xyz, (Vec3{1, 2, 3}));
  ASSERT_EQ(robot.notes.size(), 2u);
  EXPECT_NE(robot.notes[0].find("r.urdf:1: text 'colors'"), std::string::npos) << robot.notes[0];
  EXPECT_NE(robot.notes[1].find("unknown attribute 'colour'"), std::string::npos) << robot.notes[1];
  // What is misspelt would be lost, and the shape be elsewhere.
  for (const char* misspelt : {"ryp='1 0 0'", "xzy='1 0 0'", "x:rpy='1 0 0'"}) {
    const std::string elsewhere =
        "<robot name='r'><link name='a'><collision><origin " + std::string(misspelt) +
        "/><geometry><sphere radius='1'/></geometry></collision></link></robot>";
    EXPECT_THROW(parse_urdf(elsewhere, "r.urdf", {}, {}, true), Error) << misspelt;
  }
  // An element that is not known could be a shape.
  const std::string lost = "<robot name=\"r\"><link name=\"a\"><colision/></link></robot>";
  EXPECT_THROW(parse_urdf(lost, "r.urdf", {}, {}, true), Error);
  const std::string number =
      "<robot name=\"r\"><link name=\"a\"><collision><geometry><sphere radius=\"1,5\"/></geometry>"
      "</collision></link></robot>";
  EXPECT_THROW(parse_urdf(number, "r.urdf", {}, {}, true), Error);
}

TEST(UrdfReader, ReadsNumbersAsWritten) {
  const auto robot = corpus("numbers");
  ASSERT_EQ(robot.links.size(), 1u);
  ASSERT_EQ(robot.links[0].collisions.size(), 1u);
  const auto& collision = robot.links[0].collisions[0];
  EXPECT_EQ(collision.name, "c");
  EXPECT_EQ(collision.line, 1);
  EXPECT_EQ(collision.origin.xyz, (Vec3{1, -0.5, 0.01}));
  EXPECT_EQ(collision.geometry.size, (Vec3{1, 2, 0.5}));
}

TEST(UrdfReader, ReadsEveryShape) {
  const auto robot = corpus("shapes");
  using Kind = Geometry::Kind;
  std::vector<Kind> kinds;
  for (const auto& each : robot.links.at(0).collisions) kinds.push_back(each.geometry.kind);
  EXPECT_EQ(kinds,
            (std::vector<Kind>{Kind::box, Kind::sphere, Kind::sphere, Kind::cylinder, Kind::capsule,
                               Kind::capsule, Kind::mesh, Kind::mesh, Kind::mesh}));
  const auto& all = robot.links[0].collisions;
  EXPECT_EQ(all[4].geometry.radius, 1);
  EXPECT_EQ(all[4].geometry.length, 2);
  EXPECT_EQ(all[6].geometry.scale, (Vec3{0.001, -0.001, 0.001}));
  EXPECT_EQ(all[7].geometry.scale, (Vec3{2, 2, 2}));
  EXPECT_TRUE(fs::is_regular_file(all[6].geometry.file));
  EXPECT_TRUE(fs::equivalent(all[6].geometry.file, all[8].geometry.file));
  EXPECT_EQ(all[6].geometry.uri, "package://arm_description/meshes/part.stl");
  EXPECT_TRUE(has_note(robot, "is a point"));
}

TEST(UrdfReader, ReadsEveryJointType) {
  const auto robot = corpus("joints");
  ASSERT_EQ(robot.joints.size(), 6u);
  const double inf = std::numeric_limits<double>::infinity();
  const std::vector<JointType> types{JointType::fixed,      JointType::revolute,
                                     JointType::continuous, JointType::prismatic,
                                     JointType::planar,     JointType::floating};
  for (std::size_t i = 0; i < 6; ++i) {
    const auto& joint = robot.joints[i];
    EXPECT_EQ(joint.type, types[i]);
    EXPECT_EQ(joint.name, to_string(types[i]));
    EXPECT_EQ(joint.origin.xyz, (Vec3{1, 2, 3}));
    EXPECT_EQ(joint.origin.rpy, (Vec3{0.1, 0.2, 0.3}));
    const bool none = types[i] == JointType::fixed || types[i] == JointType::floating;
    EXPECT_EQ(joint.axis, none ? (Vec3{1, 0, 0}) : (Vec3{0, 0, 2}));
    const bool limited = types[i] == JointType::revolute || types[i] == JointType::prismatic;
    EXPECT_EQ(joint.lower, limited ? -1 : -inf);
    EXPECT_EQ(joint.upper, limited ? 1 : inf);
  }
  EXPECT_EQ(robot.joints[2].velocity, 2);
  ASSERT_TRUE(robot.joints[3].mimic);
  EXPECT_EQ(robot.joints[3].mimic->joint, 1);
  EXPECT_EQ(robot.joints[3].mimic->multiplier, -2);
  EXPECT_EQ(robot.joints[3].mimic->offset, 0.5);
  EXPECT_EQ(robot.root, 0);
  EXPECT_TRUE(has_note(robot, "has length 2"));
}

TEST(UrdfReader, MimicChainsAreKept) {
  const auto robot = corpus("mimic_chain");
  EXPECT_EQ(robot.joints[0].mimic->joint, 1);
  EXPECT_EQ(robot.joints[1].mimic->joint, 2);
  EXPECT_FALSE(robot.joints[2].mimic);
}

TEST(UrdfReader, AMimicOfAFixedJointIsNoted) {
  const auto robot = corpus("fixed_quirks");
  EXPECT_FALSE(robot.joints[1].mimic);
  EXPECT_TRUE(has_note(robot, "'k' is not used: the joint is fixed"));
}

TEST(UrdfReader, ExtensionsAreNotedOnceAKind) {
  const auto robot = corpus("extensions");
  for (const auto* what :
       {"<gazebo>", "<transmission>", "<ros2_control>", "<mujoco>", "<loop_joint>", "<contact>",
        "<self_filter>", "<surface>", "<drake:proximity_properties>"}) {
    EXPECT_TRUE(has_note(robot, what)) << what;
  }
  EXPECT_FALSE(has_note(robot, "visual"));
  EXPECT_EQ(robot.links[0].collisions.size(), 1u);
}

TEST(UrdfReader, NamesMayHoldEntitiesAndQuotes) {
  const auto robot = corpus("quotes_and_angles");
  EXPECT_EQ(robot.links[0].name, "a>b");
  EXPECT_EQ(robot.links[1].name, "<AB>");
  EXPECT_EQ(robot.joints[0].name, "j\"k");
}

TEST(UrdfReader, LinesOfLinksJointsAndCollisions) {
  const auto robot = parse(
      "<robot name='r'>\n<link name='a'>\n<collision>\n<geometry><sphere radius='1'/></geometry>\n"
      "</collision>\n<collision>\n<geometry><sphere radius='2'/></geometry></collision></link>\n"
      "<link name='b'/>\n<joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>\n"
      "</robot>");
  EXPECT_EQ(robot.links[0].line, 2);
  EXPECT_EQ(robot.links[0].collisions.at(0).line, 3);
  EXPECT_EQ(robot.links[0].collisions.at(1).line, 6);
  EXPECT_EQ(robot.links[1].line, 8);
  EXPECT_EQ(robot.joints[0].line, 9);
}

TEST(UrdfReader, DoubtfulSizesAndAnglesAreNoted) {
  const auto robot = parse(
      "<robot name='r'><link name='a'><collision><origin rpy='0 0 90'/><geometry>"
      "<box size='350 1 1'/></geometry></collision></link></robot>");
  EXPECT_TRUE(has_note(robot, "350 m: are these millimetres?"));
  EXPECT_TRUE(has_note(robot, "holds 90: more than a turn"));
}

TEST(UrdfReader, NotesAreBoundedInNumber) {
  std::string text = "<robot name='r'><link name='a'>";
  for (int i = 0; i < 5000; ++i) {
    text += "<collision><geometry><sphere radius='100'/></geometry></collision>";
  }
  const auto robot = parse(text + "</link></robot>");
  EXPECT_EQ(robot.links[0].collisions.size(), 5000u);
  EXPECT_LT(robot.notes.size(), 300u);
  EXPECT_TRUE(has_note(robot, "are left out"));
}

TEST(UrdfReader, WithoutTheDiskMeshesKeepTheirUri) {
  PackagePaths packages;
  packages.look_on_disk = false;
  const auto robot = parse_urdf(
      "<robot name='r'><link name='a'><collision><geometry><mesh filename='package://x/y.stl'/>"
      "</geometry></collision></link></robot>",
      "r", packages, {});
  EXPECT_EQ(robot.links[0].collisions[0].geometry.uri, "package://x/y.stl");
  EXPECT_TRUE(robot.links[0].collisions[0].geometry.file.empty());
}

TEST(UrdfReader, AChainOfTwentyThousandLinksThatDoNotMoveLoads) {
  const auto robot = parse(chain(kMaxLinks, "fixed"));
  EXPECT_EQ(robot.links.size(), kMaxLinks);
  const auto order = robot.depth_first_joints();
  ASSERT_EQ(order.size(), kMaxLinks - 1);
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end()));
}

TEST(UrdfReader, AChainOfAHundredThousandLinksIsRefusedByItsLimit) {
  EXPECT_TRUE(contains(refusal(chain(100'000)), "too many links: the limit is 20000"));
}

TEST(UrdfReader, AMimicChainOfTwentyThousandJointsIsRefusedAndItsCycleIsFound) {
  std::string mimics = "<robot name=\"m\">\n<link name=\"l0\"/>\n";
  for (std::size_t i = 1; i < kMaxLinks; ++i) {
    const auto n = std::to_string(i);
    mimics += "<link name=\"l" + n + "\"/><joint name=\"j" + n +
              "\" type=\"continuous\"><parent link=\"l0\"/><child link=\"l" + n + "\"/>";
    if (i > 1) mimics += "<mimic joint=\"j" + std::to_string(i - 1) + "\"/>";
    mimics += i == 1 ? "@</joint>\n" : "</joint>\n";
  }
  mimics += "</robot>";
  const auto at = mimics.find('@');
  auto straight = mimics;
  straight.erase(at, 1);
  EXPECT_TRUE(contains(refusal(straight), "the limit is 100"));
  const auto last = std::to_string(kMaxLinks - 1);
  EXPECT_TRUE(contains(refusal(mimics.replace(at, 1, "<mimic joint=\"j" + last + "\"/>")),
                       "ends at the joint itself"));
}

TEST(UrdfReader, ALongCycleIsNamedShortly) {
  auto text = chain(1000);
  text.replace(text.find("</robot>"), 8,
               "<joint name='back' type='fixed'><parent link='l999'/><child link='l0'/></joint>"
               "</robot>");
  const auto error = refusal(text);
  EXPECT_TRUE(contains(error, "cycle "));
  EXPECT_TRUE(contains(error, "(992 more)"));
  EXPECT_LT(error.size(), 300u);
}

TEST(UrdfReader, LongNamesDoNotMakeLongErrors) {
  const std::string name(60'000, 'n');
  EXPECT_LT(refusal("<robot name='r'><link name='a'><" + name + "/></link></robot>").size(), 300u);
  EXPECT_LT(refusal("<robot name='r'><link name='a' " + name + "='1'/></robot>").size(), 300u);
  EXPECT_LT(
      refusal("<robot name='r'><link name='" + name + "'/><link name='" + name + "'/></robot>")
          .size(),
      300u);
}

TEST(UrdfReader, AnEntityBombIsRefusedBeforeItsEntitiesAreRead) {
  std::string text = "<!DOCTYPE r [\n<!ENTITY e0 \"ha\">\n";
  for (int i = 1; i < 40; ++i) {
    const auto e = "&e" + std::to_string(i - 1) + ";";
    text += "<!ENTITY e" + std::to_string(i) + " \"" + e + e + e + e + "\">\n";
  }
  text += "]>\n<robot name=\"&e39;\"><link name=\"a\"/></robot>";
  EXPECT_TRUE(contains(refusal(text), "r.urdf:1: column 1: document types"));
}

TEST(UrdfReader, AMissingFileIsNamed) {
  try {
    read_urdf("no/such/robot.urdf", {});
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::missing);
    EXPECT_EQ(error.file(), "no/such/robot.urdf");
  }
}

TEST(RobotModel, DepthFirstKeepsTheOrderOfTheFile) {
  const auto robot = parse(
      "<robot name='r'><link name='a'/><link name='b'/><link name='c'/><link name='d'/>"
      "<joint name='cd' type='fixed'><parent link='c'/><child link='d'/></joint>"
      "<joint name='ac' type='fixed'><parent link='a'/><child link='c'/></joint>"
      "<joint name='ab' type='fixed'><parent link='a'/><child link='b'/></joint></robot>");
  EXPECT_EQ(robot.depth_first_joints(), (std::vector<int>{1, 0, 2}));
  EXPECT_EQ(robot.links[robot.root].name, "a");
  EXPECT_EQ(robot.find_link("d"), 3);
  EXPECT_EQ(robot.find_link("e"), -1);
  EXPECT_EQ(robot.find_joint("ab"), 2);
  EXPECT_EQ(robot.links[3].parent_joint, 0);
}

TEST(PublicRobots, AllLoadWithEveryMeshFound) {
  KEEPCLEAR_NEEDS_DATA("robots");
  int robots = 0;
  for (const auto& entry : fs::recursive_directory_iterator(test::data_dir() / "robots")) {
    if (entry.path().extension() != ".urdf") continue;
    ++robots;
    SCOPED_TRACE(entry.path().filename().string());
    try {
      const auto robot = read_urdf(entry.path(), {});
      EXPECT_EQ(robot.joints.size() + 1, robot.links.size());
      EXPECT_EQ(robot.depth_first_joints().size(), robot.joints.size());
      for (const auto& link : robot.links) {
        for (const auto& collision : link.collisions) {
          if (collision.geometry.kind != Geometry::Kind::mesh) continue;
          EXPECT_TRUE(fs::is_regular_file(collision.geometry.file)) << collision.geometry.uri;
        }
      }
    } catch (const Error& error) {
      ADD_FAILURE() << error.what();
    }
  }
  EXPECT_GE(robots, 28);
}

}  // namespace
}  // namespace keepclear
