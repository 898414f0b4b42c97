// SPDX-License-Identifier: BSD-3-Clause
//
// What a cycle of the guard costs: worlds, long motions, and what is counted.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "keepclear/guard.hpp"

namespace keepclear::bench {

/// States at a constant cycle, in rows.
struct StateLog {
  std::size_t dof = 0, count = 0;
  double period = 0;
  std::vector<double> q, v, a;

  std::span<const double> row(const std::vector<double>& all, std::size_t i) const {
    return std::span(all).subspan(i * dof, dof);
  }
};

/// A robot that goes from one random target to the next, slow and fast in turn, stands now and
/// then, and brakes when a guard with plenty of budget says so.
StateLog guarded_motion(const World& world, double period, std::size_t count, std::uint64_t seed);

/// The two arms of the octree benchmark with so many obstacles around them, and their tasks.
struct ArmsAmongBoxes {
  World world;
  StateLog log;
};
ArmsAmongBoxes arms_among(std::size_t objects, double period, std::size_t count);

struct CostOptions {
  std::uint64_t cycles = 200'000;
  std::uint64_t budget = GuardOptions{}.budget;
  std::vector<std::string> worlds{"humanoid", "rollin_justin", "two_arms_1e3", "two_arms_1e5"};
  bool instructions = false;
  std::string csv;
};
void run_cost(const CostOptions& options);

}  // namespace keepclear::bench
