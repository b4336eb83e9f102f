"""The Forgetron, a budget with a mistake bound: shrink all coefficients, then drop the oldest row."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.budgets.budget_hooks import NOWHERE, account, admit, free_slot, oldest, put
from rosenblatt.numeric.compiling import jit

MISTAKES, DAMAGE, LARGEST = 0, 1, 2  # indices of entries in the memory


class Forgetron(NamedTuple):
    """When the budget is full, multiply w by a factor φ ≤ 1 and drop the oldest support row.

    This is the self-tuned Forgetron. Dropping a row with coefficient ±σ and functional margin μ (both after
    shrinking) adds the damage Ψ = σ² + 2σ − 2σμ to the earlier damage Q; φ is the largest value for which Q
    + Ψ is at most 15/32 of the number of mistakes. With K(x, x) ≤ 1 and size ≥ 83, for every g in feature
    space with ‖g‖ ≤ ¼·√((size + 1)/ln(size + 1)):

        mistakes ≤ 2‖g‖² + 4·Σ loss of g.

    Other kernels are divided by the largest K(x, x) seen so far. If this maximum still grows during a run,
    earlier damage is underestimated and the bound is not proved.

    Parameters
    ----------
    size : int, default=500
        The largest number of support rows.

    References
    ----------
    Dekel, Shalev-Shwartz & Singer, "The Forgetron: a kernel-based perceptron on a budget", SIAM Journal
    on Computing 37 (2008), section 5 and theorem 5.

    Examples
    --------
    >>> Forgetron(size=100)
    Forgetron(size=100)
    """

    size: int = 500


@admit.of(Forgetron)
def _(budget, slots, values, weights, square, mistake, change, look, number):
    memory = slots.memory
    memory[MISTAKES] += 1.0
    memory[LARGEST] = max(memory[LARGEST], square)
    k = free_slot(slots)
    if k != NOWHERE:
        _place(slots, k, values, square)
        put(slots, k, change, look, number)
        return k
    k = oldest(slots)
    score = change * values[k]  # margin of the oldest row, after the update
    for m in range(slots.coefficient.size):
        score += slots.coefficient[m] * slots.matrix[m, k]
    sigma = abs(slots.coefficient[k])
    side = 1.0 if slots.coefficient[k] > 0.0 else -1.0
    mu = side * score / memory[LARGEST] if memory[LARGEST] > 0.0 else 0.0
    # Q + aφ² + bφ ≤ 15/32·M, with a = σ² − 2σμ and b = 2σ
    a, b = sigma * sigma - 2.0 * sigma * mu, 2.0 * sigma
    room = 15.0 / 32.0 * memory[MISTAKES] - memory[DAMAGE]
    phi = 1.0
    if a + b > room:
        # the root (√(b² + 4a·room) − b)/2a, in a form that is valid for a = 0
        phi = 2.0 * room / (b + math.sqrt(max(0.0, b * b + 4.0 * a * room)))
        phi = min(1.0, max(0.0, phi))
    memory[DAMAGE] += a * phi * phi + b * phi
    for m in range(slots.coefficient.size):
        account(slots, m, look)
        slots.coefficient[m] *= phi
    _place(slots, k, values, square)
    put(slots, k, phi * change, look, number)
    return k


@jit
def _place(slots, k, values, square):
    """Store in the matrix the kernel values K̃ between the new row and all rows."""
    for m in range(slots.used[0]):
        slots.matrix[k, m] = values[m]
        slots.matrix[m, k] = values[m]
    slots.matrix[k, k] = square
