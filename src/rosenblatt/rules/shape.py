"""The shape of every rule: parameters in a NamedTuple, and three small functions.

A rule sees scalars only. The loop owns the dot product and the update:

    agreement = y·(w·x + b)
    if agreement ≤ threshold(rule, memory, y, ‖x̃‖²):
        coefficient, shrink, memory = step(rule, memory, agreement, ‖x̃‖², ‖w̃‖²)
        w̃ ← shrink·w̃ + coefficient·y·x̃

with x̃ = (x, 1) and w̃ = (w, b) where there is an offset. The loop decides "agreement ≤ threshold"
exactly. A threshold of 0 asks "is it a mistake?", so there `tie` has its say.

To write a rule of your own, copy `rosenblatt.py`: any NamedTuple of floats with a `threshold` and a
`step` registered for it can be passed as ``rule=``. A rule whose mistake bound is proved by the two claims
of `TwoClaims` returns them from a method `claims`; any other may say why not in a method `no_claims`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from rosenblatt.arithmetic.compiling import chosen_by_class
from rosenblatt.geometry import most_mistakes


@chosen_by_class
def threshold(rule, memory, label, x2):
    """The agreement at or below which the rule updates; never negative. 0: only on a mistake."""


@chosen_by_class
def step(rule, memory, agreement, x2, w2):
    """Returns (coefficient, shrink, memory): w̃ ← shrink·w̃ + coefficient·y·x̃."""


class TwoClaims(NamedTuple):
    """The two claims behind the mistake bound of a rule whose updates all add rate·y·x̃, and are made at an
    agreement of at most `threshold`. Let w* have length 1, y w*·x̃ ≥ margin and ‖x̃‖ ≤ radius on every row.
    At each update

    1. w·w* grows by rate·y w*·x̃ ≥ rate·margin;
    2. ‖w‖² grows by rate²‖x̃‖² + 2·rate·agreement ≤ rate²·radius² + 2·rate·threshold.

    So t updates from w₀ have t·progress + w₀·w* ≤ w·w* ≤ ‖w‖ ≤ √(‖w₀‖² + t·growth). Every mistake is an
    update, so this bounds the mistakes too. Novikoff 1962.

    >>> TwoClaims(rate=0.5).most_updates(radius=2.0, margin=0.5)
    16.0
    """

    rate: float
    threshold: float = 0.0

    def for_weights(self, heaviest: float) -> TwoClaims:
        """The claims where rows have weights c of at most `heaviest`: a row takes part as the point c·x̃,
        and rate·c·y·x̃ adds rate²‖c·x̃‖² + 2·rate·c·agreement to ‖w‖²."""
        return self._replace(threshold=self.threshold * heaviest)

    def progress(self, margin: float) -> float:
        """The least that an update adds to w·w*."""
        return self.rate * margin

    def growth(self, radius: float) -> float:
        """The most that an update adds to ‖w‖²."""
        reach = self.rate * radius
        return reach * reach + 2.0 * self.rate * self.threshold

    def most_updates(
        self, radius: float, margin: float, along: float = 0.0, start_squared: float = 0.0
    ) -> float:
        """The largest t that both claims leave: from w₀ = 0, (radius² + 2·threshold/rate)/margin².

        along = w₀·w*, start_squared = ‖w₀‖². Infinite where the margin is not positive.
        """
        # all over the rate: the same run with steps of length 1, from w₀/rate
        reach = math.hypot(radius, math.sqrt(2.0 * self.threshold / self.rate))
        return most_mistakes(reach, margin, along / self.rate, start_squared / self.rate / self.rate)


def start(rule: Any) -> Any:
    """What the rule remembers before the first example: a NamedTuple from its own `start`, or None."""
    return rule.start() if hasattr(rule, "start") else None
