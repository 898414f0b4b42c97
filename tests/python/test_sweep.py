# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import math

import keepclear
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from keepclear import Error, JointOperator, Sweep, SweepPlan


@pytest.fixture(scope="module")
def sweeps(arm):
    plans = [keepclear.uniform_plan(arm), keepclear.paper_plan(arm, 3),
             keepclear.automatic_plan(arm, points=400, samples=4),
             SweepPlan([JointOperator(turn=4)] * len(keepclear.swept_joints(arm)))]
    return [Sweep(arm, plan) for plan in plans]


@settings(max_examples=40)
@given(st.integers(0, 2**32 - 1), st.floats(0, 0.6))
def test_no_pose_of_the_box_is_nearer_than_its_clearance(arm, sweeps, seed, half):
    generator = np.random.default_rng(seed)
    middle = generator.uniform(np.maximum(arm.lower, -2), np.minimum(arm.upper, 2))
    poses = middle + half * generator.uniform(-1, 1, (200, arm.dof))
    nearest = arm.distance(poses).distance.min()
    for sweep in sweeps:
        assert sweep.update(middle - half, middle + half) is True
        found = sweep.clearance()
        assert found.clearance <= nearest + 1e-12
        assert found.pair is None or len(found.pair) == 2


def test_volumes_are_copies_and_hold_their_bodies(arm, sweeps):
    sweep = sweeps[1]
    q = arm.neutral()
    assert sweep.update(q, q)
    volumes = sweep.volumes()
    before = [(v.body, v.frame, v.radius, v.points.copy()) for v in volumes]
    assert sum(len(v.points) for v in volumes) == sweep.point_count
    assert sweep.update(q - 0.5, q + 0.5)
    for volume, (body, frame, radius, points) in zip(volumes, before):
        assert (volume.body, volume.frame, volume.radius) == (body, frame, radius)
        assert np.array_equal(volume.points, points)
        assert 0 <= body < len(arm.bodies) and 0 <= frame <= len(keepclear.swept_joints(arm))
    for later, (body, frame, radius, points) in zip(sweep.volumes(), before):
        assert (later.body, later.frame) == (body, frame) and len(later.points) == len(points)
        assert later.radius >= radius


def test_boxes_in_every_form_are_the_same(arm, sweeps):
    sweep = sweeps[0]
    lower, upper = np.full(6, -0.1), np.full(6, 0.2)
    found = []
    for box in ((lower, upper), ((lower, upper),), (np.stack([lower, upper], 1),),
                ({name: (-0.1, 0.2) for name in arm.joints},)):
        assert sweep.update(*box)
        found.append([(v.radius, v.points.tobytes()) for v in sweep.volumes()])
    assert all(other == found[0] for other in found[1:])


def test_what_is_no_box(arm, sweeps):
    sweep = sweeps[0]
    for lower, upper in (([math.nan] * 6, [1.0] * 6), ([1.0] * 6, [0.0] * 6), ([0.0], [1.0])):
        assert sweep.update(lower, upper) is False
        assert not sweep.clearance().clearance > 0
    for box in ({"nobody": (0, 1)}, np.zeros((5, 2)), np.zeros(6)):
        with pytest.raises(Error):
            sweep.update(box)
    with pytest.raises(Error):
        sweep.update([0.0], [1.0, 2.0])
    with pytest.raises(TypeError):
        sweep.update("box")


def test_plans(arm):
    plan = keepclear.uniform_plan(arm, turn=2)
    assert plan == SweepPlan([JointOperator(2, 1)] * len(plan.operators))
    assert plan != keepclear.uniform_plan(arm) and len({plan, SweepPlan(plan.operators)}) == 1
    assert len(plan.operators) == len(keepclear.swept_joints(arm)) == 6
    small = keepclear.automatic_plan(arm, points=100, samples=2)
    large = keepclear.automatic_plan(arm, points=3000, samples=2, half_widths=np.full(6, 0.3))
    assert Sweep(arm, small).point_count == Sweep(arm, keepclear.uniform_plan(arm)).point_count
    assert Sweep(arm, small).point_count < Sweep(arm, large).point_count <= 3000
    for wrong in (SweepPlan([]), SweepPlan([JointOperator(0)] * 6),
                  SweepPlan([JointOperator(99)] * 6),
                  SweepPlan([JointOperator()] * 7)):
        with pytest.raises(Error):
            Sweep(arm, wrong)
    with pytest.raises(Error):
        keepclear.automatic_plan(arm, samples=0)
    with pytest.raises(Error):
        keepclear.automatic_plan(arm, half_widths=[0.1])
    with pytest.raises(TypeError):
        Sweep(arm, [JointOperator()])
