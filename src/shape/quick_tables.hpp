// SPDX-License-Identifier: BSD-3-Clause
//
// Tables of balls and boxes that are filled on the spot, without allocation: a scene may hold a
// million of either, and keeps three to six numbers for each instead of tables.
#pragma once

#include <array>

#include "shape/support_table.hpp"

namespace keepclear {

class BallTables {
 public:
  BallTables();
  /// What make_tables would build, up to the search's hints. Valid until the next call.
  const BodyTables& at(Vec3 centre, double radius) noexcept;

 private:
  BodyTables tables_;
};

class BoxTables {
 public:
  BoxTables();
  /// The box |p - centre| <= half, coordinate by coordinate.
  const BodyTables& at(Vec3 centre, Vec3 half) noexcept;

 private:
  BodyTables tables_;
  std::array<Vec3, 8> sign_;  ///< of each vertex
};

}  // namespace keepclear
