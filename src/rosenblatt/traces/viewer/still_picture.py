"""The end of a run as an SVG picture, for notebooks shown without widgets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.traces.viewer.class_colours import NEGATIVE, POSITIVE

WIDTH, HEIGHT, FOOT = 480, 360, 28
MOST_POINTS = 2000
ROW_OF_OFFSETS, ROW_OF_WEIGHTS = 9, 11  # in a chunk


def still_picture(head: Mapping[str, Any], chunks: Sequence[bytes]) -> str:
    """Return the points and the last line of a run as SVG; with a kernel, the points alone.

    >>> head = {"points": [[0.0, 1.0], [2.0, 0.0]], "labels": [1, -1], "n_steps": 0, "n_features": 2,
    ...         "plane": {"origin": [0, 0], "axes": [[1, 0], [0, 1]], "labels": ["x₁", "x₂"]},
    ...         "start": {"weights": [0.0, 1.0], "offset": -0.5}, "ending": "0 steps"}
    >>> still_picture(head, []).count("<line"), still_picture(head | {"kernel": {}}, []).count("<circle")
    (1, 1)
    """
    axes, origin = np.array(head["plane"]["axes"]), np.array(head["plane"]["origin"])
    points = (np.array(head["points"][:MOST_POINTS]) - origin) @ axes.T
    low, size = points.min(axis=0), np.ptp(points, axis=0).max() or 1.0
    middle = low + np.ptp(points, axis=0) / 2.0
    scale = 0.8 * min(WIDTH, HEIGHT - FOOT) / size
    centre = np.array([WIDTH / 2.0, (HEIGHT - FOOT) / 2.0])

    def place(p: NDArray[np.float64]) -> list[float]:
        return (centre + (p - middle) * scale * [1.0, -1.0]).round(2).tolist()

    parts = [] if "kernel" in head else _line(*_last_line(head, chunks, axes, origin), middle, size, place)
    for (x, y), label in zip(map(place, points), head["labels"], strict=False):
        parts.append(
            f'<rect x="{x - 5:g}" y="{y - 5:g}" width="10" height="10" fill="{POSITIVE.light}"/>'
            if label > 0
            else f'<circle cx="{x:g}" cy="{y:g}" r="5.5" fill="{NEGATIVE.light}"/>'
        )
    ending = escape(head["ending"])
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}">'
        f"<title>{ending}</title>"
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>{"".join(parts)}'
        f'<rect y="{HEIGHT - FOOT}" width="{WIDTH}" height="{FOOT}" fill="#ffffff"/>'
        f'<text x="8" y="{HEIGHT - 9}" font-family="sans-serif" font-size="12">{ending}</text></svg>'
    )


def _last_line(
    head: Mapping[str, Any], chunks: Sequence[bytes], axes: NDArray[np.float64], origin: NDArray[np.float64]
) -> tuple[NDArray[np.float64], float]:
    """Return (a, c): the last line is a·p + c = 0 for points p of the plane."""
    w, b = np.array(head["start"]["weights"]), float(head["start"]["offset"])
    if chunks:
        last = np.frombuffer(chunks[-1], "<f8").reshape(-1, (head["n_steps"] - 1) % head["chunk"] + 1)[
            :, -1
        ]
        w, b = last[ROW_OF_WEIGHTS : ROW_OF_WEIGHTS + head["n_features"]], float(last[ROW_OF_OFFSETS])
    return axes @ w, float(w @ origin) + b


def _line(
    a: NDArray[np.float64], c: float, middle: NDArray[np.float64], size: float, place: Any
) -> list[str]:
    length2 = float(a @ a)
    if length2 == 0.0:
        return []
    foot = middle - a * (float(a @ middle) + c) / length2
    along = np.array([-a[1], a[0]]) / np.sqrt(length2) * 2.0 * size
    (x1, y1), (x2, y2) = place(foot - along), place(foot + along)
    return [f'<line x1="{x1}" y1="{y1}" x2="{x2}" y2="{y2}" stroke="#1c1f23" stroke-width="2"/>']
