"""AROW, NAROW and normal herding: Gaussian distributions over weights, updated by a hinge loss."""

from __future__ import annotations

from typing import NamedTuple

from rosenblatt.rules.covariance_memory import covariance_facts, with_beta, with_covariance
from rosenblatt.rules.rule_hooks import ABOVE_ZERO, Facts, threshold, weighed_step


@with_covariance
class Arow(NamedTuple):
    """Update a Gaussian distribution over weights, with mean w, so that uncertain weights move more.

    Let Σ be the covariance, m = y w·x and v = xᵀΣx. An update is made if m ≤ 1:

        β = 1/(v + r),  w ← w + (1 − m)·β·y·Σx,  Σ ← Σ − β·(Σx)(Σx)ᵀ,  from w = 0 and Σ = I

    The update balances three aims: a Gaussian near the old one, a small squared hinge loss of its mean, and
    a small variance along x. With covariance="full", w equals the solution of ridge regression on the
    examples that caused the updates.

    For any u, the rule with covariance="full" makes no more than Σ hinge(u) − U + √((r‖u‖² + Σ (u·x)²)·(ln
    det(I + Σ xxᵀ/r) + U)) mistakes. Here
    hinge(u) = max(0, 1 − y u·x), U is the number of updates on correctly classified examples, and the sums
    are over all updates.

    Parameters
    ----------
    r : float, default=1.0
        The strength of regularisation: the larger r, the smaller the steps; greater than 0. An example of
        weight c uses r/c.
    covariance : {"diagonal", "full"}, default="diagonal"
        "full" stores the matrix Σ; "diagonal" discards its off-diagonal entries after each step.

    References
    ----------
    Crammer, Kulesza & Dredze, NIPS 2009.

    Examples
    --------
    >>> Arow(r=0.5)
    Arow(r=0.5, covariance='diagonal')
    """

    r: float = 1.0
    covariance: str = "diagonal"

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return covariance_facts(
            "changes uncertain weights most; accurate after one pass, even with noisy labels", r=ABOVE_ZERO
        )


@threshold.of(Arow)
def _(rule, memory, label, x2):
    return 1.0


@weighed_step.of(Arow)
def _(rule, memory, agreement, x2, w2, weight):
    beta = 1.0 / (x2 + rule.r / weight)
    return max(0.0, 1.0 - agreement) * beta, 1.0, with_beta(memory, beta)


@with_covariance
class Narow(NamedTuple):
    """Update like AROW, with an r chosen per example so that only large variances are reduced.

    With m, v and Σ as in `Arow`, r = v/(b·v − 1) if v > 1/b, otherwise r = ∞. With β = 1/(v + r) and θ =
    Σ⁻¹w, an update is made if r·m/(v + r) ≤ 1, that is, if m ≤ max(1, b·v):

        θ ← θ + y·x,  Σ ← Σ − β·(Σx)(Σx)ᵀ,  w = Σθ,  that is  w ← w + (1 − β·(v + m))·y·Σx

    The prediction is r·w·x/(v + r), which has the sign of w·x. Variances below 1/b are left unchanged.

    For any u, the rule with covariance="full" makes no more than Σ hinge(u) − U + √((‖u‖² + Σ
    (u·x)²/r)·(2·U + Σ min(v, 1/b))) mistakes. Here
    hinge(u) = max(0, 1 − y u·x), U is the number of updates on correctly classified examples, and the sums
    are over all updates.

    Parameters
    ----------
    b : float, default=1.0
        The inverse of the variance below which variances are not reduced; greater than 0.
    covariance : {"diagonal", "full"}, default="diagonal"
        "full" stores the matrix Σ; "diagonal" discards its off-diagonal entries after each step.

    Notes
    -----
    An example of weight c counts c times: θ ← θ + c·y·x, and r/c replaces r.

    References
    ----------
    Orabona & Crammer, NIPS 2010.

    Examples
    --------
    >>> Narow(b=2.0, covariance="full")
    Narow(b=2.0, covariance='full')
    """

    b: float = 1.0
    covariance: str = "diagonal"

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return covariance_facts("arow that reduces variances only if xᵀΣx > 1/b", b=ABOVE_ZERO)


@threshold.of(Narow)
def _(rule, memory, label, x2):
    return max(1.0, rule.b * x2)


@weighed_step.of(Narow)
def _(rule, memory, agreement, x2, w2, weight):
    certain = rule.b * x2 <= 1.0
    beta = 0.0 if certain else 1.0 / (x2 + x2 / (rule.b * x2 - 1.0) / weight)
    return weight * (1.0 - beta * x2) - beta * agreement, 1.0, with_beta(memory, beta)


@with_covariance
class NormalHerd(NamedTuple):
    """Update like AROW with r = 1/C, and reduce Σ faster.

    With m = y w·x and v = xᵀΣx, an update is made if m ≤ 1:

        w ← w + (1 − m)/(v + 1/C)·y·Σx,  Σ ← Σ − (v + 2/C)/(v + 1/C)²·(Σx)(Σx)ᵀ,  from w = 0 and Σ = I

    The update moves the weight vectors of the distribution towards vectors without loss on x. No mistake
    bound is known.

    Parameters
    ----------
    C : float, default=1.0
        The influence of one example; greater than 0. An example of weight c uses c·C.
    covariance : {"diagonal", "full"}, default="diagonal"
        "diagonal" discards the off-diagonal entries after each step; the paper has further diagonal forms.

    References
    ----------
    Crammer & Lee, NIPS 2010.

    Examples
    --------
    >>> NormalHerd(C=0.5)
    NormalHerd(C=0.5, covariance='diagonal')
    """

    C: float = 1.0
    covariance: str = "diagonal"

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return covariance_facts("arow with variances that decrease faster", C=ABOVE_ZERO)


@threshold.of(NormalHerd)
def _(rule, memory, label, x2):
    return 1.0


@weighed_step.of(NormalHerd)
def _(rule, memory, agreement, x2, w2, weight):
    gamma = 1.0 / (weight * rule.C)
    share = 1.0 / (x2 + gamma)
    tighter = (x2 + gamma + gamma) * share * share
    return max(0.0, 1.0 - agreement) * share, 1.0, with_beta(memory, tighter)
