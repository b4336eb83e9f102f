"""The randomized budget perceptron: drop a row drawn at random."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.budgets.budget_hooks import NOWHERE, admit, draw, free_slot, put


class RandomBudget(NamedTuple):
    """When the budget is full, replace a support row drawn at random by the new row.

    On average, a row is dropped after `size` further updates. So the expected w is that of a perceptron
    whose old updates fade; the paper derives a bound on the expected number of mistakes from this. Until
    the budget is full, the rule is the perceptron itself, with the perceptron's bound.

    Parameters
    ----------
    size : int, default=500
        The largest number of support rows.

    References
    ----------
    Cavallanti, Cesa-Bianchi & Gentile, "Tracking the best hyperplane with a simple budget perceptron",
    Machine Learning 69 (2007).

    Examples
    --------
    >>> RandomBudget(size=100)
    RandomBudget(size=100)
    """

    size: int = 500


@admit.of(RandomBudget)
def _(budget, slots, values, weights, square, mistake, change, look, number):
    k = free_slot(slots)
    if k == NOWHERE:
        k = draw(slots.random, slots.coefficient.size)
    put(slots, k, change, look, number)
    return k
