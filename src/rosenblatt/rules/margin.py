"""The perceptron with a margin: it also learns from points that are right, but barely."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.rules.shape import ABOVE_ZERO, Facts, TwoClaims, step, threshold


class Margin(NamedTuple):
    """w ← w + rate·y·x when agreement ≤ tau.

    At most (radius² + 2·tau/rate)/margin² updates on separable data from w = 0. With tau = 0 it is
    Rosenblatt's rule; the larger tau/rate, the nearer w comes to the widest margin, the longer it takes.

    Duda & Hart, "Pattern Classification and Scene Analysis" (1973), section 5.5;
    Krauth & Mézard, J. Phys. A 20 (1987).

    >>> Margin(tau=0.5)
    Margin(tau=0.5, rate=1.0)
    """

    tau: float = 1.0
    rate: float = 1.0

    @staticmethod
    def facts() -> Facts:
        return Facts(
            "adds the example when it is wrong, or right by tau or less",
            ranges={"rate": ABOVE_ZERO},
            is_additive=True,
            is_fixed=True,
        )

    def claims(self) -> TwoClaims:
        return TwoClaims(self.rate, self.tau)


@threshold.of(Margin)
def _(rule, memory, label, x2):
    return rule.tau


@step.of(Margin)
def _(rule, memory, agreement, x2, w2):
    return rule.rate, 1.0, memory
