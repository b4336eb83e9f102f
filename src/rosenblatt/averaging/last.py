"""Strategy "last": return the last weight vector, the perceptron as Rosenblatt defined it."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.averaging.averaging_hooks import kept


class Last(NamedTuple):
    """Hold no state: this strategy returns the weights themselves.

    Examples
    --------
    >>> Last()
    Last()
    """


@kept.of(Last)
def _(keeper, weights, scale, examples_seen):
    return scale * weights
