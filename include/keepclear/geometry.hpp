// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cmath>
#include <optional>

// Points, rotations and rigid motions, in metres and radians. Plain structs with plain arithmetic:
// every sum is evaluated left to right as written, which is what the error bounds of
// docs/theory/rounding.md are derived for. `keepclear/eigen.hpp` converts from and to Eigen.
//
// Frames are in the names: `X_AB` is the pose of frame B in frame A, `p_AQ` the point Q in A, and
// `X_AB * p_BQ` is `p_AQ`.
namespace keepclear {

struct Vec3 {
  double x = 0, y = 0, z = 0;

  constexpr double operator[](int i) const { return i == 0 ? x : i == 1 ? y : z; }
  friend constexpr bool operator==(const Vec3&, const Vec3&) = default;
};

constexpr Vec3 operator+(Vec3 a, Vec3 b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
constexpr Vec3 operator-(Vec3 a, Vec3 b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
constexpr Vec3 operator-(Vec3 a) {
  return {-a.x, -a.y, -a.z};
}
constexpr Vec3 operator*(double s, Vec3 a) {
  return {s * a.x, s * a.y, s * a.z};
}
constexpr double dot(Vec3 a, Vec3 b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
constexpr Vec3 cross(Vec3 a, Vec3 b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
constexpr double squared_norm(Vec3 a) {
  return dot(a, a);
}
inline double norm(Vec3 a) {
  return std::sqrt(dot(a, a));
}
inline bool is_finite(Vec3 a) {
  return std::isfinite(a.x) && std::isfinite(a.y) && std::isfinite(a.z);
}

/// A 3x3 matrix by rows.
struct Mat3 {
  Vec3 row0{1, 0, 0}, row1{0, 1, 0}, row2{0, 0, 1};

  friend constexpr bool operator==(const Mat3&, const Mat3&) = default;
};

constexpr Vec3 operator*(const Mat3& m, Vec3 a) {
  return {dot(m.row0, a), dot(m.row1, a), dot(m.row2, a)};
}
constexpr Mat3 transpose(const Mat3& m) {
  return {{m.row0.x, m.row1.x, m.row2.x},
          {m.row0.y, m.row1.y, m.row2.y},
          {m.row0.z, m.row1.z, m.row2.z}};
}
/// transpose(m) * a, without forming the transpose.
constexpr Vec3 transposed_times(const Mat3& m, Vec3 a) {
  return {m.row0.x * a.x + m.row1.x * a.y + m.row2.x * a.z,
          m.row0.y * a.x + m.row1.y * a.y + m.row2.y * a.z,
          m.row0.z * a.x + m.row1.z * a.y + m.row2.z * a.z};
}
constexpr Mat3 operator*(const Mat3& a, const Mat3& b) {
  return {transposed_times(b, a.row0), transposed_times(b, a.row1), transposed_times(b, a.row2)};
}

/// A rigid motion: `X_AB` takes coordinates in B to coordinates in A.
struct Pose {
  Mat3 R;
  Vec3 p;

  friend constexpr bool operator==(const Pose&, const Pose&) = default;
};

constexpr Vec3 operator*(const Pose& X_AB, Vec3 p_BQ) {
  return X_AB.R * p_BQ + X_AB.p;
}
constexpr Pose operator*(const Pose& X_AB, const Pose& X_BC) {
  return {X_AB.R * X_BC.R, X_AB * X_BC.p};
}
constexpr Pose inverse(const Pose& X_AB) {
  return {transpose(X_AB.R), -transposed_times(X_AB.R, X_AB.p)};
}

/// URDF's convention: roll about x, then pitch about y, then yaw about z, all about fixed axes.
inline Mat3 rotation_from_rpy(Vec3 rpy) {
  const double cr = std::cos(rpy.x), sr = std::sin(rpy.x);
  const double cp = std::cos(rpy.y), sp = std::sin(rpy.y);
  const double cy = std::cos(rpy.z), sy = std::sin(rpy.z);
  return {{cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr},
          {sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr},
          {-sp, cp * sr, cp * cr}};
}

/// The rotation of the unit quaternion (x, y, z, w). The caller normalises.
constexpr Mat3 rotation_from_quaternion(double x, double y, double z, double w) {
  return {{1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)},
          {2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)},
          {2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)}};
}

/// As files write it. Normalised when it is used; its norm must be one to within 1e-6.
struct Quaternion {
  double x = 0, y = 0, z = 0, w = 1;

  friend constexpr bool operator==(const Quaternion&, const Quaternion&) = default;
};

/// A pose as files write it: `rpy` as in URDF, or a quaternion, which then stands alone.
struct Origin {
  Vec3 xyz{};
  Vec3 rpy{};
  std::optional<Quaternion> quaternion{};

  friend constexpr bool operator==(const Origin&, const Origin&) = default;
};

/// Boxes along the axes, closed: lo <= p <= hi in each coordinate. Infinite ends are fine.
struct Box {
  Vec3 lo, hi;

  friend constexpr bool operator==(const Box&, const Box&) = default;
};

constexpr bool overlap(const Box& a, const Box& b) {
  return a.lo.x <= b.hi.x && b.lo.x <= a.hi.x && a.lo.y <= b.hi.y && b.lo.y <= a.hi.y &&
         a.lo.z <= b.hi.z && b.lo.z <= a.hi.z;
}

}  // namespace keepclear
