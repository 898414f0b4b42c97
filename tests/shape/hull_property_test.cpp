// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

#include "shape/generators.hpp"
#include "shape/support.hpp"

namespace keepclear {
namespace {

double extent(const std::vector<Vec3>& points) {
  double size = 0;
  for (const Vec3& p : points) size = std::max(size, norm(p - points[0]));
  return size;
}

TEST(ConvexHullProperty, SupportsCoverEveryInputPoint) {
  EXPECT_TRUE(rc::check([] {
    const auto points =
        test::pattern(*rc::gen::inRange(0, test::kPatterns), *rc::gen::arbitrary<std::uint64_t>(),
                      *rc::gen::inRange<std::size_t>(1, 300));
    const Hull hull = convex_hull(points);
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    RC_ASSERT(hull.excess <= 1e-11 * extent(points) + 1e-300);
    for (int k = 0; k < 50; ++k) {
      const Vec3 d = test::random_direction(random);
      double of_all = -INFINITY, of_hull = -INFINITY;
      // About one of the points, so that an offset does not drown the difference.
      for (const Vec3& p : points) of_all = std::max(of_all, dot(p - points[0], d));
      for (const Vec3& p : hull.vertices) of_hull = std::max(of_hull, dot(p - points[0], d));
      RC_ASSERT(of_all <= of_hull + (hull.excess + 1e-15 * extent(points)) * norm(d));
    }
  }));
}

TEST(ConvexHullProperty, ClimbingReachesWhatScanningFinds) {
  EXPECT_TRUE(rc::check([] {
    auto points =
        test::pattern(*rc::gen::inRange(0, test::kPatterns), *rc::gen::arbitrary<std::uint64_t>(),
                      *rc::gen::inRange<std::size_t>(1, 200));
    Hull hull = convex_hull(points);
    const Vec3 origin = points[0];
    for (Vec3& v : hull.vertices) v = v - origin;
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    std::vector<Vec3> directions{{1, 0, 0}, {0, 1, 0}, {0, 0, -1}};
    for (int k = 0; k < 10; ++k) directions.push_back(test::random_direction(random));
    test::expect_sound_graph(hull, directions, 1e-11 * extent(points));
    RC_ASSERT(!testing::Test::HasFailure());
  }));
}

TEST(ConvexHullProperty, DoesNotDependOnTheOrderOrOnRepetition) {
  EXPECT_TRUE(rc::check([] {
    auto points =
        test::pattern(*rc::gen::inRange(0, test::kPatterns), *rc::gen::arbitrary<std::uint64_t>(),
                      *rc::gen::inRange<std::size_t>(1, 100));
    const Hull hull = convex_hull(points);
    std::mt19937_64 random(*rc::gen::arbitrary<std::uint64_t>());
    points.insert(points.end(), points.begin(), points.begin() + points.size() / 2);
    std::shuffle(points.begin(), points.end(), random);
    const Hull again = convex_hull(points);
    RC_ASSERT(hull.vertices == again.vertices);
    RC_ASSERT(hull.neighbours == again.neighbours);
    RC_ASSERT(hull.excess == again.excess);
  }));
}

TEST(ConvexHullProperty, OfAHullIsTheHull) {
  EXPECT_TRUE(rc::check([] {
    const auto points =
        test::pattern(*rc::gen::element(0, 5, 9), *rc::gen::arbitrary<std::uint64_t>(),
                      *rc::gen::inRange<std::size_t>(10, 200));
    const Hull hull = convex_hull(points);
    RC_ASSERT(convex_hull(hull.vertices).vertices == hull.vertices);
  }));
}

}  // namespace
}  // namespace keepclear
