"""The second-order perceptron: Rosenblatt's rule on incrementally whitened rows."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.compiling import dispatch_by_class
from rosenblatt.numeric.rows import term, terms
from rosenblatt.numeric.update_directions import Weighed, Whole
from rosenblatt.numeric.widening import widen
from rosenblatt.rules.covariance_memory import COVARIANCES, flaw_of_matrix, multiply, subtract, wider_matrix
from rosenblatt.rules.rule_hooks import (
    ABOVE_ZERO,
    Facts,
    covariance,
    direction,
    flaw,
    step,
    threshold,
    weighed_step,
)


class Inverse(NamedTuple):
    """Hold the memory of the full form.

    The memory consists of M = (aI + Σ xxᵀ)⁻¹, with the sum over the mistakes; a buffer for Mx; the number
    of variances that had to be kept above 0; and the weight of the last example.
    """

    matrix: NDArray[np.float64]
    along: NDArray[np.float64]
    held: NDArray[np.float64]
    weight: float


class Squares(NamedTuple):
    """Hold the memory of the diagonal form.

    The memory consists of aⱼ = a + Σ xⱼ², with the sum over the mistakes; a buffer for the factor of each
    xⱼ in an update; and the weight of the last example.
    """

    squares: NDArray[np.float64]
    gain: NDArray[np.float64]
    weight: float


class SecondOrder(NamedTuple):
    """Apply Rosenblatt's rule to rows whitened by the examples of earlier mistakes.

    On a mistake, M⁻¹ ← M⁻¹ + xxᵀ and then θ ← θ + y·x, starting from M = I/a and θ = 0; w = Mθ. That is,

        w ← w + (1 − y w·x)·y·Mx with the new M

    The prediction of the paper, θᵀ(M⁻¹ + xxᵀ)⁻¹x, has the sign of w·x. The number of mistakes is at most
    the infimum over u of Σ hinge(u) + √((a‖u‖² + Σ (u·x)²)·Σ ln(1 + λ/a)), where hinge(u) = max(0, 1 − y
    u·x), the first two sums are over the mistakes, and the last is over the eigenvalues λ of Σ xxᵀ.

    Parameters
    ----------
    a : float, default=1.0
        The initial diagonal of M⁻¹; greater than 0.
    covariance : {"diagonal", "full"}, default="diagonal"
        "diagonal" stores only the diagonal of M⁻¹, so that wⱼ = θⱼ/aⱼ: wⱼ ← wⱼ + (1 − y·wⱼxⱼ)·y·xⱼ/(aⱼ +
        xⱼ²), then aⱼ ← aⱼ + xⱼ².

    Notes
    -----
    An example of weight c counts c times: M⁻¹ ← M⁻¹ + c·xxᵀ, θ ← θ + c·y·x.

    References
    ----------
    Cesa-Bianchi, Conconi & Gentile, SIAM Journal on Computing 34 (2005).

    Examples
    --------
    >>> SecondOrder(a=0.1)
    SecondOrder(a=0.1, covariance='diagonal')
    """

    a: float = 1.0
    covariance: str = "diagonal"

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "whitens the features seen so far; for correlated features or features of different scales",
            ranges={"a": ABOVE_ZERO, "covariance": COVARIANCES},
            beyond="it stores the second moments of the examples",
        )

    @staticmethod
    def no_claims() -> str:
        """Return the reason why no mistake bound follows from `TwoClaims`."""
        return "its steps are Mx, and its bound depends on the eigenvalues of the examples it learned from"

    def start(self) -> Any:
        """Return the initial memory."""
        if self.covariance == "diagonal":
            return Squares(np.full(1, self.a), np.zeros(1), 0.0)
        return Inverse(np.full((1, 1), 1.0 / self.a), np.zeros(1), np.zeros(1), 0.0)

    def widen(self, memory: Any, width: int) -> Any:
        """Return the memory extended to `width` weights."""
        if isinstance(memory, Squares):
            return memory._replace(
                squares=widen(memory.squares, width, begins=self.a), gain=np.zeros(width)
            )
        return memory._replace(
            matrix=wider_matrix(memory.matrix, width, 1.0 / self.a), along=np.zeros(width)
        )


@covariance.of(Squares)
def _(memory):
    return np.diag(1.0 / memory.squares)


@covariance.of(Inverse)
def _(memory):
    return memory.matrix


@flaw.of(Squares)
def _(memory):
    return "" if (memory.squares > 0.0).all() else "a sum of squares is not above 0"


@flaw.of(Inverse)
def _(memory):
    return flaw_of_matrix(memory.matrix)


@threshold.of(SecondOrder)
def _(rule, memory, label, x2):
    return 0.0


@weighed_step.of(SecondOrder)
def _(rule, memory, agreement, x2, w2, weight):
    return share_of_step(memory, agreement), 1.0, for_weight(memory, weight)


@step.of(SecondOrder)
def _(rule, memory, agreement, x2, w2):
    return weighed_step(rule, memory, agreement, x2, w2, 1.0)


@direction.of(SecondOrder)
def _(rule, memory, rows, i, label, offset, weights, scale):
    return whiten(memory, rows, i, label, offset, weights, scale)


@dispatch_by_class
def share_of_step(memory, agreement):
    """Return the coefficient of an update: 1 − agreement, or 1 in the diagonal form (see `gain`)."""


@dispatch_by_class
def for_weight(memory, weight):
    """Return the memory prepared for an example of the given weight."""


@dispatch_by_class
def whiten(memory, rows, i, label, offset, weights, scale):
    """Add row i to M⁻¹ and return Mx times the weight of the example, as rows."""


@share_of_step.of(Inverse)
def _(memory, agreement):
    return 1.0 - agreement


@share_of_step.of(Squares)
def _(memory, agreement):
    return 1.0


@for_weight.of(Inverse)
def _(memory, weight):
    return Inverse(memory.matrix, memory.along, memory.held, weight)


@for_weight.of(Squares)
def _(memory, weight):
    return Squares(memory.squares, memory.gain, weight)


@whiten.of(Squares)
def _(memory, rows, i, label, offset, weights, scale):
    weight = memory.weight
    for k in range(terms(rows, i)):
        j, x = term(rows, i, k, offset)
        memory.squares[j] += weight * x * x
        memory.gain[j] = weight * (1.0 - label * scale * weights[j] * x) / memory.squares[j]
    return Weighed(rows, memory.gain)


@whiten.of(Inverse)
def _(memory, rows, i, label, offset, weights, scale):
    along, weight = memory.along, memory.weight
    grown = 1.0 + weight * max(0.0, multiply(memory.matrix, rows, i, offset, along))
    # Sherman and Morrison: M − c·(Mx)(Mx)ᵀ/(1 + c·xᵀMx), so the new Mx is the old Mx divided by 1 + c·xᵀMx
    root = math.sqrt(weight / grown)
    for j in range(along.size):
        along[j] *= root
    memory.held[0] += subtract(memory.matrix, along)
    for j in range(along.size):
        along[j] *= root
    return Whole(along)
