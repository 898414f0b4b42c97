// SPDX-License-Identifier: BSD-3-Clause
//
// The last judge: distances of convex hulls in exact arithmetic. Doubles are dyadic, so points and
// poses become integers over one power of two; the nearest point of a simplex to the origin is a
// quotient of integers (Cramer); Wolfe's iteration on these strictly descends through finitely many
// faces, and so ends with the exact squared distance, a rational. There is no tolerance anywhere.
//
// The pose is the affine map with exactly the twelve doubles given, applied to the points; the ball
// of a radius is not mapped.
#pragma once

#include <gmpxx.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <stdexcept>
#include <utility>

#include "keepclear/geometry.hpp"
#include "oracle/reference_distance.hpp"

namespace keepclear::oracle {

/// A three-vector of integers.
struct IntVec {
  mpz_class x, y, z;
};
inline mpz_class dot(const IntVec& a, const IntVec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
inline IntVec minus(const IntVec& a, const IntVec& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
inline IntVec cross(const IntVec& a, const IntVec& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
inline IntVec times(const mpz_class& s, const IntVec& a) {
  return {s * a.x, s * a.y, s * a.z};
}

/// Every finite double not zero is odd * 2^exponent; this is the exponent.
inline int lowest_bit(double v) {
  if (v == 0) return std::numeric_limits<int>::max();
  int exponent = 0;
  const double mantissa = std::frexp(v, &exponent);
  const auto bits = static_cast<std::int64_t>(std::ldexp(mantissa, 53));
  return exponent - 53 + std::countr_zero(static_cast<std::uint64_t>(bits));
}
inline int lowest_bit(Vec3 v) {
  return std::min({lowest_bit(v.x), lowest_bit(v.y), lowest_bit(v.z)});
}

/// v / 2^exponent, which must be an integer.
inline mpz_class to_integer(double v, int exponent) {
  if (v == 0) return 0;
  int e = 0;
  const double mantissa = std::frexp(v, &e);
  mpz_class result(std::ldexp(mantissa, 53));
  const int shift = e - 53 - exponent;
  if (shift >= 0) {
    result <<= static_cast<mp_bitcnt_t>(shift);
  } else {
    mpz_tdiv_q_2exp(result.get_mpz_t(), result.get_mpz_t(), static_cast<mp_bitcnt_t>(-shift));
  }
  return result;
}
inline IntVec to_integer(Vec3 v, int exponent) {
  return {to_integer(v.x, exponent), to_integer(v.y, exponent), to_integer(v.z, exponent)};
}

inline mpq_class scaled(const mpz_class& v, int exponent) {
  mpq_class result(v);
  if (exponent >= 0) {
    mpq_mul_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(exponent));
  } else {
    mpq_div_2exp(result.get_mpq_t(), result.get_mpq_t(), static_cast<mp_bitcnt_t>(-exponent));
  }
  return result;
}

/// Points for the exact judge, with the power of two they are multiples of.
struct ExactSet {
  explicit ExactSet(std::span<const Vec3> from) : points(from) {
    for (const Vec3& p : from) {
      if (!is_finite(p)) throw std::invalid_argument("point is not finite");
      exponent = std::min(exponent, lowest_bit(p));
    }
    if (exponent == std::numeric_limits<int>::max()) exponent = 0;
  }
  PointSet points;
  int exponent = std::numeric_limits<int>::max();
};

/// One placed set: integer coordinates are (real coordinates) / 2^scale.
class PlacedSet {
 public:
  PlacedSet(const ExactSet& set, const Pose& X) : set_(set), X_(X) {
    rotation_exponent_ =
        std::min({lowest_bit(X.R.row0), lowest_bit(X.R.row1), lowest_bit(X.R.row2), 0});
    finest = std::min(rotation_exponent_ + set.exponent, lowest_bit(X.p));
  }

  /// The finest power of two that a coordinate can need.
  int finest = 0;

  void set_scale(int scale) {
    shift_ = static_cast<mp_bitcnt_t>(rotation_exponent_ + set_.exponent - scale);
    row0_ = to_integer(X_.R.row0, rotation_exponent_);
    row1_ = to_integer(X_.R.row1, rotation_exponent_);
    row2_ = to_integer(X_.R.row2, rotation_exponent_);
    p_ = to_integer(X_.p, scale);
  }

  IntVec point(std::uint32_t i) const {
    const IntVec p = to_integer(set_.points[i], set_.exponent);
    return {(dot(row0_, p) << shift_) + p_.x, (dot(row1_, p) << shift_) + p_.y,
            (dot(row2_, p) << shift_) + p_.z};
  }

  /// The lowest point in direction n and the value n . point there.
  std::pair<std::uint32_t, mpz_class> lowest(const IntVec& n) const {
    const IntVec local{n.x * row0_.x + n.y * row1_.x + n.z * row2_.x,
                       n.x * row0_.y + n.y * row1_.y + n.z * row2_.y,
                       n.x * row0_.z + n.y * row1_.z + n.z * row2_.z};
    std::pair<std::uint32_t, mpz_class> best{0, 0};
    bool first = true;
    set_.points.for_lowest(direction(local), [&](std::size_t i) {
      mpz_class value = dot(local, to_integer(set_.points[i], set_.exponent));
      if (!first && value >= best.second) return;
      best = {static_cast<std::uint32_t>(i), std::move(value)};
      first = false;
    });
    best.second = (best.second << shift_) + dot(n, p_);
    return best;
  }

 private:
  /// n to double precision, the largest component between a half and one. Truncation is off by
  /// 2^-52 a component, as for_lowest assumes.
  static Vec3 direction(const IntVec& n) {
    long ex = 0, ey = 0, ez = 0;
    const double x = mpz_get_d_2exp(&ex, n.x.get_mpz_t());
    const double y = mpz_get_d_2exp(&ey, n.y.get_mpz_t());
    const double z = mpz_get_d_2exp(&ez, n.z.get_mpz_t());
    long top = std::numeric_limits<long>::min();
    if (x != 0) top = std::max(top, ex);
    if (y != 0) top = std::max(top, ey);
    if (z != 0) top = std::max(top, ez);
    const auto at = [top](double m, long e) {
      return m == 0 || e - top < -2000 ? 0.0 : std::ldexp(m, static_cast<int>(e - top));
    };
    return {at(x, ex), at(y, ey), at(z, ez)};
  }

  const ExactSet& set_;
  Pose X_;
  int rotation_exponent_ = 0;
  mp_bitcnt_t shift_ = 0;
  IntVec row0_, row1_, row2_, p_;
};

/// The exact squared distance of two hulls, zero when they share a point.
struct ExactDistance {
  mpq_class squared;
  ActiveSet active;
  int iterations = 0;

  /// Whether the hulls grown by radii that add up to `radius` share a point. Touching is sharing.
  bool overlap(const mpq_class& radius) const { return squared <= radius * radius; }
  /// For reports; never for a verdict.
  double approximate() const { return std::sqrt(squared.get_d()); }
};

namespace detail {

/// point / weight with weight > 0.
struct HomogeneousPoint {
  IntVec point;
  mpz_class weight;
};

/// The exact nearest point of a simplex: the only face whose projection of the origin is inside it
/// and that no corner lies before. Returns the mask of its corners.
inline std::pair<unsigned, HomogeneousPoint> nearest_exactly(const std::array<IntVec, 4>& p,
                                                             int count) {
  for (unsigned mask = 1; mask < (1u << count); ++mask) {
    std::array<int, 4> v{};
    int n = 0;
    for (int k = 0; k < count; ++k) {
      if (mask >> k & 1u) v[n++] = k;
    }
    const IntVec &a = p[v[0]], &b = p[v[1]], &c = p[v[2]], &d = p[v[3]];
    HomogeneousPoint x;
    if (n == 1) {
      x = {a, 1};
    } else if (n == 2) {
      const IntVec e = minus(b, a);
      const mpz_class length = dot(e, e), t = -dot(a, e);
      if (t <= 0 || t >= length) continue;
      const IntVec from = times(length, a), along = times(t, e);
      x = {{from.x + along.x, from.y + along.y, from.z + along.z}, length};
    } else if (n == 3) {
      const IntVec normal = cross(minus(b, a), minus(c, a));
      if (dot(cross(a, b), normal) <= 0 || dot(cross(b, c), normal) <= 0 ||
          dot(cross(c, a), normal) <= 0) {
        continue;
      }
      x = {times(dot(a, normal), normal), dot(normal, normal)};
    } else {
      const int side = sgn(dot(minus(b, a), cross(minus(c, a), minus(d, a))));
      if (side == 0 || side * sgn(dot(b, cross(c, d))) <= 0 ||
          side * sgn(dot(a, cross(d, c))) <= 0 || side * sgn(dot(a, cross(b, d))) <= 0 ||
          side * sgn(dot(a, cross(c, b))) <= 0) {
        continue;
      }
      x = {{0, 0, 0}, 1};
    }
    const mpz_class squared = dot(x.point, x.point);
    bool nearest = true;
    for (int k = 0; nearest && k < count; ++k) {
      nearest = dot(x.point, p[k]) * x.weight >= squared;
    }
    if (nearest) return {mask, std::move(x)};
  }
  throw std::logic_error("a simplex without a nearest point");
}

}  // namespace detail

/// Exact distance of the hulls of X_WA * a and X_WB * b. Runs in double first to find the active
/// set; the answer does not depend on how well that went, only the time does.
inline ExactDistance exact_distance(const ExactSet& a, const Pose& X_WA, const ExactSet& b,
                                    const Pose& X_WB) {
  PlacedSet placed_a(a, X_WA), placed_b(b, X_WB);
  const int scale = std::min(placed_a.finest, placed_b.finest);
  placed_a.set_scale(scale);
  placed_b.set_scale(scale);

  ExactDistance result;
  ActiveSet& active = result.active;
  active = core_distance<double>(a.points, widen<double>(X_WA), b.points, widen<double>(X_WB), 0.0)
               .active;
  std::array<IntVec, 4> p;
  for (int k = 0; k < active.size; ++k) {
    p[k] = minus(placed_a.point(active.a[k]), placed_b.point(active.b[k]));
  }
  for (;; ++result.iterations) {
    const auto [mask, x] = detail::nearest_exactly(p, active.size);
    int kept = 0;
    for (int k = 0; k < active.size; ++k) {
      if (!(mask >> k & 1u)) continue;
      if (kept != k) p[kept] = std::move(p[k]);
      active.a[kept] = active.a[k], active.b[kept] = active.b[k];
      ++kept;
    }
    active.size = kept;
    const mpz_class squared = dot(x.point, x.point);
    if (squared == 0) {
      result.squared = 0;
      return result;
    }
    const IntVec back{-x.point.x, -x.point.y, -x.point.z};
    const auto [i, low_a] = placed_a.lowest(x.point);
    const auto [j, low_b] = placed_b.lowest(back);
    if ((low_a + low_b) * x.weight >= squared) {
      mpq_class value(squared, x.weight * x.weight);
      value.canonicalize();
      result.squared = value * scaled(1, 2 * scale);
      return result;
    }
    p[active.size] = minus(placed_a.point(i), placed_b.point(j));
    active.a[active.size] = i, active.b[active.size] = j;
    ++active.size;
  }
}

/// True when the plane with exactly the given normal proves that the grown hulls are farther apart
/// than `apart` >= 0: n . a - n . b > (radius + apart) |n| for all points, in exact arithmetic.
/// `n` points from B to A. False proves nothing.
inline bool proves_apart(const ExactSet& a, const Pose& X_WA, const ExactSet& b, const Pose& X_WB,
                         Vec3 n, const mpq_class& radius_and_apart) {
  if (!is_finite(n) || n == Vec3{}) return false;
  PlacedSet placed_a(a, X_WA), placed_b(b, X_WB);
  const int scale = std::min(placed_a.finest, placed_b.finest);
  placed_a.set_scale(scale);
  placed_b.set_scale(scale);
  const int bit = lowest_bit(n);
  const IntVec normal = to_integer(n, bit), back = to_integer(-n, bit);
  const mpz_class gap = placed_a.lowest(normal).second + placed_b.lowest(back).second;
  if (gap <= 0) return false;
  const mpq_class real_gap = scaled(gap, scale);
  return real_gap * real_gap > radius_and_apart * radius_and_apart * mpq_class(dot(normal, normal));
}

}  // namespace keepclear::oracle
