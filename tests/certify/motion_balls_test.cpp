// SPDX-License-Identifier: BSD-3-Clause
//
// Balls of displacements on parts of motions: against sampled poses of random robots and of real
// ones, fat bodies against points in their balls, and what a deviation of links takes.
#include "certify/motion_balls.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "certify/displaced.hpp"
#include "certify/motion_worlds.hpp"
#include "certify/random_tree.hpp"
#include "data.hpp"
#include "keepclear/certify.hpp"
#include "scene/scenes.hpp"

namespace keepclear {
namespace {

using test::uniform;

Vec3 vector(std::mt19937_64& random, double size) {
  const double x = uniform(random, -size, size), y = uniform(random, -size, size);
  return {x, y, uniform(random, -size, size)};
}

/// Parts of random motions, about as long as `size` in each number.
class BallJudge {
 public:
  BallJudge(const World& world, std::mt19937_64& random)
      : world_(world), random_(random), bounds_(world.data()), balls_(world.data()) {}

  std::size_t judged() const { return judged_; }
  /// The largest share of a radius that was seen to be used, of parts without a tube.
  double fullest() const { return fullest_; }

  void judge(double size, bool curved, bool tubed) {
    const WorldData& data = world_.data();
    const std::size_t dof = world_.dof();
    const std::vector<double> from = test::random_pose(world_, random_);
    std::vector<double> control, width(dof, 0.0);
    for (int r = 0; r < (curved ? 4 : 2); ++r) {
      for (std::size_t i = 0; i < dof; ++i)
        control.push_back(from[i] + uniform(random_, -size, size));
    }
    for (std::size_t i = 0; i < dof && tubed; ++i) {
      if (world_.variables()[i].name.find("/rot_") == std::string::npos) {
        width[i] = random_() % 2 == 0 ? 0 : uniform(random_, 0, 0.3 * size);
      }
    }
    const Path path = with_tube(bezier_path(dof, control, 0, 1), width);
    PosedWorld first = bounds_.make_posed(), middle = first, last = first, now = first;
    const double a = uniform(random_, 0, 0.5), b = uniform(random_, 0.5, 1);
    const double m = random_() % 3 == 0 ? uniform(random_, a, b) : 0.5 * (a + b);
    ASSERT_TRUE(bounds_.pose_at(path.data(), a, first));
    ASSERT_TRUE(bounds_.pose_at(path.data(), m, middle));
    ASSERT_TRUE(bounds_.pose_at(path.data(), b, last));
    bounds_.begin(path.data(), first, last);
    balls_.begin(bounds_, first, middle, last);
    for (int k = 0; k < 12; ++k) {
      const double place = k < 2 ? (k == 0 ? a : b) : uniform(random_, a, b);
      ASSERT_TRUE(bounds_.pose_at(path.data(), place, now));
      for (std::size_t i = 0; i < dof; ++i)
        now.q[i] += (1 - 1e-9) * uniform(random_, -width[i], width[i]);
      ASSERT_TRUE(bounds_.pose(now));
      for (std::size_t body = 0; body < data.bodies.size(); ++body) {
        for (int f = data.bodies[body].frame;; f = data.kinematics.parent(f)) {
          judge(static_cast<int>(body), f, middle, now, !tubed);
          if (f == data.origin) break;
        }
      }
    }
  }

 private:
  void judge(int body, int frame, const PosedWorld& middle, const PosedWorld& now, bool exact) {
    const WorldBody& of = world_.data().bodies[static_cast<std::size_t>(body)];
    const auto in_frame = [&](const PosedWorld& posed) {
      return rounding::relative_pose(posed.frames[static_cast<std::size_t>(frame)].X,
                                     posed.frames[static_cast<std::size_t>(of.frame)].X);
    };
    const Pose X = in_frame(middle), Y = in_frame(now);
    const MotionBalls::BodyMetric& metric = balls_.of(body);
    EXPECT_LE(metric.largest, 2 + 1e-9);
    const double radius = balls_.radius_hi(body, frame);
    const double apart = metric.metric.distance(affine(X), affine(Y));
    ++judged_;
    EXPECT_LE(apart, radius + 1e-12);
    if (exact && radius > 1e-6) fullest_ = std::max(fullest_, apart / radius);
    for (std::size_t i = 0; i < of.body.tables().count; ++i) {
      const Vec3 p = of.body.tables().point(i);
      EXPECT_LE(norm(Y * p - X * p), radius * metric.distortion[i] + 1e-12);
    }
  }

  const World& world_;
  std::mt19937_64& random_;
  MotionBounds bounds_;
  MotionBalls balls_;
  std::size_t judged_ = 0;
  double fullest_ = 0;
};

TEST(MotionBalls, HoldEveryDisplacementThatIsSampledOfRandomRobots) {
  std::mt19937_64 random(5);
  std::size_t judged = 0;
  double fullest = 0;
  for (int round = 0; round < 100; ++round) {
    const World world = test::random_tree(random);
    BallJudge judge(world, random);
    const double size = std::pow(10, uniform(random, -3, 0.3));
    judge.judge(size, random() % 2 == 0, random() % 2 == 0);
    judged += judge.judged();
    fullest = std::max(fullest, judge.fullest());
  }
  EXPECT_GT(judged, 10000u);
  EXPECT_GT(fullest, 0.99);  // of short straight lines the ends are on the ball
}

TEST(MotionBalls, HoldEveryDisplacementThatIsSampledOfRealRobots) {
  KEEPCLEAR_NEEDS_DATA("robots");
  std::mt19937_64 random(6);
  for (const char* name : {"panda/panda.urdf", "fetch/fetch.urdf"}) {
    const std::filesystem::path file = test::data_dir() / "robots" / name;
    if (!std::filesystem::exists(file)) continue;
    const World world = load(file.string());
    BallJudge judge(world, random);
    for (int round = 0; round < 8; ++round) {
      judge.judge(std::pow(10, uniform(random, -3, 0)), round % 2 == 0, round % 4 < 2);
    }
    EXPECT_GT(judge.judged(), 1000u);
    EXPECT_GT(judge.fullest(), 0.5);
  }
}

TEST(MotionBalls, JointsThatCompensateMakeThemSmall) {
  // The arm folds, and the tip goes straight towards the base: shoulder and elbow turn against
  // each other, so that both have long levers and the tip moves little.
  const std::string at = "<axis xyz=\"0 0 1\"/><origin xyz=\"1 0 0\"/>";
  const World world = test::world_of(
      test::robot(test::link("base") + test::link("upper") + test::link("lower") +
                  test::link("tip", test::box(0.1)) + test::link("post", test::sphere(0.1)) +
                  test::joint("to_post", "fixed", "base", "post", "<origin xyz=\"0 3 0\"/>") +
                  test::joint("j1", "continuous", "base", "upper", "<axis xyz=\"0 0 1\"/>") +
                  test::joint("j2", "continuous", "upper", "lower", at) +
                  test::joint("j3", "continuous", "lower", "tip", at)));
  const auto folded = [](double a) { return std::vector<double>{a, -2 * a, a}; };
  MotionBounds bounds(world.data());
  MotionBalls balls(world.data());
  PosedWorld first = bounds.make_posed(), middle = first, last = first;
  const Path path = line_path(folded(0.1), folded(0.14));
  ASSERT_TRUE(bounds.pose_at(path.data(), 0, first));
  ASSERT_TRUE(bounds.pose_at(path.data(), 0.5, middle));
  ASSERT_TRUE(bounds.pose_at(path.data(), 1, last));
  bounds.begin(path.data(), first, last);
  balls.begin(bounds, first, middle, last);
  const int tip = world.data().bodies[0].frame == 3 ? 0 : 1;
  const std::vector<double> way{0.02, 0.04, 0.02};
  // It goes 2 (cos 0.1 - cos 0.14) = 9.6 mm, half of that from the middle, and does not turn.
  const double growth = balls.radius_hi(tip, 0) * balls.of(tip).largest;
  EXPECT_LT(balls.radius_hi(tip, 0), 0.0061);
  EXPECT_GT(balls.radius_hi(tip, 0), 0.0048);
  EXPECT_LT(growth, 0.15 * bounds.approach_hi(tip, -1, way, middle));
}

TEST(FatBodies, SupportsAgreeWithFullScans) {
  std::mt19937_64 random(3);
  const World world = load_builtin("six_axis_arm", {.without_model = true});
  const MotionBalls balls(world.data());
  for (int round = 0; round < 500; ++round) {
    const auto b = static_cast<int>(random() % world.data().bodies.size());
    const Convex piece = convex_of(world.data().bodies[static_cast<std::size_t>(b)].body.tables());
    const FatConvex fat{&piece, balls.of(b).distortion.data(), balls.of(b).largest,
                        uniform(random, 0, 0.2)};
    const Vec3 n = vector(random, 1);
    EXPECT_NEAR(fat_support(fat, n, norm(n)), fat_support_plain(fat, n, norm(n)), 1e-13);
  }
}

TEST(FatBodies, AreApartByWhatIsProvedWhereverTheirPointsAre) {
  std::mt19937_64 random(4);
  const World world = load_builtin("six_axis_arm", {.without_model = true});
  const auto& bodies = world.data().bodies;
  const MotionBalls balls(world.data());
  std::size_t apart = 0, above = 0;
  for (int round = 0; round < 600; ++round) {
    int index[2];
    std::optional<Convex> piece[2];
    FatConvex fat[2];
    BoundedPose X[2];
    for (int k = 0; k < 2; ++k) {
      index[k] = static_cast<int>(random() % bodies.size());
      piece[k] = convex_of(bodies[static_cast<std::size_t>(index[k])].body);
      const MotionBalls::BodyMetric& of = balls.of(index[k]);
      const double radius = random() % 3 == 0 ? 0 : uniform(random, 0, 0.1);
      fat[k] = {&*piece[k], of.distortion.data(), of.largest, radius};
      X[k].X = {rotation_from_rpy(vector(random, 3)), vector(random, 0.6)};
    }
    const Mat3 R = rotation_from_rpy(vector(random, 3));
    const Moment at{&X[0].X, &X[1].X, round % 2 == 0 ? &R : nullptr};
    const double error = between_error_hi(*piece[0], *piece[1], 4, {});
    const BetweenBound bound = bound_fat(fat[0], fat[1], at, error, vector(random, 1), 1e9);
    const HalfSpace floor{vector(random, 1), uniform(random, -0.5, 0)};
    const double height = bound_fat_half_space(fat[0], X[0], floor, X[1]);
    const Vec3 up = X[1].X.R * ((1 / norm(floor.n)) * floor.n);
    apart += bound.lower > 0, above += height > 0;
    if (!(bound.lower > 0 || height > 0)) continue;
    const Vec3 n = at.R_OM != nullptr ? R * bound.n : bound.n;
    // Displaced as far as it goes towards the other.
    Body off[2] = {bodies[0].body, bodies[0].body};
    for (int k = 0; k < 2; ++k) {
      const Body& body = bodies[static_cast<std::size_t>(index[k])].body;
      off[k] = test::displaced(balls.of(index[k]), body, X[k].X, k == 0 ? n : -n, fat[k].radius_hi);
    }
    if (bound.lower > 0) {
      const double left = distance(off[0], {}, off[1], {}).distance;
      EXPECT_GE(left, bound.lower - 1e-9);
    }
    if (!(height > 0)) continue;
    const Body& body = bodies[static_cast<std::size_t>(index[0])].body;
    const Body sunk = test::displaced(balls.of(index[0]), body, X[0].X, -up, fat[0].radius_hi);
    double lowest = 1e300;
    for (std::size_t i = 0; i < sunk.volume().count; ++i) {
      lowest = std::min(lowest, dot(up, sunk.volume().point(i) - X[1].X.p));
    }
    EXPECT_GE(lowest - floor.offset - sunk.radius(), height - 1e-9);
    EXPECT_LE(lowest - floor.offset - sunk.radius(), height + 1e-6);  // it is as far as it goes
  }
  EXPECT_GT(apart, 80u);
  EXPECT_GT(above, 40u);
}

TEST(BallMethod, NeverCallsFreeWhatAnotherMethodFindsInContact) {
  const test::MotionRobot robot = test::motion_robot("six_axis_arm");
  std::mt19937_64 random(12);
  std::size_t free = 0, contact = 0, by_ball = 0;
  for (int round = 0; round < 60; ++round) {
    test::MotionDraw draw(robot, random);
    test::Motion motion = draw.motion();
    CertifyOptions options;
    Scene scene = robot.scene;
    draw.add_objects(motion, options, scene);
    const World world = compile(scene);
    options.ask = round % 2 == 0 ? Ask::verdict : Ask::first_contact;
    options.budget = 200'000;
    const Verdict other = certify(world, motion.path, options).verdict;
    options.method = Method::ball;
    options.keep_proof = true;
    const Certificate found = certify(world, motion.path, options);
    EXPECT_FALSE(found.verdict == Verdict::free && other == Verdict::contact);
    EXPECT_FALSE(found.verdict == Verdict::contact && other == Verdict::free);
    free += found.verdict == Verdict::free, contact += found.verdict == Verdict::contact;
    for (const ProofStep& step : found.proof) by_ball += step.method == Method::ball;
  }
  EXPECT_GT(free, 10u);
  EXPECT_GT(contact, 10u);
  EXPECT_GT(by_ball, 100u);
}

/// A ball of 0.1 m on a slide along x, with another on its own 0.3 m behind it, and balls beside
/// their way, one of them 0.3 m from it: each pair has 0.1 m between, at least.
Scene ball_scene(const test::Folder& folder, int posts) {
  const std::string along = "<axis xyz=\"1 0 0\"/>";
  Scene scene;
  scene.name = "balls";
  scene.robots.push_back(test::robot_of(
      "", folder.write("balls.urdf",
                       test::robot(test::link("base") + test::link("a", test::sphere(0.1)) +
                                   test::link("b", test::sphere(0.1)) +
                                   test::joint("ja", "prismatic", "base", "a", along) +
                                   test::joint("jb", "prismatic", "base", "b",
                                               "<origin xyz=\"-0.3 0 0\"/>" + along)))));
  for (int k = 0; k < posts; ++k) {
    // Only the first is near.
    const double x = 0.001 * k, y = k == 0 ? 0.3 : 2 + 0.001 * k;
    scene.objects.push_back(
        test::object_of("post" + std::to_string(k), test::sphere_shape(0.1), {.xyz = {x, y, 0}}));
  }
  return scene;
}

TEST(Deviation, TakesItsMetresOfEachBodyWhateverTheMethodAndTheQuestion) {
  const test::Folder folder;
  const Path path = line_path(std::vector{-0.1, -0.1}, std::vector{0.1, 0.1});
  // A ball has its centre for its points: no distortion. The two links may both be off.
  for (const int posts : {0, 1, 400}) {
    const World world = compile(ball_scene(folder, posts));
    const double most = 0.05;
    for (const Method method :
         {Method::automatic, Method::chord, Method::velocity, Method::sweep, Method::ball}) {
      for (const Ask ask : {Ask::verdict, Ask::first_contact, Ask::clearance}) {
        CertifyOptions options;
        options.method = method;
        options.ask = ask;
        options.keep_proof = ask == Ask::first_contact;
        options.deviation = most - 3e-3;
        const Certificate near = certify(world, path, options);
        EXPECT_EQ(near.verdict, Verdict::free) << to_string(method) << " " << posts;
        EXPECT_LE(near.clearance, 0.1 - 2 * options.deviation);
        options.deviation = most + 1e-6;
        const Certificate far = certify(world, path, options);
        EXPECT_EQ(far.verdict, Verdict::undecided) << to_string(method) << " " << posts;
        EXPECT_EQ(far.clearance, 0);
      }
    }
  }
}

TEST(Deviation, OfOneBodyCountsAgainstWhatStandsStill) {
  const test::Folder folder;
  Scene scene = ball_scene(folder, 1);
  scene.allow.push_back({"a", "b", ""});
  const World world = compile(scene);
  const Path path = line_path(std::vector{-0.1, -0.1}, std::vector{0.1, 0.1});
  CertifyOptions options;
  options.tolerance = 1e-4;
  options.deviation = 0.0997;
  EXPECT_EQ(certify(world, path, options).verdict, Verdict::free);
  options.deviation = 0.1001;
  EXPECT_EQ(certify(world, path, options).verdict, Verdict::undecided);
  options.deviation = 0.05;
  options.base = {{0, 0.04, 0}};  // together with where the base may be
  EXPECT_NEAR(certify(world, path, options).clearance, 0.01, 1e-3);
}

TEST(Deviation, CountsForRobotsOnClocksOfTheirOwn) {
  const test::Folder folder;
  const std::string one = folder.write(
      "one.urdf", test::robot(test::link("base") + test::link("a", test::sphere(0.1)) +
                              test::joint("j", "prismatic", "base", "a", "<axis xyz=\"1 0 0\"/>")));
  Scene scene;
  scene.name = "two";
  scene.robots.push_back(test::robot_of("left", one));
  scene.robots.push_back(test::robot_of("right", one, {.xyz = {0, 0.3, 0}}));
  const World world = compile(scene);
  const Path path = line_path(std::vector{-0.2, 0.2}, std::vector{0.2, -0.2});
  const Path both[] = {path, path};
  CertifyOptions options;
  options.tolerance = 1e-3;
  options.deviation = 0.048;
  const Certificate free = MotionQuery(world, options)(both, 1e9);
  EXPECT_EQ(free.verdict, Verdict::free);
  EXPECT_LE(free.clearance, 0.1 - 2 * options.deviation);
  options.deviation = 0.0501;
  EXPECT_EQ(MotionQuery(world, options)(both, 1e9).verdict, Verdict::undecided);
}

TEST(Deviation, LeavesDisplacedBodiesAsFarApartAsIsProved) {
  const test::MotionRobot robot = test::motion_robot("six_axis_arm");
  std::mt19937_64 random(21);
  std::size_t judged = 0;
  for (int round = 0; round < 40; ++round) {
    test::MotionDraw draw(robot, random);
    test::Motion motion = draw.motion();
    CertifyOptions options = draw.options();
    options.ask = Ask::clearance;
    Scene scene = robot.scene;
    draw.add_objects(motion, options, scene);
    options.deviation = test::one_of(random, {1e-4, 1e-3, 5e-3, 0.02});
    const World world = compile(scene);
    const Certificate found = certify(world, motion.path, options);
    if (found.verdict != Verdict::free) continue;
    const MotionBalls balls(world.data());
    for (int k = 0; k < 5; ++k) {
      const double time = uniform(random, motion.path.begin(), motion.path.end());
      const std::vector<double> q = k == 0 ? found.q : motion.path.position(time);
      if (q.empty()) continue;
      ++judged;
      EXPECT_GE(test::displaced_distance(world, balls, q, options.deviation),
                found.clearance - 1e-9);
    }
  }
  EXPECT_GT(judged, 50u);
}

TEST(Deviation, IsALengthAndNotNegative) {
  const World world = test::rail();
  for (const double wrong :
       {-1e-3, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    CertifyOptions options;
    options.deviation = wrong;
    try {
      const MotionQuery query(world, options);
      ADD_FAILURE() << wrong;
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), Error::Kind::usage);
    }
  }
}

}  // namespace
}  // namespace keepclear
