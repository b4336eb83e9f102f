"""Loops that score without learning, and loops that find the next row to learn from."""

from __future__ import annotations

import math

import numpy as np

from rosenblatt.loops.decide import FINE, exact_mean, exact_score, fast_decision, in_doubt, sure_score
from rosenblatt.numeric.compiling import jit, jit_uncached
from rosenblatt.numeric.next_row import looks, row_at
from rosenblatt.numeric.rows import SMALL, score

NONE = -1


@jit_uncached  # stored with the loops below; a separate cache entry would refer to users' rules
def would_act(rows, i, label, offset, tie, rule, memory, weights, scale, norm2):
    """Return (status, s, acts); `acts` states whether the rule would update on row i."""
    s, _, tau, acts, sure = fast_decision(rows, i, label, offset, rule, memory, weights, scale, norm2)
    if sure:
        return FINE, s, acts
    status, s, _, acts = in_doubt(rows, i, label, offset, tie, tau, weights, scale)
    return status, s, acts


@jit
def scores(rows, offset, weights, norm2, out):
    """Write w·xᵢ + b with the correct sign to out[i].

    If the sign of the fast score is uncertain, write the double nearest to the exact sum. Return (status,
    row at which the loop stopped).
    """
    for i in range(out.size):
        status, out[i], _ = sure_score(rows, i, weights, offset, norm2)
        if status != FINE:
            return status, i
    return FINE, out.size


@jit
def scores_of_mean(rows, offset, weights, norm2, spread, parts, looks, out):
    """Write the scores by the rounded mean `weights` to `out`, each with the sign of the exact score.

    The exact mean is the sum of `parts`, divided by `looks` (see `exact_mean`); `weights` differs from it
    by at most `spread`. Return (status, row at which the loop stopped).
    """
    for i in range(out.size):
        s, x2, doubt2 = score(rows, i, weights, offset, norm2)
        if abs(s) > math.sqrt(doubt2) + spread * math.sqrt(x2 + SMALL):
            out[i] = s
            continue
        status, out[i] = exact_mean(rows, i, parts, 0, looks, offset)
        if status != FINE:
            return status, i
    return FINE, out.size


@jit
def first_to_act_on(rows, labels, order, offset, tie, rule, memory, weights, scale, norm2):
    """Return (status, row): the first row of `order` on which the rule would update, or NONE."""
    for look in range(looks(order)):
        i = row_at(order, look)
        status, _, acts = would_act(
            rows, i, np.float64(labels[i]), offset, tie, rule, memory, weights, scale, norm2
        )
        if status != FINE or acts:
            return status, i
    return FINE, NONE


@jit
def worst_to_act_on(rows, labels, order, offset, tie, rule, memory, weights, scale, norm2):
    """Return (status, row): the row with the smallest functional margin on which the rule would update.

    Functional margins are rounded to the nearest double before they are compared, so the result does not
    depend on the order of summation. Ties go to the row that comes first in `order`. The first pass bounds
    the smallest margin; the second pass computes the exact sum for the few rows within the bound.
    """
    smallest = math.inf
    for look in range(looks(order)):
        i = row_at(order, look)
        y = np.float64(labels[i])
        status, s, acts = would_act(rows, i, y, offset, tie, rule, memory, weights, scale, norm2)
        if status != FINE:
            return status, i
        if acts:
            _, _, doubt2 = score(rows, i, weights, offset, norm2)
            smallest = min(smallest, y * s + math.sqrt(doubt2))
    worst, worst_agreement = NONE, math.inf
    for look in range(looks(order)):
        i = row_at(order, look)
        y = np.float64(labels[i])
        _, s, acts = would_act(rows, i, y, offset, tie, rule, memory, weights, scale, norm2)
        if acts:
            _, _, doubt2 = score(rows, i, weights, offset, norm2)
            if y * s - math.sqrt(doubt2) <= smallest:
                _, s = exact_score(rows, i, weights, offset)
                if y * s < worst_agreement or worst == NONE:
                    worst, worst_agreement = i, y * s
    return FINE, worst
