"""PAUM, the perceptron with uneven margins, for rare classes that must not be missed."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.rules.rule_hooks import ABOVE_ZERO, Facts, TwoClaims, step, threshold


class UnevenMargin(NamedTuple):
    """Add rate·y·x to w when y(w·x + b) ≤ tau_positive (y = +1) or ≤ tau_negative (y = −1).

    On separable data, from w = 0, the rule makes at most
    (radius² + 2·max(tau_positive, tau_negative)/rate)/margin² updates. The margin on the positive side
    grows with tau_positive/tau_negative.

    Parameters
    ----------
    tau_positive : float, default=1.0
        The functional margin up to which positive examples cause an update; at least 0.
    tau_negative : float, default=0.0
        The functional margin up to which negative examples cause an update; at least 0.
    rate : float, default=1.0
        The learning rate; greater than 0.

    Notes
    -----
    The paper adds rate·y·R² to the offset. Here, as everywhere in this package, the offset is the weight of
    a feature that is always 1, so rate·y is added to it.

    References
    ----------
    Li, Zaragoza, Herbrich, Shawe-Taylor & Kandola, ICML 2002.

    Examples
    --------
    >>> UnevenMargin(tau_positive=2.0)
    UnevenMargin(tau_positive=2.0, tau_negative=0.0, rate=1.0)
    """

    tau_positive: float = 1.0
    tau_negative: float = 0.0
    rate: float = 1.0

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "margin with a separate tau for each of two classes",
            ranges={"rate": ABOVE_ZERO},
            is_additive=True,
            is_fixed=True,
            has_sides=True,
        )

    def claims(self) -> TwoClaims:
        """Return the two inequalities from which the mistake bound follows."""
        return TwoClaims(self.rate, max(self.tau_positive, self.tau_negative))


@threshold.of(UnevenMargin)
def _(rule, memory, label, x2):
    return rule.tau_positive if label > 0.0 else rule.tau_negative


@step.of(UnevenMargin)
def _(rule, memory, agreement, x2, w2):
    return rule.rate, 1.0, memory
