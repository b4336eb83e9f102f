"""Exact order at matrix speed: a block of rows is scored at once, then walked row by row.

`scores` has, for one column (one class against the rest), the score of every row of the block by the state
before it. A row that the rule learns from adds ±K(x, z) to the scores of the rows after it, so each row is
decided by what had been learned when its turn came, as if the rows had come one by one.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.arithmetic.rows import ROUNDING
from rosenblatt.compiling import compiled, compiled_fresh
from rosenblatt.kernels.shape import pair
from rosenblatt.loops.decide import is_mistake
from rosenblatt.rules.shape import step, threshold

WALKED, IN_DOUBT, SHRINKS = 0, 1, 2

COLUMN = np.dtype(
    [
        ("mistakes", np.int64),
        ("updates", np.int64),
        ("settled", np.int64),  # looks that the fast score could not decide
        ("mass", np.float64),  # Σ |delta|·root(x) over the updates
        ("terms", np.int64),  # additions behind a score, at most: what its rounding can amount to
    ]
)
"""The clocks of one column, and what bounds the error of its scores."""

FREE, MISTAKE, ACTS, RIGHT = 0, 1, 2, 3
"""What has been settled about a row: nothing; a mistake; right, but the rule acts; right, and it rests."""

UNDERFLOW = 1e-290
"""Below it a score is in doubt whatever the bound says: a product may have underflowed."""


def _walk_block(
    scores, gram, labels, squares, roots, importance, start, settled, tie, error, rule, memory, column,
    position, delta,
):  # fmt: skip
    """Walk from row `start` of the block on, and learn.

    gram: K̃ of the block's rows with each other, the offset's 1 included. squares: K̃(x, x). roots: what
    bounds K̃ (see `kernels.shape`), and `error` how far it can be off. settled: the score of the first row
    if that has been made by the plain loop, else NaN. column (one of COLUMN), position and delta are
    written to: at which rows, and by how much, w changed. Returns (status, row at which it ended, updates
    made).
    """
    clock = column[0]
    made = 0
    n = labels.size
    for i in range(start, n):
        y = np.float64(labels[i])
        tau = threshold(rule, memory, y, squares[i])
        s = scores[i]
        if i == start and not np.isnan(settled):
            s = settled
        elif clock["updates"] == 0:
            s = 0.0
        else:
            doubt = (error + (clock["terms"] + n + 8) * ROUNDING) * clock["mass"] * roots[i] + UNDERFLOW
            if not (abs(s) > doubt and (tau == 0.0 or abs(y * s - tau) > doubt + ROUNDING * tau)):
                return IN_DOUBT, i, made
        mistake = is_mistake(s, y, tie)
        clock["mistakes"] += mistake
        if not (mistake or (tau > 0.0 and y * s <= tau)):
            continue
        coefficient, shrink, _ = step(rule, memory, y * s, squares[i], 0.0)
        if shrink != 1.0:
            return SHRINKS, i, made
        if coefficient == 0.0:
            continue
        if importance.size > 0:
            coefficient *= importance[i]
        change = coefficient * y
        for j in range(i + 1, n):
            scores[j] += change * gram[i, j]
        position[made] = i
        delta[made] = change
        made += 1
        clock["updates"] += 1
        clock["terms"] += 2  # one in the plain loop, one in the fast sum
        clock["mass"] += abs(change) * roots[i]
    return WALKED, n, made


@compiled
def ordered_sum(values, member, delta, offset):
    """Σ delta·K̃ in the order of the updates, each product rounded, then the sum: the plain loop."""
    total = 0.0
    for k in range(member.size):
        total += delta[k] * (values[member[k]] + offset)
    return total


@compiled
def pairs(kernel, support, chosen, rows, i, out):
    """out[k] ← K(support row k, row i) for the chosen support rows, by the plain loop."""
    for c in range(chosen.size):
        out[chosen[c]] = pair(kernel, support, chosen[c], rows, i)


walk_block = compiled(_walk_block)
walk_block_fresh = compiled_fresh(_walk_block)
