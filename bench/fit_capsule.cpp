// SPDX-License-Identifier: BSD-3-Clause
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "bench/fit_rivals.hpp"
#include "bench/fit_search.hpp"

namespace keepclear::bench {
namespace {

constexpr int kDirections = 600;
constexpr int kRefined = 12;
/// Radii tried with each direction, over the least: a wider capsule may be shorter.
constexpr double kWider[] = {1, 1.01, 1.02, 1.04, 1.07, 1.1, 1.15, 1.2, 1.3, 1.4, 1.6};

struct Flat {
  double x = 0, y = 0;
};

struct Circle {
  Flat centre;
  double radius = 0;

  double beyond(Flat p) const { return std::hypot(p.x - centre.x, p.y - centre.y) - radius; }
};

Circle around(Flat a, Flat b) {
  return {{0.5 * (a.x + b.x), 0.5 * (a.y + b.y)}, 0.5 * std::hypot(a.x - b.x, a.y - b.y)};
}

Circle around(Flat a, Flat b, Flat c) {
  const double bx = b.x - a.x, by = b.y - a.y, cx = c.x - a.x, cy = c.y - a.y;
  const double twice = 2 * (bx * cy - by * cx);
  const double bb = bx * bx + by * by, cc = cx * cx + cy * cy;
  const double x = (cy * bb - by * cc) / twice, y = (bx * cc - cx * bb) / twice;
  if (!std::isfinite(x) || !std::isfinite(y)) {
    // On a line: the longest of the three spans.
    Circle longest = around(a, b);
    for (const Circle& other : {around(a, c), around(b, c)}) {
      if (other.radius > longest.radius) longest = other;
    }
    return longest;
  }
  return {{a.x + x, a.y + y}, std::hypot(x, y)};
}

/// Welzl's smallest enclosing circle, point after point; linear for points in random order.
Circle smallest_circle(std::span<const Flat> points) {
  Circle circle{points[0], 0};
  double size = 0;
  for (const Flat& p : points) size = std::max(size, std::hypot(p.x, p.y));
  const double slack = 1e-13 * size;
  for (std::size_t i = 1; i < points.size(); ++i) {
    if (circle.beyond(points[i]) <= slack) continue;
    circle = {points[i], 0};
    for (std::size_t j = 0; j < i; ++j) {
      if (circle.beyond(points[j]) <= slack) continue;
      circle = around(points[i], points[j]);
      for (std::size_t k = 0; k < j; ++k) {
        if (circle.beyond(points[k]) > slack) circle = around(points[i], points[j], points[k]);
      }
    }
  }
  return circle;
}

double capsule_volume(double radius, double length) {
  return std::numbers::pi * radius * radius * (length + 4.0 / 3.0 * radius);
}

/// The least radius with which the segment from a to b contains all points.
double least_radius(const Piece& piece, Vec3 a, Vec3 b) {
  const Vec3 d = b - a;
  const double squared = squared_norm(d);
  const double inverse = squared > 0 ? 1 / squared : 0;
  double most = 0;
  for (const Vec3& p : piece.points) {
    const Vec3 v = p - a;
    const double t = std::clamp(inverse * dot(d, v), 0.0, 1.0);
    most = std::max(most, squared_norm(v - t * d));
  }
  return std::sqrt(most) + piece.radius;
}

Capsule capsule_around(const Piece& piece, Vec3 a, Vec3 b) {
  return {a, b, least_radius(piece, a, b)};
}

/// The best capsule along u whose axis goes through the middle of the shadow's smallest circle.
Capsule along(const Piece& piece, Vec3 u, std::vector<Flat>& shadow) {
  const auto [v, w] = across(u);
  shadow.clear();
  for (const Vec3& p : piece.points) shadow.push_back({dot(v, p), dot(w, p)});
  const Circle circle = smallest_circle(shadow);
  const Vec3 foot = circle.centre.x * v + circle.centre.y * w;
  Capsule best;
  double least = std::numeric_limits<double>::infinity();
  for (const double wider : kWider) {
    // Each cap is pushed in until a point touches it.
    const double radius = wider * circle.radius;
    double lower = std::numeric_limits<double>::infinity(), upper = -lower;
    for (std::size_t i = 0; i < shadow.size(); ++i) {
      const double x = shadow[i].x - circle.centre.x, y = shadow[i].y - circle.centre.y;
      const double half = std::sqrt(std::max(0.0, radius * radius - x * x - y * y));
      const double t = dot(u, piece.points[i]);
      lower = std::min(lower, t + half);
      upper = std::max(upper, t - half);
    }
    if (lower > upper) lower = upper = 0.5 * (lower + upper);
    const double volume = capsule_volume(radius + piece.radius, upper - lower);
    if (volume < least) {
      least = volume;
      best = {foot + lower * u, foot + upper * u, 0};
    }
  }
  return capsule_around(piece, best.a, best.b);
}

}  // namespace

double Capsule::volume() const {
  return capsule_volume(radius, norm(b - a));
}

Capsule best_capsule(const Piece& given) {
  // Shuffled once: the circles need random order.
  Piece piece = given;
  Uniform uniform(1);
  for (std::size_t i = piece.points.size(); i > 1; --i) {
    std::swap(piece.points[i - 1],
              piece.points[static_cast<std::size_t>(uniform() * static_cast<double>(i))]);
  }
  std::vector<Flat> shadow;
  std::vector<Capsule> found;
  for (const Vec3& u : spread_directions(kDirections)) found.push_back(along(piece, u, shadow));
  std::sort(found.begin(), found.end(),
            [](const Capsule& a, const Capsule& b) { return a.volume() < b.volume(); });

  double size = 0;
  for (const Vec3& p : piece.points) size = std::max(size, norm(p - piece.points[0]));
  if (size == 0) return found[0];
  Capsule best = found[0];
  std::vector<Capsule> begun;
  const auto is_near = [&](const Capsule& a) {
    return std::any_of(begun.begin(), begun.end(), [&](const Capsule& b) {
      const double near = 0.05 * size;
      return (norm(a.a - b.a) < near && norm(a.b - b.b) < near) ||
             (norm(a.a - b.b) < near && norm(a.b - b.a) < near);
    });
  };
  using Ends = Eigen::Vector<double, 6>;
  const auto at = [&](const Ends& x) {
    return capsule_around(piece, {x[0], x[1], x[2]}, {x[3], x[4], x[5]});
  };
  const auto refine = [&](const Capsule& from, double sigma, std::uint64_t seed) {
    const Ends x{from.a.x, from.a.y, from.a.z, from.b.x, from.b.y, from.b.z};
    const Capsule to =
        at(minimise<6>([&](const Ends& ends) { return at(ends).volume(); }, x, sigma, 400, seed));
    if (to.volume() < best.volume()) best = to;
  };
  for (const Capsule& from : found) {
    if (begun.size() == kRefined) break;
    if (is_near(from)) continue;
    begun.push_back(from);
    refine(from, 0.03 * size, begun.size());
  }
  for (std::uint64_t again = 1; again <= 3; ++again) refine(best, 0.003 * size, again);
  return best;
}

double sticks_out(const Piece& piece, const Capsule& capsule) {
  return least_radius(piece, capsule.a, capsule.b) - capsule.radius;
}

}  // namespace keepclear::bench
