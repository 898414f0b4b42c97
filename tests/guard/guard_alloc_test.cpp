// SPDX-License-Identifier: BSD-3-Clause
//
// A guard allocates when it is built, and never after: cycles good and bad, objects taken and put
// down, memory saved and restored.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <vector>

#include "keepclear/guard.hpp"
#include "keepclear/recorder.hpp"

namespace keepclear::test {
/// Counted by the source that replaces operator new.
inline std::atomic<std::size_t> allocation_count{0};
}  // namespace keepclear::test

namespace keepclear {
namespace {

TEST(GuardAllocations, AreNoneAfterConstruction) {
  for (const char* name : {"humanoid", "two_arms"}) {
    const World world = load_builtin(name);
    JointBrake joint;
    joint.max_velocity = 100;  // faster than the limits of the robot
    joint.max_acceleration = joint.brake_deceleration = joint.brake_deceleration_most = 20;
    const std::size_t before_any = test::allocation_count;
    GuardOptions options;
    options.graded = true;
    const BrakeModel brake = uniform_brake(world, 0.01, joint);
    Guard guard(world, brake, options);
    FlightRecorder recorder(world, brake, options, guard, 100);
    EXPECT_GT(test::allocation_count, before_any) << name;  // it counts
    std::vector<std::byte> memory(guard.memory_size());
    std::vector<double> q = world.neutral(), v(q.size());
    const std::vector<double> start = q;
    int goes = 0, object = -1;
    for (std::size_t s = 0; s < world.solids().size(); ++s) {
      if (world.solids()[s].is_object) object = static_cast<int>(s);
    }
    const std::size_t before = test::allocation_count;
    for (int k = 1; k < 2000; ++k) {
      const double t = 0.002 * k;
      for (std::size_t i = 0; i < q.size(); ++i) {
        q[i] = start[i] + 0.4 * (1 - std::cos(t)), v[i] = 0.4 * std::sin(t);
      }
      if (k % 100 == 0) q[0] = std::nan("");
      goes += guard.step({t, q, v}) == Action::go ? 1 : 0;
      recorder.push({t, q, v}, guard);
      if (k % 300 == 0 && object >= 0) guard.attach(object, 1);
      if (k % 300 == 150 && object >= 0) guard.release(object);
      if (k % 500 == 0) guard.save(memory);
      if (k % 500 == 1 && k > 1) guard.restore(memory);
    }
    EXPECT_EQ(test::allocation_count, before) << name;
    EXPECT_GT(goes, 0) << name;
  }
}

}  // namespace
}  // namespace keepclear
