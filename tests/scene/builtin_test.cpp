// SPDX-License-Identifier: BSD-3-Clause
//
// The built-in worlds say of themselves what is true of them; above all the bench with two arms,
// whose tasks are the experiments of paper 5. The humanoid has a file of its own.
#include "scene/builtin.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <tuple>

#include "keepclear/distance.hpp"
#include "keepclear/model.hpp"
#include "scene/builtin_tasks.hpp"
#include "scene/worlds.hpp"

namespace keepclear {
namespace {

namespace fs = std::filesystem;
using test::find_world;
using test::Motion;
using test::names;
using test::read_task;

/// Where the joints of one bench arm are, from its base, and the end of its gripper. Written anew
/// from the drawing, so that a slip in the URDF shows.
std::vector<Vec3> stations(std::span<const double> q) {
  constexpr double kNext[] = {0, 0.3, 0.4, 0.35, 0.35, 0.3, 0.17};
  Pose X;
  std::vector<Vec3> points;
  for (int i = 0; i < 7; ++i) {
    const double angle = q[static_cast<std::size_t>(i)];
    const Vec3 rpy = i % 2 == 0 ? Vec3{0, 0, angle} : Vec3{0, angle, 0};
    X = X * Pose{rotation_from_rpy(rpy), {0, 0, kNext[i]}};
    points.push_back(X.p);
  }
  points.push_back(X * Vec3{0, 0, 0.33});
  return points;
}

/// A folder with the files of a world, gone with the object.
class Exported {
 public:
  explicit Exported(const std::string& world) {
    std::string pattern = fs::temp_directory_path() / "keepclear-builtin-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
    for (const auto& [name, text] : find_world(world).files) {
      std::ofstream(path_ / name, std::ios::binary) << text;
    }
  }
  ~Exported() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Exported(const Exported&) = delete;
  Exported& operator=(const Exported&) = delete;

  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

TEST(Builtin, FilesOfARobotLoadAsTheWorldItself) {
  for (const std::string name : {"six_axis_arm", "bench_arm"}) {
    const Exported files(name);
    EXPECT_EQ(find_world(name).files.front().first, name + ".urdf");
    EXPECT_EQ(load(files / (name + ".urdf")).hash(), load_builtin(name).hash());
    EXPECT_EQ(builtin_urdf(name), find_world(name).files.front().second);
    EXPECT_EQ(builtin_srdf(name), "");
  }
}

TEST(Builtin, FilesOfASceneLoadAsTheWorldItself) {
  const Exported files("two_arms");
  EXPECT_EQ(find_world("two_arms").files.front().first, "two_arms.json");
  const std::string hash = load_builtin("two_arms").hash();
  EXPECT_EQ(load(files / "two_arms.json").hash(), hash);

  // An arm of one's own instead of the built-in one: the file beside the scene.
  std::string json(find_world("two_arms").files.front().second);
  const std::string builtin = R"("builtin": "bench_arm")", file = R"("urdf": "bench_arm.urdf")";
  for (std::size_t at; (at = json.find(builtin)) != std::string::npos;) {
    json.replace(at, builtin.size(), file);
  }
  std::ofstream(files / "edited.json") << json;
  EXPECT_EQ(load(files / "edited.json").hash(), hash);
}

TEST(Builtin, FilesOfARobotWithItsModelLoadAsTheWorldItself) {
  const Exported files("humanoid");
  LoadOptions options;
  options.model = files / "humanoid.model.json";
  EXPECT_EQ(load(files / "humanoid.urdf", options).hash(), load_builtin("humanoid").hash());
  options = {};
  options.without_model = true;
  EXPECT_EQ(load(files / "humanoid.urdf").hash(), load_builtin("humanoid", options).hash());
}

// Loading proves that the bodies contain the shapes.
TEST(Builtin, ModelsLoadAndReplaceTheShapesOfEveryLink) {
  for (const auto& [name, bodies, most] :
       {std::tuple{"six_axis_arm", 9u, 8u}, std::tuple{"bench_arm", 7u, 2u},
        std::tuple{"two_arms", 14u, 2u}, std::tuple{"humanoid", 26u, 12u}}) {
    LoadOptions options;
    options.bodies = builtin_model(name);
    ASSERT_NE(options.bodies, nullptr) << name;
    EXPECT_EQ(options.bodies->bodies.size(), bodies) << name;
    for (const ModelBody& body : options.bodies->bodies) EXPECT_LE(body.points.size(), most);

    const World world = load_builtin(name, options);
    EXPECT_TRUE(std::ranges::all_of(world.bodies(), &BodyInfo::modelled)) << name;
    for (const PairInfo& pair : world.pairs()) EXPECT_FALSE(pair.overlap_at_neutral);
    EXPECT_EQ(DistanceQuery(world).check(world.neutral()).verdict, Verdict::free) << name;
  }
}

TEST(Builtin, ANameThatIsNoneIsToldWhichThereAre) {
  for (const bool robot : {false, true}) {
    try {
      robot ? (void)builtin_urdf("no_such_arm") : (void)load_builtin("no_such_arm");
      ADD_FAILURE();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::missing);
      EXPECT_NE(std::string(error.what()).find("bench_arm"), std::string::npos) << error.what();
      EXPECT_EQ(std::string(error.what()).find("two_arms") == std::string::npos, robot);
    }
  }
  EXPECT_THROW(builtin_urdf("two_arms"), Error);
  EXPECT_THROW(builtin_srdf("two_arms"), Error);
}

TEST(Builtin, ARobotTakesASceneAroundIt) {
  const Exported files("bench_arm");
  std::ofstream(files / "around.json")
      << R"({"objects": [{"name": "wall", "shape": "box", "size": [0.1, 4, 4],
             "pose": {"xyz": [1.0, 0, 0]}}]})";
  LoadOptions options;
  options.scene = files / "around.json";
  const World world = load_builtin("bench_arm", options);
  EXPECT_EQ(world.solids().size(), 8u);
  EXPECT_GE(world.find_solid("wall"), 0);
  DistanceQuery query(world);
  EXPECT_EQ(query.check(world.neutral()).verdict, Verdict::free);
  EXPECT_EQ(query.check(std::vector<double>{0, 1.5, 0, 0, 0, 0, 0}).verdict, Verdict::contact);

  std::ofstream(files / "robots.json") << find_world("two_arms").files.front().second;
  options.scene = files / "robots.json";
  EXPECT_THROW(load_builtin("bench_arm", options), Error);
}

// The drawing promises it, so no SRDF is needed.
TEST(BenchArm, NoLinkTouchesTheNextButOneWithinTheLimits) {
  const World world = load_builtin("bench_arm");
  ASSERT_EQ(world.dof(), 7u);
  ASSERT_EQ(world.solids().size(), 7u);
  DistanceQuery query(world);
  std::mt19937_64 random(5);
  double least = 1;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> q = test::random_pose(world, random);
    // Half of the poses are folded as far as the elbow and the wrist go.
    if (i % 2 == 0) {
      for (const std::size_t pitch : {1, 3, 5}) {
        const Variable& v = world.variables()[pitch];
        q[pitch] = random() % 2 == 0 ? v.lower : v.upper;
      }
    }
    const auto all = query.all_pairs(q);
    ASSERT_EQ(all.size(), 15u);
    for (const Nearest& pair : all) {
      if (std::abs(pair.a - pair.b) == 2) least = std::min(least, pair.lower_bound);
    }
  }
  EXPECT_GT(least, 0.05);
}

TEST(TwoArms, HasThe35SolidsAnd14JointsOfThePaper) {
  const World world = load_builtin("two_arms");
  EXPECT_EQ(world.name(), "two_arms");
  EXPECT_EQ(world.solids().size(), 35u);
  EXPECT_EQ(world.dof(), 14u);
  EXPECT_EQ(std::ranges::count(world.solids(), false, &SolidInfo::is_object), 14);
  EXPECT_EQ(std::ranges::count(world.solids(), true, &SolidInfo::moves), 14);
  for (const SolidInfo& solid : world.solids()) EXPECT_EQ(solid.pieces, 1u) << solid.name;
  for (const PairInfo& pair : world.pairs()) EXPECT_FALSE(pair.overlap_at_neutral);
  // 14 links against 21 objects and each other, less six adjacent pairs an arm and the two feet.
  EXPECT_EQ(world.pair_count(), 14u * 21u + 14u * 13u / 2u - 2u * 6u - 2u);
  EXPECT_EQ(world.left_out().size(), 14u);
}

TEST(TwoArms, EveryTaskIsAMotionOfAMinuteWithinTheLimits) {
  const World world = load_builtin("two_arms");
  ASSERT_EQ(find_world("two_arms").tasks.size(), 3u);
  for (const BuiltinWorld::Task& task : find_world("two_arms").tasks) {
    const Motion motion = read_task("two_arms", task.name);
    ASSERT_EQ(motion.columns.size(), 15u);
    EXPECT_EQ(motion.columns.front(), "time");
    for (std::size_t i = 0; i < world.dof(); ++i) {
      EXPECT_EQ(motion.columns[i + 1], world.variables()[i].name);
    }
    ASSERT_GT(motion.time.size(), 1000u);
    EXPECT_EQ(motion.time.front(), 0);
    EXPECT_EQ(motion.time.back(), 60);
    double fastest = 0;
    for (std::size_t row = 0; row < motion.poses.size(); ++row) {
      const auto& q = motion.poses[row];
      ASSERT_EQ(q.size(), world.dof());
      for (std::size_t i = 0; i < q.size(); ++i) {
        EXPECT_GE(q[i], world.variables()[i].lower);
        EXPECT_LE(q[i], world.variables()[i].upper);
      }
      if (row == 0) continue;
      const double dt = motion.time[row] - motion.time[row - 1];
      ASSERT_GT(dt, 0);
      for (const std::size_t arm : {0, 7}) {
        const auto now = stations(std::span(q).subspan(arm, 7));
        const auto before = stations(std::span(motion.poses[row - 1]).subspan(arm, 7));
        for (std::size_t i = 0; i < now.size(); ++i) {
          fastest = std::max(fastest, norm(now[i] - before[i]) / dt);
        }
      }
    }
    // Twenty-four inches a second is what the paper allows; and the arms are to move at all.
    EXPECT_LT(fastest, 0.61) << task.name;
    EXPECT_GT(fastest, 0.2) << task.name;
  }
}

TEST(TwoArms, Task1IsFreeAndComesNearTheBoxAlone) {
  const World world = load_builtin("two_arms");
  const Motion motion = read_task("two_arms", "task1");
  DistanceQuery query(world);
  const std::set<std::string> box_and_gripper{"front_box", "left/link7"};
  double least = 1;
  for (std::size_t row = 0; row < motion.poses.size(); ++row) {
    ASSERT_EQ(query.check(motion.poses[row]).verdict, Verdict::free) << motion.time[row];
    const Nearest nearest = query(motion.poses[row]);
    ASSERT_EQ(nearest.verdict, Verdict::free) << motion.time[row];
    ASSERT_GT(nearest.lower_bound, 0.01) << motion.time[row];
    if (nearest.lower_bound < 0.03) {
      EXPECT_EQ(names(world, nearest.a, nearest.b), box_and_gripper) << motion.time[row];
    }
    least = std::min(least, nearest.distance);
  }
  EXPECT_LT(least, 0.03);
}

TEST(TwoArms, Tasks2And3RunIntoTheFrontTable) {
  const World world = load_builtin("two_arms");
  DistanceOptions options;
  options.signed_distance = true;
  for (const auto& [task, gripper] :
       {std::pair{"task2", "left/link7"}, std::pair{"task3", "right/link7"}}) {
    const Motion motion = read_task("two_arms", task);
    DistanceQuery query(world, options);
    const std::set<std::string> table_and_gripper{"front_table", gripper};
    double least = 1;
    std::size_t contacts = 0;
    for (std::size_t row = 0; row < motion.poses.size(); ++row) {
      const CheckResult check = query.check(motion.poses[row]);
      if (check.verdict == Verdict::free) continue;
      ASSERT_EQ(check.verdict, Verdict::contact) << task << " at " << motion.time[row];
      EXPECT_EQ(names(world, check.a, check.b), table_and_gripper) << motion.time[row];
      const Nearest nearest = query(motion.poses[row]);
      EXPECT_EQ(names(world, nearest.a, nearest.b), table_and_gripper) << motion.time[row];
      least = std::min(least, nearest.distance);
      ++contacts;
    }
    EXPECT_GT(contacts, 100u) << task;
    EXPECT_LT(contacts, motion.poses.size() / 2) << task;
    EXPECT_LT(least, -0.04) << task;
  }
}

}  // namespace
}  // namespace keepclear
