"""Exact signs of the scores of many classifiers, and the class with the largest score."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.decide import FINE, NEEDS_SUMS, ROW_NOT_FINITE, exact_mean
from rosenblatt.loops.together import may_be_off, root_of
from rosenblatt.numeric.compiling import jit
from rosenblatt.numeric.exact import LIMBS, sign
from rosenblatt.numeric.panels import entries, score_all, square
from rosenblatt.numeric.rows import add_exactly, is_finite


@jit
def score_rows(rows, by_feature, offset, scores):
    """Write the fast scores w_c·xᵢ + b_c to scores[i, c]."""
    for i in range(scores.shape[0]):
        score_all(rows, i, by_feature, offset, scores[i])


@jit
def settle_signs(rows, parts, looks, offset, lengths, screen, scores):
    """Replace each score of uncertain sign with the exact score.

    `parts` and `looks` define the exact weights (see `exact_mean`). Return (status, row): the row at which
    the loop stopped on an error, or −1.
    """
    for i in range(scores.shape[0]):
        terms = entries(rows, i) + 16.0
        root = root_of(screen, square(rows, i) + offset, terms)
        for c in range(scores.shape[1]):
            if not abs(scores[i, c]) > may_be_off(screen, terms, lengths[c], root):
                status, scores[i, c] = exact_mean(rows, i, parts, c, looks[c], offset)
                if status != FINE:
                    return status, i
    return FINE, -1


@jit
def pick_best(rows, parts, offset, longest, screen, scores, top, best):
    """Write the class with the largest score on row i to best[i]; ties go to the first class.

    `top` holds the largest fast score of each row. If other scores are close to it, exact sums decide.
    Their weights are the sum of `parts`; all classes must have been trained for the same number of steps.
    Return (status, row): the row at which the loop stopped on an error, or −1.
    """
    for i in range(best.size):
        own = scores[i]
        terms = entries(rows, i) + 16.0
        root = root_of(screen, square(rows, i) + offset, terms)
        near = own.dtype.type(top[i] - 2.0 * may_be_off(screen, terms, longest, root))
        rivals, found = 0, 0
        for c in range(scores.shape[1]):
            is_near = own[c] >= near
            rivals += is_near
            found += is_near * c
        if rivals == 1:
            best[i] = found
            continue
        if not is_finite(rows, i):
            return ROW_NOT_FINITE, i
        if parts.shape[0] == 0:
            return NEEDS_SUMS, i
        best[i] = _champion(rows, i, parts, offset, own, near)
    return FINE, -1


@jit
def _champion(rows, i, parts, offset, scores, near):
    """Return the class with the largest exact score among the classes near the top; ties go to the first.

    If the fast scores are not finite, all classes are compared.
    """
    champion = -1
    total = np.zeros(LIMBS, np.int64)
    for c in range(parts.shape[1]):
        if scores[c] < near:
            continue
        if champion < 0:
            champion = c
            continue
        for k in range(LIMBS):
            total[k] = 0
        for p in range(parts.shape[0]):
            add_exactly(rows, i, parts[p, champion], offset, total)
        for k in range(LIMBS):
            total[k] = -total[k]
        for p in range(parts.shape[0]):
            add_exactly(rows, i, parts[p, c], offset, total)
        if sign(total) > 0:
            champion = c
    return champion
