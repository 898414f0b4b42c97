// SPDX-License-Identifier: BSD-3-Clause
// Points and rigid motions in plain doubles, for --against alone: it compares within tolerances.
#pragma once
#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "interval.hpp"

namespace verify {

using Point = std::array<double, 3>;
using Face = std::array<std::size_t, 3>;  // corners

inline double inner(const Point& a, const Point& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
inline double norm(const Point& a) {
  return std::hypot(a[0], a[1], a[2]);
}
inline Point operator+(const Point& a, const Point& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
inline Point operator-(const Point& a, const Point& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
inline Point operator*(double s, const Point& a) {
  return {s * a[0], s * a[1], s * a[2]};
}
inline Point cross_of(const Point& a, const Point& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline double middle(const Interval& a) {
  return a.lower() / 2 + a.upper() / 2;
}
inline Point middle(const Vec& a) {
  return {middle(a[0]), middle(a[1]), middle(a[2])};
}

struct Place {
  std::array<Point, 3> turn = {Point{1, 0, 0}, Point{0, 1, 0}, Point{0, 0, 1}};  // rows
  Point shift = {0, 0, 0};

  Point operator*(const Point& p) const {
    return Point{inner(turn[0], p), inner(turn[1], p), inner(turn[2], p)} + shift;
  }
  Place operator*(const Place& b) const {
    Place result;
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t k = 0; k < 3; ++k)
        result.turn[i][k] = inner(turn[i], {b.turn[0][k], b.turn[1][k], b.turn[2][k]});
    result.shift = *this * b.shift;
    return result;
  }
  Place inverse() const {  // of a rigid motion
    Place result;
    for (std::size_t i = 0; i < 3; ++i) result.turn[i] = {turn[0][i], turn[1][i], turn[2][i]};
    result.shift = Point{0, 0, 0} - Place{result.turn, {0, 0, 0}} * shift;
    return result;
  }
  static Place of_rpy(const Point& xyz, const Point& rpy) {
    const double cr = std::cos(rpy[0]), sr = std::sin(rpy[0]), cp = std::cos(rpy[1]),
                 sp = std::sin(rpy[1]), cy = std::cos(rpy[2]), sy = std::sin(rpy[2]);
    return {{Point{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
             Point{sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
             Point{-sp, cp * sr, cp * cr}},
            xyz};
  }
  static Place of_quaternion(const Point& xyz, double x, double y, double z, double w) {
    const double f = 2 / (x * x + y * y + z * z + w * w);
    return {{Point{1 - f * (y * y + z * z), f * (x * y - z * w), f * (x * z + y * w)},
             Point{f * (x * y + z * w), 1 - f * (x * x + z * z), f * (y * z - x * w)},
             Point{f * (x * z - y * w), f * (y * z + x * w), 1 - f * (x * x + y * y)}},
            xyz};
  }
};

/// Numbers of the certificate and of the files that it was made from differ by rounding at most.
constexpr double kAlike = 1e-12;
inline bool alike(double a, double b) {
  return a == b || (std::isfinite(a) && std::abs(a - b) <= kAlike * (1 + std::abs(b)));
}
inline bool alike(const Point& a, const Point& b) {
  return alike(a[0], b[0]) && alike(a[1], b[1]) && alike(a[2], b[2]);
}
inline bool alike(const Place& a, const Place& b) {
  return alike(a.turn[0], b.turn[0]) && alike(a.turn[1], b.turn[1]) &&
         alike(a.turn[2], b.turn[2]) && alike(a.shift, b.shift);
}

}  // namespace verify
