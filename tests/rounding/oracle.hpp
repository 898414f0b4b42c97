// SPDX-License-Identifier: BSD-3-Clause
//
// Two number types to check the bounds of rounding/ against.
//
// `Real` is MPFR at 192 bits, rounded to nearest, without allocation: for the million cases. Let M
// be the size of the operands. The error of an expression in Real, some hundred roundings, is below
// 2^-180 M, and every bound under test is at least 2^-56 M. So either the error seen is below half
// the bound, and the real one below the bound; or 2^-180 M is below 2^-110 of the error seen, which
// is what comparisons give away. One that passes is a proof. `Interval` is MPFI: its comparisons
// are proofs without that argument, and a few of the cases are done again with it.
#pragma once

#include <gtest/gtest.h>
#include <mpfi.h>
#include <mpfr.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>

#include "keepclear/geometry.hpp"

namespace keepclear::test {

class Real {
 public:
  static constexpr mpfr_prec_t kBits = 192;

  Real() { init(); }
  Real(double x) {  // NOLINT: doubles are reals
    init();
    mpfr_set_d(v_, x, MPFR_RNDN);
  }
  Real(const Real& o) {
    init();
    mpfr_set(v_, o.v_, MPFR_RNDN);
  }
  Real& operator=(const Real& o) {
    mpfr_set(v_, o.v_, MPFR_RNDN);
    return *this;
  }

  friend Real operator+(const Real& a, const Real& b) { return apply(mpfr_add, a, b); }
  friend Real operator-(const Real& a, const Real& b) { return apply(mpfr_sub, a, b); }
  friend Real operator*(const Real& a, const Real& b) { return apply(mpfr_mul, a, b); }
  friend Real operator/(const Real& a, const Real& b) { return apply(mpfr_div, a, b); }
  friend Real sqrt(const Real& a) {
    Real r;
    mpfr_sqrt(r.v_, a.v_, MPFR_RNDN);
    return r;
  }
  friend Real abs(const Real& a) {
    Real r;
    mpfr_abs(r.v_, a.v_, MPFR_RNDN);
    return r;
  }
  static void sin_cos(double q, Real& s, Real& c) {
    const Real x(q);
    mpfr_sin_cos(s.v_, c.v_, x.v_, MPFR_RNDN);
  }

  double up() const { return mpfr_get_d(v_, MPFR_RNDU); }
  double nearest() const { return mpfr_get_d(v_, MPFR_RNDN); }
  /// A proof of: this, not negative, is at most `hi`.
  bool at_most(double hi) const { return mpfr_cmp_d((*this * wider()).v_, hi) <= 0; }
  /// A proof of: this, not negative, is at least `lo`.
  bool at_least(double lo) const { return mpfr_cmp_d((*this / wider()).v_, lo) >= 0; }

 private:
  void init() {
    mpfr_custom_init(limbs_, kBits);
    mpfr_custom_init_set(v_, MPFR_ZERO_KIND, 0, kBits, limbs_);
  }
  static const Real& wider() {
    static const Real w = Real(1) + Real(0x1p-110);
    return w;
  }
  template <class F>
  static Real apply(F f, const Real& a, const Real& b) {
    Real r;
    f(r.v_, a.v_, b.v_, MPFR_RNDN);
    return r;
  }

  mpfr_t v_;
  mp_limb_t limbs_[kBits / 64];
};

class Interval {
 public:
  Interval() : Interval(0.0) {}
  Interval(double x) {  // NOLINT: doubles are reals
    mpfi_init2(v_, Real::kBits);
    mpfi_set_d(v_, x);
  }
  Interval(const Interval& o) : Interval(0.0) { mpfi_set(v_, o.v_); }
  Interval& operator=(const Interval& o) {
    mpfi_set(v_, o.v_);
    return *this;
  }
  ~Interval() { mpfi_clear(v_); }

  friend Interval operator+(const Interval& a, const Interval& b) { return apply(mpfi_add, a, b); }
  friend Interval operator-(const Interval& a, const Interval& b) { return apply(mpfi_sub, a, b); }
  friend Interval operator*(const Interval& a, const Interval& b) { return apply(mpfi_mul, a, b); }
  friend Interval operator/(const Interval& a, const Interval& b) { return apply(mpfi_div, a, b); }
  friend Interval sqrt(const Interval& a) {
    Interval r;
    mpfi_sqrt(r.v_, a.v_);
    return r;
  }
  friend Interval abs(const Interval& a) {
    Interval r;
    mpfi_abs(r.v_, a.v_);
    return r;
  }
  static void sin_cos(double q, Interval& s, Interval& c) {
    const Interval x(q);
    mpfi_sin(s.v_, x.v_);
    mpfi_cos(c.v_, x.v_);
  }

  bool at_most(double hi) const { return mpfr_cmp_d(&v_->right, hi) <= 0; }
  bool at_least(double lo) const { return mpfr_cmp_d(&v_->left, lo) >= 0; }

 private:
  template <class F>
  static Interval apply(F f, const Interval& a, const Interval& b) {
    Interval r;
    f(r.v_, a.v_, b.v_);
    return r;
  }

  mpfi_t v_;
};

/// Vectors and matrices of either type, by rows.
template <class T>
using Vec = std::array<T, 3>;
template <class T>
using Mat = std::array<Vec<T>, 3>;

template <class T>
Vec<T> exact(Vec3 a) {
  return {T(a.x), T(a.y), T(a.z)};
}
template <class T>
Mat<T> exact(const Mat3& m) {
  return {exact<T>(m.row0), exact<T>(m.row1), exact<T>(m.row2)};
}
template <class T>
T dot(const Vec<T>& a, const Vec<T>& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
template <class T>
T norm(const Vec<T>& a) {
  return sqrt(dot(a, a));
}
template <class T>
Vec<T> operator+(const Vec<T>& a, const Vec<T>& b) {
  return {a[0] + b[0], a[1] + b[1], a[2] + b[2]};
}
template <class T>
Vec<T> operator-(const Vec<T>& a, const Vec<T>& b) {
  return {a[0] - b[0], a[1] - b[1], a[2] - b[2]};
}
template <class T>
Vec<T> operator*(const Mat<T>& m, const Vec<T>& a) {
  return {dot(m[0], a), dot(m[1], a), dot(m[2], a)};
}
template <class T>
Mat<T> transpose(const Mat<T>& m) {
  Mat<T> t;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) t[i][j] = m[j][i];
  }
  return t;
}
template <class T>
Mat<T> operator*(const Mat<T>& a, const Mat<T>& b) {
  const Mat<T> bt = transpose(b);
  return {bt * a[0], bt * a[1], bt * a[2]};
}
/// At least the spectral norm of m - r: the Frobenius norm.
template <class T>
T distance(const Mat3& m, const Mat<T>& r) {
  T sum(0.0);
  const Mat<T> e = exact<T>(m);
  for (int i = 0; i < 3; ++i) {
    const Vec<T> d = e[i] - r[i];
    sum = sum + dot(d, d);
  }
  return sqrt(sum);
}
template <class T>
T distance(Vec3 a, const Vec<T>& r) {
  return norm(exact<T>(a) - r);
}

/// Random doubles with a taste for trouble. Seeded by the caller: every run is the same.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  int below(int n) { return static_cast<int>(bits() % static_cast<std::uint64_t>(n)); }
  double uniform(double lo, double hi) {
    return lo + (hi - lo) * (static_cast<double>(bits() >> 11) * 0x1p-53);
  }

  /// Either sign, the exponent uniform in [lo, hi]; sometimes zero, a power of two, a neighbour of
  /// one, or a short mantissa, whose sums and products end in ties.
  double number(int lo, int hi) {
    const int kind = below(32);
    if (kind == 0) return 0;
    double m = 1 + static_cast<double>(bits() >> 12) * 0x1p-52;
    if (kind < 4) m = 1;
    if (kind == 4) m = 1 + static_cast<double>(below(4)) * 0x1p-52;
    if (kind == 5) m = 2 - static_cast<double>(1 + below(4)) * 0x1p-52;
    if (kind < 10 && kind > 5) m = 1 + static_cast<double>(bits() >> 37) * 0x1p-27;
    const double x = std::ldexp(m, lo + below(hi - lo + 1));
    return bits() & 1 ? x : -x;
  }
  Vec3 vector(int lo, int hi) { return {number(lo, hi), number(lo, hi), number(lo, hi)}; }

 private:
  std::mt19937_64 engine_;
};

/// Of each bound; KEEPCLEAR_CASES asks for more.
inline const int kCases = [] {
  const char* const cases = std::getenv("KEEPCLEAR_CASES");
  return cases != nullptr ? std::max(1000, std::atoi(cases)) : 150'000;
}();
/// One case in so many is done with intervals too.
inline constexpr int kIntervalEvery = 400;

/// The largest share of a bound that an error took. That it is not tiny shows that the test could
/// fail: a bound `1 / share` times smaller does.
class Worst {
 public:
  void see(const Real& error, double bound) {
    // Below this, the term for underflow is what counts.
    if (bound > 0x1p-900) share_ = std::max(share_, error.nearest() / bound);
  }
  /// A bound `factor` times smaller would have been refuted.
  bool refutes_a_bound_smaller_by(double factor) const { return share_ * factor > 1; }
  double share() const { return share_; }

 private:
  double share_ = 0;
};

}  // namespace keepclear::test
