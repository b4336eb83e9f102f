"""Sums over two rows, feature by feature in rising order, with one rounding each.

They are slower than a matrix product, but have the same bits on every machine. Features that are 0 in both
rows add nothing, so dense and sparse rows give the same result, and float32 values are added as doubles.
Both rows have the same layout.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import dispatch_by_class, jit
from rosenblatt.numeric.row_batches import Dense, Sparse


@dispatch_by_class
def dot(left, i, right, j):
    """Return xᵢ·zⱼ."""


@dispatch_by_class
def squared_distance(left, i, right, j):
    """Return ‖xᵢ − zⱼ‖²."""


@dispatch_by_class
def absolute_distance(left, i, right, j):
    """Return ‖xᵢ − zⱼ‖₁."""


@dot.of(Dense)
def _(left, i, right, j):
    x, z = left.values[i], right.values[j]
    total = 0.0
    for k in range(x.size):
        total += np.float64(x[k]) * np.float64(z[k])
    return total


@squared_distance.of(Dense)
def _(left, i, right, j):
    x, z = left.values[i], right.values[j]
    total = 0.0
    for k in range(x.size):
        difference = np.float64(x[k]) - np.float64(z[k])
        total += difference * difference
    return total


@absolute_distance.of(Dense)
def _(left, i, right, j):
    x, z = left.values[i], right.values[j]
    total = 0.0
    for k in range(x.size):
        total += abs(np.float64(x[k]) - np.float64(z[k]))
    return total


@dot.of(Sparse)
def _(left, i, right, j):
    a, a_end = np.int64(left.starts[i]), np.int64(left.starts[i + 1])
    b, b_end = np.int64(right.starts[j]), np.int64(right.starts[j + 1])
    total = 0.0
    while a < a_end and b < b_end:
        if left.indices[a] == right.indices[b]:
            total += np.float64(left.values[a]) * np.float64(right.values[b])
            a += 1
            b += 1
        elif left.indices[a] < right.indices[b]:
            a += 1
        else:
            b += 1
    return total


@jit
def _next_difference(left, a, a_end, right, b, b_end):
    """Return (xₖ − zₖ, a, b) for the next feature k of either row, where a and b are the next entries."""
    difference = 0.0
    a_first = b >= b_end or (a < a_end and left.indices[a] <= right.indices[b])
    b_first = a >= a_end or (b < b_end and right.indices[b] <= left.indices[a])
    if a_first:
        difference += np.float64(left.values[a])
        a += 1
    if b_first:
        difference -= np.float64(right.values[b])
        b += 1
    return difference, a, b


@squared_distance.of(Sparse)
def _(left, i, right, j):
    a, a_end = np.int64(left.starts[i]), np.int64(left.starts[i + 1])
    b, b_end = np.int64(right.starts[j]), np.int64(right.starts[j + 1])
    total = 0.0
    while a < a_end or b < b_end:
        difference, a, b = _next_difference(left, a, a_end, right, b, b_end)
        total += difference * difference
    return total


@absolute_distance.of(Sparse)
def _(left, i, right, j):
    a, a_end = np.int64(left.starts[i]), np.int64(left.starts[i + 1])
    b, b_end = np.int64(right.starts[j]), np.int64(right.starts[j + 1])
    total = 0.0
    while a < a_end or b < b_end:
        difference, a, b = _next_difference(left, a, a_end, right, b, b_end)
        total += abs(difference)
    return total
