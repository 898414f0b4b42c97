// SPDX-License-Identifier: BSD-3-Clause
//
// Motions small enough to know the answers by heart.
#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "keepclear/certify.hpp"
#include "keepclear/distance.hpp"
#include "scene/scenes.hpp"

namespace keepclear {
namespace {

using std::numbers::pi;
using test::joint;
using test::link;
using test::sphere;
using test::world_of;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Method kMethods[] = {Method::automatic, Method::chord, Method::velocity, Method::sweep,
                               Method::ball};

/// A ball of 0.05 m at the end of a rod of 1 m that turns about z, and a post of 0.1 m at (0, 1,
/// 0).
World clock_hand() {
  return world_of(test::robot(link("base") + link("post", sphere(0.1)) + link("rod") +
                              link("tip", sphere(0.05)) +
                              joint("to_post", "fixed", "base", "post", "<origin xyz=\"0 1 0\"/>") +
                              joint("hand", "continuous", "base", "rod", "<axis xyz=\"0 0 1\"/>") +
                              joint("to_tip", "fixed", "rod", "tip", "<origin xyz=\"1 0 0\"/>")));
}
double hand_distance(double angle) {
  return 2 * std::sin(0.5 * std::fabs(pi / 2 - angle)) - 0.15;
}
/// Where the two touch.
const double kTouch = pi / 2 - 2 * std::asin(0.075);

Path turn(double from, double to, double duration = 1) {
  return line_path(std::vector{from}, std::vector{to}, duration);
}

TEST(Certify, ClearanceIsThatOfTheNearestMoment) {
  const World world = clock_hand();
  for (const Method method : kMethods) {
    MotionQuery query(world, {.method = method, .accuracy = 1e-4, .relative_accuracy = 0});
    for (const auto& [from, to] : {std::pair{0.0, 1.4}, {1.4, -2.0}, {-2.0, 1.0}, {0.3, 0.3}}) {
      const Certificate found = query(turn(from, to));
      const double real = hand_distance(std::max(from, to));
      EXPECT_EQ(found.verdict, Verdict::free);
      EXPECT_LE(found.clearance, real + 1e-12) << to_string(method);
      EXPECT_GE(found.clearance, real - 1.1e-4) << to_string(method);
      EXPECT_NEAR(found.distance, real, 1.1e-4);
      EXPECT_EQ(test::names_of(world, found.a, found.b), "post and tip");
      ASSERT_EQ(found.intervals.size(), 1u);
      EXPECT_EQ(found.intervals[0].status, Verdict::free);
      EXPECT_EQ(found.intervals[0].to, 1);
    }
  }
}

TEST(Certify, TheFirstContactIsFoundToTheTolerance) {
  const World world = clock_hand();
  for (const Method method : kMethods) {
    MotionQuery query(world, {.method = method, .ask = Ask::first_contact, .tolerance = 1e-5});
    // Three turns: as written, not the shorter way round.
    for (const double to : {pi, 3.0, 6 * pi, -6 * pi}) {
      const Certificate found = query(turn(0, to, std::fabs(to)));
      ASSERT_EQ(found.verdict, Verdict::contact);
      const double touch = to > 0 ? kTouch : 2 * pi - (pi - kTouch);
      EXPECT_GE(found.first_contact, touch - 1e-12);
      EXPECT_LE(found.first_contact, touch + 2e-5) << to_string(method);
      EXPECT_EQ(found.clearance, 0);
      ASSERT_GE(found.intervals.size(), 2u);
      EXPECT_EQ(found.intervals[0].status, Verdict::free);
      EXPECT_NEAR(found.intervals[0].to, touch, 4e-5);
      EXPECT_EQ(found.intervals.back().status, Verdict::contact);
      EXPECT_EQ(found.intervals.back().contact, found.first_contact);
    }
  }
}

TEST(Certify, AllIntervalsAreListed) {
  const World world = clock_hand();
  MotionQuery query(world, {.ask = Ask::all_intervals, .tolerance = 1e-4});
  const Certificate found = query(turn(0, 4 * pi, 4 * pi));
  std::vector<MotionInterval> contacts;
  for (const MotionInterval& i : found.intervals) {
    if (i.status == Verdict::contact) contacts.push_back(i);
  }
  ASSERT_EQ(contacts.size(), 2u);
  for (int turn_of = 0; turn_of < 2; ++turn_of) {
    const double from = kTouch + 2 * pi * turn_of, to = pi - kTouch + 2 * pi * turn_of;
    EXPECT_NEAR(contacts[turn_of].from, from, 3e-4);
    EXPECT_NEAR(contacts[turn_of].to, to, 3e-4);
  }
  // Free and contact take turns, and cover the motion.
  double at = 0;
  for (const MotionInterval& i : found.intervals) {
    EXPECT_EQ(i.from, at);
    at = i.to;
  }
  EXPECT_EQ(at, 4 * pi);
}

TEST(Certify, MarginsCount) {
  const World world = clock_hand();
  const double real = hand_distance(1.2);
  for (const Method method : kMethods) {
    for (const Ask ask : {Ask::verdict, Ask::first_contact, Ask::all_intervals, Ask::clearance}) {
      const auto with = [&](double margin) {
        return certify(world, turn(0, 1.2),
                       {.method = method, .ask = ask, .margin = margin, .tolerance = 1e-5})
            .verdict;
      };
      EXPECT_EQ(with(real - 1e-4), Verdict::free);
      EXPECT_EQ(with(real + 1e-4), Verdict::contact);
    }
  }
}

TEST(Certify, TubesCount) {
  const World world = clock_hand();
  const double real = hand_distance(1.0);
  for (const Method method : kMethods) {
    const auto with = [&](double width) {
      return certify(world, with_tube(turn(0, 1), std::vector{width}), {.method = method});
    };
    const double to_touch = kTouch - 1;
    EXPECT_EQ(with(0.9 * to_touch).verdict, Verdict::free) << to_string(method);
    EXPECT_LE(with(0.5 * to_touch).clearance, hand_distance(1 + 0.5 * to_touch) + 1e-12);
    EXPECT_NE(with(1.01 * to_touch).verdict, Verdict::free) << to_string(method);
    EXPECT_GE(with(0).clearance, real * 0.94);
  }
  // It widens towards the end.
  const Path path = turn(0, 1);
  const std::vector<double> times{0, 1}, late{0, 0.9}, early{0.9, 0};
  EXPECT_NE(certify(world, with_tube(path, times, late)).verdict, Verdict::free);
  EXPECT_EQ(certify(world, with_tube(path, times, early)).verdict, Verdict::free);
}

Scene two_hands(const test::Folder& folder) {
  const std::string hand =
      test::robot(link("base") + link("rod") + link("tip", sphere(0.05)) +
                  joint("hand", "continuous", "base", "rod", "<axis xyz=\"0 0 1\"/>") +
                  joint("to_tip", "fixed", "rod", "tip", "<origin xyz=\"1 0 0\"/>"));
  const auto urdf = folder.write("hand.urdf", hand);
  Scene scene;
  Origin beside;
  beside.xyz = {1.5, 0, 0};
  scene.robots = {test::robot_of("left", urdf), test::robot_of("right", urdf, beside)};
  return scene;
}

TEST(Certify, TheBaseMayBeOff) {
  const test::Folder folder;
  Scene scene = two_hands(folder);
  Origin pose;
  pose.xyz = {0, 1, 0};
  scene.objects.push_back(test::object_of("post", test::sphere_shape(0.1), pose));
  const World world = compile(scene);
  const std::vector<double> from{0, 0}, to{1, 0};
  const double real = hand_distance(1);
  const auto with = [&](int robot, double position, double rotation) {
    return certify(world, line_path(from, to), {.base = {{robot, position, rotation}}}).verdict;
  };
  EXPECT_EQ(with(0, 0.9 * real, 0), Verdict::free);
  EXPECT_NE(with(0, real + 0.001, 0), Verdict::free);
  // The tip is 1.05 m from its base.
  EXPECT_EQ(with(-1, 0, 0.85 * real), Verdict::free);
  EXPECT_NE(with(0, 0, real), Verdict::free);
  // The other robot is far from everything.
  EXPECT_EQ(with(1, real + 0.001, 0), Verdict::free);
}

TEST(Certify, RobotsOnTheirOwnClocks) {
  const test::Folder folder;
  const World world = compile(two_hands(folder));
  // The hands pass the place between them, one after the other: in step they stay clear.
  const std::vector<double> times{0, 1, 2};
  const std::vector<double> left{-1, 0, 0.0, 0, 1, 0}, right{0, pi - 2, 0, pi - 1.5, 0, pi + 0.5};
  const Path paths[] = {straight_path(times, left), straight_path(times, right)};
  const std::vector<double> both{-1, pi - 2, 0, pi - 1.5, 1, pi + 0.5};
  MotionQuery query(world, {.tolerance = 1e-3});
  const Certificate in_step = query(straight_path(times, both));
  ASSERT_EQ(in_step.verdict, Verdict::free);
  const Certificate no_offset = query(paths, 0);
  EXPECT_EQ(no_offset.verdict, Verdict::free);
  EXPECT_LE(no_offset.clearance, in_step.distance + 1e-9);
  EXPECT_GE(no_offset.clearance, 0.9 * in_step.clearance - 2e-3);
  EXPECT_EQ(query(paths, 0.05).verdict, Verdict::free);
  const Certificate any = query(paths, kInfinity);
  ASSERT_EQ(any.verdict, Verdict::contact);
  DistanceQuery distance(world);
  EXPECT_EQ(distance(any.q).verdict, Verdict::contact);
  EXPECT_NEAR(paths[0].position(any.time)[0], any.q[0], 1e-9);
  EXPECT_NEAR(paths[1].position(any.other_time)[1], any.q[1], 1e-9);
  // A hand that only looks on is never met.
  const std::vector<double> away{0, 0, 0, -1.5, 0, -1};
  const Path other[] = {paths[0], straight_path(times, away)};
  const Certificate never = query(other, kInfinity);
  EXPECT_EQ(never.verdict, Verdict::free);
  EXPECT_GT(never.clearance, 0);
  double least = kInfinity;
  for (int i = 0; i <= 40; ++i) {
    for (int k = 0; k <= 40; ++k) {
      const std::vector<double> q{paths[0].position(i / 20.0)[0], other[1].position(k / 20.0)[1]};
      least = std::min(least, distance(q).distance);
    }
  }
  EXPECT_LE(never.clearance, least + 1e-9);
  EXPECT_GE(never.clearance, 0.9 * least - 2e-3);
}

/// A box of 0.2 m on a rail along x.
Scene two_sliders(const test::Folder& folder) {
  const std::string slider =
      test::robot(link("base") + link("box", test::box(0.2)) +
                  joint("slide", "prismatic", "base", "box", "<axis xyz=\"1 0 0\"/>"));
  const auto urdf = folder.write("slider.urdf", slider);
  Scene scene;
  scene.robots = {test::robot_of("r", urdf), test::robot_of("s", urdf)};
  return scene;
}

TEST(Certify, APathThatTurnsBackMeetsWhatStandsThereOnAnyClock) {
  const test::Folder folder;
  const World world = compile(two_sliders(folder));
  // The middle of the motion is farther from its turning point than its ends are.
  const std::vector<double> times{0, 1, 2, 3, 4};
  const std::vector<double> there{0, 0, -1, 0, 1, 0, 0.5, 0, 0, 0};
  const std::vector<double> stands{0, -1, 0, -1};
  const Path paths[] = {straight_path(times, there),
                        straight_path(std::vector<double>{0, 4}, stands)};
  for (const Ask ask : {Ask::verdict, Ask::first_contact, Ask::all_intervals, Ask::clearance}) {
    for (const double offset : {0.0, 0.5, kInfinity}) {
      EXPECT_EQ(MotionQuery(world, {.ask = ask})(paths, offset).verdict, Verdict::contact);
    }
  }
}

TEST(Certify, ContactsAreFoundWhereClocksHardlyMeet) {
  const test::Folder folder;
  const World world = compile(two_sliders(folder));
  const Path paths[] = {
      line_path(std::vector<double>{-1, 0}, std::vector<double>{1, 0}, 3),
      line_path(std::vector<double>{0, 0.2}, std::vector<double>{0, -0.5}, 1.71234567)};
  const Certificate found = MotionQuery(world)(paths, 0);
  ASSERT_EQ(found.verdict, Verdict::contact);
  EXPECT_NEAR(found.time, found.other_time, 1e-6);
}

TEST(Certify, ABudgetEndsTheSearchWhateverTheTube) {
  const test::Folder folder;
  Scene scene;
  scene.robots = {test::robot_of(
      "", folder.write("floats.urdf", test::robot(link("base") + link("body", test::box(0.3)) +
                                                  joint("floats", "floating", "base", "body"))))};
  keepclear::Shape cloud;
  cloud.kind = keepclear::Shape::Kind::points;
  cloud.radius = 0.001;
  for (int i = 0; i < 1728; ++i) {
    cloud.points.push_back({0.2 + 0.02 * (i % 12), 0.02 * (i / 12 % 12), 0.02 * (i / 144)});
  }
  scene.objects.push_back(test::object_of("cloud", cloud));
  const World world = compile(scene);
  std::vector<double> from = world.neutral(), to = from;
  to[1] = 0.2;
  std::vector<double> width(world.dof(), 0.0);
  std::fill(width.begin() + 3, width.end(), 0.1);
  for (const Ask ask : {Ask::verdict, Ask::clearance}) {
    const Certificate found =
        certify(world, with_tube(line_path(from, to), width), {.ask = ask, .budget = 20000});
    EXPECT_EQ(found.verdict, Verdict::undecided);
    EXPECT_LT(found.tests, 40000u);
  }
}

TEST(Certify, AProofCoversEveryPairThroughout) {
  const World world = load_builtin("two_arms");
  std::mt19937_64 random(5);
  for (const Method method : kMethods) {
    const std::vector<double> from = world.neutral();
    std::vector<double> to = test::random_pose(world, random, 0.05);
    const Certificate found =
        certify(world, line_path(from, to), {.method = method, .keep_proof = true});
    if (found.verdict != Verdict::free) continue;
    std::map<std::pair<int, int>, double> covered;
    std::vector<ProofStep> steps = found.proof;
    std::stable_sort(steps.begin(), steps.end(),
                     [](const ProofStep& a, const ProofStep& b) { return a.from < b.from; });
    for (const ProofStep& step : steps) {
      EXPECT_GE(step.bound, found.clearance);
      if (step.piece) continue;
      double& to_here = covered[{step.body_a, step.other}];
      if (step.from <= to_here) to_here = std::max(to_here, step.to);
    }
    std::size_t pairs = 0;
    for (const auto& [pair, place] : covered) pairs += place == 1 ? 1 : 0;
    EXPECT_EQ(pairs, world.data().body_pairs.size()) << to_string(method);
  }
}

TEST(Certify, EdgesHaveTheVerdictsOfPaths) {
  const World world = load_builtin("two_arms");
  MotionQuery query(world, {.ask = Ask::verdict});
  std::mt19937_64 random(9);
  int free = 0, contact = 0;
  for (int i = 0; i < 60; ++i) {
    const std::vector<double> from = test::random_pose(world, random, 0.9);
    const std::vector<double> to = test::random_pose(world, random, 0.9);
    const Verdict verdict = query.connects(from, to);
    EXPECT_EQ(verdict, query(line_path(from, to)).verdict);
    free += verdict == Verdict::free;
    contact += verdict == Verdict::contact;
  }
  EXPECT_GT(free, 5);
  EXPECT_GT(contact, 5);
}

TEST(Certify, ManyPathsByAnyNumberOfThreadsAreTheSame) {
  const World world = load_builtin("two_arms");
  std::mt19937_64 random(10);
  std::vector<Path> paths;
  for (int i = 0; i < 20; ++i) {
    paths.push_back(
        line_path(test::random_pose(world, random, 0.3), test::random_pose(world, random, 0.3)));
  }
  std::vector<Certificate> answers[2];
  for (int threads = 1; threads <= 2; ++threads) {
    certify_all(world, paths, {}, threads == 1 ? 1 : 3,
                [&](std::size_t i, const Certificate& answer) {
                  EXPECT_EQ(i, answers[threads - 1].size());
                  answers[threads - 1].push_back(answer);
                });
  }
  ASSERT_EQ(answers[0].size(), paths.size());
  ASSERT_EQ(answers[1].size(), paths.size());
  for (std::size_t i = 0; i < paths.size(); ++i) {
    EXPECT_EQ(answers[0][i].verdict, answers[1][i].verdict);
    EXPECT_EQ(answers[0][i].clearance, answers[1][i].clearance);
    EXPECT_EQ(answers[0][i].tests, answers[1][i].tests);
    EXPECT_EQ(answers[0][i].q, answers[1][i].q);
  }
}

TEST(Certify, WhatIsNoMotionIsUndecided) {
  const World world = clock_hand();
  MotionQuery query(world);
  EXPECT_EQ(query.connects(std::vector{0.0, 1.0}, std::vector{0.0}), Verdict::undecided);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(query.connects(std::vector{0.0}, std::vector{nan}), Verdict::undecided);
  EXPECT_EQ(query.connects(std::vector{0.0}, std::vector{1e300}), Verdict::undecided);
  EXPECT_EQ(query(line_path(std::vector{0.0, 0.0}, std::vector{1.0, 1.0})).verdict,
            Verdict::undecided);
  // A budget that is used up proves nothing.
  const Certificate poor = certify(world, turn(0, 1000 * pi), {.ask = Ask::verdict, .budget = 3});
  EXPECT_NE(poor.verdict, Verdict::free);
  const auto refused = [&](const CertifyOptions& options) {
    try {
      MotionQuery(world, options);
      return false;
    } catch (const Error& error) {
      return error.kind() == Error::Kind::usage;
    }
  };
  EXPECT_TRUE(refused({.margin = -1}));
  EXPECT_TRUE(refused({.margin = nan}));
  EXPECT_TRUE(refused({.tolerance = 0}));
  EXPECT_TRUE(refused({.accuracy = 0}));
  EXPECT_TRUE(refused({.relative_accuracy = 1}));
  EXPECT_TRUE(refused({.base = {{0, -1, 0}}}));
  EXPECT_TRUE(refused({.base = {{7, 1, 0}}}));
}

}  // namespace
}  // namespace keepclear
