# SPDX-License-Identifier: BSD-3-Clause
"""Enumerations, what a World lists, and what fit() and lint() find, of the compiled module."""
from ._keepclear import *  # noqa: F403
