"""Docstrings as reStructuredText. They are plain paragraphs with doctests, and signs of formulas (*, |, a
trailing _) mean something else in that language, so they are escaped here.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from sphinx.application import Sphinx

CODE = re.compile(r"``(.+?)``|`([^`]+)`")
NAME = re.compile(r"[A-Za-z_][\w.]*")
NAMED = re.compile(r"^([A-Za-z_]\w*(?:, \w+)*): ")
STATEMENT = re.compile(r"(?<=\.) (?=[a-z_]\w*(?:, \w+)*: )")
ITEM = re.compile(r"([*-]|\d+\.) +")
ALIAS = re.compile(r"TypeAliasForwardRef\('(\w+)'\)")
QUALIFIED = re.compile(r"~[\w.]+\.(?=\w)")
SPECIAL = re.compile(r"([\\*_|`])")
NAMING = ("Parameters", "Attributes")
TYPING = ("Returns", "Yields", "Raises")
CARRIED = re.compile(r"Alias for field number \d+|set_\w+_request")
"""Docstrings and methods that Python and scikit-learn add by themselves."""


def as_rst(docstring: list[str]) -> list[str]:
    """Return the lines of a docstring, rewritten block by block.

    >>> as_rst(["|w·x| where `tie` is 0:", "", "    w ← w + y·x"])
    ['\\\\|w·x\\\\| where :py:obj:`tie` is 0:', '', '.. code-block:: text', '', '    w ← w + y·x', '']
    >>> as_rst(["Examples", "--------", ">>> 1 + 1", "2"])
    ['.. rubric:: Examples', '', '>>> 1 + 1', '2', '']
    """
    written: list[str] = []
    within = ""
    for block in _blocks(docstring):
        if len(block) > 1 and set(block[1]) == {"-"}:
            within = block[0]
            written += [f".. rubric:: {within}", ""]
            block = block[2:]
        if block and block[0].startswith(">>>"):
            written += [*block, ""]
        elif within in NAMING and block:
            written += _defined(block)
        elif within in TYPING and block:
            written += _typed(block)
        elif block and block[0].startswith("    "):
            written += [".. code-block:: text", "", *block, ""]
        elif block:
            written += [*_paragraph(block), ""]
    return written


def _blocks(lines: list[str]) -> list[list[str]]:
    """Yield blocks of lines between empty lines; a doctest or an indented part is a separate block."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        begins = not line.strip() or (line.startswith(">>>") and not _in_doctest(blocks[-1]))
        if begins:
            blocks.append([])
        if line.strip():
            blocks[-1].append(line.rstrip())
    return [block for block in blocks if block]


def _in_doctest(block: list[str]) -> bool:
    return bool(block) and (block[0].startswith(">>>") or set(block[-1]) == {"-"})


def _defined(block: list[str]) -> list[str]:
    """Return parameters or attributes as a definition list: names and types above, descriptions below."""
    written: list[str] = []
    lines = re.sub(r",\n(?=\S)", ", ", "\n".join(block)).split("\n")
    for entry in _joined(lines, lambda line: not line.startswith(" ")):
        head, _, rest = entry.partition("\n")
        names, _, kind = head.partition(" : ")
        term = ", ".join(f"``{name}``" for name in names.split(", "))
        if rest and not rest[0].islower():  # otherwise the sentence starts after the name
            written += [f"{term} : {_inline(kind)}", f"    {_inline(rest)}"]
        else:
            written += [term, f"    {_inline(kind + ' ' + rest)}"]
    return [*written, ""]


def _typed(block: list[str]) -> list[str]:
    """Return results or errors as a definition list: types above, their descriptions below.

    >>> _typed(["BadInput", "    If `w` is zero."])
    [':py:obj:`BadInput`', '    If :py:obj:`w` is zero.', '']
    """
    written: list[str] = []
    for entry in _joined(block, lambda line: not line.startswith(" ")):
        kind, _, rest = entry.partition("\n")
        written += [_inline(f"`{kind}`" if NAME.fullmatch(kind) else kind)]
        written += [f"    {_inline(rest)}"] if rest else []
    return [*written, ""]


def _paragraph(block: list[str]) -> list[str]:
    """Return text as one line, a list of items, or names with descriptions ("tie: what 0 is")."""
    written: list[str] = []
    if NAMED.match(block[0]):
        lines = STATEMENT.sub(r"\n", "\n".join(block)).split("\n")
        return _defined([NAMED.sub(r"\1 : ", line) if NAMED.match(line) else f" {line}" for line in lines])
    for entry in _joined(block, lambda line: ITEM.match(line) is not None):
        item = ITEM.match(entry)
        sign = item.group() if item else ""
        written += [sign + _inline(entry[len(sign) :]), ""]
    return written[:-1]


def _joined(lines: list[str], begins: Callable[[str], bool]) -> list[str]:
    """Join each item with its continuation lines, with "\n" after the first line."""
    entries: list[list[str]] = []
    for line in lines:
        if begins(line) or not entries:
            entries.append([])
        entries[-1].append(line.strip())
    return ["\n".join((entry[0], " ".join(entry[1:]))) for entry in entries]


def _inline(text: str) -> str:
    """Escape everything except code; a name of this package in backticks becomes a reference."""
    text = " ".join(text.split())
    written, at = "", 0
    for code in CODE.finditer(text):
        written += SPECIAL.sub(r"\\\1", text[at : code.start()])
        literal, name = code.groups()
        written += f":py:obj:`{name}`" if name and NAME.fullmatch(name) else f"``{literal or name}``"
        at = code.end()
    return written + SPECIAL.sub(r"\\\1", text[at:])


def rewrite(app: Sphinx, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Rewrite the lines in place (an autodoc hook)."""
    lines[:] = as_rst(lines)


def leave_out(app: Sphinx, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Omit fields without a docstring and methods of other packages (an autodoc hook)."""
    carried = CARRIED.fullmatch(name) or CARRIED.match(getattr(obj, "__doc__", None) or "")
    return True if carried else None


def shorten(
    app: Sphinx, what: str, name: str, obj: Any, options: Any, signature: str | None, returns: str | None
) -> tuple[str | None, str | None]:
    """Shorten the names of types, and omit default factories (an autodoc hook)."""
    if signature is not None:
        signature = ALIAS.sub(r"\1", QUALIFIED.sub("", signature)).replace("<factory>", "…")
    return signature, returns


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the hooks with Sphinx."""
    app.connect("autodoc-process-signature", shorten)
    app.connect("autodoc-process-docstring", rewrite)
    app.connect("autodoc-skip-member", leave_out)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
