#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plots of bench_octree: plot_octree.py CSV DIR writes octree_fig14.svg, _fig15, _fig16, _scale."""

import csv
import math
import os
import sys

WIDTH, HEIGHT = 620, 400
LEFT, RIGHT, TOP, BOTTOM = 70, 20, 44, 56
SIDE = 224  # for the legend
# Told apart by those who do not see all colours, and by their marks.
LOOKS = {
    "watch": ("#0072b2", "circle", "Watch (with kinematics)"),
    "watch_30ms": ("#56b4e9", "circle", "Watch, a cycle each 30 ms"),
    "bullet_30ms": ("#66c2a5", "triangle", "btDbvtBroadphase, 30 ms"),
    "octree": ("#009e73", "square", "octree, N = 10"),
    "naive": ("#d55e00", "triangle", "all pairs"),
    "grid": ("#cc79a7", "diamond", "grid, 26 neighbours"),
    "grid_by_coordinates": ("#8c6bb1", "triangle", "grid, by coordinates"),
    "fcl": ("#d55e00", "square", "FCL dynamic AABB tree"),
    "fcl_array": ("#e69f00", "diamond", "FCL tree in an array"),
    "bullet": ("#009e73", "triangle", "Bullet btDbvtBroadphase"),
    "bullet_dbvt": ("#cc79a7", "diamond", "Bullet bare btDbvt"),
}


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return [row for row in rows if row["mean_us"]]


def short(value):
    if value >= 1e4 or 0 < value < 1e-2:
        power = round(math.log10(value))
        if abs(10**power / value - 1) < 1e-9:
            return f'10<tspan dy="-5" font-size="9">{power}</tspan>'
    return f"{value:g}"


class Axis:
    """Numbers to places on the paper, and where the marks stand."""

    def __init__(self, values, begin, end, log, zero=False):
        low, high = min(values), max(values)
        self.log, self.begin, self.end = log, begin, end
        if log:
            self.low = 10 ** math.floor(math.log10(low) + 1e-9)
            self.high = high
            first, last = round(math.log10(self.low)), math.floor(math.log10(high) + 1e-9)
            self.marks = [10.0**k for k in range(first, last + 1)]
            if last - first < 2:
                self.marks += [m * 10.0**k for k in range(first, last + 1) for m in (2, 5)]
                self.marks = sorted(m for m in self.marks if m <= high)
        else:
            self.low = 0 if zero else low
            step = 10 ** math.floor(math.log10((high - self.low) / 4))
            step *= next(m for m in (1, 2, 5, 10) if (high - self.low) / (m * step) <= 7)
            first = math.ceil(self.low / step)
            self.high = math.ceil(high / step) * step if zero else high
            self.marks = [k * step for k in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def __call__(self, value):
        of = math.log10 if self.log else float
        share = (of(value) - of(self.low)) / (of(self.high) - of(self.low))
        return self.begin + share * (self.end - self.begin)


def mark(kind, x, y, colour):
    r = 3.6
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{colour}"/>'
    shapes = {
        "square": [(-r, -r), (r, -r), (r, r), (-r, r)],
        "triangle": [(-r, r), (r, r), (0, -r)],
        "diamond": [(0, -1.3 * r), (1.3 * r, 0), (0, 1.3 * r), (-1.3 * r, 0)],
    }
    points = " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in shapes[kind])
    return f'<polygon points="{points}" fill="{colour}"/>'


def panel(out, x0, title, x_label, lines, levels=(), log_x=False, log_y=False,
          y_range=()):
    """Lines are (variant, [(x, y)...]); levels are (variant, y): the same for all x."""
    xs = [x for _, points in lines for x, _ in points]
    ys = [y for _, points in lines for _, y in points] + [y for _, y in levels]
    ys.extend(y_range)
    ax = Axis(xs, x0 + LEFT, x0 + WIDTH - RIGHT, log_x)
    ay = Axis(ys, HEIGHT - BOTTOM, TOP, log_y, zero=True)
    left, right, bottom = ax.begin, ax.end, ay.begin
    out.append(f'<text x="{(left + right) / 2:.1f}" y="20" text-anchor="middle" '
               f'font-weight="bold">{title}</text>')
    for value in ay.marks:
        y = ay(value)
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{short(value)}</text>')
    for value in ax.marks:
        x = ax(value)
        out.append(f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 4}" '
                   'stroke="#444"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{short(value)}'
                   "</text>")
    out.append(f'<path d="M{left},{TOP} V{bottom} H{right}" fill="none" stroke="#444"/>')
    out.append(f'<text x="{(left + right) / 2:.1f}" y="{HEIGHT - 16}" text-anchor="middle">'
               f"{x_label}</text>")
    middle = (TOP + bottom) / 2
    out.append(f'<text x="{x0 + 18}" y="{middle}" text-anchor="middle" '
               f'transform="rotate(-90 {x0 + 18} {middle})">mean cycle time, µs</text>')
    for i, (variant, y) in enumerate(levels):
        colour = LOOKS[variant][0]
        out.append(f'<line x1="{left}" y1="{ay(y):.1f}" x2="{right}" y2="{ay(y):.1f}" '
                   f'stroke="{colour}" stroke-width="1.6" stroke-dasharray="6 12" '
                   f'stroke-dashoffset="{6 * i}"/>')
    for variant, points in lines:
        colour, kind, _ = LOOKS[variant]
        path = " ".join(f"{ax(x):.1f},{ay(y):.1f}" for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        out.extend(mark(kind, ax(x), ay(y), colour) for x, y in points)
    return left, right


def legend(out, x, variants, dashed=(), names=None):
    for i, variant in enumerate(variants):
        colour, kind, name = LOOKS[variant]
        at = TOP + 22 * i + 14
        dash = ' stroke-dasharray="6 4"' if variant in dashed else ""
        out.append(f'<line x1="{x}" y1="{at}" x2="{x + 26}" y2="{at}" stroke="{colour}" '
                   f'stroke-width="1.6"{dash}/>')
        if variant not in dashed:
            out.append(mark(kind, x + 13, at, colour))
        out.append(f'<text x="{x + 34}" y="{at + 4}">{(names or {}).get(variant, name)}</text>')


def write(path, out, panels=1):
    width = panels * WIDTH + SIDE
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" '
                   f'viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif" font-size="12" '
                   f'fill="#222">\n<rect width="{width}" height="{HEIGHT}" fill="white"/>\n')
        file.write("\n".join(out))
        file.write("\n</svg>\n")


def series(rows, key, variants):
    lines = []
    for variant in variants:
        points = [(float(r[key]), float(r["mean_us"])) for r in rows if r["variant"] == variant]
        if points:
            lines.append((variant, sorted(points)))
    return lines


def fig14(rows, path):
    rows = [r for r in rows if r["experiment"] == "fig14"]
    if not rows:
        return
    points = sorted((float(r["parameter"]), float(r["mean_us"])) for r in rows)
    out = []
    panel(out, 0, "Octree: N, the objects a cell may hold (35 objects)", "N", [("octree", points)],
          log_y=True)
    best = min(points, key=lambda p: p[1])
    legend(out, WIDTH, ["octree"], names={"octree": f"octree (least: N = {best[0]:g})"})
    write(path, out)


def fig15(rows, path):
    rows = [r for r in rows if r["experiment"] == "fig15"]
    lines = series(rows, "objects", ["naive", "grid", "octree", "watch"])
    if not lines:
        return
    out = []
    panel(out, 0, "Objects added in the immediate surroundings", "objects", lines, log_x=True,
          log_y=True)
    legend(out, WIDTH, [v for v, _ in lines], names={"grid": "grid, G = 8"})
    write(path, out)


def fig16(rows, path):
    rows = [r for r in rows if r["experiment"] == "fig16"]
    lines = series(rows, "parameter", ["grid", "grid_by_coordinates"])
    if not lines:
        return
    levels = [(r["variant"], float(r["mean_us"])) for r in rows
              if r["variant"] in ("octree", "naive", "watch")]
    out = []
    panel(out, 0, "Grid of G x G x G cells (35 objects)", "G", lines, levels)
    legend(out, WIDTH, [v for v, _ in lines + levels], [v for v, _ in levels])
    write(path, out)


def scale(rows, path):
    rows = [r for r in rows if r["experiment"] == "scale"]
    variants = ["fcl", "fcl_array", "bullet_dbvt", "bullet_30ms", "bullet", "watch_30ms", "watch"]
    if not rows:
        return
    period = min(int(r["parameter"]) for r in rows)
    slow = [dict(r, variant=r["variant"] + "_30ms") for r in rows
            if r["variant"] in ("watch", "bullet") and r["parameter"] == "30000" != str(period)]
    rows = [r for r in rows if int(r["parameter"]) == period] + slow
    values = [float(r["mean_us"]) for r in rows if r["variant"] in variants]
    titles = {"far": "Added boxes beyond the reach of the arms",
              "spread": "Added boxes all around the arms"}
    out = []
    shown = [s for s in titles if any(r["setting"] == s for r in rows)]
    for i, setting in enumerate(shown):
        lines = series([r for r in rows if r["setting"] == setting], "objects", variants)
        panel(out, i * WIDTH, f"{titles[setting]}, a cycle each {period / 1000:g} ms", "objects",
              lines, log_x=True, log_y=True, y_range=values)
    legend(out, len(shown) * WIDTH, [v for v in variants if any(r["variant"] == v for r in rows)])
    write(path, out, len(shown))


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_octree.py CSV DIR")
    rows = read(sys.argv[1])
    for name, plot in (("fig14", fig14), ("fig15", fig15), ("fig16", fig16), ("scale", scale)):
        plot(rows, os.path.join(sys.argv[2], f"octree_{name}.svg"))


main()
