"""Exact online learning at the speed of matrix products: score a block of rows, then learn row by row.

`scores` holds, for each binary classifier (one class against the rest), the score of every row of the block
under the state before the block. A row that causes an update adds ±K(x, z) to the scores of the later rows,
so each row is decided by the weights before it, as if the rows were visited one by one. Most rows cause no
update. So K(x, z) is computed in advance only for rows that are likely to cause an update; for other rows
it is computed when they cause one.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from rosenblatt.loops.decide import acts_on, is_mistake, is_sure, rules_out
from rosenblatt.numeric.compiling import dispatch_by_class, inline, jit
from rosenblatt.numeric.exact import LIMBS, add_product, round_total
from rosenblatt.rules.rule_hooks import step, threshold

WALKED, IN_DOUBT, NEEDS_ROW, SHRINKS = 0, 1, 2, 3

COLUMN = np.dtype(
    [
        ("mistakes", np.int64),
        ("false_positives", np.int64),
        ("updates", np.int64),
        ("settled", np.int64),  # number of steps that the fast score could not decide
        ("mass", np.float64),  # Σ |delta|·root(x) over the updates
        ("terms", np.int64),  # upper bound on the number of additions in a score, for its rounding error
    ]
)
"""The counters of one classifier, and the terms of the error bound of its scores."""

WALK = np.dtype(
    [
        ("status", np.int64),  # why the walk stopped; NEEDS_ROW before it starts
        ("row", np.int64),
        ("made", np.int64),  # number of updates
        ("settled", np.float64),  # the score of that row if it was computed in order, or NaN
    ]
)
"""The position of one classifier in a block."""

FREE, MISTAKE, ACTS, RIGHT = 0, 1, 2, 3
"""The known decision about a row: unknown; a mistake; correct with an update; correct without one."""


UNDERFLOW = 1e-290
"""Scores below this are always uncertain, because a product may have underflowed."""


def meaning(mistake: bool, acts: bool) -> int:
    """Return the code (MISTAKE, ACTS or RIGHT) for the decision about a row."""
    return MISTAKE if mistake else ACTS if acts else RIGHT


@inline
def in_doubt_by(error, rounding, terms, mass, root):
    """Return a bound on the error of a score.

    It is 0 if rounding = 0: the score is then a sum of integers below 2^53.
    """
    return (error + terms * rounding) * mass * root + UNDERFLOW if rounding > 0.0 else 0.0


class RowsMade(NamedTuple):
    """Hold kernel values K̃ = K + offset between some rows of a block and all its rows.

    values[place[i]] belongs to row i. If place[i] is −1, the caller must compute the values of row i.
    """

    values: Any
    place: Any


@dispatch_by_class
def has_row(gram, i):
    """Return whether the kernel values of row i with later rows are in gram.values[gram.place[i]]."""


@has_row.of(RowsMade)
def _(gram, i):
    return gram.place[i] >= 0


@jit
def mark_candidates(scores, labels, squares, roots, error, rounding, rule, memory, columns, flagged):
    """Set flagged[i] for each row of a block that causes, or may cause, an update of some classifier.

    The flags follow from the current scores. Updates change the scores, so other rows may be flagged later.
    """
    n = flagged.size
    for c in range(columns.size):
        clock = columns[c]
        for i in range(n):
            y = np.float64(labels[c, i])
            doubt = in_doubt_by(error, rounding, clock["terms"] + n + 8, clock["mass"], roots[i])
            if not rules_out(y * scores[c, i], threshold(rule, memory, y, squares[i]), doubt):
                flagged[i] = True


@jit
def walk_columns(
    scores, gram, labels, squares, roots, importance, tie, error, rounding, rule, memory, columns,
    walks, position, delta,
):  # fmt: skip
    """Advance each classifier from its position to the end of the block, or to a row where it must stop.

    `gram` holds K̃ = K + offset of the rows that caused updates, as `RowsMade` or `short_rows.ShortBlock`.
    `squares` holds K̃(x, x). `roots` bounds K̃ (see `kernels.kernel_hooks`), `error` is its relative error.
    The function writes to `columns` (records of COLUMN) and `walks` (records of WALK). It also writes the
    rows at which w changed to `position`, and the changes to `delta`. Return the number of classifiers that
    have not reached the end.
    """
    n, waiting = squares.size, 0
    for c in range(columns.size):
        clock, walk = columns[c], walks[c]
        if walk["status"] == WALKED:
            continue
        own, label, start = scores[c], labels[c], walk["row"]
        status, end = WALKED, n
        for i in range(start, n):
            y = np.float64(label[i])
            tau = threshold(rule, memory, y, squares[i])
            s = own[i]
            if i == start and not np.isnan(walk["settled"]):
                s = walk["settled"]
            elif clock["updates"] == 0:
                s = 0.0
            elif rounding > 0.0:
                doubt = in_doubt_by(error, rounding, clock["terms"] + n + 8, clock["mass"], roots[i])
                if not is_sure(s, y * s, tau, doubt, rounding):
                    status, end = IN_DOUBT, i
                    break
            mistake = is_mistake(s, y, tie)
            if not acts_on(mistake, y * s, tau):
                continue
            if i + 1 < n and not has_row(gram, i):
                status, end = NEEDS_ROW, i
                break
            clock["mistakes"] += mistake
            clock["false_positives"] += mistake and y < 0.0
            coefficient, shrink, _ = step(rule, memory, y * s, squares[i], 0.0)
            if shrink != 1.0:
                status, end = SHRINKS, i
                break
            if coefficient == 0.0:
                continue
            if importance.size > 0:
                coefficient *= importance[i]
            change = coefficient * y
            if i + 1 < n:
                row = gram.values[gram.place[i]]
                for j in range(i + 1, n):
                    own[j] += change * row[j]
            position[c, walk["made"]] = i
            delta[c, walk["made"]] = change
            walk["made"] += 1
            clock["updates"] += 1
            clock["terms"] += 2  # one in the ordered sum, one in the fast sum
            clock["mass"] += abs(change) * roots[i]
        if end != start:
            walk["settled"] = np.nan
        walk["status"], walk["row"] = status, end
        waiting += status != WALKED
    return waiting


@jit
def ordered_sum(values, member, delta, offset):
    """Return Σ delta·(K + offset) in the order of the updates, rounded after each product and addition."""
    total = 0.0
    for k in range(member.size):
        total += delta[k] * (values[member[k]] + offset)
    return total


@jit
def exact_weighted_sum(values, member, weight, rest, offset):
    """Return the double nearest to the exact Σ (weight + rest)·(K + offset).

    The result is 0 only if the sum is 0.
    """
    total = np.zeros(LIMBS, np.int64)
    for k in range(member.size):
        value = values[member[k]]
        add_product(total, weight[k], value)
        add_product(total, rest[k], value)
        add_product(total, weight[k], offset)
        add_product(total, rest[k], offset)
    return round_total(total)


@jit
def count_dual_votes(
    values, member, delta, survival, offset, tie, error, rounding, mass, roots, votes, unsure
):
    """Write Σ survivalₖ·sign(sₖ) to votes[r].

    sₖ = Σ deltaₘ·(K(support row memberₘ, row r) + offset) over m ≤ k, and values[r, s] = K(support row s,
    row r). survival[0] belongs to w = 0, which predicts `tie`. mass[k] = Σ |delta|·root up to update k. A
    row with an uncertain sum is marked in `unsure`; `error` is the relative error of the kernel values.
    """
    for r in range(values.shape[0]):
        s = 0.0
        total = survival[0] * tie
        for k in range(member.size):
            s += delta[k] * (values[r, member[k]] + offset)
            doubt = in_doubt_by(error, rounding, 2 * k + 10, mass[k], roots[r])
            if s > doubt:
                total += survival[k + 1]
            elif s < -doubt:
                total -= survival[k + 1]
            else:
                unsure[r] |= rounding > 0.0
                total += survival[k + 1] * (tie if s == 0.0 else (1.0 if s > 0.0 else -1.0))
        votes[r] = total
