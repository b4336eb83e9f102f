"""Passive-aggressive rules: change w as little as possible to give the example a margin of 1.

All three rules use loss = max(0, 1 − y(w·x + b)) and w ← w + coefficient·y·x; they differ in how much a
single example may change w. With an offset, ‖x‖² stands for ‖(x, 1)‖².

Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, JMLR 7 (2006): algorithm in figure 1, bounds in theorems 2
(PA), 4 (PA-I) and 5 (PA-II). In the bounds, u is any vector and ℓᵤ its loss on the same example.
"""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.rules.rule_hooks import ABOVE_ZERO, Facts, step, threshold

NO_PACE = "the length of its steps depends on the loss; its proof shows that w approaches every good u"


class PassiveAggressive(NamedTuple):
    """Change w as little as possible to give the example a functional margin of 1.

        coefficient = loss/‖x‖²,  w ← w + coefficient·y·x

    If some u has no loss on any example, then Σ loss² ≤ radius²·‖u‖², so there are at most radius²·‖u‖²
    mistakes. Mislabelled examples can change w by any amount; use PassiveAggressive1 or PassiveAggressive2
    if labels may be wrong.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, JMLR 7 (2006), theorem 2.

    Examples
    --------
    >>> PassiveAggressive()
    PassiveAggressive()
    """

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "changes w as little as possible to give the example a functional margin of 1",
            is_additive=True,
            has_rosenblatts_bound=True,
        )

    @staticmethod
    def no_claims() -> str:
        """Return the reason why no mistake bound follows from `TwoClaims`."""
        return NO_PACE


class PassiveAggressive1(NamedTuple):
    """Limit the coefficient of the passive-aggressive update to C.

        coefficient = min(C, loss/‖x‖²),  w ← w + coefficient·y·x

    For every vector u with the losses ℓᵤ, the rule makes at most max(radius², 1/C)·(‖u‖² + 2C·Σ ℓᵤ)
    mistakes.

    Parameters
    ----------
    C : float, default=1.0
        The largest coefficient; greater than 0.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, JMLR 7 (2006), theorem 4.

    Examples
    --------
    >>> PassiveAggressive1(C=0.1)
    PassiveAggressive1(C=0.1)
    """

    C: float = 1.0

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "passive_aggressive with steps of at most C",
            ranges={"C": ABOVE_ZERO},
            is_additive=True,
        )

    @staticmethod
    def no_claims() -> str:
        """Return the reason why no mistake bound follows from `TwoClaims`."""
        return NO_PACE


class PassiveAggressive2(NamedTuple):
    """Reduce the passive-aggressive update by adding 1/(2C) to ‖x‖².

        coefficient = loss/(‖x‖² + 1/(2C)),  w ← w + coefficient·y·x

    For every vector u with the losses ℓᵤ, Σ loss² ≤ (radius² + 1/(2C))·(‖u‖² + 2C·Σ ℓᵤ²).

    Parameters
    ----------
    C : float, default=1.0
        The influence of one example; greater than 0.

    References
    ----------
    Crammer, Dekel, Keshet, Shalev-Shwartz & Singer, JMLR 7 (2006), theorem 5.

    Examples
    --------
    >>> PassiveAggressive2(C=0.1)
    PassiveAggressive2(C=0.1)
    """

    C: float = 1.0

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "passive_aggressive with a squared slack; a larger C gives larger steps",
            ranges={"C": ABOVE_ZERO},
            is_additive=True,
        )

    @staticmethod
    def no_claims() -> str:
        """Return the reason why no mistake bound follows from `TwoClaims`."""
        return NO_PACE


@threshold.of(PassiveAggressive)
def _(rule, memory, label, x2):
    return 1.0


@threshold.of(PassiveAggressive1)
def _(rule, memory, label, x2):
    return 1.0


@threshold.of(PassiveAggressive2)
def _(rule, memory, label, x2):
    return 1.0


@step.of(PassiveAggressive)
def _(rule, memory, agreement, x2, w2):
    loss = max(0.0, 1.0 - agreement)
    # a zero row without an offset: no change of w can correct it
    return loss / x2 if x2 > 0.0 else 0.0, 1.0, memory


@step.of(PassiveAggressive1)
def _(rule, memory, agreement, x2, w2):
    loss = max(0.0, 1.0 - agreement)
    return min(rule.C, loss / x2) if x2 > 0.0 else 0.0, 1.0, memory


@step.of(PassiveAggressive2)
def _(rule, memory, agreement, x2, w2):
    loss = max(0.0, 1.0 - agreement)
    return loss / (x2 + 1.0 / (2.0 * rule.C)) if x2 > 0.0 else 0.0, 1.0, memory
