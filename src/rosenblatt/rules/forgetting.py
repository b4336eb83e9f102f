"""The shifting perceptron: each update shrinks the old weights, so old mistakes fade."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.rules.shape import ABOVE_ZERO, Facts, step, threshold


class ForgettingMemory(NamedTuple):
    """k: the mistakes made so far."""

    k: float


class Forgetting(NamedTuple):
    """On mistake k = 0, 1, 2, …, with λₖ = fade/(fade + k):

        w ← (1 − λₖ)·w + λₖ·y·x.

    With fade = 1, w is the mean of the mistakes, Rosenblatt's direction; the larger fade, the sooner
    the old is forgotten. On separable data (a target that stands still) and fade ≥ 1 at most
    fade·(radius/margin)² mistakes: w·w* ≥ margin from the first mistake on, being a convex combination,
    and ‖w‖² ≤ radius²·fade/(k + fade − 1) after k of them.

    Cavallanti, Cesa-Bianchi & Gentile, "Tracking the best hyperplane with a simple budget perceptron",
    Machine Learning 69 (2007), which has the bound for targets that move.

    >>> Forgetting(fade=3.0)
    Forgetting(fade=3.0)
    """

    fade: float = 2.0

    @staticmethod
    def facts() -> Facts:
        return Facts(
            "old mistakes fade, less and less; not the rule for a moving target",
            ranges={"fade": ABOVE_ZERO},
            beyond="it fades the old w at each update",
        )

    @staticmethod
    def no_claims() -> str:
        return (
            "the old w fades at each mistake; its proof is that w·w* stays at the margin while ‖w‖² falls"
        )

    @staticmethod
    def start() -> ForgettingMemory:
        return ForgettingMemory(0.0)


@threshold.of(Forgetting)
def _(rule, memory, label, x2):
    return 0.0


@step.of(Forgetting)
def _(rule, memory, agreement, x2, w2):
    rate = rule.fade / (rule.fade + memory.k)
    return rate, 1.0 - rate, ForgettingMemory(memory.k + 1.0)
