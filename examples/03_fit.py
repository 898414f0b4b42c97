#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Bodies of a few points around the links of a robot, proved to contain them: fits a URDF (or the
built-in six-axis arm), tells what each body costs in volume, and loads the robot with them.

  03_fit.py [ROBOT.urdf [MODEL.json]]
"""
import sys

import keepclear


def main(arguments):
    robot = arguments[0] if arguments else "six_axis_arm"
    # One body a link, and a quick search; the default looks longer.
    fit = keepclear.load(robot).fit(points=4, parts=1, starts=200, refined=4)
    for body in fit.bodies:
        print("%-20s %d points, radius %.1f mm, %.2f times the hull, %.1f mm beyond it" % (
            body.body.link, len(body.body.points), 1e3 * body.body.radius,
            body.volume / body.hull_volume, 1e3 * body.excess))
    if len(arguments) > 1:
        fit.write(arguments[1])

    # Loading believes nothing: it proves again that every triangle is in a body of its link.
    world = keepclear.load(robot, model=fit.model)
    nearest = world.distance(world.neutral())
    print("%s: %d bodies; in the neutral pose %s, at least %.17g m apart" % (
        world.name, len(world.bodies), nearest.verdict.name, nearest.lower_bound))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(sys.argv[1:]))
    except keepclear.Error as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
