"""Columns of a state, taken apart and put together again: each of them is as it would be among all."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.learning.columns import WIDEST, Columns, empty_panels
from rosenblatt.learning.separately import Separate


def shares_of(n_columns: int, n: int) -> list[tuple[int, int]]:
    """Return the first column and the end of each of at most n shares.

    >>> shares_of(10, 3)
    [(0, 3), (3, 6), (6, 10)]
    """
    bounds = np.linspace(0, n_columns, min(n, n_columns) + 1).astype(int).tolist()
    return list(pairwise(bounds))


def some_columns(state: Any, first: int, end: int) -> Any:
    """Return a state of some of the columns, in memory of its own."""
    start = state.start if state.start.ndim == 1 else state.start[first:end]
    twin = copy.copy(state)
    twin.start = start
    if isinstance(state, Separate):
        twin.states = [column.copy() for column in state.states[first:end]]
        return twin
    beside = None if state.keep == "last" else _beside(state)[first:end]
    _write(twin, state.current()[first:end], beside, state.clocks()[first:end])
    return twin


def joined(states: Sequence[Any]) -> Any:
    """Return the state of all columns, from those of shares in their order."""
    whole = copy.copy(states[0])
    if whole.start.ndim == 2:
        whole.start = np.concatenate([state.start for state in states])
    if isinstance(whole, Separate):
        whole.states = [column for state in states for column in state.states]
        return whole
    beside = None if whole.keep == "last" else np.concatenate([_beside(state) for state in states])
    weights = np.concatenate([state.current() for state in states])
    _write(whole, weights, beside, np.concatenate([state.clocks() for state in states]))
    return whole


def _beside(state: Columns) -> NDArray[np.float64]:
    return state._matrix([panel.beside for panel in state.panels])


def _write(
    state: Columns, weights: NDArray[Any], beside: NDArray[Any] | None, clocks: NDArray[Any]
) -> None:
    state.panels = empty_panels(
        len(weights), state.n_features, state.by_feature, beside is not None, WIDEST
    )
    state.write(weights, beside, clocks)
