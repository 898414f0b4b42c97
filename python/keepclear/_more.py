# SPDX-License-Identifier: BSD-3-Clause
"""Guards, watches, sweeps, toleranced motions and proofs, of the compiled module."""
from ._keepclear import *  # noqa: F403
