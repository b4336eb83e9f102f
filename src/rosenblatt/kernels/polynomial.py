"""Polynomial kernels: all products of up to `degree` features at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.pairs import dot
from rosenblatt.arithmetic.rows import ROUNDING
from rosenblatt.kernels.shape import pair, product


class Polynomial(NamedTuple):
    """K(x, z) = (gamma·x·z + coef0)^degree, homogeneous where coef0 = 0.

    Its feature space has all monomials of degree `degree` in the features (and in a constant, where
    coef0 > 0): (d + degree choose degree) of them.

    Aizerman, Braverman & Rozonoer (1964); Freund & Schapire, Machine Learning 37 (1999).

    >>> Polynomial(degree=2, gamma=1.0)
    Polynomial(degree=2, gamma=1.0, coef0=1.0)
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0

    def matrix(self, X: Any, Z: Any, x2: Any, z2: Any, space: Any) -> Any:
        base = product(X, Z, x2, z2)
        base *= self.gamma
        base += self.coef0
        return _power(base, self.degree)

    def diagonal(self, X: Any, x2: Any, space: Any) -> Any:
        return _power(self.gamma * x2 + self.coef0, self.degree)

    def roots(self, diagonal: NDArray[Any]) -> NDArray[Any]:
        # Cauchy–Schwarz in feature space: the kernel is a square, so K(x, z)² ≤ K(x, x)·K(z, z)
        return np.sqrt(diagonal)

    def error(self, n_features: int, largest2: float) -> float:
        # x·z is off by (d + 2) roundings of ‖x‖‖z‖ on either side; the power multiplies that by the degree
        return 2.0 * self.degree * (n_features + 8) * ROUNDING


def _power(base: Any, degree: int) -> Any:
    """base^degree by squaring; `base` is used up."""
    result = None
    while True:
        if degree & 1:
            if degree == 1:
                return base if result is None else result.__imul__(base)
            result = base + 0.0 if result is None else result.__imul__(base)
        degree >>= 1
        base *= base


@pair.of(Polynomial)
def _(kernel, left, i, right, j):
    base = kernel.gamma * dot(left, i, right, j) + kernel.coef0
    value = base
    for _ in range(1, kernel.degree):
        value *= base
    return value
