// SPDX-License-Identifier: BSD-3-Clause
//
// Sweep: boxes it takes and refuses, pairs it names, joints of one number, and the lanes against
// their plain twin.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <random>

#include "keepclear/distance.hpp"
#include "keepclear/sweep.hpp"
#include "scene/worlds.hpp"
#include "sweep/sweep_lanes.hpp"

namespace keepclear {
namespace {

using test::joint;
using test::link;
using test::sphere;

constexpr double kInfinity = std::numeric_limits<double>::infinity();

JointBox around(const std::vector<double>& q, double half) {
  JointBox box;
  for (const double x : q) box.push_back({x - half, x + half});
  return box;
}

TEST(Sweep, RefusesWhatIsNoBox) {
  const World world = load_builtin("six_axis_arm");
  Sweep sweep(world, paper_plan(world, 3));
  EXPECT_EQ(sweep.clearance().clearance, -kInfinity);
  JointBox box = around(world.neutral(), 0.1);
  EXPECT_TRUE(sweep.update(box));
  EXPECT_GT(sweep.clearance().clearance, -1);
  box[2] = {0.1, 0.0};
  EXPECT_FALSE(sweep.update(box));
  EXPECT_EQ(sweep.clearance().clearance, -kInfinity);
  box[2] = {std::nan(""), 0.0};
  EXPECT_FALSE(sweep.update(box));
  box.pop_back();
  EXPECT_FALSE(sweep.update(box));
}

TEST(Sweep, OfNoWidthIsTheDistance) {
  for (const char* name : {"six_axis_arm", "two_arms", "humanoid"}) {
    const World world = load_builtin(name);
    std::mt19937_64 random(4);
    DistanceQuery query(world);
    Sweep sweep(world, paper_plan(world, 3));
    int free = 0;
    for (int k = 0; k < 40; ++k) {
      const std::vector<double> q = test::random_pose(world, random);
      const Nearest nearest = query(q);
      if (nearest.verdict != Verdict::free) continue;
      ++free;
      ASSERT_TRUE(sweep.update(around(q, 0)));
      const SweptClearance shown = sweep.clearance();
      EXPECT_LE(shown.clearance, nearest.distance);
      EXPECT_GT(shown.clearance, nearest.distance - 1e-6) << name;
      // Two pairs may be as near as each other.
      const double named = query.all_pairs(q)[test::index_of(world, shown.a, shown.b)].distance;
      EXPECT_NEAR(named, nearest.distance, 1e-6) << test::names_of(world, shown.a, shown.b);
    }
    EXPECT_GT(free, 5) << name;
  }
}

TEST(Sweep, OfAWiderBoxShowsNoMore) {
  const World world = load_builtin("two_arms");
  Sweep sweep(world, paper_plan(world, 4));
  double last = kInfinity;
  for (const double half : {0.0, 0.001, 0.01, 0.05, 0.2}) {
    ASSERT_TRUE(sweep.update(around(world.neutral(), half)));
    const double clearance = sweep.clearance().clearance;
    EXPECT_LT(clearance, last);
    last = clearance;
  }
}

/// Two hinges of one number, the second turning back what the first turned: what is behind them
/// does not turn, it moves along an arc.
World back_and_forth() {
  return test::world_of(test::robot(
      link("base", sphere(0.1)) + link("post") + link("beam") + link("far", sphere(0.1)) +
      joint("first", "revolute", "base", "post", "<axis xyz=\"0 0 1\"/>") +
      joint("second", "revolute", "post", "beam",
            "<origin xyz=\"0.5 0 0\"/><axis xyz=\"0 0 1\"/>"
            "<mimic joint=\"first\" multiplier=\"-1\"/>") +
      joint("weld", "fixed", "beam", "far", "<origin xyz=\"3 0 0\"/>")));
}

/// How far a volume reaches along n.
double support(const Volume& volume, Vec3 n) {
  double most = -kInfinity;
  for (std::size_t i = 0; i < volume.count; ++i) most = std::max(most, dot(n, volume.point(i)));
  return most + volume.radius;
}

const Volume& volume_of(const Sweep& sweep, int body, int frame) {
  for (const SweptVolume& v : sweep.volumes()) {
    if (v.body == body && v.frame == frame) return v.volume;
  }
  throw std::out_of_range("no such volume");
}

TEST(Sweep, SweepsJointsOfOneNumberTogether) {
  const World coupled = back_and_forth();
  // The same without the coupling.
  const World apart = test::world_of(test::robot(
      link("base", sphere(0.1)) + link("post") + link("beam") + link("far", sphere(0.1)) +
      joint("first", "revolute", "base", "post", "<axis xyz=\"0 0 1\"/>") +
      joint("second", "revolute", "post", "beam",
            "<origin xyz=\"0.5 0 0\"/><axis xyz=\"0 0 1\"/>") +
      joint("weld", "fixed", "beam", "far", "<origin xyz=\"3 0 0\"/>")));
  Sweep together(coupled, uniform_plan(coupled, {2, 2})), each(apart, uniform_plan(apart, {2, 2}));
  for (const double half : {0.01, 0.1, 0.4}) {
    ASSERT_TRUE(together.update(JointBox{{-half, half}}));
    ASSERT_TRUE(each.update(JointBox{{-half, half}, {-half, half}}));
    const Volume &v = volume_of(together, 1, 0), &w = volume_of(each, 1, 0);
    EXPECT_EQ(v.count, 3u);
    EXPECT_EQ(w.count, 4u);
    // The truth: a ball of 0.1 at (3 + 0.5 cos q, 0.5 sin q).
    const double across = 0.5 * std::sin(half) + 0.1;
    EXPECT_GE(support(v, {0, 1, 0}), across);
    EXPECT_GE(support(v, {1, 0, 0}), 3.6);
    // Nearly as wide as the truth, where each for itself it swings the long beam.
    EXPECT_LT(support(v, {0, 1, 0}) - across, 0.06 * half + 2 * half * half);
    EXPECT_GT(support(w, {0, 1, 0}) - across, 2.5 * half);
    for (int k = 0; k < 16; ++k) {
      const double at = k * std::numbers::pi / 8;
      const Vec3 n{std::cos(at), std::sin(at), 0};
      // Across the motion the two have what makes it even to pay for.
      const double even = k % 8 == 0 ? 0.3 * half * half * half : 0;
      EXPECT_LT(support(v, n), support(w, n) + even) << half << ", " << k;
    }
    for (int k = -10; k <= 10; ++k) {
      const double q = half * k / 10;
      for (int d = 0; d < 16; ++d) {
        const double at = d * std::numbers::pi / 8;
        const Vec3 n{std::cos(at), std::sin(at), 0};
        const Vec3 p{3 + 0.5 * std::cos(q), 0.5 * std::sin(q), 0};
        EXPECT_LE(dot(n, p) + 0.1, support(v, n) + 1e-12);
      }
    }
  }
  // One point each: nothing to group.
  Sweep coarse(coupled, uniform_plan(coupled, {1, 1}));
  EXPECT_EQ(volume_of(coarse, 1, 0).count, 1u);
}

TEST(Sweep, KeepsCurvesApartFromJointsBetween) {
  // Numbers a, b and c along one chain: a b a c b a, so that curves lie within curves.
  std::string inside = link("base", sphere(0.1));
  const char* const numbers[] = {"a", "b", "a", "c", "b", "a"};
  const auto numbered = [](std::string name, int k) {
    name.push_back(static_cast<char>('0' + k));
    return name;
  };
  std::string parent = "base";
  for (int k = 0; k < 6; ++k) {
    const std::string child = numbered("l", k), name = numbered("j", k);
    inside += link(child, k == 5 ? sphere(0.05) : "");
    std::string rest = "<origin xyz=\"0.3 0.1 0.2\" rpy=\"0.3 0.2 0.1\"/><axis xyz=\"0 1 0.5\"/>";
    for (int m = 0; m < k; ++m) {
      if (std::strcmp(numbers[m], numbers[k]) != 0) continue;
      rest += numbered("<mimic joint=\"j", m) + "\" multiplier=\"" + (k % 2 ? "-1.5" : "0.5") +
              "\" offset=\"0.2\"/>";
      break;
    }
    inside += joint(name, "revolute", parent, child, rest);
    parent = child;
  }
  const World world = test::world_of(test::robot(inside));
  ASSERT_EQ(world.dof(), 3u);
  Sweep sweep(world, uniform_plan(world, {2, 2}));
  // 4 control points of a, 3 of b, 2 of c.
  ASSERT_EQ(volume_of(sweep, 1, 0).count, 24u);
  const Kinematics& kinematics = world.data().kinematics;
  std::vector<BoundedPose> poses(static_cast<std::size_t>(kinematics.frame_count()));
  std::mt19937_64 random(8);
  const auto number = [&] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  const auto place = [&](const std::vector<double>& q) {
    EXPECT_TRUE(kinematics.forward(q, 0, poses));
    return poses.back().X.p;
  };
  double least = kInfinity;
  for (int k = 0; k < 200; ++k) {
    const double half = k % 2 ? 0.5 * number() : 0.002;
    JointBox box;
    std::vector<double> middle;
    for (int i = 0; i < 3; ++i) {
      middle.push_back(4 * number() - 2);
      box.push_back({middle.back() - half, middle.back() + half});
    }
    ASSERT_TRUE(sweep.update(box));
    const Volume& v = volume_of(sweep, 1, 0);
    const Vec3 centre = place(middle);
    // Every corner, along the way to it: where a wrong order of the control points shows.
    for (unsigned corner = 0; corner < 8; ++corner) {
      std::vector<double> q;
      for (unsigned i = 0; i < 3; ++i) {
        q.push_back(corner >> i & 1u ? box[i].upper : box[i].lower);
      }
      const Vec3 p = place(q), way = p - centre, n = (1 / norm(way)) * way;
      const double room = (support(v, n) - 0.05) - dot(n, p);
      EXPECT_GE(room, -1e-12);
      least = std::min(least, room / norm(way));
    }
    std::vector<double> q;
    for (const Interval& i : box) q.push_back(i.lower + number() * (i.upper - i.lower));
    const Vec3 n{number() - 0.5, number() - 0.5, number() - 0.5};
    EXPECT_GE(support(v, (1 / norm(n)) * n) - 0.05 - dot((1 / norm(n)) * n, place(q)), -1e-12);
  }
  EXPECT_LT(least, 0.01);  // not by being huge
}

TEST(Sweep, OfJointsWithoutLimitsIsEverything) {
  const World world = test::rail();
  Sweep sweep(world, uniform_plan(world, {2, 2}));
  for (const Interval wild :
       {Interval{-kInfinity, kInfinity}, Interval{-1e308, 1e308}, Interval{0, 1e200}}) {
    ASSERT_TRUE(sweep.update(JointBox{wild, {0, 0}}));
    bool everything = false;
    for (const SweptVolume& v : sweep.volumes()) {
      EXPECT_FALSE(std::isnan(v.volume.radius));
      if (v.volume.radius == kInfinity) everything = true;
    }
    EXPECT_TRUE(everything);
    EXPECT_EQ(sweep.clearance().clearance, -kInfinity);
  }
  // And is forgotten with the next box.
  ASSERT_TRUE(sweep.update(JointBox{{0, 0.1}, {1, 1.1}}));
  EXPECT_NEAR(sweep.clearance().clearance, 0.7, 1e-6);
}

TEST(SweepLanes, AgreeWithTheirPlainTwinToTheBit) {
  std::mt19937_64 random(2);
  const auto number = [&] { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; };
  for (int k = 0; k < 400; ++k) {
    Stage stage;
    SweepTask task;
    task.degree = k % 4;
    task.inner = task.degree == 0 ? 0 : 1 + random() % 19;
    task.count = task.degree == 0
                     ? 1 + random() % 40
                     : task.inner * static_cast<std::size_t>(task.degree + 1) * (1 + random() % 3);
    stage.count = task.degree == 0 ? 1 + static_cast<int>(random() % 12) : 2;
    stage.axis = {number(), number(), number()};
    stage.about_centre = random() % 4 == 0;
    for (int m = 0; m < stage.count; ++m) {
      stage.maps[m] = {{{number(), number(), number()},
                        {number(), number(), number()},
                        {number(), number(), number()}},
                       {number(), number(), number()}};
    }
    const std::size_t after = points_after(task, stage.count);
    std::vector<double> in[3], lanes[3], plain[3];
    for (int axis = 0; axis < 3; ++axis) {
      // What lies beyond the points must not matter.
      in[axis].assign(task.count + kSweepPad, 1e300);
      for (std::size_t i = 0; i < task.count; ++i) in[axis][i] = number();
      lanes[axis].assign(after + kSweepPad, 7);
      plain[axis].assign(after + kSweepPad, 7);
      task.in[axis] = in[axis].data();
      task.out[axis] = lanes[axis].data();
    }
    SweepTask twin = task;
    for (int axis = 0; axis < 3; ++axis) twin.out[axis] = plain[axis].data();
    apply_stage(stage, {&task, 1});
    apply_stage_plain(stage, {&twin, 1});
    EXPECT_EQ(task.lever2, twin.lever2);
    EXPECT_EQ(task.reach2, twin.reach2);
    for (int axis = 0; axis < 3; ++axis) EXPECT_EQ(lanes[axis], plain[axis]) << k;
    EXPECT_GT(task.reach2, 0);
  }
}

TEST(SweepLanes, FillBlocksWithTheLastPoint) {
  for (const std::size_t count : {1u, 7u, 8u, 9u, 23u}) {
    const std::size_t padded = (count + kBlock - 1) / kBlock * kBlock;
    AlignedVector points[3], blocks(padded * 3);
    double* at[3];
    for (int axis = 0; axis < 3; ++axis) {
      points[axis].resize(padded);
      for (std::size_t i = 0; i < count; ++i) {
        points[axis][i] = (axis + 1) * std::sin(static_cast<double>(i + 1));
      }
      at[axis] = points[axis].data();
    }
    const Box box = fill_blocks(at, count, blocks.data());
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < padded; ++i) {
        const double x = (axis + 1) * std::sin(static_cast<double>(std::min(i, count - 1) + 1));
        EXPECT_EQ(blocks[i / kBlock * (3 * kBlock) + static_cast<std::size_t>(axis) * kBlock +
                         i % kBlock],
                  x);
        EXPECT_EQ(points[axis][i], x);
        EXPECT_LE(box.lo[axis], x);
        EXPECT_GE(box.hi[axis], x);
      }
    }
  }
}

}  // namespace
}  // namespace keepclear
