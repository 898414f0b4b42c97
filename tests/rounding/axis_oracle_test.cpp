// SPDX-License-Identifier: BSD-3-Clause
#include <limits>

#include "joints.hpp"
#include "rounding/axis_rotation.hpp"

namespace keepclear::test {
namespace {

namespace r = rounding;

TEST(UnitAxis, IsWithinItsErrorOfTheRealDirection) {
  Numbers numbers(18);
  Worst worst;
  int without_error = 0;
  for (int i = 0; i < kCases; ++i) {
    const Vec3 axis = random_axis(numbers);
    const r::UnitAxis unit = r::unit_axis(axis);
    const Real off = distance(unit.a, real_direction<Real>(axis));
    ASSERT_TRUE(off.at_most(unit.error)) << axis.x << ' ' << axis.y << ' ' << axis.z;
    if (unit.error == 0) ++without_error;
    worst.see(off, unit.error);
    if (i % kIntervalEvery == 0 && unit.error > 0) {
      ASSERT_TRUE(distance(unit.a, real_direction<Interval>(axis)).at_most(unit.error));
    }
  }
  EXPECT_GT(without_error, kCases / 10);
  EXPECT_TRUE(worst.refutes_a_bound_smaller_by(4)) << worst.share();
}

TEST(UnitAxis, HasAnInfiniteErrorWhereThereIsNoDirection) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(r::unit_axis({0, 0, 0}).error, inf);
  EXPECT_EQ(r::unit_axis({0, -0.0, 0}).error, inf);
  EXPECT_EQ(r::unit_axis({1, inf, 0}).error, inf);
  EXPECT_EQ(r::unit_axis({1, std::nan(""), 0}).error, inf);
  EXPECT_EQ(r::AxisRotation(Mat3{}, 0, r::unit_axis({0, 0, 0})).error(), inf);
}

struct Joint {
  Angle roll, pitch, yaw;
  Vec3 axis;
  r::AxisRotation rotation;
  Mat<Real> R_o;
  Vec<Real> a;
};

TEST(AxisRotation, IsWithinItsErrorOfTheRealRotation) {
  Numbers numbers(19);
  const std::vector<Angle> pool = angles(20, 1 << 15);
  const auto draw = [&]() -> const Angle& { return pool[numbers.bits() % pool.size()]; };
  std::vector<Joint> joints(1000);
  for (Joint& joint : joints) {
    joint.roll = draw(), joint.pitch = draw(), joint.yaw = draw();
    joint.axis = random_axis(numbers);
    const Mat3 R_o = rotation_from_rpy({joint.roll.q, joint.pitch.q, joint.yaw.q});
    joint.rotation = r::AxisRotation(R_o, r::kRpyError, r::unit_axis(joint.axis));
    joint.R_o = real_rpy<Real>(joint.roll, joint.pitch, joint.yaw);
    joint.a = real_direction<Real>(joint.axis);
  }
  Worst worst, worst_moved;
  for (int i = 0; i < kCases; ++i) {
    const Joint& joint = joints[numbers.bits() % joints.size()];
    const Angle& angle = draw();
    // In half of the cases the q that is used is not the real one.
    double q = angle.q;
    if (i % 2) q += numbers.number(-52, -1);
    const double q_error = r::up(std::abs(q - angle.q));
    const Mat3 R = joint.rotation.at(std::cos(q), std::sin(q));
    const double bound = i % 2 ? joint.rotation.error(q_error) : joint.rotation.error();
    const Mat<Real> turn = real_turn(joint.a, angle.s, angle.c);
    // A turn by dq is off by sqrt(2) |dq| in Frobenius norm, |dq| in spectral norm.
    const Real off = distance(R, joint.R_o * turn);
    if (i % 2 == 0) {
      ASSERT_TRUE(off.at_most(bound)) << i;
      worst.see(off, bound);
    } else {
      ASSERT_TRUE(off.at_most(joint.rotation.error(1.4142135623730954 * q_error))) << i;
      // In spectral norm: along random directions, and along the one that turns most.
      Vec3 d = numbers.vector(-1, 1);
      if (i % 4 == 1) d = keepclear::cross(r::unit_axis(joint.axis).a, d);
      if (keepclear::norm(d) < 0.1) continue;
      const Vec<Real> moved = exact<Real>(R) * exact<Real>(d) - joint.R_o * (turn * exact<Real>(d));
      const Real stretch = norm(moved) / norm(exact<Real>(d));
      ASSERT_TRUE(stretch.at_most(bound)) << i;
      worst_moved.see(stretch, bound);
    }
    if (i % kIntervalEvery == 0) {
      const auto [s, c] = sine_cosine<Interval>(angle);
      const Mat<Interval> real = real_rpy<Interval>(joint.roll, joint.pitch, joint.yaw) *
                                 real_turn(real_direction<Interval>(joint.axis), s, c);
      ASSERT_TRUE(distance(R, real).at_most(bound));
    }
  }
  EXPECT_TRUE(worst.refutes_a_bound_smaller_by(16)) << worst.share();
  EXPECT_TRUE(worst_moved.refutes_a_bound_smaller_by(2)) << worst_moved.share();
}

TEST(AxisRotation, ErrorWithoutTheOriginsIsRefutedWhenDividedBySixteen) {
  Numbers numbers(21);
  const std::vector<Angle> pool = angles(22, 1 << 12);
  Worst worst;
  for (int i = 0; i < kCases / 10; ++i) {
    const Vec3 axis{numbers.uniform(-1, 1), numbers.uniform(-1, 1), numbers.uniform(-1, 1)};
    const Angle& angle = pool[numbers.bits() % pool.size()];
    const r::AxisRotation rotation(Mat3{}, 0, r::unit_axis(axis));
    const Real off =
        distance(rotation.at(angle.q), real_turn(real_direction<Real>(axis), angle.s, angle.c));
    ASSERT_TRUE(off.at_most(rotation.error()));
    worst.see(off, rotation.error());
  }
  EXPECT_TRUE(worst.refutes_a_bound_smaller_by(16)) << worst.share();
}

template <class T>
T slide_off(const Joint& joint, Vec3 p_o, double q, double shift, Vec3 computed) {
  const Vec<T> d = real_rpy<T>(joint.roll, joint.pitch, joint.yaw) * real_direction<T>(joint.axis);
  const T real_q = T(q) + T(shift);
  const Vec<T> real{real_q * d[0], real_q * d[1], real_q * d[2]};
  return distance(computed, real + exact<T>(p_o));
}

TEST(AxisTranslation, IsWithinItsErrorOfTheRealPosition) {
  Numbers numbers(23);
  const std::vector<Angle> pool = angles(24, 1 << 12);
  const auto draw = [&]() -> const Angle& { return pool[numbers.bits() % pool.size()]; };
  Worst worst, worst_moved;
  for (int i = 0; i < kCases; ++i) {
    Joint joint;
    joint.roll = draw(), joint.pitch = draw(), joint.yaw = draw();
    joint.axis = random_axis(numbers);
    const int span = i % 4 < 2 ? 2 : 60;
    const Pose X_o{rotation_from_rpy({joint.roll.q, joint.pitch.q, joint.yaw.q}),
                   numbers.vector(-span, span)};
    const r::AxisTranslation slide(X_o, {r::kRpyError, 0}, r::unit_axis(joint.axis));
    const double q = numbers.number(-span, span);
    const double shift = i % 2 ? numbers.number(-50, -1) * std::abs(q) : 0;
    const double bound = slide.error(std::abs(q), std::abs(shift));
    const Real off = slide_off<Real>(joint, X_o.p, q, shift, slide.at(q));
    ASSERT_TRUE(off.at_most(bound)) << i;
    (i % 2 ? worst_moved : worst).see(off, bound);
    if (i % kIntervalEvery < 2) {
      ASSERT_TRUE(slide_off<Interval>(joint, X_o.p, q, shift, slide.at(q)).at_most(bound));
    }
  }
  EXPECT_TRUE(worst.refutes_a_bound_smaller_by(16)) << worst.share();
  EXPECT_TRUE(worst_moved.refutes_a_bound_smaller_by(2)) << worst_moved.share();
}

}  // namespace
}  // namespace keepclear::test
