// SPDX-License-Identifier: BSD-3-Clause
//
// Cylindrical joints, ball joints, mobile bases and Bezier motions against 113 bits.
#include <gtest/gtest.h>

#include "oracle/operator_judge.hpp"

namespace keepclear {
namespace {

using namespace oracle;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;

void expect_contained(const SweepTally& tally) {
  EXPECT_EQ(tally.outside, 0) << tally.in_quads << " in quads";
  EXPECT_EQ(tally.unbounded, 0);
  EXPECT_GT(tally.in_quads, tally.points / 200);
}

TEST(Operators, CylindricalJointsContainTheirMotion) {
  expect_contained(judge_cylindrical(30'000, 1));
}

TEST(Operators, BallJointsContainTheirPatch) {
  for (const int count : {1, 3, 4, 8}) expect_contained(judge_ball(15'000, 2, count));
}

TEST(Operators, MobileBasesContainTheirMotion) {
  for (const int count : {1, 2, 3, 5, 12}) expect_contained(judge_base(15'000, 3, count));
}

TEST(Operators, BezierMotionsContainTheirPoints) {
  expect_contained(judge_bezier(30'000, 4));
}

/// One point alone, so that nothing but growth is left for what its points leave out.
SweepTally judge_point(const std::vector<Vec3>& out, double radius,
                       const std::vector<QVec>& images) {
  SweepTally tally;
  ContainmentJudge judge({out, radius}, tally);
  for (const QVec& at : images) judge.see(at);
  return tally;
}

TEST(Operators, MobileBasesMoveSinglePointsWithinTheirGrowth) {
  Random random(5);
  double fullest[3] = {0, 0, 0};
  for (int round = 0; round < 3000; ++round) {
    const double rates[] = {0, 5e-324, 1e-300, 1e-17, 1e-8, 1, -2, 3.3, -100, 1e7};
    BaseMotion motion{uniform(random, -2, 2), uniform(random, -2, 2), rates[random() % 10],
                      random_interval(random, random() % 8 == 0 ? 1e6 : 1)};
    if (random() % 8 == 0) motion.vx = motion.vy = 0;
    Vec3 p = uniform_vec(random, random() % 8 == 0 ? 1e3 : 1);
    // In the centre of rotation, up to rounding.
    if (random() % 3 == 0 && std::fabs(motion.omega) > 0.1) {
      p = {-motion.vy / motion.omega, motion.vx / motion.omega, 3};
    }
    const int count = 1 + static_cast<int>(random() % 5);
    std::vector<Vec3> out(static_cast<std::size_t>(count));
    const double radius = sweep_base(motion, count, {{&p, 1}, 0}, out);
    std::vector<QVec> images;
    for (int k = 0; k < 6; ++k) {
      images.push_back(base_at(motion, moment_of(random, motion.time)) * widen<Quad>(p));
    }
    const SweepTally tally = judge_point(out, radius, images);
    ASSERT_EQ(tally.outside, 0) << motion.omega << ' ' << motion.time.lower << ' '
                                << motion.time.upper << ' ' << count;
    if (count < 3) fullest[count] = std::max(fullest[count], tally.fullest);
  }
  EXPECT_GT(fullest[1], 0.999);
  EXPECT_GT(fullest[2], 0.999);
}

TEST(Operators, ABaseThatDrivesStraightIsASlide) {
  const Vec3 p{1, 2, 3};
  Vec3 out[2];
  for (const double omega : {0.0, 1e-300, -1e-300}) {
    const double radius = sweep_base({2, 0, omega, {-1, 3}}, 2, {{&p, 1}, 0}, out);
    EXPECT_LT(norm(out[0] - Vec3{-1, 2, 3}), 1e-14);
    EXPECT_LT(norm(out[1] - Vec3{7, 2, 3}), 1e-14);
    EXPECT_LT(radius, 1e-12);
    EXPECT_NEAR(sweep_base({2, 0, omega, {-1, 3}}, 1, {{&p, 1}, 0}, {out, 1}), 4, 1e-12);
  }
}

TEST(Operators, TheCentreOfRotationStaysWhereItIs) {
  const Vec3 p{0, 2, 0};
  Vec3 out[12];
  for (const int count : {1, 2, 3, 12}) {
    const double radius = sweep_base({2, 0, 1, {-40, 50}}, count, {{&p, 1}, 0}, out);
    EXPECT_LT(radius, 1e-10);
    for (int k = 0; k < count; ++k) EXPECT_LT(norm(out[k] - p), 1e-12);
  }
}

TEST(Operators, CoversOfTwistsContainTheCurve) {
  Random random(6);
  for (int round = 0; round < 2000; ++round) {
    const double halves[] = {0, 5e-324, 1e-300, 1e-9, 0.499, 0.501, 1, kPi / 2, kPi, 3.2, 7, 1e9};
    double h = round % 2 ? uniform(random, 0, 4) : halves[random() % 12];
    if (random() % 2) h = -h;
    const int points = 1 + static_cast<int>(random() % kMaxArcPoints);
    const TwistCover cover = cover_twist(h, points);
    std::vector<Vec3> hull;
    for (int k = 0; k < points; ++k) {
      hull.push_back({cover.a[k], cover.b[k], 0});
      ASSERT_LE(norm(hull.back()), cover.size_hi);
    }
    std::vector<QVec> curve;
    for (int k = 0; k < 5; ++k) {
      const Quad share = moment_of(random, {-1, 1});
      curve.push_back({share * sinc_of(h * share), share * cosc_of(h * share), 0});
    }
    ASSERT_EQ(judge_point(hull, cover.slack_hi, curve).outside, 0) << h << ' ' << points;
  }
}

TEST(Operators, BallPatchesOfSinglePoints) {
  Random random(7);
  double fullest[2] = {0, 0};
  for (int round = 0; round < 3000; ++round) {
    const Vec3 p = round % 10 == 0  ? Vec3{}
                   : round % 7 == 0 ? uniform_vec(random, 1e-200)
                   : round % 5 == 0 ? Vec3{0, 0, uniform(random, -3, 3)}
                                    : uniform_vec(random, 2);
    const double angles[] = {0, 1e-300, 1e-10, 0.3, kPi / 2, 2, 3, kPi, 10};
    const BallMotion motion{{}, 0, angles[random() % 9]};
    const int counts[] = {1, 3, 4, 7, 100};
    const int count = counts[random() % 5];
    std::vector<Vec3> out(static_cast<std::size_t>(count));
    const double radius = sweep_ball(motion, count, {{&p, 1}, 0}, out);
    std::vector<QVec> images;
    for (int k = 0; k < 6; ++k) {
      const QVec d = widen<Quad>(uniform_vec(random, 1));
      const Quad angle = std::min(motion.angle_hi, 3.14159) * (k < 3 ? 1 : uniform(random, 0, 1));
      images.push_back(rotation_about((1 / norm(d)) * d, angle) * widen<Quad>(p));
      if (k == 0 && squared_norm(p) > 0) {  // an axis across, on which the whole angle counts
        const QVec across = cross(widen<Quad>(p), d);
        images.push_back(rotation_about((1 / norm(across)) * across, angle) * widen<Quad>(p));
      }
    }
    const SweepTally tally = judge_point(out, radius, images);
    ASSERT_EQ(tally.outside, 0) << motion.angle_hi << ' ' << count;
    fullest[count > 1] = std::max(fullest[count > 1], tally.fullest);
  }
  EXPECT_GT(fullest[0], 0.999);
  EXPECT_GT(fullest[1], 0.999);
}

TEST(Operators, BezierMotionsWithWeightsFarApart) {
  Random random(8);
  for (int round = 0; round < 2000; ++round) {
    std::vector<AffineMap> control(2 + random() % 4);
    std::vector<double> weights;
    for (AffineMap& map : control) {
      map = {rotation_from_rpy(uniform_vec(random, 3)), uniform_vec(random, 1)};
      weights.push_back(std::pow(10, uniform(random, -120, 120)));
    }
    BezierMotion motion{control, weights};
    motion.t = {uniform(random, 0, 0.5), uniform(random, 0.5, 1)};
    const Vec3 p = uniform_vec(random, 1);
    std::vector<Vec3> out(control.size());
    const double radius = sweep_bezier(motion, {{&p, 1}, 0}, out);
    ASSERT_LT(radius, 1e-12);
    std::vector<QVec> images;
    for (int k = 0; k < 6; ++k) {
      images.push_back(bezier_at(motion, moment_of(random, motion.t)) * widen<Quad>(p));
    }
    ASSERT_EQ(judge_point(out, radius, images).outside, 0);
  }
}

TEST(Operators, ABezierMotionKeepsTheRadiusWhereItIsRigid) {
  const AffineMap control[] = {{Mat3{}, {0, 0, 0}}, {Mat3{}, {1, 0, 0}}};
  const AffineMap wider[] = {{Mat3{}, {0, 0, 0}}, {{{2, 0, 0}, {0, 1, 0}, {0, 0, 1}}, {1, 0, 0}}};
  const Vec3 p{1, 1, 1};
  Vec3 out[2];
  EXPECT_NEAR(sweep_bezier({control}, {{&p, 1}, 0.5}, out), 0.5, 1e-12);
  EXPECT_NEAR(sweep_bezier({wider}, {{&p, 1}, 0.5}, out), 1, 1e-12);
  BezierMotion vouched{wider};
  vouched.stretch_hi = 1.5;
  EXPECT_NEAR(sweep_bezier(vouched, {{&p, 1}, 0.5}, out), 0.75, 1e-12);
}

TEST(Operators, WhatIsNotFiniteIsEndless) {
  const Vec3 p{1, 1, 1};
  Vec3 out[4];
  const double nan = std::nan("");
  EXPECT_EQ(sweep_base({1, 0, 1, {0, kInfinity}}, 2, {{&p, 1}, 0}, out), kInfinity);
  EXPECT_EQ(sweep_base({1, 0, nan, {0, 1}}, 2, {{&p, 1}, 0}, out), kInfinity);
  EXPECT_EQ(sweep_base({kInfinity, 0, 0, {0, 1}}, 2, {{&p, 1}, 0}, out), kInfinity);
  const AffineMap control[] = {{Mat3{}, {0, 0, 0}}, {Mat3{}, {1, 0, 0}}};
  const double one[] = {1}, wrong[] = {1, -1}, tiny[] = {1, 5e-324};
  BezierMotion motion{control};
  motion.t = {-0.1, 1};
  EXPECT_EQ(sweep_bezier(motion, {{&p, 1}, 0}, out), kInfinity);
  motion.t = {0.5, nan};
  EXPECT_EQ(sweep_bezier(motion, {{&p, 1}, 0}, out), kInfinity);
  EXPECT_EQ(sweep_bezier({control, one}, {{&p, 1}, 0}, out), kInfinity);
  EXPECT_EQ(sweep_bezier({control, wrong}, {{&p, 1}, 0}, out), kInfinity);
  EXPECT_EQ(sweep_bezier({control, tiny}, {{&p, 1}, 0}, out), kInfinity);
  EXPECT_EQ(sweep_bezier({}, {{&p, 1}, 0}, out), kInfinity);
  Stage stage;
  make_cylindrical_stage({0, 0, 1}, {0, 1}, {0, kInfinity}, {2, 2}, stage);
  EXPECT_EQ(sweep_stage(stage, {{&p, 1}, 0}, out), kInfinity);
  make_cylindrical_stage({0, 0, 0}, {0, 1}, {0, 0}, {1, 1}, stage);
  EXPECT_EQ(sweep_stage(stage, {{&p, 1}, 0}, out), kInfinity);
  // Any rotation at all is a ball about the centre, not endless.
  EXPECT_NEAR(sweep_ball({{}, 0, nan}, 1, {{&p, 1}, 0}, out), std::sqrt(3), 1e-12);
}

}  // namespace
}  // namespace keepclear
