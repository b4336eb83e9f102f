"""Initial states of linear classifiers: the initial weights, and the layout in which they are stored."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt import rules
from rosenblatt.errors import BadInput, bad_choice, bad_value
from rosenblatt.numeric.row_batches import TIES, Rows, n_features
from rosenblatt.training.linear_state import LinearState
from rosenblatt.training.separate_columns import SeparateColumns, separate_columns
from rosenblatt.training.settings import PERCEPTRON, settings_of

INITS = settings_of(PERCEPTRON)["init"].choices


class Recipe(NamedTuple):
    """Hold the arguments that every linear state needs."""

    rule: Any = "rosenblatt"
    keep: str = "last"
    offset: bool = True
    tie: str = "mistake"
    init: Any = "zeros"


def begin(
    n_features: int,
    rule: Any = "rosenblatt",
    keep: str = "last",
    offset: bool = True,
    tie: str = "mistake",
    init: Any = "zeros",
) -> SeparateColumns:
    """Return the initial state for two classes, which need one classifier.

    Examples
    --------
    >>> begin(2, init="unit").current()
    array([0.70710678, 0.70710678, 0.        ])
    """
    _check(offset, tie)
    start, is_zero = initial_weights(init, n_features, offset), isinstance(init, str) and init == "zeros"
    return separate_columns(start, None, rules.as_rule(rule), keep, offset, tie, is_zero)


def begin_linear(
    recipe: Recipe, rows: Rows, n_columns: int | None, order: Any = "given", sharing: Any = None
) -> LinearState:
    """Return the initial state for rows of this layout.

    `n_columns` is the number of classes or labels, each with one classifier; None means two classes, which
    share one classifier. `sharing` is the strategy by which classes share a mistake; None means that the
    classifiers are independent.
    """
    if n_columns is None:
        return begin(n_features(rows), *recipe)
    return begin_columns(recipe, rows, n_columns, order, sharing)


def begin_columns(
    recipe: Recipe, rows: Rows, n_columns: int, order: Any = "given", sharing: Any = None
) -> LinearState:
    """Return the initial state of many classifiers, one for each class or label."""
    from rosenblatt.training.panel_columns import (  # not needed for two classes
        can_share_panels,
        panel_columns,
    )
    from rosenblatt.training.shared_trainer import as_sharing, check_shared, check_sharing

    rule, keep, offset, tie, init = recipe
    if sharing is not None:
        check_shared(rule, keep, tie, order)
        sharing = as_sharing(sharing)
        check_sharing(rules.as_rule(rule), sharing)
    _check(offset, tie)
    start = initial_columns(init, n_columns, n_features(rows), offset)
    rule = rules.as_rule(rule)
    if sharing is not None or can_share_panels(rule, keep, order):
        return panel_columns(start, n_columns, rows, rule, keep, offset, tie, sharing)
    return separate_columns(start, n_columns, rule, keep, offset, tie)


def _check(offset: Any, tie: Any) -> None:
    if not isinstance(tie, str) or tie not in TIES:
        raise bad_choice("tie", tie, TIES)
    if not isinstance(offset, (bool, np.bool_)):
        raise bad_value("offset", offset, "True or False")


# ---------------------------------------------------------------- where weights start


def initial_columns(init: Any, n_columns: int, n_features: int, offset: bool) -> NDArray[np.float64]:
    """Return the initial weights of many classifiers: one (w, b) for all, or one row (w, b) for each."""
    w, b = init if _is_pair(init) else (init, None)
    w = w if isinstance(w, str) else _as_numbers(w)
    if isinstance(w, str) or w.ndim < 2:
        return initial_weights(init, n_features, offset)
    if w.ndim > 2 or len(w) != n_columns:
        raise BadInput(
            f"init: weights of shape {w.shape} for {n_columns} classes or labels and {n_features} "
            "features; give a row for each class or label"
        )
    b = np.zeros(1) if b is None else _as_vector(b)
    if b.size not in (1, n_columns):
        raise BadInput(
            f"init: {b.size} offsets for {n_columns} classes or labels; give one for each, or one for all"
        )
    b = np.broadcast_to(b, (n_columns,))
    return np.stack([initial_weights((w[c], b[c]), n_features, offset) for c in range(n_columns)])


def _is_pair(init: Any) -> bool:
    return isinstance(init, tuple) and len(init) == 2 and np.ndim(_as_numbers(init[0])) > 0


def initial_weights(init: Any, n_features: int, offset: bool) -> NDArray[np.float64]:
    """Return the initial weights (w, b) of one classifier."""
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
            f"init: starts with b = {weights[-1]:g}, but offset=False means that there is no b; give "
            "weights only"
        )
    return weights


def _as_vector(w: ArrayLike) -> NDArray[np.float64]:
    return _as_numbers(w).ravel()


def _as_numbers(w: ArrayLike) -> NDArray[np.float64]:
    try:
        return np.asarray(w, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadInput(f"init: expected 'zeros', 'unit' or an array of weights, got {w!r}") from error
