// SPDX-License-Identifier: BSD-3-Clause
//
// Random edges in the surroundings of MotionBenchMaker, and those who answer for them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/certify_bench.hpp"
#include "bench/sweep_scene.hpp"
#include "keepclear/distance.hpp"
#include "keepclear/model.hpp"
#include "scene/problem_set.hpp"

namespace keepclear::bench {

/// Our bodies, and FCL's shapes: the hulls of the meshes, or fitted ones.
inline constexpr std::size_t kHulls = 0, kFitted = 1, kBodies = 2;

/// A straight line between two free configurations, and the poses of all solids on the way for
/// those who look at poses: rows in the order in which OMPL's validator takes them (the end, then
/// middles of what is left, breadth first).
struct Edge {
  std::vector<double> from, to;
  std::vector<Pose> first;         ///< where the edge begins
  std::vector<Pose> fine, coarse;  ///< rows of poses
};

/// The sets of problems of one robot and its bodies, read once.
class EdgeScenes {
 public:
  explicit EdgeScenes(const EdgeOptions& options);

  struct Place {
    const oracle::ProblemSet* set;
    std::size_t problem;
  };
  /// So many of all problems, spread evenly over the sets.
  const std::vector<Place>& places() const { return places_; }
  /// The surroundings of a problem with one kind of bodies.
  World world(const Place& place, std::size_t bodies) const;
  /// Edges whose ends are free with both kinds of bodies; the same on every machine.
  std::vector<Edge> edges(const Place& place, const World& hulls, const World& fitted) const;
  std::string bodies_name(std::size_t bodies) const;

 private:
  EdgeOptions options_;
  std::vector<oracle::ProblemSet> sets_;
  std::vector<Place> places_;
  std::optional<RobotModel> robot_;
  std::shared_ptr<const BodyModel> fitted_;
};

/// Who answers for an edge. Of the FCL ones, contact means that a pose collides.
struct EdgeContender {
  std::string name;
  std::function<Verdict(const Edge&)> run;
};

/// Both kinds of bodies, ours and FCL's, in one problem: contender k of bodies b is at
/// k * kBodies + b.
class EdgeContest {
 public:
  enum Who { connects, pose, fcl_pose, fcl_fine, fcl_coarse };
  static constexpr std::size_t kWho = 5;

  EdgeContest(const EdgeScenes& scenes, const EdgeOptions& options);
  void enter(const EdgeScenes::Place& place);

  const std::vector<EdgeContender>& contenders() const { return contenders_; }
  const std::vector<Edge>& edges() const { return edges_; }
  std::size_t last_tests(std::size_t bodies) const { return motion_[bodies]->last_tests(); }
  std::size_t last_parts(std::size_t bodies) const { return motion_[bodies]->last_parts(); }
  std::size_t solids() const { return solids_; }
  /// Whether FCL, with each kind of its bodies, collides where a contact of ours was proved.
  std::vector<bool> seen_by_fcl(const Edge& edge, std::size_t bodies);

 private:
  const EdgeScenes& scenes_;
  EdgeOptions options_;
  std::vector<std::optional<World>> worlds_;
  std::vector<std::unique_ptr<MotionQuery>> motion_;
  std::vector<std::unique_ptr<DistanceQuery>> distance_;
  std::vector<std::unique_ptr<FclChecker>> fcl_;
  std::vector<Edge> edges_;
  std::vector<EdgeContender> contenders_;
  std::size_t solids_ = 0;
};

}  // namespace keepclear::bench
