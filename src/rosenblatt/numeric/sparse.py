"""Compressed rows: only the nonzero features are stored. Indices and integer literals are unsigned."""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import REASSOCIATED
from rosenblatt.numeric.exact import add_product
from rosenblatt.numeric.prefetch import CACHE_LINE, prefetch
from rosenblatt.numeric.row_batches import Sparse
from rosenblatt.numeric.rows import (
    ROUNDING,
    UNDERFLOW,
    add,
    add_exactly,
    entry,
    fetch,
    fetch_place,
    fetch_weights,
    is_finite,
    meets_finite,
    score,
    squared_norm,
    term,
    terms,
)

FEWEST_FETCHED, MOST_FETCHED, LONGEST_ROW = 1 << 19, 1 << 22, np.uint64(96)
"""Weights are prefetched if their number is between the first two, for rows of at most the third. Fewer
weights fit into the caches of a core. With more weights prefetching measured 5 % slower. A longer row keeps
the memory busy anyway, since its loads wait for no decision: texts of 160 words took a fifth to a quarter
more time with prefetching, rows of 50 entries (Zipf's law) as much less."""


@score.of(Sparse, fastmath=REASSOCIATED)
def _(rows, i, weights, offset, norm2):
    values, indices = rows.values, rows.indices
    first, end = rows.starts[i], rows.starts[i + 1]
    d = rows.n_features
    s, x2, magnitude = 0.0, 0.0, 0.0
    for k in range(first, end):
        xk = np.float64(values[k])
        term = weights[indices[k]] * xk
        s += term
        magnitude += abs(term)
        x2 += xk * xk
    bias = offset * weights[d]
    # |s − w̃·x̃| ≤ γₖ Σ|w̃ⱼ x̃ⱼ|: for sparse rows the sum is cheaper than ‖w̃‖
    doubt = (np.float64(end - first) + 8.0) * ROUNDING * (magnitude + abs(bias))
    return s + bias, x2 + offset, doubt * doubt + UNDERFLOW


@add.of(Sparse)
def _(rows, i, coefficient, offset, target):
    values, indices = rows.values, rows.indices
    for k in range(rows.starts[i], rows.starts[i + 1]):
        target[indices[k]] += coefficient * np.float64(values[k])
    target[rows.n_features] += coefficient * offset


@terms.of(Sparse)
def _(rows, i):
    return np.int64(rows.starts[i + 1]) - np.int64(rows.starts[i]) + 1


@term.of(Sparse)
def _(rows, i, k, offset):
    entry = np.int64(rows.starts[i]) + k
    if entry < np.int64(rows.starts[i + 1]):
        return np.int64(rows.indices[entry]), np.float64(rows.values[entry])
    return np.int64(rows.n_features), offset


@entry.of(Sparse)
def _(rows, i, k):
    at = np.int64(rows.starts[i]) + k
    return rows.indices[at], np.float64(rows.values[at])


@squared_norm.of(Sparse)
def _(rows, weights, expected):
    return max(expected, 0.0)


@is_finite.of(Sparse)
def _(rows, i):
    for k in range(rows.starts[i], rows.starts[i + 1]):
        if not np.isfinite(rows.values[k]):
            return False
    return True


@meets_finite.of(Sparse)
def _(rows, i, weights):
    for k in range(rows.starts[i], rows.starts[i + 1]):
        if not np.isfinite(weights[rows.indices[k]]):
            return False
    return np.isfinite(weights[rows.n_features])


@add_exactly.of(Sparse)
def _(rows, i, weights, offset, total):
    for k in range(rows.starts[i], rows.starts[i + 1]):
        add_product(total, weights[rows.indices[k]], np.float64(rows.values[k]))
    add_product(total, weights[rows.n_features], offset)


@fetch.of(Sparse)
def _(rows, i):
    line, end = np.uint64(CACHE_LINE // rows.values.itemsize), np.uint64(rows.starts[i + 1])
    for k in range(np.uint64(rows.starts[i]), end, line):
        prefetch(rows.values, k)
        prefetch(rows.indices, k)
    prefetch(rows.values, end)  # a row that begins within a cache line may end in one more
    prefetch(rows.indices, end)


@fetch_place.of(Sparse)
def _(rows, i):
    prefetch(rows.starts, np.uint64(i))


@fetch_weights.of(Sparse)
def _(rows, i, weights):
    first, end = np.uint64(rows.starts[i]), np.uint64(rows.starts[i + 1])
    if FEWEST_FETCHED <= weights.size <= MOST_FETCHED and end - first <= LONGEST_ROW:
        for k in range(first, end):
            prefetch(weights, np.uint64(rows.indices[k]))
