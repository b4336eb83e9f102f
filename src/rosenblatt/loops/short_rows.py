"""Kernel values of short rows, computed where they are used.

With few features, computing K(x, z) takes little longer than reading it from memory, so the values are not
stored. Within a block, the values of a row are computed when the row causes an update. At the end of the
block, the values between these rows and all rows are computed, added to the scores while they are in the
nearest cache, and discarded. Four rows are multiplied together, four features at a time, so each number
that is read is used four times.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.kernels.kernel_hooks import from_products
from rosenblatt.loops.blocked import has_row
from rosenblatt.numeric.compiling import jit, jit_sums

FOUR = 4
AT_ONCE = 776  # rows whose features, values and scores stay in the cache; multiples of 512 would collide


class ShortBlock(NamedTuple):
    """Hold a block of short rows.

    across[k, i] is feature k of row i, and `squares` holds ‖x‖². `values` and `place` are as in
    `blocked.RowsMade`, but cover only the pairs of a row with later rows; `made` is the number of rows in
    `values`. `work` is a buffer for one row.
    """

    kernel: Any
    offset: float
    across: Any
    squares: Any
    values: Any
    place: Any
    made: Any
    work: Any


@has_row.of(ShortBlock)
def _(gram, i):
    if gram.place[i] < 0:
        gram.place[i] = gram.made[0]
        gram.made[0] += 1
        first, n = i + 1, gram.place.size
        own = gram.values[gram.place[i], first:n]
        multiply_one(gram.across, i, own)
        from_products(gram.kernel, own, gram.squares[i], gram.squares[first:n], gram.work[first:n])
        for j in range(own.size):
            own[j] += gram.offset
    return True


@jit_sums
def multiply_one(across, i, out):
    """Write xᵢ·zⱼ to out[j] for all rows zⱼ after xᵢ."""
    for j in range(out.size):
        out[j] = 0.0
    for k in range(across.shape[0]):
        x, others = across[k, i], across[k, i + 1 :]
        for j in range(out.size):
            out[j] += x * others[j]


@jit_sums
def multiply_four(four, across, start, end, out):
    """Write Σ four[k, p]·across[k, j] to out[p, j − start] for four rows p and for j from start to end.

    The number of features k must be divisible by four.
    """
    n = end - start
    first, second, third, fourth = out[0, :n], out[1, :n], out[2, :n], out[3, :n]
    for j in range(n):
        first[j] = 0.0
        second[j] = 0.0
        third[j] = 0.0
        fourth[j] = 0.0
    for k in range(0, across.shape[0], FOUR):  # slices of a row are contiguous, so the loop vectorises
        z0, z1 = across[k, start:end], across[k + 1, start:end]
        z2, z3 = across[k + 2, start:end], across[k + 3, start:end]
        a0, a1, a2, a3 = four[k, 0], four[k + 1, 0], four[k + 2, 0], four[k + 3, 0]
        b0, b1, b2, b3 = four[k, 1], four[k + 1, 1], four[k + 2, 1], four[k + 3, 1]
        c0, c1, c2, c3 = four[k, 2], four[k + 1, 2], four[k + 2, 2], four[k + 3, 2]
        d0, d1, d2, d3 = four[k, 3], four[k + 1, 3], four[k + 2, 3], four[k + 3, 3]
        for j in range(n):
            # read all four values before writing, so that each is read only once
            e, f, g, h = z0[j], z1[j], z2[j], z3[j]
            first[j] += a0 * e + a1 * f + a2 * g + a3 * h
            second[j] += b0 * e + b1 * f + b2 * g + b3 * h
            third[j] += c0 * e + c1 * f + c2 * g + c3 * h
            fourth[j] += d0 * e + d1 * f + d2 * g + d3 * h


@jit
def add_short_rows(kernel, X, x2, changes, across, squares, offset, first, last, scores):
    """Add Σ changes[i, c]·(K(xᵢ, zⱼ) + offset) to scores[c, j] for all j from `first` to `last`.

    The sum is in the order of i. across[k, j] is feature k of zⱼ; features of value 0 pad it to a multiple
    of four. `squares` holds ‖zⱼ‖².
    """
    four = np.zeros((across.shape[0], FOUR))
    values, work = np.empty((FOUR, AT_ONCE)), np.empty(AT_ONCE)
    for start in range(first, last, AT_ONCE):
        end = min(start + AT_ONCE, last)
        for i in range(0, X.shape[0], FOUR):
            some = min(FOUR, X.shape[0] - i)
            for p in range(some):
                for k in range(X.shape[1]):
                    four[k, p] = X[i + p, k]
            multiply_four(four, across, start, end, values)
            for p in range(some):
                own = values[p, : end - start]
                from_products(kernel, own, x2[i + p], squares[start:end], work[: end - start])
                for c in range(changes.shape[1]):
                    change = changes[i + p, c]
                    if change != 0.0:
                        column = scores[c, start:end]
                        for j in range(own.size):
                            column[j] += change * (own[j] + offset)
