#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Does a body go through an opening, as planned, and as it is really moved? A tray is turned and
pushed through a frame along a rational Bezier curve; then the same with every motion that stays
within a few millimetres of it. With arguments, an object of a scene moves as a file says.

  07_toleranced_motion.py [SCENE.json MOTION.json]
"""
import math
import sys

import keepclear
from keepclear import Polyhedron, StandingBody, StandingPlane, TolerancedQuery, Verdict


def tell(what, query, result):
    text = f"{what}: {result.verdict.name}"
    if result.verdict == Verdict.free:
        text += f", at least {result.clearance:.4f} m throughout"
    print(f"{text}; {result.balls} balls, {result.tests} tests, depth {result.depth}")
    standing = query.bodies + query.planes  # in this order
    for interval in result.intervals:
        if interval.status == Verdict.free:
            continue
        moving, other = interval.moving, interval.standing
        print("  %s from %.4f to %.4f: %s %d and %s %d of '%s'" % (
            interval.status.name, interval.start, interval.stop, moving.kind.name, moving.index,
            other.kind.name, other.index, standing[interval.other].name))


def frame(half_outside, half_inside):
    """A plate with a square opening, 0.02 m thick: two faces with a hole each, and the walls
    between."""
    corners = [[x, y * half, z * half]
               for x in (-0.01, 0.01) for half in (half_outside, half_inside)
               for y, z in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    faces = [([0, 1, 2, 3], [[4, 5, 6, 7]]), ([8, 9, 10, 11], [[12, 13, 14, 15]])]
    for i in range(4):
        following = (i + 1) % 4
        faces.append([i, following, following + 8, i + 8])
        faces.append([i + 4, following + 4, following + 12, i + 12])
    return Polyhedron.faces(corners, faces)


def pose(angle, x):
    """Turned about z by `angle`, its origin at x: three rows of four numbers."""
    return [[math.cos(angle), -math.sin(angle), 0, x],
            [math.sin(angle), math.cos(angle), 0, 0],
            [0, 0, 1, 0]]


def tour():
    # 0.5 m long, 0.2 m wide: it fits through 0.3 m only if it is turned in time.
    tray = Polyhedron.box([0.5, 0.2, 0.05])
    query = TolerancedQuery(tray, [StandingBody(frame(1, 0.15), "frame")],
                            [StandingPlane([0, 0, 1], -1, "floor")])

    # Control points of a curve in the space of displacements: between poses it shrinks a little, as
    # such curves do, and that counts.
    in_time = [pose(1, -1), pose(0, -0.9), pose(0, 0), pose(0, 1)]
    weights = [1, 2, 2, 1]
    good = keepclear.rational_bezier_curve(in_time, weights)
    planned = query(good)
    tell("turned in time", query, planned)

    # Every motion that is nowhere farther off than that, as the root mean square over the corners.
    moved = query(good, 0.005)
    tell("within 5 mm   ", query, moved)

    too_late = [pose(1, -1), pose(1, -0.3), pose(1, 0), pose(0, 1)]
    late = query(keepclear.rational_bezier_curve(too_late, weights))
    tell("turned late   ", query, late)
    return 0 if (planned.verdict == moved.verdict == Verdict.free
                 and moved.clearance < planned.clearance and late.verdict == Verdict.contact) else 1


def of_files(scene, motion):
    read = keepclear.read_object_motion(motion)
    query = keepclear.object_query(keepclear.read_scene(scene), read.object)
    tell(read.object, query, query(read.curve, read.deviation))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(of_files(*sys.argv[1:3]) if len(sys.argv) > 2 else tour())
    except keepclear.Error as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
