"""Keep the last weight vector: the perceptron as Rosenblatt left it."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.keepers.shape import kept


class Last(NamedTuple):
    """Nothing to remember: the weights themselves are kept."""


@kept.of(Last)
def _(keeper, weights, scale, examples_seen):
    return scale * weights
