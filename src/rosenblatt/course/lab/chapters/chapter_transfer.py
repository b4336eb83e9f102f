"""Pass a set of points on to the other chapters; each chapter limits their number and range."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.lab.chapters import bound, multiclass, polynomial_curve, row_orders, sure, xor
from rosenblatt.course.lab.chapters.chances import joint
from rosenblatt.course.lab.uploaded_tables import sample

Floats = NDArray[np.float64]

ON_A_LINE, LOOKED_AT, CHALLENGES = 12, 300, 60
LINE_REACH, JOINT_REACH, CURVE_TALL = 5.0, 4.2, 1.5


class Own(NamedTuple):
    """Hold points with labels −1 and 1, their original classes, and a line."""

    points: Floats
    labels: NDArray[np.int64]
    of_class: NDArray[np.int64]
    class_names: list[str]
    line: tuple[float, float, float]
    separable: bool


class Given(NamedTuple):
    """Hold an initial state for a chapter, and a sentence about it."""

    state: dict[str, Any]
    note: str


def states_for_chapters(own: Own) -> dict[str, Given]:
    """Return an initial state for each chapter that accepts points, by chapter key.

    The chapter on probability is left out if all points are on a line, as they then have no joint density.
    """
    spread = np.linalg.matrix_rank(own.points - own.points.mean(axis=0))
    given = {
        "line": _line(own),
        "steps": _labels_of(own, LOOKED_AT, {} if own.separable else {"passes": 10}),
        "bound": _labels_of(own, bound.MOST, {}),
        "orders": _labels_of(own, row_orders.MOST, {"run": 0}),
        "sure": _labels_of(own, sure.MOST, {}),
        "xor": _labels_of(own, xor.MOST_POINTS, {"method": "kernel", "kernel": "gaussian"}),
        "classes": _classes(own),
        "teacher": _teacher(own),
        "curve": _curve(own),
        "probability": _joint(own),
    }
    return given if spread == 2 else {key: each for key, each in given.items() if key != "probability"}


def _labels_of(own: Own, most: int, more: dict[str, Any]) -> Given:
    rows = sample(own.labels, most)
    return Given({**_of(own.points[rows], own.labels[rows]), **more}, _share(rows, own))


def _line(own: Own) -> Given:
    rows = sample(own.labels, ON_A_LINE)
    points, factor, middle, moved = _into(own.points[rows], LINE_REACH)
    length = float(np.hypot(own.line[0], own.line[1])) or 1.0
    w, b = np.array(own.line[:2]) / length, own.line[2] / length
    shifted = factor * (b + w @ middle)
    state = {"w": np.round(2 * w, 3).tolist(), "b": round(2 * float(shifted), 3), "points": _short(points)}
    return Given(state, _share(rows, own) + moved)


def _classes(own: Own) -> Given:
    """Return a state with the six most frequent classes."""
    counts = np.bincount(own.of_class, minlength=len(own.class_names))
    common = np.sort(np.argsort(-counts, kind="stable")[: multiclass.MOST_CLASSES])
    kept = np.flatnonzero(np.isin(own.of_class, common) & (counts[own.of_class] > 0))
    rows = kept[sample(own.of_class[kept], multiclass.MOST_POINTS)]
    numbers = np.searchsorted(common, own.of_class[rows])
    names = ", ".join(f"{number} is {own.class_names[of]}" for number, of in enumerate(common))
    return Given(_of(own.points[rows], numbers), f"{_share(rows, own)}; {names}")


def _teacher(own: Own) -> Given:
    rows = sample(own.labels, CHALLENGES)
    points = own.points[rows]
    points = points / max(float(np.hypot(*points.T).max()), 1e-12)
    state = {
        "side": "teacher", "labelling": "own", "offset": True,
        "challenges": _short(points), "labels": own.labels[rows].tolist(),
    }  # fmt: skip
    return Given(state, f"{_share(rows, own)}, scaled to length 1")


def _curve(own: Own) -> Given:
    """Return a state with the second coordinate as a function of the first."""
    rows = sample(own.labels, polynomial_curve.MOST_POINTS)
    points = own.points[rows]
    middle, half = (points.max(axis=0) + points.min(axis=0)) / 2, np.ptp(points, axis=0) / 2
    inside = (points - middle) / np.where(half > 0.0, half, 1.0) * [1.0, CURVE_TALL]
    return Given(
        {"points": _short(inside), "degree": 3},
        f"{_share(rows, own)}: the vertical as a function of the horizontal axis, both scaled",
    )


def _joint(own: Own) -> Given:
    rows = sample(own.labels, joint.MOST_POINTS)
    points, _, _, moved = _into(own.points[rows], JOINT_REACH)
    return Given({"topic": "joint", "points": _short(points)}, _share(rows, own) + moved)


def _into(points: Floats, reach: float) -> tuple[Floats, float, Floats, str]:
    """Scale and shift points into the range of a picture, if any point is outside.

    Return the new points, the factor and centre of factor·(x − centre), and text that mentions the change.
    """
    if np.abs(points).max() <= reach:
        return points, 1.0, np.zeros(2), ""
    middle = (points.max(axis=0) + points.min(axis=0)) / 2
    factor = reach / float(np.abs(points - middle).max())
    return factor * (points - middle), factor, middle, ", moved and scaled into the picture"


def _of(points: Floats, labels: NDArray[np.int64]) -> dict[str, Any]:
    return {"points": _short(points), "labels": labels.tolist()}


def _short(points: Floats) -> list[list[float]]:
    """Return points with few digits, because links contain them."""
    return points.round(4).tolist()


def _share(rows: NDArray[np.intp], own: Own) -> str:
    n = len(own.points)
    return f"all {n:,} points" if len(rows) == n else f"{len(rows):,} of {n:,} points"
