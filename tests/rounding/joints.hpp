// SPDX-License-Identifier: BSD-3-Clause
//
// Angles with their real sine and cosine, and rotations made of them: computed once, drawn often.
#pragma once

#include <vector>

#include "oracle.hpp"

namespace keepclear::test {

struct Angle {
  double q = 0;
  Real s, c;
};

/// The sine and cosine of an angle as T.
template <class T>
std::pair<T, T> sine_cosine(const Angle& angle) {
  T s, c;
  T::sin_cos(angle.q, s, c);
  return {s, c};
}
template <>
inline std::pair<Real, Real> sine_cosine<Real>(const Angle& angle) {
  return {angle.s, angle.c};
}

/// Angles of all sizes, most of them within a turn, some of them the favourites of robots.
inline std::vector<Angle> angles(std::uint64_t seed, int count) {
  Numbers numbers(seed);
  std::vector<Angle> all(static_cast<std::size_t>(count));
  for (Angle& angle : all) {
    switch (numbers.below(8)) {
      case 0:
        angle.q = numbers.number(-60, 60);
        break;
      case 1:
        angle.q = (numbers.below(17) - 8) * 0.7853981633974483;
        break;
      case 2:
        angle.q = numbers.uniform(-1e6, 1e6);
        break;
      default:
        angle.q = numbers.uniform(-3.2, 3.2);
    }
    Real::sin_cos(angle.q, angle.s, angle.c);
  }
  return all;
}

/// Yaw * pitch * roll, as three matrices: not the formula under test.
template <class T>
Mat<T> real_rpy(const Angle& roll, const Angle& pitch, const Angle& yaw) {
  const auto [sr, cr] = sine_cosine<T>(roll);
  const auto [sp, cp] = sine_cosine<T>(pitch);
  const auto [sy, cy] = sine_cosine<T>(yaw);
  const T o(0.0), i(1.0);
  const Mat<T> x{Vec<T>{i, o, o}, Vec<T>{o, cr, o - sr}, Vec<T>{o, sr, cr}};
  const Mat<T> y{Vec<T>{cp, o, sp}, Vec<T>{o, i, o}, Vec<T>{o - sp, o, cp}};
  const Mat<T> z{Vec<T>{cy, o - sy, o}, Vec<T>{sy, cy, o}, Vec<T>{o, o, i}};
  return z * (y * x);
}

template <class T>
Vec<T> real_direction(Vec3 axis) {
  const Vec<T> a = exact<T>(axis);
  const T n = norm(a);
  return {a[0] / n, a[1] / n, a[2] / n};
}

/// Rodrigues: a a^T + c (I - a a^T) + s [a]x.
template <class T>
Mat<T> real_turn(const Vec<T>& a, const T& s, const T& c) {
  const T o(0.0), v = T(1.0) - c;
  const Mat<T> skew{Vec<T>{o, o - a[2], a[1]}, Vec<T>{a[2], o, o - a[0]},
                    Vec<T>{o - a[1], a[0], o}};
  Mat<T> r;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) {
      r[i][j] = v * a[i] * a[j] + s * skew[i][j];
      if (i == j) r[i][j] = r[i][j] + c;
    }
  }
  return r;
}

/// Axes as files have them, and worse; never zero.
inline Vec3 random_axis(Numbers& numbers) {
  for (;;) {
    Vec3 a;
    switch (numbers.below(6)) {
      case 0:
        a = numbers.vector(-1074, 1023);
        break;
      case 1:
        a = numbers.vector(-1074, -1060);
        break;
      case 2:
        a = numbers.vector(1000, 1023);
        break;
      case 3:
        a = numbers.vector(-60, 60);
        break;
      default:
        a = {numbers.uniform(-1, 1), numbers.uniform(-1, 1), numbers.uniform(-1, 1)};
    }
    if (numbers.below(4) == 0) a = {0, 0, a.z};
    if (a != Vec3{}) return a;
  }
}

}  // namespace keepclear::test
