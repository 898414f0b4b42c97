# SPDX-License-Identifier: BSD-3-Clause
"""What the tests of batches share: paths of a built-in arm, the command, workers."""
import json
import logging
import os
import pathlib
import random
import subprocess
import sys

import numpy as np
import pytest

COMMAND = os.environ.get("KEEPCLEAR_COMMAND", "keepclear")
ARM = "six_axis_arm"
JOINTS = ["waist", "shoulder", "elbow", "forearm_roll", "wrist_bend", "tool_roll"]
HERE = pathlib.Path(__file__).parent


def edge(source: random.Random, name=None) -> dict:
    a = [source.uniform(-1.5, 1.5) for _ in JOINTS]
    b = [x + source.uniform(-0.4, 0.4) for x in a]
    path = {"kind": "straight", "joints": JOINTS, "times": [0, 1], "waypoints": [a, b]}
    return path if name is None else {"id": name, **path}


def edges(count: int, seed: int = 1) -> list:
    source = random.Random(seed)
    return [edge(source, f"edge {k}" if k % 3 == 0 else None) for k in range(count)]


def write_lines(file: pathlib.Path, paths) -> pathlib.Path:
    lines = (path if isinstance(path, str) else json.dumps(path) for path in paths)
    file.write_text("".join(line + "\n" for line in lines))
    return file


def command(*words, codes=(0, 1, 2)) -> bytes:
    """What the command prints."""
    run = subprocess.run([COMMAND, *map(str, words), "--quiet"], capture_output=True)
    assert run.returncode in codes, run.stderr
    return run.stdout


def batch_words(*words) -> list:
    return [sys.executable, "-B", "-m", "keepclear.batch", *map(str, words)]


@pytest.fixture(scope="session")
def poses() -> np.ndarray:
    return np.random.default_rng(5).uniform(-1.5, 1.5, (3000, len(JOINTS)))


@pytest.fixture(scope="session")
def poses_csv(poses, tmp_path_factory) -> pathlib.Path:
    file = tmp_path_factory.mktemp("poses") / "poses.csv"
    rows = (",".join(repr(float(value)) for value in row) for row in poses)
    file.write_text(",".join(JOINTS) + "\n" + "".join(row + "\n" for row in rows))
    return file


@pytest.fixture(scope="session")
def scheduler(tmp_path_factory) -> str:
    """The address of one, with two workers that die of paths whose id is 'poison'."""
    from distributed import LocalCluster

    cluster = LocalCluster(
        n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address="127.0.0.1:0",
        memory_limit=0, silence_logs=logging.CRITICAL, preload=[str(HERE / "poison.py")],
        local_directory=str(tmp_path_factory.mktemp("workers")),
        scheduler_kwargs={"allowed_failures": 0},
    )  # fmt: skip
    yield cluster.scheduler_address
    cluster.close()
