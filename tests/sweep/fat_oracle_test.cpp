// SPDX-License-Identifier: BSD-3-Clause
//
// The tests of fat elements against the least value of the same function in 113 bits, near zero by
// design.
#include "sweep/fat_tests.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include "oracle/quad.hpp"
#include "sweep/fat_body.hpp"

namespace keepclear {
namespace {

using oracle::Quad;
using QVec = oracle::Vec<Quad>;

struct Random {
  std::mt19937_64 engine{7};
  double operator()(double lo, double hi) {
    return std::uniform_real_distribution<double>(lo, hi)(engine);
  }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); }
  Vec3 point(double size) {
    return {(*this)(-size, size), (*this)(-size, size), (*this)(-size, size)};
  }
};

QVec wide(Vec3 a) {
  return oracle::widen<Quad>(a);
}

/// The least of |p(t) - f|^2 - (scale rho^2 + constant) over both edges.
Quad least_of_edges(Vec3 p0, Vec3 p1, const RhoOnEdge& rho, Growth growth, Vec3 f0, Vec3 f1) {
  // As the tests have it: differences are doubles.
  const QVec w = wide(p0 - f0), d = wide(p1 - p0), g = wide(f1 - f0);
  const Quad gg = dot(g, g);
  const auto value = [&](Quad t) {
    const QVec x = w + t * d;
    Quad s = gg > 0 ? dot(x, g) / gg : Quad(0);
    s = std::clamp(s, Quad(0), Quad(1));
    const QVec off = x - s * g;
    const Quad rho2 = Quad(rho.c) + 2 * t * rho.b + t * t * rho.a;
    return dot(off, off) - (growth.scale * rho2 + growth.constant);
  };
  // Piecewise quadratic: ends, borders of pieces, and where each piece is least.
  std::vector<Quad> places{0, 1};
  const Quad dg = dot(d, g), wg = dot(w, g);
  if (dg != 0) places.insert(places.end(), {-wg / dg, (gg - wg) / dg});
  const Quad a0 = dot(d, d) - growth.scale * rho.a, b0 = dot(w, d) - growth.scale * rho.b;
  if (a0 != 0) places.insert(places.end(), {-b0 / a0, -(b0 - dg) / a0});
  if (gg > 0) {
    const Quad a = a0 - dg * dg / gg, b = b0 - wg * dg / gg;
    if (a != 0) places.push_back(-b / a);
  }
  Quad least = value(0);
  for (const Quad t : places) least = std::min(least, value(std::clamp(t, Quad(0), Quad(1))));
  return least;
}

TEST(FatEdge, IsClearWhereItIsAndNowhereElse) {
  Random random;
  int clear = 0, hit = 0;
  for (int i = 0; i < 60'000; ++i) {
    const double size = std::pow(10.0, random(-4, 2));
    const Vec3 p0 = random.point(size);
    Vec3 p1 = random.point(size), f0 = random.point(size), f1 = random.point(size);
    switch (random.below(8)) {
      case 0:  // parallel
        f1 = f0 + random(-2, 2) * (p1 - p0);
        break;
      case 1:  // in one line
        f0 = p0 + random(1, 2) * (p1 - p0), f1 = f0 + random(-1, 1) * (p1 - p0);
        break;
      case 2:  // a vertex
        f1 = f0;
        break;
      case 3:
        p1 = p0;
        break;
      case 4:  // nearly parallel
        f1 = f0 + (p1 - p0) + random.point(1e-9 * size);
        break;
      case 5:  // they touch
        f0 = p0 + random(0, 1) * (p1 - p0);
        break;
      default:
        break;
    }
    RhoOnEdge rho;
    const double low = random(1, 2), foot = random(-0.5, 1.5), steep = random(0, 3);
    rho = {low + steep * foot * foot, -steep * foot, steep};
    // Radii below and beyond nu.
    Growth growth{std::pow(size, 2) * std::pow(10.0, random(-8, 0.5)), 0};
    if (random.below(5) == 0) growth.scale = 0;
    const Quad least = least_of_edges(p0, p1, rho, growth, f0, f1);
    const double gap = size * size * std::pow(10.0, random(-18, 0)) * (random.below(2) ? 1 : -1);
    const double constant = static_cast<double>(least) - gap;
    if (constant >= 0) growth.constant = constant;
    const Quad now = least_of_edges(p0, p1, rho, growth, f0, f1);
    const bool answer = edge_is_clear(p0, p1, rho, growth, f0, f1);
    if (answer) {
      ASSERT_GT(now, 0) << i;
    } else if (f0 == f1 || norm(f1 - f0) > 1e-3 * size) {
      const double most = size * size * 12 + growth.scale * (rho.c + 2 * std::fabs(rho.b) + rho.a);
      ASSERT_LT(now, 1e-11 * (most + growth.constant)) << i;
    }
    ++(answer ? clear : hit);
  }
  EXPECT_GT(clear, 15'000);
  EXPECT_GT(hit, 15'000);
}

struct FaceCase {
  PlacedFace face;
  std::vector<std::array<double, 6>> corners;
  RhoOnFace rho;
  Growth growth;
  Vec3 y;
};

TEST(FatFace, IsClearWhereItIsAndNowhereElse) {
  Random random;
  int inside = 0, clear = 0, hit = 0, beyond = 0;
  for (int i = 0; i < 60'000; ++i) {
    const double size = std::pow(10.0, random(-3, 2));
    FaceCase c;
    const Vec3 v0 = random.point(size), v1 = random.point(size);
    Vec3 v2 = random.point(size);
    if (random.below(5) == 0) v2 = v0 + random(0, 1) * (v1 - v0) + random.point(1e-6 * size);
    const double lambda = dot(v2 - v0, v1 - v0) / squared_norm(v1 - v0);
    c.face = place_face(v0, v1, v2, lambda);
    c.corners.push_back({0, 0, 1, 0, lambda, 1});
    if (random.below(3) == 0) c.corners.push_back({0, 0, 1, 0, random(0, 1), random(-2, -0.1)});
    const auto coefficient = [&] { return Bounded{random(-0.5, 0.5), 0}; };
    c.rho = {{random(1, 3), 0},   coefficient(), coefficient(),
             {random(0.1, 2), 0}, {0, 0},        {random(0.1, 2), 0}};
    c.growth = {size * size * std::pow(10.0, random(-8, 0.5)), 0};
    // Over a point of the plane, near the border now and then.
    const double u = random(-0.5, 1.5), v = random.below(4) == 0 ? 1e-12 : random(-0.5, 1.5);
    const Vec3 n = cross(c.face.e1, c.face.e2);
    c.y = c.face.origin + u * c.face.e1 + v * c.face.e2 +
          (size * std::pow(10.0, random(-8, 0)) / norm(n)) * n;
    // The form in 113 bits.
    const QVec w = wide(c.face.origin - c.y), e1 = wide(c.face.e1), e2 = wide(c.face.e2);
    const Quad A = c.growth.scale;
    const Quad h11 = dot(e1, e1) - A * c.rho.uu.value, h12 = dot(e1, e2) - A * c.rho.uv.value,
               h22 = dot(e2, e2) - A * c.rho.vv.value;
    const Quad b1 = dot(w, e1) - A * c.rho.bu.value, b2 = dot(w, e2) - A * c.rho.bv.value;
    const Quad det = h11 * h22 - h12 * h12;
    const auto least_of = [&](double constant) {
      const Quad m1 = h22 * b1 - h12 * b2, m2 = h11 * b2 - h12 * b1;
      return dot(w, w) - A * c.rho.c.value - constant - (m1 * b1 + m2 * b2) / det;
    };
    const bool convex = h11 > 0 && det > 0;
    if (convex) {
      const double gap = size * size * std::pow(10.0, random(-18, 0)) * (random.below(2) ? 1 : -1);
      c.growth.constant = std::max(0.0, static_cast<double>(least_of(0)) - gap);
    }
    const auto value = [&](Quad u_at, Quad v_at) {
      return dot(w, w) - A * c.rho.c.value - c.growth.constant + 2 * (u_at * b1 + v_at * b2) +
             u_at * u_at * h11 + 2 * u_at * v_at * h12 + v_at * v_at * h22;
    };
    // On the borders of the triangles, and where it is least if that is in one of them.
    Quad least = 1e30;
    bool is_in = false;
    for (const auto& t : c.corners) {
      bool in = convex;
      const Quad turn = Quad(t[5]) >= 0 ? 1 : -1;
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t l = (k + 1) % 3;
        const Quad x = Quad(t[2 * l]) - t[2 * k], y = Quad(t[2 * l + 1]) - t[2 * k + 1];
        const auto on = [&](Quad s) { return value(t[2 * k] + s * x, t[2 * k + 1] + s * y); };
        // A parabola through three points.
        const Quad f0 = on(0), f1 = on(1), fm = on(Quad(0.5));
        const Quad bend = 2 * (f0 + f1 - 2 * fm), slope = f1 - f0 - bend;
        least = std::min({least, f0, f1});
        if (bend > 0)
          least = std::min(least, on(std::clamp(-slope / (2 * bend), Quad(0), Quad(1))));
        if (!convex) continue;
        const Quad at_u = -(h22 * b1 - h12 * b2) / det, at_v = -(h11 * b2 - h12 * b1) / det;
        in = in && turn * (x * (at_v - t[2 * k + 1]) - y * (at_u - t[2 * k])) >= 0;
      }
      is_in = is_in || in;
    }
    if (is_in) least = std::min(least, least_of(c.growth.constant));
    const bool answer = face_is_clear(c.face, c.corners, c.rho, c.growth, c.y);
    if (answer) {
      ASSERT_GT(least, 0) << i;
      ++clear;
    } else {
      // Only where it is not, or next to it. Thin ones are hard.
      const bool thin = norm(c.face.e2) < 1e-4 * norm(c.face.e1) ||
                        (det < 1e-6 * h11 * h22 && det > -1e-6 * h11 * h22);
      const Quad most = dot(w, w) + 40 * A + c.growth.constant + 9 * (dot(e1, e1) + dot(e2, e2));
      ASSERT_TRUE(thin || least < 1e-9 * most) << i;
      ++hit;
    }
    beyond += convex ? 0 : 1;
    inside += is_in ? 1 : 0;
  }
  EXPECT_GT(hit, 1'500);
  EXPECT_GT(inside, 1'500);
  EXPECT_GT(clear, 15'000);
  EXPECT_GT(beyond, 1'500);
}

TEST(Growth, IsAtLeastTheSquare) {
  Random random;
  for (int i = 0; i < 10'000; ++i) {
    const double R = std::pow(10.0, random(-6, 1)), s = std::pow(10.0, random(-9, 1));
    const double typical = random(1, 3), rho = random(1, 10);
    const auto least = [&](double at) {
      const Growth growth = growth_hi(R, s, typical);
      const Quad r = Quad(R) * at + s;
      return (Quad(growth.scale) * at * at + growth.constant) / (r * r);
    };
    ASSERT_GE(least(rho), 1);
    ASSERT_GE(least(typical), 1);
    ASSERT_LT(least(typical), 1 + 1e-14);
  }
}

TEST(FatBody, KnowsTheDistortionOfItsElements) {
  Random random;
  for (int i = 0; i < 300; ++i) {
    std::vector<Vec3> points;
    for (int k = 0; k < 12; ++k) points.push_back(random.point(random.below(2) ? 1 : 0.01));
    const Polyhedron body = Polyhedron::of(Body::hull(points));
    const DisplacementMetric metric = DisplacementMetric::balanced(body.vertices());
    const FatBody fat(body, metric);
    EXPECT_LT(fat.largest_rho_hi(), 2.2);
    const PolyhedronData& data = body.data();
    const double t = random(0, 1);
    for (std::uint32_t e = 0; e < data.edges.size(); ++e) {
      const Vec3 a = data.vertices[data.edges[e][0]], b = data.vertices[data.edges[e][1]];
      const RhoOnEdge& on = fat.on_edge(e);
      const double rho = metric.distortion(a + t * (b - a));
      EXPECT_NEAR(on.c + 2 * t * on.b + t * t * on.a, rho * rho, 1e-9 * rho * rho);
    }
    for (std::uint32_t f = 0; f < data.faces.size(); ++f) {
      const FaceData& face = data.faces[f];
      const PlacedFace placed =
          place_face(data.vertices[face.anchors[0]], data.vertices[face.anchors[1]],
                     data.vertices[face.anchors[2]], face.lambda);
      const double u = random(0, 1), v = random(0, 1);
      const RhoOnFace& on = fat.on_face(f);
      const double rho = metric.distortion(placed.origin + u * placed.e1 + v * placed.e2);
      EXPECT_NEAR(on.c.value + 2 * u * on.bu.value + 2 * v * on.bv.value + u * u * on.uu.value +
                      2 * u * v * on.uv.value + v * v * on.vv.value,
                  rho * rho, 1e-9 * rho * rho);
    }
  }
}

}  // namespace
}  // namespace keepclear
