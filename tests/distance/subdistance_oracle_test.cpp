// SPDX-License-Identifier: BSD-3-Clause
//
// Both sub-distances against trying all faces in 113 bits.
#include <gtest/gtest.h>

#include <string>

#include "distance/generators.hpp"
#include "distance/subdistance.hpp"
#include "oracle/reference_distance.hpp"

namespace keepclear {
namespace {

using oracle::Quad;
using oracle::QVec;
using test::Random;

Vec3 random_point(Random& random, double size = 1) {
  const double x = test::uniform(random, -size, size), y = test::uniform(random, -size, size);
  return {x, y, test::uniform(random, -size, size)};
}

std::pair<unsigned, QVec> reference(const Simplex& s) {
  std::array<QVec, 4> p;
  for (int i = 0; i < s.size; ++i) p[i] = oracle::widen<Quad>(s.w[i]);
  return oracle::nearest_in_simplex<Quad>(p, s.size);
}

double largest(const Simplex& s) {
  double size = 0;
  for (int i = 0; i < s.size; ++i) size = std::max(size, norm(s.w[i]));
  return size;
}

void set_point(Simplex& s, Vec3 w) {
  s.w[s.size] = w;
  s.vertex_a[s.size] = static_cast<unsigned>(s.size + 10);
  s.vertex_b[s.size] = static_cast<unsigned>(s.size + 20);
  ++s.size;
}

/// What is promised of any result: a convex combination of points that the simplex had.
void expect_legal(const Simplex& before, const Simplex& after, const SimplexPoint& nearest) {
  ASSERT_GE(after.size, 1);
  ASSERT_LE(after.size, before.size);
  double sum = 0;
  Vec3 v;
  for (int i = 0; i < after.size; ++i) {
    const unsigned was = after.vertex_a[i] - 10;
    ASSERT_LT(was, static_cast<unsigned>(before.size));
    ASSERT_EQ(after.vertex_b[i], was + 20);
    ASSERT_EQ(after.w[i], before.w[was]);
    ASSERT_GE(after.weight[i], 0);
    sum += after.weight[i];
    v = v + after.weight[i] * after.w[i];
  }
  ASSERT_NEAR(sum, 1, 1e-12);
  // A combination computed from weights is off by the rounding of the weights at most.
  ASSERT_LE(norm(v - nearest.v), 1e-6 * largest(before));
}

TEST(SubdistanceBySignedVolumes, MatchesBruteForceOnRandomSimplices) {
  Random random(1);
  for (int k = 0; k < 40000; ++k) {
    Simplex s;
    const int size = 1 + test::pick(random, 4);
    const Vec3 offset = random_point(random, k % 3);
    for (int i = 0; i < size; ++i) set_point(s, random_point(random) + offset);
    const Simplex before = s;
    const auto [mask, v] = reference(s);
    const SimplexPoint nearest = nearest_by_signed_volumes(s);
    if (nearest.inside) {
      ASSERT_EQ(before.size, 4);
      ASSERT_LE(static_cast<double>(norm(v)), 1e-13);
      continue;
    }
    ASSERT_NO_FATAL_FAILURE(expect_legal(before, s, nearest));
    const double truth = static_cast<double>(norm(v));
    ASSERT_NEAR(norm(nearest.v), truth, 1e-9 * largest(before)) << size << ", " << k;
  }
}

TEST(SubdistanceBySignedVolumes, MatchesBruteForceOnDegenerateSimplices) {
  Random random(2);
  for (int k = 0; k < 40000; ++k) {
    Simplex s;
    const int size = 2 + test::pick(random, 3);
    const Vec3 offset = random_point(random), u = random_point(random), v = random_point(random);
    const double thin = test::pick(random, 2) ? 0 : test::log_uniform(random, 1e-16, 1e-3);
    const int kind = test::pick(random, 4);
    for (int i = 0; i < size; ++i) {
      const double a = test::uniform(random, -1, 1), b = test::uniform(random, -1, 1);
      const Vec3 off = thin * random_point(random);
      Vec3 p = offset + off;
      if (kind == 1) p = p + a * u;                                // on a line
      if (kind == 2) p = p + a * u + b * v;                        // in a plane
      if (kind == 3) p = i == 0 ? p : s.w[test::pick(random, i)];  // repeated
      set_point(s, p);
    }
    const Simplex before = s;
    const Quad truth = norm(reference(s).second);
    const SimplexPoint nearest = nearest_by_signed_volumes(s);
    if (nearest.inside) continue;
    ASSERT_NO_FATAL_FAILURE(expect_legal(before, s, nearest));
    // Never nearer than the nearest; and never farther than the nearest of the edges.
    ASSERT_GE(norm(nearest.v), static_cast<double>(truth) - 1e-9 * largest(before));
    double edges = 1e300;
    for (int i = 0; i < before.size; ++i) {
      for (int j = 0; j < i; ++j) {
        std::array<QVec, 4> p{oracle::widen<Quad>(before.w[i]), oracle::widen<Quad>(before.w[j])};
        edges = std::min(edges,
                         static_cast<double>(norm(oracle::nearest_in_simplex<Quad>(p, 2).second)));
      }
    }
    ASSERT_LE(norm(nearest.v), edges + 1e-9 * largest(before)) << "kind " << kind << ", " << k;
  }
}

/// The situation of a search: `s` is reduced to what carries its nearest point v, and the newest
/// point lies before the plane through v.
bool grow(Random& random, Simplex& s, Vec3 offset) {
  const QVec v = reference(s).second;
  if (!(norm(v) > Quad(1e-3))) return false;
  for (int attempt = 0; attempt < 200; ++attempt) {
    const Vec3 w = random_point(random) + offset;
    if (dot(v, oracle::widen<Quad>(w)) < Quad(0.999) * dot(v, v)) {
      set_point(s, w);
      return true;
    }
  }
  return false;
}

TEST(SubdistanceOfNewest, MatchesBruteForceWhereASearchUsesIt) {
  Random random(3);
  int sizes[5] = {0, 0, 0, 0, 0}, inside = 0;
  for (int k = 0; k < 30000; ++k) {
    const Vec3 offset = random_point(random, 1.5);
    Simplex s;
    set_point(s, random_point(random) + offset);
    for (int step = 0; step < 6 && s.size < 4; ++step) {
      if (!grow(random, s, offset)) break;
      const Simplex before = s;
      const QVec v = reference(s).second;
      const SimplexPoint nearest = nearest_of_newest(s);
      ++sizes[before.size];
      if (nearest.inside) {
        ++inside;
        ASSERT_LE(static_cast<double>(norm(v)), 1e-12);
        break;
      }
      ASSERT_NO_FATAL_FAILURE(expect_legal(before, s, nearest));
      ASSERT_NEAR(norm(nearest.v), static_cast<double>(norm(v)), 1e-8 * largest(before))
          << before.size << ", " << k;
      // Vertices are renumbered for the next step.
      for (int i = 0; i < s.size; ++i) {
        s.vertex_a[i] = static_cast<unsigned>(i + 10),
        s.vertex_b[i] = static_cast<unsigned>(i + 20);
      }
    }
  }
  EXPECT_GT(sizes[2], 1000);
  EXPECT_GT(sizes[3], 1000);
  EXPECT_GT(sizes[4], 1000);
  EXPECT_GT(inside, 100);
}

TEST(SubdistanceOfNewest, AgreesWithSignedVolumesWhereASearchUsesIt) {
  Random random(4);
  for (int k = 0; k < 30000; ++k) {
    const Vec3 offset = random_point(random, 1.5);
    Simplex s;
    set_point(s, random_point(random) + offset);
    if (!grow(random, s, offset)) continue;
    nearest_of_newest(s);
    for (int i = 0; i < s.size; ++i) {
      s.vertex_a[i] = static_cast<unsigned>(i + 10), s.vertex_b[i] = static_cast<unsigned>(i + 20);
    }
    if (!grow(random, s, offset)) continue;
    Simplex other = s;
    const SimplexPoint fast = nearest_of_newest(s), full = nearest_by_signed_volumes(other);
    ASSERT_EQ(fast.inside, full.inside);
    ASSERT_NEAR(norm(fast.v), norm(full.v), 1e-9);
  }
}

}  // namespace
}  // namespace keepclear
