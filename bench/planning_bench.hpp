// SPDX-License-Identifier: BSD-3-Clause
//
// Planning problems of MotionBenchMaker, those who answer for states and motions in them, and what
// becomes of the plans.
#pragma once

#include <ompl/base/SpaceInformation.h>
#include <ompl/geometric/PathGeometric.h>

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "bench/certify_edges.hpp"

namespace keepclear::bench {

struct PlanningOptions {
  std::size_t scenes = 240;
  std::uint64_t seed = 1;
  double seconds = 5;           ///< of CPU, for one plan
  double simplify_seconds = 1;  ///< of CPU; 0: plans as they are
  double tolerance = 1e-3;      ///< of our motions, metres
  double fine = 1e-3;           ///< metres: the finest of the others
  double judge = 1e-4;          ///< metres: what no point moves between two poses of the judge
  std::vector<std::string> contenders{};  ///< those alone; all if empty
  int threads = 2;                        ///< of the judge
};

/// Seconds of CPU that this thread has used.
double cpu_seconds();

/// How far any body can move for each radian of a joint, in metres: the longest of many poses.
std::vector<double> reach_of_joints(const World& world, const Scene& bodies, std::uint64_t seed);

/// All that answers in one problem. Not for several threads.
struct Arena {
  World world;
  Scene bodies;  ///< of the robot, as FCL has them
  std::vector<double> start, goal, reach;
  std::vector<SceneObject> objects;
};

/// Who says which states and motions are valid.
struct Planner {
  std::string name, what;
  /// A space, and in it who answers; what they need lives as long as the SpaceInformation.
  std::function<::ompl::base::SpaceInformationPtr(const Arena&)> set_up;
};
std::vector<Planner> planners(const PlanningOptions& options);

/// What is true of a plan.
struct Judged {
  bool sampled = false;                  ///< FCL collides in a pose of the dense samples
  Verdict verdict = Verdict::undecided;  ///< of the whole, by `certify`
  bool seen = false;                     ///< of a contact: FCL collides in the pose that proves it
  double clearance = 0;                  ///< metres, proved; of a free one
  std::size_t poses = 0;                 ///< of the samples
  bool collides() const { return sampled || (verdict == Verdict::contact && seen); }
};

/// Rows of configurations from start to goal, and what was measured.
struct Plan {
  bool solved = false;
  double seconds = 0, length = 0;
  std::vector<std::vector<double>> states{};
  unsigned valid = 0, invalid = 0;  ///< motions that were checked
  Judged judged{};
};

/// A plan, and the same simplified.
struct Result {
  std::size_t set = 0, planner = 0;
  Plan plan, simple;
};

Result plan_once(const Arena& arena, const Planner& planner, const PlanningOptions& options,
                 std::uint64_t seed);
/// Looks at poses so dense that nothing moves farther than options.judge between two, and
/// certifies. Any number of threads.
Judged judge(const Arena& arena, const Plan& plan, const PlanningOptions& options);

}  // namespace keepclear::bench
