// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "oracle.hpp"
#include "rounding/rounding.hpp"

namespace keepclear::test {
namespace {

namespace r = rounding;

TEST(Gamma, IsAtLeastHighamsForEveryNUpToTheLimit) {
  for (int n = 1; n <= 1 << 20; ++n) {
    // n u / (1 - n u) = n / (2^53 - n), multiplied out: exact in 192 bits.
    const Real product = Real(r::gamma(n)) * Real(0x1p53 - n);
    ASSERT_GE((product - Real(n)).nearest(), 0) << n;
  }
}

/// Exact results of one operation, rounded outward by MPFR itself.
struct Enclosure {
  double lo, hi;
};
Enclosure enclose(int op, double a, double b) {
  static mpfr_t x, y, z;
  static const bool ready = [] {
    mpfr_inits2(256, x, y, z, static_cast<mpfr_ptr>(nullptr));
    return true;
  }();
  (void)ready;
  mpfr_set_d(x, a, MPFR_RNDN);
  mpfr_set_d(y, b, MPFR_RNDN);
  const auto eval = [&](mpfr_rnd_t round) {
    if (op == 0) mpfr_add(z, x, y, round);
    if (op == 1) mpfr_sub(z, x, y, round);
    if (op == 2) mpfr_mul(z, x, y, round);
    if (op == 3) mpfr_div(z, x, y, round);
    if (op == 4) mpfr_sqrt(z, x, round);
    return mpfr_get_d(z, round);
  };
  return {eval(MPFR_RNDD), eval(MPFR_RNDU)};
}

TEST(UpAndDown, EncloseTheRealResultOfOneOperation) {
  Numbers numbers(1);
  int tight = 0;
  for (int op = 0; op < 5; ++op) {
    int tested = 0;
    for (int i = 0; tested < kCases; ++i) {
      const int kind = i % 4;
      // Near one, wide, subnormal, and the whole range of exponents.
      const int lo = kind == 0 ? -2 : kind == 1 ? -60 : kind == 2 ? -1074 : -1074;
      const int hi = kind == 0 ? 2 : kind == 1 ? 60 : kind == 2 ? -1000 : 1022;
      double a = numbers.number(lo, hi), b = numbers.number(lo, hi);
      if (i % 16 == 0) b = -a * (1 + (numbers.below(9) - 4) * 0x1p-52);
      if (op == 3 && b == 0) b = 1;
      if (op == 4) a = std::abs(a);
      const double x = op == 0   ? a + b
                       : op == 1 ? a - b
                       : op == 2 ? a * b
                       : op == 3 ? a / b
                                 : std::sqrt(a);
      if (!std::isfinite(x)) continue;
      ++tested;
      const Enclosure real = enclose(op, a, b);
      // The enclosure is by neighbouring doubles, so this is the claim and a little more.
      ASSERT_GE(r::up(x), real.hi) << op << ' ' << a << ' ' << b;
      ASSERT_LE(r::down(x), real.lo) << op << ' ' << a << ' ' << b;
      // x itself is no bound: the widening is needed.
      if (x < real.hi) ++tight;
    }
  }
  EXPECT_GT(tight, kCases);
}

/// A random expression in non-negative terms with n roundings, in doubles and in T.
template <class T>
std::pair<double, T> expression(Numbers& numbers, int n) {
  const double leaf = std::abs(numbers.number(-6, 6)) + 0x1p-8;
  if (n == 0) return {leaf, T(leaf)};
  const int op = numbers.below(8);
  if (op == 7) {
    const auto [x, t] = expression<T>(numbers, n - 1);
    return {std::sqrt(x), sqrt(t)};
  }
  const int left = numbers.below(n);
  const auto [x, t] = expression<T>(numbers, left);
  const auto [y, w] = expression<T>(numbers, n - 1 - left);
  if (op < 3) return {x + y, t + w};
  if (op < 5) return {x * y, t * w};
  return {x / y, t / w};
}

TEST(Inflate, IsAtLeastTheRealValueOfAnExpressionInPositiveTerms) {
  Numbers numbers(2);
  int above = 0, tested = 0;
  for (int i = 0; tested < kCases; ++i) {
    const int n = i % 8 == 0 ? numbers.below(65) : numbers.below(13);
    Numbers again = numbers;
    const auto [x, t] = expression<Real>(numbers, n);
    // Towers of products leave the range of doubles; the claim is about what stays inside.
    if (!(x > 0x1p-900 && x < 0x1p900)) continue;
    ++tested;
    ASSERT_TRUE(t.at_most(r::inflate(x, n))) << n << ' ' << x;
    if (!t.at_most(x)) ++above;
    if (i % kIntervalEvery == 0) {
      ASSERT_TRUE(expression<Interval>(again, n).second.at_most(r::inflate(x, n)));
    }
  }
  EXPECT_GT(above, kCases / 10);
}

TEST(Inflate, CoversTermsThatUnderflow) {
  Numbers numbers(3);
  for (int i = 0; i < kCases; ++i) {
    double a[4], b[4], sum = 0;
    Real t;
    for (int k = 0; k < 4; ++k) {
      a[k] = std::abs(numbers.number(-1074, -480));
      b[k] = std::abs(numbers.number(-600, -480));
      sum += a[k] * b[k];
      t = t + Real(a[k]) * Real(b[k]);
    }
    const double scale = std::abs(numbers.number(0, 59));
    ASSERT_TRUE((t * Real(scale)).at_most(r::inflate(sum * scale, 9)));
  }
}

TEST(Norm, LiesBetweenItsBounds) {
  Numbers numbers(4);
  const double inf = std::numeric_limits<double>::infinity();
  double widest = 0;
  int above = 0, below = 0;
  for (int i = 0; i < kCases; ++i) {
    const int kind = i % 5;
    const Vec3 a = kind == 0   ? numbers.vector(-2, 2)
                   : kind == 1 ? numbers.vector(-60, 60)
                   : kind == 2 ? numbers.vector(-1074, -400)
                   : kind == 3 ? numbers.vector(-560, -440)
                               : numbers.vector(400, 1023);
    const Real n = norm(exact<Real>(a));
    ASSERT_TRUE(n.at_most(r::norm_hi(a))) << a.x << ' ' << a.y << ' ' << a.z;
    ASSERT_TRUE(n.at_least(r::norm_lo(a))) << a.x << ' ' << a.y << ' ' << a.z;
    if (kind < 2 && r::norm_lo(a) > 0) {
      widest = std::max(widest, r::norm_hi(a) / r::norm_lo(a) - 1);
      (n.at_most(keepclear::norm(a)) ? above : below) += 1;
    }
    if (i % kIntervalEvery == 0) {
      const Interval wide = norm(exact<Interval>(a));
      ASSERT_TRUE(wide.at_most(r::norm_hi(a)) && wide.at_least(r::norm_lo(a)));
    }
  }
  EXPECT_LT(widest, 40 * r::kU);
  EXPECT_GT(std::min(above, below), kCases / 20) << "the plain norm errs on both sides";
  EXPECT_EQ(r::norm_hi({1e200, 0, 0}), inf);
  EXPECT_EQ(r::norm_lo({1e200, 0, 0}), 0);
}

template <class T>
T dot_off(Vec3 a, Vec3 b) {
  return abs(T(keepclear::dot(a, b)) - dot(exact<T>(a), exact<T>(b)));
}

TEST(DotError, BoundsTheErrorOfADotProduct) {
  Numbers numbers(5);
  Worst worst;
  for (int i = 0; i < kCases; ++i) {
    Vec3 a, b;
    switch (i % 6) {
      case 0:
        a = numbers.vector(-2, 2), b = numbers.vector(-2, 2);
        break;
      case 1:
        a = numbers.vector(-60, 60), b = numbers.vector(-60, 60);
        break;
      case 2:
        a = numbers.vector(-1074, -400), b = numbers.vector(-700, -400);
        break;
      case 3:
        a = numbers.vector(300, 510), b = numbers.vector(300, 510);
        break;
      case 4:
        a = numbers.vector(-1074, -900), b = numbers.vector(900, 1020);
        break;
      // Cancelling: b is all but orthogonal to a.
      default:
        a = numbers.vector(-3, 3), b = keepclear::cross(a, numbers.vector(-3, 3));
    }
    const double bound = r::dot_error(norm(exact<Real>(a)).up(), norm(exact<Real>(b)).up());
    const Real off = dot_off<Real>(a, b);
    ASSERT_TRUE(off.at_most(bound)) << i;
    worst.see(off, bound);
    if (i % kIntervalEvery < 6) {
      ASSERT_TRUE(dot_off<Interval>(a, b).at_most(bound));
    }
  }
  EXPECT_TRUE(worst.refutes_a_bound_smaller_by(4)) << worst.share();
}

TEST(SinCosError, BoundsTheLibraryForArgumentsOfEverySize) {
  Numbers numbers(6);
  Worst worst;
  for (int i = 0; i < kCases; ++i) {
    double q = 0;
    switch (i % 8) {
      case 0:
        q = numbers.number(-1074, 1023);
        break;
      case 1:
        q = numbers.uniform(-1e15, 1e15);
        break;
      case 2:
        q = numbers.uniform(-1e6, 1e6);
        break;
      // Near the multiples of pi/2, where one of the two is almost zero.
      case 3:
        q = numbers.below(1000) * 1.5707963267948966 + numbers.number(-60, -20);
        break;
      case 4:
        q = numbers.number(-30, 10);
        break;
      default:
        q = numbers.uniform(-6.3, 6.3);
    }
    Real s, c;
    Real::sin_cos(q, s, c);
    const Real ds = abs(Real(std::sin(q)) - s), dc = abs(Real(std::cos(q)) - c);
    ASSERT_TRUE(ds.at_most(r::kSinCosError)) << q;
    ASSERT_TRUE(dc.at_most(r::kSinCosError)) << q;
    worst.see(ds, r::kSinCosError);
    worst.see(dc, r::kSinCosError);
    if (i % kIntervalEvery < 8) {
      Interval is, ic;
      Interval::sin_cos(q, is, ic);
      ASSERT_TRUE(abs(Interval(std::sin(q)) - is).at_most(r::kSinCosError)) << q;
      ASSERT_TRUE(abs(Interval(std::cos(q)) - ic).at_most(r::kSinCosError)) << q;
    }
  }
  EXPECT_TRUE(worst.refutes_a_bound_smaller_by(8)) << worst.share();
}

template <class T>
T mimic_off(double m, double o, double q_computed, double q_shift, double value) {
  // The real q is q_computed + q_shift, in real arithmetic.
  return abs(T(value) - (T(m) * (T(q_computed) + T(q_shift)) + T(o)));
}

TEST(MimicError, BoundsTheErrorOfAMimickedValue) {
  Numbers numbers(7);
  Worst exact_q, moved_q;
  for (int i = 0; i < kCases; ++i) {
    const bool wide = i % 2;
    const double m = wide ? numbers.number(-60, 60) : numbers.number(-3, 3);
    const double q = wide ? numbers.number(-60, 60) : numbers.uniform(-4, 4);
    double o = wide ? numbers.number(-60, 60) : numbers.number(-3, 3);
    if (i % 10 == 0) o = -m * q;
    if (i % 14 == 0) o = numbers.number(-1074, -1000);
    const double shift = i % 4 < 2 ? 0 : numbers.number(-55, -1) * std::abs(q);
    const double value = m * q + o;
    const double bound = r::mimic_error(m, o, std::abs(q), std::abs(shift));
    const Real off = mimic_off<Real>(m, o, q, shift, value);
    ASSERT_TRUE(off.at_most(bound)) << m << ' ' << q << ' ' << o << ' ' << shift;
    (shift == 0 ? exact_q : moved_q).see(off, bound);
    if (i % kIntervalEvery < 4) {
      ASSERT_TRUE(mimic_off<Interval>(m, o, q, shift, value).at_most(bound));
    }
  }
  EXPECT_TRUE(exact_q.refutes_a_bound_smaller_by(4)) << exact_q.share();
  EXPECT_TRUE(moved_q.refutes_a_bound_smaller_by(2)) << moved_q.share();
}

}  // namespace
}  // namespace keepclear::test
