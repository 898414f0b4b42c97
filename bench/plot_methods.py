#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""The plot of bench_methods: plot_methods.py CSV DIR writes methods.svg."""

import math
import os
import sys

sys.dont_write_bytecode = True

from plot_sweep import WIDTH, read
from plot_toleranced import panel, save

METHODS = ["auto", "chord", "velocity", "sweep", "ball"]
FEWEST = 3  # motions behind a mark


def lines(rows, ask, column):
    """Geometric means over motions that are proved free, by half a decade of distance."""
    out = []
    for method in METHODS:
        bins = {}
        for row in rows:
            if row["ask"] != ask or row[method + "_verdict"] != "free":
                continue
            distance, value = float(row["distance_mm"]), float(row[f"{method}_{column}"])
            if 0 < distance < math.inf and value > 0:
                bins.setdefault(math.floor(2 * math.log10(distance)), []).append(value)
        out.append((method, [(10 ** ((k + 0.5) / 2), math.exp(sum(map(math.log, v)) / len(v)))
                             for k, v in bins.items() if len(v) >= FEWEST]))
    return out


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: plot_methods.py CSV DIR")
    rows = read(sys.argv[1])
    out = []
    x_label = "least distance of the motion, mm"
    panel(out, 0, "Tests, verdict", x_label, lines(rows, "verdict", "tests"))
    panel(out, WIDTH, "Microseconds, verdict", x_label, lines(rows, "verdict", "us"))
    panel(out, 2 * WIDTH, "Tests, clearance", x_label, lines(rows, "clearance", "tests"))
    panel(out, 3 * WIDTH, "Microseconds, clearance", x_label, lines(rows, "clearance", "us"))
    save(os.path.join(sys.argv[2], "methods.svg"), out, 4)


if __name__ == "__main__":
    main()
