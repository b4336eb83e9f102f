"""PAUM, the perceptron with uneven margins: for a class that is rare and must not be missed."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.rules.shape import ABOVE_ZERO, Facts, TwoClaims, step, threshold


class UnevenMargin(NamedTuple):
    """w ← w + rate·y·x when agreement ≤ tau_positive (y = +1) or ≤ tau_negative (y = −1).

    At most (radius² + 2·max(tau_positive, tau_negative)/rate)/margin² updates on separable data from
    w = 0. On separable data the margin on the positive side grows with tau_positive/tau_negative.

    Li, Zaragoza, Herbrich, Shawe-Taylor & Kandola, ICML 2002. They add rate·y·R² to the offset; here
    the offset is a feature that is always 1, as everywhere in this package, so it gets rate·y.

    >>> UnevenMargin(tau_positive=2.0)
    UnevenMargin(tau_positive=2.0, tau_negative=0.0, rate=1.0)
    """

    tau_positive: float = 1.0
    tau_negative: float = 0.0
    rate: float = 1.0

    @staticmethod
    def facts() -> Facts:
        return Facts(
            "adds the example when it is wrong, or right by the tau of its class or less",
            ranges={"rate": ABOVE_ZERO},
            is_additive=True,
            is_fixed=True,
            has_sides=True,
        )

    def claims(self) -> TwoClaims:
        return TwoClaims(self.rate, max(self.tau_positive, self.tau_negative))


@threshold.of(UnevenMargin)
def _(rule, memory, label, x2):
    return rule.tau_positive if label > 0.0 else rule.tau_negative


@step.of(UnevenMargin)
def _(rule, memory, agreement, x2, w2):
    return rule.rate, 1.0, memory
