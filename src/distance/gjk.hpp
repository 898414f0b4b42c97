// SPDX-License-Identifier: BSD-3-Clause
//
// GJK on two placed hulls (paper 2, Algorithm 1, with the corrections: it ends on the duality gap,
// the lower bound is certified by the separation check, and signed volumes step in when the
// geometric sub-distance makes no progress). Radii are left aside: callers subtract them.
#pragma once

#include <cstdint>
#include <limits>

#include "distance/separation.hpp"
#include "distance/subdistance.hpp"

namespace keepclear {

/// Where the last search of this pair ended; the caller owns it. Any content is a valid start.
struct GjkCache {
  int size = 0;  ///< vertices of the last simplex; 0: start from the spines
  std::uint32_t a[4] = {0, 0, 0, 0}, b[4] = {0, 0, 0, 0};
};

struct GjkOptions {
  /// Ends when the upper bound is within this of the certified lower bound, metres.
  double tolerance = 1e-10;
  /// Ends as soon as the lower bound is above this, metres.
  double stop_above = std::numeric_limits<double>::infinity();
  /// Ends as soon as the upper bound is below this, metres.
  double stop_below = 0;
};

struct GjkResult {
  enum class End {
    converged,  ///< the gap is closed, or as closed as rounding lets it
    stopped,    ///< stop_above or stop_below
    overlap,    ///< the simplex contains the origin, as far as rounding can tell
  };
  End end = End::converged;
  double upper = std::numeric_limits<double>::infinity();   ///< |v|: distance of the witness points
  double lower = -std::numeric_limits<double>::infinity();  ///< certified; of the hulls, no radii
  Vec3 n;           ///< unit to rounding, in A, from A to B: the direction that gave `lower`
  Simplex simplex;  ///< carries the nearest point: witness points are its weighted vertices
  int iterations = 0;
};

/// Runs on the best instruction set of the machine.
void gjk(const Placement& pair, const GjkOptions& options, GjkCache& cache,
         GjkResult& result) noexcept;

/// Evaluates one direction, as gjk does in each step. n: in A, from A to B, of a length from 1e-100
/// to 1e100.
Separation evaluate_direction(const Placement& pair, Vec3 n) noexcept;

/// The plain twin: full scans of all points, signed volumes only, no lanes.
void gjk_plain(const Placement& pair, const GjkOptions& options, GjkResult& result) noexcept;

/// The witness points of a result, in A's frame.
struct Witness {
  Vec3 p_a, p_b;
};
Witness witness(const Placement& pair, const Simplex& simplex) noexcept;

}  // namespace keepclear
