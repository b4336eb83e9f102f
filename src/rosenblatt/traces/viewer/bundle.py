"""The viewer's JavaScript modules as a single script, and its style sheet."""

from __future__ import annotations

import re
from functools import cache
from importlib import resources

from rosenblatt.traces.viewer.class_colours import insert_colours

MODULES = (
    "classes", "numbers", "scales", "theme", "marks", "pen", "plane", "chart", "packed", "curves", "replay",
    "sentences", "judged", "scene", "kernel_scene", "proof", "counters", "controls", "chosen", "player",
    "embedded", "widget",
)  # fmt: skip
"""All modules, each after the modules that it imports."""

IMPORT = re.compile(r"^import \{[^}]*\} from \"\./\w+\.js\";\n", re.MULTILINE)
EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const)\b)", re.MULTILINE)


@cache
def script() -> str:
    """Return all modules concatenated into one ES module.

    Names are unique across the modules, so imports are removed. Only `mountReplay` and the exports that the
    widget needs are kept.

    >>> "import " in script(), script().count("export "), "function mountReplay(" in script()
    (False, 2, True)
    """
    whole = "\n".join(EXPORT.sub("", IMPORT.sub("", module(name))) for name in MODULES)
    return f"{whole}\nexport {{ Chart, Plane, Replay, mountEmbedded, mountReplay }};\n"


def module(name: str) -> str:
    """Return the source text of one module.

    >>> module("replay").splitlines()[0][:29]
    '// The steps of a run, read i'
    """
    return resources.files("rosenblatt.traces.viewer").joinpath(f"{name}.js").read_text(encoding="utf-8")


@cache
def style() -> str:
    """Return the style sheet, whose rules apply only to elements of the class ``rosenblatt``.

    >>> ".rosenblatt .plane" in style()
    True
    """
    return insert_colours(
        resources.files("rosenblatt.traces.viewer").joinpath("viewer.css").read_text(encoding="utf-8")
    )
