# SPDX-License-Identifier: BSD-3-Clause
"""Markdown as far as the reference and the tests of the documents need it: blocks of code, headings, links, prose."""
import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^( *)(`{3,}|~{3,})\s*([\w+-]*)\s*$")
CODE_SPAN = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)", re.S)
LEFT_OUT = {"build", "node_modules"}


def documents():
    """All documents of the project, relative to its root."""
    found = []
    for path in ROOT.rglob("*.md"):
        path = path.relative_to(ROOT)
        if not any(part in LEFT_OUT or part.startswith((".", "build-")) for part in path.parts):
            found.append(path)
    return sorted(found)


@dataclass
class Block:
    language: str
    text: str
    line: int  # of its first line, counted from 1
    comments: list = field(default_factory=list)  # HTML comments right before it


@dataclass
class Document:
    blocks: list
    prose: list  # lines; those of blocks of code and of comments are empty


def read(path):
    """The blocks of code of a document, and all that is not one."""
    blocks, prose, comments = [], [], []
    block = None
    in_comment = False
    for number, line in enumerate((ROOT / path).read_text(encoding="utf-8").splitlines(), 1):
        fence = FENCE.match(line)
        if block is not None:
            prose.append("")
            if fence and fence[2].startswith(block.end) and not fence[3]:
                block.text = "\n".join(block.rows) + ("\n" if block.rows else "")
                blocks.append(block)
                block = None
            else:
                block.rows.append(line[block.indent:] if not line[:block.indent].strip() else line)
        elif fence and not in_comment:
            prose.append("")
            block = Block(fence[3], "", number + 1, comments)
            block.indent, block.end, block.rows = len(fence[1]), fence[2], []
            comments = []
        elif in_comment or line.lstrip().startswith("<!--"):
            in_comment = "-->" not in line
            comments.append(line.strip().removeprefix("<!--").removesuffix("-->").strip())
            prose.append("")
        else:
            if line.strip():
                comments = []
            prose.append(line)
    if block is not None:
        raise SystemExit(f"{path}:{block.line - 1}: a block of code that does not end")
    return Document(blocks, prose)


def without_code(prose):
    """The same text with code spans blanked out; a span may go over the end of a line."""
    text = "\n".join(prose)
    return CODE_SPAN.sub(lambda span: re.sub(r"[^\n]", " ", span[0]), text)


def code_spans(prose):
    """Each code span with its line."""
    text = "\n".join(prose)
    for span in CODE_SPAN.finditer(text):
        yield text.count("\n", 0, span.start()) + 1, " ".join(span[2].split())


def links(prose):
    """Each link or picture with its line: (line, target)."""
    text = without_code(prose)
    for link in re.finditer(r"\]\(\s*<?([^)\s>]*)>?(?:\s+\"[^\"]*\")?\s*\)", text):
        yield text.count("\n", 0, link.start()) + 1, link[1]
    for link in re.finditer(r"^\s*\[[^\]]+\]:\s*(\S+)|<((?:https?|mailto):[^>\s]*)>", text, re.M):
        yield text.count("\n", 0, link.start()) + 1, link[1] or link[2]


def headings(prose):
    """Each heading as (line, level, text, anchor), with anchors as GitHub and GitLab make them."""
    seen = {}
    for number, line in enumerate(prose, 1):
        heading = re.match(r"^(#{1,6})\s+(.*?)\s*#*\s*$", line)
        if not heading:
            continue
        plain = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", heading[2]).replace("`", "")
        anchor = re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")
        count = seen.get(anchor, 0)
        seen[anchor] = count + 1
        yield number, len(heading[1]), plain, anchor if not count else f"{anchor}-{count}"
