// SPDX-License-Identifier: BSD-3-Clause
//
// Spheres, capsules and boxes in exact arithmetic, pair by pair of kinds, and the two slips of
// paper 5 in its primitive tests (4.1.1, 4.1.2), each written out as printed and held against the
// exact answer.
#include <gtest/gtest.h>

#include <array>

#include "distance/closed_forms.hpp"
#include "distance/placing.hpp"
#include "oracle/exact_overlap.hpp"

namespace keepclear {
namespace {

using oracle::ExactSet;
using test::Random;
using Kind = test::Shape::Kind;

/// The exact distance of two bodies in these poses, as a square of the hulls' distance.
struct Exact {
  mpq_class squared, radii;

  Exact(const Body& a, const Pose& X_WA, const Body& b, const Pose& X_WB)
      : radii(mpq_class(a.radius()) + mpq_class(b.radius())) {
    const std::vector<Vec3> of_a = test::points_of(a.tables()), of_b = test::points_of(b.tables());
    squared = oracle::exact_distance(ExactSet(of_a), X_WA, ExactSet(of_b), X_WB).squared;
  }

  /// The sign of (distance of the bodies) - away.
  int compare(double away) const {
    const mpq_class sum = radii + mpq_class(away);
    return sgn(squared - sum * sum * sgn(sum));
  }
};

struct Seen {
  int free = 0, contact = 0, undecided = 0, missed = 0, pairs = 0;
};

/// `loose`: what the poses may be off by from rotations, times the size of the bodies; the library
/// takes any rotation near theirs.
void expect_right(const Body& a, const Pose& X_WA, const Body& b, const Pose& X_WB, double loose,
                  Seen& seen) {
  const Exact exact(a, X_WA, b, X_WB);
  const BodyDistance found = distance(a, X_WA, b, X_WB);
  ++seen.pairs;
  if (found.lower_bound > 0) {
    ASSERT_GE(exact.compare(found.lower_bound), 0) << "bound above the exact distance";
  }
  ASSERT_LE(exact.compare(found.distance + loose), 0) << found.distance;
  if (found.distance > loose) {
    ASSERT_GE(exact.compare(found.distance - loose), 0) << found.distance;
  }
  switch (found.verdict) {
    case Verdict::free:
      ++seen.free;
      ASSERT_GT(exact.compare(0), 0);
      ASSERT_LE(found.distance - found.lower_bound, 1e-9);
      break;
    case Verdict::contact:
      ++seen.contact;
      ASSERT_LE(exact.compare(0), 0);
      break;
    case Verdict::undecided:
      ++seen.undecided;
      ASSERT_LE(exact.compare(loose), 0) << "undecided without need";
  }
}

void expect_right_near_contact(Kind kind_a, Kind kind_b, std::uint64_t seed) {
  Random random(seed);
  Seen seen;
  for (int k = 0; k < 1500; ++k) {
    const test::Shape a = test::random_shape(random, kind_a),
                      b = test::random_shape(random, kind_b);
    auto pattern = static_cast<test::Pattern>(test::pick(random, test::kPatternCount));
    if (pattern == test::Pattern::uncertain_rotation) pattern = test::Pattern::any_features;
    const test::Placement at = test::place(random, a, b, pattern);
    const Body body_a = test::body_of(a), body_b = test::body_of(b);
    expect_right(body_a, at.X_WA, body_b, at.X_WB, 1e-9 + 1e-14 * at.offset, seen);
    if (testing::Test::HasFatalFailure()) FAIL() << test::to_string(pattern) << ", case " << k;
  }
  EXPECT_GT(seen.free, 200);
  EXPECT_GT(seen.contact, 200);
}

TEST(PrimitiveOracle, SpheresAreExact) {
  expect_right_near_contact(Kind::sphere, Kind::sphere, 1);
  expect_right_near_contact(Kind::sphere, Kind::capsule, 2);
  expect_right_near_contact(Kind::sphere, Kind::box, 3);
}
TEST(PrimitiveOracle, CapsulesAreExact) {
  expect_right_near_contact(Kind::capsule, Kind::capsule, 4);
  expect_right_near_contact(Kind::capsule, Kind::box, 5);
  expect_right_near_contact(Kind::box, Kind::capsule, 6);
}
TEST(PrimitiveOracle, BoxesAreExact) {
  expect_right_near_contact(Kind::box, Kind::box, 7);
  expect_right_near_contact(Kind::rounded_box, Kind::box, 8);
  expect_right_near_contact(Kind::needle, Kind::plate, 9);
}

TEST(PrimitiveOracle, PrimitivesKeepTheKindThatTheirClosedFormsNeed) {
  EXPECT_EQ(Body::sphere({1, 2, 3}, 0.1).tables().kind, BodyKind::point);
  EXPECT_EQ(Body::capsule({0, 0, 0}, {1, 0, 0}, 0.1).tables().kind, BodyKind::segment);
  EXPECT_EQ(Body::box({1, 2, 3}).tables().kind, BodyKind::box);
}

TEST(PrimitiveOracle, DegenerateCapsulesAreExact) {
  Random random(10);
  Seen seen;
  for (int k = 0; k < 3000; ++k) {
    const auto point = [&] { return test::uniform(random, 0, 1) * test::random_unit(random); };
    Vec3 a = point(), b = point(), c = point(), d = point();
    switch (k % 6) {
      case 0:  // on one line
        c = a + test::uniform(random, -2, 2) * (b - a);
        d = a + test::uniform(random, -2, 2) * (b - a);
        break;
      case 1:  // parallel
        d = c + test::uniform(random, -2, 2) * (b - a);
        break;
      case 2:  // nearly parallel
        d = c + (b - a) + test::log_uniform(random, 1e-17, 1e-3) * point();
        break;
      case 3:  // of no length
        b = a;
        break;
      case 4:  // a common end
        c = b;
        break;
      default:  // the same twice
        c = b, d = a;
    }
    // The radii end the gap at, just before and just after the distance of the segments.
    const NearestPoints near = nearest_of_segments(a, b, c, d);
    const double gap = test::random_gap(random);
    const double radii = std::max(norm(near.p_a - near.p_b) - gap, 0.0);
    const Body first = Body::capsule(a, b, 0.25 * radii),
               second = Body::capsule(c, d, 0.75 * radii);
    expect_right(first, {}, second, {}, 1e-9, seen);
    if (HasFatalFailure()) FAIL() << "case " << k;
  }
  EXPECT_GT(seen.free, 300);
  EXPECT_GT(seen.contact, 300);
}

/// Paper 5, 4.1.2 as printed: the nearest points of the two lines, each clamped to its segment.
double clamped_one_by_one(Vec3 a, Vec3 b, Vec3 c, Vec3 d) {
  const Vec3 u = b - a, v = d - c, r = a - c;
  const double uu = dot(u, u), vv = dot(v, v), uv = dot(u, v), ru = dot(r, u), rv = dot(r, v);
  const double det = uu * vv - uv * uv;
  const double s = std::clamp((uv * rv - vv * ru) / det, 0.0, 1.0);
  const double t = std::clamp((uu * rv - uv * ru) / det, 0.0, 1.0);
  return norm((a + s * u) - (c + t * v));
}

TEST(PaperSlips, ClampingThePointsOfTwoLinesMissesCollisionsOfHalfTheCapsules) {
  Random random(11);
  int too_large = 0;
  double worst = 1;
  Seen seen;
  for (int k = 0; k < 20000; ++k) {
    std::array<Vec3, 4> p;
    for (Vec3& x : p) {
      x.x = test::uniform(random, -1, 1);
      x.y = test::uniform(random, -1, 1);
      x.z = test::uniform(random, -1, 1);
    }
    const double literal = clamped_one_by_one(p[0], p[1], p[2], p[3]);
    const NearestPoints near = nearest_of_segments(p[0], p[1], p[2], p[3]);
    const double ours = norm(near.p_a - near.p_b);
    ASSERT_LE(ours, literal + 1e-12);
    if (!(literal > ours * (1 + 1e-9))) continue;
    ++too_large;
    worst = std::max(worst, literal / ours);
    if (k % 20 != 0) continue;
    // Capsules that overlap, and that the printed test lets pass.
    const double radius = 0.5 * (0.5 * ours + 0.5 * literal);
    const Body a = Body::capsule(p[0], p[1], radius), b = Body::capsule(p[2], p[3], radius);
    if (!(literal > a.radius() + b.radius())) continue;
    expect_right(a, {}, b, {}, 1e-9, seen);
    if (HasFatalFailure()) FAIL() << "case " << k;
    ASSERT_LT(Exact(a, {}, b, {}).compare(0), 0);
    ASSERT_EQ(distance(a, {}, b, {}).verdict, Verdict::contact);
    ++seen.missed;
  }
  // About half, whatever the seed; the factor is one of chance.
  EXPECT_GT(too_large, 9000);
  EXPECT_LT(too_large, 11000);
  EXPECT_GT(worst, 4);
  EXPECT_GT(seen.missed, 400);
}

/// Whether segment ab meets the box |x| <= half: the slabs in turn.
bool edge_meets_box(Vec3 a, Vec3 b, Vec3 half) {
  double lo = 0, hi = 1;
  for (int k = 0; k < 3; ++k) {
    const double from = a[k], way = b[k] - a[k];
    if (way == 0) {
      if (std::fabs(from) > half[k]) return false;
      continue;
    }
    const double s = (-half[k] - from) / way, t = (half[k] - from) / way;
    lo = std::max(lo, std::min(s, t));
    hi = std::min(hi, std::max(s, t));
  }
  return lo <= hi;
}

/// Which of the 27 regions around the box a point is in: -1, 0 or 1 along each axis.
std::array<int, 3> region_of(Vec3 p, Vec3 half) {
  std::array<int, 3> region{};
  for (int k = 0; k < 3; ++k) region[k] = p[k] < -half[k] ? -1 : p[k] > half[k] ? 1 : 0;
  return region;
}

/// Paper 5, 4.1.1: ClipRect. As printed, an edge whose ends are beyond one face ends the whole
/// test; corrected, the next edge is looked at.
bool clip_rect(const std::array<Vec3, 8>& corners, Vec3 half, bool as_printed) {
  for (int i = 0; i < 8; ++i) {
    for (const int bit : {1, 2, 4}) {
      if (i & bit) continue;
      const Vec3 a = corners[i], b = corners[i | bit];
      const auto from = region_of(a, half), to = region_of(b, half);
      const std::array<int, 3> inside{};
      if (from == inside || to == inside) return true;
      bool beyond_one_face = false;
      for (int k = 0; k < 3; ++k) {
        beyond_one_face = beyond_one_face || (from[k] != 0 && from[k] == to[k]);
      }
      if (beyond_one_face) {
        if (as_printed) return false;
        continue;
      }
      if (edge_meets_box(a, b, half)) return true;
    }
  }
  return false;
}

std::array<Vec3, 8> corners_of(Vec3 half, const Pose& X) {
  std::array<Vec3, 8> corners;
  for (int i = 0; i < 8; ++i) {
    corners[i] =
        X * Vec3{i & 1 ? half.x : -half.x, i & 2 ? half.y : -half.y, i & 4 ? half.z : -half.z};
  }
  return corners;
}

bool rect_solids_intersect(Vec3 half_a, Vec3 half_b, const Pose& X_AB, bool as_printed) {
  return clip_rect(corners_of(half_b, X_AB), half_a, as_printed) ||
         clip_rect(corners_of(half_a, inverse(X_AB)), half_b, as_printed);
}

TEST(PaperSlips, ClipRectAsPrintedLetsABeamThroughATablePass) {
  // The first edge of either lies beyond a face of the other; the beam goes through all the same.
  const Vec3 table{1, 1, 0.05}, beam{0.05, 0.05, 1};
  const Pose X_AB{{}, {0.3, 0.2, 0}};
  EXPECT_FALSE(rect_solids_intersect(table, beam, X_AB, true));
  EXPECT_TRUE(rect_solids_intersect(table, beam, X_AB, false));
  EXPECT_EQ(distance(Body::box(2 * table), {}, Body::box(2 * beam), X_AB).verdict,
            Verdict::contact);
}

TEST(PaperSlips, ClipRectAsPrintedMissesCollisionsThatOursNamesAsTheExactTestDoes) {
  Random random(12);
  int overlapping = 0, missed = 0;
  for (int k = 0; k < 1500; ++k) {
    Vec3 half_a, half_b;
    for (Vec3* half : {&half_a, &half_b}) {
      half->x = test::log_uniform(random, 0.05, 1);
      half->y = test::log_uniform(random, 0.05, 1);
      half->z = test::log_uniform(random, 0.05, 1);
    }
    Pose X_AB;
    X_AB.R = test::random_rotation(random);
    X_AB.p = test::uniform(random, 0, 2) * test::random_unit(random);
    const Body a = Body::box(2 * half_a), b = Body::box(2 * half_b);
    const Exact exact(a, {}, b, X_AB);
    const bool overlap = exact.compare(0) <= 0;
    const Verdict ours = distance(a, {}, b, X_AB).verdict;
    ASSERT_EQ(ours, overlap ? Verdict::contact : Verdict::free);
    // The corrected clipping is right as well: one solid inside the other has its edges inside.
    ASSERT_EQ(rect_solids_intersect(half_a, half_b, X_AB, false), overlap);
    ASSERT_EQ(best_box_axis(half_a, half_b, X_AB).separation <= 0, overlap);
    if (!overlap) continue;
    ++overlapping;
    if (!rect_solids_intersect(half_a, half_b, X_AB, true)) ++missed;
  }
  EXPECT_GT(overlapping, 300);
  EXPECT_GT(missed, overlapping / 20);
}

}  // namespace
}  // namespace keepclear
