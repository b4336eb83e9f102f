"""Update directions that are not a multiple of a row, with the interface of rows."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.compiling import REASSOCIATED
from rosenblatt.numeric.rows import add, along, entry, terms


class Weighed(NamedTuple):
    """Represent row i with feature j (including the constant 1 of the offset) multiplied by by[j]."""

    rows: Any
    by: NDArray[np.float64]


class Whole(NamedTuple):
    """Represent one dense vector (w, b), which may have features that the row does not have."""

    vector: NDArray[np.float64]


@add.of(Weighed)
def _(rows, i, coefficient, offset, target):
    row, by = rows.rows, rows.by
    for k in range(terms(row, i) - 1):
        j, x = entry(row, i, k)
        target[j] += coefficient * (by[j] * x)
    target[by.size - 1] += coefficient * (by[by.size - 1] * offset)


@along.of(Weighed, fastmath=REASSOCIATED)
def _(rows, i, offset, weights, s, x2):
    row, by = rows.rows, rows.by
    p = by[by.size - 1] * offset
    met, square = weights[by.size - 1] * p, p * p
    for k in range(terms(row, i) - 1):
        j, x = entry(row, i, k)
        p = by[j] * x
        met += weights[j] * p
        square += p * p
    return met, square


@add.of(Whole)
def _(rows, i, coefficient, offset, target):
    for j in range(target.size):
        target[j] += coefficient * rows.vector[j]


@along.of(Whole)
def _(rows, i, offset, weights, s, x2):
    met, square = 0.0, 0.0
    for j in range(weights.size):
        met += weights[j] * rows.vector[j]
        square += rows.vector[j] * rows.vector[j]
    return met, square
