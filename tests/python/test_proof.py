# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import hashlib
import pathlib
import pickle
import subprocess

import keepclear
import numpy as np
import pytest
from keepclear import CertificateFacts, Error, Guard, JointBrake
from programs import program


@pytest.fixture(scope="module")
def path(arm):
    return keepclear.line_path(np.zeros(arm.dof), np.full(arm.dof, 0.4), 2.0)


def checked(certificate, tmp_path):
    """What keepclear-verify says of it: 0 valid, 1 invalid, 2 cannot tell."""
    file = tmp_path / "proof.kcert"
    certificate.write(file)
    assert file.read_text() == certificate.text
    return subprocess.run([program("verify/keepclear-verify"), file], capture_output=True,
                          check=False).returncode


def test_a_motion_is_proved_and_the_proof_is_valid(arm, path, tmp_path):
    found = arm.certify(path, margin=0.005)
    certificate = keepclear.path_certificate(arm, path, found, margin=0.005)
    assert certificate and certificate.why == "" and certificate.cells > 0
    assert 0.005 < certificate.clearance <= found.clearance
    # Asked anew, it is the same.
    assert keepclear.path_certificate(arm, path, margin=0.005).text == certificate.text
    assert checked(certificate, tmp_path) == 0


def test_a_proof_that_was_changed_is_invalid(arm, path, tmp_path):
    certificate = keepclear.path_certificate(arm, path)
    verify = program("verify/keepclear-verify")
    lines = certificate.text.splitlines(keepends=True)
    place = next(i for i, line in enumerate(lines) if line.startswith("clearance"))
    lines[place] = "clearance 0x1p+3\n"
    file = tmp_path / "changed.kcert"
    file.write_text("".join(lines))
    assert subprocess.run([verify, file], capture_output=True, check=False).returncode == 1


def test_the_sources_are_what_the_world_was_loaded_from(arm, path, tmp_path):
    builtin = next(w for w in keepclear.builtin_worlds() if w.name == "six_axis_arm")
    urdf = tmp_path / "arm.urdf"
    urdf.write_text(next(iter(builtin.files.values())))
    world = keepclear.load(urdf)
    digest = hashlib.sha256(urdf.read_bytes()).hexdigest()
    assert (str(urdf), digest) in keepclear.sources_of(world)
    motion = tmp_path / "motion.csv"
    rows = [",".join(["time", *world.joints]), ",".join(["0"] * 7), ",".join(["1"] + ["0.3"] * 6)]
    motion.write_text("\n".join(rows) + "\n")
    text = keepclear.path_certificate(world, motion, margin=0.002).text
    assert digest in text and hashlib.sha256(motion.read_bytes()).hexdigest() in text
    assert "margin" in text and "0.002" in text
    facts = CertificateFacts([("a", "00" * 32)], [("b", "c")])
    own = keepclear.path_certificate(arm, path, facts=facts)
    assert "00" * 32 in own.text and digest not in own.text
    assert all(file.startswith("builtin:") for file, _ in keepclear.sources_of(arm))


def test_a_task_of_a_builtin_world_is_among_the_sources(two_arms):
    world = next(w for w in keepclear.builtin_worlds() if w.name == "two_arms")
    certificate = keepclear.path_certificate(two_arms, "task1")
    assert hashlib.sha256(world.tasks[0].csv.encode()).hexdigest() in certificate.text
    assert pickle.loads(pickle.dumps(certificate)).text == certificate.text


def test_what_is_not_free_has_no_certificate(arm, path):
    hit = keepclear.line_path(np.zeros(6), [0, 2.0, 0, 0, 0, 0])
    found = arm.certify(hit)
    assert not found.free
    for call in (lambda: keepclear.path_certificate(arm, hit, found),
                 lambda: keepclear.path_certificate(arm, hit),
                 lambda: keepclear.box_certificate(arm, arm.full_range())):
        with pytest.raises(Error):
            call()
    short = keepclear.line_path([0.0], [1.0])
    for wrong in (lambda: keepclear.path_certificate(arm, short),
                  lambda: keepclear.path_certificate(arm, short, arm.certify(path)),
                  lambda: keepclear.path_certificate(arm, path, share=1.5),
                  lambda: keepclear.clock_certificate(arm, [short])):
        with pytest.raises(Error):
            wrong()
    for wrong in (lambda: keepclear.path_certificate(arm, path, margn=1),
                  lambda: keepclear.path_certificate(arm, path, "found"),
                  lambda: keepclear.path_certificate(arm, path, facts="me"),
                  lambda: keepclear.never_certificate(arm, [1])):
        with pytest.raises(TypeError):
            wrong()


def test_a_budget_that_is_too_small_says_why(arm, path, tmp_path):
    none = keepclear.path_certificate(arm, path, proof_budget=1)
    assert not none and none.text == "" and none.why and "none" in repr(none)
    with pytest.raises(Error):
        none.write(tmp_path / "none.kcert")
    assert not (tmp_path / "none.kcert").exists()


def test_a_box(arm, tmp_path):
    q = arm.neutral()
    box = np.stack([q - 0.05, q + 0.05], 1)
    found = arm.box(box)
    certificate = keepclear.box_certificate(arm, box, found)
    assert certificate and 0 < certificate.clearance <= found.clearance
    assert checked(certificate, tmp_path) == 0
    named = keepclear.box_certificate(arm, {n: (a, b) for n, (a, b) in zip(arm.joints, box)})
    assert named.clearance > 0


def test_pairs_that_never_touch(arm, two_arms, tmp_path):
    pairs = arm.pairs(budget=2000, samples=200)
    certificate = keepclear.never_certificate(arm, pairs)
    assert certificate and certificate.records > 0
    assert checked(certificate, tmp_path) == 0
    with pytest.raises(Error, match="another world"):
        keepclear.never_certificate(two_arms, pairs)


def test_robots_on_their_own_clocks(two_arms, tmp_path):
    q = two_arms.neutral()
    away = q.copy()
    away[[0, 7]] += 0.05
    paths = [keepclear.line_path(q, away, 1.0)] * 2
    found = two_arms.certify_clocks(paths, offset=0.5)
    assert found.free
    certificate = keepclear.clock_certificate(two_arms, paths, found, offset=0.5)
    assert certificate and checked(certificate, tmp_path) == 0


def test_what_a_guard_let_go(arm, two_arms, tmp_path):
    brake = keepclear.uniform_brake(arm, 0.007, JointBrake(10, 20, brake_deceleration_most=40))
    guard = Guard(arm, brake)
    recorder = keepclear.FlightRecorder(guard, 20)
    guard.run(1e-3 * np.arange(20), np.tile(arm.neutral(), (20, 1)), np.zeros((20, 6)),
              recorder=recorder)
    assert guard.last
    certificate = keepclear.guard_certificate(arm, recorder.recording())
    assert certificate and checked(certificate, tmp_path) == 0
    with pytest.raises(Error, match="another world"):
        keepclear.guard_certificate(two_arms, recorder.recording())


def test_bodies_that_were_fitted(tmp_path):
    world = keepclear.load("bench_arm", without_model=True)
    fit = world.fit(points=4, starts=50, refined=2)
    certificate = keepclear.fit_certificate(world, fit.model)
    assert certificate and checked(certificate, tmp_path) == 0


def test_files_that_changed_since_are_not_named(tmp_path: pathlib.Path) -> None:
    scene = keepclear.Scene(robots=[keepclear.SceneRobot(builtin="six_axis_arm")])
    scene.objects.append(
        keepclear.SceneObject("ball", keepclear.Shape("sphere", radius=0.1), keepclear.Origin((3, 0, 0)))
    )
    made = keepclear.compile(scene)
    line = [[0, 0.3, 0, 0, 0, 0], [0.1, 0.3, 0, 0, 0, 0]]
    assert keepclear.path_certificate(made, line)
    file = tmp_path / "cell.json"
    text = """{"robots": [{"builtin": "six_axis_arm"}],
               "objects": [{"name": "ball", "shape": "sphere", "radius": 0.1, "pose": {"xyz": [3, 0, 0]}}]}"""
    file.write_text(text)
    world, other = keepclear.load(file), keepclear.load(file)
    assert keepclear.path_certificate(world, line)
    file.write_text(text.replace("[3, 0, 0]", "[0.5, 0, 0.5]"))
    # What was known to be true stays so; what cannot be known any more is not said.
    assert keepclear.path_certificate(world, line)
    with pytest.raises(keepclear.Error, match="not what the world was made of"):
        keepclear.path_certificate(other, line)
