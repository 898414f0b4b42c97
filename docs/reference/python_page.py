# SPDX-License-Identifier: BSD-3-Clause
"""The reference of the Python module, from its docstrings and stubs, as pages of Doxygen.

    PYTHONPATH=build/release/python python_page.py FOLDER"""
import ast
import enum
import inspect
import re
import sys
import textwrap
from pathlib import Path

import keepclear

PACKAGE = Path(keepclear.__file__).parent


def stubs():
    """Every function and class of the stubs, by name; of a class its members."""
    found = {}
    for file in sorted(PACKAGE.glob("*.pyi")) + sorted(PACKAGE.glob("_*.py")):
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                found.setdefault(node.name, []).append(node)
    return found


def signature(node):
    """`(a, b=1) -> C` of a function in a stub, without self."""
    arguments = ast.unparse(node.args)
    arguments = re.sub(r"^self(, )?", "", arguments)
    returns = f" -> {ast.unparse(node.returns)}" if node.returns else ""
    return f"({arguments}){returns}"


def prose(text):
    """A docstring as Markdown that Doxygen takes for text: no symbols, no commands."""
    text = inspect.cleandoc(text or "")
    # The first line that pybind11 writes is the signature, which the stub has better.
    text = re.sub(r"\A\w+\(.*?\)(?: -> [^\n]*)?\n+", "", text)
    # Arguments and attributes, one a line, are a list.
    text = re.sub(r"^((?:[a-z_]\w*)(?:, [a-z_]\w*)*): ",
                  lambda names: "- " + ", ".join(f"`{name}`" for name in names[1].split(", ")) + ": ", text,
                  flags=re.M)
    parts = re.split(r"(`[^`\n]*`)", text)
    for i in range(0, len(parts), 2):
        parts[i] = re.sub(r"([\\@<>&#%])", r"\\\1", parts[i])
        parts[i] = re.sub(r"\b([A-Z]\w*)", r"%\1", parts[i])
    return "".join(parts)


def docstring(thing, node):
    own = getattr(thing, "__doc__", None)
    stub = ast.get_docstring(node) if node is not None else None
    if own and stub and stub not in own and inspect.cleandoc(own) not in stub:
        return f"{inspect.cleandoc(own)}\n\n{stub}"
    return own or stub


def block(text):
    # Doxygen knows Python by this name; long signatures go over several lines.
    if len(text) > 110:
        name, _, rest = text.partition("(")
        inner, _, returns = rest.rpartition(")")
        rows = textwrap.wrap(inner, 100, initial_indent="    ", subsequent_indent="    ", break_long_words=False)
        text = "\n".join([f"{name}(", *rows, f"){returns}"])
    return ["```py", text, "```", ""]


def function(name, thing, nodes, level, anchor):
    rows = [f"{level} {name} {{#{anchor}}}", ""] if level else []
    for node in nodes:
        rows += block(f"{name}{signature(node)}")
    return rows + [prose(docstring(thing, nodes[0] if nodes else None)), ""]


def klass(name, thing, nodes):
    node = nodes[0] if nodes else None
    rows = [f"## {name} {{#python_{name}}}", "", prose(docstring(thing, node)), ""]
    if issubclass(thing, enum.Enum) or hasattr(thing, "__members__"):
        return rows + ["Values: " + ", ".join(f"`{value}`" for value in thing.__members__) + ".", ""]
    members = {}
    for item in node.body if node else ():
        if isinstance(item, ast.FunctionDef):
            members.setdefault(item.name, []).append(item)
        elif isinstance(item, ast.AnnAssign):
            members.setdefault(item.target.id, []).append(item)
    for init in members.pop("__init__", []):
        rows += block(f"{name}{signature(init).removesuffix(' -> None')}")
    table, methods = [], []
    for member, items in members.items():
        item, value = items[0], getattr(thing, member, None)
        if member.startswith("_") and member != "__call__":
            continue
        if isinstance(item, ast.AnnAssign):
            default = f" = {ast.unparse(item.value)}" if item.value else ""
            table.append((member, ast.unparse(item.annotation) + default, ""))
        elif any(isinstance(d, ast.Name) and d.id == "property" for d in item.decorator_list):
            kind = ast.unparse(item.returns) if item.returns else ""
            table.append((member, kind, " ".join(prose(docstring(value, item)).split())))
        else:
            methods += function(member, value, items, "###", f"python_{name}_{member}")
    if table:
        rows += ["| attribute | type | is |", "| --- | --- | --- |"]
        rows += [f"| `{name}` | {' or '.join(f'`{part}`' for part in kind.split(' | '))} | {text.replace('|', '&#124;')} |"
                 for name, kind, text in table]
        rows.append("")
    return rows + methods


def main():
    known = stubs()
    names = [name for name in dir(keepclear) if not name.startswith("_")]
    classes = [name for name in names if inspect.isclass(getattr(keepclear, name))]
    functions = [name for name in names if not inspect.isclass(getattr(keepclear, name))
                 and callable(getattr(keepclear, name))]
    rows = ["# Python reference {#python_reference}", "",
            f"The module `keepclear` {keepclear.__version__}, from its docstrings and stubs. "
            "[From Python](@ref page_docs_python) says how it behaves.", ""]
    rows += ["**Functions**: " + ", ".join(f"[{name}](@ref python_{name})" for name in functions) + ".", ""]
    rows += ["**Classes**: " + ", ".join(f"[{name}](@ref python_{name})" for name in classes) + ".", ""]
    rows += ["# Functions {#python_functions}", ""]
    for name in functions:
        rows += function(name, getattr(keepclear, name), known.get(name, []), "##", f"python_{name}")
    rows += ["# Classes {#python_classes}", ""]
    for name in classes:
        rows += klass(name, getattr(keepclear, name), known.get(name, []))
    (Path(sys.argv[1]) / "python_reference.md").write_text("\n".join(rows), encoding="utf-8")
    undocumented = [name for name in functions + classes if not docstring(getattr(keepclear, name), (known.get(name) or [None])[0])]
    if undocumented:
        print(f"reference: no docstring: {', '.join(undocumented)}", file=sys.stderr)


if __name__ == "__main__":
    main()
