"""Dense rows: every feature has a value. Row indices are unsigned, which saves the wrap-around check."""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import REASSOCIATED
from rosenblatt.numeric.exact import add_product
from rosenblatt.numeric.prefetch import CACHE_LINE, prefetch
from rosenblatt.numeric.row_batches import Dense
from rosenblatt.numeric.rows import (
    ROUNDING,
    SMALL,
    UNDERFLOW,
    add,
    add_exactly,
    entry,
    fetch,
    is_finite,
    meets_finite,
    score,
    squared_norm,
    term,
    terms,
)


@score.of(Dense, fastmath=REASSOCIATED)
def _(rows, i, weights, offset, norm2):
    x = rows.values[np.uint64(i)]
    d = x.size
    s, x2 = 0.0, 0.0
    for j in range(d):
        xj = np.float64(x[j])
        s += weights[j] * xj
        x2 += xj * xj
    s += offset * weights[d]
    x2 += offset
    # |s − w̃·x̃| ≤ γₖ |w̃|·|x̃| ≤ γₖ ‖w̃‖‖x̃‖, k = d + 1 and a few for the norms
    gamma = (d + 8) * ROUNDING
    return s, x2, gamma * gamma * (norm2 + SMALL) * (x2 + SMALL) + UNDERFLOW


@add.of(Dense)
def _(rows, i, coefficient, offset, target):
    x = rows.values[np.uint64(i)]
    d = x.size
    for j in range(d):
        target[j] += coefficient * np.float64(x[j])
    target[d] += coefficient * offset


@terms.of(Dense)
def _(rows, i):
    return rows.values.shape[1] + 1


@term.of(Dense)
def _(rows, i, k, offset):
    return k, np.float64(rows.values[i, k]) if k < rows.values.shape[1] else offset


@entry.of(Dense)
def _(rows, i, k):
    return k, np.float64(rows.values[i, k])


@squared_norm.of(Dense, fastmath=REASSOCIATED)
def _(rows, weights, expected):
    w2 = 0.0
    for j in range(weights.size):
        w2 += weights[j] * weights[j]
    return w2


@is_finite.of(Dense)
def _(rows, i):
    x = rows.values[np.uint64(i)]
    for j in range(x.size):
        if not np.isfinite(x[j]):
            return False
    return True


@meets_finite.of(Dense)
def _(rows, i, weights):
    for j in range(weights.size):
        if not np.isfinite(weights[j]):
            return False
    return True


@add_exactly.of(Dense)
def _(rows, i, weights, offset, total):
    x = rows.values[np.uint64(i)]
    d = x.size
    for j in range(d):
        add_product(total, weights[j], np.float64(x[j]))
    add_product(total, weights[d], offset)


@fetch.of(Dense)
def _(rows, i):
    d = np.uint64(rows.values.shape[1])
    first = np.uint64(i) * d
    line = np.uint64(CACHE_LINE // rows.values.itemsize)
    for j in range(np.uint64(0), d, line):
        prefetch(rows.values, first + j)
