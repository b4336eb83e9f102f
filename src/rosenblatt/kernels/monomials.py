"""The feature space of (gamma·x·z + coef0)^degree: monomials times the square roots of their weights."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.kernels.vectors import map_rows
from rosenblatt.numeric.compiling import jit
from rosenblatt.numeric.rows import ROUNDING

MOST_FEATURES = 2_000_000
SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


class Monomials:
    """Map vectors to weighted monomials, so that φ(x)·φ(z) = (gamma·x·z + coef0)^degree.

    The features are all monomials of degree at most `degree`, or of exactly that degree if coef0 = 0. A
    monomial x₁^a₁·x₂^a₂·… of degree s = Σa occurs degree!/((degree − s)!·a₁!·a₂!·…) times in the expanded
    power. Its weight is this number times gamma^s·coef0^(degree − s), and φ contains the monomial times the
    square root of its weight.

    Parameters
    ----------
    n_features : int
        The number of features of x.
    degree : int
        The power.
    gamma : float, default=1.0
        The factor of x·z.
    coef0 : float, default=1.0
        The constant added before the power.

    Attributes
    ----------
    powers : list of tuple of int
        The features that are multiplied, one tuple per column of `map`.
    weights : ndarray of float64
        The weight of each monomial.

    Raises
    ------
    BadInput
        If there are too many monomials to write out, or a weight overflows.

    Examples
    --------
    >>> Monomials(2, 2).names
    ['1', 'x0', 'x1', 'x0²', 'x0·x1', 'x1²']
    >>> Monomials(2, 2).weights
    array([1., 2., 2., 1., 2., 1.])
    >>> Monomials(2, 2, coef0=0.0).powers
    [(0, 0), (0, 1), (1, 1)]
    """

    def __init__(self, n_features: int, degree: int, gamma: float = 1.0, coef0: float = 1.0) -> None:
        self.n_features, self.degree = n_features, degree
        many = n_monomials(n_features, degree)
        if many > MOST_FEATURES or many * degree > 100 * MOST_FEATURES:
            raise BadInput(
                f"degree: {many:,} monomials of {n_features:,} features up to degree {degree} are too many "
                "to write out; use the kernel, which does not need them, or a smaller degree"
            )
        powers = [
            power
            for size in range(degree + 1)
            for power in combinations_with_replacement(range(n_features), size)
        ]
        place = {power: j for j, power in enumerate(powers)}
        self._parent = np.array([place[power[:-1]] if power else 0 for power in powers], np.int64)
        self._feature = np.array([power[-1] if power else 0 for power in powers], np.int64)
        # monomials of lower degree are intermediate results; those of weight 0 are dropped at the end
        self._first = len(powers) - n_monomials(n_features, degree, coef0)
        self.powers = powers[self._first :]
        by_size = [Fraction(gamma) ** s * Fraction(coef0) ** (degree - s) for s in range(degree + 1)]
        try:
            self.weights = np.array(
                [float(multinomial(power, degree) * by_size[len(power)]) for power in self.powers]
            )
        except OverflowError:
            raise BadInput(
                f"degree: the monomials of degree {degree} have weights too large for a double; "
                "use a smaller degree"
            ) from None
        self._roots = np.sqrt(self.weights)

    def __len__(self) -> int:
        return len(self.powers)

    @property
    def names(self) -> list[str]:
        """Names of the monomials, such as x0²·x1, without their weights."""
        return [format_powers(Counter(f"x{j}" for j in power)) or "1" for power in self.powers]

    def map(self, X: Any) -> NDArray[np.float64]:
        """Return φ(x) of each row of X, or of one vector.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features) or (n_features,)
            The rows, or one vector.

        Returns
        -------
        ndarray of shape (n_rows, n_monomials) or (n_monomials,)
            The weighted monomials.

        Raises
        ------
        BadInput
            If the number of features of X is wrong, or a product overflows.

        Examples
        --------
        >>> Monomials(2, 2, coef0=0.0).map([1, 2])  # x0², √2·x0·x1, x1²
        array([1.        , 2.82842712, 4.        ])
        """
        return map_rows(X, self.of_matrix, self.n_features)

    def of_matrix(self, X: Any) -> NDArray[np.float64]:
        """Return φ of each row of a matrix, without checking the matrix.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_monomials)
            The weighted monomials.
        """
        found = self.plain(X)
        found *= self._roots
        return found

    def plain(self, X: Any) -> NDArray[np.float64]:
        """Return the monomials of each row of a matrix, without their weights.

        Parameters
        ----------
        X : ndarray or csr_array of shape (n_rows, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_rows, n_monomials)
            The monomials.
        """
        dense = X if isinstance(X, np.ndarray) else X.toarray()
        out = np.empty((dense.shape[0], self._parent.size))
        _multiply(dense.astype(np.float64, copy=False), self._parent, self._feature, out)
        return out[:, self._first :]

    @property
    def error(self) -> float:
        """Bound on the error of φ(x)·w, where w = Σ delta·φ(z), as a fraction of Σ |delta|·‖φ(x)‖‖φ(z)‖."""
        return (len(self) + 4 * self.degree + 16) * ROUNDING


@jit
def _multiply(X, parent, feature, out):
    """Write monomial j of row i to out[i, j].

    Monomial 0 is 1, and monomial j is monomial parent[j] times feature[j].
    """
    for i in range(X.shape[0]):
        out[i, 0] = 1.0
        for j in range(1, parent.size):
            out[i, j] = out[i, parent[j]] * X[i, feature[j]]


def multinomial(power: tuple[int, ...], degree: int) -> int:
    """Return degree!/((degree − Σa)!·Πa!), the multiplicity of a monomial in (1 + x·z)^degree."""
    weight = math.factorial(degree) // math.factorial(degree - len(power))
    for feature in set(power):
        weight //= math.factorial(power.count(feature))
    return weight


def n_monomials(n_features: int, degree: int, coef0: float = 1.0) -> int:
    """Return the number of monomials of degree at most `degree`, or of exactly that degree if coef0 = 0.

    Parameters
    ----------
    n_features : int
        The number of features.
    degree : int
        The degree.
    coef0 : float, default=1.0
        The constant of the polynomial kernel.

    Returns
    -------
    int
        The number of monomials.

    Examples
    --------
    >>> n_monomials(784, 2), n_monomials(784, 4), n_monomials(784, 2, coef0=0.0)
    (308505, 15943435565, 307720)
    """
    return math.comb(n_features + degree - (coef0 == 0.0), degree)


def format_powers(powers: Mapping[str, int]) -> str:
    """Return a product of features as text; the empty product gives an empty string.

    Examples
    --------
    >>> format_powers({"height": 2, "age": 1})
    'height²·age'
    """
    return "·".join(
        name + (str(power).translate(SUPERSCRIPTS) if power > 1 else "") for name, power in powers.items()
    )
