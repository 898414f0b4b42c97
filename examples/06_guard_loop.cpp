// SPDX-License-Identifier: BSD-3-Clause
//
// A control loop of 1 kHz with a guard in it: an arm is told to go where it would hit itself, and
// is braked in time. The last cycles are recorded, and gone through again.
//
//   example_06_guard_loop [ROBOT.urdf JOINT SPEED]
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <keepclear/keepclear.hpp>
#include <string>
#include <thread>
#include <vector>

namespace {

constexpr double kCycle = 0.001;      // seconds
constexpr double kAcceleration = 10;  // rad/s^2 that the drives can speed up with
constexpr double kDeceleration = 20;  // rad/s^2 that the brakes achieve at least
constexpr int kCycles = 3000;

/// The robot: one joint follows the speed it is told, or brakes. Yours comes from the field bus.
struct Plant {
  std::size_t joint;
  std::vector<double> q, v;

  void advance(bool braked, double speed) {
    const double most = kCycle * (braked ? kDeceleration : kAcceleration);
    const double wanted = braked ? 0 : speed;
    const double before = v[joint];
    v[joint] += std::fmin(std::fmax(wanted - before, -most), most);
    q[joint] += kCycle * (before + v[joint]) / 2;
  }
};

std::size_t find_joint(const keepclear::World& world, const std::string& name) {
  for (std::size_t i = 0; i < world.dof(); ++i) {
    if (world.variables()[i].name == name) return i;
  }
  throw keepclear::Error(keepclear::Error::Kind::usage, "", 0, "there is no joint " + name);
}

std::string pair_of(const keepclear::World& world, const keepclear::GuardCycle& cycle) {
  if (cycle.a < 0 || cycle.b < 0) return "-";
  return world.solids()[static_cast<std::size_t>(cycle.a)].name + " - " +
         world.solids()[static_cast<std::size_t>(cycle.b)].name;
}

/// Goes through what was recorded: the same guard, the same answers, bit by bit.
bool same_again(const keepclear::World& world, const keepclear::Recording& recording) {
  keepclear::Guard guard = keepclear::restored_guard(world, recording);
  for (const keepclear::RecordedCycle& cycle : recording.cycles) {
    guard.step(cycle.state());
    if (!same_finding(guard.last(), cycle.found)) return false;
  }
  return true;
}

int run(const keepclear::World& world, std::size_t joint, double speed) {
  // Two cycles, for after a go the next answer may be as late as the end of its cycle; brakes
  // react in 5 ms.
  keepclear::JointBrake drive;
  drive.max_acceleration = kAcceleration;
  drive.brake_deceleration = kDeceleration;
  drive.velocity_uncertainty = 1e-3;
  const keepclear::BrakeModel brake = keepclear::uniform_brake(world, 0.007, drive);
  const keepclear::GuardOptions options{.margin = 0.005, .latch = true};

  // Everything that allocates happens here, before the loop.
  keepclear::Guard guard(world, brake, options);
  keepclear::FlightRecorder recorder(world, brake, options, guard, 100);
  Plant plant{joint, world.neutral(), std::vector<double>(world.dof(), 0.0)};

  using Clock = std::chrono::steady_clock;
  bool went = false, braked = false;
  std::uint64_t late = 0;
  double longest_us = 0;
  Clock::time_point next = Clock::now();
  for (int i = 0; i < kCycles && !(braked && plant.v[joint] == 0); ++i) {
    std::this_thread::sleep_until(next);
    next += std::chrono::milliseconds(1);
    // The time at which q and v were measured. The plant has a clock of its own, so that every run
    // says the same. A real loop gives the time at which q was read, and does not count cycles:
    // when it is late, that would tell the guard that it is not.
    const double measured = kCycle * i;
    const keepclear::GuardState state{.time = measured, .q = plant.q, .v = plant.v};
    const Clock::time_point came = Clock::now();
    // No allocation, no lock, no system call, bounded work.
    const bool go = guard.step(state) == keepclear::Action::go;
    const std::chrono::duration<double, std::micro> taken = Clock::now() - came;
    longest_us = std::fmax(longest_us, taken.count());
    // On a real-time system an answer that comes after the cycle is a brake; here it is counted.
    late += taken.count() > 1e6 * kCycle ? 1 : 0;
    recorder.push(state, guard);
    const bool starting = guard.last().reason == keepclear::Reason::starting;
    went = went || go;
    if (!go && !starting && !braked) {
      braked = true;
      std::printf("%.3f s: brake, %s, %s, %.4f m, at %.4f rad and %.2f rad/s\n", state.time,
                  std::string(name_of(guard.last().reason)).c_str(),
                  pair_of(world, guard.last()).c_str(), guard.last().bound, plant.q[joint],
                  plant.v[joint]);
    }
    plant.advance(braked || !went, speed);
  }
  std::printf("%llu cycles, the longest %.1f us, %llu late\n",
              static_cast<unsigned long long>(guard.counters().cycles), longest_us,
              static_cast<unsigned long long>(late));
  keepclear::DistanceQuery query(world);
  const keepclear::Nearest rest = query(plant.q);
  std::printf("stands at %.4f rad, %.4f m apart\n", plant.q[joint], rest.lower_bound);
  const bool same = same_again(world, recorder.recording());
  std::printf("%zu cycles gone through again: %s\n", recorder.size(),
              same ? "the same" : "not the same");
  return went && braked && rest.verdict == keepclear::Verdict::free && same ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    const keepclear::World world =
        argc == 4 ? keepclear::load(argv[1]) : keepclear::load_builtin("six_axis_arm");
    return run(world, find_joint(world, argc == 4 ? argv[2] : "shoulder"),
               argc == 4 ? std::atof(argv[3]) : 2.0);
  } catch (const keepclear::Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return static_cast<int>(error.kind());
  }
}
