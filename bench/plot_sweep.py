#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plots of bench_sweep_tightness: plot_sweep.py CSV DIR writes sweep_support.svg, _mean, _volume."""

import csv
import math
import os
import sys

WIDTH, HEIGHT = 420, 340
LEFT, RIGHT, TOP, BOTTOM = 58, 14, 34, 48
# Told apart by those who do not see all colours, and by their marks.
COLOURS = ["#d55e00", "#0072b2", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#666666"]
MARKS = ["circle", "square", "triangle", "diamond", "circle", "square", "triangle"]
PANELS = [
    ("Hinge", ["circ1", "circ2", "evenly", "circ3", "circ4", "circ6", "circ12"]),
    ("Slide, cylindrical joint", ["trans1", "cylindrical1", "cylindrical2", "cylindrical4"]),
    ("Planar, floating", ["planar1", "planar2", "planar4", "floating1", "floating2"]),
    ("Ball joint, Bezier motion", ["ball1", "ball3", "ball6", "bezier"]),
    ("Mobile base", ["base1", "base2", "base3", "base6"]),
]


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def short(value):
    power = round(math.log10(value))
    if (value >= 1e4 or value < 1e-2) and abs(10.0**power / value - 1) < 1e-9:
        return f'10<tspan dy="-5" font-size="9">{power}</tspan>'
    return f"{value:g}"


class Axis:
    """Numbers to places on the paper, by their logarithms, and where the marks stand."""

    def __init__(self, low, high, begin, end):
        self.low, self.high, self.begin, self.end = low, high, begin, end
        first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
        self.marks = [10.0**k for k in range(first, last + 1)]
        if len(self.marks) < 3:
            more = [m * 10.0**k for k in range(first - 1, last + 1) for m in (1, 2, 3, 5)]
            self.marks = [m for m in more if low <= m <= high]

    def __call__(self, value):
        share = math.log(value / self.low) / math.log(self.high / self.low)
        return self.begin + share * (self.end - self.begin)


def mark(kind, x, y, colour):
    r = 3.0
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{colour}"/>'
    shapes = {
        "square": [(-r, -r), (r, -r), (r, r), (-r, r)],
        "triangle": [(-r, r), (r, r), (0, -r)],
        "diamond": [(0, -1.3 * r), (1.3 * r, 0), (0, 1.3 * r), (-1.3 * r, 0)],
    }
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in shapes[kind])
    return f'<polygon points="{points}" fill="{colour}"/>'


def panel(out, x0, y0, title, y_label, lines, y_low, y_high, names_below):
    """Lines are (name, points of the body's volume, [(width, y)...])."""
    ax = Axis(0.01, 2 * math.pi, x0 + LEFT, x0 + WIDTH - RIGHT)
    ay = Axis(y_low, y_high, y0 + HEIGHT - BOTTOM, y0 + TOP)
    left, right, bottom, top = ax.begin, ax.end, ay.begin, ay.end
    out.append(f'<text x="{(left + right) / 2:.1f}" y="{y0 + 20}" text-anchor="middle" '
               f'font-weight="bold">{title}</text>')
    for value in ay.marks:
        y = ay(value)
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{short(value)}</text>')
    for value in (0.01, 0.1, 1, math.pi, 2 * math.pi):
        x = ax(value)
        name = {math.pi: "π", 2 * math.pi: "2π"}.get(value, f"{value:g}")
        out.append(f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 4}" '
                   'stroke="#444"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{name}</text>')
    out.append(f'<path d="M{left},{top} V{bottom} H{right}" fill="none" stroke="#444"/>')
    out.append(f'<text x="{(left + right) / 2:.1f}" y="{bottom + 36}" text-anchor="middle">'
               "width, rad</text>")
    middle = (top + bottom) / 2
    out.append(f'<text x="{x0 + 14}" y="{middle}" text-anchor="middle" '
               f'transform="rotate(-90 {x0 + 14} {middle})">{y_label}</text>')
    for i, (name, count, points) in enumerate(lines):
        colour, kind = COLOURS[i], MARKS[i]
        shown = [(x, y) for x, y in points if y >= y_low]
        path = " ".join(f"{ax(x):.1f},{ay(y):.1f}" for x, y in shown)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.5"/>')
        out.extend(mark(kind, ax(x), ay(y), colour) for x, y in shown[::2])
        at = bottom - 10 - 16 * (len(lines) - 1 - i) if names_below else top + 8 + 16 * i
        start = right - 150 if names_below else left + 12
        out.append(mark(kind, start, at, colour))
        out.append(f'<text x="{start + 8}" y="{at + 4}">{name} ({count} points)</text>')


def figure(rows, path, y_label, value, low, high, names_below):
    columns, lines_of_panels = 3, math.ceil(len(PANELS) / 3)
    out = []
    for i, (title, names) in enumerate(PANELS):
        lines = []
        for name in names:
            own = [r for r in rows if r["operator"] == name]
            if own:
                points = sorted((float(r["width_rad"]), value(r)) for r in own)
                lines.append((name, own[0]["points"], points))
        panel(out, i % columns * WIDTH, i // columns * HEIGHT, title, y_label, lines, low, high,
              names_below)
    width, height = columns * WIDTH, lines_of_panels * HEIGHT
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
                   f'viewBox="0 0 {width} {height}" font-family="sans-serif" font-size="11" '
                   f'fill="#222">\n<rect width="{width}" height="{height}" fill="white"/>\n')
        file.write("\n".join(out))
        file.write("\n</svg>\n")


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_sweep.py CSV DIR")
    rows = read(sys.argv[1])
    figure(rows, os.path.join(sys.argv[2], "sweep_support.svg"),
           "largest support beyond the true sweep, mm",
           lambda r: max(float(r["support_max_mm"]), 1e-9), 1e-5, 2e3, True)
    figure(rows, os.path.join(sys.argv[2], "sweep_mean.svg"),
           "mean support beyond the true sweep, mm",
           lambda r: max(float(r["support_mean_mm"]), 1e-9), 1e-5, 2e3, True)
    figure(rows, os.path.join(sys.argv[2], "sweep_volume.svg"),
           "volume over that of the true sweep",
           lambda r: max(1.0, float(r["volume_l"]) / float(r["true_volume_l"])), 1.0, 20.0, False)


if __name__ == "__main__":
    main()
