"""The worked examples of the notes as a JavaScript module of the lab, `course/lab/site/engine/presets.js`.

``python -m rosenblatt.course.lab.presets`` writes it, and a test compares it with the lectures.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rosenblatt.course.lectures import EXAMPLES, Addition, Line, Run

KINDS = {Run: "run", Line: "line", Addition: "addition"}
HEAD = """\
/**
 * The worked examples of the notes. Generated from `rosenblatt.lectures` by `make presets`; do not edit.
 *
 * @typedef {{kind: "run", points: number[][], labels: (-1|1)[], settings: Object} |
 *   {kind: "line", w: number[], b: number, points: number[][]} |
 *   {kind: "addition", theta: number[], x: number[]}} Part
 *
 * @type {Object<string, {notes: string, title: string, slip: string, parts: Object<string, Part>}>}
 */
export const EXAMPLES = {
"""


def presets_module() -> str:
    """Return the text of the JavaScript module.

    >>> "export const EXAMPLES" in presets_module()
    True
    """
    lines = [HEAD.rstrip("\n")]
    for key, example in EXAMPLES.items():
        about = {"notes": example.notes, "title": example.title, "slip": example.slip}
        lines.append(f"  {_text(key)}: {{")
        lines += [f"    {name}: {_text(value)}," for name, value in about.items()]
        lines.append("    parts: {")
        for name, part in example.parts.items():
            fields = ", ".join(f"{field}: {_text(value)}" for field, value in _fields(part).items())
            lines.append(f"      {_text(name)}: {{ {fields} }},")
        lines += ["    },", "  },"]
    return "\n".join([*lines, "};"]) + "\n"


def _fields(part: Run | Line | Addition) -> dict[str, Any]:
    return {"kind": KINDS[type(part)], **asdict(part)}


def _text(value: Any) -> str:
    """Return a value as JavaScript; numbers without a fractional part are whole numbers.

    >>> _text((1.0, -0.5)), _text({"epochs": None})
    ('[1, -0.5]', '{"epochs": null}')
    """
    return json.dumps(_plain(value), ensure_ascii=False)


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


if __name__ == "__main__":
    Path(__file__).with_name("site").joinpath("engine", "presets.js").write_text(
        presets_module(), encoding="utf-8"
    )
