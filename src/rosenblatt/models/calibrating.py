"""Calibrate decision values, and choose decision thresholds, on held-out rows.

Both tasks use scikit-learn. `Probable` adds `calibrate` and `predict_proba` to a classifier.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Literal, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.models.fit_inputs import read_classes
from rosenblatt.training.calibration import METHODS, Calibration, Isotonic, Platt, probabilities


def fit_calibration(numbers: NDArray[np.int64], values: NDArray[np.float64], method: str) -> Calibration:
    """Fit a calibration to decision values of rows, given the index of each row's class.

    Examples
    --------
    >>> curve = fit_calibration(np.array([0, 0, 1, 1]), np.array([-2.0, 1.0, -1.0, 2.0]), "platt")
    >>> bool(curve.slope[0] > 0.0), round(float(curve.shift[0]), 6)
    (True, 0.0)
    """
    if method not in METHODS:
        raise bad_choice("method", method, METHODS)
    columns = values[:, None] if values.ndim == 1 else values
    first = 1 if values.ndim == 1 else 0
    known = [numbers == first + k for k in range(columns.shape[1])]
    for k, mine in enumerate(known):
        if mine.all() or not mine.any():
            raise BadInput(
                f"calibrate: {'all' if mine.all() else 'none'} of the {len(numbers):,} rows are of class "
                f"number {first + k}; rows of every class are needed: hold out more, or use folds"
            )
    curves = [_CURVES[method](values, mine) for values, mine in zip(columns.T, known, strict=True)]
    if method == "platt":
        slope, shift = np.array(curves).T
        return Platt(slope, shift)
    x, y = zip(*curves, strict=True)
    return Isotonic(x, y)


def _platt(values: NDArray[np.float64], mine: NDArray[np.bool_]) -> tuple[float, float]:
    """Return slope and intercept of a logistic regression with Platt's smoothed targets.

    The targets are (n₊ + 1)/(n₊ + 2) for positive and 1/(n₋ + 2) for negative rows, so that no probability
    is 0 or 1. scikit-learn does not accept fractional targets, so each row is passed twice: as a positive
    row with the target as its weight, and as a negative row with 1 minus the target.
    """
    from sklearn.linear_model import LogisticRegression

    positive = int(mine.sum())
    targets = np.where(mine, (positive + 1.0) / (positive + 2.0), 1.0 / (len(mine) - positive + 2.0))
    scale = float(np.abs(values).max()) or 1.0  # affects the solver's stopping criterion
    X = np.tile(values / scale, 2)[:, None]
    y = np.repeat([1, 0], len(values))
    fitted = LogisticRegression(C=np.inf, tol=1e-8, max_iter=1000).fit(
        X, y, sample_weight=np.concatenate([targets, 1.0 - targets])
    )
    return float(fitted.coef_[0, 0]) / scale, float(fitted.intercept_[0])


def _isotonic(
    values: NDArray[np.float64], mine: NDArray[np.bool_]
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    from sklearn.isotonic import IsotonicRegression

    fitted = IsotonicRegression(out_of_bounds="clip", y_min=0.0, y_max=1.0).fit(values, mine.astype(float))
    return fitted.X_thresholds_.astype(np.float64), fitted.y_thresholds_.astype(np.float64)


_CURVES = {"platt": _platt, "isotonic": _isotonic}


# ---------------------------------------------------------------- classifiers


class Probable:
    """Add calibrated probabilities to a classifier; further training discards the calibration."""

    classes_: NDArray[Any]
    calibration_: Calibration
    _has_labels = False

    def calibrate(self, X: Any, y: ArrayLike, method: Literal["platt", "isotonic"] = "platt") -> Self:
        """Fit the calibration for `predict_proba` to held-out rows.

        Parameters
        ----------
        X : array-like, sparse matrix or table of shape (n_rows, n_features)
            Rows that the model has not learned from.
        y : array-like of shape (n_rows,)
            Their classes.
        method : {"platt", "isotonic"}, default="platt"
            "platt" fits a sigmoid to the decision values; "isotonic" fits a nondecreasing piecewise linear
            function, which needs some thousand rows. With more than two classes, each class has its own
            curve.

        Returns
        -------
        estimator
            The estimator itself.

        Raises
        ------
        BadInput
            If a class has no rows, or if the model predicts several labels per row.

        Examples
        --------
        >>> from rosenblatt import Perceptron
        >>> model = Perceptron(order="given").fit([[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1])
        >>> model.calibrate([[0.5], [2.5], [2.0], [3.5]], [0, 0, 1, 1]).predict_proba([[4.0]]).round(2)
        array([[0.26, 0.74]])
        """
        values = self.decision_function(X)  # type: ignore[attr-defined]
        if self._has_labels:
            raise BadInput(
                "calibrate: for classes, not for tables of labels; calibrate a model of one label, or use "
                "scikit-learn's MultiOutputClassifier(CalibratedClassifierCV(…))"
            )
        numbers = read_classes(y, len(values), self.classes_).numbers
        self.calibration_ = fit_calibration(numbers, values, method)
        return self

    @property
    def predict_proba(self) -> Callable[[Any], NDArray[np.float64]]:
        """Function that returns the probability of each class for each row, in the order of `classes_`.

        It exists only after `calibrate`. `predict` uses the decision values, so the class that it returns
        is not always the most probable one.
        """
        if "calibration_" not in vars(self):
            raise AttributeError(
                f"this {type(self).__name__} has no probabilities; call calibrate(X, y) with rows that it "
                "was not trained on, or wrap it in scikit-learn's CalibratedClassifierCV"
            )
        return self._probabilities

    def _probabilities(self, X: Any) -> NDArray[np.float64]:
        values = self.decision_function(X)  # type: ignore[attr-defined]
        return probabilities(self.calibration_, values)

    def _forget_probabilities(self) -> None:
        """Discard the calibration and the threshold, which are valid for the previous weights only."""
        for name in ("calibration_", "threshold_"):
            vars(self).pop(name, None)


# ---------------------------------------------------------------- thresholds


class ThresholdGoal(NamedTuple):
    """Hold the goal of a threshold: a minimum precision, a minimum recall, or the lowest cost."""

    text: str
    what: str  # "precision", "recall" or "cost"
    least: float  # a precision, a recall, or (cost of a false negative)/(cost of a false positive)
    label: str | None  # the class that the goal refers to; None for the second


def parse_goal(text: str) -> ThresholdGoal:
    """Parse the goal of a threshold.

    Examples
    --------
    >>> parse_goal("precision>=0.9").least, parse_goal("recall >= 80%").least, parse_goal("cost 1:20 of fraud")[2:]
    (0.9, 0.8, (20.0, 'fraud'))
    >>> parse_goal("accuracy>=0.9")
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: 'accuracy>=0.9': expected a goal such as "precision>=0.9", "recall>=0.8" or "cost 1:20" (a false positive costs 1, a false negative 20), with " of CLASS" for a class other than the second
    """  # noqa: E501
    number = r"(\d+(?:\.\d*)?|\.\d+)"
    match = re.fullmatch(
        rf"\s*(?:(precision|recall)\s*(?:>=|≥)\s*{number}\s*(%?)|cost\s+{number}\s*:\s*{number})(?:\s+of\s+(.+?))?\s*",
        text,
    )
    if match is not None:
        what, least, percent, taken, missed, label = match.groups()
        if what and 0.0 < (part := float(least) / (100.0 if percent else 1.0)) <= 1.0:
            return ThresholdGoal(text, what, part, label)
        if not what and float(taken) > 0.0:
            return ThresholdGoal(text, "cost", float(missed) / float(taken), label)
    raise BadInput(
        f'{text!r}: expected a goal such as "precision>=0.9", "recall>=0.8" or "cost 1:20" (a false '
        'positive costs 1, a false negative 20), with " of CLASS" for a class other than the second'
    )


class ThresholdChoice(NamedTuple):
    """Hold a threshold with its precision and recall on the rows used to choose it."""

    threshold: float
    precision: float
    recall: float


def best_threshold(
    goal: ThresholdGoal, labels: NDArray[np.bool_], values: NDArray[np.float64]
) -> ThresholdChoice:
    """Return the best threshold that reaches the goal.

    For a minimum precision, it is the threshold with the highest recall; for a minimum recall, the
    threshold with the highest precision; for costs, the threshold with the lowest cost. `labels` marks the
    rows of the class that is predicted above the threshold.

    Examples
    --------
    >>> labels = np.array([False, True, False, True])
    >>> best_threshold(parse_goal("precision>=1"), labels, np.arange(4.0))
    ThresholdChoice(threshold=2.5, precision=1.0, recall=0.5)
    """
    from sklearn.metrics import precision_recall_curve, roc_curve

    n, positive = len(labels), int(labels.sum())
    if positive in (0, n):
        raise BadInput("threshold: the held-out rows are all of one class; hold out more, or use folds")
    if goal.what == "cost":
        false, recall, at = roc_curve(labels, values, drop_intermediate=False)
        best = int(np.argmin(false * (n - positive) + goal.least * positive * (1.0 - recall)))
    else:
        precision, recall, at = precision_recall_curve(labels, values)
        reached, other = (precision, recall) if goal.what == "precision" else (recall, precision)
        fulfils = (reached >= goal.least)[:-1]  # without the last threshold: no row is above it
        if not fulfils.any():
            raise BadInput(
                f"threshold: no threshold has a {goal.what} of {goal.least:g} on the {n:,} held-out "
                f"rows; the highest is {reached[:-1].max():.4f}"
            )
        best = int(np.argmax(np.where(fulfils, other[:-1], -1.0)))
    below = values[values < at[best]]
    least = float(below.max() if below.size else np.nextafter(at[best], -np.inf))
    middle = (least + float(at[best])) / 2.0
    least = middle if below.size and middle < at[best] < np.inf else least
    above = values > least
    right = int((labels & above).sum())
    return ThresholdChoice(least, right / max(1, int(above.sum())), right / positive)
