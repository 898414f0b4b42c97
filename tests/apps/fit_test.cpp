// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear fit as a user runs it: models that the other commands take, pages that open alone, and
// what goes wrong found out before the work.
#include "run.hpp"

namespace keepclear::test {
namespace {

using nlohmann::json;

/// A fit that is quick, not good. It keeps nothing unless told where.
std::vector<std::string> fit(const std::string& world, const std::vector<std::string>& more = {}) {
  std::vector<std::string> words = {"fit", world,      "--starts", "30",       "--refined",
                                    "1",   "--points", "3",        "--no-lint"};
  words.insert(words.end(), more.begin(), more.end());
  if (std::ranges::find(more, "--cache") == more.end()) words.push_back("--no-cache");
  return words;
}

json parsed(const std::string& text) {
  return json::parse(text, nullptr, false);
}

/// A link with a mesh, one without anything, and names that would end a script.
constexpr const char* kNasty = R"(<robot name="&lt;/script>"><link name="a&lt;/script>&lt;b>">
  <collision><geometry><mesh filename="part.obj"/></geometry></collision></link>
  <link name="bare"/><link name="rod"><collision><geometry><capsule radius="0.1" length="1"/>
  </geometry></collision></link>
  <joint name="j" type="fixed"><parent link="a&lt;/script>&lt;b>"/><child link="bare"/></joint>
  <joint name="k" type="continuous"><parent link="bare"/><child link="rod"/>
    <origin xyz="0 0 9"/></joint></robot>)";
constexpr const char* kPart = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 2 3\nf 1 2 4\n";

TEST(Fit, WritesAModelThatEveryCommandAccepts) {
  const TempFolder folder;
  const std::string model = folder.path() / "model.json";
  const Result result = run(fit("six_axis_arm", {"-o", model}));
  ASSERT_EQ(result.code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("--model " + model), std::string::npos) << result.out;

  const json document = parsed(slurp(model));
  ASSERT_TRUE(document.is_object());
  EXPECT_EQ(document["world"], "six_axis_arm");
  ASSERT_FALSE(document["bodies"].empty());
  for (const json& body : document["bodies"]) {
    EXPECT_GE(body["points"].size(), 1U);
    EXPECT_LE(body["points"].size(), 3U);
    EXPECT_GE(body["radius"].get<double>(), 0);
  }
  const Result info = run({"info", "six_axis_arm", "--model", model, "--json"});
  ASSERT_EQ(info.code, 0) << info.err;
  const json inventory = parsed(info.out);
  ASSERT_EQ(inventory["bodies"].size(), document["bodies"].size());
  for (const json& body : inventory["bodies"]) EXPECT_TRUE(body["modelled"]) << body;
  const std::vector<std::string> pose = {"--model", model, "--q", "0,0,0,0,0,0", "--json"};
  for (const char* command : {"distance", "check"}) {
    std::vector<std::string> words = {command, "six_axis_arm"};
    words.insert(words.end(), pose.begin(), pose.end());
    const Result answer = run(words);
    EXPECT_LE(answer.code, 1) << answer.err;
    EXPECT_EQ(json_lines(answer.out).size(), 1U);
  }
}

TEST(Fit, AModelWithOneRadiusShrunkByAMicrometreIsRefused) {
  const TempFolder folder;
  const std::string model = folder.path() / "model.json";
  ASSERT_EQ(run(fit("six_axis_arm", {"-o", model})).code, 0);
  const json whole = parsed(slurp(model));
  for (std::size_t i = 0; i < whole["bodies"].size(); ++i) {
    json shrunk = whole;
    json& radius = shrunk["bodies"][i]["radius"];
    radius = radius.get<double>() - 1e-6;
    const std::string file = folder.write("shrunk.json", shrunk.dump());
    expect_error(run({"check", "six_axis_arm", "--model", file, "--q", "0,0,0,0,0,0"}), 65,
                 "shrunk.json");
  }
}

TEST(Fit, TheSameSeedGivesTheSameBytesForAnyNumberOfThreads) {
  const TempFolder folder;
  const std::string one = folder.path() / "one.json", two = folder.path() / "two.json";
  ASSERT_EQ(run(fit("six_axis_arm", {"-o", one, "--threads", "1", "--seed", "5"})).code, 0);
  ASSERT_EQ(run(fit("six_axis_arm", {"-o", two, "--threads", "2", "--seed", "5"})).code, 0);
  EXPECT_FALSE(slurp(one).empty());
  EXPECT_EQ(slurp(one), slurp(two));
}

TEST(Fit, ASecondRunComesFromTheCacheAndGivesTheSameBytes) {
  const TempFolder folder;
  const std::string first = folder.path() / "first.json", second = folder.path() / "second.json";
  const std::string cache = folder.path() / "made" / "on_demand";
  const json before =
      parsed(run(fit("six_axis_arm", {"-o", first, "--cache", cache, "--json"})).out);
  EXPECT_EQ(before["totals"]["cached"], 0);
  ASSERT_TRUE(std::filesystem::is_directory(cache));
  const json after =
      parsed(run(fit("six_axis_arm", {"-o", second, "--cache", cache, "--json"})).out);
  EXPECT_EQ(after["totals"]["cached"], after["totals"]["bodies"]);
  for (const json& body : after["bodies"]) EXPECT_TRUE(body["cached"]) << body;
  EXPECT_FALSE(slurp(first).empty());
  EXPECT_EQ(slurp(first), slurp(second));
  const Result text = run(fit("six_axis_arm", {"--cache", cache}));
  EXPECT_NE(text.out.find("cached"), std::string::npos) << text.out;
}

TEST(Fit, TheUsualCacheIsThatOfTheUserAndMayBeUnusable) {
  const TempFolder folder;
  std::vector<std::string> words = fit("bench_arm");
  words.pop_back();
  ASSERT_EQ(run(words, {.environment = {{"XDG_CACHE_HOME", folder.path()}}}).code, 0);
  EXPECT_TRUE(std::filesystem::is_directory(folder.path() / "keepclear"));
  const std::string file = folder.write("no_folder", "");
  const Result without = run(words, {.environment = {{"XDG_CACHE_HOME", file}}});
  EXPECT_EQ(without.code, 0);
  EXPECT_EQ(without.err.rfind("keepclear: no cache: ", 0), 0U) << without.err;
  EXPECT_EQ(without.error_lines(), 1U) << without.err;
  words.push_back("--quiet");
  EXPECT_EQ(run(words, {.environment = {{"XDG_CACHE_HOME", file}}}).err, "");
}

TEST(Fit, TellsWhatItDidAsJson) {
  const Result result = run(fit("six_axis_arm", {"--json", "--excess", "0.5"}));
  ASSERT_EQ(result.code, 0) << result.err;
  const json document = parsed(result.out);
  ASSERT_TRUE(document.is_object()) << result.out;
  EXPECT_TRUE(document["model"].is_null());
  EXPECT_TRUE(document["lint"].is_null());
  EXPECT_EQ(document["options"]["excess"], 0.5);
  EXPECT_EQ(document["totals"]["bodies"], document["bodies"].size());
  std::size_t points = 0;
  for (const json& body : document["bodies"]) {
    points += body["points"].get<std::size_t>();
    EXPECT_GE(body["volume"].get<double>(), body["hull_volume"].get<double>() * (1 - 1e-9)) << body;
    for (const char* key : {"link", "files", "radius", "excess", "surface_distance", "seconds"}) {
      EXPECT_TRUE(body.contains(key)) << key;
    }
  }
  EXPECT_EQ(document["totals"]["points"], points);
}

TEST(Fit, LooksAtTheDescriptionUnlessToldNotTo) {
  std::vector<std::string> words = fit("bench_arm", {"--json"});
  words.erase(std::ranges::find(words, "--no-lint"));
  const Result result = run(words);
  ASSERT_EQ(result.code, 0) << result.err;
  const json document = parsed(result.out);
  EXPECT_TRUE(document["lint"]["findings"].is_array()) << result.out;
  EXPECT_FALSE(document["lint"]["links"].empty());
}

TEST(Fit, WrongUsageExitsSixtyFour) {
  const TempFolder folder;
  const std::string file = folder.path() / "same";
  const std::vector<std::pair<std::vector<std::string>, std::string>> cases = {
      {{"--points", "0"}, "--points"},
      {{"--points", "33"}, "--points"},
      {{"--excess", "-1"}, "--excess: '-1' is out of range"},
      {{"--excess", "nan"}, "--excess"},
      {{"--excess", "0.1", "--budget", "20"}, "--budget"},
      {{"--budget", "0"}, "--budget"},
      {{"--parts", "-1"}, "--parts"},
      {{"--around", "everything"}, "--around"},
      {{"--seed", "-1"}, "--seed"},
      {{"--seed", "many"}, "--seed"},
      {{"--starts", "0"}, "--starts"},
      {{"--refined", "-1"}, "--refined"},
      {{"--cache", "a", "--no-cache"}, "--cache 'a': not with --no-cache"},
      {{"--model", "m.json"}, "--model"},
      {{"-o", file, "--html", file}, "the same file"},
  };
  for (const auto& [more, text] : cases) {
    SCOPED_TRACE(text);
    std::vector<std::string> words = {"fit", "six_axis_arm"};
    words.insert(words.end(), more.begin(), more.end());
    const Result result = run(words);
    expect_error(result, 64, text);
    EXPECT_EQ(result.out, "");
  }
  expect_error(run({"fit"}), 64, "WORLD is required");
  expect_error(run({"fit", "no_such.urdf"}), 66, "no_such.urdf");
}

TEST(Fit, ABudgetThatDoesNotReachAroundIsRefused) {
  expect_error(run(fit("six_axis_arm", {"--budget", "1"})), 64, "budget");
}

TEST(Fit, WhatCannotBeWrittenIsFoundOutBeforeTheWork) {
  const TempFolder folder;
  // More starts than anybody waits for: the test ends only if nothing is fitted.
  const std::vector<std::string> slow = {"fit", "six_axis_arm", "--no-cache", "--starts",
                                         "1000000"};
  for (const char* option : {"-o", "--html"}) {
    for (const std::string& file :
         {std::string("/nonexistent/folder/file"), folder.path().string()}) {
      std::vector<std::string> words = slow;
      words.insert(words.end(), {option, file});
      expect_error(run(words), 74, file);
    }
  }
  const std::string urdf = folder.write("r.urdf", kNasty);
  expect_error(run({"fit", urdf, "-o", folder.path() / "." / "r.urdf", "--starts", "1000000"}), 64,
               "is an input itself");
  EXPECT_EQ(slurp(urdf), kNasty);
}

TEST(Fit, AFailedWriteExitsSeventyFour) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  expect_error(run(fit("bench_arm"), {.output_file = "/dev/full"}), 74, "standard output");
  expect_error(run(fit("bench_arm", {"-o", "/dev/full"})), 74, "/dev/full");
  expect_error(run(fit("bench_arm", {"--html", "/dev/full"})), 74, "/dev/full");
}

TEST(FitPage, HoldsEveryLinkAndLoadsNothing) {
  const TempFolder folder;
  const std::string html = folder.path() / "fit.html";
  const Result result = run(fit("two_arms", {"--html", html}));
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string page = slurp(html);
  const json info = parsed(run({"info", "two_arms", "--json"}).out);
  ASSERT_FALSE(info["links"].empty());
  for (const json& link : info["links"]) {
    EXPECT_NE(page.find(link.dump()), std::string::npos) << link;
  }
  EXPECT_NE(page.find("Content-Security-Policy\" content=\"default-src 'none'"), std::string::npos);
  for (const char* place : {"{{title}}", "{{head}}", "{{text}}", "{{script}}"}) {
    EXPECT_EQ(page.find(place), std::string::npos) << place;
  }
  // Nothing but the page is left behind.
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

TEST(FitPage, NamesFromAFileCannotBreakOut) {
  const TempFolder folder;
  folder.write("part.obj", kPart);
  const std::string urdf = folder.write("r.urdf", kNasty), html = folder.path() / "fit.html";
  const Result result = run(fit(urdf, {"--html", html}));
  ASSERT_EQ(result.code, 0) << result.err;
  const std::string page = slurp(html);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find("a\\u003c/script>\\u003cb>"), std::string::npos);
  const json document = document_of(page);
  ASSERT_TRUE(document.is_object());
  const json& world = document["world"];
  ASSERT_EQ(document["fit"]["bodies"].size(), 2U);
  EXPECT_EQ(world["bodies"][0]["from"], "part.obj");
  EXPECT_EQ(world["bodies"][1]["from"], "capsule");
  std::map<std::string, int> layers;
  for (const json& item : world["items"]) {
    EXPECT_LT(item["shape"], world["shapes"].size());
    if (item["solid"] == 0) ++layers[item["layer"]];
  }
  EXPECT_EQ(layers, (std::map<std::string, int>{{"body", 1}, {"hull", 1}, {"shape", 1}}))
      << "the mesh, its hull and the body around it";
}

}  // namespace
}  // namespace keepclear::test
