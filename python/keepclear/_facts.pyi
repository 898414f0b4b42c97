# SPDX-License-Identifier: BSD-3-Clause
#
# Enumerations, what a World lists, and what fit() and lint() find.
from enum import Enum, IntEnum
from os import PathLike
from typing import Union

import numpy as np
from numpy.typing import NDArray

from ._scene import BodyModel, ModelBody

_File = Union[str, bytes, PathLike[str], PathLike[bytes]]
_Floats = NDArray[np.float64]
_Point = tuple[float, float, float]

# --- Enumerations. Where an option takes one, its name does as well: method="sweep".

class ErrorKind(IntEnum):
    usage: int
    malformed: int
    missing: int
    internal: int
    write: int

class Verdict(Enum):
    """True only if it is free."""
    undecided: int
    free: int
    contact: int
    def __bool__(self) -> bool: ...
    def __int__(self) -> int: ...

class Method(IntEnum):
    automatic: int
    chord: int
    velocity: int
    sweep: int
    ball: int

class Ask(IntEnum):
    verdict: int
    first_contact: int
    all_intervals: int
    clearance: int

class PairClass(IntEnum):
    adjacent: int
    always: int
    never: int
    sometimes: int
    undecided: int

class Around(IntEnum):
    collision: int
    visual: int
    both: int

class UnknownSpace(IntEnum):
    unset: int
    free: int
    occupied: int

class ShapeKind(IntEnum):
    box: int
    sphere: int
    cylinder: int
    capsule: int
    cone: int
    plane: int
    mesh: int
    points: int
    octomap: int

class LeftOutWhy(IntEnum):
    adjacent: int
    rigid: int
    disabled: int
    by_default: int
    allowed: int
    touch: int

# --- Worlds

class Variable:
    @property
    def name(self) -> str: ...
    @property
    def joint(self) -> str: ...
    @property
    def type(self) -> str: ...
    @property
    def lower(self) -> float: ...
    @property
    def upper(self) -> float: ...
    @property
    def velocity(self) -> float: ...

class BodyInfo:
    @property
    def link(self) -> str: ...
    @property
    def shape(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def element(self) -> int: ...
    @property
    def part(self) -> int: ...
    @property
    def parts(self) -> int: ...
    @property
    def line(self) -> int: ...
    @property
    def source_vertices(self) -> int: ...
    @property
    def source_triangles(self) -> int: ...
    @property
    def points(self) -> int: ...
    @property
    def radius(self) -> float: ...
    @property
    def excess(self) -> float: ...
    @property
    def volume(self) -> float: ...
    @property
    def hull_volume(self) -> float: ...
    @property
    def modelled(self) -> bool: ...
    @property
    def elements(self) -> list[int]: ...

class SolidInfo:
    @property
    def name(self) -> str: ...
    @property
    def is_object(self) -> bool: ...
    @property
    def moves(self) -> bool: ...
    @property
    def robot(self) -> int: ...
    @property
    def shape(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def pieces(self) -> int: ...
    @property
    def excess(self) -> float: ...

class PairInfo:
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...
    @property
    def overlap_at_neutral(self) -> bool: ...
    @property
    def margin(self) -> float: ...

class LeftOutPair:
    @property
    def a(self) -> str: ...
    @property
    def b(self) -> str: ...
    @property
    def why(self) -> LeftOutWhy: ...
    @property
    def reason(self) -> str: ...

class BuiltinTask:
    @property
    def name(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def csv(self) -> str: ...

class BuiltinWorld:
    @property
    def name(self) -> str: ...
    @property
    def what(self) -> str: ...
    @property
    def tasks(self) -> list[BuiltinTask]: ...
    @property
    def files(self) -> dict[str, str]: ...

# --- Fitting and linting

class FittedBody:
    @property
    def body(self) -> ModelBody: ...
    @property
    def elements(self) -> list[int]: ...
    @property
    def files(self) -> list[str]: ...
    @property
    def part(self) -> int: ...
    @property
    def parts(self) -> int: ...
    @property
    def source_points(self) -> int: ...
    @property
    def volume(self) -> float: ...
    @property
    def hull_volume(self) -> float: ...
    @property
    def excess(self) -> float: ...
    @property
    def surface_distance(self) -> float: ...
    @property
    def seconds(self) -> float: ...
    @property
    def cached(self) -> bool: ...

class Fit:
    @property
    def model(self) -> BodyModel: ...
    @property
    def bodies(self) -> list[FittedBody]: ...
    @property
    def notes(self) -> list[str]: ...
    def write(self, file: _File) -> None:
        """The model, as load(..., model=file) reads it."""

class LinkLint:
    @property
    def link(self) -> str: ...
    @property
    def has_collision(self) -> bool: ...
    @property
    def has_visual(self) -> bool: ...
    @property
    def visual_sticks_out(self) -> float: ...
    @property
    def sticks_out_at(self) -> _Point: ...
    @property
    def visual_file(self) -> str: ...
    @property
    def hull_volume(self) -> float: ...
    @property
    def parts_volume(self) -> float: ...

class Lint:
    @property
    def surface_distance(self) -> _Floats: ...
    @property
    def links(self) -> list[LinkLint]: ...
    @property
    def findings(self) -> list[str]: ...
