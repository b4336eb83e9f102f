"""Forget the oldest: the simplest budget."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.budgets.shape import NOWHERE, admit, free_slot, oldest, put


class Oldest(NamedTuple):
    """When the budget is full, the support row that came first makes room for the new one.

    Until then it is the perceptron itself: on data separable with (radius/margin)² ≤ size nothing is ever
    forgotten, and the perceptron's bound holds. Beyond that it has no guarantee; the Forgetron is this with
    one.

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
