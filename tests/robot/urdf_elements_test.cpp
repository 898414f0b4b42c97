// SPDX-License-Identifier: BSD-3-Clause
//
// Words nobody knows, in every place of a URDF: what is not known to change nothing is refused, and
// what is passed over changes nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "keepclear/error.hpp"
#include "robot/urdf.hpp"

namespace keepclear {
namespace {

/// A small robot with %PLACE% where elements may stand: in the robot, a link, a collision element,
/// a geometry, a shape, an origin, a joint, and where ends, axes and limits have nothing inside.
constexpr const char* kPlaces[] = {"robot", "link",   "collision", "geometry", "sphere", "origin",
                                   "joint", "parent", "axis",      "limit",    "mimic"};

std::string robot_with(const std::string& place, const std::string& inside,
                       const std::string& attribute = "") {
  const auto element = [&](const std::string& name, const std::string& attributes,
                           const std::string& content) {
    const bool here = name == place;
    return fmt::format("<{0}{1}{2}>{3}{4}</{0}>\n", name,
                       attributes.empty() ? "" : " " + attributes, here ? " " + attribute : "",
                       content, here ? inside : "");
  };
  const std::string shape = element("geometry", "", element("sphere", "radius='0.5'", ""));
  const std::string collision =
      element("collision", "", element("origin", "xyz='1 2 3'", "") + shape);
  const std::string joint = element(
      "joint", "name='j' type='revolute'",
      element("parent", "link='a'", "") + "<child link='b'/>" + element("axis", "xyz='0 0 1'", "") +
          element("limit", "lower='-1' upper='1' effort='1' velocity='1'", "") +
          element("mimic", "joint='k'", ""));
  return element("robot", "name='r'",
                 element("link", "name='a'", collision) + "<link name='b'/><link name='c'/>\n" +
                     joint +
                     "<joint name='k' type='continuous'><parent link='b'/><child link='c'/>"
                     "</joint>\n");
}

/// What counts of a robot, as text; or why it was refused.
std::string read(const std::string& text, bool lenient) {
  try {
    const RobotModel robot = parse_urdf(text, "r.urdf", {}, {}, lenient);
    std::string facts;
    for (const Link& link : robot.links) {
      facts += link.name + ';';
      for (const Collision& c : link.collisions) {
        facts += fmt::format("{} {} {} {};", c.geometry.radius, c.origin.xyz.x, c.origin.xyz.y,
                             c.origin.xyz.z);
      }
    }
    for (const Joint& joint : robot.joints) {
      facts +=
          fmt::format("{} {} {} {} {} {} {};", joint.name, to_string(joint.type), joint.parent,
                      joint.child, joint.lower, joint.upper, joint.mimic ? joint.mimic->joint : -1);
    }
    return facts;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::malformed);
    EXPECT_GT(error.line(), 0) << error.what();
    return std::string("refused: ") + error.what();
  }
}

bool refused(const std::string& answer) {
  return answer.starts_with("refused");
}

const std::vector<std::string>& words() {
  static const std::vector<std::string> list{"group",
                                             "include",
                                             "robot",
                                             "model",
                                             "world",
                                             "collisions",
                                             "colision",
                                             "geometry2",
                                             "shape",
                                             "cone",
                                             "ellipsoid",
                                             "mesh_file",
                                             "scale",
                                             "offset",
                                             "pose",
                                             "frame2",
                                             "chain",
                                             "tool",
                                             "end_effector",
                                             "attachment",
                                             "collision_checking",
                                             "loop",
                                             "gear",
                                             "screw",
                                             "calibration2",
                                             "property",
                                             "macro",
                                             "arg",
                                             "if",
                                             "unless",
                                             "link1",
                                             "joints",
                                             "static",
                                             "base",
                                             "transform",
                                             "origin2",
                                             "padding",
                                             "margin",
                                             "convex",
                                             "a",
                                             "qwertz",
                                             "vendor_thing"};
  return list;
}

TEST(UrdfElements, UnknownOnesAreRefusedInEveryPlace) {
  const std::string plain = read(robot_with("", ""), false);
  ASSERT_FALSE(refused(plain)) << plain;
  int tried = 0, passed = 0;
  for (const char* place : kPlaces) {
    for (const std::string& word : words()) {
      for (const char* prefix : {"", "x:", "xacro:", "drake:", "gazebo:"}) {
        for (const char* content : {"", "<value>3</value>", "<link name='d'/>",
                                    "<p><geometry><box size='1 1 1'/></geometry></p>"}) {
          const std::string name = prefix + word;
          const std::string text =
              robot_with(place, fmt::format("<{0} name='n'>{1}</{0}>", name, content));
          ++tried;
          EXPECT_TRUE(refused(read(text, false))) << text;
          // A lenient reader may pass it over, and then it changes nothing.
          const std::string lenient = read(text, true);
          if (refused(lenient)) continue;
          ++passed;
          EXPECT_EQ(lenient, plain) << text;
          EXPECT_TRUE(*content == '\0' || std::string(content) == "<value>3</value>") << text;
          EXPECT_NE(std::string(prefix), "xacro:") << text;
        }
      }
    }
  }
  std::printf("%d elements tried, %d passed over by a lenient reader\n", tried, passed);
  EXPECT_GT(passed, 0);
}

TEST(UrdfElements, UnknownAttributesAreRefusedInEveryPlace) {
  const std::string plain = read(robot_with("", ""), false);
  int passed = 0;
  for (const char* place : kPlaces) {
    for (const char* name : {"scale", "x:xyz", "drake:radius", "xacro:if", "units", "frame"}) {
      const std::string text = robot_with(place, "", fmt::format("{}='1'", name));
      EXPECT_TRUE(refused(read(text, false))) << text;
      // A lenient reader may pass it over, and then it changes nothing.
      const std::string lenient = read(text, true);
      if (refused(lenient)) continue;
      ++passed;
      EXPECT_EQ(lenient, plain) << text;
      EXPECT_NE(std::string(name), "xacro:if") << text;
    }
    for (const char* name : {"xmlns", "xmlns:xacro", "xsi:schemaLocation", "xml:space"}) {
      const std::string text = robot_with(place, "", fmt::format("{}='http://x'", name));
      EXPECT_EQ(read(text, false), plain) << text;
    }
    // What xacro should have replaced.
    for (const char* value : {"${x}", "$(arg x)", "a${x}b"}) {
      const std::string text = robot_with(place, "", fmt::format("units='{}'", value));
      EXPECT_TRUE(refused(read(text, false))) << text;
      EXPECT_TRUE(refused(read(text, true))) << text;
    }
  }
  EXPECT_GT(passed, 20);
}

std::string chain_of(int joints, const char* type, bool mimics) {
  std::string text = "<robot name='r'>\n<link name='l0'/>\n";
  for (int k = 1; k <= joints; ++k) {
    text += fmt::format(
        "<link name='l{0}'/><joint name='j{0}' type='{1}'><parent link='l{2}'/>"
        "<child link='l{0}'/>{3}</joint>\n",
        k, type, k - 1, mimics && k > 1 ? fmt::format("<mimic joint='j{}'/>", k - 1) : "");
  }
  return text + "</robot>";
}

TEST(UrdfElements, ChainsLongerThanTheProofsCoverAreRefused) {
  EXPECT_FALSE(refused(read(chain_of(kMaxChain, "continuous", false), false)));
  const std::string one_more = read(chain_of(kMaxChain + 1, "continuous", false), false);
  EXPECT_NE(one_more.find("r.urdf:1003: joint 'j1001' is movable joint number 1001 of a chain: the "
                          "limit is 1000"),
            std::string::npos)
      << one_more;
  // Joints that do not move do not count.
  EXPECT_FALSE(refused(read(chain_of(3 * kMaxChain, "fixed", false), false)));
}

TEST(UrdfElements, MimicsOfMimicsBeyondTheLimitAreRefused) {
  EXPECT_FALSE(refused(read(chain_of(kMaxMimicChain + 1, "continuous", true), false)));
  const std::string more = read(chain_of(kMaxMimicChain + 2, "continuous", true), false);
  EXPECT_NE(more.find("the limit is 100"), std::string::npos) << more;
}

}  // namespace
}  // namespace keepclear
