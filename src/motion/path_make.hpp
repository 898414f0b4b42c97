// SPDX-License-Identifier: BSD-3-Clause
//
// What the makers of paths share: checks, and pieces that share the row at which they meet.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "motion/path_data.hpp"

namespace keepclear {

/// What a number or a time of a path may be at most, either way, and how short a piece may be: far
/// from where doubles end.
inline constexpr double kLargestPathNumber = 1e15;
inline constexpr double kLargestDerivative = 1e100;
inline constexpr double kShortestPiece = 1e-30;  ///< seconds

[[noreturn]] void refuse_path(const std::string& what, const std::string& hint = {});
/// Finite, at most `most` either way. `what` is for the message.
void require_numbers(std::span<const double> values, const char* what,
                     double most = kLargestPathNumber);
/// At least two, growing.
void require_times(std::span<const double> times);
void require_duration(double begin, double end);

/// Builds a path row by row. Rows that were given stay as they are; of those that were computed the
/// error is noted.
class PathBuilder {
 public:
  explicit PathBuilder(std::size_t dof);

  void add_row(std::span<const double> row);
  /// Adds a number to the row that is being made; `error` is at least what it is off by.
  void add_number(double value, double error);
  /// A piece of the last degree + 1 rows.
  void add_piece(int degree, double begin, double end);
  void allow_error(std::size_t k, double error);

  PathData& data() { return data_; }
  /// Throws Error (usage) for control points that are too large.
  Path finish();

 private:
  PathData data_;
};

}  // namespace keepclear
