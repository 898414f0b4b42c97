// SPDX-License-Identifier: BSD-3-Clause
//
// Whole motions: what is measured of them, and FCL on poses along them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <span>
#include <string>
#include <vector>

#include "bench/scene.hpp"
#include "keepclear/certify.hpp"
#include "keepclear/scene.hpp"

namespace keepclear::bench {

/// FCL as fast as it goes: hulls of links as fcl::Convex, boxes and cylinders of obstacles as its
/// own, a dynamic AABB tree over the obstacles that is built once, boxes about links that fit (its
/// own computeAABB takes the ball around any turned shape), links against each other by those
/// boxes.
class FclChecker {
 public:
  /// The shapes of links; those of objects are left aside.
  explicit FclChecker(const Scene& robot);
  ~FclChecker();
  /// What stands around, and which pairs are checked.
  void surround(const World& world, std::span<const SceneObject> objects);
  /// Whether a checked pair collides with the solids where X_WS has them.
  bool check(std::span<const Pose> X_WS);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

struct EdgeOptions {
  std::size_t scenes = 450, edges = 100;
  int rounds = 2, points = 8;  ///< points: of fitted bodies; 0: only hulls
  std::uint64_t seed = 1;
  double length = 1;  ///< radians: of an edge
  /// Edges begin within 0.2 rad of the start or the goal of the problem, where things are near, and
  /// not anywhere.
  bool near = false;
  double tolerance = 1e-3;  ///< metres
};

/// One of those who look at poses alone, on the edges of a row.
struct SampledEdges {
  double us = 0, poses = 0;   ///< means of an edge
  std::size_t missed = 0;     ///< called free; FCL sees the contact in the pose that was proved
  std::size_t colliding = 0;  ///< called free by us: must be none
};

/// The edges of a set of problems (or of all) with one kind of our bodies and one of FCL's.
struct EdgeRow {
  std::string set, bodies, fcl_bodies;
  std::size_t scenes = 0, edges = 0, free = 0, contact = 0, undecided = 0;
  double us = 0, us_free = 0, us_contact = 0, p50_us = 0, p99_us = 0, max_us = 0;
  double tests = 0, parts = 0;  ///< means of an edge
  double pose_us = 0;           ///< DistanceQuery::check of the first pose, which is free
  double fcl_pose_us = 0;       ///< FCL's check of the same
  SampledEdges fine, coarse;    ///< steps of 0.01 rad; MoveIt's
  std::size_t unseen = 0;       ///< contacts that FCL does not see in the pose that was proved
};

/// Empty where the problems are not there.
std::vector<EdgeRow> measure_edges(const EdgeOptions& options);
void print_edges(const std::vector<EdgeRow>& rows);
void write_edges(std::ostream& out, const std::vector<EdgeRow>& rows);
/// For callgrind: a dump for each set of problems and contender.
void count_edge_instructions(const EdgeOptions& options);

/// One motion, asked one question.
struct MotionRow {
  std::string part, scene, motion, question;
  Certificate answer;
  double us = 0;       ///< least of several
  std::string pair{};  ///< who is nearest, or in contact
  std::string note{};
};
using Report = std::function<void(const MotionRow&)>;

/// A reach into a bookcase; two arms that hand something over, on one clock and on two; a measured
/// motion of a Panda. Nothing where the data is not there.
void measure_bookcase(const Report& report);
void measure_handover(const Report& report);
void measure_measured(const Report& report);
void print_motion(const MotionRow& row);
void write_motion(std::ostream& out, const MotionRow& row);

/// An arm that passes a plate at a known distance.
struct CostRow {
  double gap = 0;  ///< metres
  Method method = Method::automatic;
  Certificate answer;
  double us = 0;
};
std::vector<CostRow> measure_cost();
void print_cost(const std::vector<CostRow>& rows);
void write_cost(std::ostream& out, const std::vector<CostRow>& rows);

}  // namespace keepclear::bench
