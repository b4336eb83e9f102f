"""Compute decision boundaries of any shape from a model's predictions."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

HALVINGS = 8  # relative to a grid edge: finer than the resolution of a screen

Floats = NDArray[np.float64]
Answers = Callable[[Floats], NDArray[np.bool_]]


def boundary(answers: Answers, x: Floats, y: Floats) -> tuple[NDArray[np.bool_], list[list[list[float]]]]:
    """Return the predictions on the grid x × y (one row per y), and the boundary as short segments.

    Between neighbouring grid points with different predictions, bisection finds the point of change. Two
    such points of a cell are connected by a straight line.

    >>> ends = np.array([0.0, 1.0])
    >>> positive, segments = boundary(lambda points: points[:, 0] > 0.25, ends, ends)
    >>> positive.tolist(), [[round(place, 2) for place in end] for end in segments[0]]
    ([[False, True], [False, True]], [[0.25, 0.0], [0.25, 1.0]])
    """
    across, down = np.meshgrid(x, y)
    nodes = np.dstack([across, down])
    positive = answers(nodes.reshape(-1, 2)).reshape(across.shape)
    places = {
        "along": _changes(answers, nodes[:, :-1], nodes[:, 1:], positive[:, :-1], positive[:, 1:]),
        "across": _changes(answers, nodes[:-1], nodes[1:], positive[:-1], positive[1:]),
    }
    segments = []
    for row, column in _mixed_cells(positive):
        sides = [
            places["along"].get((row, column)),
            places["across"].get((row, column + 1)),
            places["along"].get((row + 1, column)),
            places["across"].get((row, column)),
        ]
        ends = [side for side in sides if side is not None]
        segments += [ends[k : k + 2] for k in range(0, len(ends), 2)]
    return positive, segments


def _mixed_cells(positive: NDArray[np.bool_]) -> list[tuple[int, int]]:
    corners = positive[:-1, :-1] * 1 + positive[:-1, 1:] + positive[1:, :-1] + positive[1:, 1:]
    return [(int(row), int(column)) for row, column in np.argwhere((corners > 0) & (corners < 4))]


def _changes(
    answers: Answers, from_: Floats, to: Floats, first: NDArray[np.bool_], second: NDArray[np.bool_]
) -> dict[tuple[int, int], list[float]]:
    """Return the point of change on each edge whose two ends have different predictions."""
    edges = np.argwhere(first != second)
    if not len(edges):
        return {}
    rows, columns = edges.T
    low, high, at_low = from_[rows, columns], to[rows, columns], first[rows, columns]
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        is_low = (answers(middle) == at_low)[:, None]
        low, high = np.where(is_low, middle, low), np.where(is_low, high, middle)
    return {
        (int(r), int(c)): place
        for r, c, place in zip(rows, columns, ((low + high) / 2).tolist(), strict=True)
    }
