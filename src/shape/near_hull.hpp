// SPDX-License-Identifier: BSD-3-Clause
//
// The proof that a body contains a point: how far the point is at most from the hull of the body's
// points, in real arithmetic. The argument is docs/theory/fit.md.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "keepclear/geometry.hpp"
#include "shape/certificate.hpp"
#include "shape/small_hull.hpp"

namespace keepclear {

class NearHull {
 public:
  /// Any set of finite points but the empty one: single, flat, with duplicates.
  explicit NearHull(std::span<const Vec3> points);

  /// At least the distance (metres) of p from the hull of the points; close to it, and close to
  /// zero for a point inside. Infinite, never NaN, for a p that is not finite.
  double distance_hi(Vec3 p) const { return near(p).distance_hi; }

  /// The same, and the point of the hull that it is the distance from: a mean of up to four of the
  /// points. Weights are not negative, and not all zero where the distance is finite.
  struct Mean {
    double distance_hi = std::numeric_limits<double>::infinity();
    std::array<std::uint32_t, 4> points{};
    std::array<double, 4> weights{};
  };
  Mean near(Vec3 p) const;

 private:
  std::vector<Vec3> points_;
  certificate::Spread spread_;
  SmallHull hull_;  ///< of the points in the frame of the spread: whose points make a facet
};

}  // namespace keepclear
