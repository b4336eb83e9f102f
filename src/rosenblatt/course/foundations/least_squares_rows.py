"""The rows of a least-squares problem: whole, or many reduced to a few with the same sums of squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.course.foundations.chebyshev import Interval, chebyshev_rows

ROWS_AT_ONCE = 8192

Doubles = NDArray[np.float64]


class WholeRows(NamedTuple):
    """Rows as they were given, each with its weight."""

    X: Doubles
    y: Doubles
    weight: Doubles


class ReducedRows(NamedTuple):
    """At most as many rows as terms, in Chebyshev's basis, with the sums of squares of many more."""

    rows: Doubles
    y: Doubles
    weight: Doubles


def reduced(rows: WholeRows, intervals: Sequence[Interval], degree: int) -> ReducedRows:
    """Reduce the Chebyshev rows, which are well conditioned, by QR in doubles.

    Examples
    --------
    >>> x = np.linspace(-1, 1, 1000)[:, None]
    >>> few = reduced(WholeRows(x, 3 * x[:, 0], np.ones(1000)), [Interval(0.0, 1.0)], 1)
    >>> few.rows.shape, np.linalg.solve(few.rows, few.y).round(12) + 0.0
    ((2, 2), array([0., 3.]))
    """
    triangle = np.empty((0, 2 + degree * len(intervals)))
    root = np.sqrt(rows.weight)
    for start in range(0, len(rows.X), ROWS_AT_ONCE):
        part = slice(start, start + ROWS_AT_ONCE)
        beside = np.column_stack([chebyshev_rows(rows.X[part], intervals, degree), rows.y[part]])
        triangle = np.asarray(np.linalg.qr(np.vstack([triangle, beside * root[part, None]]), mode="r"))
    return without_rounding_noise(triangle, len(rows.X))


def merged(parts: Sequence[ReducedRows]) -> ReducedRows:
    """Return several parts as one.

    Examples
    --------
    >>> part = ReducedRows(np.eye(2), np.array([1.0, 2.0]), np.ones(2))
    >>> (merged([part, part]).rows ** 2).sum(axis=0).round(12)
    array([2., 2.])
    """
    beside = np.vstack([np.column_stack([part.rows, part.y]) for part in parts])
    return without_rounding_noise(np.asarray(np.linalg.qr(beside, mode="r")), len(beside))


def without_rounding_noise(triangle: Doubles, n: int) -> ReducedRows:
    """Return independent rows from a triangle with y as its last column.

    Directions in which it is 0 up to the rounding of n rows are dropped, since they are noise.

    Examples
    --------
    >>> without_rounding_noise(np.array([[1.0, 1.0, 5.0], [0.0, 1e-17, 0.0]]), 10).rows.shape
    (1, 2)
    """
    left, sizes, right = np.linalg.svd(triangle[:, :-1], full_matrices=False)
    kept = sizes > sizes.max() * max(n, len(right)) * np.finfo(np.float64).eps
    y = left.T[kept] @ triangle[:, -1]
    return ReducedRows(sizes[kept, None] * right[kept], y, np.ones(len(y)))
