"""Projectron and Projectron++: a row near the span of the support rows is projected onto it, not stored."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from rosenblatt.budgets.budget_hooks import NOWHERE, account, acts, admit, forgets, free_slot, put
from rosenblatt.numeric.compiling import jit

DEPENDENT = 1e-4
"""The smallest ratio of a row's squared distance from the span of the support to its squared length. A
nearer row would make the inverse inaccurate, so it is always projected: an eta below 0.01 counts as 0.01.
"""

NOTHING = 1e-12
"""The squared length of the projection of φ(x) counts as 0 below this fraction of K(x, x)."""


class Projectron(NamedTuple):
    """Project a new row onto the span of the support if it is near the span, or if the budget is full.

    Let φ(x) = Pφ(x) + δ, where P projects onto the span of the support. On a mistake

        w ← w + y·Pφ(x)   if ‖δ‖ ≤ eta·√K(x, x) or the budget is full,
        w ← w + y·φ(x)    otherwise; x joins the support.

    With K(x, x) ≤ 1, while the budget is not full, and for every g in feature space with 2·eta·‖g‖ < 1:

        mistakes ≤ (‖g‖² + 2·Σ loss of g)/(1 − 2·eta·‖g‖).

    The number of support rows stays finite even without `size` (theorem 1 of the paper). An eta below 0.01
    counts as 0.01, because nearer rows would make the inverse of the Gram matrix inaccurate. No row is ever
    dropped, so the mean over all steps (keep="averaged") is exact.

    Parameters
    ----------
    size : int, default=500
        The largest number of support rows.
    eta : float, default=0.1
        The largest relative distance at which a row is projected.

    References
    ----------
    Orabona, Keshet & Caputo, "Bounded kernel-based online learning", JMLR 10 (2009), figures 2 and 3.

    Examples
    --------
    >>> Projectron(size=100)
    Projectron(size=100, eta=0.1)
    """

    size: int = 500
    eta: float = 0.1


class ProjectronPlusPlus(NamedTuple):
    """Extend the Projectron by updates on correctly classified rows with a margin below 1.

    For such a row w gains τ·y·Pφ(x) with loss = 1 − y·w·φ(x) and

        τ = min(loss/‖Pφ(x)‖², 2(loss − ‖δ‖/eta)/‖Pφ(x)‖², 1),

    if τ is positive; such a row does not join the support. The bound of the Projectron holds, reduced by
    the gain from these updates. The margin of 1 and ‖δ‖ depend on the scale of the kernel, so scale it to
    K(x, x) ≤ 1.

    Parameters
    ----------
    size : int, default=500
        The largest number of support rows.
    eta : float, default=0.1
        The largest relative distance at which a row is projected; greater than 0.

    References
    ----------
    Orabona, Keshet & Caputo, "Bounded kernel-based online learning", JMLR 10 (2009).

    Examples
    --------
    >>> ProjectronPlusPlus(size=100)
    ProjectronPlusPlus(size=100, eta=0.1)
    """

    size: int = 500
    eta: float = 0.1


@jit
def _projection(slots, values, weights):
    """Return K̃⁻¹·values, the coefficients of Pφ(x)."""
    if weights.size > 0:
        return weights
    used = slots.used[0]
    found = np.zeros(slots.coefficient.size)
    for k in range(used):
        total = 0.0
        for m in range(used):
            total += slots.matrix[k, m] * values[m]
        found[k] = total
    return found


@jit
def _squared_length(slots, values, found):
    """Return ‖Pφ(x)‖² = valuesᵀ·K̃⁻¹·values."""
    total = 0.0
    for k in range(slots.used[0]):
        total += values[k] * found[k]
    return total


@jit
def _express(slots, found, change, look):
    """Add change·Pφ(x) to w."""
    for k in range(slots.used[0]):
        account(slots, k, look)
        slots.coefficient[k] += change * found[k]


@jit
def _join(slots, found, rest2, change, look, number):
    """Add x to the support: K̃⁻¹ grows by one row and column; the Schur complement is ‖δ‖²."""
    used = slots.used[0]
    k = free_slot(slots)
    for i in range(used):
        for j in range(used):
            slots.matrix[i, j] += found[i] * found[j] / rest2
        slots.matrix[i, k] = -found[i] / rest2
        slots.matrix[k, i] = -found[i] / rest2
    slots.matrix[k, k] = 1.0 / rest2
    put(slots, k, change, look, number)
    return k


@jit
def _project_or_join(slots, values, weights, square, change, look, number, eta):
    found = _projection(slots, values, weights)
    rest2 = square - _squared_length(slots, values, found)
    is_full = slots.used[0] == slots.coefficient.size
    if is_full or rest2 <= max(eta * eta, DEPENDENT) * square:
        _express(slots, found, change, look)
        return NOWHERE
    return _join(slots, found, rest2, change, look, number)


@admit.of(Projectron)
def _(budget, slots, values, weights, square, mistake, change, look, number):
    return _project_or_join(slots, values, weights, square, change, look, number, budget.eta)


@admit.of(ProjectronPlusPlus)
def _(budget, slots, values, weights, square, mistake, change, look, number):
    if not mistake:  # correct with a margin below 1: never a new support row
        _express(slots, _projection(slots, values, weights), change, look)
        return NOWHERE
    return _project_or_join(slots, values, weights, square, change, look, number, budget.eta)


@forgets.of(Projectron)
def _(budget):
    return False


@forgets.of(ProjectronPlusPlus)
def _(budget):
    return False


@acts.of(ProjectronPlusPlus)
def _(budget, agreement, square, slots, values, weights):
    if agreement >= 1.0:
        return 0.0
    found = _projection(slots, values, weights)
    length2 = _squared_length(slots, values, found)
    if length2 <= NOTHING * square:
        return 0.0
    loss = 1.0 - agreement
    rest = math.sqrt(max(0.0, square - length2))
    return max(0.0, min(min(loss / length2, 2.0 * (loss - rest / budget.eta) / length2), 1.0))
