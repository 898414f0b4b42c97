// SPDX-License-Identifier: BSD-3-Clause
#include <ompl/base/spaces/RealVectorStateSpace.h>
#include <ompl/geometric/PathSimplifier.h>
#include <ompl/geometric/SimpleSetup.h>
#include <ompl/geometric/planners/rrt/RRTConnect.h>
#include <time.h>

#include <algorithm>
#include <cmath>

#include "bench/planning_bench.hpp"
#include "keepclear/ompl.hpp"

namespace keepclear::bench {
namespace {

namespace ob = ::ompl::base;
namespace og = ::ompl::geometric;
using Values = ob::RealVectorStateSpace::StateType;

constexpr double kMoveItFraction = 0.005;  ///< as MoveIt's set-up writes it
constexpr double kFineStep = 0.01;         ///< radians

/// A space that says into how many steps OMPL's discrete validator divides a motion.
class SteppedSpace final : public ob::RealVectorStateSpace {
 public:
  /// The length of a motion in steps, from the differences of the joints.
  using Length = std::function<double(std::span<const double>)>;
  SteppedSpace(const World& world, Length length) : length_(std::move(length)) {
    for (const Variable& v : world.variables()) addDimension(v.name, v.lower, v.upper);
  }
  unsigned validSegmentCount(const ob::State* a, const ob::State* b) const override {
    std::array<double, 32> by{};
    for (unsigned i = 0; i < dimension_; ++i) {
      by[i] = b->as<Values>()->values[i] - a->as<Values>()->values[i];
    }
    return static_cast<unsigned>(std::ceil(length_(std::span(by).first(dimension_))));
  }

 private:
  Length length_;
};

/// States by FCL, from the poses that our kinematics give.
class FclStates final : public ob::StateValidityChecker {
 public:
  FclStates(const ob::SpaceInformationPtr& si, const Arena& arena)
      : ob::StateValidityChecker(si),
        dof_(arena.world.dof()),
        fcl_(arena.bodies),
        poses_(arena.world),
        at_(arena.world.solids().size()) {
    fcl_.surround(arena.world, arena.objects);
  }
  bool isValid(const ob::State* state) const override {
    return poses_({state->as<Values>()->values, dof_}, at_) && !fcl_.check(at_);
  }

 private:
  std::size_t dof_;
  mutable FclChecker fcl_;
  mutable SolidPoses poses_;
  mutable std::vector<Pose> at_;
};

/// States by our check.
class OurStates final : public ob::StateValidityChecker {
 public:
  OurStates(const ob::SpaceInformationPtr& si, const Arena& arena)
      : ob::StateValidityChecker(si), dof_(arena.world.dof()), query_(arena.world) {}
  bool isValid(const ob::State* state) const override {
    return query_.check({state->as<Values>()->values, dof_}).verdict == Verdict::free;
  }

 private:
  std::size_t dof_;
  mutable DistanceQuery query_;
};

/// MoveIt measures both the motion and the extent of the space as sums over the joints.
SteppedSpace::Length moveit_steps(const Arena& arena) {
  double extent = 0;
  for (const Variable& v : arena.world.variables()) extent += v.upper - v.lower;
  return [step = kMoveItFraction * extent](std::span<const double> by) {
    double length = 0;
    for (const double x : by) length += std::abs(x);
    return length / step;
  };
}

SteppedSpace::Length angle_steps(const Arena&) {
  return [](std::span<const double> by) {
    double squared = 0;
    for (const double x : by) squared += x * x;
    return std::sqrt(squared) / kFineStep;
  };
}

/// No point moves by more than so many metres in a step.
std::function<SteppedSpace::Length(const Arena&)> metre_steps(double step) {
  return [step](const Arena& arena) -> SteppedSpace::Length {
    return [step, reach = arena.reach](std::span<const double> by) {
      double length = 0;
      for (std::size_t i = 0; i < by.size(); ++i) length += std::abs(by[i]) * reach[i];
      return length / step;
    };
  };
}

/// OMPL's own validator, with steps of some length.
template <typename States, typename Steps>
ob::SpaceInformationPtr stepped(const Arena& arena, const Steps& steps) {
  const auto space = std::make_shared<SteppedSpace>(arena.world, steps(arena));
  const auto si = std::make_shared<ob::SpaceInformation>(space);
  si->setStateValidityChecker(std::make_shared<States>(si, arena));
  si->setup();
  return si;
}

ob::SpaceInformationPtr certified(const Arena& arena, const PlanningOptions& options) {
  const keepclear::ompl::Group group(arena.world);
  const auto si = std::make_shared<ob::SpaceInformation>(keepclear::ompl::make_space(group));
  CertifyOptions certify;
  certify.tolerance = options.tolerance;
  keepclear::ompl::set_up(si, group, certify);
  si->setup();
  return si;
}

ob::PlannerTerminationCondition after(double seconds) {
  return ob::PlannerTerminationCondition(
      [end = cpu_seconds() + seconds] { return cpu_seconds() > end; });
}

void take(const og::PathGeometric& path, std::size_t dof, Plan& plan) {
  plan.length = path.length();
  for (const ob::State* state : const_cast<og::PathGeometric&>(path).getStates()) {
    const double* const values = state->as<Values>()->values;
    plan.states.emplace_back(values, values + dof);
  }
}

}  // namespace

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

std::vector<Planner> planners(const PlanningOptions& options) {
  const auto fine = metre_steps(options.fine);
  std::vector<Planner> all{
      {"keepclear", "every motion certified",
       [options](const Arena& arena) { return certified(arena, options); }},
      {"fcl_moveit", "FCL, steps as MoveIt's",
       [](const Arena& arena) { return stepped<FclStates>(arena, moveit_steps); }},
      {"fcl_angle", "FCL, steps of 0.01 rad",
       [](const Arena& arena) { return stepped<FclStates>(arena, angle_steps); }},
      {"fcl_fine", "FCL, steps of 1 mm",
       [fine](const Arena& arena) { return stepped<FclStates>(arena, fine); }},
      {"check_moveit", "our check, steps as MoveIt's",
       [](const Arena& arena) { return stepped<OurStates>(arena, moveit_steps); }},
      {"check_fine", "our check, steps of 1 mm",
       [fine](const Arena& arena) { return stepped<OurStates>(arena, fine); }}};
  std::erase_if(all, [&](const Planner& planner) {
    return !options.contenders.empty() &&
           std::ranges::find(options.contenders, planner.name) == options.contenders.end();
  });
  return all;
}

Result plan_once(const Arena& arena, const Planner& planner, const PlanningOptions& options,
                 std::uint64_t seed) {
  // Before anything draws numbers: all who plan this problem draw the same.
  ::ompl::RNG::setSeed(static_cast<std::uint_fast32_t>(seed));
  Result result;
  const ob::SpaceInformationPtr si = planner.set_up(arena);
  const std::size_t dof = arena.world.dof();
  ob::ScopedState<> start(si), goal(si);
  std::copy(arena.start.begin(), arena.start.end(), start->as<Values>()->values);
  std::copy(arena.goal.begin(), arena.goal.end(), goal->as<Values>()->values);
  const auto problem = std::make_shared<ob::ProblemDefinition>(si);
  problem->setStartAndGoalStates(start, goal);
  og::RRTConnect connect(si);
  connect.setProblemDefinition(problem);
  connect.setup();
  const double begin = cpu_seconds();
  result.plan.solved = connect.solve(after(options.seconds)) == ob::PlannerStatus::EXACT_SOLUTION;
  result.plan.seconds = cpu_seconds() - begin;
  const auto count = [&](Plan& plan) {
    plan.valid = si->getMotionValidator()->getValidMotionCount();
    plan.invalid = si->getMotionValidator()->getInvalidMotionCount();
    si->getMotionValidator()->resetMotionCounter();
  };
  count(result.plan);
  if (!result.plan.solved) return result;
  const auto path = std::static_pointer_cast<og::PathGeometric>(problem->getSolutionPath());
  take(*path, dof, result.plan);
  if (!(options.simplify_seconds > 0)) return result;
  og::PathSimplifier simplifier(si);
  const double then = cpu_seconds();
  // False: the simplified path did not pass once more.
  result.simple.solved = simplifier.simplify(*path, after(options.simplify_seconds), true);
  result.simple.seconds = cpu_seconds() - then;
  count(result.simple);
  take(*path, dof, result.simple);
  return result;
}

}  // namespace keepclear::bench
