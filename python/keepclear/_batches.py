# SPDX-License-Identifier: BSD-3-Clause
"""The answers to many poses: arrays, and each answer by its index."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any, List, Union

import numpy as np
from numpy.typing import NDArray

from ._keepclear import Certificate, CheckResult, Nearest, Verdict, World, _check_of, _nearest_of

__all__ = ["Certificates", "CheckBatch", "NearestBatch", "Verdicts"]


class _Many:
    """Verdicts of many questions, in their order."""

    __slots__ = ()

    @property
    def verdict(self) -> NDArray[np.int32]:
        """The values of Verdict: compare with Verdict.free."""
        raise NotImplementedError

    @property
    def free(self) -> NDArray[np.bool_]:
        """Where the verdict is free."""
        return self.verdict == int(Verdict.free)

    @property
    def contact(self) -> NDArray[np.bool_]:
        """Where the verdict is contact."""
        return self.verdict == int(Verdict.contact)

    @property
    def undecided(self) -> NDArray[np.bool_]:
        """Where the verdict is undecided."""
        return self.verdict == int(Verdict.undecided)

    def __bool__(self) -> bool:
        raise ValueError("many verdicts are neither true nor false: use .free.all() or .free.any()")

    def _counts(self) -> str:
        counts = [(v.name, int(np.count_nonzero(self.verdict == int(v)))) for v in Verdict]
        return ", ".join(f"{count} {name}" for name, count in counts if count)


class Verdicts(_Many):
    """A verdict for each question. As an array it is true where it is free, and nowhere else; `==
    Verdict.contact` compares each; [i] is a Verdict, a slice is of this kind again."""

    __slots__ = ("_values",)
    __hash__ = None  # type: ignore[assignment]

    def __init__(self, values: NDArray[np.int32]) -> None:
        self._values = values

    @property
    def verdict(self) -> NDArray[np.int32]:
        """The values of Verdict: compare with Verdict.free."""
        return self._values

    @property
    def shape(self) -> tuple[int, ...]:
        return self._values.shape

    def __len__(self) -> int:
        return len(self._values)

    def __getitem__(self, index: Any) -> Union[Verdict, Verdicts]:
        part = self._values[index]
        return Verdicts(part) if isinstance(part, np.ndarray) else Verdict(int(part))

    def __iter__(self) -> Iterator[Verdict]:
        return (Verdict(value) for value in self._values.tolist())

    def __eq__(self, other: Any) -> Any:
        if isinstance(other, Verdicts):
            other = other._values
        elif isinstance(other, Verdict):
            other = int(other)
        elif isinstance(other, str):
            raise TypeError("a name is no Verdict: compare with Verdict.free")
        return self._values == other

    def __ne__(self, other: Any) -> Any:
        return np.logical_not(self == other)

    def __array__(self, dtype: Any = None) -> NDArray[Any]:
        return self.free if dtype is None else self.free.astype(dtype)

    def __repr__(self) -> str:
        return f"Verdicts({self.shape}: {self._counts() or 'empty'})"


class Certificates(List[Certificate]):
    """What is known of many motions, in their order: a list, with arrays of verdicts."""

    @property
    def verdict(self) -> NDArray[np.int32]:
        """The values of Verdict: compare with Verdict.free."""
        return np.array([int(found.verdict) for found in self], dtype=np.int32)

    @property
    def free(self) -> NDArray[np.bool_]:
        """Where the verdict is free."""
        return np.array([found.free for found in self], dtype=bool)

    def __bool__(self) -> bool:
        raise ValueError("many verdicts are neither true nor false: use .free.all() or .free.any()")


class _Batch(_Many):
    """Rows of answers, in the order of the poses; arrays are views of them."""

    __slots__ = ("records", "world")

    records: NDArray[Any]
    world: World

    def __init__(self, records: NDArray[Any], world: World) -> None:
        self.records = records
        self.world = world

    @property
    def shape(self) -> tuple[int, ...]:
        return self.records.shape

    @property
    def verdict(self) -> NDArray[np.int32]:
        """The values of Verdict: compare with Verdict.free."""
        return self.records["verdict"]

    @property
    def a(self) -> NDArray[np.int32]:
        """Indices into World.solids; -1: none."""
        return self.records["a"]

    @property
    def b(self) -> NDArray[np.int32]:
        """Indices into World.solids; -1: none."""
        return self.records["b"]

    def __len__(self) -> int:
        return len(self.records)


class NearestBatch(_Batch):
    """The nearest pair of each pose, or with all_pairs of each pose and pair: arrays of shape (N,) or
    (N, pairs). batch[i] is the Nearest of one; a slice is a batch."""

    __slots__ = ()

    @property
    def distance(self) -> NDArray[np.float64]:
        """Metres, of the witness points: an upper bound. NaN for a pose that is no configuration."""
        return self.records["distance"]

    @property
    def lower_bound(self) -> NDArray[np.float64]:
        """Metres, certified."""
        return self.records["lower_bound"]

    @property
    def point_a(self) -> NDArray[np.float64]:
        """(N, 3): witness points in the world."""
        return self.records["point_a"]

    @property
    def point_b(self) -> NDArray[np.float64]:
        """(N, 3): witness points in the world."""
        return self.records["point_b"]

    def __getitem__(self, index: Any) -> Union[Nearest, NearestBatch]:
        part = self.records[index]
        if isinstance(part, np.ndarray):
            return NearestBatch(part, self.world)
        return _nearest_of(tuple(part), self.world)

    def __iter__(self) -> Iterator[Union[Nearest, NearestBatch]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        least = f", least distance {np.fmin.reduce(self.distance.ravel()):.6g}" if self.records.size else ""
        return f"NearestBatch({self.shape}: {self._counts() or 'empty'}{least})"


class CheckBatch(_Batch):
    """The answer of a check for each pose. batch[i] is the CheckResult of one; a slice is a batch."""

    __slots__ = ()

    def __getitem__(self, index: Any) -> Union[CheckResult, CheckBatch]:
        part = self.records[index]
        if isinstance(part, np.ndarray):
            return CheckBatch(part, self.world)
        return _check_of(tuple(part), self.world)

    def __iter__(self) -> Iterator[Union[CheckResult, CheckBatch]]:
        return (self[i] for i in range(len(self)))

    def __repr__(self) -> str:
        return f"CheckBatch({self.shape}: {self._counts() or 'empty'})"
