#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The plot of bench_certify --cost: plot_certify.py CSV DIR writes certify_cost.svg."""

import os
import sys

sys.dont_write_bytecode = True

from plot_sweep import (BOTTOM, COLOURS, HEIGHT, LEFT, MARKS, RIGHT, TOP, WIDTH, Axis, mark, read,
                        short)

METHODS = ["auto", "chord", "velocity", "sweep"]


def panel(out, x0, title, rows, column):
    """One line a method, by the gap; what is not proved free is left out."""
    own = {m: sorted((float(r["gap_mm"]), float(r[column])) for r in rows
                     if r["method"] == m and r["verdict"] == "free") for m in METHODS}
    values = [y for line in own.values() for _, y in line]
    gaps = [x for line in own.values() for x, _ in line]
    ax = Axis(min(gaps), max(gaps), x0 + LEFT, x0 + WIDTH - RIGHT)
    ay = Axis(min(values) / 1.5, max(values) * 1.5, HEIGHT - BOTTOM, TOP)
    left, right, bottom, top = ax.begin, ax.end, ay.begin, ay.end
    out.append(f'<text x="{(left + right) / 2:.1f}" y="20" text-anchor="middle" '
               f'font-weight="bold">{title}</text>')
    for value in ay.marks:
        y = ay(value)
        out.append(f'<line x1="{left}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#ddd"/>')
        out.append(f'<text x="{left - 6}" y="{y + 4:.1f}" text-anchor="end">{short(value)}</text>')
    for value in sorted(set(gaps)):
        x = ax(value)
        out.append(f'<line x1="{x:.1f}" y1="{bottom}" x2="{x:.1f}" y2="{bottom + 4}" '
                   'stroke="#444"/>')
        out.append(f'<text x="{x:.1f}" y="{bottom + 17}" text-anchor="middle">{value:g}</text>')
    out.append(f'<path d="M{left},{top} V{bottom} H{right}" fill="none" stroke="#444"/>')
    out.append(f'<text x="{(left + right) / 2:.1f}" y="{bottom + 36}" text-anchor="middle">'
               "least distance of the motion, mm</text>")
    for i, method in enumerate(METHODS):
        path = " ".join(f"{ax(x):.1f},{ay(y):.1f}" for x, y in own[method])
        out.append(f'<polyline points="{path}" fill="none" stroke="{COLOURS[i]}" '
                   'stroke-width="1.5"/>')
        out.extend(mark(MARKS[i], ax(x), ay(y), COLOURS[i]) for x, y in own[method])
        at = top + 8 + 16 * i
        out.append(mark(MARKS[i], right - 90, at, COLOURS[i]))
        out.append(f'<text x="{right - 82}" y="{at + 4}">{method}</text>')


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_certify.py CSV DIR")
    rows = read(sys.argv[1])
    out = []
    panel(out, 0, "Tests of a pair over a part", rows, "tests")
    panel(out, WIDTH, "Parts of the motion", rows, "parts")
    panel(out, 2 * WIDTH, "Microseconds", rows, "us")
    with open(os.path.join(sys.argv[2], "certify_cost.svg"), "w", encoding="utf-8") as file:
        file.write(f'<svg xmlns="http://www.w3.org/2000/svg" width="{3 * WIDTH}" height="{HEIGHT}" '
                   f'viewBox="0 0 {3 * WIDTH} {HEIGHT}" font-family="sans-serif" font-size="11" '
                   f'fill="#222">\n<rect width="{3 * WIDTH}" height="{HEIGHT}" fill="white"/>\n')
        file.write("\n".join(out))
        file.write("\n</svg>\n")


if __name__ == "__main__":
    main()
