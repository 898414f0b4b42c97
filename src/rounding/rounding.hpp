// SPDX-License-Identifier: BSD-3-Clause
//
// What an operation can be off by. The only place that knows unit roundoff; every bound here is
// derived in docs/theory/rounding.md and tested for containment in tests/rounding.
//
// Round to nearest is assumed and never changed. All bounds are on the side of safety: a `_hi`
// function returns at least the real value, a `_lo` function at most.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "keepclear/geometry.hpp"

namespace keepclear::rounding {

/// Unit roundoff of double: |fl(a op b) - (a op b)| <= kU |fl(a op b)|, underflow aside.
inline constexpr double kU = 0x1p-53;
/// The smallest positive double. A product that underflows is off by at most this.
inline constexpr double kEta = 0x1p-1074;

/// At least n kU / (1 - n kU), Higham's constant for n roundings in a row; for 1 <= n <= 2^20.
constexpr double gamma(int n) {
  return n * kU * (1 + 0x1p-30);
}

/// At least the real result, given the rounded, finite result x of one + - * / or sqrt.
constexpr double up(double x) {
  return x + (4 * kU * (x < 0 ? -x : x) + kEta);
}
/// At most the real result, given the rounded, finite result x of one + - * / or sqrt.
constexpr double down(double x) {
  return x - (4 * kU * (x < 0 ? -x : x) + kEta);
}

/// At least the real value of an expression in non-negative terms, + * / and sqrt only, given its
/// rounded value x and the number of roundings in it, n <= 64; a subexpression that is used twice
/// counts twice. What underflow loses is covered where it is not made larger again: no sqrt of it,
/// and factors after it of at most 2^60 together.
constexpr double inflate(double x, int n) {
  return x * (1 + 2 * (n + 1) * kU) + 0x1p-1000;
}

/// At least |a|; infinite from about 2^511.
inline double norm_hi(Vec3 a) {
  return inflate(std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z), 6) + 0x1p-500;
}
/// At least |a|, without a square root: the sum of the absolute values.
inline double span_hi(Vec3 a) {
  return inflate(std::abs(a.x) + std::abs(a.y) + std::abs(a.z), 2);
}
/// At most |a|; zero for vectors too short to tell, and for those whose square overflows.
inline double norm_lo(Vec3 a) {
  const double n = std::sqrt(a.x * a.x + a.y * a.y + a.z * a.z);
  if (!(n < 0x1p512)) return 0;
  return std::max(0.0, n * (1 - 16 * kU) - 0x1p-500);
}

/// |fl(a.b) - a.b| <= dot_error(|a|, |b|) for three-vectors, given at least their norms, by
/// Cauchy-Schwarz on sum |a_i||b_i|.
constexpr double dot_error(double norm_a_hi, double norm_b_hi) {
  // The norms first: gamma times a tiny one could underflow before a huge one comes.
  return gamma(4) * (norm_a_hi * norm_b_hi) + 0x1p-1000;
}

/// At least the square root of three.
inline constexpr double kSqrt3Hi = 1.7320508075688774;

/// |fl(M a) - M a| for a matrix of spectral norm at most `norm_m_hi`; also of transposed_times.
constexpr double rotate_error(double norm_m_hi, double norm_a_hi) {
  return gamma(4) * (kSqrt3Hi * (norm_m_hi * norm_a_hi)) + 0x1p-1000;
}

/// The spectral (even the Frobenius) norm of fl(A B) - A B, given at least the spectral norms.
constexpr double product_error(double norm_a_hi, double norm_b_hi) {
  return 3 * gamma(4) * (norm_a_hi * norm_b_hi) + 0x1p-1000;
}

/// |fl(sin x) - sin x| and |fl(cos x) - cos x|, for every finite x: two units in the last place of
/// one. An assumption about the C library, tested and not proved: no standard bounds these.
inline constexpr double kSinCosError = 4 * kU;

/// The error of multiplier * q + offset as a double, given at least |q| of the computed q and the
/// error of q: what a mimic joint adds.
constexpr double mimic_error(double multiplier, double offset, double q_hi, double q_error) {
  const double m = multiplier < 0 ? -multiplier : multiplier;
  const double o = offset < 0 ? -offset : offset;
  return inflate(m * q_error + gamma(2) * (m * q_hi + o), 5);
}

/// How far a computed pose may be from the one it stands for.
struct PoseError {
  /// At least the spectral norm of (computed R - real R); the real R is a rotation.
  double rotation = 0;
  double position = 0;  ///< at least |computed p - real p|, metres
};

/// The rotation error of rotation_from_rpy, for exact rpy.
inline constexpr double kRpyError = 24 * kU;

/// True if (x, y, z, w) has norm one to within 1e-6: what a file or a caller may pass as a
/// rotation.
inline bool is_unit_quaternion(double x, double y, double z, double w) {
  return std::abs(std::sqrt(x * x + y * y + z * z + w * w) - 1) <= 1e-6;
}
/// The rotation that the quaternion (x, y, z, w) stands for once divided by its norm, which is
/// between 2^-400 and 2^400; off by at most kQuaternionError.
inline Mat3 rotation_from_any_quaternion(double x, double y, double z, double w) {
  const double n = std::sqrt(x * x + y * y + z * z + w * w);
  return rotation_from_quaternion(x / n, y / n, z / n, w / n);
}
/// The rotation error of rotation_from_any_quaternion, for exact x, y, z, w.
inline constexpr double kQuaternionError = 40 * kU;

/// At least the spectral norm of a matrix; next to 1 for a rotation: the largest row sum of A^T A
/// is at least the square.
inline double stretch_hi(const Mat3& A) {
  const Mat3 p = transpose(A) * A;
  double most = 0, size = 0;
  for (const Vec3 row : {p.row0, p.row1, p.row2}) most = std::max(most, span_hi(row));
  for (const Vec3 row : {A.row0, A.row1, A.row2}) size += squared_norm(row);
  return inflate(std::sqrt(most + 4 * gamma(8) * size), 20) + 0x1p-500;
}

/// At least the spectral distance of R from the nearest rotation: a singular value is off one by no
/// more than its square is. Infinite for a matrix that mirrors, or is not finite.
inline double deviation_from_rotation_hi(const Mat3& R) {
  const Mat3 p = transpose(R) * R;
  const double off2 = squared_norm(p.row0 - Vec3{1, 0, 0}) + squared_norm(p.row1 - Vec3{0, 1, 0}) +
                      squared_norm(p.row2 - Vec3{0, 0, 1});
  const double off_hi = inflate(std::sqrt(off2), 20) + gamma(32);
  const bool rotates = dot(R.row0, cross(R.row1, R.row2)) > 0 && off_hi < 0.5;
  return rotates ? off_hi : std::numeric_limits<double>::infinity();
}

/// At least the spectral (even the Frobenius) norm of R - S: how far a turn from S to R moves
/// points at a distance of one from its centre.
inline double turn_hi(const Mat3& R, const Mat3& S) {
  const double off2 =
      squared_norm(R.row0 - S.row0) + squared_norm(R.row1 - S.row1) + squared_norm(R.row2 - S.row2);
  return inflate(std::sqrt(off2), 20) + 1e-150;
}

/// |computed X_AB * p_BQ - real one|, given the error of the pose, that of the point, and at least
/// the norms of the computed p_AB and p_BQ.
constexpr double transform_error(PoseError e_AB, double p_AB_hi, double e_BQ, double p_BQ_hi) {
  const double position = e_AB.rotation * p_BQ_hi + e_BQ + e_AB.position +
                          gamma(5) * (kSqrt3Hi * (1 + e_AB.rotation) * p_BQ_hi + p_AB_hi);
  return inflate(position, 12);
}

/// The error of the computed product X_AB * X_BC. `p_BC_hi` and `p_AB_hi` are at least the norms of
/// the computed positions.
constexpr PoseError compose(PoseError e_AB, double p_AB_hi, PoseError e_BC, double p_BC_hi) {
  const double stretch = (1 + e_AB.rotation) * (1 + e_BC.rotation);
  const double rotation =
      e_AB.rotation * (1 + e_BC.rotation) + e_BC.rotation + 3 * gamma(4) * stretch;
  return {inflate(rotation, 10), transform_error(e_AB, p_AB_hi, e_BC.position, p_BC_hi)};
}

/// The error of the computed inverse(X_WA) * X_WB as `relative_pose` evaluates it.
/// `d_hi` is at least the norm of the computed difference of the two positions.
constexpr PoseError relative(PoseError e_WA, PoseError e_WB, double d_hi) {
  const double stretch = (1 + e_WA.rotation) * (1 + e_WB.rotation);
  const double rotation =
      e_WA.rotation * (1 + e_WB.rotation) + e_WB.rotation + 3 * gamma(4) * stretch;
  const double position = (e_WA.position + e_WB.position) + (e_WA.rotation + 2 * kU) * d_hi +
                          kSqrt3Hi * gamma(4) * (1 + e_WA.rotation) * d_hi;
  return {inflate(rotation, 10), inflate(position, 12)};
}

/// inverse(X_WA) * X_WB by the difference of the positions, which loses nothing when both are far
/// from the origin and near each other.
constexpr Pose relative_pose(const Pose& X_WA, const Pose& X_WB) {
  return {transpose(X_WA.R) * X_WB.R, transposed_times(X_WA.R, X_WB.p - X_WA.p)};
}

}  // namespace keepclear::rounding
