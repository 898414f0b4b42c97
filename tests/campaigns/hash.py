# SPDX-License-Identifier: BSD-3-Clause
"""Fields of the URDFs, SRDFs and meshes of real robots, drawn at random, each changed by the least
that its reader sees: the hash of the world must differ, or the file be refused.

    hash.py FOLDER [--seed N] [--count N]

FOLDER has a folder for each robot. Needs the Python module. Prints how many fields there were of
each kind; exits 1, naming the fields, where a hash does not differ.
"""
from __future__ import annotations

import argparse
import pathlib
import random
import shutil
import struct
import sys
import tempfile
from collections import Counter
from collections.abc import Callable

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "python"))
import hash_fields as fields  # noqa: E402
import keepclear  # noqa: E402

LOOSE = {"allow_no_pairs": True, "threads": 1, "lenient": True}
# Of a larger mesh only so many numbers are drawn from.
MOST_BYTES = 2_000_000


class Campaign:
    def __init__(self, seed: int):
        self.draw = random.Random(seed)
        self.counts: Counter[str] = Counter()
        self.missed: list[str] = []

    def ask(self, name: str, file: pathlib.Path, cases: list[fields.Case],
            hash_now: Callable[[], str], count: int) -> None:
        try:
            before = hash_now()
        except keepclear.Error:
            self.counts["files left out: refused as they are"] += 1
            return
        self.counts["files"] += 1
        whole = file.read_bytes()
        for case in self.draw.sample(cases, min(count, len(cases))):
            file.write_bytes(case.make())
            try:
                found = hash_now()
            except keepclear.Error:
                self.counts["fields refused"] += 1
                continue
            finally:
                file.write_bytes(whole)
            if found != before:
                self.counts["fields with another hash"] += 1
            elif case.reason:
                self.counts["fields that no verdict depends on"] += 1
            else:
                self.counts["fields missed"] += 1
                self.missed.append(f"{name}: {case.place}")

    def ask_robot(self, folder: pathlib.Path, file: pathlib.Path, count: int) -> None:
        def hash_now() -> str:
            srdf = {"srdf": srdfs[0]} if srdfs else {}
            return keepclear.load(file, package_path=[folder.parent], **srdf, **LOOSE).hash

        srdfs = sorted(folder.rglob("*.srdf"))
        # Robots of others write out defaults, and axes of fixed joints, which mean nothing. The cell
        # of tests/python/hash_cell.py has neither, and every axis of it is asked for.
        rules = [*fields.XML_EXEMPT, (r" removed$", "it may say what holds without it"),
                 (r"/joint/axis", "the joint may be fixed"),
                 (r"/controller_gains", "for a simulator; passed over with a note (lenient)")]
        self.ask(file.name, file, list(fields.xml_cases(file.read_bytes(), rules)), hash_now, count)
        if srdfs:
            # Most entries are of pairs that joints join, or of other models: whether they are
            # there changes nothing. What is refused, or differs, is counted.
            cases = [case._replace(reason=case.reason or "an entry without effect")
                     for case in fields.xml_cases(srdfs[0].read_bytes(), fields.SRDF_EXEMPT)]
            self.ask(srdfs[0].name, srdfs[0], cases, hash_now, count)

    def ask_mesh(self, folder: pathlib.Path, mesh: pathlib.Path, count: int) -> None:
        file = folder / ("mesh" + mesh.suffix)
        file.write_bytes(mesh.read_bytes())
        data = file.read_bytes()
        if len(data) < 134 or len(data) != 84 + 50 * struct.unpack_from("<I", data, 80)[0]:
            return
        triangles = range((min(len(data), MOST_BYTES) - 84) // 50)
        places = [84 + 50 * t + 12 + 4 * k for t in triangles for k in range(9)]
        some = self.draw.sample(places, min(count, len(places)))
        (folder / "one.urdf").write_text(
            '<robot name="r"><link name="a"><collision><geometry><mesh filename="' + file.name +
            '"/></geometry></collision></link></robot>')
        self.ask(mesh.name, file, list(fields.float_cases(data, some, "<f", "vertex")),
                 lambda: keepclear.load(folder / "one.urdf", **LOOSE).hash, count)


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=1000)
    asked = parser.parse_args()
    campaign = Campaign(asked.seed)
    robots = sorted(p for p in asked.folder.glob("*/*.urdf") if p.stat().st_size < 200_000)
    meshes = sorted(p for p in asked.folder.glob("*/**/*.stl") if p.stat().st_size < MOST_BYTES)
    # Twenty fields of each at least.
    most = max(1, asked.count // 40)
    robots = sorted(campaign.draw.sample(robots, min(len(robots), most)))
    meshes = sorted(campaign.draw.sample(meshes, min(len(meshes), most)))
    each = max(1, asked.count // max(1, len(robots) + len(meshes)))
    with tempfile.TemporaryDirectory() as name:
        for robot in robots:
            # A robot's folder is its package.
            folder = pathlib.Path(name) / robot.parent.name
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(robot.parent, folder)
            campaign.ask_robot(folder, folder / robot.name, each)
        for mesh in meshes:
            campaign.ask_mesh(pathlib.Path(name), mesh, each)
    print(", ".join(f"{count} {what}" for what, count in sorted(campaign.counts.items())))
    print("\n".join(campaign.missed))
    return 1 if campaign.missed or campaign.counts["fields with another hash"] == 0 else 0


sys.exit(main())
