// SPDX-License-Identifier: BSD-3-Clause
#include "shape/coarse.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "rounding/rounding.hpp"

namespace keepclear {
namespace {

struct Grain {
  Vec3 p;
  double radius;
};

/// The direction in which the points spread most; any, if they are one.
Vec3 long_axis(const std::vector<Grain>& grains, Vec3 centre) {
  Vec3 axis{1, 0.7, 0.4};
  for (int step = 0; step < 50; ++step) {
    Vec3 sum;
    for (const Grain& g : grains) {
      const Vec3 d = g.p - centre;
      sum = sum + dot(d, axis) * d;
    }
    const double length = norm(sum);
    if (!(length > 1e-30)) break;
    axis = (1 / length) * sum;
  }
  return (1 / norm(axis)) * axis;
}

/// At least the radius of a capsule about segment ab that holds all grains: the distance of each to
/// some point of the segment, which is no less than that to the nearest.
double radius_hi(const std::vector<Grain>& grains, Vec3 a, Vec3 b) {
  const Vec3 d = b - a;
  const double length2 = squared_norm(d);
  double most = 0;
  for (const Grain& g : grains) {
    const double t = length2 > 0 ? std::clamp(dot(g.p - a, d) / length2, 0.0, 1.0) : 0;
    const Vec3 q = a + t * d;
    // q is off the segment by at most a few roundings of its coordinates.
    const double off = rounding::gamma(8) * (rounding::norm_hi(a) + 2 * rounding::norm_hi(d));
    most = std::max(most, rounding::inflate(rounding::norm_hi(g.p - q) + off + g.radius, 6));
  }
  return most;
}

}  // namespace

Body capsule_around(std::span<const Body> bodies) {
  std::vector<Grain> grains;
  Vec3 lo, hi;
  for (const Body& body : bodies) {
    const Volume volume = body.volume();
    for (std::size_t i = 0; i < volume.count; ++i) {
      const Vec3 p = volume.point(i);
      if (grains.empty()) lo = hi = p;
      lo = {std::min(lo.x, p.x), std::min(lo.y, p.y), std::min(lo.z, p.z)};
      hi = {std::max(hi.x, p.x), std::max(hi.y, p.y), std::max(hi.z, p.z)};
      grains.push_back({p, volume.radius});
    }
  }
  const Vec3 box_centre = 0.5 * lo + 0.5 * hi;
  const Vec3 axis = long_axis(grains, box_centre);
  // The line of the capsule: through the middle of the extent across the axis.
  const Vec3 side = std::fabs(axis.x) < 0.6 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 u = (1 / norm(cross(axis, side))) * cross(axis, side), v = cross(axis, u);
  double low[3], high[3];
  for (int k = 0; k < 3; ++k) {
    const Vec3 along = k == 0 ? axis : k == 1 ? u : v;
    low[k] = std::numeric_limits<double>::infinity(), high[k] = -low[k];
    for (const Grain& g : grains) {
      const double s = dot(g.p - box_centre, along);
      low[k] = std::min(low[k], s - g.radius), high[k] = std::max(high[k], s + g.radius);
    }
  }
  const Vec3 middle = box_centre + (0.5 * (low[1] + high[1])) * u + (0.5 * (low[2] + high[2])) * v;
  const double mean = 0.5 * (low[0] + high[0]), half = 0.5 * (high[0] - low[0]);
  const double wide = 0.5 * std::max(high[1] - low[1], high[2] - low[2]);
  // Ends nearer or farther from those of the bodies: the least volume wins.
  Vec3 best_a, best_b;
  double best_radius = 0, best_volume = std::numeric_limits<double>::infinity();
  for (const double pull : {0.0, 0.25, 0.5, 0.75, 1.0, 1.25}) {
    const double reach = std::max(half - pull * wide, 0.0);
    const Vec3 a = middle + (mean - reach) * axis, b = middle + (mean + reach) * axis;
    const double radius = radius_hi(grains, a, b);
    const double size = radius * radius * (2 * reach + 4.0 / 3 * radius);
    if (size < best_volume) best_a = a, best_b = b, best_radius = radius, best_volume = size;
  }
  return best_a == best_b ? Body::sphere(best_a, best_radius)
                          : Body::capsule(best_a, best_b, best_radius);
}

}  // namespace keepclear
