"""What every estimator asks of its input before it learns, in scikit-learn's terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names, column_or_1d

from rosenblatt.arithmetic.examples import Rows, as_rows, check_finite, n_features, n_rows, plain, take
from rosenblatt.data.labels import as_importance, checked
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.learning.run import Epoch
from rosenblatt.models.targets import announced, balanced, one_class


def rows_of(X: Any) -> Rows:
    return as_rows(X)


def check_features(estimator: Any, X: Any, rows: Rows, reset: bool) -> None:
    """Remember the features of X (reset), or compare them with those remembered."""
    _check_feature_names(estimator, X, reset=reset)
    if reset:
        estimator.n_features_in_ = n_features(rows)
    elif n_features(rows) != estimator.n_features_in_:
        raise BadInput(
            f"X has {n_features(rows)} features, but {type(estimator).__name__} is expecting "
            f"{estimator.n_features_in_} features as input; give the columns it was trained on"
        )


def encode_many(
    y: ArrayLike, n: int, classes: ArrayLike | None = None
) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes, two or more, and y as n class numbers."""
    if y is None:
        raise BadInput("y: this estimator requires y to be passed, but the target y is None")
    labels = checked(column_or_1d(np.asarray(y), warn=True), n)
    try:
        found, numbers = np.unique(labels, return_inverse=True)
    except TypeError as error:
        raise BadInput(f"y: labels must be of one kind that can be sorted: {error}") from error
    if classes is None:
        if len(found) < 2:
            raise one_class(found[0], n)
        return found, numbers.astype(np.int64)
    known = announced(classes)
    place = np.searchsorted(known, found).clip(max=len(known) - 1)
    if (strange := found[known[place] != found]).size:
        row = int(np.flatnonzero(labels == strange[0])[0])
        raise BadInput(
            f"y: label {plain(strange[0])!r} in row {row} is not one of the classes {known.tolist()}; "
            "announce every class in the first call: partial_fit(X, y, classes=[...])"
        )
    return known, place[numbers].astype(np.int64)


def weighted(
    numbers: NDArray[Any],
    classes: NDArray[Any],
    sample_weight: ArrayLike | None,
    class_weight: Any,
    totals: NDArray[np.float64] | None = None,
) -> NDArray[np.float64]:
    """Importance = sample weight × class weight, for rows of these class numbers. `totals` are the weights
    of the classes seen before, which "balanced" counts in; they are brought up to date."""
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
    """The weight of each class. Balanced: total/(number of classes·total of the class)."""
    k = len(classes)
    if isinstance(class_weight, str):
        if class_weight != "balanced":
            raise bad_value("class_weight", class_weight, "a dict, 'balanced' or None")
        counts = np.zeros(k) if totals is None else totals
        counts += np.bincount(numbers, weights=importance if importance.size else None, minlength=k)
        # a class not seen yet has no rows that its weight could matter for
        return balanced(counts.sum(), k * counts, classes)
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


def hold_out_many(
    validation: Any,
    rows: Rows,
    numbers: NDArray[np.int64],
    importance: NDArray[np.float64],
    classes: NDArray[Any],
    seed: int,
) -> tuple[NDArray[np.float64], tuple[Rows, NDArray[np.int64]] | None]:
    """The importance of the rows to learn from, and rows with class numbers to choose the best pass by."""
    if validation is None:
        return importance, None
    if is_part(validation):
        importance, chosen = held_out(float(validation), numbers, importance, seed)
        return importance, (take(rows, chosen), numbers[chosen])
    X, y = other_rows(validation, n_features(rows))
    try:
        others = as_rows(X)
        check_finite(others, None)
        return importance, (others, encode_many(y, n_rows(others), classes)[1])
    except BadInput as error:
        raise BadInput(f"validation: {error}") from error


def is_part(validation: Any) -> bool:
    return isinstance(validation, (int, float)) and not isinstance(validation, bool)


def other_rows(validation: Any, width: int) -> tuple[Any, Any]:
    """(X, y) given to choose the best pass by."""
    if not (isinstance(validation, tuple) and len(validation) == 2):
        raise bad_value("validation", validation, "a part such as 0.1, a pair (X, y), or None")
    X, y = validation
    try:
        found = n_features(as_rows(X))
    except BadInput as error:
        raise BadInput(f"validation: {error}") from error
    if found != width:
        raise BadInput(f"validation: {found} features, the training rows have {width}")
    return X, y


def held_out(
    part: float, labels: NDArray[Any], importance: NDArray[np.float64], seed: int, least_classes: int = 2
) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Hold out the same part of each class: the importance of what is left, and the rows held out. They are
    made absent and not copied out, so the data is not in memory twice."""
    if not 0.0 < part < 1.0:
        raise bad_value("validation", part, "a part between 0 and 1, such as 0.1")
    rows = np.flatnonzero(importance) if importance.size else np.arange(len(labels))
    generator = np.random.default_rng([seed, 0x5EED])
    held = []
    for label in np.unique(labels):
        of_class = rows[labels[rows] == label]
        held.append(generator.permutation(of_class)[: round(part * of_class.size)])
    chosen = np.sort(np.concatenate(held))
    left = importance.copy() if importance.size else np.ones(len(labels))
    left[chosen] = 0.0
    classes_left = len(set(labels[left > 0].tolist()))
    if not chosen.size or classes_left < least_classes:
        lacks = (
            "none to hold out"
            if not chosen.size
            else f"{('none', 'one class')[classes_left]} to learn from"
        )
        raise BadInput(
            f"validation: a part of {part} of {len(rows)} rows leaves {lacks}; "
            "give other rows as validation=(X, y)"
        )
    return left, chosen


def draw_seed(random_state: Any) -> int:
    return int(check_random_state(random_state).randint(2**31 - 1))


def as_list(callbacks: Any) -> list[Callable[[Epoch], Any]]:
    if callbacks is None:
        return []
    listed = [callbacks] if callable(callbacks) else callbacks
    if not isinstance(listed, (list, tuple)) or not all(callable(callback) for callback in listed):
        raise bad_value("callbacks", callbacks, "a callable or a list of callables, or None")
    return list(listed)
