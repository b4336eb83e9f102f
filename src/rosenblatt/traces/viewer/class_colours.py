"""The shape and colour of each class in all pictures of the package, read from `classes.js`.

A style sheet may contain ``@light-1`` for the colour of class 1 on light backgrounds, and ``@channels-1``
for its red, green and blue components; `insert_colours` inserts the values. So a class has the same
appearance on all pages, in the lab, in reports and in plots.
"""

from __future__ import annotations

import json
import re
from importlib import resources
from typing import NamedTuple


class Look(NamedTuple):
    """Hold the shape of a class, its matplotlib marker, and its colours on light and dark backgrounds."""

    shape: str
    marker: str
    light: str
    dark: str


def _read() -> tuple[Look, ...]:
    text = resources.files("rosenblatt.traces.viewer").joinpath("classes.js").read_text(encoding="utf-8")
    return tuple(Look(**look) for look in json.loads(text[text.index("[") : text.rindex("]") + 1]))


CLASSES = _read()
NEGATIVE, POSITIVE = CLASSES[:2]


def insert_colours(css: str) -> str:
    """Return a style sheet with the class colours inserted.

    >>> insert_colours("a { color: @light-1; background: @dark-0 } b { color: rgb(@channels-1) }")
    'a { color: #0072b2; background: #e69f00 } b { color: rgb(0 114 178) }'
    """
    return re.sub(r"@(light|dark|channels)-(\d)", lambda found: _value(found[1], int(found[2])), css)


def _value(what: str, number: int) -> str:
    look = CLASSES[number]
    if what == "channels":
        return " ".join(str(int(look.light[k : k + 2], 16)) for k in (1, 3, 5))
    return look.dark if what == "dark" else look.light
