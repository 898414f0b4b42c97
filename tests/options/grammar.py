# SPDX-License-Identifier: BSD-3-Clause
"""The options of keepclear and keepclear-verify as their --help lists them, files to use them with, a line for each in
which it has an effect, and the bad values that its form allows. Shared by options_test.py and the campaign."""
import itertools
import os
import re
import shutil
import signal
import subprocess
import tempfile
import urllib.request
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

VERIFY = "keepclear-verify"


@dataclass(frozen=True)
class Option:
    command: str
    names: tuple  # ("-o", "--output")
    form: str  # what stands behind it in the help; empty: a flag
    help: str

    @property
    def name(self):
        return self.names[-1]

    @property
    def repeats(self):
        return "repeated" in self.help or self.command == VERIFY

    def __str__(self):
        return f"{self.command} {self.name}"


def section(text, heading):
    """The entries under a heading of a help: (head, text)."""
    entries, on = [], False
    for line in text.splitlines():
        if not line.startswith(" "):
            on = line == heading + ":"
        elif on and line.startswith("  ") and line[2] != " ":
            head, _, rest = line[2:].partition("  ")
            entries.append([head.strip(), rest.strip()])
        elif on and entries:
            entries[-1][1] += " " + line.strip()
    return entries


class Programs:
    def __init__(self, command, verify):
        self.command, self.verify = str(Path(command).resolve()), str(Path(verify).resolve())

    def words(self, words):
        return [self.verify, *words[1:]] if words[0] == VERIFY else [self.command, *words]

    def help(self, *words):
        return subprocess.run(self.words([*words, "--help"]), capture_output=True, text=True, check=True).stdout

    def commands(self):
        return [head.split()[0] for head, _ in section(self.help(), "Commands")]

    def options(self):
        """Every option of every command, and of the checker."""
        found = []
        for command in self.commands():
            for head, text in section(self.help(command), "Options"):
                names, _, form = head.partition(" ")
                found.append(Option(command, tuple(names.split(",")), form.strip(), text))
        usage = self.help(VERIFY).replace("\n", " ").replace("[NAME=]", "")
        for name, form in sorted(set(re.findall(r"\[(--[a-z-]+) ?([^\]]*)\]", usage))):
            found.append(Option(VERIFY, (name,), form.strip(), ""))
        return found

    def arguments(self):
        return [Option(command, (head,), "argument", text) for command in self.commands()
                for head, text in section(self.help(command), "Arguments")]


# Files --------------------------------------------------------------------------------------------------------------

BOX = '<collision><geometry><box size="{}"/></geometry></collision>'


def urdf(mesh="l.obj", extra=""):
    return f"""<robot name="arm">
  <link name="base">{BOX.format("0.2 0.2 0.1")}</link>
  <link name="upper"><collision><origin xyz="0.3 0 0.1"/><geometry><box size="0.4 0.05 0.05"/></geometry></collision></link>
  <link name="lower"><visual><origin xyz="0.1 0 0"/><geometry><mesh filename="{mesh}"/></geometry></visual>
    <collision{extra}><origin xyz="0.1 0 0"/><geometry><mesh filename="{mesh}"/></geometry></collision></link>
  <joint name="j1" type="revolute"><parent link="base"/><child link="upper"/><origin xyz="0 0 0.1"/>
    <axis xyz="0 0 1"/><limit lower="-2" upper="2" effort="1" velocity="2"/></joint>
  <joint name="j2" type="revolute"><parent link="upper"/><child link="lower"/><origin xyz="0.5 0 0.1"/>
    <axis xyz="0 1 0"/><limit lower="-2" upper="2" effort="1" velocity="2"/></joint>
</robot>
"""


def l_shape():
    """An L as OBJ: its hull is larger than it."""
    outline = [(0, 0), (.3, 0), (.3, .05), (.05, .05), (.05, .3), (0, .3)]
    points = [(x, -.02, z) for x, z in outline] + [(x, .02, z) for x, z in outline]
    quads = [(i, (i + 1) % 6, 6 + (i + 1) % 6, 6 + i) for i in range(6)]
    faces = [f for q in quads for f in ((q[0], q[2], q[1]), (q[0], q[3], q[2]))]
    for a, b, c in ((0, 1, 2), (0, 2, 3), (0, 3, 4), (0, 4, 5)):
        faces += [(a, b, c), (6 + a, 6 + c, 6 + b)]
    return "".join(f"v {x} {y} {z}\n" for x, y, z in points) + "".join(
        f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in faces)


OBJECTS = """{"objects": [{"name": "wall", "shape": "box", "size": [0.1, 2, 2], "pose": {"xyz": [1.2, 0, 0]}},
  {"name": "tray", "shape": "box", "size": [0.1, 0.1, 0.1], "pose": {"xyz": [0, 2, 1]}}]}"""
HIT = """{"objects": [{"name": "block", "shape": "box", "size": [0.1, 0.1, 0.1], "pose": {"xyz": [0.5, 0, 0.2]}}]}"""
# Between the legs of the L.
GAP = """{"objects": [{"name": "block", "shape": "box", "size": [0.03, 0.03, 0.03], "pose": {"xyz": [0.7, 0, 0.31]}}]}"""
HELD = """{"objects": [{"name": "tool", "shape": "box", "size": [0.1, 0.1, 0.3], "pose": {"xyz": [0.1, 0, 0]}}],
  "attached": [{"object": "tool", "link": "upper"}]}"""
TWO = """{"robots": [{"name": "left", "urdf": "arm.urdf", "base": {"xyz": [0, 1.5, 0]}},
  {"name": "right", "urdf": "arm.urdf", "base": {"xyz": [0, -1.5, 0]}}]}"""
ALL_PAIRS = """<robot name="arm"><disable_collisions link1="base" link2="lower" reason="Never"/></robot>"""
SRDF = """<robot name="arm"><group name="all"><joint name="j1"/><joint name="j2"/></group><group_state name="home" group="all"><joint name="j1" value="0.5"/></group_state></robot>"""


def write_files(programs, folder):
    """All that lines name; a file called " " among it, so that a blank name is a name of something."""
    files = {
        "arm.urdf": urdf(), "l.obj": l_shape(), "packages/parts/l.obj": l_shape(),
        "far.urdf": urdf("package://parts/l.obj"), "odd.urdf": urdf(extra=' colour="red"'),
        "objects.json": OBJECTS, "hit.json": HIT, "gap.json": GAP, "two.json": TWO, "all.srdf": ALL_PAIRS, "arm.srdf": SRDF,
        "poses.csv": "j1,j2\n" + "".join(f"{i / 20},{-i / 40}\n" for i in range(20)),
        "box.json": '{"joints": {"j1": [0, 0.01], "j2": [0, 0.02]}}',
        "path.csv": "time,j1,j2\n0,0,0\n1,0.4,0.2\n", "b.csv": "time,j1,j2\n0,0,0\n1,0.1,0.1\n",
        "named.csv": "t,a,j2\n0,0,0\n1,0.4,0.2\n", "short.csv": "time,j1\n0,0\n1,0.4\n",
        "left.csv": "time,left/j1,left/j2\n0,0,0\n1,0.4,0.2\n", "right.csv": "time,right/j1,right/j2\n0,0,0\n1,0.4,0.2\n",
        "path.json": '{"joint_names": ["j1", "j2"], "points": [{"positions": [0, 0], "time_from_start": 0}, '
                     '{"positions": [0.2, 0.1], "time_from_start": 1}]}',
        "paths.jsonl": '{"joint_names": ["j1", "j2"], "points": [{"positions": [0, 0], "time_from_start": 0}, '
                       '{"positions": [0.2, 0.1], "time_from_start": 1}]}\n' * 3,
        "tube.csv": "time,j1,j2\n0,0.01,0.01\n1,0.01,0.01\n",
        "states.csv": "time,q.j1,q.j2,v.j1,v.j2\n" + "".join(
            f"{i / 1000:.3f},{i / 2000},0,0.5,0\n" for i in range(30)),
        "commands.csv": "time,q.j1,q.j2,v.j1,v.j2,a.j1,a.j2\n" + "".join(
            f"{i / 1000:.3f},{i / 2000},0,0.5,0,0,0\n" for i in range(30)),
        "most.json": '{"latency": 0.1, "default": {"max_acceleration": 9, "brake_deceleration": 2, '
                     '"brake_deceleration_most": 4}}',
        "brake.json": '{"latency": 0.02, "default": {"max_acceleration": 9, "brake_deceleration": 8}}',
        # Stands still; a gap in the middle.
        "stop.csv": "time,q.j1,q.j2,v.j1,v.j2\n" + "".join(
            f"{i / 1000 + (1 if i > 60 else 0):.3f},0,0,0,0\n" for i in range(90)),
        "aged.csv": "time,age,q.j1,q.j2,v.j1,v.j2\n" + "".join(f"{i / 1000:.3f},0.005,0,0,0,0\n" for i in range(9)),
        "held.json": HELD,
        " ": "nothing of use\n",
    }
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for words in (["fit", "arm.urdf", "--points", "6", "--starts", "20", "--refined", "2", "--no-cache", "--no-lint",
                   "--around", "visual", "-o", "arm.model.json"],
                  ["certify", "arm.urdf", "--path", "path.csv", "--certificate", "path.kcert"],
                  ["guard", "arm.urdf", "--replay", "states.csv", "--brake", "brake.json", "--record", "run.kcr",
                   "--max-gap", "0.0005"]):
        done = subprocess.run(programs.words([*words, "--quiet"]), cwd=folder, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            raise SystemExit(f"{' '.join(words)}: {done.stderr}")


# Lines --------------------------------------------------------------------------------------------------------------

REPORT = ["report", "arm.urdf", "-o", "out.html"]
CLOCKS = ["certify", "two.json", "--clock", "left=left.csv", "--clock", "right=right.csv"]
FIT = {"--points": "4", "--starts": "5", "--refined": "1", "--cache": "kept"}


def line_for(option):
    """A whole command line without the option, in which it would have an effect. The program ends by itself, but for
    what listens on a port."""
    command, name = option.command, option.name
    if command == VERIFY:
        return [VERIFY, "path.kcert"] + (["--against", "far.urdf"] if name.startswith("--package") else [])
    robot = "far.urdf" if name.startswith("--package") else "odd.urdf" if name == "--lenient" else "arm.urdf"
    line = [command, robot]
    if name == "--allow-no-pairs":
        line += ["--srdf", "all.srdf"]
    if command in ("distance", "check"):
        line += [] if name in ("--poses", "--q") else ["--poses", "poses.csv"]
        line += ["-o", "rows.jsonl"] if name == "--resume" else []
    elif command == "fit":
        for other, value in FIT.items():
            skipped = other == name or other == "--cache" and name == "--no-cache" or \
                other == "--points" and name in ("--excess", "--budget")
            line += [] if skipped else [other, value]
        line += [] if name == "--no-lint" else ["--no-lint"]
        line += ["--certificate", "fit.kcert"] if name == "--summary" else []
    elif command == "box":
        line += {"--box": [], "--joint": ["--joint", "j1=0,0.01"], "--q": ["--width", "0.02"], "--width": ["--q", "0,0"]}.get(
            name, ["--joint", "j1=0,0.01", "--joint", "j2=0,0.02"])
        line += ["--certificate", "box.kcert"] if name == "--summary" else []
    elif command == "certify":
        if name in ("--clock", "--offset"):
            line = CLOCKS[:2] if name == "--clock" else list(CLOCKS)
        elif name not in ("--path", "--paths"):
            line += ["--path", {"--rest": "short.csv", "--columns": "named.csv"}.get(name, "path.csv")]
        line += ["-o", "rows.jsonl"] if name == "--resume" else []
        line += ["--certificate", "motion.kcert"] if name == "--summary" else []
    elif command == "pairs":
        line[1] = "two.json" if name in ("--robot", "--summary") else line[1]
        line += [] if name == "--budget" else ["--budget", "20"]
        line += [] if name == "--samples" else ["--samples", "50"]
        line += ["-o", "out.srdf"] if name == "--robot" else []
        line += ["--certificate", "pairs.kcert"] if name == "--summary" else []
    elif command == "guard":
        if name in ("--allow-remote", "--max-lost"):
            line += ["--udp", "127.0.0.1:0"]
        elif name in ("--deadline", "--realtime"):
            line += ["--stdin"]
        elif name not in ("--replay", "--stdin", "--udp"):
            line += ["--replay", "commands.csv" if name == "--known-command" else "states.csv"]
        line += {"--horizon": ["--graded"], "--record-cycles": ["--record", "cycles.kcr"],
                 "--summary": ["--certificate", "guard.kcert"], "--slices": ["--brake", "most.json"]}.get(name, [])
        line += [] if name == "--no-timing" else ["--no-timing"]
    elif command in ("view", "report"):
        needs = {"--rest": ["--path", "short.csv"], "--columns": ["--path", "named.csv"], "--brake": ["--states", "states.csv"],
                 "--latency": ["--states", "states.csv"], "--margin": ["--q", "0,0"], "--size": ["--png", "out.png"],
                 "--view": ["--png", "out.png"]}
        for other in ("--tube", "--method", "--tolerance", "--deviation", "--budget", "--timing", "--certificate"):
            needs[other] = ["--path", "path.csv"]
        if command == "view":
            needs["--timing"] = []
        needs["--summary"] = ["--path", "path.csv", "--certificate", "motion.kcert"]
        line += needs.get(name, []) + (["--port", "0"] if command == "view" and name != "--port" else [])
        line += ["-o", "out.html"] if command == "report" and name != "--output" else []
        line += ["--png", "out.png"] if command == "report" and name == "--output" else []
        line += ["--srdf", "arm.srdf"] if name == "--state" else []
    elif command in ("demo", "worlds"):
        line = [command]
    return line


GOOD = {
    "--threads": "1", "--package": "parts=packages/parts", "--package-path": "packages", "--srdf": "all.srdf",
    "--scene": "hit.json", "--parts": "2", "--model": "arm.model.json", "--poses": "poses.csv", "--q": "0.1,0.2",
    "--shard": "1/2", "--output": "rows.out", "--margin": "0.01", "--certificate": "new.kcert", "--points": "5",
    "--excess": "0.5", "--budget": "30", "--around": "both", "--seed": "7", "--starts": "6", "--refined": "2",
    "--html": "new.html", "--cache": "other", "--box": "box.json", "--joint": "j2=0", "--width": "0.03",
    "--tolerance": "0.002", "--path": "path.csv", "--rest": "j2=0.3", "--columns": "t=time,a=j1", "--tube": "0.01",
    "--clock": "left=left.csv", "--offset": "0.1", "--paths": "paths.jsonl", "--ask": "verdict",
    "--accuracy": "0.002,0.1", "--base": "0.001,0.001", "--deviation": "0.001", "--method": "velocity",
    "--proof": "new.proof", "--robot": "left", "--samples": "60", "--replay": "states.csv", "--udp": "127.0.0.1:0",
    "--deadline": "0.002", "--max-lost": "3", "--brake": "brake.json", "--latency": "0.03", "--horizon": "0.2",
    "--slices": "3", "--splits": "1", "--max-age": "0.5", "--max-gap": "0.5", "--record": "new.kcr",
    "--record-cycles": "10", "--live": "shown", "--states": "states.csv", "--recording": "run.kcr", "--state": "all: home",
    "--attach": "shown", "--port": "0", "--png": "new.png", "--size": "200x100", "--view": "top", "--date": "today",
    "--report": "new.html", "--export": "exported", "--against": "arm.urdf", "--source": "path.csv",
}


# Bad values ---------------------------------------------------------------------------------------------------------

BLANKS = [" ", "\t", "\n", " \t\r\n", "\u00a0", "\u3000"]
NOT_NUMBERS = ["nan", "inf", "-inf", "NaN", "infinity", "0x10", "1e", "1e999", "-", "+", ".", "--1", "+-1", "1.2.3", "one",
               "0.1m", "0.1 m", "0,1", "0.1,", ",0.1", "1'000", "1_000", "1f", "1d", " 0.1", "0.1 ", "\u0661", "1e-999"]
NOT_WHOLE = NOT_NUMBERS + ["1.5", "1e3", "-1", "+1", "010", "0b1", "1k", "18446744073709551616", "1,000"]


def bad_values(option):
    """Values of its form that mean nothing, beyond blank ones."""
    form = option.form
    if form in ("N", "FLOP"):
        return NOT_WHOLE + ([] if option.name == "--seed" else ["999999999999999"])
    if form in ("M", "S", "W", "X", "SECONDS"):
        accepted = ["inf"] if "inf:" in option.help else []
        return [value for value in NOT_NUMBERS if value not in accepted] + ["-1", "-0.001", "-1e-300"]
    if form in ("WHAT", "collision|visual|both") or option.name in ("--method", "--view"):
        return ["none", "AUTO", "auto,", "a b", "auto auto", "1"]
    if form == "M[,SHARE]":
        return NOT_NUMBERS[:19] + ["0.1,nan", "0.1,0.1m", "0.1,0.1,0.1", "-1", "0.1,-0.1", "0.1,1", "0,0.1"]
    if form == "[ROBOT=]M,RAD":
        return ["0.1", "nan,0", "0,0.1m", "0,", ",0", "0,0,0", "=0,0", " =0,0", "left=", "left=0", "-1,0"]
    if form in ("A,B,...",):
        return [",", "0,", ",0", "0,,0", "nan,0", "0,inf", "0.1m,0", "j1=", "=1", " =1", "j1=1,", "j1=0x1", "{}", "{ }"]
    if form == "COLUMN=JOINT,...":
        return ["time", "=time", " =time", "t=", "t= ", "t=time,", ",t=time", "t=time,,a=j1"]
    if form == "NAME=LOWER,UPPER":
        return ["j1", "=0", " =0", "j1=", "j1= ", "j1=nan", "j1=0,inf", "j1=0,0.1m", "j1=0,", "j1=,0", "j1=0,0,0"]
    if form in ("NAME=DIR", "ROBOT=PATH", "NAME=FOLDER"):
        return ["parts", "=parts", " =parts", "parts=", "parts= "]
    if form == "HOST:PORT":
        return ["127.0.0.1", ":47600", " :47600", "127.0.0.1:", "127.0.0.1:x", "127.0.0.1:-1", "127.0.0.1:65536",
                "127.0.0.1:0x10", "somewhere:1"]
    if form == "I/N":
        return ["1", "0/2", "3/2", "1/0", "1/", "/2", "1/2/3", "1.5/2", "-1/2", "1/2x", "01/2", "1/9999999"]
    if form == "WxH":
        return ["100", "100x", "x100", "0x100", "15x100", "100x99999", "-100x100", "100x100x100", "100X100", "1e3x100"]
    if form == "W|FILE":
        return [value for value in NOT_NUMBERS if value[0] in "0123456789" or value in ("nan", "inf", "NaN", "-inf")] + ["-1"]
    return []


# Running ------------------------------------------------------------------------------------------------------------

@dataclass
class Result:
    words: list
    code: int  # -1: it was still running, and was ended
    out: str
    err: str
    files: dict = field(default_factory=dict)

    def __str__(self):
        words = " ".join(repr(word) if word == "" or re.search(r"\s", word) else word for word in self.words)
        return f"{words}\n      exit {self.code}: {self.err.strip()[:300]}"


class Runner:
    """Runs lines in a folder that has the files, several at a time."""

    def __init__(self, programs, jobs):
        self.programs = programs
        self.pool = ThreadPoolExecutor(jobs)
        self.exports = itertools.count()
        self.folder = Path(tempfile.mkdtemp(prefix="keepclear-options-"))
        write_files(programs, self.folder)
        self.environment = {**os.environ, "XDG_CACHE_HOME": str(self.folder / "cache"), "LC_ALL": "C.UTF-8"}

    def close(self):
        self.pool.shutdown()
        shutil.rmtree(self.folder, ignore_errors=True)

    def run(self, words, seconds=60, folder=None, environment=None, document=False):
        """`document`: of a page that is served, and the program ended then."""
        # No folder is exported into twice.
        words = [word.replace(GOOD["--export"], f"exported{next(self.exports)}") for word in words]
        process = subprocess.Popen(self.programs.words(words), cwd=folder or self.folder, stdin=subprocess.DEVNULL,
                                   env={**self.environment, **(environment or {})},
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        try:
            if document and "://" in (first := process.stdout.readline()):
                with urllib.request.urlopen(first.strip() + "api/document", timeout=30) as reply:
                    shown = first + reply.read().decode()
                process.send_signal(signal.SIGTERM)
                return Result(words, process.wait(seconds), shown, process.stderr.read())
            out, err = process.communicate(timeout=seconds)
            return Result(words, process.returncode, out, err)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGTERM)
            out, err = process.communicate()
            return Result(words, -1, out, err)

    def all(self, lines, seconds=60):
        return list(self.pool.map(lambda words: self.run(words, seconds), lines))


def names_option(option, text):
    return any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text) for name in option.names)


def fault_of_refusal(option, result):
    """Why this is not the answer to a line that is wrong in this option, or an empty text."""
    if result.code != 64:
        return "the exit code is not 64"
    if result.out:
        return "something is printed on stdout"
    lines = result.err.splitlines()
    # The checker shows its usage behind the line.
    lines = lines[:1] if option.command == VERIFY else lines
    if len(lines) != 1 or not lines[0].startswith(("keepclear: ", "keepclear-verify: ")):
        return "the error is not one line"
    if not names_option(option, lines[0]):
        return "the error does not name the option"
    return ""
