// SPDX-License-Identifier: BSD-3-Clause
// --against: shapes in convex bodies, each triangle and each primitive as a solid.
#include "contained.hpp"

#include <gtest/gtest.h>

#include <random>

namespace verify {
namespace {

std::vector<Point> cube(double half) {
  std::vector<Point> points;
  for (int k = 0; k < 8; ++k)
    points.push_back({k & 1 ? half : -half, k & 2 ? half : -half, k & 4 ? half : -half});
  return points;
}
PlacedConvex body(const std::vector<Point>& points, double radius = 0) {
  Body b;
  b.radius = radius;
  for (const Point& p : points) b.points.insert(b.points.end(), p.begin(), p.end());
  return {Convex(b), {}};
}
/// A regular prism about z, in which a cylinder of that radius fits if it is `round`.
std::vector<Point> prism(double radius, double length, int sides, bool round) {
  std::vector<Point> points;
  const double out = round ? radius / std::cos(M_PI / sides) : radius;
  for (int k = 0; k < sides; ++k)
    for (const double z : {-length / 2, length / 2})
      points.push_back(
          {out * std::cos(2 * M_PI * k / sides), out * std::sin(2 * M_PI * k / sides), z});
  return points;
}
bool in(const Form& form, const std::vector<PlacedConvex>& bodies, const Mesh& mesh = {}) {
  return why_outside(form, mesh, {}, bodies).empty();
}
Form form(Form::Kind kind, double radius, double length) {
  Form f;
  f.kind = kind, f.radius = radius, f.length = length;
  return f;
}

TEST(Contained, APrimitiveIsASolid) {
  round_nearest();
  const Form cylinder = form(Form::cylinder, 0.5, 1), cone = form(Form::cone, 0.5, 1);
  for (const int sides : {3, 5, 16, 64, 256}) {
    EXPECT_TRUE(in(cylinder, {body(prism(0.5, 1, sides, true))})) << sides;
    EXPECT_TRUE(in(cone, {body(prism(0.5, 1, sides, true))})) << sides;
    // Its corners are on the rim, and what is between them is not in it.
    EXPECT_FALSE(in(cylinder, {body(prism(0.5, 1, sides, false))})) << sides;
    EXPECT_FALSE(in(cone, {body(prism(0.5, 1, sides, false))})) << sides;
    EXPECT_FALSE(in(cylinder, {body(prism(0.5 - 1e-7, 1, sides, true))})) << sides;
    EXPECT_FALSE(in(cylinder, {body(prism(0.5, 1 - 1e-7, sides, true))})) << sides;
  }
  EXPECT_TRUE(in(cylinder, {body({{0, 0, -0.5}, {0, 0, 0.5}}, 0.5)}));
  EXPECT_FALSE(in(cylinder, {body({{0, 0, -0.49}, {0, 0, 0.49}}, 0.5)}));
  EXPECT_TRUE(in(form(Form::capsule, 0.5, 1), {body({{0, 0, -0.5}, {0, 0, 0.5}}, 0.5)}));
  EXPECT_FALSE(in(form(Form::capsule, 0.5, 1), {body({{0, 0, -0.5}, {0, 0, 0.4999}}, 0.5)}));
  EXPECT_TRUE(in(form(Form::ball, 0.5, 0), {body({{0, 0, 0}}, 0.5)}));
  EXPECT_FALSE(in(form(Form::ball, 0.5, 0), {body({{0, 0, 0}}, 0.4999)}));
  EXPECT_FALSE(in(form(Form::ball, 0.5, 0), {body({{1e-4, 0, 0}}, 0.5)}));
}

TEST(Contained, ABoxIsInOneBody) {
  round_nearest();
  Form box;
  box.size = {1, 1, 1};
  EXPECT_TRUE(in(box, {body(cube(0.5))}));
  EXPECT_FALSE(in(box, {body(cube(0.4999))}));
  // Its walls, and its halves: no body holds it.
  std::vector<Point> lower, upper;
  for (const Point& p : cube(0.5)) (p[2] < 0 ? lower : upper).push_back(p);
  EXPECT_FALSE(in(box, {body(lower), body(upper)}));
  EXPECT_FALSE(in(box, {}));
}

TEST(Contained, ATriangleIsInOneBodyOrInParts) {
  round_nearest();
  Form mesh;
  mesh.kind = Form::mesh;
  const Mesh triangle{{{-1, -0.1, 0}, {1, -0.1, 0}, {0, 0.1, 0}}, {{0, 1, 2}}};
  const auto slab = [&](double from, double to) {
    std::vector<Point> points = cube(0.5);
    for (Point& p : points) p[0] = p[0] < 0 ? from : to;
    return body(points);
  };
  EXPECT_TRUE(in(mesh, {slab(-1, 1)}, triangle));
  EXPECT_TRUE(in(mesh, {slab(-1, 0.3), slab(0.2, 1)}, triangle));
  EXPECT_TRUE(in(mesh, {slab(0.125, 1), slab(-1, 0.2)}, triangle));
  // Each corner is in a body; the middle is in none.
  EXPECT_FALSE(in(mesh, {slab(-1, 0.25), slab(0.26, 1)}, triangle));
  EXPECT_FALSE(
      in(mesh, {body({triangle.points[0]}), body({triangle.points[1]}), body({triangle.points[2]})},
         triangle));
  EXPECT_FALSE(in(mesh, {slab(-0.9, 1)}, triangle));
  // Bodies that touch, and a gap of a little more than nothing.
  EXPECT_TRUE(in(mesh, {slab(-1, 0.1), slab(0.1, 0.3), slab(0.3, 1)}, triangle));
  EXPECT_FALSE(in(mesh, {slab(-1, 0.1), slab(0.1 + 1e-7, 1)}, triangle));
}

TEST(DistanceToHull, OfACubeAndOfRandomPoints) {
  round_nearest();
  const std::vector<Point> points_of_cube = cube(1);
  std::mt19937_64 random(5);
  std::uniform_real_distribution<> uniform(-3, 3);
  bool apart = false;
  for (int i = 0; i < 20000; ++i) {
    Point x = {uniform(random), uniform(random), uniform(random)};
    if (i % 3 == 0) x[0] = 1;
    double square = 0;
    for (const double c : x) square += std::pow(std::max(0.0, std::abs(c) - 1), 2);
    // From above always, and found to be within what is asked if it is.
    const double real = std::sqrt(square);
    ASSERT_GE(distance_to_hull(points_of_cube, x, real - 1e-3, apart), real - 1e-12);
    apart = false;
    ASSERT_LE(distance_to_hull(points_of_cube, x, real + 1e-6, apart), real + 1e-6)
        << x[0] << ' ' << x[1] << ' ' << x[2];
    ASSERT_FALSE(apart);
  }
  // A mean of the points is in their hull.
  for (int i = 0; i < 3000; ++i) {
    std::vector<Point> points(1 + random() % 40);
    for (Point& p : points) p = {uniform(random), uniform(random), uniform(random)};
    Point mean = {};
    double sum = 0;
    for (const Point& p : points) {
      const double weight = random() % 3 ? 0.0 : std::exp(uniform(random));
      sum += weight;
      mean = mean + weight * p;
    }
    if (sum == 0) continue;
    ASSERT_LE(distance_to_hull(points, (1 / sum) * mean, 1e-9, apart), 1e-9) << i;
    ASSERT_FALSE(apart);
  }
}

}  // namespace
}  // namespace verify
