// SPDX-License-Identifier: BSD-3-Clause
//
// The motion of one body among others, by cases whose answer is known.
#include "keepclear/toleranced.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "keepclear/error.hpp"

namespace keepclear {
namespace {

constexpr double kPi = 3.14159265358979323846;

Pose at(Vec3 p) {
  return {Mat3{}, p};
}
/// A straight way without turning, in a second.
CurvePointer straight(Vec3 from, Vec3 to) {
  const Pose poses[] = {at(from), at(to)};
  const double times[] = {0, 1};
  return interpolated_curve(poses, times);
}
CurvePointer turning(double angle) {
  return screw_curve({}, {}, {0, 0, 1}, angle, 0);
}

TolerancedOptions asking(Ask ask, double tolerance = 1e-3) {
  TolerancedOptions options;
  options.ask = ask;
  options.tolerance = tolerance;
  return options;
}
TolerancedResult check(const Polyhedron& moving, const Polyhedron& standing,
                       const CurvePointer& curve, const TolerancedOptions& options) {
  TolerancedQuery query(moving, {{standing, "it"}}, {}, options);
  return query(*curve);
}

const Polyhedron kBox = Polyhedron::box({1, 1, 1});

/// A box without its lid: solid walls are not closed by themselves.
Polyhedron open_box(double size) {
  const double h = size / 2;
  const std::vector<Vec3> v{{-h, -h, -h}, {h, -h, -h}, {h, h, -h}, {-h, h, -h},
                            {-h, -h, h},  {h, -h, h},  {h, h, h},  {-h, h, h}};
  const std::vector<Polyhedron::Face> faces{
      {{0, 1, 2, 3}}, {{0, 1, 5, 4}}, {{1, 2, 6, 5}}, {{2, 3, 7, 6}}, {{3, 0, 4, 7}}};
  return Polyhedron::faces(v, faces);
}

TEST(Toleranced, ABodyThatPassesByIsFreeAndItsClearanceIsKnown) {
  const auto curve = straight({-3, 0, 1.5}, {3, 0, 1.5});
  for (const Ask ask : {Ask::verdict, Ask::first_contact, Ask::all_intervals, Ask::clearance}) {
    const TolerancedResult r = check(kBox, kBox, curve, asking(ask));
    EXPECT_EQ(r.verdict, Verdict::free) << static_cast<int>(ask);
    if (ask == Ask::clearance) {
      EXPECT_GT(r.clearance, 0.4);
      EXPECT_LE(r.clearance, 0.5);
      EXPECT_NEAR(r.distance, 0.5, 1e-9);
    }
  }
}

TEST(Toleranced, ABodyThatRunsIntoAnotherIsInContactWhereItTouches) {
  const auto curve = straight({-3, 0.2, 0.3}, {3, 0.2, 0.3});
  const TolerancedResult r = check(kBox, kBox, curve, asking(Ask::first_contact));
  EXPECT_EQ(r.verdict, Verdict::contact);
  // They touch at x = -1, after a third of the way; a thousandth of a metre is 1/6000 of it.
  EXPECT_NEAR(r.first_contact, 1.0 / 3, 1e-3);
  ASSERT_EQ(r.intervals.size(), 2U);
  EXPECT_EQ(r.intervals[0].status, Verdict::free);
  EXPECT_EQ(r.intervals[1].status, Verdict::contact);
  EXPECT_NE(r.intervals[1].moving.kind, Element::Kind::none);
  EXPECT_NEAR(r.intervals[1].place.x, -0.5, 2e-3);
}

TEST(Toleranced, AllIntervalsTellWhenItComesAndWhenItGoes) {
  const auto curve = straight({-3, 0.2, 0.3}, {3, 0.2, 0.3});
  const TolerancedResult r = check(kBox, kBox, curve, asking(Ask::all_intervals));
  EXPECT_EQ(r.verdict, Verdict::contact);
  ASSERT_EQ(r.intervals.size(), 3U);
  EXPECT_NEAR(r.intervals[1].from, 1.0 / 3, 1e-3);
  EXPECT_NEAR(r.intervals[1].to, 2.0 / 3, 1e-3);
  EXPECT_EQ(r.intervals[1].status, Verdict::contact);
  EXPECT_EQ(r.intervals[2].status, Verdict::free);
}

TEST(Toleranced, WhatPiercesItAtTheStartIsAContactAlthoughNothingBegins) {
  // A long needle through a turning plate: no vertex, no edge ever meets another.
  const Polyhedron plate =
      Polyhedron::polygon(std::vector<Vec3>{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}});
  const Polyhedron needle = Polyhedron::segment({0.1, 0.05, -5}, {0.1, 0.05, 5});
  const Polyhedron strip = Polyhedron::polygon(
      std::vector<Vec3>{{0.1, -0.1, -5}, {0.1, 0.1, -5}, {0.1, 0.1, 5}, {0.1, -0.1, 5}});
  for (const Ask ask : {Ask::verdict, Ask::first_contact, Ask::all_intervals, Ask::clearance}) {
    for (const Polyhedron& thing : {needle, strip}) {
      EXPECT_EQ(check(plate, thing, turning(0.3), asking(ask)).verdict, Verdict::contact);
      EXPECT_EQ(check(thing, plate, turning(0.3), asking(ask)).verdict, Verdict::contact);
    }
  }
}

TEST(Toleranced, WhatIsInsideASolidIsInContactAndWhatIsInAnOpenBoxIsNot) {
  const Polyhedron small = Polyhedron::box({0.1, 0.1, 0.1});
  const auto curve = straight({-0.1, 0, 0}, {0.1, 0.05, 0});
  for (const Ask ask : {Ask::verdict, Ask::first_contact, Ask::all_intervals, Ask::clearance}) {
    EXPECT_EQ(check(small, kBox, curve, asking(ask)).verdict, Verdict::contact);
    EXPECT_EQ(check(kBox, small, curve, asking(ask)).verdict, Verdict::contact);
    EXPECT_EQ(check(small, open_box(1), curve, asking(ask)).verdict, Verdict::free);
    EXPECT_EQ(check(open_box(1), small, curve, asking(ask)).verdict, Verdict::free);
  }
}

TEST(Toleranced, AHollowIsNotCalledFreeNorAContact) {
  // A closed shell around a hollow; which side of it is solid, its faces do not say.
  std::vector<Vec3> vertices;
  std::vector<Polyhedron::Triangle> triangles;
  const Polyhedron outer = Polyhedron::box({2, 2, 2}), inner = Polyhedron::box({1, 1, 1});
  for (const Polyhedron* box : {&outer, &inner}) {
    const auto base = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), box->vertices().begin(), box->vertices().end());
    for (std::size_t f = 0; f < box->face_count(); ++f) {
      for (const auto& t : box->triangles_of(f)) {
        triangles.push_back({base + t[0], base + t[1], base + t[2]});
      }
    }
  }
  const Polyhedron shell = Polyhedron::mesh(vertices, triangles);
  const Polyhedron small = Polyhedron::box({0.1, 0.1, 0.1});
  const auto curve = straight({-0.1, 0, 0}, {0.1, 0.05, 0});
  EXPECT_EQ(check(small, shell, curve, asking(Ask::verdict)).verdict, Verdict::undecided);
  const auto wall = straight({0.75, 0, 0}, {0.75, 0.1, 0});
  EXPECT_EQ(check(small, shell, wall, asking(Ask::verdict)).verdict, Verdict::contact);
}

/// The triangles of several polyhedra in one mesh.
Polyhedron together(std::initializer_list<const Polyhedron*> bodies, int times = 1,
                    bool turn = false) {
  std::vector<Vec3> vertices;
  std::vector<Polyhedron::Triangle> triangles;
  for (const Polyhedron* body : bodies) {
    const auto base = static_cast<std::uint32_t>(vertices.size());
    vertices.insert(vertices.end(), body->vertices().begin(), body->vertices().end());
    for (std::size_t f = 0; f < body->face_count(); ++f) {
      for (const auto& t : body->triangles_of(f)) {
        for (int i = 0; i < times; ++i) {
          const bool other_way = turn && i % 2 == 1;
          triangles.push_back(
              {base + t[0], base + t[other_way ? 2 : 1], base + t[other_way ? 1 : 2]});
        }
      }
    }
  }
  return Polyhedron::mesh(vertices, triangles);
}

TEST(Toleranced, FacesGivenTwiceAreSolidAllTheSame) {
  const Polyhedron small = Polyhedron::box({0.1, 0.1, 0.1});
  const auto curve = straight({-0.1, 0.02, 0.03}, {0.1, 0.05, 0});
  for (const int times : {1, 2, 3}) {
    for (const bool turn : {false, true}) {
      const Polyhedron box = together({&kBox}, times, turn);
      EXPECT_TRUE(box.solid());
      EXPECT_EQ(check(small, box, curve, asking(Ask::verdict)).verdict, Verdict::contact);
      EXPECT_EQ(check(box, small, curve, asking(Ask::verdict)).verdict, Verdict::contact);
    }
  }
}

TEST(Toleranced, ShellsThatShareACornerOrOverlapAreNotCountedAsOne) {
  const Polyhedron large = Polyhedron::box({2, 2, 2}).placed(at({1, 1, 1}));
  const Polyhedron corner = Polyhedron::box({1, 1, 1}).placed(at({0.5, 0.5, 0.5}));
  const Polyhedron tower = Polyhedron::box({1, 1, 3}).placed(at({0.5, 0.5, 1.5}));
  const Polyhedron small = Polyhedron::box({0.1, 0.1, 0.1});
  const auto inside = straight({0.5, 0.5, 0.5}, {0.6, 0.5, 0.5});
  const auto in_one = straight({1.5, 1.5, 1.5}, {1.6, 1.5, 1.5});
  const auto outside = straight({3, 0.5, 0.5}, {4, 0.5, 0.5});
  for (const Polyhedron* other : {&corner, &tower}) {
    const Polyhedron both = together({&large, other});
    EXPECT_NE(check(small, both, inside, asking(Ask::verdict)).verdict, Verdict::free);
    EXPECT_EQ(check(small, both, in_one, asking(Ask::verdict)).verdict, Verdict::contact);
    EXPECT_EQ(check(small, both, outside, asking(Ask::verdict)).verdict, Verdict::free);
  }
}

TEST(Toleranced, WhatIsRoundGrowsWhereACurveStretchesTheBody) {
  const Mat3 five{{5, 0, 0}, {0, 5, 0}, {0, 0, 5}};
  const std::vector<Affine> control{{five, {0.6, 0, 0}}, {five, {0.6, 0.1, 0}}};
  const std::vector<Vec3> origin{{0, 0, 0}};
  const Polyhedron ball = Polyhedron::points(origin, 0.1);
  const Polyhedron wall = Polyhedron::box({0.1, 2, 2}).placed(at({1, 0, 0}));
  const auto curve = rational_bezier_curve(control, {});
  const DisplacementMetric metric(origin);
  EXPECT_NEAR(curve->ball(metric, 0, 1).stretch, 5, 1e-9);
  EXPECT_NE(check(ball, wall, curve, asking(Ask::verdict)).verdict, Verdict::free);
  const Polyhedron farther = Polyhedron::box({0.1, 2, 2}).placed(at({1.2, 0, 0}));
  EXPECT_EQ(check(ball, farther, curve, asking(Ask::verdict)).verdict, Verdict::free);
}

TEST(Toleranced, ACurveThatDoesNotKnowItsStretchProvesNothingOfRoundBodies) {
  struct Unsure final : DisplacementCurve {
    double begin() const noexcept override { return 0; }
    double end() const noexcept override { return 1; }
    DisplacementBall ball(const DisplacementMetric&, double, double) const override {
      return {affine(at({0, 0, 5})), 0, std::nan("")};
    }
  };
  const std::vector<Vec3> origin{{0, 0, 0}};
  TolerancedQuery query(Polyhedron::points(origin, 0.1), {{kBox, "it"}}, {{{0, 0, 1}, -1, ""}},
                        asking(Ask::verdict));
  EXPECT_EQ(query(Unsure()).verdict, Verdict::undecided);
}

TEST(Toleranced, AGapLargerThanTheToleranceEndsAllTheSame) {
  const std::vector<Affine> first{affine(at({-1, 0, 1.1})), affine(at({0, 0, 1.1}))};
  const std::vector<Affine> second{affine(at({0, 0, 1.105})), affine(at({1, 0, 1.105}))};
  const std::vector<CurvePointer> parts{rational_bezier_curve(first, {}, 0, 1),
                                        rational_bezier_curve(second, {}, 1, 2)};
  const auto curve = joined_curve(parts, 0.01);
  const TolerancedResult r = check(kBox, kBox, curve, asking(Ask::verdict));
  EXPECT_EQ(r.verdict, Verdict::free);
  EXPECT_LT(r.balls, 10'000U);
}

TEST(Toleranced, WithAllOfTheBudgetSpentItEnds) {
  TolerancedOptions options = asking(Ask::all_intervals, 1e-9);
  options.budget = 2000;
  // It slides along the other's face.
  const TolerancedResult r = check(kBox, kBox, straight({-3, 0, 1}, {3, 0, 1}), options);
  EXPECT_NE(r.verdict, Verdict::free);
  EXPECT_LT(r.balls, 5000U);
}

TEST(Toleranced, RadiiAndMarginsCount) {
  const std::vector<Vec3> origin{{0, 0, 0}};
  const Polyhedron ball = Polyhedron::points(origin, 0.5);
  const auto beside = straight({-3, 0, 1.1}, {3, 0, 1.1});
  EXPECT_EQ(check(ball, kBox, beside, asking(Ask::verdict)).verdict, Verdict::free);
  EXPECT_EQ(check(kBox, ball, beside, asking(Ask::verdict)).verdict, Verdict::free);
  const auto nearer = straight({-3, 0, 0.95}, {3, 0, 0.95});
  EXPECT_EQ(check(ball, kBox, nearer, asking(Ask::verdict)).verdict, Verdict::contact);
  EXPECT_EQ(check(kBox, ball, nearer, asking(Ask::verdict)).verdict, Verdict::contact);
  EXPECT_EQ(check(ball, ball, beside, asking(Ask::verdict)).verdict, Verdict::free);
  EXPECT_EQ(check(ball, ball, nearer, asking(Ask::verdict)).verdict, Verdict::contact);
  TolerancedOptions options = asking(Ask::verdict);
  options.margin = 0.09;
  EXPECT_EQ(check(ball, kBox, beside, options).verdict, Verdict::free);
  options.margin = 0.12;
  EXPECT_EQ(check(ball, kBox, beside, options).verdict, Verdict::contact);
  // A margin of its own takes the place of a smaller one.
  TolerancedQuery query(ball, {{kBox, "box", 0.12}}, {}, asking(Ask::verdict));
  EXPECT_EQ(query(*beside).verdict, Verdict::contact);
}

TEST(Toleranced, PlanesAreHalfSpaces) {
  const StandingPlane floor{{0, 0, 2}, -1, "floor", 0};
  TolerancedQuery query(kBox, {}, {floor}, asking(Ask::clearance));
  const TolerancedResult above = query(*straight({0, 0, 0}, {1, 1, -0.3}));
  EXPECT_EQ(above.verdict, Verdict::free);
  EXPECT_GT(above.clearance, 0.18);
  EXPECT_LE(above.clearance, 0.2);
  const TolerancedResult through = query(*straight({0, 0, 0}, {1, 1, -1}));
  EXPECT_EQ(through.verdict, Verdict::contact);
  EXPECT_NEAR(through.first_contact, 0.5, 2e-3);
  EXPECT_EQ(through.other, 0);
  EXPECT_EQ(query(*straight({0, 0, -9}, {1, 1, -9})).verdict, Verdict::contact);
}

TEST(Toleranced, ADeviationCountsEverywhereAlongTheWay) {
  const auto curve = straight({-3, 0, 1.1}, {3, 0, 1.1});
  TolerancedOptions options = asking(Ask::verdict);
  TolerancedQuery query(kBox, {{kBox, "it"}}, {}, options);
  EXPECT_EQ(query(*curve).verdict, Verdict::free);
  // Every vertex of a box has a distortion of 2: 5 cm of distance are 10 cm there.
  EXPECT_NEAR(query.metric().distortion({0.5, 0.5, 0.5}), 2, 1e-6);
  EXPECT_EQ(query(*curve, 0.04).verdict, Verdict::free);
  EXPECT_NE(query(*curve, 0.06).verdict, Verdict::free);
}

TEST(Toleranced, WithoutNestingItSaysTheSameWithMoreTests) {
  const auto curve = screw_curve(at({0, 0.9, 0.2}), {0, 0, 0}, {0.2, 0.1, 1}, 2, 0.9);
  TolerancedOptions nested = asking(Ask::first_contact), plain = nested;
  plain.nested = false;
  const Polyhedron other = Polyhedron::box({0.3, 0.3, 0.3});
  const TolerancedResult a = check(other, kBox, curve, nested);
  const TolerancedResult b = check(other, kBox, curve, plain);
  EXPECT_EQ(a.verdict, b.verdict);
  EXPECT_LE(a.balls, b.balls);
  EXPECT_LT(a.tests, b.tests);
}

TEST(Toleranced, AFaceThatALargeBallDoesNotTellFromItsBorderIsLookedAtAgain) {
  // The point of a spike goes through the inside of a plate, whose border stays far away. In the
  // first balls, larger than the plate, all of the fat plate is within its fat border.
  const Polyhedron plate =
      Polyhedron::polygon(std::vector<Vec3>{{-1, -1, 0}, {1, -1, 0}, {1, 1, 0}, {-1, 1, 0}});
  const std::vector<Vec3> v{{0.1, 0.2, 0}, {0, 0.1, -5}, {0.3, 0.1, -5}, {0.1, 0.4, -5}};
  const Polyhedron spike = Polyhedron::mesh(
      v, std::vector<Polyhedron::Triangle>{{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 2, 3}});
  const auto down = straight({0, 0, 3}, {0, 0, -1}), up = straight({0, 0, -3}, {0, 0, 1});
  for (const Ask ask : {Ask::verdict, Ask::first_contact, Ask::all_intervals, Ask::clearance}) {
    const TolerancedResult falls = check(plate, spike, down, asking(ask));
    EXPECT_EQ(falls.verdict, Verdict::contact);
    if (ask != Ask::verdict) EXPECT_NEAR(falls.first_contact, 0.75, 1e-3);
    const TolerancedResult meets = check(spike, plate, up, asking(ask));
    EXPECT_EQ(meets.verdict, Verdict::contact);
  }
}

TEST(Toleranced, AnyNumberOfThreadsSaysTheSame) {
  const auto curve = screw_curve(at({0, 1.1, 0.2}), {0, 0, 0}, {0.2, 0.1, 1}, 6, 0.9);
  for (const Ask ask : {Ask::verdict, Ask::first_contact, Ask::all_intervals}) {
    for (const double size : {0.3, 1.0}) {
      const Polyhedron other = Polyhedron::box({size, size, size});
      TolerancedOptions one = asking(ask), four = one;
      four.threads = 4;
      const TolerancedResult a = check(other, kBox, curve, one);
      const TolerancedResult b = check(other, kBox, curve, four);
      EXPECT_EQ(a.verdict, b.verdict);
      if (ask != Ask::verdict && a.verdict == Verdict::contact) {
        EXPECT_NEAR(a.first_contact, b.first_contact, 2e-3);
      }
    }
  }
}

TEST(Toleranced, AGrazeIsUndecidedNeverFree) {
  // A corner comes to exactly the plane of the other's face.
  const auto curve = straight({-3, 0, 1}, {3, 0, 1});
  EXPECT_NE(check(kBox, kBox, curve, asking(Ask::verdict)).verdict, Verdict::free);
  const double s = std::sqrt(0.5);
  const Polyhedron diamond =
      Polyhedron::polygon(std::vector<Vec3>{{s, 0, 0}, {0, s, 0}, {-s, 0, 0}, {0, -s, 0}});
  const auto touch = screw_curve(at({0, 0.5 + s, 0}), {0, 0.5 + s, 0}, {0, 0, 1}, kPi, 0);
  EXPECT_NE(check(diamond, kBox, touch, asking(Ask::verdict)).verdict, Verdict::free);
}

TEST(Toleranced, WhatHasNoDurationIsAPose) {
  const auto free = straight({0, 0, 2}, {0, 0, 2}), inside = straight({0, 0, 0.1}, {0, 0, 0.1});
  EXPECT_EQ(check(kBox, kBox, free, asking(Ask::clearance)).verdict, Verdict::free);
  EXPECT_EQ(check(kBox, kBox, inside, asking(Ask::clearance)).verdict, Verdict::contact);
}

TEST(Toleranced, NothingAroundIsFreeOfEverything) {
  TolerancedQuery query(kBox, {}, {}, asking(Ask::clearance));
  const TolerancedResult r = query(*straight({0, 0, 0}, {1, 0, 0}));
  EXPECT_EQ(r.verdict, Verdict::free);
  EXPECT_EQ(r.clearance, std::numeric_limits<double>::infinity());
}

TEST(Toleranced, ABudgetThatEndsLeavesItUndecided) {
  TolerancedOptions options = asking(Ask::verdict, 1e-6);
  options.budget = 10;
  const auto curve = straight({-3, 0, 1.001}, {3, 0, 1.001});
  EXPECT_EQ(check(kBox, kBox, curve, options).verdict, Verdict::undecided);
}

TEST(Toleranced, AClearanceThatIsTooMuchToAskLeavesTheVerdict) {
  const auto curve = straight({-3, 0, 1.02}, {3, 0, 1.02});
  TolerancedOptions options = asking(Ask::verdict);
  options.budget = 4 * check(kBox, kBox, curve, options).tests;
  options.ask = Ask::clearance;
  options.relative_accuracy = 0;
  options.accuracy = 1e-6;
  const TolerancedResult r = check(kBox, kBox, curve, options);
  EXPECT_EQ(r.verdict, Verdict::free);
  EXPECT_EQ(r.clearance, 0);
  EXPECT_NEAR(r.distance, 0.02, 1e-9);
  options.budget = TolerancedOptions().budget;
  EXPECT_GT(check(kBox, kBox, curve, options).clearance, 0.017);
}

TEST(Toleranced, OptionsThatMakeNoSenseAreRefused) {
  const auto refused = [](auto change) {
    TolerancedOptions options;
    change(options);
    EXPECT_THROW(TolerancedQuery(kBox, {}, {}, options), Error);
  };
  refused([](auto& o) { o.tolerance = 0; });
  refused([](auto& o) { o.margin = -1; });
  refused([](auto& o) { o.deviation = std::nan(""); });
  refused([](auto& o) { o.relative_accuracy = 1; });
  EXPECT_THROW(TolerancedQuery(kBox, {}, {{{0, 0, 0}, 0, ""}}), Error);
}

}  // namespace
}  // namespace keepclear
