# SPDX-License-Identifier: BSD-3-Clause
"""A stranger's script."""
import keepclear

world = keepclear.load("six_axis_arm")
nearest = world.distance(world.neutral())
print(f"keepclear {keepclear.__version__}: {nearest.verdict.name}, at least {nearest.lower_bound} m")
