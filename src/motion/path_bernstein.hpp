// SPDX-License-Identifier: BSD-3-Clause
//
// One number of one piece of a path: de Casteljau's algorithm and what it can be off by. Derived in
// docs/theory/paths.md.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "motion/path_data.hpp"
#include "rounding/rounding.hpp"

namespace keepclear::bernstein {

/// Of equal ends exactly that, whatever the share.
constexpr double lerp(double a, double b, double share) {
  return a + share * (b - a);
}

/// At least the sum of two bounds; nothing is added to nothing.
constexpr double sum_hi(double a, double b) {
  if (a == 0) return b;
  return b == 0 ? a : rounding::up(a + b);
}

/// At least what `degree` levels of lerp with exact shares can be off by, on numbers of at most
/// this magnitude that are not all equal.
constexpr double lerp_error(int degree, double magnitude) {
  return rounding::inflate(degree * (rounding::gamma(10) * magnitude), 2);
}

/// The control numbers of one joint on one piece.
struct Numbers {
  const double* first;
  std::size_t stride;
  int degree;

  double operator[](int row) const { return first[static_cast<std::size_t>(row) * stride]; }

  /// What a value inside the piece can be off by: nothing for a joint that stands still.
  double error() const {
    double magnitude = std::fabs(first[0]);
    bool still = true;
    for (int row = 1; row <= degree; ++row) {
      const double value = (*this)[row];
      still = still && value == first[0];
      magnitude = std::max(magnitude, std::fabs(value));
    }
    return still ? 0 : lerp_error(degree, magnitude);
  }
};

inline Numbers numbers(const PathData& path, const PathPiece& piece, std::size_t k) {
  return {path.control.data() + piece.first + k, path.dof, piece.degree};
}

/// The value at a share from 0 to 1; `row` is scratch of degree + 1 places, and is overwritten.
inline double value_in_place(double* row, int degree, double share) {
  for (int left = degree; left > 0; --left) {
    for (int i = 0; i < left; ++i) row[i] = lerp(row[i], row[i + 1], share);
  }
  return row[0];
}

inline double value(const Numbers& c, double share) {
  if (share == 0) return c[0];
  if (share == 1) return c[c.degree];
  if (c.degree == 1) return lerp(c[0], c[1], share);
  double row[kMaxPathDegree + 1];
  for (int i = 0; i <= c.degree; ++i) row[i] = c[i];
  return value_in_place(row, c.degree, share);
}

/// Whether the control numbers of that part are computed, not copied.
constexpr bool is_rounded(double u0, double u1) {
  return (u0 != 0 && u0 != 1) || (u1 != 0 && u1 != 1);
}

/// The control numbers of the part [u0, u1] of a polynomial whose own are in `row`, which is
/// overwritten: part[j] is the blossom at degree - j times u0 and j times u1. Every step is a lerp
/// with one of these shares, so that each is off by no more than lerp_error.
inline void part(double* row, int degree, double u0, double u1, double* out) {
  if (u0 == 1) {
    for (int i = 0; i <= degree; ++i) out[i] = row[degree];
    return;
  }
  if (u0 == 0 && u1 == 1) {
    for (int i = 0; i <= degree; ++i) out[i] = row[i];
    return;
  }
  if (u0 == 0) {
    for (int j = 0; j <= degree; ++j) {
      out[j] = row[0];
      for (int i = 0; i < degree - j; ++i) row[i] = lerp(row[i], row[i + 1], u1);
    }
    return;
  }
  double copy[kMaxPathDegree + 1];
  for (int left = degree; left >= 0; --left) {
    // Here `row` holds left + 1 numbers, after degree - left steps with u0.
    if (u1 == 1) {
      out[left] = row[left];
    } else {
      for (int i = 0; i <= left; ++i) copy[i] = row[i];
      out[left] = value_in_place(copy, left, u1);
    }
    for (int i = 0; i < left; ++i) row[i] = lerp(row[i], row[i + 1], u0);
  }
}

inline void part(const Numbers& c, double u0, double u1, double* out) {
  double row[kMaxPathDegree + 1];
  for (int i = 0; i <= c.degree; ++i) row[i] = c[i];
  part(row, c.degree, u0, u1, out);
}

/// The least and the largest of degree + 1 numbers.
inline Interval hull(const double* row, int degree) {
  Interval range{row[0], row[0]};
  for (int i = 1; i <= degree; ++i) {
    range.lower = std::min(range.lower, row[i]);
    range.upper = std::max(range.upper, row[i]);
  }
  return range;
}

/// The pieces between two places, and which share of each.
struct Stretch {
  std::size_t first, last;
  double first_share, last_share;

  Stretch(const PathData& path, double a, double b) {
    const double end = path.last_place();
    a = a > 0 ? std::min(a, end) : 0;
    b = b > a ? std::min(b, end) : a;
    const double piece_a = std::min(std::floor(a), end - 1);
    const double piece_b = std::max(piece_a, std::ceil(b) - 1);
    first = static_cast<std::size_t>(piece_a);
    last = static_cast<std::size_t>(piece_b);
    first_share = a - piece_a;
    last_share = b - piece_b;
  }
  double from(std::size_t piece) const { return piece == first ? first_share : 0; }
  double to(std::size_t piece) const { return piece == last ? last_share : 1; }
};

}  // namespace keepclear::bernstein
