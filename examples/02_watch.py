#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Two arms at a bench, watched cycle by cycle: the first cycle in which a collision is imminent,
and then a box that one arm picks up and that is watched like a link from then on.

  02_watch.py
"""
import io
import sys

import numpy as np

import keepclear

CYCLE = 0.05  # seconds from row to row


def tasks_of(name):
    """The motions that come with a built-in world: rows of a time and the joint values."""
    world, = (world for world in keepclear.builtin_worlds() if world.name == name)
    return [np.loadtxt(io.StringIO(task.csv), delimiter=",", skiprows=1) for task in world.tasks]


def run(watch, task, first, end):
    """Runs the task from row `first` on, up to `end` seconds or the first cycle that is not free.
    Returns the row after the last one that was free."""
    for row in range(first, len(task)):
        time, q = task[row, 0], task[row, 1:]
        if time > end:
            return row
        cycle = watch.step(q, CYCLE)
        if cycle.verdict == keepclear.Verdict.free:
            continue
        print(f"{time:.2f} s: stop, {len(cycle.imminent)} imminent")
        for pair in cycle.imminent:
            print("  %s - %s: %.4f m apart, %.4f m asked for, at (%.3f %.3f %.3f)" % (
                *pair.pair, pair.distance, pair.tolerance, *pair.point_a))
        return row
    return len(task)


def main():
    world = keepclear.load("two_arms")
    task1, task2 = tasks_of("two_arms")[:2]
    # What moves at speed v is kept clear by v * 0.1 s: that far it goes before it stands.
    options = {"reaction_time": 0.05, "stopping_time": 0.05}

    print("task2: the left arm runs into the front table")
    run(keepclear.Watch(world, **options), task2, 0, 60)

    print("task1: the left arm fetches the box from the front table")
    fetch = keepclear.Watch(world, **options)
    fetch.expect_contact("left/link7", "front_box", 0.05)  # only these two, and only when slow
    row = run(fetch, task1, 0, 44)
    if not fetch.attach("front_box", "left/link7", touch=["front_table"]):
        return 1
    row = run(fetch, task1, row, 60)
    fetch.release("front_box")
    print(f"{row} of {len(task1)} cycles free, {fetch.counters.searches} distance searches")
    return 0 if row == len(task1) else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except keepclear.Error as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
