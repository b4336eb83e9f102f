"""ALMA, which approximates the maximal margin by learning from one example at a time."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.rules.rule_hooks import UP_TO_ONE, Facts, step, threshold

SQRT_2 = math.sqrt(2.0)
SQRT_8 = math.sqrt(8.0)


class AlmaMemory(NamedTuple):
    """Hold k, one more than the number of updates so far."""

    k: float


class Alma(NamedTuple):
    """Approximate the maximal margin by updates that become smaller, with w kept in the unit ball.

    Let x̂ = x/‖x‖, and count updates by k = 1, 2, … An update is made if y w·x̂ ≤ (1 −
    alpha)·(√8/alpha)/√k:

        w ← w + √(2/k)·y·x̂, then w ← w/max(1, ‖w‖)

    If γ is the largest margin on the points x̂, the rule makes at most (2/γ²)·(2/alpha − 1)² + 8/alpha − 4
    updates, and a w that needs no further update has a margin of at least (1 − alpha)·γ. This is the
    paper's ALMA_p with p = 2 and with the constants B = √8/alpha and C = √2.

    Parameters
    ----------
    alpha : float, default=0.9
        The relative distance from the maximal margin; greater than 0 and at most 1.

    References
    ----------
    Gentile, JMLR 2 (2001), figure 1 and theorem 3.

    Examples
    --------
    >>> Alma(alpha=0.5)
    Alma(alpha=0.5)
    """

    alpha: float = 0.9

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "approximates the maximal margin with decreasing steps",
            ranges={"alpha": UP_TO_ONE},
            beyond="it shrinks w to length 1 at updates",
        )

    @staticmethod
    def no_claims() -> str:
        """Return the reason why no mistake bound follows from `TwoClaims`."""
        return (
            "its steps get shorter and w is scaled back to length 1, so neither w·w* nor ‖w‖² changes at a "
            "bounded rate"
        )

    @staticmethod
    def start() -> AlmaMemory:
        """Return the initial memory."""
        return AlmaMemory(1.0)


@threshold.of(Alma)
def _(rule, memory, label, x2):
    return (1.0 - rule.alpha) * (SQRT_8 / rule.alpha) / math.sqrt(memory.k) * math.sqrt(x2)


@step.of(Alma)
def _(rule, memory, agreement, x2, w2):
    if x2 == 0.0:
        return 0.0, 1.0, memory
    length = math.sqrt(x2)
    rate = SQRT_2 / math.sqrt(memory.k)
    # ‖w + rate·y·x̂‖² = ‖w‖² + 2·rate·(y w·x̂) + rate²
    norm = math.sqrt(max(0.0, w2 + 2.0 * rate * agreement / length + rate * rate))
    shrink = 1.0 / max(1.0, norm)
    return shrink * rate / length, shrink, AlmaMemory(memory.k + 1.0)
