# SPDX-License-Identifier: BSD-3-Clause
#
# Sweeps and proofs, and what _guard.pyi and _toleranced.pyi have. Docstrings are the comments of
# the C++ headers: help(keepclear.Sweep).
from os import PathLike
from typing import Any, Sequence, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._guard import *
from ._toleranced import *
from ._keepclear import Ask, BaseUncertainty, BoxResult, Certificate, Method, Pairs, World
from ._scene import BodyModel

_File = Union[str, bytes, PathLike[str], PathLike[bytes]]
_Floats = NDArray[np.float64]

# --- Sweep

class JointOperator:
    def __init__(self, turn: int = 1, slide: int = 1) -> None: ...
    @property
    def turn(self) -> int: ...
    @property
    def slide(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

class SweepPlan:
    def __init__(self, operators: Sequence[JointOperator]) -> None: ...
    @property
    def operators(self) -> list[JointOperator]: ...
    def __eq__(self, other: object) -> bool: ...
    def __hash__(self) -> int: ...

def swept_joints(world: World) -> list[str]: ...
def uniform_plan(world: World, *, turn: int = 1, slide: int = 1) -> SweepPlan: ...
def paper_plan(world: World, fine: int) -> SweepPlan: ...
def automatic_plan(
    world: World,
    *,
    points: int = 1000,
    half_widths: ArrayLike | None = None,
    samples: int = 16,
    seed: int = 1,
) -> SweepPlan: ...

class SweptVolume:
    @property
    def body(self) -> int: ...
    @property
    def frame(self) -> int: ...
    @property
    def radius(self) -> float: ...
    @property
    def points(self) -> _Floats: ...

class SweptClearance:
    @property
    def clearance(self) -> float: ...
    @property
    def a(self) -> int: ...
    @property
    def b(self) -> int: ...
    @property
    def pair(self) -> tuple[str, str] | None: ...

class Sweep:
    def __init__(self, world: World, plan: SweepPlan) -> None: ...
    def update(self, box: Any, upper: ArrayLike | None = None) -> bool: ...
    def volumes(self) -> list[SweptVolume]: ...
    @property
    def point_count(self) -> int: ...
    def clearance(self) -> SweptClearance: ...

# --- Proofs

class CertificateFacts:
    def __init__(
        self, sources: Sequence[tuple[str, str]] = (), options: Sequence[tuple[str, str]] = ()
    ) -> None: ...
    @property
    def sources(self) -> list[tuple[str, str]]: ...
    @property
    def options(self) -> list[tuple[str, str]]: ...

def sources_of(world: World) -> list[tuple[str, str]]: ...

class WrittenCertificate:
    """bool() of it says whether there is one."""

    @property
    def text(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def clearance(self) -> float: ...
    @property
    def cells(self) -> int: ...
    @property
    def records(self) -> int: ...
    def __bool__(self) -> bool: ...
    def write(self, file: _File) -> None: ...

def path_certificate(
    world: World,
    path: Any,
    found: Certificate | None = None,
    rest: ArrayLike | None = None,
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
    facts: CertificateFacts | None = None,
    share: float = 0.95,
    proof_budget: int = 20_000_000,
) -> WrittenCertificate: ...
def clock_certificate(
    world: World,
    paths: Sequence[Any],
    found: Certificate | None = None,
    offset: float = ...,
    rest: ArrayLike | None = None,
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
    facts: CertificateFacts | None = None,
    share: float = 0.95,
    proof_budget: int = 20_000_000,
) -> WrittenCertificate: ...
def box_certificate(
    world: World,
    box: Any,
    found: BoxResult | None = None,
    *,
    margin: float = 0,
    tolerance: float = 0.01,
    relative_tolerance: float = 0.1,
    budget: int = 200_000,
    threads: int = 0,
    facts: CertificateFacts | None = None,
    share: float = 0.95,
    proof_budget: int = 20_000_000,
) -> WrittenCertificate: ...
def never_certificate(
    world: World,
    pairs: Pairs,
    *,
    facts: CertificateFacts | None = None,
    share: float = 0.95,
    proof_budget: int = 20_000_000,
) -> WrittenCertificate: ...
def guard_certificate(
    world: World,
    recording: Recording,
    *,
    facts: CertificateFacts | None = None,
    share: float = 0.95,
    proof_budget: int = 20_000_000,
) -> WrittenCertificate: ...
def fit_certificate(
    world: World,
    model: BodyModel,
    *,
    facts: CertificateFacts | None = None,
    share: float = 0.95,
    proof_budget: int = 20_000_000,
) -> WrittenCertificate: ...
