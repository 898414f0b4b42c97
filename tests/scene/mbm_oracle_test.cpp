// SPDX-License-Identifier: BSD-3-Clause
//
// Scenes that others made: planning problems, work cells, a bookcase. Start, goal and neutral poses
// are reported as FCL reports them on the same shapes, and every difference is explained; a slice
// of tests/campaigns/scenes.cpp.
#include <unistd.h>

#include <gtest/gtest.h>

#include <iterator>
#include <optional>
#include <regex>

#include "data.hpp"
#include "scene/mbm.hpp"
#include "scene/scenes.hpp"

namespace keepclear::oracle {
namespace {

void expect_clean(const SceneTally& tally) {
  EXPECT_EQ(tally.wrong_verdicts, 0);
  EXPECT_EQ(tally.wrong_distances, 0);
  EXPECT_EQ(tally.lower_violations, 0);
  EXPECT_EQ(tally.wrong_least, 0);
  EXPECT_EQ(tally.unexplained, 0);
  EXPECT_EQ(tally.agree + tally.ours_only + tally.fcl_only, tally.states);
  if (tally.violations() == 0) return;
  for (const std::string& message : tally.messages) ADD_FAILURE() << message;
}

SceneTally judge_folder(const std::string& folder, std::size_t stride, int more = 0) {
  SceneTally tally;
  const auto path = test::data_dir() / "scenes" / folder;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::size_t first = 0;
  for (const auto& file : files) {
    judge_problems(read_problems(file, test::data_dir()), first++ % stride, stride, more, tally);
  }
  return tally;
}

TEST(SceneJudge, TellsThePrismFromTheCylinderInIt) {
  // A ball before a corner of the prism: within the stated excess of the cylinder, ours touches
  // and FCL's does not.
  const test::Folder folder;
  const std::string urdf =
      test::robot(test::link("base") + test::link("ball", test::sphere(0.1)) +
                  test::joint("x", "prismatic", "base", "ball", "<axis xyz=\"1 0 0\"/>"));
  Scene scene;
  scene.robots.push_back(test::robot_of("", folder.write("ball.urdf", urdf)));
  scene.objects.push_back(test::object_of("can", test::round_shape(Shape::Kind::cylinder, 0.5, 1)));
  const World world = compile(scene);
  const double excess = world.solids()[1].excess;
  EXPECT_GT(excess, 1e-5);
  JudgedRobots robots(scene);
  for (const double within : {-0.5, 0.5, 1.5}) {
    SceneTally tally;
    SceneJudge judge(scene, world, robots, tally);
    judge.judge(std::vector<double>{0.6 + within * excess}, "ball");
    expect_clean(tally);
    EXPECT_EQ(tally.ours_only, within == 0.5 ? 1 : 0);
    EXPECT_EQ(tally.by_prism, within == 0.5 ? 1 : 0);
    EXPECT_EQ(tally.states_contact, within < 1 ? 1 : 0);
  }
}

TEST(PlanningProblems, OfThePandaAreReportedAsFclReportsThem) {
  KEEPCLEAR_NEEDS_DATA("scenes/mbm/panda");
  const SceneTally tally = judge_folder("mbm/panda", 15);
  expect_clean(tally);
  EXPECT_EQ(tally.states, 60);
  EXPECT_GT(tally.states_free, 0);
}
TEST(PlanningProblems, OfThePandaInRandomStatesDifferFromFclOnlyWhereItIsExplained) {
  KEEPCLEAR_NEEDS_DATA("scenes/mbm/panda");
  const SceneTally tally = judge_folder("mbm/panda", 75, 100);
  expect_clean(tally);
  EXPECT_EQ(tally.states, 6 * 102);
  EXPECT_GT(tally.states_contact, 100);
  EXPECT_GT(tally.object_contacts, 30);
}
TEST(PlanningProblems, OfTheUr5AreReportedAsFclReportsThem) {
  KEEPCLEAR_NEEDS_DATA("scenes/mbm/ur5_robotiq85");
  // The meshes of its gripper have 300 000 vertices: half a second a scene.
  const SceneTally tally = judge_folder("mbm/ur5_robotiq85", 75);
  expect_clean(tally);
  EXPECT_EQ(tally.states, 12);
}
TEST(PlanningProblems, OfTheFetchAreReportedAsFclReportsThem) {
  KEEPCLEAR_NEEDS_DATA("scenes/mbm/fetch");
  const SceneTally tally = judge_folder("mbm/fetch", 15);
  expect_clean(tally);
  EXPECT_EQ(tally.states, 60);
}
TEST(PlanningProblems, OfTheKinovaAmongRandomBoxesAreReportedAsFclReportsThem) {
  KEEPCLEAR_NEEDS_DATA("scenes/armour_kinova_gen3");
  const SceneTally tally = judge_folder("armour_kinova_gen3", 10);
  expect_clean(tally);
  EXPECT_EQ(tally.scenes, 7);
}

/// A scene at its neutral pose and at random ones, where things also touch.
SceneTally judge_scene(const Scene& scene, const LoadOptions& options,
                       const std::vector<std::vector<double>>& poses) {
  SceneTally tally;
  const World world = compile(scene, options);
  JudgedRobots robots(scene);
  SceneJudge judge(scene, world, robots, tally);
  judge.judge(world.neutral(), scene.name + " neutral");
  for (const auto& q : poses) judge.judge(q, scene.name);
  return tally;
}

std::vector<std::vector<double>> random_poses(const World& world, int count) {
  std::mt19937_64 random(1);
  std::vector<std::vector<double>> poses;
  for (int k = 0; k < count; ++k) poses.push_back(random_configuration(world, random));
  return poses;
}

/// A URDF that holds a robot and its surroundings, with the SRDF that belongs to it.
void expect_workcell(const std::filesystem::path& urdf, const std::filesystem::path& package,
                     const std::optional<std::filesystem::path>& srdf) {
  Scene scene;
  scene.name = urdf.filename().string();
  scene.robots.push_back({});
  scene.robots[0].urdf = urdf;
  scene.robots[0].packages[package.filename().string()] = package;
  LoadOptions options;
  options.packages = scene.robots[0].packages;
  options.srdf = srdf;
  options.lenient = true;
  // As a file and as a scene of one robot: the same bodies and pairs.
  const World alone = load(urdf, options);
  const World world = compile(scene, options);
  ASSERT_EQ(alone.solids().size(), world.solids().size());
  ASSERT_EQ(alone.pair_count(), world.pair_count());
  const SceneTally tally = judge_scene(scene, options, random_poses(world, 20));
  expect_clean(tally);
  EXPECT_EQ(tally.states, 21);
  EXPECT_NEAR(distance(alone, alone.neutral()).distance, distance(world, world.neutral()).distance,
              1e-9);
}

/// What is no URDF in this line is noted when `lenient` passes over it.
void expect_noted(const std::filesystem::path& urdf, int foreign) {
  EXPECT_THROW(load(urdf), Error);
  const World world = load(urdf, {.lenient = true});
  const std::string place = urdf.filename().string() + ":" + std::to_string(foreign);
  EXPECT_TRUE(std::any_of(world.notes().begin(), world.notes().end(), [&](const std::string& note) {
    return note.find(place) != std::string::npos;
  }));
}

TEST(Workcells, TheCarSeatCellIsReportedAsFclReportsIt) {
  KEEPCLEAR_NEEDS_DATA("scenes/workcells");
  const auto package = test::data_dir() / "scenes/workcells/tesseract_car_seat";
  const auto urdf = package / "car_seat_demo.urdf";
  // A misspelt attribute is refused, lenient or not: a rotation may be lost.
  try {
    load(urdf, {.lenient = true});
    FAIL() << "not refused";
  } catch (const Error& error) {
    EXPECT_EQ(error.line(), 295);
    EXPECT_NE(std::string(error.what()).find("'ryp'"), std::string::npos);
  }
  std::ifstream stream(urdf);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  for (std::size_t at = 0; (at = text.find("ryp=", at)) != std::string::npos;) {
    text.replace(at, 3, "rpy");
  }
  const auto folder =
      std::filesystem::temp_directory_path() / ("keepclear_car_seat_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto mended = folder / "car_seat_demo.urdf";
  std::ofstream(mended) << text;
  expect_workcell(mended, package, package / "car_seat_demo.srdf");
  std::filesystem::remove_all(folder);
}
TEST(Workcells, ThePickAndPlaceCellIsReportedAsFclReportsIt) {
  KEEPCLEAR_NEEDS_DATA("scenes/workcells");
  const auto package = test::data_dir() / "scenes/workcells/tesseract_pick_and_place";
  const auto urdf = package / "pick_and_place_plan.urdf";
  expect_noted(urdf, 2);
  expect_noted(urdf, 167);
  expect_workcell(urdf, package, package / "pick_and_place_plan.srdf");
}
TEST(Workcells, TheKitchenWithItsDoorsIsReportedAsFclReportsIt) {
  KEEPCLEAR_NEEDS_DATA("scenes/workcells");
  const auto package = test::data_dir() / "scenes/workcells/mbm_kitchen";
  expect_workcell(package / "kitchen.urdf", package, {});
}
TEST(Workcells, TheMugLoadsAndHasNothingToHit) {
  KEEPCLEAR_NEEDS_DATA("scenes/workcells");
  const World world = load(test::data_dir() / "scenes/workcells/mbm_mug/mug.urdf");
  EXPECT_EQ(world.pair_count(), 0u);
  EXPECT_EQ(distance(world, world.neutral()).verdict, Verdict::free);
}

TEST(Bookcase, ItsScenesAreReportedAsFclReportsThem) {
  KEEPCLEAR_NEEDS_DATA("scenes/bookcase");
  int scenes = 0;
  for (const char* name : {"shelf_010mm.json", "shelf_030mm.json", "shelf_050mm.json",
                           "shelf_090mm.json", "two_arms.json"}) {
    const auto file = test::data_dir() / "scenes/bookcase" / name;
    Scene scene = read_scene(file);
    scene.name = name;
    const SceneTally tally = judge_scene(scene, {}, random_poses(load(file), 30));
    expect_clean(tally);
    EXPECT_EQ(tally.states, 31);
    ++scenes;
  }
  EXPECT_EQ(scenes, 5);
}

TEST(Bookcase, TheWaypointsOfTheReachAgreeWithFcl) {
  KEEPCLEAR_NEEDS_DATA("scenes/bookcase");
  const auto folder = test::data_dir() / "scenes/bookcase";
  std::ifstream stream(folder / "reach.json");
  const nlohmann::json reach = nlohmann::json::parse(stream);
  const Scene scene = read_scene(folder / "shelf_090mm.json");
  std::vector<std::vector<double>> poses;
  for (const auto& point : reach.at("points")) {
    poses.push_back(point.at("positions").get<std::vector<double>>());
  }
  const World world = compile(scene);
  ASSERT_EQ(poses.at(0).size(), world.dof());
  const SceneTally tally = judge_scene(scene, {}, poses);
  expect_clean(tally);
  EXPECT_EQ(tally.states, 1 + static_cast<std::int64_t>(poses.size()));
}

}  // namespace
}  // namespace keepclear::oracle
