"""Loops that train many binary classifiers in one pass over the rows.

Each column of a panel is a separate perceptron. The fast scores of a row are computed for all columns
together. Most of them show that the column needs no update. The remaining columns (a mistake, or a score
closer to the threshold than its rounding error) are decided one by one: by `decide.fast_decision` and, if
that is uncertain, by the exact sum. So precision, order of summation, blocks and threads change the speed,
but never the weights.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.loops.column_targets import signs, signs_of_rows
from rosenblatt.loops.decide import FINE, fast_decision, in_doubt, is_clear_mistake, is_mistake, rules_out
from rosenblatt.numeric.blas_products import multiply
from rosenblatt.numeric.compiling import inline, jit
from rosenblatt.numeric.next_row import fetch_ahead, looks, row_at
from rosenblatt.numeric.panels import column, entries, refresh, score_all, width
from rosenblatt.numeric.rows import add
from rosenblatt.rules.rule_hooks import step, threshold

CLOCK = np.dtype(
    [
        ("mistakes", np.int64),
        ("false_positives", np.int64),  # if classes share mistakes: rows of other classes that it won
        ("updates", np.int64),
        ("exact_decisions", np.int64),
        ("since", np.int64),  # the step at which the column started, since a class may appear late
        ("length2", np.float64),  # upper bound on ‖w̃‖²
    ]
)
"""The counters of one column (binary classifier), and the terms of the error bound of its scores."""


class Panel(NamedTuple):
    """Hold the weights and counters of consecutive columns (binary classifiers), from number `first` on.

    `clocks` has one entry per column. `weights` holds w̃ of each column in the layout that the rows need
    (see `numeric.panels`), padded with 0. `beside` holds the second vector of the averaging strategy: for
    the mean over all steps, Σ delta·(steps before the update)·x̃; for the pocket, the best weights;
    otherwise it is empty. `screen` holds the weights in the precision used for screening (it may be
    `weights` itself).
    """

    first: int
    weights: NDArray[np.float64]
    beside: NDArray[np.float64]
    screen: NDArray[np.floating[Any]]
    clocks: NDArray[Any]


class Screen(NamedTuple):
    """Hold the constants of the error bound of a fast score.

    The bound is unit·(terms)·‖w̃‖‖x̃‖ + floor·terms·(1 + ‖w̃‖)(1 + ‖x̃‖), if ‖w̃‖ and ‖w̃‖‖x̃‖ are below
    `huge`. `tiny` is the smallest normal number.
    """

    unit: float
    floor: float
    huge: float
    tiny: float


SINGLE = Screen(1.5 * 2.0**-24, 1e-43, 1e37, 2.0**-126)
DOUBLE = Screen(1.5 * 2.0**-53, 1e-290, 1e300, 2.0**-1022)
"""1.5 times the unit roundoff covers the higher orders; the floor covers underflow."""

GROWTH = 1.0 + 2.0**-32  # safety factor per update of the bound on ‖w̃‖²; it exceeds all rounding errors
SHORTEST2 = 1e-300  # smallest bound on ‖w̃‖²: squares of shorter vectors underflow


@inline
def may_be_off(screen, terms, length, root):
    """Return a bound on the error of a fast score for weights of norm `length` on a row of norm `root`."""
    if not (length < screen.huge and length * root < screen.huge):
        return math.inf
    return screen.unit * terms * length * root + screen.floor * terms * (1.0 + length) * (1.0 + root)


@inline
def root_of(screen, x2, terms):
    """Return an upper bound on ‖x̃‖ from x2 = ‖x̃‖², despite rounding and underflow of x2."""
    return math.sqrt(x2 + terms * screen.tiny) * (1.0 + terms * screen.unit)


@inline
def weight_of(importance, balance, i, c, y):
    """Return the row's sample weight times the balance of label y in column c."""
    weight = 1.0
    if balance.size > 0:
        weight = balance[c, 1 if y > 0.0 else 0]
    if importance.size > 0:
        weight *= importance[i]
    return weight


@inline
def longer(length2, delta, s, x2):
    """Return a bound on ‖w + delta·x‖² from a bound on ‖w‖² and s = w·x; w and x include the offset."""
    step = abs(delta) * math.sqrt(x2)
    return (length2 + max(0.0, 2.0 * delta * s) + step * step) * GROWTH


@inline
def longest_of(clocks):
    """Return a bound on the largest ‖w̃‖ of some columns.

    `max` is not used because it compiles slowly.
    """
    length2 = 0.0
    for c in range(clocks.size):
        if not clocks[c]["length2"] <= length2 and not math.isnan(length2):  # keep NaN
            length2 = clocks[c]["length2"]
    return math.sqrt(length2)


@inline
def ask(rows, i, y, offset, tie, rule, memory, panel, c):
    """Return the decision (status, s, ‖x̃‖², mistake, acts) of column c of a panel on row i.

    It is the same decision as if the column were trained alone.
    """
    w, clock = column(rows, panel.weights, c), panel.clocks[c]
    s, x2, tau, acts, sure = fast_decision(rows, i, y, offset, rule, memory, w, 1.0, clock["length2"])
    if sure:
        return FINE, s, x2, is_mistake(s, y, tie), acts
    clock["exact_decisions"] += 1
    status, s, mistake, acts = in_doubt(rows, i, y, offset, tie, tau, w, 1.0)
    return status, s, x2, mistake, acts


@inline
def learn(rows, i, y, s, x2, weight, offset, rule, memory, panel, c, looks_before):
    """Let column c of a panel learn from row i; return delta of its update w ← w + delta·x."""
    coefficient, _, _ = step(rule, memory, y * s, x2, 0.0)
    if coefficient == 0.0:
        return 0.0
    clock = panel.clocks[c]
    delta = coefficient * weight * y
    if panel.beside.size > 0:
        add(
            rows,
            i,
            delta * np.float64(looks_before - clock["since"]),
            offset,
            column(rows, panel.beside, c),
        )
    add(rows, i, delta, offset, column(rows, panel.weights, c))
    clock["updates"] += 1
    clock["length2"] = longer(clock["length2"], delta, s, x2)
    return delta


@jit
def walk_rows(
    rows, targets, importance, balance, order, offset, tie, rule, memory, is_fixed, panel, screen,
    looks_before,
):  # fmt: skip
    """Visit the rows of `order`, one after another; all columns of the panel learn.

    This loop is for rules without memory that add a multiple of one row to w. With `is_fixed`, that
    multiple does not depend on the score, so no exact score is needed if the fast score proves a mistake.
    Return (status, row at which the loop stopped).
    """
    n = panel.clocks.size
    is_copy = panel.screen.itemsize != panel.weights.itemsize
    scores = np.empty(width(rows, panel.screen), panel.screen.dtype)
    label = np.empty(n)
    lengths = np.empty(n)
    for c in range(n):
        lengths[c] = math.sqrt(panel.clocks[c]["length2"])
    longest = longest_of(panel.clocks)
    tau = max(threshold(rule, memory, 1.0, 1.0), threshold(rule, memory, -1.0, 1.0))
    for look in range(looks(order)):
        fetch_ahead(order, look, rows)
        i = row_at(order, look)
        x2 = score_all(rows, i, panel.screen, offset, scores)
        signs(targets, i, panel.first, label)
        terms = entries(rows, i) + 16.0
        root = root_of(screen, x2, terms)
        off = may_be_off(screen, terms, longest, root)
        asked = 0
        for c in range(n):
            asked += not rules_out(label[c] * scores[c], tau, off)
        if asked == 0:
            continue
        for c in range(n):
            y = label[c]
            off = may_be_off(screen, terms, lengths[c], root)
            if rules_out(y * scores[c], tau, off):
                continue
            s, square, mistake, acts = np.float64(scores[c]), root * root, True, True
            if not (is_fixed and is_clear_mistake(y * s, off)):
                status, s, square, mistake, acts = ask(rows, i, y, offset, tie, rule, memory, panel, c)
                if status != FINE:
                    return status, i
            panel.clocks[c]["mistakes"] += mistake
            panel.clocks[c]["false_positives"] += mistake and y < 0.0
            if not acts:
                continue
            weight = weight_of(importance, balance, i, panel.first + c, y)
            delta = learn(
                rows, i, y, s, square, weight, offset, rule, memory, panel, c, looks_before + look
            )
            if delta != 0.0:
                if is_copy:
                    refresh(rows, i, c, panel.weights, panel.screen)
                lengths[c] = math.sqrt(panel.clocks[c]["length2"])
                longest = max(longest, lengths[c])
    return FINE, -1


@jit
def walk_blocks(
    rows, which, targets, importance, balance, size, grams, gemm, room, offset, tie, rule, memory, is_fixed,
    panel, screen, looks_before,
):  # fmt: skip
    """Learn from blocks of dense rows; one matrix product gives the scores of a block.

    A block has `size` rows; the last block may be shorter. `rows` holds the rows of all blocks; which[k]
    is the index of row k in `targets` and `importance`. grams[i] begins with the Gram matrix x_k·x_j of
    block i. `room` is a buffer for the scores w_c·x_k of a block, and `gemm` is the address of the matrix
    product (see `numeric.blas_products`). Learning from row k changes a classifier's scores of the later
    rows of the block by delta·gram[k]. Threads with separate classifiers can share rows and Gram matrices;
    a call takes the interpreter's lock once for all its blocks. Return (status, row of `rows` at which the
    loop stopped).
    """
    columns, d = panel.clocks.size, rows.values.shape[1]
    label = np.empty((size, columns), np.int8)
    terms = d + 16.0
    roots = np.empty(size)
    tau = max(threshold(rule, memory, 1.0, 1.0), threshold(rule, memory, -1.0, 1.0))
    for first in range(0, which.size, size):
        end = min(first + size, which.size)
        n = end - first
        scores = room[: columns * n].reshape(columns, n)
        gram = grams[first // size, : n * n].reshape(n, n)
        multiply(gemm, rows.values[first:end], panel.screen, scores)
        signs_of_rows(targets, which[first:end], panel.first, label)
        farthest = 0.0
        for k in range(n):
            roots[k] = root_of(screen, max(0.0, np.float64(gram[k, k])) + offset, terms)
            farthest = max(farthest, roots[k])
        for c in range(columns):
            own, w = scores[c], panel.weights[c]
            length, steps, made = math.sqrt(panel.clocks[c]["length2"]), 0.0, 0
            base, slope = _screening(screen, terms, length, steps, farthest)
            b = offset * w[d]
            for k in range(n):
                y = np.float64(label[k, c])
                agreement = y * (np.float64(own[k]) + b)
                off = base + slope * roots[k]
                if rules_out(agreement, tau, off):
                    continue
                i = first + k
                s, square, mistake, acts = y * agreement, roots[k] * roots[k], True, True
                if not (is_fixed and is_clear_mistake(agreement, off)):
                    status, s, square, mistake, acts = ask(rows, i, y, offset, tie, rule, memory, panel, c)
                    if status != FINE:
                        return status, i
                panel.clocks[c]["mistakes"] += mistake
                panel.clocks[c]["false_positives"] += mistake and y < 0.0
                if not acts:
                    continue
                weight = weight_of(importance, balance, np.int64(which[i]), panel.first + c, y)
                delta = learn(
                    rows, i, y, s, square, weight, offset, rule, memory, panel, c, looks_before + i
                )
                if delta == 0.0:
                    continue
                change, row = own.dtype.type(delta), gram[k]
                # all rows of the block: whole registers cost less than skipping the rows already visited
                for j in range(n):
                    own[j] += change * row[j]
                b = offset * w[d]
                made += 1
                # an update outside the range of the screen changed scores by 0 or infinity: decide
                # exactly now
                steps += abs(delta) if screen.tiny < abs(delta) < screen.huge else math.inf
                length += abs(delta) * roots[k]
                base, slope = _screening(screen, terms + 4.0 * made, length, steps, farthest)
            if made > 0 and panel.screen.itemsize != panel.weights.itemsize:
                for j in range(d + 1):
                    panel.screen[c, j] = w[j]
    return FINE, -1


@inline
def _screening(screen, terms, length, steps, farthest):
    """Return (base, slope) such that `may_be_off` ≤ base + slope·root for all roots up to `farthest`.

    `steps` is Σ |delta| in this block, whose products with the Gram matrix may have underflowed.
    """
    if not (length < screen.huge and max(length, farthest) * farthest < screen.huge):
        return math.inf, math.inf  # something may have overflowed: decide every row exactly
    floor = screen.floor * terms * (1.0 + length + steps)
    return floor, screen.unit * terms * length + floor
