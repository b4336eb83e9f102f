"""Signed distances of rows to the boundary of their class, if the model defines them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.models.kernel_perceptron import KernelPerceptron
from rosenblatt.plots.classifiers import LabelledPredictions, hyperplane_of, scores_of, weights_of

NEXT_TO_NOTHING = 1e-12
"""If ‖v − w‖² is below this fraction of ‖v‖² + ‖w‖², it may be a rounding error."""


class Distances(NamedTuple):
    """One value per row, positive if the row is classified correctly, and a name for the values."""

    values: NDArray[np.float64]
    what: str
    is_plain: bool  # whether these are distances from a single hyperplane in the space of x


def distances_of(model: Any, seen: LabelledPredictions) -> Distances:
    """Return the signed distance y(w·x + b)/‖w‖ of each row.

    With more than two classes, the distance is the smallest (own score − other score)/‖own w − other w‖
    over the other classes. For a kernel, w is in the feature space. For a model without w, such as a
    committee, return scores instead: the score of the true class minus the best score of another class.
    """
    scores = scores_of(model, seen.X)
    if scores is None:
        raise BadInput(
            f"model: {type(model).__name__} has neither decision_function nor predict_proba, so there is "
            "no distance to draw"
        )
    if not np.isfinite(scores).all():
        raise BadInput("model: some scores are not finite; there is no distance to draw")
    squares = _squared_lengths(model)
    where = " in feature space" if isinstance(model, KernelPerceptron) else ""
    if scores.ndim == 1:
        gaps = np.where(seen.numbers == 1, scores, -scores)
        if squares is None:
            return Distances(gaps, "score, y·score", False)
        if squares[0, -1] == 0.0:
            raise BadInput("model: its w is 0, so it has no boundary; train the model")
        is_plain = hyperplane_of(model, seen.classes) is not None
        what = f"distance from the boundary{where}, y(w·x + b)/‖w‖"
        return Distances(gaps / np.sqrt(squares[0, -1]), what, is_plain)
    if squares is not None and (squares[~np.eye(len(squares), dtype=bool)] > 0.0).all():
        what = f"distance from the nearest other class{where}"
        return Distances(_nearest(scores, seen.numbers, np.sqrt(squares)), what, False)
    return Distances(
        _nearest(scores, seen.numbers, np.ones(2 * (scores.shape[1],))), "score − best other score", False
    )


def _nearest(
    scores: NDArray[np.float64], numbers: NDArray[np.int64], lengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return the smallest (own − other)/length over the other classes for each row."""
    found = np.empty(len(scores))
    for c in np.unique(numbers):
        others = np.delete(np.arange(scores.shape[1]), c)
        own = scores[numbers == c]
        found[numbers == c] = ((own[:, [c]] - own[:, others]) / lengths[c, others]).min(axis=1)
    return found


def _squared_lengths(model: Any) -> NDArray[np.float64] | None:
    """Return the matrix of all ‖w_c − w_o‖², or of ‖w‖² if there is a single w, or None without w.

    For a model of two classes, the entry [0, −1] is the squared length that distances need.
    """
    gram = _products_of_weights(model)
    if gram is None or not np.isfinite(gram).all():
        return None
    if len(gram) == 1:
        return gram
    lengths2 = np.diag(gram)
    sums = lengths2[:, None] + lengths2
    apart = sums - 2.0 * gram
    return np.where(apart > NEXT_TO_NOTHING * sums, apart, 0.0)


def _products_of_weights(model: Any) -> NDArray[np.float64] | None:
    """Return w_c·w_o for all pairs of classes, or None if there is no w."""
    if not isinstance(model, KernelPerceptron):
        weights = weights_of(model)
        return None if weights is None else weights[0] @ weights[0].T
    coefficients = getattr(model, "dual_coef_", None)
    if coefficients is None:
        return None
    if not coefficients.shape[1]:
        return np.zeros(2 * (len(coefficients),))
    # w_c·w_o = Σ a_c(z)·w_o·φ(z), from the scores of the support rows without the offset's part
    at_support = model.decision_function(model.support_vectors_).reshape(-1, len(coefficients))
    offsets = coefficients.sum(axis=1) if model.offset else np.zeros(len(coefficients))
    return np.asarray(coefficients @ at_support - np.outer(offsets, offsets))
