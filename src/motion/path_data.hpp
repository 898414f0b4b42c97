// SPDX-License-Identifier: BSD-3-Clause
//
// A path as it is computed with: polynomial pieces in Bernstein form. A place on it is a number
// from 0 to the number of pieces: that of a piece, and how far along it. Proofs speak of places,
// which are exact; times are only for people.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "keepclear/path.hpp"

namespace keepclear {

inline constexpr int kMaxPathDegree = 32;

struct PathPiece {
  double begin = 0, end = 0;  ///< times
  int degree = 1;
  std::size_t first = 0;  ///< in `control`: degree + 1 rows of dof numbers
};

struct PathData {
  std::size_t dof = 0;
  std::vector<PathPiece> pieces;
  std::vector<double> control;
  /// Of each number: at least how far the polynomials with these control points are from the path
  /// that was asked for, at equal places.
  std::vector<double> error;
  /// Half widths of the tube at the borders of the pieces, pieces + 1 rows of dof numbers, straight
  /// between; empty without one.
  std::vector<double> tube;
  /// The first of each four numbers that are a quaternion, where that is known.
  std::vector<std::size_t> quaternions;

  double last_place() const noexcept { return static_cast<double>(pieces.size()); }
};

/// The time of a place, rounded, and the place of a time, the nearest.
double time_of_place(const PathData& path, double place) noexcept;
double place_of_time(const PathData& path, double time) noexcept;

/// The computed position at a place. Does not allocate. Quaternions are left as they come.
void position_at(const PathData& path, double place, double* q) noexcept;

/// What is known of a path between the places a < b, each number for itself but all at the same
/// share of the way: every position of the path there is
///     q_a + s (q_b - q_a) + e,   0 <= s <= 1,   |e_k| <= off_hi[k],
/// where q_a and q_b are what position_at computes. What rounding and `error` add is inside; the
/// tube is not. off_hi has dof places. Does not allocate.
void deviation_from_chord(const PathData& path, double a, double b, const double* q_a,
                          const double* q_b, double* off_hi) noexcept;
/// The largest half widths of the tube there; zeros without one.
void tube_between(const PathData& path, double a, double b, double* width_hi) noexcept;
/// At least every position there, the tube left aside. Does not allocate.
void range_between(const PathData& path, double a, double b, Interval* range) noexcept;

}  // namespace keepclear
