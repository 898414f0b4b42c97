# SPDX-License-Identifier: BSD-3-Clause
"""The checks of the documents find what they are there for: a project of one or two documents with one fault each."""
import contextlib
import io
import shutil
import sys
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import links  # noqa: E402
import run_blocks  # noqa: E402
import spelling  # noqa: E402
import markdown  # noqa: E402


class Project(unittest.TestCase):
    def setUp(self):
        self.root = Path(self.enterContext(tempfile.TemporaryDirectory())).resolve()
        for module in (markdown, links, spelling):
            self.enterContext(mock.patch.object(module, "ROOT", self.root))
        self.enterContext(mock.patch.object(spelling, "WORDS", self.root / "docs" / "words.txt"))
        self.write("docs/words.txt", "octree\n")
        (self.root / "include" / "keepclear").mkdir(parents=True)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def said(self, module):
        """The exit code, and what is printed."""
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            status = module.main()
        return status, output.getvalue()

    def finds(self, module, text):
        status, output = self.said(module)
        self.assertEqual(status, 1, output)
        self.assertIn(text, output)

    def passes(self, module):
        status, output = self.said(module)
        self.assertEqual(status, 0, output)


class Links(Project):
    def test_links_anchors_and_paths_that_are_there(self):
        self.write("README.md", "# A\n[b](docs/b.md#one-two), [c](docs/b.md#one-two-1), `docs/b.md`, `src/ROOM`\n"
                                "```\n[x](nowhere.md)\n```\n`[y](nowhere.md)`\n")
        self.write("docs/b.md", "# B\n## One: *two*\n## One: two\n[up](../README.md)\n")
        self.write("src/a.cpp", "")
        self.passes(links)

    def test_a_file_that_is_not_there(self):
        self.write("README.md", "[b](docs/b.md)\n")
        self.finds(links, "README.md:1: leads nowhere: docs/b.md")

    def test_a_heading_that_is_not_there(self):
        self.write("README.md", "# A\n\n[b](#c)\n")
        self.finds(links, "README.md:3: no heading of that name: #c")

    def test_a_document_that_nothing_leads_to(self):
        self.write("README.md", "# A\n")
        self.write("docs/b.md", "# B\n")
        self.finds(links, "docs/b.md:1: no link leads here")

    def test_a_path_that_is_not_there(self):
        self.write("README.md", "# A\n`src/nothing.cpp` over\n`scripts/\nnothing`\n")
        self.finds(links, "README.md:2: no such file: `src/nothing.cpp`")

    def test_an_address_that_is_none(self):
        self.write("README.md", "[a](htp://x.org)\n")
        self.finds(links, "no address: htp://x.org")


@unittest.skipUnless(shutil.which("aspell"), "skipped: no aspell")
class Spelling(Project):
    def test_words_of_the_list_and_code_are_fine(self):
        self.write("README.md", "An octree's `wrods`, src/wrods.cpp, `--wrods`.\n\n```\nwrods\n```\n")
        self.passes(spelling)

    def test_a_word_that_is_none(self):
        self.write("README.md", "# A\n\nMany wrods.\n")
        self.finds(spelling, "README.md:3: wrods")

    def test_american_spelling(self):
        self.write("README.md", "The color of the center.\n")
        self.finds(spelling, "README.md:1: color")
        self.finds(spelling, "README.md:1: center")

    def test_comments_of_headers(self):
        self.write("README.md", "# A\n")
        self.write("include/keepclear/a.hpp", "#pragma once\nint wrods;  ///< fine\n/// Not `wrods`, but wrods.\n")
        self.finds(spelling, "include/keepclear/a.hpp:3: wrods")

    def test_a_list_out_of_order(self):
        self.write("README.md", "# A\n")
        self.write("docs/words.txt", "octree\nassimp\n")
        self.finds(spelling, "not sorted")


class Blocks(Project):
    def outcome(self, text):
        self.write("a.md", text)
        folder = self.root / "run" / "work"
        folder.mkdir(parents=True)
        options = SimpleNamespace(command="/bin/true", verify="/bin/true", library="/bin/true", module="/",
                                  show=False, fill=False)
        with mock.patch.dict("os.environ", {"PATH": "/usr/bin:/bin"}):
            return run_blocks.run_document(Path("a.md"), options, folder)

    def test_blocks_run_in_order_in_one_folder(self):
        counts, faults = self.outcome(
            "`a.txt`:\n\n<!-- file: a.txt -->\n```csv\none\n```\n```sh\necho two >> a.txt\n```\n"
            "```python\nx = open('a.txt').read()\n```\n```python\nprint(x, end='')\n```\n```text\none\ntwo\n```\n")
        self.assertEqual(faults, [])
        self.assertEqual(counts, {"run": 3, "compared": 1, "not run": 0})

    def test_a_file_without_its_name(self):
        _, faults = self.outcome("This:\n\n<!-- file: a.txt -->\n```csv\none\n```\n```sh\ntrue\n```\n")
        self.assertEqual(len(faults), 1, faults)

    def test_an_output_that_differs(self):
        _, faults = self.outcome("```sh\necho 1.5 s\n```\n```text\n1.6 s\n```\n")
        self.assertEqual(len(faults), 1)
        self.assertIn("prints something else", faults[0])

    def test_a_command_that_fails(self):
        _, faults = self.outcome("```sh\nfalse\ntrue\n```\n```python\nraise ValueError\n```\n")
        self.assertEqual(len(faults), 2, faults)

    def test_an_exit_code_that_is_expected(self):
        _, faults = self.outcome("<!-- exit: 3 -->\n```sh\nexit 3\n```\n<!-- exit: 3 -->\n```sh\ntrue\n```\n")
        self.assertEqual(len(faults), 1, faults)
        self.assertIn("ended with 0, not 3", faults[0])

    def test_blocks_that_are_not_run_are_counted(self):
        counts, faults = self.outcome("<!-- not run: needs a robot -->\n```sh\nfalse\n```\n")
        self.assertEqual((counts["not run"], faults), (1, []))

    def test_what_varies(self):
        self.assertTrue(run_blocks.same(["took ~0.5 s"], ["took 12.25 s"]))
        self.assertFalse(run_blocks.same(["took ~0.5 s"], ["took long s"]))
        self.assertTrue(run_blocks.same(["a", "…", "z"], ["a", "b", "c", "z"]))
        self.assertFalse(run_blocks.same(["a", "…", "z"], ["a", "b"]))
        self.assertTrue(run_blocks.same(["in … now"], ["in the folder now"]))
        self.assertFalse(run_blocks.same(["a"], ["a", "b"]))
        self.assertFalse(run_blocks.same(["a.c"], ["abc"]))


if __name__ == "__main__":
    unittest.main()
