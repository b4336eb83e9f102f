"""Strategy "last": return the last weight vector, the perceptron as Rosenblatt defined it."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.averaging.averaging_hooks import returned_weights


class Last(NamedTuple):
    """Hold no state: this strategy returns the weights themselves.

    Examples
    --------
    >>> Last()
    Last()
    """


@returned_weights.of(Last)
def _(keeper, weights, scale, examples_seen):
    return scale * weights
