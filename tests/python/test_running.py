# SPDX-License-Identifier: BSD-3-Clause
"""Threads, signals, memory; the command; the stubs."""
from __future__ import annotations

import ast
import inspect
import os
import pathlib
import resource
import subprocess
import sys
import threading
import time

import keepclear
import numpy as np
import pytest
from conftest import within


def test_another_thread_goes_on_during_a_batch(two_arms: keepclear.World) -> None:
    poses = within(two_arms, 30_000)
    ticks: list[float] = []
    stop = threading.Event()

    def tick() -> None:
        while not stop.is_set():
            ticks.append(time.perf_counter())
            time.sleep(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    begin = time.perf_counter()
    two_arms.distance(poses, threads=1)
    end = time.perf_counter()
    stop.set()
    thread.join()
    # Without the GIL released there is none but at the ends.
    during = sum(begin + 0.1 * (end - begin) < t < end - 0.1 * (end - begin) for t in ticks)
    assert during >= 5


def test_threads_may_share_a_query(arm: keepclear.World) -> None:
    query = keepclear.DistanceQuery(arm)
    poses = within(arm, 300)
    expected = arm.distance(poses).distance
    wrong: list[int] = []

    def ask(first: int) -> None:
        for i in range(first, 300, 4):
            if abs(query(poses[i]).distance - expected[i]) > 1e-9:
                wrong.append(i)
            if abs(arm.distance(poses[i]).distance - expected[i]) > 1e-9:
                wrong.append(i)

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


# What to make, and what takes long.
LONG = {
    "distance": ("poses", "world.distance(poses)"),
    "check": ("poses", "world.check(poses, threads=1)"),
    "certify": ("[world.path('task1')] * 20_000", "world.certify(made)"),
    "reading": ("['task1'] * 20_000", "world.certify(made)"),
    "connects": ("poses", "world.connects(poses, poses + 1.5)"),
    "box": ("world.neutral()", "world.box(made - 0.05, made + 0.05, tolerance=1e-9, relative_tolerance=0, budget=10**9)"),
    "pairs": ("None", "world.pairs(budget=10**9, samples=10**5)"),
    "fit": ("None", "world.fit(starts=20_000)"),
}


@pytest.mark.parametrize("what", LONG)
def test_control_c_ends_long_work(what: str) -> None:
    make, call = LONG[what]
    script = f"""
import sys, threading, os, signal
import numpy as np, keepclear
world = keepclear.load("two_arms")
poses = np.random.default_rng(1).uniform(-2, 2, (1_000_000, world.dof))
made = {make}
try:
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    {call}
except KeyboardInterrupt:
    sys.exit(42)
"""
    begin = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", script], timeout=60, check=False)
    assert done.returncode == 42
    assert time.perf_counter() - begin < 20


def test_memory_does_not_grow(arm: keepclear.World) -> None:
    q = arm.neutral()
    poses = within(arm, 20)
    line = np.stack([q, q + 0.01])
    path = arm.path(line)
    scene = keepclear.Scene(robots=[keepclear.SceneRobot(builtin="six_axis_arm")])
    scene.objects.append(keepclear.SceneObject("ball", keepclear.Shape("sphere", radius=0.1)))
    query = keepclear.MotionQuery(arm)

    def refused() -> None:
        for call in (lambda: arm.check(q, margin=-1), lambda: arm.distance("x")):
            with pytest.raises((keepclear.Error, TypeError)):
                call()

    calls = [
        (10_000, lambda: arm.distance(q).pair),
        (10_000, lambda: arm.check(q).verdict),
        (10_000, lambda: arm.distance(poses)[3].point_a),
        (10_000, lambda: path.position([0.1, 0.2])),
        (10_000, lambda: query.connects(q, q)),
        (10_000, lambda: arm.source),
        (3_000, lambda: query(path).intervals),
        (3_000, refused),
        (300, lambda: arm.distance(poses, all_pairs=True).distance),
        (100, lambda: arm.solids),
        (30, lambda: keepclear.compile(scene)),
    ]
    for count, call in calls:
        for _ in range(max(3, count // 10)):
            call()
        before = current_bytes()
        for _ in range(count):
            call()
        grown = current_bytes() - before
        # A leak of one small object a call would be 64 bytes or more, one of a world 100 kB.
        assert grown < max(1_000_000, 32 * count), (inspect.getsource(call), grown)


def current_bytes() -> int:
    pages = int(pathlib.Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def test_worlds_are_freed() -> None:
    keepclear.load("two_arms")
    before = current_bytes()
    for _ in range(15):
        keepclear.load("two_arms")
    assert current_bytes() - before < 30_000_000


# --- The command


def has_page(command: str) -> bool:
    done = subprocess.run([command, "report", "six_axis_arm", "-o", "/dev/null"], capture_output=True,
                          text=True, check=False)
    return "has no page" not in done.stderr


def test_reports(two_arms: keepclear.World, tmp_path: pathlib.Path) -> None:
    command = os.environ.get("KEEPCLEAR_COMMAND")
    if not command:
        pytest.skip("skipped: no command in this build")
    picture = tmp_path / "picture.png"
    keepclear.report(two_arms, png=picture, more=["--size", "64x48"])
    assert picture.read_bytes().startswith(b"\x89PNG")
    with pytest.raises(keepclear.Error, match="nobody") as error:
        keepclear.report(two_arms, png=picture, paths=["nobody"])
    assert error.value.kind == keepclear.ErrorKind.missing
    if not has_page(command):
        pytest.skip("skipped: no page in this build (Node.js)")
    page = tmp_path / "task1.html"
    keepclear.report(two_arms, page, paths=["task1"], margin=0.001)
    assert "task1" in page.read_text()
    arm = keepclear.load("six_axis_arm", model=keepclear.load("six_axis_arm").fit(starts=20, refined=1).model)
    keepclear.report(arm, page)
    assert arm.hash in page.read_text()


def test_reports_without_the_command(arm: keepclear.World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("KEEPCLEAR_COMMAND", "/nowhere/keepclear")
    with pytest.raises(keepclear.Error, match="KEEPCLEAR_COMMAND") as error:
        keepclear.report(arm, "x.html")
    assert error.value.kind == keepclear.ErrorKind.missing
    made = keepclear.compile(keepclear.Scene(robots=[keepclear.SceneRobot(builtin="six_axis_arm")]))
    monkeypatch.setenv("KEEPCLEAR_COMMAND", "true")
    with pytest.raises(keepclear.Error, match="loaded from a file"):
        keepclear.report(made, "x.html")


# --- The stubs


def names_in(stub: str, seen: set[str] | None = None) -> dict[str, set[str]]:
    """The classes and functions of a stub and of those that it takes in, with the members of classes."""
    seen = set() if seen is None else seen
    folder = pathlib.Path(keepclear.__file__).parent
    if stub in seen or not (folder / f"{stub}.pyi").exists():
        return {}
    seen.add(stub)
    found: dict[str, set[str]] = {}
    for node in ast.parse((folder / f"{stub}.pyi").read_text()).body:
        if isinstance(node, ast.ClassDef):
            members = {n.name for n in node.body if isinstance(n, ast.FunctionDef)}
            members |= {n.target.id for n in node.body if isinstance(n, ast.AnnAssign)}
            found[node.name] = members
        elif isinstance(node, ast.FunctionDef):
            found[node.name] = set()
        elif isinstance(node, ast.ImportFrom) and node.names[0].name == "*":
            found.update(names_in(node.module, seen))
        elif isinstance(node, ast.ImportFrom):
            # Handed on, as a class of Python.
            found.update({n.name: set() for n in node.names if n.asname == n.name})
    return found


def test_stubs_name_what_is_there() -> None:
    module = keepclear._keepclear
    stubs = {n: m for n, m in names_in("_keepclear").items() if not n.startswith("_")}
    there = {n for n in dir(module) if not n.startswith("_")}
    assert there - set(stubs) == set()
    assert set(stubs) - there == set()
    for name, members in stubs.items():
        runtime = getattr(module, name)
        if not inspect.isclass(runtime) or runtime in (
            keepclear.BrakeDelays, keepclear.BrakeModel, keepclear.JointBrake):
            continue
        public = {m for m in vars(runtime) if not m.startswith("_")}
        assert public == {m for m in members if not m.startswith("_")}, name


def test_everything_has_a_docstring() -> None:
    for name in dir(keepclear):
        thing = getattr(keepclear, name)
        if name.startswith("_") or inspect.ismodule(thing):
            continue
        assert thing.__doc__, name
