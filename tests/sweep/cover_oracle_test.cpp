// SPDX-License-Identifier: BSD-3-Clause
//
// Covers of arcs and rotations against samples in 113 bits; and the formulas of the paper, read
// literally, which miss what they should cover.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

#include "oracle/reference_distance.hpp"
#include "oracle/reference_kinematics.hpp"
#include "sweep/cover.hpp"

namespace keepclear {
namespace {

using oracle::QMat;
using oracle::Quad;
using oracle::QVec;
using Random = std::mt19937_64;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kPi = std::numbers::pi;

double uniform(Random& random, double lower, double upper) {
  return std::uniform_real_distribution<double>(lower, upper)(random);
}

/// From the origin to the triangle, in the plane.
Quad distance_to_triangle(const std::array<QVec, 3>& t) {
  const auto [mask, x] = oracle::nearest_in_simplex<Quad>({t[0], t[1], t[2], {}}, 3);
  // The origin inside the triangle shows up as a normal part of rounding size.
  return norm(x);
}

/// At least the distance of a point of the plane from the hull of the cover's points: from the
/// triangles that its first point makes with the others in turn.
Quad distance_hi(const ArcCover& cover, const QVec& at) {
  const auto point = [&](int k) { return QVec{cover.c[k], cover.s[k], 0} - at; };
  Quad least = norm(point(0));
  if (cover.count == 2) least = distance_to_triangle({point(0), point(1), point(1)});
  for (int k = 1; k + 1 < cover.count; ++k) {
    least = std::min(least, distance_to_triangle({point(0), point(k), point(k + 1)}));
  }
  return least;
}

QVec on_circle(Quad angle) {
  return {cosq(angle), sinq(angle), 0};
}

/// Intervals of every width about angles of every size.
std::vector<Interval> intervals(Random& random, int of_each) {
  std::vector<Interval> result{{0, 0}, {-kPi, kPi}, {0, 2 * kPi}, {1, 1 + 1e-16}, {-0.0, 0.0}};
  const double widths[] = {0,       5e-324, 1e-300,  1e-16,   1e-12, 1e-9,      1e-6,  1e-3,
                           0.1,     0.7,    kPi / 2, 2.0,     3.0,   kPi,       3.2,   4.0,
                           4.18879, 5.0,    6.0,     6.28318, 6.283, 2 * kPi,   6.284, 7.0,
                           9.0,     20.0,   1e3,     1e6,     1e12,  1.8 * kPi, 5.3,   5.5};
  const double places[] = {1e-300, 1e-3, 1, 3, 100, 1e6, 1e15};
  for (const double width : widths) {
    for (const double place : places) {
      for (int k = 0; k < of_each; ++k) {
        const double lower = uniform(random, -place, place);
        result.push_back({lower, lower + width});
      }
    }
  }
  for (int k = 0; k < 40 * of_each; ++k) {
    const double lower = uniform(random, -4, 4);
    result.push_back({lower, lower + uniform(random, 0, 7)});
  }
  return result;
}

/// Shares of the way, with the ends and what is close to them.
Quad share(Random& random, int k) {
  if (k < 2) return k;
  if (k == 2) return Quad(0.5);
  const double at = uniform(random, 0, 1);
  return k % 3 == 0 ? Quad(at) : k % 3 == 1 ? Quad(at) * 1e-6 : 1 - Quad(at) * 1e-3;
}

TEST(ArcCover, ContainsTheArc) {
  Random random(1);
  double fullest[3] = {0, 0, 0};
  for (const Interval angle : intervals(random, 2)) {
    for (int points = 1; points <= kMaxArcPoints; points += points < 5 ? 1 : 7) {
      const ArcCover cover = cover_arc(angle, points);
      ASSERT_EQ(cover.count, points);
      for (int k = 0; k < points; ++k) {
        ASSERT_LE(norm(QVec{cover.c[k], cover.s[k], 0}), cover.size_hi);
      }
      for (int k = 0; k < 12; ++k) {
        const Quad t = angle.lower + share(random, k) * (Quad(angle.upper) - Quad(angle.lower));
        const Quad off = distance_hi(cover, on_circle(t));
        ASSERT_LE(off, cover.slack_hi)
            << angle.lower << ' ' << angle.upper << ", " << points << " points";
        if (points < 3) {
          fullest[points] = std::max(fullest[points], static_cast<double>(off / cover.slack_hi));
        }
      }
    }
  }
  // No smaller slack would do.
  EXPECT_GT(fullest[1], 0.9999);
  EXPECT_GT(fullest[2], 0.9999);
}

TEST(ArcCover, WithoutLimitIsTheWholeCircle) {
  Random random(2);
  for (const Interval angle : {Interval{-kInfinity, kInfinity}, Interval{0, kInfinity},
                               Interval{-kInfinity, -3}, Interval{-1e308, 1e308}}) {
    for (int points = 1; points <= kMaxArcPoints; ++points) {
      const ArcCover cover = cover_arc(angle, points);
      for (int k = 0; k < 100; ++k) {
        ASSERT_LE(distance_hi(cover, on_circle(uniform(random, -4, 4))), cover.slack_hi);
      }
    }
    const ArcCover evenly = cover_arc_evenly(angle);
    EXPECT_EQ(evenly.slack_hi, 1);
    EXPECT_EQ(evenly.c[0], 0);
    EXPECT_EQ(evenly.c[1], 0);
  }
}

TEST(ArcCover, EvenlyIsNearTheSameShareOfTheWay) {
  Random random(3);
  double fullest = 0;
  for (const Interval angle : intervals(random, 2)) {
    const ArcCover cover = cover_arc_evenly(angle);
    ASSERT_EQ(cover.count, 2);
    ASSERT_LE(cover.slack_hi, 1);
    const QVec first{cover.c[0], cover.s[0], 0}, second{cover.c[1], cover.s[1], 0};
    for (int k = 0; k < 16; ++k) {
      const Quad s = share(random, k);
      const Quad t = angle.lower + s * (Quad(angle.upper) - Quad(angle.lower));
      const Quad off = norm(on_circle(t) - ((1 - s) * first + s * second));
      ASSERT_LE(off, cover.slack_hi) << angle.lower << ' ' << angle.upper;
      fullest = std::max(fullest, static_cast<double>(off / cover.slack_hi));
    }
  }
  EXPECT_GT(fullest, 0.98);
}

TEST(ArcCover, EvenlyWithAnglesThatAreOff) {
  Random random(4);
  for (int round = 0; round < 3000; ++round) {
    const double lower = uniform(random, -4, 4), width = uniform(random, 0, 4);
    const double off = std::pow(10.0, uniform(random, -14, -1));
    const ArcCover cover = cover_arc_evenly({lower, lower + width}, off);
    const QVec first{cover.c[0], cover.s[0], 0}, second{cover.c[1], cover.s[1], 0};
    const Quad s = share(random, round % 16);
    const Quad t = lower + s * (Quad(lower + width) - lower) + Quad(off) * uniform(random, -1, 1);
    ASSERT_LE(norm(on_circle(t) - ((1 - s) * first + s * second)), cover.slack_hi);
  }
}

/// Whether limit^2 I - D^T D is positive definite: the spectral norm of D is below the limit.
bool norm_is_below(const QMat& d, Quad limit) {
  const QMat t{{d.row0.x, d.row1.x, d.row2.x},
               {d.row0.y, d.row1.y, d.row2.y},
               {d.row0.z, d.row1.z, d.row2.z}};
  const QMat p = t * d;
  const Quad a = limit * limit - p.row0.x, b = -p.row0.y, c = -p.row0.z;
  const Quad e = limit * limit - p.row1.y, f = -p.row1.z, i = limit * limit - p.row2.z;
  return a > 0 && a * e - b * b > 0 &&
         a * (e * i - f * f) - b * (b * i - f * c) + c * (b * f - e * c) > 0;
}

TEST(RotationCover, ContainsEveryRotationByTheAngle) {
  Random random(5);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 6000; ++round) {
    const double limits[] = {0, 1e-300, 1e-16, 1e-9, 1e-3, 0.3, 1.0, kPi / 2, 1.5707, 2, 4, 1e9};
    const double limit = round % 3 == 0 ? uniform(random, 0, 1.6) : limits[random() % 12];
    for (const bool fine : {false, true}) {
      const RotationCover cover = cover_rotations(limit, fine);
      ASSERT_EQ(cover.count, fine ? 6 : 1);
      ASSERT_LE(sqrtq(Quad(cover.scale) * cover.scale + Quad(cover.turn) * cover.turn),
                cover.size_hi);
      QVec n{normal(random), normal(random), normal(random)};
      if (round % 4 == 0) n = {1, 1, -1};
      if (round % 4 == 1) n = {0, 0, 1};
      n = (1 / norm(n)) * n;
      const Quad angle = (round % 2 ? 1 : uniform(random, 0, 1)) * std::min(limit, 3.2);
      // Mixtures of the maps are scale I + [w]x with |w|_1 <= turn. sin n is one, or the part of
      // it that is.
      const auto magnitude = [](Quad v) { return v < 0 ? -v : v; };
      const Quad sum = magnitude(n.x) + magnitude(n.y) + magnitude(n.z);
      const Quad along = std::min(sinq(angle), Quad(cover.turn) / sum);
      const QVec w = along * n;
      const QMat R = oracle::rotation_about(n, angle);
      const QMat D{R.row0 - QVec{cover.scale, -w.z, w.y}, R.row1 - QVec{w.z, cover.scale, -w.x},
                   R.row2 - QVec{-w.y, w.x, cover.scale}};
      // A limit of one is met exactly, by the rotations themselves.
      const Quad room = limit < kPi / 2 ? 0 : 1e-25;
      ASSERT_TRUE(norm_is_below(D, cover.slack_hi + room)) << limit << ' ' << fine;
      if (round % 2 && limit > 1e-3 && limit < 1.57) {
        EXPECT_FALSE(norm_is_below(D, Quad(cover.slack_hi) * 0.999)) << limit << ' ' << fine;
      }
    }
  }
}

TEST(Middle, IsNoFartherFromTheEndsThanItSays) {
  Random random(6);
  for (const Interval interval : intervals(random, 2)) {
    const auto [middle, half_hi] = middle_of(interval);
    EXPECT_GE(Quad(middle) + half_hi, interval.upper);
    EXPECT_LE(Quad(middle) - half_hi, interval.lower);
  }
  EXPECT_EQ(middle_of({0, kInfinity}).half_hi, kInfinity);
  EXPECT_EQ(middle_of({std::nan(""), 1}).half_hi, kInfinity);
}

/// How far the point is from the hull of the others.
double distance_to_hull(const QVec& at, const std::vector<Vec3>& points) {
  const oracle::PointSet single(std::vector<Vec3>{{0, 0, 0}}), hull(points);
  return static_cast<double>(oracle::reference_distance(single, {{}, at}, hull, {}).upper);
}

/// A point p, at the angle zero, of the arc [-half, half] about z, and its cover by S + 2 points.
std::vector<Vec3> covered(const ArcCover& cover, Vec3 p) {
  std::vector<Vec3> points;
  for (int k = 0; k < cover.count; ++k) {
    points.push_back(
        {cover.c[k] * p.x - cover.s[k] * p.y, cover.s[k] * p.x + cover.c[k] * p.y, p.z});
  }
  return points;
}

TEST(LiteralPaper, ThePolygonOf26MissesTheArcOfAPointAboveThePlane) {
  Random random(7);
  int missed = 0;
  for (int round = 0; round < 400; ++round) {
    const int pieces = 1 + static_cast<int>(random() % 4);
    const double half = uniform(random, 0.1, 0.9);
    const Vec3 p{uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, 0.2, 1)};
    const double step = half / pieces;
    // (26) as printed: the whole vector is scaled.
    std::vector<Vec3> literal;
    const auto turned = [&](double angle, double scale) {
      const double c = std::cos(angle), s = std::sin(angle);
      literal.push_back(scale * Vec3{c * p.x - s * p.y, s * p.x + c * p.y, p.z});
    };
    turned(-half, 1), turned(half, 1);
    for (int k = 0; k < pieces; ++k) turned((2 * k + 1 - pieces) * step, 1 / std::cos(step));
    const ArcCover cover = cover_arc({-half, half}, pieces + 2);
    double literal_off = 0;
    for (int k = 0; k <= 20; ++k) {
      const Quad t = Quad(half) * (k - 10) / 10;
      const QVec at = oracle::rotation_about({0, 0, 1}, t) * oracle::widen<Quad>(p);
      literal_off = std::max(literal_off, distance_to_hull(at, literal));
      ASSERT_LE(distance_to_hull(at, covered(cover, p)),
                cover.slack_hi * std::hypot(p.x, p.y) + 1e-15);
    }
    missed += literal_off > 1e-6;
  }
  EXPECT_EQ(missed, 400);
}

TEST(LiteralPaper, TheBallOf24MissesArcsOfMoreThanHalfATurn) {
  Random random(8);
  int missed = 0;
  for (int round = 0; round < 400; ++round) {
    const double half = uniform(random, kPi / 2 + 0.05, kPi - 0.05);
    // (24) as printed: the middle of the chord, and half its length.
    const QVec centre{cosq(half), 0, 0};
    const Quad radius = sinq(half);
    const ArcCover ours = cover_arc({-half, half}, 1);
    Quad most = 0, most_of_ours = 0;
    for (int k = 0; k <= 20; ++k) {
      const QVec at = on_circle(Quad(half) * (k - 10) / 10);
      most = std::max(most, norm(at - centre));
      most_of_ours = std::max(most_of_ours, norm(at - QVec{ours.c[0], ours.s[0], 0}));
    }
    missed += most > radius + 1e-6;
    EXPECT_LE(most_of_ours, ours.slack_hi);
  }
  EXPECT_EQ(missed, 400);
}

}  // namespace
}  // namespace keepclear
