"""Generate Python text that a reader can copy: literals, assignments and calls."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

WIDTH = 76


def script(*lines: str) -> str:
    """Return a script of these lines."""
    return "\n".join(lines)


def literal(value: Any) -> str:
    """Return a value as Python text; floats have the fewest digits that give the same double.

    >>> literal([[1.0, -0.5], [2.25, 3.0]])
    '[[1, -0.5], [2.25, 3]]'
    >>> literal("mistake")
    '"mistake"'
    """
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, tuple):
        return f"({', '.join(literal(part) for part in value)}{',' * (len(value) == 1)})"
    if isinstance(value, list):
        return f"[{', '.join(literal(part) for part in value)}]"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, float) and value == int(value) and abs(value) < 1e15:
        return str(int(value))
    return repr(value)


def assignment(name: str, value: Any) -> str:
    """Return ``name = value``; a long list is split over several lines.

    >>> print(assignment("X", [[1.0, 2.0]] * 20))  # doctest: +ELLIPSIS
    X = [
        [1, 2], [1, 2], ...
    ]
    """
    plain = f"{name} = {literal(value)}"
    if len(plain) <= WIDTH:
        return plain
    parts = value.tolist() if isinstance(value, np.ndarray) else value
    unbroken = ", ".join(literal(part).replace(" ", "\0") for part in parts)
    lines = textwrap.wrap(unbroken, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    inside = "\n".join(f"    {line}" for line in lines).replace("\0", " ")
    return f"{name} = [\n{inside},\n]"


def arguments(**given: Any) -> str:
    """Return keyword arguments as text, such as ``a=1, b="two"``.

    >>> arguments(offset=False, tie="mistake")
    'offset=False, tie="mistake"'
    """
    return ", ".join(f"{name}={literal(value)}" for name, value in given.items())


def call_text(function: str, *positional: str, **given: Any) -> str:
    """Return a function call as text, in lines that fit the page.

    >>> call_text("steps = trace", "X", "y", offset=False)
    'steps = trace(X, y, offset=False)'
    """
    words = [*positional, *(f"{name}={literal(value)}" for name, value in given.items())]
    plain = f"{function}({', '.join(words)})"
    if len(plain) <= WIDTH:
        return plain
    unbroken = " ".join(word.replace(" ", "\0") + "," for word in words)
    lines = textwrap.wrap(unbroken, WIDTH - 4, break_long_words=False, break_on_hyphens=False)
    return f"{function}(\n" + "\n".join(f"    {line}" for line in lines).replace("\0", " ") + "\n)"
