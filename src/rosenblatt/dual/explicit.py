"""The feature space of (1 + x·z)^degree written out: monomials with the roots of their multinomial
weights."""

from __future__ import annotations

import math
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.arithmetic.rows import ROUNDING
from rosenblatt.dual.spaces import OnHost
from rosenblatt.dual.support import Support, as_matrix
from rosenblatt.errors import BadInput
from rosenblatt.loops.monomials import monomials


class Monomials:
    """The map φ with φ(x)·φ(z) = (1 + x·z)^degree: all monomials of degree at most `degree`.

    A monomial x₁^a₁·x₂^a₂·… has weight degree!/((degree − Σa)!·a₁!·a₂!·…), and φ carries its square root.

    >>> Monomials(2, 2).powers
    [(), (0,), (1,), (0, 0), (0, 1), (1, 1)]
    >>> Monomials(2, 2).weights
    array([1., 2., 2., 1., 2., 1.])
    """

    def __init__(self, n_features: int, degree: int) -> None:
        self.degree = degree
        self.powers = [
            power
            for size in range(degree + 1)
            for power in combinations_with_replacement(range(n_features), size)
        ]
        place = {power: j for j, power in enumerate(self.powers)}
        self._parent = np.array([place[power[:-1]] if power else 0 for power in self.powers], np.int64)
        self._feature = np.array([power[-1] if power else 0 for power in self.powers], np.int64)
        try:
            self.weights = np.array([multinomial(power, degree) for power in self.powers], np.float64)
        except OverflowError:
            raise BadInput(
                f"degree: the monomials of degree {degree} have weights too large for a double; "
                "use a smaller degree"
            ) from None
        self._roots = np.sqrt(self.weights)

    def __len__(self) -> int:
        return len(self.powers)

    def plain(self, X: Any) -> NDArray[np.float64]:
        """The monomials of each row, without their weights."""
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        out = np.empty((dense.shape[0], len(self)))
        monomials(dense.astype(np.float64, copy=False), self._parent, self._feature, out)
        return out

    def map(self, X: Any) -> NDArray[np.float64]:
        """φ(x) of each row."""
        mapped = self.plain(X)
        mapped *= self._roots
        return mapped

    @property
    def error(self) -> float:
        """How far φ(x)·w, with w a sum of φ's, can be off, as a part of Σ |delta|·‖φ(x)‖‖φ(z)‖."""
        return (len(self) + 4 * self.degree + 16) * ROUNDING

    def combined(
        self, support: Support, weights: NDArray[np.float64], with_roots: bool = True
    ) -> NDArray[np.float64]:
        """Σ weight·φ(support row) for each column of weights; without roots, of the plain monomials."""
        total = np.zeros((len(self), weights.shape[1]))
        for part, rows, _ in support.parts():
            X = as_matrix(rows, OnHost())
            total += (self.map(X) if with_roots else self.plain(X)).T @ weights[part]
        return total


def multinomial(power: tuple[int, ...], degree: int) -> int:
    """degree!/((degree − Σa)!·Πa!): how often a monomial comes up in (1 + x·z)^degree."""
    weight = math.factorial(degree) // math.factorial(degree - len(power))
    for feature in set(power):
        weight //= math.factorial(power.count(feature))
    return weight


def n_monomials(n_features: int, degree: int) -> int:
    """How many monomials of degree at most `degree` there are.

    >>> n_monomials(784, 2), n_monomials(784, 4)
    (308505, 15943435565)
    """
    return math.comb(n_features + degree, degree)
