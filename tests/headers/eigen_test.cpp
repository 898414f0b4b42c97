// SPDX-License-Identifier: BSD-3-Clause
#include "keepclear/eigen.hpp"

#include <gtest/gtest.h>

#include <span>
#include <type_traits>
#include <utility>

namespace keepclear {
namespace {

const Pose kPose{rotation_from_rpy({0.1, -0.7, 2.3}), {0.3, -1e-9, 4e5}};

TEST(Eigen, PosesGoThereAndBackBitForBit) {
  EXPECT_EQ(from_eigen(to_eigen(kPose)), kPose);
  EXPECT_EQ(from_eigen(to_eigen(kPose.R)), kPose.R);
  EXPECT_EQ(from_eigen(to_eigen(kPose.p)), kPose.p);
}

TEST(Eigen, APoseMovesAPointAsInKeepclear) {
  const Vec3 p_BQ{0.2, 0.5, -0.9};
  const Eigen::Vector3d moved = to_eigen(kPose) * to_eigen(p_BQ);
  // Eigen may sum in another order: a few roundings of numbers below 4e5 + 2.
  EXPECT_NEAR((moved - to_eigen(kPose * p_BQ)).norm(), 0, 1e-9);
}

TEST(Eigen, RotationsKeepTheirRows) {
  const Eigen::Matrix3d m = to_eigen(kPose.R);
  EXPECT_EQ(m(0, 2), kPose.R.row0.z);
  EXPECT_EQ(m(2, 0), kPose.R.row2.x);
}

TEST(Eigen, ASpanViewsTheSameNumbers) {
  Eigen::VectorXd q(3);
  q << 1, 2, 3;
  const std::span<const double> view = as_span(q);
  EXPECT_EQ(view.data(), q.data());
  ASSERT_EQ(view.size(), 3U);
  q[1] = 7;
  EXPECT_EQ(view[1], 7);
  const Eigen::Matrix<double, 7, 1> fixed = Eigen::Matrix<double, 7, 1>::Zero();
  EXPECT_EQ(as_span(fixed).size(), 7U);
}

TEST(Eigen, RowsOfPosesComeOneAfterTheOther) {
  Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> poses(2, 3);
  poses << 1, 2, 3, 4, 5, 6;
  const std::span<const double> rows = as_rows(poses);
  ASSERT_EQ(rows.size(), 6U);
  EXPECT_EQ(rows[2], 3);
  EXPECT_EQ(rows[3], 4);
}

template <typename T>
concept Viewable = requires(T&& q) {
  as_span(std::forward<T>(q));
};
template <typename T>
concept ViewableRows = requires(T&& q) {
  as_rows(std::forward<T>(q));
};

TEST(Eigen, ViewsThatWouldDangleOrScrambleDoNotCompile) {
  static_assert(Viewable<Eigen::VectorXd&>);
  static_assert(!Viewable<Eigen::VectorXd>, "a view of a temporary");
  static_assert(!Viewable<Eigen::VectorXf&>, "not doubles");
  static_assert(!Viewable<Eigen::MatrixXd&>, "not a vector");
  static_assert(!ViewableRows<Eigen::MatrixXd&>, "stored by columns");
}

}  // namespace
}  // namespace keepclear
