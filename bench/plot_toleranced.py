#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plots of bench_toleranced: plot_toleranced.py PREFIX DIR reads PREFIX-gaps.csv and -faces.csv and
writes toleranced_gaps.svg and toleranced_faces.svg."""

import os
import sys

sys.dont_write_bytecode = True

from plot_sweep import (BOTTOM, COLOURS, HEIGHT, LEFT, MARKS, RIGHT, TOP, WIDTH, Axis, mark, read,
                        short)


def panel(out, x0, title, x_label, lines, y_label="", x_marks=()):
    """Lines are (name, [(x, y)...]); both axes by their logarithms."""
    lines = [(name, sorted(points)) for name, points in lines if points]
    xs = [x for _, points in lines for x, _ in points]
    ys = [y for _, points in lines for _, y in points]
    ax = Axis(min(xs + list(x_marks)), max(xs), x0 + LEFT, x0 + WIDTH - RIGHT)
    ay = Axis(min(ys) / 1.5, max(ys) * 3, HEIGHT - BOTTOM, TOP)
    left, right, bottom, top = ax.begin, ax.end, ay.begin, ay.end
    out.append(f'<text x="{(left + right) / 2:.1f}" y="20" text-anchor="middle" '
               f'font-weight="bold">{title}</text>')
    for value in ay.marks:
        y = ay(value)
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{short(value)}</text>')
    for value in x_marks or ax.marks:
        x = ax(value)
        out.append(f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 4}" '
                   'stroke="#444"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{short(value)}</text>')
    out.append(f'<path d="M{left},{top} V{bottom} H{right}" fill="none" stroke="#444"/>')
    out.append(f'<text x="{(left + right) / 2:.1f}" y="{bottom + 36}" text-anchor="middle">'
               f"{x_label}</text>")
    if y_label:
        middle = (top + bottom) / 2
        out.append(f'<text x="{x0 + 14}" y="{middle}" text-anchor="middle" '
                   f'transform="rotate(-90 {x0 + 14} {middle})">{y_label}</text>')
    for i, (name, points) in enumerate(lines):
        colour, kind = COLOURS[i % len(COLOURS)], MARKS[i % len(MARKS)]
        path = " ".join(f"{ax(x):.1f},{ay(y):.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        out.extend(mark(kind, ax(x), ay(y), colour) for x, y in points)
        at = top + 8 + 16 * i
        out.append(mark(kind, right - 120, at, colour))
        out.append(f'<text x="{right - 112}" y="{at + 4}">{name}</text>')


def save(path, out, panels):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{panels * WIDTH}" '
                   f'height="{HEIGHT}" viewBox="0 0 {panels * WIDTH} {HEIGHT}" '
                   'font-family="sans-serif" font-size="11" '
                   f'fill="#222">\n<rect width="{panels * WIDTH}" height="{HEIGHT}" fill="white"/>\n')
        file.write("\n".join(out))
        file.write("\n</svg>\n")


def gaps(rows, path):
    variants = [(ball, metric) for ball in ("middle", "smallest")
                for metric in ("paper", "balanced")]

    def lines(column):
        return [(f"{ball}, {metric}", [(float(r["gap_mm"]), float(r[column])) for r in rows
                                       if r["ball"] == ball and r["metric"] == metric])
                for ball, metric in variants]

    out = []
    x_label = "least distance of the motion, mm (octagons of 1 m)"
    panel(out, 0, "Balls", x_label, lines("balls"))
    panel(out, WIDTH, "Tests of elements", x_label, lines("tests"))
    fcl = [(name, [(float(r["gap_mm"]), float(r["us"])) for r in rows if r["contender"] == who])
           for name, who in (("FCL, samples", "fcl_sampled"), ("FCL, steps", "fcl_steps"))]
    panel(out, 2 * WIDTH, "Microseconds", x_label, lines("us") + fcl)
    save(path, out, 3)


def faces(rows, path):
    motions = list(dict.fromkeys(r["motion"] for r in rows))
    contenders = [("Keepclear", "keepclear"), ("FCL, samples", "fcl_sampled"),
                  ("FCL, steps", "fcl_steps"), ("FCL, advance", "fcl_advance")]
    out = []
    for i, motion in enumerate(motions):
        own = [r for r in rows if r["motion"] == motion and r["nested"] == "1"]
        panel(out, i * WIDTH, motion, "faces of each body",
              [(name, [(float(r["faces"]), float(r["us"])) for r in own if r["contender"] == who])
               for name, who in contenders], "microseconds", (1000, 3000, 10000, 30000))
    save(path, out, len(motions))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_toleranced.py PREFIX DIR")
    gaps(read(sys.argv[1] + "-gaps.csv"), os.path.join(sys.argv[2], "toleranced_gaps.svg"))
    faces(read(sys.argv[1] + "-faces.csv"), os.path.join(sys.argv[2], "toleranced_faces.svg"))


if __name__ == "__main__":
    main()
