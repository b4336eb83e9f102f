"""Ultraconservative learning: the classes share each mistake.

A row x of class y is a mistake when a rival r ≠ y has w_r·x ≥ w_y·x. Then w_y ← w_y + x, and the rivals are
reduced together: w_r ← w_r − share_r·x, with Σ share_r = 1 over the error set E = {r : w_r·x ≥ w_y·x}.

    worst         1 for the rival with the largest score (the predicted class)
    uniform       1/|E| for each rival in E
    proportional  (w_r·x − w_y·x), the lead of r, divided by the sum of these leads over E

Written as one vector W = (w_1, …, w_k), this is the perceptron for two classes on the points Ψ = Σ_r
share_r (Φ(x, y) − Φ(x, r)), which all have the label +1. Here Φ(x, r) has x in the block of w_r and 0
elsewhere (Kesler's construction). So every rule that uses only W·Ψ and ‖Ψ‖² works as for two classes. The
mistake bound holds too: if some W of length 1 scores the right class at least γ above every other class,
there are at most 2(R/γ)² mistakes.

Crammer & Singer, "Ultraconservative online algorithms for multiclass problems", JMLR 3 (2003).
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.averaging.averaging_hooks import after_quiet, before_update, consider, errors_to_beat
from rosenblatt.averaging.pocket import Pocket
from rosenblatt.loops.decide import FINE, ROW_NOT_FINITE, WEIGHTS_OVERFLOWED, is_shared_mistake, rules_out
from rosenblatt.loops.recorded_updates import note_column, note_update
from rosenblatt.loops.together import longer, longest_of, may_be_off, root_of
from rosenblatt.numeric.compiling import dispatch_by_class, inline, jit, with_default
from rosenblatt.numeric.exact import LIMBS, add_product, sign
from rosenblatt.numeric.next_row import fetch_ahead, looks, row_at
from rosenblatt.numeric.panels import column, entries, refresh, score_all, width
from rosenblatt.numeric.rows import add, add_exactly, is_finite, meets_finite, score
from rosenblatt.rules.rule_hooks import step, threshold


class Worst(NamedTuple):
    """Charge the whole mistake to the rival with the largest score; ties go to the first."""


class Uniform(NamedTuple):
    """Charge the mistake equally to every class of the error set."""


class Proportional(NamedTuple):
    """Charge each class of the error set in proportion to its lead, or equally if all leads are 0."""


SHARINGS = {"worst": Worst(), "uniform": Uniform(), "proportional": Proportional()}


class Kesler(NamedTuple):
    """Represent row x as Ψ: share_c·x in the block of each class c.

    The share is 1 for the row's own class and −share_r for a rival r.
    """

    rows: Any
    shares: NDArray[np.float64]


@add.of(Kesler)
def _(rows, i, coefficient, offset, target):
    for c in range(rows.shares.size):
        if rows.shares[c] != 0.0:
            add(rows.rows, i, coefficient * rows.shares[c], offset, column(rows.rows, target, c))


@note_update.of(Kesler)
def _(stride, keeper, i, coefficient, shrink):
    for c in range(stride.shares.size):
        if stride.shares[c] != 0.0:
            note_column(keeper, i, c, coefficient * stride.shares[c], 0.0, shrink)


@inline
def how_many(in_error):
    size = 0
    for r in range(in_error.size):
        size += in_error[r]
    return size


@dispatch_by_class
def share_out(sharing, rows, i, offset, weights, own, scores, doubts, in_error, shares, exact):
    """Write −(the share of r) to shares[r] for each rival r in error; the values sum to −1."""


@share_out.of(Worst)
def _(sharing, rows, i, offset, weights, own, scores, doubts, in_error, shares, exact):
    shares[worst_rival(rows, i, offset, weights, scores, doubts, in_error, exact)] = -1.0


@share_out.of(Uniform)
def _(sharing, rows, i, offset, weights, own, scores, doubts, in_error, shares, exact):
    size = how_many(in_error)
    for r in range(in_error.size):
        if in_error[r]:
            shares[r] = -1.0 / size


@share_out.of(Proportional)
def _(sharing, rows, i, offset, weights, own, scores, doubts, in_error, shares, exact):
    total, size = 0.0, how_many(in_error)
    for r in range(in_error.size):
        if in_error[r]:
            total += max(0.0, scores[r] - scores[own])
    for r in range(in_error.size):
        if in_error[r]:
            part = max(0.0, scores[r] - scores[own]) / total if total > 0.0 else 1.0 / size
            shares[r] = -part


@jit
def exact_gap(rows, i, offset, weights, c, rival, tau):
    """Return the sign of (score of class c − score of `rival` − tau) on row i.

    The row and the weights must be finite.
    """
    total = np.zeros(LIMBS, np.int64)
    add_exactly(rows, i, column(rows, weights, rival), offset, total)
    for k in range(LIMBS):
        total[k] = -total[k]
    add_exactly(rows, i, column(rows, weights, c), offset, total)
    add_product(total, -1.0, tau)
    return sign(total)


@jit
def sure_gap(rows, i, offset, weights, c, rival, tau, scores, doubts, exact):
    """Return 1, 0 or −1 if class c leads class `rival` on row i by more than, exactly or less than tau.

    `scores` holds the fast scores of the classes, with errors of at most `doubts`. exact[0] counts the
    exact sums.
    """
    gap = scores[c] - scores[rival] - tau
    doubt = doubts[c] + doubts[rival] + 2.0**-51 * (abs(scores[c]) + abs(scores[rival]) + tau)
    if abs(gap) > doubt:
        return 1 if gap > 0.0 else -1
    exact[0] += 1
    return exact_gap(rows, i, offset, weights, c, rival, tau)


@jit
def worst_rival(rows, i, offset, weights, scores, doubts, in_error, exact):
    """Return the class with the largest score among the classes in error; ties go to the first."""
    worst = -1
    for r in range(in_error.size):
        if not in_error[r]:
            continue
        if worst < 0 or sure_gap(rows, i, offset, weights, r, worst, 0.0, scores, doubts, exact) > 0:
            worst = r
    return worst


@jit
def score_candidates(rows, i, own, offset, panel, candidates, scores, doubts):
    """Write the scores of class `own` and of the candidates to `scores`, with error bounds in `doubts`.

    Return (status, ‖x̃‖²).
    """
    if not is_finite(rows, i):
        return ROW_NOT_FINITE, 0.0
    x2 = 0.0
    for c in range(candidates.size):
        if candidates[c] or c == own:
            w = column(rows, panel.weights, c)
            if not meets_finite(rows, i, w):
                return WEIGHTS_OVERFLOWED, 0.0
            scores[c], x2, doubt2 = score(rows, i, w, offset, panel.clocks[c]["length2"])
            doubts[c] = math.sqrt(doubt2)
    return FINE, x2


@jit
def find_errors(rows, i, own, offset, tau, panel, candidates, scores, doubts, in_error, exact):
    """Set in_error[r] for each candidate r whose score is at most tau below that of class `own`.

    `scores` and `doubts` are as in `score_candidates`. Return (status, mistake, ‖x̃‖²).
    """
    status, x2 = score_candidates(rows, i, own, offset, panel, candidates, scores, doubts)
    if status != FINE:
        return status, False, 0.0
    mistake = False
    for r in range(candidates.size):
        in_error[r] = False
        if not candidates[r]:
            continue
        ahead = sure_gap(rows, i, offset, panel.weights, own, r, 0.0, scores, doubts, exact)
        in_error[r] = is_shared_mistake(ahead)
        mistake |= in_error[r]
        if tau > 0.0 and not in_error[r]:
            ahead = sure_gap(rows, i, offset, panel.weights, own, r, tau, scores, doubts, exact)
            in_error[r] = is_shared_mistake(ahead)
    return FINE, mistake, x2


@inline
def score_classes(rows, i, offset, panel, screen, longest, scores):
    """Write the fast scores of all classes to `scores`.

    Return an upper bound on ‖x̃‖, and a bound on the error of a difference of two scores.
    """
    x2 = score_all(rows, i, panel.screen, offset, scores)
    terms = entries(rows, i) + 16.0
    root = root_of(screen, x2, terms)
    return root, 2.0 * may_be_off(screen, terms, longest, root)


@inline
def mark_candidates(scores, own, tau, off, candidates):
    """Set candidates[r] for each class r that may be within tau of class `own`; return their number."""
    marked = 0
    for r in range(candidates.size):
        candidates[r] = r != own and not rules_out(scores[own] - scores[r], tau, off)
        marked += candidates[r]
    return marked


@jit
def count_shared_errors(rows, numbers, importance, offset, panel, screen, limit):
    """Return the number of rows on which a rival is not behind the row's class, counted up to `limit`.

    Rows with weight 0 are not counted.
    """
    n = panel.clocks.size
    scores, sums = np.empty(width(rows, panel.screen), panel.screen.dtype), np.empty(n)
    doubts, exact = np.empty(n), np.zeros(1, np.int64)
    candidates, in_error = np.empty(n, np.bool_), np.empty(n, np.bool_)
    longest = longest_of(panel.clocks)
    errors = 0
    for i in range(numbers.size):
        if errors >= limit:
            break
        if importance.size > 0 and importance[i] == 0.0:
            continue
        own = numbers[i]
        _, off = score_classes(rows, i, offset, panel, screen, longest, scores)
        if mark_candidates(scores, own, 0.0, off, candidates) > 0:
            _, mistake, _ = find_errors(
                rows, i, own, offset, 0.0, panel, candidates, sums, doubts, in_error, exact
            )
            errors += mistake
    return errors


@with_default
def weigh_shared(keeper, rows, numbers, importance, offset, panel, screen, flat_weights):
    """Call `consider` with the number of errors of the weights on all rows; only the pocket needs this."""


@weigh_shared.of(Pocket)
def _(keeper, rows, numbers, importance, offset, panel, screen, flat_weights):
    errors = count_shared_errors(rows, numbers, importance, offset, panel, screen, errors_to_beat(keeper))
    consider(keeper, flat_weights, 1.0, errors)


@jit
def walk_shared(
    rows, numbers, importance, order, offset, sharing, rule, memory, keeper, panel, screen, flat_weights
):
    """Visit the rows of `order`, one after another, and learn.

    `numbers` holds the class of each row, and `importance` its weight (empty if all weights are 1).
    `flat_weights` is the memory of panel.weights as one vector, for the averaging strategy. Return (status,
    row at which the loop stopped).
    """
    n = panel.clocks.size
    scores = np.empty(width(rows, panel.screen), panel.screen.dtype)
    sums, doubts, shares, exact = np.empty(n), np.empty(n), np.zeros(n), np.zeros(1, np.int64)
    uncounted = np.zeros(1, np.int64)  # exact sums for predictions alone: no update depends on them
    candidates, in_error = np.empty(n, np.bool_), np.empty(n, np.bool_)
    joint = Kesler(rows, shares)
    longest = longest_of(panel.clocks)
    tau = threshold(rule, memory, 1.0, 1.0)
    quiet = 0
    for look in range(looks(order)):
        fetch_ahead(order, look, rows)
        i = row_at(order, look)
        own = numbers[i]
        _, off = score_classes(rows, i, offset, panel, screen, longest, scores)
        if mark_candidates(scores, own, tau, off, candidates) == 0:
            quiet += 1
            continue
        status, mistake, x2 = find_errors(
            rows, i, own, offset, tau, panel, candidates, sums, doubts, in_error, exact
        )
        if status != FINE:
            return status, i
        if mistake:
            rival = worst_rival(rows, i, offset, panel.weights, sums, doubts, in_error, uncounted)
            panel.clocks[own]["mistakes"] += 1
            panel.clocks[rival]["false_positives"] += 1
        if how_many(in_error) == 0:
            quiet += 1
            continue
        for r in range(n):
            shares[r] = 0.0
        share_out(sharing, rows, i, offset, panel.weights, own, sums, doubts, in_error, shares, exact)
        agreement, square = 0.0, 1.0
        for r in range(n):
            if in_error[r]:
                agreement -= shares[r] * (sums[own] - sums[r])
                square += shares[r] * shares[r]
        shares[own] = 1.0
        coefficient, _, _ = step(rule, memory, agreement, square * x2, 0.0)
        if coefficient == 0.0:
            quiet += 1
            continue
        if importance.size > 0:
            coefficient *= importance[i]
        if after_quiet(keeper, quiet):
            weigh_shared(keeper, rows, numbers, importance, offset, panel, screen, flat_weights)
        quiet = 0
        before_update(keeper, joint, i, coefficient, 1.0, offset, 1.0)
        add(joint, i, coefficient, offset, panel.weights)
        panel.clocks[own]["updates"] += 1
        for c in range(n):
            if shares[c] != 0.0:
                delta = coefficient * shares[c]
                clock = panel.clocks[c]
                clock["length2"] = longer(clock["length2"], delta, sums[c], x2)
                longest = max(longest, math.sqrt(clock["length2"]))
                if panel.screen.itemsize != panel.weights.itemsize:
                    refresh(rows, i, c, panel.weights, panel.screen)
    if after_quiet(keeper, quiet):
        weigh_shared(keeper, rows, numbers, importance, offset, panel, screen, flat_weights)
    panel.clocks[0]["exact_decisions"] += exact[0]
    return FINE, -1
