// SPDX-License-Identifier: BSD-3-Clause
#include "keepclear/path.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>

#include "keepclear/error.hpp"
#include "motion/path_data.hpp"

namespace keepclear {
namespace {

using Numbers = std::vector<double>;
constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

void expect_refused(const std::function<void()>& make, const std::string& message) {
  SCOPED_TRACE(message);
  try {
    make();
    ADD_FAILURE() << "was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::usage);
    EXPECT_EQ(std::string(error.what()), message);
  }
}

Path zigzag() {
  return straight_path(Numbers{1, 2, 4}, Numbers{0, 10, 1, 20, 3, 10});
}

TEST(Path, StraightLinesGoThroughTheirWaypoints) {
  const Path path = zigzag();
  EXPECT_EQ(path.dof(), 2u);
  EXPECT_EQ(path.begin(), 1);
  EXPECT_EQ(path.end(), 4);
  EXPECT_EQ(path.piece_count(), 2u);
  EXPECT_EQ(path.degree(), 1);
  EXPECT_EQ(path.position(1), (Numbers{0, 10}));
  EXPECT_EQ(path.position(1.5), (Numbers{0.5, 15}));
  EXPECT_EQ(path.position(2), (Numbers{1, 20}));
  EXPECT_EQ(path.position(3), (Numbers{2, 15}));
  EXPECT_EQ(path.position(4), (Numbers{3, 10}));
}

TEST(Path, BeforeTheBeginAndAfterTheEndItStands) {
  const Path path = zigzag();
  EXPECT_EQ(path.position(-kInfinity), (Numbers{0, 10}));
  EXPECT_EQ(path.position(9), (Numbers{3, 10}));
  EXPECT_EQ(path.range(7, 8)[0], (Interval{3, 3}));
  const Interval velocity = path.velocity(3, 8)[0];
  EXPECT_LE(velocity.lower, 0);
  EXPECT_GE(velocity.upper, 1);
}

TEST(Path, PlacesAreExactAtTheBordersOfPieces) {
  const Path path = bspline_path(1, 3, Numbers{0, 0, 0, 0, 0.3, 0.7, 1, 1, 1, 1},
                                 Numbers{0.1, 0.7, -0.3, 0.9, 0.2, 1.1});
  const PathData& data = path.data();
  ASSERT_EQ(data.pieces.size(), 3u);
  for (std::size_t i = 0; i + 1 < data.pieces.size(); ++i) {
    double q = 0, next = 0;
    const auto place = static_cast<double>(i + 1);
    position_at(data, place, &q);
    EXPECT_EQ(q, data.control[data.pieces[i].first + 3]);
    EXPECT_EQ(q, data.control[data.pieces[i + 1].first]);
    position_at(data, std::nextafter(place, 0), &next);
    EXPECT_NEAR(q, next, 1e-14);
    EXPECT_EQ(time_of_place(data, place), data.pieces[i].end);
    EXPECT_EQ(place_of_time(data, data.pieces[i].end), place);
  }
  double first = 0, last = 0;
  position_at(data, 0, &first);
  position_at(data, 3, &last);
  EXPECT_EQ(first, 0.1);
  EXPECT_EQ(last, 1.1);
}

TEST(Path, AJointThatStandsStillIsKnownExactly) {
  const Path path = cubic_path(Numbers{0, 1, 3}, Numbers{0.1, 0.7, 0.3, 0.7, 0.2, 0.7},
                               Numbers{1, 0, 2, 0, 3, 0});
  EXPECT_EQ(path.range(0.3, 2.2)[1], (Interval{0.7, 0.7}));
  EXPECT_EQ(path.velocity(0.3, 2.2)[1], (Interval{0, 0}));
  EXPECT_EQ(path.acceleration(0.3, 2.2)[1], (Interval{0, 0}));
  double q_a[2], q_b[2], off[2];
  position_at(path.data(), 0.3, q_a);
  position_at(path.data(), 1.6, q_b);
  deviation_from_chord(path.data(), 0.3, 1.6, q_a, q_b, off);
  EXPECT_EQ(off[1], 0);
  EXPECT_GT(off[0], 0);
}

TEST(Path, ACubicWithTheVelocityOfALineIsTheLine) {
  const Path line = straight_path(Numbers{0, 1, 2}, Numbers{0, 1, 2, 5, 4, 9});
  const Path cubic =
      cubic_path(Numbers{0, 1, 2}, Numbers{0, 1, 2, 5, 4, 9}, Numbers{2, 4, 2, 4, 2, 4});
  const Path quintic = quintic_path(Numbers{0, 1, 2}, Numbers{0, 1, 2, 5, 4, 9},
                                    Numbers{2, 4, 2, 4, 2, 4}, Numbers(6, 0.0));
  for (double t = 0; t <= 2; t += 0.0625) {
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_NEAR(cubic.position(t)[k], line.position(t)[k], 1e-14);
      EXPECT_NEAR(quintic.position(t)[k], line.position(t)[k], 1e-14);
    }
  }
  double q_a[2], q_b[2], off[2];
  position_at(cubic.data(), 0.1, q_a);
  position_at(cubic.data(), 1.9, q_b);
  deviation_from_chord(cubic.data(), 0.1, 1.9, q_a, q_b, off);
  EXPECT_LT(off[0], 1e-13);
  EXPECT_LT(off[1], 1e-13);
}

TEST(Path, AtABorderTheVelocitiesOfBothPiecesCount) {
  const JointBox velocity = zigzag().velocity(2, 2);
  EXPECT_LE(velocity[1].lower, -5);
  EXPECT_GE(velocity[1].upper, 10);
  EXPECT_NEAR(velocity[1].lower, -5, 1e-12);
  EXPECT_NEAR(velocity[1].upper, 10, 1e-12);
}

TEST(Path, ATurnGoesAsWritten) {
  const Path path = line_path(Numbers{0}, Numbers{20});
  EXPECT_EQ(path.position(0.5)[0], 10);
  EXPECT_EQ(path.range(0, 1)[0], (Interval{0, 20}));
}

TEST(Path, QuaternionsAreDividedByTheirNorm) {
  PathData data = line_path(Numbers{0, 0, 0, 0, 1}, Numbers{0, 1, 0, 0, 0}, 2).data();
  data.quaternions = {1};
  const Path path(std::make_shared<const PathData>(data));
  const Numbers q = path.position(1);
  EXPECT_NEAR(q[1], std::sqrt(0.5), 1e-15);
  EXPECT_NEAR(q[4], std::sqrt(0.5), 1e-15);
  const JointBox range = path.range(0.999, 1.001);
  EXPECT_TRUE(range[1].lower <= q[1] && q[1] <= range[1].upper);
  EXPECT_LT(range[1].upper - range[1].lower, 0.01);
  EXPECT_EQ(path.range(0, 2)[2], (Interval{0, 0}));
  // Through zero, every rotation is possible.
  data = line_path(Numbers{0, 0, 0, 1}, Numbers{0, 0, 0, -1}).data();
  data.quaternions = {0};
  EXPECT_EQ(Path(std::make_shared<const PathData>(data)).range(0, 1)[3], (Interval{-1, 1}));
}

TEST(Path, JoinedPathsFollowOneAnother) {
  const Path first = zigzag(), second = line_path(Numbers{3, 10}, Numbers{5, 5}, 2);
  const Path third = line_path(Numbers{5 + 1e-7, 5}, Numbers{6, 6}, 1);
  const Path all[] = {first, second, third};
  const Path path = joined(all);
  EXPECT_EQ(path.begin(), 1);
  EXPECT_EQ(path.end(), 7);
  EXPECT_EQ(path.piece_count(), 5u);  // one of them closes the gap
  EXPECT_EQ(path.position(5), (Numbers{4, 7.5}));
  EXPECT_EQ(path.position(7), (Numbers{6, 6}));
  EXPECT_EQ(path.data().pieces[3].begin, path.data().pieces[3].end);
  EXPECT_NEAR(path.range(6, 6)[1].lower, 5, 1e-12);
  const Interval gap = path.range(6, 6)[0];
  EXPECT_TRUE(gap.lower <= 5 && gap.upper >= 5 + 1e-7);
  EXPECT_TRUE(std::isfinite(path.velocity(6, 6)[0].upper));
}

TEST(Path, PathsThatDoNotMeetAreNotJoined) {
  const Path one[] = {zigzag(), line_path(Numbers{3, 11}, Numbers{3, 10})};
  expect_refused([&] { joined(one); },
                 "paths 1 and 2 do not meet: number 2 ends at 10 and goes on at 11");
  const Path other[] = {zigzag(), line_path(Numbers{3}, Numbers{3})};
  expect_refused([&] { joined(other); }, "a path of 1 numbers cannot follow one of 2");
  expect_refused([] { joined({}); }, "no path to join");
}

TEST(Path, RetimedPathsKeepTheirPositions) {
  const Path path = retimed(zigzag(), 10, 2);
  EXPECT_EQ(path.begin(), 10);
  EXPECT_EQ(path.end(), 16);
  EXPECT_EQ(path.position(11), zigzag().position(1.5));
  expect_refused([] { retimed(zigzag(), 0, 0); }, "a path cannot take 0 times as long");
  expect_refused([] { retimed(zigzag(), 1e14, 1e-3); },
                 "the times of a path must grow: 100000000000000 after 100000000000000");
}

TEST(Path, ATubeIsConstantOrByTime) {
  const Path path = zigzag();
  EXPECT_EQ(path.tube(1, 4), (Numbers{0, 0}));
  EXPECT_EQ(with_tube(path, Numbers{0.1, 0.2}).tube(2, 3), (Numbers{0.1, 0.2}));
  const Path by_time = with_tube(path, Numbers{1, 2.5, 4}, Numbers{0, 0.5, 1, 0.5, 0, 0.5});
  EXPECT_EQ(by_time.piece_count(), 3u);  // divided where the tube bends
  EXPECT_NEAR(by_time.tube(1.75, 1.75)[0], 0.5, 1e-12);
  EXPECT_EQ(by_time.tube(1, 4), (Numbers{1, 0.5}));
  EXPECT_NEAR(by_time.tube(3.25, 4)[0], 0.5, 1e-12);
  for (double t = 1; t <= 4; t += 0.125) {
    EXPECT_NEAR(by_time.position(t)[0], path.position(t)[0], 1e-13);
  }
  // Outside, as at the nearest time.
  EXPECT_EQ(with_tube(path, Numbers{2, 3}, Numbers{1, 1, 2, 2}).tube(1, 1.5), (Numbers{1, 1}));
  const Path both[] = {by_time, line_path(Numbers{3, 10}, Numbers{4, 4})};
  EXPECT_EQ(joined(both).tube(4.5, 5)[0], 0);
  EXPECT_EQ(joined(both).tube(1, 5)[0], 1);
  expect_refused(
      [&] {
        with_tube(path, Numbers{0.1, -0.2});
      },
      "the half width -0.2 of a tube is negative");
  expect_refused([&] { with_tube(path, Numbers{0.1}); },
                 "1 half widths do not make rows of 2 for 1 times");
}

TEST(Path, ATrapezoidRisesCruisesAndFalls) {
  const Path path = trapezoidal_path(Numbers{0, 0}, Numbers{4, 1}, Numbers{1, 1}, Numbers{1, 1});
  EXPECT_EQ(path.piece_count(), 3u);
  EXPECT_NEAR(path.end(), 5, 1e-14);
  EXPECT_NEAR(path.position(1)[0], 0.5, 1e-14);
  EXPECT_NEAR(path.position(2.5)[0], 2, 1e-14);
  EXPECT_NEAR(path.position(2.5)[1], 0.5, 1e-14);
  const Path quick = trapezoidal_path(Numbers{0}, Numbers{1}, Numbers{9}, Numbers{4});
  EXPECT_EQ(quick.piece_count(), 2u);
  EXPECT_NEAR(quick.end(), 1, 1e-14);
}

TEST(Path, NumbersThatMakeNoPathAreRefused) {
  expect_refused([] { line_path(Numbers{0}, Numbers{1, 2}, 1); }, "a line from 1 numbers to 2");
  expect_refused([] { line_path(Numbers{}, Numbers{}, 1); },
                 "0 numbers of waypoints do not make rows for 2 times");
  expect_refused([] { line_path(Numbers{0}, Numbers{1}, 0); },
                 "the times of a path must grow: 0 after 0");
  expect_refused([] { line_path(Numbers{0}, Numbers{kNan}, 1); },
                 "a waypoint of a path is not finite");
  expect_refused([] { line_path(Numbers{0}, Numbers{1e16}, 1); },
                 "a waypoint of a path is 1e+16, beyond 1e+15");
  using Span = std::span<const double>;
  expect_refused([] { line_path(Span(Numbers{0}), Span(Numbers{1}), kInfinity); },
                 "a time of a path is not finite");
  expect_refused([] { cubic_path(Numbers{0}, Numbers{1}, Numbers{1}); },
                 "a path needs two waypoints or more, not 1");
  expect_refused(
      [] {
        cubic_path(Numbers{0, 1}, Numbers{1, 2}, Numbers{1});
      },
      "a path needs as many velocities and accelerations as positions");
  expect_refused(
      [] {
        cubic_path(Numbers{0, 1}, Numbers{1, 2, 3}, Numbers{1, 2, 3});
      },
      "3 numbers of positions do not make rows for 2 times");
  expect_refused(
      [] {
        cubic_path(Numbers{0, 1e6}, Numbers{1, 2}, Numbers{1e14, 0});
      },
      "a control point of a path is 3.333333333333333e+19, beyond 1e+15");
  expect_refused([] { bezier_path(2, Numbers{1, 2, 3}, 0, 1); }, "3 numbers do not make rows of 2");
  expect_refused([] { bezier_path(1, Numbers(34, 0.0), 0, 1); },
                 "a Bezier curve of degree 33, beyond 32");
  expect_refused([] { bspline_path(1, 0, Numbers{}, Numbers{}); },
                 "a B-spline of degree 0, which is not from 1 to 32");
  expect_refused(
      [] {
        bspline_path(1, 2, Numbers{0, 1, 2, 3, 4}, Numbers{1, 2, 3});
      },
      "a B-spline of 3 control points and degree 2 needs 6 knots, not 5");
  expect_refused(
      [] {
        bspline_path(1, 1, Numbers{0, 1, 0, 1}, Numbers{1, 2});
      },
      "the knots of a B-spline must not fall: 0 after 1");
  expect_refused(
      [] {
        bspline_path(1, 1, Numbers{0, 1, 1, 1}, Numbers{1, 2});
      },
      "the knots of a B-spline span no time");
  expect_refused(
      [] {
        bspline_path(1, 1, Numbers{0, 0, 1, 1, 2, 2}, Numbers{1, 2, 3, 4});
      },
      "the knot 1 of a B-spline of degree 1 stands there more than 1 times: the path "
      "would jump");
  expect_refused([] { trapezoidal_path(Numbers{1}, Numbers{1}, Numbers{1}, Numbers{1}); },
                 "a trapezoidal path that ends where it begins");
  expect_refused([] { trapezoidal_path(Numbers{1}, Numbers{2}, Numbers{0}, Numbers{1}); },
                 "the speeds and accelerations of a trapezoidal path must be positive");
  expect_refused([] { zigzag().range(2, 1); }, "a stretch of a path ends before it begins");
  expect_refused([] { zigzag().velocity(1, kNan); }, "a stretch of a path ends before it begins");
}

}  // namespace
}  // namespace keepclear
