"""The Laplacian kernel: similarity by l1 distance, with a sharper peak than the Gaussian's."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.kernels.kernel_hooks import pair
from rosenblatt.kernels.vectors import call_kernel
from rosenblatt.numeric.pairs import absolute_distance
from rosenblatt.numeric.rows import ROUNDING


class Laplacian(NamedTuple):
    """Compute K(x, z) = exp(−gamma·‖x − z‖₁).

    This kernel cannot be computed from matrix products, so it costs several times as much as the Gaussian
    kernel.

    Parameters
    ----------
    gamma : float, default=1.0
        The inverse width; above 0.

    Examples
    --------
    >>> Laplacian(gamma=0.5)
    Laplacian(gamma=0.5)
    >>> Laplacian(gamma=0.5)([1, 2], [1, 2])
    1.0
    """

    gamma: float = 1.0

    def __call__(self, x: ArrayLike, z: ArrayLike) -> float | NDArray[np.float64]:
        """Return K(x, z) of two vectors; for a matrix, one value per row."""
        return call_kernel(self, x, z)

    def matrix(self, X: Any, Z: Any, x2: Any, z2: Any, backend: Any) -> Any:
        """Return K for all pairs of rows; see `Kernel.matrix`."""
        exponent = backend.absolute_distances(X, Z)
        exponent *= -self.gamma
        return backend.exponential(exponent)

    def is_of_products(self, largest2: float) -> bool:
        """Return whether K can be computed from inner products; see `Kernel.is_of_products`."""
        return False

    def diagonal(self, X: Any, x2: Any, backend: Any) -> Any:
        """Return K(x, x) of each row; see `Kernel.diagonal`."""
        return backend.zeros((x2.shape[0],)) + 1.0

    def roots(self, diagonal: NDArray[Any]) -> NDArray[Any]:
        """Return root(x) of each row for the error bound; see `Kernel.roots`."""
        return np.ones_like(diagonal)

    def error(self, n_features: int, largest2: float) -> float:
        """Return the factor `error` of the error bound; see `Kernel.error`."""
        # with D = ‖x − z‖₁, the relative error of γD is (d + 2) roundings in both functions, and e^−γD·γD <
        # 1/2
        return (n_features + 8) * ROUNDING * 2.0


@pair.of(Laplacian)
def _(kernel, left, i, right, j):
    return math.exp(-kernel.gamma * absolute_distance(left, i, right, j))
