// SPDX-License-Identifier: BSD-3-Clause
// Intervals that hold the real result of every operation. The processor rounds upwards from the
// start of the program to its end: Boost.Interval gets lower ends by negation, and a plain sum or
// product of doubles that are not negative is an upper bound. Compiled with -frounding-math
// -ffp-contract=off. NaN fails every comparison, and what is not finite proves nothing.
#pragma once
#include <mpfr.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/numeric/interval.hpp>
#include <cfenv>
#include <cmath>
#include <cstdint>
#include <vector>

namespace verify {

namespace lib = boost::numeric::interval_lib;
using Interval =
    boost::numeric::interval<double,
                             lib::policies<lib::save_state_nothing<lib::rounded_arith_opp<double>>,
                                           lib::checking_base<double>>>;
/// Whatever the mode was: subnormal numbers count, as a preloaded library may have switched off.
inline void round_upwards() {
  std::fesetenv(FE_DFL_ENV);
  std::fesetround(FE_UPWARD);
}
inline void round_nearest() {
  std::fesetround(FE_TONEAREST);
}  // for libraries that read and print numbers

inline double up(const Interval& a) {
  return a.upper();
}
inline double down(const Interval& a) {
  return a.lower();
}
/// Not a number if one of them is none; std::max may drop that.
inline double larger(double a, double b) {
  return a >= b ? a : b >= a ? b : NAN;
}
inline double smaller(double a, double b) {
  return a <= b ? a : b <= a ? b : NAN;
}
inline double size(const Interval& a) {
  return larger(-a.lower(), a.upper());
}
inline bool finite(const Interval& a) {
  return std::isfinite(a.lower()) && std::isfinite(a.upper());
}

/// Of what is not negative. The upward root is the least double that is not below the real one.
inline Interval root(const Interval& a) {
  const double r = std::sqrt(a.lower());
  return {r * r == a.lower() ? r : std::nextafter(r, 0.0), std::sqrt(a.upper())};
}

struct Vec {
  Interval at[3];

  Interval& operator[](std::size_t i) { return at[i]; }
  const Interval& operator[](std::size_t i) const { return at[i]; }
  bool finite() const {
    return verify::finite(at[0]) && verify::finite(at[1]) && verify::finite(at[2]);
  }
  friend Vec operator-(const Vec& a) { return {-a[0], -a[1], -a[2]}; }
  friend Vec operator+(const Vec& a, const Vec& b) {
    return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
  }
  friend Vec operator-(const Vec& a, const Vec& b) {
    return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
  }
  friend Vec operator*(const Interval& s, const Vec& a) { return {s * a[0], s * a[1], s * a[2]}; }
  friend Vec operator/(const Vec& a, const Interval& s) { return {a[0] / s, a[1] / s, a[2] / s}; }
  friend Interval dot(const Vec& a, const Vec& b) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  }
  friend Interval length(const Vec& a) { return root(square(a[0]) + square(a[1]) + square(a[2])); }
  Vec unit() const { return *this / length(*this); }
  friend Vec cross(const Vec& a, const Vec& b) {
    return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
  }
};

struct Mat {
  Vec row[3];

  Vec& operator[](std::size_t i) { return row[i]; }
  const Vec& operator[](std::size_t i) const { return row[i]; }
  bool finite() const { return row[0].finite() && row[1].finite() && row[2].finite(); }
  Vec column(std::size_t i) const { return {row[0][i], row[1][i], row[2][i]}; }
  friend Mat transposed(const Mat& m) { return {m.column(0), m.column(1), m.column(2)}; }
  friend Vec operator*(const Mat& m, const Vec& a) {
    return {dot(m[0], a), dot(m[1], a), dot(m[2], a)};
  }
  friend Mat operator*(const Mat& a, const Mat& b) {
    const Mat t = transposed(b);
    return {t * a[0], t * a[1], t * a[2]};
  }
  friend Mat operator-(const Mat& m) { return {-m[0], -m[1], -m[2]}; }
  static Mat identity() { return {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}; }
  /// Of x -> a × x.
  static Mat crossing(const Vec& a) {
    return {{{0.0, -a[2], a[1]}, {a[2], 0.0, -a[0]}, {-a[1], a[0], 0.0}}};
  }
};

/// Sine and cosine by MPFR; a table remembers them.
inline std::array<Interval, 2> sin_cos(double x) {
  static std::vector<std::pair<std::uint64_t, std::array<Interval, 2>>> table(1 << 16,
                                                                              {0, {0.0, 1.0}});
  const auto bits = std::bit_cast<std::uint64_t>(x);
  auto& entry = table[(bits * 0x9E3779B97F4A7C15u) >> 48];
  if (entry.first == bits) return entry.second;
  double ends[2][2];
  for (const auto mode : {MPFR_RNDD, MPFR_RNDU}) {
    mpfr_t s, c, a;
    mpfr_inits2(53, s, c, a, static_cast<mpfr_ptr>(nullptr));
    mpfr_set_d(a, x, mode);
    mpfr_sin_cos(s, c, a, mode);
    ends[0][mode == MPFR_RNDU] = mpfr_get_d(s, mode);
    ends[1][mode == MPFR_RNDU] = mpfr_get_d(c, mode);
    mpfr_clears(s, c, a, static_cast<mpfr_ptr>(nullptr));
  }
  entry = {bits, {Interval(ends[0][0], ends[0][1]), Interval(ends[1][0], ends[1][1])}};
  return entry.second;
}

inline double asin_up(double x) {
  mpfr_t a;
  mpfr_init2(a, 53);
  mpfr_set_d(a, x, MPFR_RNDU);
  mpfr_asin(a, a, MPFR_RNDU);
  const double result = mpfr_get_d(a, MPFR_RNDU);
  mpfr_clear(a);
  return result;
}

inline Mat turn(const Vec& axis, double angle) {  // axis: of length 1
  const auto [s, c] = sin_cos(angle);
  const Mat x = Mat::crossing(s * axis);
  Mat m;
  for (int i = 0; i < 3; ++i) {
    m[i] = (1.0 - c) * axis[i] * axis + x[i];
    m[i][i] += c;
  }
  return m;
}

inline Mat turn(const std::array<double, 4>& xyzw) {  // the quaternion over its length
  const Interval x = xyzw[0], y = xyzw[1], z = xyzw[2], w = xyzw[3];
  const Interval f = 2.0 / (square(x) + square(y) + square(z) + square(w));
  return {{{1.0 - f * (square(y) + square(z)), f * (x * y - z * w), f * (x * z + y * w)},
           {f * (x * y + z * w), 1.0 - f * (square(x) + square(z)), f * (y * z - x * w)},
           {f * (x * z - y * w), f * (y * z + x * w), 1.0 - f * (square(x) + square(y))}}};
}

}  // namespace verify
