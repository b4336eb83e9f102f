"""Small animated previews of the chapters, computed by the package from each chapter's initial state.

A glimpse consists of a static part (view, points, classes) and a sequence of frames. The page draws the
elements that a frame contains: regions, halves, band, thin lines, lines, a curve, an arrow, points, rings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from rosenblatt import geometry, rules
from rosenblatt.course.foundations import Gaussian, PolynomialCurve
from rosenblatt.course.lab.chapters import CHAPTERS
from rosenblatt.course.lab.chapters.polynomial_curve import draw_points
from rosenblatt.course.lab.grid_regions import FINER, regions
from rosenblatt.course.lab.own_files import on_disk, stored_file
from rosenblatt.course.lab.uploaded_tables import best_side
from rosenblatt.data.sources.encoding import Encoding
from rosenblatt.data.sources.reading import read_table
from rosenblatt.kernels import Polynomial
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.models.perceptron import Perceptron
from rosenblatt.traces import trace
from rosenblatt.traces.plane import plane_of

SWIFT, STEADY, SLOW = 70, 450, 800  # duration of a frame in milliseconds
HELD = 4  # the last frame is shown this many times longer
WIDER = 1.8  # horizontal stretch of sin(πx) compared with equal scales


class Glimpse(NamedTuple):
    """Hold the static part, the frames, and the duration of each frame."""

    view: list[list[float]]
    pace: int
    stays: Mapping[str, Any]
    frames: list[dict[str, Any]]


@cache
def glimpses() -> dict[str, dict[str, Any]]:
    """Return the preview of every chapter that has one, by chapter key.

    >>> list(glimpses()) == list(CHAPTERS)
    True
    """
    return {key: {**of(CHAPTERS[key].start)._asdict(), "held": HELD} for key, of in GLIMPSES.items()}


def _line(start: Mapping[str, Any]) -> Glimpse:
    """Show w turning back and forth while points change sides."""
    points, w, b = start["points"], start["w"], start["b"]
    frames = []
    for turn in np.sin(np.linspace(0.0, 2.0 * math.pi, 72)) * 0.9:
        turned = [
            w[0] * math.cos(turn) - w[1] * math.sin(turn),
            w[0] * math.sin(turn) + w[1] * math.cos(turn),
        ]
        foot = [-b * part / geometry.l2_norm(w) ** 2 for part in turned]
        tip = [at + 0.45 * part for at, part in zip(foot, turned, strict=True)]
        sides = [int(geometry.inner(turned, x) + b > 0) for x in points]
        line = [*turned, b]
        frames.append({"halves": line, "lines": [line], "arrow": [foot, tip], "classes": sides})
    return Glimpse([[-2.0, 5.0], [-1.2, 3.2]], SWIFT, {"points": points}, frames)


def _steps(start: Mapping[str, Any]) -> Glimpse:
    """Show every step of the run: the line changes at each mistake."""
    points, labels = start["points"], start["labels"]
    steps = trace(np.array(points, float), labels, epochs=None, until="separated")
    frames = [
        {
            "halves": [*step.weights, step.offset],
            "lines": [[*step.weights, step.offset]],
            "now": [points[step.index]],
            "wrong": [points[step.index]] if step.mistake else [],
        }
        for step in steps
    ]
    return Glimpse([[-2.6, 3.6], [-1.7, 3.6]], STEADY, _with_classes(points, labels), frames)


def _bound(start: Mapping[str, Any]) -> Glimpse:
    """Show the band growing until it reaches the points that determine the margin."""
    answer = CHAPTERS["bound"].answer(start)
    line, margin = answer.picture["hyperplane"], answer.numbers["margin"][0]
    support = [start["points"][row] for row in answer.numbers["support"]]
    frames: list[dict[str, Any]] = [
        {"lines": [line], "band": [line, margin * share]} for share in np.linspace(0.0, 1.0, 40)
    ]
    frames += [{**frames[-1], "support": support}] * 12
    return Glimpse(
        [[-2.8, 4.6], [-1.8, 3.8]], SWIFT, _with_classes(start["points"], start["labels"]), frames
    )


def _orders(start: Mapping[str, Any]) -> Glimpse:
    """Show the final line for one order after the other, then the averaged line."""
    numbers = CHAPTERS["orders"].answer(start).numbers
    lines = numbers["lines"]
    frames: list[dict[str, Any]] = [{"thin": lines[:shown]} for shown in range(1, len(lines) + 1)]
    frames.append({"thin": lines, "lines": [numbers["boundaries"]["averaged"]]})
    return Glimpse(
        [[-4.2, 3.4], [-2.6, 3.3]], STEADY, _with_classes(start["points"], start["labels"]), frames
    )


def _sure(start: Mapping[str, Any]) -> Glimpse:
    """Show the ellipse around w shrinking with every update while the line converges."""
    points, labels = start["points"], start["labels"]
    steps = trace(
        np.array(points, float), labels, rule=rules.Arow(covariance="full"), offset=False, epochs=1
    )
    around = np.linspace(0.0, 2.0 * math.pi, 49)
    frames = []
    for step in steps:
        first, both, second = step.covariance
        root = np.linalg.cholesky([[first, both], [both, second]])
        ellipse = np.array(step.weights)[:, None] + root @ np.stack([np.cos(around), np.sin(around)])
        frames.append(
            {
                "lines": [[*step.weights, 0.0]], "curve": ellipse.T.round(3).tolist(),
                "arrow": [[0.0, 0.0], list(step.weights)], "now": [points[step.index]],
            }
        )  # fmt: skip
    return Glimpse([[-4.0, 4.0], [-2.8, 3.2]], STEADY, _with_classes(points, labels), frames)


def _xor(start: Mapping[str, Any]) -> Glimpse:
    """Show the line cycling, then the polynomial of degree 2 that ends the cycle."""
    points, labels = start["points"], start["labels"]
    cycle = CHAPTERS["xor"].answer(start).picture["lines"]
    model = KernelPerceptron(kernel=Polynomial(2, 1.0, 0.0), order="given", progress=False)
    model.fit(np.array(points, float), labels)
    curved = _regions(points, lambda cells: model.predict(cells) > 0)
    frames = [{"lines": [line], "halves": line} for line in cycle * 3] + [{"regions": curved}] * 2
    return Glimpse([[-2.0, 2.0], [-1.5, 1.5]], SLOW, _with_classes(points, labels), frames)


def _classes(start: Mapping[str, Any]) -> Glimpse:
    """Show how the first steps change the regions of three classes."""
    points, labels = np.array(start["points"], float), start["labels"]
    order = np.arange(len(points)).reshape(3, -1).T.ravel()  # alternate between the classes
    model, frames = Perceptron(), []
    for row in order[:12]:
        model.partial_fit(points[[row]], [labels[row]], classes=[0, 1, 2])
        frames.append({"regions": _regions(start["points"], model.predict), "now": [points[row].tolist()]})
    stays = {"points": start["points"], "classes": labels}
    return Glimpse([[-3.6, 3.6], [-3.0, 2.6]], SLOW, stays, frames)


def _teacher(start: Mapping[str, Any]) -> Glimpse:
    """Show each challenge, and the line with which the learner answers it."""
    numbers = CHAPTERS["teacher"].answer(start).numbers
    classes = [int(label > 0) for label in numbers["y"]]
    frames = []
    for shown, (w, was_wrong) in enumerate(zip(numbers["weights"], numbers["mistakes"], strict=True), 1):
        x = numbers["X"][shown - 1]
        frames.append(
            {
                "points": numbers["X"][:shown], "classes": classes[:shown], "lines": [w], "halves": w,
                "now": [x], "wrong": [x] if was_wrong else [],
            }
        )  # fmt: skip
    return Glimpse([[-1.5, 1.5], [-1.15, 1.15]], SLOW, {}, frames)


def _curve(start: Mapping[str, Any]) -> Glimpse:
    """Show polynomials of increasing degree through ten noisy points."""
    x, y = draw_points(start["n_points"], start["noise"], np.random.default_rng(start["seed"]))
    along = np.linspace(-1.3, 1.3, 131)
    frames = [
        {"curve": _line_points(WIDER * along, model.predict(along[:, None]))}
        for model in (PolynomialCurve(degree=degree, l2=0.0).fit(x[:, None], y) for degree in range(10))
    ]
    stays = {"points": _line_points(WIDER * x, y), "classes": [1] * len(x)}
    return Glimpse([[-1.3 * WIDER, 1.3 * WIDER], [-1.5, 1.5]], SLOW, stays, frames)


def _probability(start: Mapping[str, Any]) -> Glimpse:
    """Show a normal density moving to the maximum of the likelihood."""
    data, best = start["data"], Gaussian.fit(start["data"])
    along = np.linspace(-5.0, 5.0, 81)
    frames = []
    for share in np.linspace(0.0, 1.0, 50):
        share = share * share * (3.0 - 2.0 * share)  # slow at both ends
        mean = -2.5 + share * (best.mean + 2.5)
        bell = Gaussian(mean, 0.6 + share * (best.variance - 0.6))
        frames.append({"curve": _line_points(along, 10.0 * bell.density(along))})
    frames += frames[-1:] * 12
    stays = {"points": [[x, 0.0] for x in data], "classes": [1] * len(data)}
    return Glimpse([[-5.0, 5.0], [-0.8, 5.6]], SWIFT, stays, frames)


def _data(start: Mapping[str, Any]) -> Glimpse:
    """Show the example data turning from the first two columns to the view with the largest margin."""
    with on_disk(stored_file(start["file"])) as path:
        table = read_table(path, encoding=Encoding("standard"))
    labels = np.where(table.y == "setosa", 1, -1)
    axes = np.array(plane_of(table.X, best_side(table.X, labels).w)["axes"])
    frames = []
    for share in (1.0 - np.cos(np.linspace(0.0, math.pi, 50))) / 2.0:
        turned = (1.0 - share) * np.eye(2, table.X.shape[1]) + share * axes
        seen = table.X @ (turned / np.linalg.norm(turned, axis=1, keepdims=True)).T
        frames.append({"points": seen.round(3).tolist()})
    frames += frames[-1:] * 12
    return Glimpse([[-4.0, 4.0], [-2.8, 3.2]], SWIFT, {"classes": [int(c > 0) for c in labels]}, frames)


def _with_classes(points: Any, labels: Any) -> dict[str, Any]:
    return {"points": points, "classes": [int(label > 0) for label in labels]}


def _line_points(along: Any, heights: Any) -> list[list[float]]:
    return np.column_stack([along, heights]).round(3).tolist()


def _regions(points: Any, classify: Callable[..., Any]) -> dict[str, Any]:
    """Return decision regions at the resolution of the grid, which suffices for a small picture."""
    shown = regions(np.array(points, float), classify)
    rows = [
        shown["classes"][at : at + shown["columns"]]
        for at in range(0, len(shown["classes"]), shown["columns"])
    ]
    half = FINER // 2
    kept = [row[half // 2 :: half] for row in rows[half // 2 :: half]]
    return {**shown, "columns": len(kept[0]), "rows": len(kept), "classes": "".join(kept)}


GLIMPSES: dict[str, Callable[[Mapping[str, Any]], Glimpse]] = {
    "line": _line,
    "steps": _steps,
    "bound": _bound,
    "orders": _orders,
    "sure": _sure,
    "xor": _xor,
    "classes": _classes,
    "teacher": _teacher,
    "curve": _curve,
    "probability": _probability,
    "data": _data,
}
