#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Is a whole motion free, and how near does it come? Reads a motion and certifies it, looks for the
straight edges that a planner may use, and keeps what proves one of them.

  05_certify.py [ROBOT.urdf MOTION [MARGIN]]
"""
import sys

import numpy as np

import keepclear


def tell(what, certificate):
    text = f"{what}: {certificate.verdict.name}"
    if certificate.verdict == keepclear.Verdict.free:
        text += ", at least %.4f m throughout; nearest %s at %.3f s" % (
            certificate.clearance, " - ".join(certificate.pair or ["nobody"]), certificate.time)
    elif certificate.verdict == keepclear.Verdict.contact:
        text += ", %s at %.3f s" % (" - ".join(certificate.pair), certificate.first_contact)
    print(f"{text}; {certificate.tests} tests")


def tell_edges(world):
    """Which of two configurations a straight line joins that is free throughout."""
    query = keepclear.MotionQuery(world, margin=0.005)
    start = np.array([0, 0.9, -0.5, 0, 0, 0])
    for waist in -0.6, -0.3, 0.3, 0.6, 0.9, 1.2:
        goal = start.copy()
        goal[0] = waist
        verdict = query.connects(start, goal)
        print("  the waist from 0 to %4.1f: %-9s %d tests" % (
            waist, verdict.name, query.last_tests))


def certify_file(robot, motion, margin):
    world = keepclear.load(robot)
    tell(motion, world.certify(motion, margin=margin))
    return 0


def tour():
    world = keepclear.load("six_axis_arm")
    print("edges of a planner, 5 mm clear at least")
    tell_edges(world)

    # A motion in two lines, as a CSV has it: rows of numbers, one for each time. The second time
    # every joint may be a hundredth of a radian off: a controller that does not follow exactly.
    path = keepclear.straight_path([0, 1, 2], [[-0.5, 0.9, -0.5, 0, 0, 0],
                                               [0, 0.6, -0.5, 0, 0, 0],
                                               [0.3, 0.2, -0.5, 0, 0, 0]])
    exact = world.certify(path)
    tell("as planned", exact)
    tube = keepclear.with_tube(path, np.full(6, 0.01))
    followed = world.certify(tube, keep_proof=True)
    tell("as driven ", followed)

    # What proves it: which bodies, where on the path, how far apart at least.
    print(f"{len(followed.proof)} steps prove that, the first of them:")
    for step in followed.proof[:3]:
        print("  %s - %s from %.3f to %.3f of the path by %s: %.4f m" % (
            *step.pair, step.start, step.stop, step.method.name, step.bound))
    return 0 if (followed.verdict == keepclear.Verdict.free
                 and followed.clearance <= exact.distance and followed.proof) else 1


if __name__ == "__main__":
    try:
        if len(sys.argv) < 3:
            sys.exit(tour())
        sys.exit(certify_file(*sys.argv[1:3], float(sys.argv[3]) if len(sys.argv) > 3 else 0))
    except keepclear.Error as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
