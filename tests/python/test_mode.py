# SPDX-License-Identifier: BSD-3-Clause
"""A library that was linked with -ffast-math switches flush-to-zero on in the thread that loads it."""
from __future__ import annotations

import json
import os
import pathlib
import subprocess
import sys

import keepclear
import pytest

LIBRARY = os.environ.get("KEEPCLEAR_FAST_MATH", "")
HERE = pathlib.Path(__file__).parent

URDF = """<robot name="arm">
  <link name="base"><collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="upper"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <link name="hand"><collision><geometry><sphere radius="0.05"/></geometry></collision></link>
  <joint name="shoulder" type="revolute"><parent link="base"/><child link="upper"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/></joint>
  <joint name="wrist" type="revolute"><parent link="upper"/><child link="hand"/>
    <origin xyz="0 0 0.5"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"/></joint>
</robot>"""
FILES = {
    "arm.urdf": URDF,
    "cell.json": json.dumps({
        "robots": [{"urdf": "arm.urdf"}],
        "objects": [{"name": "table", "shape": "box", "size": [2, 2, 0.1],
                     "pose": {"xyz": [0, 0, -0.6]}},
                    {"name": "part", "shape": "box", "size": [0.1, 0.1, 0.1],
                     "pose": {"xyz": [1, 1, 0]}}]}),
    "model.json": json.dumps({"bodies": [
        {"link": link, "radius": 0.2, "points": [[0, 0, 0]]} for link in ("base", "upper", "hand")]}),
    "brake.json": '{"latency": 0.01, "default": {"max_acceleration": 1, "brake_deceleration": 1}}',
    "box.json": '{"joints": {"shoulder": [-0.1, 0.1]}}',
    "path.csv": "time,shoulder,wrist\n0,0,0\n1,0.3,0.3\n",
    "move.json": '{"kind": "screw", "object": "part", "start": {"xyz": [1, 1, 0]}, '
                 '"axis": [0, 0, 1], "angle": 0.1}',
}  # fmt: skip


@pytest.mark.skipif(not LIBRARY, reason="skipped: no library linked with -ffast-math")
def test_nothing_is_claimed_where_such_a_library_is_loaded(tmp_path):
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    run = subprocess.run([sys.executable, HERE / "mode_calls.py", LIBRARY, tmp_path],
                         capture_output=True, text=True, check=False, timeout=200)
    assert run.returncode == 0, run.stderr
    answer = json.loads(run.stdout)
    assert answer["forgotten"] == [], "in neither list of mode_calls.py"
    assert answer["unknown"] == []
    assert answer["strange"] == []
    assert answer["silent"] == [], "these claim nothing in the right mode either"
    assert answer["claims"] == []
    assert answer["entries"] > 80


@pytest.mark.skipif(not LIBRARY, reason="skipped: no library linked with -ffast-math")
def test_the_error_says_what_to_do():
    program = ("import ctypes, keepclear\n"
               f"ctypes.CDLL({LIBRARY!r})\n"
               "try:\n    keepclear.load('six_axis_arm')\n"
               "except keepclear.Error as error:\n    print(error.kind.name, error)\n")
    text = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True,
                          check=True).stdout
    assert text.startswith("usage the floating-point unit of this thread flushes small numbers")
    assert "-ffast-math" in text and text.count("\n") == 1
    assert keepclear.load("six_axis_arm").dof == 6, "this process is another"


@pytest.mark.skipif(not LIBRARY or not os.environ.get("KEEPCLEAR_COMMAND"),
                    reason="skipped: no library linked with -ffast-math, or no command")
@pytest.mark.parametrize("words", [["info"], ["check", "--q", "0,0,0,0,0,0"], ["distance", "--q", "0,0,0,0,0,0"],
                                   ["box"], ["pairs"]])
def test_the_command_ends_with_one_line(words):
    command, *options = words
    run = subprocess.run([os.environ["KEEPCLEAR_COMMAND"], command, "six_axis_arm", *options,
                          "--quiet"], capture_output=True, text=True, check=False,
                         env={**os.environ, "LD_PRELOAD": LIBRARY})
    assert run.returncode == 64 and run.stdout == ""
    assert "the floating-point unit of this thread flushes small numbers" in run.stderr
    assert run.stderr.count("\n") == 1
