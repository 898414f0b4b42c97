// SPDX-License-Identifier: BSD-3-Clause
//
// What a joint does, with what it can be off by: R_o R(a, q) of one that turns, p_o + q R_o a of
// one that slides. Rodrigues' formula is linear in cos q and sin q, so everything else is computed
// once. Derived in docs/theory/rounding.md, sections "Rotation about an axis" and "Sliding along an
// axis".
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

#include "keepclear/geometry.hpp"
#include "rounding/rounding.hpp"

namespace keepclear::rounding {

/// A computed direction, and how far it may be from the real unit vector it stands for.
struct UnitAxis {
  Vec3 a{1, 0, 0};
  double error = 0;  ///< at least |a - real a|; at most 4 kU, or infinite if there is no direction
};

/// The direction of an axis given by exact numbers of any size. The zero vector and one that is not
/// finite have none: the error is infinite then.
inline UnitAxis unit_axis(Vec3 axis) {
  const double largest = std::max({std::abs(axis.x), std::abs(axis.y), std::abs(axis.z)});
  if (!is_finite(axis) || largest == 0) {
    return {{1, 0, 0}, std::numeric_limits<double>::infinity()};
  }
  // Along a coordinate axis, which is the rule in robots, nothing rounds.
  const int zeros = (axis.x == 0) + (axis.y == 0) + (axis.z == 0);
  if (zeros == 2) return {{axis.x / largest, axis.y / largest, axis.z / largest}, 0};
  // A power of two brings the largest into [1, 2): no square overflows, none that counts
  // underflows.
  const int shift = -std::ilogb(largest);
  const Vec3 v{std::scalbn(axis.x, shift), std::scalbn(axis.y, shift), std::scalbn(axis.z, shift)};
  const double n = norm(v);
  return {{v.x / n, v.y / n, v.z / n}, 4 * kU};
}

/// R_o R(a, q) = M0 + cos q M1 + sin q M2, where R_o is a fixed rotation and R(a, q) turns by q
/// about the unit vector a. Building it is for loading; `at` is 36 operations.
class AxisRotation {
 public:
  AxisRotation() : AxisRotation(Mat3{}, 0, UnitAxis{}) {}

  /// `r_o_error` is at least the spectral norm of (R_o - the real rotation it stands for).
  AxisRotation(const Mat3& R_o, double r_o_error, const UnitAxis& axis) {
    const Vec3 a = axis.a;
    const Vec3 b = R_o * a;
    m0_ = {b.x * a, b.y * a, b.z * a};
    m1_ = {R_o.row0 - m0_.row0, R_o.row1 - m0_.row1, R_o.row2 - m0_.row2};
    m2_ = {cross(R_o.row0, a), cross(R_o.row1, a), cross(R_o.row2, a)};

    const double stretch = (1 + r_o_error) * (1 + axis.error) * (1 + axis.error);
    // A wrong axis, at most 2 + sqrt(5) times; then cos q and sin q, at most sqrt(2) times.
    const double turn = 4.25 * axis.error + 2 * axis.error * axis.error +
                        1.4142135623730954 * kSinCosError * (1 + axis.error) * (1 + axis.error);
    error_ = inflate(r_o_error + (1 + r_o_error) * turn + gamma(28) * stretch, 24);
  }

  /// The rotation for c and s that are within kSinCosError of cos q and sin q.
  Mat3 at(double c, double s) const {
    return {row(m0_.row0, c, m1_.row0, s, m2_.row0), row(m0_.row1, c, m1_.row1, s, m2_.row1),
            row(m0_.row2, c, m1_.row2, s, m2_.row2)};
  }
  Mat3 at(double q) const { return at(std::cos(q), std::sin(q)); }

  /// At least the spectral norm of (at - real rotation), where c and s were taken of the real q.
  double error() const { return error_; }
  /// The same where they were taken of a q that is itself off by at most `q_error` radians.
  double error(double q_error) const { return inflate(error_ + q_error, 1); }
  /// The same of at(c, s) for any numbers c and s, against the real M0 + c M1 + s M2, which is no
  /// rotation unless c and s are a cosine and a sine.
  double error_of_any(double c, double s) const {
    return inflate(error_ * (1 + std::max(1.0, std::abs(c) + std::abs(s))), 4);
  }

 private:
  static Vec3 row(Vec3 r0, double c, Vec3 r1, double s, Vec3 r2) {
    return {r0.x + c * r1.x + s * r2.x, r0.y + c * r1.y + s * r2.y, r0.z + c * r1.z + s * r2.z};
  }

  Mat3 m0_, m1_, m2_;
  double error_ = 0;
};

/// p_o + q R_o a: where a joint that slides by q along the unit vector a puts its child.
class AxisTranslation {
 public:
  AxisTranslation() : AxisTranslation(Pose{}, {}, UnitAxis{}) {}

  /// `error_o` is that of the pose X_o = (R_o, p_o).
  AxisTranslation(const Pose& X_o, PoseError error_o, const UnitAxis& axis)
      : d_(X_o.R * axis.a), p_(X_o.p), p_hi_(norm_hi(X_o.p)), p_error_(error_o.position) {
    const double stretch = (1 + error_o.rotation) * (1 + axis.error);
    d_error_ = inflate(
        error_o.rotation * (1 + axis.error) + axis.error + gamma(4) * kSqrt3Hi * stretch, 10);
  }

  Vec3 at(double q) const { return q * d_ + p_; }
  Vec3 direction() const { return d_; }
  /// At least the length of the computed direction R_o a.
  double stretch_hi() const { return inflate(1 + d_error_, 1); }
  /// At least |at(q) - real position|, given at least |q|, and an error of q in metres.
  double error(double q_hi, double q_error = 0) const {
    const double rounding = gamma(2) * (q_hi * (1 + d_error_) + p_hi_);
    return inflate(p_error_ + q_hi * d_error_ + q_error + rounding, 10);
  }

 private:
  Vec3 d_, p_;
  double p_hi_ = 0, p_error_ = 0, d_error_ = 0;
};

}  // namespace keepclear::rounding
