#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""What may a robot hit before it stands? Each joint that moves at some speed needs an angle to
brake, so that it ranges over an interval. Sweeps all bodies over the box of these intervals and
finds the speed up to which nothing can be hit from here, whichever joints brake first.

  04_sweep.py [ROBOT.urdf [ROBOT.srdf]]
"""
import sys

import keepclear


def braking_box(q, speed):
    """Where the joints may be while they brake from `speed` rad/s, if they started at q: on and on
    for 0.05 s, then slower by 4 rad/s each second; to either side."""
    way = speed * 0.05 + speed * speed / (2 * 4)
    return q - way, q + way


def safe_speed(world, plan, q):
    """The largest speed, to 0.01 rad/s, from which stopping is shown to be free."""
    sweep = keepclear.Sweep(world, plan)
    speed = 0.0
    while (speed < 5 and sweep.update(*braking_box(q, speed + 0.01))
           and sweep.clearance().clearance > 0):
        speed += 0.01
    sweep.update(*braking_box(q, speed))
    left = sweep.clearance()
    then = ""
    if left.a >= 0:
        then = ", then %.4f m are left: %s - %s" % (left.clearance, *left.pair)
    print("%5d points in %d volumes: %.2f rad/s%s" % (
        sweep.point_count, len(sweep.volumes()), speed, then))
    return speed


def main(arguments):
    world = keepclear.load(arguments[0] if arguments else "humanoid",
                           srdf=arguments[1] if len(arguments) > 1 else None)
    q = world.neutral()

    # More points follow the joints more closely, and cost more.
    print("one point a joint")
    coarse = safe_speed(world, keepclear.uniform_plan(world, turn=1, slide=1), q)
    print("two points at the first four joints, as in the paper")
    paper = keepclear.paper_plan(world, 4)
    by_paper = safe_speed(world, paper, q)
    print("as many points, where they help most")
    points = keepclear.Sweep(world, paper).point_count
    by_plan = safe_speed(world, keepclear.automatic_plan(world, points=points), q)
    return 0 if max(by_paper, by_plan) >= coarse else 1


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except keepclear.Error as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
