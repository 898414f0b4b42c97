// SPDX-License-Identifier: BSD-3-Clause
//
// A plan whose every edge is proved free: OMPL's RRTConnect with Keepclear as its state checker and
// motion validator, and the whole plan certified at the end.
//
//   example_plan_with_ompl [--shortcut] [--margin M] [--seconds S] [PROBLEMS.json [NUMBER]]
//
// Without a file, the built-in six-axis arm goes round its post. With one, a problem of a set such
// as those of MotionBenchMaker (scenes/mbm/panda/*.json under $KEEPCLEAR_DATA): only where this is
// compiled in the sources of Keepclear, whose tests read such sets.
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <ompl/util/Console.h>
#include <keepclear/keepclear.hpp>
#include <keepclear/ompl.hpp>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#if __has_include("scene/problem_set.hpp")
#include "scene/problem_set.hpp"
#define HAS_PROBLEM_SETS
#endif

namespace {

namespace ob = ompl::base;
namespace og = ompl::geometric;

/// Where to go, and what moves.
struct Problem {
  std::string name;
  keepclear::ompl::Group group;
  std::vector<double> start, goal;  ///< configurations of the world
};

Problem round_the_post() {
  const keepclear::World world = keepclear::load_builtin("six_axis_arm");
  // The last joint turns without limit: half a turn and a little more is shorter the other way.
  return {"six_axis_arm, round the post",
          keepclear::ompl::Group(world),
          {0, 0.9, -0.5, 0, 0, 3},
          {1.5, 0.9, -0.5, 0, 0, -3}};
}

#ifdef HAS_PROBLEM_SETS
Problem problem_of(const std::filesystem::path& file, std::size_t number) {
  using keepclear::Error;
  if (!std::filesystem::exists(file)) {
    throw Error(Error::Kind::missing, file.string(), 0, "there is no such file");
  }
  const char* const given = std::getenv("KEEPCLEAR_DATA");
  // A set of problems is in DATA/scenes/mbm/ROBOT, its robot in DATA/robots.
  const std::filesystem::path data =
      given ? given : std::filesystem::absolute(file) / "../../../..";
  const auto set = keepclear::oracle::read_problems(file, data.lexically_normal());
  if (number >= set.problems.size()) {
    throw Error(Error::Kind::usage, file.string(), 0,
                "there are " + std::to_string(set.problems.size()) + " problems, from 0 on");
  }
  const auto& problem = set.problems[number];
  const keepclear::World robot = keepclear::load(set.urdf);
  const keepclear::World world =
      keepclear::compile(keepclear::oracle::scene_of(set, problem, robot.links()));
  const auto start = keepclear::oracle::configuration(world, set, problem.start);
  const auto goal = keepclear::oracle::configuration(world, set, problem.goal);
  // The joints that the problem moves; fingers and the like stay where it has them.
  return {set.name + " " + problem.index, keepclear::ompl::Group(world, set.joints, start), start,
          goal};
}
#else
Problem problem_of(const std::filesystem::path& file, std::size_t) {
  throw keepclear::Error(keepclear::Error::Kind::usage, file.string(), 0,
                         "sets of problems are read in the sources of Keepclear only");
}
#endif

bool tell(const Problem& problem, const char* what, const og::PathGeometric& plan,
          const keepclear::CertifyOptions& options) {
  const keepclear::Certificate whole = keepclear::ompl::certify_plan(problem.group, plan, options);
  std::printf("%s: %zu states, %.2f long, %s", what, plan.getStateCount(), plan.length(),
              to_string(whole.verdict));
  if (whole.verdict == keepclear::Verdict::free && whole.a >= 0) {
    const auto solids = problem.group.world().solids();
    std::printf(", at least %.4f m throughout; nearest %s - %s after state %d", whole.clearance,
                solids[static_cast<std::size_t>(whole.a)].name.c_str(),
                solids[static_cast<std::size_t>(whole.b)].name.c_str(),
                static_cast<int>(whole.time));
  }
  std::puts("");
  return whole.verdict == keepclear::Verdict::free;
}

int plan(const Problem& problem, const keepclear::CertifyOptions& options, double seconds,
         bool shortcut) {
  std::printf("%s: %zu joints\n", problem.name.c_str(), problem.group.size());
  og::SimpleSetup setup(keepclear::ompl::make_space(problem.group));
  const ob::SpaceInformationPtr si = setup.getSpaceInformation();
  const auto checker = keepclear::ompl::set_up(si, problem.group, options);

  ob::ScopedState<> start(setup.getStateSpace()), goal(setup.getStateSpace());
  checker->map().write(problem.start, start.get());
  checker->map().write(problem.goal, goal.get());
  std::printf("straight there: %s\n", to_string(checker->connects(start.get(), goal.get())));

  setup.setStartAndGoalStates(start, goal);
  setup.setPlanner(std::make_shared<og::RRTConnect>(si));
  if (setup.solve(seconds) != ob::PlannerStatus::EXACT_SOLUTION) {
    std::puts("no plan was found");
    return 1;
  }
  const auto& motions = *si->getMotionValidator();
  std::printf("planned in %.1f ms: %u edges proved free, %u not\n",
              1e3 * setup.getLastPlanComputationTime(), motions.getValidMotionCount(),
              motions.getInvalidMotionCount());
  og::PathGeometric& path = setup.getSolutionPath();
  if (!tell(problem, "the whole plan", path, options)) return 1;
  if (!shortcut) return 0;
  if (!keepclear::ompl::shorten(si, path, 1)) std::puts("it could not be made shorter");
  return tell(problem, "shortened", path, options) ? 0 : 1;
}

int run(int argc, char** argv) {
  keepclear::CertifyOptions options;
  double seconds = 10;
  bool shortcut = false;
  std::vector<std::string> names;
  for (int i = 1; i < argc; ++i) {
    const std::string arg = argv[i];
    if (arg == "--shortcut") {
      shortcut = true;
    } else if ((arg == "--margin" || arg == "--seconds") && i + 1 < argc) {
      (arg == "--margin" ? options.margin : seconds) = std::stod(argv[++i]);
    } else if (!arg.starts_with("--") && names.size() < 2) {
      names.push_back(arg);
    } else {
      throw std::invalid_argument(arg);
    }
  }
  const std::size_t number = names.size() > 1 ? std::stoul(names[1]) : 0;
  return plan(names.empty() ? round_the_post() : problem_of(names[0], number), options, seconds,
              shortcut);
}

}  // namespace

int main(int argc, char** argv) {
  ompl::msg::setLogLevel(ompl::msg::LOG_WARN);
  ompl::RNG::setSeed(1);
  try {
    return run(argc, argv);
  } catch (const keepclear::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  } catch (const std::logic_error&) {
    std::fprintf(stderr,
                 "usage: %s [--shortcut] [--margin M] [--seconds S] [PROBLEMS.json [NUMBER]]\n",
                 argv[0]);
    return 64;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 65;
  }
}
