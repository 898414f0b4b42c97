# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import json
import math

import keepclear
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keepclear import Body, Error, Polyhedron, StandingBody, StandingPlane, TolerancedQuery, Verdict


def at(x, y=0.0, z=0.0, angle=0.0):
    c, s = math.cos(angle), math.sin(angle)
    return np.array([[c, -s, 0, x], [s, c, 0, y], [0, 0, 1, z]])


CUBE = Polyhedron.box([0.2, 0.2, 0.2])


@pytest.fixture()
def query():
    post = Polyhedron.box([0.1, 0.1, 2]).placed(at(0, 0.25))
    return TolerancedQuery(CUBE, [StandingBody(post, "post")],
                           [StandingPlane([0, 0, 1], -0.5, "floor")])


def test_a_straight_motion_keeps_the_gap_that_it_has(query):
    result = query(keepclear.rational_bezier_curve([at(-1), at(1)]))
    assert result.free and result.verdict == Verdict.free
    assert 0.095 <= result.clearance <= 0.1 and abs(result.distance - 0.1) < 0.01
    assert math.isnan(result.first_contact) and result.balls > 0 and result.tests > 0
    off = query(keepclear.rational_bezier_curve([at(-1), at(1)]), 0.01)
    assert off.free and off.clearance < result.clearance
    assert not query(keepclear.rational_bezier_curve([at(-1), at(1)]), 0.2).free


def test_a_contact_names_what_is_hit(query):
    curve = keepclear.screw_curve(at(-1, 0.25), [0, 0, 0], [1, 0, 0], 0.0, slide=2, begin=3, end=5)
    assert (curve.begin, curve.end) == (3, 5)
    result = query(curve)
    # It goes a metre a second, and meets the post after 0.85 m.
    assert result.verdict == Verdict.contact and abs(result.first_contact - 3.85) < 0.01
    hit = next(i for i in result.intervals if i.status == Verdict.contact)
    assert query.bodies[hit.other].name == "post" and hit.start <= hit.stop
    assert hit.moving.kind.name in ("vertex", "edge", "face")
    down = query(keepclear.interpolated_curve([at(0, -1), at(0, -1, -0.5)], [0.0, 1.0]))
    hit = next(i for i in down.intervals if i.status == Verdict.contact)
    assert (query.bodies + query.planes)[hit.other].name == "floor"


@settings(max_examples=25)
@given(st.floats(-0.3, 0.3), st.floats(-1.5, 1.5), st.integers(0, 2**32 - 1))
def test_no_moment_is_nearer_than_the_clearance(y, angle, seed):
    post = Body.box([0.1, 0.1, 2], at(0, 0.3))
    cube = Body.box([0.2, 0.2, 0.2])
    query = TolerancedQuery(CUBE, [StandingBody(Polyhedron.of(post), "post")])
    start, stop = at(-1, y), at(1, y, 0, angle)
    curve = keepclear.interpolated_curve([start, stop], [0, 1])
    result = query(curve)
    times = np.random.default_rng(seed).uniform(0, 1, 40)
    for time in times:
        pose = curve.ball(query.metric, time, time).centre
        found = keepclear.body_distance(cube, pose, post, np.eye(4))
        if result.free:
            assert result.clearance <= found.distance + 1e-9
        if found.verdict == Verdict.contact:
            assert result.verdict == Verdict.contact


def test_a_curve_of_functions_is_proved_like_the_one_it_is(query):
    calls = []

    def place(time):
        calls.append(time)
        return at(2 * time - 1)

    along = np.zeros((3, 4))
    along[0, 3] = 1
    curve = keepclear.bounded_curve(place, lambda time: along,
                                    lambda start, stop: 2.001 * (stop - start) + 1e-9,
                                    lambda start, stop: 1e-9, error=1e-9)
    result = query(curve)
    assert result.free and 0.09 < result.clearance <= 0.1 and calls


@pytest.mark.parametrize("threads", [1, 2])
def test_what_a_function_raises_comes_back(threads):
    query = TolerancedQuery(CUBE, [StandingBody(CUBE.placed(at(3)), "other")], threads=threads)

    def fail(time):
        raise KeyError(f"at {time}")

    for broken in (fail, lambda time: "text", lambda time: np.zeros((2, 2))):
        curve = keepclear.bounded_curve(broken, broken, lambda a, b: b - a, lambda a, b: 0.0)
        with pytest.raises((KeyError, TypeError, Error)):
            query(curve)
    length = keepclear.bounded_curve(at, at, lambda a, b: None, lambda a, b: 0.0)
    with pytest.raises(TypeError):
        query(length)
    assert query(keepclear.rational_bezier_curve([at(0), at(1)])).free  # and it still works


def test_curves_one_after_the_other(query):
    first = keepclear.rational_bezier_curve([at(-1), at(0)], end=1)
    second = keepclear.rational_bezier_curve([at(0), at(1)], [1, 2], 1, 2, ball="smallest")
    joined = keepclear.joined_curve([first, second])
    assert (joined.begin, joined.end) == (0, 2) and query(joined).free
    with pytest.raises(Error):
        keepclear.joined_curve([first, first])


@pytest.mark.parametrize("make", [
    lambda: keepclear.rational_bezier_curve([at(0)]),
    lambda: keepclear.rational_bezier_curve([at(0), at(math.nan)]),
    lambda: keepclear.rational_bezier_curve([at(0), at(1)], [1, -1]),
    lambda: keepclear.rational_bezier_curve([at(0), at(1)], [1]),
    lambda: keepclear.rational_bezier_curve([np.eye(3), np.eye(3)]),
    lambda: keepclear.rational_bezier_curve([np.ones((4, 4)), np.eye(4)]),
    lambda: keepclear.rational_bezier_curve([at(0), at(1)], ball="middling"),
    lambda: keepclear.screw_curve(2 * at(0), [0, 0, 0], [1, 0, 0], 1),
    lambda: keepclear.screw_curve(at(0), [0, 0, 0], [0, 0, 0], 1),
    lambda: keepclear.interpolated_curve([at(0), at(1)], [1, 0]),
    lambda: keepclear.interpolated_curve([at(0), at(1)], [0]),
    lambda: keepclear.interpolated_curve([at(0), np.diag([1, 1, -1, 1.0])], [0, 1]),
    lambda: Polyhedron.mesh([[0, 0, 0]], [[0, 1, 2]]),
    lambda: Polyhedron.mesh([[0, 0, 0], [1, 0, 0], [0, 1, math.nan]], [[0, 1, 2]]),
    lambda: Polyhedron.faces([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 1]], [[0, 1, 3, 2]]),
    lambda: Polyhedron.polygon([[0, 0, 0], [1, 0, 0]]),
    lambda: Polyhedron.box([1, 1, math.inf]),
    lambda: CUBE.placed(at(0), rotation_error=-1),
    lambda: Body.sphere([0, 0, 0], -1),
    lambda: Body.hull(np.zeros((0, 3))),
    lambda: Body.hull([[0, 0, 0]], math.nan),
    lambda: keepclear.DisplacementMetric([]),
    lambda: keepclear.DisplacementMetric([[0, 0, 0]], [-1.0]),
    lambda: TolerancedQuery(CUBE, [], [], tolerance=0),
    lambda: TolerancedQuery(CUBE, [], [], margin=-1),
    lambda: TolerancedQuery(CUBE, [], [], ask="everything"),
    lambda: TolerancedQuery(CUBE, [], [], threads=-1),
])
def test_what_makes_no_sense_is_an_error_of_one_line(make):
    with pytest.raises(Error) as caught:
        make()
    assert str(caught.value) and "\n" not in str(caught.value)


@pytest.mark.parametrize("make", [
    lambda: Polyhedron.mesh("text", [[0, 1, 2]]),
    lambda: Polyhedron.mesh([[0, 0, 0]], [[0, -1, 2]]),
    lambda: Polyhedron.box("abc"),
    lambda: TolerancedQuery(CUBE, [CUBE]),
    lambda: TolerancedQuery(CUBE, [], [], toll=1),
    lambda: TolerancedQuery(CUBE, [], [], margin="wide"),
    lambda: keepclear.bounded_curve(1, 2, 3, 4),
])
def test_what_is_of_another_type(make):
    with pytest.raises(TypeError):
        make()


def test_polyhedra_tell_what_they_are_made_of():
    assert CUBE.vertices.shape == (8, 3) and CUBE.edges.shape[1] == 2 and CUBE.solid
    assert CUBE.face_count * 2 == sum(len(CUBE.triangles_of(i)) for i in range(CUBE.face_count))
    with pytest.raises(IndexError):
        CUBE.triangles_of(CUBE.face_count)
    plate = Polyhedron.faces([[0, 0, 0], [3, 0, 0], [3, 3, 0], [0, 3, 0], [1, 1, 0], [2, 1, 0],
                              [2, 2, 0], [1, 2, 0]], [([0, 1, 2, 3], [[4, 5, 6, 7]])])
    assert plate.face_count == 1 and not plate.solid and len(plate.triangles_of(0)) == 8
    cloud = Polyhedron.points(np.zeros((1, 3)), radius=0.5)
    assert cloud.radius >= 0.5 and cloud.face_count == 0
    boxes = Polyhedron.boxes([([0, 0, 0], [1, 1, 1]), ([2, 0, 0], [3, 1, 1])])
    assert boxes.solid and len(boxes.vertices) == 16


def test_the_metric_bounds_how_far_points_move():
    corners = CUBE.vertices
    metric = keepclear.DisplacementMetric(corners)
    g, h = at(0), at(0.1, 0.2, angle=0.5)
    rms = math.sqrt(np.mean([np.sum(((g - h) @ np.append(x, 1)) ** 2) for x in corners]))
    assert math.isclose(metric.distance(g, h), rms, rel_tol=1e-9)
    assert metric.distance_hi(g, h) >= rms * (1 - 1e-12)
    for x in corners:
        moved = np.linalg.norm((g - h) @ np.append(x, 1))
        assert moved <= metric.distance_hi(g, h) * metric.distortion_hi(x)
    assert len(metric.moments) == 3 and metric.axes.shape == (3, 3)
    assert np.allclose(metric.barycentre, 0)
    assert keepclear.DisplacementMetric.balanced(corners).distortion(corners[0]) < 2.1


def test_bodies():
    a, b = Body.sphere([0, 0, 0], 1), Body.capsule([0, 0, -1], [0, 0, 1], 0.5)
    found = keepclear.body_distance(a, np.eye(4), b, at(3))
    assert found.verdict == Verdict.free and math.isclose(found.distance, 1.5, abs_tol=1e-9)
    assert found.lower_bound <= 1.5 and np.allclose(found.normal, [1, 0, 0])
    inside = keepclear.body_distance(a, np.eye(4), b, at(0.5), signed=True)
    assert inside.verdict == Verdict.contact and math.isclose(inside.distance, -1.0, abs_tol=1e-6)
    undecided = keepclear.body_distance(a, 2 * np.eye(3, 4), b, at(3))
    assert undecided.verdict == Verdict.undecided
    turned = Body.box([1, 1, 1], keepclear.Origin(xyz=(5, 0, 0), rpy=(0, 0, math.pi / 4)))
    away = keepclear.body_distance(a, np.eye(4), turned, np.eye(4))
    assert math.isclose(away.distance, 4 - math.sqrt(0.5), abs_tol=1e-9)
    assert Body.hull(CUBE.vertices).points.shape == (8, 3) and Body.sphere([1, 2, 3], 1).radius >= 1
    with pytest.raises(Error):
        keepclear.body_distance(a, np.eye(4), b, at(3), tolerance=0)


@pytest.fixture()
def files(tmp_path):
    scene = {"objects": [
        {"name": "tray", "shape": "box", "size": [0.2, 0.2, 0.2], "pose": {"xyz": [-1, 0, 0]}},
        {"name": "post", "shape": "box", "size": [0.1, 0.1, 2], "pose": {"xyz": [0, 0.25, 0]}}]}
    motion = {"kind": "rational_bezier", "object": "tray", "deviation": 0.002,
              "control": [at(-1).ravel().tolist(), at(1).ravel().tolist()], "weights": [1, 1]}
    (tmp_path / "scene.json").write_text(json.dumps(scene))
    (tmp_path / "motion.json").write_text(json.dumps(motion))
    return tmp_path / "scene.json", tmp_path / "motion.json"


def test_an_object_of_a_scene_moves_as_a_file_says(files):
    scene, motion = files
    assert keepclear.is_object_motion(motion) and not keepclear.is_object_motion(scene)
    read = keepclear.read_object_motion(motion)
    assert read.object == "tray" and read.deviation == 0.002
    query = keepclear.object_query(keepclear.read_scene(scene), read.object)
    result = query(read.curve, read.deviation)
    assert result.free and 0.08 < result.clearance < 0.1
    assert [body.name for body in query.bodies] == ["post"]
    wide = keepclear.object_query(scene, "tray", margin=0.2, ask="verdict", load={"parts": 2})
    assert not wide(read.curve).free
    for wrong in (lambda: keepclear.object_query(scene, "nobody"),
                  lambda: keepclear.object_query("missing.json", "tray"),
                  lambda: keepclear.read_object_motion(scene)):
        with pytest.raises(Error):
            wrong()
    with pytest.raises(TypeError):
        keepclear.object_query(scene, "tray", load={"pats": 2})
