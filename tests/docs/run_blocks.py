# SPDX-License-Identifier: BSD-3-Clause
"""Runs a document: its blocks of code in their order, in one folder that is empty at first, and compares what
they print with what the document says they print.

    sh                    run by bash, with the build's commands, module and library; ends at the first failure
    python                run by one Python for all blocks of the document
    cpp                   a program, or statements, compiled against the build and run; all of a document in one go
    text                  what the last block before it prints, on both streams
    json, csv, ...        shown; written to a file where a comment before it says so

Comments right before a block, which no reader sees:

    <!-- file: NAME -->       the block is written to that file, which the paragraph before names. Of a program in
                              C++: and not run, a later block of the shell compiles it
    <!-- exit: N -->          the block of the shell ends with this code; 0 unless told
    <!-- not run: WHY -->     neither run nor compared; these are counted, and their number is expected
    <!-- no output: WHY -->   a text that is no output

In a text, ~ before a number stands for a number that differs from run to run and … for any text; a line that
is only … stands for any number of lines. Port 47600 is replaced by one that is free."""
import argparse
import difflib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "reference"))
import markdown  # noqa: E402

NUMBER = r"[-+]?(?:\d+(?:[.,]\d+)*|\d*\.\d+)(?:[eE][-+]?\d+)?"
PORT = "47600"
SESSION = r"""
import json, sys, traceback
names = {"__name__": "__main__"}
for line in sys.stdin:
    block = json.loads(line)
    try:
        exec(compile("\n" * (block["line"] - 1) + block["text"], block["file"], "exec"), names)
        status = 0
    except SystemExit as end:
        status = end.code or 0
    except BaseException:
        traceback.print_exc()
        status = 1
    sys.stderr.flush()
    sys.stdout.flush()
    with open(block["done"], "w") as done:
        print(status, file=done)
"""


class Fault(Exception):
    pass


def pattern(line):
    """What a line of a document matches, as a regular expression."""
    parts = re.split(rf"(~{NUMBER}|…)", line.rstrip())
    return "".join(
        r".*?" if part == "…" else rf"\s*{NUMBER}" if part[:1] == "~" and len(part) > 1 else re.escape(part)
        for part in parts)


def same(expected, found):
    """Whether the lines that were printed are those that the document shows."""
    if not expected:
        return not found
    if expected[0].strip() == "…":
        return any(same(expected[1:], found[start:]) for start in range(len(found) + 1))
    return bool(found) and re.fullmatch(pattern(expected[0]), found[0].rstrip()) is not None \
        and same(expected[1:], found[1:])


def shown_before(document, block, name):
    """Whether the paragraph before a block names the file that it is."""
    before = "\n".join(document.prose[:block.line - 1]).rstrip()
    return f"`{name}`" in before.rpartition("\n\n")[2]


def comment(block, key):
    for text in block.comments:
        if text == key or text.startswith(key + ":"):
            return text[len(key) + 1:].strip()
    return None


class Runner:
    def __init__(self, path, options, folder):
        self.path, self.options, self.folder = path, options, folder
        self.port = self.free_port()
        self.groups = []
        self.python = None
        self.program = None
        tools = folder.parent / "tools"
        tools.mkdir()
        for name, target in (("keepclear", options.command), ("keepclear-verify", options.verify)):
            (tools / name).symlink_to(Path(target).resolve())
        # /usr/bin/python3 is the one that the module was built for.
        (tools / "python3").symlink_to("/usr/bin/python3")
        library = Path(options.library).resolve().parent
        (tools / "keepclear.pc").write_text(
            "Name: keepclear\nDescription: the build\nVersion: 0\n"
            f"Libs: -L{library} -Wl,-rpath,{library} -lkeepclear\nCflags: -I{markdown.ROOT}/include\n")
        (folder.parent / "home").mkdir()
        self.environment = {
            **{key: value for key, value in os.environ.items() if key in ("LD_LIBRARY_PATH", "CCACHE_DIR")},
            "PATH": f"{tools}:/usr/bin:/bin", "HOME": str(folder.parent / "home"), "LC_ALL": "C.UTF-8",
            "PKG_CONFIG_PATH": str(tools), "PYTHONPATH": str(Path(options.module).resolve()),
            "PYTHONUNBUFFERED": "1", "MPLBACKEND": "Agg", "COLUMNS": "120", "TMPDIR": str(folder.parent)}

    @staticmethod
    def free_port():
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as port:
            port.bind(("127.0.0.1", 0))
            return str(port.getsockname()[1])

    def start(self, arguments, output):
        """A process in a group of its own, so that what it leaves behind can be ended."""
        process = subprocess.Popen(arguments, cwd=self.folder, env=self.environment, stdin=subprocess.PIPE,
                                   stdout=output, stderr=subprocess.STDOUT, start_new_session=True, text=True)
        self.groups.append(process.pid)
        return process

    def finish(self, process, output, seconds=60):
        process.stdin.close()
        try:
            status = process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise Fault(f"ran for more than {seconds} s") from None
        return status, Path(output.name).read_text(encoding="utf-8", errors="replace")

    def scratch(self):
        return tempfile.NamedTemporaryFile("w", dir=self.folder.parent, delete=False)

    def run_sh(self, block):
        with self.scratch() as output:
            text = block.text.replace(PORT, self.port)
            process = self.start(["bash", "-e", "-o", "pipefail", "-c", text], output)
            return self.finish(process, output)

    def run_python(self, block):
        if self.python is None:
            self.python_output = self.scratch()
            self.python = self.start(["/usr/bin/python3", "-c", SESSION], self.python_output)
            self.python_seen = 0
        done = self.folder.parent / f"done-{block.line}"
        json.dump({"text": block.text.replace(PORT, self.port), "line": block.line, "file": str(self.path),
                   "done": str(done)}, self.python.stdin)
        self.python.stdin.write("\n")
        self.python.stdin.flush()
        end = time.monotonic() + 60
        while not done.exists() or not done.read_text():
            if self.python.poll() is not None or time.monotonic() > end:
                raise Fault("Python ended, or ran for more than 60 s")
            time.sleep(0.005)
        text = Path(self.python_output.name).read_text(encoding="utf-8")
        seen, self.python_seen = self.python_seen, len(text)
        return int(done.read_text()), text[seen:]

    def compile(self, blocks):
        """One program of all blocks of C++ that are not written to files: each a function in a namespace."""
        headers, bodies, cases = ["#include <cstdlib>"], [], []
        for block in blocks:
            lines = block.text.splitlines()
            headers += [line for line in lines if line.startswith("#include") and line not in headers]
            body = "\n".join("" if line.startswith("#include") else line for line in lines)
            program = re.search(r"^int main\(", body, re.M)
            body = re.sub(r"^int main\(", "int run(", body, flags=re.M) if program else \
                f"int run() {{\n#line {block.line} \"{self.path}\"\n{body}\nreturn 0;\n}}"
            bodies.append(f"namespace block_{block.line} {{\n#line {block.line} \"{self.path}\"\n{body}\n}}")
            cases.append(f"if (std::atoi(argv[1]) == {block.line}) return block_{block.line}::run();")
        source = self.folder.parent / "blocks.cpp"
        source.write_text("\n".join(headers + bodies) + "\nint main(int, char** argv) {\n" + "\n".join(cases)
                          + "\nreturn 70;\n}\n")
        self.program = self.folder.parent / "blocks"
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "keepclear"], env=self.environment,
                               capture_output=True, text=True, check=True).stdout.split()
        with self.scratch() as output:
            process = self.start(["g++", "-std=c++20", "-Wall", str(source), "-o", str(self.program), *flags],
                                 output)
            status, text = self.finish(process, output, 120)
        if status:
            raise Fault("does not compile:\n" + text)

    def run_cpp(self, block):
        with self.scratch() as output:
            process = self.start([str(self.program), str(block.line)], output)
            return self.finish(process, output)

    def end(self):
        for group in self.groups:
            try:
                os.killpg(group, signal.SIGKILL)
            except ProcessLookupError:
                pass
        if self.python is not None:
            self.python.stdin.close()
            self.python.wait()
            self.python_output.close()


def run_document(path, options, folder):
    document = markdown.read(path)
    runner = Runner(path, options, folder)
    counts = {"run": 0, "compared": 0, "not run": 0}
    faults, last, filled = [], None, {}
    compiled = [b for b in document.blocks if b.language == "cpp" and comment(b, "file") is None
                and comment(b, "not run") is None]
    try:
        if compiled:
            runner.compile(compiled)
        for block in document.blocks:
            place = f"{path}:{block.line}"
            if comment(block, "not run") is not None:
                counts["not run"] += 1
                last = None
                continue
            if (name := comment(block, "file")) is not None:
                target = (folder / name).resolve()
                if not shown_before(document, block, name):
                    faults.append(f"{place}: no reader can see that this is `{name}`")
                if not target.is_relative_to(folder):
                    raise Fault(f"{place}: {name} is outside of the folder")
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_text(block.text, encoding="utf-8")
                continue
            if block.language in ("sh", "python", "cpp"):
                started = time.monotonic()
                status, printed = getattr(runner, "run_" + block.language)(block)
                took = time.monotonic() - started
                counts["run"] += 1
                if options.show:
                    print(f"--- {place} ({took:.1f} s, exit {status})\n{printed}", end="")
                wanted = int(comment(block, "exit") or 0)
                if status != wanted:
                    faults.append(f"{place}: ended with {status}, not {wanted}:\n{printed}")
                last = printed if status == wanted else None
            elif block.language == "text" and comment(block, "no output") is None:
                counts["compared"] += 1
                if last is None:
                    faults.append(f"{place}: nothing ran that prints it")
                elif options.fill and block.text.strip() == "…":
                    filled[block.line] = last
                elif not same(block.text.splitlines(), last.splitlines()):
                    faults.append(f"{place}: prints something else:\n" + "\n".join(difflib.unified_diff(
                        block.text.splitlines(), last.splitlines(), "document", "printed", lineterm="")))
            elif not block.language:
                faults.append(f"{place}: a block of no language: sh, python, cpp, text, json, ...")
    except Fault as fault:
        faults.append(f"{path}: {fault}")
    finally:
        runner.end()
    if filled:
        file = markdown.ROOT / path
        rows = file.read_text(encoding="utf-8").splitlines(keepends=True)
        for line, text in filled.items():
            rows[line - 1] = "".join(row.rstrip() + "\n" for row in text.splitlines())
        file.write_text("".join(rows), encoding="utf-8")
    return counts, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--command", required=True, help="the keepclear of the build")
    parser.add_argument("--verify", required=True, help="its keepclear-verify")
    parser.add_argument("--library", required=True, help="its libkeepclear.so")
    parser.add_argument("--module", required=True, help="the folder with its Python package")
    parser.add_argument("--not-run", type=int, default=0, help="how many blocks are marked as not run")
    parser.add_argument("--show", action="store_true", help="print what every block prints")
    parser.add_argument("--fill", action="store_true",
                        help="write into the document what is printed, where a text is only …")
    parser.add_argument("document", help="relative to the root of the project")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="keepclear-docs-") as base:
        folder = Path(base) / "work"
        folder.mkdir()
        counts, faults = run_document(Path(options.document), options, folder.resolve())
    if counts["not run"] != options.not_run and not faults:
        faults.append(f"{options.document}: {counts['not run']} blocks are not run, {options.not_run} expected")
    if not counts["run"]:
        faults.append(f"{options.document}: nothing to run")
    print("\n".join(faults), end="\n" if faults else "")
    print(f"{options.document}: {counts['run']} blocks run, {counts['compared']} outputs compared, "
          f"{counts['not run']} not run, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
