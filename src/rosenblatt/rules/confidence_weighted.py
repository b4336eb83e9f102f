"""Confidence-weighted learning: classify each example correctly with a probability of at least eta."""

from __future__ import annotations

import math
from typing import NamedTuple

from rosenblatt.numeric.compiling import inline
from rosenblatt.rules.covariance_memory import covariance_facts, with_beta, with_covariance
from rosenblatt.rules.rule_hooks import ABOVE_ZERO, Facts, Range, threshold, weighed_step

PROBABILITY = Range(0.5, math.nextafter(1.0, 0.0), "a probability above 0.5 and below 1")


@with_covariance
class ConfidenceWeighted(NamedTuple):
    """Change a Gaussian over weights as little as possible to classify x correctly with probability eta.

    With m = y w·x, v = xᵀΣx, and φ the eta-quantile of the standard normal distribution, an update is made
    if m ≤ φ√v:

        α = (−m·ψ + √(m²φ⁴/4 + v·φ²·ζ))/(v·ζ) with ψ = 1 + φ²/2 and ζ = 1 + φ²,
        √u = (−α·v·φ + √(α²v²φ² + 4v))/2,  β = α·φ/(√u + v·α·φ),
        w ← w + α·y·Σx,  Σ ← Σ − β·(Σx)(Σx)ᵀ,  from w = 0 and Σ = I

    Among the Gaussians that classify x correctly with probability eta, the new one is nearest to the old
    one (in Kullback–Leibler divergence): afterwards m = φ√(xᵀΣx). Wrong labels are fitted in the same way
    as correct labels.

    Parameters
    ----------
    eta : float, default=0.7
        The probability; greater than 0.5 and less than 1. For an example of weight c, the margin is c·φ
        standard deviations.
    covariance : {"diagonal", "full"}, default="diagonal"
        "full" stores the matrix Σ; "diagonal" discards its off-diagonal entries after each step.

    References
    ----------
    Crammer, Dredze & Pereira, NIPS 2008 (the standard-deviation form).

    Examples
    --------
    >>> ConfidenceWeighted(eta=0.8)
    ConfidenceWeighted(eta=0.8, covariance='diagonal')
    """

    eta: float = 0.7
    covariance: str = "diagonal"

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return covariance_facts(
            "makes the example correct with probability at least eta; for noise-free labels",
            eta=PROBABILITY,
        )


@with_covariance
class Scw1(NamedTuple):
    """Update like `ConfidenceWeighted` with α at most C, which limits the cost of a wrong label.

    Parameters
    ----------
    C : float, default=1.0
        The largest α; greater than 0. An example of weight c uses c·C.
    eta : float, default=0.75
        The probability; greater than 0.5 and less than 1.
    covariance : {"diagonal", "full"}, default="diagonal"
        "full" stores the matrix Σ; "diagonal" discards its off-diagonal entries after each step.

    References
    ----------
    Wang, Zhao & Hoi, ICML 2012 (SCW-I).

    Examples
    --------
    >>> Scw1(C=0.5)
    Scw1(C=0.5, eta=0.75, covariance='diagonal')
    """

    C: float = 1.0
    eta: float = 0.75
    covariance: str = "diagonal"

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return covariance_facts(
            "confidence_weighted with steps of at most C", C=ABOVE_ZERO, eta=PROBABILITY
        )


@with_covariance
class Scw2(NamedTuple):
    """Update like `ConfidenceWeighted` with a squared loss of weight C instead of a constraint.

    With n = v + 1/(2C), and m, v, φ and β as in `ConfidenceWeighted`:

        α = (−(2·m·n + φ²·m·v) + φ√(φ²m²v² + 4·n·v·(n + v·φ²)))/(2·(n² + n·v·φ²))

    Parameters
    ----------
    C : float, default=1.0
        The weight of the loss; greater than 0. An example of weight c uses c·C.
    eta : float, default=0.75
        The probability; greater than 0.5 and less than 1.
    covariance : {"diagonal", "full"}, default="diagonal"
        "full" stores the matrix Σ; "diagonal" discards its off-diagonal entries after each step.

    References
    ----------
    Wang, Zhao & Hoi, ICML 2012 (SCW-II).

    Examples
    --------
    >>> Scw2(eta=0.9)
    Scw2(C=1.0, eta=0.9, covariance='diagonal')
    """

    C: float = 1.0
    eta: float = 0.75
    covariance: str = "diagonal"

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return covariance_facts(
            "confidence_weighted with a squared loss, for softer steps", C=ABOVE_ZERO, eta=PROBABILITY
        )


@inline
def exact_step(m, v, phi):
    """Return the step size α after which the margin m + α·v equals φ standard deviations."""
    square = phi * phi
    root = math.sqrt(0.25 * m * m * square * square + v * square * (1.0 + square))
    return max(0.0, (root - m * (1.0 + 0.5 * square)) / (v * (1.0 + square)))


@inline
def tightening(alpha, v, phi):
    """Return the factor β of the covariance update that belongs to the step size α."""
    along = alpha * v * phi
    deviation = 0.5 * (math.sqrt(along * along + 4.0 * v) - along)
    return alpha * phi / (deviation + along)


@threshold.of(ConfidenceWeighted)
@threshold.of(Scw1)
@threshold.of(Scw2)
def _(rule, memory, label, x2):
    return memory.phi * math.sqrt(x2)


@weighed_step.of(ConfidenceWeighted)
def _(rule, memory, agreement, x2, w2, weight):
    if x2 == 0.0:
        return 0.0, 1.0, memory
    phi = weight * memory.phi
    alpha = exact_step(agreement, x2, phi)
    return alpha, 1.0, with_beta(memory, tightening(alpha, x2, phi))


@weighed_step.of(Scw1)
def _(rule, memory, agreement, x2, w2, weight):
    if x2 == 0.0:
        return 0.0, 1.0, memory
    alpha = min(weight * rule.C, exact_step(agreement, x2, memory.phi))
    return alpha, 1.0, with_beta(memory, tightening(alpha, x2, memory.phi))


@weighed_step.of(Scw2)
def _(rule, memory, agreement, x2, w2, weight):
    if x2 == 0.0:
        return 0.0, 1.0, memory
    m, v, phi = agreement, x2, memory.phi
    n = v + 0.5 / (weight * rule.C)
    share = phi * phi * v / n  # dividing by n keeps the squares in range
    root = phi * math.sqrt(share * v / n * m * m + 4.0 * v * (1.0 + share))
    alpha = max(0.0, (root - m * (2.0 + share)) / (2.0 * n * (1.0 + share)))
    return alpha, 1.0, with_beta(memory, tightening(alpha, v, phi))
