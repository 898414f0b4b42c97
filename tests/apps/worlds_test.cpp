// SPDX-License-Identifier: BSD-3-Clause
//
// keepclear worlds: the list, the tasks, and the files.
#include "run.hpp"

namespace keepclear::test {
namespace {

using nlohmann::json;

TEST(Worlds, ListsTasksAndFiles) {
  const Result list = run({"worlds", "two_arms", "--json"});
  ASSERT_EQ(list.code, 0) << list.err;
  const json world = json::parse(list.out)["worlds"][0];
  EXPECT_EQ(world["name"], "two_arms");
  ASSERT_EQ(world["tasks"].size(), 3U);
  EXPECT_EQ(world["tasks"][0]["name"], "task1");
  EXPECT_EQ(world["files"][0], "two_arms.json");
  EXPECT_NE(run({"worlds"}).out.find("task3: "), std::string::npos);
  expect_error(run({"worlds", "no_such"}), 66, "there are: six_axis_arm");
}

TEST(Worlds, ExportedFilesAreThoseOfTheBuiltinWorld) {
  const TempFolder folder;
  const std::string deep = folder.path() / "a" / "b";
  const Result written = run({"worlds", "--export", deep, "two_arms", "--json"});
  ASSERT_EQ(written.code, 0) << written.err;
  EXPECT_EQ(json::parse(written.out)["written"].size(), 6U);
  const Result before = run({"info", "two_arms", "--json"});
  const Result after = run({"info", deep + "/two_arms.json", "--json"});
  ASSERT_EQ(before.code, 0) << before.err;
  ASSERT_EQ(after.code, 0) << after.err;
  EXPECT_EQ(json::parse(before.out)["hash"], json::parse(after.out)["hash"]);
  EXPECT_EQ(run({"check", "two_arms", "--poses", deep + "/two_arms_task1.csv"}).code, 0);
  EXPECT_EQ(run({"check", "two_arms", "--poses", deep + "/two_arms_task2.csv"}).code, 1);
}

TEST(Worlds, AModelIsExportedBesideItsRobotAndGivesTheSameWorld) {
  const TempFolder folder;
  const std::string at = folder.path();
  ASSERT_EQ(run({"worlds", "--export", at, "humanoid"}).code, 0);
  const std::string urdf = at + "/humanoid.urdf", model = at + "/humanoid.model.json";
  const auto hash = [](const std::vector<std::string>& world) {
    std::vector<std::string> command{"info", "--json"};
    command.insert(command.end(), world.begin(), world.end());
    const Result info = run(command);
    EXPECT_EQ(info.code, 0) << info.err;
    return json::parse(info.out)["hash"].get<std::string>();
  };
  EXPECT_EQ(hash({urdf, "--model", model}), hash({"humanoid"}));
  EXPECT_EQ(hash({urdf}), hash({"humanoid", "--model", "none"}));
  EXPECT_NE(hash({urdf}), hash({"humanoid"}));
  EXPECT_EQ(run({"check", "humanoid", "--poses", at + "/humanoid_hands.csv"}).code, 0);
  EXPECT_EQ(run({"check", "humanoid", "--poses", at + "/humanoid_reach.csv"}).code, 1);
}

TEST(Worlds, ExportNeverOverwrites) {
  const TempFolder folder;
  const std::string mine = folder.write("six_axis_arm.urdf", "mine");
  expect_error(run({"worlds", "--export", folder.path()}), 74, "is not overwritten");
  EXPECT_EQ(slurp(mine), "mine");
  // And nothing else was written either.
  const auto files = std::filesystem::directory_iterator(folder.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1);
  EXPECT_EQ(run({"worlds", "bench_arm", "--export", folder.path()}).code, 0);
}

TEST(Worlds, ExportThatCannotBeWrittenSaysSo) {
  const TempFolder folder;
  const std::string file = folder.write("file", "");
  expect_error(run({"worlds", "--export", file}), 74, "cannot create the folder");
  expect_error(run({"worlds", "--export", file + "/below"}), 74, "cannot create the folder");
}

}  // namespace
}  // namespace keepclear::test
