// SPDX-License-Identifier: BSD-3-Clause
//
// The tour's look at the guard: the hands of the humanoid go towards each other, and a guard brakes
// them.
#pragma once

#include <cstdint>
#include <vector>

#include "keepclear/world.hpp"
#include "output.hpp"

namespace keepclear::command {

/// One approach.
struct GuardedApproach {
  double speed = 0;         ///< m/s of the hands towards each other when the guard brakes
  double at_brake = 0;      ///< metres between the nearest bodies then
  double left = 0;          ///< metres, the least while it stops
  int a = -1, b = -1;       ///< the pair that decided
  std::size_t cycles = 0;   ///< until it stands
  double microseconds = 0;  ///< median of a cycle
  std::uint64_t flops = 0;  ///< most of any cycle
};

struct GuardTour {
  World world;
  std::vector<GuardedApproach> approaches;
};

GuardTour guard_hands(const LoadOptions& load);
void print_guard(Output& out, const GuardTour& tour);
/// As one member of an object: "guard": [...].
void print_guard_json(Output& out, const GuardTour& tour);

}  // namespace keepclear::command
