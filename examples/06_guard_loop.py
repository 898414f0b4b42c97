#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""A control loop of 1 kHz with a guard in it: an arm is told to go where it would hit itself, and
is braked in time. The last cycles are recorded, and gone through again.

  06_guard_loop.py [ROBOT.urdf JOINT SPEED]

Python is not for hard real time: what a loop of yours does with late answers is for you to say. The
guard itself is the same as in C++.
"""
import sys
import time

import numpy as np

import keepclear

CYCLE = 0.001      # seconds
ACCELERATION = 10  # rad/s^2 that the drives can speed up with
DECELERATION = 20  # rad/s^2 that the brakes achieve at least
CYCLES = 3000


class Plant:
    """The robot: one joint follows the speed it is told, or brakes. Yours is on the field bus."""

    def __init__(self, world, joint):
        self.joint, self.q, self.v = joint, world.neutral(), np.zeros(world.dof)

    def advance(self, braked, speed):
        most = CYCLE * (DECELERATION if braked else ACCELERATION)
        wanted = 0.0 if braked else speed
        before = self.v[self.joint]
        self.v[self.joint] += min(max(wanted - before, -most), most)
        self.q[self.joint] += CYCLE * (before + self.v[self.joint]) / 2


def same_again(world, recording):
    """Goes through what was recorded: the same guard, the same answers, bit by bit."""
    guard = keepclear.restored_guard(world, recording)
    return all(keepclear.same_finding(guard.step(*cycle.state), cycle.found)
               for cycle in recording.cycles)


def run(world, joint, speed):
    # Two cycles, for after a go the next answer may be as late as the end of its cycle; brakes
    # react in 5 ms.
    drive = keepclear.JointBrake(max_acceleration=ACCELERATION, brake_deceleration=DECELERATION,
                                 velocity_uncertainty=1e-3)
    brake = keepclear.uniform_brake(world, 0.007, drive)
    guard = keepclear.Guard(world, brake, margin=0.005, latch=True)
    recorder = keepclear.FlightRecorder(guard, 100)
    plant = Plant(world, joint)

    went = braked = False
    late, longest = 0, 0.0
    due = time.monotonic()
    for i in range(CYCLES):
        if braked and plant.v[joint] == 0:
            break
        time.sleep(max(0.0, due - time.monotonic()))
        due += CYCLE
        # The time at which q and v were measured. The plant has a clock of its own, so that every
        # run says the same. A real loop gives the time at which q was read, and does not count
        # cycles: when it is late, that would tell the guard that it is not.
        measured = CYCLE * i
        came = time.perf_counter()
        cycle = guard.step(measured, plant.q, plant.v)
        taken = time.perf_counter() - came
        longest = max(longest, taken)
        # On a real-time system an answer that comes after the cycle is a brake; here it is counted.
        late += taken > CYCLE
        recorder.push(measured, plant.q, plant.v)
        went = went or cycle.go
        if not cycle.go and cycle.reason != keepclear.Reason.starting and not braked:
            braked = True
            print("%.3f s: brake, %s, %s, %.4f m, at %.4f rad and %.2f rad/s" % (
                measured, cycle.why, " - ".join(cycle.pair or "-"), cycle.bound,
                plant.q[joint], plant.v[joint]))
        plant.advance(braked or not went, speed)
    print("%d cycles, the longest %.1f us, %d late" % (guard.counters.cycles, 1e6 * longest, late))
    rest = world.distance(plant.q)
    print("stands at %.4f rad, %.4f m apart" % (plant.q[joint], rest.lower_bound))
    same = same_again(world, recorder.recording())
    print(f"{len(recorder)} cycles gone through again: {'the same' if same else 'not the same'}")
    return 0 if went and braked and rest.verdict == keepclear.Verdict.free and same else 1


def main(arguments):
    world = keepclear.load(arguments[0] if len(arguments) == 3 else "six_axis_arm")
    name, speed = (arguments[1], float(arguments[2])) if len(arguments) == 3 else ("shoulder", 2.0)
    names = [variable.name for variable in world.variables]
    if name not in names:
        sys.exit(f"there is no joint {name}")
    return run(world, names.index(name), speed)


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except keepclear.Error as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
