# SPDX-License-Identifier: BSD-3-Clause
"""python3 -m keepclear.batch"""
from __future__ import annotations

import argparse
import logging
import math
import re
import signal
import sys
from typing import Any, NoReturn, Optional, Sequence

from . import batch
from ._error import Error
from ._keepclear import ErrorKind, __version__


class _Once(argparse.Action):
    """An option that is given once at most, and not blank."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        name = option_string or self.metavar
        _require_text(name, values)
        given = namespace.__dict__.setdefault("_given", set())
        if self.dest in given:
            raise Error(f"{name}: is given twice; give it once")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class _Each(argparse.Action):
    """An option that may be repeated."""

    def __call__(self, parser: Any, namespace: Any, values: Any, option_string: Any = None) -> None:
        _require_text(option_string, values)
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), values])


def _require_text(name: Any, value: Any) -> None:
    if isinstance(value, str) and not value.strip():
        raise Error(f"{name}: '{value}' is {'blank' if value else 'empty'}; leave it out, or give a value")


def _number(text: str) -> float:
    """As the command reads it: no nan, no inf, no 1_000."""
    if not re.fullmatch(r"[+-]?([0-9]+[.]?[0-9]*|[.][0-9]+)([eE][+-]?[0-9]+)?", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a finite decimal number")
    value = float(text)
    if not math.isfinite(value):
        raise argparse.ArgumentTypeError(f"'{text}' is out of range")
    return value


def _whole(text: str) -> int:
    if not re.fullmatch(r"0|[1-9][0-9]*", text):
        raise argparse.ArgumentTypeError(f"'{text}' is not a whole number in decimal digits")
    return int(text)


class _Parser(argparse.ArgumentParser):
    def __init__(self, *arguments: Any, **options: Any) -> None:
        # No abbreviations: an option that comes later would change what they mean.
        options["allow_abbrev"] = False
        super().__init__(*arguments, **options)
        for name in (None, "store"):
            self.register("action", name, _Once)
        self.register("action", "append", _Each)

    def error(self, message: str) -> NoReturn:
        raise Error(f"{message}; see {self.prog} --help")


def _add_common(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("world", metavar="WORLD", help="a URDF, a scene, or a built-in world")
    parser.add_argument("-o", "--output", metavar="FILE", required=True, help="where rows go")
    parser.add_argument("--resume", action=argparse.BooleanOptionalAction, default=True,
                        help="go on with the rows that FILE has (the default)")  # fmt: skip
    parser.add_argument("--scheduler", metavar="ADDRESS", help="of one that runs: tcp://HOST:PORT")
    parser.add_argument("--workers", metavar="N", type=_whole,
                        help="processes here; one for each core by default")  # fmt: skip
    parser.add_argument("--chunk", metavar="N", type=_whole, help="how many a worker gets at once")
    parser.add_argument("--srdf", metavar="FILE")
    parser.add_argument("--scene", metavar="FILE")
    parser.add_argument("--model", metavar="FILE")
    parser.add_argument("--parts", metavar="N", type=_whole)
    parser.add_argument("--package", metavar="NAME=DIR", action="append", default=[])
    parser.add_argument("--package-path", metavar="DIR", action="append", default=[])
    parser.add_argument("--allow-no-pairs", action="store_true")
    parser.add_argument("--lenient", action="store_true")
    parser.add_argument("--quiet", action="store_true", help="no summary and no progress")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="python3 -m keepclear.batch",
        description="Certifies many paths, or checks many poses, on Dask workers. Options that are "
        "not explained are those of the command keepclear.",
    )
    parser.add_argument("--version", action="version", version=f"keepclear {__version__}")
    kinds = parser.add_subparsers(dest="kind", metavar="KIND", required=True, parser_class=_Parser)
    certify = kinds.add_parser("certify", help="paths, a JSON object a line")
    certify.add_argument("--paths", metavar="FILE", required=True)
    for name in ("margin", "tolerance", "method", "ask", "accuracy", "deviation", "tube", "rest"):
        certify.add_argument(f"--{name}")
    certify.add_argument("--budget", type=_whole)
    certify.add_argument("--base", action="append")
    check = kinds.add_parser("check", help="poses: free or contact")
    check.add_argument("--margin", type=_number, default=0.0)
    distance = kinds.add_parser("distance", help="poses: how far from a contact")
    distance.add_argument("--signed", action="store_true")
    distance.add_argument("--all-pairs", action="store_true")
    for one in (check, distance):
        one.add_argument("--poses", metavar="FILE", required=True, help="CSV or .npy")
    for one in (certify, check, distance):
        _add_common(one)
    return parser


def _source(given: argparse.Namespace) -> dict[str, Any]:
    source: dict[str, Any] = {"file": given.world}
    for name in ("srdf", "scene", "parts"):
        if getattr(given, name) is not None:
            source[name] = getattr(given, name)
    if given.model == "none":
        source["without_model"] = True
    elif given.model is not None:
        source["model"] = given.model
    packages = {}
    for entry in given.package:
        name, equals, folder = entry.partition("=")
        if not name.strip() or not equals or not folder.strip():
            raise Error(f"--package '{entry}' is not NAME=DIR")
        if name in packages:
            raise Error(f"--package: '{name}' is given twice; a package lies in one folder")
        packages[name] = folder
    if packages:
        source["packages"] = packages
    if given.package_path:
        source["package_path"] = given.package_path
    for name in ("allow_no_pairs", "lenient"):
        if getattr(given, name):
            source[name] = True
    return source


def _run(given: argparse.Namespace) -> int:
    common: dict[str, Any] = dict(
        scheduler=given.scheduler,
        workers=given.workers,
        resume=given.resume,
        progress=not given.quiet,
    )
    if given.chunk is not None:
        common["chunk"] = given.chunk
    source = _source(given)
    what = "paths" if given.kind == "certify" else "poses"
    if given.kind == "certify":
        names = ("margin", "tolerance", "method", "ask", "accuracy", "budget", "base", "deviation")
        options = {name: getattr(given, name) for name in (*names, "tube", "rest")}
        told = batch.certify(source, given.paths, given.output, **options, **common)
    elif given.kind == "check":
        told = batch.check(source, given.poses, given.output, margin=given.margin, **common)
    else:
        told = batch.distance(
            source, given.poses, given.output, signed=given.signed, all_pairs=given.all_pairs,
            **common,
        )  # fmt: skip
    if not given.quiet:
        errors = f", {told.errors} errors" if given.kind == "certify" or told.errors else ""
        print(
            f"{told.answered} {what}: {told.free} free, {told.contact} contact, "
            f"{told.undecided} undecided{errors}"
        )
    return 0 if given.kind == "distance" and not told.errors else told.exit_code


def main(arguments: Optional[Sequence[str]] = None) -> int:
    """Exits as the command does; 130 where Ctrl-C or SIGTERM stopped it: rows are kept."""

    def stop(*ignored: Any) -> None:
        raise KeyboardInterrupt

    # What goes wrong is told below, in a line.
    logging.disable(logging.CRITICAL)
    # Schedulers of clusters stop a job so.
    signal.signal(signal.SIGTERM, stop)
    try:
        return _run(_parser().parse_args(arguments))
    except Error as error:
        sys.stderr.write(f"keepclear: {error}\n")
        return error.exit_code
    except KeyboardInterrupt:
        sys.stderr.write("keepclear: stopped; rows are kept, and the same command goes on\n")
        return 130
    except Exception as error:
        # 1 would be a verdict.
        text = " ".join(str(error).split())
        sys.stderr.write(f"keepclear: {type(error).__name__}: {text}\n")
        return int(ErrorKind.internal)
