"""What every estimator asks of its input before it learns, in scikit-learn's terms."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils.validation import _check_feature_names, column_or_1d

from rosenblatt.arithmetic.examples import Rows, as_rows, check_finite, n_features, n_rows, take
from rosenblatt.data.targets import ANNOUNCE, is_label_table, read_target
from rosenblatt.errors import BadInput, bad_value
from rosenblatt.learning.run import Epoch


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


def one_column(y: Any) -> Any:
    """y as scikit-learn takes it: a column of labels is a list of them, with its warning."""
    return y if y is None or is_label_table(y) else column_or_1d(np.asarray(y), warn=True)


def class_numbers(y: Any, n: int, known: NDArray[Any] | None = None) -> tuple[NDArray[Any], NDArray[Any]]:
    """The classes, two or more, and y as n class numbers, where no table of labels is learned."""
    if y is not None:
        y = column_or_1d(np.asarray(y), warn=True)
    target = read_target(y, n, known, each_has_a_column=True, remedy=ANNOUNCE)
    return target.classes, target.numbers


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
        return importance, (others, class_numbers(y, n_rows(others), classes)[1])
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
