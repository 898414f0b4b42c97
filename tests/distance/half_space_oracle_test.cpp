// SPDX-License-Identifier: BSD-3-Clause
//
// Half-spaces in rational arithmetic. The real pose is the computed one plus a perturbation within
// its stated error; the real gap, the least n.x over the real points, is a rational, and lengths
// enter by their squares. There is no tolerance in what is asked of bounds and verdicts.
#include "distance/half_space.hpp"

#include <gmpxx.h>
#include <gtest/gtest.h>

#include "distance/placing.hpp"

namespace keepclear {
namespace {

using test::Random;

struct RationalVec {
  mpq_class x, y, z;
};
mpq_class dot(const RationalVec& a, const RationalVec& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
RationalVec rational(Vec3 a) {
  return {mpq_class(a.x), mpq_class(a.y), mpq_class(a.z)};
}
RationalVec plus(const RationalVec& a, Vec3 b) {
  return {a.x + mpq_class(b.x), a.y + mpq_class(b.y), a.z + mpq_class(b.z)};
}

/// One half-space against one body, and what the real pose differs by from the computed one.
struct Case {
  HalfSpace solid;
  Pose X;
  rounding::PoseError error;
  Mat3 rotation_off{{}, {}, {}};
  Vec3 position_off;
};

/// The least n.x over the points of the body, in the real pose.
mpq_class least_along(const Case& c, const BodyTables& body) {
  const RationalVec row0 = plus(rational(c.X.R.row0), c.rotation_off.row0);
  const RationalVec row1 = plus(rational(c.X.R.row1), c.rotation_off.row1);
  const RationalVec row2 = plus(rational(c.X.R.row2), c.rotation_off.row2);
  const RationalVec p = plus(rational(c.X.p), c.position_off), n = rational(c.solid.n);
  // Doubles find the few points that can be lowest.
  const Vec3 along = transposed_times(c.X.R, c.solid.n);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < body.count; ++i) {
    least = std::min(least, keepclear::dot(along, body.point(i)));
  }
  const double near = least + (2e-5 + 4 * c.error.rotation) * norm(c.solid.n) * body.reach_hi;
  mpq_class result;
  bool first = true;
  for (std::size_t i = 0; i < body.count; ++i) {
    if (keepclear::dot(along, body.point(i)) > near) continue;
    const RationalVec b = rational(body.point(i));
    const RationalVec at{dot(row0, b) + p.x, dot(row1, b) + p.y, dot(row2, b) + p.z};
    const mpq_class value = dot(n, at);
    if (first || value < result) result = value;
    first = false;
  }
  return result;
}

/// The sign of gap/|n| - (away + offset + radius), exactly.
int compare(const mpq_class& gap, const Case& c, const BodyTables& body, double away) {
  const RationalVec n = rational(c.solid.n);
  const mpq_class sum = mpq_class(away) + mpq_class(c.solid.offset) + mpq_class(body.radius);
  const mpq_class left = gap * gap * sgn(gap), right = sum * sum * dot(n, n) * sgn(sum);
  return sgn(left - right);
}

struct Seen {
  int free = 0, contact = 0, undecided = 0;
};

/// How large the numbers are that the answer is rounded from.
double scale_of(const Case& c, const BodyTables& body) {
  return std::fabs(c.solid.offset) + norm(c.X.p) + body.reach_hi + body.radius;
}

void expect_right(const Case& c, const BodyTables& body, double margin, Seen& seen) {
  PairOptions options;
  options.signed_distance = true;
  options.margin = margin;
  const PairAnswer answer = solve_half_space(c.solid, body, c.X, c.error, options);
  const mpq_class gap = least_along(c, body);
  ASSERT_GE(compare(gap, c, body, answer.lower), 0) << "the bound is above the real distance";
  ASSERT_EQ(answer.lower, answer.signed_lower);
  const double off = c.error.rotation * body.reach_hi + c.error.position;
  const double loose = 1e-14 * scale_of(c, body) + 2 * off;
  ASSERT_LE(compare(gap, c, body, answer.distance + loose), 0);
  ASSERT_GE(compare(gap, c, body, answer.distance - loose), 0);
  ASSERT_LE(answer.distance - answer.lower, loose);
  switch (answer.verdict) {
    case Verdict::free:
      ++seen.free;
      ASSERT_GT(compare(gap, c, body, margin), 0);
      break;
    case Verdict::contact:
      ++seen.contact;
      ASSERT_LT(compare(gap, c, body, margin), 0);
      break;
    case Verdict::undecided:
      ++seen.undecided;
      ASSERT_LE(compare(gap, c, body, margin + 2 * loose), 0) << "undecided without need";
      ASSERT_GE(compare(gap, c, body, margin - 2 * loose), 0) << "undecided without need";
  }
  // The points: one on the surface, one at its distance, both along the normal.
  const double length = norm(c.solid.n);
  ASSERT_NEAR(dot(c.solid.n, answer.p_a) / length, c.solid.offset, 2e-14 * scale_of(c, body));
  ASSERT_NEAR(norm(answer.p_b - answer.p_a), std::fabs(answer.distance), 2e-14 * scale_of(c, body));
  ASSERT_NEAR(norm(answer.n), 1, 1e-15);

  // Without a sign the same, cut off at zero.
  options.signed_distance = false;
  const PairAnswer plain = solve_half_space(c.solid, body, c.X, c.error, options);
  ASSERT_EQ(plain.verdict, answer.verdict);
  ASSERT_EQ(plain.lower, std::max(answer.lower, 0.0));
  ASSERT_EQ(plain.distance, std::max(answer.distance, 0.0));
}

Mat3 random_matrix(Random& random, double frobenius) {
  Mat3 m{test::random_unit(random), test::random_unit(random), test::random_unit(random)};
  const double s = frobenius / std::sqrt(3.0) * (1 - 1e-9);
  return {s * m.row0, s * m.row1, s * m.row2};
}

/// A body laid against the plane at a gap that is often tiny.
Case random_case(Random& random, const BodyTables& body, double far) {
  Case c;
  c.solid.n = test::log_uniform(random, 1e-3, 1e3) * test::random_unit(random);
  if (test::pick(random, 4) == 0) c.solid.n = test::random_cube_rotation(random).row0;
  c.X.R = test::pick(random, 4) == 0 ? test::random_cube_rotation(random)
                                     : test::random_rotation(random);
  c.X.p = test::uniform(random, 0, far) * test::random_unit(random);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < body.count; ++i) {
    least = std::min(least, dot(c.solid.n, c.X * body.point(i)));
  }
  c.solid.offset = least / norm(c.solid.n) - body.radius - test::random_gap(random);
  if (test::pick(random, 8) == 0) c.solid.offset = test::uniform(random, -far, far);
  return c;
}

TEST(HalfSpaceOracle, BoundsAndVerdictsHoldInRationalArithmetic) {
  Random random(1);
  const std::vector<Body> bodies = test::many_bodies(random, 6);
  Seen seen;
  for (int k = 0; k < 6000; ++k) {
    const BodyTables& body = bodies[random() % bodies.size()].tables();
    const Case c = random_case(random, body, 3);
    expect_right(c, body, 0, seen);
    if (HasFatalFailure()) FAIL() << "case " << k;
  }
  EXPECT_GT(seen.free, 1500);
  EXPECT_GT(seen.contact, 1500);
  EXPECT_GT(seen.undecided, 10);
}

TEST(HalfSpaceOracle, MarginsAreKeptInRationalArithmetic) {
  Random random(2);
  const std::vector<Body> bodies = test::many_bodies(random, 4);
  Seen seen;
  for (int k = 0; k < 3000; ++k) {
    const BodyTables& body = bodies[random() % bodies.size()].tables();
    Case c = random_case(random, body, 3);
    const double margin = test::log_uniform(random, 1e-6, 0.1);
    if (test::pick(random, 3) != 0) c.solid.offset -= margin;  // to the margin, not to the plane
    expect_right(c, body, margin, seen);
    if (HasFatalFailure()) FAIL() << "case " << k;
  }
  EXPECT_GT(seen.free, 500);
  EXPECT_GT(seen.contact, 500);
}

TEST(HalfSpaceOracle, PlanesAHundredKilometresAwayAreJudgedAsCarefully) {
  Random random(3);
  const std::vector<Body> bodies = test::many_bodies(random, 4);
  Seen seen;
  for (int k = 0; k < 3000; ++k) {
    const BodyTables& body = bodies[random() % bodies.size()].tables();
    expect_right(random_case(random, body, 1e5), body, 0, seen);
    if (HasFatalFailure()) FAIL() << "case " << k;
  }
  EXPECT_GT(seen.free, 300);
  EXPECT_GT(seen.contact, 300);
  EXPECT_GT(seen.undecided, 100);
}

TEST(HalfSpaceOracle, AnyRealPoseWithinTheStatedErrorIsCovered) {
  Random random(4);
  const std::vector<Body> bodies = test::many_bodies(random, 4);
  Seen seen;
  for (int k = 0; k < 3000; ++k) {
    const BodyTables& body = bodies[random() % bodies.size()].tables();
    Case c = random_case(random, body, 3);
    c.error = {test::log_uniform(random, 1e-15, 1e-6), test::log_uniform(random, 1e-15, 1e-6)};
    c.rotation_off = random_matrix(random, c.error.rotation);
    // Mostly towards or away from the plane, where it counts.
    const Vec3 n = (1 / norm(c.solid.n)) * c.solid.n;
    const Vec3 way = test::pick(random, 3) == 0   ? test::random_unit(random)
                     : test::pick(random, 2) == 0 ? n
                                                  : -n;
    c.position_off = c.error.position * (1 - 1e-9) * way;
    expect_right(c, body, 0, seen);
    if (HasFatalFailure()) FAIL() << "case " << k;
  }
  EXPECT_GT(seen.free, 300);
  EXPECT_GT(seen.contact, 300);
  EXPECT_GT(seen.undecided, 300);
}

TEST(HalfSpaceOracle, FacesThatLieInThePlaneAreNeverFree) {
  // Exact in doubles: a box on the plane, touching, has no distance and no overlap.
  const Body box = Body::box({0.5, 0.25, 1});
  for (const double offset : {0.0, 1.0, -8.0, 1024.0}) {
    const HalfSpace floor{{0, 0, 2}, offset};
    const PairAnswer answer =
        solve_half_space(floor, box.tables(), {{}, {0, 0, offset + 0.5}}, {}, {});
    EXPECT_NE(answer.verdict, Verdict::free) << offset;
    EXPECT_EQ(answer.lower, 0) << offset;
    EXPECT_NEAR(answer.distance, 0, 1e-12) << offset;
  }
}

TEST(HalfSpaceOracle, ANormalThatIsNoDirectionDecidesNothing) {
  const Body ball = Body::sphere({0, 0, 5}, 0.1);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  for (const Vec3 n : {Vec3{}, Vec3{kNan, 0, 1}, Vec3{0, 0, 1e200}, Vec3{1e-200, 0, 0}}) {
    const PairAnswer answer = solve_half_space({n, 0}, ball.tables(), {}, {}, {});
    EXPECT_EQ(answer.verdict, Verdict::undecided);
    EXPECT_EQ(answer.lower, 0);
  }
}

TEST(HalfSpaceOracle, AnOffsetOrPoseThatIsNoNumberIsNeverFree) {
  const Body ball = Body::sphere({0, 0, 5}, 0.1);
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  const PairAnswer offset = solve_half_space({{0, 0, 1}, kNan}, ball.tables(), {}, {}, {});
  EXPECT_EQ(offset.verdict, Verdict::undecided);
  const PairAnswer pose =
      solve_half_space({{0, 0, 1}, 0}, ball.tables(), {{}, {0, 0, kNan}}, {}, {});
  EXPECT_EQ(pose.verdict, Verdict::undecided);
  const PairAnswer error = solve_half_space({{0, 0, 1}, 0}, ball.tables(), {}, {kNan, 0}, {});
  EXPECT_EQ(error.verdict, Verdict::undecided);
}

}  // namespace
}  // namespace keepclear
