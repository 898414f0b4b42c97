// SPDX-License-Identifier: BSD-3-Clause
//
// The states of motion-planning problems before the judge.
#pragma once

#include <random>
#include <string>

#include "scene/problem_set.hpp"
#include "scene/scene_judge.hpp"

namespace keepclear::oracle {

/// Start and goal of every `stride`-th problem, from the `first` on, and `more` random states of
/// each, where things also touch.
inline void judge_problems(const ProblemSet& set, std::size_t first, std::size_t stride, int more,
                           SceneTally& tally) {
  Scene robot_alone;
  robot_alone.robots.push_back({});
  robot_alone.robots[0].urdf = set.urdf;
  JudgedRobots robots(robot_alone);
  std::mt19937_64 random(1);
  for (std::size_t p = first; p < set.problems.size(); p += stride) {
    const ProblemSet::Problem& problem = set.problems[p];
    const Scene scene = scene_of(set, problem, robots.model(0));
    const World world = compile(scene);
    SceneJudge judge(scene, world, robots, tally);
    const std::string name = set.name + " " + problem.index;
    judge.judge(configuration(world, set, problem.start), name + " start");
    judge.judge(configuration(world, set, problem.goal), name + " goal");
    for (int k = 0; k < more; ++k) {
      judge.judge(random_configuration(world, random), name + " random " + std::to_string(k));
    }
  }
}

}  // namespace keepclear::oracle
