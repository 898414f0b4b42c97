// SPDX-License-Identifier: BSD-3-Clause
//
// Pairs of convex shapes near contact: the patterns that broke other libraries, a generator each.
// A pair is built from the contact: a feature of A (vertex, edge, face), one of B laid against it
// at a signed gap. What the pair really is after rounding, the exact judge says.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <numbers>
#include <random>
#include <vector>

#include "keepclear/geometry.hpp"

namespace keepclear::test {

using Random = std::mt19937_64;

inline double uniform(Random& random, double lower, double upper) {
  return lower + (upper - lower) * (static_cast<double>(random() >> 11) * 0x1p-53);
}
inline double log_uniform(Random& random, double lower, double upper) {
  return lower * std::exp(uniform(random, 0, std::log(upper / lower)));
}
inline int pick(Random& random, int count) {
  return static_cast<int>(random() % static_cast<std::uint64_t>(count));
}

inline Vec3 unit(Vec3 a) {
  return (1 / norm(a)) * a;
}
inline Vec3 random_unit(Random& random) {
  for (;;) {
    const Vec3 a{uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)};
    if (const double length = norm(a); length > 0.1 && length < 1) return (1 / length) * a;
  }
}
inline Vec3 orthogonal(Vec3 a) {
  return unit(cross(a, std::abs(a.x) < 0.5 ? Vec3{1, 0, 0} : Vec3{0, 1, 0}));
}
inline Mat3 rotation_about(Vec3 axis, double angle) {
  const double s = std::sin(angle / 2);
  return rotation_from_quaternion(axis.x * s, axis.y * s, axis.z * s, std::cos(angle / 2));
}
// Every random number is drawn in a statement of its own or in braces: the order must not be the
// compiler's choice.
inline Mat3 random_rotation(Random& random) {
  const Vec3 axis = random_unit(random);
  return rotation_about(axis, uniform(random, -std::numbers::pi, std::numbers::pi));
}
/// One of the 24 rotations of a cube, exact.
inline Mat3 random_cube_rotation(Random& random) {
  const std::array<Vec3, 3> axes{Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}};
  const int i = pick(random, 3), j = (i + 1 + pick(random, 2)) % 3;
  const Vec3 x = pick(random, 2) ? axes[i] : -axes[i], y = pick(random, 2) ? axes[j] : -axes[j];
  return {x, y, cross(x, y)};
}

/// A convex shape: the hull of the points grown by the radius.
struct Shape {
  enum class Kind { box, rounded_box, hull, flat, needle, plate, capsule, sphere, point };
  Kind kind = Kind::box;
  std::vector<Vec3> points;
  double radius = 0;
  Vec3 size;  ///< of a box
};

inline const char* to_string(Shape::Kind kind) {
  constexpr std::array names{"box",   "rounded box", "hull",   "flat", "needle",
                             "plate", "capsule",     "sphere", "point"};
  return names[static_cast<std::size_t>(kind)];
}

inline Shape make_box(Shape::Kind kind, Vec3 size, double radius = 0) {
  Shape shape{kind, {}, radius, size};
  for (int k = 0; k < 8; ++k) {
    shape.points.push_back({(k & 1 ? 0.5 : -0.5) * size.x, (k & 2 ? 0.5 : -0.5) * size.y,
                            (k & 4 ? 0.5 : -0.5) * size.z});
  }
  return shape;
}

inline Shape random_shape(Random& random, Shape::Kind kind) {
  const double size = log_uniform(random, 0.02, 2);
  switch (kind) {
    case Shape::Kind::box:
    case Shape::Kind::rounded_box: {
      const double radius = kind == Shape::Kind::box ? 0 : size * uniform(random, 0.01, 0.5);
      return make_box(kind,
                      {size * uniform(random, 0.2, 1), size * uniform(random, 0.2, 1),
                       size * uniform(random, 0.2, 1)},
                      radius);
    }
    case Shape::Kind::needle:
    case Shape::Kind::plate: {
      const double thin = size / log_uniform(random, 20, 1000);
      return make_box(kind, {size, kind == Shape::Kind::needle ? thin : size, thin});
    }
    case Shape::Kind::hull: {
      // Points on an ellipsoid (all extreme), in a ball (many interior), or on a coarse grid
      // (coplanar, collinear and double ones).
      Shape shape{kind, {}, pick(random, 4) ? 0 : size * uniform(random, 0, 0.1), {}};
      const int style = pick(random, 3), count = static_cast<int>(log_uniform(random, 8, 200));
      const Vec3 stretch{size * uniform(random, 0.1, 0.5), size * uniform(random, 0.1, 0.5),
                         size * uniform(random, 0.1, 0.5)};
      const double aside = pick(random, 2) ? uniform(random, 0, size) : 0;
      const Vec3 offset = aside * random_unit(random);
      for (int k = 0; k < count; ++k) {
        Vec3 p = random_unit(random);
        if (style == 1) p = uniform(random, 0, 1) * p;
        if (style == 2) p = {std::round(4 * p.x) / 4, std::round(4 * p.y) / 4, p.z < 0 ? -1. : 1.};
        shape.points.push_back(Vec3{stretch.x * p.x, stretch.y * p.y, stretch.z * p.z} + offset);
      }
      return shape;
    }
    case Shape::Kind::flat: {
      // A polygon in a plane through the axes, or in a skew one (flat to within rounding).
      Shape shape{kind, {}, 0, {}};
      const Mat3 R = pick(random, 2) ? Mat3{} : random_rotation(random);
      const int count = 3 + pick(random, 10);
      for (int k = 0; k < count; ++k) {
        const double angle = 2 * std::numbers::pi * (k + uniform(random, 0, 0.9)) / count;
        shape.points.push_back(R * (0.5 * size * Vec3{std::cos(angle), std::sin(angle), 0}));
      }
      return shape;
    }
    case Shape::Kind::capsule: {
      const Vec3 half = 0.5 * size * random_unit(random);
      return {kind, {-half, half}, size * uniform(random, 0.02, 0.4), {}};
    }
    case Shape::Kind::sphere:
      return {kind, {0.1 * size * random_unit(random)}, 0.5 * size, {}};
    case Shape::Kind::point:
      break;
  }
  return {Shape::Kind::point, {size * random_unit(random)}, 0, {}};
}

/// A vertex (one point), edge (two) or face (three) of a shape and a direction outward there.
struct Feature {
  std::vector<Vec3> points;
  Vec3 normal;
};

/// Tilts the supporting plane of the direction n at the points of a feature about `axis` until it
/// meets another point. Leaves it alone where there is none (a flat shape).
inline void tilt(const std::vector<Vec3>& points, Vec3 axis, Feature& feature) {
  const Vec3 base = feature.points.front();
  Vec3 side = cross(axis, feature.normal);
  for (int attempt = 0; attempt < 2; ++attempt, side = -side) {
    const Vec3* hit = nullptr;
    double least = 0;
    for (const Vec3& p : points) {
      const double out = dot(p - base, side), below = -dot(p - base, feature.normal);
      if (out < 1e-9 * norm(p - base) + 1e-12) continue;
      if (!hit || below / out < least) hit = &p, least = below / out;
    }
    if (!hit) continue;
    feature.points.push_back(*hit);
    feature.normal = unit(feature.normal + least * side);
    return;
  }
}

/// A random feature with `corners` corners, or fewer where the shape has none such.
inline Feature random_feature(Random& random, const Shape& shape, int corners) {
  Feature feature;
  feature.normal = random_unit(random);
  feature.points.push_back(*std::max_element(
      shape.points.begin(), shape.points.end(),
      [&](Vec3 p, Vec3 q) { return dot(p, feature.normal) < dot(q, feature.normal); }));
  if (corners >= 2) tilt(shape.points, orthogonal(feature.normal), feature);
  if (corners >= 3 && feature.points.size() == 2) {
    tilt(shape.points, unit(feature.points[1] - feature.points[0]), feature);
  }
  return feature;
}

inline Vec3 random_point_of(Random& random, const Feature& feature, bool corner) {
  if (corner) return feature.points.front();
  Vec3 sum;
  double total = 0;
  for (const Vec3& p : feature.points) {
    const double weight = uniform(random, 0.05, 1);
    sum = sum + weight * p;
    total += weight;
  }
  return (1 / total) * sum;
}

/// The patterns of the fault list that concern two shapes at rest.
enum class Pattern {
  any_features,       ///< vertex, edge or face against another, random orientation
  axis_aligned,       ///< cube rotations; often the same shape twice
  tiny_gap,           ///< gap or overlap of 1e-16 to 1e-6 m
  far_away,           ///< coordinates of 1e2 to 1e5 m
  nearly_parallel,    ///< faces and edges parallel to within 0 to 1e-3 rad
  coincident,         ///< a vertex of A on one of B bit for bit, or both in one place
  contained,          ///< one inside the other
  uncertain_rotation  ///< rotations off orthonormal by 1e-12 to 3e-7, as from a non-unit quaternion
};
inline constexpr int kPatternCount = 8;

inline const char* to_string(Pattern pattern) {
  constexpr std::array names{"any features",    "axis aligned", "tiny gap",  "far away",
                             "nearly parallel", "coincident",   "contained", "uncertain rotation"};
  return names[static_cast<std::size_t>(pattern)];
}

/// Where two shapes stand, and at what gap they were meant to.
struct Placement {
  Pattern pattern = Pattern::any_features;
  Pose X_WA, X_WB;
  double gap = 0;                 ///< metres, along the direction of the contact, before rounding
  double offset = 0;              ///< metres: the size of the coordinates
  double rotation_deviation = 0;  ///< at least the distance of the rotations from orthonormal
};

/// Zero, or of either sign and 1e-12 to 1e-2 m, with weight on 1e-9 and 1e-12.
inline double random_gap(Random& random) {
  const double sign = pick(random, 2) ? 1 : -1;
  switch (pick(random, 8)) {
    case 0:
      return 0;
    case 1:
      return sign * 1e-9;
    case 2:
      return sign * 1e-12;
    default:
      return sign * log_uniform(random, 1e-10, 1e-2);
  }
}

/// The rotation that lays direction `from` along `to`, then spins about it.
inline Mat3 rotation_onto(Vec3 from, Vec3 to, double spin) {
  const Vec3 u = orthogonal(from), v = cross(from, u);
  const Vec3 s = orthogonal(to), t = cross(to, s);
  const Vec3 p = std::cos(spin) * s + std::sin(spin) * t, q = cross(to, p);
  const Mat3 from_axes{u, v, from};  // rows: takes (u, v, from) to axes
  return transpose(Mat3{p, q, to}) * from_axes;
}

inline Mat3 stretched(Mat3 R, double factor) {
  return {factor * R.row0, factor * R.row1, factor * R.row2};
}

inline Placement place(Random& random, const Shape& a, const Shape& b, Pattern pattern) {
  Placement result;
  result.pattern = pattern;
  result.gap = random_gap(random);
  const bool aligned = pattern == Pattern::axis_aligned;
  result.X_WA.R = aligned ? random_cube_rotation(random)
                  : pattern == Pattern::coincident && pick(random, 2) == 0
                      ? Mat3{}
                      : random_rotation(random);
  if (pattern == Pattern::tiny_gap) {
    const double size = log_uniform(random, 1e-16, 1e-6);
    result.gap = pick(random, 2) ? size : -size;
  }
  result.offset = pattern == Pattern::far_away ? log_uniform(random, 1e2, 1e5)
                  : pick(random, 3) == 0       ? 0
                                               : uniform(random, 0, 3);
  result.X_WA.p = result.offset * random_unit(random);
  if (aligned) {  // on a grid, so that nothing is lost
    const Vec3 p = result.X_WA.p;
    result.X_WA.p = {std::round(64 * p.x) / 64, std::round(64 * p.y) / 64,
                     std::round(64 * p.z) / 64};
  }

  if (pattern == Pattern::coincident) {
    // A vertex of B is subtracted in the very arithmetic that adds it: equal bit for bit when the
    // rotation is exact and nothing rounds, nearly so otherwise.
    result.gap = 0;
    result.X_WB.R = pick(random, 2) ? result.X_WA.R : random_rotation(random);
    const Vec3 va = a.points[random() % a.points.size()], vb = b.points[random() % b.points.size()];
    result.X_WB.p = pick(random, 4) == 0
                        ? result.X_WA.p
                        : result.X_WA.p + (result.X_WA.R * va - result.X_WB.R * vb);
    return result;
  }
  if (pattern == Pattern::contained) {
    result.gap = -1;
    result.X_WB.R = random_rotation(random);
    Vec3 inside_a, inside_b;
    for (const Vec3& p : a.points) {
      inside_a = inside_a + (1.0 / static_cast<double>(a.points.size())) * p;
    }
    for (const Vec3& p : b.points) {
      inside_b = inside_b + (1.0 / static_cast<double>(b.points.size())) * p;
    }
    result.X_WB.p = result.X_WA.p + (result.X_WA.R * inside_a - result.X_WB.R * inside_b);
    return result;
  }

  const int corners_a = 1 + pick(random, 3), corners_b = 1 + pick(random, 3);
  Feature on_a = random_feature(random, a, corners_a), on_b = random_feature(random, b, corners_b);
  if (aligned) {
    // Of boxes, the faces; of others, whatever faces along an axis.
    const Vec3 axis = random_cube_rotation(random).row0;
    const auto along = [](const Shape& shape, Vec3 n) {
      Feature feature;
      feature.normal = n;
      double top = -1e300;
      for (const Vec3& p : shape.points) top = std::max(top, dot(p, n));
      for (const Vec3& p : shape.points) {
        if (dot(p, n) == top) feature.points.push_back(p);
      }
      return feature;
    };
    result.X_WB.R = random_cube_rotation(random);
    on_a = along(a, transposed_times(result.X_WA.R, axis));
    on_b = along(b, transposed_times(result.X_WB.R, -axis));
  } else {
    Vec3 toward = -(result.X_WA.R * on_a.normal);
    if (pattern == Pattern::nearly_parallel) {
      const double angle = pick(random, 3) == 0 ? 0 : log_uniform(random, 1e-16, 1e-3);
      toward = unit(toward + angle * random_unit(random));
    }
    result.X_WB.R =
        rotation_onto(on_b.normal, toward, uniform(random, -std::numbers::pi, std::numbers::pi));
    // Once more normalised, as products drift.
    const Vec3 x = unit(result.X_WB.R.row0);
    const Vec3 z = unit(cross(x, result.X_WB.R.row1));
    result.X_WB.R = {x, cross(z, x), z};
  }
  if (pattern == Pattern::uncertain_rotation) {
    const double off = log_uniform(random, 1e-12, 1.5e-7);
    result.rotation_deviation = 30 * off;  // both, in any matrix norm, several times over
    result.X_WA.R = stretched(result.X_WA.R, 1 + off);
    result.X_WB.R = stretched(result.X_WB.R, 1 - off);
  }
  const Vec3 n = result.X_WA.R * on_a.normal;
  const Vec3 p = random_point_of(random, on_a, pick(random, 3) == 0);
  const Vec3 q = random_point_of(random, on_b, pick(random, 3) == 0);
  result.X_WB.p = result.X_WA.p +
                  (result.X_WA.R * p - result.X_WB.R * q + (result.gap + a.radius + b.radius) * n);
  return result;
}

}  // namespace keepclear::test
