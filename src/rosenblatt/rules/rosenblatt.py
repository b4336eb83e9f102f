"""Rosenblatt's rule, the perceptron itself."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.rules.rule_hooks import ABOVE_ZERO, Facts, TwoClaims, step, threshold


class Rosenblatt(NamedTuple):
    """Add rate·y·x to w on a mistake: the perceptron.

        w ← w + rate·y·x   if y(w·x + b) ≤ 0

    On separable data, starting from w = 0, the rule makes at most (radius/margin)² mistakes, whatever the
    rate, since the rate only scales w. Each mistake increases w·w* by at least rate·margin and ‖w‖² by at
    most (rate·radius)²; with an offset, these statements refer to the lifted points (x, 1).

    Parameters
    ----------
    rate : float, default=1.0
        The learning rate; greater than 0.

    References
    ----------
    Rosenblatt, "The perceptron", Psychological Review 65 (1958). Bound: Block (1962), Novikoff (1962).

    Examples
    --------
    >>> Rosenblatt()
    Rosenblatt(rate=1.0)
    """

    rate: float = 1.0

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "adds y·x to w on a mistake",
            ranges={"rate": ABOVE_ZERO},
            is_additive=True,
            is_fixed=True,
            has_rosenblatts_bound=True,
        )

    def claims(self) -> TwoClaims:
        """Return the two inequalities from which the mistake bound follows."""
        return TwoClaims(self.rate)


@threshold.of(Rosenblatt)
def _(rule, memory, label, x2):
    return 0.0


@step.of(Rosenblatt)
def _(rule, memory, agreement, x2, w2):
    return rule.rate, 1.0, memory
