"""Σ, the covariance of the weights: the memory of the second-order rules.

`Variances` has one number per feature, `Matrix` one per pair of features. Both support the three operations
that a second-order rule needs at a row x̃:

    spread   x̃ᵀΣx̃, the variance of w̃·x̃
    stride   Σx̃, the direction of a step: uncertain weights move more
    tighten  Σ ← Σ − beta·(Σx̃)(Σx̃)ᵀ, after a step: the variance along x̃ falls

After each step, `Variances` discards the off-diagonal entries that `tighten` would create. As long as beta
≤ 1/(x̃ᵀΣx̃), no variance becomes negative: Σⱼⱼ(1 − beta·Σⱼⱼx̃ⱼ²) ≥ 0, since Σⱼⱼx̃ⱼ² ≤ x̃ᵀΣx̃. Rounding
could still produce a variance of 0, which would stay 0 forever, so a step leaves at least the fraction LEFT
of each variance. For `Matrix`, variances cannot become negative either, but rounding errors may be larger.
A variance that would fall below the fraction LEFT of its old value is therefore set to that fraction, and
counted in `held`.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.numeric.compiling import REASSOCIATED, dispatch_by_class, jit_sums
from rosenblatt.numeric.row_batches import Dense, Sparse
from rosenblatt.numeric.rows import add, along, entry, term, terms
from rosenblatt.numeric.update_directions import Weighed, Whole
from rosenblatt.numeric.widening import widen, widen_matrix
from rosenblatt.rules.rule_hooks import (
    Choice,
    Facts,
    Range,
    absorb,
    covariance,
    direction,
    flaw,
    length2,
    move,
    step,
    update_length2,
    weighed_step,
)

BEYOND = "it stores the variance of each weight"
COVARIANCES = Choice(("diagonal", "full"))
LEFT = 2.0**-52
MOST_FEATURES = 4096
"""The most features with a full matrix, which then has 134 MB and costs 17 million products per step."""


class Variances(NamedTuple):
    """Hold the diagonal of Σ, the factor beta of the next `tighten`, and phi.

    `phi` is the margin, in standard deviations, that confidence-weighted rules require.
    """

    variance: NDArray[np.float64]
    beta: float
    phi: float


class Matrix(NamedTuple):
    """Hold Σ, a buffer for Σx̃, the number of variances kept above 0, beta and phi (see `Variances`)."""

    matrix: NDArray[np.float64]
    along: NDArray[np.float64]
    held: NDArray[np.float64]
    beta: float
    phi: float


class ScaledRow(NamedTuple):
    """Represent Σx̃ᵢ for a diagonal Σ (each feature times its variance), with the factor beta."""

    rows: Any
    by: NDArray[np.float64]
    beta: float


add.of(ScaledRow)(add.bodies[Weighed])
along.of(ScaledRow, fastmath=REASSOCIATED)(along.bodies[Weighed])


def wider_matrix(matrix: NDArray[np.float64], width: int, begins: float) -> NDArray[np.float64]:
    """Widen a matrix with `widen_matrix`, or raise an error if it would be too large."""
    if width - 1 > MOST_FEATURES:
        raise BadInput(
            f"covariance: 'full' keeps a number for each pair of features: for {width - 1:,} features "
            f"{8e-9 * width * width:,.1f} GB for each class, and it is meant for at most "
            f"{MOST_FEATURES:,}; use covariance='diagonal'"
        )
    return widen_matrix(matrix, width, begins)


@covariance.of(Variances)
def _(memory):
    return np.diag(memory.variance)


@covariance.of(Matrix)
def _(memory):
    return memory.matrix


@flaw.of(Variances)
def _(memory):
    return "" if (memory.variance > 0.0).all() else "a variance is not above 0"


@flaw.of(Matrix)
def _(memory):
    return flaw_of_matrix(memory.matrix)


def flaw_of_matrix(matrix: NDArray[np.float64]) -> str:
    """Return a phrase that describes an error in Σ, or "" if Σ is valid."""
    if not (np.diag(matrix) > 0.0).all():
        return "a variance is not above 0"
    return "" if np.allclose(matrix, matrix.T, rtol=1e-6, atol=1e-6) else "Σ is not symmetric"


@dispatch_by_class
def spread(memory, rows, i, offset):
    """Return x̃ᵢᵀΣx̃ᵢ."""


@dispatch_by_class
def store_spread(memory, rows, i, offset):
    """Return `spread` and store Σx̃ᵢ in the memory for the following call of `stride`."""


@dispatch_by_class
def stride(memory, rows, i, offset):
    """Return Σx̃ᵢ as rows; for a matrix, `store_spread` must have been called just before."""


@dispatch_by_class
def tighten(memory, rows, i, offset):
    """Apply Σ ← Σ − beta·(Σx̃ᵢ)(Σx̃ᵢ)ᵀ to a diagonal or full Σ."""


@dispatch_by_class
def with_beta(memory, beta):
    """Return the memory with the factor beta for the next call of `tighten`."""


@spread.of(Variances, fastmath=REASSOCIATED)
def _(memory, rows, i, offset):
    variance = memory.variance
    total = variance[variance.size - 1] * offset
    for k in range(terms(rows, i) - 1):
        j, x = entry(rows, i, k)
        total += variance[j] * x * x
    return total


@spread.of(Matrix)
def _(memory, rows, i, offset):
    total = 0.0
    for k in range(terms(rows, i)):
        j, x = term(rows, i, k, offset)
        for m in range(terms(rows, i)):
            other, z = term(rows, i, m, offset)
            total += x * memory.matrix[j, other] * z
    return max(0.0, total)  # rounding may produce a slightly negative variance


@store_spread.of(Variances)
def _(memory, rows, i, offset):
    return spread(memory, rows, i, offset)


@store_spread.of(Matrix)
def _(memory, rows, i, offset):
    return max(0.0, multiply(memory.matrix, rows, i, offset, memory.along))


@jit_sums
def multiply(matrix, rows, i, offset, along):
    """Write Σx̃ᵢ to `along` and return x̃ᵢᵀΣx̃ᵢ.

    Σ is symmetric, so the loop reads rows, which are contiguous.
    """
    for m in range(along.size):
        along[m] = 0.0
    for k in range(terms(rows, i)):
        j, x = term(rows, i, k, offset)
        if x != 0.0:
            row = matrix[j]
            for m in range(along.size):
                along[m] += row[m] * x
    total = 0.0
    for k in range(terms(rows, i)):
        j, x = term(rows, i, k, offset)
        total += along[j] * x
    return total


@stride.of(Variances)
def _(memory, rows, i, offset):
    return ScaledRow(rows, memory.variance, memory.beta)


@stride.of(Matrix)
def _(memory, rows, i, offset):
    return Whole(memory.along)


@tighten.of(Variances)
def _(memory, rows, i, offset):
    variance, beta = memory.variance, memory.beta
    for k in range(terms(rows, i) - 1):
        j, x = entry(rows, i, k)
        variance[j] *= max(LEFT, 1.0 - beta * variance[j] * x * x)
    last = variance.size - 1
    variance[last] *= max(LEFT, 1.0 - beta * variance[last] * offset)  # offset² = offset: it is 1 or 0


@move.of(ScaledRow)
def _(stride, rule, memory, rows, i, label, delta, offset, weights, s, x2):
    variance, beta = stride.by, stride.beta
    met, square = shift(rows, i, delta, variance, beta, weights)
    last = variance.size - 1
    v, w = variance[last], weights[last]
    p = v * offset
    weights[last] = w + delta * p
    variance[last] = v * max(LEFT, 1.0 - beta * v * offset)  # offset² = offset: it is 1 or 0
    return met + w * p, square + p * p


@dispatch_by_class
def shift(rows, i, delta, variance, beta, weights):
    """Apply v ← v + delta·Σxᵢ and Σ ← Σ − beta·(Σxᵢ)(Σxᵢ)ᵀ in one loop over the features.

    Return (v·Σxᵢ, ‖Σxᵢ‖²) with the old v and Σ for sparse rows, and (0, 0) for dense rows, where they are
    not needed.
    """


@shift.of(Sparse)
def _(rows, i, delta, variance, beta, weights):
    met, square = 0.0, 0.0
    for k in range(terms(rows, i) - 1):
        j, x = entry(rows, i, k)
        v, w = variance[j], weights[j]
        p = v * x
        met += w * p
        square += p * p
        weights[j] = w + delta * p
        variance[j] = v * max(LEFT, 1.0 - beta * v * x * x)
    return met, square


@shift.of(Dense)
def _(rows, i, delta, variance, beta, weights):
    row = rows.values[i]
    for j in range(row.size):
        x = np.float64(row[j])
        v, w = variance[j], weights[j]
        weights[j] = w + delta * (v * x)
        variance[j] = v * max(LEFT, 1.0 - beta * v * x * x)
    return 0.0, 0.0  # ‖v‖² is summed again if a row has as many entries as v


@tighten.of(Matrix)
def _(memory, rows, i, offset):
    along, root = memory.along, math.sqrt(memory.beta)
    for j in range(along.size):
        along[j] *= root  # multiply both factors, so that Σ stays exactly symmetric
    memory.held[0] += subtract(memory.matrix, along)


@jit_sums
def subtract(matrix, along):
    """Apply Σ ← Σ − along·alongᵀ and return how many variances were kept above 0."""
    held = 0
    for j in range(along.size):
        row, share = matrix[j], along[j]
        if share == 0.0:
            continue
        least = LEFT * row[j]
        for m in range(along.size):
            row[m] -= share * along[m]
        if row[j] < least:
            row[j] = least
            held += 1
    return held


@with_beta.of(Variances)
def _(memory, beta):
    return Variances(memory.variance, beta, memory.phi)


@with_beta.of(Matrix)
def _(memory, beta):
    return Matrix(memory.matrix, memory.along, memory.held, beta, memory.phi)


# ---------------------------------------------------------------- rules with this memory

Rule = TypeVar("Rule", bound=type)


def covariance_facts(help_text: str, **ranges: Range) -> Facts:
    """Return the facts of a rule with a covariance, from its help text and the ranges of its parameters."""
    every: dict[str, Range | Choice] = {**ranges, "covariance": COVARIANCES}
    return Facts(help_text, ranges=every, beyond=BEYOND, has_variances=True)


def with_covariance(rule: Rule) -> Rule:
    """Register the hooks of a rule whose memory is Σ, and add the methods that all such rules share.

    x̃ᵀΣx̃ replaces ‖x̃‖² in `threshold` and `weighed_step`, and an update adds a multiple of Σx̃ to w̃.
    """
    methods = {"start": _start, "widen": staticmethod(_widen), "no_claims": staticmethod(_no_claims)}
    for name, method in methods.items():
        setattr(rule, name, method)
    for hook, body in (
        (step, _step),
        (length2, _length2),
        (update_length2, _update_length2),
        (direction, _direction),
        (absorb, _absorb),
    ):
        hook.of(rule)(body)
    return rule


def _start(rule: Any) -> Variances | Matrix:
    """Return the initial memory, Σ = I, which has an entry for the offset only."""
    eta = getattr(rule, "eta", None)
    phi = 0.0 if eta is None else NormalDist().inv_cdf(eta)  # the margin in standard deviations
    if rule.covariance == "diagonal":
        return Variances(np.ones(1), 0.0, phi)
    return Matrix(np.ones((1, 1)), np.zeros(1), np.zeros(1), 0.0, phi)


def _widen(memory: Any, width: int) -> Any:
    """Return the memory for `width` weights; the variances of new weights are 1."""
    if isinstance(memory, Variances):
        return memory._replace(variance=widen(memory.variance, width, begins=1.0))
    return memory._replace(matrix=wider_matrix(memory.matrix, width, 1.0), along=np.zeros(width))


def _no_claims() -> str:
    """Return the reason why no mistake bound follows from `TwoClaims`."""
    return "its steps are Σx, so neither w·w* nor ‖w‖² changes at a bounded rate"


def _step(rule, memory, agreement, x2, w2):
    return weighed_step(rule, memory, agreement, x2, w2, 1.0)


def _length2(rule, memory, rows, i, offset, x2):
    return spread(memory, rows, i, offset)


def _update_length2(rule, memory, rows, i, offset, x2):
    return store_spread(memory, rows, i, offset)


def _direction(rule, memory, rows, i, label, offset, weights, scale):
    return stride(memory, rows, i, offset)


def _absorb(rule, memory, rows, i, label, offset):
    tighten(memory, rows, i, offset)
