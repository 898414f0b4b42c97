# SPDX-License-Identifier: BSD-3-Clause
"""Every field of a file changed by the smallest amount that a reader sees.

The cases come from the file itself: its tree is walked, so that a field that is new is not forgotten.
A case says where, what, and whether the hash must change. It need not where no verdict depends on
the field: these stand in the lists here, each with its reason.
"""
from __future__ import annotations

import copy
import json
import math
import re
import struct
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np


class Case(NamedTuple):
    """One changed file, made when it is asked for."""

    place: str  # where in the file, and what was done to it
    make: Callable[[], bytes]
    reason: str  # empty: the hash must change (or the file is refused); else why it need not


# --- Fields that no verdict depends on -----------------------------------------------------------

# Of an element's path, `tag/tag@attribute`, the first that matches counts.
XML_EXEMPT = [
    (r"/visual(/|@| |$)", "visual geometry is seen, not checked"),
    (r"/inertial(/|@| |$)", "masses: no verdict is about forces"),
    (r"(^|/)material(/|@| |$)", "colours"),
    (r"(^|/)(transmission|gazebo|sensor)(/|@| |$)", "for other programs"),
    (r"^robot@name", "the name of a model is for people; robots of a scene are named there"),
    (r"/collision@name", "the name of a collision element is for people"),
    (r"/limit@(effort|acceleration|deceleration|jerk)", "no verdict is about forces; not read"),
    (r"/(dynamics|calibration|safety_controller)(/|@| |$)", "no verdict uses it; not read"),
    (r"@(filename|uri)", "where a file is: what was read from it is in the hash"),
]
SRDF_EXEMPT = [
    (r"^robot@name", "the name of a model is for people"),
    (r"/(group|group_state|virtual_joint|end_effector|passive_joint)(/|@| |$)",
     "names groups and states for whoever asks; what they mean is in the question"),
    (r"disable_collisions@reason", "the reason that is printed, not whether the pair is checked"),
    (r"(disable_collisions|enable_collisions|disable_default_collisions) (twice|exchanged)",
     "a set: order and repetition mean nothing"),
]
JSON_EXEMPT = {
    "scene": [
        (r"^/(name|\$schema)(:| |$)", "for people and editors"),
        (r"^/robots/\d+/packages", "where files are: what was read from them is in the hash"),
        (r"^/(allow|margins)(/\d+)? (twice|exchanged)", "a set of pairs"),
        (r"^/(allow/\d+|margins/\d+/pair)/\d+ exchanged", "a pair has no order"),
        (r"^/robots/\d+/(urdf|srdf|model)|^/objects/\d+/file|^/include", "the name of a file"),
    ],
    "model": [(r"^/(\$schema|keepclear|world)|^/bodies/\d+/(from|volume|hull_volume|excess)",
               "for people"),
              (r"^/bodies/\d+ exchanged", "bodies go by their link")],
    "brake": [],
    "gltf": [(r"^/asset|/(name|generator|extras)( |$)", "for people"),
             (r"^/(scenes|nodes|meshes|accessors|bufferViews|buffers)/\d+ twice",
              "a copy that nothing refers to"),
             (r"^/scene removed", "the only scene"),
             (r"/(min|max)(/| |$)", "says again what the numbers say, and is not read"),
             (r"/(uri|mode|target|type|componentType|byteLength|byteOffset|buffer|bufferView|count)",
              "how the file is laid out: the vertices that come of it are in the hash")],
}  # fmt: skip
DAE_EXEMPT = [
    (r"/asset/(created|modified|up_axis|contributor)", "not read (docs/meshes: up axes stay)"),
    (r"@(id|name|sid|type|semantic|source|url|version|count|stride|offset|set|xmlns|symbol|target)",
     "how the file is laid out: the vertices that come of it are in the hash"),
    (r"(asset|unit|technique_common|library_\w+) twice", "read once"),
    (r"visual_scene twice", "a copy that nothing refers to"),
    (r"source\[normals\]", "normals are not read"),
    (r"@meter (removed)", "one metre, as the file says"),
]


def exempt(place: str, rules: list[tuple[str, str]]) -> str:
    return next((reason for pattern, reason in rules if re.search(pattern, place)), "")


# --- Numbers and words ---------------------------------------------------------------------------


def number_of(token: str) -> float | None:
    try:
        value = float(token)
    except ValueError:
        return None
    return value if math.isfinite(value) else None


def text_of(value: float) -> str:
    return repr(float(value))


# Readers that place a mesh by the transforms of its nodes do so in single precision: less than this
# is lost beside the largest coordinates of the test. It is within the vertex_error, which is hashed.
GRAIN = 2.0**-21


def neighbours(token: str, single: bool) -> list[str]:
    """The next number on either side, as a reader tells them apart."""
    value = number_of(token)
    assert value is not None
    if single:
        return [text_of(float(np.float32(value + step))) for step in (-GRAIN, GRAIN)]
    return [text_of(math.nextafter(value, way)) for way in (-math.inf, math.inf)]


def another_letter(word: str) -> str:
    last = word[-1] if word else "a"
    return word[:-1] + ("b" if last != "b" else "c")


# --- Trees ---------------------------------------------------------------------------------------


def steps(root: ET.Element) -> Iterator[tuple[list[int], str]]:
    """All elements, as indices from the root and as a path of tags."""

    def walk(element: ET.Element, way: list[int], path: str) -> Iterator[tuple[list[int], str]]:
        yield way, path
        for i, child in enumerate(element):
            tag = re.sub(r"\{.*\}", "", child.tag)
            label = "[normals]" if "normals" in child.get("id", "") else ""
            yield from walk(child, [*way, i], f"{path}/{tag}{label}")

    yield from walk(root, [], re.sub(r"\{.*\}", "", root.tag))


def at(root: ET.Element, way: list[int]) -> ET.Element:
    for i in way:
        root = root[i]
    return root


def xml_cases(data: bytes, rules: list[tuple[str, str]], single: bool = False) -> Iterator[Case]:
    root = ET.fromstring(data)
    # Written without a prefix again.
    if root.tag.startswith("{"):
        ET.register_namespace("", root.tag[1:].partition("}")[0])
    values: dict[tuple[str, str], set[str]] = {}
    for element in root.iter():
        for key, value in element.attrib.items():
            values.setdefault((element.tag, key), set()).add(value)

    def changed(place: str, way: list[int], change: Callable[[ET.Element], object]) -> Case:
        def make() -> bytes:
            other = copy.deepcopy(root)
            change(at(other, way))
            return ET.tostring(other)

        return Case(place, make, exempt(place, rules))

    def words(place: str, way: list[int], text: str,
              put: Callable[[str], Callable[[ET.Element], object]]) -> Iterator[Case]:
        tokens = text.split()
        if not tokens or any(number_of(token) is None for token in tokens):
            return
        for i, token in enumerate(tokens):
            for near in neighbours(token, single):
                put_text = " ".join([*tokens[:i], near, *tokens[i + 1:]])
                yield changed(f"{place} number {i}: {token} -> {near}", way, put(put_text))

    for way, path in steps(root):
        element = at(root, way)
        for key, value in element.attrib.items():
            place = f"{path}@{key}"
            yield from words(place, way, value,
                             lambda text, key=key: lambda e: e.set(key, text))
            yield changed(f"{place} removed", way, lambda e, key=key: e.attrib.pop(key))
            if number_of(value.split()[0] if value.split() else "x") is not None:
                continue
            others = sorted(values[element.tag, key] - {value}) + [another_letter(value)]
            for other in others:
                yield changed(f"{place}: {value} -> {other}", way,
                              lambda e, key=key, other=other: e.set(key, other))
        if element.text and element.text.strip():
            def put_text(text: str) -> Callable[[ET.Element], object]:
                return lambda e: setattr(e, "text", text)

            yield from words(path, way, element.text, put_text)
        if not way:
            continue
        parent, index = way[:-1], way[-1]
        yield changed(f"{path} removed", parent, lambda e, i=index: e.remove(e[i]))
        yield changed(f"{path} twice", parent,
                      lambda e, i=index: e.insert(i + 1, copy.deepcopy(e[i])))
        later = [i for i in range(index + 1, len(at(root, parent)))
                 if at(root, parent)[i].tag == element.tag]
        if later:
            def exchange(e: ET.Element, i: int = index, j: int = later[0]) -> None:
                e[i], e[j] = copy.deepcopy(e[j]), copy.deepcopy(e[i])

            yield changed(f"{path} exchanged with the next", parent, exchange)


def json_places(value: object, place: str = "") -> Iterator[tuple[list[str | int], str]]:
    def walk(value: object, way: list[str | int]) -> Iterator[tuple[list[str | int], str]]:
        yield way, "".join(f"/{step}" for step in way)
        if isinstance(value, dict):
            for key, member in value.items():
                yield from walk(member, [*way, key])
        elif isinstance(value, list):
            for i, member in enumerate(value):
                yield from walk(member, [*way, i])

    yield from walk(value, [])


def json_cases(data: bytes, rules: list[tuple[str, str]], single: bool = False) -> Iterator[Case]:
    root = json.loads(data)

    def get(top: object, way: list[str | int]) -> object:
        for step in way:
            top = top[step]  # type: ignore[index]
        return top

    words: dict[str, set[str]] = {}
    for way, _ in json_places(root):
        if isinstance(get(root, way), str):
            key = next((str(s) for s in reversed(way) if isinstance(s, str)), "")
            words.setdefault(key, set()).add(str(get(root, way)))

    def changed(place: str, way: list[str | int], change: Callable[[object, object], None]) -> Case:
        def make() -> bytes:
            other = copy.deepcopy(root)
            change(get(other, way[:-1]), way[-1])
            return json.dumps(other).encode()

        return Case(place, make, exempt(place, rules))

    def put(new: object) -> Callable[[object, object], None]:
        return lambda parent, step: parent.__setitem__(step, new)  # type: ignore[attr-defined]

    for way, place in json_places(root):
        if not way:
            continue
        value = get(root, way)
        if isinstance(value, bool):
            yield changed(f"{place}: {value} -> {not value}", way, put(not value))
        elif isinstance(value, (int, float)):
            for near in neighbours(repr(value), single):
                yield changed(f"{place}: {value} -> {near}", way, put(float(near)))
            if isinstance(value, int) and single:
                yield changed(f"{place}: {value} -> {value + 1}", way, put(value + 1))
        elif isinstance(value, str):
            key = next((str(s) for s in reversed(way) if isinstance(s, str)), "")
            for other in [*sorted(words[key] - {value}), another_letter(value)]:
                yield changed(f"{place}: {value} -> {other}", way, put(other))
        yield changed(f"{place} removed", way, lambda parent, step: parent.__delitem__(step))
        if isinstance(way[-1], int):
            def twice(parent: object, step: object) -> None:
                parent.insert(step, copy.deepcopy(parent[step]))  # type: ignore

            yield changed(f"{place} twice", way, twice)
            siblings = get(root, way[:-1])
            if way[-1] + 1 < len(siblings) and siblings[way[-1] + 1] != value:  # type: ignore
                def exchange(parent: object, step: object) -> None:
                    parent[step], parent[step + 1] = parent[step + 1], parent[step]  # type: ignore

                yield changed(f"{place} exchanged with the next", way, exchange)


# --- Lines and bytes -----------------------------------------------------------------------------


def token_cases(data: bytes, single: bool, reason_of: Callable[[str], str]) -> Iterator[Case]:
    """Each number of a text, line by line; `reason_of` a line says why it is not read."""
    text = data.decode()
    start = 0
    for number, line in enumerate(text.splitlines(keepends=True), 1):
        for match in re.finditer(r"(?<![\w.+-])[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?(?![\w.])", line):
            token, reason = match[0], reason_of(line)
            changes = neighbours(token, single)
            if re.fullmatch(r"\d+", token):
                changes = [str(int(token) + 1), *([str(int(token) - 1)] if int(token) > 0 else []),
                           *changes]
            for other in changes:
                new = text[:start + match.start()] + other + text[start + match.end():]
                yield Case(f"line {number}: {token} -> {other}", lambda new=new: new.encode(), reason)
        start += len(line)


def float_cases(data: bytes, offsets: list[int], code: str, what: str,
                grain: float = 0.0) -> Iterator[Case]:
    """Binary numbers at these offsets, each to its two neighbours, or as far off as the grain."""
    kind = np.float32 if code[-1] == "f" else np.float64
    for offset in offsets:
        value = kind(struct.unpack_from(code, data, offset)[0])
        for way in (-np.inf, np.inf):
            near = np.nextafter(value, kind(way))
            if grain > 0:
                near = kind(value + math.copysign(grain, way))
            other = bytearray(data)
            struct.pack_into(code, other, offset, near)
            yield Case(f"{what} at byte {offset}: {value} -> {near}", lambda other=other: bytes(other), "")


def bit_cases(data: bytes, first: int, what: str) -> Iterator[Case]:
    """Every bit from a byte on."""
    for i in range(first, len(data)):
        for bit in range(8):
            other = bytearray(data)
            other[i] ^= 1 << bit
            yield Case(f"{what}: bit {bit} of byte {i}", lambda other=other: bytes(other), "")
