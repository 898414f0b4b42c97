// SPDX-License-Identifier: BSD-3-Clause
//
// One placed pair of bodies, from search to verdict: closed form or GJK, radii, overlap.
#pragma once

#include "distance/epa.hpp"
#include "distance/gjk.hpp"
#include "keepclear/verdict.hpp"

namespace keepclear {

struct PairOptions {
  double tolerance = 1e-10;
  bool signed_distance = false;
  /// Metres, not negative: the verdict is *free* if the distance is proved to be above this, and
  /// *contact* if it is proved to be below (of zero: if the bodies overlap).
  double margin = 0;
  /// Metres, of the bodies: the search may end once the distance is proved to be above this.
  double stop_above = std::numeric_limits<double>::infinity();
  /// Only the verdict counts: the search may also end once contact is proved.
  bool verdict_only = false;
};

/// Points and direction in A's frame. lower <= real distance <= distance up to rounding of
/// `distance`; when the search was stopped, `distance` is only an upper bound.
struct PairAnswer {
  Verdict verdict = Verdict::undecided;
  double distance = 0;
  double lower = 0;
  double signed_lower = 0;  ///< the same, but not clipped at zero for overlapping bodies
  /// Of two bodies, with signed_distance: proved that moved by less than this, any way, they still
  /// overlap. Zero where that was not shown.
  double sure_depth_lo = 0;
  Vec3 p_a, p_b, n;
};

PairAnswer solve_pair(const Placement& pair, const PairOptions& options, GjkCache& cache,
                      EpaWorkspace& space) noexcept;

/// The same in two halves, for those who run the search elsewhere: the closed form where there is
/// one (false if not), and the answer from what GJK found with options that are no looser than the
/// pair's.
bool solve_closed(const Placement& pair, const PairOptions& options, PairAnswer& answer) noexcept;
PairAnswer conclude(const Placement& pair, const GjkResult& found, const PairOptions& options,
                    EpaWorkspace& space) noexcept;

}  // namespace keepclear
