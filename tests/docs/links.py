# SPDX-License-Identifier: BSD-3-Clause
"""Every link of every document leads somewhere, every document can be reached from README.md, and every
file that is named in backticks exists."""
import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

sys.dont_write_bytecode = True  # nothing is left in the sources
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "docs" / "reference"))
import markdown  # noqa: E402
from markdown import ROOT  # noqa: E402

# What looks like a path of the project: these folders, or a file beside README.md.
FOLDERS = "apps bench cmake docs examples fuzz include keepclear python scripts src tests verify viewer worlds".split()
# A part in capitals is a placeholder (tests/ROOM); so is what has a star, a brace or an ellipsis.
PLACEHOLDER = re.compile(r"[*{}<>$…|]|\.\.\.|(^|[/_.-])[A-Z]{2,}([/_.-]|$)")
NAMES = {"README.md", "HACKING.md", "CONTRIBUTING.md", "CHANGELOG.md", "LICENSE", "NOTICE"}


def path_exists(name):
    """A file, a folder, a header by how it is included, or several files of one stem."""
    return ((ROOT / name).exists() or (ROOT / "include" / name).exists()
            or any((ROOT / name).parent.glob(Path(name).name + ".*")))


def missing_paths(document):
    for line, span in markdown.code_spans(document.prose):
        name = span.removeprefix("./").rstrip("/")
        if re.search(r"\s", name) or not name.isascii():
            continue
        name = re.sub(r":\d+$", "", name)
        first = name.split("/")[0]
        if "/" in name and first in FOLDERS:
            if first == "keepclear" and not name.endswith(".hpp"):
                continue  # a target of CMake, a world of a scene
            if PLACEHOLDER.search(name):
                known = PLACEHOLDER.split(name)[0].rpartition("/")[0]
                if known and not (ROOT / known).exists():
                    yield line, span
            elif not path_exists(name):
                yield line, span
        elif name.endswith(".md") and name in NAMES and not (ROOT / name).exists():
            yield line, span


def main():
    texts = {path: markdown.read(path) for path in markdown.documents()}
    anchors = {path: {anchor for *_, anchor in markdown.headings(text.prose)}
               for path, text in texts.items()}
    faults, leads_to, count = [], {path: set() for path in texts}, 0
    for path, text in texts.items():
        for line, target in markdown.links(text.prose):
            count += 1
            place = f"{path}:{line}"
            parts = urlsplit(target)
            if parts.scheme or target.startswith("//"):
                if parts.scheme not in ("http", "https", "mailto") or not (parts.netloc or parts.path):
                    faults.append(f"{place}: no address: {target}")
                continue
            if target.startswith("/"):
                faults.append(f"{place}: a link to the root of a machine: {target}")
                continue
            file = path
            if parts.path:
                whole = (ROOT / path.parent / unquote(parts.path)).resolve()
                if not whole.exists() or not whole.is_relative_to(ROOT):
                    faults.append(f"{place}: leads nowhere: {target}")
                    continue
                file = whole.relative_to(ROOT)
                if whole.is_dir():
                    leads_to[path].update(other for other in texts if other.parent == file)
            if file in texts:
                leads_to[path].add(file)
            if parts.fragment and file.suffix == ".md" and parts.fragment not in anchors.get(file, ()):
                faults.append(f"{place}: no heading of that name: {target}")
        for line, span in missing_paths(text):
            faults.append(f"{path}:{line}: no such file: `{span}`")

    reached, open_ends = set(), [Path("README.md")]
    while open_ends:
        path = open_ends.pop()
        if path not in reached:
            reached.add(path)
            open_ends.extend(leads_to[path])
    faults.extend(f"{path}:1: no link leads here from README.md" for path in sorted(set(texts) - reached))
    print("\n".join(faults), end="\n" if faults else "")
    print(f"{len(texts)} documents, {count} links, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
