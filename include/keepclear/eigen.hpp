// SPDX-License-Identifier: BSD-3-Clause
/// Between Keepclear's plain structs and Eigen: copies bit for bit, and views of configurations
/// that copy nothing. The only public header that needs Eigen; keepclear.hpp does not include it.
#pragma once

#include <Eigen/Core>
#include <Eigen/Geometry>
#include <concepts>
#include <cstddef>
#include <span>

#include "keepclear/geometry.hpp"

namespace keepclear {

inline Eigen::Vector3d to_eigen(Vec3 a) {
  return {a.x, a.y, a.z};
}

inline Eigen::Matrix3d to_eigen(const Mat3& m) {
  Eigen::Matrix3d result;
  result << m.row0.x, m.row0.y, m.row0.z,  //
      m.row1.x, m.row1.y, m.row1.z,        //
      m.row2.x, m.row2.y, m.row2.z;
  return result;
}

inline Eigen::Isometry3d to_eigen(const Pose& X_AB) {
  Eigen::Isometry3d result = Eigen::Isometry3d::Identity();
  result.linear() = to_eigen(X_AB.R);
  result.translation() = to_eigen(X_AB.p);
  return result;
}

inline Vec3 from_eigen(const Eigen::Vector3d& a) {
  return {a.x(), a.y(), a.z()};
}

inline Mat3 from_eigen(const Eigen::Matrix3d& m) {
  return {{m(0, 0), m(0, 1), m(0, 2)}, {m(1, 0), m(1, 1), m(1, 2)}, {m(2, 0), m(2, 1), m(2, 2)}};
}

/// The linear part is taken as it is: a query refuses one that is no rotation.
inline Pose from_eigen(const Eigen::Isometry3d& X_AB) {
  const Eigen::Matrix3d R = X_AB.linear();
  const Eigen::Vector3d p = X_AB.translation();
  return {from_eigen(R), from_eigen(p)};
}

/// A vector of doubles that owns its numbers side by side: Eigen::VectorXd, Vector3d, Matrix<7, 1>
/// and the like, but no expression that would have to be evaluated first.
template <typename T>
concept EigenVector = std::derived_from<T, Eigen::PlainObjectBase<T>> &&
    std::same_as<typename T::Scalar, double> && bool(T::IsVectorAtCompileTime);

/// A matrix of doubles stored by rows.
template <typename T>
concept EigenRows = std::derived_from<T, Eigen::PlainObjectBase<T>> &&
    std::same_as<typename T::Scalar, double> && bool(T::IsRowMajor);

/// A view of a configuration, as queries take it: `query(as_span(q))`. Does not allocate; may be
/// called from a control loop. Valid as long as q lives and keeps its size.
template <EigenVector T>
std::span<const double> as_span(const T& q) noexcept {
  return {q.data(), static_cast<std::size_t>(q.size())};
}
template <EigenVector T>
std::span<const double> as_span(const T&& q) = delete;

/// A view of many configurations, one a row, as batches take them. Valid as long as `poses` lives
/// and keeps its size.
template <EigenRows T>
std::span<const double> as_rows(const T& poses) noexcept {
  return {poses.data(), static_cast<std::size_t>(poses.size())};
}
template <EigenRows T>
std::span<const double> as_rows(const T&& poses) = delete;

}  // namespace keepclear
