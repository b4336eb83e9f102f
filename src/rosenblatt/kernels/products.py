"""All products of coordinates in every order: the plain map to n^degree features."""

from __future__ import annotations

import math
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rosenblatt.errors import BadInput
from rosenblatt.kernels.monomials import MOST_FEATURES
from rosenblatt.kernels.vectors import map_rows


class Products:
    """Map vectors to every ordered product of `degree` coordinates: n^degree features.

    φ(x)·φ(z) = (gamma·x·z + coef0)^degree, since Σᵢⱼ xᵢxⱼ·zᵢzⱼ = (Σᵢ xᵢzᵢ)·(Σⱼ xⱼzⱼ) = (x·z)², and so on
    for each degree, without multinomial weights. The coordinates are those of √gamma·x and, if coef0 > 0,
    the constant √coef0, named √c.

    Parameters
    ----------
    n_features : int
        The number of features of x.
    degree : int
        The number of factors.
    gamma : float, default=1.0
        The factor of x·z.
    coef0 : float, default=1.0
        The constant added before the power.

    Raises
    ------
    BadInput
        If there are too many products to write out.

    Examples
    --------
    >>> Products(2, 2, coef0=0.0).names
    ['x0·x0', 'x0·x1', 'x1·x0', 'x1·x1']
    >>> Products(2, 2, coef0=0.0).map([2.0, 3.0])
    array([4., 6., 6., 9.])
    """

    def __init__(self, n_features: int, degree: int, gamma: float = 1.0, coef0: float = 1.0) -> None:
        self.n_features, self.degree, self.gamma, self.coef0 = n_features, degree, gamma, coef0
        if len(self) > MOST_FEATURES:
            raise BadInput(
                f"degree: {len(self):,} products of {degree} coordinates are too many to write out; use "
                "the kernel, which does not need them, or the monomials, which are fewer"
            )

    def __len__(self) -> int:
        return int((self.n_features + (self.coef0 > 0.0)) ** self.degree)

    @property
    def names(self) -> list[str]:
        """Names of the products, such as x0·x1·x0."""
        factors = [f"x{j}" for j in range(self.n_features)] + ["√c"] * (self.coef0 > 0.0)
        return ["·".join(chosen) for chosen in product(factors, repeat=self.degree)]

    def map(self, X: Any) -> NDArray[np.float64]:
        """Return φ(x) of each row of X, or of one vector.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features) or (n_features,)
            The rows, or one vector.

        Returns
        -------
        ndarray of shape (n_rows, n_products) or (n_products,)
            The products.

        Raises
        ------
        BadInput
            If the number of features of X is wrong, or a product overflows.
        """
        return map_rows(X, self._of_matrix, self.n_features)

    def _of_matrix(self, X: Any) -> NDArray[np.float64]:
        points = math.sqrt(self.gamma) * (X if isinstance(X, np.ndarray) else X.toarray())
        if self.coef0 > 0.0:
            points = np.column_stack([points, np.full(len(points), math.sqrt(self.coef0))])
        return ordered_products(points, self.degree)


def ordered_products(points: NDArray[np.float64], degree: int) -> NDArray[np.float64]:
    """Return all products of `degree` coordinates of each row; the last factor varies fastest."""
    found = points
    for _ in range(1, degree):
        found = (found[:, :, None] * points[:, None, :]).reshape(len(points), -1)
    return found
