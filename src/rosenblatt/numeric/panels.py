"""Panels: the weight vectors of many binary classifiers, with one column for each class or label.

For dense rows the weights of a column are contiguous (column by feature), because a dot product reads all
of them. For sparse rows the weights of a feature are contiguous (feature by column), because a row has few
features and needs the weights of all columns for each feature. `column` hides the difference.

The scores computed here are for screening: in single precision if that is faster, and summed in any order.
`loops.decide` makes the decisions that these scores leave open, from the weights themselves.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.numeric.compiling import REASSOCIATED, dispatch_by_class
from rosenblatt.numeric.row_batches import Dense, Sparse

LANES = 8
"""The number of columns is padded to a multiple of this, one vector register, if features come first."""


@dispatch_by_class
def column(rows, weights, c):
    """Return the weights (w, b) of column c as a writable view."""


@dispatch_by_class
def width(rows, weights):
    """Return the number of columns of a panel, including padding."""


@dispatch_by_class
def score_all(rows, i, screen, offset, scores):
    """Write the scores w_c·xᵢ + b_c to scores[c] for all columns c, in the precision of `screen`.

    Return ‖x̃ᵢ‖² (with the offset as a feature) in the same precision.
    """


@dispatch_by_class
def entries(rows, i):
    """Return the number of products in the score of row i, not counting the offset."""


@dispatch_by_class
def square(rows, i):
    """Return ‖xᵢ‖², without the offset."""


@dispatch_by_class
def refresh(rows, i, c, weights, screen):
    """Copy the weights of column c that an update by row i has changed from `weights` to `screen`."""


@column.of(Dense)
def _(rows, weights, c):
    return weights[c]


@column.of(Sparse)
def _(rows, weights, c):
    return weights[:, c]


@width.of(Dense)
def _(rows, weights):
    return weights.shape[0]


@width.of(Sparse)
def _(rows, weights):
    return weights.shape[1]


@entries.of(Dense)
def _(rows, i):
    return rows.values.shape[1]


@entries.of(Sparse)
def _(rows, i):
    return np.int64(rows.starts[i + 1]) - np.int64(rows.starts[i])


@square.of(Dense, fastmath=REASSOCIATED)
def _(rows, i):
    x = rows.values[i]
    total = 0.0
    for j in range(x.size):
        total += np.float64(x[j]) * np.float64(x[j])
    return total


@square.of(Sparse, fastmath=REASSOCIATED)
def _(rows, i):
    total = 0.0
    for k in range(rows.starts[i], rows.starts[i + 1]):
        total += np.float64(rows.values[k]) * np.float64(rows.values[k])
    return total


@refresh.of(Dense)
def _(rows, i, c, weights, screen):
    for j in range(weights.shape[1]):
        screen[c, j] = weights[c, j]


@refresh.of(Sparse)
def _(rows, i, c, weights, screen):
    for k in range(rows.starts[i], rows.starts[i + 1]):
        screen[rows.indices[k], c] = weights[rows.indices[k], c]
    screen[rows.n_features, c] = weights[rows.n_features, c]


@score_all.of(Dense, fastmath=REASSOCIATED)
def _(rows, i, screen, offset, scores):
    x = rows.values[i]
    d = x.size
    zero = scores.dtype.type(0.0)
    s, x2 = zero, zero
    w = screen[0]
    for j in range(d):
        xj = scores.dtype.type(x[j])
        s += w[j] * xj
        x2 += xj * xj
    scores[0] = s
    c = 1
    while c + 4 <= screen.shape[0]:  # four columns at a time: x is read from the cache once for all
        w0, w1, w2, w3 = screen[c], screen[c + 1], screen[c + 2], screen[c + 3]
        s0, s1, s2, s3 = zero, zero, zero, zero
        for j in range(d):
            xj = scores.dtype.type(x[j])
            s0 += w0[j] * xj
            s1 += w1[j] * xj
            s2 += w2[j] * xj
            s3 += w3[j] * xj
        scores[c], scores[c + 1], scores[c + 2], scores[c + 3] = s0, s1, s2, s3
        c += 4
    while c < screen.shape[0]:
        w = screen[c]
        s = zero
        for j in range(d):
            s += w[j] * scores.dtype.type(x[j])
        scores[c] = s
        c += 1
    for k in range(screen.shape[0]):
        scores[k] += scores.dtype.type(offset) * screen[k, d]
    return np.float64(x2) + offset


@score_all.of(Sparse, fastmath=REASSOCIATED)
def _(rows, i, screen, offset, scores):
    values, indices = rows.values, rows.indices
    first, end = np.uint64(rows.starts[i]), np.uint64(rows.starts[i + 1])
    n = np.uint64(scores.size)
    u1, u2, u3, u4 = np.uint64(1), np.uint64(2), np.uint64(3), np.uint64(4)
    b = screen[rows.n_features]
    for c in range(n):
        scores[c] = scores.dtype.type(offset) * b[c]
    square = scores.dtype.type(0.0)
    k = first
    while k + u4 <= end:  # four entries at a time: the scores are read and written once for all
        x0, x1 = scores.dtype.type(values[k]), scores.dtype.type(values[k + u1])
        x2, x3 = scores.dtype.type(values[k + u2]), scores.dtype.type(values[k + u3])
        w0, w1 = screen[indices[k]], screen[indices[k + u1]]
        w2, w3 = screen[indices[k + u2]], screen[indices[k + u3]]
        for c in range(n):
            scores[c] += w0[c] * x0 + w1[c] * x1 + w2[c] * x2 + w3[c] * x3
        square += x0 * x0 + x1 * x1 + x2 * x2 + x3 * x3
        k += u4
    while k < end:
        x0 = scores.dtype.type(values[k])
        w0 = screen[indices[k]]
        for c in range(n):
            scores[c] += w0[c] * x0
        square += x0 * x0
        k += u1
    return np.float64(square) + offset
