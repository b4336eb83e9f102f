"""The perceptron with a margin, which also updates on correctly classified points near the boundary."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.rules.rule_hooks import ABOVE_ZERO, Facts, TwoClaims, step, threshold


class Margin(NamedTuple):
    """Add rate·y·x to w when the functional margin y(w·x + b) is at most tau.

    On separable data, starting from w = 0, the rule makes at most (radius² + 2·tau/rate)/margin² updates.
    With tau = 0 it is Rosenblatt's rule. The larger tau/rate, the nearer the margin of w comes to the
    maximum, and the longer training takes.

    Parameters
    ----------
    tau : float, default=1.0
        The functional margin up to which the rule updates; at least 0.
    rate : float, default=1.0
        The learning rate; greater than 0.

    References
    ----------
    Duda & Hart, "Pattern Classification and Scene Analysis" (1973), section 5.5; Krauth & Mézard, J.
    Phys. A 20 (1987).

    Examples
    --------
    >>> Margin(tau=0.5)
    Margin(tau=0.5, rate=1.0)
    """

    tau: float = 1.0
    rate: float = 1.0

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "adds y·x to w if the functional margin is at most tau",
            ranges={"rate": ABOVE_ZERO},
            is_additive=True,
            is_fixed=True,
        )

    def claims(self) -> TwoClaims:
        """Return the two inequalities from which the mistake bound follows."""
        return TwoClaims(self.rate, self.tau)


@threshold.of(Margin)
def _(rule, memory, label, x2):
    return rule.tau


@step.of(Margin)
def _(rule, memory, agreement, x2, w2):
    return rule.rate, 1.0, memory
