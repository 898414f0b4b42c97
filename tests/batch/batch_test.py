# SPDX-License-Identifier: BSD-3-Clause
"""keepclear.batch: the rows of the command, whatever happens to workers and files."""
import io
import json
import pathlib
import resource
import subprocess
import tempfile
import types

import numpy as np
import pytest

import keepclear
from keepclear import batch

from conftest import ARM, COMMAND, JOINTS, batch_words, command, edges, write_lines


def test_rows_have_the_bytes_of_the_command(scheduler, tmp_path):
    paths = edges(300)
    paths[7] = "nonsense"
    paths[100] = {"kind": "straight", "joints": ["nose"]}
    file = write_lines(tmp_path / "edges.jsonl", paths)
    told = batch.certify(ARM, file, tmp_path / "out", scheduler=scheduler, chunk=17, margin=0.01)
    whole = command("certify", ARM, "--paths", file, "--margin", 0.01, codes=(65,))
    assert (tmp_path / "out").read_bytes() == whole
    rows = [json.loads(row) for row in whole.splitlines()]
    verdicts = [row.get("verdict") for row in rows]
    assert told.answered == len(rows) == 300 and told.kept == 0
    assert told.errors == 2 and told.exit_code == 65
    assert told.free == verdicts.count("free") > 50
    assert told.contact == verdicts.count("contact") > 50


def test_options_are_those_of_the_command(scheduler, tmp_path):
    file = write_lines(tmp_path / "edges.jsonl", edges(20))
    told = dict(ask="first", method="sweep", tolerance=1e-4, tube=0.01, budget=2000)
    told["base"] = "0.001,0.002"
    batch.certify(ARM, file, tmp_path / "out", scheduler=scheduler, rest={"waist": 0.5}, **told)
    words = [word for name, value in told.items() for word in (f"--{name}", value)]
    whole = command("certify", ARM, "--paths", file, "--rest", "waist=0.5", *words)
    assert (tmp_path / "out").read_bytes() == whole
    with pytest.raises(keepclear.Error, match="--method: there is no 'guess'"):
        batch.certify(ARM, file, tmp_path / "x", scheduler=scheduler, method="guess")
    with pytest.raises(keepclear.Error, match="--margin: '-1' is negative"):
        batch.certify(ARM, file, tmp_path / "x", scheduler=scheduler, margin=-1)


def test_each_goes_on_with_what_the_other_has_begun(scheduler, tmp_path, poses_csv):
    file = write_lines(tmp_path / "edges.jsonl", edges(60))
    out = tmp_path / "out"
    for words, run in (
        (
            ["certify", ARM, "--paths", file],
            lambda: batch.certify(ARM, file, out, scheduler=scheduler, chunk=7),
        ),
        (
            ["check", ARM, "--poses", poses_csv, "--margin", 0.02],
            lambda: batch.check(ARM, poses_csv, out, scheduler=scheduler, margin=0.02, chunk=256),
        ),
    ):
        command(*words, "-o", out)
        whole = out.read_bytes()
        out.write_bytes(whole[: len(whole) * 2 // 3])
        assert run().kept > 0
        assert out.read_bytes() == whole
        out.write_bytes(whole[: len(whole) // 3])
        command(*words, "-o", out, "--resume")
        assert out.read_bytes() == whole
        out.unlink()


def test_a_path_that_kills_its_workers_is_a_row_with_an_error(scheduler, tmp_path):
    paths = edges(40)
    paths[21]["id"] = "poison"
    file = write_lines(tmp_path / "edges.jsonl", paths)
    told = batch.certify(ARM, file, tmp_path / "out", scheduler=scheduler, chunk=4)
    rows = [json.loads(row) for row in (tmp_path / "out").read_bytes().splitlines()]
    whole = [json.loads(row) for row in command("certify", ARM, "--paths", file).splitlines()]
    assert rows[21]["path"] == 21 and f"{file}:22: not answered" in rows[21]["error"]
    assert rows[:21] == whole[:21] and rows[22:] == whole[22:]
    assert told.errors == 1


def test_poses_have_the_bytes_of_the_command(scheduler, tmp_path, poses, poses_csv):
    np.save(tmp_path / "poses.npy", poses)
    whole = command("check", ARM, "--poses", poses_csv, "--json", "--margin", 0.01)
    for k, given in enumerate((poses, tmp_path / "poses.npy", poses_csv, poses.tolist())):
        out = tmp_path / f"check{k}"
        told = batch.check(ARM, given, out, scheduler=scheduler, margin=0.01, chunk=700)
        assert out.read_bytes() == whole
        assert told.answered == len(poses)
    for flags, options in (
        ([], {}),
        (["--signed"], {"signed": True}),
        (["--all-pairs"], {"all_pairs": True}),
    ):
        out = tmp_path / "".join(["distance", *flags])
        batch.distance(ARM, poses[:600], out, scheduler=scheduler, chunk=256, **options)
        whole = command("distance", ARM, "--poses", poses_csv, "--json", *flags)
        assert whole.startswith(out.read_bytes()) and out.stat().st_size > len(whole) // 6
        # What a stop leaves is gone on with, at a place where rows come out the same.
        kept = out.read_bytes()
        out.write_bytes(kept[: len(kept) // 2])
        batch.distance(ARM, poses[:600], out, scheduler=scheduler, chunk=256, **options)
        assert out.read_bytes() == kept


def test_rows_go_wherever_they_are_wanted(scheduler, tmp_path):
    paths = edges(30)
    whole = command("certify", ARM, "--paths", write_lines(tmp_path / "edges.jsonl", paths))
    rows = [json.loads(row) for row in whole.splitlines()]
    got: list = []
    batch.certify(ARM, iter(paths), got.extend, scheduler=scheduler, chunk=4)
    assert got == rows
    got.clear()
    batch.certify(ARM, paths, types.SimpleNamespace(write=got.extend), scheduler=scheduler)
    assert got == rows
    text, data = io.StringIO(), io.BytesIO()
    batch.certify(ARM, map(json.dumps, paths), text, scheduler=scheduler)
    batch.certify(ARM, paths, data, scheduler=scheduler)
    assert text.getvalue().encode() == data.getvalue() == whole
    for mode in ("w+", "w+b"):
        with tempfile.NamedTemporaryFile(mode, dir=tmp_path) as file:
            batch.certify(ARM, paths, file, scheduler=scheduler)
            file.seek(0)
            assert file.read() == (whole if "b" in mode else whole.decode())
    with pytest.raises(keepclear.Error, match="out: "):
        batch.certify(ARM, paths, 7, scheduler=scheduler)


def test_waypoints_are_paths(scheduler, tmp_path):
    world = keepclear.load(ARM)
    source = np.random.default_rng(3)
    paths = [source.uniform(-1, 1, (3, world.dof)) for _ in range(10)]
    rows: list = []
    batch.certify(world, paths, rows.extend, scheduler=scheduler)
    found = [proof.verdict.name for proof in world.certify(paths)]
    assert [row["verdict"] for row in rows] == found
    with pytest.raises(keepclear.Error, match=r"waypoints of shape \(K, 6\)"):
        batch.certify(world, [np.zeros((2, 5))], rows.extend, scheduler=scheduler)


def test_what_is_no_number_is_refused():
    world = keepclear.load(ARM)
    good = np.zeros((2, world.dof))
    masked = np.ma.array(good, mask=[[1] + [0] * 5] * 2)
    row = [0.0] * world.dof
    for bad in (
        masked, list(masked), [row, masked[0]], [[np.ma.masked, *row[1:]], row],
        good.astype(bool), [row, [True, *row[1:]]], [np.ones(world.dof, bool), good[0]],
        good.astype(str), [["0"] * world.dof] * 2, [row, [b"0", *row[1:]]],
        good + 5j, [row, [5j, *row[1:]]],
    ):  # fmt: skip
        with pytest.raises(keepclear.Error, match="poses: .*(mask|not numbers)"):
            batch.check(world, bad, print)
        with pytest.raises(keepclear.Error, match="paths: .*(mask|not numbers)"):
            batch.certify(world, [bad], print)
    with pytest.raises(keepclear.Error, match="rest: has a mask"):
        batch.certify(world, [good], print, rest=masked[0])
    for bad in (-1, 0, 1.9, True, "5", 10**13):
        with pytest.raises(keepclear.Error, match="budget: it is a whole number"):
            batch.certify(world, [good], print, budget=bad)


def test_every_item_has_its_row(scheduler):
    rows: list = []
    paths = edges(2)
    marked = ["\ufeff", "\ufeff\ufeff", "", *("\ufeff" + json.dumps(path) for path in paths)]
    batch.certify(ARM, marked, rows.extend, scheduler=scheduler)
    assert ["error" in row for row in rows] == [True, True, True, False, False]
    assert [row["path"] for row in rows] == [0, 1, 2, 3, 4] and rows[3]["id"] == paths[0]["id"]


def test_an_error_lets_go_of_the_file(scheduler, tmp_path):
    file = write_lines(tmp_path / "edges.jsonl", edges(3))
    kept = []
    for run in (
        lambda **words: batch.certify(ARM, file, tmp_path / "paths", **words),
        lambda **words: batch.check(ARM, np.zeros((3, len(JOINTS))), tmp_path / "poses", **words),
    ):
        for _ in range(2):
            with pytest.raises(keepclear.Error, match="workers: there must be one") as error:
                run(workers=0)
            # As an interpreter keeps the last one.
            kept.append(error.value)
        assert run(scheduler=scheduler).answered == 3


def test_behind_a_write_that_failed_comes_no_other(tmp_path):
    file = tmp_path / "out"
    rows = batch._rows.RowsFile(
        str(file), False, "check", "world", "asked", "input", "pose", each=1, unit=1, count=9
    )
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10, before[1]))
    try:
        with pytest.raises(keepclear.Error, match="File too large"):
            rows.write(b'{"pose":0,"verdict":"free"}\n')
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    for refused in (lambda: rows.write(b"more"), rows.finish):
        with pytest.raises(keepclear.Error, match="File too large"):
            refused()
    rows.close()
    rows.close()
    with pytest.raises(keepclear.Error, match="Bad file descriptor"):
        rows.write(b"more")
    assert file.read_bytes() == b'{"pose":0,'


def test_rows_of_anything_else_are_refused(scheduler, tmp_path):
    file = write_lines(tmp_path / "edges.jsonl", edges(5))
    out = tmp_path / "out"
    batch.certify(ARM, file, out, scheduler=scheduler)
    before = out.read_bytes()
    for words, why in (({"margin": 0.01}, "other options"), ({"tube": 0.1}, "other options")):
        with pytest.raises(keepclear.Error, match=f"its rows are of {why}"):
            batch.certify(ARM, file, out, scheduler=scheduler, **words)
    with pytest.raises(keepclear.Error, match="another world"):
        batch.certify("two_arms", file, out, scheduler=scheduler)
    with file.open("a") as more:
        more.write(json.dumps(edges(1)[0]) + "\n")
    with pytest.raises(keepclear.Error, match="another input, or it has changed since") as error:
        batch.certify(ARM, file, out, scheduler=scheduler)
    assert error.value.exit_code == 64
    assert out.read_bytes() == before
    assert batch.certify(ARM, file, out, scheduler=scheduler, resume=False).answered == 6
    assert batch.certify(ARM, file, out, scheduler=scheduler).kept == 6
    with pytest.raises(keepclear.Error, match="is an input itself"):
        batch.certify(ARM, file, file, scheduler=scheduler)
    with pytest.raises(keepclear.Error, match="No space left on device") as error:
        batch.certify(ARM, file, "/dev/full", scheduler=scheduler, resume=False)
    assert error.value.exit_code == 74


def test_a_worker_with_another_world_is_refused(scheduler, tmp_path):
    subprocess.run(["cp", "-r", _exported(tmp_path), tmp_path / "mine"], check=True)
    robot = next((tmp_path / "mine").rglob("*.urdf"))
    world = keepclear.load(robot)
    text = robot.read_text()
    changed = text.replace('radius="0.0', 'radius="0.1', 1)
    assert changed != text
    robot.write_text(changed)
    joints = world.joints
    path = {"kind": "straight", "joints": joints[:1], "times": [0, 1], "waypoints": [[0], [0.1]]}
    with pytest.raises(keepclear.Error, match="worker tcp://.* the world it loads is another"):
        batch.certify(world, [path], tmp_path / "out", scheduler=scheduler)
    robot.unlink()
    with pytest.raises(keepclear.Error, match="worker tcp://.*no such file"):
        batch.certify(world, [path], tmp_path / "out2", scheduler=scheduler)


def _exported(folder):
    command("worlds", "--export", folder / "worlds")
    return folder / "worlds"


def test_the_command_line_of_the_module(scheduler, tmp_path, poses_csv):
    file = write_lines(tmp_path / "edges.jsonl", edges(20))
    out = tmp_path / "out"

    def run(*words):
        return subprocess.run(batch_words(*words), capture_output=True, text=True)

    told = run("certify", ARM, "--paths", file, "-o", out, "--scheduler", scheduler)
    assert told.returncode == 1, told.stderr
    assert told.stdout.startswith("20 paths: ") and told.stderr == ""
    assert out.read_bytes() == command("certify", ARM, "--paths", file)
    words = ("distance", ARM, "--poses", poses_csv, "-o", tmp_path / "d")
    told = run(*words, "--scheduler", scheduler)
    assert told.returncode == 0, told.stderr
    for words, code, why in (
        (("certify", ARM, "--paths", file), 64, "-o/--output"),
        (("certify", ARM, "--paths", "none", "-o", out), 66, "none: "),
        (("certify", "none", "--paths", file, "-o", out), 66, "no built-in world"),
        (("certify", ARM, "--paths", file, "-o", out, "--margin", "x"), 64, "--margin: 'x'"),
        (("check", ARM, "--poses", file, "-o", out), 65, "text after a quote"),
        *((("certify", ARM, "--paths", file, "-o", out, *more), 64, why) for more, why in (
            (("--tolerance", ""), "--tolerance: '' is empty"),
            (("--srdf", " "), "--srdf: ' ' is blank"),
            (("--scene=",), "--scene: '' is empty"),
            (("--margin", "0.1", "--margin", "0.2"), "--margin: is given twice"),
            (("--marg", "0.1"), "--marg"),
            (("--budget", "1_000"), "--budget: '1_000' is not a whole number"),
            (("--workers", "1.5"), "--workers: '1.5' is not a whole number"),
            (("--package", "a=b", "--package", "a=c"), "--package: 'a' is given twice"),
            (("--package", " =b"), "--package ' =b' is not NAME=DIR"),
        )),
        (("check", ARM, "--poses", file, "-o", out, "--margin", "nan"), 64, "--margin: 'nan' is not"),
        (("check", ARM, "--poses", "", "-o", out), 64, "--poses: '' is empty"),
        (("check", "", "--poses", file, "-o", out), 64, "WORLD: '' is empty"),
    ):
        told = run(*words)
        assert told.returncode == code, told.stderr
        assert why in told.stderr and told.stderr.count("\n") == 1, told.stderr


def test_a_scheduler_that_is_not_there(tmp_path, monkeypatch):
    dask = pytest.importorskip("dask")
    with dask.config.set({"distributed.comm.timeouts.connect": "1s"}):
        with pytest.raises(keepclear.Error, match="no scheduler answers there") as error:
            batch.check(ARM, np.zeros((1, len(JOINTS))), print, scheduler="tcp://127.0.0.1:9")
    assert error.value.exit_code == 66


def test_shards_beside_each_other_are_the_whole(tmp_path):
    file = write_lines(tmp_path / "edges.jsonl", edges(400))
    one = f"{COMMAND} certify {ARM} --paths {file} --shard {{}}/5 -o {tmp_path}/part.{{}} --quiet"
    for resume in ("", " --resume"):
        # The verdicts of shards are exit codes, and not 0.
        run = subprocess.run(f"seq 5 | xargs -P 3 -I{{}} {one}{resume}", shell=True)
        assert run.returncode == 123
        parts = [(tmp_path / f"part.{k}").read_bytes() for k in range(1, 6)]
        assert b"".join(parts) == command("certify", ARM, "--paths", file)
        (tmp_path / "part.2").write_bytes(parts[1][:1000])
        (tmp_path / "part.4").unlink()


def test_no_file_of_the_world_is_written_over(tmp_path: pathlib.Path) -> None:
    """Not by a world that is given as a table of arguments, nor a file that a scene refers to."""
    scene = tmp_path / "cell.json"
    scene.write_text('{"robots": [{"builtin": "six_axis_arm"}]}')
    before = scene.read_bytes()
    poses = np.zeros((3, 6))
    for world in ({"file": str(scene)}, keepclear.load(scene)):
        with pytest.raises(keepclear.Error, match="is an input itself"):
            batch.check(world, poses, scene, workers=1, resume=False)
    assert scene.read_bytes() == before
