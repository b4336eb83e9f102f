"""Keep the last weight vector: the perceptron as Rosenblatt left it."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.keepers.shape import (
    after_quiet,
    before_rescale,
    before_shrink,
    before_update,
    consider,
    errors_to_beat,
    kept,
    widened,
)


class Last(NamedTuple):
    """Nothing to remember: the weights themselves are kept."""


@before_update.of(Last)
def _(keeper, rows, i, delta, factor, offset, scale):
    pass


@before_shrink.of(Last)
def _(keeper, scale):
    pass


@before_rescale.of(Last)
def _(keeper, weights):
    pass


@after_quiet.of(Last)
def _(keeper, looks):
    return False


@errors_to_beat.of(Last)
def _(keeper):
    return 0


@consider.of(Last)
def _(keeper, weights, scale, errors):
    pass


@kept.of(Last)
def _(keeper, weights, scale, examples_seen):
    return scale * weights


@widened.of(Last)
def _(keeper, width):
    return keeper
