# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import os
import pathlib

import hypothesis
import keepclear
import numpy as np
import pytest

hypothesis.settings.register_profile(
    "steady", derandomize=True, deadline=None, database=None, max_examples=60,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("steady")

ROOT = pathlib.Path(os.environ.get("KEEPCLEAR_ROOT", pathlib.Path(__file__).resolve().parents[2]))
DATA = pathlib.Path(os.environ.get("KEEPCLEAR_DATA", ROOT / ".." / "shared"))
CORPUS = ROOT / "tests" / "corpus"


def within(world: keepclear.World, count: int, seed: int = 1) -> np.ndarray:
    """Random configurations within the limits."""
    lower = np.where(np.isfinite(world.lower), world.lower, -3.1)
    upper = np.where(np.isfinite(world.upper), world.upper, 3.1)
    return np.random.default_rng(seed).uniform(lower, upper, (count, world.dof))


def plain_bytes(batch: keepclear.NearestBatch) -> bytes:
    """The members of records one after the other, without what lies between them."""
    packed = np.dtype([(n, batch.records.dtype[n]) for n in batch.records.dtype.names])
    plain = np.empty(batch.shape, packed)
    for name in packed.names:
        plain[name] = batch.records[name]
    return plain.tobytes()


def data_file(name: str) -> pathlib.Path:
    if not (DATA / name).exists():
        pytest.skip(f"skipped: no data ({name} under KEEPCLEAR_DATA)")
    return DATA / name


@pytest.fixture(scope="session")
def arm() -> keepclear.World:
    return keepclear.load("six_axis_arm")


@pytest.fixture(scope="session")
def two_arms() -> keepclear.World:
    return keepclear.load("two_arms")
