// SPDX-License-Identifier: BSD-3-Clause
//
// Cycles of a guard for the page.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "guard_session.hpp"
#include "keepclear/brake.hpp"
#include "keepclear/guard.hpp"
#include "motion/braking.hpp"
#include "page_pose.hpp"
#include "page_sweep.hpp"

namespace keepclear::command {

/// One cycle. `q`, `v` are those of its state.
struct ShownCycle {
  std::uint64_t cycle = 0;
  double time = 0;
  bool go = false;
  std::uint16_t reason = 0;  ///< a Reason or a LinkReason
  int a = -1, b = -1;
  double bound = 0;
  std::uint64_t flops = 0;
  double microseconds = 0;  ///< negative: not timed
  std::vector<double> q, v;
};

struct ShownGuard {
  std::string name;
  bool live = false;
  BrakeModel brake;
  GuardOptions options;
  std::uint64_t work_bound = 0;
  std::uint64_t cycles = 0, brakes = 0, overruns = 0;
  std::vector<ShownCycle> rows;
};

/// Bins of what cycles took, in microseconds, growing by a fixed factor.
class ShownLatencies {
 public:
  void add(double microseconds);
  /// GuardRun['histogram'] of document.ts; "null" when nothing was timed.
  std::string json() const;

 private:
  std::vector<std::uint64_t> bins_;
  std::vector<double> latest_;  ///< what quantiles are of
  double longest_ = 0;
  std::uint64_t count_ = 0;
};

/// GuardRows of document.ts. The distance at each state is looked for here.
std::string rows_json(std::span<const ShownCycle> rows, Poser& poser);
/// At most so many rows: of each stretch the one that brakes first, or of the least bound.
std::vector<ShownCycle> thinned_rows(std::vector<ShownCycle> rows, std::size_t most);
/// A GuardRun of document.ts from its parts; `poses` without brackets.
std::string guard_json(const ShownGuard& guard, const std::string& histogram,
                       const std::string& rows, const std::string& poses);
/// A GuardRun of document.ts, with the poses and braking volumes of some rows: the brakes among
/// them.
std::string guard_document(const World& world, const ShownGuard& guard,
                           const ShownLatencies& latencies, Poser& poser, Sweeper& sweeper);
/// What the braking motion of a state covers; false for a state that has none.
bool braking_sweep(const Braking& braking, std::span<const double> q, std::span<const double> v,
                   Sweeper& sweeper, DrawnSweep& out, std::size_t triangles = Sweeper::kTriangles);

}  // namespace keepclear::command
