// SPDX-License-Identifier: BSD-3-Clause
//
// After construction a query allocates nothing, whatever it is asked.
#include <gtest/gtest.h>

#include "data.hpp"
#include "keepclear/body.hpp"
#include "scene/worlds.hpp"
#include "support/count_allocations.hpp"

namespace keepclear {
namespace {

/// What `call` allocates.
template <typename Call>
std::size_t allocations(const Call& call) {
  const std::size_t before = test::allocation_count;
  call();
  return test::allocation_count - before;
}

struct Seen {
  int free = 0, contact = 0;
  std::size_t allocated = 0;
};

Seen run(const World& world, int poses, bool with_sign) {
  DistanceOptions options;
  options.signed_distance = with_sign;
  std::mt19937_64 random(1);
  std::vector<std::vector<double>> list = test::smooth_poses(world, 2, 1, poses / 2);
  for (int k = 0; k < poses / 2; ++k) list.push_back(test::random_pose(world, random));
  list.push_back(world.neutral());
  std::vector<double> bad = world.neutral();
  if (!bad.empty()) bad[0] = std::nan("");
  list.push_back(bad);
  DistanceQuery query(world, options);
  Seen seen;
  seen.allocated = allocations([&] {
    for (const auto& q : list) {
      const Nearest near = query(q);
      if (near.verdict == Verdict::free) ++seen.free;
      if (near.verdict == Verdict::contact) ++seen.contact;
      query.all_pairs(q);
      query.check(q);
      query.check(q, 0.05);
      query.check(q, -1);
    }
    query.reset();
    query(list.front());
    query({});
  });
  return seen;
}

void expect_no_allocation(const World& world, int poses) {
  for (const bool with_sign : {false, true}) {
    const Seen seen = run(world, poses, with_sign);
    EXPECT_EQ(seen.allocated, 0u) << world.name();
    // Overlapping poses take the longest way through the search.
    EXPECT_GT(seen.contact, 0) << world.name();
  }
}

TEST(CountingNew, SeesWhatAConstructorAllocates) {
  const World world = load_builtin("six_axis_arm");
  EXPECT_GT(allocations([&] { DistanceQuery query(world); }), 0u);
  EXPECT_GT(allocations([] { std::vector<double> v(10); }), 0u);
}

TEST(QueryAllocations, AreNoneOnTheBuiltinArm) {
  const World world = load_builtin("six_axis_arm");
  expect_no_allocation(world, 2000);
  EXPECT_GT(run(world, 200, false).free, 0);
}

TEST(QueryAllocations, AreNoneWithEveryKindOfJoint) {
  using test::joint;
  using test::link;
  const World world = test::world_of(test::robot(
      link("map") + link("base", test::box(0.5)) + link("x") + link("arm", test::sphere(0.2)) +
      link("y") + link("tool", "<cylinder radius=\"0.1\" length=\"0.4\"/>") +
      link("other", "<capsule radius=\"0.1\" length=\"0.4\"/>") +
      joint("drive", "planar", "map", "base", "<axis xyz=\"0 0 1\"/>") +
      joint("j1", "revolute", "base", "x", "<origin xyz=\"0.6 0 0\"/><axis xyz=\"0 0 1\"/>") +
      joint("j2", "prismatic", "x", "arm", "<axis xyz=\"1 0 0\"/>") +
      joint("j3", "continuous", "arm", "y", "<origin xyz=\"0.5 0 0\"/>") +
      joint("j4", "continuous", "y", "tool", "<mimic joint=\"j3\" multiplier=\"-1\"/>") +
      joint("j5", "floating", "y", "other", "<origin xyz=\"0 0 0.3\"/>")));
  expect_no_allocation(world, 1000);
}

TEST(QueryAllocations, AreNoneOnRobots) {
  KEEPCLEAR_NEEDS_DATA("robots");
  const auto robots = test::data_dir() / "robots";
  for (const char* file :
       {"kuka_lbr_iiwa7_r800/iiwa7.urdf", "ur5_robotiq85/ur5_robotiq85.urdf",
        "iiwa14_spheres/iiwa14_spheres.urdf", "allegro_right/allegro_hand_right.urdf"}) {
    expect_no_allocation(load(robots / file), 100);
  }
}

TEST(BodyDistanceAllocations, AreNone) {
  const Body box = Body::box({1, 1, 1}), ball = Body::sphere({0, 0, 0}, 0.5),
             capsule = Body::capsule({0, 0, 0}, {1, 0, 0}, 0.1);
  std::vector<Vec3> points;
  for (int i = 0; i < 200; ++i) {
    points.push_back({std::cos(0.7 * i), std::sin(0.7 * i), 0.01 * i});
  }
  const Body hull = Body::hull(points);
  BodyDistanceOptions options;
  options.signed_distance = true;
  const Body* const bodies[] = {&box, &ball, &capsule, &hull};
  EXPECT_EQ(allocations([&] {
              for (const Body* a : bodies) {
                for (const Body* b : bodies) {
                  for (int k = 0; k < 100; ++k) {
                    const Pose X{rotation_from_rpy({0.1 * k, 0.2 * k, 0}), {0.03 * k, 0, 0}};
                    distance(*a, {}, *b, X, options);
                  }
                }
              }
            }),
            0u);
}

}  // namespace
}  // namespace keepclear
