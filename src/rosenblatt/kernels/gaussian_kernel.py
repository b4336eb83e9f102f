"""The Gaussian kernel, which falls with the distance between two points."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rosenblatt.kernels.kernel_hooks import from_products, pair
from rosenblatt.kernels.vectors import call_kernel
from rosenblatt.numeric.exponentials import exponentials
from rosenblatt.numeric.pairs import squared_distance
from rosenblatt.numeric.rows import ROUNDING

FAR = 1e4
"""If γ‖x‖² exceeds this value, ‖x − z‖² is summed from the differences, since x·z loses too many digits."""


class Gaussian(NamedTuple):
    """Compute K(x, z) = exp(−gamma·‖x − z‖²).

    Distinct points are linearly independent in its feature space (Micchelli 1986), so any labelling of
    them can be separated there, although the margin may be tiny.

    Parameters
    ----------
    gamma : float, default=1.0
        The inverse width; above 0.

    Examples
    --------
    >>> Gaussian(gamma=0.5)
    Gaussian(gamma=0.5)
    >>> Gaussian(gamma=0.5)([1, 2], [1, 2])
    1.0
    """

    gamma: float = 1.0

    def __call__(self, x: ArrayLike, z: ArrayLike) -> float | NDArray[np.float64]:
        """Return K(x, z) of two vectors; for a matrix, one value per row."""
        return call_kernel(self, x, z)

    def matrix(self, X: Any, Z: Any, x2: Any, z2: Any, backend: Any) -> Any:
        """Return K for all pairs of rows; see `Kernel.matrix`."""
        if self.gamma * max(float(x2.max()), float(z2.max())) > FAR:
            exponent = backend.squared_distances(X, Z)
            exponent *= -self.gamma
            return backend.exponential(exponent)
        # −γ‖x − z‖² = 2γ x·z − γ‖x‖² − γ‖z‖²
        exponent = backend.product(X, Z, x2, z2)
        exponent *= 2.0 * self.gamma
        exponent -= (self.gamma * x2)[:, None]
        exponent -= (self.gamma * z2)[None, :]
        backend.clip_above(exponent, 0.0)
        return backend.exponential(exponent)

    def is_of_products(self, largest2: float) -> bool:
        """Return whether K can be computed from inner products; see `Kernel.is_of_products`."""
        # for larger norms, ‖x − z‖² computed from x·z loses too many digits
        return bool(self.gamma * largest2 <= FAR)

    def diagonal(self, X: Any, x2: Any, backend: Any) -> Any:
        """Return K(x, x) of each row; see `Kernel.diagonal`."""
        return backend.zeros((x2.shape[0],)) + 1.0

    def roots(self, diagonal: NDArray[Any]) -> NDArray[Any]:
        """Return root(x) of each row for the error bound; see `Kernel.roots`."""
        return np.ones_like(diagonal)

    def error(self, n_features: int, largest2: float) -> float:
        """Return the factor `error` of the error bound; see `Kernel.error`."""
        # D = ‖x − z‖² = ‖x‖² + ‖z‖² − 2x·z suffers from cancellation: its error is (d + 5) roundings of
        # (‖x‖ + ‖z‖)² ≤ 4·largest2. The error of γD in the plain loop is (d + 3) roundings of γD, where
        # e^−γD·γD < 0.4; the exponentials add 5 and 1 roundings.
        return (n_features + 8) * ROUNDING * (4.0 * min(self.gamma * largest2, FAR) + 2.0)


@pair.of(Gaussian)
def _(kernel, left, i, right, j):
    return math.exp(-kernel.gamma * squared_distance(left, i, right, j))


@from_products.of(Gaussian)
def _(kernel, values, x2, z2, work):
    for j in range(values.size):
        exponent = 2.0 * kernel.gamma * values[j] - kernel.gamma * x2 - kernel.gamma * z2[j]
        values[j] = min(exponent, 0.0)
    exponentials(values, work)
