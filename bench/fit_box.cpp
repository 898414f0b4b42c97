// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "bench/fit_rivals.hpp"
#include "bench/fit_search.hpp"
#include "shape/hull.hpp"

namespace keepclear::bench {
namespace {

constexpr int kDirections = 600;
constexpr int kRefined = 16;

struct Flat {
  double x = 0, y = 0;
};

double turn(Flat a, Flat b, Flat c) {
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/// The convex polygon of the points, which are sorted for it (Andrew's chains).
void polygon_of(std::vector<Flat>& points, std::vector<Flat>& polygon) {
  std::sort(points.begin(), points.end(),
            [](Flat a, Flat b) { return a.x < b.x || (a.x == b.x && a.y < b.y); });
  polygon.clear();
  const auto add = [&](Flat p, std::size_t from) {
    while (polygon.size() >= from + 2 && turn(polygon.end()[-2], polygon.back(), p) <= 0) {
      polygon.pop_back();
    }
    polygon.push_back(p);
  };
  for (const Flat& p : points) add(p, 0);
  const std::size_t lower = polygon.size() - 1;
  for (auto p = points.rbegin() + 1; p < points.rend(); ++p) add(*p, lower);
  if (polygon.size() > 1) polygon.pop_back();
}

OrientedBox box_along(const Piece& piece, const std::array<Vec3, 3>& axes) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  OrientedBox box{axes, {kInfinity, kInfinity, kInfinity}, {-kInfinity, -kInfinity, -kInfinity}};
  for (const Vec3& p : piece.points) {
    const Vec3 t{dot(axes[0], p), dot(axes[1], p), dot(axes[2], p)};
    box.lo = {std::min(box.lo.x, t.x), std::min(box.lo.y, t.y), std::min(box.lo.z, t.z)};
    box.hi = {std::max(box.hi.x, t.x), std::max(box.hi.y, t.y), std::max(box.hi.z, t.z)};
  }
  const Vec3 grown{piece.radius, piece.radius, piece.radius};
  box.lo = box.lo - grown;
  box.hi = box.hi + grown;
  return box;
}

/// Finds the best box with a face across n.
class Across {
 public:
  explicit Across(const Piece& piece) : piece_(piece) {}

  OrientedBox operator()(Vec3 n) {
    const auto [u, v] = across(n);
    points_.clear();
    for (const Vec3& p : piece_.points) points_.push_back({dot(u, p), dot(v, p)});
    polygon_of(points_, polygon_);
    // The rectangle of least area has a side on an edge (Freeman and Shapira).
    Flat best{1, 0};
    double least = std::numeric_limits<double>::infinity();
    const std::size_t count = polygon_.size();
    // Steps back of this size are rounding: the polygon is convex.
    double slack = 0;
    for (const Flat& p : polygon_) slack = std::max(slack, 1e-14 * (std::abs(p.x) + std::abs(p.y)));
    std::size_t right = 0, top = 0, left = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const Flat a = polygon_[i], b = polygon_[(i + 1) % count];
      const double length = std::hypot(b.x - a.x, b.y - a.y);
      if (!(length > 0)) continue;
      const Flat d{(b.x - a.x) / length, (b.y - a.y) / length};
      const auto along = [&](std::size_t k) {
        const Flat p = polygon_[k % count];
        return d.x * p.x + d.y * p.y;
      };
      const auto above = [&](std::size_t k) {
        const Flat p = polygon_[k % count];
        return d.x * p.y - d.y * p.x;
      };
      // Each caliper turns on from where the last edge left it.
      right = std::max(right, i);
      while (right < i + count && along(right + 1) > along(right) - slack) ++right;
      top = std::max(top, right);
      while (top < i + count && above(top + 1) > above(top) - slack) ++top;
      left = std::max(left, top);
      while (left < i + count && along(left + 1) < along(left) + slack) ++left;
      const double width = along(right) - along(left), height = above(top) - above(i);
      const double area = (width + 2 * piece_.radius) * (height + 2 * piece_.radius);
      if (area < least) least = area, best = d;
    }
    const Vec3 first = best.x * u + best.y * v;
    return box_along(piece_, {first, cross(n, first), n});
  }

 private:
  const Piece& piece_;
  std::vector<Flat> points_, polygon_;
};

/// Normals of the facets, the largest of each square degree or so, and directions in between.
std::vector<Vec3> candidates(const Piece& piece) {
  std::vector<Vec3> normals = spread_directions(kDirections);
  normals.insert(normals.end(), {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}});
  const Hull hull = convex_hull(piece.points);
  std::map<std::tuple<int, int, int>, Vec3> largest;
  for (const auto& facet : hull.facets) {
    const Vec3 a = hull.vertices[facet[0]];
    Vec3 n = cross(hull.vertices[facet[1]] - a, hull.vertices[facet[2]] - a);
    const double area = norm(n);
    if (!(area > 0)) continue;
    if (std::tie(n.z, n.y, n.x) < std::tuple(0.0, 0.0, 0.0)) n = -n;
    const auto cell = [&](double c) { return static_cast<int>(std::lround(60 * c / area)); };
    Vec3& kept = largest[{cell(n.x), cell(n.y), cell(n.z)}];
    if (area > norm(kept)) kept = n;
  }
  for (const auto& [cell, n] : largest) normals.push_back(unit(n));
  return normals;
}

}  // namespace

double OrientedBox::volume() const {
  const Vec3 d = hi - lo;
  return d.x * d.y * d.z;
}

OrientedBox best_box(const Piece& piece) {
  Across box_across(piece);
  std::vector<OrientedBox> found;
  for (const Vec3& n : candidates(piece)) found.push_back(box_across(n));
  std::sort(found.begin(), found.end(),
            [](const OrientedBox& a, const OrientedBox& b) { return a.volume() < b.volume(); });
  OrientedBox best = found[0];
  const auto refine = [&](OrientedBox box, double sigma, std::uint64_t seed) {
    const Vec3 n = box.axes[2];
    const auto [u, v] = across(n);
    using Tilt = Eigen::Vector2d;
    const auto at = [&, u = u, v = v](const Tilt& x) {
      return box_across(unit(n + x[0] * u + x[1] * v));
    };
    box = at(
        minimise<2>([&](const Tilt& x) { return at(x).volume(); }, Tilt(0, 0), sigma, 120, seed));
    // Any of the three axes may be the one to turn about.
    for (bool better = true; better;) {
      better = false;
      for (const Vec3& axis : std::array(box.axes)) {
        const OrientedBox other = box_across(axis);
        if (other.volume() < (1 - 1e-12) * box.volume()) box = other, better = true;
      }
    }
    if (box.volume() < best.volume()) best = box;
  };
  std::vector<Vec3> begun;
  for (const OrientedBox& from : found) {
    if (begun.size() == kRefined) break;
    const bool is_near = std::any_of(begun.begin(), begun.end(), [&](Vec3 n) {
      return std::abs(dot(n, from.axes[2])) > std::cos(0.07);
    });
    if (is_near) continue;
    begun.push_back(from.axes[2]);
    refine(from, 0.03, begun.size());
  }
  for (std::uint64_t again = 1; again <= 2; ++again) {
    for (const Vec3& axis : std::array(best.axes)) refine(box_across(axis), 0.003, again);
  }
  return best;
}

double sticks_out(const Piece& piece, const OrientedBox& box) {
  const OrientedBox needed = box_along(piece, box.axes);
  double most = -std::numeric_limits<double>::infinity();
  for (int i = 0; i < 3; ++i) {
    most = std::max({most, box.lo[i] - needed.lo[i], needed.hi[i] - box.hi[i]});
  }
  return most;
}

}  // namespace keepclear::bench
