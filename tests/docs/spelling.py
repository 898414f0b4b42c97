# SPDX-License-Identifier: BSD-3-Clause
"""Spelling of all documents and of the comments of the public headers, by aspell (en_GB) and docs/words.txt.
Code is left out: spans and blocks, names with an underscore, a colon or a capital inside, paths, numbers."""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "reference"))
import markdown  # noqa: E402
from markdown import ROOT  # noqa: E402

WORDS = ROOT / "docs" / "words.txt"
NO_WORD = re.compile(
    r"https?://\S+|\S+@\S+"                     # addresses
    r"|\S*[_/\\=<>]\S*|\w+(?:::|\.)\w[\w.:]*"     # paths, options, names with a place
    r"|--?[a-z][\w-]*"                           # options
    r"|\b\w*[a-z]\w*[A-Z]\w*\b"                   # CamelCase
    r"|\b[A-Z]{2,}s?\b|\b\w*\d\w*\b")             # abbreviations, numbers with a unit, indices


def prose_of_document(path):
    text = markdown.without_code(markdown.read(path).prose)
    text = re.sub(r"\]\([^)]*\)", "] ", text)
    text = re.sub(r"\$[^$\n]*\$|<[^>\n]*>", " ", text)
    return text.splitlines()


def prose_of_header(path):
    """The comments alone, line by line."""
    rows = []
    for line in (ROOT / path).read_text(encoding="utf-8").splitlines():
        comment = re.search(r"///<?(.*)$|^\s*//(.*)$", line)
        text = "" if not comment or "SPDX" in line else comment[1] or comment[2] or ""
        rows.append(re.sub(r"`[^`]*`", " ", text))
    return rows


def words():
    own = [line.strip() for line in WORDS.read_text(encoding="utf-8").splitlines()]
    return [word for word in own if word and not word.startswith("#")]


def check(name, rows, dictionary):
    text = "\n".join(re.sub(r"(?<=\w)['’]s\b", "", NO_WORD.sub(" ", row)) for row in rows)
    found = subprocess.run(
        ["aspell", "--lang=en_GB", "--encoding=utf-8", "--mode=none", "--ignore=2", "--ignore-case=false",
         f"--add-extra-dicts={dictionary}", "list"],
        input=text, capture_output=True, text=True, check=True).stdout.split()
    for word in sorted(set(found)):
        line = next((n for n, row in enumerate(text.splitlines(), 1)
                     if re.search(rf"(?<!\w){re.escape(word)}(?!\w)", row)), 1)
        yield f"{name}:{line}: {word}"


def main():
    files = {path: prose_of_document for path in markdown.documents()}
    files |= {path.relative_to(ROOT): prose_of_header
              for path in sorted((ROOT / "include" / "keepclear").glob("*.hpp"))}
    own = words()
    faults = []
    if own != sorted(set(own), key=lambda word: (word.lower(), word)):
        faults.append("docs/words.txt:1: not sorted, or a word twice")
    with tempfile.TemporaryDirectory() as folder:
        dictionary = Path(folder) / "own.rws"
        subprocess.run(["aspell", "--lang=en", "--encoding=utf-8", "create", "master", str(dictionary)],
                       input="\n".join(own) + "\n", text=True, check=True)
        for path, prose in files.items():
            faults.extend(check(path, prose(path), dictionary))
    print("\n".join(faults), end="\n" if faults else "")
    print(f"{len(files)} files, {len(faults)} words that neither aspell nor docs/words.txt knows")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
