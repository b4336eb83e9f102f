"""Drop the oldest support row: the simplest budget."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.budgets.budget_hooks import NOWHERE, admit, free_slot, oldest, put


class Oldest(NamedTuple):
    """When the budget is full, replace the oldest support row by the new row.

    Until the budget is full, the rule is the perceptron itself: on separable data with (radius/margin)² ≤
    size, no row is ever dropped and the perceptron's bound holds. On other data there is no mistake bound;
    the Forgetron is a variant with a bound.

    Parameters
    ----------
    size : int, default=500
        The largest number of support rows.

    Examples
    --------
    >>> Oldest(size=100)
    Oldest(size=100)
    """

    size: int = 500


@admit.of(Oldest)
def _(budget, slots, values, weights, square, mistake, change, look, number):
    k = free_slot(slots)
    if k == NOWHERE:
        k = oldest(slots)
    put(slots, k, change, look, number)
    return k
