// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <numbers>
#include <string>
#include <vector>

#include "keepclear/error.hpp"
#include "motion/object_motion_file.hpp"

namespace keepclear {
namespace {

const std::string kStill = "[1,0,0,0, 0,1,0,0, 0,0,1,0]";
const std::string kMoved = "[1,0,0,1, 0,1,0,2, 0,0,1,3]";

const DisplacementMetric& metric() {
  static const DisplacementMetric of_corners(
      std::vector<Vec3>{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  return of_corners;
}
Vec3 origin_at(const ObjectMotion& motion, double time) {
  return motion.curve->ball(metric(), time, time).centre * Vec3{};
}
void expect_near(Vec3 a, Vec3 b) {
  EXPECT_LT(norm(a - b), 1e-12) << a.x << ' ' << a.y << ' ' << a.z;
}

TEST(ObjectMotion, OfARationalBezierCurveIsRead) {
  const ObjectMotion motion = parse_object_motion(
      R"({"kind": "rational_bezier", "object": "tray", "control": [)" + kStill + "," + kMoved +
          R"(], "weights": [1, 3], "begin": 2, "end": 4, "deviation": 0.01, "balls": "smallest"})",
      "m.json");
  EXPECT_EQ(motion.object, "tray");
  EXPECT_EQ(motion.deviation, 0.01);
  EXPECT_EQ(motion.curve->begin(), 2);
  EXPECT_EQ(motion.curve->end(), 4);
  expect_near(origin_at(motion, 2), {0, 0, 0});
  expect_near(origin_at(motion, 3), {0.75, 1.5, 2.25});
  expect_near(origin_at(motion, 4), {1, 2, 3});
}

TEST(ObjectMotion, OfPiecesGoesThroughAllOfThem) {
  const ObjectMotion motion = parse_object_motion(
      R"({"kind": "rational_bezier", "object": "tray", "pieces": [{"control": [)" + kStill + "," +
          kMoved + R"(]}, {"control": [)" + kMoved + "," + kStill + R"(], "end": 5}]})",
      "m.json");
  EXPECT_EQ(motion.curve->end(), 5);
  expect_near(origin_at(motion, 1), {1, 2, 3});
  expect_near(origin_at(motion, 3), {0.5, 1, 1.5});
}

TEST(ObjectMotion, OfAScrewIsReadFromYamlToo) {
  const ObjectMotion motion = parse_object_motion(
      "kind: screw\nobject: bolt\nstart: {xyz: [1, 0, 0], rpy: [0, 0, 0]}\n"
      "axis: [0, 0, 2]\nangle: 3.141592653589793\nslide: 4\nend: 2\n",
      "m.yaml");
  EXPECT_EQ(motion.object, "bolt");
  expect_near(origin_at(motion, 1), {0, 1, 2});
  expect_near(origin_at(motion, 2), {-1, 0, 4});
}

TEST(ObjectMotion, FromPoseToPoseTurnsAboutItsCentre) {
  const ObjectMotion motion = parse_object_motion(
      R"({"kind": "poses", "object": "bar", "times": [0, 2], "centre": [1, 0, 0], "poses": [
          {"xyz": [0, 0, 0]}, {"xyz": [1, -1, 0], "rpy": [0, 0, 1.5707963267948966]}]})",
      "m.json");
  const double s = std::numbers::sqrt2 / 2;
  expect_near(origin_at(motion, 1), {1 - s, -s, 0});
  // What reading the poses rounds is in every ball.
  const DisplacementBall ball = motion.curve->ball(metric(), 0, 0);
  EXPECT_GT(ball.radius, 0);
  EXPECT_LT(ball.radius, 1e-13);
}

TEST(ObjectMotion, IsToldFromOtherPaths) {
  EXPECT_TRUE(says_object_motion(R"({"kind": "screw", "no": 1})", "m.json"));
  EXPECT_TRUE(says_object_motion(R"({"kind": "sc\u0072ew"})", "m.json"));
  EXPECT_TRUE(says_object_motion("kind: poses\nobject: a\n", "m"));
  EXPECT_FALSE(says_object_motion(R"({"kind": "bezier", "joints": ["screw"]})", "m.json"));
  EXPECT_FALSE(says_object_motion("time,screw\n0,1\n", "m.csv"));
  EXPECT_FALSE(says_object_motion("{", "m.json"));
}

void expect_refused(const std::string& text, const std::string& message) {
  SCOPED_TRACE(text);
  try {
    parse_object_motion(text, "m.json");
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::malformed);
    EXPECT_EQ(std::string(error.what()), "m.json: " + message);
  }
}

TEST(ObjectMotion, ThatIsNoneIsRefusedWithThePlace) {
  const auto bezier = [](const std::string& more) {
    return R"({"kind": "rational_bezier", "object": "a", "control": [)" + kStill + "," + kMoved +
           "]" + more + "}";
  };
  expect_refused(R"({"object": "a"})", "'kind' is missing");
  expect_refused(R"({"kind": "bezier", "object": "a"})",
                 "/kind: unknown kind 'bezier'; objects move by rational_bezier, screw and poses");
  expect_refused(R"({"kind": "rational_bezier", "control": [)" + kStill + "," + kMoved + "]}",
                 "'object' is missing");
  expect_refused(
      R"({"kind": "rational_bezier", "object": "", "control": [)" + kStill + "," + kMoved + "]}",
      "/object: an empty name");
  expect_refused(R"({"kind": "rational_bezier", "object": "a", "control": [)" + kStill +
                     ", [1,0,0,0, 0,1,0,0, 0,0,1]]}",
                 "/control/1: 11 numbers, not 12; a displacement is 3 rows of 4, the last column "
                 "in metres");
  expect_refused(R"({"kind": "rational_bezier", "object": "a", "control": [)" + kStill + "]}",
                 "/control: a rational Bezier curve needs 2 to 33 control points, not 1");
  expect_refused(R"({"kind": "rational_bezier", "object": "a", "pieces": [{"control": []}]})",
                 "/pieces/0/control: a rational Bezier curve needs 2 to 33 control points, not 0");
  expect_refused(R"({"kind": "rational_bezier", "object": "a", "control": [)" + kStill +
                     ", [1,0,0,0, 0,1,0,1e9, 0,0,1,0]]}",
                 "/control/1/7: is 1000000000: the limit is 1000000");
  expect_refused(bezier(R"(, "weights": [1, 0])"), "/weights/1: must be positive, is 0");
  expect_refused(bezier(R"(, "weights": [1])"), "/weights: 1 weights for 2 control points");
  expect_refused(bezier(R"(, "angle": 1)"), "/angle: unknown key 'angle'");
  expect_refused(bezier(R"(, "deviation": -1)"), "/deviation: must not be negative, is -1");
  expect_refused(bezier(R"(, "balls": "big")"), "/balls: must be 'middle' or 'smallest', is 'big'");
  expect_refused(R"({"kind": "rational_bezier", "object": "a", "pieces": [{"control": [)" + kStill +
                     "," + kMoved + R"(], "gap": 1}]})",
                 "/pieces/0/gap: unknown key 'gap'");
  expect_refused(R"({"kind": "screw", "object": "a", "angle": 1})", "'axis' is missing");
  expect_refused(R"({"kind": "screw", "object": "a", "axis": [0, 0, 0]})",
                 "/axis: the axis of a screw is zero");
  expect_refused(R"({"kind": "screw", "object": "a", "axis": [0, 0, 1], "start": {"xyz": [0, 0]}})",
                 "/start/xyz: must be three numbers, is 2");
  expect_refused(R"({"kind": "poses", "object": "a", "times": [0, 1], "poses": [{}]})",
                 "/poses: two or more poses are needed, not 1");
  expect_refused(R"({"kind": "poses", "object": "a", "times": [0], "poses": [{}, {}]})",
                 "/times: 1 times for 2 poses");
  expect_refused(R"({"kind": "poses", "object": "a", "times": [0, 0], "poses": [{}, {}]})",
                 "/times/1: the time 0 does not come after 0");
  expect_refused(R"({"kind": "poses", "object": "a", "times": [0, 1], "poses": [{}, {"xy": 1}]})",
                 "/poses/1/xy: unknown key 'xy'; did you mean 'xyz'?");
}

TEST(ObjectMotion, WithNumbersThatAreTooLargeOrDoNotGoTogetherIsRefusedWithThePlace) {
  const auto bezier = [](const std::string& more) {
    return R"({"kind": "rational_bezier", "object": "a", "control": [)" + kStill + "," + kMoved +
           "]" + more + "}";
  };
  const auto screw = [](const std::string& more) {
    return R"({"kind": "screw", "object": "a", "axis": [0, 0, 1])" + more + "}";
  };
  expect_refused(bezier(R"(, "weights": [1e-320, 1])"),
                 "/weights: 1e-320 and 1 differ by more than a factor of 1e+30");
  expect_refused(bezier(R"(, "begin": -1e308, "end": 1e308)"),
                 "/begin: is -1e+308: the limit is 1000000000 s");
  expect_refused(bezier(R"(, "begin": 2, "end": 2)"),
                 "/end: the end, 2, does not come after the begin, 2");
  expect_refused(screw(R"(, "begin": 2)"),
                 "/begin: the begin, 2, does not come before the end, 1; give 'end' as well");
  expect_refused(screw(R"(, "slide": 2e9)"), "/slide: is 2000000000: the limit is 1000000000 m");
  expect_refused(screw(R"(, "angle": 2e6)"), "/angle: is 2000000: the limit is 1000000 rad");
  expect_refused(R"({"kind": "poses", "object": "a", "times": [0, 2e9], "poses": [{}, {}]})",
                 "/times/1: is 2000000000: the limit is 1000000000 s");
  // Keys of other kinds are not what was meant.
  expect_refused(screw(R"(, "foo": 1)"), "/foo: unknown key 'foo'");
  expect_refused(bezier(R"(, "gap": 1)"),
                 "/gap: a gap is between pieces, and there are no 'pieces'");
  expect_refused(bezier(R"(, "pieces": [])"),
                 "/control: 'control' stands beside 'pieces'; each piece has its own");
}

}  // namespace
}  // namespace keepclear
