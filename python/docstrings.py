# SPDX-License-Identifier: BSD-3-Clause
"""Writes a C++ header with the `///` comments of the public headers, for the docstrings of Python.

    python3 docstrings.py OUT.hpp HEADER.hpp...

For each class, function, member and value of an enumeration there is a constant with its comment,
empty without one: World, World_neutral, Verdict_free; of each enumeration E the values in E_values;
and `comments`, all of them by name. Functions that follow one another share the comment above the first.
"""
from __future__ import annotations

import pathlib
import re
import sys
from dataclasses import dataclass, field


@dataclass
class Comments:
    texts: dict[str, str] = field(default_factory=dict)
    enums: dict[str, list[str]] = field(default_factory=dict)

    def add(self, name: str, text: str) -> None:
        known = self.texts.get(name, "")
        if not text or text in known:
            self.texts.setdefault(name, text)
        else:
            self.texts[name] = f"{known}\n\n{text}" if known else text


def plain(lines: list[str]) -> str:
    """A comment as paragraphs, names as Python writes them."""
    paragraphs = [" ".join(p.split()) for p in "\n".join(lines).split("\n\n")]
    text = "\n\n".join(p for p in paragraphs if p)
    return re.sub(r"(?<=\w)::(?=\w)", ".", text)


def without_angles(code: str) -> str:
    """The code without what stands in template brackets."""
    code = re.sub(r"operator\s*(<=>|<<|>>|<=|>=|->|<|>)", "operator_", code)
    while True:
        shorter = re.sub(r"<[^<>]*>", "", code)
        if shorter == code:
            return code
        code = shorter


def declared(code: str) -> tuple[list[str], bool]:
    """The names that a declaration declares, and whether it is a function."""
    code = without_angles(code)
    code = re.sub(r"\b(inline|static|constexpr|explicit|virtual|friend|const|mutable)\b", " ", code)
    paren, equals = code.find("("), code.find("=")
    if "operator" in code:
        return (["call"] if re.search(r"operator\s*\(\s*\)", code) else []), True
    if paren >= 0 and (equals < 0 or paren < equals):
        found = re.search(r"(~?\w+)\s*\($", code[: paren + 1])
        return ([found.group(1)] if found and not found.group(1).startswith("~") else []), True
    # Initialisers first, then what stands between commas.
    while True:
        shorter = re.sub(r"\{[^{}]*\}|\([^()]*\)", "", code)
        if shorter == code:
            break
        code = shorter
    names = []
    for part in code.split(","):
        found = re.search(r"(\w+)\s*(\[\w*\])?\s*(=.*)?$", part.strip().rstrip(";").strip(), re.S)
        if found:
            names.append(found.group(1))
    return names, False


class Reader:
    """Reads one header. The style of the headers is what clang-format leaves: a declaration begins on
    a line of its own."""

    def __init__(self, comments: Comments) -> None:
        self.comments = comments
        self.scopes: list[tuple[str, str]] = []  # (kind, name): namespace, class, enum, body
        self.comment: list[str] = []  # above what comes next
        self.code = ""  # of a declaration that has not ended
        self.trailing: list[str] = []
        self.last: list[str] = []  # names that a ///< on the next line continues
        self.shared: list[str] = []  # comment of the function before
        self.hidden: list[bool] = [False]  # of each scope: its private part

    def full(self, name: str) -> str:
        return "_".join([n for kind, n in self.scopes if kind == "class"] + [name])

    def read(self, text: str) -> None:
        for line in text.splitlines():
            self.line(line)

    def line(self, line: str) -> None:
        stripped = line.strip()
        if stripped.startswith("///<"):
            if self.code:
                self.trailing.append(stripped[4:].strip())
            else:
                self.continue_last(stripped[4:].strip())
            return
        if stripped.startswith("///"):
            self.comment.append(stripped[3:].strip())
            self.shared = []
            return
        if not stripped or stripped.startswith("//") or stripped.startswith("#"):
            if not self.code:
                self.comment, self.shared, self.last = [], [], []
            return
        code, _, note = line.partition("///<")
        code = code.split("//")[0].strip()
        if note:
            self.trailing.append(note.strip())
        self.take(code)

    def continue_last(self, text: str) -> None:
        for name in self.last:
            self.comments.texts[name] = plain([self.comments.texts.get(name, ""), text])

    def take(self, code: str) -> None:
        """Adds a line of code, and ends what it ends."""
        scope = self.scopes[-1][0] if self.scopes else ""
        if scope == "body":
            self.skip(code)
            return
        if scope == "enum":
            self.enumerators(code)
            return
        if code in ("public:", "private:", "protected:"):
            self.hidden[-1] = code != "public:"
            return
        self.code = f"{self.code} {code}".strip()
        if self.code.startswith("template") and self.code.endswith(">"):
            return
        if re.match(r"\}", self.code):
            if self.scopes.pop()[0] == "class":
                self.hidden.pop()
            self.reset()
            return
        head = re.sub(r"^template\s*<.*?>\s*", "", self.code)
        opened = re.match(r"(namespace|enum class|class|struct|union)\b\s*([\w:]+)", head)
        if opened and "{" in head and ";" not in head.split("{")[0]:
            self.open(opened.group(1), opened.group(2), head)
            return
        if self.code.count("(") > self.code.count(")"):
            return
        body = self.function_body()
        if body is not None:
            self.declare(self.code[:body], True)
            depth = self.code.count("{") - self.code.count("}")
            self.reset(keep_shared=True)
            if depth > 0:
                self.scopes.append(("body", str(depth)))
            return
        if self.code.endswith(";"):
            self.declare(self.code, False)
            self.reset(keep_shared=True)

    def function_body(self) -> int | None:
        """Where the body of a function begins; None for a declaration, or one with initialisers."""
        found = re.search(r"\)\s*(const)?\s*(noexcept)?\s*(:[^{};]*)?\{", without_angles(self.code))
        brace = self.code.find("{", self.code.rfind(")") if not found else 0)
        if not found:
            return None
        depth = 0
        for i, c in enumerate(self.code):
            depth += c == "("
            depth -= c == ")"
            if c == "{" and depth == 0:
                brace = i
                break
        before = self.code[:brace]
        return None if "=" in re.sub(r"\([^()]*\)", "", before.replace("operator==", "")) else brace

    def open(self, kind: str, name: str, head: str) -> None:
        if kind == "namespace":
            self.scopes.append(("namespace", name))
        elif kind == "enum class":
            full = self.full(name)
            self.comments.add(full, plain(self.comment))
            self.comments.enums[full] = []
            self.scopes.append(("enum", full))
            rest = head.split("{", 1)[1]
            self.reset()
            if rest:
                self.enumerators(rest.strip())
            return
        else:
            self.comments.add(self.full(name), plain(self.comment))
            self.scopes.append(("class", name))
            self.hidden.append(self.hidden[-1] or kind == "class")
            if head.rstrip().endswith("};"):  # an empty one
                self.scopes.pop()
                self.hidden.pop()
        self.reset()

    def enumerators(self, code: str) -> None:
        full = self.scopes[-1][1]
        inner, closed, _ = code.partition("}")
        names = [re.match(r"\w+", n.strip()) for n in inner.split(",")]
        found = [n.group(0) for n in names if n]
        text = plain(self.comment + self.trailing)
        for name in found:
            self.comments.enums[full].append(name)
            self.comments.add(f"{full}_{name}", text)
        self.comment, self.trailing = [], []
        self.last = [f"{full}_{n}" for n in found]
        if closed:
            self.scopes.pop()
            self.reset()

    def skip(self, code: str) -> None:
        depth = int(self.scopes.pop()[1]) + code.count("{") - code.count("}")
        if depth > 0:
            self.scopes.append(("body", str(depth)))

    def declare(self, code: str, has_body: bool) -> None:
        if self.hidden[-1] or re.match(r"(using|friend|static_assert|extern)\b", code):
            return
        if re.match(r"(struct|class)\s+\w+;", code):
            return
        names, is_function = declared(code)
        lines = self.comment or (self.shared if is_function else [])
        for name in names:
            self.comments.add(self.full(name), plain(lines + self.trailing))
        self.last = [self.full(n) for n in names]
        self.shared = lines if is_function else []

    def reset(self, keep_shared: bool = False) -> None:
        self.comment, self.code, self.trailing = [], "", []
        if not keep_shared:
            self.shared, self.last = [], []


def literal(text: str) -> str:
    """A C++ string; long ones in pieces, for compilers with limits."""
    text = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    pieces = re.findall(r"(?:\\.|[^\\]){1,90}", text, re.S) or [""]
    return "\n    ".join(f'"{piece}"' for piece in pieces)


def header(comments: Comments) -> str:
    out = [
        "// Written by docstrings.py from the comments of include/keepclear.",
        "#pragma once",
        '#include "bind.hpp"',
        "namespace keepclear::python::doc {",
    ]
    for name in sorted(comments.texts):
        out.append(f"inline constexpr const char* {name} =\n    {literal(comments.texts[name])};")
    for name in sorted(comments.enums):
        scope = "::keepclear::" + name.replace("_", "::")
        out.append(f"inline constexpr EnumValue {name}_values[] = {{")
        for value in comments.enums[name]:
            out.append(f'    {{"{value}", static_cast<long>({scope}::{value}), {name}_{value}}},')
        out.append("};")
    out.append("inline constexpr std::pair<const char*, const char*> comments[] = {")
    out += [f'    {{"{name}", {name}}},' for name in sorted(comments.texts)]
    out += ["};", "}  // namespace keepclear::python::doc", ""]
    return "\n".join(out)


def main() -> None:
    comments = Comments()
    for file in sorted(sys.argv[2:]):
        Reader(comments).read(pathlib.Path(file).read_text(encoding="utf-8"))
    target = pathlib.Path(sys.argv[1])
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(header(comments), encoding="utf-8")


if __name__ == "__main__":
    main()
