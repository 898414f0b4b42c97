# SPDX-License-Identifier: BSD-3-Clause
"""The hash of a world, and that of a guard, cover every fact that a verdict depends on."""
from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable

import hash_cell as cell
import hash_fields as fields
import keepclear
import pytest
from conftest import CORPUS
from hash_fields import Case
from keepclear import Error

LOOSE = {"allow_no_pairs": True, "threads": 1}


class Tally:
    """Changes one file after the other, and compares hashes."""

    def __init__(self, hash_now: Callable[[], str]):
        self.hash_now = hash_now
        self.before = hash_now()
        self.counts: Counter[str] = Counter()
        self.missed: list[str] = []

    def run(self, file, cases: Iterable[Case]) -> None:
        whole = file.read_bytes()
        for case in cases:
            file.write_bytes(case.make())
            try:
                found = self.hash_now()
            except Error:
                self.counts["refused"] += 1
                continue
            finally:
                file.write_bytes(whole)
            if found != self.before:
                self.counts["other hash"] += 1
            elif case.reason:
                self.counts["no verdict depends on it"] += 1
            else:
                self.counts["missed"] += 1
                self.missed.append(f"{file.name}: {case.place}")
        assert self.hash_now() == self.before

    def require(self, least: int) -> None:
        print(dict(self.counts), sum(self.counts.values()))
        assert not self.missed, "\n".join(self.missed[:40])
        assert self.counts["other hash"] >= least, self.counts


@pytest.fixture()
def folder(tmp_path):
    cell.write_cell(tmp_path, CORPUS / "octomap" / "ok" / "bits.bt")
    return tmp_path


def hash_of_cell(folder) -> Callable[[], str]:
    return lambda: keepclear.load(folder / "cell.json", **LOOSE).hash


def hash_of_arm(folder, **options) -> Callable[[], str]:
    return lambda: keepclear.load(folder / "arm.urdf", srdf=folder / "arm.srdf", **LOOSE,
                                  **options).hash


def test_every_field_of_a_urdf(folder):
    tally = Tally(hash_of_arm(folder))
    file = folder / "arm.urdf"
    tally.run(file, fields.xml_cases(file.read_bytes(), fields.XML_EXEMPT))
    tally.require(250)


def test_every_field_of_an_srdf(folder):
    tally = Tally(hash_of_arm(folder))
    file = folder / "arm.srdf"
    tally.run(file, fields.xml_cases(file.read_bytes(), fields.SRDF_EXEMPT))
    tally.require(12)


def test_every_field_of_a_scene(folder):
    tally = Tally(hash_of_cell(folder))
    file = folder / "cell.json"
    tally.run(file, fields.json_cases(file.read_bytes(), fields.JSON_EXEMPT["scene"]))
    tally.require(250)


def test_every_field_of_a_model(folder):
    tally = Tally(hash_of_arm(folder, model=folder / "arm.model.json"))
    file = folder / "arm.model.json"
    tally.run(file, fields.json_cases(file.read_bytes(), fields.JSON_EXEMPT["model"]))
    tally.require(60)


def test_every_field_of_a_brake_file_is_in_the_hash_of_the_guard(folder):
    world = keepclear.load(folder / "arm.urdf", srdf=folder / "arm.srdf", **LOOSE)
    file = folder / "brake.json"
    tally = Tally(lambda: keepclear.Guard(world, keepclear.read_brake(world, file)).hash)
    tally.run(file, fields.json_cases(file.read_bytes(), fields.JSON_EXEMPT["brake"]))
    tally.require(30)


def test_every_option_of_a_guard_is_in_its_hash(folder):
    # No more is carried than there is.
    (folder / "boxes.json").write_text(json.dumps({"objects": [
        {"name": name, "shape": "box", "size": [1, 1, 1], "pose": {"xyz": [9, 9, 9]}}
        for name in ("box_1", "box_2")]}))
    options = {"srdf": folder / "arm.srdf", "scene": folder / "boxes.json", **LOOSE}
    world = keepclear.load(folder / "arm.urdf", **options)
    brake = keepclear.read_brake(world, folder / "brake.json")
    plain = keepclear.Guard(world, brake)
    seen = {plain.hash}
    others = {"budget": 55_001, "margin": 5e-324, "latch": True, "graded": True,
              "horizon": 0.10000000000000002, "known_command": True, "slices": 5, "splits": 3,
              "max_age": 1.7976931348623157e308, "max_gap": 0.5,
              "limit_tolerance": 0.0010000000000000002, "check_jumps": False,
              "max_world_age": 1.7976931348623157e308, "max_carried": 1, "check_cycles": 1001}
    # All that the constructor takes.
    assert set(others) == set(re.findall(r"(\w+): [^,]*=", keepclear.Guard.__init__.__doc__))
    for name, value in others.items():
        seen.add(keepclear.Guard(world, brake, **{name: value}).hash)
    assert len(seen) == 1 + len(others)
    # And another world.
    (folder / "arm.urdf").write_text(cell.URDF.replace('velocity="2.5"', 'velocity="2.6"'))
    other = keepclear.load(folder / "arm.urdf", **options)
    assert keepclear.Guard(other, brake).hash not in seen


def test_names(folder):
    """A name that is another everywhere, and two that are exchanged everywhere."""
    tally = Tally(hash_of_cell(folder))
    texts = {f: f.read_text() for f in sorted(folder.iterdir())
             if f.suffix in (".urdf", ".srdf", ".json")}
    robot = set(re.findall(r'<(?:link|joint) name="(\w+)"', cell.URDF))
    scene = {x["name"] for x in json.loads(cell.SCENE)["objects"]} | {"left", "right"}
    names = sorted(robot | scene)
    changes = [({name: name + "x"}, f"{name} -> {name}x") for name in names]
    changes += [({a: b, b: a}, f"{a} <-> {b}") for group in (robot, scene)
                for a in sorted(group) for b in sorted(group) if a < b]
    missed = []
    for change, what in changes:
        for file, text in texts.items():
            file.write_text(re.sub(r'(?<=["/])\w+(?=["/])',
                                   lambda m, change=change: change.get(m[0], m[0]), text))
        try:
            if tally.hash_now() == tally.before:
                missed.append(what)
        except Error:
            # A link and a joint exchanged are a link that is not there.
            assert " <-> " in what, what
    for file, text in texts.items():
        file.write_text(text)
    assert not missed and len(changes) > 100
    assert tally.hash_now() == tally.before


MESHES = {
    "thing.stl": (cell.stl_ascii, lambda data: fields.token_cases(
        data, False, lambda line: "" if "vertex" in line else "normals and names are not read")),
    "binary.stl": (cell.stl_binary, lambda data: fields.float_cases(
        data, [84 + 50 * t + 12 + 4 * k for t in range(6) for k in range(9)], "<f", "vertex")),
    "thing.obj": (cell.obj, lambda data: fields.token_cases(
        data, False, lambda line: "" if line[:2] in ("v ", "f ") else "not read: normals, textures")),
    "thing.ply": (cell.ply_ascii, lambda data: fields.token_cases(
        data, True, lambda line: "not read" if line.startswith(("comment", "format")) else "")),
    "little.ply": (lambda: cell.ply_binary("<"), lambda data: fields.float_cases(
        data, [data.index(b"end_header\n") + 11 + 4 * k for k in range(15)], "<f", "vertex")),
    "big.ply": (lambda: cell.ply_binary(">"), lambda data: fields.float_cases(
        data, [data.index(b"end_header\n") + 11 + 4 * k for k in range(15)], ">f", "vertex")),
    "thing.dae": (cell.dae, lambda data: fields.xml_cases(data, fields.DAE_EXEMPT, True)),
    "thing.gltf": (cell.gltf, lambda data: fields.json_cases(
        data, fields.JSON_EXEMPT["gltf"], True)),
    "thing.bin": (cell.gltf_buffer, lambda data: [
        *fields.float_cases(data, list(range(0, 60, 4)), "<f", "vertex", fields.GRAIN),
        *fields.bit_cases(data, 60, "index")]),
}  # fmt: skip


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize("name", MESHES)
def test_every_number_of_a_mesh(tmp_path, name, parts):
    for other, (make, _) in MESHES.items():
        (tmp_path / other).write_bytes(make())
    mesh = "thing.gltf" if name == "thing.bin" else name
    (tmp_path / "one.urdf").write_text(
        '<robot name="r"><link name="a"><collision><geometry><mesh filename="' + mesh +
        '" scale="1.5 0.75 1.25"/></geometry></collision></link></robot>')
    (tmp_path / "one.json").write_text(json.dumps(
        {"objects": [{"name": "thing", "shape": "mesh", "file": mesh, "scale": [1.5, 0.75, 1.25]}]}))
    least = 20
    for world in ("one.urdf", "one.json"):
        tally = Tally(lambda world=world: keepclear.load(tmp_path / world, parts=parts,
                                                         **LOOSE).hash)
        file = tmp_path / name
        tally.run(file, MESHES[name][1](file.read_bytes()))
        tally.require(least)


def test_every_number_of_a_cloud_and_of_a_map(folder):
    tally = Tally(hash_of_cell(folder))
    cloud = folder / "scan.xyz"
    tally.run(cloud, fields.token_cases(cloud.read_bytes(), False, lambda line: ""))
    hall = folder / "hall.bt"
    whole = hall.read_bytes()
    tally.run(hall, fields.bit_cases(whole, whole.index(b"data\n") + 5, "map"))
    tally.require(20)


def test_every_option_of_loading_that_changes_the_world(folder):
    before = hash_of_arm(folder)()
    for options in ({"parts": 2}, {"model": folder / "arm.model.json"},
                    {"scene": folder / "floor.json"}):
        (folder / "floor.json").write_text(
            '{"objects": [{"name": "floor", "shape": "plane", "normal": [0, 0, 1]}]}')
        assert hash_of_arm(folder, **options)() != before, options
    assert keepclear.load(folder / "arm.urdf", **LOOSE).hash != before
    # Only how it is loaded, not what.
    assert hash_of_arm(folder)() == keepclear.load(
        folder / "arm.urdf", srdf=folder / "arm.srdf", threads=3).hash


def test_how_a_file_is_written_does_not_matter(folder):
    tally = Tally(hash_of_cell(folder))

    def reordered(value):
        if isinstance(value, dict):
            return {k: reordered(v) for k, v in reversed(value.items())}
        return [reordered(v) for v in value] if isinstance(value, list) else value

    def attributes_reversed(text: str) -> str:
        def tag(match: re.Match[str]) -> str:
            attributes = re.findall(r'[\w:]+="[^"]*"', match[2])
            return f"<{match[1]}   " + "\n\t".join(reversed(attributes)) + match[3]
        return re.sub(r'<(\w+)((?:\s+[\w:]+="[^"]*")+)\s*(/?>)', tag, text)

    def written_anew(text: str) -> str:
        """The same numbers in other words."""
        return re.sub(r'(?<=[" ])(-?\d+)\.(\d+)(?=[" ])',
                      lambda m: f"{m[1]}{m[2]}0e-{len(m[2]) + 1}" if m[1] not in ("0", "-0")
                      else f"{m[0]}00", text)

    for name in ("arm.urdf", "arm.srdf"):
        file = folder / name
        text = file.read_text()
        for other in (text.replace("><", ">\n\n  <!-- a comment -->\n<"), text.replace("\n", "\r\n"),
                      attributes_reversed(text), written_anew(text),
                      '<?xml version="1.0"?>\n' + text, re.sub(r">\s+<", "><", text)):
            assert other != text
            file.write_text(other, newline="")
            assert tally.hash_now() == tally.before, other
        file.write_text(text)
    for name in ("cell.json", "arm.model.json"):
        file = folder / name
        text = file.read_text()
        tree = json.loads(text)
        for other in (json.dumps(tree), json.dumps(tree, indent=7), json.dumps(reordered(tree))):
            file.write_text(other)
            assert tally.hash_now() == tally.before, other
        file.write_text(text)
    world = keepclear.load(folder / "arm.urdf", **LOOSE)
    def guard() -> str:
        return keepclear.Guard(world, keepclear.read_brake(world, folder / "brake.json")).hash

    before = guard()
    (folder / "brake.json").write_text(json.dumps(reordered(json.loads(cell.BRAKE)), indent=1))
    assert guard() == before
    # The same vertices in another notation.
    (folder / "tool.stl").write_bytes(cell.stl_ascii().replace(b"1.5", b"+15.0e-1"))
    assert tally.hash_now() == tally.before
