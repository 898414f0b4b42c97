// SPDX-License-Identifier: BSD-3-Clause
//
// Who watches the two arms: the ways of paper 5, Keepclear's Watch, FCL and Bullet, all behind one
// interface and on the same parts.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bench/octree_scene.hpp"

namespace keepclear::bench {

/// One cycle, in both forms: joints for those who do the kinematics, poses of the moving parts for
/// those who do not and get them for nothing.
struct Instant {
  std::span<const double> q;
  std::span<const Pose> X_WP;
  double period = 0;
};

/// Numbers of a contender beside its times, by name.
using Figures = std::vector<std::pair<std::string, double>>;

class Contender {
 public:
  virtual ~Contender() = default;
  /// Which checked pairs are nearer than the tolerance? This is what is timed.
  virtual void cycle(const Instant& now) = 0;
  /// The pairs that the last cycle found, in any order, each once. By no clock.
  virtual void near(std::vector<Pair>& pairs) const = 0;
  virtual Figures figures() const { return {}; }
};

struct ContenderKind {
  std::string name, what;
  std::function<std::unique_ptr<Contender>(const Cell& cell, double tolerance)> make;
  bool answers = true;  ///< else only its time counts
};

/// Keepclear's Watch: takes joint values, does its own kinematics.
ContenderKind watch_kind(bool profile = false);
/// The benchmark's own kinematics and nothing else: what the libraries below are spared.
ContenderKind kinematics_kind();
/// FCL's dynamic AABB tree over what stands still, one query for each capsule.
std::vector<ContenderKind> fcl_kinds();
/// btDbvtBroadphase with its pair cache; and a bare btDbvt, one query for each capsule.
std::vector<ContenderKind> bullet_kinds();

/// Microseconds a cycle.
struct CycleTimes {
  double mean = 0, p50 = 0, p99 = 0, p999 = 0, max = 0;
};

struct Measured {
  std::string name;
  CycleTimes times;
  Figures figures;
  double build_s = 0;
  double build_bytes = 0;  ///< on the heap, after construction
  std::size_t near = 0;    ///< pairs found, over all cycles
};

struct MeasureOptions {
  double tolerance = 0.02;
  int rounds = 3;
  /// Cycles in one turn of a contender.
  std::size_t block = 1000;
};

/// All contenders on one cell, and one motion after the other: a list for each motion. They take
/// turns, block of cycles after block, and the time of a cycle is the least of its rounds. Throws
/// unless all find the same pairs in each cycle, but for those whose distance is the tolerance to
/// within a micrometre. Figures count from the start of the first motion.
std::vector<std::vector<Measured>> measure(const Cell& cell, std::span<const Motion> motions,
                                           const std::vector<ContenderKind>& kinds,
                                           const MeasureOptions& options);
inline std::vector<Measured> measure(const Cell& cell, const Motion& motion,
                                     const std::vector<ContenderKind>& kinds,
                                     const MeasureOptions& options) {
  return measure(cell, std::span(&motion, 1), kinds, options)[0];
}

/// One contender alone, for a profiler or an instruction counter: `cycles` in all, in 20 stretches
/// spread over the motion. Under callgrind with --instr-atstart=no these cycles alone are counted.
void run_alone(const Cell& cell, const Motion& motion, const ContenderKind& kind,
               const MeasureOptions& options, std::size_t cycles);

}  // namespace keepclear::bench
