# SPDX-License-Identifier: BSD-3-Clause
"""Scenes and models of bodies as plain values: dataclasses with lists that are lists."""
from __future__ import annotations

import dataclasses
import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Optional, TypeVar, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ._keepclear import Around, ShapeKind, UnknownSpace, _comments

__all__ = [
    "Attachment",
    "BodyModel",
    "IntendedContact",
    "ModelBody",
    "NamedPair",
    "Origin",
    "PairMargin",
    "Scene",
    "SceneObject",
    "SceneRobot",
    "Shape",
]

File = Union[str, "os.PathLike[str]"]
Vector = Sequence[float]
T = TypeVar("T")


def documented(cls: type[T]) -> type[T]:
    """Gives a dataclass the comments that the struct of its name has in C++, after what it says itself."""
    name = cls.__name__
    fields = [(f, _comments.get(f"{name}_{f}", "")) for f in cls.__annotations__]
    parts = [cls.__doc__ or "", _comments.get(name, ""), "\n".join(f"{f}: {c}" for f, c in fields if c)]
    cls.__doc__ = "\n\n".join(part for part in parts if part)
    return cls


@documented
@dataclass
class Origin:
    """xyz in metres; rpy in radians, or a quaternion (x, y, z, w), which then stands alone."""

    xyz: Vector = (0.0, 0.0, 0.0)
    rpy: Vector = (0.0, 0.0, 0.0)
    quaternion: Optional[Vector] = None


@documented
@dataclass(eq=False)
class Shape:
    """For example Shape("box", size=(0.1, 0.2, 0.3)). Points have shape (N, 3), triangles (T, 3)."""

    kind: Union[ShapeKind, str] = ShapeKind.box
    size: Vector = (0.0, 0.0, 0.0)
    radius: float = 0.0
    length: float = 0.0
    normal: Vector = (0.0, 0.0, 1.0)
    offset: float = 0.0
    file: File = ""
    scale: Vector = (1.0, 1.0, 1.0)
    points: ArrayLike = ()
    triangles: ArrayLike = ()
    unknown: Union[UnknownSpace, str] = UnknownSpace.unset

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Shape):
            return NotImplemented
        return all(np.array_equal(a, b) for a, b in zip(self._values(), other._values()))

    def _values(self) -> list[NDArray[Any]]:
        """To compare: enumerations by name."""
        values = [getattr(self, f.name) for f in dataclasses.fields(self)]
        return [np.asarray(getattr(v, "name", v)) for v in values]

    __hash__ = None  # type: ignore[assignment]


@documented
@dataclass
class SceneRobot:
    """For example SceneRobot("left", urdf="arm.urdf", base=Origin((0, 0.5, 0)))."""

    name: str = ""
    urdf: File = ""
    builtin: str = ""
    srdf: Optional[File] = None
    model: Optional[File] = None
    base: Origin = dataclasses.field(default_factory=Origin)
    packages: dict[str, File] = dataclasses.field(default_factory=dict)
    place: str = ""


@documented
@dataclass
class SceneObject:
    """For example SceneObject("wall", Shape("plane", normal=(0, -1, 0), offset=-2))."""

    name: str = ""
    shape: Shape = dataclasses.field(default_factory=Shape)
    pose: Origin = dataclasses.field(default_factory=Origin)
    place: str = ""


@documented
@dataclass
class Attachment:
    """For example Attachment("tool", "left/flange", touch=["left/wrist"])."""

    object: str = ""
    link: str = ""
    touch: list[str] = dataclasses.field(default_factory=list)
    place: str = ""


@documented
@dataclass
class NamedPair:
    """For example NamedPair("left/finger", "tray")."""

    a: str = ""
    b: str = ""
    place: str = ""


@documented
@dataclass
class PairMargin:
    """For example PairMargin(NamedPair("left", "table"), 0.02)."""

    pair: NamedPair = dataclasses.field(default_factory=NamedPair)
    margin: float = 0.0


@documented
@dataclass
class IntendedContact:
    """For example IntendedContact("left/finger", "tray", max_speed=0.1)."""

    link: str = ""
    object: str = ""
    max_speed: float = 0.0
    place: str = ""


@documented
@dataclass
class Scene:
    """Edit it, then compile() it."""

    name: str = ""
    file: str = ""
    included: list[str] = dataclasses.field(default_factory=list)
    robots: list[SceneRobot] = dataclasses.field(default_factory=list)
    objects: list[SceneObject] = dataclasses.field(default_factory=list)
    attached: list[Attachment] = dataclasses.field(default_factory=list)
    allow: list[NamedPair] = dataclasses.field(default_factory=list)
    margin: float = 0.0
    margins: list[PairMargin] = dataclasses.field(default_factory=list)
    contacts: list[IntendedContact] = dataclasses.field(default_factory=list)
    notes: list[str] = dataclasses.field(default_factory=list)


@documented
@dataclass(eq=False)
class ModelBody:
    """Points have shape (N, 3)."""

    link: str = ""
    radius: float = 0.0
    points: ArrayLike = ()
    place: str = ""

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ModelBody):
            return NotImplemented
        return (self.link, self.radius, self.place) == (
            other.link,
            other.radius,
            other.place,
        ) and np.array_equal(np.asarray(self.points), np.asarray(other.points))

    __hash__ = None  # type: ignore[assignment]


@documented
@dataclass
class BodyModel:
    """What World.fit() makes, and load(..., model=...) takes."""

    world: str = ""
    file: str = ""
    around: Union[Around, str] = Around.collision
    bodies: list[ModelBody] = dataclasses.field(default_factory=list)
