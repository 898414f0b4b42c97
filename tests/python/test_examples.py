# SPDX-License-Identifier: BSD-3-Clause
"""Every numbered example in C++ has a twin in Python that says the same."""
from __future__ import annotations

import json
import os
import pathlib
import re
import subprocess
import sys

import keepclear
import pytest
from conftest import ROOT
from programs import find

EXAMPLES = ROOT / "examples"
NAMES = sorted(file.stem for file in EXAMPLES.glob("[0-9][0-9]_*.cpp"))
# How long cycles took differs from run to run.
TIMES = re.compile(r"longest [0-9.]+ us, [0-9]+ late")


def run(command, folder):
    done = subprocess.run([str(part) for part in command], cwd=folder, capture_output=True,
                          text=True, check=False, env=os.environ | {"PYTHONDONTWRITEBYTECODE": "1"})
    return done.returncode, [TIMES.sub("", line) for line in done.stdout.splitlines()], done.stderr


def python(name, *arguments):
    return [sys.executable, EXAMPLES / f"{name}.py", *arguments]


def files_of_the_arm(folder: pathlib.Path) -> pathlib.Path:
    builtin = next(w for w in keepclear.builtin_worlds() if w.name == "six_axis_arm")
    file = folder / "arm.urdf"
    file.write_text(next(iter(builtin.files.values())))
    return file


def arguments_of(name: str, folder: pathlib.Path) -> list[str | pathlib.Path]:
    """Files for the examples that take some."""
    number = name[:2]
    if number == "07":
        scene = {"objects": [
            {"name": "tray", "shape": "box", "size": [0.2, 0.2, 0.2], "pose": {"xyz": [-1, 0, 0]}},
            {"name": "post", "shape": "box", "size": [0.1, 0.1, 2], "pose": {"xyz": [0, 0.15, 0]}}]}
        motion = {"kind": "screw", "object": "tray", "point": [0, 0, 0], "axis": [1, 0, 0],
                  "angle": 0.5, "slide": 2.0}
        (folder / "scene.json").write_text(json.dumps(scene))
        (folder / "motion.json").write_text(json.dumps(motion))
        return [folder / "scene.json", folder / "motion.json"]
    if number == "08":
        return [folder / "motion.kcert"]
    robot = files_of_the_arm(folder)
    if number == "03":
        return [robot, folder / "model.json"]
    if number == "05":
        joints = keepclear.load(robot).joints
        rows = [["time", *joints], [0.0] * 7, [2.0, 0.3, 0.3, -0.2, 0.1, 0.1, 0.1]]
        text = "".join(",".join(map(str, row)) + "\n" for row in rows)
        (folder / "motion.csv").write_text(text)
        return [robot, folder / "motion.csv", "0.01"]
    if number == "06":
        return [robot, "shoulder", "1.5"]
    return [robot]


def test_every_numbered_example_has_a_twin():
    assert NAMES
    twins = sorted(file.stem for file in EXAMPLES.glob("[0-9][0-9]_*.py"))
    assert twins == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_the_twin_says_the_same(name, tmp_path):
    compare(name, [], tmp_path)


@pytest.mark.parametrize("name", [name for name in NAMES if name[:2] != "02"])
def test_the_twin_says_the_same_of_files(name, tmp_path):
    compare(name, arguments_of(name, tmp_path), tmp_path)


def compare(name: str, arguments: list[str | pathlib.Path], tmp_path: pathlib.Path) -> None:
    given = set(tmp_path.iterdir())
    code, lines, errors = run(python(name, *arguments), tmp_path)
    assert code == 0 and lines and errors == "", errors
    written = {file: file.read_bytes() for file in set(tmp_path.iterdir()) - given}
    for file in written:
        file.unlink()
    original = find(f"examples/example_{name}")
    if original is None:
        pytest.skip(f"skipped: example_{name} was not built; its twin runs")
    assert (code, lines, errors) == run([original, *arguments], tmp_path)
    # And it writes the same files, byte for byte.
    assert written == {file: file.read_bytes() for file in set(tmp_path.iterdir()) - given}
    assert bool(written) == (name[:2] == "08" or (name[:2] == "03" and bool(arguments)))


@pytest.mark.parametrize("name", [name for name in NAMES if name[:2] not in ("02", "08")])
def test_a_file_that_is_missing_is_one_line(name, tmp_path):
    missing = {"05": ["no.urdf", "no.csv"], "06": ["no.urdf", "a", "1"],
               "07": ["no.json", "no.json"]}
    code, lines, errors = run(python(name, *missing.get(name[:2], ["no.urdf"])), tmp_path)
    assert code == 66 and lines == [] and errors.count("\n") == 1 and "no." in errors


def png_size(file: pathlib.Path) -> tuple[int, int]:
    data = file.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    return int.from_bytes(data[16:20], "big"), int.from_bytes(data[20:24], "big")


@pytest.mark.parametrize("arguments", [[], ["ROBOT", "--seed", "3", "--margin", "0.001"]],
                         ids=["alone", "a robot"])
def test_show_me(arguments, tmp_path):
    pytest.importorskip("matplotlib", reason="skipped: no matplotlib")
    if find("apps/keepclear") is None:
        pytest.skip("skipped: the command, which writes the report, was not built")
    arguments = [files_of_the_arm(tmp_path) if part == "ROBOT" else part for part in arguments]
    out = tmp_path / "out"
    code, lines, errors = run(python("show_me", *arguments, "--out", out), tmp_path)
    assert code == 0, errors
    width, height = png_size(out / "clearance.png")
    assert width >= 600 and height >= 400
    report = (out / "report.html").read_text()
    assert "<html" in report and report.rstrip().endswith("</html>")
    wrote = [line.split()[1].rstrip(":") for line in lines if line.startswith("wrote")]
    assert wrote == [str(out / "clearance.png"), str(out / "report.html")]
    verdicts = [line for line in lines if "Certificate(" in line]
    assert len(verdicts) == (1 if arguments else 2)
    if not arguments:
        assert "Certificate(free" in verdicts[0] and "Certificate(contact" in verdicts[1]
