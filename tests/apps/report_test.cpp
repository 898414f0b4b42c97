// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear report as a user runs it: a file that says what the other commands say, that needs
// nothing but itself, and that comes out the same each time; and a picture.
#include <png.h>

#include <cmath>
#include <regex>
#include <set>

#include "guard_run.hpp"
#include "raster.hpp"

namespace keepclear::test {
namespace {

namespace fs = std::filesystem;

/// The value of a row of text; empty where there is none.
std::string row_of(const json& document, const std::string& section, const std::string& name) {
  for (const json& each : document["sections"]) {
    if (each["title"] != section) continue;
    for (const json& row : each["rows"]) {
      if (row[0] == name) return row[1];
    }
  }
  return "";
}

/// Nothing in the page leads anywhere else: what loads, loads itself.
void expect_alone(const std::string& page) {
  const std::regex outside(R"re((src|href|action|data|poster)\s*=\s*["']?(https?:|//|file:))re");
  const std::size_t script = page.find("<script>");
  ASSERT_NE(script, std::string::npos);
  // The script itself speaks of addresses only to those who read it.
  EXPECT_FALSE(std::regex_search(page.substr(0, script), outside));
  EXPECT_EQ(page.find("<script src"), std::string::npos);
  EXPECT_EQ(page.find("rel=\"stylesheet\""), std::string::npos);
  EXPECT_EQ(page.find("@import"), std::string::npos);
  EXPECT_NE(page.find("default-src 'none'"), std::string::npos);
}

class Report : public testing::Test {
 protected:
  void SetUp() override {
    // It takes Node.js to build the page.
    const Result result = run({"report", "two_arms", "-o", file("report.html"), "--q", "none"});
    if (result.err.find("has no page") != std::string::npos) GTEST_SKIP() << result.err;
  }
  std::string file(const std::string& name) const { return folder_.path() / name; }
  /// Writes a report and reads it again.
  json report(std::vector<std::string> words, int code) {
    words.insert(words.begin(), "report");
    words.insert(words.end(), {"-o", file("report.html")});
    const Result result = run(words);
    EXPECT_EQ(result.code, code) << result.out << result.err;
    out_ = result.out;
    page_ = slurp(file("report.html"));
    expect_alone(page_);
    json document = document_of(page_);
    EXPECT_TRUE(document.is_object());
    return document;
  }

  const TempFolder folder_;
  std::string out_, page_;
};

TEST_F(Report, OfABuiltinWorldHasItsInventory) {
  const json document = report({"two_arms"}, 0);
  const json info = json::parse(run({"info", "two_arms", "--no-lint", "--json"}).out);
  EXPECT_EQ(document["format"], "keepclear-page");
  EXPECT_EQ(document["live"], false);
  EXPECT_EQ(document["world"]["hash"], info["hash"]);
  EXPECT_EQ(document["world"]["pairs"], info["pair_count"]);
  EXPECT_EQ(document["world"]["joints"].size(), info["joints"].size());
  EXPECT_EQ(document["world"]["bodies"].size(), info["bodies"].size());
  EXPECT_EQ(document["states"].size(), document["poses"].size());
  EXPECT_EQ(row_of(document, "World", "SHA-256 of all that verdicts depend on"), info["hash"]);
  EXPECT_EQ(row_of(document, "Pairs that are not checked", "Number"),
            std::to_string(info["left_out"].size()));
  EXPECT_EQ(row_of(document, "How to repeat it", "Command"),
            "keepclear report two_arms -o " + file("report.html"));
  for (const json& joint : info["joints"]) {
    EXPECT_NE(row_of(document, "Joints", joint["name"]), "") << joint;
  }
  // The same stands in the file for those who print it or run no scripts.
  EXPECT_NE(page_.find("<dd>" + info["hash"].get<std::string>() + "</dd>"), std::string::npos);
  EXPECT_EQ(out_, "done\nwritten: " + file("report.html") + "\n");
}

TEST_F(Report, SaysOfAMotionWhatCertifySays) {
  for (const char* task : {"task1", "task2"}) {
    const std::vector<std::string> asked = {"two_arms", "--path", task, "--margin", "0.002"};
    std::vector<std::string> words = asked;
    words.insert(words.begin(), "certify");
    words.emplace_back("--json");
    const Result certify = run(words);
    const json answer = json::parse(certify.out);
    const json document = report(asked, certify.code);
    ASSERT_EQ(document["motions"].size(), 1U);
    const json& motion = document["motions"][0];
    for (const char* member :
         {"verdict", "clearance", "first_contact", "distance", "time", "tests", "parts", "depth"}) {
      EXPECT_EQ(motion[member], answer[member]) << task << " " << member;
    }
    EXPECT_EQ(motion["intervals"].size(), answer["intervals"].size());
    // No bound of the strip is more than what a sample has there.
    const json &strip = motion["strip"], &samples = motion["samples"];
    std::size_t judged = 0;
    for (std::size_t i = 0, k = 0; i < samples["time"].size(); ++i) {
      const double time = samples["time"][i];
      while (k < strip["to"].size() && strip["to"][k] < time) ++k;
      if (k == strip["to"].size() || strip["from"][k] > time) continue;
      ++judged;
      EXPECT_LE(strip["bound"][k], samples["distance"][i]) << task << " at " << time;
    }
    EXPECT_GT(judged, 100U);
    EXPECT_EQ(motion["seconds"], 0) << "a report does not depend on the clock";
    EXPECT_NE(row_of(document, "Motion " + std::string(task), "Contract"), "");
    EXPECT_NE(out_.find(answer["verdict"].get<std::string>() + ": "), std::string::npos) << out_;
  }
}

TEST_F(Report, OfAMotionInContactNamesTimeAndPair) {
  const std::string rail = folder_.write("rail.urdf", kRail);
  const std::string path = folder_.write("into.csv", "time,slide\n0,3\n4,-1\n");
  const json document = report({rail, "--path", path}, 1);
  const json& motion = document["motions"][0];
  EXPECT_EQ(motion["verdict"], "contact");
  EXPECT_NEAR(motion["first_contact"].get<double>(), 2, 0.01);
  EXPECT_EQ(row_of(document, "Verdict", "Answered").rfind("contact: stop - cart at ", 0), 0U);
  // Answers for a batch: the worst counts.
  const std::string clear = folder_.write("clear.csv", "time,slide\n0,3\n4,2\n");
  const json both = report({rail, "--path", clear, "--path", path, "--json"}, 1);
  ASSERT_EQ(both["motions"].size(), 2U);
  EXPECT_EQ(both["motions"][0]["verdict"], "free");
  EXPECT_EQ(both["motions"][1]["verdict"], "contact");
  const json said = json::parse(out_);
  EXPECT_EQ(said["verdict"], "contact");
  EXPECT_EQ(said["files"], json::array({file("report.html")}));
}

TEST_F(Report, SaysOfAMovingObjectWhatCertifySays) {
  const std::string rail = folder_.write("rail.urdf", kRail);
  const std::string scene = folder_.write("scene.json", kTray);
  const std::string up = folder_.write("up.json", tray_motion("2.7"));
  const std::string into = folder_.write("into.json", tray_motion("4"));
  const std::string slide = folder_.write("slide.csv", "time,slide\n0,3\n4,2\n");
  const std::vector<std::string> asked = {rail, "--scene", scene, "--rest", "slide=4", "--path",
                                          up,   "--path",  slide, "--path", into};
  std::vector<std::string> words = asked;
  words.insert(words.begin(), "certify");
  words.emplace_back("--json");
  const auto answers = json_lines(run(words).out);
  words = asked;
  words.insert(words.end(), {"--png", file("tray.png"), "--size", "200x120"});
  const json document = report(words, 1);
  ASSERT_EQ(answers.size(), 3U);
  ASSERT_EQ(document["motions"].size(), 3U);
  EXPECT_FALSE(document["motions"][1].contains("object"));
  for (const std::size_t i : {0, 2}) {
    const json& motion = document["motions"][i];
    for (const char* member :
         {"verdict", "clearance", "first_contact", "distance", "time", "tests", "depth"}) {
      EXPECT_EQ(motion[member], answers[i][member]) << i << " " << member;
    }
    EXPECT_EQ(motion["parts"], answers[i]["balls"]);
    EXPECT_EQ(motion["intervals"].size(), answers[i]["intervals"].size());
    const auto name = [&](const json& solid) {
      return document["world"]["solids"][solid.get<std::size_t>()]["name"];
    };
    EXPECT_EQ(name(motion["object"]), "tray");
    EXPECT_EQ(name(motion["pair"][0]), "tray");
    EXPECT_EQ(name(motion["pair"][1]), "wall");
    EXPECT_EQ(motion["samples"]["q"], json::parse("[[4]]"));
  }
  EXPECT_EQ(row_of(document, "Motion " + into, "Object that moves"), "tray");
  EXPECT_EQ(row_of(document, "Motion " + into, "Verdict").rfind("contact: tray - wall at ", 0), 0U);
  EXPECT_TRUE(fs::exists(file("tray.png")));
}

TEST_F(Report, OfAGuardRunTellsItsFirstBrake) {
  const std::string rail = folder_.write("rail.urdf", kRail);
  const std::string brake =
      folder_.write("brake.json",
                    R"({"delays": {"age": 0, "cycle": 0.1, "communication": 0, "brake_reaction": 0,
          "missing_answer_noticed": "at once"},
          "default": {"max_acceleration": 1, "brake_deceleration": 1,
                      "brake_deceleration_most": 1}})");
  std::string states = kHeader;
  for (int i = 0; i < 30; ++i) {
    states += std::to_string(0.1 * i) + "," + std::to_string(4 - 0.1 * i) + ",-1\n";
  }
  const std::string log = folder_.write("states.csv", states), recording = file("last.kcr");
  const Result guard = run({"guard", rail, "--replay", log, "--brake", brake, "--json", "--quiet",
                            "--record", recording});
  ASSERT_EQ(guard.code, 1) << guard.err;
  std::vector<json> lines = json_lines(guard.out);
  const json summary = lines.back()["summary"];
  lines.pop_back();
  const json document = report({rail, "--states", log, "--brake", brake}, 1);
  EXPECT_EQ(document["guard"]["cycles"], lines.size());
  EXPECT_EQ(document["guard"]["rows"]["cycle"].size(), lines.size());
  const std::string rule = "age 0 s + cycle 0.1 s + communication 0 s + brake_reaction 0 s";
  EXPECT_EQ(document["guard"]["latency_rule"], rule);
  EXPECT_EQ(row_of(document, "Brake model", "Latency"), "0.1 s = " + rule);
  EXPECT_EQ(row_of(document, "Guard", "States between cycles, at most"),
            "the cycle in the delays apart");
  EXPECT_TRUE(document["guard"]["histogram"].is_null()) << "a report does not depend on the clock";
  bool went = false;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const bool go = lines[i]["action"] == "go";
    EXPECT_EQ(document["guard"]["rows"]["go"][i], go ? 1 : 0) << i;
    EXPECT_EQ(document["guard"]["rows"]["reason"][i], lines[i]["reason"]) << i;
    EXPECT_EQ(document["guard"]["rows"]["flops"][i], lines[i]["flops"]) << i;
    if (!go && went) {
      EXPECT_EQ(row_of(document, "Guard", "First brake")
                    .rfind("cycle " + std::to_string(i + 1) + ", at ", 0),
                0U);
      EXPECT_EQ(row_of(document, "Guard", "Pair that decided"), "stop - cart");
      went = false;
      break;
    }
    went = go;
  }
  EXPECT_NE(row_of(document, "Brake model", "slide"), "");
  EXPECT_EQ(out_.rfind("brake: ", 0), 0U) << out_;
  const json again = report({rail, "--recording", recording}, 1);
  EXPECT_EQ(again["guard"]["brakes"].get<std::size_t>() > 0, true);
  EXPECT_NE(page_.find("bit by bit"), std::string::npos);
}

TEST_F(Report, OfPairsHasThemAll) {
  const json document = report({"six_axis_arm", "--pairs"}, 0);
  const json pairs = json::parse(run({"pairs", "six_axis_arm", "--json"}).out);
  ASSERT_EQ(document["pairs"]["pairs"].size(), pairs["pairs"].size());
  for (std::size_t i = 0; i < pairs["pairs"].size(); ++i) {
    const json &row = document["pairs"]["pairs"][i], &expected = pairs["pairs"][i];
    EXPECT_EQ(row["class"], expected["class"]);
    EXPECT_EQ(row["clearance"], expected["clearance"]);
    const std::string name =
        expected["pair"][0].get<std::string>() + " - " + expected["pair"][1].get<std::string>();
    EXPECT_EQ(row_of(document, "Pairs of links, over the whole range of their joints", name)
                  .rfind(expected["class"], 0),
              0U);
    const int pose = row["pose"];
    EXPECT_LT(pose, static_cast<int>(document["pairs"]["poses"].size()));
    EXPECT_EQ(pose < 0, expected["witness"].is_null());
  }
}

TEST_F(Report, OfAConfigurationSaysWhatCheckSays) {
  const std::string rail = folder_.write("rail.urdf", kRail);
  const json answer = json_lines(run({"distance", rail, "--q", "3", "--json"}).out).at(0);
  EXPECT_EQ(report({rail, "--q", "3"}, 0)["poses"][0]["distance"], answer["distance"]);
  EXPECT_EQ(report({rail, "--q", "0.5"}, 1)["poses"][0]["verdict"], "contact");
  const json near = report({rail, "--q", "3", "--margin", "2.5"}, 1);
  EXPECT_EQ(near["poses"][0]["kept"], false);
  EXPECT_EQ(report({rail, "--q", "3"}, 0)["poses"][0]["kept"], true);
}

TEST_F(Report, NamesOfStrangersAreInert) {
  const std::string urdf = folder_.write("r.urdf", R"(<robot name="&lt;/script>&lt;b>&quot;'">
    <link name="a&lt;/script>&lt;script>alert(1)&lt;/script>&amp;amp;&quot;'"><collision><geometry>
      <sphere radius="1"/></geometry></collision></link><link name="b"/>
    <link name="c{{script}}"><collision><geometry><sphere radius="1"/></geometry></collision></link>
    <joint name="j&lt;!--" type="continuous"><parent
      link="a&lt;/script>&lt;script>alert(1)&lt;/script>&amp;amp;&quot;'"/><child link="b"/></joint>
    <joint name="k" type="fixed"><parent link="b"/><child link="c{{script}}"/>
      <origin xyz="3 0 0"/></joint></robot>)");
  const json document = report({urdf, "--date", "</dd><script>alert(2)</script>"}, 0);
  EXPECT_EQ(page_.find("<script>alert"), std::string::npos);
  EXPECT_EQ(page_.find("alert(1)</script>"), std::string::npos);
  EXPECT_EQ(page_.find("<b>"), std::string::npos);
  EXPECT_NE(page_.find("c{{script}}"), std::string::npos)
      << "what was filled in is not filled again";
  EXPECT_EQ(document["world"]["solids"][0]["name"], "a</script><script>alert(1)</script>&amp;\"'");
  EXPECT_EQ(document["world"]["joints"][0]["name"], "j<!--");
}

TEST_F(Report, TheSameInputGivesTheSameBytes) {
  const std::string rail = folder_.write("rail.urdf", kRail);
  const std::string path = folder_.write("p.csv", "time,slide\n0,3\n4,2\n");
  const std::string states = folder_.write("s.csv", std::string(kHeader) + "0,3,0\n0.005,3,0\n");
  const std::vector<std::string> words = {rail, "--path", path, "--states", states, "--pairs"};
  report(words, 0);
  const std::string first = page_;
  report(words, 0);
  EXPECT_TRUE(first == page_);
}

TEST_F(Report, WhatGoesWrongIsFoundOutBeforeTheWork) {
  const std::string rail = folder_.write("rail.urdf", kRail), html = file("r.html");
  const std::string path = folder_.write("p.csv", "time,slide\n0,3\n4,2\n");
  expect_error(run({"report", rail}), 64, "no file to write");
  expect_error(run({"report", rail, "-o", rail}), 64, "is an input itself");
  expect_error(run({"report", rail, "--path", path, "-o", path}), 64, "is an input itself");
  expect_error(run({"report", rail, "--path", path, "--png", path}), 64, "is an input itself");
  expect_error(run({"report", rail, "-o", html, "--png", html}), 64, "the same file");
  const std::string part = folder_.write("part.json", R"({"objects": []})");
  const std::string scene = folder_.write(
      "scene.json", R"({"robots": [{"urdf": "rail.urdf"}], "include": ["part.json"]})");
  expect_error(run({"report", scene, "-o", part}), 64, "is an input itself");
  expect_error(run({"report", rail, "-o", folder_.path()}), 74, "is a folder");
  expect_error(run({"report", rail, "-o", file("none/r.html")}), 74, "there is no folder");
  expect_error(run({"report", rail, "-o", html, "--size", "100x100"}), 64, "only with --png");
  expect_error(run({"report", rail, "--png", html, "--size", "10by10"}), 64, "WIDTHxHEIGHT");
  expect_error(run({"report", rail, "--png", html, "--size", "9000x100"}), 64, "WIDTHxHEIGHT");
  expect_error(run({"report", rail, "--png", html, "--view", "back"}), 64,
               "--view: 'back' is none of the words");
  expect_error(run({"report", rail, "-o", html, "--tube", "0.1"}), 64,
               "--tube '0.1': only with --path");
  expect_error(run({"report", rail, "-o", html, "--state", "x"}), 64, "no state 'x'");
  expect_error(run({"report", rail, "-o", html, "--q", "1", "--state", "x"}), 64,
               "--q '1': not with --state");
  expect_error(run({"report", rail, "-o", html, "--path", file("no.csv")}), 66, "no such file");
  expect_error(run({"report", rail, "-o", html, "--states", path}), 65, "p.csv");
  expect_error(run({"report", rail, "-o", html, "--recording", path}), 65, "p.csv");
  EXPECT_EQ(slurp(rail), kRail);
  EXPECT_FALSE(fs::exists(html));
}

struct Decoded {
  unsigned width = 0, height = 0;
  std::vector<unsigned char> rgb;

  std::size_t colours() const {
    std::set<unsigned> found;
    for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) {
      found.insert(rgb[i] << 16U | rgb[i + 1] << 8U | rgb[i + 2]);
    }
    return found.size();
  }
  /// The share of pixels that are clearly redder than blue: the background is not.
  double warm() const {
    std::size_t count = 0;
    for (std::size_t i = 0; i + 2 < rgb.size(); i += 3) count += rgb[i] > rgb[i + 2] + 60 ? 1 : 0;
    return 3 * static_cast<double>(count) / static_cast<double>(rgb.size());
  }
};

Decoded decoded(const std::string& bytes) {
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  Decoded picture;
  if (png_image_begin_read_from_memory(&image, bytes.data(), bytes.size()) == 0) return picture;
  image.format = PNG_FORMAT_RGB;
  picture.rgb.resize(PNG_IMAGE_SIZE(image));
  if (png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr) == 0) return {};
  picture.width = image.width;
  picture.height = image.height;
  return picture;
}

TEST_F(Report, APictureHasItsSizeAndShowsTheRobot) {
  const std::string rail = folder_.write("rail.urdf", kRail), png = file("r.png");
  const auto shot = [&](std::vector<std::string> words, int code) {
    words.insert(words.begin(), {"report", rail, "--png", png, "--size", "320x200"});
    const Result result = run(words);
    EXPECT_EQ(result.code, code) << result.err;
    return slurp(png);
  };
  const std::string contact = shot({"--q", "0.9"}, 1);
  EXPECT_EQ(contact.substr(0, 8), "\x89PNG\r\n\x1a\n");
  const Decoded picture = decoded(contact);
  EXPECT_EQ(picture.width, 320U);
  EXPECT_EQ(picture.height, 200U);
  EXPECT_GT(picture.colours(), 200U);
  EXPECT_GT(picture.warm(), 0.05) << "bodies in contact are red";
  const Decoded far = decoded(shot({"--q", "3"}, 0));
  EXPECT_GT(far.colours(), 200U);
  EXPECT_LT(far.warm(), 0.001) << "bodies that are far apart are not";
  for (const char* view : {"iso", "front", "left", "top"}) {
    const std::string one = shot({"--q", "0.9", "--view", view, "--threads", "1"}, 1);
    EXPECT_TRUE(one == shot({"--q", "0.9", "--view", view, "--threads", "3"}, 1)) << view;
    EXPECT_GT(decoded(one).warm(), 0.02) << view;
  }
}

TEST_F(Report, APictureOfAMotionShowsWhatItCovers) {
  const std::string rail = folder_.write("rail.urdf", kRail), png = file("r.png");
  const std::string path = folder_.write("p.csv", "time,slide\n0,3\n4,2\n");
  const Result result = run({"report", rail, "--path", path, "--png", png, "--json"});
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(json::parse(result.out)["files"], json::array({png}));
  const Decoded picture = decoded(slurp(png));
  EXPECT_EQ(picture.width, 1600U);
  EXPECT_EQ(picture.height, 1000U);
  EXPECT_GT(picture.colours(), 500U);
}

using command::Light;
using command::Picture;
using command::Raster;

/// A triangle across the middle of the picture, so far from the eye.
std::array<Raster::Corner, 3> across(double depth) {
  const Vec3 n{0, -1, 0};
  return {{{{-depth, depth, -depth}, n}, {{depth, depth, -depth}, n}, {{0, depth, depth}, n}}};
}

/// The colour in the middle of a picture.
std::array<int, 3> middle(const Picture& picture) {
  const std::size_t at =
      3 * (static_cast<std::size_t>(picture.height) / 2 * static_cast<std::size_t>(picture.width) +
           static_cast<std::size_t>(picture.width) / 2);
  return {picture.rgb[at], picture.rgb[at + 1], picture.rgb[at + 2]};
}

TEST(Raster, WhatIsNearerHidesWhatIsFarther) {
  const Light red{1, 0, 0}, green{0, 1, 0};
  for (const bool near_first : {true, false}) {
    Raster raster(60, 40, {});
    raster.opaque(across(near_first ? 2 : 5), near_first ? red : green, 1);
    raster.opaque(across(near_first ? 5 : 2), near_first ? green : red, 2);
    const auto [r, g, b] = middle(raster.draw(1));
    EXPECT_GT(r, 2 * g) << near_first;
    EXPECT_GT(r, 2 * b) << near_first;
  }
}

TEST(Raster, WhatIsTranslucentLetsThroughInAnyOrder) {
  const Light red{1, 0, 0}, green{0, 1, 0}, blue{0, 0, 1};
  Raster one(60, 40, {}), other(60, 40, {});
  for (Raster* raster : {&one, &other}) raster->opaque(across(5), red, 1);
  one.translucent(across(2), green, 0.9F);
  one.translucent(across(3), blue, 0.9F);
  other.translucent(across(3), blue, 0.9F);
  other.translucent(across(2), green, 0.9F);
  // What is behind something opaque is not seen.
  other.translucent(across(7), green, 0.9F);
  const auto a = middle(one.draw(1)), b = middle(other.draw(1));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_NEAR(a[i], b[i], 1);
    EXPECT_GT(a[i], 20);
  }
}

TEST(Raster, WhatIsBehindTheEyeOrNoNumberIsLeftOut) {
  const Light red{1, 0, 0};
  const Raster empty(60, 40, {});
  Raster raster(60, 40, {});
  raster.opaque(across(-2), red, 1);
  auto broken = across(2);
  broken[1].p.x = std::nan("");
  raster.opaque(broken, red, 2);
  broken[1].p.x = 1e300;
  raster.opaque(broken, red, 3);
  raster.line({0, -1, 0}, {0, std::nan(""), 0}, 3, red);
  EXPECT_TRUE(raster.draw(1).rgb == empty.draw(1).rgb);
  // One that goes through the plane of the eye is cut there.
  auto through = across(2);
  through[0].p = {-1, 5, 0.2}, through[1].p = {1, 5, -0.2}, through[2].p = {0, -50, 0.3};
  raster.opaque(through, red, 4);
  EXPECT_FALSE(raster.draw(1).rgb == empty.draw(1).rgb);
}

TEST(Raster, ALineOverEverythingIsSeen) {
  Raster raster(60, 40, {});
  raster.opaque(across(2), {1, 0, 0}, 1);
  raster.line({-1, 8, 0}, {1, 8, 0}, 4, {0, 0, 1});
  const auto [r, g, b] = middle(raster.draw(1));
  EXPECT_GT(b, 200);
  EXPECT_LT(r, 60);
  EXPECT_LT(g, 60);
}

}  // namespace
}  // namespace keepclear::test
