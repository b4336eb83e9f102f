"""Rows, predictions and scores of a fitted classifier from this package or scikit-learn."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from rosenblatt.data.labels import check_labels
from rosenblatt.errors import BadInput, bad_value, counted
from rosenblatt.numeric.row_batches import (
    Rows,
    as_rows,
    check_finite,
    column_names,
    is_sparse,
    n_features,
    n_rows,
    plain,
)


class LabelledPredictions(NamedTuple):
    """Rows with their class numbers and predictions; `X` is unchanged."""

    X: Any
    rows: Rows
    names: list[str]
    classes: NDArray[Any]
    numbers: NDArray[np.int64]
    answers: NDArray[np.int64]

    @property
    def is_mistake(self) -> NDArray[np.bool_]:
        """Mask of the misclassified rows."""
        return self.answers != self.numbers


def predict_rows(model: Any, X: Any, y: ArrayLike) -> LabelledPredictions:
    """Return checked rows with their class numbers and the model's predictions."""
    classes = classes_of(model)
    rows = as_rows(X)
    expected = getattr(model, "n_features_in_", n_features(rows))
    if n_features(rows) != expected:
        raise BadInput(
            f"X has {counted(n_features(rows), 'feature')}, but this {type(model).__name__} learned from "
            f"{expected}; give the columns it was trained on"
        )
    check_finite(rows, None)
    numbers = class_numbers(check_labels(y, n_rows(rows)), classes, "y")
    names = column_names(X) or [f"x{j}" for j in range(n_features(rows))]
    return LabelledPredictions(X, rows, names, classes, numbers, answers_of(model, X, classes))


def classes_of(model: Any) -> NDArray[Any]:
    """Return the classes of a fitted classifier, or raise an error."""
    check_fitted(model)
    classes = getattr(model, "classes_", None)
    if classes is None or not hasattr(model, "predict"):
        raise BadInput(f"model: {type(model).__name__} has no classes; give a classifier")
    if isinstance(classes, list):
        raise _many_labels()
    return np.asarray(classes)


def check_fitted(model: Any) -> None:
    """Raise an error for a model that is not a fitted classifier."""
    try:
        check_is_fitted(model)
    except NotFittedError as error:
        raise BadInput(
            f"model: this {type(model).__name__} has learned nothing yet; call fit first"
        ) from error
    except TypeError as error:
        raise bad_value("model", model, "a fitted classifier, such as Perceptron().fit(X, y)") from error


def answers_of(model: Any, X: Any, classes: NDArray[Any]) -> NDArray[np.int64]:
    """Return the predictions as class numbers."""
    answers = np.asarray(model.predict(X))
    if answers.ndim != 1:
        raise _many_labels()
    return class_numbers(answers, classes, "predict")


def class_numbers(labels: NDArray[Any], classes: NDArray[Any], what: str) -> NDArray[np.int64]:
    """Return the position of each label among the classes, which may be in any order."""
    place = {label: number for number, label in enumerate(classes.tolist())}
    numbers = np.array([place.get(label, -1) for label in labels.tolist()], np.int64)
    if (strange := np.flatnonzero(numbers < 0)).size:
        row = int(strange[0])
        listed = ", ".join(repr(label) for label in classes[:5].tolist()) + ", …" * (len(classes) > 5)
        raise BadInput(
            f"{what}: label {plain(labels[row])!r} in row {row} is not one of the model's classes "
            f"{listed}; give rows of the classes that it learned"
        )
    return numbers


def scores_of(model: Any, X: Any) -> NDArray[np.float64] | None:
    """Return the scores of a model from `decision_function` or, if it has none, `predict_proba`.

    There is one score per row for two classes, otherwise one per row and class. Return None if the model
    has neither method.
    """
    for name in ("decision_function", "predict_proba"):
        if hasattr(model, name):
            scores = np.asarray(getattr(model, name)(X), np.float64)
            if scores.ndim == 2 and scores.shape[1] == 2:
                return scores[:, 1] - scores[:, 0]
            return scores[:, 0] if scores.ndim == 2 and scores.shape[1] == 1 else scores
    return None


def weights_of(model: Any) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
    """Return (coef_, intercept_) with one row per binary classifier, or None if there is no single w."""
    coef = getattr(model, "coef_", None)
    intercept = getattr(model, "intercept_", None)
    if coef is None or intercept is None:
        return None
    dense = np.atleast_2d(np.asarray(coef.toarray() if is_sparse(coef) else coef, np.float64))
    return dense, np.broadcast_to(np.asarray(intercept, np.float64), (len(dense),))


def hyperplane_of(model: Any, classes: NDArray[Any]) -> tuple[NDArray[np.float64], float] | None:
    """Return (w, b) of the boundary w·x + b = 0 between two classes, or None.

    The result is None for classifiers without such a boundary, and if w = 0.
    """
    weights = weights_of(model)
    if weights is None or len(classes) != 2 or len(weights[0]) > 2:
        return None
    coef, intercept = weights
    # if each of the two classes has a w, their difference decides
    w, b = (coef[0], intercept[0]) if len(coef) == 1 else (coef[1] - coef[0], intercept[1] - intercept[0])
    return (w, float(b)) if w.any() and np.isfinite(w).all() else None


def _many_labels() -> BadInput:
    return BadInput(
        "model: it predicts a table of labels; draw one label at a time, with a model of that label"
    )
