# SPDX-License-Identifier: BSD-3-Clause
"""Workers killed, clients killed and stopped: every path is answered exactly once."""
import os
import pathlib
import random
import signal
import subprocess
import time

from conftest import ARM, batch_words, command, edge, write_lines

PATHS = 2000
# Hard enough that a run is still at it when it is stopped.
HARD = ("--tube", "0.05")


def lines_in(file: pathlib.Path) -> int:
    return file.read_bytes().count(b"\n") if file.exists() else 0


def wait_for(run: subprocess.Popen, what) -> None:
    """Until it is so; that the run goes on meanwhile is asked as well."""
    end = time.monotonic() + 120
    while not what():
        assert run.poll() is None, run.communicate()
        assert time.monotonic() < end
        time.sleep(0.01)


def workers_of(run: subprocess.Popen) -> list:
    tasks = pathlib.Path(f"/proc/{run.pid}/task").iterdir()
    children = " ".join((task / "children").read_text() for task in tasks).split()
    return [int(pid) for pid in children if b"spawn_main" in cmdline(int(pid))]


def cmdline(pid: int) -> bytes:
    try:
        return pathlib.Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_killed_and_stopped_it_goes_on(tmp_path):
    source = random.Random(2)
    paths = [edge(source, k) for k in range(PATHS)]
    paths[1234] = "{"
    file = write_lines(tmp_path / "edges.jsonl", paths)
    out = tmp_path / "out.jsonl"
    words = batch_words(
        "certify", ARM, "--paths", file, "-o", out, "--workers", 2, "--chunk", 16, *HARD
    )

    def start() -> subprocess.Popen:
        # Who is killed leaves files.
        return subprocess.Popen(
            words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            env={**os.environ, "TMPDIR": str(tmp_path)},
        )  # fmt: skip

    # One worker is killed, and then the client.
    run = start()
    wait_for(run, lambda: lines_in(out) >= 100)
    workers = workers_of(run)
    assert len(workers) == 2
    os.kill(workers[0], signal.SIGKILL)
    before = lines_in(out)
    wait_for(run, lambda: lines_in(out) >= before + 200)
    # Held, it still has the file, and nobody else may write there.
    os.kill(run.pid, signal.SIGSTOP)
    second = subprocess.run(words, capture_output=True, text=True)
    assert second.returncode == 74 and "another run is writing it" in second.stderr
    run.kill()
    run.communicate()
    killed = lines_in(out)
    assert 300 <= killed < PATHS

    # Ctrl-C, as a terminal sends it: to all of them.
    run = start()
    wait_for(run, lambda: lines_in(out) >= killed + 100)
    os.killpg(run.pid, signal.SIGINT)
    said = run.communicate(timeout=60)[1].decode()
    assert run.returncode == 130
    assert said.startswith("keepclear: stopped") and said.count("\n") == 1, said
    stopped = lines_in(out)
    assert killed < stopped < PATHS
    text = out.read_bytes()
    assert text.endswith(b"\n")

    # A row that was cut off, and the rest.
    out.write_bytes(text[:-40])
    run = start()
    said = run.communicate(timeout=300)
    assert run.returncode == 65, said
    whole = command("certify", ARM, "--paths", file, *HARD, codes=(65,))
    assert out.read_bytes() == whole and whole.count(b"\n") == PATHS
