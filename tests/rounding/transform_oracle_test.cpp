// SPDX-License-Identifier: BSD-3-Clause
#include "joints.hpp"
#include "rounding/rounding.hpp"

namespace keepclear::test {
namespace {

namespace r = rounding;

/// At least the spectral norm: the Frobenius norm, rounded up.
double matrix_norm_hi(const Mat3& m) {
  return distance(m, Mat<Real>{}).up();
}
/// A rotation as the library would compute it, or any matrix of the given exponents.
Mat3 matrix(Numbers& numbers, int lo, int hi) {
  return {numbers.vector(lo, hi), numbers.vector(lo, hi), numbers.vector(lo, hi)};
}
Mat3 rotation(Numbers& numbers) {
  return rotation_from_rpy(
      {numbers.uniform(-4, 4), numbers.uniform(-4, 4), numbers.uniform(-4, 4)});
}

TEST(RotateError, BoundsTheErrorOfAMatrixTimesAVector) {
  Numbers numbers(11);
  Worst worst;
  for (int i = 0; i < kCases; ++i) {
    const bool orthonormal = i % 4 == 0;
    const int span = i % 4 == 1 ? 2 : i % 4 == 2 ? 60 : 500;
    const Mat3 m = orthonormal ? rotation(numbers) : matrix(numbers, -span, span);
    const Vec3 a = numbers.vector(-span, span);
    // A rotation computed from rpy is within kRpyError of norm one.
    const double bound = r::rotate_error(orthonormal ? 1 + 2 * r::kRpyError : matrix_norm_hi(m),
                                         norm(exact<Real>(a)).up());
    const auto off = [&]<class T>(T) { return distance(m * a, exact<T>(m) * exact<T>(a)); };
    const auto off_transposed = [&]<class T>(T) {
      return distance(transposed_times(m, a), transpose(exact<T>(m)) * exact<T>(a));
    };
    const Real error = off(Real());
    ASSERT_TRUE(error.at_most(bound)) << i;
    ASSERT_TRUE(off_transposed(Real()).at_most(bound)) << i;
    worst.see(error, bound);
    if (i % kIntervalEvery < 4) {
      ASSERT_TRUE(off(Interval()).at_most(bound));
      ASSERT_TRUE(off_transposed(Interval()).at_most(bound));
    }
  }
  EXPECT_TRUE(worst.refutes_a_bound_smaller_by(8)) << worst.share();
}

TEST(ProductError, BoundsTheErrorOfAProductOfMatrices) {
  Numbers numbers(12);
  Worst worst;
  for (int i = 0; i < kCases; ++i) {
    const bool orthonormal = i % 4 == 0;
    const int span = i % 4 == 1 ? 2 : i % 4 == 2 ? 60 : 500;
    const Mat3 a = orthonormal ? rotation(numbers) : matrix(numbers, -span, span);
    const Mat3 b = orthonormal ? rotation(numbers) : matrix(numbers, -span, span);
    const double bound = orthonormal ? r::product_error(1 + 2 * r::kRpyError, 1 + 2 * r::kRpyError)
                                     : r::product_error(matrix_norm_hi(a), matrix_norm_hi(b));
    const auto off = [&]<class T>(T) { return distance(a * b, exact<T>(a) * exact<T>(b)); };
    const Real error = off(Real());
    ASSERT_TRUE(error.at_most(bound)) << i;
    worst.see(error, bound);
    if (i % kIntervalEvery < 4) {
      ASSERT_TRUE(off(Interval()).at_most(bound));
    }
  }
  EXPECT_TRUE(worst.refutes_a_bound_smaller_by(16)) << worst.share();
}

TEST(TransformError, BoundsTheErrorOfAPoseTimesAPoint) {
  Numbers numbers(13);
  const std::vector<Angle> pool = angles(14, 1 << 10);
  const auto draw = [&]() -> const Angle& { return pool[numbers.bits() % pool.size()]; };
  Worst exact_pose, rough_pose;
  for (int i = 0; i < kCases; ++i) {
    const Angle &roll = draw(), &pitch = draw(), &yaw = draw();
    const int span = i % 3 == 0 ? 2 : i % 3 == 1 ? 60 : 400;
    Pose X{rotation_from_rpy({roll.q, pitch.q, yaw.q}), numbers.vector(-span, span)};
    const Vec3 p = numbers.vector(-span, span);
    if (i % 5 == 0) X.p = -(X.R * p);
    r::PoseError error{r::kRpyError, 0};
    // The real position and point, off by what is claimed; in half of the cases by nothing.
    Vec3 shift_X, shift_p;
    double e_p = 0;
    if (i % 2) {
      shift_X = numbers.number(-50, -10) * X.p, shift_p = numbers.number(-50, -10) * p;
      error.position = norm(exact<Real>(shift_X)).up();
      e_p = norm(exact<Real>(shift_p)).up();
    }
    const double bound =
        r::transform_error(error, norm(exact<Real>(X.p)).up(), e_p, norm(exact<Real>(p)).up());
    const auto off = [&]<class T>(T) {
      const Vec<T> real = real_rpy<T>(roll, pitch, yaw) * (exact<T>(p) + exact<T>(shift_p));
      return distance(X * p, real + exact<T>(X.p) + exact<T>(shift_X));
    };
    const Real real_off = off(Real());
    ASSERT_TRUE(real_off.at_most(bound)) << i;
    (i % 2 ? rough_pose : exact_pose).see(real_off, bound);
    if (i % kIntervalEvery < 2) {
      ASSERT_TRUE(off(Interval()).at_most(bound));
    }
  }
  EXPECT_TRUE(exact_pose.refutes_a_bound_smaller_by(16)) << exact_pose.share();
  EXPECT_TRUE(rough_pose.refutes_a_bound_smaller_by(2)) << rough_pose.share();
}

TEST(RpyError, BoundsTheErrorOfARotationFromRpy) {
  Numbers numbers(15);
  const std::vector<Angle> pool = angles(16, 1 << 15);
  const auto draw = [&]() -> const Angle& { return pool[numbers.bits() % pool.size()]; };
  Worst worst;
  for (int i = 0; i < kCases; ++i) {
    const Angle &roll = draw(), &pitch = draw(), &yaw = draw();
    const Mat3 R = rotation_from_rpy({roll.q, pitch.q, yaw.q});
    const Real off = distance(R, real_rpy<Real>(roll, pitch, yaw));
    ASSERT_TRUE(off.at_most(r::kRpyError)) << roll.q << ' ' << pitch.q << ' ' << yaw.q;
    worst.see(off, r::kRpyError);
    if (i % kIntervalEvery == 0) {
      ASSERT_TRUE(distance(R, real_rpy<Interval>(roll, pitch, yaw)).at_most(r::kRpyError));
    }
  }
  EXPECT_TRUE(worst.refutes_a_bound_smaller_by(16)) << worst.share();
}

/// The rotation of a quaternion of any norm, homogeneous: nothing is normalised.
template <class T>
Mat<T> real_quaternion(double qx, double qy, double qz, double qw) {
  const T x(qx), y(qy), z(qz), w(qw), two(2.0);
  const T xx = x * x, yy = y * y, zz = z * z, ww = w * w, n = xx + yy + zz + ww;
  return {Vec<T>{(ww + xx - yy - zz) / n, two * (x * y - z * w) / n, two * (x * z + y * w) / n},
          Vec<T>{two * (x * y + z * w) / n, (ww - xx + yy - zz) / n, two * (y * z - x * w) / n},
          Vec<T>{two * (x * z - y * w) / n, two * (y * z + x * w) / n, (ww - xx - yy + zz) / n}};
}

TEST(QuaternionError, BoundsTheErrorOfARotationFromAQuaternion) {
  Numbers numbers(17);
  Worst worst;
  int near_one = 0;
  for (int tested = 0; tested < kCases;) {
    double q[4];
    const int kind = numbers.below(4);
    for (double& c : q) {
      c = kind == 0   ? numbers.number(-60, 0)
          : kind == 1 ? numbers.number(-1074, 390)
                      : numbers.uniform(-1, 1);
    }
    if (kind == 3) {
      // What files hold: normalised, then written with few digits.
      const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
      for (double& c : q) c = std::round(c / n * 1e7) * 1e-7;
    }
    const double n = std::sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
    if (!(n > 0x1p-400 && n < 0x1p400)) continue;
    ++tested;
    if (r::is_unit_quaternion(q[0], q[1], q[2], q[3])) ++near_one;
    const Mat3 R = r::rotation_from_any_quaternion(q[0], q[1], q[2], q[3]);
    const Real off = distance(R, real_quaternion<Real>(q[0], q[1], q[2], q[3]));
    ASSERT_TRUE(off.at_most(r::kQuaternionError)) << q[0] << ' ' << q[1] << ' ' << q[2];
    worst.see(off, r::kQuaternionError);
    if (tested % kIntervalEvery == 0) {
      const auto real = real_quaternion<Interval>(q[0], q[1], q[2], q[3]);
      ASSERT_TRUE(distance(R, real).at_most(r::kQuaternionError));
    }
  }
  EXPECT_GT(near_one, kCases / 5);
  EXPECT_TRUE(worst.refutes_a_bound_smaller_by(16)) << worst.share();
}

}  // namespace
}  // namespace keepclear::test
