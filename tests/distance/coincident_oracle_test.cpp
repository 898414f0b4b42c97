// SPDX-License-Identifier: BSD-3-Clause
//
// Shapes in one place: the same one twice, concentric ones, ones shifted by exact halves. Points of
// their difference lie on common lines and planes, and the origin on edges and faces of what a
// search builds. Depths against every direction that can matter. KEEPCLEAR_CASES asks for more.
#include <gtest/gtest.h>

#include <cstdlib>

#include "distance/generators.hpp"
#include "distance/pair.hpp"
#include "oracle/exact_overlap.hpp"
#include "oracle/near_contact_judge.hpp"
#include "oracle/reference_penetration.hpp"

namespace keepclear {
namespace {

using oracle::Quad;
using oracle::widen;
using test::pick;
using test::Random;
using test::Shape;

int cases(int usual) {
  const char* asked = std::getenv("KEEPCLEAR_CASES");
  return asked != nullptr ? std::atoi(asked) : usual;
}

/// Solids and flat things of few points, many with symmetries.
Shape symmetric_shape(Random& random) {
  const double size = test::log_uniform(random, 0.02, 2);
  const auto side = [&] { return pick(random, 3) ? size * test::uniform(random, 0.2, 1) : size; };
  switch (pick(random, 7)) {
    case 0: {
      const double x = side(), y = side();
      return test::make_box(Shape::Kind::box, {x, y, side()});
    }
    case 1: {
      const double x = side(), y = side(), z = side();
      return test::make_box(Shape::Kind::rounded_box, {x, y, z},
                            size * test::uniform(random, 0.01, 0.5));
    }
    case 2:
      return test::random_shape(random, pick(random, 2) ? Shape::Kind::needle : Shape::Kind::plate);
    case 3: {  // corners of a coarse grid
      Shape shape{Shape::Kind::hull, {}, pick(random, 2) ? 0.1 * size : 0, {}};
      const int count = 4 + pick(random, 9);
      for (int k = 0; k < count; ++k) {
        const double x = pick(random, 3) - 1, y = pick(random, 3) - 1;
        shape.points.push_back(0.5 * size * Vec3{x, y, static_cast<double>(pick(random, 3) - 1)});
      }
      return shape;
    }
    case 4: {  // a prism with many equal sides, or a double pyramid
      Shape shape{Shape::Kind::hull, {}, pick(random, 2) ? 0.2 * size : 0, {}};
      const int count = 3 + pick(random, 4);
      const bool prism = pick(random, 2) == 0;
      for (int k = 0; k < count; ++k) {
        const double angle = 2 * std::numbers::pi * k / count;
        const Vec3 rim = 0.5 * size * Vec3{std::cos(angle), std::sin(angle), 0};
        if (prism) {
          for (const double z : {-0.4, 0.4}) shape.points.push_back(rim + Vec3{0, 0, z * size});
        } else {
          shape.points.push_back(rim);
        }
      }
      if (!prism) shape.points.push_back({0, 0, 0.3 * size}), shape.points.push_back({0, 0, -size});
      return shape;
    }
    case 5:
      return test::random_shape(random,
                                pick(random, 2) ? Shape::Kind::capsule : Shape::Kind::sphere);
    default: {
      Shape shape{Shape::Kind::hull, {}, 0, {}};
      const int count = 4 + pick(random, 7);
      for (int k = 0; k < count; ++k)
        shape.points.push_back(0.5 * size * test::random_unit(random));
      return shape;
    }
  }
}

struct Meeting {
  Pose X_WA, X_WB;
  bool same_turn = false;  ///< both are turned alike, to the bit
};

/// Both in one place, or shifted by halves, quarters and whole sizes of what they are.
Meeting meet(Random& random, const Shape& a, const Shape& b) {
  Meeting at;
  at.X_WA.R = pick(random, 2) ? test::random_cube_rotation(random) : test::random_rotation(random);
  if (pick(random, 3) == 0) at.X_WA.p = 2 * test::random_unit(random);
  const int turn = pick(random, 4);
  at.same_turn = turn < 2;
  at.X_WB.R = at.same_turn ? at.X_WA.R
              : turn == 2  ? at.X_WA.R * test::random_cube_rotation(random)
                           : test::random_rotation(random);
  Vec3 shift;
  if (pick(random, 3) == 0) {
    const Vec3 step = pick(random, 2) ? a.points.front() : b.points.back();
    const double x = 0.5 * pick(random, 3), y = 0.5 * pick(random, 3);
    shift = {x * step.x, y * step.y, 0.5 * pick(random, 3) * step.z};
  }
  at.X_WB.p = at.X_WA.p + at.X_WA.R * shift;
  return at;
}

TEST(CoincidentShapes, HaveTheDepthOfTheNearestWayOut) {
  Random random(20261116);
  BodyDistanceOptions options;
  options.signed_distance = true;
  int judged = 0, wrong = 0, unproved = 0;
  for (int k = 0; k < cases(3000); ++k) {
    const Shape shape_a = symmetric_shape(random);
    Shape shape_b = pick(random, 2) ? shape_a : symmetric_shape(random);
    if (pick(random, 3) == 0) {  // a smaller or larger one around the same centre
      const double by = pick(random, 2) ? 0.5 : test::uniform(random, 0.3, 1.5);
      for (Vec3& p : shape_b.points) p = by * p;
      shape_b.size = by * shape_b.size;
    }
    const Meeting at = meet(random, shape_a, shape_b);
    const Body a = oracle::make_body(shape_a), b = oracle::make_body(shape_b);
    const auto points_a = oracle::points_of(a.volume()), points_b = oracle::points_of(b.volume());
    const oracle::ExactSet set_a(points_a), set_b(points_b);
    const auto exact = oracle::exact_distance(set_a, at.X_WA, set_b, at.X_WB);
    const double radii = a.radius() + b.radius();
    double depth = radii;
    if (exact.squared > 0) {
      if (!exact.overlap(mpq_class(a.radius()) + mpq_class(b.radius()))) continue;
      depth = radii - exact.approximate();
    } else {
      const oracle::SmallHull hull_a(set_a.points), hull_b(set_b.points);
      if (hull_a.solid || hull_b.solid) {
        depth += static_cast<double>(
            oracle::reference_penetration(set_a.points, hull_a, widen<Quad>(at.X_WA), set_b.points,
                                          hull_b, widen<Quad>(at.X_WB)));
      } else if (!at.same_turn || &shape_a == &shape_b) {
        continue;  // two flat ones across each other: their difference is solid
      } else if (points_a.size() > 2 || points_b.size() > 2) {
        continue;
      }
    }
    if (depth < 1e-9) continue;
    ++judged;
    const BodyDistance found = distance(a, at.X_WA, b, at.X_WB, options);
    if (found.verdict != Verdict::contact) ++unproved;
    const double size = 1 + depth;
    if (!(std::abs(found.distance + depth) <= 1e-9 * size) ||
        !(found.lower_bound <= -depth + 1e-13 * size)) {
      if (++wrong <= 5) {
        ADD_FAILURE() << "case " << k << ": " << to_string(shape_a.kind) << " of "
                      << points_a.size() << " points in " << to_string(shape_b.kind) << " of "
                      << points_b.size() << ": depth " << depth << ", found " << -found.distance
                      << ", bound " << -found.lower_bound;
      }
    }
    // What is proved of the depth is neither more than it is, nor much less.
    Placement pair{&a.tables(), &b.tables(), rounding::relative_pose(at.X_WA, at.X_WB), 0};
    const double turned = rounding::deviation_from_rotation_hi(at.X_WA.R) +
                          rounding::deviation_from_rotation_hi(at.X_WB.R);
    pair.error_hi = placement_error_hi(*pair.a, *pair.b, pair.X_AB, {2 * turned, 1e-15});
    GjkCache cache;
    EpaWorkspace space;
    const PairAnswer answer = solve_pair(pair, {1e-10, true}, cache, space);
    EXPECT_LE(answer.sure_depth_lo, depth + 1e-15 * size) << k;
    if (answer.verdict == Verdict::contact) {
      EXPECT_GE(answer.sure_depth_lo, depth - 1e-8 * size) << k;
    }
  }
  std::printf("%d overlaps judged, %d wrong, %d unproved\n", judged, wrong, unproved);
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(unproved, 0);
  EXPECT_GT(judged, cases(3000) / 4);
}

}  // namespace
}  // namespace keepclear
