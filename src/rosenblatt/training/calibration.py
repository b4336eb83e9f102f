"""Class probabilities from decision values, and predictions by a threshold other than 0.

A calibration has one curve for each column of decision values: Platt's sigmoid (1999) or an increasing
piecewise linear function (isotonic, Zadrozny and Elkan 2002). For two classes, the curve gives the
probability of the second class; for more classes, the values of the curves are divided by their sum.
`models.calibrating` fits a calibration; this module only applies it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.row_batches import Rows
from rosenblatt.training.run import Answers


class Platt(NamedTuple):
    """Hold the sigmoid 1/(1 + exp(−(slope·s + shift))) for the decision values s of each class."""

    slope: NDArray[np.float64]
    shift: NDArray[np.float64]

    def of_columns(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return 0.5 * (1.0 + np.tanh(0.5 * (self.slope * values + self.shift)))  # cannot overflow


class Isotonic(NamedTuple):
    """Hold the points (x, y) of a piecewise linear curve for each class; it is constant beyond them."""

    x: tuple[NDArray[np.float64], ...]
    y: tuple[NDArray[np.float64], ...]

    def of_columns(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        columns = zip(values.T, self.x, self.y, strict=True)
        return np.column_stack([np.interp(column, x, y) for column, x, y in columns])


Calibration = Platt | Isotonic
METHODS: dict[str, type[Platt] | type[Isotonic]] = {"platt": Platt, "isotonic": Isotonic}


def method_of(calibration: Calibration) -> str:
    return next(name for name, cls in METHODS.items() if isinstance(calibration, cls))


def probabilities(calibration: Calibration, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the probability of each class for each row of decision values.

    Examples
    --------
    >>> halved = Platt(np.array([1.0]), np.array([0.0]))
    >>> probabilities(halved, np.array([0.0, 800.0])).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    if values.ndim == 1:
        second = calibration.of_columns(values[:, None])[:, 0]
        return np.column_stack([1.0 - second, second])
    each = calibration.of_columns(values)
    total = each.sum(axis=1, keepdims=True)
    return np.where(total > 0.0, each / np.where(total > 0.0, total, 1.0), 1.0 / each.shape[1])


class Above(NamedTuple):
    """Predict the second of two classes if the decision value is above `threshold`."""

    answers: Answers
    threshold: float

    def values(self, rows: Rows) -> NDArray[np.float64]:
        return self.answers.values(rows)

    def best(self, rows: Rows) -> NDArray[np.int64]:
        return (self.values(rows) > self.threshold).astype(np.int64)
