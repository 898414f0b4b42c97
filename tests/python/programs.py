# SPDX-License-Identifier: BSD-3-Clause
"""Programs of the build tree that the module under test is from."""
from __future__ import annotations

import os
import pathlib

import keepclear
import pytest


def find(name: str) -> pathlib.Path | None:
    """The path of a program in its build tree: that of the module, or of KEEPCLEAR_COMMAND."""
    trees = [pathlib.Path(keepclear.__file__).resolve().parents[2]]
    if "KEEPCLEAR_COMMAND" in os.environ:
        trees.append(pathlib.Path(os.environ["KEEPCLEAR_COMMAND"]).resolve().parents[1])
    for tree in trees:
        if (tree / name).is_file():
            return tree / name
    return None


def program(name: str) -> str:
    found = find(name)
    if found is None:
        pytest.skip(f"skipped: {name} was not built")
    return str(found)
