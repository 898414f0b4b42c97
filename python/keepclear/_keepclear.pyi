# SPDX-License-Identifier: BSD-3-Clause
#
# The compiled module. Docstrings are the comments of the C++ headers: help(keepclear.World).
# Where a single question and a batch are one function, the answer is typed Any: it follows the
# dimensions of the array, which no type says.
from os import PathLike
from typing import Any, Iterator, Mapping, Sequence, Union, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._facts import *
from ._more import *
from ._scene import BodyModel, Scene

_File = Union[str, bytes, PathLike[str], PathLike[bytes]]
_Floats = NDArray[np.float64]

__version__: str

# For the rest of the package.
_comments: dict[str, str]

def _nearest_of(row: tuple[Any, ...], world: World) -> Nearest: ...
def _check_of(row: tuple[Any, ...], world: World) -> CheckResult: ...

# --- Worlds

class World:
    """Made by load(), load_builtin() and compile(). Shared by any number of threads; not pickled:
    another process loads it again, by load(**world.source)."""

    @property
    def name(self) -> str: ...
    @property
    def file(self) -> str: ...
    @property
    def hash(self) -> str: ...
    @property
    def source(self) -> dict[str, Any]:
        """The arguments of load() that make this world again: load(**world.source). Strings,
        numbers, lists and dicts of them; of a world made from a Scene or with a BodyModel in
        memory, copies of these. It can be pickled."""
    @property
    def dof(self) -> int: ...
    @property
    def joints(self) -> list[str]:
        """The name of each number of a configuration."""
    @property
    def variables(self) -> list[Variable]: ...
    @property
    def lower(self) -> _Floats:
        """(dof,): the limits; -inf where there is none."""
    @property
    def upper(self) -> _Floats: ...
    def neutral(self) -> _Floats: ...
    def full_range(self) -> _Floats:
        """(dof, 2)"""
    @property
    def links(self) -> list[str]: ...
    @property
    def links_without_bodies(self) -> list[str]: ...
    @property
    def bodies(self) -> list[BodyInfo]: ...
    @property
    def solids(self) -> list[SolidInfo]: ...
    def find_solid(self, name: str) -> int: ...
    @property
    def checked_pairs(self) -> list[PairInfo]: ...
    @property
    def pair_count(self) -> int: ...
    @property
    def left_out(self) -> list[LeftOutPair]: ...
    @property
    def notes(self) -> list[str]: ...

    def distance(
        self,
        q: ArrayLike,
        *,
        tolerance: float = 1e-10,
        signed: bool = False,
        all_pairs: bool = False,
        threads: int = 0,
    ) -> Any:
        """q (dof,) -> Nearest, (N, dof) -> NearestBatch. With all_pairs a NearestBatch of shape
        (pairs,) or (N, pairs), pairs in the order of checked_pairs."""
    def check(self, q: ArrayLike, *, margin: float = 0, threads: int = 0) -> Any:
        """q (dof,) -> CheckResult, (N, dof) -> CheckBatch."""
    def path(self, path: Any, *, rest: ArrayLike | None = None) -> Path:
        """A Path from what certify() takes as one: a Path, a file, a task of a built-in world,
        waypoints (K, dof), which are a second apart."""
    def certify(
        self,
        path: Any,
        *,
        margin: float = 0,
        tolerance: float = 1e-3,
        method: Method | str = ...,
        ask: Ask | str = ...,
        accuracy: float = 1e-3,
        relative_accuracy: float = 0.05,
        budget: int = 5_000_000,
        base: Sequence[BaseUncertainty] = (),
        deviation: float = 0,
        keep_proof: bool = False,
        rest: ArrayLike | None = None,
        threads: int = 0,
    ) -> Any:
        """One path (as of path()) -> Certificate; a list of them, or (N, K, dof) -> a list of
        Certificate, by several threads."""
    def certify_clocks(
        self,
        paths: Sequence[Any],
        *,
        offset: float = ...,
        margin: float = 0,
        tolerance: float = 1e-3,
        method: Method | str = ...,
        ask: Ask | str = ...,
        accuracy: float = 1e-3,
        relative_accuracy: float = 0.05,
        budget: int = 5_000_000,
        base: Sequence[BaseUncertainty] = (),
        deviation: float = 0,
        keep_proof: bool = False,
        rest: ArrayLike | None = None,
    ) -> Certificate: ...
    def connects(
        self,
        a: ArrayLike,
        b: ArrayLike,
        *,
        margin: float = 0,
        tolerance: float = 1e-3,
        method: Method | str = ...,
        budget: int = 5_000_000,
        base: Sequence[BaseUncertainty] = (),
        deviation: float = 0,
        threads: int = 0,
    ) -> Any:
        """Straight lines: a and b (dof,) -> Verdict; (N, dof) each -> Verdicts."""
    def box(
        self,
        box: Any,
        upper: ArrayLike | None = None,
        *,
        margin: float = 0,
        tolerance: float = 0.01,
        relative_tolerance: float = 0.1,
        budget: int = 200_000,
        threads: int = 0,
    ) -> BoxResult:
        """box: {joint: (lower, upper)}, others keep their full range; an array (dof, 2); the lower
        ends, with `upper`; or a file."""
    def pairs(
        self, *, budget: int = 200_000, samples: int = 2_000, seed: int = 1, threads: int = 0
    ) -> Pairs: ...
    def fit(
        self,
        *,
        points: int | None = None,
        excess: float | None = None,
        budget: int | None = None,
        parts: int = 0,
        around: Around | str = ...,
        seed: int = 1,
        starts: int = 2000,
        refined: int = 24,
        threads: int = 0,
        cache: _File | None = None,
    ) -> Fit: ...
    def lint(self) -> Lint: ...

def load(
    file: _File | Scene,
    *,
    srdf: _File | None = None,
    packages: Mapping[str, _File] = ...,
    package_path: Sequence[_File] = (),
    model: _File | BodyModel | None = None,
    scene: _File | None = None,
    parts: int = 1,
    lenient: bool = False,
    allow_no_pairs: bool = False,
    without_model: bool = False,
    threads: int = 0,
) -> World:
    """A file, or the name of a built-in world (./NAME is the file of that name), or a Scene.
    model="builtin": the bodies that come with a built-in world."""

def load_builtin(
    name: str,
    *,
    srdf: _File | None = None,
    packages: Mapping[str, _File] = ...,
    package_path: Sequence[_File] = (),
    model: _File | BodyModel | None = None,
    scene: _File | None = None,
    parts: int = 1,
    lenient: bool = False,
    allow_no_pairs: bool = False,
    without_model: bool = False,
    threads: int = 0,
) -> World: ...
def compile(
    scene: Scene,
    *,
    srdf: _File | None = None,
    packages: Mapping[str, _File] = ...,
    package_path: Sequence[_File] = (),
    model: _File | BodyModel | None = None,
    parts: int = 1,
    lenient: bool = False,
    allow_no_pairs: bool = False,
    without_model: bool = False,
    threads: int = 0,
) -> World: ...
def builtin_worlds() -> list[BuiltinWorld]: ...
def builtin_model(name: str) -> BodyModel | None: ...
def read_scene(file: _File) -> Scene: ...
def read_model(file: _File) -> BodyModel: ...
def write_model(model: BodyModel, file: _File) -> None: ...
def read_box(world: World, file: _File) -> _Floats:
    """(dof, 2)"""

# --- Distances

class Nearest:
    @property
    def verdict(self) -> Verdict: ...
    @property
    def free(self) -> bool: ...
    def __bool__(self) -> bool: ...
    @property
    def distance(self) -> float: ...
    @property
    def lower_bound(self) -> float: ...
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...
    @property
    def pair(self) -> tuple[str, str] | None: ...
    @property
    def point_a(self) -> _Floats: ...
    @property
    def point_b(self) -> _Floats: ...

class CheckResult:
    @property
    def verdict(self) -> Verdict: ...
    @property
    def free(self) -> bool: ...
    def __bool__(self) -> bool: ...
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...
    @property
    def pair(self) -> tuple[str, str] | None: ...

class DistanceQuery:
    """Pose after pose: remembers the last one to start from. For a loop; a batch is faster."""

    def __init__(self, world: World, *, tolerance: float = 1e-10, signed: bool = False) -> None: ...
    def __call__(self, q: ArrayLike) -> Nearest: ...
    def check(self, q: ArrayLike, margin: float = 0) -> CheckResult: ...
    def reset(self) -> None: ...

# --- Paths

class Path:
    @property
    def dof(self) -> int: ...
    @property
    def begin(self) -> float: ...
    @property
    def end(self) -> float: ...
    @property
    def piece_count(self) -> int: ...
    @property
    def degree(self) -> int: ...
    def position(self, time: ArrayLike) -> _Floats:
        """(dof,), or (T, dof) of T times."""
    def range(self, start: float, stop: float) -> _Floats:
        """(dof, 2): lower and upper."""
    def velocity(self, start: float, stop: float) -> _Floats:
        """(dof, 2)"""
    def acceleration(self, start: float, stop: float) -> _Floats:
        """(dof, 2)"""
    def tube(self, start: float, stop: float) -> _Floats:
        """(dof,)"""

def straight_path(times: ArrayLike, waypoints: ArrayLike) -> Path:
    """(K,) and (K, dof)"""

def line_path(start: ArrayLike, end: ArrayLike, duration: float = 1) -> Path: ...
def cubic_path(times: ArrayLike, positions: ArrayLike, velocities: ArrayLike) -> Path: ...
def quintic_path(
    times: ArrayLike, positions: ArrayLike, velocities: ArrayLike, accelerations: ArrayLike
) -> Path: ...
def bezier_path(control: ArrayLike, begin: float = 0, end: float = 1) -> Path:
    """(degree + 1, dof)"""

def bspline_path(degree: int, knots: ArrayLike, control: ArrayLike) -> Path:
    """(C, dof), C + degree + 1 knots"""

def trapezoidal_path(
    start: ArrayLike, end: ArrayLike, speed: ArrayLike, acceleration: ArrayLike
) -> Path: ...
def joined(paths: Sequence[Path]) -> Path: ...
def retimed(path: Path, begin: float, factor: float) -> Path: ...
@overload
def with_tube(path: Path, half_width: ArrayLike) -> Path: ...
@overload
def with_tube(path: Path, times: ArrayLike, half_widths: ArrayLike) -> Path: ...
@overload
def with_tube(world: World, path: Path, file: _File) -> Path: ...
def read_path(world: World, file: _File, rest: ArrayLike | None = None) -> Path: ...

# --- Motions and boxes

class BaseUncertainty:
    robot: int
    position: float
    rotation: float
    def __init__(self, robot: int = -1, position: float = 0, rotation: float = 0) -> None: ...

class MotionInterval:
    def __bool__(self) -> bool: ...
    # `from` is a word of Python
    @property
    def start(self) -> float: ...
    @property
    def stop(self) -> float: ...
    @property
    def status(self) -> Verdict: ...
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...
    @property
    def pair(self) -> tuple[str, str] | None: ...
    @property
    def contact(self) -> float: ...

class ProofStep:
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...
    @property
    def pair(self) -> tuple[str, str] | None: ...
    @property
    def body_a(self) -> int: ...
    @property
    def other(self) -> int: ...
    @property
    def piece(self) -> bool: ...
    @property
    def start(self) -> float: ...
    @property
    def stop(self) -> float: ...
    @property
    def start_b(self) -> float: ...
    @property
    def stop_b(self) -> float: ...
    @property
    def method(self) -> Method: ...
    @property
    def n(self) -> _Floats: ...
    @property
    def bound(self) -> float: ...
    @property
    def margin(self) -> float: ...
    @property
    def growth(self) -> float: ...
    @property
    def rounding(self) -> float: ...

class Certificate:
    @property
    def verdict(self) -> Verdict: ...
    @property
    def free(self) -> bool: ...
    def __bool__(self) -> bool: ...
    @property
    def clearance(self) -> float: ...
    @property
    def distance(self) -> float: ...
    @property
    def time(self) -> float: ...
    @property
    def other_time(self) -> float: ...
    @property
    def q(self) -> _Floats: ...
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...
    @property
    def pair(self) -> tuple[str, str] | None: ...
    @property
    def first_contact(self) -> float: ...
    @property
    def intervals(self) -> list[MotionInterval]: ...
    @property
    def tests(self) -> int: ...
    @property
    def parts(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def proof(self) -> list[ProofStep]: ...

class MotionQuery:
    """For loops that ask about many motions one by one."""

    def __init__(
        self,
        world: World,
        *,
        margin: float = 0,
        tolerance: float = 1e-3,
        method: Method | str = ...,
        ask: Ask | str = ...,
        accuracy: float = 1e-3,
        relative_accuracy: float = 0.05,
        budget: int = 5_000_000,
        base: Sequence[BaseUncertainty] = (),
        deviation: float = 0,
        keep_proof: bool = False,
    ) -> None: ...
    def __call__(self, path: Any, *, rest: ArrayLike | None = None) -> Certificate: ...
    def connects(self, start: ArrayLike, end: ArrayLike) -> Verdict: ...
    @property
    def last_tests(self) -> int: ...
    @property
    def last_parts(self) -> int: ...

class BoxResult:
    @property
    def verdict(self) -> Verdict: ...
    @property
    def free(self) -> bool: ...
    def __bool__(self) -> bool: ...
    @property
    def clearance(self) -> float: ...
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...
    @property
    def pair(self) -> tuple[str, str] | None: ...
    @property
    def q(self) -> _Floats: ...
    @property
    def distance(self) -> float: ...
    @property
    def tests(self) -> int: ...
    @property
    def open_pairs(self) -> int: ...

# --- Pairs of links

class PairOfLinks:
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...
    @property
    def pair(self) -> tuple[str, str] | None: ...
    @property
    def kind(self) -> PairClass: ...
    @property
    def clearance(self) -> float: ...
    @property
    def witness(self) -> _Floats: ...
    @property
    def distance(self) -> float: ...
    @property
    def tests(self) -> int: ...
    @property
    def joints(self) -> list[int]: ...
    @property
    def disabled(self) -> bool: ...
    @property
    def reason(self) -> str: ...

class Pairs:
    """What World.pairs() found: a sequence of PairOfLinks."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int) -> PairOfLinks: ...
    def __iter__(self) -> Iterator[PairOfLinks]: ...
    @property
    def counts(self) -> dict[PairClass, int]: ...
    def srdf(self, robot: int = 0) -> str: ...
