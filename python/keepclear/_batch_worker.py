# SPDX-License-Identifier: BSD-3-Clause
"""What runs on workers: a chunk in, rows out."""
from __future__ import annotations

import collections
import pickle
import threading
from dataclasses import dataclass
from typing import Any, Callable, List, Tuple

import numpy as np

from . import _keepclear as _compiled
from ._error import Error

_rows: Any = getattr(_compiled, "_rows")
Poses = np.ndarray[Any, np.dtype[np.float64]]


@dataclass(frozen=True)
class Question:
    """What a worker is asked, and of which world. It is sent along with every chunk."""

    source: bytes  #: of load(), pickled
    hash: str
    kind: str
    words: bytes  #: pickled
    asked: str = ""  #: what they come to
    file: str = ""  #: that lines are of, for errors


_MOST_KNOWN = 4


class _Known(threading.local):
    """What a thread asks with: queries are one a thread."""

    def __init__(self) -> None:
        self.certifiers: "collections.OrderedDict[Question, Any]" = collections.OrderedDict()


_known = _Known()
_worlds: "collections.OrderedDict[Tuple[bytes, str], Any]" = collections.OrderedDict()
_worlds_lock = threading.Lock()


def _recent(known: "collections.OrderedDict[Any, Any]", key: Any, make: Callable[[], Any]) -> Any:
    """The one of that key; those that were asked for long ago are forgotten."""
    if key not in known:
        known[key] = make()
    known.move_to_end(key)
    while len(known) > _MOST_KNOWN:
        known.popitem(last=False)
    return known[key]


def _where() -> str:
    try:
        from distributed import get_worker

        return f"worker {get_worker().address}"
    except ValueError:
        return "here"


def _load(question: Question) -> Any:
    try:
        world = _compiled.load(**pickle.loads(question.source))
    except Error as error:
        raise Error(f"{_where()}: {error}", error.kind, error.file, error.line) from None
    if world.hash != question.hash:
        raise Error(
            f"{_where()}: the world it loads is another: hash {world.hash[:12]}..., not "
            f"{question.hash[:12]}...; give it the same files, and the same version",
            "malformed",
        )
    return world


def _world_for(question: Question) -> Any:
    """Loaded once for each process."""
    with _worlds_lock:
        return _recent(_worlds, (question.source, question.hash), lambda: _load(question))


def _tool(question: Question) -> Any:
    """The world, or what paths are certified with."""
    if question.kind != "certify":
        return _world_for(question)
    return _recent(_known.certifiers, question, lambda: _certifier(question))


def _certifier(question: Question) -> Any:
    certifier = _rows.Certifier(_world_for(question), pickle.loads(question.words), 1)
    # Numbers are the same everywhere; the file of a tube may not be.
    if certifier.asked != question.asked:
        raise Error(f"{_where()}: the tube it reads is another; give it the same file", "malformed")
    return certifier


def answer_lines(question: Question, lines: List[Any]) -> bytes:
    rows: bytes = _tool(question).rows(question.file, lines)
    return rows


def answer_poses(question: Question, first: int, poses: Poses) -> bytes:
    world, words = _tool(question), pickle.loads(question.words)
    rows: bytes
    if question.kind == "check":
        rows = _rows.check_rows(world, first, poses, words["margin"], 1)
    else:
        rows = _rows.distance_rows(world, first, poses, words["signed"], words["all_pairs"], 1)
    return rows
