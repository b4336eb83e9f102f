"""The perceptron with AdaGrad: each weight has a learning rate, which falls as the weight is updated."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.numeric.rows import term, terms
from rosenblatt.numeric.update_directions import Weighed
from rosenblatt.numeric.widening import widen
from rosenblatt.rules.rule_hooks import ABOVE_ZERO, Facts, direction, flaw, step, threshold, weighed_step


class Gradients(NamedTuple):
    """Hold Gⱼ = Σ xⱼ² over the mistakes, 1/(delta + √Gⱼ), and the weight of the last example."""

    squares: NDArray[np.float64]
    gain: NDArray[np.float64]
    weight: float


class Adagrad(NamedTuple):
    """On a mistake, update each weight with its own learning rate, which falls as the weight is updated.

    For each feature j of x:

        Gⱼ ← Gⱼ + xⱼ²,  wⱼ ← wⱼ + rate·y·xⱼ/(delta + √Gⱼ)

    These are subgradient steps on the perceptron's loss max(0, −y w·x), adapted to the geometry of the
    examples seen: the weight of a rare feature moves as far as that of a common feature. This is the
    diagonal form; the full form in the paper needs the square root of a matrix. An example of weight c has
    the subgradient −c·y·x.

    Parameters
    ----------
    rate : float, default=1.0
        The learning rate; above 0.
    delta : float, default=1e-8
        A constant that keeps the denominator positive; above 0.

    References
    ----------
    Duchi, Hazan & Singer, JMLR 12 (2011), figure 1 with the composite term 0.

    Examples
    --------
    >>> Adagrad(rate=0.5)
    Adagrad(rate=0.5, delta=1e-08)
    """

    rate: float = 1.0
    delta: float = 1e-8

    @staticmethod
    def facts() -> Facts:
        """Return the facts about this rule."""
        return Facts(
            "has one learning rate per feature, decreasing with use; for rare, informative features",
            ranges={"rate": ABOVE_ZERO, "delta": ABOVE_ZERO},
            beyond="it stores a sum of squares for each feature",
        )

    @staticmethod
    def no_claims() -> str:
        """Return the reason why no mistake bound follows from `TwoClaims`."""
        return "its step size differs between features"

    @staticmethod
    def start() -> Gradients:
        """Return the initial memory."""
        return Gradients(np.zeros(1), np.zeros(1), 0.0)

    @staticmethod
    def widen(memory: Gradients, width: int) -> Gradients:
        """Return the memory extended to `width` weights."""
        return Gradients(widen(memory.squares, width), np.zeros(width), memory.weight)


@flaw.of(Gradients)
def _(memory):
    return "" if (memory.squares >= 0.0).all() else "a sum of squares is below 0"


@threshold.of(Adagrad)
def _(rule, memory, label, x2):
    return 0.0


@weighed_step.of(Adagrad)
def _(rule, memory, agreement, x2, w2, weight):
    return rule.rate * weight, 1.0, Gradients(memory.squares, memory.gain, weight)


@step.of(Adagrad)
def _(rule, memory, agreement, x2, w2):
    return weighed_step(rule, memory, agreement, x2, w2, 1.0)


@direction.of(Adagrad)
def _(rule, memory, rows, i, label, offset, weights, scale):
    for k in range(terms(rows, i)):
        j, x = term(rows, i, k, offset)
        gradient = memory.weight * x
        memory.squares[j] += gradient * gradient
        memory.gain[j] = 1.0 / (rule.delta + math.sqrt(memory.squares[j]))
    return Weighed(rows, memory.gain)
