"""Decision regions for the pictures: predictions on a grid that covers the view."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

COLUMNS, ROWS = 66, 44
FINER = 4
"""Cells at a border between predictions are divided by this number in each direction. So borders are sharp,
while all other cells, for which a kernel model is slow, stay large."""

MOST_BORDER = 700
"""The most cells to refine; with more, the regions are too small to be seen clearly anyway."""

WIDER = 1.6
"""Largest ratio of width to height of a picture with equal scales; the grid covers that width."""

HALVES = (1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0, 10.0)
SMALLEST_HALF = 1.5

Classify = Callable[[NDArray[np.float64]], NDArray[Any]]


def half_of(points: NDArray[np.float64]) -> float:
    """Return half the side of the square view around the origin.

    The result is a round number, so that adding a point seldom changes the view.

    >>> half_of(np.array([[-1.0, 1.0], [1.0, 0.5]])), half_of(np.array([[40.0, 3.0]]))
    (1.5, 50.0)
    """
    needed = 1.1 * float(np.abs(points).max(initial=0.0))
    if needed <= SMALLEST_HALF:
        return SMALLEST_HALF
    power = 10.0 ** math.floor(math.log10(needed))
    return next(part * power for part in HALVES if part * power >= needed)


def regions(
    points: NDArray[np.float64], classify: Classify, view: tuple[NDArray[np.float64], float] | None = None
) -> dict[str, Any]:
    """Return the class of each grid cell as a digit (row by row from the top), and the ranges of the grid.

    `view` is the centre of the square to show, and half its side; by default the square contains all points
    and is centred at the origin.

    >>> shown = regions(np.zeros((1, 2)), lambda cells: cells[:, 0] > 0.01)
    >>> shown["columns"], shown["rows"], shown["classes"][128:136], shown["y"]
    (264, 176, '00000111', [-1.5, 1.5])
    """
    centre, half = view or (np.zeros(2), half_of(points))
    answers = _classify(classify, centre + _middles(half, COLUMNS, ROWS)).reshape(ROWS, COLUMNS)
    fine = _refine(answers)
    border = _border(answers)
    if np.count_nonzero(border) <= MOST_BORDER:
        again = _refine(border)
        cells = centre + _middles(half, FINER * COLUMNS, FINER * ROWS)[again.ravel()]
        if len(cells):
            fine[again] = _classify(classify, cells)
    return {
        "columns": FINER * COLUMNS,
        "rows": FINER * ROWS,
        "classes": (fine + ord("0")).astype(np.uint8).tobytes().decode("ascii"),
        "x": [float(centre[0] - WIDER * half), float(centre[0] + WIDER * half)],
        "y": [float(centre[1] - half), float(centre[1] + half)],
    }


def _classify(classify: Classify, cells: NDArray[np.float64]) -> NDArray[np.uint8]:
    return np.asarray(classify(cells)).astype(np.uint8)


def _refine(cells: NDArray[Any]) -> NDArray[Any]:
    """Return a grid in which each cell is divided into FINER × FINER cells."""
    return cells.repeat(FINER, axis=0).repeat(FINER, axis=1)


def _border(answers: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Return a mask of the cells whose prediction differs from that of one of their eight neighbours."""
    rows, columns = answers.shape
    around = np.pad(answers, 1, mode="edge")
    shifted = [around[r : r + rows, c : c + columns] for r in range(3) for c in range(3)]
    differs: NDArray[np.bool_] = np.any([part != answers for part in shifted], axis=0)
    return differs


def _middles(half: float, columns: int, rows: int) -> NDArray[np.float64]:
    """Return the centres of the grid cells, row by row from the top."""
    across = WIDER * half * ((2.0 * np.arange(columns) + 1.0) / columns - 1.0)
    along = half * (1.0 - (2.0 * np.arange(rows) + 1.0) / rows)
    return np.column_stack([np.tile(across, rows), np.repeat(along, columns)])
