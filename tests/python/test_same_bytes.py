# SPDX-License-Identifier: BSD-3-Clause
"""The same question in Python and in C++ has the same answer, byte for byte."""
from __future__ import annotations

import os
import struct
import subprocess

import keepclear
import numpy as np
import pytest
from conftest import data_file, plain_bytes, within

WORLDS = ["six_axis_arm", "bench_arm", "two_arms", "humanoid"]
ROBOTS = [
    "robots/kuka_lbr_iiwa7_r800/iiwa7.urdf",
    "robots/meca500_r3/meca500_r3.urdf",
    "robots/panda/panda_mbm.urdf",
    "robots/ur5e/ur5e.urdf",
]


@pytest.fixture(scope="module", params=WORLDS + ROBOTS)
def world(request: pytest.FixtureRequest) -> keepclear.World:
    name = request.param
    return keepclear.load(name if name in WORLDS else data_file(name))


def raw(world: keepclear.World, question: str, numbers: np.ndarray, number: float = 0) -> bytes:
    done = subprocess.run(
        [os.environ["KEEPCLEAR_RAW_ANSWERS"], world.source["file"], question, repr(number)],
        input=np.ascontiguousarray(numbers).tobytes(), capture_output=True, check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def one_nearest(n: keepclear.Nearest) -> bytes:
    return struct.pack("=iddii", int(n.verdict), n.distance, n.lower_bound, n.a, n.b) + (
        n.point_a.tobytes() + n.point_b.tobytes()
    )


def certificate_bytes(c: keepclear.Certificate) -> bytes:
    out = struct.pack("=idddd", int(c.verdict), c.clearance, c.distance, c.time, c.first_contact)
    out += struct.pack("=iiQQi", c.a, c.b, c.tests, c.parts, c.depth)
    out += struct.pack("=Q", len(c.q)) + c.q.tobytes() + struct.pack("=Q", len(c.intervals))
    for i in c.intervals:
        out += struct.pack("=ddiiid", i.start, i.stop, int(i.status), i.a, i.b, i.contact)
    return out


def box_bytes(r: keepclear.BoxResult) -> bytes:
    return struct.pack("=idiid", int(r.verdict), r.clearance, r.a, r.b, r.distance) + (
        struct.pack("=Q", len(r.q)) + r.q.tobytes()
    )


def test_distances(world: keepclear.World) -> None:
    # More than one slice of the module, and a last one that is not full.
    poses = within(world, 3500)
    poses[7, 0] = np.nan
    assert plain_bytes(world.distance(poses)) == raw(world, "distance", poses)


def test_signed_distances(world: keepclear.World) -> None:
    poses = within(world, 300, seed=2)
    assert plain_bytes(world.distance(poses, signed=True)) == raw(world, "signed", poses)


def test_single_poses(world: keepclear.World) -> None:
    poses = within(world, 30, seed=3)
    assert b"".join(one_nearest(world.distance(q)) for q in poses) == raw(world, "single", poses)


def test_all_pairs(world: keepclear.World) -> None:
    poses = within(world, 20, seed=4)
    batch = world.distance(poses, all_pairs=True)
    assert batch.shape == (20, len(world.checked_pairs))
    assert plain_bytes(batch) == raw(world, "all_pairs", poses)


@pytest.mark.parametrize("margin", [0.0, 0.02])
def test_checks(world: keepclear.World, margin: float) -> None:
    poses = within(world, 2500, seed=5)
    assert world.check(poses, margin=margin).records.tobytes() == raw(world, "check", poses, margin)


def test_motions(world: keepclear.World) -> None:
    ends = within(world, 12, seed=6)
    # Short motions, so that some are free.
    paths = np.stack([ends, ends + 0.05, ends - 0.02], axis=1)
    found = b"".join(certificate_bytes(c) for c in world.certify(paths))
    assert found == raw(world, "certify", paths, 3)
    one = world.certify(paths[0])
    assert certificate_bytes(one) == raw(world, "certify", paths[:1], 3)


def test_edges(world: keepclear.World) -> None:
    a = within(world, 100, seed=7)
    b = a + 0.1
    verdicts = world.connects(a, b)
    assert verdicts.verdict.dtype == np.int32 and verdicts.shape == (100,)
    assert verdicts.verdict.tobytes() == raw(world, "connects", np.concatenate([a, b]))
    query = keepclear.MotionQuery(world)
    assert [query.connects(p, q) for p, q in zip(a[:5], b[:5])] == list(verdicts[:5])


def test_boxes(world: keepclear.World) -> None:
    middles = within(world, 3, seed=8)
    boxes = np.stack([middles - 0.02, middles + 0.02], axis=2)
    assert b"".join(box_bytes(world.box(b)) for b in boxes) == raw(world, "box", boxes)


def test_a_world_is_the_same_in_both(world: keepclear.World) -> None:
    again = keepclear.load(**world.source)
    assert again.hash == world.hash
