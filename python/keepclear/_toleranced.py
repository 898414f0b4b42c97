# SPDX-License-Identifier: BSD-3-Clause
"""Bodies, polyhedra, displacements and toleranced motions, of the compiled module."""
from ._keepclear import *  # noqa: F403
