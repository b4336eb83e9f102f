"""The Forgetron: fade, then forget the oldest, with a guarantee."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.arithmetic.compiling import compiled
from rosenblatt.budgets.shape import NOWHERE, account, admit, free_slot, oldest, put

MISTAKES, DAMAGE, LARGEST = 0, 1, 2  # in the memory


class Forgetron(NamedTuple):
    """When the budget is full, w is multiplied by φ ≤ 1 and then the oldest row leaves.

    φ is the largest for which the damage Q + Ψ stays at 15/32 of the mistakes made, where forgetting a row
    of weight σ whose agreement is μ (both after fading) does damage Ψ = σ² + 2σ − 2σμ: the self-tuned
    Forgetron. With K(x, x) ≤ 1 and size ≥ 83, for every g with ‖g‖ ≤ ¼·√((size + 1)/ln(size + 1)):

        mistakes ≤ 2‖g‖² + 4·Σ loss of g.

    Other kernels are divided by the largest K(x, x) seen so far; where that still grows along a run, the
    damage done before it grew counts for less than it is, and the bound is not proved.

    Dekel, Shalev-Shwartz & Singer, "The Forgetron: a kernel-based perceptron on a budget", SIAM Journal on
    Computing 37 (2008), section 5 and theorem 5.

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
    score = change * values[k]  # of the oldest row, after the update
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
        # the root (√(b² + 4a·room) − b)/2a, written so that a may be 0
        phi = 2.0 * room / (b + math.sqrt(max(0.0, b * b + 4.0 * a * room)))
        phi = min(1.0, max(0.0, phi))
    memory[DAMAGE] += a * phi * phi + b * phi
    for m in range(slots.coefficient.size):
        account(slots, m, look)
        slots.coefficient[m] *= phi
    _place(slots, k, values, square)
    put(slots, k, phi * change, look, number)
    return k


@compiled
def _place(slots, k, values, square):
    """The new row's K̃ with the others, in the matrix."""
    for m in range(slots.used[0]):
        slots.matrix[k, m] = values[m]
        slots.matrix[m, k] = values[m]
    slots.matrix[k, k] = square
