// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear certify on motions of objects: alone, among robots, in batches with motions of joints,
// and what is refused.
#include "run.hpp"

namespace keepclear::test {
namespace {

using nlohmann::json;

/// A tray of 0.4 x 0.4 x 0.1 that moves, a wall whose face is at x = 2, the floor at z = -1, a post
/// that the tray may touch, and a ball that a margin keeps away.
constexpr const char* kCell = R"({"objects": [
  {"name": "tray", "shape": "box", "size": [0.4, 0.4, 0.1], "pose": {"xyz": [50, 0, 0]}},
  {"name": "wall", "shape": "box", "size": [1, 4, 4], "pose": {"xyz": [2.5, 0, 0]}},
  {"name": "floor", "shape": "plane", "normal": [0, 0, 2], "offset": 0,
   "pose": {"xyz": [0, 0, -1]}},
  {"name": "post", "shape": "cylinder", "radius": 0.1, "length": 2, "pose": {"xyz": [1, 0, 0]}},
  {"name": "ball", "shape": "sphere", "radius": 0.5, "pose": {"xyz": [0.9, 3, 0]}}],
  "allow": [["tray", "post"]],
  "margins": [{"pair": ["tray", "ball"], "margin": 0.25}]})";

/// An arm that stands still where nothing comes.
constexpr const char* kArm = R"(<robot name="arm"><link name="base"/>
  <link name="arm"><collision><geometry><box size="0.1 0.1 0.1"/></geometry></collision></link>
  <joint name="slide" type="prismatic"><parent link="base"/><child link="arm"/>
    <axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint></robot>)";

/// Straight, without turning, in a second.
std::string line(const std::string& from, const std::string& to, const std::string& more = "") {
  const auto point = [](const std::string& xyz) {
    std::istringstream words(xyz);
    std::string x, y, z;
    words >> x >> y >> z;
    return "[1,0,0," + x + ",0,1,0," + y + ",0,0,1," + z + "]";
  };
  return R"({"kind": "rational_bezier", "object": "tray", "control": [)" + point(from) + "," +
         point(to) + "]" + more + "}";
}

class CertifyObject : public testing::Test {
 protected:
  json answer(const std::string& motion, int code, std::vector<std::string> more = {}) const {
    const std::string file = folder_.write("motion.json", motion);
    std::vector<std::string> words{"certify", cell_, "--path", file, "--json", "--quiet"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = run(words);
    EXPECT_EQ(result.code, code) << result.out << result.err;
    EXPECT_EQ(result.err, "");
    const auto lines = json_lines(result.out);
    EXPECT_EQ(lines.size(), 1U) << result.out;
    return lines.empty() ? json() : lines[0];
  }

  const TempFolder folder_;
  const std::string cell_ = folder_.write("cell.json", kCell);
  const std::string arm_ = folder_.write("arm.urdf", kArm);
};

TEST_F(CertifyObject, AFreeMotionHasItsClearanceAndWho) {
  const json free = answer(line("0 0 0", "1.5 0 0"), 0);
  EXPECT_EQ(free["object"], "tray");
  EXPECT_EQ(free["verdict"], "free");
  EXPECT_EQ(free["pair"], json({"tray", "wall"}));
  EXPECT_LE(free["clearance"].get<double>(), 0.3);
  EXPECT_GE(free["clearance"].get<double>(), 0.28);
  EXPECT_TRUE(free["first_contact"].is_null());
  EXPECT_GT(free["balls"].get<int>(), 0);
  EXPECT_GT(free["tests"].get<int>(), 0);
  EXPECT_GT(free["seconds"].get<double>(), 0);
  EXPECT_EQ(free["contract"], (json{{"certified_above", 0.002}}));
  for (const json& interval : free["intervals"]) EXPECT_EQ(interval["status"], "free");
}

TEST_F(CertifyObject, AContactHasItsTimeItsElementsAndItsPlace) {
  const json contact = answer(line("0 0 0", "3 0 0"), 1);
  EXPECT_EQ(contact["verdict"], "contact");
  EXPECT_TRUE(contact["clearance"].is_null());
  EXPECT_EQ(contact["pair"], json({"tray", "wall"}));
  EXPECT_GE(contact["first_contact"].get<double>(), 0.6);
  EXPECT_LE(contact["first_contact"].get<double>(), 0.605);
  bool told = false;
  for (const json& interval : contact["intervals"]) {
    if (interval["status"] == "free") continue;
    EXPECT_GE(interval["from"].get<double>(), 0.59);
    EXPECT_EQ(interval["pair"], json({"tray", "wall"}));
    if (interval["moving"].is_null()) continue;
    told = true;
    EXPECT_EQ(interval["moving"].size(), 1U);
    EXPECT_EQ(interval["standing"].size(), 1U);
    EXPECT_NEAR(interval["place"][0].get<double>(), 2, 0.01);
  }
  EXPECT_TRUE(told);
}

TEST_F(CertifyObject, PlanesMarginsAndDeviationsCount) {
  EXPECT_EQ(answer(line("0 0 0", "0 0 -0.9"), 0)["pair"], json({"tray", "floor"}));
  EXPECT_EQ(answer(line("0 0 0", "0 0 -0.97"), 1)["pair"], json({"tray", "floor"}));
  answer(line("0.9 0 0", "0.9 2 0"), 0);
  EXPECT_EQ(answer(line("0.9 0 0", "0.9 2.2 0"), 1)["pair"], json({"tray", "ball"}));
  answer(line("0 0 0", "1.5 0 0"), 1, {"--margin", "0.32"});
  const json near = answer(line("0 0 0", "1.5 0 0", R"(, "deviation": 0.05)"), 0);
  EXPECT_EQ(near["deviation"], 0.05);
  EXPECT_LT(near["clearance"].get<double>(), 0.21);
  answer(line("0 0 0", "1.5 0 0"), 2, {"--deviation", "0.2"});
}

TEST_F(CertifyObject, ScrewsAndPosesAreReadToo) {
  // A quarter of a turn about the origin brings it from the wall's side to the ball's.
  answer(R"({"kind": "screw", "object": "tray", "start": {"xyz": [1, -0.5, 0.5]},
             "axis": [0, 0, 1], "angle": 1.5})",
         0);
  answer(R"({"kind": "poses", "object": "tray", "times": [0, 1], "poses": [{},
             {"xyz": [3, 0, 0], "rpy": [0, 0, 1]}]})",
         1);
}

TEST_F(CertifyObject, RobotsStandWhereTheyRest) {
  const std::string file = folder_.write("m.json", line("0 0 0", "1.5 0 0"));
  const std::vector<std::string> words{"certify", arm_, "--scene", cell_, "--path", file};
  const Result hit = run(words);
  EXPECT_EQ(hit.code, 1) << hit.err;
  EXPECT_NE(hit.out.find("contact: tray - arm at 0 s"), std::string::npos) << hit.out;
  std::vector<std::string> away = words;
  away.insert(away.end(), {"--rest", "slide=-5"});
  const Result free = run(away);
  EXPECT_EQ(free.code, 0) << free.err;
  EXPECT_NE(free.out.find("free: proved for the whole motion of tray, 0 to 1 s"), std::string::npos)
      << free.out;
}

TEST_F(CertifyObject, ABatchMayMixThemWithMotionsOfJoints) {
  const std::string joints = folder_.write("a.csv", "time,slide\n0,-5\n1,-4\n");
  const std::string object = folder_.write("b.json", line("0 0 0", "1.5 0 0"));
  const std::string hit = folder_.write("c.json", line("0 0 0", "3 0 0"));
  const Result result = run({"certify", arm_, "--scene", cell_, "--rest", "slide=-5", "--path",
                             object, "--path", joints, "--path", hit, "--json"});
  EXPECT_EQ(result.code, 1) << result.err;
  const auto rows = json_lines(result.out);
  ASSERT_EQ(rows.size(), 3U);
  EXPECT_EQ(rows[0]["object"], "tray");
  EXPECT_EQ(rows[0]["verdict"], "free");
  EXPECT_EQ(rows[1]["path"], joints);
  EXPECT_FALSE(rows[1].contains("object"));
  EXPECT_EQ(rows[2]["verdict"], "contact");
  for (const json& row : rows) EXPECT_FALSE(row.contains("seconds"));
  const Result text = run({"certify", cell_, "--path", object, "--path", hit});
  EXPECT_EQ(text.code, 1);
  EXPECT_NE(text.out.find("2 paths: 1 free, 1 contact, 0 undecided"), std::string::npos)
      << text.out;
}

TEST_F(CertifyObject, WhatMakesNoSenseForThemIsRefused) {
  const std::string file = folder_.write("m.json", line("0 0 0", "1.5 0 0"));
  const auto refused = [&](std::vector<std::string> more, const std::string& what) {
    std::vector<std::string> words{"certify", cell_, "--path", file};
    words.insert(words.end(), more.begin(), more.end());
    expect_error(run(words), 64, what + ": " + file + " moves an object");
  };
  refused({"--method", "chord"}, "--method chord");
  refused({"--tube", "0.1"}, "--tube");
  refused({"--base", "0.1,0.1"}, "--base");
  refused({"--proof", (folder_.path() / "proof").string()}, "--proof");
  EXPECT_EQ(run({"certify", cell_, "--path", file, "--method", "ball", "--quiet"}).code, 0);
  expect_error(run({"certify", arm_, "--path", file}), 65, "/object: WORLD is a robot alone");
  const std::string other = folder_.write(
      "o.json", R"({"kind": "screw", "object": "cup", "axis": [0, 0, 1], "angle": 1})");
  expect_error(run({"certify", cell_, "--path", other}), 65,
               "/object: the scene has no object 'cup'");
  const std::string plane = folder_.write(
      "p.json", R"({"kind": "screw", "object": "floor", "axis": [0, 0, 1], "angle": 1})");
  // Nothing is printed of a batch that cannot be asked to its end.
  expect_error(run({"certify", cell_, "--path", file, "--path", plane}), 65,
               plane + ": /object: 'floor' is a plane; what moves must have an end");
  const std::string typo =
      folder_.write("t.json", R"({"kind": "rational-bezier", "object": "tray", "control": []})");
  expect_error(run({"certify", cell_, "--path", typo}), 65,
               "and rational_bezier, screw and poses of objects");
}

TEST_F(CertifyObject, WhatALinkCarriesDoesNotMoveByItself) {
  const std::string scene = folder_.write("carried.json", R"({
    "robots": [{"name": "r", "urdf": "arm.urdf"}],
    "objects": [{"name": "tool", "shape": "box", "size": [0.1, 0.1, 0.1]},
                {"name": "wall", "shape": "box", "size": [1, 1, 1], "pose": {"xyz": [9, 0, 0]}}],
    "attached": [{"object": "tool", "link": "r/arm"}]})");
  const std::string file = folder_.write(
      "m.json", R"({"kind": "screw", "object": "tool", "axis": [0, 0, 1], "angle": 1})");
  expect_error(run({"certify", scene, "--path", file}), 65,
               file + ": /object: 'tool' is carried by a link; it moves as the robot does");
}

TEST_F(CertifyObject, ThatGoesTooFarForATurnedPlaneIsRefused) {
  const std::string scene = folder_.write("slope.json", R"({"objects": [
    {"name": "tray", "shape": "box", "size": [0.4, 0.4, 0.1]},
    {"name": "slope", "shape": "plane", "normal": [0, 0, 1], "offset": -9,
     "pose": {"rpy": [0.1, 0, 0]}}]})");
  const auto slides = [&](const std::string& metres) {
    return folder_.write("m" + metres + ".json", R"({"kind": "screw", "object": "tray",
                         "axis": [1, 0, 0], "slide": )" +
                                                     metres + "}");
  };
  EXPECT_EQ(run({"certify", scene, "--path", slides("3e6"), "--ask", "verdict"}).code, 0);
  expect_error(run({"certify", scene, "--path", slides("5e6")}), 65,
               "the limit is 4000000 m where a plane, 'slope', is turned");
}

TEST_F(CertifyObject, NotesSayWhatAVerdictDoesNot) {
  const std::string file = folder_.write("m.json", line("0 0 0", "1 0 0"));
  const auto notes = [&](const std::string& more) {
    const std::string scene = folder_.write("alone.json", R"({"objects": [
      {"name": "tray", "shape": "box", "size": [0.4, 0.4, 0.1]})" +
                                                              more + "}");
    const Result result = run({"certify", scene, "--path", file, "--json"});
    EXPECT_EQ(result.code, 0) << result.out << result.err;
    return result.err;
  };
  constexpr const char* kNothing =
      "keepclear: note: there is no pair to check for 'tray': nothing else is there, or it may be "
      "touched\n";
  const std::string wall = R"(, {"name": "wall", "shape": "box", "size": [1, 1, 1],
                                 "pose": {"xyz": [9, 0, 0]}})";
  EXPECT_EQ(notes("]"), kNothing);
  EXPECT_EQ(notes(wall + R"(], "allow": [["tray", "wall"]])"), kNothing);
  EXPECT_EQ(notes(wall + "]"), "");
  const auto mesh = [&](const std::string& last) {
    folder_.write("tent.obj",
                  "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 4\nf 2 3 4\nf 3 1 4\n" + last);
    return R"(, {"name": "tent", "shape": "mesh", "file": "tent.obj",
                 "pose": {"xyz": [9, 0, 0]}}])";
  };
  EXPECT_EQ(notes(mesh("f 1 3 2\n")), "");
  EXPECT_EQ(notes(mesh("")),
            "keepclear: note: the mesh of 'tent' is not closed: it is taken as a surface, and what "
            "is inside it is not in contact\n");
}

}  // namespace
}  // namespace keepclear::test
