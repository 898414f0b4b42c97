# SPDX-License-Identifier: BSD-3-Clause
"""The documents as pages of Doxygen: every heading gets a name, every link becomes a reference, and the tree of
pages is that of docs/index.md. Also what each header is about (from HACKING.md), and the examples.

    pages.py FOLDER"""
import re
import sys
from pathlib import Path

sys.dont_write_bytecode = True  # nothing is left in the sources
import markdown  # noqa: E402
from markdown import ROOT  # noqa: E402

INDEX = Path("docs/index.md")
README = Path("README.md")


def name_of(path, anchor=""):
    """The name of a page, or of a heading in it; Doxygen has one space of names for all."""
    if path == README and not anchor:
        return "index"
    name = "_".join(path.with_suffix("").parts).lower() + ("__" + anchor if anchor else "")
    return "page_" + re.sub(r"[^A-Za-z0-9_-]", "", name)


def reference(path, target, documents, parents):
    """What a link of a document is a reference to; None if it is to stay, "" if there is no such page."""
    if re.match(r"[a-z]+:", target):
        return None
    file, _, anchor = target.partition("#")
    whole = (ROOT / path.parent / file).resolve() if file else ROOT / path
    if whole.suffix in (".png", ".svg"):
        return None
    relative = whole.relative_to(ROOT)
    if relative in documents:
        if path == INDEX and not anchor and relative in parents:
            return "subpage " + name_of(relative)
        return "ref " + name_of(relative, anchor)
    if relative == Path("docs/theory"):
        return "ref " + name_of(INDEX)
    if relative.parent == Path("examples") and whole.suffix == ".cpp":
        return "ref " + relative.name
    return ""


def page(path, documents, parents):
    """The text of a page."""
    document = markdown.read(path)
    rows = (ROOT / path).read_text(encoding="utf-8").splitlines()
    for line, level, text, anchor in markdown.headings(document.prose):
        text = re.sub(r"(?<!\w)([*_])(\S(?:.*?\S)?)\1(?!\w)", r"\2", text)  # the tree of pages has no italics
        if level == 1:
            name = name_of(path)
            rows[line - 1] = f"# {text}" + (f" {{#{name}}}" if name != "index" else "")
        else:
            rows[line - 1] = "#" * level + f" {text} {{#{name_of(path, anchor)}}}"

    prose = "\n".join(row if kept else "\0" for row, kept in zip(rows, document.prose))

    def rewrite(link):
        text, target = link[1], link[2]
        found = reference(path, target, documents, parents)
        if found is None:
            return link[0] if not target.endswith((".png", ".svg")) else f"[{text}]({Path(target).name})"
        if not found:
            return text
        if found.startswith("subpage"):
            return f"@{found} \"{text}\""
        return f"[{text}](@{found})"
    prose = re.sub(r"\[([^\[\]]*)\]\(([^()\s]+)\)", rewrite, prose)
    # To Doxygen a quote ends a span of code that one backtick began.
    prose = markdown.CODE_SPAN.sub(lambda span: f"``{span[2]}``" if "'" in span[2] else span[0], prose)
    merged = [new if kept else old for new, old, kept in zip(prose.split("\n"), rows, document.prose)]
    return "\n".join(merged) + "\n"


def headers():
    """Which header is about what, as HACKING.md has it: Doxygen lists what is declared in a file that is documented."""
    text = (ROOT / "HACKING.md").read_text(encoding="utf-8")
    part = text[text.index("The public headers"):text.index("`src/rounding/`")]
    for name, about in re.findall(r"^- `(\w+\.hpp)`: (.*?)(?=^- |\Z)", part, re.M | re.S):
        yield name, about[:1].upper() + " ".join(about[1:].split())


def main():
    folder = Path(sys.argv[1])
    documents = markdown.documents()
    # Links of the index are the tree of pages.
    parents = set()
    for _, target in markdown.links(markdown.read(INDEX).prose):
        whole = (ROOT / "docs" / target.partition("#")[0]).resolve()
        if whole.suffix == ".md" and whole.relative_to(ROOT) != README:
            parents.add(whole.relative_to(ROOT))
    for path in documents:
        (folder / (name_of(path) + ".md")).write_text(page(path, set(documents), parents), encoding="utf-8")

    known = dict(headers())
    rows = []
    for header in sorted((ROOT / "include" / "keepclear").glob("*.hpp")):
        # A comment right before the namespace is about the file.
        more = re.search(r"^((?:// .*\n)+)namespace keepclear \{", header.read_text(encoding="utf-8"), re.M)
        more = more[1].replace("// ", "    ") if more else ""
        rows.append(f"/** @file keepclear/{header.name}\n    {known.get(header.name, header.stem + '.')}\n\n{more}*/")
    for example in sorted((ROOT / "examples").glob("*.cpp")):
        comment = re.search(r"^//\n((?:// .*\n)+)", example.read_text(encoding="utf-8"), re.M)
        about = " ".join(comment[1].replace("//", " ").split()) if comment else ""
        rows.append(f"/** @example {example.name}\n    {about} */")
    rows.append("/** @namespace keepclear\n    All of the library. */")
    (folder / "files.dox").write_text("\n".join(rows) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
