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

NearHull::Mean NearHull::near(Vec3 p) const {
  Mean best;
  if (!is_finite(p)) return best;
  const auto take = [&](const certificate::Near& near, const std::array<std::uint32_t, 4>& points) {
    if (near.distance_hi < best.distance_hi) best = {near.distance_hi, points, near.weights};
  };
  if (hull_.dimension() == 0) {
    take({certificate::residual_hi(p, {{points_[0], 1}}), {1}}, {0});
    return best;
  }
  if (hull_.dimension() == 1) {
    const SmallHull::Edge& edge = hull_.edges()[0];
    take(certificate::segment_near(p, points_[edge.a], points_[edge.b]), {edge.a, edge.b});
    return best;
  }
  for (const SmallHull::Facet& f : hull_.facets()) {
    take(certificate::triangle_near(p, points_[f.v[0]], points_[f.v[1]], points_[f.v[2]]),
         {f.v[0], f.v[1], f.v[2]});
  }
  const double enough = 0x1p-46 * spread_.length;
  if (hull_.dimension() < 3 || best.distance_hi <= enough) return best;
  // Inside: a tetrahedron of a fan that p seems to be in. The weights decide, not the choice: of a
  // flat one they may be anything, and the next is tried.
  const std::uint32_t apex = best.points[0];
  const Vec3 o = points_[apex], x = spread_.shape(p - o);
  for (const SmallHull::Facet& f : hull_.facets()) {
    if (best.distance_hi <= enough) break;
    if (f.v[0] == apex || f.v[1] == apex || f.v[2] == apex) continue;
    const std::array corners{o, points_[f.v[0]], points_[f.v[1]], points_[f.v[2]]};
    const Vec3 a = spread_.shape(corners[1] - o), b = spread_.shape(corners[2] - o),
               c = spread_.shape(corners[3] - o);
    const double det = dot(a, cross(b, c));
    const double wa = dot(x, cross(b, c)), wb = dot(x, cross(c, a)), wc = dot(x, cross(a, b));
    if (!(std::min({wa, wb, wc, det - wa - wb - wc}) >= -1e-6 * std::abs(det))) continue;
    take(certificate::tetrahedron_near(p, corners, spread_, enough),
         {apex, f.v[0], f.v[1], f.v[2]});
  }
  return best;
}

}  // namespace keepclear
