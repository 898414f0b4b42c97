# SPDX-License-Identifier: BSD-3-Clause
"""Batches beyond one machine, on Dask: millions of paths certified, millions of poses checked.

    from keepclear import batch

    batch.certify("cell.json", "edges.jsonl", "answers.jsonl", margin=0.01)
    batch.check("cell.json", poses, "poses.jsonl", scheduler="tcp://head:8786")

Work goes out in chunks, to processes of this machine or to the workers of a scheduler; rows come
back in the order of the input, the same bytes as the command prints. A run that was stopped goes on
where it was, a worker that dies costs its chunk again, and a path that is malformed is a row that
says so.
On a command line: python3 -m keepclear.batch certify WORLD --paths FILE.jsonl -o OUT.jsonl
"""
from __future__ import annotations

import codecs
import collections
import hashlib
import io
import json
import operator
import os
import pickle
import re
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass, field
from os import PathLike
from typing import (
    Any,
    Callable,
    Dict,
    Iterable,
    Iterator,
    List,
    Mapping,
    Optional,
    Sequence,
    Tuple,
    Union,
)

import numpy as np

from . import _keepclear as _compiled
from ._batch_worker import Poses as _Poses
from ._batch_worker import Question as _Question
from ._batch_worker import answer_lines as _answer_lines
from ._batch_worker import answer_poses as _answer_poses
from ._cluster import Chunk, Cluster, Work
from ._error import Error

_rows: Any = getattr(_compiled, "_rows")
World = _compiled.World

_File = Union[str, "PathLike[str]"]
#: A world, what load() takes first, or all that it takes.
_WorldLike = Union[World, _File, Mapping[str, Any]]

_Words = Dict[str, Any]

_CHUNK = 256
_CHUNK_BYTES = 1 << 20
_POSES = 4096
_MOST_TESTS = 10**12


@dataclass
class Summary:
    """How often which answer was given; `kept` of the paths or poses were answered before."""

    free: int = 0
    contact: int = 0
    undecided: int = 0
    errors: int = 0
    answered: int = 0
    kept: int = 0

    @property
    def exit_code(self) -> int:
        """That of the command: 65 where a row is an error, else by the verdicts."""
        if self.errors:
            return 65
        return 1 if self.contact else 2 if self.undecided else 0


# --- Where rows go --------------------------------------------------------------------------------

_VERDICT = re.compile(rb'"verdict":"(\w)')


@dataclass
class _Sink:
    """A file of rows, or what the user has for them. Left, it lets go of the file: whoever keeps an
    exception keeps this as well."""

    out: Any
    each: int = 1
    file: Any = None
    summary: Summary = field(default_factory=Summary)

    def __enter__(self) -> "_Sink":
        return self

    def __exit__(self, *ignored: Any) -> None:
        if self.file is not None:
            self.file.close()

    def opened(self, resume: bool, **of: Any) -> None:
        if isinstance(self.out, (str, PathLike)):
            self.file = _rows.RowsFile(
                file=os.fspath(self.out), resume=resume, each=self.each, **of
            )
            free, contact, undecided, errors = self.file.tally
            kept = self.file.kept
            self.summary = Summary(free, contact, undecided, errors, kept, kept)
        elif not callable(self.out) and not hasattr(self.out, "write"):
            raise Error("out: name a file, or give a callable or an object with write()")

    def add(self, chunk: Chunk, rows: bytes) -> None:
        count = rows.count(b"\n")
        if count != chunk.size * self.each:
            raise Error(f"a worker gave {count} rows for {chunk.size}", "internal")
        if self.file is not None:
            self.file.write(rows)
        elif _is_stream(self.out):
            self.out.write(rows.decode() if _is_text(self.out) else rows)
        else:
            given = [json.loads(row) for row in rows.splitlines()]
            (self.out if callable(self.out) else self.out.write)(given)
        verdicts = collections.Counter(_VERDICT.findall(rows))
        total = self.summary
        total.free += verdicts[b"f"]
        total.contact += verdicts[b"c"]
        total.undecided += verdicts[b"u"]
        total.errors += count - sum(verdicts.values())
        total.answered += chunk.size

    def finish(self) -> Summary:
        if self.file is not None:
            self.file.finish()
        return self.summary


def _is_stream(out: Any) -> bool:
    # A temporary file that has a name is none of io, but is used as one.
    return isinstance(out, io.IOBase) or hasattr(out, "writable")


def _is_text(out: Any) -> bool:
    return isinstance(out, io.TextIOBase) or hasattr(out, "encoding")


class _Progress:
    """A line on stderr, where that is a terminal."""

    def __init__(self, wanted: bool, what: str, total: int, kept: int) -> None:
        self._on = wanted and sys.stderr.isatty()
        self._what, self._total, self._kept = what, total, kept
        self._start = self._last = time.monotonic()

    def show(self, done: int) -> None:
        now = time.monotonic()
        if not self._on or now - self._last < 0.1:
            return
        self._last = now
        share = done / self._total if self._total else 1.0
        bar = ("#" * int(40 * share)).ljust(40, ".")
        rate = (done - self._kept) / (now - self._start)
        sys.stderr.write(f"\r\x1b[K[{bar}] {100 * share:3.0f} %  {done} {self._what}, {rate:.0f}/s")
        sys.stderr.flush()

    def clear(self) -> None:
        if self._on:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


# --- What goes in ---------------------------------------------------------------------------------


def _world_of(world: _WorldLike) -> Any:
    if isinstance(world, World):
        loaded: Any = world
    elif isinstance(world, Mapping):
        loaded = _compiled.load(**world)
    else:
        loaded = _compiled.load(world)
    # Everything is free then, which nobody should take for an answer.
    if loaded.pair_count == 0:
        sys.stderr.write("keepclear: note: the world has no pair to check\n")
    return loaded


def _require_other_file(out: Any, world: World, inputs: Iterable[Any]) -> None:
    """What is read must not be written over: nor any file that the world is made of."""
    if not isinstance(out, (str, PathLike)) or not os.path.isfile(out):
        return
    for name in (*inputs, *(file for file, _ in _compiled.sources_of(world))):
        if not isinstance(name, (str, PathLike)) or not os.path.exists(name):
            continue
        if os.path.samefile(out, name):
            raise Error(
                f"{os.fspath(out)}: is an input itself; write into another file",
                file=os.fspath(out),
            )


def _require_numbers(name: str, value: Any, depth: int = 2) -> None:
    """Of what is none numpy makes one: of what stands under a mask, of texts, of truths."""
    mask = getattr(value, "mask", None)
    # That of a table of pandas is a function.
    if mask is not None and not callable(mask):
        raise Error(f"{name}: has a mask: some of its numbers are none", "malformed")
    kind = value.dtype.kind if isinstance(value, (np.ndarray, np.generic)) else "f"
    if isinstance(value, (bool, complex, str, bytes)) or kind not in "fiu":
        what = value.dtype if isinstance(value, np.ndarray) else type(value).__name__
        raise Error(f"{name}: {what}, not numbers", "malformed")
    if depth == 0 or not isinstance(value, Sequence) or isinstance(value, memoryview):
        return
    if set(map(type, value)) <= {float, int, np.float64}:
        return
    for one in value:
        _require_numbers(name, one, depth - 1)


def _are_numbers(array: Any, columns: int) -> bool:
    return array.ndim == 2 and array.shape[1] == columns and array.dtype.kind in "fiu"


def _line_of(world: Any, path: Any) -> bytes:
    if isinstance(path, bytes):
        text = path
    elif isinstance(path, str):
        text = path.encode()
    elif isinstance(path, Mapping):
        text = json.dumps(path).encode()
    else:
        _require_numbers("paths", path)
        try:
            waypoints = np.asarray(path)
        except (TypeError, ValueError):
            waypoints = np.empty(0)
        if not _are_numbers(waypoints, world.dof):
            raise Error(
                "paths: each is an object or a text as in docs/paths.md, or waypoints of shape "
                f"(K, {world.dof})"
            )
        text = json.dumps(
            {
                "kind": "straight",
                "joints": world.joints,
                "times": list(range(len(waypoints))),
                "waypoints": waypoints.astype(float).tolist(),
            }
        ).encode()
    # In JSON a line end is a blank; and a line that is blank would have no row.
    text = text.replace(b"\r", b" ").replace(b"\n", b" ").strip()
    while text.startswith(codecs.BOM_UTF8):
        text = text[len(codecs.BOM_UTF8) :].strip()
    return text or b"{}"


def _budget_of(value: Any) -> int:
    try:
        budget = operator.index(value)
    except TypeError:
        budget = 0
    if isinstance(value, bool) or not 1 <= budget <= _MOST_TESTS:
        raise Error(f"budget: it is a whole number from 1 to {_MOST_TESTS}")
    return budget


def _words(options: Mapping[str, Any]) -> _Words:
    """As the command line has them."""
    words: _Words = {}
    for name, value in options.items():
        if value is None:
            continue
        if name == "accuracy" and not isinstance(value, (str, float, int)):
            _require_numbers(name, value)
            value = ",".join(repr(float(number)) for number in value)
        elif name == "rest" and isinstance(value, Mapping):
            value = json.dumps(value)
        elif name == "rest" and not isinstance(value, str):
            _require_numbers(name, value)
            value = ",".join(repr(float(number)) for number in value)
        elif name == "base" and isinstance(value, str):
            value = [value]
        if name == "base":
            words[name] = [str(one) for one in value]
        elif name == "budget":
            words[name] = _budget_of(value)
        elif name == "tube" and isinstance(value, PathLike):
            words[name] = os.path.abspath(value)
        elif name == "tube" and isinstance(value, str) and os.path.exists(value):
            words[name] = os.path.abspath(value)
        else:
            words[name] = value if isinstance(value, str) else repr(value)
    return words


# --- Questions ------------------------------------------------------------------------------------


def certify(
    world: _WorldLike,
    paths: Union[_File, Iterable[Any]],
    out: Any,
    *,
    scheduler: Optional[str] = None,
    workers: Optional[int] = None,
    chunk: int = _CHUNK,
    resume: bool = True,
    progress: bool = True,
    margin: Optional[float] = None,
    tolerance: Optional[float] = None,
    method: Optional[str] = None,
    ask: Optional[str] = None,
    accuracy: Union[None, float, Sequence[float]] = None,
    budget: Optional[int] = None,
    base: Union[None, str, Sequence[str]] = None,
    deviation: Optional[float] = None,
    tube: Union[None, float, _File] = None,
    rest: Any = None,
) -> Summary:
    """Certifies many paths: those of a file of JSON Lines, a path as in docs/paths.md a line, or an
    iterable of such objects, of texts, or of waypoints (K, dof) that are a second apart.

    `out` is the name of a file for rows as `keepclear certify --paths` prints them, or takes lists
    of rows: a callable, or an object with write(). A file is gone on with, unless `resume` is
    False; beside it stands FILE.state, which says what its rows are of, and rows of anything else
    are refused. Of an iterable, FILE.paths keeps the lines.

    `scheduler` is the address of one that runs; otherwise `workers` processes (one for each core)
    work here. `chunk` paths go to a worker at a time. What is asked is as on the command line,
    `method`, `ask` and `base` too: "auto", "first", "left=0.001,0.002".
    """
    if chunk < 1:
        raise Error("chunk: there must be one path or more")
    loaded = _world_of(world)
    _require_other_file(out, loaded, [paths, tube])
    words = _words(
        dict(margin=margin, tolerance=tolerance, method=method, ask=ask, accuracy=accuracy)
    )
    words.update(_words(dict(budget=budget, base=base, deviation=deviation, tube=tube, rest=rest)))
    # Whether this can be asked at all is known before any worker starts.
    asked = _rows.Certifier(loaded, words, 1).asked
    with tempfile.TemporaryDirectory(prefix="keepclear-batch-") as folder, _Sink(out) as sink:
        kept_lines = ""
        if isinstance(paths, (str, PathLike)):
            file = os.fspath(paths)
        else:
            file = os.path.join(folder, "paths")
            _write_lines(file, (_line_of(loaded, path) for path in paths))
            if isinstance(out, (str, PathLike)):
                kept_lines = f"{os.fspath(out)}.paths"
        total, digest = _rows.look_through(file)
        sink.opened(
            resume,
            command="certify --paths",
            world=loaded.hash,
            asked=asked,
            input=digest,
            head="path",
            unit=1,
            count=total,
        )
        if kept_lines:
            # Only now is it certain that no other run has them.
            _copy(file, kept_lines)
            file = kept_lines
        reader = _rows.PathLines(file)
        if reader.skip(sink.summary.kept) != sink.summary.kept:
            raise Error(f"{file}: has changed while it was read", "malformed", file)
        question = _question(loaded, "certify", words, asked, file)

        def chunks() -> Iterator[Chunk]:
            while lines := reader.read(chunk, _CHUNK_BYTES):
                yield Chunk(lines[0][0], len(lines), lines)

        def split(of: Chunk) -> List[Chunk]:
            half = of.size // 2
            return [
                Chunk(lines[0][0], len(lines), lines)
                for lines in (of.payload[:half], of.payload[half:])
            ]

        def give_up(of: Chunk, why: str) -> bytes:
            index, line, _ = of.payload[0]
            row: bytes = _rows.error_row(f'"path":{index}', f"{file}:{line}: {why}")
            return row

        return _run(
            _Batch(_answer_lines, lambda of: (question, of.payload), split, give_up, "paths"),
            chunks(), sink, total, scheduler, workers, progress,
        )  # fmt: skip


def check(
    world: _WorldLike,
    poses: Any,
    out: Any,
    *,
    margin: float = 0.0,
    scheduler: Optional[str] = None,
    workers: Optional[int] = None,
    chunk: int = _POSES,
    resume: bool = True,
    progress: bool = True,
) -> Summary:
    """Checks many poses: an array (N, dof), a .npy file, which is not held in memory, or a CSV
    file. Rows are those of `keepclear check --json`; all else as of certify()."""
    if not margin >= 0:
        raise Error("margin: it is a length in metres, not negative")
    words = {"margin": float(margin)}
    return _pose_batch(
        world, poses, out, "check", words, False, scheduler, workers, chunk, resume, progress
    )


def distance(
    world: _WorldLike,
    poses: Any,
    out: Any,
    *,
    signed: bool = False,
    all_pairs: bool = False,
    scheduler: Optional[str] = None,
    workers: Optional[int] = None,
    chunk: int = _POSES,
    resume: bool = True,
    progress: bool = True,
) -> Summary:
    """Distances of many poses. Rows are those of `keepclear distance --json`; all else as of
    check()."""
    words = {"signed": bool(signed), "all_pairs": bool(all_pairs)}
    return _pose_batch(
        world, poses, out, "distance", words, all_pairs, scheduler, workers, chunk, resume, progress
    )


def _pose_batch(
    world: _WorldLike, poses: Any, out: Any, kind: str, words: _Words, all_pairs: bool,
    scheduler: Optional[str], workers: Optional[int], chunk: int, resume: bool, progress: bool,
) -> Summary:  # fmt: skip
    loaded = _world_of(world)
    _require_other_file(out, loaded, [poses])
    block, unit = _rows.pose_block(loaded, all_pairs)
    # Cut where a batch forgets what it knows, rows have the same bytes however many there are.
    size = min(block, max(unit, chunk // unit * unit))
    each: int = _rows.rows_each(loaded, all_pairs)
    if each == 0:
        raise Error("all_pairs: the world has no pair to check")
    total, digest, read_from = _poses_of(loaded, poses)
    asked = _rows.check_asked(words["margin"]) if kind == "check" else _rows.distance_asked(**words)
    with _Sink(out, each) as sink:
        of = dict(command=kind, world=loaded.hash, asked=asked, input=digest)
        sink.opened(resume, **of, head="pose", unit=unit, count=total)
        question = _question(loaded, kind, words, asked, "")

        def chunks() -> Iterator[Chunk]:
            first = sink.summary.kept
            for some in read_from(first, size):
                yield Chunk(first, len(some), some)
                first += len(some)

        def arguments(of: Chunk) -> Tuple[Any, ...]:
            return question, of.first, of.payload

        def split(of: Chunk) -> List[Chunk]:
            half = max(1, of.size // 2 // unit * unit or of.size // 2)
            return [
                Chunk(of.first, half, of.payload[:half]),
                Chunk(of.first + half, of.size - half, of.payload[half:]),
            ]

        def give_up(of: Chunk, why: str) -> bytes:
            row: bytes = _rows.error_row(f'"pose":{of.first}', why)
            return each * row

        return _run(
            _Batch(_answer_poses, arguments, split, give_up, "poses"),
            chunks(), sink, total, scheduler, workers, progress,
        )  # fmt: skip


def _poses_of(
    world: Any, poses: Any
) -> Tuple[int, str, Callable[[int, int], Iterator[_Poses]]]:
    """How many, a hash of them, and rows from a place on, some at a time."""
    if isinstance(poses, (str, PathLike)) and not os.fspath(poses).endswith(".npy"):
        name = os.fspath(poses)
        _, digest = _rows.look_through(name)
        total = _rows.Poses(world, name).skip(sys.maxsize)

        def rows(first: int, size: int) -> Iterator[_Poses]:
            reader = _rows.Poses(world, name)
            if reader.skip(first) != first:
                raise Error(f"{name}: has changed while it was read", "malformed", name)
            while len(some := reader.read(size)):
                yield some

        return total, digest, rows
    name = os.fspath(poses) if isinstance(poses, (str, PathLike)) else "poses"
    if name == "poses":
        _require_numbers(name, poses)
    try:
        array = np.load(poses, mmap_mode="r") if name != "poses" else np.asarray(poses)
    except FileNotFoundError:
        raise Error(f"{name}: no such file", "missing", name) from None
    except (OSError, ValueError) as error:
        raise Error(f"{name}: is no array of numpy: {error}", "malformed", name) from None
    if not _are_numbers(array, world.dof):
        raise Error(
            f"{name}: {array.dtype} of shape {array.shape}, not numbers of shape (N, {world.dof})",
            "malformed",
            name,
        )

    def parts(first: int, size: int) -> Iterator[_Poses]:
        for begin in range(first, len(array), size):
            yield np.ascontiguousarray(array[begin : begin + size], dtype=np.float64)

    digest = hashlib.sha256(str(array.shape).encode())
    for some in parts(0, 1 << 16):
        digest.update(some.data)
    return len(array), digest.hexdigest(), parts


def _write_lines(file: str, lines: Iterable[bytes]) -> None:
    try:
        with open(file, "wb") as to:
            for line in lines:
                to.write(line + b"\n")
    except OSError as error:
        raise Error(f"{file}: cannot write: {error.strerror}", "write", file) from None


def _copy(file: str, to: str) -> None:
    try:
        shutil.copyfile(file, to)
    except OSError as error:
        raise Error(f"{to}: cannot write: {error.strerror}", "write", to) from None


def _question(world: Any, kind: str, words: _Words, asked: str, file: str) -> _Question:
    source = dict(world.source, threads=1)
    return _Question(pickle.dumps(source), world.hash, kind, pickle.dumps(words), asked, file)


@dataclass
class _Batch:
    ask: Callable[..., bytes]
    arguments: Callable[[Chunk], Tuple[Any, ...]]
    split: Callable[[Chunk], List[Chunk]]
    give_up: Callable[[Chunk, str], bytes]
    what: str


def _run(
    batch: _Batch, chunks: Iterator[Chunk], sink: _Sink, total: int,
    scheduler: Optional[str], workers: Optional[int], progress: bool,
) -> Summary:  # fmt: skip
    if sink.summary.kept >= total:
        return sink.finish()
    bar = _Progress(progress, batch.what, total, sink.summary.kept)

    def done(chunk: Chunk, rows: bytes) -> None:
        sink.add(chunk, rows)
        bar.show(sink.summary.answered)

    try:
        with Cluster(scheduler, workers) as cluster:
            Work(cluster, batch.ask, batch.arguments, batch.split, batch.give_up, done).run(chunks)
    finally:
        bar.clear()
    if sink.summary.answered != total:
        raise Error(f"{batch.what}: the input has changed while it was read", "malformed")
    return sink.finish()


if __name__ == "__main__":
    # Workers know the functions by the name of the module, and this one is not called so.
    from keepclear._batch_main import main

    sys.exit(main())
