#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Plots of bench_guard: plot_guard.py PREFIX DIR reads PREFIX-curves.csv, -work.csv and
-histogram.csv, as far as they are there, and writes guard_fig9.svg, guard_fig10.svg and
guard_histogram.svg."""

import math
import os
import sys

sys.dont_write_bytecode = True

from plot_sweep import COLOURS, read, short

WIDTH, HEIGHT = 900, 360
LEFT, RIGHT, TOP, BOTTOM = 64, 16, 30, 48


class Plane:
    """Numbers to places on the paper; `log` axes by their logarithms."""

    def __init__(self, x, y, x0=0, width=WIDTH, log=(False, False)):
        self.log = log
        self.x, self.y = x, y
        self.left, self.right = x0 + LEFT, x0 + width - RIGHT
        self.top, self.bottom = TOP, HEIGHT - BOTTOM

    @staticmethod
    def share(value, ends, log):
        if log:
            return math.log(value / ends[0]) / math.log(ends[1] / ends[0])
        return (value - ends[0]) / (ends[1] - ends[0])

    def at(self, x, y):
        sx = self.share(x, self.x, self.log[0])
        sy = self.share(y, self.y, self.log[1])
        return (self.left + sx * (self.right - self.left),
                self.bottom - sy * (self.bottom - self.top))

    def frame(self, out, title, x_label, y_label):
        middle = (self.left + self.right) / 2
        out.append(f'<text x="{middle:.1f}" y="18" text-anchor="middle" font-weight="bold">{title}'
                   "</text>")
        for value in marks(*self.y, self.log[1]):
            _, y = self.at(self.x[0], value)
            out.append(f'<line x1="{self.left}" y1="{y:.1f}" x2="{self.right}" y2="{y:.1f}" '
                       'stroke="#ddd"/>')
            out.append(f'<text x="{self.left - 6}" y="{y + 4:.1f}" text-anchor="end">'
                       f"{short(value) if self.log[1] else f'{value:g}'}</text>")
        for value in marks(*self.x, self.log[0]):
            x, _ = self.at(value, self.y[0])
            out.append(f'<line x1="{x:.1f}" y1="{self.bottom}" x2="{x:.1f}" '
                       f'y2="{self.bottom + 4}" stroke="#444"/>')
            out.append(f'<text x="{x:.1f}" y="{self.bottom + 17}" text-anchor="middle">'
                       f"{value:g}</text>")
        out.append(f'<path d="M{self.left},{self.top} V{self.bottom} H{self.right}" fill="none" '
                   'stroke="#444"/>')
        out.append(f'<text x="{middle:.1f}" y="{self.bottom + 36}" text-anchor="middle">{x_label}'
                   "</text>")
        up = (self.top + self.bottom) / 2
        at = self.left - LEFT + 14
        out.append(f'<text x="{at}" y="{up}" text-anchor="middle" '
                   f'transform="rotate(-90 {at} {up})">{y_label}</text>')

    def line(self, out, points, colour, width=1.3):
        path = " ".join("{:.1f},{:.1f}".format(*self.at(x, y)) for x, y in points)
        out.append(f'<polyline points="{path}" fill="none" stroke="{colour}" '
                   f'stroke-width="{width}"/>')

    def name(self, out, i, text, colour):
        y = self.top + 8 + 15 * i
        out.append(f'<rect x="{self.right - 194}" y="{y - 8}" width="190" height="16" '
                   'fill="white" fill-opacity="0.8"/>')
        out.append(f'<line x1="{self.right - 190}" y1="{y}" x2="{self.right - 170}" y2="{y}" '
                   f'stroke="{colour}" stroke-width="2"/>')
        out.append(f'<text x="{self.right - 164}" y="{y + 4}">{text}</text>')


def marks(low, high, log):
    if log:
        return [10.0**k for k in range(math.ceil(math.log10(low) - 1e-9),
                                       math.floor(math.log10(high) + 1e-9) + 1)]
    step = 10.0**math.floor(math.log10(high - low))
    while (high - low) / step < 4:
        step /= 2
    first = math.ceil(low / step)
    return [k * step for k in range(first, math.floor(high / step) + 1)]


def write(out, path, width=WIDTH):
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" '
                   f'viewBox="0 0 {width} {HEIGHT}" font-family="sans-serif" font-size="11" '
                   f'fill="#222">\n<rect width="{width}" height="{HEIGHT}" fill="white"/>\n')
        file.write("\n".join(out))
        file.write("\n</svg>\n")


def distances(rows, path):
    series = [("actual_cm", "actual distance"), ("plain_no_latency_cm", "plain, no latency"),
              ("plain_cm", "plain"), ("guard_cm", "guard")]
    times = [float(r["time_s"]) for r in rows]
    # What is farther than this matters to nobody.
    plane = Plane((0, times[-1]), (0, 12))
    out = []
    plane.frame(out, "Moving and stopping: what the arms are apart, and what is proved",
                "time, s", "cm")
    for r in rows:
        if r["brakes"] == "1":
            plane.line(out, [(float(r["time_s"]), plane.y[0]), (float(r["time_s"]), plane.y[1])],
                       "#bbb", 0.8)
    for i, (column, text) in enumerate(series):
        plane.line(out, [(t, min(12, float(r[column]))) for t, r in zip(times, rows)], COLOURS[i])
        plane.name(out, i, text, COLOURS[i])
    write(out, path)


def work(rows, path):
    budgets = sorted({int(r["budget"]) for r in rows}, reverse=True)
    most = max(int(r["flops"]) for r in rows)
    out = []
    for x0, width, first, last, title in (
            (0, WIDTH * 0.6, 0, max(int(r["cycle"]) for r in rows), "Work of a cycle"),
            (WIDTH * 0.6, WIDTH * 0.4, -50, 50, "Before the robot moves, and its first cycles")):
        plane = Plane((first, last), (1000, 1.3 * most), x0, width, (False, True))
        plane.frame(out, title, "cycle", "floating-point operations")
        for i, budget in enumerate(budgets):
            own = [(int(r["cycle"]), max(1000, int(r["flops"]))) for r in rows
                   if int(r["budget"]) == budget and first <= int(r["cycle"]) <= last]
            plane.line(out, own, COLOURS[i], 0.9)
            plane.name(out, i, f"budget {budget:,}".replace(",", " "), COLOURS[i])
    write(out, path)


def histogram(rows, path):
    names = []
    for r in rows:
        if r["series"] not in names:
            names.append(r["series"])
    high = max(float(r["to_us"]) for r in rows)
    plane = Plane((0.3, high), (1e-7, 1), log=(True, True))
    out = []
    plane.frame(out, "Thread-CPU time of a cycle", "microseconds", "share of cycles")
    for i, name in enumerate(names):
        own = [r for r in rows if r["series"] == name]
        total = sum(int(r["count"]) for r in own)
        points = []
        for r in own:
            begin, end = float(r["from_us"]), float(r["to_us"])
            if begin < 0.3:
                continue
            if points and begin > 1.01 * points[-1][0]:
                points += [(points[-1][0], 1e-7), (begin, 1e-7)]
            share = max(1e-7, int(r["count"]) / total)
            points += [(begin, share), (end, share)]
        colour = (COLOURS + ["#000000"])[i % (len(COLOURS) + 1)]
        plane.line(out, points, colour)
        plane.name(out, i, name, colour)
    write(out, path)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_guard.py PREFIX DIR")
    for part, figure, name in (("curves", distances, "guard_fig9.svg"),
                               ("work", work, "guard_fig10.svg"),
                               ("histogram", histogram, "guard_histogram.svg")):
        file = f"{sys.argv[1]}-{part}.csv"
        if os.path.exists(file):
            figure(read(file), os.path.join(sys.argv[2], name))


if __name__ == "__main__":
    main()
