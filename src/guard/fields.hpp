// SPDX-License-Identifier: BSD-3-Clause
//
// The members of what a guard is made of, one by one.
#pragma once

#include "keepclear/guard.hpp"

namespace keepclear {

/// The members of JointBrake and of GuardOptions, each once, for the hash of a guard and for the
/// writer and the reader of recordings. A member that is added there and not here does not compile.
template <typename Joint, typename Field>
void for_each_field(Joint& joint, Field&& field) {
  auto& [speeding, braking, most, q_off, v_off, a_off, fastest, stops] = joint;
  field(speeding), field(braking), field(most), field(q_off), field(v_off), field(a_off);
  field(fastest), field(stops);
}
template <typename Options, typename Field>
void for_each_option(Options& options, Field&& field) {
  auto& [budget, margin, latch, graded, horizon, known_command, slices, splits, max_age, max_gap,
         limit_tolerance, check_jumps, max_world_age, max_carried, check_cycles] = options;
  field("budget", budget), field("margin", margin), field("latch", latch);
  field("graded", graded), field("horizon", horizon), field("known_command", known_command);
  field("slices", slices), field("splits", splits), field("max_age", max_age);
  field("max_gap", max_gap), field("limit_tolerance", limit_tolerance);
  field("check_jumps", check_jumps), field("max_world_age", max_world_age);
  field("max_carried", max_carried), field("check_cycles", check_cycles);
}

}  // namespace keepclear
