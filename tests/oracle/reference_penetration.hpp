// SPDX-License-Identifier: BSD-3-Clause
//
// Penetration depth by trying every direction that can matter: a facet of A - B is parallel to a
// facet of A, a facet of B, or an edge of each. For small hulls only.
#pragma once

#include <algorithm>
#include <array>
#include <limits>
#include <utility>
#include <vector>

#include "oracle/reference_distance.hpp"

namespace keepclear::oracle {

/// Facet normals and edges of a small hull, by trying all triples of points. Supersets do no harm:
/// every direction gives a translation that separates, the depth is the shortest.
struct SmallHull {
  explicit SmallHull(const PointSet& points) {
    const std::size_t n = points.size();
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t j = i + 1; j < n; ++j) {
        const QVec p = widen<Quad>(points[i]), q = widen<Quad>(points[j]);
        if (n == 2) edges.push_back(q - p);
        for (std::size_t k = j + 1; k < n; ++k) {
          const QVec normal = cross(q - p, widen<Quad>(points[k]) - p);
          const Quad length = norm(normal);
          if (!(length > 0)) continue;
          bool above = false, below = false;
          for (std::size_t m = 0; m < n && !(above && below); ++m) {
            const Quad height = dot(normal, widen<Quad>(points[m]) - p);
            // Coplanar to within the rounding of Quad: a box has four points a facet.
            if (height > length * Quad(1e-28)) above = true;
            if (height < -length * Quad(1e-28)) below = true;
          }
          if (above && below) continue;
          normals.push_back((1 / length) * normal);
          edges.push_back(q - p);
          edges.push_back(widen<Quad>(points[k]) - p);
          edges.push_back(widen<Quad>(points[k]) - q);
          solid = solid || above || below;
        }
      }
    }
    deduplicate(edges);
    deduplicate(normals);
  }

  std::vector<QVec> normals, edges;
  bool solid = false;  ///< not all in one plane

 private:
  static void deduplicate(std::vector<QVec>& directions) {
    std::vector<QVec> kept;
    for (const QVec& d : directions) {
      const bool known = std::any_of(kept.begin(), kept.end(), [&](const QVec& k) {
        return norm(cross(k, d)) <= Quad(1e-28) * norm(k) * norm(d);
      });
      if (!known) kept.push_back(d);
    }
    directions = std::move(kept);
  }
};

/// The length of the shortest translation of X_WB * b that separates the hulls, for hulls that
/// overlap and of which one at least is solid. Candidates are ranked in double and the best ones,
/// to within 1e-9 of the least, measured again in 113 bits.
inline Quad reference_penetration(const PointSet& a, const SmallHull& hull_a, const QPose& X_WA,
                                  const PointSet& b, const SmallHull& hull_b, const QPose& X_WB) {
  const QPose local_a{X_WA.R, {}}, local_b{X_WB.R, X_WB.p - X_WA.p};
  std::vector<QVec> directions;
  const auto offer = [&](const QVec& n) {
    const Quad length = norm(n);
    if (!(length > 0)) return;
    directions.push_back((1 / length) * n);
    directions.push_back((-1 / length) * n);
  };
  for (const QVec& n : hull_a.normals) offer(X_WA.R * n);
  for (const QVec& n : hull_b.normals) offer(X_WB.R * n);
  for (const QVec& e : hull_a.edges) {
    for (const QVec& f : hull_b.edges) {
      const QVec n = cross(X_WA.R * e, X_WB.R * f);
      // Parallel edges span no facet of the difference.
      if (norm(n) > Quad(1e-14) * norm(e) * norm(f)) offer(n);
    }
  }
  // How far B must move along -n until all of it is below A: max n.b - min n.a.
  const auto coarse = [](const QPose& X) {
    return Motion<double>{{widen<double>(narrow(X.R.row0)), widen<double>(narrow(X.R.row1)),
                           widen<double>(narrow(X.R.row2))},
                          widen<double>(narrow(X.p))};
  };
  const Motion<double> coarse_a = coarse(local_a), coarse_b = coarse(local_b);
  std::vector<std::pair<double, std::size_t>> ranked;
  for (std::size_t k = 0; k < directions.size(); ++k) {
    const Vec<double> n = widen<double>(narrow(directions[k]));
    ranked.emplace_back(-lowest(a, coarse_a, n).second - lowest(b, coarse_b, -1.0 * n).second, k);
  }
  std::sort(ranked.begin(), ranked.end());
  Quad least = std::numeric_limits<double>::infinity();
  for (const auto& [value, k] : ranked) {
    if (value > ranked.front().first + 1e-9) break;
    const QVec& n = directions[k];
    least =
        std::min(least, -lowest(a, local_a, n).second - lowest(b, local_b, Quad(-1) * n).second);
  }
  return least;
}

}  // namespace keepclear::oracle
