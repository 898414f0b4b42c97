// SPDX-License-Identifier: BSD-3-Clause
//
// Numbers that know how far off they may be: sums and products of a few doubles whose sign is to be
// certain.
#pragma once

#include <cmath>

#include "keepclear/geometry.hpp"
#include "rounding/rounding.hpp"

namespace keepclear {

/// The real value is within `error` of `value`. What is not a number is certain of nothing.
struct Bounded {
  double value = 0, error = 0;

  bool positive() const noexcept { return value - error > 0; }
  bool negative() const noexcept { return value + error < 0; }
  double lo() const noexcept { return rounding::down(value - error); }
  double hi() const noexcept { return rounding::up(value + error); }
};

/// Rounding of the error itself, a few operations of it.
inline constexpr double kErrorOfErrors = 1 + 0x1p-48;
/// More than any underflow here.
inline constexpr double kTiny = 1e-290;

inline Bounded operator+(Bounded a, Bounded b) noexcept {
  const double value = a.value + b.value;
  return {value, (a.error + b.error + rounding::kU * std::fabs(value)) * kErrorOfErrors};
}
inline Bounded operator-(Bounded a, Bounded b) noexcept {
  const double value = a.value - b.value;
  return {value, (a.error + b.error + rounding::kU * std::fabs(value)) * kErrorOfErrors};
}
inline Bounded operator*(Bounded a, Bounded b) noexcept {
  const double value = a.value * b.value;
  const double error = std::fabs(a.value) * b.error + std::fabs(b.value) * a.error +
                       a.error * b.error + rounding::kU * std::fabs(value);
  return {value, error * kErrorOfErrors + kTiny};
}
inline Bounded operator*(double a, Bounded b) noexcept {
  return Bounded{a, 0} * b;
}
/// The dot product of two exact vectors.
inline Bounded bounded_dot(Vec3 a, Vec3 b) noexcept {
  const double x = a.x * b.x, y = a.y * b.y, z = a.z * b.z;
  const double size = std::fabs(x) + std::fabs(y) + std::fabs(z);
  return {x + y + z, rounding::gamma(5) * size + kTiny};
}

}  // namespace keepclear
