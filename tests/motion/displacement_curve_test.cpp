// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "keepclear/displacement.hpp"
#include "keepclear/error.hpp"

namespace keepclear {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kPi = std::numbers::pi;

const std::array<Vec3, 8> kCube{{{1, 1, 1},
                                 {1, 1, -1},
                                 {1, -1, 1},
                                 {1, -1, -1},
                                 {-1, 1, 1},
                                 {-1, 1, -1},
                                 {-1, -1, 1},
                                 {-1, -1, -1}}};

Affine moved(double x, double y = 0) {
  return {Mat3{}, {x, y, 0}};
}

TEST(DisplacementCurve, RefusesWhatMakesNoCurve) {
  const std::array<Affine, 2> two{moved(0), moved(1)};
  const std::array<double, 2> ones{1, 1}, negative{1, -1}, growing{0, 1};
  EXPECT_THROW(rational_bezier_curve(std::span(two).first(1), {}), Error);
  EXPECT_THROW(rational_bezier_curve(std::vector<Affine>(34), {}), Error);
  EXPECT_THROW(rational_bezier_curve(two, negative), Error);
  EXPECT_THROW(rational_bezier_curve(two, std::span(ones).first(1)), Error);
  EXPECT_THROW(rational_bezier_curve(two, std::array<double, 2>{1e-20, 1e20}), Error);
  EXPECT_THROW(rational_bezier_curve(two, ones, 1, 1), Error);
  EXPECT_THROW(rational_bezier_curve(two, ones, 0, kNan), Error);
  EXPECT_THROW(rational_bezier_curve(std::array<Affine, 2>{moved(0), moved(kNan)}, {}), Error);
  EXPECT_THROW(screw_curve({}, {}, {0, 0, 0}, 1, 0), Error);
  EXPECT_THROW(screw_curve({}, {}, {0, 0, 1}, kNan, 0), Error);
  EXPECT_THROW(screw_curve({{{2, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {}}, {}, {0, 0, 1}, 1, 0), Error);
  const std::array<Pose, 2> poses{Pose{}, Pose{}};
  EXPECT_THROW(interpolated_curve(std::span(poses).first(1), growing), Error);
  EXPECT_THROW(interpolated_curve(poses, ones), Error);
  EXPECT_THROW(joined_curve({}), Error);
  const std::array<CurvePointer, 2> apart{rational_bezier_curve(two, {}, 0, 1),
                                          rational_bezier_curve(two, {}, 1, 2)};
  EXPECT_THROW(joined_curve(apart), Error);
  EXPECT_NO_THROW(joined_curve(apart, 1.5));
  const std::array<CurvePointer, 2> later{rational_bezier_curve(two, {}, 0, 1),
                                          rational_bezier_curve(two, {}, 1.5, 2)};
  EXPECT_THROW(joined_curve(later, 10), Error);
  EXPECT_THROW(bounded_curve({}), Error);
}

TEST(DisplacementCurve, AStraightWayHasTheBallOfItsEnds) {
  const DisplacementMetric metric(kCube);
  const std::array<Affine, 2> two{moved(0), moved(4)};
  for (const BezierBall kind : {BezierBall::middle, BezierBall::smallest}) {
    const CurvePointer curve = rational_bezier_curve(two, {}, 10, 20, kind);
    EXPECT_EQ(curve->begin(), 10);
    EXPECT_EQ(curve->end(), 20);
    const DisplacementBall ball = curve->ball(metric, 10, 20);
    EXPECT_NEAR(ball.centre.a.x, 2, 1e-14);
    EXPECT_GE(ball.radius, 2);
    EXPECT_NEAR(ball.radius, 2, 1e-13);
    const DisplacementBall part = curve->ball(metric, 12.5, 15);
    EXPECT_NEAR(part.centre.a.x, 1.5, 1e-14);
    EXPECT_NEAR(part.radius, 0.5, 1e-13);
    const DisplacementBall point = curve->ball(metric, 12.5, 12.5);
    EXPECT_NEAR(point.centre.a.x, 1, 1e-14);
    EXPECT_LE(point.radius, 1e-13);
    // Times outside are those of the ends.
    EXPECT_EQ(curve->ball(metric, 0, 10).centre, two[0]);
    EXPECT_NEAR(curve->ball(metric, 25, 30).centre.a.x, 4, 1e-14);
    EXPECT_TRUE(std::isinf(curve->ball(metric, kNan, 30).radius));
  }
}

TEST(DisplacementCurve, TheSmallestBallOfABendIsSmallerThanTheOneAroundItsMiddle) {
  const DisplacementMetric metric(kCube);
  const std::array<Affine, 4> bend{moved(0, 0), moved(0, 3), moved(1, 3), moved(1, 0)};
  const double middle = rational_bezier_curve(bend, {})->ball(metric, 0, 1).radius;
  const double smallest =
      rational_bezier_curve(bend, {}, 0, 1, BezierBall::smallest)->ball(metric, 0, 1).radius;
  // The corners of a rectangle of 1 by 3.
  EXPECT_NEAR(smallest, std::sqrt(10.0) / 2, 2e-3);
  EXPECT_GE(smallest, std::sqrt(10.0) / 2);
  EXPECT_GT(middle, 1.2 * smallest);
}

TEST(DisplacementCurve, ATurnHasTheBallOfItsArc) {
  const DisplacementMetric metric(kCube);
  // Moments of one: 4 sin^2 (t / 2) times two of them is how far a turn by t about z goes.
  const double circle = std::sqrt(2.0);
  const CurvePointer turn = screw_curve({}, {}, {0, 0, 3}, 4 * kPi, 0, 0, 4);
  EXPECT_NEAR(turn->ball(metric, 1, 1.25).radius, circle * std::sin(kPi / 8), 1e-12);
  EXPECT_NEAR(turn->ball(metric, 1, 2).radius, circle, 1e-12);
  EXPECT_NEAR(turn->ball(metric, 0, 4).radius, circle, 1e-12);
  EXPECT_LE(turn->ball(metric, 1, 1).radius, 1e-13);
  EXPECT_NEAR(turn->ball(metric, 0.5, 0.5).centre.A.row1.x, 1, 1e-14);
  const CurvePointer screw = screw_curve({}, {}, {0, 0, 1}, kPi / 2, 6);
  EXPECT_NEAR(screw->ball(metric, 0, 1).radius, std::hypot(3.0, circle * std::sin(kPi / 4)), 1e-12);
}

TEST(DisplacementCurve, PosesInBetweenMeetThePosesGiven) {
  const DisplacementMetric metric(kCube);
  const Mat3 quarter{{0, -1, 0}, {1, 0, 0}, {0, 0, 1}}, half{{-1, 0, 0}, {0, -1, 0}, {0, 0, 1}};
  const std::array<Pose, 4> poses{Pose{}, Pose{quarter, {1, 0, 0}}, Pose{half, {1, 2, 0}},
                                  Pose{half, {1, 2, 5}}};
  const std::array<double, 4> times{0, 1, 3, 4};
  const CurvePointer curve = interpolated_curve(poses, times);
  for (std::size_t i = 0; i < 4; ++i) {
    const DisplacementBall at = curve->ball(metric, times[i], times[i]);
    EXPECT_LE(metric.distance(at.centre, affine(poses[i])), at.radius);
    EXPECT_LE(at.radius, 1e-13);
  }
  const DisplacementBall middle = curve->ball(metric, 2, 2);
  EXPECT_NEAR(middle.centre.A.row0.x, -std::sqrt(0.5), 1e-14);
  EXPECT_NEAR(middle.centre.a.y, 1, 1e-14);
  EXPECT_NEAR(curve->ball(metric, 3, 4).radius, 2.5, 1e-12);
  // About another point of the body, that one goes straight.
  const CurvePointer about =
      interpolated_curve(std::span(poses).first(2), std::span(times).first(2), {1, 0, 0});
  const DisplacementBall at = about->ball(metric, 0.5, 0.5);
  EXPECT_NEAR((at.centre * Vec3{1, 0, 0}).x, 1, 1e-14);
  EXPECT_NEAR((at.centre * Vec3{1, 0, 0}).y, 0.5, 1e-14);
}

TEST(DisplacementCurve, ABoundedCurveOfNoCurvatureHasHalfItsLength) {
  const DisplacementMetric metric(kCube);
  BoundedCurve line;
  line.at = [](double t) { return moved(2 * t); };
  line.tangent = [](double) { return Affine{{{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}, {7, 0, 0}}; };
  line.length_hi = [](double from, double to) { return 2 * (to - from); };
  line.curvature_hi = [](double, double) { return 0.0; };
  line.error = 1e-9;
  const DisplacementBall ball = bounded_curve(line)->ball(metric, 0.25, 0.75);
  EXPECT_NEAR(ball.centre.a.x, 1, 1e-12);
  EXPECT_NEAR(ball.radius, 0.5 + 1e-9, 1e-11);
  EXPECT_EQ(bounded_curve(line)->ball(metric, 0.5, 0.5).radius, 1e-9);
  // Where nothing is known of the curvature, the length alone counts.
  line.curvature_hi = [](double, double) { return kNan; };
  EXPECT_NEAR(bounded_curve(line)->ball(metric, 0, 1).radius, 2 + 1e-9, 1e-11);
  line.length_hi = [](double, double) { return kNan; };
  EXPECT_TRUE(std::isinf(bounded_curve(line)->ball(metric, 0, 1).radius));
}

}  // namespace
}  // namespace keepclear
