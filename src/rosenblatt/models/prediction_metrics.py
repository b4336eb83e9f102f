"""Metrics of held-out decision values, all of them losses: smaller is better.

Importing scikit-learn takes a second, so only the functions that need it import it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.models.calibrating import fit_calibration
from rosenblatt.training.calibration import probabilities

Loss = Callable[[NDArray[np.int64], NDArray[np.float64]], float]
"""A loss of (index of each row's class, decision values)."""

BLOCKS = 10


def predicted_classes(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the index of the class that decision values predict.

    >>> predicted_classes(np.array([-1.0, 2.0])), predicted_classes(np.array([[0.5, 2.0, 1.0]]))
    (array([0, 1]), array([1]))
    """
    return (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)


def _error(numbers: NDArray[np.int64], scores: NDArray[np.float64]) -> float:
    return float(np.mean(predicted_classes(scores) != numbers))


def _balanced_error(numbers: NDArray[np.int64], scores: NDArray[np.float64]) -> float:
    wrong = predicted_classes(scores) != numbers
    return float(np.mean([wrong[numbers == k].mean() for k in np.unique(numbers)]))


def _f1(numbers: NDArray[np.int64], scores: NDArray[np.float64]) -> float:
    from sklearn import metrics

    if scores.ndim == 2:
        return 1.0 - float(
            metrics.f1_score(numbers, predicted_classes(scores), average="macro", zero_division=0.0)
        )
    rarer = int(numbers.mean() < 0.5)
    return 1.0 - float(
        metrics.f1_score(numbers, predicted_classes(scores), pos_label=rarer, zero_division=0.0)
    )


def _auc(numbers: NDArray[np.int64], scores: NDArray[np.float64]) -> float:
    from sklearn import metrics

    columns = scores[:, None] if scores.ndim == 1 else scores
    first = 1 if scores.ndim == 1 else 0
    mine = [(numbers == first + k, column) for k, column in enumerate(columns.T)]
    areas = [
        metrics.roc_auc_score(known, column) for known, column in mine if known.any() and not known.all()
    ]
    return 1.0 - float(np.mean(areas)) if areas else 0.5


def _log_loss(numbers: NDArray[np.int64], shares: NDArray[np.float64]) -> float:
    return float(-np.log(shares[np.arange(len(numbers)), numbers]).mean())


def fit_probabilities(numbers: NDArray[np.int64], scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of each class by Platt's method, fitted to the same decision values.

    >>> fit_probabilities(np.array([0, 0, 1, 1]), np.array([-2.0, 1.0, -1.0, 2.0])).round(2).tolist()
    [[0.6, 0.4], [0.45, 0.55], [0.55, 0.45], [0.4, 0.6]]
    """
    shares = probabilities(fit_calibration(numbers, scores, "platt"), scores)
    return np.clip(shares, 1e-12, 1.0)


METRICS: Mapping[str, Loss] = {
    "error": _error, "balanced": _balanced_error, "auc": _auc, "f1": _f1, "log_loss": _log_loss,
}  # fmt: skip
"""The fraction of errors; the same, averaged over classes; 1 − area under the ROC curve, averaged over
classes; 1 − F1 of the rarer class, or averaged over more than two classes; and the mean negative logarithm
of the Platt-calibrated probability of the class."""


def standard_error(
    loss: Loss, numbers: NDArray[np.int64], scores: NDArray[np.float64], others: Any = None
) -> float:
    """Return the standard error of a loss, or of its difference from that of other scores.

    It is estimated by the jackknife over 10 blocks of rows (Quenouille, 1956).

    >>> numbers = np.arange(400) % 2
    >>> scores = np.where(np.arange(400) % 5, numbers - 0.5, 0.5 - numbers)
    >>> round(standard_error(METRICS["error"], numbers, scores), 2), (0.2 * 0.8 / 400) ** 0.5
    (0.02, 0.02)
    """
    block = np.random.default_rng(0).permutation(len(numbers)) % BLOCKS
    values = []
    for k in range(BLOCKS):
        rest = block != k
        value = loss(numbers[rest], scores[rest])
        values.append(value if others is None else value - loss(numbers[rest], others[rest]))
    return float(np.sqrt((BLOCKS - 1) * np.var(values)))
