"""Rosenblatt's rule, the perceptron itself."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.rules.shape import ABOVE_ZERO, Facts, TwoClaims, step, threshold


class Rosenblatt(NamedTuple):
    """w ← w + rate·y·x on a mistake.

    At most (radius/margin)² mistakes on separable data, whatever the rate, when w starts at zero:
    the rate only scales w. Each mistake brings w·w* up by at least rate·margin and ‖w‖² up by at most
    (rate·radius)²; with an offset all of this is about the lifted points (x, 1).

    Rosenblatt, "The perceptron", Psychological Review 65 (1958). Bound: Block (1962), Novikoff (1962).

    >>> Rosenblatt()
    Rosenblatt(rate=1.0)
    """

    rate: float = 1.0

    @staticmethod
    def facts() -> Facts:
        return Facts(
            "adds the example on a mistake",
            ranges={"rate": ABOVE_ZERO},
            is_additive=True,
            is_fixed=True,
            has_rosenblatts_bound=True,
        )

    def claims(self) -> TwoClaims:
        return TwoClaims(self.rate)


@threshold.of(Rosenblatt)
def _(rule, memory, label, x2):
    return 0.0


@step.of(Rosenblatt)
def _(rule, memory, agreement, x2, w2):
    return rule.rate, 1.0, memory
