# SPDX-License-Identifier: BSD-3-Clause
"""Calls everything in the module, then loads a library that was linked with -ffast-math, and calls
it all again. Prints what claimed something that time, as JSON: nothing may.

    mode_calls.py FAST_MATH_LIBRARY FOLDER
"""
from __future__ import annotations

import ctypes
import json
import math
import pathlib
import sys
from typing import Any, Callable

import keepclear
import numpy as np
from keepclear import Body, Guard, Polyhedron, Sweep, Watch

EXEMPT = {
    # Classes that hold values and answers.
    "values": """Attachment BaseUncertainty BodyDistance BodyInfo BodyModel BoxResult BrakeDelays BrakeModel
        BuiltinTask BuiltinWorld Certificate CertificateFacts Certificates CheckBatch CheckResult
        DisplacementBall Element Error Fit FittedBody GuardCounters GuardCycle GuardRun Imminent
        IntendedContact JointBrake JointOperator LeftOutPair LinkLint Lint ModelBody MotionInterval
        NamedPair Nearest NearestBatch ObjectMotion Origin PairInfo PairMargin PairOfLinks Pairs
        ProofStep RecordedCycle Recording Scene SceneObject SceneRobot Shape SolidInfo StandingBody
        StandingPlane SweepPlan SweptClearance SweptVolume TolerancedInterval TolerancedResult
        Variable VerdictMessage Verdicts WatchCounters WatchCycle World WrittenCertificate
        Path DisplacementCurve DistanceQuery.reset Guard.confirm_world Guard.reset Guard.save
        Watch.reset FlightRecorder FlightRecorder.push FlightRecorder.recording
        FlightRecorder.restart FlightRecorder.write Fit.write Recording.text Sweep.volumes
        Polyhedron.triangles_of World.find_solid World.neutral WrittenCertificate.write Body
        Polyhedron""",
    "texts and bytes": """builtin_worlds sources_of decode_verdict latency_rule latency_warning encode_state is_object_motion same_finding
        swept_joints write_model""",
    "approximations that claim no bound": "DisplacementMetric.distance DisplacementMetric.distortion",
    "runs the command, a process of its own": "report",
}
BUILT_IN = {"append", "clear", "copy", "count", "extend", "index", "insert", "pop", "remove",
            "reverse", "sort", "add_note", "with_traceback"}

DRIVE = keepclear.JointBrake(max_acceleration=1, brake_deceleration=1)
CUBE = Polyhedron.box([0.2, 0.2, 0.2])
SHIFT = np.hstack([np.eye(3), [[1.0], [0.0], [0.0]]])
HERE = np.hstack([np.eye(3), np.zeros((3, 1))])
POINTS = np.array([[0.0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def calls(folder: pathlib.Path) -> dict[str, Callable[[], Any]]:
    """By name: a call whose answer is true if it claims something."""
    world = keepclear.load("two_arms")
    arm = keepclear.load("six_axis_arm")
    q, to = np.zeros(arm.dof), np.full(arm.dof, 0.1)
    delays = keepclear.BrakeDelays(1, 1, 1, 1, "at once")
    rows, times = np.stack([q, to]), [0.0, 1.0]
    path = keepclear.line_path(q, to)
    brake = keepclear.uniform_brake(arm, 0.01, DRIVE)
    curve = keepclear.screw_curve(HERE, [0, 0, 0], [1, 0, 0], 0.0, slide=1)
    metric = keepclear.DisplacementMetric(POINTS)
    plan = keepclear.uniform_plan(arm)
    sweep = Sweep(arm, plan)
    assert sweep.update(q - 0.1, q + 0.1)
    other_sweep = Sweep(arm, plan)
    query, motions = keepclear.DistanceQuery(arm), keepclear.MotionQuery(arm)
    toleranced = keepclear.TolerancedQuery(CUBE, [keepclear.StandingBody(CUBE.placed(
        np.hstack([np.eye(3), [[0], [3], [0]]])), "post")])
    pairs, box = arm.pairs(), (q - 0.1, q + 0.1)
    model = keepclear.builtin_model("six_axis_arm")
    plain = keepclear.load("six_axis_arm", without_model=True)
    scene = keepclear.read_scene(folder / "cell.json")
    cell = keepclear.load(folder / "cell.json")
    home = cell.neutral()
    part, hand = "part", "hand"
    guard = Guard(arm, brake)
    recorder = keepclear.FlightRecorder(guard, 10)
    clock = [0.0]

    def cycle() -> bool:
        clock[0] += 1e-3
        guard.step(clock[0], q, q)
        return not (guard.last.reason == keepclear.Reason.bad_rounding and guard.last.bound == 0)

    for _ in range(5):
        cycle()
        recorder.push(clock[0], q, q)
    recording = recorder.recording()
    (folder / "recording.jsonl").write_text(recording.text())
    memory = guard.save()

    def guarded(carries: bool = False) -> Guard:
        made = Guard(cell, keepclear.uniform_brake(cell, 0.01, DRIVE))
        for i in range(1, 6):
            made.step(1e-3 * i, home, 0 * home)
        assert not carries or made.attach(part, hand)
        return made

    def watched(carries: bool = False) -> Watch:
        made = Watch(cell)
        made.step(home, 0.01)
        assert not carries or made.attach(part, hand)
        return made

    watch, guards = watched(), [guarded(), guarded(True), guarded()]
    watches = [watched(), watched(True), watched(), watched()]
    rerun = guarded()
    run_times = [1.0]

    def run() -> bool:
        run_times[0] += 1
        times = run_times[0] + 1e-3 * np.arange(3)
        found = rerun.run(times, np.tile(home, (3, 1)), np.zeros((3, cell.dof)))
        return not all(r == int(keepclear.Reason.bad_rounding) for r in found.reason)

    decided = (keepclear.Verdict.free, keepclear.Verdict.contact)

    def certain(found: Any) -> bool:
        return found.verdict in decided

    table: dict[str, Callable[[], Any]] = {
        "load": lambda: keepclear.load(folder / "arm.urdf"),
        "load_builtin": lambda: keepclear.load_builtin("six_axis_arm"),
        "builtin_model": lambda: keepclear.builtin_model("six_axis_arm"),
        "compile": lambda: keepclear.compile(scene),
        "read_scene": lambda: keepclear.read_scene(folder / "cell.json"),
        "read_model": lambda: keepclear.read_model(folder / "model.json"),
        "read_box": lambda: keepclear.read_box(cell, folder / "box.json"),
        "read_brake": lambda: keepclear.read_brake(cell, folder / "brake.json"),
        "read_path": lambda: keepclear.read_path(cell, folder / "path.csv"),
        "read_object_motion": lambda: keepclear.read_object_motion(folder / "move.json"),
        "read_recording": lambda: keepclear.read_recording(folder / "recording.jsonl"),
        "parse_recording": lambda: keepclear.parse_recording(recording.text()),
        "restored_guard": lambda: keepclear.restored_guard(arm, recording),
        "uniform_brake": lambda: keepclear.uniform_brake(arm, 0.01, DRIVE),
        "latency_of": lambda: not math.isnan(keepclear.latency_of(delays)),
        "World.distance": lambda: certain(arm.distance(q)),
        "World.check": lambda: certain(arm.check(q)),
        "World.box": lambda: certain(arm.box(*box)),
        "World.certify": lambda: certain(arm.certify(path)),
        "World.certify_clocks": lambda: certain(arm.certify_clocks([path], offset=0.0)),
        "World.connects": lambda: arm.connects(q, to) in decided,
        "World.fit": lambda: keepclear.load("bench_arm", without_model=True).fit(
            points=2, starts=50, refined=2),
        "World.full_range": lambda: arm.full_range() is not None,
        "World.lint": lambda: arm.lint(),
        "World.pairs": lambda: arm.pairs(),
        "World.path": lambda: world.path("task1"),
        "Pairs.srdf": lambda: pairs.srdf(),
        "DistanceQuery": lambda: keepclear.DistanceQuery(arm),
        "DistanceQuery.check": lambda: certain(query.check(q)),
        "DistanceQuery()": lambda: certain(query(q)),
        "MotionQuery": lambda: keepclear.MotionQuery(arm),
        "MotionQuery.connects": lambda: motions.connects(q, to) in decided,
        "MotionQuery()": lambda: certain(motions(path)),
        "Sweep": lambda: Sweep(arm, plan),
        "Sweep.clearance": lambda: sweep.clearance().clearance > -math.inf,
        "Sweep.update": lambda: other_sweep.update(*box),
        "uniform_plan": lambda: keepclear.uniform_plan(arm),
        "paper_plan": lambda: keepclear.paper_plan(arm, 2),
        "automatic_plan": lambda: keepclear.automatic_plan(arm, points=100, samples=1),
        "Body.box": lambda: Body.box([1, 1, 1]),
        "Body.capsule": lambda: Body.capsule([0, 0, 0], [1, 0, 0], 1),
        "Body.hull": lambda: Body.hull(POINTS),
        "Body.sphere": lambda: Body.sphere([0, 0, 0], 1),
        "straight_path": lambda: keepclear.straight_path(times, rows),
        "line_path": lambda: keepclear.line_path(q, to),
        "cubic_path": lambda: keepclear.cubic_path(times, rows, 0 * rows),
        "quintic_path": lambda: keepclear.quintic_path(times, rows, 0 * rows, 0 * rows),
        "bezier_path": lambda: keepclear.bezier_path(rows),
        "bspline_path": lambda: keepclear.bspline_path(1, [0, 0, 1, 1], rows),
        "trapezoidal_path": lambda: keepclear.trapezoidal_path(q, to, to, to),
        "joined": lambda: keepclear.joined([path]),
        "retimed": lambda: keepclear.retimed(path, 1.0, 2.0),
        "with_tube": lambda: keepclear.with_tube(path, to),
        "Path.position": lambda: path.position(0.5) is not None,
        "Path.range": lambda: path.range(0.0, 0.5),
        "Path.velocity": lambda: path.velocity(0.0, 0.5),
        "Path.acceleration": lambda: path.acceleration(0.0, 0.5),
        "Path.tube": lambda: path.tube(0.0, 0.5) is not None,
        "DisplacementMetric": lambda: keepclear.DisplacementMetric(POINTS),
        "DisplacementMetric.balanced": lambda: keepclear.DisplacementMetric.balanced(POINTS),
        "DisplacementMetric.distance_hi": lambda: metric.distance_hi(HERE, SHIFT) < math.inf,
        "DisplacementMetric.distortion_hi": lambda: metric.distortion_hi([1, 0, 0]) < math.inf,
        "DisplacementCurve.ball": lambda: curve.ball(metric, 0.0, 0.1).radius < math.inf,
        "rational_bezier_curve": lambda: keepclear.rational_bezier_curve([HERE, SHIFT]),
        "screw_curve": lambda: keepclear.screw_curve(HERE, [0, 0, 0], [1, 0, 0], 0.0, slide=1),
        "interpolated_curve": lambda: keepclear.interpolated_curve([HERE, SHIFT], times),
        "joined_curve": lambda: keepclear.joined_curve([curve]),
        "bounded_curve": lambda: keepclear.bounded_curve(
            at=lambda t: HERE, tangent=lambda t: HERE, length_hi=lambda a, b: 0.0,
            curvature_hi=lambda a, b: 0.0, begin=0.0, end=1.0),
        "Polyhedron.box": lambda: Polyhedron.box([1, 1, 1]),
        "Polyhedron.boxes": lambda: Polyhedron.boxes([([0, 0, 0], [1, 1, 1])]),
        "Polyhedron.faces": lambda: Polyhedron.faces(POINTS, [[0, 1, 2]]),
        "Polyhedron.mesh": lambda: Polyhedron.mesh(POINTS, [[0, 1, 2]]),
        "Polyhedron.of": None,
        "Polyhedron.placed": lambda: CUBE.placed(SHIFT),
        "Polyhedron.points": lambda: Polyhedron.points(POINTS),
        "Polyhedron.polygon": lambda: Polyhedron.polygon(POINTS[:3]),
        "Polyhedron.segment": lambda: Polyhedron.segment([0, 0, 0], [1, 0, 0]),
        "TolerancedQuery": lambda: keepclear.TolerancedQuery(CUBE, []),
        "TolerancedQuery()": lambda: certain(toleranced(curve)),
        "object_query": lambda: keepclear.object_query(scene, "part"),
        "Watch": lambda: Watch(cell),
        "Watch.step": lambda: certain(watch.step(home, 0.01)),
        "Watch.attach": lambda: watches[0].attach(part, hand),
        "Watch.release": lambda: watches[1].release(part),
        "Watch.place": lambda: watches[2].place(part, SHIFT),
        "Watch.expect_contact": lambda: watches[3].expect_contact(hand, part, 0.1),
        "Guard": lambda: Guard(arm, brake),
        "Guard.step": cycle,
        "Guard.run": run,
        "Guard.attach": lambda: guards[0].attach(part, hand),
        "Guard.release": lambda: guards[1].release(part),
        "Guard.set_margin": lambda: guards[2].set_margin(hand, "table", 0.01),
        "Guard.restore": lambda: guard.restore(memory),
        "path_certificate": lambda: bool(keepclear.path_certificate(arm, path)),
        "clock_certificate": lambda: bool(keepclear.clock_certificate(arm, [path], offset=0.0)),
        "box_certificate": lambda: bool(keepclear.box_certificate(arm, np.stack(box, 1))),
        "never_certificate": lambda: bool(keepclear.never_certificate(arm, pairs)),
        "guard_certificate": lambda: bool(keepclear.guard_certificate(arm, recording)),
        "fit_certificate": lambda: bool(keepclear.fit_certificate(plain, model)),
    }  # fmt: skip
    ball = Body.sphere([0, 0, 0], 0.1)
    table["body_distance"] = lambda: certain(keepclear.body_distance(ball, HERE, ball, SHIFT))
    table["Polyhedron.of"] = lambda: Polyhedron.of(ball)
    return table


def public() -> set[str]:
    names = set()
    for name, value in vars(keepclear).items():
        if name.startswith("_") or not callable(value) or hasattr(value, "__members__"):
            continue
        names.add(name)
        if isinstance(value, type):
            names |= {f"{name}.{m}" for m in dir(value)
                      if not m.startswith("_") and callable(getattr(value, m))
                      and m not in BUILT_IN}
    return names


def claims(table: dict[str, Callable[[], Any]]) -> tuple[list[str], list[str]]:
    """Those that claim something; and errors that are not about the mode."""
    found, strange = [], []
    for name, call in table.items():
        try:
            answer = call()
            # What is no verdict was computed.
            if answer if isinstance(answer, (bool, np.bool_)) else True:
                found.append(name)
        except keepclear.Error as error:
            if "the floating-point unit of this thread" not in str(error):
                strange.append(f"{name}: {error}")
        except Exception as error:  # noqa: BLE001: a call of this table that is not right
            strange.append(f"{name}: {error}")
    return found, strange


def main() -> None:
    table = calls(pathlib.Path(sys.argv[2]))
    exempt = {name for names in EXEMPT.values() for name in names.split()}
    listed = {name for name in table if not name.endswith("()")}
    answer = {"forgotten": sorted(public() - listed - exempt),
              "unknown": sorted((listed | exempt) - public()), "entries": len(table)}
    good, strange = claims(table)
    answer["silent"], answer["strange"] = sorted(set(table) - set(good)), strange
    ctypes.CDLL(sys.argv[1])
    answer["claims"], strange = claims(table)
    answer["strange"] += strange
    print(json.dumps(answer))


main()
