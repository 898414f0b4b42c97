// SPDX-License-Identifier: BSD-3-Clause
//
// Two placed pieces, whatever they are, from search to verdict.
#pragma once

#include "distance/half_space.hpp"
#include "distance/pair.hpp"
#include "scene/environment.hpp"
#include "shape/quick_tables.hpp"

namespace keepclear {

/// A piece as a search sees it: tables, or a half-space.
struct PieceView {
  const BodyTables* tables = nullptr;
  const HalfSpace* half_space = nullptr;
};

/// Makes a view of any piece. Valid until the next one is made with the same workbench.
class Workbench {
 public:
  PieceView view(const Environment& environment, std::uint32_t piece) noexcept;

 private:
  BallTables ball_;
  BoxTables box_;
};

/// As solve_pair, with points and direction in the world. Two half-spaces are undecided.
PairAnswer solve_views(const PieceView& a, const BoundedPose& X_WA, const PieceView& b,
                       const BoundedPose& X_WB, const PairOptions& options, GjkCache& cache,
                       EpaWorkspace& space) noexcept;

}  // namespace keepclear
