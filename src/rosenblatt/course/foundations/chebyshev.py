"""Polynomials in the Chebyshev basis on the interval of the data, for numerical accuracy.

On [−1, 1] the powers x¹⁸ and x²⁰ are nearly the same function, so a curve is a small difference of large
multiples of them. The Chebyshev polynomials T₀ = 1, T₁ = t, Tₖ₊₁ = 2t·Tₖ − Tₖ₋₁ avoid this: |Tₖ| ≤ 1, and
none is nearly a linear combination of others. t = (x − centre)/half ranges from −1 to 1 on the data.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.polynomial.chebyshev import chebval, chebvander
from numpy.typing import NDArray

Doubles = NDArray[np.float64]


class Interval(NamedTuple):
    """Hold the interval from centre − half to centre + half."""

    centre: float
    half: float


class ChebyshevSum(NamedTuple):
    """Evaluate f(x) = c₀ + Σⱼ Σₖ cⱼₖ·Tₖ(tⱼ)."""

    intervals: tuple[Interval, ...]
    coefficients: Doubles

    def __call__(self, X: Doubles) -> Doubles:
        """Return f(x) for each row, by Clenshaw's recurrence."""
        degree = (len(self.coefficients) - 1) // len(self.intervals)
        values = np.full(len(X), self.coefficients[0])
        with np.errstate(over="ignore", invalid="ignore"):
            for j, (centre, half) in enumerate(self.intervals):
                own = self.coefficients[1 + j * degree : 1 + (j + 1) * degree]
                values += chebval((X[:, j] - centre) / half, np.concatenate([[0.0], own]))
        return values


def interval_of(values: Doubles) -> Interval:
    """Return the smallest interval that contains all values, with half-width 1 if all are equal.

    >>> interval_of(np.array([2.0, 5.0, 3.0]))
    Interval(centre=3.5, half=1.5)
    """
    low, high = float(values.min()), float(values.max())
    centre = low / 2 + high / 2
    return Interval(centre, max(high - centre, centre - low) or 1.0)


def chebyshev_rows(X: Doubles, intervals: Sequence[Interval], degree: int) -> Doubles:
    """Return, for each row, the number 1 and the values T₁, …, T_degree of each column.

    >>> chebyshev_rows(np.array([[0.5]]), [Interval(0.0, 1.0)], 3)
    array([[ 1. ,  0.5, -0.5, -1. ]])
    """
    columns = [(X[:, j] - centre) / half for j, (centre, half) in enumerate(intervals)]
    return np.hstack([np.ones((len(X), 1)), *(chebvander(t, degree)[:, 1:] for t in columns)])


def powers_of(intervals: Sequence[Interval], degree: int) -> tuple[Doubles, NDArray[np.int64]]:
    """Return the matrix from Chebyshev coefficients to coefficients of (x/2ᵉ)^k, and e·k for each of them.

    The scale 2ᵉ of each column is close to its largest |x|, so that no entry overflows.

    >>> matrix, exponents = powers_of([Interval(0.0, 1.0)], 2)
    >>> matrix.tolist(), exponents.tolist()
    ([[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 2.0]], [0, 0, 0])
    """
    n_terms = 1 + degree * len(intervals)
    matrix, exponents = np.zeros((n_terms, n_terms)), np.zeros(n_terms, np.int64)
    matrix[0, 0] = 1.0
    for j, (centre, half) in enumerate(intervals):
        exponent = math.frexp(max(abs(centre), half))[1] - 1
        shift, scale = centre / half, math.ldexp(1.0, exponent) / half  # t = scale·u − shift
        own = np.zeros((degree + 1, degree + 1))
        before, now = np.zeros(degree + 1), np.eye(1, degree + 1)[0]
        own[:, 0] = now
        for k in range(1, degree + 1):
            times_t = scale * np.concatenate([[0.0], now[:-1]]) - shift * now
            before, now = now, times_t if k == 1 else 2.0 * times_t - before
            own[:, k] = now
        terms = slice(1 + j * degree, 1 + (j + 1) * degree)
        matrix[0, terms] = own[0, 1:]
        matrix[terms, terms] = own[1:, 1:]
        exponents[terms] = exponent * np.arange(1, degree + 1)
    return matrix, exponents
