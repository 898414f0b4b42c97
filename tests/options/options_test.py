# SPDX-License-Identifier: BSD-3-Clause
"""Every option of every command, as its --help lists it, with values that mean nothing: refused with exit code 64 and
one line that names the option. Every option in a line where it has an effect: taken, and in a line where it has none:
refused. A new option is tested as soon as the help has it, and fails here until grammar.py and effects.py know it.

    options_test.py --command KEEPCLEAR --verify KEEPCLEAR-VERIFY [--seed N] [--values N] [--all] [--measure]"""
import argparse
import os
import random
import sys

sys.dont_write_bytecode = True
from effects import EFFECTS, always, violations  # noqa: E402
from grammar import (BLANKS, GOOD, VERIFY, Option, Programs, Runner, bad_values, fault_of_refusal, line_for,  # noqa: E402
                     names_option)


class Test:
    def __init__(self, options):
        self.programs = Programs(options.command, options.verify)
        self.runner = Runner(self.programs, max(2, os.cpu_count() or 1))
        self.random = random.Random(options.seed)
        self.values = options.values
        self.all = options.all
        self.options = self.programs.options()
        self.failures = 0
        self.cases = 0

    def fail(self, what, result):
        self.failures += 1
        if self.failures <= 40:
            print(f"FAILED: {what}:\n      {result}")

    def refused(self, title, cases):
        """`cases`: an option, and a line that is wrong in it. The lines end at once."""
        results = self.runner.all([words for _, words in cases], 10)
        wrong = 0
        for (option, _), result in zip(cases, results):
            fault = fault_of_refusal(option, result)
            if fault:
                wrong += 1
                self.fail(f"{option}: {fault}", result)
        self.cases += len(cases)
        print(f"{title}: {len(cases)} lines, {wrong} wrong")

    def some(self, values):
        return values if self.all or len(values) <= self.values else self.random.sample(values, self.values)

    def with_value(self):
        return [option for option in self.options if option.form]

    def flags(self):
        return [option for option in self.options if not option.form and option.name not in ("--help", "--version")]

    # The tests.

    def every_option_is_known(self):
        for option in self.options:
            if option.form and option.name not in GOOD:
                self.fail(f"{option}: grammar.py has no good value for it", "")
            if (option.command, option.name) not in EFFECTS:
                self.fail(f"{option}: effects.py does not say with what it has an effect", "")
        known = {(option.command, option.name) for option in self.options}
        for command, name in EFFECTS.keys() - known:
            self.fail(f"{command} {name}: is declared in effects.py, and the command has it not", "")
        print(f"options: {len(self.options)}, {len(self.with_value())} with a value, "
              f"{sum(always(option) for option in self.options)} with an effect in every line")

    def blank_values(self):
        cases = []
        for option in self.with_value():
            blanks = BLANKS if option.command != VERIFY else BLANKS[:3]
            more = [[option.name, value] for value in blanks]
            if option.command != VERIFY:
                more += [[option.name + "="], *([name, ""] for name in option.names[:-1])]
            cases += [(option, line_for(option) + words) for words in ([option.name, ""], *self.some(more))]
        self.refused("empty and blank values", cases)

    def bad_values(self):
        cases = []
        for option in self.with_value():
            for value in self.some(bad_values(option)):
                # One that begins with - is a value all the same behind the sign.
                glued = self.random.random() < 0.5 and option.command != VERIFY
                words = [f"{option.name}={value}"] if glued or value.startswith("--") else [option.name, value]
                cases.append((option, line_for(option) + words))
        self.refused("values of no meaning", cases)

    def missing_values(self):
        cases = []
        for option in self.with_value():
            behind = [[], ["--json"]] if option.command != VERIFY else [[]]
            cases += [(option, line_for(option) + [option.name] + words) for words in self.some(behind)]
        self.refused("missing values", cases)

    def twice(self):
        cases = []
        for option in self.options:
            if option.repeats or option.command == VERIFY or option.name in ("--help", "--version"):
                continue
            words = [option.name, GOOD[option.name]] if option.form else [option.name]
            if self.all or self.random.random() < 0.4:
                cases.append((option, line_for(option) + words + words))
        self.refused("given twice", cases)

    def values_of_flags(self):
        values = ["", "0", "1", "false", "true", "yes", "x"]
        cases = [(option, line_for(option) + [f"{option.name}={value}"])
                 for option in self.flags() if option.command != VERIFY for value in self.some(values)
                 if self.all or self.random.random() < 0.4]
        self.refused("flags with a value", cases)

    def arguments(self):
        cases = []
        for argument in self.programs.arguments():
            name = argument.names[0]
            line = line_for(Option(argument.command, (name,), "", ""))
            at = line.index("arm.urdf") if "arm.urdf" in line else len(line)
            for value in ["", *self.some(BLANKS)]:
                cases.append((argument, line[:at] + [value] + line[at + 1:]))
        self.refused("arguments", cases)

    def unknown_options(self):
        """Abbreviations, other spellings, and what option parsers bring along."""
        words = []
        for command in self.programs.commands():
            line = line_for(Option(command, ("-",), "", ""))
            names = {option.name for option in self.options if option.command == command}
            tried = ["--config=x", "--flagfile", "-x", "-1", "-json", "/json", "--JSON", "--no-json", "--json.x",
                     "@file", "+json", "---json", "--json-", f"--{command}.json"]
            tried = self.some(tried)
            for name in sorted(names):
                tried += [name[:-1], name + "s", "-" + name] if self.all or self.random.random() < 0.1 else []
            # Of worlds, a name may be anything that is no option.
            words += [line + [word] for word in tried if word not in {*names, "--"}
                      and (command != "worlds" or word[0] == "-")]
        wrong = 0
        for result in self.runner.all(words, 10):
            if result.code != 64 or len(result.err.splitlines()) != 1 or result.words[-1][:30] not in result.err:
                wrong += 1
                self.fail("an option that is not there", result)
        self.cases += len(words)
        print(f"options that are not there: {len(words)} lines, {wrong} wrong")

    def without_effect(self):
        cases = [(option, line) for option in self.options for line in violations(option)]
        self.refused("options that have no effect in the line", cases)

    def environment(self):
        """A variable that is set but empty is one that is not set."""
        line = ["info", "arm.urdf", "--json"]
        plain = self.runner.run(line)
        empty = self.runner.run(line, environment={name: "" for name in
                                                   ("ROS_PACKAGE_PATH", "AMENT_PREFIX_PATH", "XDG_CACHE_HOME", "HOME")})
        self.cases += 1
        if (plain.code, plain.out, plain.err) != (empty.code, empty.out, empty.err):
            self.fail("empty variables of the environment", empty)

    def models_around_visuals(self):
        """Whoever asks about such a model is told so, with every command that uses it, also in its certificate."""
        known = [option for option in self.options if option.name == "--model"]
        lines = [line_for(option) + ["--model", "arm.model.json"] for option in known]
        for option, line in zip(known, lines):
            result = self.runner.run(line, document=option.command == "view")
            self.cases += 1
            if "around: visual" not in result.out + result.err:
                self.fail(f"{option}: does not say that the model is around visual geometry", result)
        self.runner.run(["certify", "arm.urdf", "--path", "path.csv", "--model", "arm.model.json", "--certificate",
                         "visual.kcert"])
        certificate = (self.runner.folder / "visual.kcert").read_text(encoding="utf-8")
        if "\noption model%20around visual%20geometry\n" not in certificate:
            self.fail("a certificate does not say that its model is around visual geometry", "")
        print(f"models around visual geometry: {len(lines)} commands")

    def run(self):
        for test in (self.every_option_is_known, self.blank_values, self.bad_values, self.missing_values, self.twice,
                     self.values_of_flags, self.arguments, self.unknown_options, self.without_effect,
                     self.environment, self.models_around_visuals):
            test()
        self.runner.close()
        print(f"{self.cases} lines, {self.failures} wrong")
        return 1 if self.failures else 0


def measure(options):
    """How many options take "" and " ", and how: no judgement, for docs/evidence.md."""
    programs = Programs(options.command, options.verify)
    runner = Runner(programs, 2)
    known = [option for option in programs.options() if option.form and option.command != VERIFY]
    print(f"options of keepclear with a value: {len(known)}")
    for value in ("", " "):
        results = runner.all([line_for(option) + [option.name, value] for option in known], 5)
        taken = [option for option, r in zip(known, results) if r.code in (-1, 0, 1, 2)]
        unnamed = [option for option, r in zip(known, results) if r.code not in (-1, 0, 1, 2)
                   and not names_option(option, r.err)]
        other = [option for option, r in zip(known, results) if r.code not in (-1, 0, 1, 2, 64)]
        print(f"{value!r}: taken in silence {len(taken)}, refused without its name {len(unnamed)}, "
              f"refused with another code than 64 {len(other)}")
        for title, some in (("taken", taken), ("unnamed", unnamed)):
            print(f"  {title}:", ", ".join(map(str, some)))
    runner.close()
    return 0


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--command", required=True)
    parser.add_argument("--verify", required=True)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--values", type=int, default=1, help="bad values of each kind for an option")
    parser.add_argument("--all", action="store_true", help="all bad values")
    parser.add_argument("--measure", action="store_true", help="count what blank values do, and judge nothing")
    options = parser.parse_args()
    return measure(options) if options.measure else Test(options).run()


if __name__ == "__main__":
    sys.exit(main())
