#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""Loads a robot, moves it, and shows how near it comes to anything: a plot of the clearance over
the motion, and a report to open in a browser.

  show_me.py                          two built-in arms: a task that is free, and one that is not
  show_me.py ROBOT.urdf [--srdf F]    your robot, from its neutral pose to one at random
  show_me.py ROBOT.urdf --path FILE   your robot, as the file says

Writes clearance.png, report.html and the motion, into --out (the working directory unless given).
"""
import argparse
import json
import math
import os
import sys
import textwrap
from pathlib import Path

import matplotlib
import numpy as np

import keepclear
from keepclear import Verdict

SAMPLES = 1001
COLOURS = {"distance": "#9ecae1", "bound": "#08519c", "proved": "#238b45", "contact": "#cb181d",
           "undecided": "#fd8d3c"}


def make_motion(world, seed, folder):
    """A file: from the neutral pose to another, at no more than 1 rad/s and 2 rad/s^2."""
    start = world.neutral()
    generator = np.random.default_rng(seed)
    lower = np.where(np.isfinite(world.lower), world.lower, -math.pi)
    upper = np.where(np.isfinite(world.upper), world.upper, math.pi)
    moves = np.array([v.type in ("revolute", "continuous", "prismatic") for v in world.variables])
    if not moves.any():
        sys.exit("this robot has no hinge and no slide to move")
    goal = np.where(moves, generator.uniform(lower, upper), start)
    motion = {"kind": "trapezoidal", "joints": world.joints, "from": start.tolist(),
              "to": goal.tolist(), "max_velocity": [1.0] * world.dof,
              "max_acceleration": [2.0] * world.dof}
    file = folder / "motion.json"
    file.write_text(json.dumps(motion, indent=1) + "\n")
    return str(file)


def united(stretches):
    """Stretches of time, each pair of solids with its own, as few that do not overlap."""
    result = []
    for start, stop in sorted(stretches):
        if result and start <= result[-1][1]:
            result[-1][1] = max(result[-1][1], stop)
        else:
            result.append([start, stop])
    return result


def draw(axes, world, name, margin):
    """One motion: the distance at many moments, and what is proved of all of them."""
    path = world.path(name)
    times = np.linspace(path.begin, path.end, SAMPLES)
    poses = world.distance(path.position(times), signed=True)  # all of them in one call
    whole = world.certify(path, margin=margin)
    print(f"{name}: {whole}")

    axes.plot(times, poses.distance, color=COLOURS["distance"], linewidth=5,
              label="distance of the witness points")
    axes.plot(times, poses.lower_bound, color=COLOURS["bound"], linewidth=1.2,
              label="lower bound, certified pose by pose")
    if whole.pair is None and whole.free:
        when, lowest, text = math.nan, math.nan, "nothing is checked"
    elif whole.free:
        axes.axhline(whole.clearance, color=COLOURS["proved"], linestyle="--", linewidth=1.8,
                     label=f"proved for every moment: {floor_mm(whole.clearance)} mm")
        when, lowest = whole.time, whole.distance
        text = f"nearest: {whole.pair[0]} and {whole.pair[1]}, {when:.2f} s"
    else:
        intervals = world.certify(path, margin=margin, ask="all_intervals").intervals
        labels = {Verdict.contact: "holds a contact, proved", Verdict.undecided: "undecided"}
        for status, label in labels.items():
            for start, stop in united((i.start, i.stop) for i in intervals if i.status == status):
                # A contact may be shorter than a line is wide.
                axes.axvspan(start, stop, color=COLOURS[status.name], alpha=0.25, linewidth=1,
                             label=label)
                label = None  # once in the legend
        when = whole.first_contact if whole.verdict == Verdict.contact else whole.time
        lowest = float(np.interp(when, times, poses.distance))
        pair = whole.pair or ("nothing", "nothing")
        text = f"first {whole.verdict.name}: {pair[0]} and {pair[1]}, {when:.2f} s"
    if math.isfinite(when):
        axes.plot([when], [lowest], "o", color="black", markersize=5, zorder=5,
                  clip_on=False)
    axes.axhline(0, color="black", linewidth=0.8)
    title = f"{os.path.basename(name)}: {whole.verdict.name}"
    axes.set_title(title + "\n" + textwrap.fill(text, 60), fontsize=10)
    axes.set_xlabel("time [s]")
    axes.set_xlim(path.begin, path.end)
    axes.grid(True, alpha=0.3)
    # Below all curves, where nothing can be hidden.
    axes.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), fontsize=9, frameon=False)
    return whole


def floor_mm(metres):
    """Rounded down: a bound must not grow by being printed."""
    return math.floor(1e4 * metres) / 10


def arguments_of():
    parser = argparse.ArgumentParser(description="Clearance over a motion: a plot and a report.")
    parser.add_argument("world", nargs="?", default="two_arms",
                        help="a URDF, a scene, or a built-in world")
    parser.add_argument("--srdf", help="pairs that need not be checked")
    parser.add_argument("--path", action="append", help="a motion; may be repeated")
    parser.add_argument("--margin", type=float, default=0.0, help="metres to keep")
    parser.add_argument("--seed", type=int, default=1, help="of the motion to a pose at random")
    parser.add_argument("--out", type=Path, default=Path("."), help="the folder to write into")
    parser.add_argument("--show", action="store_true", help="open a window with the plot")
    return parser.parse_args()


def main():
    asked = arguments_of()
    display = os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")
    if not (asked.show and display):
        matplotlib.use("Agg")
    import matplotlib.pyplot as plt  # after its backend is chosen

    asked.out.mkdir(parents=True, exist_ok=True)
    world = keepclear.load(asked.world, srdf=asked.srdf)
    print(f"{world.name}: {world.dof} joint values, {world.pair_count} pairs checked")
    paths = asked.path or (["task1", "task2"] if asked.world == "two_arms"
                           else [make_motion(world, asked.seed, asked.out)])

    figure, panels = plt.subplots(1, len(paths), figsize=(6.4 * len(paths), 5.6), squeeze=False,
                                  sharey=True, layout="constrained")
    found = [draw(axes, world, name, asked.margin) for axes, name in zip(panels[0], paths)]
    touched = any(not certificate.free for certificate in found)
    panels[0][0].set_ylabel("distance of the nearest pair [m]"
                            + ("\nnegative: how deep they overlap" if touched else ""))
    figure.suptitle(f"{world.name}: clearance over the motion", fontsize=13)
    picture = asked.out / "clearance.png"
    figure.savefig(picture, dpi=130)
    print(f"wrote {picture}")

    report = asked.out / "report.html"
    keepclear.report(world, report, paths=paths, margin=asked.margin)
    print(f"wrote {report}: open it in a browser")
    if asked.show and display:
        plt.show()
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except keepclear.Error as error:
        print(error, file=sys.stderr)
        sys.exit(error.exit_code)
