// SPDX-License-Identifier: BSD-3-Clause
#include "motion/path_file.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "keepclear/error.hpp"
#include "motion/path_data.hpp"
#include "robot/urdf.hpp"

namespace keepclear {
namespace {

using Numbers = std::vector<double>;

/// yaw, pitch, its follower, lift, and the seven numbers of drone.
const Kinematics& kinematics() {
  static const Kinematics tree(parse_urdf(
      "<robot name='r'><link name='0'/><link name='1'/><link name='2'/><link name='3'/>"
      "<link name='4'/><link name='5'/>"
      "<joint name='yaw' type='continuous'><parent link='0'/><child link='1'/></joint>"
      "<joint name='pitch' type='revolute'><parent link='1'/><child link='2'/>"
      "<limit lower='-1' upper='2' effort='1' velocity='1'/></joint>"
      "<joint name='follower' type='revolute'><parent link='2'/><child link='3'/>"
      "<limit lower='-1' upper='2' effort='1' velocity='1'/><mimic joint='pitch'/></joint>"
      "<joint name='lift' type='prismatic'><parent link='3'/><child link='4'/>"
      "<limit lower='0' upper='0.5' effort='1' velocity='1'/></joint>"
      "<joint name='drone' type='floating'><parent link='4'/><child link='5'/></joint></robot>",
      "r.urdf", {}, {}));
  return tree;
}

Path parsed(const std::string& text, const std::string& file) {
  return parse_path(text, file, kinematics(), kinematics().neutral());
}
/// yaw, pitch and lift at a time.
Numbers arm_at(const Path& path, double time) {
  Numbers q = path.position(time);
  q.resize(3);
  return q;
}

void expect_refused(const std::string& text, const std::string& file, const std::string& message) {
  SCOPED_TRACE(text);
  try {
    parsed(text, file);
    ADD_FAILURE() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::malformed);
    EXPECT_EQ(std::string(error.what()), message);
  }
}
void expect_bad_csv(const std::string& text, const std::string& message) {
  expect_refused(text, "p.csv", "p.csv" + message);
}
void expect_bad_json(const std::string& text, const std::string& message) {
  expect_refused(text, "p.json", "p.json: " + message);
}
void expect_bad_yaml(const std::string& text, const std::string& message) {
  expect_refused(text, "p.yaml", "p.yaml" + message);
}
/// A trajectory of yaw with these points.
std::string trajectory(const std::string& points) {
  return R"({"joint_names": ["yaw"], "points": [)" + points + "]}";
}

TEST(PathFile, CsvRowsAreJoinedByStraightLines) {
  const Path path = parsed(
      "\xef\xbb\xbf# a motion\r\n\"lift\", time ,yaw\r\n0.25,1,0\r\n0.5,2,20\r\n# more\r\n"
      "+0.5,2.5,-1e-3\r\n\r\n",
      "p.csv");
  EXPECT_EQ(path.begin(), 1);
  EXPECT_EQ(path.end(), 2.5);
  EXPECT_EQ(path.degree(), 1);
  EXPECT_EQ(path.dof(), 10u);
  EXPECT_EQ(arm_at(path, 1.5), (Numbers{10, 0, 0.375}));
  EXPECT_EQ(arm_at(path, 2.5), (Numbers{-1e-3, 0, 0.5}));
  EXPECT_EQ(path.data().quaternions, std::vector<std::size_t>{6});
}

TEST(PathFile, JointsThatAreNotNamedStay) {
  Numbers rest = kinematics().neutral();
  rest[1] = 0.75;
  const Path path = parse_path("time,yaw\n0,1\n1,2\n", "p.csv", kinematics(), rest);
  EXPECT_EQ(arm_at(path, 0.5), (Numbers{1.5, 0.75, 0}));
  EXPECT_EQ(path.range(0, 1)[1], (Interval{0.75, 0.75}));
}

TEST(PathFile, ATrajectoryIsInterpolatedAsRosControllersDo) {
  const Path line = parsed(trajectory(R"(
      {"positions": [0], "velocities": [], "time_from_start": {"sec": 0, "nanosec": 500000000}},
      {"positions": [2], "effort": [1], "time_from_start": 1.5})"),
                           "p.json");
  EXPECT_EQ(line.begin(), 0.5);
  EXPECT_EQ(line.degree(), 1);
  EXPECT_EQ(line.position(1)[0], 1);
  const Path cubic = parsed(trajectory(R"(
      {"positions": [0], "velocities": [0], "time_from_start": {"secs": 0, "nsecs": 0}},
      {"positions": [1], "velocities": [0], "time_from_start": {"secs": 1, "nsecs": 0}})"),
                            "p.json");
  EXPECT_EQ(cubic.degree(), 3);
  EXPECT_NEAR(cubic.position(0.25)[0], 3 * 0.0625 - 2 * 0.015625, 1e-15);
  const Path quintic = parsed(trajectory(R"(
      {"positions": [0], "velocities": [0], "accelerations": [0], "time_from_start": 0},
      {"positions": [1], "velocities": [0], "accelerations": [0], "time_from_start": 1})"),
                              "p.json");
  EXPECT_EQ(quintic.degree(), 5);
  const double t = 0.25, t3 = t * t * t;
  EXPECT_NEAR(quintic.position(t)[0], t3 * (10 - 15 * t + 6 * t * t), 1e-15);
}

TEST(PathFile, YamlAndMessagesOfMoveItAreRead) {
  const std::string echo =
      "header:\n  stamp: {sec: 0, nanosec: 0}\n  frame_id: ''\njoint_names:\n- yaw\n- \"lift\"\n"
      "points:\n- positions:\n  - 1.0\n  - 0.5\n  velocities: []\n  time_from_start:\n    sec: 0\n"
      "    nanosec: 0\n- positions: [2, 0.25]\n  time_from_start: {sec: 2, nanosec: 0}\n---\n";
  for (const char* file : {"p.yaml", "p.yml", "p.txt"}) {
    EXPECT_EQ(arm_at(parsed(echo, file), 1), (Numbers{1.5, 0, 0.375})) << file;
  }
  const std::string inner = trajectory(
      R"({"positions": [0], "time_from_start": 0}, {"positions": [1], "time_from_start": 2})");
  const std::string robot = R"({"joint_trajectory": )" + inner +
                            R"(, "multi_dof_joint_trajectory": {"joint_names": [], "points": []}})";
  EXPECT_EQ(arm_at(parsed(robot, "p.json"), 1), (Numbers{0.5, 0, 0}));
  const std::string next =
      R"({"joint_trajectory": {"joint_names": ["lift"], "points": [
          {"positions": [0.25], "time_from_start": 0}, {"positions": [0.5], "time_from_start": 1}]}})";
  const std::string display = R"({"model_id": "r", "trajectory_start": {"is_diff": false,
      "multi_dof_joint_state": {"joint_names": ["w"], "transforms": [{"translation": {"x": 0},
      "rotation": {"x": 0, "w": 1}}]}, "joint_state": {
      "name": ["pitch", "follower", "lift"], "position": [0.5, 0.5, 0.25]}},
      "trajectory": [)" + robot +
                              "," + next + "]}";
  const Path path = parsed(display, "p");
  EXPECT_EQ(arm_at(path, 1), (Numbers{0.5, 0.5, 0.25}));
  EXPECT_EQ(arm_at(path, 3), (Numbers{1, 0.5, 0.5}));
}

TEST(PathFile, CurvesAreRead) {
  const Path bezier = parsed(
      R"({"kind": "bezier", "joints": ["yaw", "lift"], "control": [[0, 0], [1, 0.5], [2, 0]]})",
      "p.json");
  EXPECT_EQ(bezier.end(), 1);
  EXPECT_EQ(arm_at(bezier, 0.5), (Numbers{1, 0, 0.25}));
  EXPECT_EQ(parsed(R"({"kind": "bezier", "joints": ["yaw"], "begin": 3, "end": 5,
                      "control": [[0], [1]]})",
                   "p.json")
                .position(4)[0],
            0.5);
  const Path spline = parsed(R"({"kind": "bspline", "degree": 2, "knots": [0, 0, 0, 1, 2, 2, 2],
                                 "joints": ["yaw"], "control": [[0], [1], [1], [0]]})",
                             "p.json");
  EXPECT_EQ(spline.piece_count(), 2u);
  EXPECT_EQ(spline.position(1)[0], 1);
  const Path move = parsed(R"({"kind": "trapezoidal", "joints": ["lift"], "from": [0], "to": [0.5],
                               "max_velocity": [0.25], "max_acceleration": [1]})",
                           "p.json");
  EXPECT_NEAR(move.end(), 2.25, 1e-14);
  const Path line =
      parsed("kind: straight\njoints: [yaw]\ntimes: [0, 2]\nwaypoints: [[1], [3]]\n", "p.yaml");
  EXPECT_EQ(line.position(1)[0], 2);
}

TEST(PathFile, ATableThatIsNoPathIsRefused) {
  const std::string hint = "; the first line has 'time' and the names of joints";
  expect_bad_csv("", ": empty: there is no header line" + hint);
  expect_bad_csv("yaw\n1\n", ":1: column 'time' is missing" + hint);
  expect_bad_csv("time;yaw\n", ":1: column 'time' is missing; fields are separated by commas");
  expect_bad_csv("time\n1\n", ":1: no column names a joint" + hint);
  expect_bad_csv("time,time,yaw\n", ":1: column 'time' stands there twice");
  expect_bad_csv("time,,yaw\n", ":1: column 2 has no name" + hint);
  expect_bad_csv("# time,yaw\n0,1\n",
                 ":2: '0' is no name; a header behind '#' is a comment; write "
                 "it without");
  expect_bad_csv("time,jaw\n",
                 ": line 1, column 2: the world has no variable 'jaw'; did you mean "
                 "'yaw'?");
  expect_bad_csv("time,yaw,yaw\n", ": line 1, column 3: 'yaw' stands there twice");
  expect_bad_csv("time,follower\n",
                 ": line 1, column 2: 'follower' follows 'pitch' (mimic); leave "
                 "it out: it goes where 'pitch' sends it");
  expect_bad_csv("time,yaw\n0,1\n1\n", ":3: 1 fields where the header has 2");
  expect_bad_csv("time,yaw\n0,1\n1,x\n", ":3: column 2 ('yaw'): 'x' is no number");
  expect_bad_csv("time,yaw\n0,nan\n", ":2: column 2 ('yaw'): 'nan' is no number");
  expect_bad_csv("time,yaw\n,1\n", ":2: column 1 ('time'): a number is missing");
  expect_bad_csv("time,yaw\n0,\"1\n", ":2: column 2: a quote is not closed");
  expect_bad_csv("time,yaw\n0,\"1\"2\n", ":2: column 2: text after a quote");
  expect_bad_csv("time,yaw\n0,1\n\n1,1\n", ":3: an empty line between rows; remove it");
  expect_bad_csv("time,yaw\n0,1\n0,2\n", ":3: the time 0 does not come after 0");
  expect_bad_csv("time,yaw\n0,1\n", ": a path needs two waypoints or more, not 1");
  expect_bad_csv("time,yaw\n0,1\n1,2e15\n",
                 ":3: column 2: 2000000000000000 is beyond "
                 "1000000000000000 rad, the most that a configuration "
                 "may hold");
  expect_bad_csv("time,drone/rot_w\n0,1\n1,0.5\n",
                 ":3: the quaternion of joint 'drone' has length 0.5, not 1");
  expect_bad_csv("time,drone\n",
                 ": line 1, column 2: the world has no variable 'drone'; this joint "
                 "has several numbers: 'drone/trans_x', 'drone/trans_y', "
                 "'drone/trans_z', 'drone/rot_x', 'drone/rot_y', 'drone/rot_z', "
                 "'drone/rot_w'");
}

TEST(PathFile, ATrajectoryThatIsNoneIsRefused) {
  expect_bad_json("{}",
                  "no path: neither 'points' nor 'kind' is there; a JointTrajectory has "
                  "'joint_names' and 'points'");
  expect_bad_json("[]", "must be an object, is a list");
  expect_bad_json(R"({"joint_names": ["yaw"]})", "'points' is missing");
  expect_bad_json(R"({"points": []})", "'joint_names' is missing");
  expect_bad_json(R"({"joint_names": [], "points": []})", "/joint_names: no joint is named");
  expect_bad_json(R"({"joint_names": [1], "points": []})",
                  "/joint_names/0: must be a string, is a number");
  expect_bad_json(R"({"joint_names": ["jaw"], "points": []})",
                  "/joint_names/0: the world has no variable 'jaw'; did you mean 'yaw'?");
  expect_bad_json(R"({"joint_names": ["yaw"], "point": []})",
                  "/point: unknown key 'point'; did you mean 'points'?");
  expect_bad_json(trajectory(""), "a path needs two waypoints or more, not 0");
  expect_bad_json(trajectory(R"({"positions": [1]})"), "/points/0: 'time_from_start' is missing");
  expect_bad_json(trajectory(R"({"time_from_start": 0})"), "/points/0: 'positions' is missing");
  expect_bad_json(trajectory(R"({"positions": [1, 2], "time_from_start": 0})"),
                  "/points/0/positions: 2 numbers for 1 joints");
  expect_bad_json(trajectory(R"({"positions": ["1"], "time_from_start": 0})"),
                  "/points/0/positions/0: must be a number, is a string");
  expect_bad_json(trajectory(R"({"positions": [1], "time_from_start": -1})"),
                  "/points/0/time_from_start: the time -1 is negative");
  expect_bad_json(trajectory(R"({"positions": [1], "time_from_start": {"sec": 1}})"),
                  "/points/0/time_from_start: 'nanosec' is missing");
  expect_bad_json(
      trajectory(R"({"positions": [1], "time_from_start": {"sec": 1, "nanosec": 1e9}})"),
      "/points/0/time_from_start/nanosec: 1000000000 is not from 0 to below 1e9");
  expect_bad_json(trajectory(R"({"position": [1], "time_from_start": 0})"),
                  "/points/0/position: unknown key 'position'; did you mean 'positions'?");
  const std::string first = R"({"positions": [1], "time_from_start": 1},)";
  expect_bad_json(trajectory(first + R"({"positions": [2], "time_from_start": 1})"),
                  "/points/1/time_from_start: the time 1 does not come after 1");
  expect_bad_json(
      trajectory(first + R"({"positions": [2], "velocities": [1], "time_from_start": 2})"),
      "/points/1: has velocities, unlike the points before it; give velocities for all points or "
      "for none");
  expect_bad_json(trajectory(R"({"positions": [1], "velocities": [0], "time_from_start": 0},
                                {"positions": [2], "time_from_start": 2})"),
                  "/points/1: has no velocities, unlike the points before it; give velocities for "
                  "all points or for none");
  expect_bad_json(trajectory(R"({"positions": [1], "accelerations": [0], "time_from_start": 0})"),
                  "/points/0: accelerations without velocities");
  expect_bad_json(R"({"joint_trajectory": {}, "multi_dof_joint_trajectory": {"points": [1]}})",
                  "/multi_dof_joint_trajectory: a motion of multi-dof joints is not read; give "
                  "their numbers as joints of 'joint_trajectory'");
  expect_bad_json(R"({"trajectory": []})", "/trajectory: no trajectory");
  expect_bad_json(R"({"trajectory_start": {"attached_collision_objects": [{}]}, "trajectory": []})",
                  "/trajectory_start/attached_collision_objects: attached objects are not read "
                  "here; attach them in the scene file");
  expect_bad_json(R"({"trajectory_start": {"joints": 1}, "trajectory": []})",
                  "/trajectory_start/joints: unknown key 'joints'");
  expect_bad_json(R"({"trajectory_start": {"multi_dof_joint_state": {"transforms": [
                      {"translation": {"x": 0.5}, "rotation": {"w": 1}}]}}, "trajectory": []})",
                  "/trajectory_start/multi_dof_joint_state/transforms/0: a multi-dof joint that is "
                  "not at its origin is not read; say in the scene where the robot stands");
  expect_bad_json(R"({"trajectory_start": {"joint_state": {"name": ["yaw"]}}, "trajectory": []})",
                  "/trajectory_start/joint_state: as many names as positions are needed");
}

TEST(PathFile, ACurveThatIsNoneIsRefused) {
  expect_bad_json(R"({"kind": "circle"})",
                  "/kind: unknown kind 'circle'; there are straight, "
                  "bezier, bspline and trapezoidal of joints, and rational_bezier, screw and poses "
                  "of objects");
  expect_bad_json(R"({"kind": "rational_bezier", "object": "box", "weights": [1]})",
                  "/kind: 'rational_bezier' is the motion of an object, not of joints; joints take "
                  "straight, bezier, bspline and trapezoidal");
  expect_bad_json(R"({"kind": "bezier", "control": []})", "'joints' is missing");
  expect_bad_json(R"({"kind": "bezier", "joints": ["yaw"], "control": [[1]]})",
                  "a Bezier curve needs two control points or more, not 1");
  expect_bad_json(R"({"kind": "bezier", "joints": ["yaw"], "control": [[1], 2]})",
                  "/control/1: must be a list, is a number");
  expect_bad_json(R"({"kind": "bezier", "joints": ["yaw"], "knots": []})",
                  "/knots: unknown key 'knots'");
  expect_bad_json(R"({"kind": "bezier", "joints": ["drone/rot_w"], "control": [[1], [0.5]]})",
                  "at the end, the quaternion of joint 'drone' has length 0.5, not 1");
  expect_bad_json(R"({"kind": "straight", "joints": ["yaw"], "times": [0, 1], "waypoints": [[0]]})",
                  "/waypoints: 1 rows for 2 times");
  expect_bad_json(R"({"kind": "bspline", "joints": ["yaw"], "degree": 1.5})",
                  "/degree: must be a whole number from 1 to 32, is 1.5");
  expect_bad_json(R"({"kind": "trapezoidal", "joints": ["yaw"], "from": [0], "to": [1],
                      "max_velocity": [0], "max_acceleration": [1]})",
                  "the speeds and accelerations of a trapezoidal path must be positive");
}

TEST(PathFile, YamlThatSaysMoreThanJsonIsRefused) {
  expect_bad_yaml("a: [1, 2\nb: 3\n", ":2: column 2: end of sequence flow not found");
  expect_bad_yaml("", ": the file is empty");
  expect_bad_yaml("- 1\n", ": must be an object, is a list");
  expect_bad_yaml("joint_names: &a [yaw]\npoints: *a\n",
                  ":2: an alias (*) is not read; write out what it stands for");
  expect_bad_yaml("a: 1\nb: 2\na: 3\n", ":3: the key 'a' is given twice");
  expect_bad_yaml("[1]: 2\n", ":1: a key must be a word");
  expect_bad_yaml("joint_names: [yaw]\npoints:\n- !!str 1\n",
                  ":3: a tag (!) is not read; write the value without it");
  expect_bad_yaml("points: !!python/object [1]\n",
                  ":1: a tag (!) is not read; write the value without it");
  expect_refused("<robot/>", "p.urdf",
                 "p.urdf: XML is no path; paths are CSV, JSON or YAML; robots and scenes are the "
                 "WORLD");
  expect_bad_yaml("points: " + std::string(20, '[') + std::string(20, ']') + "\n",
                  ":1: nested deeper than 16 levels");
  expect_bad_yaml("points: []\n---\npoints: []\n",
                  ": more than one document; a path is one trajectory");
  // Words after a document, which the parser never passes.
  expect_bad_yaml("{a: 1}, x\n", ": more than one document; a path is one trajectory");
  expect_bad_yaml("joint_names: [yaw]\npoints: [{positions: [.nan], time_from_start: 0}]\n",
                  ": /points/0/positions/0: must be a number, is a string");
  expect_bad_yaml("joint_names: [yaw]\nspeed: 1\npoints: []\n", ": /speed: unknown key 'speed'");
}

TEST(PathFile, ATubeIsReadByTimeAndJoint) {
  const Path path = parsed("time,yaw,lift\n0,0,0\n2,2,0.5\n", "p.csv");
  const Path tube = parse_tube("time,lift\n0,0.01\n1,0.03\n", "t.csv", kinematics(), path);
  EXPECT_NEAR(tube.tube(0.5, 0.5)[2], 0.02, 1e-12);
  EXPECT_EQ(tube.tube(0, 2), (Numbers{0, 0, 0.03, 0, 0, 0, 0, 0, 0, 0}));
  EXPECT_EQ(tube.data().quaternions, path.data().quaternions);
  for (const auto& [text, message] : {std::pair{"time,lift\n", "t.csv: a tube needs a row or more"},
                                      {"time,lift\n0,-1\n",
                                       "t.csv:2: column 2: the half width -1 "
                                       "is negative"}}) {
    try {
      parse_tube(text, "t.csv", kinematics(), path);
      ADD_FAILURE() << text;
    } catch (const Error& error) {
      EXPECT_EQ(std::string(error.what()), message);
    }
  }
}

TEST(PathFile, IsReadForAWorld) {
  const World world = load_builtin("six_axis_arm");
  const auto folder = std::filesystem::path(testing::TempDir());
  const auto file = folder / "path_file_test.csv", tube = folder / "tube_file_test.csv";
  const std::string joint = world.variables()[1].name;
  std::ofstream(file) << "time," << joint << "\n0,0\n1,0.5\n";
  std::ofstream(tube) << "time," << joint << "\n0,0.125\n";
  const Path path = with_tube(world, read_path(world, file), tube);
  EXPECT_EQ(path.position(0.5)[1], 0.25);
  EXPECT_EQ(path.tube(0, 1)[1], 0.125);
  EXPECT_EQ(path.position(0.5)[0], world.neutral()[0]);
  EXPECT_THROW(read_path(world, folder / "no_such_path.csv"), Error);
  EXPECT_THROW(read_path(world, file, Numbers{1}), Error);
  // The tasks of the built-in worlds are paths.
  for (const BuiltinWorld& builtin : builtin_worlds()) {
    if (builtin.name != "six_axis_arm") continue;
    for (const BuiltinWorld::Task& task : builtin.tasks) {
      std::ofstream(file) << task.csv;
      EXPECT_GT(read_path(world, file).piece_count(), 1u) << task.name;
    }
  }
}

}  // namespace
}  // namespace keepclear
