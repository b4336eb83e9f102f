"""Runs made up for the viewer, by the shortest perceptron there is: no code of the package is used."""

from __future__ import annotations

import math
import struct
from typing import Any


def looks(points: Any, labels: Any, passes: int, offset: bool, tie: str) -> list[dict[str, Any]]:
    """Return functional margin before and after each step, whether it was a mistake, and its weights."""
    w, b, steps = [0.0] * len(points[0]), 0.0, []
    for epoch in range(1, passes + 1):
        for index, (x, y) in enumerate(zip(points, labels, strict=True)):
            score = sum(u * v for u, v in zip(w, x, strict=True)) + b
            mistake = y * score < 0 or (score == 0 and (tie == "mistake" or (tie == "positive") == (y < 0)))
            if mistake:
                w, b = [u + y * v for u, v in zip(w, x, strict=True)], b + y * offset
            after = y * (sum(u * v for u, v in zip(w, x, strict=True)) + b)
            steps.append({"epoch": epoch, "index": index, "agreement": y * score, "after": after,
                          "mistake": mistake, "w": w, "b": b})  # fmt: skip
    return steps


def example_run(
    points: Any, labels: Any, *, passes: int = 3, offset: bool = True, tie: str = "mistake",
    star: Any = None, chunk: int = 2048, title: str = "", classes: Any = ("-1", "+1"), cycle: Any = None,
) -> tuple[dict[str, Any], list[bytes]]:  # fmt: skip
    """A head and its chunks, as the viewer reads them. star: a separator (w*…, b*), of any length."""
    steps = looks(points, labels, passes, offset, tie)
    d, rows, mistakes, taken = len(points[0]), [], 0, 0
    unit = None if star is None else [number / math.hypot(*star) for number in star]
    for step in steps:
        mistakes += step["mistake"]
        taken += step["mistake"] and labels[step["index"]] < 0
        lifted = [*step["w"], step["b"]]
        progress = 0.0 if unit is None else sum(u * v for u, v in zip(lifted, unit, strict=True))
        looked = [step["epoch"], step["index"], step["agreement"], step["after"], 3.0 * step["mistake"]]
        norm2 = sum(u * u for u in lifted)
        rows.append([*looked, mistakes, mistakes, norm2, progress, step["b"], taken, *step["w"]])
    chunks = []
    for first in range(0, len(rows), chunk):
        part = rows[first : first + chunk]
        columns = [row[column] for column in range(11 + d) for row in part]
        chunks.append(struct.pack(f"<{len(columns)}d", *columns))
    every = max(1, len(rows) // 900)
    marks = sorted({0, *range(every, len(rows), every), len(rows)})
    at = [[0.0] * (11 + d), *rows]
    head = {
        "format": "rosenblatt-replay", "version": 1, "title": title, "n_steps": len(rows), "n_features": d,
        "chunk": chunk, "points": [list(map(float, x)) for x in points], "labels": list(map(int, labels)),
        "classes": list(classes), "plane": _plane(d), "start": {"weights": [0.0] * d, "offset": 0.0},
        "offset": offset, "tie": tie, "rule": "rosenblatt", "settings": {},
        "ending": f"{len(rows)} steps, {mistakes} mistakes", "separated": False, "cycle": cycle,
        "proof": None if unit is None else _proof(points, labels, unit, offset),
        "proof_note": "No w* was looked for." if unit is None else "w* was given.", "claims_apply": True,
        "overview": _overview([at[t] for t in marks], marks, unit is not None),
    }  # fmt: skip
    return head, chunks


def _overview(rows: Any, marks: list[int], proved: bool) -> dict[str, Any]:
    column = [[row[k] for row in rows] for k in (5, 7, 8)]
    return {
        "step": marks,
        "mistakes": column[0],
        "updates": column[0],
        "norm2": column[1],
        "progress": column[2] if proved else None,
    }


def _plane(d: int) -> dict[str, Any]:
    axes = [[float(j == axis) for j in range(d)] for axis in range(2)]
    return {"origin": [0.0] * d, "axes": axes, "labels": ["x₁", "x₂" if d > 1 else ""], "exact": d < 3,
            "note": "" if d < 3 else "The first two features of many."}  # fmt: skip


def _proof(points: Any, labels: Any, unit: list[float], offset: bool) -> dict[str, Any]:
    lifted = [[*x, float(offset)] for x in points]
    margin = min(
        y * sum(u * v for u, v in zip(x, unit, strict=True)) for x, y in zip(lifted, labels, strict=True)
    )
    radius = max(math.hypot(*x) for x in lifted)
    return {"weights": unit[:-1], "offset": unit[-1], "margin": margin, "radius": radius,
            "bound": (radius / margin) ** 2, "each": "mistake", "progress": margin, "growth": radius**2,
            "progress_name": "γ", "growth_name": "R²", "letters": "", "start_progress": 0.0,
            "start_norm2": 0.0}  # fmt: skip
