# SPDX-License-Identifier: BSD-3-Clause
"""keepclear.report: runs the command of that name."""
from __future__ import annotations

import os
import pathlib
import shutil
import subprocess
import tempfile
from collections.abc import Iterable
from typing import Optional, Union

from ._error import Error
from ._keepclear import ErrorKind, World, load, write_model
from ._scene import BodyModel, Scene

__all__ = ["find_command", "report", "world_arguments"]

File = Union[str, "os.PathLike[str]"]


def find_command() -> str:
    """The program `keepclear`: $KEEPCLEAR_COMMAND, that of the build tree of this module, or the one on
    the PATH."""
    told = os.environ.get("KEEPCLEAR_COMMAND")
    if told:
        if shutil.which(told) is None:
            raise Error(f"{told}: no such program; correct KEEPCLEAR_COMMAND", ErrorKind.missing, told)
        return told
    # build/python/keepclear/_report.py, build/apps/keepclear
    built = pathlib.Path(__file__).resolve().parents[2] / "apps" / "keepclear"
    if built.is_file() and os.access(built, os.X_OK):
        return str(built)
    found = shutil.which("keepclear")
    if found is None:
        raise Error(
            "there is no program keepclear; install it, or name it by KEEPCLEAR_COMMAND",
            ErrorKind.missing,
        )
    return found


def world_arguments(world: World, folder: str) -> list[str]:
    """What the command is told to load the world. `folder` takes a model that is in memory only."""
    source = world.source
    if isinstance(source["file"], Scene):
        raise Error("report() is for worlds that were loaded from a file or are built in; "
                    "write the scene to a file and load that")
    name = source["file"]
    arguments = [name]
    for option in ("srdf", "scene"):
        if option in source:
            arguments += [f"--{option}", source[option]]
    for package, path in source.get("packages", {}).items():
        arguments += ["--package", f"{package}={path}"]
    for path in source.get("package_path", ()):
        arguments += ["--package-path", path]
    model = source.get("model")
    if isinstance(model, BodyModel):
        file = os.path.join(folder, "model.json")
        write_model(model, file)
        arguments += ["--model", file]
    elif model is not None:
        arguments += ["--model", model]
    elif source.get("without_model"):
        arguments += ["--model", "none"]
    if "parts" in source:
        arguments += ["--parts", str(source["parts"])]
    for flag in ("lenient", "allow_no_pairs"):
        if source.get(flag):
            arguments.append("--" + flag.replace("_", "-"))
    return arguments


def report(
    world: World,
    file: Optional[File] = None,
    *,
    paths: Iterable[File] = (),
    margin: Optional[float] = None,
    tolerance: Optional[float] = None,
    states: Optional[File] = None,
    recording: Optional[File] = None,
    brake: Optional[File] = None,
    pairs: bool = False,
    png: Optional[File] = None,
    date: Optional[str] = None,
    more: Iterable[str] = (),
) -> None:
    """Writes the report of a world as one HTML file, a picture of it, or both: runs `keepclear report`.

    paths: motions to certify and show, files or tasks of a built-in world.
    states, recording, brake: a run of a guard to show, as `keepclear guard` takes them.
    pairs: what every two links do to each other, too.
    more: other options of the command, as on its command line.

    Throws Error where the command does, or is not there: $KEEPCLEAR_COMMAND names it, else it is sought
    beside this module in a build tree, then on the PATH."""
    program = find_command()
    # The command reads the files again: a report must not be of another world.
    source = world.source
    if not isinstance(source["file"], Scene) and load(**source).hash != world.hash:
        raise Error(f"{source['file']}: has changed since it was loaded; load it again", ErrorKind.malformed)
    with tempfile.TemporaryDirectory() as folder:
        arguments = [program, "report", *world_arguments(world, folder), "--quiet"]
        if isinstance(paths, (str, os.PathLike)):
            paths = [paths]
        for path in paths:
            arguments += ["--path", os.fspath(path)]
        named = {"-o": file, "--png": png, "--states": states, "--recording": recording, "--brake": brake}
        for option, value in named.items():
            if value is not None:
                arguments += [option, os.fspath(value)]
        for option, number in {"--margin": margin, "--tolerance": tolerance}.items():
            if number is not None:
                arguments += [option, repr(float(number))]
        if pairs:
            arguments.append("--pairs")
        if date is not None:
            arguments += ["--date", date]
        done = subprocess.run([*arguments, *more], capture_output=True, text=True, check=False)
    # 0, 1 and 2 are verdicts.
    if done.returncode in (0, 1, 2):
        return
    line = done.stderr.strip().removeprefix("keepclear: ") or f"{program} ended with {done.returncode}"
    known = [kind for kind in ErrorKind if kind == done.returncode]
    raise Error(line, known[0] if known else ErrorKind.internal)
