"""The learning loop: visit rows in order, decide exactly, update by the rule.

One loop serves every rule, averaging strategy, row layout and order: each of these is a NamedTuple, and its
class selects the code at compile time. The body has three steps: decision, scalar, axpy.
"""

from __future__ import annotations

import numpy as np

from rosenblatt.averaging.averaging_hooks import (
    after_quiet,
    answers_first,
    before_rescale,
    before_shrink,
    before_update,
    consider,
    errors_to_beat,
    returned_value,
    take_answer,
)
from rosenblatt.averaging.pocket import Pocket
from rosenblatt.loops.decide import FINE, fast_decision, in_doubt, is_mistake, sure_score
from rosenblatt.numeric.compiling import jit, with_default
from rosenblatt.numeric.next_row import fetch_ahead, looks, row_at
from rosenblatt.numeric.rows import fetch_weights, squared_norm
from rosenblatt.rules.rule_hooks import direction, move, update_length2, weighed_step

TALLY = np.dtype(
    [
        ("examples_seen", np.int64),
        ("mistakes", np.int64),
        ("false_positives", np.int64),  # mistakes on negative rows; the others are false negatives
        ("updates", np.int64),
        ("exact_decisions", np.int64),
        ("scale", np.float64),  # w̃ = scale·v, and `weights` holds v
        ("norm2", np.float64),  # ‖v‖²
    ]
)
"""The counters of a run, and the two scalars that belong to the weights."""


def new_tally(weights):
    """Return the tally of a run that starts at these weights."""
    tally = np.zeros(1, TALLY)
    tally["scale"], tally["norm2"] = 1.0, squared_length(weights)
    return tally


def squared_length(weights):
    """Return ‖w̃‖², or infinity if it is too large for a double."""
    with np.errstate(over="ignore"):
        return float(np.einsum("j,j->", weights, weights))  # BLAS would wake threads that then spin


TOO_SMALL, TOO_LARGE = 1e-4, 1e4
"""A scale outside this range is multiplied into v. The mean of the weights is a difference of sums that may
exceed it by the ratio of these limits, so a wider range would lose more digits."""


@jit
def count_errors(rows, labels, importance, offset, tie, weights, norm2, limit):
    """Return the number of rows that `weights` misclassifies, counted up to `limit`.

    Rows with weight 0 are not counted.
    """
    errors = 0
    for i in range(labels.size):
        if errors >= limit:
            break
        if importance.size == 0 or importance[i] > 0.0:
            _, s, _ = sure_score(rows, i, weights, offset, norm2)
            if is_mistake(s, np.float64(labels[i]), tie):
                errors += 1
    return errors


@with_default
def weigh(keeper, rows, labels, importance, offset, tie, weights, scale, norm2):
    """Call `consider` with the number of errors of these weights on all rows.

    Only the pocket needs this: loops of other strategies are compiled without the count.
    """


@weigh.of(Pocket)
def _(keeper, rows, labels, importance, offset, tie, weights, scale, norm2):
    errors = count_errors(rows, labels, importance, offset, tie, weights, norm2, errors_to_beat(keeper))
    consider(keeper, weights, scale, errors)


@jit
def walk(rows, labels, importance, order, offset, tie, rule, memory, keeper, weights, tally):
    """Visit the rows of `order`, one after another, and learn.

    `rows`, `labels` and `importance` are the batch; an empty importance means weight 1 for all rows.
    `offset` is the value of the constant feature: 1.0, or 0.0 for none. `tie` is the label that a score of
    0 predicts (0.0: neither label, so a mistake). `weights` (v, with the offset last), `keeper` and `tally`
    are updated. Return (memory, status, row at which the loop stopped, number of mistakes).
    """
    clock = tally[0]
    # sparse rows only estimate ‖v‖²; the error bound of dense rows needs it, so it is summed again
    scale, norm2 = clock["scale"], squared_norm(rows, weights, clock["norm2"])
    total = looks(order)
    mistakes, false_positives, updates = 0, 0, 0
    quiet = 0  # steps since the last update
    for look in range(total):
        # dot and decision
        fetch_ahead(order, look, rows)
        if look + 1 < total:
            fetch_weights(rows, row_at(order, look + 1), weights)
        i = row_at(order, look)
        y = np.float64(labels[np.uint64(i)])
        s, x2, tau, acts, sure = fast_decision(rows, i, y, offset, rule, memory, weights, scale, norm2)
        if answers_first(keeper):
            value = returned_value(keeper, rows, i, offset, s, scale, quiet)
            take_answer(keeper, is_mistake(value, y, tie), y)
        if sure and not acts:  # most rows of most passes: nothing is written
            quiet += 1
            continue
        mistake, acts = is_mistake(s, y, tie), True
        if not sure:
            status, s, mistake, acts = in_doubt(rows, i, y, offset, tie, tau, weights, scale)
            if status != FINE:
                return memory, status, i, mistakes
            clock["exact_decisions"] += 1
        mistakes += mistake
        false_positives += mistake and y < 0.0

        # scalar
        coefficient, shrink = 0.0, 1.0
        if acts:
            square = update_length2(rule, memory, rows, i, offset, x2)
            weight = importance[i] if importance.size > 0 else 1.0
            coefficient, shrink, memory = weighed_step(
                rule, memory, scale * y * s, square, scale * scale * norm2, weight
            )
        if coefficient == 0.0 and shrink == 1.0:
            quiet += 1
            continue
        if after_quiet(keeper, quiet):
            weigh(keeper, rows, labels, importance, offset, tie, weights, scale, norm2)
        quiet = 0
        factor = 1.0
        if shrink != 1.0:
            before_shrink(keeper, scale)
            scale *= shrink
            if not TOO_SMALL < scale < TOO_LARGE:
                before_rescale(keeper, weights)
                factor, scale = scale, 1.0
                for j in range(weights.size):
                    weights[j] *= factor
                norm2 *= factor * factor
                s *= factor

        # axpy: v ← v + delta·p, so that scale·v gains coefficient·y·p, where p is x̃ or what the rule says
        delta = coefficient * y / scale
        stride = direction(rule, memory, rows, i, y, offset, weights, scale)
        before_update(keeper, stride, i, delta, factor, offset, scale)
        met, p2 = move(stride, rule, memory, rows, i, y, delta, offset, weights, s, x2)
        norm2 = squared_norm(rows, weights, norm2 + 2.0 * delta * met + delta * delta * p2)
        updates += 1
    if after_quiet(keeper, quiet):
        weigh(keeper, rows, labels, importance, offset, tie, weights, scale, norm2)
    clock["examples_seen"] += total
    clock["mistakes"] += mistakes
    clock["false_positives"] += false_positives
    clock["updates"] += updates
    clock["scale"], clock["norm2"] = scale, norm2
    return memory, FINE, -1, mistakes
