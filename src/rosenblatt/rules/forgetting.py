"""The shifting perceptron: each update shrinks the old weights, so old mistakes fade."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.rules.rule_hooks import ABOVE_ZERO, Facts, step, threshold


class ForgettingMemory(NamedTuple):
    """Hold k, the number of mistakes so far."""

    k: float


class Forgetting(NamedTuple):
    """On a mistake, shrink w and add a fraction of y·x, so that old mistakes fade.

    On mistake k = 0, 1, 2, …, with λₖ = fade/(fade + k):

        w ← (1 − λₖ)·w + λₖ·y·x

    With fade = 1, w is the mean of y·x over the mistakes, which has the direction of Rosenblatt's w; the
    larger `fade`, the sooner old mistakes are forgotten. On separable data (a fixed target) and with fade ≥
    1, the rule makes at most fade·(radius/margin)² mistakes: w is a convex combination of the points y·x,
    so w·w* ≥ margin from the first mistake on, and ‖w‖² ≤ radius²·fade/(k + fade − 1) after k mistakes.

    Parameters
    ----------
    fade : float, default=2.0
        How fast old mistakes fade; greater than 0.

    References
    ----------
    Cavallanti, Cesa-Bianchi & Gentile, "Tracking the best hyperplane with a simple budget perceptron",
    Machine Learning 69 (2007), which contains the bound for moving targets.

    Examples
    --------
    >>> Forgetting(fade=3.0)
    Forgetting(fade=3.0)
    """

    fade: float = 2.0

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "lets old mistakes fade, more and more slowly; not for a target that keeps moving",
            ranges={"fade": ABOVE_ZERO},
            beyond="it shrinks the old w at each update",
        )

    @staticmethod
    def no_claims() -> str:
        """Return the reason why no mistake bound follows from `TwoClaims`."""
        return (
            "the old w shrinks at each mistake; its proof shows that w·w* stays at the margin while ‖w‖² "
            "falls"
        )

    @staticmethod
    def start() -> ForgettingMemory:
        """Return the initial memory."""
        return ForgettingMemory(0.0)


@threshold.of(Forgetting)
def _(rule, memory, label, x2):
    return 0.0


@step.of(Forgetting)
def _(rule, memory, agreement, x2, w2):
    rate = rule.fade / (rule.fade + memory.k)
    return rate, 1.0 - rate, ForgettingMemory(memory.k + 1.0)
