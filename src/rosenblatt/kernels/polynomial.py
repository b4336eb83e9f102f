"""Polynomial kernels, whose feature space consists of all products of up to `degree` input features."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.errors import whole_number
from rosenblatt.kernels.kernel_hooks import from_products, pair
from rosenblatt.kernels.kernel_parameters import build_kernel
from rosenblatt.kernels.monomials import Monomials
from rosenblatt.kernels.products import Products
from rosenblatt.kernels.vectors import call_kernel, map_rows
from rosenblatt.numeric.pairs import dot
from rosenblatt.numeric.rows import ROUNDING


class Polynomial(NamedTuple):
    """Compute K(x, z) = (gamma·x·z + coef0)^degree, homogeneous if coef0 = 0.

    Its feature space consists of all monomials in the features of degree at most `degree`, or of exactly
    this degree if coef0 = 0. `map` computes them so that φ(x)·φ(z) = K(x, z), and `monomials` names them;
    `products` returns a second such φ, with one feature for every order of the factors. A negative coef0
    raises an error, because the values would not be inner products (for x = 0 and degree 1, the squared
    length K(x, x) = coef0 would be negative).

    Parameters
    ----------
    degree : int, default=3
        The power.
    gamma : float, default=1.0
        The factor of x·z.
    coef0 : float, default=1.0
        The constant added before the power; at least 0.

    References
    ----------
    Aizerman, Braverman & Rozonoer (1964); Freund & Schapire, Machine Learning 37 (1999).

    Examples
    --------
    >>> Polynomial(degree=2, gamma=1.0)
    Polynomial(degree=2, gamma=1.0, coef0=1.0)
    >>> Polynomial(2)([1, 2], [3, -1])  # (1·3 + 2·(−1) + 1)²
    4.0
    >>> Polynomial(2).monomials(2).names
    ['1', 'x0', 'x1', 'x0²', 'x0·x1', 'x1²']
    >>> round(float(Polynomial(2).map([1, 2]) @ Polynomial(2).map([3, -1])), 12)
    4.0
    """

    degree: int = 3
    gamma: float = 1.0
    coef0: float = 1.0

    def __call__(self, x: ArrayLike, z: ArrayLike) -> float | NDArray[np.float64]:
        """Return K(x, z) of two vectors; for a matrix, one value per row."""
        return call_kernel(self, x, z)

    def map(self, X: Any) -> NDArray[np.float64]:
        """Return φ(x) of each row of X, or of one vector, with one feature per monomial.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features) or (n_features,)
            The rows, or one vector.

        Returns
        -------
        ndarray of shape (n_rows, n_monomials) or (n_monomials,)
            The vectors φ(x), with φ(x)·φ(z) = K(x, z).

        Raises
        ------
        BadInput
            If there are too many monomials, or a product overflows.
        """
        return map_rows(X, lambda matrix: self.monomials(matrix.shape[1]).of_matrix(matrix))

    def monomials(self, n_features: int) -> Monomials:
        """Return the map φ of vectors of `n_features` numbers with one feature for each monomial.

        Parameters
        ----------
        n_features : int
            The number of features.

        Returns
        -------
        Monomials
            The map φ, with the names and weights of the monomials.

        Raises
        ------
        BadInput
            If there are too many monomials to write out.
        """
        return Monomials(
            whole_number("n_features", n_features, 1), *build_kernel(Polynomial, self._asdict(), None)
        )

    def products(self, n_features: int) -> Products:
        """Return the map φ of vectors of `n_features` numbers with one feature for each ordered product.

        Parameters
        ----------
        n_features : int
            The number of features.

        Returns
        -------
        Products
            The map φ, with the names of the products.

        Raises
        ------
        BadInput
            If there are too many products to write out.
        """
        return Products(
            whole_number("n_features", n_features, 1), *build_kernel(Polynomial, self._asdict(), None)
        )

    def matrix(self, X: Any, Z: Any, x2: Any, z2: Any, backend: Any) -> Any:
        """Return K for all pairs of rows; see `Kernel.matrix`."""
        base = backend.product(X, Z, x2, z2)
        if self.gamma != 1.0:  # each of these operations reads and writes the whole matrix
            base *= self.gamma
        base += self.coef0
        return _power(base, self.degree)

    def is_of_products(self, largest2: float) -> bool:
        """Return whether K can be computed from inner products; see `Kernel.is_of_products`."""
        return True

    def diagonal(self, X: Any, x2: Any, backend: Any) -> Any:
        """Return K(x, x) of each row; see `Kernel.diagonal`."""
        return _power(self.gamma * x2 + self.coef0, self.degree)

    def roots(self, diagonal: NDArray[Any]) -> NDArray[Any]:
        """Return root(x) of each row for the error bound; see `Kernel.roots`."""
        # Cauchy–Schwarz in feature space: the kernel is a square, so K(x, z)² ≤ K(x, x)·K(z, z)
        return np.sqrt(diagonal)

    def error(self, n_features: int, largest2: float) -> float:
        """Return the factor `error` of the error bound; see `Kernel.error`."""
        # the error of x·z is (d + 2) roundings of ‖x‖‖z‖ in each computation; the power multiplies it by
        # the degree
        return 2.0 * self.degree * (n_features + 8) * ROUNDING


def _power(base: Any, degree: int) -> Any:
    """Return base^degree by repeated squaring; overwrites `base`."""
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


@from_products.of(Polynomial)
def _(kernel, values, x2, z2, work):
    for j in range(values.size):
        work[j] = kernel.gamma * values[j] + kernel.coef0
        values[j] = work[j]
    for _ in range(1, kernel.degree):
        for j in range(values.size):
            values[j] *= work[j]
