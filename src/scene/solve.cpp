// SPDX-License-Identifier: BSD-3-Clause
#include "scene/solve.hpp"

#include <utility>

namespace keepclear {

PieceView Workbench::view(const Environment& environment, std::uint32_t piece) noexcept {
  const Piece& p = environment.pieces[piece];
  switch (p.kind) {
    case PieceKind::body:
      return {&environment.bodies[p.index].tables(), nullptr};
    case PieceKind::ball: {
      const Ball& ball = environment.balls[p.index];
      return {&ball_.at(ball.centre, ball.radius), nullptr};
    }
    case PieceKind::box: {
      const BoxPiece& box = environment.boxes[p.index];
      return {&box_.at(box.centre, box.half), nullptr};
    }
    case PieceKind::half_space:
      break;
  }
  return {nullptr, &environment.half_spaces[p.index]};
}

PairAnswer solve_views(const PieceView& a, const BoundedPose& X_WA, const PieceView& b,
                       const BoundedPose& X_WB, const PairOptions& options, GjkCache& cache,
                       EpaWorkspace& space) noexcept {
  if (b.half_space != nullptr) {
    if (a.tables == nullptr) return {};
    PairAnswer answer = solve_views(b, X_WB, a, X_WA, options, cache, space);
    std::swap(answer.p_a, answer.p_b);
    answer.n = -answer.n;
    return answer;
  }
  const Pose X_AB = rounding::relative_pose(X_WA.X, X_WB.X);
  const double apart_hi = rounding::norm_hi(X_WB.X.p - X_WA.X.p);
  const rounding::PoseError error = rounding::relative(X_WA.error, X_WB.error, apart_hi);
  PairAnswer answer;
  if (a.half_space != nullptr) {
    answer = solve_half_space(*a.half_space, *b.tables, X_AB, error, options);
  } else {
    Placement pair{a.tables, b.tables, X_AB, 0};
    pair.error_hi = placement_error_hi(*a.tables, *b.tables, X_AB, error);
    answer = solve_pair(pair, options, cache, space);
  }
  answer.p_a = X_WA.X * answer.p_a;
  answer.p_b = X_WA.X * answer.p_b;
  answer.n = X_WA.X.R * answer.n;
  return answer;
}

}  // namespace keepclear
