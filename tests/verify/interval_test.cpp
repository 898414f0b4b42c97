// SPDX-License-Identifier: BSD-3-Clause
// Every operation holds the real result, judged by exact rationals and by MPFR in 300 bits.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "reader.hpp"

namespace verify {
namespace {

double nasty(std::mt19937_64& random) {
  static const double kSome[] = {0.0,    1.0,   -1.0,    0.1,     -0.1,
                                 1e-300, 1e300, 5e-324,  -5e-324, 1e-160,
                                 1e160,  2.0,   1.0 / 3, 1e-308,  2.2250738585072014e-308};
  if (random() % 3 == 0) return kSome[random() % std::size(kSome)];
  if (random() % 3 == 0)
    return std::ldexp(std::uniform_real_distribution<>(-1, 1)(random),
                      static_cast<int>(random() % 600) - 300);
  return std::uniform_real_distribution<>(-10, 10)(random);
}

Interval around_it(std::mt19937_64& random) {
  const double a = nasty(random), b = random() % 2 ? a : nasty(random);
  return {std::min(a, b), std::max(a, b)};
}

bool holds(const Interval& i, const mpq_class& x) {
  return (std::isinf(i.lower()) || mpq_class(i.lower()) <= x) &&
         (std::isinf(i.upper()) || x <= mpq_class(i.upper()));
}

TEST(Interval, HoldsTheRealResult) {
  round_upwards();
  std::mt19937_64 random(1);
  for (int i = 0; i < 40000; ++i) {
    const Interval a = around_it(random), b = around_it(random);
    for (const double x : {a.lower(), a.upper()})
      for (const double y : {b.lower(), b.upper()}) {
        const mpq_class p(x), q(y);
        ASSERT_TRUE(holds(a + b, p + q) && holds(a - b, p - q) && holds(a * b, p * q))
            << x << ' ' << y;
        ASSERT_TRUE(holds(x + b, p + q) && holds(x * b, p * q) && holds(a * y, p * q))
            << x << ' ' << y;
        ASSERT_TRUE(holds(square(a), p * p)) << x;
        if (!zero_in(b)) {
          ASSERT_TRUE(holds(a / b, p / q)) << x << " " << y;
        }
      }
    if (a.lower() >= 0) {
      const Interval r = root(a);
      ASSERT_LE(mpq_class(r.lower()) * mpq_class(r.lower()), mpq_class(a.lower()));
      ASSERT_GE(mpq_class(r.upper()) * mpq_class(r.upper()), mpq_class(a.upper()));
    }
  }
}

// Not folded by the compiler, and not turned into x + y.
TEST(Interval, OfConstantsIsAsWide) {
  round_upwards();
  const Interval third = Interval(1.0) / 3.0, tenth = Interval(0.1) * 0.1,
                 sum = Interval(1.0) + 1e-30;
  EXPECT_LT(third.lower(), third.upper());
  EXPECT_LT(tenth.lower(), tenth.upper());
  EXPECT_EQ(sum.lower(), 1.0);
  EXPECT_GT(sum.upper(), 1.0);
  EXPECT_EQ(root(Interval(4.0)).lower(), 2.0);
  EXPECT_EQ(root(Interval(4.0)).upper(), 2.0);
  EXPECT_LT(root(Interval(2.0)).lower(), root(Interval(2.0)).upper());
  double plain = 1.0;
  plain += 1e-30;
  EXPECT_GT(plain, 1.0);
}

TEST(Interval, WhatIsNotANumberIsNeverConfirmed) {
  round_upwards();
  const Interval none(NAN, NAN), over = Interval(1.0) / Interval(-1.0, 1.0);
  EXPECT_FALSE(finite(none));
  EXPECT_FALSE(finite(none + 1.0));
  EXPECT_FALSE(finite(over));
  EXPECT_FALSE(finite(sin_cos(INFINITY)[0]));
  EXPECT_FALSE(turn({0, 0, 0, 0}).finite());
}

TEST(Interval, SineAndCosineHoldTheRealOnes) {
  round_upwards();
  std::mt19937_64 random(2);
  mpfr_t x, s, c;
  mpfr_inits2(1400, x, s, c, static_cast<mpfr_ptr>(nullptr));
  for (int i = 0; i < 20000; ++i) {
    double a = nasty(random);
    if (i < 100) a = i * 1.5707963267948966;
    const auto [sine, cosine] = sin_cos(a);
    mpfr_set_d(x, a, MPFR_RNDN);
    mpfr_sin_cos(s, c, x, MPFR_RNDN);
    ASSERT_LE(mpfr_cmp_d(s, sine.upper()), 0) << a;
    ASSERT_GE(mpfr_cmp_d(s, sine.lower()), 0) << a;
    ASSERT_LE(mpfr_cmp_d(c, cosine.upper()), 0) << a;
    ASSERT_GE(mpfr_cmp_d(c, cosine.lower()), 0) << a;
    ASSERT_LE(std::nextafter(sine.lower(), 2), std::nextafter(sine.upper(), 2)) << a;
    ASSERT_LE(sine.upper() - sine.lower(), 2.3e-16);
    const double ratio = std::abs(std::fmod(a, 1.0));
    mpfr_set_d(x, ratio, MPFR_RNDN);
    mpfr_asin(s, x, MPFR_RNDN);
    ASSERT_LE(mpfr_cmp_d(s, asin_up(ratio)), 0) << ratio;
  }
  mpfr_clears(x, s, c, static_cast<mpfr_ptr>(nullptr));
  EXPECT_EQ(sin_cos(0.0)[0].upper(), 0);
  EXPECT_EQ(sin_cos(0.0)[1].lower(), 1);
}

TEST(Interval, TurnsAreRotations) {
  round_upwards();
  std::mt19937_64 random(3);
  std::uniform_real_distribution<> uniform(-3, 3);
  for (int i = 0; i < 2000; ++i) {
    const Vec v = {uniform(random), uniform(random), uniform(random)};
    const double angle = uniform(random);
    const Vec axis = v / length(v);
    const auto [s, c] = sin_cos(angle / 2);
    const std::array<double, 4> q = {up(s * axis[0]), up(s * axis[1]), up(s * axis[2]), up(c)};
    for (const Mat& m : {turn(axis, angle), turn(q)}) {
      const Mat one = m * transposed(m);
      for (std::size_t r = 0; r < 3; ++r)
        for (std::size_t k = 0; k < 3; ++k) {
          ASSERT_LT(one[r][k].upper() - one[r][k].lower(), 1e-14);
          ASSERT_LE(one[r][k].lower(), r == k);
          ASSERT_GE(one[r][k].upper(), r == k);
          ASSERT_NEAR(m[r][k].lower(), turn(q)[r][k].upper(), 1e-14);
        }
    }
  }
  // Right-handed: a quarter about z takes x to y.
  const Vec y = turn(Vec{0.0, 0.0, 1.0}, 1.5707963267948966) * Vec{1.0, 0.0, 0.0};
  EXPECT_NEAR(y[1].lower(), 1, 1e-15);
}

bool reads(const std::string& word, double& value) {
  const std::string line = "x " + word + "\n";
  Reader in(line);
  try {
    in.take("x");
    value = in.number();
    in.end_line();
    return true;
  } catch (const Invalid&) {
    return false;
  }
}

TEST(Number, HasOneForm) {
  round_upwards();
  double x = 0;
  for (const char* good :
       {"0x0p+0", "0x1p+0", "-0x1.8p-3", "0x1p+100", "-0x1p+100", "0x1p-1022",
        "0x0.0000000000001p-1022", "-0x0.8p-1022", "0x1.999999999999ap-4", "0x1p+10"}) {
    EXPECT_TRUE(reads(good, x)) << good;
    EXPECT_EQ(x, std::strtod(good, nullptr)) << good;
  }
  for (const char* bad : {"-0x0p+0",
                          "0x0p-0",
                          "0x1p-0",
                          "0x1.p+0",
                          "0x1.80p-3",
                          "0x1.8p-03",
                          "0x1.8p3",
                          "0X1p+0",
                          "0x1P+0",
                          "0x2p+0",
                          "0x1.Ap+0",
                          "1",
                          "1.5",
                          "0x1p+1024",
                          "0x1p-1023",
                          "0x0.8p-1021",
                          "0x0.00000000000001p-1022",
                          "inf",
                          "-inf",
                          "nan",
                          "0x",
                          "0x1",
                          "",
                          "-",
                          "--0x1p+0",
                          "+0x1p+0",
                          "0x1.00000000000001p+0",
                          "0x1p+0x",
                          "0x1p+00",
                          "0x-1p+0",
                          "0x1.fffffffffffff8p+0",
                          "0x1p+99999999999",
                          "0x0.8p+0",
                          "0x0p+1",
                          "0x1.0000000000001p+100",
                          "-0x1p+101",
                          "0x1.fffffffffffffp+1023"})
    EXPECT_FALSE(reads(bad, x)) << bad;
}

TEST(Number, EveryDoubleIsReadAsItIsPrinted) {
  round_upwards();
  std::mt19937_64 random(4);
  for (int i = 0; i < 100000; ++i) {
    const auto bits = random();
    double x = 0, y = 0;
    std::memcpy(&x, &bits, sizeof x);
    if (!std::isfinite(x)) continue;
    if (i % 10 == 0) x = std::ldexp(x, -2000);
    if (x == 0 || std::abs(x) > 0x1p100) continue;
    char text[64];
    std::snprintf(text, sizeof text, "%a", x);
    ASSERT_TRUE(reads(text, y)) << text;
    ASSERT_EQ(x, y);
  }
}

#if defined(__x86_64__)
TEST(Interval, KeepsSubnormalNumbersWhateverWasSetBefore) {
  std::uint32_t mode = 0;
  __asm__ volatile("stmxcsr %0" : "=m"(mode));
  mode |= 0x8040;  // as a library linked with -ffast-math does when it is loaded
  __asm__ volatile("ldmxcsr %0" : : "m"(mode));
  volatile double small = 0x1p-530;
  EXPECT_EQ(small * small, 0) << "flush-to-zero is on";
  round_upwards();
  EXPECT_EQ(up(Interval(double{small}) * Interval(double{small})), 0x1p-1060);
}
#endif

}  // namespace
}  // namespace verify
