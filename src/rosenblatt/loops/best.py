"""Find the signs and the largest of the scores of many columns."""

from __future__ import annotations

import numpy as np

from rosenblatt.loops.decide import FINE, NEEDS_SUMS, ROW_NOT_FINITE, exact_mean
from rosenblatt.loops.together import may_be_off, root_of
from rosenblatt.numeric.compiling import compiled
from rosenblatt.numeric.exact import LIMBS, sign
from rosenblatt.numeric.panels import entries, score_all, square
from rosenblatt.numeric.rows import add_exactly, is_finite


@compiled
def score_rows(rows, by_feature, offset, scores):
    """Write w̃_c·x̃ᵢ by the fast sum to scores[i, c]."""
    for i in range(scores.shape[0]):
        score_all(rows, i, by_feature, offset, scores[i])


@compiled
def settle_signs(rows, parts, looks, offset, lengths, screen, scores):
    """Recompute the scores whose sign is uncertain, exactly.

    The exact weights are those of `parts` and `looks` (see `exact_mean`). Return (status, row at which it
    ended).
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


@compiled
def pick_best(rows, parts, offset, longest, screen, scores, top, best):
    """Write the column of the largest score of row i to best[i], the first of equals.

    `top` has the largest of the fast scores of each row. If others are close to it, exact sums decide, by
    weights that are the sum of `parts` (over the same steps). Return (status, row at which it ended).
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


@compiled
def _champion(rows, i, parts, offset, scores, near):
    """Return the first column whose exact score no other exceeds, among those near the top.

    If the fast scores are not usable, it is among all columns.
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
