// SPDX-License-Identifier: BSD-3-Clause
//
// Distances of convex hulls in 113-bit arithmetic by Wolfe's minimum-norm point with linear scans:
// slow, plain, and closed by its own duality gap. The library's search, tables and bounds play no
// part in it.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <vector>

#include "oracle/quad.hpp"

namespace keepclear::oracle {

/// A point set as the oracles hold it. The points are exact; nothing is said about being extreme.
class PointSet {
 public:
  explicit PointSet(std::span<const Vec3> points) {
    for (const Vec3& p : points) {
      x_.push_back(p.x), y_.push_back(p.y), z_.push_back(p.z);
      reach_ = std::max({reach_, std::abs(p.x), std::abs(p.y), std::abs(p.z)});
    }
  }

  std::size_t size() const { return x_.size(); }
  Vec3 operator[](std::size_t i) const { return {x_[i], y_[i], z_[i]}; }
  /// The largest absolute coordinate.
  double reach() const { return reach_; }

  /// Calls `use` with every point that can be the lowest in direction n, given |n_k| <= 1 up to
  /// rounding. A double scan is off by less than 2^-47 reach on either side of a comparison
  /// (components of n to 2^-51, six roundings of terms below 3 reach), far below the 2^-40 allowed
  /// here. Coordinates near underflow are all passed on.
  template <class Use>
  void for_lowest(Vec3 n, Use use) const {
    const bool tiny = reach_ < 0x1p-500;
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < size(); ++i) {
      least = std::min(least, n.x * x_[i] + n.y * y_[i] + n.z * z_[i]);
    }
    const double limit = least + 0x1p-40 * reach_;
    for (std::size_t i = 0; i < size(); ++i) {
      if (tiny || n.x * x_[i] + n.y * y_[i] + n.z * z_[i] <= limit) use(i);
    }
  }

 private:
  std::vector<double> x_, y_, z_;
  double reach_ = 0;
};

/// Up to four pairs of vertices (of A, of B) whose differences span the nearest point.
struct ActiveSet {
  int size = 0;
  std::array<std::uint32_t, 4> a{}, b{};

  bool contains(std::uint32_t i, std::uint32_t j) const {
    for (int k = 0; k < size; ++k) {
      if (a[k] == i && b[k] == j) return true;
    }
    return false;
  }
};

/// The nearest point to the origin of the simplex of `count` points: the mask of the points that
/// carry it, and the point. Every face whose projection of the origin falls inside is tried; the
/// nearest wins. Needs no case distinction, which is why the oracle does it this way.
template <class S>
std::pair<unsigned, Vec<S>> nearest_in_simplex(const std::array<Vec<S>, 4>& p, int count) {
  unsigned best_mask = 1;
  Vec<S> best = p[0];
  S best_squared = dot(p[0], p[0]);
  const auto offer = [&](unsigned mask, const Vec<S>& x) {
    const S squared = dot(x, x);
    if (squared < best_squared) best_mask = mask, best = x, best_squared = squared;
  };
  for (unsigned mask = 2; mask < (1u << count); ++mask) {
    std::array<int, 4> v{};
    int n = 0;
    for (int k = 0; k < count; ++k) {
      if (mask >> k & 1u) v[n++] = k;
    }
    const Vec<S>&a = p[v[0]], &b = p[v[1]], &c = p[v[2]], &d = p[v[3]];
    if (n == 1) {
      offer(mask, a);
    } else if (n == 2) {
      const Vec<S> e = b - a;
      const S length = dot(e, e), t = -dot(a, e);
      if (t > 0 && t < length) offer(mask, a + (t / length) * e);
    } else if (n == 3) {
      const Vec<S> normal = cross(b - a, c - a);
      const S area = dot(normal, normal);
      if (area > 0 && dot(cross(a, b), normal) > 0 && dot(cross(b, c), normal) > 0 &&
          dot(cross(c, a), normal) > 0) {
        offer(mask, (dot(a, normal) / area) * normal);
      }
    } else {
      // Inside when the origin replaces no corner without keeping the orientation.
      const S volume = dot(b - a, cross(c - a, d - a));
      const S sign = volume > 0 ? 1 : -1;
      const bool inside = sign * dot(b, cross(c, d)) > 0 && sign * dot(a, cross(d, c)) > 0 &&
                          sign * dot(a, cross(b, d)) > 0 && sign * dot(a, cross(c, b)) > 0;
      if (volume != 0 && inside) offer(mask, {0, 0, 0});
    }
  }
  return {best_mask, best};
}

/// lower <= distance of the hulls <= upper, both up to the rounding of S.
template <class S>
struct CoreDistance {
  S upper = 0, lower = 0;
  Vec<S> x;  ///< the nearest point of A - B: from B to A
  ActiveSet active;
  int iterations = 0;
};

template <class S>
Vec3 direction_for_scan(const Vec<S>& n) {
  const auto magnitude = [](S v) { return v < 0 ? -v : v; };
  const S scale = std::max({magnitude(n.x), magnitude(n.y), magnitude(n.z)});
  return scale > 0 ? narrow<S>((1 / scale) * n) : Vec3{};
}

/// The lowest point of X * set in direction n: its index and n . (X p).
template <class S>
std::pair<std::uint32_t, S> lowest(const PointSet& set, const Motion<S>& X, const Vec<S>& n) {
  const Vec<S> local = transposed_times(X.R, n);
  std::pair<std::uint32_t, S> best{0, 0};
  bool first = true;
  set.for_lowest(direction_for_scan(local), [&](std::size_t i) {
    const S value = dot(local, widen<S>(set[i]));
    if (first || value < best.second) best = {static_cast<std::uint32_t>(i), value};
    first = false;
  });
  best.second += dot(n, X.p);
  return best;
}

/// Distance of the hulls of X_WA * a and X_WB * b. Ends when upper - lower <= tolerance or when
/// rounding allows no more progress; the caller looks at the gap. `start` may come from a run in
/// lower precision.
template <class S>
CoreDistance<S> core_distance(const PointSet& a, Motion<S> X_WA, const PointSet& b, Motion<S> X_WB,
                              S tolerance, const ActiveSet& start = {}) {
  X_WB.p = X_WB.p - X_WA.p;  // both near the origin, whatever the offset
  X_WA.p = {};
  std::array<Vec<S>, 4> p{};
  CoreDistance<S> result;
  ActiveSet& active = result.active;
  active = start;
  if (active.size == 0) active.size = 1;
  for (int k = 0; k < active.size; ++k) {
    p[k] = X_WA * widen<S>(a[active.a[k]]) - X_WB * widen<S>(b[active.b[k]]);
  }
  bool have_any = false;
  for (; result.iterations < 300; ++result.iterations) {
    const auto [mask, x] = nearest_in_simplex(p, active.size);
    const S upper = norm(x);
    if (have_any && !(upper < result.upper)) break;
    int kept = 0;
    for (int k = 0; k < active.size; ++k) {
      if (!(mask >> k & 1u)) continue;
      p[kept] = p[k], active.a[kept] = active.a[k], active.b[kept] = active.b[k];
      ++kept;
    }
    active.size = kept;
    result.upper = upper;
    result.x = x;
    have_any = true;
    if (!(upper > 0)) {
      result.lower = 0;
      break;
    }
    const auto [i, low_a] = lowest(a, X_WA, x);
    const auto [j, low_b] = lowest(b, X_WB, S(-1) * x);
    result.lower = std::max(result.lower, (low_a + low_b) / upper);
    if (upper - result.lower <= tolerance || active.contains(i, j) || active.size == 4) break;
    p[active.size] = X_WA * widen<S>(a[i]) - X_WB * widen<S>(b[j]);
    active.a[active.size] = i, active.b[active.size] = j;
    ++active.size;
  }
  return result;
}

/// In 113 bits, started from a run in double: exact to far below 1e-14 m at the sizes of robots.
inline CoreDistance<Quad> reference_distance(const PointSet& a, const QPose& X_WA,
                                             const PointSet& b, const QPose& X_WB,
                                             ActiveSet* memory = nullptr) {
  const auto coarse = [](const QPose& X, const QVec& offset) {
    return Motion<double>{{widen<double>(narrow(X.R.row0)), widen<double>(narrow(X.R.row1)),
                           widen<double>(narrow(X.R.row2))},
                          widen<double>(narrow(X.p - offset))};
  };
  const auto start = core_distance<double>(a, coarse(X_WA, X_WA.p), b, coarse(X_WB, X_WA.p), 0.0,
                                           memory ? *memory : ActiveSet{});
  if (memory) *memory = start.active;
  return core_distance<Quad>(a, X_WA, b, X_WB, Quad(1e-20), start.active);
}

}  // namespace keepclear::oracle
