"""Importance of rows: sample weights, and the weights of classes and labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.data.targets import Target
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.loops.column_targets import LabelLists, LabelTable, Targets
from rosenblatt.numeric.row_batches import chunks, plain


def as_importance(importance: ArrayLike | None, n: int) -> NDArray[np.float64]:
    """Return sample weights as float64; an empty array means that all rows have weight 1."""
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


def combine_weights(
    numbers: NDArray[Any],
    classes: NDArray[Any],
    sample_weight: ArrayLike | None,
    class_weight: Any,
    totals: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the importance of each row: sample weight × class weight.

    `numbers` holds the class number of each row. `totals` holds the summed weights of the classes in
    earlier calls, which "balanced" includes; the function updates `totals`.
    """
    importance = as_importance(sample_weight, len(numbers))
    if class_weight is not None:
        each = class_importance(class_weight, classes, numbers, importance, totals)[numbers]
        with np.errstate(over="ignore"):
            importance = each * importance if importance.size else each
        if not importance.any():
            raise BadInput(
                "sample_weight: all sample weights are zero once multiplied by class_weight, so there is "
                "nothing to learn from"
            )
    return importance


def class_importance(
    class_weight: Any,
    classes: NDArray[Any],
    numbers: NDArray[Any],
    importance: NDArray[np.float64],
    totals: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Return the weight of each class.

    "balanced" means total/(number of classes × total of the class).
    """
    k = len(classes)
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise bad_value("class_weight", class_weight, "a dict, 'balanced' or None")
        counts = np.zeros(k) if totals is None else totals
        counts += np.bincount(numbers, weights=importance if importance.size else None, minlength=k)
        # the weight of a class without rows does not matter
        return balance_weights(counts.sum(), k * counts, classes)
    if not isinstance(class_weight, dict):
        raise bad_value("class_weight", class_weight, "a dict, 'balanced' or None")
    known = classes.tolist()
    if strange := [label for label in class_weight if label not in known]:
        raise BadInput(f"class_weight: {strange[0]!r} is not a class; the classes are {known}")
    try:
        weights = np.array([class_weight.get(label, 1.0) for label in known], dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise bad_value("class_weight", class_weight, "a number for each class") from error
    if not (np.isfinite(weights).all() and (weights >= 0).all() and weights.any()):
        raise bad_value("class_weight", class_weight, "finite weights of at least 0, not all 0")
    return weights


def label_balance(
    class_weight: Any,
    target: Target,
    importance: NDArray[np.float64],
    totals: NDArray[np.float64],
    n: int,
) -> NDArray[np.float64]:
    """Return the weights of the negative and the positive rows of each label.

    For "balanced", the weight of a side (negative or positive) is (total of both sides)/(2 × total of this
    side); `totals` holds the summed weights so far, in shape (labels, 2). A dict states the weight of
    positive rows.
    """
    if class_weight is None:
        return np.empty((0, 2))
    columns = len(target.classes)
    if isinstance(class_weight, dict):
        balance = np.ones((columns, 2))
        names = target.names or []
        for label, weight in class_weight.items():
            place = names.index(label) if label in names else label
            if (
                isinstance(place, bool)
                or not isinstance(place, (int, np.integer))
                or not 0 <= place < columns
            ):
                raise BadInput(f"class_weight: {label!r} is not a label; the labels are 0…{columns - 1}")
            balance[place, 1] = _weight(weight, class_weight)
        return balance
    if class_weight != "balanced":
        raise bad_value("class_weight", class_weight, "a dict, 'balanced' or None")
    assert not isinstance(target.labels, np.ndarray)
    rows = importance if importance.size else np.ones(n)
    positive = _weight_of_positives(target.labels, rows, columns)
    totals += np.column_stack([rows.sum() - positive, positive])
    every = totals.sum(axis=1, keepdims=True)
    return balance_weights(every, 2.0 * totals, range(columns))


def _weight_of_positives(labels: Targets, rows: NDArray[np.float64], columns: int) -> NDArray[np.float64]:
    """Return the summed weight of the rows with each label."""
    if isinstance(labels, LabelLists):
        each = np.repeat(rows, np.diff(labels.starts))
        total: NDArray[Any] = np.bincount(labels.labels, weights=each, minlength=columns)
        return total
    assert isinstance(labels, LabelTable)
    total = np.zeros(columns)
    for part in chunks(len(rows)):  # convert the table to float64 block by block
        total += rows[part] @ labels.table[part].astype(np.float64)
    return total


def balance_weights(every: Any, parts: NDArray[np.float64], names: Any) -> NDArray[np.float64]:
    """Return every/parts, the weights that give all parts the same total; 1 for an empty part."""
    with np.errstate(over="ignore"):
        weights: NDArray[np.float64] = np.divide(every, parts, out=np.ones_like(parts), where=parts > 0)
    if not np.isfinite(weights).all():
        first = int(np.argwhere(~np.isfinite(weights))[0][0])
        raise BadInput(
            f"class_weight: 'balanced' gives {plain(names[first])!r} an infinite weight: the sample "
            "weights of its rows are almost 0; give larger ones, or class_weight as a dict"
        )
    return weights


def _weight(weight: Any, class_weight: Any) -> float:
    try:
        number = float(weight)
    except (TypeError, ValueError) as error:
        raise bad_value("class_weight", class_weight, "a number for each label") from error
    if not (np.isfinite(number) and number > 0):
        raise bad_value("class_weight", class_weight, "finite weights above 0 for labels")
    return number
