"""Hyperplanes with few errors on inseparable rows, found in floating point.

Finding the fewest errors is NP-hard (Johnson & Preparata 1978), so two descents propose hyperplanes, and
callers count the errors exactly:

1. *Sigmoid*: minimise Σ σ(−mᵢ) over the functional margins mᵢ, from the logistic regression, with ever
   steeper sigmoids. It finds planted label errors when there are many more rows than features.
2. *Reweighting*: minimise Σ sᵢ·max(0, 1 − mᵢ)², then divide the weight sᵢ by the square of the row's slack,
   and repeat. A row far on the wrong side loses its influence. This finds fewer errors when there are
   hundreds of features.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from rosenblatt.numeric.blocks import matrix_ldexp, select_rows
from rosenblatt.numeric.row_batches import Batch
from rosenblatt.proof.clock import Clock
from rosenblatt.proof.clouds import column_exponents, unscale
from rosenblatt.proof.nearest_points import Vector
from rosenblatt.proof.parts import Number, Numbers

MOST_NUMBERS = 1 << 26  # most entries of the rows that are used
STEPS = 100  # L-BFGS iterations in each round
ROUNDS = 25
IDLE_ROUNDS = 5  # rounds without fewer errors after which a descent ends
STEEPER = 2.0  # growth of the weights from round to round
RIDGE = 1e-8
SLACK = 0.5  # slack below which the weight of a row no longer grows


def low_error_planes(batch: Batch, offset: bool, clock: Clock) -> Iterator[tuple[Numbers, Number]]:
    """Yield hyperplanes (w, b), each with fewer errors than those before it, up to rounding."""
    exponents = column_exponents(batch)
    width = batch.n_features if isinstance(select_rows(batch.rows, np.arange(1)), np.ndarray) else 100
    most = max(1, MOST_NUMBERS // width)
    which = np.arange(batch.n_rows)
    if batch.n_rows > most:
        which = np.sort(np.random.default_rng(0).permutation(batch.n_rows)[:most])
    labels = batch.labels[which].astype(np.float64)
    points = _Points(matrix_ldexp(select_rows(batch.rows, which), -exponents), labels, offset)
    fewest = len(which) + 1
    for v in _descend(points, clock):
        errors = int((points.margins(v) <= 0.0).sum())
        if errors < fewest:
            fewest = errors
            w, b = points.hyperplane(v)
            yield unscale(w, b, exponents)
        if not fewest:
            return


class _Points:
    """Hold the points yᵢ((xᵢ − c)/s, 1), with the mean c and the deviation s of each column."""

    def __init__(self, X: Any, labels: Vector, offset: bool) -> None:
        self.n, self._offset, self._labels = X.shape[0], offset, labels
        mean = np.asarray(X.mean(axis=0)).ravel()
        square = (
            np.asarray((X * X if isinstance(X, np.ndarray) else X.multiply(X)).sum(axis=0)).ravel() / self.n
        )
        is_centred = offset and isinstance(X, np.ndarray)
        self._centre = mean if is_centred else np.zeros(len(mean))
        self._scale = np.sqrt(np.maximum(square - self._centre**2, 0.0))
        self._scale[self._scale == 0.0] = 1.0
        self._X = (X - self._centre) / self._scale if isinstance(X, np.ndarray) else X
        self._factor = np.ones(len(mean)) if isinstance(X, np.ndarray) else self._scale
        self.dimension = len(mean) + offset

    def margins(self, v: Vector) -> Vector:
        w = v[: len(self._centre)] / self._factor
        b = v[-1] if self._offset else 0.0
        return np.asarray((self._X @ w + b) * self._labels)

    def gradient(self, slopes: Vector) -> Vector:
        """Return Σ slopeᵢ·∇mᵢ."""
        signed = slopes * self._labels
        w = np.asarray(self._X.T @ signed) / self._factor
        return np.append(w, signed.sum()) if self._offset else w

    def hyperplane(self, v: Vector) -> tuple[Vector, float]:
        w = v[: len(self._centre)] / self._scale
        return w, float(v[-1] - w @ self._centre) if self._offset else 0.0


Loss = Callable[[Vector], tuple[float, Vector]]
"""A function of all functional margins that returns the loss and its derivative for each margin."""


def _descend(points: _Points, clock: Clock) -> Iterator[Vector]:
    """Yield the weights after each round of both descents."""
    start = _minimise(points, _logistic, np.zeros(points.dimension), clock)
    yield start
    steep = 3.0 / (float(np.median(np.abs(points.margins(start)))) or 1.0)
    yield from _rounds(points, lambda _: _sigmoid, start * steep, clock)
    yield from _rounds(points, _squared_hinge, np.zeros(points.dimension), clock)


def _rounds(
    points: _Points, loss_for: Callable[[Vector], Loss], v: Vector, clock: Clock
) -> Iterator[Vector]:
    """Minimise a loss that depends on the current margins, scale the weights up, and repeat."""
    fewest, idle = points.n + 1, 0
    for _ in range(ROUNDS):
        v = _minimise(points, loss_for(points.margins(v)), v, clock)
        yield v
        errors = int((points.margins(v) <= 0.0).sum())
        fewest, idle = (errors, 0) if errors < fewest else (fewest, idle + 1)
        if idle == IDLE_ROUNDS:
            return
        v = v * STEEPER


def _logistic(m: Vector) -> tuple[float, Vector]:
    from scipy.special import expit

    return float(np.logaddexp(0.0, -m).sum()), -expit(-m)


def _sigmoid(m: Vector) -> tuple[float, Vector]:
    from scipy.special import expit

    p = expit(-m)
    return float(p.sum()), -p * (1.0 - p)


def _squared_hinge(margins: Vector) -> Loss:
    importance = 1.0 / (np.maximum(0.0, 1.0 - margins) ** 2 + SLACK**2)

    def loss(m: Vector) -> tuple[float, Vector]:
        slack = np.maximum(0.0, 1.0 - m)
        return float(importance @ slack**2) / 2.0, -importance * slack

    return loss


def _minimise(points: _Points, loss: Loss, v: Vector, clock: Clock) -> Vector:
    """Return the weights after some steps of L-BFGS from v."""
    from scipy.optimize import minimize

    def value(v: Vector) -> tuple[float, Vector]:
        clock.tick("looking for a hyperplane with few errors")
        total, slopes = loss(points.margins(v))
        return total + RIDGE / 2.0 * float(v @ v), points.gradient(slopes) + RIDGE * v

    how = {"maxiter": STEPS, "maxcor": 20, "ftol": 1e-9, "gtol": 1e-9}
    return np.asarray(minimize(value, v, jac=True, method="L-BFGS-B", options=how).x)
