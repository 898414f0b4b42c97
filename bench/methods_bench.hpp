// SPDX-License-Identifier: BSD-3-Clause
//
// The same motions of robots, proved by every method.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "keepclear/certify.hpp"
#include "keepclear/world.hpp"

namespace keepclear::bench {

struct MethodsOptions {
  std::size_t problems = 12;  ///< of each robot, spread over its sets
  std::size_t each = 2;       ///< motions of a kind in a problem
  int rounds = 3, points = 8;
  std::uint64_t seed = 1;
  double tolerance = 1e-3;            ///< metres
  std::size_t budget = 200'000;       ///< tests of a motion
  std::vector<std::string> robots{};  ///< empty: all
};

/// A motion, where it happens and what it is.
struct MethodsMotion {
  std::string robot, scene, kind;
  std::size_t number = 0;
  World world;
  Path path;
};

// Kinds of motions:
//   edge      a straight line of 1 rad in joint space, from near the start or goal of a problem
//   line      a straight line between two random configurations that are free
//   turn      the hand turns in place by 1 rad: its centre stays, the joints compensate each other
//   straight  the hand goes straight by 0.2 m and keeps its orientation
//   circle    the hand goes round a circle of 0.1 m and comes back, without turning
//   task      what comes with the built-in worlds

/// Problems of MotionBenchMaker for three robots, one after the other. Nothing where the data is
/// not there.
void for_each_problem_motion(const MethodsOptions& options,
                             const std::function<void(const MethodsMotion&)>& done);
void for_each_task(const MethodsOptions& options,
                   const std::function<void(const MethodsMotion&)>& done);

inline constexpr Method kMethods[] = {Method::velocity, Method::sweep, Method::ball, Method::chord,
                                      Method::automatic};
inline constexpr std::size_t kMethodCount = 5;
inline constexpr Ask kAsks[] = {Ask::verdict, Ask::clearance};

/// One motion by one method.
struct MethodsCell {
  Verdict verdict = Verdict::undecided;
  std::size_t tests = 0, parts = 0;
  int depth = 0;
  double us = 0, clearance = 0;
};
struct MethodsRow {
  std::string robot, scene, kind;
  std::size_t number = 0, pairs = 0;
  Ask ask = Ask::verdict;
  /// Metres: the least distance that was found when it was asked for; zero for a contact.
  double distance = 0;
  std::array<MethodsCell, kMethodCount> by;
  /// Steps of the proof of `auto`, by method.
  std::array<std::size_t, kMethodCount> steps{};

  bool proved() const;  ///< free by one method at least
};

std::vector<MethodsRow> measure_motion(const MethodsMotion& motion, const MethodsOptions& options);
/// Tables by kind and by clearance. Throws where two methods contradict each other.
void print_summary(const std::vector<MethodsRow>& rows);
void write_head(std::ostream& out);
void write_row(std::ostream& out, const MethodsRow& row);

}  // namespace keepclear::bench
