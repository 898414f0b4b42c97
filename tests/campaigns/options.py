# SPDX-License-Identifier: BSD-3-Clause
"""Options by grammar: random command lines, for as long as one likes. The options are those that --help lists.

    options.py --command KEEPCLEAR --verify KEEPCLEAR-VERIFY [--count N] [--seed N] [--effects]
               [--only REGEX]

A line is a whole one with an option in it that has an effect there, and with some more that are harmless. Its value is
a good one, one that means nothing, or characters at random that a grammar written here judges. A good line must be
taken; of the others each must be refused with exit code 64 and one line that names the option. With --effects, every
option is run in a line with it and without it: if nothing differs, the option was ignored."""
import argparse
import math
import os
import random
import re
import shutil
import sys
import tempfile
from collections import Counter
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "options"))
from effects import UNSEEN, seen_lines  # noqa: E402
from grammar import BLANKS, GOOD, VERIFY, Programs, Runner, bad_values, fault_of_refusal, line_for  # noqa: E402

NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
LENGTHS = ("M", "S", "W", "X", "SECONDS")


def is_number(text):
    """A finite decimal number that a double holds: what is too small for one is refused, not taken for zero."""
    if not NUMBER.fullmatch(text):
        return False
    value = float(text)
    zero = not re.search(r"[1-9]", re.split("[eE]", text)[0])
    return math.isfinite(value) and (value != 0 or zero) and (zero or abs(value) >= sys.float_info.min)


def judged(option, rng):
    """Characters at random, and whether they are a value of the option."""
    length = rng.randrange(1, 9)
    if option.form in LENGTHS:
        text = "".join(rng.choice("0123456789" * 2 + "..eE+-, _xnaif'm") for _ in range(length))
        positive = option.name in ("--tolerance", "--deadline", "--max-age", "--max-gap")
        good = is_number(text) and (float(text) > 0 if positive else not float(text) < 0)
        return text, good or "inf:" in option.help and text == "inf"
    text = "".join(rng.choice("0123456789" * 4 + "+-._xk, ") for _ in range(length))
    # Other bounds than these are those of the option: too large and too small are tested by bad_values.
    return text, None if re.fullmatch("0|[1-9][0-9]*", text) else False


class Campaign:
    def __init__(self, options):
        self.programs = Programs(options.command, options.verify)
        self.runner = Runner(self.programs, max(2, os.cpu_count() or 1))
        self.rng = random.Random(options.seed)
        self.options = [option for option in self.programs.options() if option.command != VERIFY
                        and re.search(options.only, str(option))]
        self.counts, self.wrong = Counter(), 0

    def fail(self, what, result):
        self.wrong += 1
        if self.wrong <= 200:
            print(f"WRONG: {what}:\n      {result}")

    def line(self, option):
        """One with harmless options, some before and some behind."""
        line = list(line_for(option))
        more = [["--quiet"], ["--threads", "1"]]
        more = [words for words in more if words[0] != option.name
                and any(o.command == option.command and o.name == words[0] for o in self.options)]
        for words in self.rng.sample(more, self.rng.randrange(len(more) + 1)):
            line += words
        return line

    def case(self):
        """A line, its option, and whether it is good; None: either."""
        rng = self.rng
        option = rng.choice([option for option in self.options if option.form])
        kind = rng.choice(("good", "blank", "bad", "random", "twice", "missing"))
        # Servers do not end, the tour takes seconds, one clock is not enough, and stdin is empty.
        serves = option.command in ("view", "demo") or option.name in (
            "--udp", "--max-lost", "--allow-remote", "--deadline", "--realtime", "--clock")
        if kind == "random" and option.form in (*LENGTHS, "N", "FLOP"):
            value, good = judged(option, rng)
            if good is not False and (serves or good is None):
                kind, value, good = "blank", rng.choice(BLANKS), False
        elif kind == "good" and not serves:
            # all.srdf leaves no pair to check.
            value, good = "arm.srdf" if option.name == "--srdf" else GOOD[option.name], True
        elif kind in ("bad", "random") and bad_values(option):
            kind, value, good = "bad", rng.choice(bad_values(option)), False
        elif kind == "twice" and not option.repeats:
            line = self.line(option) + [option.name, GOOD[option.name]] * 2
            return kind, option, line, False
        elif kind == "missing":
            return kind, option, self.line(option) + [option.name], False
        else:
            kind, value, good = "blank", rng.choice(["", *BLANKS]), False
        glued = value.startswith("--") or rng.random() < 0.3
        words = [f"{option.name}={value}"] if glued else [rng.choice(option.names), value]
        line = self.line(option)
        at = rng.choice((1, len(line)))
        return kind, option, line[:at] + words + line[at:], good

    def run(self, count):
        while count > 0:
            cases = [self.case() for _ in range(min(count, 500))]
            count -= len(cases)
            for (kind, option, _, good), result in zip(cases, self.runner.all([line for _, _, line, _ in cases])):
                self.counts[kind] += 1
                if good and (result.code == 64 or result.code not in (0, 1, 2)):
                    self.fail(f"{option}: a good line is refused", result)
                elif good is False:
                    fault = fault_of_refusal(option, result)
                    if fault:
                        self.fail(f"{option}: {fault}", result)
        return self.finish("lines")

    def seen(self, words):
        """All that a line says and writes, in a folder of its own; times are left out."""
        folder = Path(tempfile.mkdtemp(prefix="keepclear-seen-"))
        shutil.copytree(self.runner.folder, folder, dirs_exist_ok=True)
        before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
        result = self.runner.run(words, 3 if "--udp" in words else 60, folder=folder, document=words[0] == "view")
        files = {}
        for path in sorted(folder.rglob("*")):
            if path.is_file() and before.get(path) != path.read_bytes() and "cache" not in path.parts:
                files[str(path.relative_to(folder))] = timeless(path.read_bytes().decode("latin-1"))
        shutil.rmtree(folder)
        return result, (result.code, timeless(result.out), timeless(result.err), files)

    def effects(self, count):
        asked = [option for option in self.options if (option.command, option.name) not in UNSEEN
                 and option.name not in UNSEEN]
        asked = self.rng.sample(asked, min(count, len(asked)))
        lines = [seen_lines(option) for option in asked]
        results = list(self.runner.pool.map(lambda both: [self.seen(line) for line in both], lines))
        for option, ((plain, without), (result, with_it)) in zip(asked, results):
            self.counts["effects"] += 1
            if result.code == 64:
                self.fail(f"{option}: the line is refused", result)
            elif without == with_it:
                self.fail(f"{option}: nothing differs from the line without it", result)
        return self.finish("options, each with and without")

    def finish(self, what):
        self.runner.close()
        told = ", ".join(f"{count} {kind}" for kind, count in sorted(self.counts.items()))
        print(f"options: {sum(self.counts.values())} {what} ({told}), {self.wrong} wrong")
        return 1 if self.wrong else 0


def timeless(text):
    """Without how long things took, and without ports."""
    text = re.sub(r'"(\w*seconds|wall|median|p99|p99.9|max)":[-0-9.e]+', r'"\1":T', text)
    text = re.sub(r"127\.0\.0\.1:[0-9]+", "PORT", text)
    return re.sub(r"[0-9.]+(e-[0-9]+)? (s|us|ms)\b", "T", text)


def main():
    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--command", required=True)
    parser.add_argument("--verify", required=True)
    parser.add_argument("--count", type=int, default=10000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--effects", action="store_true")
    parser.add_argument("--only", default="", help="options, as a regular expression on COMMAND --OPTION")
    options = parser.parse_args()
    campaign = Campaign(options)
    return campaign.effects(options.count) if options.effects else campaign.run(options.count)


if __name__ == "__main__":
    sys.exit(main())
