# SPDX-License-Identifier: BSD-3-Clause
"""Poses: shapes and types, batches and single ones, what distance and check promise."""
from __future__ import annotations

import pickle

import keepclear
import numpy as np
import pytest
from conftest import plain_bytes, within
from hypothesis import given, strategies as st

from keepclear import Verdict

ARM = keepclear.load("six_axis_arm")
BENCH = keepclear.load("bench_arm")


def poses_of(world: keepclear.World) -> st.SearchStrategy:
    return st.lists(st.floats(-3.2, 3.2), min_size=world.dof, max_size=world.dof)


@given(poses_of(BENCH))
def test_the_lower_bound_is_below_the_distance(q: list) -> None:
    n = BENCH.distance(q)
    if n.verdict == Verdict.contact:
        assert n.distance == 0 == n.lower_bound
        assert BENCH.distance(q, signed=True).distance <= 0
    else:
        assert n.lower_bound <= n.distance
        assert n.distance - n.lower_bound < 1e-10
        assert abs(np.linalg.norm(n.point_b - n.point_a) - n.distance) < 1e-9


@given(poses_of(BENCH), st.floats(0, 0.3))
def test_check_agrees_with_distance(q: list, margin: float) -> None:
    n, c = BENCH.distance(q), BENCH.check(q, margin=margin)
    assert bool(c) == (c.verdict == Verdict.free) and bool(n) == (n.verdict == Verdict.free)
    if c.verdict == Verdict.free:
        assert n.verdict != Verdict.contact and n.distance > margin - 1e-9
    elif c.verdict == Verdict.contact:
        assert c.pair is not None
        assert n.lower_bound < margin or n.verdict == Verdict.contact


@given(poses_of(BENCH))
def test_all_pairs_have_the_nearest(q: list) -> None:
    every, n = BENCH.distance(q, all_pairs=True), BENCH.distance(q)
    assert every.shape == (BENCH.pair_count,)
    assert abs(every.distance.min() - n.distance) < 1e-9
    assert [(p.a, p.b) for p in BENCH.checked_pairs] == list(zip(every.a, every.b))


@given(poses_of(BENCH), st.lists(st.floats(-0.4, 0.4), min_size=BENCH.dof, max_size=BENCH.dof))
def test_a_line_that_is_free_is_free_all_along(q: list, step: list) -> None:
    start, end = np.array(q), np.array(q) + np.array(step)
    found = BENCH.certify([np.stack([start, end])])[0]
    samples = BENCH.distance(start + np.linspace(0, 1, 200)[:, None] * (end - start))
    if found.verdict == Verdict.free:
        assert samples.free.all()
        # The path and these samples of it are rounded differently.
        assert samples.distance.min() >= found.clearance - 1e-9
    if samples.contact.any():
        assert found.verdict != Verdict.free
    if found.verdict == Verdict.contact:
        at = BENCH.path(np.stack([start, end])).position(found.first_contact)
        assert BENCH.distance(at).distance < 1e-6


def test_batches_equal_single_poses() -> None:
    poses = within(ARM, 600)
    batch = ARM.distance(poses)
    for i in range(0, 600, 7):
        one = ARM.distance(poses[i])
        assert one.verdict == batch.verdict[i]
        assert abs(one.distance - batch.distance[i]) < 2e-10
    checked = ARM.check(poses, margin=0.05)
    assert [ARM.check(q, margin=0.05).verdict for q in poses] == checked.verdict.tolist()


def test_threads_do_not_change_a_byte(two_arms: keepclear.World) -> None:
    poses = within(two_arms, 3000)
    one = plain_bytes(two_arms.distance(poses, threads=1))
    assert all(plain_bytes(two_arms.distance(poses, threads=n)) == one for n in (0, 2, 5))
    one = two_arms.check(poses, threads=1).records.tobytes()
    assert two_arms.check(poses, threads=3).records.tobytes() == one


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int64, ">f8", np.uint8, np.longdouble])
def test_types_of_numbers(dtype: object) -> None:
    poses = np.arange(12).reshape(2, 6).astype(dtype) % 2
    expected = ARM.distance(poses.astype(float)).distance
    assert ARM.distance(poses).distance.tobytes() == expected.tobytes()
    assert ARM.distance(poses.tolist()).distance.tobytes() == expected.tobytes()


def test_memory_of_any_order() -> None:
    poses = within(ARM, 40)
    expected = plain_bytes(ARM.distance(poses))
    wide = np.zeros((80, 12))
    wide[::2, ::2] = poses
    for same in (np.asfortranarray(poses), wide[::2, ::2], poses[::-1][::-1]):
        assert plain_bytes(ARM.distance(same)) == expected
    locked = poses.copy()
    locked.flags.writeable = False
    assert plain_bytes(ARM.distance(locked)) == expected


@pytest.mark.parametrize(
    "q",
    ["pose", b"pose", None, [[0] * 6, [0] * 5], [1j] * 6, ["a"] * 6, [None] * 6, {}, object(),
     [True] * 6, np.zeros(6, "M8[s]")],
)
def test_what_is_no_array_of_numbers(q: object) -> None:
    for ask in (ARM.distance, ARM.check, keepclear.DistanceQuery(ARM)):
        with pytest.raises(TypeError):
            ask(q)


@pytest.mark.parametrize("shape", [(), (5,), (7,), (3, 5), (6, 3), (1, 1, 6), (0,)])
def test_shapes_that_do_not_fit(shape: tuple) -> None:
    for ask in (ARM.distance, ARM.check):
        with pytest.raises(keepclear.Error, match="q has") as error:
            ask(np.zeros(shape))
        assert error.value.kind == keepclear.ErrorKind.usage


def test_no_poses_at_all() -> None:
    none = np.zeros((0, 6))
    assert len(ARM.distance(none)) == len(ARM.check(none)) == 0
    assert repr(ARM.distance(none)) == "NearestBatch((0,): empty)"
    assert ARM.distance(none, all_pairs=True).shape == (0, ARM.pair_count)


def test_a_pose_that_is_none_is_undecided() -> None:
    poses = within(ARM, 3)
    poses[1, 2] = np.nan
    poses[2, 0] = np.inf
    batch = ARM.distance(poses)
    assert batch.undecided.tolist() == [False, True, True]
    assert np.isnan(batch.distance[1]) and batch.lower_bound[1] == 0 and batch.a[1] == -1
    assert batch[1].pair is None and repr(batch[1]) == "Nearest(undecided, distance=nan, nothing)"
    assert ARM.check(poses).verdict.tolist()[1:] == [Verdict.undecided] * 2


@pytest.mark.parametrize("margin", [-1e-9, -1, float("nan"), float("inf"), -float("inf")])
def test_margins_that_make_no_sense(margin: float) -> None:
    with pytest.raises(keepclear.Error, match="margin is .*; it is a length in metres, zero or more"):
        ARM.check(ARM.neutral(), margin=margin)
    with pytest.raises(keepclear.Error, match="margin is"):
        keepclear.DistanceQuery(ARM).check(ARM.neutral(), margin)


@pytest.mark.parametrize("tolerance", [0, -1, float("nan")])
def test_tolerances_that_make_no_sense(tolerance: float) -> None:
    with pytest.raises(keepclear.Error, match="tolerance is .*; it is more than zero"):
        ARM.distance(ARM.neutral(), tolerance=tolerance)
    with pytest.raises(keepclear.Error, match="tolerance is"):
        keepclear.DistanceQuery(ARM, tolerance=tolerance)


def test_a_batch_outlives_everything_else() -> None:
    world = keepclear.load("six_axis_arm")
    batch = world.distance(within(world, 50))
    distances, points, one = batch.distance, batch.point_a, batch[3]
    expected = distances.copy(), points.copy()
    del world, batch
    [bytearray(100_000) for _ in range(50)]
    assert (distances == expected[0]).all() and (points == expected[1]).all()
    assert all(isinstance(name, str) for name in one.pair)


def test_batches_are_sequences() -> None:
    batch = ARM.distance(within(ARM, 20))
    assert len(batch) == 20 and len(list(batch)) == 20
    assert batch[-1].distance == batch.distance[19]
    assert batch[2:5].distance.tolist() == batch.distance[2:5].tolist()
    assert len(batch[batch.free]) == batch.free.sum()
    assert batch.point_a.shape == (20, 3) and batch.verdict.dtype == np.int32
    with pytest.raises(IndexError):
        batch[20]
    every = ARM.distance(within(ARM, 4), all_pairs=True)
    assert every[1].shape == (ARM.pair_count,) and isinstance(every[1, 2], keepclear.Nearest)
    checked = ARM.check(within(ARM, 20))
    assert [c.free for c in checked] == checked.free.tolist()
    assert repr(checked).startswith("CheckBatch((20,): ")


def test_what_answers_say() -> None:
    n = ARM.distance(ARM.neutral())
    a, b = n.pair
    assert (ARM.solids[n.a].name, ARM.solids[n.b].name) == (a, b)
    assert repr(n) == f"Nearest(free, distance=0.12, '{a}' - '{b}')"
    c = ARM.check(ARM.neutral(), margin=0.5)
    assert repr(c) == f"CheckResult(contact, '{c.pair[0]}' - '{c.pair[1]}')"
    assert repr(ARM.check(ARM.neutral())) == "CheckResult(free)"
    for answer in (n, c):
        again = pickle.loads(pickle.dumps(answer))
        assert repr(again) == repr(answer) and again.pair == answer.pair
    with pytest.raises(AttributeError):
        n.distance = 0


def test_a_query_that_remembers() -> None:
    query = keepclear.DistanceQuery(ARM, tolerance=1e-8)
    poses = np.linspace(within(ARM, 1)[0], within(ARM, 1, seed=2)[0], 100)
    batch = ARM.distance(poses)
    for q, distance in zip(poses, batch.distance):
        assert abs(query(q).distance - distance) < 2e-8
    query.reset()
    assert query.check(poses[0]).verdict == batch.verdict[0]
    with pytest.raises(keepclear.Error):
        query(poses)


def test_a_mask_is_refused() -> None:
    q = np.ma.masked_array(ARM.neutral(), mask=[True] + [False] * 5)
    for ask in (ARM.check, ARM.distance):
        for masked in (q, [q, q]):
            with pytest.raises(TypeError, match="has a mask"):
                ask(masked)
