// SPDX-License-Identifier: BSD-3-Clause
//
// What may a robot hit before it stands? Each joint that moves at some speed needs an angle to
// brake, so that it ranges over an interval. Sweeps all bodies over the box of these intervals and
// finds the speed up to which nothing can be hit from here, whichever joints brake first.
//
//   example_04_sweep [ROBOT.urdf [ROBOT.srdf]]
#include <algorithm>
#include <cstdio>
#include <keepclear/keepclear.hpp>
#include <keepclear/sweep.hpp>
#include <vector>

namespace {

/// Where the joints may be while they brake from `speed` rad/s, if they started at q: on and on for
/// 0.05 s, then slower by 4 rad/s each second; to either side.
keepclear::JointBox braking_box(const std::vector<double>& q, double speed) {
  const double way = speed * 0.05 + speed * speed / (2 * 4);
  keepclear::JointBox box;
  for (const double value : q) box.push_back({value - way, value + way});
  return box;
}

/// The largest speed, to 0.01 rad/s, from which stopping is shown to be free.
double safe_speed(const keepclear::World& world, const keepclear::SweepPlan& plan,
                  const std::vector<double>& q) {
  keepclear::Sweep sweep(world, plan);  // allocates; update and clearance do not
  double speed = 0;
  while (speed < 5 && sweep.update(braking_box(q, speed + 0.01)) &&
         sweep.clearance().clearance > 0) {
    speed += 0.01;
  }
  sweep.update(braking_box(q, speed));
  const keepclear::SweptClearance left = sweep.clearance();
  std::printf("%5zu points in %zu volumes: %.2f rad/s", sweep.point_count(), sweep.volumes().size(),
              speed);
  if (left.a >= 0) {
    std::printf(", then %.4f m are left: %s - %s", left.clearance,
                world.solids()[static_cast<std::size_t>(left.a)].name.c_str(),
                world.solids()[static_cast<std::size_t>(left.b)].name.c_str());
  }
  std::printf("\n");
  return speed;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    keepclear::LoadOptions options;
    if (argc > 2) options.srdf = argv[2];
    const keepclear::World world =
        argc > 1 ? keepclear::load(argv[1], options) : keepclear::load_builtin("humanoid", options);
    const std::vector<double> q = world.neutral();

    // More points follow the joints more closely, and cost more.
    std::puts("one point a joint");
    const double coarse = safe_speed(world, keepclear::uniform_plan(world, {1, 1}), q);
    std::puts("two points at the first four joints, as in the paper");
    const keepclear::SweepPlan paper = keepclear::paper_plan(world, 4);
    const double by_paper = safe_speed(world, paper, q);
    std::puts("as many points, where they help most");
    keepclear::AutomaticPlanOptions best;
    best.points = keepclear::Sweep(world, paper).point_count();
    const double by_plan = safe_speed(world, keepclear::automatic_plan(world, best), q);
    return std::max(by_paper, by_plan) >= coarse ? 0 : 1;
  } catch (const keepclear::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  }
}
