// SPDX-License-Identifier: BSD-3-Clause
#include "joints.hpp"
#include "rounding/axis_rotation.hpp"

namespace keepclear::test {
namespace {

namespace r = rounding;

template <class T>
struct RealPose {
  Mat<T> R;
  Vec<T> p;
};
template <class T>
RealPose<T> operator*(const RealPose<T>& X_AB, const RealPose<T>& X_BC) {
  return {X_AB.R * X_BC.R, X_AB.R * X_BC.p + X_AB.p};
}
template <class T>
RealPose<T> real_relative(const RealPose<T>& X_WA, const RealPose<T>& X_WB) {
  const Mat<T> R_AW = transpose(X_WA.R);
  return {R_AW * X_WB.R, R_AW * (X_WB.p - X_WA.p)};
}

double norm_up(Vec3 a) {
  return norm(exact<Real>(a)).up();
}

/// A pose, and one that is off by as much as its error says.
struct RoughPose {
  RealPose<Real> real;
  Pose computed;
  r::PoseError error;
};

class RoughPoses {
 public:
  explicit RoughPoses(std::uint64_t seed) : numbers_(seed) {
    const std::vector<Angle> pool = angles(seed + 1, 1 << 10);
    for (int i = 0; i < 1000; ++i) {
      const auto draw = [&]() -> const Angle& { return pool[numbers_.bits() % pool.size()]; };
      const Angle &roll = draw(), &pitch = draw(), &yaw = draw();
      rotations_.push_back(real_rpy<Real>(roll, pitch, yaw));
    }
  }
  /// Off by nothing but the rounding of its entries, or by up to 2^-4.
  RoughPose draw(int span) {
    RoughPose pose;
    pose.real.R = rotations_[numbers_.bits() % rotations_.size()];
    const double off = numbers_.below(4) == 0 ? 0 : std::ldexp(1.0, -4 - numbers_.below(50));
    const auto entry = [&](int i, int j) {
      return pose.real.R[i][j].nearest() + off * numbers_.uniform(-0.5, 0.5);
    };
    const auto row = [&](int i) { return Vec3{entry(i, 0), entry(i, 1), entry(i, 2)}; };
    pose.computed.R = {row(0), row(1), row(2)};
    pose.computed.p = numbers_.vector(-span, span);
    const Vec3 shift = off * numbers_.vector(-3, 1);
    pose.real.p = exact<Real>(pose.computed.p) + exact<Real>(shift);
    pose.error = {distance(pose.computed.R, pose.real.R).up(), norm_up(shift)};
    return pose;
  }
  Numbers& numbers() { return numbers_; }

 private:
  Numbers numbers_;
  std::vector<Mat<Real>> rotations_;
};

TEST(Compose, BoundsTheErrorOfAProductOfRoughPoses) {
  RoughPoses poses(31);
  Worst rotation, position;
  for (int i = 0; i < kCases; ++i) {
    const int span = i % 2 ? 3 : 60;
    const RoughPose AB = poses.draw(span), BC = poses.draw(span);
    const r::PoseError error =
        r::compose(AB.error, norm_up(AB.computed.p), BC.error, norm_up(BC.computed.p));
    const Pose X_AC = AB.computed * BC.computed;
    const RealPose<Real> real = AB.real * BC.real;
    const Real off_R = distance(X_AC.R, real.R), off_p = distance(X_AC.p, real.p);
    ASSERT_TRUE(off_R.at_most(error.rotation)) << i;
    ASSERT_TRUE(off_p.at_most(error.position)) << i;
    rotation.see(off_R, error.rotation);
    position.see(off_p, error.position);
  }
  EXPECT_TRUE(rotation.refutes_a_bound_smaller_by(2)) << rotation.share();
  EXPECT_TRUE(position.refutes_a_bound_smaller_by(2)) << position.share();
}

TEST(Relative, BoundsTheErrorOfARelativePoseOfRoughPoses) {
  RoughPoses poses(33);
  Worst rotation, position;
  for (int i = 0; i < kCases; ++i) {
    const int span = i % 2 ? 3 : 60;
    RoughPose WA = poses.draw(span), WB = poses.draw(span);
    if (i % 4 == 0) {
      // Far from the origin, near each other.
      const Vec3 near = WA.computed.p + poses.numbers().vector(-20, -1);
      WB.real.p = WB.real.p + (exact<Real>(near) - exact<Real>(WB.computed.p));
      WB.computed.p = near;
    }
    const r::PoseError error =
        r::relative(WA.error, WB.error, norm_up(WB.computed.p - WA.computed.p));
    const Pose X_AB = r::relative_pose(WA.computed, WB.computed);
    const RealPose<Real> real = real_relative(WA.real, WB.real);
    const Real off_R = distance(X_AB.R, real.R), off_p = distance(X_AB.p, real.p);
    ASSERT_TRUE(off_R.at_most(error.rotation)) << i;
    ASSERT_TRUE(off_p.at_most(error.position)) << i;
    rotation.see(off_R, error.rotation);
    position.see(off_p, error.position);
  }
  EXPECT_TRUE(rotation.refutes_a_bound_smaller_by(2)) << rotation.share();
  EXPECT_TRUE(position.refutes_a_bound_smaller_by(2)) << position.share();
}

/// A joint of a chain: origin from xyz and rpy, and an axis to turn about.
struct Joint {
  Angle roll, pitch, yaw;
  Vec3 p, axis;
  r::AxisRotation rotation;
  Mat<Real> R_o;
  Vec<Real> a;

  template <class T>
  RealPose<T> real(const Angle& angle) const;
};
template <>
RealPose<Real> Joint::real(const Angle& angle) const {
  return {R_o * real_turn(a, angle.s, angle.c), exact<Real>(p)};
}
template <>
RealPose<Interval> Joint::real(const Angle& angle) const {
  const auto [s, c] = sine_cosine<Interval>(angle);
  return {real_rpy<Interval>(roll, pitch, yaw) * real_turn(real_direction<Interval>(axis), s, c),
          exact<Interval>(p)};
}

/// One place in a chain: the pose in the root frame, as computed and as it is.
struct Place {
  Pose X;
  r::PoseError error;
  RealPose<Real> real;
};

class Chains : public testing::Test {
 protected:
  Chains() : numbers_(35), pool_(angles(36, 1 << 14)), joints_(1000) {
    for (Joint& joint : joints_) {
      joint.roll = angle(), joint.pitch = angle(), joint.yaw = angle();
      joint.p = numbers_.vector(-6, 0);
      joint.axis = random_axis(numbers_);
      const Mat3 R_o = rotation_from_rpy({joint.roll.q, joint.pitch.q, joint.yaw.q});
      joint.rotation = r::AxisRotation(R_o, r::kRpyError, r::unit_axis(joint.axis));
      joint.R_o = real_rpy<Real>(joint.roll, joint.pitch, joint.yaw);
      joint.a = real_direction<Real>(joint.axis);
    }
  }

  const Angle& angle() { return pool_[numbers_.bits() % pool_.size()]; }

  /// Forward kinematics with the bounds that a program has: no help from the oracle.
  static void step(Pose& X, r::PoseError& error, const Joint& joint, const Angle& q) {
    const Pose link{joint.rotation.at(q.q), joint.p};
    error = r::compose(error, r::norm_hi(X.p), {joint.rotation.error(), 0}, r::norm_hi(joint.p));
    X = X * link;
  }

  Numbers numbers_;
  std::vector<Angle> pool_;
  std::vector<Joint> joints_;
};

TEST_F(Chains, StayWithinTheErrorThatComposeAndRelativePropagate) {
  Worst rotation, position, between;
  int composed = 0;
  for (int chain = 0; composed < kCases; ++chain) {
    std::array<Place, 13> places;
    places[0].real = {exact<Real>(Mat3{}), exact<Real>(Vec3{})};
    const int length = 1 + numbers_.below(12);
    for (int k = 0; k < length; ++k, ++composed) {
      const Joint& joint = joints_[numbers_.bits() % joints_.size()];
      const Angle& q = angle();
      Place& place = places[k + 1];
      place = places[k];
      step(place.X, place.error, joint, q);
      place.real = places[k].real * joint.real<Real>(q);
      const Real off_R = distance(place.X.R, place.real.R);
      const Real off_p = distance(place.X.p, place.real.p);
      ASSERT_TRUE(off_R.at_most(place.error.rotation)) << chain << ' ' << k;
      ASSERT_TRUE(off_p.at_most(place.error.position)) << chain << ' ' << k;
      rotation.see(off_R, place.error.rotation);
      position.see(off_p, place.error.position);

      const Place& before = places[numbers_.below(k + 1)];
      const Pose X = r::relative_pose(before.X, place.X);
      const r::PoseError error =
          r::relative(before.error, place.error, r::norm_hi(place.X.p - before.X.p));
      const RealPose<Real> real = real_relative(before.real, place.real);
      ASSERT_TRUE(distance(X.R, real.R).at_most(error.rotation)) << chain << ' ' << k;
      const Real off = distance(X.p, real.p);
      ASSERT_TRUE(off.at_most(error.position)) << chain << ' ' << k;
      between.see(off, error.position);
    }
    // Useful, not only true: an arm of twelve joints is known to five picometres.
    ASSERT_LT(places[length].error.rotation, length * 100 * r::kU);
    ASSERT_LT(places[length].error.position, length * length * 300 * r::kU);
  }
  EXPECT_TRUE(rotation.refutes_a_bound_smaller_by(32)) << rotation.share();
  EXPECT_TRUE(position.refutes_a_bound_smaller_by(32)) << position.share();
  EXPECT_TRUE(between.refutes_a_bound_smaller_by(32)) << between.share();
}

TEST_F(Chains, StayWithinTheErrorByIntervalArithmetic) {
  for (int chain = 0; chain < 400; ++chain) {
    Pose X;
    r::PoseError error;
    RealPose<Interval> real{exact<Interval>(Mat3{}), exact<Interval>(Vec3{})};
    for (int k = 0; k < 12; ++k) {
      const Joint& joint = joints_[numbers_.bits() % joints_.size()];
      const Angle& q = angle();
      step(X, error, joint, q);
      real = real * joint.real<Interval>(q);
    }
    ASSERT_TRUE(distance(X.R, real.R).at_most(error.rotation)) << chain;
    ASSERT_TRUE(distance(X.p, real.p).at_most(error.position)) << chain;
  }
}

}  // namespace
}  // namespace keepclear::test
