"""Measures of predictions: curves and areas under them, from decision values and labels."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.row_batches import plain
from rosenblatt.training.calibration import probabilities
from rosenblatt.training.streams.evaluations import Evaluation

GROUPS = 10  # points of a calibration curve


class Curve(NamedTuple):
    """A curve as points (x, y), and the area under it."""

    x: NDArray[np.float64]
    y: NDArray[np.float64]
    area: float


class Ranking(NamedTuple):
    """Measures of how well decision values rank the second class above the first, over all thresholds."""

    roc: Curve  # x: false positive rate, y: recall; the area is the AUC
    precision: Curve  # x: recall, y: precision; the area is the average precision
    base: float  # the fraction of rows in the second class


def ranking(found: Evaluation) -> Ranking | None:
    """Return the ranking measures, or None unless there are two classes and both occur.

    >>> found = Evaluation(np.array(["ham", "spam"]))
    >>> found.count(np.array(["ham", "spam", "ham"]), np.array([0, 1, 1]), np.array([-1.0, 2.0, 0.5]))
    >>> ranking(found).roc.area, ranking(found).precision.area
    (1.0, 1.0)
    """
    scored = found.scored
    if len(found.classes) != 2 or scored is None or len(np.unique(scored.numbers)) < 2:
        return None
    # cumulative counts at each distinct value, from the highest down; the same as scikit-learn's roc_curve
    # and precision_recall_curve, whose import takes longer than training on a small file
    distinct, place = np.unique(scored.values, return_inverse=True)
    taken = [
        np.cumsum(np.bincount(place[scored.numbers == k], minlength=len(distinct))[::-1]) for k in (0, 1)
    ]
    false, true = (np.concatenate([[0.0], counts / counts[-1]]) for counts in taken)
    precision = taken[1] / (taken[0] + taken[1])
    return Ranking(
        Curve(false, true, float(np.trapezoid(true, false))),
        Curve(true[1:], precision, float(np.diff(true) @ precision)),
        float(scored.numbers.mean()),
    )


def brier(found: Evaluation) -> float | None:
    """Return the Brier score of the probabilities, or None without probabilities.

    A row contributes Σ (p − t)² over the classes, where t is 1 for the true class and 0 for the others. The
    score is the mean over the rows, divided by 2 if there are two classes.

    >>> from rosenblatt.training.calibration import Platt
    >>> found = Evaluation(np.array(["no", "yes"]), calibration=Platt(np.array([1.0]), np.array([0.0])))
    >>> found.count(np.array(["no", "yes"]), np.array([0, 1]), np.array([0.0, 1000.0]))
    >>> brier(found)
    0.125
    """
    scored = found.scored
    if found.calibration is None or scored is None or not len(scored.numbers):
        return None
    told = probabilities(found.calibration, scored.values)
    told[np.arange(len(told)), scored.numbers] -= 1.0
    return float((told**2).sum(axis=1).mean()) / (2.0 if len(found.classes) == 2 else 1.0)


class Reliability(NamedTuple):
    """Predicted probability and observed frequency for groups of rows with similar probabilities."""

    told: NDArray[np.float64]
    true: NDArray[np.float64]


def reliability(found: Evaluation) -> Reliability | None:
    """Return the calibration curve: of the second of two classes, or of the predicted class of several."""
    scored = found.scored
    if found.calibration is None or scored is None or not len(scored.numbers):
        return None
    from sklearn.calibration import calibration_curve

    told = probabilities(found.calibration, scored.values)
    if len(found.classes) == 2:
        true, predicted = calibration_curve(scored.numbers == 1, told[:, 1], n_bins=GROUPS)
    else:
        right = told.argmax(axis=1) == scored.numbers
        true, predicted = calibration_curve(right, told.max(axis=1), n_bins=GROUPS)
    return Reliability(predicted, true)


def as_measures(found: Evaluation) -> dict[str, Any]:
    """Return an evaluation as a dictionary for JSON."""
    ranked = ranking(found)
    return {
        "examples": found.examples,
        "error": found.error,
        "commonest": {"class": plain(found.classes[found.commonest]), "error": found.commonest_error},
        "classes": found.classes.tolist(),
        "confusion": found.confusion.tolist(),
        "per_class": found.per_class(),
        "auc": None if ranked is None else ranked.roc.area,
        "average_precision": None if ranked is None else ranked.precision.area,
        "brier": brier(found),
        "threshold": found.threshold,
        "unknown_labels": found.unknown,
    }
