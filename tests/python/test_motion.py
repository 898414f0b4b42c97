# SPDX-License-Identifier: BSD-3-Clause
"""Paths, motions, boxes, pairs of links."""
from __future__ import annotations

import math
import pathlib
import pickle

import keepclear
import numpy as np
import pytest
from conftest import within
from hypothesis import given, strategies as st

from keepclear import Verdict

ARM = keepclear.load("six_axis_arm")
NUMBERS = st.floats(-10, 10)


@given(st.lists(st.lists(NUMBERS, min_size=3, max_size=3), min_size=2, max_size=6))
def test_straight_paths_go_through_their_waypoints(rows: list) -> None:
    times = np.arange(len(rows)) * 0.5
    path = keepclear.straight_path(times, rows)
    assert (path.dof, path.begin, path.end) == (3, 0, times[-1])
    assert path.piece_count == len(rows) - 1 and path.degree == 1
    assert np.allclose(path.position(times), rows, atol=1e-9)
    assert path.position(times).shape == (len(rows), 3) and path.position(0.1).shape == (3,)
    low, high = path.range(path.begin, path.end).T
    assert (low <= np.min(rows, axis=0)).all() and (high >= np.max(rows, axis=0)).all()
    again = pickle.loads(pickle.dumps(path))
    assert again.position(times).tobytes() == path.position(times).tobytes()


def every_path() -> dict[str, keepclear.Path]:
    times, rows = [0, 1, 2], np.array([[0, 0], [1, 2], [0, 1]], float)
    made = {
        "line": keepclear.line_path([0, 0], [1, 1], 2),
        "straight": keepclear.straight_path(times, rows),
        "cubic": keepclear.cubic_path(times, rows, rows * 0),
        "quintic": keepclear.quintic_path(times, rows, rows * 0, rows * 0),
        "bezier": keepclear.bezier_path(rows, 1, 3),
        "bspline": keepclear.bspline_path(2, [0, 0, 0, 1, 1, 1], rows),
        "trapezoidal": keepclear.trapezoidal_path([0, 0], [1, 1], [1, 1], [2, 2]),
    }
    made["joined"] = keepclear.joined([made["line"], keepclear.line_path([1, 1], [0, 0])])
    made["retimed"] = keepclear.retimed(made["cubic"], 5, 2)
    made["tube"] = keepclear.with_tube(made["line"], [0.1, 0.2])
    made["tube over time"] = keepclear.with_tube(made["line"], [0, 2], [[0, 0], [0.1, 0.2]])
    return made


@pytest.mark.parametrize("kind", every_path())
def test_kinds_of_paths(kind: str) -> None:
    path = every_path()[kind]
    times = np.linspace(path.begin, path.end, 50)
    positions = path.position(times)
    ranges = path.range(path.begin, path.end)
    assert (positions >= ranges[:, 0]).all() and (positions <= ranges[:, 1]).all()
    assert path.velocity(path.begin, path.end).shape == (2, 2)
    assert path.acceleration(path.begin, path.end).shape == (2, 2)
    assert path.tube(path.begin, path.end).shape == (2,)
    again = pickle.loads(pickle.dumps(path))
    assert again.position(times).tobytes() == positions.tobytes()
    assert again.tube(path.begin, path.end).tobytes() == path.tube(path.begin, path.end).tobytes()
    assert repr(again) == repr(path) and repr(path).startswith("Path(dof=2, ")


def test_tubes() -> None:
    made = every_path()
    assert made["tube"].tube(0, 1).tolist() == [0.1, 0.2]
    assert made["tube over time"].tube(0, 2).tolist() == [0.1, 0.2]
    assert (made["tube over time"].tube(0, 0) < 1e-15).all()
    assert (made["joined"].begin, made["joined"].end) == (0, 3)
    assert (made["retimed"].begin, made["retimed"].end) == (5, 9)


@pytest.mark.parametrize(
    "make, what",
    [
        (lambda: keepclear.straight_path([0], [[1, 2]]), "waypoint"),
        (lambda: keepclear.straight_path([0, 0], [[1], [2]]), "time"),
        (lambda: keepclear.straight_path([0, 1, 2], [[1], [2]]), "waypoints has shape"),
        (lambda: keepclear.straight_path([0, 1], [1, 2]), "waypoints has shape"),
        (lambda: keepclear.straight_path([0, 1], [[1], [math.nan]]), "finite"),
        (lambda: keepclear.line_path([0], [1, 2]), "end has 2 numbers"),
        (lambda: keepclear.line_path([0], [1], 0), ""),
        (lambda: keepclear.cubic_path([0, 1], [[1], [2]], [[1]]), "velocities has shape"),
        (lambda: keepclear.bspline_path(1, [0, 1], [[1], [2]]), "knot"),
        (lambda: keepclear.trapezoidal_path([0], [1], [0], [1]), ""),
        (lambda: keepclear.retimed(keepclear.line_path([0], [1]), 0, -1), ""),
        (lambda: keepclear.joined([]), ""),
        (lambda: keepclear.joined([keepclear.line_path([0], [1]), keepclear.line_path([0], [1])]), ""),
        (lambda: keepclear.with_tube(keepclear.line_path([0], [1]), [1, 2]), "half_width has 2"),
        (lambda: keepclear.with_tube(keepclear.line_path([0], [1]), [-1]), ""),
        (lambda: keepclear.line_path([0], [1]).position(math.nan), "time is not a number"),
        (lambda: keepclear.line_path([0], [1]).range(1, 0), "no stretch of time"),
        (lambda: keepclear.line_path([0], [1]).range(math.nan, 0), "no stretch of time"),
    ],
)
def test_numbers_that_make_no_path(make: object, what: str) -> None:
    with pytest.raises(keepclear.Error, match=what) as error:
        make()
    assert error.value.kind == keepclear.ErrorKind.usage


def test_one_path_or_many(two_arms: keepclear.World, tmp_path: pathlib.Path) -> None:
    task = two_arms.certify("task1")
    assert task.free and two_arms.certify(["task1"])[0].clearance == task.clearance
    csv = next(w for w in keepclear.builtin_worlds() if w.name == "two_arms").tasks[0].csv
    file = tmp_path / "motion.csv"
    file.write_text(csv)
    path = keepclear.read_path(two_arms, file)
    for same in (file, str(file), path, two_arms.path(file)):
        assert two_arms.certify(same).clearance == task.clearance
    rows = within(two_arms, 2)
    nearby = np.stack([rows[0], rows[0] + 0.01])
    one = two_arms.certify(nearby)
    assert isinstance(one, keepclear.Certificate)
    assert two_arms.certify(nearby.tolist()).distance == one.distance
    assert two_arms.certify([rows[0], rows[0] + 0.01]).distance == one.distance
    many = two_arms.certify([nearby, path, "task1", nearby.tolist()])
    assert [c.distance for c in many] == [one.distance, task.distance, task.distance, one.distance]
    assert [c.distance for c in two_arms.certify(np.stack([nearby, nearby]))] == [one.distance] * 2
    assert [c.distance for c in two_arms.certify(p for p in [nearby, path])] == [
        one.distance, task.distance,
    ]
    assert two_arms.certify([]) == []
    assert [c.distance for c in two_arms.certify([nearby] * 5, threads=3)] == [one.distance] * 5


def test_what_is_no_path(two_arms: keepclear.World, tmp_path: pathlib.Path) -> None:
    with pytest.raises(keepclear.Error, match="task9: no such file, and no task; tasks of two_arms: task1"):
        two_arms.certify("task9")
    with pytest.raises(keepclear.Error, match="path has rows of 3 numbers"):
        two_arms.certify(np.zeros((2, 3)))
    with pytest.raises(keepclear.Error, match="path 1: path has rows of 3 numbers"):
        two_arms.certify([np.zeros((2, 14)), np.zeros((2, 3))])
    with pytest.raises(keepclear.Error, match="path has 2 numbers a configuration"):
        two_arms.certify(keepclear.line_path([0, 0], [1, 1]))
    with pytest.raises(TypeError, match="path"):
        two_arms.certify(3)
    with pytest.raises(TypeError, match="numbers"):
        two_arms.certify([[None] * 14] * 2)
    bad = tmp_path / "bad.csv"
    bad.write_text("time,left/joint1\n0,0\n1,nought\n")
    with pytest.raises(keepclear.Error) as error:
        two_arms.certify([bad])
    assert (error.value.file, error.value.line) == (str(bad), 3)
    assert error.value.kind == keepclear.ErrorKind.malformed


def test_rest_is_for_joints_that_a_file_does_not_name(two_arms: keepclear.World, tmp_path: pathlib.Path) -> None:
    file = tmp_path / "one.csv"
    file.write_text("time,left/joint1\n0,0\n1,0.1\n")
    rest = two_arms.neutral()
    rest[5] = 0.25
    assert two_arms.path(file, rest=rest).position(0.5)[5] == 0.25
    assert two_arms.path(file).position(0.5)[5] == two_arms.neutral()[5]
    assert two_arms.certify(file, rest=rest).pair != two_arms.certify(file).pair
    with pytest.raises(keepclear.Error, match="rest has 2 numbers"):
        two_arms.certify(file, rest=[0, 0])


def test_what_a_certificate_says(two_arms: keepclear.World) -> None:
    free = two_arms.certify("task1")
    assert free.free and free.verdict is Verdict.free and 0 < free.clearance <= free.distance
    assert repr(free) == (
        f"Certificate(free, clearance={free.clearance:.6g}, nearest='{free.pair[0]}' - "
        f"'{free.pair[1]}' at {free.time:g} s)"
    )
    assert free.q.shape == (14,) and math.isnan(free.first_contact)
    assert [(i.start, i.stop, i.status) for i in free.intervals] == [(0, 60, Verdict.free)]
    # Lines between random poses: one of them is in contact.
    found = two_arms.certify(within(two_arms, 40).reshape(20, 2, 14))
    contact = next(c for c in found if c.verdict == Verdict.contact)
    last = contact.intervals[-1]
    assert last.status == Verdict.contact and last.start <= contact.first_contact <= last.stop
    assert repr(contact).startswith(f"Certificate(contact, contact='{contact.pair[0]}' - '")
    assert repr(last).endswith(f"'{last.pair[0]}' - '{last.pair[1]}')")
    for c in (free, contact):
        again = pickle.loads(pickle.dumps(c))
        assert repr(again) == repr(c) and list(map(repr, again.intervals)) == list(map(repr, c.intervals))
        assert again.q.tobytes() == c.q.tobytes()
    with pytest.raises(AttributeError):
        free.clearance = 1


def test_proofs_are_kept_if_asked_for(two_arms: keepclear.World) -> None:
    assert two_arms.certify("task1").proof == []
    kept = two_arms.certify("task1", keep_proof=True)
    steps = kept.proof
    assert steps and all(step.bound > step.margin for step in steps)
    assert {step.method for step in steps} <= set(keepclear.Method)
    assert steps[0].n.shape == (3,) and repr(steps[0]).startswith("ProofStep(")
    assert list(map(repr, pickle.loads(pickle.dumps(kept)).proof)) == list(map(repr, steps))


@pytest.mark.parametrize(
    "options",
    [dict(margin=-1), dict(margin=math.nan), dict(tolerance=0), dict(accuracy=-1),
     dict(deviation=-1), dict(base=[keepclear.BaseUncertainty(position=-1)]),
     dict(base=[keepclear.BaseUncertainty(robot=9)])],
)
def test_options_that_make_no_sense(two_arms: keepclear.World, options: dict) -> None:
    with pytest.raises(keepclear.Error) as error:
        two_arms.certify("task1", **options)
    assert error.value.kind == keepclear.ErrorKind.usage


@pytest.mark.parametrize(
    "options", [dict(margin="wide"), dict(budget=-1), dict(budget=1.5), dict(base=[1]), dict(speed=1)]
)
def test_options_of_the_wrong_type(two_arms: keepclear.World, options: dict) -> None:
    for ask in (lambda: two_arms.certify("task1", **options),
                lambda: keepclear.MotionQuery(two_arms, **options)):
        with pytest.raises(TypeError, match=next(iter(options))):
            ask()


def test_margins_and_uncertainties_cost_clearance(two_arms: keepclear.World) -> None:
    plain = two_arms.certify("task1")
    assert two_arms.certify("task1", margin=plain.distance + 0.01).verdict == Verdict.contact
    shaky = two_arms.certify("task1", base=[keepclear.BaseUncertainty(position=0.005)])
    assert shaky.clearance < plain.clearance
    assert two_arms.certify("task1", deviation=0.001).clearance < plain.clearance
    tube = keepclear.with_tube(two_arms.path("task1"), np.full(14, 0.002))
    assert two_arms.certify(tube).clearance < plain.clearance


def test_robots_on_their_own_clocks(two_arms: keepclear.World) -> None:
    same = two_arms.certify_clocks(["task1", "task1"], offset=0.01)
    assert same.verdict in (Verdict.free, Verdict.contact)
    with pytest.raises(keepclear.Error, match="1 paths for 2 robots"):
        two_arms.certify_clocks(["task1"])
    with pytest.raises(keepclear.Error, match="offset"):
        two_arms.certify_clocks(["task1", "task1"], offset=-1)


def test_edges(arm: keepclear.World) -> None:
    poses = within(arm, 400)
    a, b = poses[:200], poses[200:]
    one = arm.connects(a, b, threads=1)
    assert arm.connects(a, b, threads=4).verdict.tobytes() == one.verdict.tobytes()
    assert len(set(one)) > 1 and len(one) == 200
    # Nothing but free is true, however it is looked at.
    assert [bool(v) for v in one] == one.free.tolist() == np.asarray(one).tolist()
    assert np.count_nonzero(one) == one.free.sum() < 200
    assert bool(Verdict.free) and not Verdict.contact and not Verdict.undecided
    assert not np.all([Verdict.contact]) and not np.any([Verdict.contact, Verdict.undecided])
    assert list(np.where([Verdict.contact, Verdict.free], "go", "stop")) == ["stop", "go"]
    assert ((one.verdict == Verdict.contact) == one.contact).all() and ((one != Verdict.free) == ~one.free).all()
    with pytest.raises(TypeError, match="Verdict.free"):
        one == "free"  # noqa: B015
    with pytest.raises(ValueError, match="neither true nor false"):
        bool(one)
    verdict = arm.connects(a[0], b[0])
    assert isinstance(verdict, Verdict) and verdict == one[0]
    certified = arm.certify(np.stack([a, b], axis=1), ask="verdict")
    assert [c.verdict for c in certified] == list(one)
    assert [bool(c) for c in certified] == one.free.tolist() == certified.free.tolist()
    with pytest.raises(ValueError, match="neither true nor false"):
        bool(certified)
    assert (arm.connects(a, b, margin=0.2) == Verdict.free).sum() < (one == Verdict.free).sum()
    with pytest.raises(keepclear.Error, match="different shapes"):
        arm.connects(a, b[:3])
    with pytest.raises(keepclear.Error, match="b has 5 numbers"):
        arm.connects(a, b[:, :5])
    bad = a.copy()
    bad[0, 0] = math.nan
    assert arm.connects(bad, b)[0] == Verdict.undecided


def test_boxes(arm: keepclear.World, tmp_path: pathlib.Path) -> None:
    middle = arm.neutral()
    rows = np.stack([middle - 0.02, middle + 0.02], axis=1)
    named = dict(zip(arm.joints, rows))
    file = tmp_path / "box.json"
    file.write_text('{"joints": {%s}}' % ", ".join(f'"{n}": [{lo!r}, {hi!r}]' for n, (lo, hi) in named.items()))
    found = arm.box(rows)
    assert found.free and 0 < found.clearance <= found.distance and found.q.shape == (6,)
    for same in (arm.box(named), arm.box(middle - 0.02, middle + 0.02), arm.box(file),
                 arm.box((middle - 0.02, middle + 0.02)), arm.box(keepclear.read_box(arm, file))):
        assert same.clearance == found.clearance
    assert repr(found) == f"BoxResult(free, clearance={found.clearance:.6g}, '{found.pair[0]}' - '{found.pair[1]}')"
    assert repr(pickle.loads(pickle.dumps(found))) == repr(found)
    # Others keep their full range.
    wide = arm.box({arm.joints[0]: (0, 0)}, budget=2000)
    assert wide.verdict == Verdict.contact and arm.check(wide.q).verdict == Verdict.contact
    for bad, what in [
        ({"elbow9": (0, 1)}, "no joint 'elbow9'"),
        ({arm.joints[0]: (1, 0)}, "empty"),
        ({arm.joints[0]: (math.nan, 0)}, "empty"),
        ({arm.joints[0]: 3}, "dimension"),
        (rows[:3], "no box of this world"),
        (middle, "dimension"),
    ]:
        with pytest.raises(keepclear.Error, match=what):
            arm.box(bad)
    with pytest.raises(keepclear.Error, match="margin"):
        arm.box(rows, margin=-1)
    with pytest.raises(keepclear.Error, match="nobody.json"):
        arm.box("nobody.json")


@given(st.lists(st.floats(-1, 1), min_size=6, max_size=6), st.floats(0.001, 0.1))
def test_a_free_box_is_free_inside(middle: list, width: float) -> None:
    world = ARM
    low, high = np.array(middle) - width, np.array(middle) + width
    found = world.box(low, high, budget=2000)
    inside = world.distance(np.random.default_rng(1).uniform(low, high, (50, 6)))
    if found.free:
        assert inside.free.all() and inside.distance.min() >= found.clearance - 1e-9
    if inside.contact.any():
        assert found.verdict != Verdict.free


def test_pairs_of_links(arm: keepclear.World) -> None:
    pairs = arm.pairs(budget=3000, samples=300)
    assert len(pairs) == len(list(pairs)) == sum(pairs.counts.values())
    assert pairs[-1].pair == pairs[len(pairs) - 1].pair
    with pytest.raises(IndexError):
        pairs[len(pairs)]
    assert repr(pairs).startswith("Pairs(") and repr(pairs[0]).startswith("PairOfLinks('")
    for pair in pairs:
        assert pair.kind in keepclear.PairClass
        if pair.kind == keepclear.PairClass.never:
            assert pair.clearance > 0
        if pair.kind == keepclear.PairClass.sometimes:
            assert pair.witness.shape == (6,) and pair.distance <= 0
    srdf = pairs.srdf()
    assert srdf.count("<disable_collisions") == sum(
        pair.kind in (keepclear.PairClass.adjacent, keepclear.PairClass.always, keepclear.PairClass.never)
        for pair in pairs
    )
    with pytest.raises(keepclear.Error, match="no robot 1"):
        pairs.srdf(1)
    assert [p.kind for p in arm.pairs(budget=3000, samples=300, threads=1)] == [p.kind for p in pairs]


def test_fitting(arm: keepclear.World, tmp_path: pathlib.Path) -> None:
    fit = arm.fit(points=5, starts=50, refined=2)
    assert repr(fit) == f"Fit('six_axis_arm', {len(fit.bodies)} bodies, {sum(len(b.points) for b in fit.model.bodies)} points)"
    assert all(len(b.body.points) <= 5 and b.volume >= b.hull_volume * (1 - 1e-9) for b in fit.bodies)
    file = tmp_path / "arm.model.json"
    fit.write(file)
    fitted = keepclear.load("six_axis_arm", model=file)
    assert fitted.hash == keepclear.load("six_axis_arm", model=fit.model).hash != arm.hash
    assert all(body.modelled for body in fitted.bodies)
    assert keepclear.read_model(file).bodies == [
        keepclear.ModelBody(b.link, b.radius, b.points, read.place)
        for b, read in zip(fit.model.bodies, keepclear.read_model(file).bodies)
    ]
    again = keepclear.load(**pickle.loads(pickle.dumps(fitted.source)))
    assert again.hash == fitted.hash
    small = fit.model
    small.bodies[0].points = np.asarray(small.bodies[0].points) * 0.5
    with pytest.raises(keepclear.Error, match=small.bodies[0].link):
        keepclear.load("six_axis_arm", model=small)
    with pytest.raises(keepclear.Error, match="points"):
        arm.fit(points=1000)


def test_linting(arm: keepclear.World) -> None:
    lint = arm.lint()
    assert lint.surface_distance.shape == (len(arm.bodies),)
    assert {link.link for link in lint.links} <= set(arm.links)
    made = keepclear.Scene(robots=[keepclear.SceneRobot(builtin="six_axis_arm")])
    with pytest.raises(keepclear.Error, match="loaded from a file"):
        keepclear.compile(made).lint()
