"""The line w·x + b = 0 and its two sides: scores, predictions, distances and projections."""

from __future__ import annotations

import numpy as np

from rosenblatt import geometry
from rosenblatt.course.lab.chapters.chapter import Answer, Chapter
from rosenblatt.course.lab.page_states import State
from rosenblatt.course.lab.python import assignment, script
from rosenblatt.course.lectures import EXAMPLES, Line
from rosenblatt.errors import BadInput

SHORTEST = 1e-6  # shortest w that is visible

START = {
    "w": [2.0, 3.0],
    "b": -6.0,
    "points": [[3.0, 0.0], [0.0, 2.0], [0.0, 0.0], [3.0, 2.0]],
}


def lines() -> dict[str, dict[str, object]]:
    """Return all lines among the worked examples, as states of this chapter."""
    return {
        f"{key}: {name}" if len(example.parts) > 1 else key: {
            "w": list(part.w),
            "b": part.b,
            "points": [list(x) for x in part.points],
        }
        for key, example in EXAMPLES.items()
        for name, part in example.parts.items()
        if isinstance(part, Line)
    }


def answer(state: State) -> Answer:
    """Return for each point its side of the line, its distance, and its projection onto the line."""
    w, b = np.array(state.point("w")), state.number("b")
    if geometry.l2_norm(w) < SHORTEST:
        raise BadInput("w: too short to be at right angles to a line; drag its end away from the origin")
    points = state.points(least=0)
    scores = [geometry.inner(w, x) + b for x in points]
    distances = [geometry.distance(x, w, b) for x in points]
    feet = [geometry.project(x, w, b).tolist() for x in points]
    numbers = {
        "length": geometry.l2_norm(w),
        "scores": scores,
        "answers": [int(np.sign(score)) for score in scores],
        "distances": distances,
        "feet": feet,
    }
    return Answer(numbers, _python(w, b, points), tuple(_sentences(points, scores, distances)))


def _sentences(points: np.ndarray, scores: list[float], distances: list[float]) -> list[str]:
    sides = {1: "on the + side", -1: "on the − side", 0: "on the line"}
    sentences = [
        f"({x[0]:.4g}, {x[1]:.4g}): score {score:.4g}, {sides[int(np.sign(score))]}, {distance:.4g} away."
        for x, score, distance in zip(points, scores, distances, strict=True)
    ]
    return [sentence.replace("-", "−") for sentence in sentences]


def _python(w: np.ndarray, b: float, points: np.ndarray) -> str:
    return script(
        "import numpy as np",
        "from rosenblatt import geometry",
        "",
        assignment("w", w) + ("; " + assignment("b", b)),
        assignment("points", points),
        "length = geometry.l2_norm(w)",
        "scores = [geometry.inner(w, x) + b for x in points]",
        "answers = [int(np.sign(score)) for score in scores]",
        "distances = [geometry.distance(x, w, b) for x in points]",
        "feet = [geometry.project(x, w, b).tolist() for x in points]",
        "print(scores, answers, distances, sep='\\n')",
    )


LINE = Chapter(
    "line",
    "The line and its two sides",
    "Drag w and b, click to classify.",
    START,
    answer,
    {"lines": lines()},
)
