// SPDX-License-Identifier: BSD-3-Clause
//
// Certificates as commands write them: which files, when there is none, what they name, what is
// said of them. Whether they prove anything is for the checker to say.
#include <sstream>

#include "guard_run.hpp"
#include "keepclear/proof.hpp"
#include "run.hpp"

namespace keepclear::test {
namespace {

constexpr const char* kFree = "time,slide\n0,3\n1,1.5\n2,3\n";
constexpr const char* kHit = "time,slide\n0,3\n3,0\n";

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

/// Whole, of this claim, and sealed by its own hash.
std::string sound(const std::string& file, const std::string& claim) {
  const std::string text = slurp(file);
  EXPECT_TRUE(text.starts_with("keepclear-certificate 1\nclaim " + claim + "\n")) << file;
  const std::size_t end = text.rfind("\nend ");
  EXPECT_NE(end, std::string::npos) << file;
  if (end == std::string::npos) return text;
  EXPECT_EQ(text.substr(end + 1), "end " + sha256_of(text.substr(0, end + 1)) + "\n");
  return text;
}

bool has_line(const std::string& text, const std::string& line) {
  return ("\n" + text).find("\n" + line + "\n") != std::string::npos;
}

std::size_t count_of(const std::string& text, const std::string& kind) {
  const auto lines = lines_of(text);
  return static_cast<std::size_t>(std::ranges::count_if(lines, [&](const std::string& line) {
    return line == kind || line.starts_with(kind + " ");
  }));
}

class Certificates : public testing::Test {
 protected:
  Result certify(std::vector<std::string> words) const {
    words.insert(words.begin(), {"certify", rail_});
    return run(words);
  }
  std::string in(const std::string& name) const { return folder_.path() / name; }
  bool is_there(const std::string& name) const {
    return std::filesystem::exists(folder_.path() / name);
  }
  /// Nothing half written was left behind.
  void expect_nothing_beside(const std::string& folder) const {
    for (const auto& entry : std::filesystem::directory_iterator(folder)) {
      EXPECT_NE(entry.path().extension(), ".new") << entry.path();
    }
  }

  const TempFolder folder_;
  const std::string rail_ = folder_.write("rail.urdf", kRail);
  const std::string free_ = folder_.write("free.csv", kFree);
  const std::string hit_ = folder_.write("hit.csv", kHit);
};

TEST_F(Certificates, AFreeMotionGetsAFileThatNamesItsSources) {
  const Result result = certify({"--path", free_, "--certificate", in("a.kcert")});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("certificate: " + in("a.kcert")), std::string::npos) << result.out;
  const std::string text = sound(in("a.kcert"), "path");
  EXPECT_TRUE(has_line(text, "world rail"));
  EXPECT_TRUE(has_line(text, "source " + sha256_of(kRail) + " " + rail_));
  EXPECT_TRUE(has_line(text, "source " + sha256_of(kFree) + " " + free_));
  EXPECT_EQ(count_of(text, "source"), 2U);
  EXPECT_TRUE(has_line(text, "note link%20axle%20has%20no%20body"));
  EXPECT_TRUE(has_line(text, "option path " + free_));
  EXPECT_EQ(count_of(text, "piece"), 2U);
  EXPECT_GE(count_of(text, "apart"), 1U);
  const auto inventory = run({"info", rail_, "--json"});
  const json info = json::parse(inventory.out, nullptr, false);
  EXPECT_TRUE(has_line(text, "inventory " + info["hash"].get<std::string>()));
  expect_nothing_beside(folder_.path());
}

/// A robot with objects around it that another file has: both are named.
TEST_F(Certificates, ARobotInASceneOfItsOwn) {
  const std::string scene = folder_.write(
      "objects.json",
      R"({"objects": [{"name": "crate", "shape": "sphere", "radius": 0.1, "pose": {"xyz": [0, 9, 0]}}]})");
  const std::vector<std::vector<std::string>> commands = {
      {"box", rail_, "--joint", "slide=2,3"},
      {"certify", rail_, "--path", free_},
      {"box", "six_axis_arm", "--q", "0,0,0,0,0,0", "--width", "0.01"}};
  for (std::vector<std::string> words : commands) {
    words.insert(words.end(), {"--scene", scene, "--certificate", in("a.kcert")});
    const Result result = run(words);
    ASSERT_EQ(result.code, 0) << words[0] << ": " << result.err;
    const std::string text = sound(in("a.kcert"), words[0] == "box" ? "box" : "path");
    EXPECT_TRUE(has_line(text, "source " + sha256_of(slurp(scene)) + " " + scene)) << words[0];
    EXPECT_EQ(has_line(text, "source " + sha256_of(kRail) + " " + rail_), words[1] == rail_);
    EXPECT_NE(text.find("\nsolid crate object "), std::string::npos);
    std::filesystem::remove(in("a.kcert"));
  }
}

TEST_F(Certificates, TheSameQuestionHasTheSameBytes) {
  for (const auto& [name, threads] : {std::pair("a.kcert", "1"), std::pair("b.kcert", "3")}) {
    ASSERT_EQ(run({"certify", "two_arms", "--path", "task1", "--threads", threads, "--certificate",
                   in(name)})
                  .code,
              0);
  }
  EXPECT_EQ(sound(in("a.kcert"), "path"), slurp(in("b.kcert")));
  EXPECT_TRUE(has_line(slurp(in("a.kcert")), "option path task1"));
  for (const char* name : {"two_arms.json", "bench_arm.urdf", "two_arms_task1.csv"}) {
    EXPECT_NE(slurp(in("a.kcert")).find(" builtin:" + std::string(name) + "\n"), std::string::npos)
        << name;
  }
}

TEST_F(Certificates, JsonSaysWhatWasWritten) {
  const Result result = certify({"--path", free_, "--certificate", in("a.kcert"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const auto lines = json_lines(result.out);
  ASSERT_EQ(lines.size(), 1U);
  const json filed = lines[0]["certificate"];
  const std::string text = sound(in("a.kcert"), "path");
  EXPECT_EQ(filed["file"], in("a.kcert"));
  EXPECT_EQ(filed["sha256"], sha256_of(text));
  EXPECT_EQ(filed["bytes"], text.size());
  EXPECT_EQ(filed["cells"], count_of(text, "done"));
  EXPECT_GT(filed["clearance"].get<double>(), 0);
  EXPECT_LE(filed["clearance"].get<double>(), lines[0]["clearance"].get<double>());
  const auto none = json_lines(certify({"--path", free_, "--json"}).out);
  EXPECT_FALSE(none[0].contains("certificate"));
  const Result hit = certify({"--path", hit_, "--certificate", in("b.kcert"), "--json"});
  EXPECT_TRUE(json_lines(hit.out)[0]["certificate"].is_null());
}

TEST_F(Certificates, WhatIsNotFreeHasNone) {
  const Result result = certify({"--path", hit_, "--certificate", in("a.kcert")});
  expect_error(result, 1, "no certificate: " + in("a.kcert") + ": the motion is not free");
  EXPECT_FALSE(is_there("a.kcert"));
  const Result quiet = certify({"--path", hit_, "--certificate", in("a.kcert"), "--quiet"});
  EXPECT_EQ(quiet.code, 1);
  EXPECT_EQ(quiet.err, "");
  // One of an earlier run is not touched, and that is said.
  ASSERT_EQ(certify({"--path", free_, "--certificate", in("a.kcert"), "--quiet"}).code, 0);
  const std::string before = slurp(in("a.kcert"));
  expect_error(certify({"--path", hit_, "--certificate", in("a.kcert")}), 1, "an older one");
  EXPECT_EQ(slurp(in("a.kcert")), before);
  // With a margin that it does not keep, likewise.
  expect_error(certify({"--path", free_, "--margin", "0.6", "--certificate", in("c.kcert")}), 1,
               "is not free");
  EXPECT_FALSE(is_there("c.kcert"));
}

TEST_F(Certificates, ABatchHasAFolderAndANameForEach) {
  for (const char* folder : {"x", "y"}) std::filesystem::create_directory(in(folder));
  const std::string same = folder_.write("x/free.csv", kFree);
  const std::string also = folder_.write("y/free.yaml",
                                         "joint_names: [slide]\npoints:\n"
                                         "- {positions: [2], time_from_start: 0}\n"
                                         "- {positions: [3], time_from_start: 1}\n");
  const std::vector<std::string> paths = {"--path", same, "--path", hit_,
                                          "--path", also, "--path", free_};
  auto words = paths;
  words.insert(words.end(), {"--certificate", in("new/certificates/"), "--json"});
  const Result result = certify(words);
  expect_error(result, 1, "1 of 4 motions are not free");
  const auto lines = json_lines(result.out);
  ASSERT_EQ(lines.size(), 4U);
  EXPECT_EQ(lines[0]["certificate"]["file"], in("new/certificates/free.kcert"));
  EXPECT_TRUE(lines[1]["certificate"].is_null());
  EXPECT_EQ(lines[2]["certificate"]["file"], in("new/certificates/free-2.kcert"));
  EXPECT_EQ(lines[3]["certificate"]["file"], in("new/certificates/free-3.kcert"));
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(in("new/certificates"))) {
    sound(entry.path(), "path");
    ++files;
  }
  EXPECT_EQ(files, 3U);
  // The file of a motion alone is the same.
  ASSERT_EQ(certify({"--path", also, "--certificate", in("alone.kcert")}).code, 0);
  EXPECT_EQ(slurp(in("alone.kcert")), slurp(in("new/certificates/free-2.kcert")));

  words = paths;
  words.insert(words.end(), {"--certificate", in("nofolder")});
  expect_error(certify(words), 64, "name a folder");
  EXPECT_FALSE(is_there("nofolder"));
}

TEST_F(Certificates, FilesThatCannotBeWrittenAreSaid) {
  if (std::filesystem::exists("/dev/full")) {
    for (const char* how : {"--json", "--quiet"}) {
      expect_error(certify({"--path", free_, "--certificate", "/dev/full", how}), 74,
                   "/dev/full: cannot be written");
    }
  }
  expect_error(certify({"--path", free_, "--certificate", in("no/such/a.kcert")}), 74,
               "there is no folder");
  expect_error(certify({"--path", free_, "--certificate", free_}), 64, "is an input itself");
  expect_error(certify({"--path", free_, "--certificate", rail_}), 64, "is an input itself");
  expect_error(certify({"--path", free_, "--certificate", in("a.kcert"), "--proof", in("a.kcert")}),
               64, "is to be written twice");
  EXPECT_EQ(slurp(free_), kFree);
  EXPECT_EQ(slurp(rail_), kRail);
  EXPECT_FALSE(is_there("a.kcert"));
  expect_nothing_beside(folder_.path());
}

TEST_F(Certificates, SourcesMustBeFilesThatCanBeReadAgain) {
  std::filesystem::create_directory(in("tubes"));
  const std::string tube = folder_.write("tubes/tube.csv", "time,slide\n0,0.01\n2,0.02\n");
  ASSERT_EQ(certify({"--path", free_, "--tube", tube, "--certificate", in("a.kcert")}).code, 0);
  const std::string text = sound(in("a.kcert"), "path");
  EXPECT_TRUE(has_line(text, "source " + sha256_of(slurp(tube)) + " " + tube));
  EXPECT_EQ(count_of(text, "tube"), 3U);
  ASSERT_EQ(certify({"--path", free_, "--tube", "0.01", "--certificate", in("b.kcert")}).code, 0);
  EXPECT_EQ(count_of(slurp(in("b.kcert")), "source"), 2U);
}

TEST_F(Certificates, EveryFileOfASceneIsNamedOnce) {
  const std::string mesh =
      folder_.write("part.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\nf 1 3 4\n");
  const std::string cloud = folder_.write("cloud.xyz", "5 5 5\n5 5 6\n");
  const std::string included = folder_.write("more.json", R"({"objects": [
    {"name": "cloud", "shape": "points", "file": "cloud.xyz", "radius": 0.05}]})");
  const std::string srdf = folder_.write("rail.srdf", R"(<robot name="rail"/>)");
  const std::string scene = folder_.write("scene.json", R"({"include": ["more.json"],
    "robots": [{"name": "a", "urdf": "rail.urdf", "srdf": "rail.srdf"},
               {"name": "b", "urdf": "rail.urdf", "base": {"xyz": [0, 5, 0]}}],
    "objects": [{"name": "part", "shape": "mesh", "file": "part.obj", "pose": {"xyz": [0, -3, 0]}},
                {"name": "held", "shape": "mesh", "file": "part.obj", "pose": {"xyz": [0, 0, 1]}}],
    "attached": [{"object": "held", "link": "a/cart"}]})");
  const std::string path = folder_.write("ab.csv", "time,a/slide,b/slide\n0,3,3\n1,2.5,2\n");
  const Result result = run({"certify", scene, "--path", path, "--certificate", in("s.kcert")});
  ASSERT_EQ(result.code, 0) << result.err << result.out;
  const std::string text = sound(in("s.kcert"), "path");
  std::string expected;
  for (const std::string& file : {scene, included, rail_, srdf, mesh, cloud, path}) {
    expected += "source " + sha256_of(slurp(file)) + " " + file + "\n";
  }
  EXPECT_NE(text.find("\n" + expected + "option "), std::string::npos)
      << text.substr(0, 2000) << "lacks\n"
      << expected;
}

TEST_F(Certificates, ASummaryIsForPeople) {
  const Result result = certify(
      {"--path", free_, "--base", "0.01,0.02", "--certificate", in("a.kcert"), "--summary"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string text = sound(in("a.kcert"), "path");
  for (const std::string& part :
       {std::string("free: proved for the whole motion, 0 to 2 s"), std::string("0.01 m and 0.02"),
        std::string("1, not covered: axle"), sha256_of(text), sha256_of(kFree),
        "keepclear-verify " + in("a.kcert")}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << result.out << "lacks " << part;
  }
  // Not among lines of JSON.
  expect_error(certify({"--path", free_, "--certificate", in("a.kcert"), "--summary", "--json"}),
               64, "--summary: not with --json");
}

TEST_F(Certificates, MotionsOfObjectsHaveNone) {
  const std::string scene = folder_.write("tray.json", kTray);
  const std::string motion = folder_.write("motion.json", tray_motion("2.2"));
  expect_error(
      run({"certify", rail_, "--scene", scene, "--path", motion, "--certificate", in("a.kcert")}),
      64, "motions of objects have none");
  EXPECT_FALSE(is_there("a.kcert"));
}

TEST_F(Certificates, RobotsOnClocksOfTheirOwn) {
  const std::string scene = folder_.write("scene.json", R"({"robots": [
    {"name": "a", "urdf": "rail.urdf"},
    {"name": "b", "urdf": "rail.urdf", "base": {"xyz": [0, 5, 0]}}]})");
  const std::string a = folder_.write("a.csv", "time,a/slide\n0,3\n1,2\n");
  const std::string b = folder_.write("b.csv", "time,b/slide\n0,3\n1,2\n");
  const Result result = run({"certify", scene, "--clock", "a=" + a, "--clock", "b=" + b, "--offset",
                             "0.5", "--certificate", in("c.kcert")});
  ASSERT_EQ(result.code, 0) << result.err << result.out;
  const std::string text = sound(in("c.kcert"), "clocks");
  EXPECT_EQ(count_of(text, "path"), 2U);
  EXPECT_TRUE(has_line(text, "offset 0x1p-1"));
  EXPECT_TRUE(has_line(text, "option clock a=" + a));
  EXPECT_TRUE(has_line(text, "source " + sha256_of(slurp(scene)) + " " + scene));
  // The robots have one description: it stands there once.
  EXPECT_EQ(count_of(text, "source"), 4U);
}

TEST_F(Certificates, OfBoxes) {
  const std::string box = folder_.write("box.json", R"({"joints": {"slide": [1.5, 4]}})");
  const auto prove = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"box", rail_, "--certificate", in("b.kcert")});
    return run(words);
  };
  expect_error(prove({"--joint", "slide=0,4"}), 1, "the box is not free");
  EXPECT_FALSE(is_there("b.kcert"));
  const Result result = prove({"--box", box, "--summary"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_NE(result.out.find("free: proved for every configuration in the box\n"),
            std::string::npos);
  const std::string text = sound(in("b.kcert"), "box");
  EXPECT_TRUE(has_line(text, "range 0x1.8p+0 0x1p+2"));
  EXPECT_TRUE(has_line(text, "source " + sha256_of(slurp(box)) + " " + box));
  const json answer = json_lines(prove({"--box", box, "--json"}).out)[0];
  EXPECT_EQ(answer["certificate"]["sha256"], sha256_of(text));
  EXPECT_EQ(slurp(in("b.kcert")), text);
  expect_error(run({"box", rail_, "--box", box, "--certificate", box}), 64, "is an input itself");
}

TEST_F(Certificates, OfPairsThatNeverTouch) {
  const Result result = run({"pairs", "six_axis_arm", "--certificate", in("p.kcert"), "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string text = sound(in("p.kcert"), "never");
  const json document = json::parse(result.out, nullptr, false);
  EXPECT_EQ(document["certificate"]["sha256"], sha256_of(text));
  EXPECT_GE(count_of(text, "only"), 1U);
  EXPECT_LE(count_of(text, "only"), document["counts"]["never"].get<std::size_t>());
  EXPECT_EQ(count_of(text, "tree"), count_of(text, "only"));
  // The cart does touch its stop.
  const Result none = run({"pairs", rail_, "--certificate", in("n.kcert")});
  expect_error(none, 0, "never touch");
  EXPECT_FALSE(is_there("n.kcert"));
}

TEST_F(Certificates, OfBodiesAroundShapes) {
  const std::vector<std::string> words = {"fit",        "six_axis_arm",
                                          "--starts",   "30",
                                          "--refined",  "1",
                                          "--points",   "3",
                                          "--no-lint",  "--no-cache",
                                          "--json",     "-o",
                                          in("m.json"), "--certificate",
                                          in("f.kcert")};
  const Result result = run(words);
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string text = sound(in("f.kcert"), "fit");
  const json document = json::parse(result.out, nullptr, false);
  EXPECT_EQ(document["certificate"]["sha256"], sha256_of(text));
  EXPECT_EQ(count_of(text, "hull"), document["bodies"].size());
  EXPECT_TRUE(has_line(text, "source " + sha256_of(slurp(in("m.json"))) + " " + in("m.json")));
  EXPECT_EQ(count_of(text, "shape"), count_of(text, "whole"));  // no meshes
  EXPECT_GE(count_of(text, "inside"), count_of(text, "corner"));
  EXPECT_EQ(count_of(text, "clearance") + count_of(text, "margin") + count_of(text, "tree"), 0U);
}

TEST_F(Certificates, OfCyclesThatAreGo) {
  const std::string brake = folder_.write("still.json", kStill);
  const std::string states =
      folder_.write("states.csv", std::string(kHeader) + "0,3,0\n1,3,0\n2,0.5,0\n");
  const auto guard = [&](std::vector<std::string> words) {
    words.insert(words.begin(), {"guard", rail_, "--no-timing"});
    return run(words);
  };
  const Result result = guard({"--replay", states, "--brake", brake, "--record", in("last.kcr"),
                               "--certificate", in("g.kcert"), "--summary"});
  EXPECT_EQ(result.code, 1) << result.err;  // it braked in the end
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("go: proved of 2 cycles"), std::string::npos) << result.out;
  const std::string text = sound(in("g.kcert"), "guard");
  EXPECT_EQ(count_of(text, "cycle"), 2U);
  EXPECT_TRUE(has_line(text, "latency 0x1.4p+4"));
  EXPECT_TRUE(has_line(text, "source " + sha256_of(kStill) + " " + brake));
  EXPECT_TRUE(has_line(text, "source " + sha256_of(slurp(states)) + " " + states));
  // Of the recording, the same cycles.
  const Result again =
      guard({"--replay", in("last.kcr"), "--json", "--certificate", in("r.kcert")});
  EXPECT_EQ(again.code, 1) << again.err;
  const std::string replayed = sound(in("r.kcert"), "guard");
  EXPECT_EQ(count_of(replayed, "cycle"), 2U);
  const auto claimed = [](const std::string& of) {
    const std::size_t begin = of.find("\nlatency ");
    return of.substr(begin, of.rfind("\nend ") - begin);
  };
  EXPECT_EQ(claimed(replayed), claimed(text));
  EXPECT_EQ(json_lines(again.out).back()["summary"]["certificate"]["sha256"], sha256_of(replayed));

  // None that went.
  const std::string near = folder_.write("near.csv", std::string(kHeader) + "0,0.5,0\n");
  const Result none = guard({"--replay", near, "--brake", brake, "--certificate", in("n.kcert")});
  expect_error(none, 1, "no cycle is go");
  EXPECT_FALSE(is_there("n.kcert"));
  expect_error(guard({"--stdin", "--brake", brake, "--certificate", in("n.kcert")}), 64,
               ": only with --replay");
}

/// A cart that floats: guards of such joints have no certificate.
TEST_F(Certificates, WhatIsNotCertifiedIsSaidThoughItIsFree) {
  const std::string robot = folder_.write("raft.urdf", R"(<robot name="raft">
    <link name="pier"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
    <link name="raft"><collision><geometry><sphere radius="0.5"/></geometry></collision></link>
    <link name="pole"/>
    <joint name="water" type="planar"><parent link="pier"/><child link="pole"/></joint>
    <joint name="mast" type="fixed"><parent link="pole"/><child link="raft"/></joint></robot>)");
  const std::string brake = folder_.write("still.json", kStill);
  const World world = load(robot);
  std::string header = "time", values = "0";
  for (const char* block : {"q.", "v."}) {
    for (const Variable& variable : world.variables()) {
      header += "," + std::string(block) + variable.name;
      values += block[0] == 'q' ? ",3" : ",0";
    }
  }
  const std::string states = folder_.write("raft.csv", header + "\n" + values + "\n");
  const Result went = run({"guard", robot, "--replay", states, "--brake", brake});
  ASSERT_EQ(went.code, 0) << went.err << went.out;
  const Result result = run({"guard", robot, "--replay", states, "--brake", brake, "--certificate",
                             in("a.kcert"), "--json"});
  expect_error(result, 2, "cycles are go, but that is not certified: ");
  EXPECT_TRUE(json_lines(result.out).back()["summary"]["certificate"].is_null());
  EXPECT_FALSE(is_there("a.kcert"));
}

TEST_F(Certificates, AReportSumsItUp) {
  const Result first =
      run({"report", rail_, "--path", free_, "-o", in("a.html"), "--certificate", in("a.kcert")});
  if (first.code == 64 && first.err.find("Node.js") != std::string::npos) {
    GTEST_SKIP() << "skipped: built without the page";
  }
  ASSERT_EQ(first.code, 0) << first.err;
  const std::string text = sound(in("a.kcert"), "path");
  const std::string page = slurp(in("a.html"));
  EXPECT_NE(page.find("Certificate of " + free_), std::string::npos);
  EXPECT_NE(page.find(sha256_of(text)), std::string::npos);
  EXPECT_NE(page.find("keepclear-verify " + in("a.kcert")), std::string::npos);
  const Result hit = run({"report", rail_, "--path", hit_, "-o", in("b.html"), "--certificate",
                          in("b.kcert"), "--json"});
  expect_error(hit, 1, "the motion is not free");
  EXPECT_FALSE(is_there("b.kcert"));
  EXPECT_EQ(json_lines(hit.out)[0]["certificates"], json::array({nullptr}));
  expect_error(run({"report", rail_, "-o", in("c.html"), "--certificate", in("c.kcert")}), 64,
               ": only with --path");
}

}  // namespace
}  // namespace keepclear::test
