"""A polynomial in the basis in which doubles can hold it: Chebyshev's, on the interval of the data.

On [−1, 1] the powers x¹⁸ and x²⁰ are nearly the same function, so a curve is a small difference of large
multiples of them. T₀ = 1, T₁ = t, Tₖ₊₁ = 2t·Tₖ − Tₖ₋₁ stay apart: |Tₖ| ≤ 1, and none is nearly a sum of
others. t = (x − centre)/half runs from −1 to 1 where the data are.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.twofold import Twofold, add, divide, exact_sum, multiply

ROWS_AT_ONCE = 4096  # whose twofold numbers stay in a cache

Doubles = NDArray[np.float64]


class Interval(NamedTuple):
    """From centre − half to centre + half."""

    centre: float
    half: float


def interval_of(values: Doubles) -> Interval:
    """Return the smallest interval that contains all values; of half-width 1 if they are all equal.

    Examples
    --------
    >>> interval_of(np.array([2.0, 5.0, 3.0]))
    Interval(centre=3.5, half=1.5)
    """
    low, high = float(values.min()), float(values.max())
    centre = low / 2 + high / 2
    return Interval(centre, max(high - centre, centre - low) or 1.0)


def powers_in_chebyshev(interval: Interval, degree: int) -> list[list[Any]]:
    """Return a matrix whose column k has xᵏ as a sum of T₀ … T_degree, in exact rationals.

    The product (centre + half·t)·Tⱼ uses t·Tⱼ = (Tⱼ₊₁ + Tⱼ₋₁)/2.

    Examples
    --------
    >>> [[str(entry) for entry in row] for row in powers_in_chebyshev(Interval(0.0, 1.0), 2)]
    [['1', '0', '1/2'], ['0', '1', '0'], ['0', '0', '1/2']]
    """
    from flint import fmpq

    centre, half = (fmpq(*number.as_integer_ratio()) for number in interval)
    power = [fmpq(1)] + [fmpq(0)] * degree
    columns = [power]
    for _ in range(degree):
        product = [centre * entry for entry in power]
        for j, entry in enumerate(power):
            if entry == 0:
                continue
            for neighbour in (j + 1, abs(j - 1)):  # t·T₀ = T₁ = (T₁ + T₁)/2
                product[neighbour] += half * entry / 2
        power = product
        columns.append(power)
    return [list(row) for row in zip(*columns, strict=True)]


def chebyshev_rows(X: Doubles, intervals: Sequence[Interval], degree: int) -> Doubles:
    """1, then T₁ … T_degree of each column.

    >>> chebyshev_rows(np.array([[0.5]]), [Interval(0.0, 1.0)], 3)
    array([[ 1. ,  0.5, -0.5, -1. ]])
    """
    rows = np.ones((len(X), 1 + degree * len(intervals)))
    for j, (centre, half) in enumerate(intervals):
        t = (X[:, j] - centre) / half
        before, now = np.ones(len(X)), t
        for k in range(degree):
            rows[:, 1 + j * degree + k] = now
            before, now = now, 2 * t * now - before
    return rows


class ChebyshevSum(NamedTuple):
    """f(x) = 2^exponent·(c₀ + Σⱼ Σₖ cⱼₖ·Tₖ(tⱼ)), each c held twofold."""

    intervals: tuple[Interval, ...]
    coefficients: Twofold
    exponent: int

    def __call__(self, X: Doubles) -> Doubles:
        """Return the value of the polynomial for each row."""
        parts = [self._some(X[start : start + ROWS_AT_ONCE]) for start in range(0, len(X), ROWS_AT_ONCE)]
        return np.concatenate(parts) if parts else np.empty(0)

    def _some(self, X: Doubles) -> Doubles:
        degree = (len(self.coefficients.high) - 1) // len(self.intervals)
        total = self._coefficient(0, len(X))
        with np.errstate(over="ignore", invalid="ignore", under="ignore"):
            for j, (centre, half) in enumerate(self.intervals):
                t = divide(exact_sum(X[:, j], -centre), half)
                total = add(total, self._clenshaw(t, 1 + j * degree, degree))
            return np.ldexp(total.high, self.exponent)

    def _clenshaw(self, t: Twofold, first: int, degree: int) -> Twofold:
        """Σₖ cₖ·Tₖ(t) for k = 1 … degree: bₖ = cₖ + 2t·bₖ₊₁ − bₖ₊₂, and t·b₁ − b₂."""
        n = len(t.high)
        twice = Twofold(2 * t.high, 2 * t.low)
        after = now = Twofold(np.zeros(n), np.zeros(n))
        for k in reversed(range(degree)):
            beyond = Twofold(-after.high, -after.low)
            after = now
            now = add(self._coefficient(first + k, n), add(multiply(twice, now), beyond))
        return add(multiply(t, now), Twofold(-after.high, -after.low))

    def _coefficient(self, k: int, n: int) -> Twofold:
        return Twofold(*(np.full(n, part[k]) for part in self.coefficients))
