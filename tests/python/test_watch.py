# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import gc
import math

import keepclear
import numpy as np
import pytest
from keepclear import Error, Verdict, Watch

CYCLE = 0.05


@pytest.fixture(scope="module")
def task2(two_arms):
    path = two_arms.path("task2")
    return path.position(np.arange(path.begin, path.end, CYCLE))


def first_stop(watch, rows):
    for row in rows:
        cycle = watch.step(row, CYCLE)
        if not cycle:
            return cycle
    return None


def test_a_cycle_is_true_only_if_it_is_free(two_arms, task2):
    watch = Watch(two_arms, reaction_time=0.05, stopping_time=0.05)
    assert bool(watch.step(task2[0], CYCLE)) is True
    cycle = first_stop(watch, task2[1:])
    assert bool(cycle) is False and cycle.free is False and cycle.verdict == Verdict.contact
    pair = cycle.imminent[0]
    assert set(pair.pair) == {"left/link7", "front_table"} and cycle.unlisted == 0
    assert 0 < pair.lower_bound <= pair.distance < pair.tolerance
    assert math.isclose(np.linalg.norm(pair.point_a - pair.point_b), pair.distance, rel_tol=1e-6)
    assert "1 imminent" in repr(cycle) and "front_table" in repr(pair)


def test_what_a_cycle_found_stays(two_arms, task2):
    watch = Watch(two_arms, reaction_time=0.05, stopping_time=0.05)
    cycle = first_stop(watch, task2)
    before = [(p.pair, p.distance, tuple(p.point_a)) for p in cycle.imminent]
    for row in task2[:200]:
        watch.step(row, CYCLE)
    del watch
    gc.collect()
    assert before == [(p.pair, p.distance, tuple(p.point_a)) for p in cycle.imminent]


def test_it_finds_what_a_check_of_each_pose_finds(two_arms, task2):
    watch = Watch(two_arms)
    verdicts = np.array([watch.step(row, CYCLE).verdict for row in task2])
    checked = two_arms.check(task2)
    assert np.array_equal(verdicts == Verdict.contact, np.array(checked.verdict) == Verdict.contact)
    assert watch.counters.cycles == len(task2) and watch.counters.searches > 0


def test_input_that_is_no_state_is_undecided(two_arms):
    watch = Watch(two_arms)
    q = two_arms.neutral()
    nan = q.copy()
    nan[3] = math.nan
    for bad, dt in ((nan, 0.1), (q[:-1], 0.1), ([], 0.1), (q, 0.0), (q, -1.0), (q, math.nan)):
        cycle = watch.step(bad, dt)
        assert cycle.verdict == Verdict.undecided and not cycle
    for wrong in (None, "q", ["1"] * 14, [[1], [2, 3]], np.ma.masked_array(q, q == q)):
        with pytest.raises(TypeError):
            watch.step(wrong, 0.1)
    with pytest.raises(TypeError):
        watch.step(q, "0.1")


def test_what_is_no_state_leaves_nothing_to_rest_on(two_arms):
    q = two_arms.path("task1").position(44.0)
    nan = q.copy()
    nan[3] = math.nan
    for bad, dt in ((nan, 0.1), (q[:-1], 0.1), (q, 0.0), (q, math.nan), (None, 0.1), ("q", 0.1), (q, None)):
        watch = Watch(two_arms)
        watch.step(q, 0.1)
        try:
            watch.step(bad, dt)
        except TypeError:
            pass
        assert watch.attach("front_box", "left/link7") is False
        watch.step(q, 0.1)
        assert watch.attach("front_box", "left/link7") is True


def test_objects_are_carried_put_down_and_placed(two_arms):
    watch = Watch(two_arms, margin=0.001)
    path = two_arms.path("task1")
    q = path.position(44.0)
    assert watch.attach("front_box", "left/link7") is False  # before the first cycle
    watch.step(q, CYCLE)
    box, link = two_arms.find_solid("front_box"), two_arms.find_solid("left/link7")
    assert watch.attach(box, link, touch=[two_arms.find_solid("front_table")]) is True
    assert watch.place("front_box", np.eye(4)) is False  # it is carried
    assert watch.release("front_box") is True and watch.release(box) is False
    # Into the left arm: found as a contact of the two.
    far = np.eye(4)[:3]
    far[:, 3] = 0, 0, 50
    assert watch.place("front_box", far) is True
    assert watch.step(q, CYCLE).free
    watch.reset()
    near = np.eye(4)
    near[:3, 3] = two_arms.distance(q).point_a
    assert watch.place("front_box", keepclear.Origin(xyz=near[:3, 3])) is True
    cycle = watch.step(q, CYCLE)
    assert not cycle and any("front_box" in pair.pair for pair in cycle.imminent)
    with pytest.raises(keepclear.Error, match="a number that is none"):
        watch.place("front_box", np.full((3, 4), math.nan))
    for shape in ((4, 3), (3, 3), (16,)):
        with pytest.raises(Error):
            watch.place("front_box", np.zeros(shape))
    for index in (-3, 10**6, 10**12):
        assert watch.attach(index, link) is False and watch.release(index) is False
        assert watch.place(index, far) is False and watch.expect_contact(link, index, 1) is False
    with pytest.raises(Error, match="no solid"):
        watch.expect_contact("left/link7", "nothing", 0.1)


def test_options_that_make_no_sense(two_arms):
    for options in (dict(margin=-1), dict(slack=0), dict(reaction_time=-1), dict(margin=math.nan)):
        with pytest.raises(Error):
            Watch(two_arms, **options)
    with pytest.raises(TypeError):
        Watch(two_arms, 0.1)
    with pytest.raises(TypeError):
        Watch("two_arms")
