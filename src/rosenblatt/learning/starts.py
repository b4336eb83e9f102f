"""Where weights start: at zero, at the unit vector, at weights that were given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import BadInput, bad_choice
from rosenblatt.learning.settings import PERCEPTRON, settings_of

INITS = settings_of(PERCEPTRON)["init"].choices


def initial_columns(init: Any, n_columns: int, n_features: int, offset: bool) -> NDArray[np.float64]:
    """Where so many columns start: one (w, b) for all of them, or one in each row."""
    w, b = init if _is_pair(init) else (init, None)
    w = w if isinstance(w, str) else _as_numbers(w)
    if isinstance(w, str) or w.ndim < 2:
        return initial_weights(init, n_features, offset)
    if w.ndim > 2 or len(w) != n_columns:
        raise BadInput(
            f"init: weights of shape {w.shape} for {n_columns} columns of {n_features} features; give a "
            "row for each class or label"
        )
    b = np.zeros(1) if b is None else _as_vector(b)
    if b.size not in (1, n_columns):
        raise BadInput(f"init: {b.size} offsets for {n_columns} columns; give one for each, or one for all")
    b = np.broadcast_to(b, (n_columns,))
    return np.stack([initial_weights((w[c], b[c]), n_features, offset) for c in range(n_columns)])


def _is_pair(init: Any) -> bool:
    return isinstance(init, tuple) and len(init) == 2 and np.ndim(_as_numbers(init[0])) > 0


def initial_weights(init: Any, n_features: int, offset: bool) -> NDArray[np.float64]:
    """(w, b) at which one column starts."""
    weights = np.zeros(n_features + 1)
    if isinstance(init, str):
        if init not in INITS:
            raise bad_choice("init", init, (*INITS, "an array of weights", "a pair (weights, offset)"))
        if init == "unit":
            weights[:-1] = 1.0 / np.sqrt(n_features)
        return weights
    w, b = init if _is_pair(init) else (init, 0.0)
    w, b = _as_vector(w), _as_vector(b)
    if b.size != 1:
        raise BadInput(f"init: expected one number for the offset, got {b.size}")
    if w.size != n_features:
        raise BadInput(f"init: {w.size} weights for {n_features} features; give one for each feature")
    weights[:-1], weights[-1] = w, b[0]
    if not np.isfinite(weights).all():
        raise BadInput("init: the starting weights must be finite")
    if weights[-1] and not offset:
        raise BadInput(
            f"init: a start with b = {weights[-1]:g}, but offset=False leaves no b; give weights only"
        )
    return weights


def _as_vector(w: ArrayLike) -> NDArray[np.float64]:
    return _as_numbers(w).ravel()


def _as_numbers(w: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.asarray(w, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput(f"init: expected 'zeros', 'unit' or an array of weights, got {w!r}") from error
