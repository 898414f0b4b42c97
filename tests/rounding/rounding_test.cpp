// SPDX-License-Identifier: BSD-3-Clause
#include "rounding/rounding.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace keepclear {
namespace {

namespace r = rounding;

TEST(Arithmetic, IsNotContracted) {
  // The square of 1 + 2^-30 needs 61 bits. With a fused multiply-add the difference is 2^-60.
  volatile double x = 1 + 0x1p-30;
  const double a = x, square = a * a;
  EXPECT_EQ(a * a - square, 0);
}

TEST(Arithmetic, RoundsToNearestAndKeepsSubnormals) {
  volatile double one = 1, tiny = std::numeric_limits<double>::min();
  EXPECT_EQ(one + r::kU, 1);
  EXPECT_EQ(one + 1.5 * r::kU, 1 + 2 * r::kU);
  EXPECT_EQ(one - 0.5 * r::kU, 1);
  EXPECT_GT(tiny / 2, 0);
  EXPECT_EQ(r::kEta, std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(2 * r::kU, std::numeric_limits<double>::epsilon());
}

TEST(UpAndDown, MoveEvenZeroAndTheSmallestNumber) {
  static_assert(r::up(0) > 0 && r::down(0) < 0);
  static_assert(r::up(r::kEta) > r::kEta && r::down(r::kEta) < r::kEta);
  static_assert(r::up(-1) > -1 && r::down(-1) < -1);
  EXPECT_EQ(r::up(std::numeric_limits<double>::max()), std::numeric_limits<double>::infinity());
}

TEST(DotError, HoldsForATinyVectorWithAHugeOne) {
  // The product of the norms, 2^-60, is harmless; gamma times the tiny one alone is zero.
  EXPECT_GT(r::dot_error(0x1p-1060, 0x1p1000), 3 * r::kU * 0x1p-60);
}

TEST(Norm, OfVectorsWhoseSquaresUnderflowIsBounded) {
  EXPECT_GE(r::norm_hi({1e-200, 0, 0}), 1e-200);
  EXPECT_EQ(r::norm_lo({1e-200, 0, 0}), 0);
  EXPECT_GT(r::norm_hi({0, 0, 0}), 0);
  EXPECT_EQ(r::norm_lo({0, 0, 0}), 0);
}

TEST(Norm, OfNanIsNoLowerBound) {
  const double nan = std::nan("");
  EXPECT_EQ(r::norm_lo({nan, 0, 0}), 0);
  EXPECT_FALSE(r::norm_hi({nan, 0, 0}) < 1e300);
}

TEST(UnitQuaternion, IsToldFromOthersByAMillionth) {
  EXPECT_TRUE(r::is_unit_quaternion(0, 0, 0, 1));
  EXPECT_TRUE(r::is_unit_quaternion(0.70710678, 0, 0, 0.70710678));
  EXPECT_TRUE(r::is_unit_quaternion(0, 0, 0, 1 - 0.9e-6));
  EXPECT_FALSE(r::is_unit_quaternion(0, 0, 0, 1 + 1.1e-6));
  EXPECT_FALSE(r::is_unit_quaternion(0, 0, 0, 0));
  EXPECT_FALSE(r::is_unit_quaternion(1, 1, 0, 0));
  EXPECT_FALSE(r::is_unit_quaternion(std::nan(""), 0, 0, 1));
  EXPECT_FALSE(r::is_unit_quaternion(std::numeric_limits<double>::infinity(), 0, 0, 1));
}

TEST(RotationFromAnyQuaternion, IsExactForQuarterTurnsOfTheIdentity) {
  EXPECT_EQ(r::rotation_from_any_quaternion(0, 0, 0, 3), Mat3{});
  EXPECT_EQ(r::rotation_from_any_quaternion(0, 0, 0.5, 0),
            (Mat3{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}}));
}

TEST(PoseErrors, OfExactPosesAreARoundingOrTwo) {
  const r::PoseError error = r::compose({}, 1, {}, 1);
  EXPECT_GT(error.rotation, 0);
  EXPECT_LT(error.rotation, 16 * r::kU);
  EXPECT_LT(error.position, 16 * r::kU);
}

TEST(PoseErrors, OfAnUnknownPoseAreInfinite) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(r::compose({inf, 0}, 1, {}, 1).rotation, inf);
  EXPECT_EQ(r::relative({0, inf}, {}, 1).position, inf);
}

}  // namespace
}  // namespace keepclear
