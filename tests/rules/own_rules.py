"""Rules as a user writes them."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.rules import step, threshold


class Plain(NamedTuple):
    """Rosenblatt's rule once more, without parameters and without a memory."""


class Fading(NamedTuple):
    """It shrinks w."""


@threshold.of(Plain)
@threshold.of(Fading)
def _(rule, memory, label, x2):
    return 0.0


@step.of(Plain)
def _(rule, memory, agreement, x2, w2):
    return 1.0, 1.0, memory


@step.of(Fading)
def _(rule, memory, agreement, x2, w2):
    return 1.0, 0.5, memory
