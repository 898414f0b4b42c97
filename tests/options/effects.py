# SPDX-License-Identifier: BSD-3-Clause
"""With what each option has an effect, declared here a second time, apart from the table of the command
(apps/keepclear/option_rules.cpp): the two are written by hand, and compared by running."""
from grammar import GOOD, VERIFY, line_for

WORLDS = "info distance check fit box certify pairs guard view report".split()
ALL = [*WORLDS, "worlds", "demo"]
ALWAYS = ()

# (command, option): lines in which it has no effect; ALWAYS: there are none. A line is what stands behind the command
# and its world, without the option.
EFFECTS = {}


def declare(commands, options, *lines):
    for command in commands.split() if isinstance(commands, str) else commands:
        for option in options.split():
            EFFECTS[command, option] = lines


declare(ALL, "--json --quiet --help --version")
declare([*WORLDS, "demo"], "--threads")
declare(WORLDS, "--package --package-path --srdf --scene --allow-no-pairs --lenient")
declare([command for command in WORLDS if command != "fit"], "--parts --model")
del EFFECTS["pairs", "--allow-no-pairs"]  # always so there
declare("info fit", "--no-lint")
declare("distance", "--all-pairs --signed")
declare("distance check", "--poses", "--q 0,0")
declare("distance check", "--q", "--poses poses.csv")
declare("distance check", "--shard --output", "--q 0,0")
declare("distance check", "--resume", "--poses poses.csv", "--poses poses.csv --shard 1/2")
declare("check box certify view", "--margin")
declare("fit box certify pairs demo", "--certificate")
declare("fit", "--summary", "", "--certificate c --json")
declare("box", "--summary", "--joint j1=0", "--joint j1=0 --certificate c --json")
declare("certify", "--summary", "--path path.csv", "--path path.csv --certificate c --json")
declare("pairs", "--summary", "", "--certificate c --json")
declare("guard", "--summary", "--replay states.csv", "--replay states.csv --certificate c --json")
declare("report", "--summary", "-o r.html --path path.csv", "-o r.html --path path.csv --certificate c --json")
declare("fit", "--output --points --parts --around --seed --starts --refined --html")
declare("fit", "--excess", "--budget 20")
declare("fit", "--budget", "--excess 0.2")
declare("fit", "--cache", "--no-cache")
declare("fit", "--no-cache", "--cache kept")
declare("box", "--box", "--q 0,0 --width 0.1")
declare("box", "--q", "--box box.json --width 0.1", "")
declare("box", "--width", "--box box.json", "--joint j1=0")
declare("box", "--joint --tolerance --budget")
declare("certify", "--path", "--paths paths.jsonl", "--clock left=left.csv")
declare("certify", "--rest --tube --ask --tolerance --base --deviation --method --budget")
declare("certify", "--columns", "--paths paths.jsonl", "--path path.json")
declare("certify", "--clock", "--paths paths.jsonl", "--path path.csv", "--shard 1/2", "-o rows")
declare("certify", "--offset", "--path path.csv", "--paths paths.jsonl")
declare("certify", "--paths", "--path path.csv", "--clock left=left.csv", "--proof p", "--certificate c",
        "--columns a=time")
declare("certify", "--shard --output", "--clock left=left.csv", "--path path.csv --proof p",
        "--path path.csv --certificate c")
declare("certify", "--resume", "--path path.csv", "--paths paths.jsonl --shard 1/2")
declare("certify", "--accuracy", *[f"--path path.csv --ask {word}" for word in ("verdict", "first", "all")])
declare("certify", "--proof --certificate", "--paths paths.jsonl", "--path path.csv --shard 1/2",
        "--path path.csv -o r")
declare("pairs", "--output --budget --samples --seed")
declare("pairs", "--robot", "")
declare("guard", "--replay", "--stdin", "--udp 127.0.0.1:0")
declare("guard", "--stdin", "--replay states.csv", "--udp 127.0.0.1:0")
declare("guard", "--udp", "--replay states.csv", "--stdin")
declare("guard", "--allow-remote --max-lost", "--stdin", "--replay states.csv")
declare("guard", "--deadline --realtime", "--replay states.csv")
declare("guard", "--horizon", "--replay states.csv")
declare("guard", "--record-cycles", "--replay states.csv")
declare("guard", "--certificate", "--stdin", "--udp 127.0.0.1:0")
declare("guard", "--live --no-timing")
# Also with a brake file that does not say how strongly joints brake at most.
declare("guard", "--slices", "--replay states.csv", "--replay run.kcr",
        "--replay states.csv --brake brake.json")
# A recording has what the guard was made with.
declare("guard", "--brake --latency --budget --margin --latch --graded --known-command --splits --max-age "
        "--max-gap --record", "--replay run.kcr")
declare("view report", "--path")
declare("view", "--rest --columns --tube --method --tolerance --deviation --pairs --port --open")
declare("report", "--rest --columns --tube --method --tolerance --deviation", "-o r.html", "-o r.html --q 0,0",
        "-o r.html --states states.csv")
declare("view report", "--states", "-o r.html --recording run.kcr")
declare("view report", "--recording", "-o r.html --states states.csv")
declare("view report", "--brake --latency", "-o r.html --recording run.kcr", "-o r.html --path path.csv")
declare("report", "--margin", "-o r.html", "-o r.html --recording run.kcr")
declare("view report", "--budget", "-o r.html", "-o r.html --recording run.kcr",
        "-o r.html --path path.csv --states states.csv")
declare("view report", "--q", "-o r.html --state home")
declare("view report", "--state", "-o r.html --q 0,0")
declare("view", "--attach", "--states states.csv", "--recording run.kcr")
declare("report", "--output --png")
declare("report", "--size --view", "-o r.html")
declare("report", "--date --pairs", "--png r.png")
declare("report", "--timing", "-o r.html", "-o r.html --q 0,0", "--png r.png --path path.csv")
declare("report", "--certificate", "-o r.html", "-o r.html --states states.csv")
declare("demo", "--report")
declare("demo", "--view", "--json")
declare("worlds", "--export")
declare(VERIFY, "--summary --source --against")
declare(VERIFY, "--package --package-path", "")


def always(option):
    return EFFECTS.get((option.command, option.name)) == ALWAYS


def violations(option):
    """Whole lines with the option, in which it has no effect."""
    words = [option.name, GOOD[option.name]] if option.form else [option.name]
    if option.name == "--clock":
        words = ["--clock", "right=right.csv"]
    start = [VERIFY, "path.kcert"] if option.command == VERIFY else [option.command, "arm.urdf"]
    if option.command in ("demo", "worlds"):
        start = [option.command]
    lines = []
    for line in EFFECTS.get((option.command, option.name), ()):
        given = line.split()
        # What report writes to, view has not.
        if option.command == "view" and given[:1] == ["-o"]:
            given = given[2:]
        lines.append(start + given + words)
    return lines


# What cannot be seen in what a program says and writes, and why.
UNSEEN = {
    "--threads": "answers do not depend on it",
    "--help": "tested with the help", "--version": "tested with the version",
    "--realtime": "needs rights that a test may not have",
    "--deadline": "seconds without a state; the tests of the live guard wait for it",
    "--max-lost": "states that are lost; the tests of the port lose some",
    "--live": "gone when the guard ends; its tests look while it runs",
    "--allow-remote": "who can reach the port; the tests of the port try",
    "--port": "the port is left out of what is compared",
    "--open": "opens a browser",
    "--cache": "where fits are kept; the tests of fit look into it",
    "--no-cache": "the same",
    "--timing": "times are left out of what is compared",
    "--resume": "the rows are the same; the tests of shards stop runs and go on with them",
    ("view", "--json"): "the address; the tests of the page read it",
}

# Options that need more than a line of line_for and a value of GOOD to show what they do: words that are added to the
# line, and the value.
SHOWN = {
    ("distance", "--all-pairs"): (["--scene", "objects.json"], None),
    ("distance", "--signed"): (["--scene", "hit.json"], None),
    ("check", "--margin"): ([], "9"),
    ("pairs", "--scene"): ([], "held.json"),
    ("pairs", "--samples"): (["--json"], "0"),
    ("pairs", "--seed"): (["--json"], None),
    ("guard", "--margin"): (["--scene", "objects.json"], "0.3"),
    ("guard", "--latch"): (["--replay", "stop.csv"], None),
    ("guard", "--max-gap"): (["--replay", "stop.csv"], "5"),
    ("guard", "--slices"): (["--json", "--scene", "objects.json", "--margin", "0.24"], None),
    ("guard", "--max-age"): (["--replay", "aged.csv"], "0.001"),
    ("guard", "--record"): (["--replay", "stop.csv"], None),
    ("guard", "--record-cycles"): (["--replay", "stop.csv"], "5"),
    ("box", "--margin"): ([], "9"),
    ("box", "--budget"): (["--tolerance", "1e-6"], "1"),
    ("certify", "--budget"): (["--scene", "gap.json"], "1"),
    ("certify", "--clock"): (["--clock", "right=right.csv"], None),
}
for name in ("--splits", "--horizon"):
    SHOWN["guard", name] = (["--json", "--scene", "objects.json", "--margin", "0.2495"], None)
for command in WORLDS:
    SHOWN[command, "--parts"] = (["--scene", "gap.json"], "8")
    SHOWN[command, "--quiet"] = (["--model", "arm.model.json"], None)
for command in ("info", "fit", "worlds", "demo"):
    UNSEEN[command, "--quiet"] = "nothing is said beside the answer"


def seen_lines(option):
    """A line, and the same with the option."""
    line = line_for(option)
    words = [option.name, GOOD[option.name]] if option.form else [option.name]
    more, value = SHOWN.get((option.command, option.name), ([], None))
    if value is not None:
        words[1:] = [value]
    # Another log in place of that of the line.
    if "--replay" in more and "--replay" in line:
        at = line.index("--replay")
        line = line[:at] + line[at + 2:]
    return [line + more, line + more + words]
