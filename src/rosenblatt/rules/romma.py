"""ROMMA, the relaxed online maximum margin algorithm, and its aggressive form.

The new w is the shortest vector v that gives the newest example a margin of 1 and satisfies a constraint
that summarises the older examples: min ‖v‖ with y v·x ≥ 1 and v·w ≥ ‖w‖². With p = ‖w‖²‖x‖² and s = w·x:

    w ← ((p − y·s) w + ‖w‖²(y − s) x)/(p − s²)   if p ≥ y·s and p > s²,
    w ← y·x/‖x‖²                                 otherwise (from w = 0 in particular).

If some u satisfies y u·x ≥ 1 for every example, there are at most (radius·‖u‖)² mistakes: ‖w‖² grows by at
least 1/radius² at each mistake and never exceeds ‖u‖².

Li & Long, Machine Learning 46 (2002), figure 2 and theorems 4 and 8.
"""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.numeric.compiling import jit
from rosenblatt.rules.rule_hooks import Facts, step, threshold

NO_PACE = "the old w is rescaled at each update; its proof shows that ‖w‖² grows and never exceeds ‖u‖²"
BEYOND = "it multiplies the old w by a factor at each update"


class Romma(NamedTuple):
    """Apply the relaxed maximum margin update on mistakes only.

    With p = ‖w‖²‖x‖² and s = w·x:

        w ← ((p − y·s) w + ‖w‖²(y − s) x)/(p − s²)   if p ≥ y·s and p > s²,
        w ← y·x/‖x‖²                                 otherwise

    References
    ----------
    Li & Long, Machine Learning 46 (2002), theorem 4.

    Examples
    --------
    >>> Romma()
    Romma()
    """

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "on a mistake, sets w to the shortest vector with y·w·x ≥ 1 and w·w_old ≥ ‖w_old‖²",
            beyond=BEYOND,
            has_rosenblatts_bound=True,
        )

    @staticmethod
    def no_claims() -> str:
        """Return the reason why no mistake bound follows from `TwoClaims`."""
        return NO_PACE


class AggressiveRomma(NamedTuple):
    """Apply the relaxed maximum margin update whenever the functional margin is below 1.

    The update is that of `Romma`.

    References
    ----------
    Li & Long, Machine Learning 46 (2002), theorem 8.

    Examples
    --------
    >>> AggressiveRomma()
    AggressiveRomma()
    """

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "romma that also updates if the functional margin is below 1",
            beyond=BEYOND,
            has_rosenblatts_bound=True,
        )

    @staticmethod
    def no_claims() -> str:
        """Return the reason why no mistake bound follows from `TwoClaims`."""
        return NO_PACE


@threshold.of(Romma)
def _(rule, memory, label, x2):
    return 0.0


@threshold.of(AggressiveRomma)
def _(rule, memory, label, x2):
    return 1.0


@jit
def _coefficients(agreement, x2, w2):
    """Return (coefficient, shrink) of the update in the module docstring."""
    if x2 == 0.0 or agreement == 1.0:
        return 0.0, 1.0
    p = w2 * x2
    denominator = p - agreement * agreement
    if denominator > 1e-12 * p and p >= agreement:
        # y − s = y(1 − y·s), and the loop multiplies the coefficient by y
        return w2 * (1.0 - agreement) / denominator, (p - agreement) / denominator
    return 1.0 / x2, 0.0


@step.of(Romma)
def _(rule, memory, agreement, x2, w2):
    coefficient, shrink = _coefficients(agreement, x2, w2)
    return coefficient, shrink, memory


@step.of(AggressiveRomma)
def _(rule, memory, agreement, x2, w2):
    coefficient, shrink = _coefficients(agreement, x2, w2)
    return coefficient, shrink, memory
