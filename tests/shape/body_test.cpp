// SPDX-License-Identifier: BSD-3-Clause
#include "keepclear/body.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "oracle/exact_overlap.hpp"
#include "shape/body.hpp"
#include "shape/generators.hpp"
#include "shape/support.hpp"
#include "shape/support_table.hpp"

namespace keepclear {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
const double kNan = std::nan("");

void expect_usage_error(const std::function<void()>& call) {
  const Error error = test::error_of(call);
  EXPECT_EQ(error.kind(), Error::Kind::usage) << error.what();
  EXPECT_NE(std::string(error.what()), "");
}

std::vector<Vec3> points_of(const Body& body) {
  std::vector<Vec3> points;
  for (std::size_t i = 0; i < body.point_count(); ++i) points.push_back(body.volume().point(i));
  return points;
}

/// Every point of X * points grown by `radius` lies in the body, in exact arithmetic.
void expect_contains(const Body& body, const std::vector<Vec3>& points, const Pose& X,
                     double radius) {
  const std::vector<Vec3> model = points_of(body);
  const oracle::ExactSet hull(model);
  const mpq_class slack = mpq_class(body.radius()) - mpq_class(radius);
  ASSERT_GE(slack, 0);
  for (const Vec3& p : points) {
    const oracle::ExactSet point({&p, 1});
    ASSERT_TRUE(oracle::exact_distance(point, X, hull, {}).overlap(slack))
        << p.x << ' ' << p.y << ' ' << p.z;
  }
}

void expect_ball_contains(const Body& body) {
  const mpq_class room = mpq_class(body.bounding_radius()) - mpq_class(body.radius());
  ASSERT_GE(room, 0);
  for (const Vec3& p : points_of(body)) {
    const mpq_class x = mpq_class(p.x) - mpq_class(body.centre().x);
    const mpq_class y = mpq_class(p.y) - mpq_class(body.centre().y);
    const mpq_class z = mpq_class(p.z) - mpq_class(body.centre().z);
    ASSERT_LE(mpq_class(x * x + y * y + z * z), mpq_class(room * room));
  }
}

Mat3 random_rotation(std::mt19937_64& random) {
  std::uniform_real_distribution<double> angle(-std::numbers::pi, std::numbers::pi);
  const double roll = angle(random), pitch = angle(random), yaw = angle(random);
  return rotation_from_rpy({roll, pitch, yaw});
}

std::vector<Vec3> corners_of(Vec3 size) {
  std::vector<Vec3> corners;
  for (int k = 0; k < 8; ++k) {
    corners.push_back({(k & 1 ? 0.5 : -0.5) * size.x, (k & 2 ? 0.5 : -0.5) * size.y,
                       (k & 4 ? 0.5 : -0.5) * size.z});
  }
  return corners;
}

TEST(Body, RefusesWhatIsNotFinite) {
  const Vec3 good{1, 2, 3};
  for (const double bad : {kNan, kInf, -kInf}) {
    for (const Vec3 point : {Vec3{bad, 0, 0}, Vec3{0, bad, 0}, Vec3{0, 0, bad}}) {
      const Vec3 points[] = {good, point, good};
      expect_usage_error([&] { Body::sphere(point, 1); });
      expect_usage_error([&] { Body::capsule(point, good, 1); });
      expect_usage_error([&] { Body::capsule(good, point, 1); });
      expect_usage_error([&] { Body::hull(points); });
      expect_usage_error([&] { Body::box(point); });
      expect_usage_error([&] { Body::box(good, {Mat3{}, point}); });
      expect_usage_error([&] { Body::box(good, {Mat3{point, {0, 1, 0}, {0, 0, 1}}, {}}); });
    }
    expect_usage_error([&] { Body::sphere(good, bad); });
    expect_usage_error([&] { Body::capsule(good, {}, bad); });
    expect_usage_error([&] { Body::hull({&good, 1}, bad); });
    expect_usage_error([&] { Body::box(good, {}, bad); });
  }
}

TEST(Body, RefusesWhatIsNoSize) {
  const Vec3 good{1, 2, 3};
  expect_usage_error([&] { Body::sphere(good, -1e-300); });
  expect_usage_error([&] { Body::capsule(good, {}, -1); });
  expect_usage_error([&] { Body::hull({&good, 1}, -1); });
  expect_usage_error([&] { Body::box(good, {}, -1); });
  expect_usage_error([&] { Body::box({-1, 1, 1}); });
  expect_usage_error([&] { Body::box({1, -1, 1}); });
  expect_usage_error([&] { Body::box({1, 1, -1}); });
  expect_usage_error([&] { Body::hull({}); });
  expect_usage_error([&] { Body::hull({}, 1); });
}

TEST(Body, RefusesABoxWhosePoseTurnsNothing) {
  // A matrix that is no rotation would make another shape of the box.
  expect_usage_error([] { Body::box({1, 1, 1}, {Mat3{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {}}); });
  expect_usage_error([] { Body::box({1, 1, 1}, {Mat3{{2, 0, 0}, {0, 2, 0}, {0, 0, 2}}, {}}); });
}

TEST(Body, OfRadiusZeroIsALegalPoint) {
  const Body point = Body::sphere({1, 2, 3}, 0);
  EXPECT_EQ(point.point_count(), 1u);
  EXPECT_EQ(point.radius(), 0);
  EXPECT_EQ(point.volume().point(0), (Vec3{1, 2, 3}));
  expect_ball_contains(point);
  EXPECT_LT(point.bounding_radius(), 1e-14);
}

TEST(Body, KeepsTheNumbersOfSpheresAndCapsulesAsTheyAre) {
  const Body sphere = Body::sphere({0.1, -0.2, 0.3}, 0.7);
  EXPECT_EQ(sphere.radius(), 0.7);
  EXPECT_EQ(sphere.volume().point(0), (Vec3{0.1, -0.2, 0.3}));
  const Body capsule = Body::capsule({0.1, 0, 0}, {0, 0.2, 0}, 0.3);
  ASSERT_EQ(capsule.point_count(), 2u);
  EXPECT_EQ(capsule.radius(), 0.3);
  expect_contains(capsule, {{0.1, 0, 0}, {0, 0.2, 0}}, {}, 0.3);
  expect_ball_contains(capsule);
}

TEST(Body, ACapsuleBetweenEqualEndsIsASphere) {
  const Body body = Body::capsule({1, 1, 1}, {1, 1, 1}, 0.5);
  EXPECT_EQ(body.point_count(), 1u);
  EXPECT_EQ(body.radius(), 0.5);
}

TEST(Body, ABoxAtTheOriginIsExact) {
  const Body box = Body::box({0.2, 0.3, 0.7});
  EXPECT_EQ(box.point_count(), 8u);
  EXPECT_EQ(box.radius(), 0);
  expect_contains(box, corners_of({0.2, 0.3, 0.7}), {}, 0);
}

TEST(Body, ATurnedAndRoundedBoxContainsTheRealOne) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> unit(0, 1);
  for (int k = 0; k < 200; ++k) {
    const Vec3 size{1e-3 + unit(random), 1e-3 + 10 * unit(random), 1e-3 + unit(random)};
    const Mat3 R = random_rotation(random);
    const double far = k % 3 == 0 ? 1e5 : 1;
    const Pose X{R, far * Vec3{unit(random), unit(random), unit(random)}};
    const double radius = k % 2 == 0 ? 0 : 0.1 * unit(random);
    const Body box = Body::box(size, X, radius);
    expect_contains(box, corners_of(size), X, radius);
    expect_ball_contains(box);
    EXPECT_LT(box.radius() - radius, 1e-14 * (20 + 2 * far));
  }
}

TEST(Body, AHullContainsEveryPointItWasMadeFrom) {
  for (int kind = 0; kind < test::kPatterns; ++kind) {
    for (const std::size_t count : {1u, 2u, 3u, 4u, 9u, 60u, 250u}) {
      const auto points = test::pattern(kind, 100 + count, count);
      const double radius = count % 2 == 0 ? 0 : 0.25;
      const Body body = Body::hull(points, radius);
      SCOPED_TRACE(testing::Message() << "pattern " << kind << ", " << count << " points");
      expect_contains(body, points, {}, radius);
      expect_ball_contains(body);
      EXPECT_LT(body.radius() - radius, 1e-10);
    }
  }
}

TEST(Body, TheBallIsNotMuchLargerThanNeeded) {
  const Body box = Body::box({2, 2, 2});
  EXPECT_LT(box.bounding_radius(), 1.01 * std::sqrt(3.0));
  const Body needle = Body::capsule({0, 0, 0}, {10, 0, 0}, 0.1);
  EXPECT_LT(needle.bounding_radius(), 1.01 * 5.1);
}

TEST(Body, PaddingRepeatsPointsOfTheBody) {
  for (const std::size_t count : {1u, 2u, 7u, 8u, 9u, 100u}) {
    const Body body = Body::hull(test::pattern(9, 3, count));
    const BodyTables& t = body.tables();
    ASSERT_EQ(t.x.size() % kBlock, 0u);
    ASSERT_GE(t.x.size(), t.count);
    for (std::size_t i = t.count; i < t.x.size(); ++i) {
      EXPECT_EQ(t.point(i), t.point(t.count - 1));
    }
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.x.data()) % 64, 0u);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(t.blocks.data()) % 64, 0u);
  }
}

TEST(PlacedBody, ContainsTheHullUnderEveryPoseWithinTheError) {
  std::mt19937_64 random(2);
  std::uniform_real_distribution<double> unit(-1, 1);
  for (int k = 0; k < 100; ++k) {
    const auto points = test::pattern(k % test::kPatterns, k, 20);
    const Mat3 R = random_rotation(random);
    const Pose X{R, {unit(random), unit(random), unit(random)}};
    const double e = 1e-7, shift = 1e-6;
    // A computed pose that is off by a turn of e and a shift, where the real one is X.
    const Mat3 turn = rotation_from_rpy({0, 0, 0.9 * e});
    const Pose off{turn * R, X.p + Vec3{0.9 * shift, 0, 0}};
    const Body body = make_body({points, 0.01, 0}, off, {e, shift}, 1e-8);
    expect_contains(body, points, X, 0.01);
  }
}

TEST(PlacedBody, AnExactIdentityAddsNothing) {
  const auto points = test::pattern(9, 4, 30);
  const PlacedPoints placed = place(points, {}, {});
  EXPECT_EQ(placed.error_hi, 0);
  EXPECT_EQ(placed.points, points);
}

}  // namespace
}  // namespace keepclear
