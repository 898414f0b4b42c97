// SPDX-License-Identifier: BSD-3-Clause
#include "keepclear/ompl.hpp"

#include <gtest/gtest.h>
#include <ompl/base/ScopedState.h>
#include <ompl/base/spaces/SO3StateSpace.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>

#include <fstream>
#include <functional>
#include <numbers>
#include <thread>

#include "data.hpp"
#include "keepclear/scene.hpp"
#include "scene/problem_set.hpp"

namespace keepclear {
namespace {

using ompl::Group;
namespace ob = ::ompl::base;
namespace og = ::ompl::geometric;
using State = ob::ScopedState<>;
constexpr double kPi = std::numbers::pi;

std::filesystem::path write_file(const std::string& name, const std::string& text) {
  const std::filesystem::path file = std::filesystem::path(testing::TempDir()) / name;
  std::ofstream(file) << text;
  return file;
}

/// A boom of 0.6 m that turns without limit about z, and a flag that follows it by a factor.
World turnstile(double factor, double post_angle) {
  const auto cylinder = [](const char* name) {
    return std::string("<link name=\"") + name +
           "\"><collision><origin xyz=\"0.3 0 0\"/><geometry><box size=\"0.6 0.04 0.04\"/>"
           "</geometry></collision></link>";
  };
  const std::string urdf =
      "<robot name=\"turnstile\"><link name=\"base\"/>" + cylinder("boom") + cylinder("flag") +
      "<joint name=\"turn\" type=\"continuous\"><parent link=\"base\"/><child link=\"boom\"/>"
      "<axis xyz=\"0 0 1\"/></joint>"
      "<joint name=\"follow\" type=\"continuous\"><parent link=\"boom\"/><child link=\"flag\"/>"
      "<origin xyz=\"0 0 0.5\"/><axis xyz=\"0 1 0\"/><mimic joint=\"turn\" multiplier=\"" +
      std::to_string(factor) + "\"/></joint></robot>";
  Scene scene;
  scene.robots.resize(1);
  scene.robots[0].urdf = write_file("turnstile_" + std::to_string(factor) + ".urdf", urdf);
  SceneObject post;
  post.name = "post";
  post.shape.kind = Shape::Kind::sphere;
  post.shape.radius = 0.05;
  post.pose.xyz = {0.5 * std::cos(post_angle), 0.5 * std::sin(post_angle), 0};
  scene.objects.push_back(post);
  return compile(scene);
}

/// A planning set-up.
struct Bench {
  explicit Bench(const Group& g, const CertifyOptions& o = {}) : Bench(g, ompl::make_space(g), o) {}
  Bench(const Group& g, ob::StateSpacePtr s, const CertifyOptions& o = {})
      : group(g),
        space(std::move(s)),
        si(std::make_shared<ob::SpaceInformation>(space)),
        options(o) {
    checker = ompl::set_up(si, group, options);
    si->setup();
    sampler = space->allocStateSampler();
  }

  std::vector<double> configuration(const ob::State* state) const {
    std::vector<double> q(group.rest().begin(), group.rest().end());
    checker->map().read(state, q);
    return q;
  }
  State random_valid() {
    State state(space);
    do {
      sampler->sampleUniform(state.get());
    } while (!si->isValid(state.get()));
    return state;
  }
  State near(const State& from, double distance) {
    State state(space);
    sampler->sampleUniformNear(state.get(), from.get(), distance);
    return state;
  }

  Group group;
  ob::StateSpacePtr space;
  ob::SpaceInformationPtr si;
  std::shared_ptr<const ompl::Checker> checker;
  ob::StateSamplerPtr sampler;
  CertifyOptions options;
};

/// What was seen of many edges.
struct Tally {
  int free = 0, contact = 0, undecided = 0, seams = 0, backed_off = 0;
};

/// Every state that OMPL takes between the two, at many shares, is free.
void expect_free_between(Bench& bench, DistanceQuery& query, const ob::State* from,
                         const ob::State* to, int samples) {
  State between(bench.space);
  for (int k = 0; k <= samples; ++k) {
    bench.space->interpolate(from, to, static_cast<double>(k) / samples, between.get());
    const CheckResult seen = query.check(bench.configuration(between.get()), bench.options.margin);
    ASSERT_EQ(seen.verdict, Verdict::free) << "at " << k << " of " << samples;
  }
}

/// Where an edge is refused: what lastValid says.
void judge_last_valid(Bench& bench, const State& from, const State& to, Tally& tally,
                      double& share) {
  const ob::MotionValidator& validator = *bench.si->getMotionValidator();
  State last(bench.space), again(bench.space);
  std::pair<ob::State*, double> valid{last.get(), -1};
  ASSERT_FALSE(validator.checkMotion(from.get(), to.get(), valid));
  share = valid.second;
  ASSERT_EQ(valid.first, last.get());
  ASSERT_GE(share, 0);
  ASSERT_LT(share, 1);
  if (share == 0) {
    ASSERT_TRUE(bench.space->equalStates(last.get(), from.get()));
  } else {
    ASSERT_TRUE(bench.si->checkMotion(from.get(), last.get())) << share;
    ASSERT_TRUE(bench.si->isValid(last.get()));
    bench.space->interpolate(from.get(), to.get(), share, again.get());
    ASSERT_TRUE(bench.space->equalStates(again.get(), last.get()));
  }
  const double proved = bench.checker->free_share(from.get(), to.get());
  ASSERT_LE(share, proved);
  tally.backed_off += share < proved;

  // Nobody cares for the state; or it is that of an end.
  std::pair<ob::State*, double> nobody{nullptr, -1};
  ASSERT_FALSE(validator.checkMotion(from.get(), to.get(), nobody));
  ASSERT_EQ(nobody.first, nullptr);
  ASSERT_EQ(nobody.second, share);
  for (const bool begin : {true, false}) {
    State a = from, b = to;
    std::pair<ob::State*, double> same{begin ? a.get() : b.get(), -1};
    ASSERT_FALSE(validator.checkMotion(a.get(), b.get(), same));
    ASSERT_EQ(same.second, share);
    ASSERT_TRUE(bench.space->equalStates(same.first, last.get()));
  }
}

/// The same, and that there is a reason.
void judge_refused(Bench& bench, const State& from, const State& to, Tally& tally) {
  double share = 0;
  judge_last_valid(bench, from, to, tally, share);
  og::PathGeometric edge(bench.si, from.get(), to.get());
  CertifyOptions options = bench.options;
  options.ask = Ask::first_contact;
  const Certificate why = ompl::certify_plan(bench.group, edge, options);
  if (why.verdict == Verdict::contact) {
    ++tally.contact;
    DistanceQuery query(bench.group.world());
    ASSERT_NE(query.check(why.q, bench.options.margin).verdict, Verdict::free);
    ASSERT_LE(share, why.first_contact);
  } else {
    ASSERT_EQ(why.verdict, Verdict::undecided);
    ++tally.undecided;
  }
}

/// Edges from valid states, `length` as the sampler takes it.
Tally judge_edges(Bench& bench, int edges, double length, int samples) {
  Tally tally;
  DistanceQuery query(bench.group.world());
  for (int k = 0; k < edges; ++k) {
    const State from = bench.random_valid();
    const State to = bench.near(from, length);
    for (std::size_t i = 0; i < bench.group.size(); ++i) {
      const std::size_t n = bench.group.number(i);
      const double a = bench.configuration(from.get())[n], b = bench.configuration(to.get())[n];
      tally.seams += bench.checker->map().turn(i, a, b) != 0;
    }
    if (!bench.si->checkMotion(from.get(), to.get())) {
      judge_refused(bench, from, to, tally);
    } else {
      ++tally.free;
      expect_free_between(bench, query, from.get(), to.get(), samples);
      State untouched(bench.space);
      untouched = from;
      std::pair<ob::State*, double> valid{untouched.get(), -7};
      EXPECT_TRUE(bench.si->getMotionValidator()->checkMotion(from.get(), to.get(), valid));
      EXPECT_EQ(valid.second, -7);
      EXPECT_TRUE(bench.space->equalStates(untouched.get(), from.get()));
    }
    if (testing::Test::HasFatalFailure()) break;
  }
  return tally;
}

class Ompl : public testing::Test {
 protected:
  Ompl() {
    ::ompl::msg::setLogLevel(::ompl::msg::LOG_NONE);
    ::ompl::RNG::setSeed(1);
  }
};

TEST_F(Ompl, AnEdgeThatIsTrueIsFreeAtEveryStateAndOneThatIsFalseHasAReason) {
  struct Case {
    const char* world;
    std::vector<std::string> joints;
    double margin, length;
    int edges;
    double tolerance = 1e-3;
  };
  const std::vector<std::string> left{"left/joint1", "left/joint2", "left/joint3", "left/joint4",
                                      "left/joint5", "left/joint6", "left/joint7"};
  for (const Case& c :
       {Case{"six_axis_arm", {}, 0, 1.5, 2000}, Case{"six_axis_arm", {}, 0, 1.5, 1000, 0.3},
        Case{"six_axis_arm", {"tool_roll", "shoulder"}, 0.01, 2.5, 1000},
        Case{"two_arms", left, 0.005, 0.7, 1000}, Case{"humanoid", {}, 0, 0.5, 500}}) {
    SCOPED_TRACE(c.world);
    const World world = load_builtin(c.world);
    Bench bench(Group(world, c.joints), {.margin = c.margin, .tolerance = c.tolerance});
    ASSERT_EQ(bench.group.size(), c.joints.empty() ? world.dof() : c.joints.size());
    const Tally tally = judge_edges(bench, c.edges, c.length, 200);
    EXPECT_GT(tally.free, c.edges / 20);
    EXPECT_GT(tally.contact, c.edges / 20);
    EXPECT_LT(tally.undecided, c.edges / 20);
    EXPECT_GE(tally.seams, bench.checker->map().wraps() ? c.edges / 40 : 0);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(Ompl, APandaAmongTheObstaclesOfAPlanningProblem) {
  KEEPCLEAR_NEEDS_DATA("scenes/mbm/panda");
  const auto data = test::data_dir();
  const auto set = oracle::read_problems(data / "scenes/mbm/panda/bookshelf_small.json", data);
  const World world = compile(oracle::scene_of(set, set.problems.at(0), load(set.urdf).links()));
  const std::vector<double> start = oracle::configuration(world, set, set.problems[0].start);
  Bench bench(Group(world, set.joints, start));
  ASSERT_EQ(bench.group.size(), 7u);
  const Tally tally = judge_edges(bench, 300, 1, 200);
  EXPECT_GT(tally.free, 100);
  EXPECT_GT(tally.contact, 10);
}

TEST_F(Ompl, AnAngleGoesTheWayRoundThatOmplTakes) {
  struct Case {
    double post, from, to;
    bool free;
  };
  const double below = std::nextafter(kPi, 0.0);
  for (const Case& c : {Case{kPi, 3, -3, false}, Case{kPi, -3, 3, false}, Case{kPi, 1, -1, true},
                        Case{0, 3, -3, true}, Case{0, -3, 3, true}, Case{0, 1, -1, false},
                        // Half a turn goes as it is written; a little more goes the other way.
                        Case{0, -kPi / 2, kPi / 2, false}, Case{0, -1.6, 1.6, true},
                        Case{kPi, -1.6, 1.6, false}, Case{kPi, -kPi / 2, kPi / 2, true},
                        // From one side of the seam to the other is nearly nothing.
                        Case{0, -kPi, below, true}, Case{kPi / 2, below, -kPi, true}}) {
    SCOPED_TRACE(testing::Message() << c.post << ": " << c.from << " to " << c.to);
    const World world = turnstile(1, c.post);
    Bench bench{Group(world)};
    State from(bench.space), to(bench.space), between(bench.space);
    ASSERT_TRUE(bench.checker->map().wraps());
    bench.checker->map().write(std::vector{c.from}, from.get());
    bench.checker->map().write(std::vector{c.to}, to.get());
    EXPECT_EQ(bench.si->checkMotion(from.get(), to.get()), c.free);
    if (c.free) {
      DistanceQuery query(world);
      expect_free_between(bench, query, from.get(), to.get(), 10'000);
    } else {
      Tally tally;
      judge_refused(bench, from, to, tally);
      EXPECT_EQ(tally.contact, 1);
    }
    // The whole turn, and back over the seam: one motion that does not jump.
    og::PathGeometric plan(bench.si);
    for (const double angle : {-3.0, 3.0, 1.5, 3.0, -3.0, 3.0}) {
      bench.checker->map().write(std::vector{angle}, between.get());
      plan.append(between.get());
    }
    const Path path = ompl::plan_path(bench.checker->map(), plan);
    EXPECT_NEAR(path.position(1)[0], 3.0 - 2 * kPi, 1e-14);
    EXPECT_NEAR(path.position(2)[0], 1.5 - 2 * kPi, 1e-14);
    EXPECT_NEAR(path.position(4)[0], -3.0, 1e-14);
    EXPECT_GT(path.tube(0, 5)[0], 0);
    EXPECT_LT(path.tube(0, 5)[0], 1e-14);
    EXPECT_EQ(ompl::certify_plan(bench.group, plan).verdict, c.post == kPi ? Verdict::contact
                                                             : c.post == 0 ? Verdict::free
                                                                           : Verdict::contact);
  }
}

TEST_F(Ompl, APlanarBaseIsAnSe2Space) {
  Scene scene;
  scene.robots.resize(1);
  scene.robots[0].urdf = write_file(
      "cart.urdf",
      "<robot name=\"cart\"><link name=\"floor\"/><link name=\"cart\"><collision><geometry>"
      "<box size=\"0.8 0.2 0.2\"/></geometry></collision></link><joint name=\"base\" "
      "type=\"planar\"><parent link=\"floor\"/><child link=\"cart\"/><axis xyz=\"0 0 1\"/>"
      "</joint></robot>");
  SceneObject post;
  post.name = "post";
  post.shape.kind = Shape::Kind::sphere;
  post.shape.radius = 0.1;
  scene.objects.push_back(post);
  const Group group(compile(scene));
  // Without limits no bounds can be made up.
  EXPECT_THROW(ompl::make_space(group), Error);
  const auto space = std::make_shared<ob::SE2StateSpace>();
  ob::RealVectorBounds bounds(2);
  bounds.setLow(-2);
  bounds.setHigh(2);
  space->setBounds(bounds);
  Bench bench(group, space);
  const Tally tally = judge_edges(bench, 1000, 2, 500);
  EXPECT_GT(tally.free, 100);
  EXPECT_GT(tally.contact, 50);
  EXPECT_GT(tally.seams, 50);
}

TEST_F(Ompl, TheLastValidStateBacksOffUntilTheMotionToItIsProved) {
  // So little may be looked at that what is proved in one way is not in the other.
  Bench bench(Group(load_builtin("six_axis_arm")), {.budget = 30});
  Tally tally;
  for (int k = 0; k < 2000; ++k) {
    const State from = bench.random_valid(), to = bench.near(from, 2);
    double share = 0;
    if (bench.si->checkMotion(from.get(), to.get())) continue;
    judge_last_valid(bench, from, to, tally, share);
    if (testing::Test::HasFatalFailure()) return;
  }
  EXPECT_GT(tally.backed_off, 0);
}

TEST_F(Ompl, AMarginHoldsOnBothSidesOfTheSeam) {
  // The post is 0.5 m out at 0.5 rad; the boom is 0.02 m to each side.
  const World world = turnstile(1, 0.5);
  const double gap = 0.5 * std::sin(0.5) - 0.05 - 0.02;  // at angle zero
  for (const double share : {0.98, 1.02}) {
    Bench bench(Group(world), {.margin = share * gap, .tolerance = 1e-4});
    State from(bench.space), to(bench.space);
    bench.checker->map().write(std::vector{-3.0}, from.get());
    bench.checker->map().write(std::vector{0.0}, to.get());
    EXPECT_EQ(bench.si->checkMotion(from.get(), to.get()), share < 1);
    EXPECT_EQ(bench.si->isValid(to.get()), share < 1);
    EXPECT_TRUE(bench.si->isValid(from.get()));
  }
}

TEST_F(Ompl, ClearanceIsALowerBoundAndNegativeInContact) {
  const World world = load_builtin("six_axis_arm");
  const double margin = 0.004;
  Bench bench(Group(world), {.margin = margin});
  const auto& checker = *bench.si->getStateValidityChecker();
  EXPECT_EQ(checker.getSpecs().clearanceComputationType,
            ob::StateValidityCheckerSpecs::BOUNDED_APPROXIMATE);
  DistanceQuery query(world);
  State state(bench.space);
  int contacts = 0;
  for (int k = 0; k < 1000; ++k) {
    bench.sampler->sampleUniform(state.get());
    const Nearest nearest = query(bench.configuration(state.get()));
    double dist = 0;
    const bool valid = checker.isValid(state.get(), dist);
    EXPECT_LE(dist, nearest.distance - margin + 1e-12);
    const bool contact = nearest.verdict == Verdict::contact;
    EXPECT_GE(dist, contact ? -1 : nearest.distance - margin - 1e-6);
    EXPECT_LT(dist, contact ? -margin : 10);
    EXPECT_EQ(valid, dist > 0);
    contacts += contact;
  }
  EXPECT_GT(contacts, 50);
  bench.checker->map().write(std::vector(6, std::nan("")), state.get());
  EXPECT_FALSE(bench.si->isValid(state.get()));
  EXPECT_TRUE(std::isnan(checker.clearance(state.get())));
}

TEST_F(Ompl, AStateThatIsNoneIsNotValidAndNothingThrows) {
  Bench bench{Group(turnstile(1, 0))};
  State good(bench.space), bad(bench.space);
  bench.checker->map().write(std::vector{2.0}, good.get());
  const double infinity = std::numeric_limits<double>::infinity();
  for (const double value : {std::nan(""), infinity, -infinity, 1e300}) {
    bad->as<ob::SO2StateSpace::StateType>()->value = value;
    EXPECT_FALSE(bench.si->checkMotion(good.get(), bad.get())) << value;
    std::pair<ob::State*, double> last{nullptr, -1};
    EXPECT_FALSE(bench.si->getMotionValidator()->checkMotion(good.get(), bad.get(), last));
    EXPECT_EQ(last.second, 0);
  }
}

TEST_F(Ompl, UncertainBasesCountInStatesAndMotions) {
  const World world = turnstile(1, 0.5);
  const Group group(world);
  Bench sure(group), unsure(group, {.base = {{.position = 0.3}}});
  State state(sure.space);
  sure.checker->map().write(std::vector{0.0}, state.get());
  EXPECT_TRUE(sure.si->isValid(state.get()));
  EXPECT_FALSE(unsure.si->isValid(state.get()));
  EXPECT_LE(unsure.checker->clearance(state.get()), 0);
  // What a base may be off by is not taken off: nothing is promised then.
  Bench nearly(group, {.base = {{.position = 0.01}}});
  EXPECT_TRUE(nearly.si->isValid(state.get()));
  EXPECT_GT(sure.checker->clearance(state.get()), 0);
  EXPECT_LE(nearly.checker->clearance(state.get()), 0);
}

/// Plans between two states that no edge joins.
void plan_and_certify(Bench& bench, const State& start, const State& goal) {
  og::SimpleSetup setup(bench.si);
  setup.setStartAndGoalStates(start, goal);
  setup.setPlanner(std::make_shared<og::RRTConnect>(bench.si));
  ASSERT_EQ(setup.solve(20.0), ob::PlannerStatus::EXACT_SOLUTION);
  og::PathGeometric plan = setup.getSolutionPath();
  const Certificate whole = ompl::certify_plan(bench.group, plan);
  EXPECT_EQ(whole.verdict, Verdict::free);
  EXPECT_GT(whole.clearance, 0);
  const double length = plan.length();
  ASSERT_TRUE(ompl::shorten(bench.si, plan, 0.2));
  EXPECT_LT(plan.length(), length);
  EXPECT_TRUE(plan.check());
  EXPECT_EQ(ompl::certify_plan(bench.group, plan).verdict, Verdict::free);
}

TEST_F(Ompl, APlanIsCertifiedAsAWholeAndShortened) {
  for (const char* name : {"six_axis_arm", "two_arms"}) {
    SCOPED_TRACE(name);
    Bench bench{Group(load_builtin(name))};
    State start = bench.random_valid(), goal = bench.random_valid();
    while (bench.si->checkMotion(start.get(), goal.get())) goal = bench.random_valid();
    plan_and_certify(bench, start, goal);
  }
}

TEST_F(Ompl, SeveralThreadsAskOneValidator) {
  Bench bench{Group(load_builtin("six_axis_arm"))};
  std::vector<State> states;
  for (int k = 0; k < 400; ++k) states.push_back(bench.random_valid());
  const auto ask = [&](std::vector<char>& answers) {
    for (std::size_t k = 0; k + 1 < states.size(); ++k) {
      answers.push_back(bench.si->checkMotion(states[k].get(), states[k + 1].get()));
      answers.push_back(bench.si->isValid(states[k].get()));
      std::pair<ob::State*, double> last{nullptr, 2};
      bench.si->getMotionValidator()->checkMotion(states[k].get(), states[k + 1].get(), last);
      answers.push_back(last.second == 2);
    }
  };
  std::vector<char> alone;
  ask(alone);
  bench.si->getMotionValidator()->resetMotionCounter();
  std::vector<std::vector<char>> answers(4);
  std::vector<std::thread> threads;
  for (auto& mine : answers) threads.emplace_back([&] { ask(mine); });
  for (auto& thread : threads) thread.join();
  unsigned valid = 0;
  for (const auto& mine : answers) {
    EXPECT_EQ(mine, alone);
    for (std::size_t k = 0; k < mine.size(); k += 3) valid += mine[k] + mine[k + 2];
  }
  EXPECT_EQ(bench.si->getMotionValidator()->getValidMotionCount(), valid);
  EXPECT_EQ(bench.si->getMotionValidator()->getCheckedMotionCount(), 4 * 2 * (states.size() - 1));
}

/// What a call that must fail says.
std::string refused(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::usage);
    return error.what();
  }
  return "nothing was refused";
}

/// Goes between its states as it likes.
struct Curved : ob::RealVectorStateSpace {
  using ob::RealVectorStateSpace::RealVectorStateSpace;
};

TEST_F(Ompl, WhatCannotBeMappedIsRefused) {
  const World world = load_builtin("six_axis_arm");
  const Group group(world);
  const auto map = [&](const Group& g, const ob::StateSpace& space) {
    return refused([&] { ompl::StateMap(g, space); });
  };
  const auto has = [](const std::string& text, const char* part) {
    return text.find(part) != std::string::npos ? testing::AssertionSuccess()
                                                : testing::AssertionFailure() << text;
  };
  EXPECT_TRUE(has(map(group, ob::RealVectorStateSpace(5)), "fewer numbers"));
  EXPECT_TRUE(has(map(group, ob::RealVectorStateSpace(7)), "more numbers"));
  EXPECT_TRUE(has(map(group, ob::SO3StateSpace()), "not known here"));
  EXPECT_TRUE(has(map(group, Curved(6)), "not known here"));
  EXPECT_TRUE(has(map(group, *(std::make_shared<ob::RealVectorStateSpace>(5) +
                               std::make_shared<ob::SO3StateSpace>())),
                  "not known here"));
  EXPECT_TRUE(has(map(group, *(std::make_shared<ob::SO2StateSpace>() +
                               std::make_shared<ob::RealVectorStateSpace>(5))),
                  "does not turn without limit"));
  const std::vector<std::string> joints{"shoulder", "waist"}, swapped{"waist", "shoulder"};
  EXPECT_TRUE(has(map(Group(world, joints), *ompl::make_space(Group(world, swapped))),
                  "'waist' where the planning group has 'shoulder'"));
  const std::vector<std::string> unknown{"nose"}, twice{"waist", "waist"};
  EXPECT_TRUE(has(refused([&] { Group(world, unknown); }), "no joint 'nose'"));
  EXPECT_TRUE(has(refused([&] { Group(world, twice); }), "twice"));
  EXPECT_TRUE(has(refused([&] { Group(world, {}, std::vector(5, 0.0)); }), "no configuration"));
  EXPECT_TRUE(has(refused([&] { Bench bench(group, {.margin = -1}); }), "margin"));
  // All of the world in numbers of the real line is a space, too: angles go as they are written.
  EXPECT_FALSE(ompl::StateMap(group, ob::RealVectorStateSpace(6)).wraps());

  // The same for joints that turn without limit.
  const std::string spinner =
      "<robot name=\"spinner\"><link name=\"base\"/><link name=\"p\"/><link name=\"q\"/>"
      "<joint name=\"a\" type=\"continuous\"><parent link=\"base\"/><child link=\"p\"/></joint>"
      "<joint name=\"b\" type=\"continuous\"><parent link=\"p\"/><child "
      "link=\"q\"/></joint></robot>";
  const World spins = load(write_file("spinner.urdf", spinner));
  const std::vector<std::string> ab{"a", "b"}, ba{"b", "a"};
  EXPECT_TRUE(has(map(Group(spins, ba), *ompl::make_space(Group(spins, ab))),
                  "'a' where the planning group has 'b'"));
  EXPECT_TRUE(ompl::StateMap(Group(spins, ba), *ompl::make_space(Group(spins, ba))).wraps());

  // After a turn a flag that follows by half is upside down.
  const ob::SO2StateSpace angle;
  EXPECT_TRUE(has(map(Group(turnstile(0.5, 0)), angle), "does not lead back"));
  EXPECT_TRUE(has(map(Group(turnstile(1.001, 0)), angle), "does not lead back"));
  EXPECT_TRUE(ompl::StateMap(Group(turnstile(2, 0)), angle).wraps());
  EXPECT_FALSE(ompl::StateMap(Group(turnstile(0.5, 0)), ob::RealVectorStateSpace(1)).wraps());
}

}  // namespace
}  // namespace keepclear
