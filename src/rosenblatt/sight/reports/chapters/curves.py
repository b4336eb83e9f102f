"""Decision values and probabilities as pictures: ROC, precision by recall, reliability."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.examples import plain
from rosenblatt.learning.streams.evaluations import Evaluation
from rosenblatt.sight.reports import svg
from rosenblatt.sight.reports.chapters.passes_made import legend_of
from rosenblatt.sight.reports.markup import name, percent, shortened
from rosenblatt.sight.reports.measures import Ranking, Reliability, brier, ranking, reliability

TICKS = [(tick, f"{100 * tick:.0f}\u00a0%") for tick in (0.0, 0.25, 0.5, 0.75, 1.0)]
MOST_LETTERS = 30  # of the name of a class in a caption


def curves(found: Evaluation) -> str:
    """Return the curves of the ranking of rows, and of the calibration of probabilities."""
    ranked, trusted = ranking(found), reliability(found)
    drawn = _ranking(ranked, found) if ranked is not None else ""
    if trusted is not None:
        drawn += _reliability(trusted, found)
    return drawn


def _ranking(ranked: Ranking, found: Evaluation) -> str:
    label = plain(found.classes[1])
    roc = _figure(
        "ROC curve for {}: true positive rate by false positive rate", label,
        f"The area under the curve is {ranked.roc.area:.4f}.",
        (ranked.roc.x, ranked.roc.y), f"AUC {ranked.roc.area:.4f}", "false positive rate",
        svg.Series([(0.0, 0.0), (1.0, 1.0)], []), "chance",
    )  # fmt: skip
    precision = _figure(
        "Precision of {} by recall", label,
        f"The area under the curve, the average precision, is {ranked.precision.area:.4f}.",
        (ranked.precision.x, ranked.precision.y), f"average precision {ranked.precision.area:.4f}",
        "recall",
        svg.Series([(0.0, ranked.base), (1.0, ranked.base)], []), "chance",
    )  # fmt: skip
    return f'<div class="pair">{roc}{precision}</div>\n'


def _reliability(trusted: Reliability, found: Evaluation) -> str:
    two = len(found.classes) == 2
    title = "Calibration: observed frequency by predicted probability of " + (
        "{}" if two else "the predicted class"
    )
    figure = _figure(
        title, plain(found.classes[1]), "A calibrated model is on the diagonal.",
        (trusted.told, trusted.true), f"Brier score {brier(found):.4f}", "predicted probability",
        svg.Series([(0.0, 0.0), (1.0, 1.0)], []), "perfect calibration",
    )  # fmt: skip
    return f'<div class="pair">{figure}</div>\n'


def _figure(
    title: str,
    label: Any,
    description: str,
    curve: tuple[NDArray[np.float64], NDArray[np.float64]],
    said: str,
    below: str,
    other: svg.Series,
    other_said: str,
) -> str:
    """Return a figure of a curve in the unit square, and a line to compare it with. title: with {} for the
    label."""
    x, y = curve
    some = np.unique(np.linspace(0, len(x) - 1, svg.MOST_POINTS).round().astype(int))
    points = [(float(x[k]), float(y[k])) for k in some]
    line = svg.Series(points, [f"{percent(a)}, {percent(b)}" for a, b in points])
    scale, named = [tick for tick, _ in TICKS], [word for _, word in TICKS]
    told = title.format(shortened(label, MOST_LETTERS))
    plot = svg.lines(told, description, [line, other], TICKS, below, scale, named)
    caption = title.format(name(label, MOST_LETTERS)) + legend_of([said, other_said])
    return f"<figure><figcaption>{caption}</figcaption>\n{plot}</figure>\n"
