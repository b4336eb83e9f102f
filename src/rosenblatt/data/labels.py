"""Labels −1 and +1 from any two classes, and the importance of each example."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.arithmetic.examples import Batch, as_rows, chunks, n_rows, plain
from rosenblatt.errors import BadInput


def checked(y: ArrayLike, n: int) -> NDArray[Any]:
    """y as an array of n class labels; what is missing, or measures instead of names, is refused."""
    if y is None:
        raise BadInput("y: this estimator requires y to be passed, but the target y is None")
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise BadInput(f"y: expected one label for each row, got an array of shape {labels.shape}")
    if len(labels) != n:
        raise BadInput(f"y: {len(labels)} labels for {n} rows of X; give one label for each row")
    if labels.dtype.kind == "f":
        _refuse_real_labels(labels)
    if labels.dtype.kind in "OT":
        _refuse_missing_labels(labels)
    if labels.dtype.kind in "mM" and np.isnat(labels).any():
        row = int(np.flatnonzero(np.isnat(labels))[0])
        raise BadInput(f"y: Input y contains NaN (not a time) in row {row}; drop the row or label it")
    if labels.dtype.kind == "c":
        raise BadInput("y: Unknown label type: complex numbers; give strings or whole numbers as classes")
    return labels


def _refuse_missing_labels(y: NDArray[Any]) -> None:
    for row, label in enumerate(y.tolist()):
        if isinstance(label, (tuple, list, dict, set, np.ndarray)):
            raise BadInput(
                f"y: row {row} holds a {type(label).__name__}, expected a class: a string or a number (for "
                "several labels give a table of 0 and 1; sklearn's MultiLabelBinarizer makes one)"
            )
        # NaN, NaT and NA are not equal to themselves, or cannot say
        if label is None or type(label).__name__ in ("NAType", "NaTType") or label != label:
            raise BadInput(f"y: Input y contains NaN or None in row {row}; drop the row or label it")


def _refuse_real_labels(y: NDArray[Any]) -> None:
    if not np.isfinite(y).all():
        row = int(np.flatnonzero(~np.isfinite(y))[0])
        raise BadInput(
            f"y: Input y contains {'NaN' if np.isnan(y[row]) else 'infinity'} in row {row}; "
            "drop the row or label it"
        )
    if (y != np.floor(y)).any():
        row = int(np.flatnonzero(y != np.floor(y))[0])
        raise BadInput(
            f"y: Unknown label type: continuous ({y[row]} in row {row}); a classifier needs classes, "
            "not measurements"
        )


def two_classes(y: NDArray[Any]) -> NDArray[Any]:
    """The classes of y in sorted order, if there are two; else as many as there are."""
    if y.dtype.kind in "OUST":
        try:
            return np.array(sorted(set(y.tolist())), dtype=y.dtype)
        except TypeError as error:
            raise BadInput(f"y: labels must be of one kind that can be sorted: {error}") from error
    # numbers are scanned for their extremes, not sorted: sorting would copy all of y
    low, high = y.min(), y.max()
    if all(
        np.count_nonzero(y[part] == low) + np.count_nonzero(y[part] == high) == len(y[part])
        for part in chunks(len(y))
    ):
        return np.array([low, high], dtype=y.dtype)
    return np.unique(y)


def as_labels(y: ArrayLike, classes: ArrayLike = (-1, 1)) -> NDArray[np.int8]:
    """Labels −1 for classes[0] and +1 for classes[1]; a single class is +1.

    >>> as_labels(["b", "a", "b"], classes=["a", "b"])
    array([ 1, -1,  1], dtype=int8)
    >>> as_labels([1, 0])
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: y: label 0 in row 1 is neither -1 nor 1
    """
    y, classes = np.asarray(y), np.asarray(classes)
    negative, positive = classes[0], classes[-1]
    if y.ndim != 1:
        raise BadInput(f"y: expected one label for each row, got an array of shape {y.shape}")
    labels = np.empty(len(y), np.int8)
    for part in chunks(len(y)):
        chunk = y[part]
        is_positive = np.asarray(chunk == positive)
        labels[part] = is_positive
        known = np.count_nonzero(is_positive)
        if len(classes) == 2 and negative != positive:
            known += np.count_nonzero(chunk == negative)
        if known != len(chunk):
            row = part.start + int(np.flatnonzero(~is_positive & (chunk != negative))[0])
            raise BadInput(
                f"y: label {plain(y[row])!r} in row {row} is "
                + (f"neither {plain(negative)!r} nor " if len(classes) == 2 else "not ")
                + f"{plain(positive)!r}"
            )
    labels *= 2
    labels -= 1
    return labels


def as_importance(importance: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Sample weights as float64; an empty array where every row counts 1."""
    if importance is None:
        return np.empty(0)
    try:
        weight = np.asarray(importance, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput(f"sample_weight: expected a number for each row: {error}") from error
    if weight.ndim == 0:
        weight = np.full(n, float(weight))
    if weight.shape != (n,):
        raise BadInput(
            f"sample_weight: Sample weights must be 1D, one for each of {n} rows, got shape {weight.shape}"
        )
    wrong = ~(weight >= 0) | ~np.isfinite(weight)
    if wrong.any():
        row = int(np.flatnonzero(wrong)[0])
        raise BadInput(
            f"sample_weight: row {row} has {weight[row]}; "
            "give finite weights of at least 0 (0: the row is absent)"
        )
    if not weight.any():
        raise BadInput(
            "sample_weight: all sample weights are zero, so there is nothing to learn from; "
            "give at least one row a positive weight"
        )
    return weight


def make_batch(
    X: Any, y: ArrayLike, importance: ArrayLike | None = None, classes: ArrayLike = (-1, 1)
) -> Batch:
    """A Batch from anything with rows and two labels.

    >>> batch = make_batch([[1.0, 2.0], [3.0, 4.0]], ["ham", "spam"], classes=["ham", "spam"])
    >>> batch.labels, batch.n_features
    (array([-1,  1], dtype=int8), 2)
    """
    rows = as_rows(X)
    labels = as_labels(y, classes)
    if len(labels) != n_rows(rows):
        raise BadInput(f"y: {len(labels)} labels for {n_rows(rows)} rows of X; give one label for each row")
    return Batch(rows, labels, as_importance(importance, len(labels)))
