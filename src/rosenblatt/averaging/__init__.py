"""Averaging strategies, one per file, by name: last, averaged, voted, pocket."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.averaging.averaged import Averaged
from rosenblatt.averaging.averaging_hooks import by_feature, returned_weights, widen_state
from rosenblatt.averaging.last import Last
from rosenblatt.averaging.pocket import IN_POCKET, MANY, Pocket
from rosenblatt.averaging.voted import Voted, with_room
from rosenblatt.errors import bad_choice

__all__ = [
    "KEEPERS",
    "Averaged",
    "Last",
    "Pocket",
    "Voted",
    "begin",
    "by_feature",
    "returned_weights",
    "widen_state",
    "with_room",
]


def _one(value: int) -> NDArray[np.int64]:
    return np.array([value], np.int64)


KEEPERS: dict[str, Callable[[NDArray[np.float64]], Any]] = {
    "last": lambda weights: Last(),
    "averaged": lambda weights: Averaged(np.zeros(weights.shape), np.zeros(1), _one(0)),
    "voted": lambda weights: Voted(
        np.full(1, -1, np.int64), np.zeros(1), np.ones(1), np.zeros(1, np.int64), _one(1)
    ),
    "pocket": lambda weights: Pocket(
        weights.copy() if weights.any() else np.zeros(weights.shape),
        _one(0),
        _one(MANY),
        _one(0),
        _one(IN_POCKET),
        ratchet=False,
    ),
}
"""The initial state of each averaging strategy, from the initial weights."""


def begin(keep: str, weights: NDArray[np.float64]) -> Any:
    """Return the initial state of an averaging strategy for a run that starts at `weights`.

    Parameters
    ----------
    keep : {"last", "averaged", "voted", "pocket"}
        The name of the strategy.
    weights : ndarray of float64
        The weights (w, b) at the start.

    Returns
    -------
    Last, Averaged, Voted or Pocket
        The initial state.

    Raises
    ------
    BadInput
        If the name is unknown.

    Examples
    --------
    >>> begin("last", np.zeros(3))
    Last()
    >>> begin("best", np.zeros(3))
    Traceback (most recent call last):
    rosenblatt.errors.BadInput: keep: got 'best', expected one of 'last', 'averaged', 'voted', 'pocket'
    """
    if not isinstance(keep, str) or keep not in KEEPERS:
        raise bad_choice("keep", keep, KEEPERS)
    return KEEPERS[keep](weights)
