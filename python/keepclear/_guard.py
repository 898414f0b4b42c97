# SPDX-License-Identifier: BSD-3-Clause
"""Guards, their recordings and messages, and watches, of the compiled module."""
from ._keepclear import *  # noqa: F403
