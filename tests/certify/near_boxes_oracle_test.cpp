// SPDX-License-Identifier: BSD-3-Clause
//
// Boxes on either side of the limit: what is left out is farther away, by exact rationals; lanes
// and plain twin say the same; what cannot be computed is listed.
#include <gmpxx.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "certify/motion_lanes.hpp"

namespace keepclear {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

struct Question {
  std::vector<Box> boxes;
  Vec3 c_0, c_1;
  double radius = 0, enough = 0;
};

std::vector<int> listed(const Question& asked) {
  const BoxRows rows(asked.boxes);
  std::vector<int> lanes, plain;
  list_boxes_within(rows, asked.c_0, asked.c_1, asked.radius, asked.enough, lanes);
  list_boxes_within_plain(rows, asked.c_0, asked.c_1, asked.radius, asked.enough, plain);
  EXPECT_EQ(lanes, plain);
  return lanes;
}

bool holds(const std::vector<int>& list, std::size_t i) {
  return std::find(list.begin(), list.end(), static_cast<int>(i)) != list.end();
}

/// The square of the distance of a point on the way of the centre from a box, exactly.
mpq_class squared_distance(const Box& box, const std::array<mpq_class, 3>& p) {
  mpq_class sum = 0;
  for (int k = 0; k < 3; ++k) {
    const mpq_class lo(box.lo[k]), hi(box.hi[k]);
    const mpq_class off = p[k] < lo ? lo - p[k] : p[k] > hi ? p[k] - hi : mpq_class(0);
    sum += off * off;
  }
  return sum;
}

/// The least of it, of points that divide the way into eight, and of the ends of it. Distance from
/// a box is convex along the way: the true least is next to the least of these.
mpq_class least_squared_distance(const Question& asked, const Box& box) {
  mpq_class least;
  for (int i = 0; i <= 8; ++i) {
    std::array<mpq_class, 3> p;
    for (int k = 0; k < 3; ++k) {
      const mpq_class from(asked.c_0[k]), to(asked.c_1[k]);
      p[k] = from + (to - from) * mpq_class(i, 8);
    }
    const mpq_class here = squared_distance(box, p);
    if (i == 0 || here < least) least = here;
  }
  return least;
}

class Numbers {
 public:
  double between(double lower, double upper) {
    return lower + (upper - lower) * (static_cast<double>(random_() >> 11) * 0x1p-53);
  }
  int pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  Vec3 vector(double size) {
    const double x = between(-size, size), y = between(-size, size);
    return {x, y, between(-size, size)};
  }

 private:
  std::mt19937_64 random_{22};
};

/// A ball on its way, and boxes at the limit, to a few units in the last place of what matters.
Question at_the_limit(Numbers& numbers, double scale) {
  Question asked;
  const double far = numbers.pick(3) == 0 ? 0 : scale * std::pow(10, numbers.pick(7) - 1);
  const Vec3 middle = numbers.vector(far);
  const Vec3 half = numbers.pick(3) == 0 ? Vec3{} : numbers.vector(scale);
  asked.c_0 = middle - half, asked.c_1 = middle + half;
  asked.radius = numbers.pick(3) == 0 ? 0 : scale * numbers.between(0, 2);
  asked.enough = numbers.pick(3) == 0 ? 0 : scale * numbers.between(0, 2);
  const double need = asked.radius + asked.enough;
  for (int i = 0; i < 9; ++i) {
    Vec3 n = numbers.vector(1);
    if (numbers.pick(3) == 0) n = {numbers.pick(2) ? 1.0 : -1.0, 0, 0};
    if (!(norm(n) > 0.1)) n = {0, 1, 0};
    n = (1 / norm(n)) * n;
    // Beyond the end of the way that is nearest along n.
    const Vec3 end = dot(n, half) > 0 ? asked.c_1 : asked.c_0;
    const double off = std::pow(10, -numbers.pick(17)) * numbers.between(-1, 1);
    Vec3 corner = end + (need * (1 + off)) * n;
    for (int ulps = numbers.pick(5); ulps > 0; --ulps) {
      corner.x = std::nextafter(corner.x, numbers.pick(2) ? kInf : -kInf);
    }
    Box box{corner, corner};
    for (int k = 0; k < 3; ++k) {
      const double size = scale * numbers.between(0, 1);
      if (n[k] > 0) (k == 0 ? box.hi.x : k == 1 ? box.hi.y : box.hi.z) += size;
      if (n[k] < 0) (k == 0 ? box.lo.x : k == 1 ? box.lo.y : box.lo.z) -= size;
    }
    asked.boxes.push_back(box);
  }
  return asked;
}

TEST(NearBoxes, ThatAreLeftOutAreFartherAwayByExactRationals) {
  Numbers numbers;
  std::size_t left_out = 0, near_limit = 0, needless = 0;
  for (int round = 0; round < 1200; ++round) {
    // Micrometres to kilometres mostly, and everything that a double can be.
    const double scale = numbers.pick(8) ? std::pow(10, numbers.pick(10) - 6)
                                         : std::pow(10, numbers.pick(600) - 300);
    const Question asked = at_the_limit(numbers, scale);
    const std::vector<int> list = listed(asked);
    const mpq_class need = mpq_class(asked.radius) + mpq_class(asked.enough);
    for (std::size_t i = 0; i < asked.boxes.size(); ++i) {
      const mpq_class least = least_squared_distance(asked, asked.boxes[i]);
      if (!holds(list, i)) {
        ++left_out;
        ASSERT_GT(least, need * need) << round << ", scale " << scale;
        near_limit += least < need * need * mpq_class(1000001, 1000000);
      } else if (scale > 1e-7 && scale < 1e4) {
        // Of boxes straight ahead of a ball that stands, nothing clear is listed.
        if (!(asked.c_0 == asked.c_1)) continue;
        double size = scale;
        for (int k = 0; k < 3; ++k) size += std::fabs(asked.c_0[k]);
        const mpq_class clear = need + mpq_class(1e-13 * size);
        needless += least > clear * clear;
      }
    }
  }
  EXPECT_GT(left_out, 800u);
  EXPECT_GT(near_limit, 300u);
  EXPECT_EQ(needless, 0u);
}

TEST(NearBoxes, WhatCannotBeComputedIsListed) {
  const Box far{{1, 2, 3}, {2, 3, 4}};
  const auto all_listed = [](const Question& asked) {
    return listed(asked).size() == asked.boxes.size();
  };
  // As it is, the box is left out: every change below is what makes the difference.
  EXPECT_TRUE(listed({{far}, {}, {}, 0.1, 0.1}).empty());
  for (const double bad : {kNan, kInf, -kInf, 1e200, 1e308, -1e308}) {
    for (int k = 0; k < 3; ++k) {
      Vec3 c;
      (k == 0 ? c.x : k == 1 ? c.y : c.z) = bad;
      EXPECT_TRUE(all_listed({{far, far}, c, {}, 0.1, 0.1})) << bad;
      EXPECT_TRUE(all_listed({{far, far}, {}, c, 0.1, 0.1})) << bad;
      EXPECT_TRUE(all_listed({{far, far}, c, -1.0 * c, 0.1, 0.1})) << bad;
    }
  }
  for (const double bad : {kNan, kInf, 1e308}) {
    EXPECT_TRUE(all_listed({{far, far}, {}, {}, bad, 0.1})) << bad;
    EXPECT_TRUE(all_listed({{far, far}, {}, {}, 0.1, bad})) << bad;
  }
  EXPECT_TRUE(all_listed({{far}, {}, {}, kInf, -kInf}));
  for (int k = 0; k < 3; ++k) {
    for (const bool upper : {false, true}) {
      Box box = far;
      Vec3& corner = upper ? box.hi : box.lo;
      double& x = k == 0 ? corner.x : k == 1 ? corner.y : corner.z;
      x = kNan;
      EXPECT_TRUE(all_listed({{box, box, far}, {0, 0, 0}, {}, 10, 0.1}));
      EXPECT_TRUE(holds(listed({{box, far}, {}, {}, 0.1, 0.1}), 0));
      x = upper ? -9 : 9;  // no box: its lower corner is above the upper one
      EXPECT_TRUE(holds(listed({{box, far}, {}, {}, 0.1, 0.1}), 0));
      x = upper ? kInf : -kInf;  // without an end on that side
      EXPECT_EQ(holds(listed({{box, far}, {}, {}, 0.1, 0.1}), 0), false);
    }
  }
  EXPECT_TRUE(all_listed({{{{-kInf, -kInf, -kInf}, {kInf, kInf, kInf}}}, {}, {}, 0, 0}));
}

TEST(NearBoxes, SquaresThatUnderflowProveNothing) {
  // Nearest points from 1e-330 m to 1e-20 m away; what is needed is next to nothing.
  Numbers numbers;
  for (int exponent = -323; exponent < -20; ++exponent) {
    for (int round = 0; round < 20; ++round) {
      const double gap = std::pow(10, exponent) * numbers.between(0.5, 5);
      Question asked;
      asked.boxes = {{{gap, -1, -1}, {1, 1, 1}}};
      asked.radius = gap * numbers.between(0.9, 1.1);
      if (round % 2 == 0) asked.enough = asked.radius * numbers.between(0, 1e-3);
      if (!listed(asked).empty()) continue;
      EXPECT_GT(mpq_class(gap), mpq_class(asked.radius) + mpq_class(asked.enough)) << gap;
      EXPECT_GT(gap, 1e-90);
    }
  }
  // Half a metre away, and no size at all: left out.
  EXPECT_TRUE(listed({{{{0.5, -1, -1}, {1, 1, 1}}}, {}, {}, 0, 0}).empty());
  // Beyond what can be squared: listed, however far.
  EXPECT_EQ(listed({{{{1e60, -1, -1}, {1e61, 1, 1}}}, {}, {}, 0, 0}).size(), 1u);
}

}  // namespace
}  // namespace keepclear
