// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <queue>

#include "bench/fit_rivals.hpp"

namespace keepclear::bench {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

double beyond(Vec3 p, std::span<const Sphere> spheres) {
  double least = kInfinity;
  for (const Sphere& s : spheres) least = std::min(least, norm(p - s.centre) - s.radius);
  return least;
}

struct Patch {
  std::array<Vec3, 3> corners;
  double most = 0;  ///< no point of it sticks out farther

  friend bool operator<(const Patch& a, const Patch& b) { return a.most < b.most; }
};

/// Distance from one sphere is convex, so it is largest at a corner; and no point is farther from
/// the nearest corner, or from the middle, than that is from the others.
double most_beyond(const std::array<Vec3, 3>& corners, std::span<const Sphere> spheres) {
  double most = kInfinity;
  for (const Sphere& s : spheres) {
    double farthest = -kInfinity;
    for (const Vec3& p : corners) farthest = std::max(farthest, norm(p - s.centre) - s.radius);
    most = std::min(most, farthest);
  }
  const Vec3 middle = (1.0 / 3.0) * (corners[0] + corners[1] + corners[2]);
  double reach = 0;
  for (const Vec3& p : corners) reach = std::max(reach, norm(p - middle));
  return std::min(most, beyond(middle, spheres) + reach);
}

}  // namespace

double sticks_out(const Mesh& mesh, std::span<const Sphere> spheres, double within) {
  double least = -kInfinity;
  for (const Vec3& p : mesh.vertices) least = std::max(least, beyond(p, spheres));
  std::priority_queue<Patch> patches;
  const auto add = [&](const std::array<Vec3, 3>& corners) {
    const Patch patch{corners, most_beyond(corners, spheres)};
    if (patch.most > least + within) patches.push(patch);
  };
  for (const auto& t : mesh.triangles) {
    add({mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]});
  }
  // The patch that may stick out farthest is halved across its longest side until none can.
  while (!patches.empty() && patches.top().most > least + within) {
    const std::array<Vec3, 3> c = patches.top().corners;
    patches.pop();
    int side = 0;
    for (int i = 1; i < 3; ++i) {
      if (norm(c[(i + 1) % 3] - c[i]) > norm(c[(side + 1) % 3] - c[side])) side = i;
    }
    const Vec3 a = c[side], b = c[(side + 1) % 3], opposite = c[(side + 2) % 3];
    const Vec3 middle = 0.5 * (a + b);
    least = std::max(least, beyond(middle, spheres));
    add({a, middle, opposite});
    add({middle, b, opposite});
  }
  return least;
}

double union_volume(std::span<const Sphere> spheres) {
  if (spheres.empty()) return 0;
  constexpr int kRays = 400;
  double lo_x = kInfinity, lo_y = kInfinity, hi_x = -kInfinity, hi_y = -kInfinity;
  for (const Sphere& s : spheres) {
    lo_x = std::min(lo_x, s.centre.x - s.radius), hi_x = std::max(hi_x, s.centre.x + s.radius);
    lo_y = std::min(lo_y, s.centre.y - s.radius), hi_y = std::max(hi_y, s.centre.y + s.radius);
  }
  const double dx = (hi_x - lo_x) / kRays, dy = (hi_y - lo_y) / kRays;
  std::vector<std::array<double, 2>> spans;
  double volume = 0;
  for (int i = 0; i < kRays; ++i) {
    for (int j = 0; j < kRays; ++j) {
      const double x = lo_x + (i + 0.5) * dx, y = lo_y + (j + 0.5) * dy;
      spans.clear();
      for (const Sphere& s : spheres) {
        const double u = x - s.centre.x, v = y - s.centre.y;
        const double squared = s.radius * s.radius - u * u - v * v;
        if (squared <= 0) continue;
        spans.push_back({s.centre.z - std::sqrt(squared), s.centre.z + std::sqrt(squared)});
      }
      std::sort(spans.begin(), spans.end());
      double covered = -kInfinity;
      for (const auto& [from, to] : spans) {
        if (to > covered) volume += (to - std::max(from, covered)) * dx * dy;
        covered = std::max(covered, to);
      }
    }
  }
  return volume;
}

}  // namespace keepclear::bench
