// SPDX-License-Identifier: BSD-3-Clause
//
// Points and poses in 113-bit arithmetic, for references. Shares no arithmetic with the library.
#pragma once

#include <cmath>

#include "keepclear/geometry.hpp"

// What we need of libquadmath, declared here because clang does not find its header.
extern "C" {
__float128 sqrtq(__float128) noexcept;
__float128 sinq(__float128) noexcept;
__float128 cosq(__float128) noexcept;
}

namespace keepclear::oracle {

using Quad = __float128;

inline double square_root(double x) {
  return std::sqrt(x);
}
inline Quad square_root(Quad x) {
  return sqrtq(x);
}

/// A vector of doubles or Quads.
template <class S>
struct Vec {
  S x = 0, y = 0, z = 0;

  friend Vec operator+(const Vec& a, const Vec& b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
  friend Vec operator-(const Vec& a, const Vec& b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
  friend Vec operator*(S s, const Vec& a) { return {s * a.x, s * a.y, s * a.z}; }
};

template <class S>
S dot(const Vec<S>& a, const Vec<S>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class S>
Vec<S> cross(const Vec<S>& a, const Vec<S>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
template <class S>
S norm(const Vec<S>& a) {
  return square_root(dot(a, a));
}

template <class S>
Vec<S> widen(const Vec3& a) {
  return {S(a.x), S(a.y), S(a.z)};
}
template <class S>
Vec3 narrow(const Vec<S>& a) {
  return {static_cast<double>(a.x), static_cast<double>(a.y), static_cast<double>(a.z)};
}

/// A matrix by rows, and an affine map.
template <class S>
struct Mat {
  Vec<S> row0{1, 0, 0}, row1{0, 1, 0}, row2{0, 0, 1};

  friend Vec<S> operator*(const Mat& m, const Vec<S>& a) {
    return {dot(m.row0, a), dot(m.row1, a), dot(m.row2, a)};
  }
  friend Mat operator*(const Mat& a, const Mat& b) {
    return {a.row0.x * b.row0 + a.row0.y * b.row1 + a.row0.z * b.row2,
            a.row1.x * b.row0 + a.row1.y * b.row1 + a.row1.z * b.row2,
            a.row2.x * b.row0 + a.row2.y * b.row1 + a.row2.z * b.row2};
  }
};
template <class S>
Vec<S> transposed_times(const Mat<S>& m, const Vec<S>& a) {
  return a.x * m.row0 + a.y * m.row1 + a.z * m.row2;
}

template <class S>
struct Motion {
  Mat<S> R;
  Vec<S> p;

  friend Vec<S> operator*(const Motion& X, const Vec<S>& a) { return X.R * a + X.p; }
  friend Motion operator*(const Motion& X, const Motion& Y) { return {X.R * Y.R, X * Y.p}; }
};

template <class S>
Motion<S> widen(const Pose& X) {
  return {{widen<S>(X.R.row0), widen<S>(X.R.row1), widen<S>(X.R.row2)}, widen<S>(X.p)};
}

using QVec = Vec<Quad>;
using QMat = Mat<Quad>;
using QPose = Motion<Quad>;

}  // namespace keepclear::oracle
