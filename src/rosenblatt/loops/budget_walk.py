"""Learn from a block row by row with a limited number of support rows (slots)."""

from __future__ import annotations

import numpy as np

from rosenblatt.budgets.budget_hooks import NOWHERE, acts, admit
from rosenblatt.loops.blocked import IN_DOUBT, SHRINKS, UNDERFLOW, WALKED
from rosenblatt.loops.decide import acts_on, is_mistake, is_sure
from rosenblatt.numeric.compiling import jit, jit_sums
from rosenblatt.numeric.rows import ROUNDING
from rosenblatt.rules.rule_hooks import step, threshold

NO_WEIGHTS = np.empty((1, 0))


@jit_sums
def _score(coefficient, values, used, roots):
    """Return Σ coefficient·(K + offset) and Σ |coefficient|·root over the slots in use, in any order."""
    s, mass = 0.0, 0.0
    for k in range(used):
        s += coefficient[k] * values[k]
        mass += abs(coefficient[k]) * roots[k]
    return s, mass


@jit
def walk_budgeted(
    values, weights, gram, labels, squares, roots, slot_roots, importance, start, settled, tie, error,
    looks, rule, memory, budget, slots, column,
):  # fmt: skip
    """Visit the rows of the block from row `start` on, and learn within the budget.

    values[i, k] = K̃(row i, row in slot k), where K̃ = K + offset; it is updated when a slot receives
    another row. weights[i] = K̃⁻¹·values[i] if the slots no longer change; otherwise `weights` has one
    empty row. `looks` is the number of steps before this block. The other arguments are as in
    `blocked.walk_columns`. Return (status, row at which the loop stopped).
    """
    clock = column[0]
    n = labels.size
    for i in range(start, n):
        y = np.float64(labels[i])
        used = slots.used[0]
        tau = threshold(rule, memory, y, squares[i])
        s, mass = _score(slots.coefficient, values[i], used, slot_roots)
        if i == start and not np.isnan(settled):
            s = settled
        elif clock["updates"] == 0:
            s = 0.0
        else:
            doubt = (error + (2 * used + 16) * ROUNDING) * mass * roots[i] + UNDERFLOW
            if not is_sure(s, y * s, tau, doubt, ROUNDING):
                return IN_DOUBT, i
        mistake = is_mistake(s, y, tie)
        clock["mistakes"] += mistake
        clock["false_positives"] += mistake and y < 0.0
        known = weights[i if weights.shape[0] > 1 else 0]
        coefficient = 0.0
        if acts_on(mistake, y * s, tau):
            coefficient, shrink, _ = step(rule, memory, y * s, squares[i], 0.0)
            if shrink != 1.0:
                return SHRINKS, i
        else:
            coefficient = acts(budget, y * s, squares[i], slots, values[i], known)
        if coefficient == 0.0:
            continue
        if importance.size > 0:
            coefficient *= importance[i]
        k = admit(
            budget,
            slots,
            values[i],
            known,
            squares[i],
            mistake,
            coefficient * y,
            looks + i,
            clock["updates"],
        )
        clock["updates"] += 1
        if k != NOWHERE:
            slots.row[k] = i
            slot_roots[k] = roots[i]
            for j in range(i, n):
                values[j, k] = gram[j, i]
    return WALKED, n
