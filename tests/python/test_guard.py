# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import gc
import json
import math
import pickle
import signal
import struct
import subprocess
import threading

import keepclear
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from keepclear import Action, Error, Guard, JointBrake, LinkReason, Reason
from programs import program

DRIVE = JointBrake(max_acceleration=10, brake_deceleration=20, velocity_uncertainty=1e-3)


@pytest.fixture(scope="module")
def brake(arm):
    return keepclear.uniform_brake(arm, 0.007, DRIVE)


@pytest.fixture()
def guard(arm, brake):
    return Guard(arm, brake)


def swing(world, count=700, speed=2.0):
    """The second joint speeds up, and runs into the bench."""
    times = 1e-3 * np.arange(count)
    v = np.zeros((count, world.dof))
    v[:, 1] = np.minimum(10 * times, speed)
    q = np.tile(world.neutral(), (count, 1))
    q[:, 1] += np.concatenate([[0], np.cumsum((v[1:, 1] + v[:-1, 1]) / 2 * 1e-3)])
    return times, q, v


def go_once(guard, world):
    """Cycles at rest, until the guard goes; the time of the last."""
    for i in range(50):
        if guard.step(1e-3 * i, world.neutral(), np.zeros(world.dof)):
            return 1e-3 * i
    raise AssertionError(guard.last)


def test_a_cycle_is_true_only_if_it_is_go(guard, arm):
    time = go_once(guard, arm)
    cycle = guard.last
    assert cycle.go is True and bool(cycle) is True
    assert cycle.action == Action.go and cycle.reason == Reason.free and cycle.why == "free"
    assert cycle.bound > 0 and cycle.flops <= guard.work_bound
    brakes = guard.step(time, arm.neutral(), np.zeros(arm.dof))
    assert brakes.go is False and bool(brakes) is False and not brakes.action
    assert brakes.reason == Reason.time_repeats and brakes.why == "time repeats"
    assert "brake, time repeats" in repr(brakes)


def bad_states(world):
    q, v = world.neutral(), np.zeros(world.dof)
    off = q.copy()
    off[2] = math.nan
    out = q.copy()
    out[0] = 100
    fast = v.copy()
    fast[3] = 1e3
    far = q.copy()
    far[0] += 0.5
    return {
        "wrong_size": [dict(q=q[:-1]), dict(v=[]), dict(q=np.zeros(world.dof + 1)),
                       dict(command=[1.0]), dict(ages=[0.0])],
        "not_finite": [dict(q=off), dict(v=np.full(world.dof, math.inf)), dict(time=math.nan)],
        "beyond_limits": [dict(q=out)],
        "too_fast": [dict(v=fast)],
        "time_back": [dict(time=-1.0)],
        "time_jumps": [dict(time=9.0)],
        "stale": [dict(age=0.5), dict(age=math.nan), dict(ages=np.full(world.dof, 0.5))],
        "jump": [dict(q=far)],
    }


def test_states_that_are_none_brake_with_their_reason_and_raise_nothing(arm, brake):
    for reason, changes in bad_states(arm).items():
        for change in changes:
            guard = Guard(arm, brake, check_jumps=reason == "jump")
            time = go_once(guard, arm) + 1e-3
            state = dict(time=time, q=arm.neutral(), v=np.zeros(arm.dof)) | change
            cycle = guard.step(**state)
            assert not cycle, (reason, change)
            assert cycle.reason.name == reason, (reason, change, cycle)


@pytest.mark.parametrize("wrong", [None, "text", ["0"] * 6, [0, 0, "x", 0, 0, 0], {}, object(),
                                   np.ma.masked_array(np.zeros(6), [1, 0, 0, 0, 0, 0]),
                                   [1j] * 6, [[1], [2, 3]], [None] * 6])
def test_what_holds_no_numbers_is_a_type_error_and_no_cycle(guard, arm, wrong):
    v = np.zeros(arm.dof)
    for call in (lambda: guard.step(0, wrong, v), lambda: guard.step(0, v, wrong),
                 lambda: guard.step(wrong, v, v), lambda: guard.step(0, v, v, age=wrong)):
        with pytest.raises(TypeError):
            call()
    assert guard.counters.cycles == 0
    assert not guard.last


def test_lists_integers_and_strided_arrays_are_the_same_numbers(arm, brake):
    q = [0, 1, 0, 0, 0, 0]
    forms = [q, tuple(q), np.array(q), np.array(q, np.float32), np.array([q, q], float)[::2][0],
             np.array([q] * 3, float, order="F")[1], np.repeat(np.array(q, float), 2)[::2]]
    found = [Guard(arm, brake).step(0.0, form, np.zeros(6)) for form in forms]
    assert all(keepclear.same_finding(found[0], other) for other in found[1:])


numbers = st.floats(width=64) | st.floats(-4, 4)


@given(st.lists(st.tuples(st.floats(), st.lists(numbers, max_size=8), st.lists(numbers, max_size=8),
                          st.floats()), min_size=1, max_size=6))
def test_no_state_raises_and_go_is_free_only(arm, brake, states):
    guard = Guard(arm, brake)
    for time, q, v, age in states:
        cycle = guard.step(time, q, v, age=age)
        assert bool(cycle) == (cycle.reason == Reason.free) == (cycle.action == Action.go)
        assert not cycle or (len(q) == len(v) == 6 and np.isfinite([time, age, *q, *v]).all())


def test_a_run_is_the_same_as_steps_bit_by_bit(arm, brake):
    times, q, v = swing(arm)
    q[7, 0] = math.nan
    run = Guard(arm, brake, graded=True).run(times, q, v)
    guard = Guard(arm, brake, graded=True)
    steps = [guard.step(t, a, b) for t, a, b in zip(times, q, v)]
    assert len(run) == len(steps) and 0 < run.go.sum() < len(run)
    for one, other in zip(run, steps):
        assert keepclear.same_finding(one, other) and one.cycle == other.cycle
        assert one.pair == other.pair
    assert np.array_equal(run.go, [bool(c) for c in steps])
    assert np.array_equal(run.reason, [c.reason for c in steps])
    assert np.array_equal(run.bound, [c.bound for c in steps])
    assert keepclear.same_finding(run[-1], steps[-1])
    with pytest.raises(IndexError):
        run[len(run)]


def test_a_run_of_wrong_shapes(guard, arm):
    times, q, v = swing(arm, 5)
    run = guard.run(times, q[:, :-1], v)
    assert not run.go.any() and set(run.reason) == {Reason.wrong_size}
    assert len(guard.run([], np.zeros((0, 6)), np.zeros((0, 6)))) == 0
    for wrong in (dict(q=q[:-1]), dict(q=q[0]), dict(times=times[:-1]), dict(age=[0.0, 0.0])):
        with pytest.raises(Error):
            guard.run(**(dict(times=times, q=q, v=v) | wrong))
    with pytest.raises(TypeError):
        guard.run(times, "q", v)


def test_the_same_as_the_command(arm, brake, tmp_path):
    command = program("apps/keepclear")
    times, q, v = swing(arm)
    header = ["time", *(f"q.{j}" for j in arm.joints), *(f"v.{j}" for j in arm.joints)]
    states, file = tmp_path / "states.csv", tmp_path / "brake.json"
    rows = [",".join(map(repr, map(float, [t, *a, *b]))) for t, a, b in zip(times, q, v)]
    states.write_text("\n".join([",".join(header), *rows]) + "\n")
    members = {name: value for name, value in vars(DRIVE).items()
               if value and math.isfinite(value)}
    file.write_text(json.dumps({"latency": 0.007, "default": members}))
    assert keepclear.read_brake(arm, file) == brake
    done = subprocess.run([command, "guard", "six_axis_arm", "--replay", states, "--brake", file,
                           "--json", "--no-timing", "--quiet"], capture_output=True, text=True,
                          check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines()][:-1]
    run = Guard(arm, brake).run(times, q, v)
    assert len(lines) == len(run) and done.returncode == 1
    for line, cycle in zip(lines, run):
        assert (line["action"] == "go") == cycle.go
        assert line["reason"] == cycle.why and line["flops"] == cycle.flops
        assert line["distance"] == (cycle.bound if math.isfinite(cycle.bound) else None)
        assert line["pair"] == (list(cycle.pair) if cycle.pair else None)


def test_what_was_recorded_comes_out_the_same(arm, brake, tmp_path):
    times, q, v = swing(arm)
    guard = Guard(arm, brake, latch=True, margin=0.001)
    recorder = keepclear.FlightRecorder(guard, 50)
    guard.run(times[:200], q[:200], v[:200], recorder=recorder)
    for t, a, b in zip(times[200:], q[200:], v[200:]):
        guard.step(t, a, b)
        recorder.push(t, a, b, said=LinkReason.late if t == times[-1] else "none")
    assert 50 <= len(recorder) <= 100
    recorder.write(tmp_path / "last.kcr")
    read = keepclear.read_recording(tmp_path / "last.kcr")
    assert read.text() == recorder.recording().text() == (tmp_path / "last.kcr").read_text()
    assert read.world == arm.hash and read.brake == brake and read.options == guard.options
    assert keepclear.Guard(arm, read.brake, **read.options).options == guard.options
    again = keepclear.restored_guard(arm, read)
    assert len(read) == len(read.cycles) == len(recorder)
    for cycle in read.cycles:
        assert keepclear.same_finding(again.step(*cycle.state), cycle.found)
    assert read.cycles[-1].said == LinkReason.late and read.cycles[0].said == LinkReason.none
    assert np.array_equal(read.cycles[-1].q, q[-1]) and read.cycles[-1].command is None


def test_recordings_that_are_none(arm, two_arms, brake):
    recorder = keepclear.FlightRecorder(Guard(arm, brake), 5)
    text = recorder.recording().text()
    for wrong in ("", "text", text[:-2], text.replace("0.007", "0.001")):
        with pytest.raises(Error) as caught:
            keepclear.parse_recording(wrong, "x.kcr")
        assert caught.value.kind.name == "malformed" and caught.value.file == "x.kcr"
    with pytest.raises(Error, match="another world"):
        keepclear.restored_guard(two_arms, keepclear.parse_recording(text))
    for cycles in (0, 10**7):
        with pytest.raises(Error):
            keepclear.FlightRecorder(Guard(arm, brake), cycles)
    with pytest.raises(Error, match="another guard"):
        other = Guard(arm, brake)
        other.run([0.0], [arm.neutral()], [np.zeros(6)], recorder=recorder)


def test_a_guard_that_is_restored_goes_on_bit_by_bit(arm, brake):
    times, q, v = swing(arm)
    guard = Guard(arm, brake)
    guard.run(times[:100], q[:100], v[:100])
    memory = guard.save()
    twin = Guard(arm, brake)
    assert twin.restore(memory) is True
    ours, theirs = guard.run(times[100:], q[100:], v[100:]), twin.run(times[100:], q[100:], v[100:])
    assert all(keepclear.same_finding(a, b) for a, b in zip(ours, theirs))
    assert twin.restore(memory[:-1]) is False and twin.restore(b"") is False
    assert twin.restore(b"\0" * len(memory)) is False


def test_brake_models_are_plain_values_and_never_guessed(arm, brake):
    assert brake.latency == 0.007 and len(brake.joints) == arm.dof and brake.joints[0] == DRIVE
    brake.joints[0].max_velocity = 1.0
    assert brake.joints[1].max_velocity == math.inf  # each joint has its own
    brake.joints[0].max_velocity = math.inf
    wrong = {"stops": "false", "max_acceleration": "10", "brake_deceleration": None}
    for name, value in wrong.items():
        with pytest.raises(TypeError):
            keepclear.uniform_brake(arm, 0.01, JointBrake(**{**vars(DRIVE), name: value}))
    for missing in ("max_acceleration", "brake_deceleration"):
        given = {name: value for name, value in vars(DRIVE).items() if name != missing}
        with pytest.raises(TypeError, match=missing):
            JointBrake(**given)
    with pytest.raises(TypeError):
        keepclear.BrakeModel(joints=[DRIVE] * arm.dof)
    for nothing in (math.nan, -1.0):
        with pytest.raises(Error, match="max_acceleration"):
            Guard(arm, keepclear.uniform_brake(arm, 0.01, JointBrake(nothing, 20)))
    with pytest.raises(TypeError):
        Guard(arm, {"latency": 0.1})
    with pytest.raises(TypeError):
        Guard(arm, keepclear.BrakeModel(0.1, [1.0] * arm.dof))
    with pytest.raises(Error):
        Guard(arm, keepclear.BrakeModel(0.1, []))
    for options in (dict(margin=-1), dict(margin=math.nan), dict(slices=0), dict(horizon=-1)):
        with pytest.raises(Error):
            Guard(arm, brake, **options)
    with pytest.raises(TypeError):
        Guard(arm, brake, margn=0.1)
    with pytest.raises(TypeError):
        Guard("six_axis_arm", brake)


def test_the_latency_is_the_sum_of_its_parts(arm, tmp_path):
    parts = dict(age=0.001, cycle=0.002, communication=0.0005, brake_reaction=0.006)
    for noticed, cycles in (("at once", 1), ("end of cycle", 2)):
        delays = keepclear.BrakeDelays(**parts, missing_answer_noticed=noticed)
        latency = keepclear.latency_of(delays)
        assert latency == pytest.approx(0.0075 + cycles * 0.002, rel=1e-14)
        assert ("2 x cycle" in keepclear.latency_rule(delays)) == (cycles == 2)
        brake = keepclear.uniform_brake(arm, delays, DRIVE)
        assert brake.latency == latency and brake.delays == delays
        file = tmp_path / "brake.json"
        file.write_text(json.dumps({
            "delays": {**parts, "missing_answer_noticed": noticed},
            "default": {"max_acceleration": 10, "brake_deceleration": 20,
                        "velocity_uncertainty": 1e-3}}))
        assert keepclear.read_brake(arm, file) == brake
        guard = Guard(arm, brake)
        assert guard.brake == brake
        q, v = arm.neutral(), np.zeros(arm.dof)
        guard.step(0.0, q, v)
        assert guard.step(0.002, q, v, age=0.0011).reason == Reason.stale
        assert guard.step(0.0021, q, v).reason == Reason.time_jumps
        assert guard.step(0.0041, q, v).reason != Reason.time_jumps
        assert keepclear.latency_warning(brake, 0.002) == ""
        assert "more than the cycle" in keepclear.latency_warning(brake, 0.003)
        with pytest.raises(Error, match="0.003"):
            Guard(arm, brake, max_gap=0.003)
        brake.latency -= 0.001
        with pytest.raises(Error, match="not the sum"):
            Guard(arm, brake)
    bare = keepclear.uniform_brake(arm, 0.01, DRIVE)
    assert bare.delays is None and "two such cycles" in keepclear.latency_warning(bare, 0.006)
    with pytest.raises(ValueError):
        keepclear.latency_of(keepclear.BrakeDelays(**parts, missing_answer_noticed="soon"))
    with pytest.raises(TypeError):
        keepclear.BrakeDelays(**parts)
    for name in parts:
        for wrong in (-1, math.nan, math.inf, 60):
            delays = keepclear.BrakeDelays(**{**parts, name: wrong}, missing_answer_noticed="at once")
            with pytest.raises(Error, match=name):
                keepclear.uniform_brake(arm, delays, DRIVE)


def test_a_known_command_is_asked_for(arm, brake):
    with pytest.raises(Error, match="acceleration_uncertainty is not given"):
        Guard(arm, brake, known_command=True)
    exact = JointBrake(**{**vars(DRIVE), "acceleration_uncertainty": 0.0})
    guard = Guard(arm, keepclear.uniform_brake(arm, 0.007, exact), known_command=True)
    q, v = arm.neutral(), np.zeros(6)
    assert guard.step(0.0, q, v).reason == Reason.wrong_size
    assert guard.step(0.001, q, v, command=v).reason != Reason.wrong_size


def test_margins_and_what_is_carried(two_arms):
    guard = Guard(two_arms, keepclear.uniform_brake(two_arms, 0.007, DRIVE), budget=10**7)
    assert guard.attach("front_box", "left/link7") is False  # no state yet
    # Where the left arm is at the box.
    task = next(w for w in keepclear.builtin_worlds() if w.name == "two_arms").tasks[0]
    q = two_arms.path(task.name).position(44.0)
    assert go_once_at(guard, q)
    assert guard.changed is False
    assert guard.set_margin("left/link7", "front_box", 5.0) is True
    assert guard.changed is True
    cycle = guard.step(1.0, q, np.zeros(two_arms.dof))  # a jump in time first
    guard.reset()
    cycle = guard.step(1.001, q, np.zeros(two_arms.dof))
    assert not cycle and cycle.reason == Reason.not_clear
    assert set(cycle.pair) == {"left/link7", "front_box"}
    assert guard.attach("front_box", "left/link7", touch=["front_table"]) is True
    assert guard.release("front_box") is True and guard.release("front_box") is False
    for a, b in ((-5, 0), (0, 10**6), (10**30 - 10**30, -1)):
        assert guard.set_margin(a, b, 0.1) is False
    assert guard.attach(10**6, 3, touch=[-7, 10**6]) is False
    with pytest.raises(Error, match="no solid 'nobody'"):
        guard.attach("nobody", "left/link7")
    with pytest.raises(TypeError):
        guard.attach("front_box", "left/link7", touch="front_table")
    with pytest.raises(TypeError):
        guard.release(1.5)


def test_a_refused_state_leaves_nothing_to_rest_on(two_arms):
    model = keepclear.uniform_brake(two_arms, 0.007, DRIVE)
    q, v = two_arms.neutral(), np.zeros(two_arms.dof)
    nan = q.copy()
    nan[0] = math.nan
    spoiled = (dict(q=nan, v=v), dict(q=q[:-1], v=v), dict(q=q, v=v, age=0.5), dict(q=q, v=v, time=0.5))
    for spoil in spoiled:
        guard = Guard(two_arms, model, budget=10**7)
        guard.step(1.0, q, v)
        assert not guard.step(**dict(dict(time=1.001), **spoil))
        before = guard.save()
        assert guard.attach("front_box", "left/link7") is False
        assert guard.release("front_box") is False
        assert guard.confirm_world(1.0) is False
        assert guard.save() == before
        guard.step(1.002, q, v)
        memory = guard.save()
        assert guard.attach("front_box", "left/link7") is True
        # Who restores a guard does not know where the robot is now.
        assert guard.restore(memory) is True and guard.save() == memory
        assert guard.attach("front_box", "left/link7") is False
    # What holds no state at all raises, and is no state either.
    guard = Guard(two_arms, model, budget=10**7)
    wrong = (lambda: guard.step(2.0, None, v), lambda: guard.step(2.0, "q", v),
             lambda: guard.step(None, q, v), lambda: guard.step(2.0, q, v, age="0"), lambda: guard.run([2.0], q, v), lambda: guard.run([2.0], [q, q], [v]))
    for k, call in enumerate(wrong):
        guard.step(1.0 + 1e-3 * k, q, v)
        before = guard.save()
        with pytest.raises((TypeError, Error)):
            call()
        assert guard.save() == before
        assert guard.attach("front_box", "left/link7") is False
    guard = Guard(two_arms, model, budget=10**7, max_world_age=1.0)
    assert guard.step(1.0, q, v).reason == Reason.world_stale
    assert guard.confirm_world(1000.0) is False and guard.confirm_world(math.nan) is False
    assert guard.step(1.001, q, v).reason == Reason.world_stale
    assert guard.confirm_world(1.001) is True
    assert guard.step(1.002, q, v).reason != Reason.world_stale


def go_once_at(guard, q):
    return any(guard.step(1e-3 * i, q, np.zeros(len(q))) for i in range(50))


def test_a_guard_outlives_the_name_of_its_world(brake):
    world = keepclear.load("six_axis_arm")
    guard = Guard(world, brake)
    recorder = keepclear.FlightRecorder(guard, 3)
    times, q, v = swing(world, 20)
    del world
    gc.collect()
    run = guard.run(times, q, v, recorder=recorder)
    cycle = run[-1]
    recording = recorder.recording()
    assert guard.world.name == "six_axis_arm"
    del guard, recorder, run
    gc.collect()
    assert all(isinstance(name, str) and name for name in cycle.pair)
    assert recording.cycles[-1].found.pair == cycle.pair


def test_threads_do_not_mix_in_one_guard(arm, brake):
    times, q, v = swing(arm, 20_000, 0.0)
    guard = Guard(arm, brake)
    recorder = keepclear.FlightRecorder(guard, 100)
    problems, refused = [], []

    def meddle():
        for i in range(300):
            try:
                guard.step(-1.0, q[0], v[0])
                recorder.push(-1.0, q[0], v[0])
                _ = guard.last, guard.counters, len(recorder), repr(guard), repr(recorder)
                recorder.recording()
            except Error as error:
                refused.append(str(error))
            except Exception as error:  # anything else is a fault
                problems.append(error)

    threads = [threading.Thread(target=meddle) for _ in range(2)]
    for thread in threads:
        thread.start()
    runs = []
    while any(thread.is_alive() for thread in threads):
        try:
            runs.append(guard.run(times, q, v, recorder=recorder))
        except Error as error:
            refused.append(str(error))
    for thread in threads:
        thread.join()
    assert not problems and all("another thread" in line for line in refused)
    guard.step(100.0, q[0], v[0])  # and it still works
    assert guard.last.reason == Reason.time_jumps or guard.last.reason == Reason.time_back


def test_a_long_run_ends_with_ctrl_c(arm, brake):
    guard = Guard(arm, brake)
    rows = 2_000_000  # seconds
    times, still = 1e-3 * np.arange(rows), np.zeros((rows, 6))

    def interrupt(number, frame):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.4)
        with pytest.raises(KeyboardInterrupt):
            guard.run(times, still, still)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert 0 < guard.counters.cycles < rows  # and it can be used again
    assert guard.step(1e6, still[0], still[0]).reason == Reason.time_jumps


def test_answers_and_recordings_can_be_sent_to_another_process(arm, brake):
    guard = Guard(arm, brake)
    recorder = keepclear.FlightRecorder(guard, 10)
    times, q, v = swing(arm, 12)
    cycle = guard.run(times, q, v, recorder=recorder)[-1]
    copy = pickle.loads(pickle.dumps(cycle))
    assert keepclear.same_finding(copy, cycle) and copy.pair == cycle.pair and copy.go == cycle.go
    recording = recorder.recording()
    assert pickle.loads(pickle.dumps(recording)).text() == recording.text()
    assert pickle.loads(pickle.dumps(brake)) == brake
    with pytest.raises(TypeError):
        pickle.dumps(guard)


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def test_messages_have_the_bytes_of_the_manual(arm):
    q, v = np.arange(6.0), -np.arange(6.0)
    body = b"KCGM" + struct.pack("<HBBQQ", 1, 1, 0, 77, 5) + bytes.fromhex(arm.hash[:16])
    body += struct.pack("<ddII", 1.5, 0.001, 6, 0) + struct.pack("<12d", *q, *v)
    expected = body + struct.pack("<I", crc32c(body))
    assert keepclear.encode_state(arm, 77, 5, 1.5, q, v, age=0.001) == expected
    assert keepclear.encode_state(arm.hash, 77, 5, 1.5, q, v, age=0.001) == expected
    with pytest.raises(Error):
        keepclear.encode_state(arm, 77, 5, 1.5, q, v[:-1])
    for hash in ("", "text", arm.hash[:15], arm.hash.upper().replace("0", "G")):
        with pytest.raises(Error):
            keepclear.encode_state(hash, 77, 5, 1.5, q, v)
    with pytest.raises(TypeError):
        keepclear.encode_state(7, 77, 5, 1.5, q, v)

    def verdict(action, reason):
        answer = b"KCGM" + struct.pack("<HBBQQ", 1, 2, action, 77, 5) + bytes.fromhex(arm.hash[:16])
        answer += struct.pack("<dddQHHii", 1.5, 0.5, 0.25, 9, reason, 0, 1, 4)
        return answer + struct.pack("<I", crc32c(answer))

    go = keepclear.decode_verdict(verdict(1, 0))
    assert go and go.go and (go.sequence, go.cycle, go.bound, go.a, go.b) == (5, 9, 0.25, 1, 4)
    late = keepclear.decode_verdict(verdict(0, 65))
    assert not late and late.why == "late" and late.reason == LinkReason.late
    for damaged in (b"", verdict(1, 0)[:-1], verdict(1, 0)[:7] + b"\1" + verdict(0, 65)[8:],
                    expected, verdict(1, 999)):
        with pytest.raises(Error):
            keepclear.decode_verdict(damaged)
