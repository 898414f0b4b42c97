// SPDX-License-Identifier: BSD-3-Clause
#include "shape/near_hull.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "shape/certificate.hpp"

namespace keepclear {

NearHull::NearHull(std::span<const Vec3> points)
    : points_(points.begin(), points.end()), spread_(certificate::measure(points_)) {
  // Which points make a triangle of the surface is asked where each axis has size one: needles and
  // plates then are as good as cubes.
  std::vector<Vec3> shaped;
  for (const Vec3& p : points_) {
    const Vec3 v = p - points_[spread_.a];
    const auto over = [](double x, double size) { return size > 0 ? x / size : 0.0; };
    shaped.push_back({over(dot(v, spread_.along), spread_.length),
                      over(dot(v, spread_.side), spread_.width),
                      over(dot(v, spread_.normal), spread_.thickness)});
  }
  hull_.assign(shaped);
}

double NearHull::distance_hi(Vec3 p) const {
  if (!is_finite(p)) return std::numeric_limits<double>::infinity();
  if (hull_.dimension() == 0) return certificate::residual_hi(p, {{points_[0], 1}});
  if (hull_.dimension() == 1) {
    const SmallHull::Edge& edge = hull_.edges()[0];
    return certificate::segment_residual_hi(p, points_[edge.a], points_[edge.b]);
  }
  double best = std::numeric_limits<double>::infinity();
  std::uint32_t apex = 0;
  for (const SmallHull::Facet& f : hull_.facets()) {
    const double here =
        certificate::triangle_residual_hi(p, points_[f.v[0]], points_[f.v[1]], points_[f.v[2]]);
    if (here < best) {
      best = here;
      apex = f.v[0];
    }
  }
  const double enough = 0x1p-46 * spread_.length;
  if (hull_.dimension() < 3 || best <= enough) return best;
  // Inside: a tetrahedron of a fan that p seems to be in. The weights decide, not the choice: of a
  // flat one they may be anything, and the next is tried.
  const Vec3 o = points_[apex], x = spread_.shape(p - o);
  for (const SmallHull::Facet& f : hull_.facets()) {
    if (best <= enough) break;
    if (f.v[0] == apex || f.v[1] == apex || f.v[2] == apex) continue;
    const std::array corners{o, points_[f.v[0]], points_[f.v[1]], points_[f.v[2]]};
    const Vec3 a = spread_.shape(corners[1] - o), b = spread_.shape(corners[2] - o),
               c = spread_.shape(corners[3] - o);
    const double det = dot(a, cross(b, c));
    const double wa = dot(x, cross(b, c)), wb = dot(x, cross(c, a)), wc = dot(x, cross(a, b));
    if (!(std::min({wa, wb, wc, det - wa - wb - wc}) >= -1e-6 * std::abs(det))) continue;
    best = std::min(best, certificate::tetrahedron_residual_hi(p, corners, spread_, enough));
  }
  return best;
}

}  // namespace keepclear
