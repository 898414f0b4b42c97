#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""How far is a robot from hitting itself? Loads a URDF (or the built-in six-axis arm), asks for the
nearest pair of links in a few poses, and prints what is certain.

  01_distance.py [ROBOT.urdf [ROBOT.srdf]]
"""
import sys

import numpy as np

import keepclear


def tell(nearest):
    if nearest.a < 0:
        print(f"{nearest.verdict.name}: no pair to check")
        return
    # `distance` belongs to the witness points; `lower_bound` is the one to rely on. All its digits:
    # a shorter print could round it up.
    print("%-9s %.9f m, at least %.17g m: %s - %s" % (
        nearest.verdict.name, nearest.distance, nearest.lower_bound, *nearest.pair))


def main(arguments):
    # Loading is the slow part. A World never changes: share it among threads.
    world = keepclear.load(arguments[0] if arguments else "six_axis_arm",
                           srdf=arguments[1] if len(arguments) > 1 else None)
    print(f"{world.name}: {world.dof} joint values, {len(world.bodies)} bodies, "
          f"{len(world.checked_pairs)} pairs checked, {len(world.left_out)} left out")

    # A query goes from pose to pose; many poses at once are one call: world.distance(poses).
    query = keepclear.DistanceQuery(world)
    # The numbers of a quaternion do not move alone.
    moving = np.array([v.type != "floating" for v in world.variables])
    step = np.where(np.arange(world.dof) % 2 == 0, 0.2, -0.2)
    q = world.neutral()
    for _ in range(5):
        tell(query(q))
        q = np.where(moving, np.clip(q + step, world.lower, world.upper), q)

    # A check asks for less and is faster: is everything at least 10 mm apart?
    check = query.check(world.neutral(), 0.01)
    print(f"with a margin of 10 mm: {check.verdict.name}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except keepclear.Error as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
