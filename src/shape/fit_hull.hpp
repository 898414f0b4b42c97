// SPDX-License-Identifier: BSD-3-Clause
//
// The smallest-volume sphere-swept convex hull with a given number of points around a set of balls:
// random starts, then steps that linearise volume and all containments together and solve a linear
// programme (paper 1, V-B). Proposes; who uses the points proves their radius with NearHull.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear {

/// What is to be contained: a ball around each point.
struct FitInput {
  std::vector<Vec3> points;
  std::vector<double> radii;  ///< not negative
};

struct FitSearch {
  std::uint64_t seed = 1;
  int starts = 2000;  ///< random draws for each number of points
  int refined = 24;   ///< of these the best, improved
  /// Called when the search with n points has ended.
  std::function<void(int n)> done{};
};

struct FittedPoints {
  std::vector<Vec3> points;
  double radius = 0;  ///< by (34), in plain arithmetic
  double volume = 0;
};

/// Bodies with 1, 2, ... `most` points: result[n - 1] has at most n points and no more volume than
/// result[n - 2]. Deterministic.
std::vector<FittedPoints> fit_points(const FitInput& input, int most, const FitSearch& search);

}  // namespace keepclear
